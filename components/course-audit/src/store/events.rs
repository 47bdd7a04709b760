//! The SQL of the area.

use shared::Result;
use shared::auth::{NEEDED_ID, NEEDED_TENANT};
use shared::db::BuiltRow;
use shared::needs::{Lookup, MatchedPath, nested_list};
use shared::pagination::Key;
use shared::period::Period;
use shared::prefetch::{List, Pages};

use crate::model::events::{CourseEvent, LinkedCourse, LinkedPageView, LinkedUser};

/// The newest first.
const ORDER: Pages = Pages::Cursor(Key::descending(&["created_at", "id"]));

/// Sorts behind every id.
const LAST: &str = "~";

/// The log of the course that is needed, for who administers its tenant.
pub(crate) struct EventsOfCourse;

/// That of the account that is needed: of courses that stood in the account itself when it happened.
pub(crate) struct EventsOfAccount;

impl List for EventsOfCourse {
    type Row = BuiltRow<CourseEvent>;
    const PAGES: Pages = ORDER;
    const HAS_ADDRESSES: bool = true;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        events("course_id", path)
    }
}

impl List for EventsOfAccount {
    type Row = BuiltRow<CourseEvent>;
    const PAGES: Pages = ORDER;
    const HAS_ADDRESSES: bool = true;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        events("account_id", path)
    }
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

/// The events that have the id of what is needed in that column, and the records that they name.
///
/// The unary `+` keeps the end of the period out of the index: where a page begins is for the page to say.
fn events(column: &str, path: MatchedPath<'_>) -> Result<Lookup> {
    let (start, end) = path.query::<Period>()?.bounds();
    let found = format!(
        "SELECT id, created_at, event_type, event_source, event_data, course_id, user_id, real_user_id, partner_course_id,
                sis_batch_id,
                (SELECT v.id FROM page_views v WHERE v.id = event.request_id AND v.root_account_id = {NEEDED_TENANT}) AS page_view
         FROM course_events event
         WHERE {column} = {NEEDED_ID} AND created_at >= ?1 AND +created_at <= ?2"
    );
    let shown = format!("SELECT id, created_at, {EVENT} AS record FROM page");
    let events = Lookup::new(found, (start, end.as_str(), path.base_url()?)).shown_by(shown).with(linked()?);
    Ok(events.beginning_behind([&end, LAST]))
}

/// The records that the events of a page name. The data that an institution has of a user are for its own administrators, those
/// of the tenant: for others, such as the site's, they are left out.
fn linked() -> Result<String> {
    let page_views = nested_list::<LinkedPageView>(
        "SELECT v.id, ?3 || v.path AS url, v.http_method, v.remote_ip, v.user_agent, v.credential, k.name AS app_name,
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
    let users = nested_list::<LinkedUser>(&format!(
        "SELECT CAST(u.id AS TEXT) AS id, u.name, u.sortable_name, u.short_name, p.sis_user_id, p.integration_id,
                p.unique_id AS login_id
         FROM users u
         LEFT JOIN pseudonyms p ON p.id = (
             SELECT min(id) FROM pseudonyms WHERE user_id = u.id AND root_account_id = {NEEDED_TENANT} AND workflow_state = 'active')
         WHERE u.id IN (SELECT user_id FROM shown UNION SELECT real_user_id FROM shown) ORDER BY u.id"
    ))?;
    Ok(format!(r#"concat('{{"page_views":', {page_views}, ',"courses":', {courses}, ',"users":', {users}, '}}')"#))
}
