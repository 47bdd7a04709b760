//! Polls: what is asked. See `docs/contract/polls.md`.

mod markup;

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::params::Unread;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::{Context, Form, JsonSchema, NoContent, Patch, Reply, Result, endpoint, endpoints};

use crate::model::form;
use crate::model::meta::{self, Meta};
use crate::model::overview::Overview;
use crate::model::polls::Poll;
use crate::store::needs::{NeededAsker, NeededPoll, OwnPolls, may};
use crate::store::polls::{self as store, Texts};

endpoints![list_polls, create_poll, get_poll, update_poll, delete_poll, get_polls_page];

#[derive(Serialize, JsonSchema)]
struct Polls {
    polls: Vec<Poll>,
    meta: Meta,
}

impl Polls {
    fn one(poll: Poll) -> Reply<Self> {
        Reply::ok(Self { polls: vec![poll], meta: Meta::default() })
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PollForms {
    /// Only the first element counts.
    polls: Patch<Unread<Vec<PollForm>>>,
    /// The only one, as client libraries send it; where the list is left out.
    poll: Patch<Unread<PollForm>>,
}

impl PollForms {
    fn first(self) -> Result<PollForm> {
        form::first("polls", self.polls, self.poll)
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PollForm {
    /// Up to 255 characters; required when the poll is created.
    question: Patch<String>,
    /// Up to 255 characters.
    description: Patch<String>,
}

/// Lists the caller's own polls, the newest first.
#[endpoint(
    GET "/api/v1/polls",
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own: none"),
)]
async fn list_polls(cx: Context, polls: PrefetchedBuiltList<OwnPolls>) -> Result<Reply<Polls>> {
    meta::page_in(&cx, "polls", polls.page(&cx.page().await?)?)
}

/// Creates a poll.
///
/// Whoever teaches somewhere may ask.
#[endpoint(POST "/api/v1/polls", foreigners(403, "only who teaches somewhere may ask"))]
async fn create_poll(cx: Context, _asker: NeededAsker<may::Ask>, body: Form<PollForms>) -> Result<Reply<Polls>> {
    let caller = cx.caller()?;
    let PollForm { question, description } = body.decode()?.first()?;
    let question = form::required("question", question)?;
    let description = form::optional("description", description)?.into_option();
    Ok(Polls::one(store::insert(&cx.db, caller, question, description, cx.now).await?))
}

/// Reads a poll.
#[endpoint(GET "/api/v1/polls/:id", students(200, "students read what they are asked"))]
async fn get_poll(_: Context, poll: NeededPoll<may::Read>) -> Result<Reply<Polls>> {
    Ok(Polls::one(poll.into_record()))
}

/// Changes a poll.
#[endpoint(PUT "/api/v1/polls/:id")]
async fn update_poll(cx: Context, poll: NeededPoll<may::Ask>, body: Form<PollForms>) -> Result<Reply<Polls>> {
    let PollForm { question, description } = body.decode()?.first()?;
    let question = form::kept_or_required("question", question)?;
    let description = form::optional("description", description)?;
    let changed = store::update(&cx.db, poll.id, question, description, cx.now).await?;
    let Texts { question, description } = changed.or_not_found()?;
    Ok(Polls::one(Poll { question, description, ..poll.into_record() }))
}

/// Deletes a poll with its choices, sessions and submissions.
#[endpoint(DELETE "/api/v1/polls/:id")]
async fn delete_poll(cx: Context, poll: NeededPoll<may::Ask>) -> Result<NoContent> {
    store::delete(&cx.db, poll.id).await?;
    Ok(Reply::no_content())
}

/// Shows who is signed in the sessions of their polls, and the open ones that ask them: a page.
#[endpoint(GET "/polls", signed_in, page)]
async fn get_polls_page(cx: Context, overview: Prefetched<Overview>) -> Result<Reply> {
    Ok(markup::overview(&cx, &overview.record()?))
}
