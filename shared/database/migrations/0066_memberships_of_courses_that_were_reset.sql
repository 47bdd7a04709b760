-- A reset takes the enrollments of a course to another one: nobody stays in the groups that the old one keeps.
UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0
WHERE workflow_state <> 'deleted' AND EXISTS (
    SELECT 1 FROM groups g
    WHERE g.id = group_memberships.group_id AND g.course_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM enrollments e
        WHERE e.user_id = group_memberships.user_id AND e.course_id = g.course_id
          AND e.workflow_state NOT IN ('deleted', 'rejected')
    )
);
