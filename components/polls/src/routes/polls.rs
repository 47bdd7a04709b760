//! Polls: what is asked. See `docs/contract/polls.md`.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::ids::PollId;
use shared::params::Unread;
use shared::{Context, Error, Form, JsonSchema, NoContent, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::form;
use crate::model::meta::Meta;
use crate::model::polls::Poll;
use crate::store::{self, polls as store_polls};

endpoints![list_polls, create_poll, get_poll, update_poll, delete_poll];

#[derive(Deserialize, JsonSchema)]
struct PollPath {
    id: PollId,
}

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
async fn list_polls(cx: Context) -> Result<Reply<Polls>> {
    let page = store_polls::of(&cx.db, cx.caller()?.user, &cx.page().await?).await?;
    let meta = Meta::of(&cx, &page, "polls");
    Ok(Reply::page_in(page, |polls| Polls { polls, meta }))
}

/// Creates a poll.
///
/// Whoever teaches somewhere may ask.
#[endpoint(POST "/api/v1/polls", foreigners(403, "only who teaches somewhere may ask"))]
async fn create_poll(cx: Context, body: Form<PollForms>) -> Result<Reply<Polls>> {
    let caller = cx.caller()?;
    if !store::teaches(&cx.db, caller.user).await? {
        return Err(Error::forbidden());
    }
    let PollForm { question, description } = body.decode()?.first()?;
    let question = form::required("question", question)?;
    let description = form::optional("description", description)?.into_option();
    let id = store_polls::insert(&cx.db, caller, question, description, cx.now).await?;
    Ok(Polls::one(find(&cx, id).await?))
}

/// Reads a poll.
#[endpoint(GET "/api/v1/polls/:id", students(200, "students read what they are asked"))]
async fn get_poll(cx: Context, Path(at): Path<PollPath>) -> Result<Reply<Polls>> {
    let poll = find(&cx, at.id).await?;
    poll.must_be_readable()?;
    Ok(Polls::one(poll))
}

/// Changes a poll.
#[endpoint(PUT "/api/v1/polls/:id")]
async fn update_poll(cx: Context, Path(at): Path<PollPath>, body: Form<PollForms>) -> Result<Reply<Polls>> {
    find(&cx, at.id).await?.must_be_changeable()?;
    let PollForm { question, description } = body.decode()?.first()?;
    let question = form::kept_or_required("question", question)?;
    let description = form::optional("description", description)?;
    store_polls::update(&cx.db, at.id, question, description, cx.now).await?;
    Ok(Polls::one(find(&cx, at.id).await?))
}

/// Deletes a poll with its choices, sessions and submissions.
#[endpoint(DELETE "/api/v1/polls/:id")]
async fn delete_poll(cx: Context, Path(at): Path<PollPath>) -> Result<NoContent> {
    find(&cx, at.id).await?.must_be_changeable()?;
    store_polls::delete(&cx.db, at.id).await?;
    Ok(Reply::no_content())
}

/// The poll, with what the caller may do with it; 404 where the caller's tenant has none like that.
pub(crate) async fn find(cx: &Context, id: PollId) -> Result<Poll> {
    store_polls::find(&cx.db, cx.caller()?.user, id).await?.or_not_found()
}
