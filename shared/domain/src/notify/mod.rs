//! Telling users what happened: a notification becomes a message, or a part of a digest, on each of the user's channels,
//! as often as the user wants it there.
//!
//! All of this is rows, written in the transaction of the cause. Sending them is the work of the component `background`;
//! [`background::run_soon`](crate::background::run_soon) lets it begin at once.

pub mod catalogue;
pub mod causes;
mod notifier;
mod recipients;

pub use notifier::{News, Notifier};
pub use recipients::{Item, Recipients};

use catalogue::CATALOGUE;
use database::{Binds, Db, Json};
use serde_json::{Value, json};
use types::clock::{DAY, Timestamp};
use types::ids::{ChannelId, UserId};

use crate::outbox::Rows;

/// The rest of a channel whose last message came back, in seconds. Then it is tried again; what arrives ends its bouncing.
pub const BOUNCING_RESTS: i64 = 7 * DAY;

const MAX_SUBJECT_CHARS: usize = 200;

/// Categories of which a digest would come too late: they go out at once, whatever is preferred.
const NEVER_WAIT: [&str; 2] = [SAFETY, "migration"];

/// What concerns the safety of an account. While the channel that is told of it by default rests, another one is.
const SAFETY: &str = "registration";

/// Categories that are worth an interruption: devices are told of no others.
const PUSHED: [&str; 13] = [
    "announcement",
    "appointment_availability",
    "appointment_cancelations",
    "calendar",
    "conversation_message",
    "course_content",
    "discussion_mention",
    "due_date",
    "grading",
    "invitation",
    "reported_reply",
    "student_appointment_signups",
    "submission_comment",
];

/// Something that users are to be told.
#[derive(Debug, Clone, Copy)]
pub struct Notification<'a> {
    /// Its name in the [`catalogue`].
    pub name: &'a str,
    /// Those who are told.
    pub recipients: Recipients<'a>,
    /// Those who are not told: it is they who did it.
    pub actors: &'a [UserId],
    /// One line, or what is made one. Text messages and digests show it before the body.
    pub subject: &'a str,
    /// Plain text.
    pub body: &'a str,
    /// Its subject, as `content_export_42`: as long as nobody has tried to send it, a newer notification of the same
    /// kind about the same takes its place.
    pub asset: Option<&'a str>,
    /// The moment of the event.
    pub now: Timestamp,
}

/// True if a channel, a row of that name that was not taken away, is told by default. It was settled so; or, where that is
/// settled of no channel that is active, it is the first active e-mail channel, or else the first that is active, or else the
/// first.
pub fn told_by_default_sql(channel: &str) -> String {
    format!(
        "CASE WHEN {channel}.told_by_default = 1 THEN 1
              WHEN EXISTS (
                  SELECT 1 FROM communication_channels settled
                  WHERE settled.user_id = {channel}.user_id AND settled.workflow_state = 'active' AND settled.told_by_default = 1
              ) THEN 0
              ELSE {channel}.id = (
                  SELECT heir.id FROM communication_channels heir
                  WHERE heir.user_id = {channel}.user_id AND heir.workflow_state <> 'retired'
                  ORDER BY heir.workflow_state <> 'active', heir.workflow_state = 'active' AND heir.type <> 'email',
                           heir.position, heir.id
                  LIMIT 1
              ) END"
    )
}

/// True of the one channel of a user, a row of that name, that is told by default and to which messages come: of those that do
/// not rest. No device is told of such things. `rested` is the parameter with the end of the rests that are over.
fn reached_by_default_sql(channel: &str, rested: &str) -> String {
    format!(
        "{channel}.id = (
             SELECT heir.id FROM communication_channels heir
             WHERE heir.user_id = {channel}.user_id AND heir.workflow_state = 'active' AND heir.type <> 'push'
               AND (heir.bounce_count = 0 OR heir.last_bounce_at <= {rested})
             ORDER BY heir.told_by_default IS NOT 1, heir.type <> 'email', heir.position, heir.id LIMIT 1)"
    )
}

