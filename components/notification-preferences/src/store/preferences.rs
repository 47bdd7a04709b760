//! The SQL of the area.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use serde::Deserialize;
use shared::channels;
use shared::db::{self, Json};
use shared::ids::{ChannelId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::notify::catalogue::{CATALOGUE, Frequency, Kind};
use shared::notify::told_by_default_sql;
use shared::{Db, Result, Timestamp};

use crate::model::changes::Change;

/// The frequency at which a channel is told of a kind of event.
pub(crate) type Policy = (&'static Kind, Frequency);

/// A channel whose preferences are asked for.
#[derive(Deserialize)]
pub(crate) struct Channel {
    pub(crate) id: ChannelId,
    pub(crate) user_id: UserId,
    /// True if it is told what its user has said nothing of.
    told_by_default: bool,
    /// The frequency that its user has chosen.
    said: Json<Vec<FrequencyRow>>,
}

/// The frequency at which a channel is told of a kind of event, as its user has said.
#[derive(Deserialize)]
struct FrequencyRow {
    notification: String,
    frequency: Frequency,
}

/// A channel by its id or by its address.
#[derive(Deserialize)]
struct ChannelPath {
    communication_channel_id: Option<ChannelId>,
    r#type: Option<channels::Kind>,
    address: Option<String>,
}

/// The channel that the path names, of that user: by its address however that is written. Of several spellings of a
/// number that the user has, it is the one that is spelled so.
fn of_user(user: &str, path: MatchedPath<'_>) -> Result<Lookup> {
    let select = format!(
        "SELECT c.id, c.user_id, {} AS told_by_default,
                (SELECT json_group_array(json_object('notification', notification, 'frequency', frequency))
                 FROM notification_policies WHERE channel_id = c.id) AS said
         FROM communication_channels c WHERE c.user_id = {user} AND c.workflow_state <> 'retired'",
        told_by_default_sql("c")
    );
    let ChannelPath { communication_channel_id, r#type, address } = path.decode()?;
    Ok(match r#type.zip(address) {
        Some((kind, address)) => {
            let sql = format!("{select} AND {} ORDER BY c.address <> ?2, c.id LIMIT 1", kind.reached_sql("?1"));
            Lookup::new(sql, (kind.reached(&address), address))
        }
        None => Lookup::new(format!("{select} AND c.id = ?1"), (communication_channel_id,)),
    })
}

/// The channel of the user who is needed.
impl Record for Channel {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        of_user("caller.needed ->> 'id'", path)
    }
}

/// A channel of the caller: everybody changes their own preferences alone.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct OwnChannel(Channel);

impl Record for OwnChannel {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        of_user("caller.user_id", path)
    }
}

impl Deref for OwnChannel {
    type Target = Channel;

    fn deref(&self) -> &Channel {
        &self.0
    }
}

impl Channel {
    /// All policies of the channel, in the order of the catalogue.
    pub(crate) fn policies(&self) -> impl Iterator<Item = Policy> {
        let said: HashMap<_, _> = self.said.0.iter().map(|said| (said.notification.as_str(), said.frequency)).collect();
        CATALOGUE.iter().map(move |kind| {
            let by_default = if self.told_by_default { kind.category.default } else { Frequency::Never };
            (kind, said.get(kind.name).copied().unwrap_or(by_default))
        })
    }

    /// The policies of the kinds that changes name, each once, where it is named first, as they are after the changes.
    pub(crate) fn changed(&self, changes: &[Change]) -> Vec<Policy> {
        let given: HashMap<_, _> =
            changes.iter().filter_map(|change| Some((change.kind.name, change.frequency?))).collect();
        let before: HashMap<_, _> = self.policies().map(|(kind, frequency)| (kind.name, frequency)).collect();
        let mut named = HashSet::new();
        let kinds = changes.iter().map(|change| change.kind).filter(|kind| named.insert(kind.name));
        let policies = kinds.filter_map(|kind| {
            let frequency = given.get(kind.name).or_else(|| before.get(kind.name))?;
            Some((kind, *frequency))
        });
        policies.collect()
    }
}

/// Changes policies; of several changes of the same the last counts.
pub(crate) async fn change(db: &Db, channel: ChannelId, changes: &[Change], now: Timestamp) -> db::Result<()> {
    let given: Vec<_> = changes.iter().filter_map(|change| Some((change.kind.name, change.frequency?))).collect();
    if given.is_empty() {
        return Ok(());
    }
    let ends = given.iter().any(|(_, frequency)| *frequency == Frequency::Never);
    db.transaction_if(ends, async |db| {
        let sql = "INSERT INTO notification_policies (channel_id, notification, frequency, updated_at)
             SELECT ?1, given.value ->> 0, given.value ->> 1, ?3 FROM json_each(?2) given WHERE true ORDER BY given.key
             ON CONFLICT (channel_id, notification) DO UPDATE
             SET frequency = excluded.frequency, updated_at = excluded.updated_at";
        db.execute(sql, (channel, Json(&given), now)).await?;
        if ends { take_unwanted(db, channel, now).await } else { Ok(()) }
    })
    .await
}

/// Takes away what waits on a channel, for its digest or for further news of its kind, and is not wanted there any more.
async fn take_unwanted(db: &Db, channel: ChannelId, now: Timestamp) -> db::Result<()> {
    db.execute(
        "DELETE FROM messages WHERE id IN (
             SELECT m.id FROM messages m
             JOIN notification_policies p ON p.channel_id = m.channel_id AND p.notification = m.notification
             WHERE m.channel_id = ?1 AND m.state IN ('gathered', 'queued') AND m.attempts = 0
               AND (m.state = 'gathered' OR m.due_at > ?2) AND p.frequency = 'never')",
        (channel, now),
    )
    .await
}
