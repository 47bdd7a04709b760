//! The SQL of what is noted about courses.

use shared::db::{self, Json};
use shared::ids::CourseId;
use shared::{Db, Timestamp};
use uuid::Uuid;

use crate::events::{Author, Record, Told};

/// What the log tells of the course, be it deleted.
pub(crate) async fn told(db: &Db, course: CourseId) -> db::Result<Option<Told>> {
    db.fetch(
        "SELECT name, course_code, sis_course_id AS sis_source_id, start_at, end_at AS conclude_at, is_public,
                public_description, syllabus_body, license, default_view, time_zone
         FROM courses WHERE id = ?1",
        (course,),
    )
    .await
}

pub(crate) async fn insert(
    db: &Db,
    author: &Author,
    course: CourseId,
    event: Record,
    id: Uuid,
    now: Timestamp,
) -> db::Result<()> {
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
            &author.request,
            now.with_microseconds(),
        ),
    )
    .await
}
