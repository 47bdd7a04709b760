-- AI experiences of courses, and the conversations of users with them.

CREATE TABLE ai_experiences (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    title TEXT NOT NULL,
    description TEXT,
    facts TEXT,
    learning_objectives TEXT NOT NULL,
    pedagogical_guidance TEXT NOT NULL,
    evaluation_metrics TEXT NOT NULL DEFAULT '[]',
    workflow_state TEXT NOT NULL DEFAULT 'unpublished' CHECK (workflow_state IN ('unpublished', 'published', 'deleted')),
    -- Counts the edits: an evaluation that was made before the last one is stale.
    version INTEGER NOT NULL DEFAULT 1,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX ai_experiences_by_course ON ai_experiences (course_id, id);

CREATE TABLE ai_conversations (
    id INTEGER PRIMARY KEY,
    ai_experience_id INTEGER NOT NULL REFERENCES ai_experiences (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    uuid TEXT NOT NULL UNIQUE,
    workflow_state TEXT NOT NULL DEFAULT 'active' CHECK (workflow_state IN ('active', 'ended', 'completed', 'deleted')),
    all_objectives_met INTEGER NOT NULL DEFAULT 0 CHECK (all_objectives_met IN (0, 1)),
    progress TEXT,
    evaluation TEXT,
    -- The version of the experience that was evaluated.
    evaluated_version INTEGER,
    -- While the model is asked for the answer to a message, nobody else asks it.
    answering_until TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ai_conversations_active ON ai_conversations (ai_experience_id, user_id)
WHERE workflow_state = 'active';
CREATE INDEX ai_conversations_by_user ON ai_conversations (ai_experience_id, user_id, id);

CREATE TABLE ai_messages (
    id INTEGER PRIMARY KEY,
    ai_conversation_id INTEGER NOT NULL REFERENCES ai_conversations (id),
    uuid TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('User', 'Assistant')),
    text TEXT NOT NULL,
    -- The name that the client gave its message, so that it can be sent again.
    idempotency_key TEXT,
    -- The message that this one answers.
    answers INTEGER UNIQUE REFERENCES ai_messages (id),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX ai_messages_by_conversation ON ai_messages (ai_conversation_id, id);
CREATE UNIQUE INDEX ai_messages_once ON ai_messages (ai_conversation_id, idempotency_key)
WHERE idempotency_key IS NOT NULL;

-- Who liked or disliked an answer. One vote for each user and message.
CREATE TABLE ai_message_feedback (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    ai_message_id INTEGER NOT NULL REFERENCES ai_messages (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    vote TEXT NOT NULL CHECK (vote IN ('liked', 'disliked')),
    feedback_message TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (ai_message_id, user_id)
) STRICT;

-- Tokens of the model that a tenant has used in a month, written 2026-03.
CREATE TABLE ai_usage (
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    month TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (root_account_id, month)
) STRICT;
