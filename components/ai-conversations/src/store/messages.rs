//! Messages.

use serde::Deserialize;
use shared::db::{IdRow, Json};
use shared::ids::AiConversationId;
use shared::{Db, Timestamp, db};
use uuid::Uuid;

use crate::language_model::Utterance;
use crate::model::conversations::Progress;
use crate::store::conversations;
use crate::store::message_order::in_order;

/// The messages of the user in a conversation, each of which has an answer or may have one yet: 500 of both sides. All of
/// them are read at each turn.
const MAX_USER_MESSAGES: i64 = 250;

/// True if a client gave the message `m` that key. One that was sent again under others has them all, each on a line.
macro_rules! has_key {
    ($key:literal) => {
        concat!("instr(char(10) || m.idempotency_key || char(10), char(10) || ", $key, " || char(10)) > 0")
    };
}

/// True if `m` is the last message of the conversation `?1`, has that text, and waits for its answer.
macro_rules! waits_last {
    ($text:literal) => {
        concat!(
            "m.role = 'User' AND m.text = ",
            $text,
            " AND NOT EXISTS (SELECT 1 FROM ai_messages WHERE answers = m.id)
              AND m.id = (SELECT max(ifnull(answers, id)) FROM ai_messages WHERE ai_conversation_id = ?1)"
        )
    };
}

/// A message as it was sent.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) text: &'a str,
    /// The name that the client gave it.
    pub(crate) key: Option<&'a str>,
    /// From this id on a message of the same text is this one, which waits for its turn since then.
    pub(crate) since: Option<i64>,
}

/// The outcome of the try to take a conversation's turn.
pub(crate) enum TurnOutcome {
    /// The model is asked for another message of the conversation, or for this one, which was sent before. With it the id
    /// from which on this one may be found.
    Busy(Option<i64>),
    /// The message has its answer already.
    Answered,
    /// The conversation has ended.
    Ended,
    /// The conversation has as many messages as one may have.
    Full,
    /// The message, which waits for its answer.
    Message(TakenTurn),
}

/// The turn of a conversation that was taken for a message.
pub(crate) struct TakenTurn {
    /// The random name of whoever has the turn.
    pub(crate) lease: String,
    pub(crate) message: i64,
    /// The messages up to and with this one, oldest first.
    pub(crate) said: Vec<Utterance>,
    /// The progress as it stands.
    pub(crate) progress: Option<Progress>,
}

/// The message of a conversation that a new one may be the repetition of.
#[derive(Deserialize)]
struct Before {
    id: i64,
    answered: bool,
    /// False if it comes under a key that it does not have yet.
    named: bool,
}

/// A message as the model is told it.
#[derive(Deserialize)]
struct Said {
    by_user: bool,
    text: String,
    /// The message, or the one that it answers.
    place: i64,
}

impl Said {
    fn utterance(self) -> Utterance {
        Utterance { by_user: self.by_user, text: self.text }
    }
}

/// Takes the turn and stores the message: unless it is the last one, which waits for its answer still, one of the same key, or
/// one of the same text that came while this one waited. These are two statements and no transaction: whoever has the turn
/// writes alone, a turn that is cut off between them ends by itself, and one that lost its lease between them stores nothing.
pub(crate) async fn take(
    db: &Db,
    conversation: AiConversationId,
    sent: Sent<'_>,
    now: Timestamp,
    until: Timestamp,
) -> db::Result<TurnOutcome> {
    #[derive(Deserialize)]
    struct Taken {
        progress: Option<Json<Progress>>,
        repeated: Option<Json<Before>>,
        said: Json<Vec<Said>>,
    }
    let (before, said) = (db::json_object::<Before>()?, db::json_object::<Said>()?);
    let lease = Uuid::new_v4().to_string();
    let taken: Option<Taken> = db
        .fetch(
            &format!(
                "UPDATE ai_conversations SET answering_until = ?3, lease = ?6
                 WHERE id = ?1 AND workflow_state = 'active' AND (answering_until IS NULL OR answering_until <= ?2)
                 RETURNING progress, (SELECT {before} FROM ({REPEATED})) AS repeated,
                     (SELECT json_group_array({said}) FROM ({SAID})) AS said"
            ),
            (conversation, now, until, sent.text, sent.key, &lease, sent.since),
        )
        .await?;
    let Some(Taken { progress, repeated, said: Json(mut said) }) = taken else {
        let since = since(db, conversation, sent.text).await?;
        return Ok(since.map_or(TurnOutcome::Ended, |since| TurnOutcome::Busy(Some(since))));
    };
    if let Some(Json(before)) = &repeated
        && let Some(key) = sent.key.filter(|_| !before.named)
        && !name(db, conversation, &lease, before.id, key).await?
    {
        return Ok(TurnOutcome::Busy(None));
    }
    let message = match repeated {
        Some(Json(before)) if before.answered => {
            conversations::release(db, conversation, &lease).await?;
            return Ok(TurnOutcome::Answered);
        }
        Some(Json(before)) => {
            // What was said after it is answered already, or waits as well.
            said.retain(|one| one.place <= before.id);
            before.id
        }
        None => match insert(db, conversation, &lease, sent, now).await? {
            Some(message) => {
                said.push(Said { by_user: true, text: sent.text.to_owned(), place: message });
                message
            }
            None => {
                let is_full = conversations::release(db, conversation, &lease).await?;
                return Ok(if is_full { TurnOutcome::Full } else { TurnOutcome::Busy(None) });
            }
        },
    };
    let said = said.into_iter().map(Said::utterance).collect();
    Ok(TurnOutcome::Message(TakenTurn { lease, message, said, progress: progress.map(|Json(progress)| progress) }))
}

