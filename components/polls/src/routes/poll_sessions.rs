//! Sessions: a course, or one of its sections, is asked. See `docs/contract/polls.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::{self, CourseAccess, Right};
use shared::db::Changes;
use shared::error::{Kind, OrNotFound, Violation};
use shared::ids::{CourseId, IdOrAlias, SectionId};
use shared::params::{Unread, coerce};
use shared::prefetch::PrefetchedBuiltList;
use shared::{Context, Error, Form, JsonSchema, NoContent, Patch, Reply, Result, endpoint, endpoints};

use crate::model::form;
use crate::model::meta::{self, Meta};
use crate::model::polls::Poll;
use crate::model::sessions::PollSession;
use crate::opening;
use crate::store::needs::{
    NeededPoll, NeededRights, NeededSession, OwnSessions, SessionOfPath, SessionsOfPoll, find_poll, find_session, may,
    teaches,
};
use crate::store::sessions::{self as store, Place};

endpoints![
    list_poll_sessions,
    create_poll_session,
    get_poll_session,
    update_poll_session,
    delete_poll_session,
    open_poll_session,
    close_poll_session,
    list_opened_poll_sessions,
    list_closed_poll_sessions
];

#[derive(Serialize, JsonSchema)]
struct PollSessions {
    poll_sessions: Vec<PollSession>,
    meta: Meta,
}

impl PollSessions {
    fn one(session: PollSession) -> Reply<Self> {
        Reply::ok(Self { poll_sessions: vec![session], meta: Meta::default() })
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SessionForms {
    /// Only the first element counts.
    poll_sessions: Patch<Unread<Vec<SessionForm>>>,
    /// The only one, as client libraries send it; where the list is left out.
    poll_session: Patch<Unread<SessionForm>>,
}

impl SessionForms {
    fn first(self) -> Result<SessionForm> {
        form::first("poll_sessions", self.poll_sessions, self.poll_session)
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SessionForm {
    /// Required when the session is created.
    #[schemars(with = "CourseId")]
    course_id: Patch<Value>,
    /// A section of the course; null: the whole course.
    #[schemars(with = "Option<SectionId>")]
    course_section_id: Patch<Value>,
    has_public_results: Patch<bool>,
}

/// Lists the sessions of a poll.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_sessions")]
async fn list_poll_sessions(
    cx: Context,
    _poll: NeededPoll<may::ListSessions>,
    sessions: PrefetchedBuiltList<SessionsOfPoll>,
) -> Result<Reply<PollSessions>> {
    meta::page_in(&cx, "poll_sessions", sessions.page(&cx.page().await?)?)
}

/// Lists the open sessions of the caller's courses and sections.
#[endpoint(
    GET "/api/v1/poll_sessions/opened",
    foreigners(200, "lists those of the caller's own courses"),
    students(200, "lists those of the caller's own courses"),
    answers(404, "There is no such page."),
)]
async fn list_opened_poll_sessions(
    cx: Context,
    sessions: PrefetchedBuiltList<OwnSessions<true>>,
) -> Result<Reply<PollSessions>> {
    meta::page_in(&cx, "poll_sessions", sessions.page(&cx.page().await?)?)
}

/// Lists the closed sessions of the caller's courses and sections.
#[endpoint(
    GET "/api/v1/poll_sessions/closed",
    foreigners(200, "lists those of the caller's own courses"),
    students(200, "lists those of the caller's own courses"),
)]
async fn list_closed_poll_sessions(
    cx: Context,
    sessions: PrefetchedBuiltList<OwnSessions<false>>,
) -> Result<Reply<PollSessions>> {
    meta::page_in(&cx, "poll_sessions", sessions.page(&cx.page().await?)?)
}

/// Reads a session with what the caller may see of it.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_sessions/:id", students(200, "students read what they are asked"))]
async fn get_poll_session(
    _: Context,
    _session: NeededRights<may::Read>,
    session: PrefetchedBuiltList<SessionOfPath>,
) -> Result<Reply<PollSessions>> {
    meta::list_in("poll_sessions", session.rows()?)
}

/// Creates a session, which is closed at first.
///
/// Whoever may change the poll, teaches somewhere and manages the content of the course may ask it; those who are limited to
/// sections of it ask these alone. The course and the section are looked for before the right in the course.
#[endpoint(POST "/api/v1/polls/:poll_id/poll_sessions")]
async fn create_poll_session(
    cx: Context,
    poll: NeededPoll<may::Ask>,
    body: Form<SessionForms>,
) -> Result<Reply<PollSessions>> {
    let SessionForm { course_id, course_section_id, has_public_results } = body.decode()?.first()?;
    let course = course(&cx, &poll, course_id.into_option()).await?;
    let section = match blank_is_null(course_section_id).into_option() {
        Some(named) => Some(store::section(&cx.db, course.id, section_id(&named)).await?.or_not_found()?),
        None => None,
    };
    course.require(Right::ManageAssignments)?;
    course.require_section(section)?;
    if !teaches(&cx.db, cx.caller()?).await? {
        return Err(Error::forbidden());
    }
    let place = Place { course: course.id, section };
    let id =
        store::insert(&cx.db, poll.id, place, has_public_results.unwrap_or(false), cx.now).await?.or_not_found()?;
    Ok(PollSessions::one(find_session(&cx.db, cx.caller()?, poll.id, id).await?))
}

