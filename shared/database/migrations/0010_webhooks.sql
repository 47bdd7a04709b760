-- Submissions with their attempts, quiz submissions, and the events that plagiarism tools are told of.

-- -1: without end.
ALTER TABLE assignments ADD COLUMN allowed_attempts INTEGER NOT NULL DEFAULT -1;
-- By which tools know an assignment.
ALTER TABLE assignments ADD COLUMN lti_context_id TEXT;
-- A graded classic quiz has an assignment.
ALTER TABLE quizzes ADD COLUMN assignment_id INTEGER REFERENCES assignments (id);
CREATE UNIQUE INDEX quizzes_by_assignment ON quizzes (assignment_id) WHERE assignment_id IS NOT NULL;

-- The assignment for which a file is uploaded.
ALTER TABLE uploads ADD COLUMN assignment_id INTEGER REFERENCES assignments (id);

-- What a student has handed in for an assignment, as it is now, and its grade.
CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    -- Null: nothing was handed in yet.
    attempt INTEGER,
    submission_type TEXT,
    body TEXT,
    url TEXT,
    submitted_at TEXT,
    score REAL,
    grade TEXT,
    excused INTEGER NOT NULL DEFAULT 0 CHECK (excused IN (0, 1)),
    grader_id INTEGER REFERENCES users (id),
    graded_at TEXT,
    -- The attempt that the grade is of.
    graded_attempt INTEGER,
    workflow_state TEXT NOT NULL DEFAULT 'unsubmitted'
        CHECK (workflow_state IN ('unsubmitted', 'submitted', 'pending_review', 'graded')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (assignment_id, user_id)
) STRICT;
CREATE INDEX submissions_by_course ON submissions (course_id, user_id);

