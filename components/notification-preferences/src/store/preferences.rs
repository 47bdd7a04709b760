//! The SQL of the area.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};
use shared::channels;
use shared::db::{self, Json};
use shared::ids::{ChannelId, UserId};
use shared::notify::catalogue::{CATALOGUE, Frequency, Kind};
use shared::{Db, Timestamp};

use crate::model::changes::Change;

/// How often a channel is told of a kind of event.
pub(crate) type Policy = (&'static Kind, Frequency);

/// A channel whose preferences are asked for.
#[derive(Deserialize)]
pub(crate) struct Channel {
    pub(crate) id: ChannelId,
    pub(crate) user_id: UserId,
    /// Whether it is told what its user has said nothing of; null: that is not settled yet.
    told_by_default: Option<bool>,
}

/// The user's channel of that id, or of that type and address.
pub(crate) async fn channel(
    db: &Db,
    user: UserId,
    id: Option<ChannelId>,
    kind: Option<channels::Kind>,
    address: Option<&str>,
) -> db::Result<Option<Channel>> {
    db.fetch(
        "SELECT id, user_id, told_by_default FROM communication_channels
         WHERE user_id = ?1 AND workflow_state <> 'retired'
           AND CASE WHEN ?2 IS NULL THEN type = ?3 AND address = ?4 ELSE id = ?2 END",
        (user, id, kind, address),
    )
    .await
}

/// All policies of a channel, in the order of the catalogue.
pub(crate) async fn policies(db: &Db, channel: &Channel) -> db::Result<Vec<Policy>> {
    #[derive(Deserialize)]
    struct Row {
        notification: String,
        frequency: Frequency,
    }
    let told_by_default = match channel.told_by_default {
        Some(settled) => settled,
        None => channels::told_by_default(db, channel.id).await?,
    };
    let sql = "SELECT notification, frequency FROM notification_policies WHERE channel_id = ?1";
    let said: Vec<Row> = db.fetch_all(sql, (channel.id,)).await?;
    let said: HashMap<_, _> = said.into_iter().map(|row| (row.notification, row.frequency)).collect();
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
        channels::settle(db, channel.id).await?;
        policies(db, channel).await
    })
    .await
}