/// The columns of a message that is queued. The statements that make them write these in this order.
const COLUMNS: &str = "root_account_id, channel_id, push_endpoint_id, type, recipient, notification, asset, subject, body, digest, \
                       state, due_at, created_at, confidential";

/// Messages, which a statement finds as [`COLUMNS`], as the view `outbox` takes them.
fn listed(Rows { sql, values }: Rows) -> Rows {
    let sql = format!("(WITH found ({COLUMNS}) AS ({sql}) SELECT json_group_array(json_array({COLUMNS})) FROM found)");
    Rows { sql, values }
}

/// Tells users on all their active channels, in one statement: call it in the transaction of the cause.
pub async fn notify(db: &Db, notification: &Notification<'_>) -> database::Result<()> {
    let Rows { sql, values } = notification.rows()?;
    let sql = format!(
        "INSERT INTO messages ({COLUMNS}) {sql}
         ON CONFLICT (channel_id, ifnull(push_endpoint_id, 0), notification, asset, ifnull(digest, ''))
             WHERE asset IS NOT NULL AND attempts = 0 AND state IN ('gathered', 'queued')
         DO UPDATE SET subject = excluded.subject, body = excluded.body"
    );
    db.execute(&sql, values).await
}

impl Notification<'_> {
    /// The statement that finds the messages, as [`COLUMNS`].
    fn rows(&self) -> database::Result<Rows> {
        let Self { name, recipients, actors, subject, body, asset, now } = *self;
        let known = CATALOGUE.iter().find(|known| known.name == name).ok_or_else(|| unknown(name))?;
        let (found, parameter) = recipients.found_by();
        let told_by_default = match known.category.name {
            SAFETY => reached_by_default_sql("c", "?11"),
            _ => told_by_default_sql("c"),
        };
        // CROSS JOIN keeps the order: from the recipients to their channels.
        let sql = format!(
            "WITH news (user_id, subject, body) AS ({found}),
             told AS (
                 SELECT c.*, n.subject, n.body, ifnull(p.frequency, iif({told_by_default}, ?3, 'never')) AS frequency
                 FROM news n
                 CROSS JOIN users u ON u.id = n.user_id
                 CROSS JOIN communication_channels c ON c.user_id = u.id
                 LEFT JOIN notification_policies p ON p.channel_id = c.id AND p.notification = ?2
                 WHERE u.workflow_state <> 'deleted' AND u.id NOT IN (SELECT actor.value FROM json_each(?12) AS actor)
                   AND c.workflow_state = 'active' AND (c.bounce_count = 0 OR c.last_bounce_at <= ?11)
             ), wanted AS (
                 SELECT *, iif(frequency = 'immediately' OR NOT ?4, NULL, frequency) AS digest
                 FROM told WHERE frequency <> 'never' AND (type <> 'push' OR ?5)
             )
             SELECT w.root_account_id, w.id, e.id, w.type, ifnull(e.token, w.address), ?2, ?6, w.subject, w.body, w.digest,
                    iif(w.digest IS NULL, 'queued', 'gathered'), iif(w.digest IS NULL, ?9, NULL), ?10, 0
             FROM wanted w
             LEFT JOIN push_endpoints e ON e.channel_id = w.id AND w.type = 'push' AND w.digest IS NULL
             WHERE w.type <> 'push' OR w.digest IS NOT NULL OR e.id IS NOT NULL"
        );
        let values = (
            Json(parameter),
            name,
            known.category.default,
            !NEVER_WAIT.contains(&known.category.name),
            PUSHED.contains(&known.category.name),
            asset,
            one_line(subject),
            body,
            now.plus_seconds(known.delay),
            now,
            now.plus_seconds(-BOUNCING_RESTS),
            Json(actors),
        );
        Ok(Rows { sql, values: values.values() })
    }

    /// The same for an outbox.
    pub(crate) fn listed(&self) -> database::Result<Rows> {
        self.rows().map(listed)
    }
}

