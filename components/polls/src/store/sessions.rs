//! Sessions of polls.

use serde::Deserialize;
use shared::db::{Changes, IdRow, Json};
use shared::ids::{CourseId, PollId, PollSessionId, SectionId, UserId};
use shared::needs::nested_list;
use shared::{Db, Result, Timestamp, db};

use crate::store::rights::{
    CALLER, IS_ASKED, IS_OWN_VOTE, counted, may_update, reaches, runs, section_limit, sees_part, takes_part, watches,
};

/// The users who are asked.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) course: CourseId,
    /// `None`: the whole course.
    pub(crate) section: Option<SectionId>,
}

/// A session with its poll and its course.
const SESSIONS: &str = "poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id";

/// A session as the caller sees it.
pub(super) fn select_visible() -> String {
    let (runs, takes_part, may_update, reaches) = (runs(), takes_part(), may_update(), reaches());
    let (shown, section_limit) = (shown(), section_limit());
    format!(
        "SELECT {shown}, {runs} AS runs, {takes_part} OR {may_update} AND {reaches} AS may_read,
                {section_limit} AS section_limit
         FROM {SESSIONS} {CALLER}"
    )
}

/// The sessions of which that is true, as they are answered ([`PollSession`](crate::model::sessions::PollSession)).
fn listed(condition: &str) -> String {
    let shown = shown();
    format!(
        r#"SELECT concat(
            '{{"id":', id, ',"poll_id":', poll_id, ',"course_id":', course_id,
            ',"course_section_id":', ifnull(course_section_id, 'null'),
            ',"is_published":', iif(is_published, 'true', 'false'), ',"created_at":"', created_at,
            '","has_submitted":', iif(has_submitted, 'true', 'false'), ',"poll_submissions":', poll_submissions,
            ',"has_public_results":' || CASE has_public_results WHEN 0 THEN 'false' WHEN 1 THEN 'true' END,
            ',"results":' || results, '}}') AS record
         FROM (SELECT {shown} FROM {SESSIONS} {CALLER} WHERE {condition}) ORDER BY id"#
    )
}

/// The columns of a session that are answered: with all submissions and results, with those of the caller's sections, or only
/// with the caller's own submission.
fn shown() -> String {
    let submissions = |are_seen: &str| {
        format!(
            "(SELECT json_group_array(json_object(
                  'id', id, 'poll_session_id', poll_session_id, 'poll_choice_id', poll_choice_id,
                  'user_id', user_id, 'created_at', created_at
              )) FROM (
                  SELECT x.* FROM poll_submissions x WHERE x.poll_session_id = s.id AND {are_seen} ORDER BY x.id
              ))"
        )
    };
    let (all, some, own) = (submissions("TRUE"), submissions(IS_OWN_VOTE), submissions("x.user_id = u.id"));
    let (counted, sees_part) = (counted(), sees_part());
    let sees_results = format!("(s.has_public_results AND {} OR {})", takes_part(), watches());
    format!(
        "s.id, s.poll_id, s.course_id, s.course_section_id, s.is_published, s.created_at,
         EXISTS (SELECT 1 FROM poll_submissions WHERE poll_session_id = s.id AND user_id = u.id) AS has_submitted,
         iif({sees_results}, s.has_public_results, NULL) AS has_public_results,
         iif({sees_results}, (
             SELECT json_group_object(chosen, votes) FROM (
                 SELECT CAST(r.poll_choice_id AS TEXT) AS chosen, {counted} AS votes FROM poll_results r
                 WHERE r.poll_session_id = s.id AND r.submissions > 0 ORDER BY chosen
             ) WHERE votes > 0
         ), NULL) AS results,
         CASE WHEN NOT {sees_results} THEN {own} WHEN {sees_part} THEN {some} ELSE {all} END AS poll_submissions"
    )
}

/// The sessions of the poll `?1` that the caller reaches: all for those who may change it, for others those that they watch.
pub(super) fn of_poll() -> String {
    listed(&format!("s.poll_id = ?1 AND ({} AND {} OR {})", may_update(), reaches(), watches()))
}

/// The sessions in which the caller is asked, of courses that the caller can see: those that are open, or, as `?1` says,
/// those that are not.
pub(super) fn of_caller() -> String {
    listed(&format!(
        "s.is_published = ?1 AND {IS_ASKED} AND {}
         AND s.course_id IN (SELECT course_id FROM enrollments WHERE user_id = caller.user_id AND workflow_state = 'active')",
        takes_part()
    ))
}

