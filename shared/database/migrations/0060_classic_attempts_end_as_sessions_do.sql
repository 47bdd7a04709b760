-- When the tick has last begun to hand an attempt at a classic quiz in, so that nobody else begins it meanwhile.
ALTER TABLE quiz_submissions ADD COLUMN hand_in_begun_at TEXT;

DROP INDEX quiz_submissions_running;
CREATE INDEX quiz_submissions_running ON quiz_submissions (hand_in_beginnings, end_at)
WHERE workflow_state = 'untaken' AND end_at IS NOT NULL;