/// The message that `?4` repeats, by its key `?5`, as the last one, or as one that came from the id `?7` on, in the
/// conversation `?1`.
const REPEATED: &str = concat!(
    "SELECT m.id, EXISTS (SELECT 1 FROM ai_messages WHERE answers = m.id) AS answered, ?5 IS NULL OR ifnull(",
    has_key!("?5"),
    ", 0) AS named FROM ai_messages m
    WHERE m.ai_conversation_id = ?1
      AND (",
    has_key!("?5"),
    " OR (m.role = 'User' AND m.text = ?4 AND m.id >= ?7) OR (",
    waits_last!("?4"),
    "))
    ORDER BY ",
    has_key!("?5"),
    " DESC, m.id LIMIT 1"
);

/// What both sides have said in the conversation `?1`.
const SAID: &str = concat!(
    "SELECT m.role = 'User' AS by_user, m.text, ifnull(m.answers, m.id) AS place FROM ai_messages m
     WHERE m.ai_conversation_id = ?1 ",
    in_order!()
);

/// The id from which on a message that has to wait may be found: that of the last one, if it is the same and has no answer
/// yet, or else that of the next one. None where the conversation has ended.
async fn since(db: &Db, conversation: AiConversationId, text: &str) -> db::Result<Option<i64>> {
    const SQL: &str = concat!(
        "SELECT coalesce(
             (SELECT m.id FROM ai_messages m WHERE m.ai_conversation_id = ?1 AND ",
        waits_last!("?2"),
        "),
             (SELECT max(id) + 1 FROM ai_messages WHERE ai_conversation_id = ?1), 0) AS id
         FROM ai_conversations WHERE id = ?1 AND workflow_state = 'active'"
    );
    let row: Option<IdRow<i64>> = db.fetch(SQL, (conversation, text)).await?;
    Ok(row.map(|row| row.id))
}

/// Gives a message another key, beside those under which it was sent before: false where the turn of its conversation is not
/// any more that of the lease.
async fn name(db: &Db, conversation: AiConversationId, lease: &str, message: i64, key: &str) -> db::Result<bool> {
    db.affects(
        "UPDATE ai_messages SET idempotency_key = ifnull(idempotency_key || char(10), '') || ?3
         WHERE id = ?2 AND EXISTS (SELECT 1 FROM ai_conversations WHERE id = ?1 AND lease = ?4)
         RETURNING id",
        (conversation, message, key, lease),
    )
    .await
}

/// Stores a message; none where the conversation is full, or its turn is not any more that of the lease.
async fn insert(
    db: &Db,
    conversation: AiConversationId,
    lease: &str,
    sent: Sent<'_>,
    now: Timestamp,
) -> db::Result<Option<i64>> {
    let row: Option<IdRow<i64>> = db
        .fetch(
            "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, idempotency_key, created_at)
             SELECT ?1, ?2, 'User', ?3, ?4, ?5
             WHERE (SELECT count(*) FROM ai_messages WHERE ai_conversation_id = ?1 AND role = 'User') < ?6
               AND EXISTS (SELECT 1 FROM ai_conversations WHERE id = ?1 AND lease = ?7)
             RETURNING id",
            (conversation, Uuid::new_v4().to_string(), sent.text, sent.key, now, MAX_USER_MESSAGES, lease),
        )
        .await?;
    Ok(row.map(|row| row.id))
}

/// True if the message of that key has its answer.
pub(crate) async fn is_answered(db: &Db, conversation: AiConversationId, key: &str) -> db::Result<bool> {
    const SQL: &str = concat!(
        "SELECT m.id FROM ai_messages m JOIN ai_messages answer ON answer.answers = m.id
         WHERE m.ai_conversation_id = ?1 AND ",
        has_key!("?2")
    );
    db.affects(SQL, (conversation, key)).await
}

/// The messages, oldest first.
pub(crate) async fn said(db: &Db, conversation: AiConversationId) -> db::Result<Vec<Utterance>> {
    let said: Vec<Said> = db.fetch_all(SAID, (conversation,)).await?;
    Ok(said.into_iter().map(Said::utterance).collect())
}

/// Stores the model's answer to a message; one that it has already stays.
pub(crate) async fn answer(
    db: &Db,
    conversation: AiConversationId,
    message: i64,
    text: &str,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, answers, created_at)
         VALUES (?1, ?2, 'Assistant', ?3, ?4, ?5) ON CONFLICT (answers) DO NOTHING",
        (conversation, Uuid::new_v4().to_string(), text, message, now),
    )
    .await
}
