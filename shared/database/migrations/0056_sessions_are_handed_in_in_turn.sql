-- How often the tick has begun to hand a session in. It is noted before the work, so that a beginning counts whose process is killed:
-- what was begun before comes after the rest, and is not begun over and over.
ALTER TABLE quiz_sessions ADD COLUMN hand_in_beginnings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE quiz_sessions ADD COLUMN hand_in_begun_at TEXT;

-- Previews are ended by whoever looks at them.
DROP INDEX quiz_sessions_by_end;
CREATE INDEX quiz_sessions_by_end ON quiz_sessions (hand_in_beginnings, end_at)
WHERE state = 'taking' AND end_at IS NOT NULL AND is_preview = 0;
