-- Groups of a quiz that pick from one bank share its questions in their order. The last of them ask what is left, and so much an attempt
-- is worth. `picks` is what a group asks where it comes first.
DROP VIEW picks_of_quiz_groups;
CREATE VIEW picks_of_quiz_groups AS
SELECT id, quiz_id, position, home, points, held, min(max(pick_count, 0), held) AS picks FROM (
    SELECT g.id, g.quiz_id, g.position, g.pick_count, max(ifnull(g.question_points, 0), 0) AS points,
        ifnull(g.assessment_question_bank_id, -g.id) AS home,
        iif(g.assessment_question_bank_id IS NULL,
            (SELECT count(*) FROM quiz_questions q
             WHERE q.quiz_group_id = g.id AND q.workflow_state = 'active' AND q.question_type <> 'text_only_question'),
            (SELECT b.questions_held FROM question_banks b WHERE b.id = g.assessment_question_bank_id)) AS held
    FROM quiz_groups g
);
-- The quiz is named inside: from outside SQLite would number the groups of all quizzes for each of them.
CREATE VIEW worth_of_quiz_groups AS
SELECT z.id AS quiz_id,
    (SELECT ifnull(sum(min(picks, max(held - earlier, 0))), 0) FROM (
        SELECT g.picks, g.held, sum(g.picks) OVER (PARTITION BY g.home ORDER BY g.position, g.id) - g.picks AS earlier
        FROM picks_of_quiz_groups g WHERE g.quiz_id = z.id)) AS questions,
    (SELECT total(points * min(picks, max(held - earlier, 0))) FROM (
        SELECT g.points, g.picks, g.held, sum(g.picks) OVER (PARTITION BY g.home ORDER BY g.position, g.id) - g.picks AS earlier
        FROM picks_of_quiz_groups g WHERE g.quiz_id = z.id)) AS points
FROM quizzes z;

DROP TRIGGER quizzes_are_assignments;
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
        ) + (SELECT w.points FROM worth_of_quiz_groups w WHERE w.quiz_id = new.id)
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;

-- What all groups of a quiz pick from the bank together decides whether another question makes a difference.
DROP TRIGGER quizzes_follow_question_banks;
CREATE TRIGGER quizzes_follow_question_banks AFTER UPDATE OF questions_held ON question_banks
WHEN new.questions_held <> old.questions_held BEGIN
    UPDATE quizzes SET updated_at = updated_at
    WHERE assignment_id IS NOT NULL AND id IN (
        SELECT quiz_id FROM quiz_groups WHERE assessment_question_bank_id = new.id
        GROUP BY quiz_id HAVING total(max(pick_count, 0)) >= max(old.questions_held, new.questions_held));
END;

-- Grades that tell a share of the points, and what lateness costs, follow when questions make a quiz worth something else: the tick
-- shows them anew.
CREATE TABLE assignments_of_other_points (
    assignment_id INTEGER PRIMARY KEY REFERENCES assignments (id),
    -- What it was worth when its grades were shown last.
    points_before REAL
) STRICT;
CREATE TRIGGER assignments_have_other_points AFTER UPDATE OF points_possible ON assignments
WHEN new.points_possible IS NOT old.points_possible
    AND EXISTS (SELECT 1 FROM quizzes z WHERE z.assignment_id = new.id)
    AND EXISTS (SELECT 1 FROM submissions s WHERE s.assignment_id = new.id AND s.score IS NOT NULL)
BEGIN
    INSERT INTO assignments_of_other_points (assignment_id, points_before) VALUES (new.id, old.points_possible)
    ON CONFLICT (assignment_id) DO NOTHING;
END;

-- When the attempt was handed in whose score a quiz keeps: it is as late as that one. Null: as late as what is graded.
ALTER TABLE submissions ADD COLUMN kept_submitted_at TEXT;

DROP TRIGGER quizzes_grade_earlier_attempts;
CREATE TRIGGER quizzes_grade_earlier_attempts AFTER UPDATE OF assignment_id ON quizzes
WHEN old.assignment_id IS NULL AND new.assignment_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM quiz_submissions q WHERE q.quiz_id = new.id)
BEGIN
    -- The assignment has its points before it has grades, or these would have to follow.
    UPDATE quizzes SET updated_at = updated_at WHERE id = new.id;
    INSERT INTO submissions
        (root_account_id, course_id, assignment_id, user_id, attempt, submission_type, body, submitted_at, score, grade,
         graded_at, graded_attempt, kept_submitted_at, workflow_state, created_at, updated_at)
    SELECT root_account_id, course_id, new.assignment_id, user_id, attempt, 'online_quiz',
           concat('user: ', user_id, ', quiz: ', quiz_id, ', score: ', shown, ', time: ', finished_at), finished_at, score, shown,
           new.updated_at, attempt, kept_at, iif(waits, 'pending_review', 'graded'), new.updated_at, new.updated_at
    FROM (
        SELECT root_account_id, course_id, quiz_id, user_id, attempt, finished_at, kept_at, score,
            rtrim(rtrim(format('%.2f', score), '0'), '.') AS shown,
            iif(workflow_state <> 'untaken', workflow_state = 'pending_review', EXISTS (
                SELECT 1 FROM json_each(questions) asked
                WHERE asked.value ->> 'question_type' <> 'text_only_question'
                  AND json_extract(answers, concat('$."', asked.value ->> 'id', '".points')) IS NULL)) AS waits
        FROM (
            SELECT q.root_account_id, q.course_id, q.quiz_id, q.user_id, q.workflow_state, v.attempt, v.finished_at, v.questions,
                v.answers, round(ifnull(q.kept_score, v.score), 2) AS score,
                iif(ifnull(new.settings ->> 'scoring_policy', 'keep_highest') = 'keep_highest',
                    (SELECT best.finished_at FROM quiz_submission_versions best WHERE best.quiz_submission_id = q.id
                     ORDER BY best.score DESC, best.attempt LIMIT 1), v.finished_at) AS kept_at
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

UPDATE quizzes SET updated_at = updated_at
WHERE assignment_id IS NOT NULL AND workflow_state <> 'deleted' AND id IN (
    SELECT quiz_id FROM quiz_groups WHERE assessment_question_bank_id IS NOT NULL
    GROUP BY quiz_id, assessment_question_bank_id HAVING count(*) > 1
);
