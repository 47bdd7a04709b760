//! The home of who is signed in.

use shared::auth::{Right, open_states_sql};
use shared::features;
use shared::needs::{Lookup, MatchedPath, Record};
use shared::{Result, clock};
use submissions::student_dates;

use crate::model::home::{Home, MAX_COURSES, MAX_QUIZZES};

impl Record for Home {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let (staff, managers, open) = (Right::ReadAsStaff.roles_sql(), Right::Manage.roles_sql(), open_states_sql());
        let graders = Right::ManageGrades.roles_sql();
        let has_experiences = format!(
            "EXISTS (SELECT 1 FROM ai_experiences WHERE course_id = c.id AND workflow_state = 'published')
             AND {}",
            features::is_on_sql("c.account_id", "'ai_experiences'")
        );
        let sql = format!(
            "SELECT u.name,
                    u.site_admin OR EXISTS (
                        SELECT 1 FROM account_admins WHERE user_id = u.id AND account_id = u.root_account_id
                    ) AS is_administrator,
                    (SELECT json_group_array(json_object(
                         'id', course.id, 'name', course.name, 'manages', json(iif(course.manages, 'true', 'false')),
                         'has_experiences', json(iif(course.has_experiences, 'true', 'false')),
                         'grades', json(iif(course.grades, 'true', 'false')),
                         'is_over', json(iif(course.is_over, 'true', 'false')), 'quizzes', json({})
                     )) FROM (
                         SELECT c.id, c.name, max(e.type IN {managers}) AS manages, {has_experiences} AS has_experiences,
                                max(e.type IN {graders}) AS grades, max(e.type IN {staff}) AS is_staff,
                                c.workflow_state = 'completed' AND NOT max(e.type IN {staff}) AS is_over,
                                max(e.type = 'StudentEnrollment') AS is_student
                         FROM enrollments e CROSS JOIN courses c ON c.id = e.course_id
                         WHERE e.user_id = u.id AND e.workflow_state = 'active' AND c.workflow_state <> 'deleted'
                           AND (e.type IN {staff} OR c.workflow_state IN {open})
                         GROUP BY c.id, c.name ORDER BY c.name, c.id LIMIT {MAX_COURSES}
                     ) course) AS courses
             FROM users u WHERE u.id = caller.user_id",
            quizzes_sql()
        );
        Ok(Lookup::new(sql, (clock::now(),)))
    }
}

/// The new quizzes of a `course` that the user may open there, at the moment `?1`: those that are due next, those that are never
/// due, and those that are over, the latest first. They are ordered by the dates of the assignments, so that what single students have instead is
/// looked up for those alone that are shown.
fn quizzes_sql() -> String {
    format!(
        "(SELECT json_group_array(json_object(
              'id', quiz.id, 'title', quiz.name, 'published', json(iif(quiz.published, 'true', 'false')),
              'due_at', quiz.due_at, 'unlock_at', quiz.unlock_at, 'lock_at', quiz.lock_at
          )) FROM (
              SELECT a.id, a.name, a.published, {}
              FROM (
                  SELECT own.id, own.name, own.workflow_state = 'published' AS published, own.has_overrides,
                         own.due_at, own.unlock_at, own.lock_at,
                         CASE WHEN course.is_over THEN 2
                              WHEN min(ifnull(own.due_at, own.lock_at), ifnull(own.lock_at, own.due_at)) < ?1 THEN 2
                              WHEN own.due_at IS NULL THEN 1 ELSE 0 END AS place
                  FROM assignments own CROSS JOIN new_quizzes n ON n.assignment_id = own.id
                  WHERE own.course_id = course.id
                    AND (own.workflow_state = 'published' AND (course.is_staff OR course.is_student)
                         OR own.workflow_state = 'unpublished' AND course.is_staff)
                  ORDER BY place, iif(place = 2, own.due_at, NULL) DESC, own.due_at, own.id LIMIT {}
              ) a
              ORDER BY a.place, iif(a.place = 2, a.due_at, NULL) DESC, a.due_at, a.id
          ) quiz)",
        student_dates::ASSIGNMENT.columns(Some("caller.user_id")),
        MAX_QUIZZES + 1,
    )
}
