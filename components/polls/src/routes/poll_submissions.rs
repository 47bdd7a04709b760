//! Submissions: who chose what in a session. See `docs/contract/polls.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::OnUnique;
use shared::ids::{PollChoiceId, PollId, PollSessionId, UserId};
use shared::params::{Unread, coerce};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::form;
use crate::model::meta::Meta;
use crate::model::submissions::PollSubmission;
use crate::store::needs::{NeededBallot, find_ballot};
use crate::store::submissions as store;

endpoints![create_poll_submission, get_poll_submission];

#[derive(Deserialize, JsonSchema)]
struct SessionPath {
    pub(crate) poll_id: PollId,
    poll_session_id: PollSessionId,
}

#[derive(Serialize, JsonSchema)]
struct PollSubmissions {
    poll_submissions: Vec<PollSubmission>,
    meta: Meta,
}

impl PollSubmissions {
    fn one(submission: PollSubmission) -> Reply<Self> {
        Reply::ok(Self { poll_submissions: vec![submission], meta: Meta::default() })
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SubmissionForms {
    /// Only the first element counts.
    poll_submissions: Patch<Unread<Vec<SubmissionForm>>>,
    /// The only one, as client libraries send it; where the list is left out.
    poll_submission: Patch<Unread<SubmissionForm>>,
}

impl SubmissionForms {
    fn first(self) -> Result<SubmissionForm> {
        form::first("poll_submissions", self.poll_submissions, self.poll_submission)
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SubmissionForm {
    /// A choice of the poll; what names none is not found.
    #[schemars(with = "PollChoiceId")]
    poll_choice_id: Patch<Value>,
}

/// Takes one of a poll's choices in an open session.
///
/// One statement takes the vote. Only a refusal is looked into, in the order of all refusals: what is not there, who may not,
/// what was sent.
#[endpoint(
    POST "/api/v1/polls/:poll_id/poll_sessions/:poll_session_id/poll_submissions",
    students(400, "students answer"),
)]
async fn create_poll_submission(
    cx: Context,
    Path(at): Path<SessionPath>,
    body: Form<SubmissionForms>,
) -> Result<Reply<PollSubmissions>> {
    let SessionPath { poll_id, poll_session_id } = at;
    let user = cx.caller()?.user;
    let form = body.decode().and_then(SubmissionForms::first);
    let choice = form.as_ref().ok().and_then(|form| choice_id(&form.poll_choice_id));
    if let Some(choice) = choice
        && let Some(submission) = cast(&cx, poll_id, poll_session_id, user, choice).await?
    {
        return Ok(PollSubmissions::one(submission));
    }
    find_ballot(&cx.db, cx.caller()?, poll_id, poll_session_id).await?.require_taking_submissions()?;
    form?;
    Err(Error::not_found())
}

/// Reads a submission.
///
/// Only whoever submitted it and those who see who chose what read it.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_sessions/:poll_session_id/poll_submissions/:id")]
async fn get_poll_submission(
    _: Context,
    _ballot: NeededBallot,
    submission: Prefetched<PollSubmission>,
) -> Result<Reply<PollSubmissions>> {
    let submission = submission.record()?;
    if submission.is_seen { Ok(PollSubmissions::one(submission)) } else { Err(Error::forbidden()) }
}

/// Takes the user's vote. `None` where the user takes no part in the session, or it is closed, or the poll has no such choice.
pub(crate) async fn cast(
    cx: &Context,
    poll: PollId,
    session: PollSessionId,
    user: UserId,
    choice: PollChoiceId,
) -> Result<Option<PollSubmission>> {
    store::insert(&cx.db, user, poll, session, choice, cx.now)
        .await
        .on_unique("poll_submissions.poll_session_id, poll_submissions.user_id", || {
            Error::invalid("user_id", "taken", "can only submit one choice per poll session.")
        })
}

/// The choice that is named; what is no id names none.
pub(crate) fn choice_id(named: &Patch<Value>) -> Option<PollChoiceId> {
    match named {
        Patch::Value(value) => coerce::from_value(value.clone()).ok(),
        Patch::Absent | Patch::Null => None,
    }
}
