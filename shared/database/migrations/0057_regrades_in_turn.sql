-- Work that a process ends in the midst of leaves no word. So its beginning is noted before it: what was begun too often is not begun
-- again, and what was begun last waits for the rest.

-- The steps of a regrade that were begun since one was done, when the last of them was, and when it was given up.
ALTER TABLE quiz_regrades ADD COLUMN beginnings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE quiz_regrades ADD COLUMN begun_at TEXT;
ALTER TABLE quiz_regrades ADD COLUMN failed_at TEXT;

-- How often the tick has begun to hand the attempt in that runs.
ALTER TABLE quiz_submissions ADD COLUMN hand_in_beginnings INTEGER NOT NULL DEFAULT 0;