/// Changes a session.
#[endpoint(PUT "/api/v1/polls/:poll_id/poll_sessions/:id")]
async fn update_poll_session(
    cx: Context,
    session: NeededSession<may::Run>,
    body: Form<SessionForms>,
) -> Result<Reply<PollSessions>> {
    let SessionForm { course_id, course_section_id, has_public_results } = body.decode()?.first()?;
    let mut changes = Changes::default().set("has_public_results", has_public_results);
    let mut section_limit = session.section_limit.clone();
    if course_id.is_present() {
        let poll = find_poll(&cx.db, cx.caller()?, session.poll_id).await?;
        let course = course(&cx, &poll, course_id.into_option()).await.map_err(no_course)?;
        if course.id != session.course_id {
            require_move(&cx, &poll, &course).await?;
        }
        changes = changes.set("course_id", Patch::Value(course.id.0));
        section_limit = course.section_limit();
    }
    let section = blank_is_null(course_section_id).map(|named| section_id(&named));
    let asked = match &section {
        Patch::Absent => session.course_section_id,
        Patch::Null => None,
        Patch::Value(section) => Some(*section),
    };
    auth::require_section(&section_limit, asked)?;
    let changes = changes.set("course_section_id", section.map(|section| section.0));
    let fits = store::update(&cx.db, session.id, changes, cx.now).await?;
    let session = find_session(&cx.db, cx.caller()?, session.poll_id, session.id).await?;
    if fits { Ok(PollSessions::one(session)) } else { Err(not_of_the_course()) }
}

/// Moving a session asks another course, which is for whoever could make a session there.
async fn require_move(cx: &Context, poll: &Poll, to: &CourseAccess) -> Result<()> {
    poll.require_changeable()?;
    to.require(Right::ManageAssignments)?;
    if teaches(&cx.db, cx.caller()?).await? { Ok(()) } else { Err(Error::forbidden()) }
}

/// Deletes a session with its submissions.
#[endpoint(DELETE "/api/v1/polls/:poll_id/poll_sessions/:id")]
async fn delete_poll_session(cx: Context, session: NeededSession<may::Run>) -> Result<NoContent> {
    store::delete(&cx.db, session.id).await?;
    Ok(Reply::no_content())
}

/// Opens a session: submissions are taken.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_sessions/:id/open", changes_state)]
async fn open_poll_session(cx: Context, session: NeededSession<may::Run>) -> Result<Reply<PollSessions>> {
    if session.is_published {
        return Ok(PollSessions::one(session.into_record()));
    }
    opening::open(&cx, &session).await?;
    changed(&cx, &session).await
}

/// Closes a session: submissions are no longer taken.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_sessions/:id/close", changes_state)]
async fn close_poll_session(cx: Context, session: NeededSession<may::Run>) -> Result<Reply<PollSessions>> {
    if !session.is_published {
        return Ok(PollSessions::one(session.into_record()));
    }
    opening::close(&cx, &session).await?;
    changed(&cx, &session).await
}

/// The session as it is after a change, with the votes that have come meanwhile.
async fn changed(cx: &Context, session: &PollSession) -> Result<Reply<PollSessions>> {
    Ok(PollSessions::one(find_session(&cx.db, cx.caller()?, session.poll_id, session.id).await?))
}

/// The course that a body names: one of the poll's tenant.
async fn course(cx: &Context, poll: &Poll, named: Option<Value>) -> Result<CourseAccess> {
    let named: Option<IdOrAlias<CourseId>> = named.and_then(|value| coerce::from_value(value).ok());
    let course = auth::course(&cx.db, cx.caller()?, &named.or_not_found()?).await?;
    if course.root_account == poll.root_account_id { Ok(course) } else { Err(Error::not_found()) }
}

/// A form has no null.
fn blank_is_null(named: Patch<Value>) -> Patch<Value> {
    match named {
        Patch::Value(Value::String(text)) if text.trim().is_empty() => Patch::Null,
        named => named,
    }
}

/// The id of a section that a value names; what is no id is nobody's.
fn section_id(named: &Value) -> SectionId {
    coerce::from_value(named.clone()).unwrap_or(SectionId(0))
}

fn no_course(error: Error) -> Error {
    match error.kind() {
        Kind::NotFound => Error::invalid("course", "blank", "can't be blank"),
        _ => error,
    }
}

fn not_of_the_course() -> Error {
    let message = "That course section does not belong to the existing course.";
    Error::violations(vec![Violation::of_record("invalid", message)])
}
