-- What an attempt at a quiz asks and is worth. Floating-point numbers add up to 0.30000000000000004 where a person expects 0.3: six
-- digits behind the point are kept, as of New Quizzes.
CREATE VIEW worth_of_quizzes AS
SELECT z.id AS quiz_id,
    (SELECT count(*) FROM quiz_questions q
     WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
       AND q.question_type <> 'text_only_question')
    + (SELECT w.questions FROM worth_of_quiz_groups w WHERE w.quiz_id = z.id) AS questions,
    round(
        (SELECT total(q.points_possible) FROM quiz_questions q
         WHERE q.quiz_id = z.id AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
           AND q.question_type <> 'text_only_question')
        + (SELECT w.points FROM worth_of_quiz_groups w WHERE w.quiz_id = z.id), 6) AS points
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
        points_possible = (SELECT w.points FROM worth_of_quizzes w WHERE w.quiz_id = new.id)
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;

-- The grades that have been shown of such a sum follow. What attempts are worth stands behind all that they ask: it is rounded where it
-- is read.
UPDATE assignments SET points_possible = round(points_possible, 6)
WHERE points_possible <> round(points_possible, 6) AND id IN (SELECT assignment_id FROM quizzes WHERE assignment_id IS NOT NULL);
