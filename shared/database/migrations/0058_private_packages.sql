-- A package with questions of banks that not everybody may read who sees the exports of its course is for who asked for it alone.
-- Of the packages that there are nobody has noted it: those of courses that draw from such banks now are taken to have some.
ALTER TABLE content_exports ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0 CHECK (is_private IN (0, 1));

UPDATE content_exports SET is_private = 1
WHERE context_type = 'Course' AND export_type <> 'zip' AND EXISTS (
    SELECT 1 FROM quizzes z
    JOIN quiz_groups g ON g.quiz_id = z.id
    JOIN question_banks b ON b.id = g.assessment_question_bank_id
    WHERE z.course_id = content_exports.context_id AND b.course_id IS NOT content_exports.context_id
);
