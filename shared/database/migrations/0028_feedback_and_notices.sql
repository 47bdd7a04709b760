-- Votes of an experience are listed and counted without a look at its conversations.

ALTER TABLE ai_message_feedback ADD COLUMN ai_experience_id INTEGER REFERENCES ai_experiences (id);
UPDATE ai_message_feedback
SET ai_experience_id = (
    SELECT c.ai_experience_id FROM ai_messages m JOIN ai_conversations c ON c.id = m.ai_conversation_id
    WHERE m.id = ai_message_feedback.ai_message_id
);
CREATE INDEX ai_message_feedback_by_experience ON ai_message_feedback (ai_experience_id, id);
CREATE INDEX ai_message_feedback_by_vote ON ai_message_feedback (ai_experience_id, vote, id);

-- A service tells of a text message by the reference that it gave it.
CREATE INDEX messages_by_reference ON messages (reference, id) WHERE reference IS NOT NULL;