/// The section, if it is one of the course.
pub(crate) async fn section(db: &Db, course: CourseId, id: SectionId) -> db::Result<Option<SectionId>> {
    let sql = "SELECT 1 FROM course_sections WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'";
    Ok(db.affects(sql, (id, course)).await?.then_some(id))
}

/// Nothing, if the poll is not there any more.
pub(crate) async fn insert(
    db: &Db,
    poll: PollId,
    place: Place,
    has_public_results: bool,
    now: Timestamp,
) -> db::Result<Option<PollSessionId>> {
    let made: Option<IdRow<PollSessionId>> = db
        .fetch(
            "INSERT INTO poll_sessions
                 (poll_id, course_id, course_section_id, has_public_results, created_at, updated_at)
             SELECT id, ?2, ?3, ?4, ?5, ?5 FROM polls WHERE id = ?1 RETURNING id",
            (poll, place.course, place.section, has_public_results, now),
        )
        .await?;
    Ok(made.map(|made| made.id))
}

/// False where the section that the session would ask is none of the course's.
pub(crate) async fn update(db: &Db, id: PollSessionId, changes: Changes, now: Timestamp) -> db::Result<bool> {
    let moves = changes.names("course_id") || changes.names("course_section_id");
    // Sections have a course_id, too.
    let course = "ifnull(?2 ->> 'course_id', poll_sessions.course_id)";
    let section = "iif(json_type(?2, '$.course_section_id') IS NULL,
                       poll_sessions.course_section_id, ?2 ->> 'course_section_id')";
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

/// A student who is asked, and what.
#[derive(Deserialize)]
pub(crate) struct AskedStudent {
    pub(crate) user_id: UserId,
    pub(crate) question: String,
    pub(crate) course_name: String,
}

/// The students whom a row of `poll_sessions` of an open course asks, and who can be told.
const ASKED: &str = "SELECT DISTINCT e.user_id, p.question, c.name AS course_name
     FROM polls p
     CROSS JOIN courses c ON c.id = poll_sessions.course_id AND c.workflow_state = 'available'
     CROSS JOIN enrollments e ON e.course_id = c.id
     WHERE p.id = poll_sessions.poll_id AND e.type = 'StudentEnrollment' AND e.workflow_state = 'active'
       AND e.course_section_id = ifnull(poll_sessions.course_section_id, e.course_section_id)
       AND EXISTS (SELECT 1 FROM communication_channels k WHERE k.user_id = e.user_id AND k.workflow_state = 'active')";

/// Opens the session with the first of these codes that no other one has, and answers who is asked. Nothing where it was open
/// already.
pub(crate) async fn open(
    db: &Db,
    id: PollSessionId,
    codes: Json<Vec<String>>,
    now: Timestamp,
) -> Result<Option<Vec<AskedStudent>>> {
    #[derive(Deserialize)]
    struct Opened {
        asked: Json<Vec<AskedStudent>>,
    }
    let sql = format!(
        "UPDATE poll_sessions SET is_published = 1, updated_at = ?3, join_code = (
             SELECT code.value FROM json_each(?2) AS code
             WHERE NOT EXISTS (SELECT 1 FROM poll_sessions taken WHERE taken.join_code = code.value) LIMIT 1)
         WHERE id = ?1 AND is_published = 0 RETURNING {} AS asked",
        nested_list::<AskedStudent>(ASKED)?
    );
    let opened: Option<Opened> = db.fetch(&sql, (id, codes, now)).await?;
    Ok(opened.map(|opened| opened.asked.0))
}

/// Closes the session, if it is open.
pub(crate) async fn close(db: &Db, id: PollSessionId, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE poll_sessions SET is_published = 0, join_code = NULL, updated_at = ?2
         WHERE id = ?1 AND is_published = 1";
    db.execute(sql, (id, now)).await
}

/// Says whether the pages keep the results back until the session is closed.
pub(crate) async fn set_hiding(db: &Db, id: PollSessionId, hides_results: bool, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE poll_sessions SET hides_results = ?2, updated_at = ?3 WHERE id = ?1";
    db.execute(sql, (id, hides_results, now)).await
}

/// Deletes the session with its submissions.
pub(crate) async fn delete(db: &Db, id: PollSessionId) -> db::Result<()> {
    db.execute("DELETE FROM poll_sessions WHERE id = ?1", (id,)).await
}
