//! Asking the owner of an address whether it is the user's: by a code that only this owner gets to see.

use database::{Binds, Db};
use types::clock::{DAY, Timestamp};
use types::ids::{AccountId, ChannelId};
use uuid::Uuid;
use web::error::Result;
use web::secrets;

use super::Kind;
use crate::notify::{self, Direct, To};
use crate::outbox::{Columns, Outbox};
use crate::throttle::{self, Limit, Try, Turn};

/// For how many seconds a code is good.
const CODE_LASTS: i64 = DAY;
/// Nobody is to be flooded by somebody else's wish to reach them: so often a channel is asked, and so often an address
/// by all users of a tenant together.
const ASKS_OF_CHANNEL: Limit = Limit { most: 3, seconds: DAY };
const ASKS_OF_ADDRESS: Limit = Limit { most: 6, seconds: DAY };
/// Text messages cost money, and numbers can be found that pay whoever has them called.
const TEXTS_OF_TENANT: Limit = Limit { most: 500, seconds: DAY };
/// Letters and digits that nobody takes for one another.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// A channel whose owner is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The tenant of the channel's user.
    pub tenant: AccountId,
    /// The channel.
    pub channel: ChannelId,
    /// By which way it reaches its user.
    pub kind: Kind,
    /// Where.
    pub address: &'a str,
}

/// Sends a new code to a channel, unless that was done too often; the code before it is good no more. Only its hash is
/// kept. What else is to be told is told at the same time, and in any case. Call it in the transaction of the cause.
pub async fn ask(
    db: &Db,
    base_url: &str,
    question: Question<'_>,
    beside: Option<Direct<'_>>,
    now: Timestamp,
) -> Result<Turn> {
    let Question { channel, kind, address, .. } = question;
    let turn = throttle::take_all(db, &tries(question), now).await?;
    if let Turn::Wait { .. } = turn {
        notify::queue_direct(db, beside.as_slice()).await?;
        return Ok(turn);
    }
    let code = random(match kind {
        Kind::Email | Kind::Push => 25,
        Kind::Sms => 12,
    });
    let link = format!("{base_url}/register/{code}");
    let (name, body) = match kind {
        Kind::Sms => ("confirm_sms_communication_channel", format!("Your code is {code}. Or confirm here: {link}")),
        Kind::Email | Kind::Push => (
            "confirm_email_communication_channel",
            format!(
                "Somebody, probably you, wants messages from Lectern to come to {address}.\n\n\
                 Follow this link to confirm that the address is yours:\n{link}\n\n\
                 The code, where you are asked for it: {code}\n\n\
                 Both are good for 24 hours. If you do not know what this is about, you need not do anything.\n"
            ),
        ),
    };
    let (to, subject) = (To::Channel(channel), "Confirm that this is yours");
    let message = Direct { name, to, subject, body: &body, confidential: true, now };
    let messages: Vec<_> = [message].into_iter().chain(beside).collect();
    let mut values = (channel, secrets::hash(&code), now, now.plus_seconds(CODE_LASTS)).values();
    let Columns { messages, .. } = Outbox::default().with_messages(Direct::listed(&messages)).columns(&mut values);
    let sql = format!(
        "INSERT INTO asked_channels (channel_id, code_hash, created_at, expires_at, messages)
         VALUES (?1, ?2, ?3, ?4, {messages})"
    );
    db.execute(&sql, values).await?;
    Ok(turn)
}

/// The limits of the question: of the channel, of its address and of the tenant. A message that is not sent counts nowhere.
fn tries(question: Question<'_>) -> Vec<Try> {
    let Question { tenant, channel, kind, address } = question;
    let reached = secrets::hash(kind.reached(address));
    let mut tries = vec![
        Try { key: format!("confirmation:{channel}"), limit: ASKS_OF_CHANNEL },
        Try { key: format!("confirmation-of-address:{tenant}:{reached}"), limit: ASKS_OF_ADDRESS },
    ];
    if kind == Kind::Sms {
        tries.push(Try { key: format!("confirmation-by-text:{tenant}"), limit: TEXTS_OF_TENANT });
    }
    tries
}

/// The code as we wrote it: what is typed may come in small letters and in groups.
pub fn as_written(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// Five random bits for each letter. Twelve can be typed from a telephone, and still nobody can guess them.
fn random(length: usize) -> String {
    let bytes = std::iter::repeat_with(|| Uuid::new_v4().into_bytes()).flat_map(|bytes| {
        // Two bytes of the sixteen say what kind of UUID it is.
        bytes.into_iter().enumerate().filter(|(place, _)| !matches!(place, 6 | 8)).map(|(_, byte)| byte)
    });
    let letters = bytes.filter_map(|byte| ALPHABET.get(usize::from(byte % 32)));
    letters.take(length).map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_plain_letters_alone() {
        for length in [12, 25] {
            let (one, other) = (random(length), random(length));
            assert_eq!(one.len(), length);
            assert!(one.bytes().all(|letter| ALPHABET.contains(&letter)));
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_code_may_be_typed_in_groups() {
        assert_eq!(as_written(" k7m3-qx9t rw2h\n"), "K7M3QX9TRW2H");
    }
}
