//! Sessions of polls.

use serde::Deserialize;
use shared::db::Changes;
use shared::ids::{CourseId, PollId, PollSessionId, SectionId, UserId};
use shared::pagination::Page;
use shared::{Db, Paged, Result, Timestamp, db};

use crate::model::sessions::PollSession;
use crate::store::rights::{IS_ASKED, MAY_UPDATE, RUNS, TAKES_PART, USER};

/// Who is asked.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) course: CourseId,
    /// `None`: the whole course.
    pub(crate) section: Option<SectionId>,
}

/// A session as the user `?1` sees it: with all submissions and results, or only the user's own submission.
fn seen() -> String {
    const SUBMISSION: &str =
        "json_object('id', id, 'poll_session_id', poll_session_id, 'poll_choice_id', poll_choice_id,
                                          'user_id', user_id, 'created_at', created_at)";
    let sees_results = format!("(s.has_public_results AND {TAKES_PART} OR {RUNS})");
    format!(
        "SELECT s.id, s.poll_id, s.course_id, s.course_section_id, s.is_published, s.created_at,
                {RUNS} AS runs, {TAKES_PART} OR {MAY_UPDATE} AS may_read,
                EXISTS (
                    SELECT 1 FROM poll_submissions WHERE poll_session_id = s.id AND user_id = u.id
                ) AS has_submitted,
                iif({sees_results}, s.has_public_results, NULL) AS has_public_results,
                iif({sees_results}, (
                    SELECT json_group_object(CAST(poll_choice_id AS TEXT), submissions) FROM poll_results
                    WHERE poll_session_id = s.id AND submissions > 0
                ), NULL) AS results,
                iif({sees_results}, (
                    SELECT json_group_array({SUBMISSION}) FROM (
                        SELECT * FROM poll_submissions WHERE poll_session_id = s.id ORDER BY id
                    )
                ), (
                    SELECT json_group_array({SUBMISSION}) FROM poll_submissions
                    WHERE poll_session_id = s.id AND user_id = u.id
                )) AS poll_submissions
         FROM poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id {USER}"
    )
}

/// All sessions of a poll for those who may change it, for others those that they run.
pub(crate) async fn of_poll(db: &Db, user: UserId, poll: PollId, page: &Page) -> Result<Paged<PollSession>> {
    let sql = format!("{} WHERE s.poll_id = ?2 AND ({MAY_UPDATE} OR {RUNS}) ORDER BY s.id", seen());
    page.fetch(db, &sql, (user, poll)).await
}

/// The sessions in which the user is asked, of courses that the user can see.
pub(crate) async fn of_user(db: &Db, user: UserId, is_published: bool, page: &Page) -> Result<Paged<PollSession>> {
    let sql = format!(
        "{} WHERE s.is_published = ?2 AND {IS_ASKED} AND {TAKES_PART}
           AND s.course_id IN (SELECT course_id FROM enrollments WHERE user_id = ?1 AND workflow_state = 'active')
         ORDER BY s.id",
        seen()
    );
    page.fetch(db, &sql, (user, is_published)).await
}

pub(crate) async fn find(db: &Db, user: UserId, poll: PollId, id: PollSessionId) -> db::Result<Option<PollSession>> {
    db.fetch(&format!("{} WHERE s.poll_id = ?2 AND s.id = ?3", seen()), (user, poll, id)).await
}

/// The section, if it is one of the course.
pub(crate) async fn section(db: &Db, course: CourseId, id: SectionId) -> db::Result<Option<SectionId>> {
    let sql = "SELECT 1 FROM course_sections WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'";
    Ok(db.affects(sql, (id, course)).await?.then_some(id))
}

pub(crate) async fn insert(
    db: &Db,
    poll: PollId,
    place: Place,
    has_public_results: bool,
    now: Timestamp,
) -> db::Result<PollSessionId> {
    #[derive(Deserialize)]
    struct Made {
        id: PollSessionId,
    }
    let made: Made = db
        .fetch_one(
            "INSERT INTO poll_sessions
                 (poll_id, course_id, course_section_id, has_public_results, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
            (poll, place.course, place.section, has_public_results, now),
        )
        .await?;
    Ok(made.id)
}

/// False where the section that the session would ask is none of the course's.
pub(crate) async fn update(db: &Db, id: PollSessionId, changes: Changes, now: Timestamp) -> db::Result<bool> {
    let moves = changes.names("course_id") || changes.names("course_section_id");
    let (course, section) = ("ifnull(?2 ->> 'course_id', course_id)", "course_section_id");
    let section = format!("iif(json_type(?2, '$.{section}') IS NULL, {section}, ?2 ->> '{section}')");
    let sql = format!(
        "UPDATE poll_sessions
         SET {}, {}, {}, updated_at = ?3
         WHERE id = ?1 AND (NOT ?4 OR {section} IS NULL OR EXISTS (
             SELECT 1 FROM course_sections of_course
             WHERE of_course.id = {section} AND of_course.course_id = {course} AND of_course.workflow_state <> 'deleted'))
         RETURNING id",
        Changes::required("course_id", 2),
        Changes::nullable("course_section_id", 2),
        Changes::required("has_public_results", 2),
    );
    db.affects(&sql, (id, changes, now, moves)).await
}

/// False where it was so already.
pub(crate) async fn set_published(db: &Db, id: PollSessionId, is_published: bool, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE poll_sessions SET is_published = ?2, updated_at = ?3
         WHERE id = ?1 AND is_published <> ?2 RETURNING id";
    db.affects(sql, (id, is_published, now)).await
}

/// A student who is asked, and what.
#[derive(Deserialize)]
pub(crate) struct Asked {
    pub(crate) user_id: UserId,
    pub(crate) question: String,
    pub(crate) course_name: String,
}

/// The students whom the session of an open course asks, and who can be told.
pub(crate) async fn asked(db: &Db, id: PollSessionId) -> db::Result<Vec<Asked>> {
    db.fetch_all(
        "SELECT DISTINCT e.user_id, p.question, c.name AS course_name
         FROM poll_sessions s
         CROSS JOIN polls p ON p.id = s.poll_id
         CROSS JOIN courses c ON c.id = s.course_id AND c.workflow_state = 'available'
         CROSS JOIN enrollments e ON e.course_id = c.id
         WHERE s.id = ?1 AND e.type = 'StudentEnrollment' AND e.workflow_state = 'active'
           AND e.course_section_id = ifnull(s.course_section_id, e.course_section_id)
           AND EXISTS (SELECT 1 FROM communication_channels k WHERE k.user_id = e.user_id AND k.workflow_state = 'active')",
        (id,),
    )
    .await
}

/// Deletes the session with its submissions.
pub(crate) async fn delete(db: &Db, id: PollSessionId) -> db::Result<()> {
    db.execute("DELETE FROM poll_sessions WHERE id = ?1", (id,)).await
}
