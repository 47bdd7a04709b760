//! Choices: what can be answered to a poll. Fact sheet: section 3.9.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::ids::{PollChoiceId, PollId};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, delete, get, post, put};

use crate::form;
use crate::meta::Meta;
use crate::polls;
use crate::store::choices::{self as store, Change};

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/api/v1/polls/:poll_id/poll_choices", list).about("Lists the choices of a poll by their position"),
        post("/api/v1/polls/:poll_id/poll_choices", create).about("Creates a choice"),
        get("/api/v1/polls/:poll_id/poll_choices/:id", show).about("Reads a choice"),
        put("/api/v1/polls/:poll_id/poll_choices/:id", update).about("Changes a choice"),
        delete("/api/v1/polls/:poll_id/poll_choices/:id", destroy).about("Deletes a choice with its submissions"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct PollPath {
    poll_id: PollId,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct ChoicePath {
    poll_id: PollId,
    id: PollChoiceId,
}

/// One of the answers that a poll offers.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct PollChoice {
    id: PollChoiceId,
    poll_id: PollId,
    text: String,
    position: i64,
    /// Only for those who may change the poll or run one of its sessions, and for those who took part in a session that
    /// is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_correct: Option<bool>,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct PollChoices {
    poll_choices: Vec<PollChoice>,
    meta: Meta,
}

impl PollChoices {
    fn one(choice: PollChoice) -> Reply<Self> {
        Reply::ok(Self { poll_choices: vec![choice], meta: Meta::default() })
    }
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "it describes the body; the form is read from its first element")]
struct ChoiceForms {
    /// Only the first element counts; `poll_choice` is read as well.
    poll_choices: Vec<ChoiceForm>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct ChoiceForm {
    /// Up to 255 characters; required when the choice is created.
    text: Patch<String>,
    is_correct: Patch<bool>,
    /// From 1; a new choice without one comes last.
    position: Patch<i64>,
}

async fn list(cx: Context, at: PollPath) -> Result<Reply<PollChoices>> {
    polls::find(&cx, at.poll_id).await?.must_be_readable()?;
    let page = store::of(&cx.db, cx.caller()?.user, at.poll_id, &cx.page().await?).await?;
    let meta = Meta::of(&cx, &page, "poll_choices");
    Ok(Reply::page_in(page, |poll_choices| PollChoices { poll_choices, meta }))
}

async fn show(cx: Context, at: ChoicePath) -> Result<Reply<PollChoices>> {
    let poll = polls::find(&cx, at.poll_id).await?;
    let choice = find(&cx, &at).await?;
    poll.must_be_readable()?;
    Ok(PollChoices::one(choice))
}

async fn create(cx: Context, at: PollPath, body: Body<ChoiceForms>) -> Result<Reply<PollChoices>> {
    polls::find(&cx, at.poll_id).await?.must_be_changeable()?;
    let ChoiceForm { text, is_correct, position } = form::first(body, "poll_choices")?;
    let change = Change {
        text: Some(form::required("text", text)?),
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    let id = store::insert(&cx.db, at.poll_id, change, cx.now).await?.ok_or_else(too_many)?;
    Ok(PollChoices::one(find(&cx, &ChoicePath { poll_id: at.poll_id, id }).await?))
}

async fn update(cx: Context, at: ChoicePath, body: Body<ChoiceForms>) -> Result<Reply<PollChoices>> {
    let poll = polls::find(&cx, at.poll_id).await?;
    find(&cx, &at).await?;
    poll.must_be_changeable()?;
    let ChoiceForm { text, is_correct, position } = form::first(body, "poll_choices")?;
    let change = Change {
        text: form::kept_or_required("text", text)?,
        is_correct: is_correct.into_option(),
        position: valid(position)?,
    };
    store::update(&cx.db, at.id, change, cx.now).await?;
    Ok(PollChoices::one(find(&cx, &at).await?))
}

async fn destroy(cx: Context, at: ChoicePath) -> Result<Reply> {
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
