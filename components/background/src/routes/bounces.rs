//! Messages that came back. A channel whose last message came back for good is told nothing more for a while.

use serde::{Deserialize, Serialize};
use shared::ids::ChannelId;
use shared::notify::BOUNCING_RESTS;
use shared::params::not_too_long;
use shared::{
    Context, Db, Error, Form, JsonSchema, NoContent, Reply, Result, Timestamp, background, db, endpoint, endpoints,
};

endpoints![receive_bounce];

/// News of the same kind about the same channel count once within an hour.
const ONCE_WITHIN: i64 = 60 * 60;

const MAX_SUMMARY_CHARS: usize = 1000;

/// What became of a message after it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Severity {
    /// The address does not exist.
    Permanent,
    /// It could not be delivered this time.
    Transient,
    /// The transport sends nothing there any more, or the recipient has complained.
    Suppression,
}

impl Severity {
    fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Transient => "transient",
            Self::Suppression => "suppression",
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct BounceForm {
    /// The e-mail address, in any letter case.
    address: String,
    kind: Severity,
    /// When it came back; now, if nothing is said.
    #[serde(default)]
    at: Option<Timestamp>,
    /// What the mail server said.
    #[serde(default)]
    summary: Option<String>,
}

/// A bounce as it is noted on a channel.
pub(crate) struct Bounce {
    severity: Severity,
    at: Timestamp,
    summary: Option<String>,
}

impl Bounce {
    /// The transport refused the address for good.
    pub(crate) fn permanent(at: Timestamp, summary: String) -> Self {
        Self { severity: Severity::Permanent, at, summary: Some(summary) }
    }
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
    note(&cx.db, None, Some(address), bounce).await?;
    Ok(Reply::no_content())
}

/// Notes a bounce on one channel, of whatever kind it is.
pub(crate) async fn of_channel(db: &Db, channel: ChannelId, bounce: Bounce) -> db::Result<()> {
    note(db, Some(channel), None, bounce).await
}

/// A channel that bounces already is noted again only after its rest, when a message was tried: then it rests anew.
async fn note(db: &Db, channel: Option<ChannelId>, address: Option<&str>, bounce: Bounce) -> db::Result<()> {
    let Bounce { severity, at, summary } = bounce;
    db.execute(
        "UPDATE communication_channels
         SET bounce_count = bounce_count + (?3 = 'permanent'),
             last_bounce_at = iif(?3 = 'permanent', ?4, last_bounce_at),
             last_bounce_summary = iif(?3 = 'permanent', ?5, last_bounce_summary),
             last_transient_bounce_at = iif(?3 = 'transient', ?4, last_transient_bounce_at),
             last_transient_bounce_summary = iif(?3 = 'transient', ?5, last_transient_bounce_summary),
             last_suppression_bounce_at = iif(?3 = 'suppression', ?4, last_suppression_bounce_at),
             updated_at = ?4
         WHERE id IN (
                 SELECT ?1
                 UNION ALL
                 SELECT id FROM communication_channels
                 WHERE address = ?2 AND type = 'email' AND workflow_state <> 'retired'
             )
             AND workflow_state <> 'retired' AND (bounce_count < 1 OR ?3 = 'permanent' AND last_bounce_at <= ?7)
             AND ifnull(CASE ?3 WHEN 'permanent' THEN last_bounce_at WHEN 'transient' THEN last_transient_bounce_at
                        ELSE last_suppression_bounce_at END, '') <= ?6",
        (
            channel,
            address,
            severity.as_str(),
            at,
            summary,
            at.plus_seconds(-ONCE_WITHIN),
            at.plus_seconds(-BOUNCING_RESTS),
        ),
    )
    .await
}
