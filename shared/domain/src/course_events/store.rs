//! The SQL of what is noted about courses.

use database::{Db, Json};
use serde::Deserialize;
use types::clock::Timestamp;
use types::ids::CourseId;
use uuid::Uuid;

use super::{Author, CourseSnapshot, Record};

/// The fields of the course, be it deleted.
pub(super) async fn snapshot(db: &Db, course: CourseId) -> database::Result<Option<CourseSnapshot>> {
    let sql = format!("SELECT {} FROM courses WHERE id = ?1", CourseSnapshot::COLUMNS);
    db.fetch(&sql, (course,)).await
}

/// Writes an event, and beside the first event of a request that request. The course says in which tenant both are kept.
pub(super) async fn insert(
    db: &Db,
    author: &Author,
    course: CourseId,
    event: Record,
    id: Uuid,
    now: Timestamp,
) -> database::Result<()> {
    db.execute(
        "INSERT INTO course_events_with_requests
             (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data,
              partner_course_id, sis_batch_id, created_at, real_user_id, request_id, http_method, path, remote_ip, user_agent,
              credential, developer_key_id, request_created_at)
         SELECT ?2, c.root_account_id, c.account_id, c.id, ?3, ?4, ?5 ->> '$', ?6, ?7, ?8, ?9, ?10, r.value ->> 'id',
                r.value ->> 'http_method', r.value ->> 'path', r.value ->> 'remote_ip', r.value ->> 'user_agent',
                iif(r.value ->> 'token' IS NULL, 'page', 'access_token'),
                (SELECT developer_key_id FROM access_tokens WHERE id = r.value ->> 'token'), r.value ->> 'created_at'
         FROM courses c, (SELECT ?11 AS value) r WHERE c.id = ?1",
        (
            course,
            id.to_string(),
            author.user,
            event.event_type,
            Json(author.source),
            event.event_data,
            event.partner,
            author.sis_batch,
            now.with_microseconds(),
            author.real_user,
            author.request.as_ref().map(Json),
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
