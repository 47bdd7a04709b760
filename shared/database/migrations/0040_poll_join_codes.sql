-- The code by which a class joins an open session: one for the whole installation, given out anew at each opening.
ALTER TABLE poll_sessions ADD COLUMN join_code TEXT;
CREATE UNIQUE INDEX poll_sessions_by_join_code ON poll_sessions (join_code) WHERE join_code IS NOT NULL;
-- Whether the pages keep the results back until the session is closed.
ALTER TABLE poll_sessions ADD COLUMN hides_results INTEGER NOT NULL DEFAULT 0 CHECK (hides_results IN (0, 1));
