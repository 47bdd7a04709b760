-- A student who comes into another section or group has other due dates, and so other deductions. Who has no grade yet has none that
-- could follow.
CREATE TRIGGER late_policies_follow_new_enrollments AFTER INSERT ON enrollments
WHEN NEW.type = 'StudentEnrollment' AND EXISTS (
    SELECT 1 FROM submissions s WHERE s.course_id = NEW.course_id AND s.user_id = NEW.user_id AND s.score IS NOT NULL
)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = NEW.course_id AND EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.course_section_id = NEW.course_section_id
    );
END;

CREATE TRIGGER late_policies_follow_enrollments AFTER UPDATE OF workflow_state, course_id, course_section_id ON enrollments
WHEN NEW.type = 'StudentEnrollment' AND (
    NEW.workflow_state <> OLD.workflow_state OR NEW.course_id <> OLD.course_id
    OR NEW.course_section_id IS NOT OLD.course_section_id
) AND EXISTS (
    SELECT 1 FROM submissions s WHERE s.course_id = NEW.course_id AND s.user_id = NEW.user_id AND s.score IS NOT NULL
)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = NEW.course_id AND EXISTS (
        SELECT 1 FROM assignment_overrides o WHERE o.course_section_id IN (NEW.course_section_id, OLD.course_section_id)
    );
END;

CREATE TRIGGER late_policies_follow_new_memberships AFTER INSERT ON group_memberships
WHEN NEW.workflow_state = 'accepted'
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = (SELECT g.course_id FROM groups g WHERE g.id = NEW.group_id)
      AND EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.group_id = NEW.group_id);
END;

CREATE TRIGGER late_policies_follow_memberships AFTER UPDATE OF workflow_state ON group_memberships
WHEN NEW.workflow_state <> OLD.workflow_state AND 'accepted' IN (NEW.workflow_state, OLD.workflow_state)
BEGIN
    UPDATE late_policies SET revision = revision + 1, regraded_to = 0
    WHERE course_id = (SELECT g.course_id FROM groups g WHERE g.id = NEW.group_id)
      AND EXISTS (SELECT 1 FROM assignment_overrides o WHERE o.group_id = NEW.group_id);
END;

-- Whose section is taught in another course is in no group of the one before, as if the enrollment had ended.
CREATE TRIGGER enrollments_take_memberships_along AFTER UPDATE OF course_id ON enrollments
WHEN NEW.course_id <> OLD.course_id AND NOT EXISTS (
    SELECT 1 FROM enrollments
    WHERE user_id = NEW.user_id AND course_id = OLD.course_id AND workflow_state NOT IN ('deleted', 'rejected')
)
BEGIN
    UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = NEW.updated_at
    WHERE user_id = NEW.user_id AND workflow_state <> 'deleted'
      AND group_id IN (SELECT id FROM groups WHERE course_id = OLD.course_id);
END;

UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0
WHERE workflow_state <> 'deleted' AND EXISTS (
    SELECT 1 FROM groups g
    WHERE g.id = group_memberships.group_id AND g.course_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM enrollments e
        WHERE e.user_id = group_memberships.user_id AND e.course_id = g.course_id
          AND e.workflow_state NOT IN ('deleted', 'rejected')
    )
);

-- The sessions that ask a section are held where it is taught. A course that is reset keeps its own.
CREATE TRIGGER course_sections_take_poll_sessions_along AFTER UPDATE OF course_id ON course_sections
WHEN NEW.course_id <> OLD.course_id AND NEW.nonxlist_course_id IS NOT OLD.nonxlist_course_id
BEGIN
    UPDATE poll_sessions SET course_id = NEW.course_id WHERE course_id = OLD.course_id AND course_section_id = NEW.id;
END;
