//! The page on which a student talks with an AI experience, and a teacher tries it. Its forms do without script; with it, an
//! answer is shown while it is written. What they do goes the way of the API, with its rights and its limits.

pub(crate) mod feedback;
mod markup;
pub(crate) mod messages;

use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use shared::after_response::log;
use shared::prefetch::Prefetched;
use shared::session::page_path;
use shared::{Context, Error, Form, JsonSchema, Query, Reply, Result, endpoint, endpoints, limits_hit};

use crate::access::{self, Classroom};
use crate::model::experiences::Experience;
use crate::model::own_talk::OwnTalk;
use crate::model::problem::Problem;
use crate::routes::conversations;
use crate::routes::talk::markup::View;
use crate::store::needs::NeededExperience;
use crate::store::{conversations as store, pages};

endpoints![get_talk_page, run_talk_on_page];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TalkQuery {
    /// The failure that the page is to tell of: its `code`, as the event `error` has it.
    problem: Option<String>,
}

/// The changes of a conversation on its page.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TalkAction {
    /// Another conversation begins; the one that is active ends.
    Start,
    /// The active conversation ends.
    End,
}

#[derive(Deserialize, JsonSchema)]
struct TalkActionForm {
    action: TalkAction,
}

/// An experience that the caller may talk with.
struct Opened {
    classroom: Classroom,
    experience: Experience,
    /// The caller's active conversation.
    talk: Option<OwnTalk>,
}

impl Opened {
    fn of(experience: NeededExperience, talk: Prefetched<OwnTalk>) -> Result<Self> {
        let (classroom, experience) = access::readable_experience(experience).map_err(access::on_page)?;
        Ok(Self { classroom, experience, talk: talk.into_option()? })
    }

    fn view(&self) -> View<'_> {
        View::of(&self.classroom, &self.experience, self.talk.as_ref())
    }
}

/// Shows the caller's conversation with an AI experience: a page on which students talk, and teachers try it.
#[endpoint(GET "/courses/:course_id/ai_experiences/:ai_experience_id/talk", signed_in, page,
    answers(403, "The caller is no member of the course."),)]
async fn get_talk_page(
    cx: Context,
    experience: NeededExperience,
    talk: Prefetched<OwnTalk>,
    query: Query<TalkQuery>,
) -> Result<Reply> {
    let opened = Opened::of(experience, talk)?;
    let problem = query.decode()?.problem.map(|code| Problem::of_code(&code));
    markup::talk(&cx, &View { problem, ..opened.view() })
}

/// Starts or ends the caller's conversation with an AI experience, and leads back to its page.
#[endpoint(
    POST "/courses/:course_id/ai_experiences/:ai_experience_id/talk",
    signed_in,
    page,
    answers(403, "The caller is no member of the course, or a student of a concluded one."),
    throttled("conversations of one user, and the month's tokens of the institution"),
    answers(409, "No more conversations are kept."),
    answers(503, "The model is away, or none is set up."),
)]
async fn run_talk_on_page(
    cx: Context,
    experience: NeededExperience,
    talk: Prefetched<OwnTalk>,
    form: Form<TalkActionForm>,
) -> Result<Reply> {
    let opened = Opened::of(experience, talk)?;
    let Ok(TalkActionForm { action }) = form.decode() else { return incomplete(&cx, &opened) };
    let Opened { classroom, experience, talk } = opened;
    let done = match (action, talk) {
        (TalkAction::Start, _) => {
            let own = store::own(&cx.db, experience.id, cx.caller()?.user).await?;
            conversations::start(&cx, &classroom, &experience, &own).await.map(drop)
        }
        (TalkAction::End, Some(talk)) => Ok(store::end(&cx.db, talk.id, cx.now).await?),
        (TalkAction::End, None) => Ok(()),
    };
    match done {
        Ok(()) => lead_to(&experience).await,
        Err(error) => refused(&cx, &classroom, &experience, error, "").await,
    }
}

/// The path of the page, as the service knows it.
fn path(experience: &Experience) -> String {
    format!("/courses/{}/ai_experiences/{}/talk", experience.course_id, experience.id)
}

/// Leads to the page.
pub(crate) async fn lead_to(experience: &Experience) -> Result<Reply> {
    Ok(Reply::redirect(&page_path(&path(experience)).await?).with_status(StatusCode::SEE_OTHER))
}

/// The page anew, after a form of which nothing can be made: browsers leave a button away that was not pressed.
fn incomplete(cx: &Context, opened: &Opened) -> Result<Reply> {
    let view = View { problem: Some(Problem::Incomplete), ..opened.view() };
    Ok(markup::talk(cx, &view)?.with_status(StatusCode::BAD_REQUEST))
}

/// The page anew, with the words for what went wrong, and the message that was not stored.
async fn refused(
    cx: &Context,
    classroom: &Classroom,
    experience: &Experience,
    error: Error,
    message: &str,
) -> Result<Reply> {
    let Some((status, problem)) = Problem::of(&error) else { return Err(access::on_page(error)) };
    error.limit().into_iter().for_each(limits_hit::note);
    if let Some(cause) = error.log_cause() {
        log(&json!({ "request": cx.request_id(), "cause": format!("{cause:#}") }));
    }
    let talk = pages::own_talk(&cx.db, experience.id, cx.caller()?.user).await?;
    let is_kept = talk.as_ref().and_then(OwnTalk::unanswered).is_some_and(|last| last.text == message);
    let problem = if problem == Problem::Full && message.is_empty() { Problem::TooMany } else { problem };
    let draft = if is_kept { "" } else { message };
    let view = View { problem: Some(problem), draft, ..View::of(classroom, experience, talk.as_ref()) };
    Ok(markup::talk(cx, &view)?.with_status(status))
}
