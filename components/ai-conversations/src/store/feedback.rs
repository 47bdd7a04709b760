//! Votes.

use serde::Deserialize;
use shared::ids::{AiConversationId, UserId};
use shared::{Db, Timestamp, db};
use uuid::Uuid;

/// The model's answer of that id.
pub(crate) async fn answer(db: &Db, conversation: AiConversationId, message: &str) -> db::Result<Option<i64>> {
    #[derive(Deserialize)]
    struct Row {
        id: i64,
    }
    let sql = "SELECT id FROM ai_messages WHERE ai_conversation_id = ?1 AND uuid = ?2 AND role = 'Assistant'";
    Ok(db.fetch(sql, (conversation, message)).await?.map(|row: Row| row.id))
}

pub(crate) async fn vote(
    db: &Db,
    message: i64,
    user: UserId,
    vote: &str,
    words: Option<String>,
    now: Timestamp,
) -> db::Result<Uuid> {
    #[derive(Deserialize)]
    struct Row {
        uuid: Uuid,
    }
    let row: Row = db
        .fetch_one(
            "INSERT INTO ai_message_feedback (uuid, ai_message_id, user_id, vote, feedback_message, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (ai_message_id, user_id)
             DO UPDATE SET vote = excluded.vote, feedback_message = excluded.feedback_message
             RETURNING uuid",
            (Uuid::new_v4().to_string(), message, user, vote, words, now),
        )
        .await?;
    Ok(row.uuid)
}

pub(crate) async fn withdraw(
    db: &Db,
    conversation: AiConversationId,
    message: &str,
    vote: &str,
    user: UserId,
) -> db::Result<bool> {
    db.affects(
        "DELETE FROM ai_message_feedback
         WHERE uuid = ?3 AND user_id = ?4
           AND ai_message_id = (SELECT id FROM ai_messages WHERE ai_conversation_id = ?1 AND uuid = ?2)
         RETURNING id",
        (conversation, message, vote, user),
    )
    .await
}