/// A message to one channel, whatever its owner prefers and even before it is confirmed.
#[derive(Debug, Clone, Copy)]
pub struct Direct<'a> {
    /// Its name in the [`catalogue`].
    pub name: &'a str,
    /// The address to which it goes.
    pub to: To,
    /// One line.
    pub subject: &'a str,
    /// Plain text.
    pub body: &'a str,
    /// True if the body holds a secret, which is forgotten as soon as a transport has taken the message.
    pub confidential: bool,
    /// The moment of the event.
    pub now: Timestamp,
}

/// The channel to which a message goes.
#[derive(Debug, Clone, Copy)]
pub enum To {
    /// This one.
    Channel(ChannelId),
    /// The first of the user's active e-mail channels beside one, of those first whose messages arrive; nobody where there is
    /// no other.
    FirstEmailBeside {
        /// The user.
        user: UserId,
        /// The channel that is left out.
        channel: ChannelId,
    },
}

/// Queues messages to channels, in one statement: none to a channel that is retired or is a push channel. Tells whether there
/// is any to send now: then, after the commit, it is time to let [`background::run_soon`](crate::background::run_soon) send it.
pub async fn queue_direct(db: &Db, messages: &[Direct<'_>]) -> database::Result<bool> {
    if messages.is_empty() {
        return Ok(false);
    }
    let Rows { sql, values } = Direct::rows(messages);
    db.affects(&format!("INSERT INTO messages ({COLUMNS}) {sql} RETURNING 1"), values).await
}

impl Direct<'_> {
    /// Messages for an outbox; `None`: there are none.
    pub fn listed(messages: &[Self]) -> Option<Rows> {
        (!messages.is_empty()).then(|| listed(Self::rows(messages)))
    }

    /// The statement that finds the messages, as [`COLUMNS`].
    fn rows(messages: &[Self]) -> Rows {
        // CROSS JOIN keeps the order: from the messages to their channels.
        let sql =
            "SELECT c.root_account_id, c.id, NULL, c.type, c.address, m.value ->> 'name', NULL, m.value ->> 'subject',
                    m.value ->> 'body', NULL, 'queued', m.value ->> 'now', m.value ->> 'now', m.value ->> 'confidential'
             FROM json_each(?1) AS m
             CROSS JOIN communication_channels c ON c.id = ifnull(m.value ->> 'channel', (
                 SELECT e.id FROM communication_channels e
                 WHERE e.user_id = m.value ->> 'user' AND e.id <> m.value ->> 'beside' AND e.type = 'email'
                   AND e.workflow_state = 'active'
                 ORDER BY e.bounce_count > 0, e.position, e.id LIMIT 1))
             WHERE c.workflow_state <> 'retired' AND c.type <> 'push'";
        let rows: Vec<_> = messages.iter().map(Self::row).collect();
        Rows { sql: sql.to_owned(), values: (Json(rows),).values() }
    }

    /// Its row, before its channel is looked up.
    fn row(&self) -> Value {
        let Self { name, to, subject, body, confidential, now } = *self;
        let (channel, user, beside) = match to {
            To::Channel(channel) => (Some(channel), None, None),
            To::FirstEmailBeside { user, channel } => (None, Some(user), Some(channel)),
        };
        json!({
            "name": name, "channel": channel, "user": user, "beside": beside, "subject": one_line(subject), "body": body,
            "confidential": confidential, "now": now,
        })
    }
}

/// A subject may hold what a user has named something: line breaks have no place in it, and mail takes no endless one.
fn one_line(subject: &str) -> String {
    let line = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|character| !character.is_control()).take(MAX_SUBJECT_CHARS).collect()
}

fn unknown(name: &str) -> database::Error {
    database::Error::Other(format!("the catalogue has no notification {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_line() {
        assert_eq!(one_line("Graded:  An\r\nEssay \u{7}"), "Graded: An Essay ");
        assert_eq!(one_line(&"x".repeat(1000)).len(), MAX_SUBJECT_CHARS);
    }

    #[test]
    fn the_lists_name_categories_that_there_are() {
        for name in NEVER_WAIT.iter().chain(&PUSHED) {
            assert!(CATALOGUE.iter().any(|known| known.category.name == *name), "{name}");
        }
    }
}
