//! The SQL of what is noted about courses.

use database::{Db, Json};
use serde::Deserialize;
use types::clock::Timestamp;
use types::ids::CourseId;
use uuid::Uuid;

use super::{Author, Record, Told};

/// The fields in the log of the course, be it deleted.
pub(super) async fn told(db: &Db, course: CourseId) -> database::Result<Option<Told>> {
    db.fetch(
        "SELECT name, course_code, sis_course_id AS sis_source_id, start_at, end_at AS conclude_at, is_public,
                public_description, syllabus_body, license, default_view, time_zone
         FROM courses WHERE id = ?1",
        (course,),
    )
    .await
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
              partner_course_id, sis_batch_id, request_id, created_at)
         SELECT ?2, root_account_id, account_id, id, ?3, ?4, ?5 ->> '$', ?6, ?7, ?8, ?9, ?10 FROM courses WHERE id = ?1",
        (
            course,
            id.to_string(),
            author.user,
            event.event_type,
            Json(author.source),
            event.event_data,
            event.partner,
            author.sis_batch,
            author.request.as_deref(),
            now.with_microseconds(),
        ),
    )
    .await
}

/// Cuts off the oldest of the events before `oldest`, and records it; not if there was a cut after `lately` that took
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
    match cut {
        Some(cut) => db.execute("DELETE FROM course_events WHERE created_at <= ?1", (cut.last_event_at,)).await,
        None => Ok(()),
    }
}
