//! Messages that came back. A channel whose last message came back for good is told nothing more for a while.

mod providers;

use serde::Deserialize;
use shared::params::not_too_long;
use shared::{Context, Error, Form, JsonSchema, NoContent, Reply, Result, Timestamp, background, endpoint, endpoints};

use crate::model::bounces::{Bounce, MAX_SUMMARY_CHARS, Severity};
use crate::store::bounces as store;

endpoints![
    receive_bounce,
    providers::receive_ses_notice,
    providers::receive_sendgrid_notice,
    providers::receive_postmark_notice,
    providers::receive_twilio_notice,
];

#[derive(Deserialize, JsonSchema)]
struct BounceForm {
    /// The e-mail address, in any letter case.
    address: String,
    kind: Severity,
    /// When it came back; now, if nothing is said.
    #[serde(default)]
    at: Option<Timestamp>,
    /// The words of the mail server.
    #[serde(default)]
    summary: Option<String>,
}

/// Notes that messages to an e-mail address came back.
///
/// Reported by whoever receives the notices of the mail provider. All users with that address are concerned; an address
/// that nobody has is no error, because it may have been taken away in the meantime.
#[endpoint(
    POST "/internal/bounces",
    public,
    nobody(401, "it is called with a token of the operator's own"),
    takes(background::TICK_TOKEN),
)]
async fn receive_bounce(cx: Context, body: Form<BounceForm>) -> Result<NoContent> {
    let cx = background::authorized(cx).await?;
    let form = body.decode()?;
    let address = form.address.trim();
    if address.is_empty() {
        return Err(Error::invalid("address", "blank", "can't be blank"));
    }
    if let Some(summary) = &form.summary {
        not_too_long("summary", summary, MAX_SUMMARY_CHARS)?;
    }
    // From a clock that is ahead, a channel would rest for longer than it ought to.
    let at = form.at.map_or(cx.now, |at| at.min(cx.now));
    let bounce = Bounce { severity: form.kind, at, summary: form.summary };
    store::note_of_address(&cx.db, address, bounce).await?;
    Ok(Reply::no_content())
}
