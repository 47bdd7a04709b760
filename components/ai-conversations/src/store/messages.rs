//! Messages.

use serde::Deserialize;
use shared::db::IdRow;
use shared::ids::AiConversationId;
use shared::{Db, Timestamp, db};
use uuid::Uuid;

use crate::language_model::Utterance;

/// The messages of a conversation, of both sides. All of them are read at each turn.
const MAX_MESSAGES: i64 = 500;

/// The outcome of the try to take a conversation's turn.
pub(crate) enum TurnOutcome {
    /// The model is asked for another message of the conversation.
    Busy,
    /// The message has its answer already.
    Answered,
    /// The conversation has as many messages as one may have.
    Full,
    /// The message, which waits for its answer.
    Message(i64),
}

/// The message of a conversation that a new one may be the repetition of.
#[derive(Deserialize)]
struct Before {
    id: i64,
    answered: bool,
}

/// Takes the turn and stores the message, in one transaction: unless it is the last one, which waits for its answer still,
/// or one of the same key.
pub(crate) async fn take(
    db: &Db,
    conversation: AiConversationId,
    text: &str,
    key: Option<&str>,
    now: Timestamp,
    until: Timestamp,
) -> db::Result<TurnOutcome> {
    db.transaction(async |db| {
        let taken = db
            .affects(
                "UPDATE ai_conversations SET answering_until = ?3
                 WHERE id = ?1 AND (answering_until IS NULL OR answering_until <= ?2) RETURNING id",
                (conversation, now, until),
            )
            .await?;
        if !taken {
            return Ok(TurnOutcome::Busy);
        }
        match repeated(db, conversation, text, key).await? {
            Some(before) if before.answered => {
                crate::store::conversations::release(db, conversation).await?;
                Ok(TurnOutcome::Answered)
            }
            Some(before) => Ok(TurnOutcome::Message(before.id)),
            None => match insert(db, conversation, text, key, now).await? {
                Some(message) => Ok(TurnOutcome::Message(message)),
                None => {
                    crate::store::conversations::release(db, conversation).await?;
                    Ok(TurnOutcome::Full)
                }
            },
        }
    })
    .await
}

async fn repeated(
    db: &Db,
    conversation: AiConversationId,
    text: &str,
    key: Option<&str>,
) -> db::Result<Option<Before>> {
    db.fetch(
        "SELECT m.id, EXISTS (SELECT 1 FROM ai_messages WHERE answers = m.id) AS answered FROM ai_messages m
         WHERE m.ai_conversation_id = ?1
           AND (m.idempotency_key = ?3
                OR (m.role = 'User' AND m.text = ?2
                    AND m.id = (SELECT max(id) FROM ai_messages WHERE ai_conversation_id = ?1)))
         ORDER BY m.idempotency_key = ?3 DESC LIMIT 1",
        (conversation, text, key),
    )
    .await
}

async fn insert(
    db: &Db,
    conversation: AiConversationId,
    text: &str,
    key: Option<&str>,
    now: Timestamp,
) -> db::Result<Option<i64>> {
    let row: Option<IdRow<i64>> = db
        .fetch(
            "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, idempotency_key, created_at)
             SELECT ?1, ?2, 'User', ?3, ?4, ?5
             WHERE (SELECT count(*) FROM ai_messages WHERE ai_conversation_id = ?1) < ?6 RETURNING id",
            (conversation, Uuid::new_v4().to_string(), text, key, now, MAX_MESSAGES),
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
    #[derive(Deserialize)]
    struct Row {
        by_user: bool,
        text: String,
    }
    let sql = "SELECT role = 'User' AS by_user, text FROM ai_messages WHERE ai_conversation_id = ?1 ORDER BY id";
    let rows: Vec<Row> = db.fetch_all(sql, (conversation,)).await?;
    Ok(rows.into_iter().map(|row| Utterance { by_user: row.by_user, text: row.text }).collect())
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
