//! The SQL of bounces.

use serde::Deserialize;
use shared::clock::HOUR;
use shared::ids::ChannelId;
use shared::notify::BOUNCING_RESTS;
use shared::{Db, Timestamp, db};

use crate::model::bounces::{Bounce, BounceNotice};

/// News of the same kind about the same channel count once within an hour.
const ONCE_WITHIN: i64 = HOUR;
/// So many messages of one reference are looked at: services give each its own.
const MAX_SENT: i64 = 100;

/// Notes a bounce on one channel, of whatever kind it is.
pub(crate) async fn note_of_channel(db: &Db, channel: ChannelId, bounce: Bounce) -> db::Result<()> {
    note(db, Some(channel), None, bounce).await
}

/// Notes a bounce on all e-mail channels with that address.
pub(crate) async fn note_of_address(db: &Db, address: &str, bounce: Bounce) -> db::Result<()> {
    note(db, None, Some(address), bounce).await
}

/// Notes what a service tells of several addresses.
pub(crate) async fn note_all(db: &Db, notices: Vec<BounceNotice>) -> db::Result<()> {
    for BounceNotice { address, bounce } in notices {
        note_of_address(db, &address, bounce).await?;
    }
    Ok(())
}

/// A channel that bounces already is noted again only after its rest, when a message was tried: then it rests anew. One that
/// something has arrived at since, such as a message that was on its way before it bounced, is noted again at once.
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
             AND (ifnull(CASE ?3 WHEN 'permanent' THEN last_bounce_at WHEN 'transient' THEN last_transient_bounce_at
                         ELSE last_suppression_bounce_at END, '') <= ?6
                  OR ?3 = 'permanent' AND bounce_count = 0 AND last_bounce_at < ?4)",
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

/// A text message that a service has taken.
#[derive(Deserialize)]
pub(crate) struct SentText {
    pub(crate) channel_id: ChannelId,
    pub(crate) recipient: String,
}

/// The text messages with that reference that were sent since, the newest first.
pub(crate) async fn sent_texts(db: &Db, reference: &str, since: Timestamp) -> db::Result<Vec<SentText>> {
    db.fetch_all(
        "SELECT channel_id, recipient FROM messages
         WHERE reference = ?1 AND type = 'sms' AND state = 'sent' AND sent_at >= ?2 ORDER BY id DESC LIMIT ?3",
        (reference, since, MAX_SENT),
    )
    .await
}
