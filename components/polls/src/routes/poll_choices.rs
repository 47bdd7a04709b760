//! Choices: what can be answered to a poll. See `docs/contract/polls.md`.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::params::Unread;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::{Context, Error, Form, JsonSchema, NoContent, Patch, Reply, Result, endpoint, endpoints};

use crate::model::choices::PollChoice;
use crate::model::form;
use crate::model::meta::{self, Meta};
use crate::store::choices::{self as store, Change};
use crate::store::needs::{ChoicesOfPoll, NeededPoll, find_poll, may};

endpoints![list_poll_choices, create_poll_choice, get_poll_choice, update_poll_choice, delete_poll_choice];

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
async fn list_poll_choices(
    cx: Context,
    _poll: NeededPoll<may::Read>,
    choices: PrefetchedBuiltList<ChoicesOfPoll>,
) -> Result<Reply<PollChoices>> {
    meta::page_in(&cx, "poll_choices", choices.page(&cx.page().await?)?)
}

/// Reads a choice.
#[endpoint(GET "/api/v1/polls/:poll_id/poll_choices/:id", students(200, "students read what they are asked"))]
async fn get_poll_choice(_: Context, poll: NeededPoll, choice: Prefetched<PollChoice>) -> Result<Reply<PollChoices>> {
    let choice = choice.record()?;
    poll.require_readable()?;
    Ok(PollChoices::one(choice))
}

/// Creates a choice.
#[endpoint(POST "/api/v1/polls/:poll_id/poll_choices")]
async fn create_poll_choice(
    cx: Context,
    poll: NeededPoll<may::Ask>,
    body: Form<ChoiceForms>,
) -> Result<Reply<PollChoices>> {
    let ChoiceForm { text, is_correct, position } = body.decode()?.first()?;
    let change = Change {
        text: Some(form::required("text", text)?),
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    match store::insert(&cx.db, poll.id, change, cx.now).await? {
        Some(choice) => Ok(PollChoices::one(choice)),
        None => {
            find_poll(&cx.db, cx.caller()?, poll.id).await?;
            Err(too_many())
        }
    }
}

/// Changes a choice.
#[endpoint(PUT "/api/v1/polls/:poll_id/poll_choices/:id")]
async fn update_poll_choice(
    cx: Context,
    poll: NeededPoll,
    choice: Prefetched<PollChoice>,
    body: Form<ChoiceForms>,
) -> Result<Reply<PollChoices>> {
    let choice = choice.record()?;
    poll.require_changeable()?;
    let ChoiceForm { text, is_correct, position } = body.decode()?.first()?;
    let change = Change {
        text: form::kept_or_required("text", text)?,
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    Ok(PollChoices::one(store::update(&cx.db, choice.id, change, cx.now).await?.or_not_found()?))
}

/// Deletes a choice with its submissions.
#[endpoint(DELETE "/api/v1/polls/:poll_id/poll_choices/:id")]
async fn delete_poll_choice(cx: Context, poll: NeededPoll, choice: Prefetched<PollChoice>) -> Result<NoContent> {
    let choice = choice.record()?;
    poll.require_changeable()?;
    store::delete(&cx.db, choice.id).await?;
    Ok(Reply::no_content())
}

fn too_many() -> Error {
    Error::invalid("poll_id", "too_many", format!("has {} choices already", store::MAX_CHOICES))
}

fn valid(position: Patch<i64>) -> Result<Option<i64>> {
    match position.into_option() {
        Some(position) if !(1..=store::MAX_POSITION).contains(&position) => {
            Err(Error::invalid("position", "inclusion", "must be between 1 and 2147483647"))
        }
        position => Ok(position),
    }
}
