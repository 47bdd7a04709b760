-- Reports of quizzes, classic and new: what their attempts tell, written into a file. A row is the job, too.
CREATE TABLE quiz_reports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root_account_id INTEGER NOT NULL REFERENCES accounts (id),
    course_id INTEGER NOT NULL REFERENCES courses (id),
    quiz_id INTEGER REFERENCES quizzes (id),
    assignment_id INTEGER REFERENCES new_quizzes (assignment_id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    report_type TEXT NOT NULL CHECK (report_type IN ('student_analysis', 'item_analysis')),
    format TEXT NOT NULL CHECK (format IN ('csv', 'json')),
    includes_all_versions INTEGER NOT NULL CHECK (includes_all_versions IN (0, 1)),
    is_anonymous INTEGER NOT NULL CHECK (is_anonymous IN (0, 1)),
    -- The sections whose students are in it, a list of ids in their order; null: all. Who sees others does not see it.
    section_limit TEXT,
    progress_id INTEGER NOT NULL REFERENCES progresses (id),
    -- Its file, which belongs to no record of content_exports: context_type 'ContentExport', context_id 0.
    attachment_id INTEGER REFERENCES attachments (id),
    workflow_state TEXT NOT NULL DEFAULT 'created'
        CHECK (workflow_state IN ('created', 'generating', 'generated', 'failed')),
    -- Who works on it, for how long nobody else may, and how often it was begun.
    lease TEXT,
    leased_until TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- After this it is removed.
    expires_at TEXT NOT NULL,
    CHECK ((quiz_id IS NULL) <> (assignment_id IS NULL))
) STRICT;
CREATE INDEX quiz_reports_by_quiz ON quiz_reports (quiz_id, id) WHERE quiz_id IS NOT NULL;
CREATE INDEX quiz_reports_by_assignment ON quiz_reports (assignment_id, id) WHERE assignment_id IS NOT NULL;
CREATE INDEX quiz_reports_to_do ON quiz_reports (id) WHERE workflow_state IN ('created', 'generating');
CREATE INDEX quiz_reports_by_expiry ON quiz_reports (expires_at);
CREATE INDEX quiz_reports_by_attachment ON quiz_reports (attachment_id) WHERE attachment_id IS NOT NULL;
-- Nobody has the same made twice at once.
CREATE UNIQUE INDEX quiz_reports_under_way ON quiz_reports (
    ifnull(quiz_id, 0), ifnull(assignment_id, 0), report_type, format, includes_all_versions, ifnull(section_limit, '')
) WHERE workflow_state IN ('created', 'generating');

-- The reports of a quiz go with it.
CREATE TRIGGER quizzes_take_reports AFTER UPDATE OF workflow_state ON quizzes
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE quiz_reports SET expires_at = new.updated_at WHERE quiz_id = new.id;
END;
CREATE TRIGGER assignments_take_reports AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state = 'deleted' BEGIN
    UPDATE quiz_reports SET expires_at = new.updated_at WHERE assignment_id = new.id;
END;
