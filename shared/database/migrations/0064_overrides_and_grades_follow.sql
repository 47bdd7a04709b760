-- An override for a section or a group is gone with it.
CREATE INDEX assignment_overrides_of_section ON assignment_overrides (course_section_id) WHERE course_section_id IS NOT NULL;
CREATE INDEX assignment_overrides_of_group ON assignment_overrides (group_id) WHERE group_id IS NOT NULL;
CREATE TRIGGER course_sections_take_overrides AFTER UPDATE OF workflow_state ON course_sections WHEN new.workflow_state = 'deleted'
BEGIN
    DELETE FROM assignment_overrides WHERE course_section_id = new.id;
END;
CREATE TRIGGER groups_take_overrides AFTER UPDATE OF workflow_state ON groups WHEN new.workflow_state = 'deleted'
BEGIN
    DELETE FROM assignment_overrides WHERE group_id = new.id;
END;
DELETE FROM assignment_overrides WHERE course_section_id IN (SELECT id FROM course_sections WHERE workflow_state = 'deleted');
DELETE FROM assignment_overrides WHERE group_id IN (SELECT id FROM groups WHERE workflow_state = 'deleted');

-- The assignment of a quiz takes attempts at the quiz alone.
UPDATE assignments SET submission_types = '["online_quiz"]'
WHERE id IN (SELECT assignment_id FROM quizzes WHERE assignment_id IS NOT NULL) AND submission_types <> '["online_quiz"]';
UPDATE assignments SET submission_types = '["external_tool"]'
WHERE id IN (SELECT assignment_id FROM new_quizzes) AND submission_types <> '["external_tool"]';

-- A quiz that is graded no more has no submissions of its assignment.
UPDATE quiz_submissions SET submission_id = NULL
WHERE submission_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM submissions s JOIN quizzes z ON z.assignment_id = s.assignment_id
    WHERE s.id = quiz_submissions.submission_id AND z.id = quiz_submissions.quiz_id
);
CREATE TRIGGER quizzes_lose_submissions AFTER UPDATE OF assignment_id ON quizzes
WHEN old.assignment_id IS NOT NULL AND new.assignment_id IS NULL
BEGIN
    UPDATE quiz_submissions SET submission_id = NULL WHERE quiz_id = new.id;
END;

-- Where a quiz becomes graded, or graded again, the attempts that are completed have their grades at once: each student's last one
-- with the score that the quiz keeps. While another one runs, its answers tell whether it waits for a grader. Submissions are made in
-- no order, so that their ids do not tell whose they are. What lateness costs is deducted soon after.
CREATE TRIGGER quizzes_grade_earlier_attempts AFTER UPDATE OF assignment_id ON quizzes
WHEN old.assignment_id IS NULL AND new.assignment_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM quiz_submissions q WHERE q.quiz_id = new.id)
BEGIN
    INSERT INTO submissions
        (root_account_id, course_id, assignment_id, user_id, attempt, submission_type, body, submitted_at, score, grade,
         graded_at, graded_attempt, workflow_state, created_at, updated_at)
    SELECT root_account_id, course_id, new.assignment_id, user_id, attempt, 'online_quiz',
           concat('user: ', user_id, ', quiz: ', quiz_id, ', score: ', shown, ', time: ', finished_at), finished_at, score, shown,
           new.updated_at, attempt, iif(waits, 'pending_review', 'graded'), new.updated_at, new.updated_at
    FROM (
        SELECT root_account_id, course_id, quiz_id, user_id, attempt, finished_at, score,
            rtrim(rtrim(format('%.2f', score), '0'), '.') AS shown,
            iif(workflow_state <> 'untaken', workflow_state = 'pending_review', EXISTS (
                SELECT 1 FROM json_each(questions) asked
                WHERE asked.value ->> 'question_type' <> 'text_only_question'
                  AND json_extract(answers, concat('$."', asked.value ->> 'id', '".points')) IS NULL)) AS waits
        FROM (
            SELECT q.root_account_id, q.course_id, q.quiz_id, q.user_id, q.workflow_state, v.attempt, v.finished_at, v.questions,
                v.answers, round(ifnull(q.kept_score, v.score), 2) AS score
            FROM quiz_submissions q
            JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id AND v.attempt = (
                SELECT max(attempt) FROM quiz_submission_versions ended WHERE ended.quiz_submission_id = q.id)
            WHERE q.quiz_id = new.id))
    ORDER BY random();
    INSERT INTO submission_versions (submission_id, attempt, submission_type, body, submitted_at, score, grade)
    SELECT submission_id, attempt, 'online_quiz',
           concat('user: ', user_id, ', quiz: ', quiz_id, ', score: ', shown, ', time: ', finished_at), finished_at, score, shown
    FROM (
        SELECT submission_id, user_id, quiz_id, attempt, finished_at, score,
            rtrim(rtrim(format('%.2f', score), '0'), '.') AS shown
        FROM (
            SELECT s.id AS submission_id, q.user_id, q.quiz_id, v.attempt, v.finished_at,
                iif(v.attempt = s.attempt, s.score, v.score) AS score
            FROM quiz_submissions q
            JOIN submissions s ON s.assignment_id = new.assignment_id AND s.user_id = q.user_id
            JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id
            WHERE q.quiz_id = new.id));
    UPDATE quiz_submissions
    SET submission_id = (SELECT s.id FROM submissions s
                         WHERE s.assignment_id = new.assignment_id AND s.user_id = quiz_submissions.user_id)
    WHERE quiz_id = new.id;
    UPDATE late_policies
    SET revision = revision + 1, regraded_to = 0, look_at = iif(look_at IS NULL, NULL, new.updated_at)
    WHERE course_id = new.course_id;
END;
