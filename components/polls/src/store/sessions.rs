//! Sessions of polls.

use serde::Deserialize;
use shared::db::{Binds, Changes, IdRow, Json};
use shared::ids::{CourseId, PollId, PollSessionId, SectionId, UserId};
use shared::needs::{Lookup, nested_list};
use shared::{Db, Result, Timestamp, db};

use crate::store::rights::{CALLER, FOUND, IS_ASKED, facts, found, may_update};

/// The users who are asked.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) course: CourseId,
    /// `None`: the whole course.
    pub(crate) section: Option<SectionId>,
}

/// A session with its poll and its course.
const SESSIONS: &str = "poll_sessions s JOIN polls p ON p.id = s.poll_id JOIN courses c ON c.id = s.course_id";

/// The session `?2` of the poll `?1`.
fn of_path() -> String {
    found("", &format!("{SESSIONS} {CALLER} WHERE s.poll_id = ?1 AND s.id = ?2"))
}

/// What the caller may do with the session `?2` of the poll `?1`.
pub(super) fn rights() -> String {
    let (found, may_read, runs) = (of_path(), may_read(), FOUND.runs());
    format!("{found} SELECT {runs} AS runs, {may_read} AS may_read FROM seen")
}

/// The session `?2` of the poll `?1` as the caller sees it.
pub(super) fn visible() -> String {
    let (found, shown) = (of_path(), shown());
    let (runs, section_limit) = (FOUND.runs(), FOUND.section_limit());
    format!("{found} SELECT {shown}, {runs} AS runs, {section_limit} AS section_limit FROM seen")
}

/// The same as it is answered.
pub(super) fn answered() -> String {
    let (found, shown) = (of_path(), shown());
    format!("SELECT {ANSWER} AS record FROM ({found} SELECT {shown} FROM seen)")
}

/// True if the caller sees the session, in a statement with what [`found`] makes: takes part in it, or may change its poll.
fn may_read() -> String {
    let (takes_part, reaches, may_update) = (FOUND.takes_part(), FOUND.reaches(), may_update());
    format!(
        "({takes_part} OR {reaches} AND EXISTS (
            SELECT 1 FROM polls p JOIN users u ON u.id = seen.reader WHERE p.id = seen.poll_id AND {may_update}))"
    )
}

/// A session as it is answered ([`PollSession`](crate::model::sessions::PollSession)), of the [columns that are](shown).
const ANSWER: &str = r#"concat(
    '{"id":', id, ',"poll_id":', poll_id, ',"course_id":', course_id,
    ',"course_section_id":', ifnull(course_section_id, 'null'),
    ',"is_published":', iif(is_published, 'true', 'false'), ',"created_at":"', created_at,
    '","has_submitted":', iif(has_submitted, 'true', 'false'), ',"poll_submissions":', poll_submissions,
    ',"has_public_results":' || CASE has_public_results WHEN 0 THEN 'false' WHEN 1 THEN 'true' END,
    ',"results":' || results, '}')"#;

/// The sessions of which that is true, the oldest first, as they are answered.
fn listed(condition: &str, values: impl Binds) -> Lookup {
    let tables = "page CROSS JOIN poll_sessions s ON s.id = page.id
                  CROSS JOIN polls p ON p.id = s.poll_id CROSS JOIN courses c ON c.id = s.course_id";
    let (found, columns) = (found("", &format!("{tables} {CALLER}")), shown());
    let shown = format!("SELECT {ANSWER} AS record FROM ({found} SELECT {columns} FROM seen) ORDER BY id");
    Lookup::new(format!("SELECT s.id FROM {SESSIONS} {CALLER} WHERE {condition} ORDER BY s.id"), values).shown_by(shown)
}

/// The columns of a session that are answered, from the table that [`found`] makes: with all submissions and results, with those of
/// the caller's sections, or only with the caller's own submission.
fn shown() -> String {
    // No value of a submission is written in another way in JSON.
    let submissions = |are_seen: &str| {
        format!(
            r#"(SELECT concat('[', group_concat(format(
                    '{{"id":%d,"poll_session_id":%d,"poll_choice_id":%d,"user_id":%d,"created_at":"%s"}}',
                    id, poll_session_id, poll_choice_id, user_id, created_at)), ']')
                FROM (SELECT x.* FROM poll_submissions x WHERE x.poll_session_id = seen.id AND {are_seen} ORDER BY x.id))"#
        )
    };
    let (all, some, own) =
        (submissions("TRUE"), submissions(&FOUND.is_own_vote()), submissions(&format!("x.user_id = {}", FOUND.user)));
    let (counted, sees_part, user) = (FOUND.counted(), FOUND.sees_part(), FOUND.user);
    let sees_results = format!("(seen.has_public_results AND {} OR {})", FOUND.takes_part(), FOUND.watches());
    format!(
        "seen.id, seen.poll_id, seen.course_id, seen.course_section_id, seen.is_published, seen.created_at,
         EXISTS (SELECT 1 FROM poll_submissions WHERE poll_session_id = seen.id AND user_id = {user}) AS has_submitted,
         iif({sees_results}, seen.has_public_results, NULL) AS has_public_results,
         iif({sees_results}, (
             SELECT json_group_object(chosen, votes) FROM (
                 SELECT CAST(r.poll_choice_id AS TEXT) AS chosen, {counted} AS votes FROM poll_results r
                 WHERE r.poll_session_id = seen.id AND r.submissions > 0 ORDER BY chosen
             ) WHERE votes > 0
         ), NULL) AS results,
         CASE WHEN NOT {sees_results} THEN {own} WHEN {sees_part} THEN {some} ELSE {all} END AS poll_submissions"
    )
}

/// The sessions of a poll that the caller reaches: all for those who may change it, for others those that they watch.
pub(super) fn of_poll(poll: PollId) -> Lookup {
    let (may_update, reaches, watches) = (may_update(), facts().reaches(), facts().watches());
    listed(&format!("s.poll_id = ?1 AND ({may_update} AND {reaches} OR {watches})"), (poll,))
}

/// The sessions in which the caller is asked, of courses that the caller can see: those that are open, or those that are not.
pub(super) fn of_caller(are_open: bool) -> Lookup {
    let takes_part = facts().takes_part();
    let condition = format!(
        "s.is_published = ?1 AND {IS_ASKED} AND {takes_part}
         AND s.course_id IN (SELECT course_id FROM enrollments WHERE user_id = caller.user_id AND workflow_state = 'active')"
    );
    listed(&condition, (are_open,))
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
         SET {}, updated_at = ?3
         WHERE id = ?1 AND (NOT ?4 OR {section} IS NULL OR EXISTS (
             SELECT 1 FROM course_sections of_course
             WHERE of_course.id = {section} AND of_course.course_id = {course} AND of_course.workflow_state <> 'deleted'))
         RETURNING id",
        Changes::assignments(2, &["course_id", "has_public_results"], &["course_section_id"]),
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
