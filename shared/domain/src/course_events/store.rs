//! The SQL of what is noted about courses.

use database::{Db, Json};
use serde::Deserialize;
use types::clock::Timestamp;
use types::ids::CourseId;
use uuid::Uuid;

use super::page_view::PageView;
use super::{Author, CourseSnapshot, Record};

/// The fields of the course, be it deleted.
pub(super) async fn snapshot(db: &Db, course: CourseId) -> database::Result<Option<CourseSnapshot>> {
    let sql = format!("SELECT {} FROM courses WHERE id = ?1", CourseSnapshot::COLUMNS);
    db.fetch(&sql, (course,)).await
}

pub(super) async fn insert(
    db: &Db,
    author: &Author,
    course: CourseId,
    event: Record,
    id: Uuid,
    now: Timestamp,
) -> database::Result<()> {
    db.execute(
        "INSERT INTO course_events
             (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data,
              partner_course_id, sis_batch_id, request_id, created_at, real_user_id)
         SELECT ?2, root_account_id, account_id, id, ?3, ?4, ?5 ->> '$', ?6, ?7, ?8, ?9, ?10, ?11
         FROM courses WHERE id = ?1",
        (
            course,
            id.to_string(),
            author.user,
            event.event_type,
            Json(author.source),
            event.event_data,
            event.partner,
            author.sis_batch,
            author.request.as_ref().map(|request| request.id.as_str()),
            now.with_microseconds(),
            author.real_user,
        ),
    )
    .await
}

/// The course says in which tenant it is kept.
pub(super) async fn insert_page_view(
    db: &Db,
    author: &Author,
    course: CourseId,
    request: &PageView,
) -> database::Result<()> {
    db.execute(
        "INSERT INTO page_views
             (id, root_account_id, user_id, real_user_id, http_method, path, remote_ip, user_agent, credential,
              developer_key_id, created_at)
         SELECT ?2, root_account_id, ?3, ?4, ?5, ?6, ?7, ?8, iif(?9 IS NULL, 'page', 'access_token'),
                (SELECT developer_key_id FROM access_tokens WHERE id = ?9), ?10
         FROM courses WHERE id = ?1",
        (
            course,
            request.id.as_str(),
            author.user,
            author.real_user,
            request.http_method.as_str(),
            request.path.as_str(),
            request.remote_ip.as_deref(),
            request.user_agent.as_deref(),
            request.token,
            request.created_at.with_microseconds(),
        ),
    )
    .await
}

/// Cuts off the oldest of the events before `oldest` with their requests, and records it; not if there was a cut after `lately` that took
/// all there was.
pub(super) async fn cut(db: &Db, oldest: Timestamp, lately: Timestamp, now: Timestamp) -> database::Result<()> {
    const MAX_ROWS: i64 = 1000;
    #[derive(Deserialize)]
    struct Cut {
        last_event_at: String,
    }
    let cut: Option<Cut> = db
        .fetch(
            "INSERT INTO course_event_cuts (last_event_at, events, cut_at)
             SELECT newest, (SELECT count(*) FROM course_events WHERE created_at <= newest), ?4
             FROM (SELECT max(created_at) AS newest FROM (
                 SELECT created_at FROM course_events WHERE created_at < ?1 ORDER BY created_at LIMIT ?2))
             WHERE newest IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM course_event_cuts
                               WHERE id = (SELECT max(id) FROM course_event_cuts) AND cut_at > ?3 AND events < ?2)
             RETURNING last_event_at",
            (oldest.with_microseconds(), MAX_ROWS, lately, now),
        )
        .await?;
    let Some(Cut { last_event_at }) = cut else { return Ok(()) };
    db.execute("DELETE FROM course_events WHERE created_at <= ?1", (last_event_at.as_str(),)).await?;
    // A request is no later than its events, so that whatever has lost its last one is among these.
    db.execute(
        "DELETE FROM page_views
         WHERE created_at <= ?1 AND NOT EXISTS (SELECT 1 FROM course_events WHERE request_id = page_views.id)",
        (last_event_at,),
    )
    .await
}