-- What was handed in at each attempt.
CREATE TABLE submission_versions (
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    attempt INTEGER NOT NULL,
    submission_type TEXT NOT NULL,
    body TEXT,
    url TEXT,
    submitted_at TEXT NOT NULL,
    score REAL,
    grade TEXT,
    PRIMARY KEY (submission_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE submission_attachments (
    submission_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    position INTEGER NOT NULL,
    attachment_id INTEGER NOT NULL REFERENCES attachments (id),
    PRIMARY KEY (submission_id, attempt, position),
    FOREIGN KEY (submission_id, attempt) REFERENCES submission_versions (submission_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE submission_comments (
    id INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    author_id INTEGER NOT NULL REFERENCES users (id),
    attempt INTEGER,
    comment TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX submission_comments_by_submission ON submission_comments (submission_id, id);

-- A student's way through a classic quiz: the attempt that runs, or the last one that was completed.
CREATE TABLE quiz_submissions (
    id INTEGER PRIMARY KEY,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    quiz_id INTEGER NOT NULL REFERENCES quizzes (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    submission_id INTEGER REFERENCES submissions (id),
    attempt INTEGER NOT NULL DEFAULT 1,
    -- Whoever answers must know it.
    validation_token TEXT NOT NULL,
    -- The questions as they were when the attempt began.
    questions TEXT NOT NULL,
    -- Answers and flags by the questions' ids.
    answers TEXT NOT NULL DEFAULT '{}',
    quiz_points_possible REAL NOT NULL,
    score REAL,
    kept_score REAL,
    fudge_points REAL NOT NULL DEFAULT 0,
    started_at TEXT NOT NULL,
    end_at TEXT,
    finished_at TEXT,
    workflow_state TEXT NOT NULL DEFAULT 'untaken' CHECK (workflow_state IN ('untaken', 'pending_review', 'complete')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (quiz_id, user_id)
) STRICT;

CREATE INDEX quiz_submissions_running ON quiz_submissions (end_at) WHERE workflow_state = 'untaken';

-- Each completed attempt, as it was handed in and graded.
CREATE TABLE quiz_submission_versions (
    quiz_submission_id INTEGER NOT NULL REFERENCES quiz_submissions (id),
    attempt INTEGER NOT NULL,
    questions TEXT NOT NULL,
    answers TEXT NOT NULL,
    score REAL NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT NOT NULL,
    PRIMARY KEY (quiz_submission_id, attempt)
) STRICT, WITHOUT ROWID;

-- Events that somebody has subscribed to. Of the others there is no row.
CREATE TABLE live_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The same in every delivery.
    uuid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- What subscriptions look for: the assignment, its course, and the account that the course stands in.
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER REFERENCES courses (id),
    assignment_id INTEGER REFERENCES assignments (id),
    -- SUBMISSION_CREATED, … as subscriptions name it.
    event_type TEXT NOT NULL,
    -- Milliseconds since 1970 began. No two events have the same, and a later one has more.
    event_time INTEGER NOT NULL,
    -- Who did it, where and by which request: JSON.
    cause TEXT NOT NULL,
    -- What happened: JSON.
    data TEXT NOT NULL
) STRICT;

-- Tools, what they subscribe to, and what was sent to them.

-- A tool that is registered with an account. Its secret is sealed: it signs assertions, so a hash of it would not do.
CREATE TABLE tool_proxies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    guid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    account_id INTEGER NOT NULL REFERENCES accounts (id),
    name TEXT,
    sealed_secret TEXT NOT NULL,
    capabilities TEXT NOT NULL DEFAULT '[]',
    created_at TEXT NOT NULL,
    deleted_at TEXT
) STRICT;
CREATE INDEX tool_proxies_by_account ON tool_proxies (account_id, id) WHERE deleted_at IS NULL;

-- Assertions that were exchanged for a token, until they would have ended anyway: none is good twice.
CREATE TABLE tool_proxy_assertions (
    tool_proxy_id INTEGER NOT NULL REFERENCES tool_proxies (id),
    jti TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (tool_proxy_id, jti)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_proxy_assertions_by_expiry ON tool_proxy_assertions (expires_at);

-- An event concerns a subscription whose context is its assignment, its course, or an account at or above the course's,
-- and whose event_types, a JSON list of names in upper case, holds its type.
CREATE TABLE webhook_subscriptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    tool_proxy_id INTEGER NOT NULL REFERENCES tool_proxies (id),
    context_type TEXT NOT NULL CHECK (context_type IN ('account', 'course', 'assignment')),
    context_id INTEGER NOT NULL,
    event_types TEXT NOT NULL,
    format TEXT NOT NULL CHECK (format IN ('live-event', 'caliper')),
    transport_type TEXT NOT NULL CHECK (transport_type IN ('https', 'sqs')),
    url TEXT NOT NULL,
    -- The parameters as they were given: so they are shown.
    parameters TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    -- The secret before, which signs too until that moment.
    sealed_previous_secret TEXT,
    previous_secret_until TEXT,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'deleted')),
    disabled_because TEXT,
    -- When the first failure came that no success has followed.
    failing_since TEXT,
    -- The receiver asked to be left alone until then.
    held_until TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_subscriptions_by_context ON webhook_subscriptions (context_type, context_id) WHERE status = 'active';
CREATE INDEX webhook_subscriptions_by_tool ON webhook_subscriptions (tool_proxy_id, id);

-- One event for one subscription: pending until the receiver took it, or dead.
CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- By this the receiver knows a repetition: it never changes.
    message_id TEXT NOT NULL UNIQUE DEFAULT ('msg_' || lower(hex(randomblob(16)))),
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    subscription_id INTEGER NOT NULL REFERENCES webhook_subscriptions (id),
    -- Null: a test.
    event_id INTEGER REFERENCES live_events (id),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    -- How many attempts were made since it was due first, or since it was sent again by hand.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- When it is due; while it is leased, when the lease ends.
    next_at TEXT NOT NULL,
    -- Who sends it at the moment.
    lease TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    UNIQUE (event_id, subscription_id)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (subscription_id, next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_leased ON webhook_deliveries (lease, subscription_id, next_at) WHERE lease IS NOT NULL;
CREATE INDEX webhook_deliveries_by_subscription ON webhook_deliveries (subscription_id, id);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (root_account_id, id);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (root_account_id, status, id);
CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE webhook_attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    attempted_at TEXT NOT NULL,
    latency_ms INTEGER NOT NULL,
    -- The receiver's answer; null: there was none.
    response_status INTEGER,
    response_body TEXT,
    -- Why it was a failure; null: it was none.
    error TEXT
) STRICT;
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id);

-- Each subscription that an event concerns gets a delivery of it.
CREATE TRIGGER live_events_are_delivered AFTER INSERT ON live_events BEGIN
    INSERT INTO webhook_deliveries (root_account_id, subscription_id, event_id, next_at, created_at)
    SELECT new.root_account_id, w.id, new.id, strftime('%Y-%m-%dT%H:%M:%SZ'), strftime('%Y-%m-%dT%H:%M:%SZ')
    FROM (
        SELECT 'assignment' AS type, new.assignment_id AS id
        UNION ALL
        SELECT 'course', new.course_id
        UNION ALL
        SELECT 'account', id FROM (
            WITH RECURSIVE above (id) AS (
                SELECT new.account_id
                UNION ALL
                SELECT a.parent_account_id FROM accounts a JOIN above ON a.id = above.id
                WHERE a.parent_account_id IS NOT NULL
            )
            SELECT id FROM above)
    ) place
    CROSS JOIN webhook_subscriptions w ON w.context_type = place.type AND w.context_id = place.id
    WHERE w.status = 'active' AND w.root_account_id = new.root_account_id
      AND EXISTS (SELECT 1 FROM json_each(w.event_types) WHERE value = new.event_type);
END;

-- Tools know an assignment by an id of its own.
CREATE TRIGGER assignments_have_lti_ids AFTER INSERT ON assignments WHEN new.lti_context_id IS NULL BEGIN
    UPDATE assignments
    SET lti_context_id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
        || '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
    WHERE id = new.id;
END;
UPDATE assignments
SET lti_context_id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
|| '-a' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));

-- A graded classic quiz has an assignment, which is what the quiz is: the same title, dates and points. A practice quiz or
-- a survey without points has none; the one it had is deleted.
CREATE TRIGGER quizzes_have_assignments AFTER INSERT ON quizzes
WHEN new.assignment_id IS NULL AND new.quiz_type IN ('assignment', 'graded_survey') AND new.workflow_state <> 'deleted'
BEGIN
    INSERT INTO assignments
        (root_account_id, course_id, name, description, points_possible, submission_types, due_at, unlock_at, lock_at,
         workflow_state, created_at, updated_at)
    VALUES (new.root_account_id, new.course_id, new.title, new.description, 0, '["online_quiz"]', new.due_at,
            new.unlock_at, new.lock_at, iif(new.workflow_state = 'available', 'published', 'unpublished'),
            new.updated_at, new.updated_at);
    UPDATE quizzes SET assignment_id = last_insert_rowid() WHERE id = new.id;
END;
CREATE TRIGGER quizzes_get_assignments AFTER UPDATE ON quizzes
WHEN new.assignment_id IS NULL AND new.quiz_type IN ('assignment', 'graded_survey') AND new.workflow_state <> 'deleted'
BEGIN
    INSERT INTO assignments
        (root_account_id, course_id, name, description, points_possible, submission_types, due_at, unlock_at, lock_at,
         workflow_state, created_at, updated_at)
    VALUES (new.root_account_id, new.course_id, new.title, new.description, 0, '["online_quiz"]', new.due_at,
            new.unlock_at, new.lock_at, iif(new.workflow_state = 'available', 'published', 'unpublished'),
            new.updated_at, new.updated_at);
    UPDATE quizzes SET assignment_id = last_insert_rowid() WHERE id = new.id;
END;
CREATE TRIGGER quizzes_lose_assignments AFTER UPDATE OF quiz_type ON quizzes
WHEN new.assignment_id IS NOT NULL AND new.quiz_type IN ('practice_quiz', 'survey')
BEGIN
    UPDATE quizzes SET assignment_id = NULL WHERE id = new.id;
    UPDATE assignments SET workflow_state = 'deleted', updated_at = new.updated_at
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;
CREATE TRIGGER quizzes_are_assignments AFTER UPDATE ON quizzes
WHEN new.assignment_id IS NOT NULL AND new.quiz_type IN ('assignment', 'graded_survey')
BEGIN
    UPDATE assignments
    SET name = new.title, description = new.description, due_at = new.due_at, unlock_at = new.unlock_at,
        lock_at = new.lock_at, updated_at = new.updated_at,
        workflow_state = CASE new.workflow_state
            WHEN 'available' THEN 'published' WHEN 'deleted' THEN 'deleted' ELSE 'unpublished' END,
        points_possible = (
            SELECT total(q.points_possible) FROM quiz_questions q
            WHERE q.quiz_id = new.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
              AND q.question_type <> 'text_only_question'
        ) + (
            SELECT total(max(g.pick_count, 0) * ifnull(g.question_points, 0)) FROM quiz_groups g WHERE g.quiz_id = new.id
        )
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;
CREATE TRIGGER quizzes_lose_groups AFTER DELETE ON quiz_groups BEGIN
    UPDATE quizzes SET updated_at = updated_at WHERE id = old.quiz_id AND assignment_id IS NOT NULL;
END;
-- With its assignment the quiz is gone.
CREATE TRIGGER assignments_take_quizzes AFTER UPDATE OF workflow_state ON assignments WHEN new.workflow_state = 'deleted'
BEGIN
    UPDATE quizzes SET workflow_state = 'deleted', updated_at = new.updated_at
    WHERE assignment_id = new.id AND workflow_state <> 'deleted';
END;
UPDATE quizzes SET updated_at = updated_at
WHERE quiz_type IN ('assignment', 'graded_survey') AND workflow_state <> 'deleted';
