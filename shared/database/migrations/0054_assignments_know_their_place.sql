-- An assignment's place among those of its course that are not deleted, from 1: lists answer it for each of their rows, and would
-- count it anew. Who makes one and answers it says where it stands, because what a trigger does is not in what is read back.
ALTER TABLE assignments ADD COLUMN position INTEGER NOT NULL DEFAULT 0;

UPDATE assignments SET position = place.position
FROM (SELECT id, row_number() OVER (PARTITION BY course_id ORDER BY id) AS position
      FROM assignments WHERE workflow_state <> 'deleted') AS place
WHERE place.id = assignments.id;

CREATE TRIGGER assignments_have_positions AFTER INSERT ON assignments
WHEN new.workflow_state <> 'deleted' AND new.position = 0 BEGIN
    UPDATE assignments
    SET position = 1 + ifnull((SELECT previous.position FROM assignments previous
                               WHERE previous.course_id = new.course_id AND previous.id < new.id AND previous.workflow_state <> 'deleted'
                               ORDER BY previous.id DESC LIMIT 1), 0)
    WHERE id = new.id;
END;

CREATE TRIGGER assignments_give_their_positions_up AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state = 'deleted' AND old.workflow_state <> 'deleted' BEGIN
    UPDATE assignments SET position = position - 1
    WHERE course_id = new.course_id AND id > new.id AND workflow_state <> 'deleted';
END;

CREATE TRIGGER assignments_get_their_positions_back AFTER UPDATE OF workflow_state ON assignments
WHEN new.workflow_state <> 'deleted' AND old.workflow_state = 'deleted' BEGIN
    UPDATE assignments
    SET position = 1 + ifnull((SELECT previous.position FROM assignments previous
                               WHERE previous.course_id = new.course_id AND previous.id < new.id AND previous.workflow_state <> 'deleted'
                               ORDER BY previous.id DESC LIMIT 1), 0)
    WHERE id = new.id;
    UPDATE assignments SET position = position + 1
    WHERE course_id = new.course_id AND id > new.id AND workflow_state <> 'deleted';
END;

-- True if students may have other dates than the assignment has: few have overrides, and all would be asked for them, for each date.
ALTER TABLE assignments ADD COLUMN has_overrides INTEGER NOT NULL DEFAULT 0 CHECK (has_overrides IN (0, 1));

UPDATE assignments SET has_overrides = 1 WHERE id IN (SELECT assignment_id FROM assignment_overrides);

CREATE TRIGGER assignments_have_overrides AFTER INSERT ON assignment_overrides BEGIN
    UPDATE assignments SET has_overrides = 1 WHERE id = new.assignment_id AND has_overrides = 0;
END;

CREATE TRIGGER assignments_lose_overrides AFTER DELETE ON assignment_overrides BEGIN
    UPDATE assignments SET has_overrides = EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.assignment_id = old.assignment_id)
    WHERE id = old.assignment_id;
END;
