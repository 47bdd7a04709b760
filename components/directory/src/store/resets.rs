//! The SQL that puts a new course in the place of an old one.

use serde::Deserialize;
use shared::db::IdRow;
use shared::ids::CourseId;
use shared::{Db, Timestamp, db};

/// The new course has the settings of the old one, its SIS id and its uuid, its sections and its enrollments. The old
/// one keeps the rest under another uuid, and is deleted. `db` is in a transaction.
pub(crate) async fn reset(db: &Db, old: CourseId, uuid: &str, now: Timestamp) -> db::Result<Option<CourseId>> {
    #[derive(Deserialize)]
    struct Names {
        uuid: String,
        sis_course_id: Option<String>,
    }
    let names = "SELECT uuid, sis_course_id FROM courses WHERE id = ?1 AND workflow_state <> 'deleted'";
    let Some(Names { uuid: kept, sis_course_id }) = db.fetch(names, (old,)).await? else {
        return Ok(None);
    };
    // First of all, because two courses cannot have the same SIS id.
    let deleted = "UPDATE courses SET uuid = ?2, sis_course_id = NULL, workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?1";
    db.execute(deleted, (old, uuid, now)).await?;
    let made: IdRow<CourseId> = db
        .fetch_one(
            "INSERT INTO courses
                 (account_id, root_account_id, name, course_code, sis_course_id, uuid, start_at, end_at, is_public,
                  public_description, license, time_zone, workflow_state, created_at, updated_at, enrollment_term_id,
                  sis_import_id, post_manually)
             SELECT account_id, root_account_id, name, course_code, ?3, ?2, start_at, end_at, is_public,
                    public_description, license, time_zone, 'unpublished', ?4, ?4, enrollment_term_id, sis_import_id,
                    post_manually
             FROM courses WHERE id = ?1
             RETURNING id",
            (old, kept, sis_course_id, now),
        )
        .await?;
    // Imports know the new course by the SIS id of the old one, and leave in it what was changed there.
    let sticky = "INSERT INTO sis_sticky_fields (record_type, record_id, field)
         SELECT record_type, ?2, field FROM sis_sticky_fields
         WHERE record_type = 'Course' AND record_id = ?1 AND field <> 'workflow_state'";
    db.execute(sticky, (old, made.id)).await?;
    // Those that are taught elsewhere belong to the new course, too.
    let sections = "UPDATE course_sections
         SET course_id = iif(course_id = ?1, ?2, course_id),
             nonxlist_course_id = iif(nonxlist_course_id = ?1, ?2, nonxlist_course_id), updated_at = ?3
         WHERE course_id = ?1 OR nonxlist_course_id = ?1";
    db.execute(sections, (old, made.id, now)).await?;
    let enrollments = "UPDATE enrollments SET course_id = ?2, updated_at = ?3 WHERE course_id = ?1";
    db.execute(enrollments, (old, made.id, now)).await?;
    // Nobody belongs to the old course any more, nor to its groups, which it keeps.
    let memberships = "UPDATE group_memberships SET workflow_state = 'deleted', moderator = 0, updated_at = ?2
         WHERE group_id IN (SELECT id FROM groups WHERE course_id = ?1) AND workflow_state <> 'deleted'";
    db.execute(memberships, (old, now)).await?;
    Ok(Some(made.id))
}
