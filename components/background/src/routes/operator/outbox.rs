//! The messages that were given up, on the operator's pages, with buttons to send them again.

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::ids::MessageId;
use shared::signed_forms::SignedForms;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use super::{OUTBOX, Opened, PAGES, PATH, SHOWN, markup, opened};
use crate::store::outbox;

const FORMS: SignedForms = SignedForms { purpose: "operator-outbox" };

endpoints![get_dead_messages_page, replay_message_on_page, replay_dead_messages_on_page];

#[derive(Deserialize, JsonSchema)]
struct MessagePath {
    id: MessageId,
}

/// The parameters of the outbox.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct OutboxQuery {
    /// The right to see the page, which is in the address that an administrator is given.
    ticket: String,
    /// Only messages that are older than this one.
    before: Option<MessageId>,
    /// Whether the button that led here has made messages due again.
    replayed: Option<bool>,
}

/// The fields of the outbox's forms.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ReplayForm {
    /// The right to see the page.
    ticket: String,
    /// The form as the page was given it, good for a quarter of an hour.
    authenticity_token: String,
}

/// Shows messages that were given up, and why: a page.
#[endpoint(
    GET "/operator/outbox",
    signed_in_or_linked,
    page,
)]
async fn get_dead_messages_page(cx: Context, link: Query<OutboxQuery>) -> Result<Reply> {
    let OutboxQuery { ticket, before, replayed } = link.decode()?;
    let Some(opened) = opened(&cx, ticket).await? else { return PAGES.ended(PATH).await };
    let messages = outbox::dead(&cx.db, opened.scope(), before, SHOWN + 1).await?;
    let form = match opened.signed_in() {
        Some(signed_in) => signed_in.form_token.clone(),
        None => FORMS.issue(&cx, &sender(&opened)).await?,
    };
    Ok(markup::outbox(&opened, &messages, &form, replayed))
}

/// Makes a message that was given up due again, and leads back to the outbox. One that is due already stays as it is.
#[endpoint(
    POST "/operator/outbox/:id/replay",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_message_on_page(cx: Context, Path(at): Path<MessagePath>, form: Form<ReplayForm>) -> Result<Reply> {
    let opened = match sent(&cx, form.decode()?).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal),
    };
    let replayed = outbox::replay(&cx.db, opened.scope(), Some(at.id), cx.now).await?;
    if !replayed && !outbox::exists(&cx.db, opened.scope(), at.id).await? {
        return Err(Error::not_found());
    }
    Ok(back(&opened, replayed))
}

/// Makes the messages that were given up due again, the oldest thousand at once, and leads back to the outbox.
#[endpoint(
    POST "/operator/outbox/replay",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn replay_dead_messages_on_page(cx: Context, form: Form<ReplayForm>) -> Result<Reply> {
    let opened = match sent(&cx, form.decode()?).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(refusal),
    };
    let replayed = outbox::replay(&cx.db, opened.scope(), None, cx.now).await?;
    Ok(back(&opened, replayed))
}

/// The page whose form was sent, or the page that says why it is not taken.
///
/// A form may be sent twice: what it does is done once.
async fn sent(cx: &Context, form: ReplayForm) -> Result<Result<Opened, Reply>> {
    let Some(opened) = opened(cx, form.ticket).await? else { return Ok(Err(PAGES.ended(PATH).await?)) };
    // The form of a session was looked at before.
    let is_ours =
        opened.signed_in().is_some() || FORMS.verify(cx, &sender(&opened), &form.authenticity_token).await?.is_some();
    Ok(if is_ours { Ok(opened) } else { Err(markup::ended_form(&opened)) })
}

/// What a form is made for: the one who looks at it.
fn sender(opened: &Opened) -> Value {
    json!({ "user": opened.user })
}

fn back(opened: &Opened, replayed: bool) -> Reply {
    let address = opened.address_with(OUTBOX, &format!("replayed={replayed}"));
    Reply::redirect(&address).with_status(StatusCode::SEE_OTHER)
}
