//! Polls: what is asked. Fact sheet: section 3.8.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AccountId, PollId, UserId};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, Timestamp, delete, get, post, put};

use crate::form;
use crate::meta::Meta;
use crate::store::{self, polls as store_polls};

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/api/v1/polls", list).about("Lists the caller's own polls, the newest first"),
        post("/api/v1/polls", create).about("Creates a poll"),
        get("/api/v1/polls/:id", show).about("Reads a poll"),
        put("/api/v1/polls/:id", update).about("Changes a poll"),
        delete("/api/v1/polls/:id", destroy).about("Deletes a poll with its choices, sessions and submissions"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct PollPath {
    id: PollId,
}

/// How many submissions each choice has, by the choice's id.
pub(crate) type Counts = BTreeMap<String, i64>;

/// A question with choices.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct Poll {
    pub(crate) id: PollId,
    question: String,
    description: Option<String>,
    created_at: Timestamp,
    /// Whoever asks. Only for those who may change the poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<UserId>,
    /// How often each choice was taken in all sessions together. Only for those who may change the poll.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_results: Option<Json<Counts>>,
    #[serde(skip_serializing)]
    pub(crate) root_account_id: AccountId,
    #[serde(skip_serializing)]
    may_update: bool,
    #[serde(skip_serializing)]
    may_list_sessions: bool,
    #[serde(skip_serializing)]
    may_read: bool,
}

impl Poll {
    pub(crate) fn must_be_readable(&self) -> Result<()> {
        if self.may_read { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 unless the caller may change the poll, or runs one of its sessions.
    pub(crate) fn must_list_sessions(&self) -> Result<()> {
        if self.may_list_sessions { Ok(()) } else { Err(Error::forbidden()) }
    }

    pub(crate) fn must_be_changeable(&self) -> Result<()> {
        if self.may_update { Ok(()) } else { Err(Error::forbidden()) }
    }
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Polls {
    polls: Vec<Poll>,
    meta: Meta,
}

impl Polls {
    fn one(poll: Poll) -> Reply<Self> {
        Reply::ok(Self { polls: vec![poll], meta: Meta::default() })
    }
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "it describes the body; the form is read from its first element")]
struct PollForms {
    /// Only the first element counts; `poll` is read as well.
    polls: Vec<PollForm>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct PollForm {
    /// Up to 255 characters; required when the poll is created.
    question: Patch<String>,
    /// Up to 255 characters.
    description: Patch<String>,
}

async fn list(cx: Context) -> Result<Reply<Polls>> {
    let page = store_polls::of(&cx.db, cx.caller()?.user, &cx.page().await?).await?;
    let meta = Meta::of(&cx, &page, "polls");
    Ok(Reply::page_in(page, |polls| Polls { polls, meta }))
}

/// Whoever teaches somewhere may ask.
async fn create(cx: Context, (): (), body: Body<PollForms>) -> Result<Reply<Polls>> {
    let caller = cx.caller()?;
    if !store::teaches(&cx.db, caller.user).await? {
        return Err(Error::forbidden());
    }
    let PollForm { question, description } = form::first(body, "polls")?;
    let question = form::required("question", question)?;
    let description = form::optional("description", description)?.into_option();
    let id = store_polls::insert(&cx.db, caller, question, description, cx.now).await?;
    Ok(Polls::one(find(&cx, id).await?))
}

async fn show(cx: Context, at: PollPath) -> Result<Reply<Polls>> {
    let poll = find(&cx, at.id).await?;
    poll.must_be_readable()?;
    Ok(Polls::one(poll))
}

async fn update(cx: Context, at: PollPath, body: Body<PollForms>) -> Result<Reply<Polls>> {
    find(&cx, at.id).await?.must_be_changeable()?;
    let PollForm { question, description } = form::first(body, "polls")?;
    let question = form::kept_or_required("question", question)?;
    let description = form::optional("description", description)?;
    store_polls::update(&cx.db, at.id, question, description, cx.now).await?;
    Ok(Polls::one(find(&cx, at.id).await?))
}

async fn destroy(cx: Context, at: PollPath) -> Result<Reply> {
    find(&cx, at.id).await?.must_be_changeable()?;
    store_polls::delete(&cx.db, at.id).await?;
    Ok(Reply::no_content())
}

/// The poll, with what the caller may do with it; 404 where the caller's tenant has none like that.
pub(crate) async fn find(cx: &Context, id: PollId) -> Result<Poll> {
    store_polls::find(&cx.db, cx.caller()?.user, id).await?.or_not_found()
}
