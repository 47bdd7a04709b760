//! Asking the owner of an address whether it is the user's: by a code that only this owner gets to see.

use database::Db;
use serde::Deserialize;
use types::clock::Timestamp;
use types::ids::{AccountId, ChannelId};
use uuid::Uuid;
use web::error::Result;
use web::secrets;

use super::Kind;
use crate::notify::{self, Direct};
use crate::throttle::{self, Limit, Turn};

/// For how many seconds a code is good.
const CODE_LASTS: i64 = 24 * 60 * 60;
/// Nobody is to be flooded by somebody else's wish to reach them: so often a channel is asked, and so often an address
/// by all users of a tenant together.
const ASKS_OF_CHANNEL: Limit = Limit { most: 3, seconds: 24 * 60 * 60 };
const ASKS_OF_ADDRESS: Limit = Limit { most: 6, seconds: 24 * 60 * 60 };
/// Text messages cost money, and numbers can be found that pay whoever has them called.
const TEXTS_OF_TENANT: Limit = Limit { most: 500, seconds: 24 * 60 * 60 };
/// Letters and digits that nobody takes for one another.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

#[derive(Deserialize)]
struct Tenant {
    root_account_id: AccountId,
}

/// Sends a new code to a channel, unless that was done too often; the code before it is good no more. Only its hash is
/// kept. Call it in the transaction of the cause.
pub async fn ask(
    db: &Db,
    base_url: &str,
    channel: ChannelId,
    kind: Kind,
    address: &str,
    now: Timestamp,
) -> Result<Turn> {
    let turn = turn(db, channel, kind, address, now).await?;
    if let Turn::Wait { .. } = turn {
        return Ok(turn);
    }
    let code = random(match kind {
        Kind::Email | Kind::Push => 25,
        Kind::Sms => 12,
    });
    db.execute(
        "INSERT INTO confirmation_codes (channel_id, code_hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (channel_id) DO UPDATE
         SET code_hash = excluded.code_hash, tries = 0, created_at = excluded.created_at, expires_at = excluded.expires_at",
        (channel, secrets::hash(&code), now, now.plus_seconds(CODE_LASTS)),
    )
    .await?;
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
    let subject = "Confirm that this is yours";
    let message = Direct { name, channel, subject, body: &body, confidential: true, now };
    notify::queue_direct(db, &message).await?;
    Ok(turn)
}

/// Counts the question, unless there were too many of them for the channel, for its address or for the tenant.
async fn turn(db: &Db, channel: ChannelId, kind: Kind, address: &str, now: Timestamp) -> Result<Turn> {
    let Tenant { root_account_id: tenant } =
        db.fetch_one("SELECT root_account_id FROM communication_channels WHERE id = ?1", (channel,)).await?;
    let reached = secrets::hash(kind.reached(address));
    let mut limits = vec![
        (format!("confirmation:{channel}"), ASKS_OF_CHANNEL),
        (format!("confirmation-of-address:{tenant}:{reached}"), ASKS_OF_ADDRESS),
    ];
    if kind == Kind::Sms {
        limits.push((format!("confirmation-by-text:{tenant}"), TEXTS_OF_TENANT));
    }
    let mut fewest = i64::MAX;
    for (count, (key, limit)) in limits.iter().enumerate() {
        match throttle::take(db, key, *limit, now).await? {
            Turn::Taken { left } => fewest = fewest.min(left),
            wait @ Turn::Wait { .. } => {
                // A message that is not sent counts nowhere.
                for (key, _) in limits.iter().take(count) {
                    throttle::give_back(db, key).await?;
                }
                return Ok(wait);
            }
        }
    }
    Ok(Turn::Taken { left: fewest })
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
