-- Polls: a question with its choices, and the sessions in which a course or one of its sections answers it. What is deleted is gone,
-- with all that hangs from it; its id is not given out again.

CREATE TABLE polls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    -- Whoever asks.
    user_id INTEGER NOT NULL REFERENCES users (id),
    question TEXT NOT NULL,
    description TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX polls_by_user ON polls (user_id, created_at DESC, id DESC);

CREATE TABLE poll_choices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    is_correct INTEGER NOT NULL DEFAULT 0 CHECK (is_correct IN (0, 1)),
    position INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX poll_choices_by_poll ON poll_choices (poll_id, position, id);

CREATE TABLE poll_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    course_id INTEGER NOT NULL REFERENCES courses (id),
    -- Null: the whole course is asked.
    course_section_id INTEGER REFERENCES course_sections (id),
    -- Whether submissions are taken.
    is_published INTEGER NOT NULL DEFAULT 0 CHECK (is_published IN (0, 1)),
    -- Whether everybody in it sees the results.
    has_public_results INTEGER NOT NULL DEFAULT 0 CHECK (has_public_results IN (0, 1)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX poll_sessions_by_poll ON poll_sessions (poll_id, id);
CREATE INDEX poll_sessions_by_course ON poll_sessions (course_id, is_published, id);

CREATE TABLE poll_submissions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    poll_session_id INTEGER NOT NULL REFERENCES poll_sessions (id) ON DELETE CASCADE,
    poll_choice_id INTEGER NOT NULL REFERENCES poll_choices (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    UNIQUE (poll_session_id, user_id)
) STRICT;
CREATE INDEX poll_submissions_by_choice ON poll_submissions (poll_choice_id);

-- How many submissions each choice has in each session. The triggers count within the statement that adds or removes a submission, so
-- that the numbers are right at every moment, and reading them costs the same for one submission and for thousands.
CREATE TABLE poll_results (
    poll_session_id INTEGER NOT NULL REFERENCES poll_sessions (id) ON DELETE CASCADE,
    poll_choice_id INTEGER NOT NULL REFERENCES poll_choices (id) ON DELETE CASCADE,
    submissions INTEGER NOT NULL CHECK (submissions >= 0),
    PRIMARY KEY (poll_session_id, poll_choice_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX poll_results_by_choice ON poll_results (poll_choice_id);

CREATE TRIGGER poll_submissions_are_counted AFTER INSERT ON poll_submissions BEGIN
    INSERT INTO poll_results (poll_session_id, poll_choice_id, submissions)
    VALUES (new.poll_session_id, new.poll_choice_id, 1)
    ON CONFLICT DO UPDATE SET submissions = submissions + 1;
END;
CREATE TRIGGER poll_submissions_are_discounted AFTER DELETE ON poll_submissions BEGIN
    UPDATE poll_results SET submissions = submissions - 1
    WHERE poll_session_id = old.poll_session_id AND poll_choice_id = old.poll_choice_id;
END;
CREATE TRIGGER poll_submissions_stay_as_they_are BEFORE UPDATE ON poll_submissions BEGIN
    SELECT raise(ABORT, 'submissions to polls are not changed');
END;
