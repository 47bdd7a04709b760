-- How a course grades what comes late or not at all. Deductions and the minimum are percents.
CREATE TABLE late_policies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    course_id INTEGER NOT NULL UNIQUE REFERENCES courses (id),
    missing_submission_deduction_enabled INTEGER NOT NULL CHECK (missing_submission_deduction_enabled IN (0, 1)),
    missing_submission_deduction REAL NOT NULL,
    late_submission_deduction_enabled INTEGER NOT NULL CHECK (late_submission_deduction_enabled IN (0, 1)),
    late_submission_deduction REAL NOT NULL,
    late_submission_interval TEXT NOT NULL CHECK (late_submission_interval IN ('hour', 'day')),
    late_submission_minimum_percent_enabled INTEGER NOT NULL CHECK (late_submission_minimum_percent_enabled IN (0, 1)),
    late_submission_minimum_percent REAL NOT NULL,
    -- Another one after each change from which other grades follow.
    revision INTEGER NOT NULL DEFAULT 0,
    -- Submissions with greater ids are to be graded anew; null: none is.
    regraded_to INTEGER DEFAULT 0,
    -- When the tick looks for what is missing; null: never.
    look_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX late_policies_to_regrade ON late_policies (id) WHERE regraded_to IS NOT NULL;
CREATE INDEX late_policies_to_look_at ON late_policies (look_at) WHERE look_at IS NOT NULL;

-- The points that lateness costs, which the score is without.
ALTER TABLE submissions ADD COLUMN points_deducted REAL;
-- What a grader says about lateness; null: the dates tell.
ALTER TABLE submissions ADD COLUMN late_policy_status TEXT
CHECK (late_policy_status IN ('none', 'late', 'missing', 'extended'));
ALTER TABLE submissions ADD COLUMN seconds_late_override INTEGER;

-- Graded submissions of a course, in the order in which they are graded anew.
CREATE INDEX submissions_graded ON submissions (course_id, id) WHERE score IS NOT NULL;

-- What is handed in is not missing.
CREATE TRIGGER submissions_are_not_missing AFTER UPDATE OF submitted_at ON submissions
WHEN NEW.submitted_at IS NOT OLD.submitted_at AND NEW.late_policy_status = 'missing'
BEGIN
    UPDATE submissions SET late_policy_status = NULL WHERE id = NEW.id;
END;

-- Other dates are other deductions, and what was not there to be done was not missing.
CREATE TRIGGER late_policies_follow_new_assignments AFTER INSERT ON assignments
BEGIN
    UPDATE late_policies SET look_at = iif(look_at IS NULL, NULL, NEW.updated_at) WHERE course_id = NEW.course_id;
END;
CREATE TRIGGER late_policies_follow_due_dates AFTER UPDATE OF due_at, workflow_state ON assignments
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.workflow_state <> OLD.workflow_state
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;
CREATE TRIGGER late_policies_follow_new_overrides AFTER INSERT ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;
CREATE TRIGGER late_policies_follow_overrides AFTER UPDATE ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, NEW.updated_at)
    WHERE course_id = NEW.course_id;
END;
CREATE TRIGGER late_policies_follow_deleted_overrides AFTER DELETE ON assignment_overrides
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, OLD.updated_at)
    WHERE course_id = OLD.course_id;
END;

-- True: grades are shown to students when somebody posts them. An assignment that says nothing does as its course.
ALTER TABLE courses ADD COLUMN post_manually INTEGER NOT NULL DEFAULT 0 CHECK (post_manually IN (0, 1));
ALTER TABLE assignments ADD COLUMN post_manually INTEGER CHECK (post_manually IN (0, 1));
-- True: graders do not see whose work it is until its grade is posted, which is by hand then.
ALTER TABLE assignments ADD COLUMN anonymous_grading INTEGER NOT NULL DEFAULT 0 CHECK (anonymous_grading IN (0, 1));
-- When a grade was posted by hand, and whether it was hidden.
ALTER TABLE submissions ADD COLUMN posted_at TEXT;
ALTER TABLE submissions ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1));

-- What students see stays as it is, and so does what they do not see.
CREATE TRIGGER assignments_post_manually AFTER UPDATE OF post_manually, anonymous_grading ON assignments
WHEN NEW.post_manually IS NOT OLD.post_manually OR NEW.anonymous_grading <> OLD.anonymous_grading
BEGIN
    UPDATE submissions SET posted_at = ifnull(posted_at, graded_at)
    WHERE assignment_id = NEW.id AND graded_at IS NOT NULL AND NOT is_hidden AND NOT OLD.anonymous_grading
      AND NOT ifnull(OLD.post_manually, (SELECT c.post_manually FROM courses c WHERE c.id = NEW.course_id));
    UPDATE submissions SET is_hidden = 1
    WHERE assignment_id = NEW.id AND graded_at IS NOT NULL AND posted_at IS NULL
      AND (OLD.anonymous_grading
           OR ifnull(OLD.post_manually, (SELECT c.post_manually FROM courses c WHERE c.id = NEW.course_id)));
END;
CREATE TRIGGER courses_post_manually AFTER UPDATE OF post_manually ON courses
WHEN NEW.post_manually <> OLD.post_manually
BEGIN
    UPDATE submissions SET posted_at = ifnull(posted_at, graded_at)
    WHERE course_id = NEW.id AND graded_at IS NOT NULL AND NOT is_hidden AND NEW.post_manually
      AND EXISTS (SELECT 1 FROM assignments a
                  WHERE a.id = assignment_id AND a.post_manually IS NULL AND NOT a.anonymous_grading);
    UPDATE submissions SET is_hidden = 1
    WHERE course_id = NEW.id AND graded_at IS NOT NULL AND posted_at IS NULL AND NOT NEW.post_manually
      AND EXISTS (SELECT 1 FROM assignments a
                  WHERE a.id = assignment_id AND a.post_manually IS NULL AND NOT a.anonymous_grading);
END;

-- By what graders know the work meanwhile.
ALTER TABLE submissions ADD COLUMN anonymous_id TEXT;
UPDATE submissions SET anonymous_id = lower(hex(randomblob(8)));
CREATE INDEX submissions_by_anonymous_id ON submissions (assignment_id, anonymous_id);
CREATE TRIGGER submissions_have_anonymous_ids AFTER INSERT ON submissions WHEN NEW.anonymous_id IS NULL
BEGIN
    UPDATE submissions SET anonymous_id = lower(hex(randomblob(8))) WHERE id = NEW.id;
END;
