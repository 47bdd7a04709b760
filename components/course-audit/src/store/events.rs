//! The SQL of the area.

use shared::ids::{AccountId, CourseId};
use shared::needs::nested_list;
use shared::pagination::{BuiltPage, Key, ListStatement, Page};
use shared::{Db, Result};

use crate::model::events::{CourseEvent, LinkedCourse, LinkedPageView, LinkedUser};

/// The newest first.
pub(crate) const ORDER: Key = Key::descending(&["created_at", "id"]);

/// Sorts behind every id.
const LAST: &str = "~";

/// Whose events.
#[derive(Clone, Copy)]
pub(crate) enum Log {
    OfCourse(CourseId),
    /// Those of courses that stood in the account itself when they happened.
    OfAccount(AccountId),
}

/// An event as it is answered, with the ids of what it names as text, which is empty for none. A new course tells its source in
/// its data, too.
const EVENT: &str = r#"concat('{"id":"', id, '","created_at":"', substr(created_at, 1, 19), 'Z","event_type":"', event_type,
    '","event_source":"', event_source, '","event_data":',
    iif(event_type = 'created', json_set(event_data, '$.created_source', event_source), event_data),
    ',"links":{"course":"', course_id, '","page_view":', json_quote(ifnull(page_view, '')), ',"user":"', user_id, '"',
    ',"real_user":"' || real_user_id || '"', ',"sis_batch":"', sis_batch_id, '"',
    CASE WHEN event_type IN ('copied_from', 'copied_to', 'reset_from', 'reset_to')
        THEN ',"' || event_type || '":' || partner_course_id END, '}}')"#;

/// Events of a tenant, and the records that they name as JSON, for the service of that address.
///
/// The unary `+` keeps the end of the period out of the index: where a page begins is for the page to say.
pub(crate) async fn events(
    db: &Db,
    root_account: AccountId,
    log: Log,
    (start, end): (String, String),
    base_url: &str,
    page: Page,
) -> Result<(BuiltPage<CourseEvent>, String)> {
    let (column, id) = match log {
        Log::OfCourse(id) => ("course_id", id.0),
        Log::OfAccount(id) => ("account_id", id.0),
    };
    let found = format!(
        "SELECT id, created_at, event_type, event_source, event_data, course_id, user_id, real_user_id, partner_course_id,
                sis_batch_id,
                (SELECT v.id FROM page_views v WHERE v.id = event.request_id AND v.root_account_id = ?4) AS page_view
         FROM course_events event WHERE {column} = ?1 AND created_at >= ?2 AND +created_at <= ?3"
    );
    let shown = format!("SELECT id, created_at, {EVENT} AS record FROM page");
    let page = page.beginning_behind([&end, LAST]);
    let binds = (id, start, end, root_account, base_url);
    let list = ListStatement { found: &found, shown: Some(&shown) };
    page.fetch_keyset_built_beside(db, list, binds, ORDER, &linked()?).await
}

/// The records that the events of a page name. The data that an institution has of a user are for its own administrators, those
/// of the tenant `?4`: for others, such as the site's, they are left out.
fn linked() -> Result<String> {
    let page_views = nested_list::<LinkedPageView>(
        "SELECT v.id, ?5 || v.path AS url, v.http_method, v.remote_ip, v.user_agent, v.credential, k.name AS app_name,
                substr(v.created_at, 1, 19) || 'Z' AS created_at,
                json_object('user', CAST(v.user_id AS TEXT), 'real_user', CAST(v.real_user_id AS TEXT),
                            'account', CAST(v.root_account_id AS TEXT)) AS links
         FROM page_views v LEFT JOIN developer_keys k ON k.id = v.developer_key_id
         WHERE v.id IN (SELECT page_view FROM shown) ORDER BY v.created_at, v.id",
    )?;
    let courses = nested_list::<LinkedCourse>(
        "SELECT CAST(id AS TEXT) AS id, CAST(account_id AS TEXT) AS account_id, name, course_code, sis_course_id, start_at,
                end_at, workflow_state, created_at
         FROM courses c WHERE c.id IN (SELECT course_id FROM shown UNION SELECT partner_course_id FROM shown) ORDER BY c.id",
    )?;
    let users = nested_list::<LinkedUser>(
        "SELECT CAST(u.id AS TEXT) AS id, u.name, u.sortable_name, u.short_name, p.sis_user_id, p.integration_id,
                p.unique_id AS login_id
         FROM users u
         LEFT JOIN pseudonyms p ON p.id = (
             SELECT min(id) FROM pseudonyms WHERE user_id = u.id AND root_account_id = ?4 AND workflow_state = 'active')
         WHERE u.id IN (SELECT user_id FROM shown UNION SELECT real_user_id FROM shown) ORDER BY u.id",
    )?;
    Ok(format!(r#"concat('{{"page_views":', {page_views}, ',"courses":', {courses}, ',"users":', {users}, '}}')"#))
}
