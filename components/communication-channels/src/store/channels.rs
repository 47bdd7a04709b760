//! The SQL of the area.

use serde::Deserialize;
use shared::channels::{self, Kind, NewChannel, PUSH_ADDRESS, SHOWN_PUSH_ADDRESS};
use shared::db::{self, Binds, BuiltRow};
use shared::ids::{ChannelId, TokenId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::notify::{Direct, To};
use shared::outbox::{Columns, Outbox};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::channels::{Channel, Row};

/// The most devices of a user.
const MAX_DEVICES: i64 = 50;

pub(crate) const COLUMNS: &str =
    "id, position, workflow_state, user_id, created_at, address, type, bounce_count, last_bounce_at,
    last_bounce_summary, last_transient_bounce_at, last_transient_bounce_summary, last_suppression_bounce_at";

/// A [`Channel`] as the caller sees it; `?1` is the address of push channels. Most channels have no bounces to be written down.
const RECORD: &str = r#"concat('{"id":', id, ',"position":', position, ',"workflow_state":"', workflow_state, '","user_id":', user_id,
        ',"created_at":"', created_at, '","address":', json_quote(iif(type = 'push', ?1, address)), ',"type":"', type,
        '","bounce_count":', bounce_count,
        iif(last_bounce_at IS NULL, ',"last_bounce_at":null', concat(',"last_bounce_at":"', last_bounce_at, '"')),
        CASE
            WHEN NOT caller.site_admin THEN ''
            WHEN last_bounce_summary IS NULL AND last_transient_bounce_at IS NULL AND last_transient_bounce_summary IS NULL
                 AND last_suppression_bounce_at IS NULL
            THEN ',"last_bounce_summary":null,"last_transient_bounce_at":null,"last_transient_bounce_summary":null,"last_suppression_bounce_at":null'
            ELSE concat(
                ',"last_bounce_summary":', json_quote(last_bounce_summary),
                ',"last_transient_bounce_at":', json_quote(last_transient_bounce_at),
                ',"last_transient_bounce_summary":', json_quote(last_transient_bounce_summary),
                ',"last_suppression_bounce_at":', json_quote(last_suppression_bounce_at))
        END, '}') AS record"#;

/// The channels of the user who is needed.
pub(crate) struct ChannelsOfUser;

impl List for ChannelsOfUser {
    type Row = BuiltRow<Channel>;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let sql = format!(
            "SELECT {RECORD} FROM communication_channels
             WHERE user_id = caller.needed ->> 'id' AND workflow_state <> 'retired' ORDER BY position, id"
        );
        Ok(Lookup::new(sql, (SHOWN_PUSH_ADDRESS,)))
    }
}

/// A channel of the user who is needed; none also where it was taken away.
impl Record for Row {
    const IDS: &'static [&'static str] = &["communication_channels"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: ChannelId = path.id("communication_channels")?;
        let sql = format!(
            "SELECT {COLUMNS} FROM communication_channels
             WHERE id = ?1 AND user_id = caller.needed ->> 'id' AND workflow_state <> 'retired'"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

/// The channel at an address, however that is written. Of several spellings of a number that a user has, it is the one that is
/// spelled so.
pub(crate) async fn at_address(db: &Db, user: UserId, kind: Kind, address: &str) -> db::Result<Option<Row>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM communication_channels
         WHERE user_id = ?1 AND {} AND workflow_state <> 'retired'
         ORDER BY address <> ?3, id LIMIT 1",
        kind.reached_sql("?2")
    );
    db.fetch(&sql, (user, kind.reached(address), address)).await
}

