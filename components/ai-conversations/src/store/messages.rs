//! Messages.

use serde::Deserialize;
use shared::db::{IdRow, Json};
use shared::ids::AiConversationId;
use shared::{Db, Timestamp, db};
use uuid::Uuid;

use crate::language_model::Utterance;
use crate::model::conversations::Progress;
use crate::store::conversations;

/// The messages of a conversation, of both sides. All of them are read at each turn.
const MAX_MESSAGES: i64 = 500;

/// The outcome of the try to take a conversation's turn.
pub(crate) enum TurnOutcome {
    /// The model is asked for another message of the conversation.
    Busy,
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
}

/// A message as the model is told it.
#[derive(Deserialize)]
struct Said {
    by_user: bool,
    text: String,
}

impl Said {
    fn utterance(self) -> Utterance {
        Utterance { by_user: self.by_user, text: self.text }
    }
}

/// Takes the turn and stores the message: unless it is the last one, which waits for its answer still, or one of the same
/// key. These are two statements and no transaction: whoever has the turn writes alone, a turn that is cut off between them
/// ends by itself, and one that lost its lease between them stores nothing.
pub(crate) async fn take(
    db: &Db,
    conversation: AiConversationId,
    text: &str,
    key: Option<&str>,
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
                     (SELECT json_group_array({said}) FROM (
                          SELECT role = 'User' AS by_user, text FROM ai_messages WHERE ai_conversation_id = ?1
                          ORDER BY id)) AS said"
            ),
            (conversation, now, until, text, key, &lease),
        )
        .await?;
    let Some(Taken { progress, repeated, said: Json(mut said) }) = taken else {
        let runs = "SELECT 1 AS runs FROM ai_conversations WHERE id = ?1 AND workflow_state = 'active'";
        let runs = db.affects(runs, (conversation,)).await?;
        return Ok(if runs { TurnOutcome::Busy } else { TurnOutcome::Ended });
    };
    let message = match repeated {
        Some(Json(before)) if before.answered => {
            conversations::release(db, conversation, &lease).await?;
            return Ok(TurnOutcome::Answered);
        }
        Some(Json(before)) => before.id,
        None => match insert(db, conversation, &lease, text, key, now).await? {
            Some(message) => {
                said.push(Said { by_user: true, text: text.to_owned() });
                message
            }
            None => {
                let is_full = conversations::release(db, conversation, &lease).await?;
                return Ok(if is_full { TurnOutcome::Full } else { TurnOutcome::Busy });
            }
        },
    };
    let said = said.into_iter().map(Said::utterance).collect();
    Ok(TurnOutcome::Message(TakenTurn { lease, message, said, progress: progress.map(|Json(progress)| progress) }))
}

/// The message that `?4` repeats, by its key `?5` or as the last one, in the conversation `?1`.
const REPEATED: &str =
    "SELECT m.id, EXISTS (SELECT 1 FROM ai_messages WHERE answers = m.id) AS answered FROM ai_messages m
    WHERE m.ai_conversation_id = ?1
      AND (m.idempotency_key = ?5
           OR (m.role = 'User' AND m.text = ?4
               AND m.id = (SELECT max(id) FROM ai_messages WHERE ai_conversation_id = ?1)))
    ORDER BY m.idempotency_key = ?5 DESC LIMIT 1";

/// Stores a message; none where the conversation is full, or its turn is not any more that of the lease.
async fn insert(
    db: &Db,
    conversation: AiConversationId,
    lease: &str,
    text: &str,
    key: Option<&str>,
    now: Timestamp,
) -> db::Result<Option<i64>> {
    let row: Option<IdRow<i64>> = db
        .fetch(
            "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, idempotency_key, created_at)
             SELECT ?1, ?2, 'User', ?3, ?4, ?5
             WHERE (SELECT count(*) FROM ai_messages WHERE ai_conversation_id = ?1) < ?6
               AND EXISTS (SELECT 1 FROM ai_conversations WHERE id = ?1 AND lease = ?7)
             RETURNING id",
            (conversation, Uuid::new_v4().to_string(), text, key, now, MAX_MESSAGES, lease),
        )
        .await?;
    Ok(row.map(|row| row.id))
}

/// True if the message of that key has its answer.
pub(crate) async fn is_answered(db: &Db, conversation: AiConversationId, key: &str) -> db::Result<bool> {
    let found: Option<IdRow<i64>> = db
        .fetch(
            "SELECT m.id FROM ai_messages m JOIN ai_messages answer ON answer.answers = m.id
             WHERE m.ai_conversation_id = ?1 AND m.idempotency_key = ?2",
            (conversation, key),
        )
        .await?;
    Ok(found.is_some())
}

/// The messages, oldest first.
pub(crate) async fn said(db: &Db, conversation: AiConversationId) -> db::Result<Vec<Utterance>> {
    let sql = "SELECT role = 'User' AS by_user, text FROM ai_messages WHERE ai_conversation_id = ?1 ORDER BY id";
    let said: Vec<Said> = db.fetch_all(sql, (conversation,)).await?;
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
