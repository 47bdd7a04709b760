//! The home of who is signed in.

use shared::Result;
use shared::auth::{Right, open_states_sql};
use shared::features;
use shared::needs::{Lookup, MatchedPath, Record};

use crate::model::home::{Home, MAX_COURSES};

impl Record for Home {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let (staff, managers, open) = (Right::ReadAsStaff.roles_sql(), Right::Manage.roles_sql(), open_states_sql());
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
                         'id', id, 'name', name, 'manages', json(iif(manages, 'true', 'false')),
                         'has_experiences', json(iif(has_experiences, 'true', 'false'))
                     )) FROM (
                         SELECT c.id, c.name, max(e.type IN {managers}) AS manages, {has_experiences} AS has_experiences
                         FROM enrollments e CROSS JOIN courses c ON c.id = e.course_id
                         WHERE e.user_id = u.id AND e.workflow_state = 'active' AND c.workflow_state <> 'deleted'
                           AND (e.type IN {staff} OR c.workflow_state IN {open})
                         GROUP BY c.id, c.name ORDER BY c.name, c.id LIMIT {MAX_COURSES}
                     )) AS courses
             FROM users u WHERE u.id = caller.user_id"
        );
        Ok(Lookup::new(sql, ()))
    }
}
