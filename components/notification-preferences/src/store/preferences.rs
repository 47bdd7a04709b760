//! The SQL of the area.

use std::collections::HashMap;
use std::ops::Deref;

use serde::Deserialize;
use serde_json::{Value, json};
use shared::channels;
use shared::db::{self, Json};
use shared::ids::{ChannelId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::notify::catalogue::{CATALOGUE, Frequency, Kind};
use shared::{Db, Result, Timestamp};

use crate::model::changes::Change;

/// The frequency at which a channel is told of a kind of event.
pub(crate) type Policy = (&'static Kind, Frequency);

/// A channel whose preferences are asked for.
#[derive(Deserialize)]
pub(crate) struct Channel {
    pub(crate) id: ChannelId,
    pub(crate) user_id: UserId,
    /// True if it is told what its user has said nothing of; null: that is not settled yet.
    told_by_default: Option<bool>,
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

/// The preferences that a user has given for the channel `c`.
const SAID: &str = "(SELECT json_group_array(json_object('notification', notification, 'frequency', frequency))
    FROM notification_policies WHERE channel_id = c.id)";

/// The channel that the path names, of that user: by its address however that is written. Of several spellings of a
/// number that the user has, it is the one that is spelled so.
fn of_user(user: &str, path: MatchedPath<'_>) -> Result<Lookup> {
    let ChannelPath { communication_channel_id, r#type, address } = path.decode()?;
    let reached = r#type.zip(address.as_deref()).map(|(kind, address)| kind.reached(address));
    let sql = format!(
        "SELECT c.id, c.user_id, c.told_by_default, {SAID} AS said FROM communication_channels c
         WHERE c.user_id = {user} AND c.workflow_state <> 'retired'
           AND CASE WHEN ?1 IS NULL THEN c.type = ?2 AND {} = ?3 ELSE c.id = ?1 END
         ORDER BY c.address <> ?4, c.id LIMIT 1",
        channels::reached_sql()
    );
    Ok(Lookup::new(sql, (communication_channel_id, r#type, reached, address)))
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

/// All policies of a channel, in the order of the catalogue.
pub(crate) async fn policies(db: &Db, channel: &Channel) -> db::Result<Vec<Policy>> {
    policies_of(db, channel, &channel.said.0).await
}

async fn policies_of(db: &Db, channel: &Channel, said: &[FrequencyRow]) -> db::Result<Vec<Policy>> {
    let told_by_default = match channel.told_by_default {
        Some(settled) => settled,
        None => channels::told_by_default(db, channel.id).await?,
    };
    let said: HashMap<_, _> = said.iter().map(|said| (said.notification.as_str(), said.frequency)).collect();
    let by_default = |kind: &Kind| if told_by_default { kind.category.default } else { Frequency::Never };
    Ok(CATALOGUE.iter().map(|kind| (kind, said.get(kind.name).copied().unwrap_or_else(|| by_default(kind)))).collect())
}

/// Changes policies, and answers all of the channel's.
pub(crate) async fn change(db: &Db, channel: &Channel, changes: &[Change], now: Timestamp) -> db::Result<Vec<Policy>> {
    let given = changes.iter().filter_map(|change| Some(json!([change.kind.name, change.frequency?])));
    let given = Json(given.collect::<Value>());
    db.transaction(async |db| {
        db.execute(
            "INSERT INTO notification_policies (channel_id, notification, frequency, updated_at)
             SELECT ?1, given.value ->> 0, given.value ->> 1, ?3 FROM json_each(?2) given WHERE true ORDER BY given.key
             ON CONFLICT (channel_id, notification) DO UPDATE
             SET frequency = excluded.frequency, updated_at = excluded.updated_at",
            (channel.id, given, now),
        )
        .await?;
        let sql = "SELECT notification, frequency FROM notification_policies WHERE channel_id = ?1";
        let said: Vec<FrequencyRow> = db.fetch_all(sql, (channel.id,)).await?;
        policies_of(db, channel, &said).await
    })
    .await
}
