-- Courses and groups have the root of their folders from the beginning, so that a look at it writes nothing. Users, of whom
-- most never have a file, get theirs when it is needed first.
CREATE TRIGGER courses_have_a_root_folder AFTER INSERT ON courses BEGIN
    INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
    VALUES (NEW.root_account_id, 'Course', NEW.id, 'course files', NEW.created_at, NEW.created_at);
END;
CREATE TRIGGER groups_have_a_root_folder AFTER INSERT ON groups BEGIN
    INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
    VALUES (NEW.root_account_id, 'Group', NEW.id, 'files', NEW.created_at, NEW.created_at);
END;
INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
SELECT c.root_account_id, 'Course', c.id, 'course files', c.created_at, c.created_at FROM courses c
WHERE NOT EXISTS (
    SELECT 1 FROM folders f
    WHERE f.context_type = 'Course' AND f.context_id = c.id AND f.parent_folder_id IS NULL AND f.workflow_state <> 'deleted'
);
INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
SELECT g.root_account_id, 'Group', g.id, 'files', g.created_at, g.created_at FROM groups g
WHERE NOT EXISTS (
    SELECT 1 FROM folders f
    WHERE f.context_type = 'Group' AND f.context_id = g.id AND f.parent_folder_id IS NULL AND f.workflow_state <> 'deleted'
);
