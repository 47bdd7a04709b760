-- A quiz group asks as many questions as it has, where it picks more: so many count for the quiz, and so many points can be earned.
-- What it has are its own questions, or those of its bank. Texts alone are no questions.
-- What a bank has is kept with it: it may be large, and many groups may pick from it.
ALTER TABLE question_banks ADD COLUMN questions_held INTEGER NOT NULL DEFAULT 0;
UPDATE question_banks SET questions_held = (
    SELECT count(*) FROM quiz_questions q
    WHERE q.question_bank_id = question_banks.id AND q.workflow_state = 'active' AND q.question_type <> 'text_only_question'
);

CREATE VIEW picks_of_quiz_groups AS
SELECT id, quiz_id, points, held, min(max(pick_count, 0), held) AS picks FROM (
    SELECT g.id, g.quiz_id, g.pick_count, max(ifnull(g.question_points, 0), 0) AS points,
        iif(g.assessment_question_bank_id IS NULL,
            (SELECT count(*) FROM quiz_questions q
             WHERE q.quiz_group_id = g.id AND q.workflow_state = 'active' AND q.question_type <> 'text_only_question'),
            (SELECT b.questions_held FROM question_banks b WHERE b.id = g.assessment_question_bank_id)) AS held
    FROM quiz_groups g
);

CREATE INDEX quiz_groups_by_bank ON quiz_groups (assessment_question_bank_id) WHERE assessment_question_bank_id IS NOT NULL;

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
        ) + (SELECT total(g.picks * g.points) FROM picks_of_quiz_groups g WHERE g.quiz_id = new.id)
    WHERE id = new.assignment_id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER question_banks_get_questions AFTER INSERT ON quiz_questions
WHEN new.question_bank_id IS NOT NULL AND new.workflow_state = 'active' AND new.question_type <> 'text_only_question' BEGIN
    UPDATE question_banks SET questions_held = questions_held + 1 WHERE id = new.question_bank_id;
END;
CREATE TRIGGER question_banks_change_questions AFTER UPDATE OF workflow_state, question_type ON quiz_questions
WHEN new.question_bank_id IS NOT NULL BEGIN
    UPDATE question_banks
    SET questions_held = questions_held + (new.workflow_state = 'active' AND new.question_type <> 'text_only_question')
        - (old.workflow_state = 'active' AND old.question_type <> 'text_only_question')
    WHERE id = new.question_bank_id;
END;
-- The questions of a bank belong to no quiz: where a group picks more than the bank has or had, its quiz is worth something else now.
CREATE TRIGGER quizzes_follow_question_banks AFTER UPDATE OF questions_held ON question_banks
WHEN new.questions_held <> old.questions_held BEGIN
    UPDATE quizzes SET updated_at = updated_at
    WHERE assignment_id IS NOT NULL AND id IN (
        SELECT quiz_id FROM quiz_groups
        WHERE assessment_question_bank_id = new.id AND pick_count >= max(old.questions_held, new.questions_held));
END;

UPDATE quizzes SET updated_at = updated_at
WHERE assignment_id IS NOT NULL AND workflow_state <> 'deleted' AND id IN (SELECT quiz_id FROM quiz_groups);
