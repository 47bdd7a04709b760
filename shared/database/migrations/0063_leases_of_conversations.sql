-- Whose turn it is in a conversation: a turn that overslept its lease does not end the one after it.
ALTER TABLE ai_conversations ADD COLUMN lease TEXT;
