//! Channels: where a user is told things. The code that the channels' own area shares with those that make users and
//! messages.

mod confirmation;
mod telephone;

use database::{Bind, Db, IdRow, Json, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use types::JsonSchema;
use types::clock::Timestamp;
use types::ids::{ChannelId, UserId};
use web::error::{Error, Result};
use web::params;

use crate::notify::{Direct, To, queue_direct};
use crate::people::{is_email, is_hidden};

pub use confirmation::{Question, as_written, ask};
pub use telephone::dialled;
use telephone::{undivided, undivided_sql};

/// The one address of a user's push channel: its devices are told apart by their tokens.
pub const PUSH_ADDRESS: &str = "push";
/// The words by which that address is shown.
pub const SHOWN_PUSH_ADDRESS: &str = "For All Devices";

const MAX_ADDRESS_CHARS: usize = 255;
/// Of one user, those that were taken away among them.
const MAX_CHANNELS: i64 = 100;

/// By which way a channel reaches its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Mail to an address.
    Email,
    /// Text messages to a telephone.
    Sms,
    /// The push messages that appear on the user's devices.
    Push,
}

impl Kind {
    /// The kind of that name.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Email, Self::Sms, Self::Push].into_iter().find(|known| known.as_str() == text)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
            Self::Push => "push",
        }
    }

    /// The address as it is kept, or what is wrong with it.
    pub fn address(self, text: &str) -> Result<String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::invalid("path", "blank", "can't be blank"));
        }
        params::not_too_long("path", text, MAX_ADDRESS_CHARS)?;
        match self {
            Self::Email if !is_email(text) => Err(Error::invalid("email", "invalid", "is invalid")),
            _ if text.contains(|character: char| character.is_control() || is_hidden(character)) => {
                Err(Error::invalid("path", "invalid", "is invalid"))
            }
            Self::Sms if dialled(text).is_none() => {
                Err(Error::invalid("path", "invalid", "must be a telephone number with its country code, as +15550100"))
            }
            _ => Ok(text.to_owned()),
        }
    }
}

impl Kind {
    /// The same for all ways of writing an address, and for the words by which a push channel is shown.
    pub fn reached(self, address: &str) -> String {
        match self {
            Self::Sms => undivided(address),
            Self::Push if address.eq_ignore_ascii_case(SHOWN_PUSH_ADDRESS) => PUSH_ADDRESS.to_owned(),
            Self::Email | Self::Push => address.to_ascii_lowercase(),
        }
    }

    /// True of a row of `communication_channels` of this kind whose [`reached`](Self::reached) is that parameter. Numbers are
    /// compared row by row; of other addresses the index knows the letters in any case.
    pub fn reached_sql(self, parameter: &str) -> String {
        match self {
            Self::Sms => format!("type = 'sms' AND {} = {parameter}", undivided_sql("address")),
            Self::Email | Self::Push => format!("type = '{}' AND address = {parameter}", self.as_str()),
        }
    }
}

impl Bind for Kind {
    fn value(self) -> Value {
        Value::Text(self.as_str().to_owned())
    }
}

/// A channel that is made.
#[derive(Debug, Clone, Copy)]
pub struct NewChannel<'a> {
    /// Whose it is.
    pub user: UserId,
    /// By which way it reaches its user.
    pub kind: Kind,
    /// Where: as [`Kind::address`] answers it.
    pub address: &'a str,
    /// True if it needs no confirmation.
    pub confirmed: bool,
}

/// Makes a channel, or takes up the one that was taken away. A user has each address once, and only so many of them.
pub async fn open(db: &Db, new: &NewChannel<'_>, now: Timestamp) -> Result<ChannelId> {
    open_and_read(db, new, "id", now).await.map(|IdRow { id }| id)
}

/// The same, and answers these columns of the channel.
pub async fn open_and_read<T: DeserializeOwned>(
    db: &Db,
    new: &NewChannel<'_>,
    columns: &str,
    now: Timestamp,
) -> Result<T> {
    let NewChannel { user, kind, address, confirmed } = *new;
    let state = if confirmed { "active" } else { "unconfirmed" };
    let reached = kind.reached_sql("?7");
    // The channel of that address as it is written there: the new one runs into it.
    let known = format!(
        "SELECT address FROM communication_channels WHERE user_id = ?1 AND {reached}
         ORDER BY workflow_state = 'retired', address <> ?3, id LIMIT 1"
    );
    let opened: Option<T> = db
        .fetch(
            &format!(
                "INSERT INTO communication_channels
                 (root_account_id, user_id, type, address, position, workflow_state, told_by_default, created_at, updated_at)
             SELECT u.root_account_id, u.id, ?2, ifnull(({known}), ?3),
                    1 + ifnull((SELECT max(position) FROM communication_channels WHERE user_id = ?1), 0), ?4,
                    iif(?4 = 'active', NOT EXISTS (
                        SELECT 1 FROM communication_channels WHERE user_id = ?1 AND workflow_state = 'active'), NULL), ?5, ?5
             FROM users u
             WHERE u.id = ?1 AND (
                 EXISTS ({known}) OR (SELECT count(*) FROM communication_channels WHERE user_id = ?1) < ?6)
             ON CONFLICT (user_id, type, address) DO UPDATE
             SET address = ?3, workflow_state = excluded.workflow_state, bounce_count = 0,
                 told_by_default = iif(
                     communication_channels.workflow_state = 'retired', excluded.told_by_default, told_by_default),
                 updated_at = excluded.updated_at
             WHERE communication_channels.workflow_state = 'retired' OR excluded.type = 'push'
             RETURNING {columns}"
            ),
            (user, kind, address, state, now, MAX_CHANNELS, kind.reached(address)),
        )
        .await?;
    match opened {
        Some(opened) => Ok(opened),
        None => Err(refusal(db, new).await?),
    }
}

