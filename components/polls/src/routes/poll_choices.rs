//! Choices: what can be answered to a poll. See `docs/contract/polls.md`.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::ids::{PollChoiceId, PollId};
use shared::params::Unread;
use shared::{Context, Error, Form, JsonSchema, NoContent, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::choices::PollChoice;
use crate::model::form;
use crate::model::meta::Meta;
use crate::routes::polls;
use crate::store::choices::{self as store, Change};

endpoints![list_poll_choices, create_poll_choice, get_poll_choice, update_poll_choice, delete_poll_choice];

#[derive(Deserialize, JsonSchema)]
struct PollPath {
    poll_id: PollId,
}

#[derive(Deserialize, JsonSchema)]
struct ChoicePath {
    poll_id: PollId,
    id: PollChoiceId,
}

#[derive(Serialize, JsonSchema)]
struct PollChoices {
    poll_choices: Vec<PollChoice>,
    meta: Meta,
}

impl PollChoices {
    fn one(choice: PollChoice) -> Reply<Self> {
        Reply::ok(Self { poll_choices: vec![choice], meta: Meta::default() })
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChoiceForms {
    /// Only the first element counts.
    poll_choices: Patch<Unread<Vec<ChoiceForm>>>,
    /// The only one, as client libraries send it; where the list is left out.
    poll_choice: Patch<Unread<ChoiceForm>>,
}

impl ChoiceForms {
    fn first(self) -> Result<ChoiceForm> {
        form::first("poll_choices", self.poll_choices, self.poll_choice)
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChoiceForm {
    /// Up to 255 characters; required when the choice is created.
    text: Patch<String>,
    is_correct: Patch<bool>,
    /// From 1; a new choice without one comes last.
    position: Patch<i64>,
}

/// Lists the choices of a poll by their position.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_choices", students(200, "students read what they are asked"))]
async fn list_poll_choices(cx: Context, Path(at): Path<PollPath>) -> Result<Reply<PollChoices>> {
    polls::find(&cx, at.poll_id).await?.must_be_readable()?;
    let page = store::of(&cx.db, cx.caller()?.user, at.poll_id, &cx.page().await?).await?;
    let meta = Meta::of(&cx, &page, "poll_choices");
    Ok(Reply::page_in(page, |poll_choices| PollChoices { poll_choices, meta }))
}

/// Reads a choice.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_choices/:id", students(200, "students read what they are asked"))]
async fn get_poll_choice(cx: Context, Path(at): Path<ChoicePath>) -> Result<Reply<PollChoices>> {
    let poll = polls::find(&cx, at.poll_id).await?;
    let choice = find(&cx, &at).await?;
    poll.must_be_readable()?;
    Ok(PollChoices::one(choice))
}

/// Creates a choice.
#[endpoint(POST "/api/v1/polls/:poll_id/poll_choices")]
async fn create_poll_choice(
    cx: Context,
    Path(at): Path<PollPath>,
    body: Form<ChoiceForms>,
) -> Result<Reply<PollChoices>> {
    polls::find(&cx, at.poll_id).await?.must_be_changeable()?;
    let ChoiceForm { text, is_correct, position } = body.decode()?.first()?;
    let change = Change {
        text: Some(form::required("text", text)?),
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    let id = store::insert(&cx.db, at.poll_id, change, cx.now).await?.ok_or_else(too_many)?;
    Ok(PollChoices::one(find(&cx, &ChoicePath { poll_id: at.poll_id, id }).await?))
}

/// Changes a choice.
#[endpoint(PUT "/api/v1/polls/:poll_id/poll_choices/:id")]
async fn update_poll_choice(
    cx: Context,
    Path(at): Path<ChoicePath>,
    body: Form<ChoiceForms>,
) -> Result<Reply<PollChoices>> {
    let poll = polls::find(&cx, at.poll_id).await?;
    find(&cx, &at).await?;
    poll.must_be_changeable()?;
    let ChoiceForm { text, is_correct, position } = body.decode()?.first()?;
    let change = Change {
        text: form::kept_or_required("text", text)?,
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    store::update(&cx.db, at.id, change, cx.now).await?;
    Ok(PollChoices::one(find(&cx, &at).await?))
}

/// Deletes a choice with its submissions.
#[endpoint(DELETE "/api/v1/polls/:poll_id/poll_choices/:id")]
async fn delete_poll_choice(cx: Context, Path(at): Path<ChoicePath>) -> Result<NoContent> {
    let poll = polls::find(&cx, at.poll_id).await?;
    find(&cx, &at).await?;
    poll.must_be_changeable()?;
    store::delete(&cx.db, at.id).await?;
    Ok(Reply::no_content())
}

async fn find(cx: &Context, at: &ChoicePath) -> Result<PollChoice> {
    store::find(&cx.db, cx.caller()?.user, at.poll_id, at.id).await?.or_not_found()
}

fn too_many() -> Error {
    Error::invalid("poll_id", "too_many", format!("has {} choices already", store::MAX_CHOICES))
}

fn valid(position: Patch<i64>) -> Result<Option<i64>> {
    match position.into_option() {
        Some(position) if !(1..=i64::from(i32::MAX)).contains(&position) => {
            Err(Error::invalid("position", "inclusion", "must be between 1 and 2147483647"))
        }
        position => Ok(position),
    }
}