/// Takes a channel away, with its code and its devices, and passes on that it is told by default. Tells whether there is anybody to be
/// told of it; `None`: of two who do it at once, somebody was faster.
pub(crate) async fn retire(db: &Db, row: &Row, now: Timestamp) -> Result<Option<bool>> {
    #[derive(Deserialize)]
    struct Retired {
        is_told: bool,
    }
    let (name, subject, body) = AddressChange::Removed(&row.address).told();
    let to = To::FirstEmailBeside { user: row.user_id, channel: row.id };
    let message = Direct { name, to, subject, body: &body, confidential: false, now };
    let message = Some(message).filter(|_| row.r#type == Kind::Email);
    let mut values = (row.id, now).values();
    let outbox = Outbox::default().with_messages(Direct::listed(message.as_slice()));
    let Columns { messages, .. } = outbox.columns(&mut values);
    let sql = format!(
        "UPDATE deleted_channels SET updated_at = ?2, messages = {messages} WHERE id = ?1 AND workflow_state <> 'retired'"
    );
    let read = "SELECT ifnull(deleted_channels.messages, '[]') <> '[]' AS is_told";
    let retired: Option<Retired> = db.write_and_read(&sql, read, values).await?;
    Ok(retired.map(|retired| retired.is_told))
}

/// Makes a channel, or takes up the one that was taken away.
pub(crate) async fn open(db: &Db, new: &NewChannel<'_>, now: Timestamp) -> Result<Row> {
    channels::open_and_read(db, new, COLUMNS, now).await
}

/// A change of the e-mail addresses of a user, who is told of it at the first of the others, so that nobody changes them
/// unnoticed.
pub(crate) enum AddressChange<'a> {
    Added(&'a str),
    Removed(&'a str),
}

impl AddressChange<'_> {
    /// The name of the message, its subject and its body.
    pub(crate) fn told(&self) -> (&'static str, &'static str, String) {
        match self {
            Self::Added(address) => (
                "new_email_address_added",
                "An e-mail address was added",
                format!("The address {address} was added to your account.\n"),
            ),
            Self::Removed(address) => (
                "email_address_removed",
                "An e-mail address was removed",
                format!("The address {address} was removed from your account.\n"),
            ),
        }
    }
}

/// True if the token belongs to a developer key that has a topic for push messages.
pub(crate) async fn has_push_topic(db: &Db, token: TokenId) -> db::Result<bool> {
    let sql = "SELECT 1 FROM access_tokens t JOIN developer_keys k ON k.id = t.developer_key_id
         WHERE t.id = ?1 AND k.push_topic_arn IS NOT NULL";
    db.affects(sql, (token,)).await
}

/// Adds a device to the user's push channel, which is made if need be.
pub(crate) async fn register(db: &Db, user: UserId, by: TokenId, token: &str, now: Timestamp) -> Result<Row> {
    db.transaction(async |db| {
        let new = NewChannel { user, kind: Kind::Push, address: PUSH_ADDRESS, confirmed: true };
        let row = open(db, &new, now).await?;
        sign_on(db, row.id, by, token, now).await?;
        Ok(row)
    })
    .await
}

/// Notes a device, or that it has signed on again: with another token it is told things by that one, and not by both. Of too
/// many devices those are forgotten that have not signed on for longest: they are those that nobody uses any more.
async fn sign_on(db: &Db, channel: ChannelId, by: TokenId, token: &str, now: Timestamp) -> db::Result<()> {
    // Its name at the push service belongs to the developer key of the token.
    let again = "UPDATE push_endpoints
         SET access_token_id = ?2, endpoint_arn = iif(access_token_id = ?2, endpoint_arn, NULL), created_at = ?4
         WHERE id = (SELECT id FROM push_endpoints WHERE channel_id = ?1 AND token = ?3
                     ORDER BY access_token_id <> ?2, id DESC LIMIT 1)
         RETURNING id";
    if !db.affects(again, (channel, by, token, now)).await? {
        let sql = "INSERT INTO push_endpoints (channel_id, access_token_id, token, created_at) VALUES (?1, ?2, ?3, ?4)";
        db.execute(sql, (channel, by, token, now)).await?;
    }
    let others = "DELETE FROM push_endpoints WHERE channel_id = ?1 AND id NOT IN (
             SELECT id FROM push_endpoints WHERE channel_id = ?1 AND (token <> ?3 OR access_token_id = ?2)
             ORDER BY created_at DESC, id DESC LIMIT ?4)";
    db.execute(others, (channel, by, token, MAX_DEVICES)).await
}

/// Forgets a device, whichever of the user's clients registered it.
pub(crate) async fn forget(db: &Db, channel: ChannelId, token: &str) -> db::Result<()> {
    db.execute("DELETE FROM push_endpoints WHERE channel_id = ?1 AND token = ?2", (channel, token)).await
}