async fn refusal(db: &Db, new: &NewChannel<'_>) -> database::Result<Error> {
    let NewChannel { user, kind, address, .. } = *new;
    let sql = format!("SELECT 1 FROM communication_channels WHERE user_id = ?1 AND {}", kind.reached_sql("?2"));
    Ok(match db.affects(&sql, (user, kind.reached(address))).await? {
        true => Error::invalid("path", "unique!", "unique!"),
        false => Error::invalid("user_id", "too_many", "user communication_channels limit exceeded"),
    })
}

/// Makes the e-mail addresses that are noted of users the first of their channels, and active: an administrator has said
/// that they are right. One that is new to its user is told by default from then on, in place of the one that was.
pub async fn vouch(db: &Db, users: &[UserId], now: Timestamp) -> database::Result<()> {
    let users = || Json(users.to_vec());
    let noted = "INSERT INTO communication_channels
             (root_account_id, user_id, type, address, position, workflow_state, created_at, updated_at)
         SELECT root_account_id, id, 'email', email, 0, 'active', ?2, ?2
         FROM users WHERE id IN (SELECT value FROM json_each(?1)) AND email IS NOT NULL
         ON CONFLICT (user_id, type, address) DO UPDATE
         SET address = excluded.address, workflow_state = 'active', position = 0, updated_at = excluded.updated_at,
             bounce_count = iif(workflow_state = 'retired', 0, bounce_count),
             told_by_default = iif(workflow_state = 'active', told_by_default, NULL)";
    db.execute(noted, (users(), now)).await?;
    let order = "UPDATE communication_channels SET position = place.position
         FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY position, id) AS position
               FROM communication_channels WHERE user_id IN (SELECT value FROM json_each(?1))) AS place
         WHERE place.id = communication_channels.id AND place.position <> communication_channels.position";
    db.execute(order, (users(),)).await?;
    let settled = "UPDATE communication_channels SET told_by_default = (position = 1)
         WHERE workflow_state = 'active' AND user_id IN (
             SELECT new.user_id FROM json_each(?1) AS named CROSS JOIN communication_channels new ON new.user_id = named.value
             WHERE new.position = 1 AND new.workflow_state = 'active' AND new.told_by_default IS NULL)";
    db.execute(settled, (users(),)).await
}

/// The first of a user's active e-mail channels.
#[derive(Debug, Deserialize)]
pub struct FirstEmail {
    id: ChannelId,
    address: String,
}

/// The first of the user's active e-mail channels, if there is one.
pub async fn first_email(db: &Db, user: UserId) -> database::Result<Option<FirstEmail>> {
    let sql = "SELECT id, address FROM communication_channels
         WHERE user_id = ?1 AND type = 'email' AND workflow_state = 'active' ORDER BY position, id LIMIT 1";
    db.fetch(sql, (user,)).await
}

/// Tells the address that was the user's first that another is now, if it is another.
pub async fn tell_of_other_default(
    db: &Db,
    before: &FirstEmail,
    after: &FirstEmail,
    now: Timestamp,
) -> database::Result<()> {
    if before.id == after.id {
        return Ok(());
    }
    let message = Direct {
        name: "default_email_address_changed",
        to: To::Channel(before.id),
        subject: "Your default e-mail address has changed",
        body: &format!("The address {} is the first one of your account now.\n", after.address),
        confidential: false,
        now,
    };
    queue_direct(db, &[message]).await?;
    Ok(())
}

/// What is settled, of a row of `communication_channels` that becomes active: it is told by default if no other is active. What
/// becomes active later changes nothing.
pub const SETTLED: &str = "ifnull(told_by_default, NOT EXISTS (
    SELECT 1 FROM communication_channels other
    WHERE other.user_id = communication_channels.user_id AND other.id <> communication_channels.id
      AND other.workflow_state = 'active'))";

/// Takes away all channels of users who are deleted.
pub async fn retire_all(db: &Db, users: &[UserId], now: Timestamp) -> database::Result<()> {
    let users = || Json(users.to_vec());
    let codes = "DELETE FROM confirmation_codes WHERE channel_id IN (
             SELECT id FROM communication_channels WHERE user_id IN (SELECT value FROM json_each(?1)))";
    db.execute(codes, (users(),)).await?;
    let channels = "UPDATE communication_channels SET workflow_state = 'retired', updated_at = ?2
         WHERE user_id IN (SELECT value FROM json_each(?1)) AND workflow_state <> 'retired'";
    db.execute(channels, (users(), now)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_without_what_surrounds_it() {
        assert_eq!(Kind::Email.address(" ada@example.com ").unwrap(), "ada@example.com");
        assert_eq!(Kind::Sms.address("+1 555 0100").unwrap(), "+1 555 0100");
        for (kind, text) in [
            (Kind::Sms, " "),
            (Kind::Sms, "+15550\n100"),
            (Kind::Sms, "+15550\u{202E}100"),
            (Kind::Sms, "555 0100"),
            (Kind::Email, "ada"),
        ] {
            assert!(kind.address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn however_an_address_is_written_it_is_one() {
        assert_eq!(Kind::Sms.reached("+1 (555) 01-00"), Kind::Sms.reached("+15550100"));
        assert_eq!(Kind::Email.reached("Ada@School.test"), Kind::Email.reached("ada@school.test"));
        assert_eq!(Kind::Push.reached("for all devices"), Kind::Push.reached("Push"));
        assert!(Kind::Sms.address(&"1".repeat(256)).is_err());
    }
}
