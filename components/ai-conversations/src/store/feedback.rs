//! Votes.

use serde::Deserialize;
use shared::auth::SectionLimit;
use shared::auth::section_limit::{self, has_member_sql};
use shared::ids::{AiConversationId, AiExperienceId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::pagination::{Key, Page, Paged};
use shared::{Db, Result, Timestamp, db};
use uuid::Uuid;

use crate::model::feedback::{FeedbackCounts, FeedbackRecord};

/// Stores a vote on an answer of the model; none where the conversation has no such answer.
pub(crate) async fn vote(
    db: &Db,
    (experience, conversation): (AiExperienceId, AiConversationId),
    message: &str,
    user: UserId,
    vote: &str,
    words: Option<String>,
    now: Timestamp,
) -> db::Result<Option<Uuid>> {
    #[derive(Deserialize)]
    struct Row {
        uuid: Uuid,
    }
    let row: Option<Row> = db
        .fetch(
            "INSERT INTO ai_message_feedback
                 (uuid, ai_message_id, user_id, vote, feedback_message, created_at, ai_experience_id)
             SELECT ?1, id, ?4, ?5, ?6, ?7, ?8 FROM ai_messages
             WHERE ai_conversation_id = ?2 AND uuid = lower(?3) AND role = 'Assistant'
             ON CONFLICT (ai_message_id, user_id)
             DO UPDATE SET vote = excluded.vote, feedback_message = excluded.feedback_message
             RETURNING uuid",
            (Uuid::new_v4().to_string(), conversation, message, user, vote, words, now, experience),
        )
        .await?;
    Ok(row.map(|row| row.uuid))
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
         WHERE uuid = lower(?3) AND user_id = ?4
           AND ai_message_id = (SELECT id FROM ai_messages WHERE ai_conversation_id = ?1 AND uuid = lower(?2))
         RETURNING id",
        (conversation, message, vote, user),
    )
    .await
}

/// A page of the votes on answers of an experience, the newest first; of one kind, if that is named. Who is limited to sections
/// of the course sees those on answers to its members.
pub(crate) async fn page(
    db: &Db,
    page: &Page,
    experience: AiExperienceId,
    vote: Option<&str>,
    limit: SectionLimit,
) -> Result<Paged<FeedbackRecord>> {
    // A condition that may be none would keep SQLite from the index of the votes of one kind.
    let kind = if vote.is_some() { "f.vote = ?2" } else { "?2 IS NULL" };
    let sql = format!(
        "SELECT f.id AS number, f.uuid AS id, f.vote, f.feedback_message, f.created_at,
                CAST(f.user_id AS TEXT) AS user_id, u.name AS user_name, m.ai_conversation_id AS conversation_id,
                m.uuid AS message_id, m.text AS message_text
         FROM ai_message_feedback f
         JOIN ai_messages m ON m.id = f.ai_message_id
         JOIN ai_conversations c ON c.id = m.ai_conversation_id
         JOIN ai_experiences x ON x.id = f.ai_experience_id
         JOIN users u ON u.id = f.user_id
         WHERE f.ai_experience_id = ?1 AND {kind} AND {}",
        has_member_sql("?3", "c.user_id", "x.course_id")
    );
    let binds = (experience, vote, limit);
    page.fetch_keyset(db, &sql, binds, Key::descending(&["number"])).await
}

/// The number of votes of each kind on answers of the experience of the path, in the course that is needed: for who is limited to
/// sections, of those that [`page`] has.
impl Record for FeedbackCounts {
    const IDS: &'static [&'static str] = &["ai_experiences"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let experience: AiExperienceId = path.id("ai_experiences")?;
        let limit = section_limit::of_needed_sql("caller.needed ->> 'course'");
        let is_seen = format!(
            "EXISTS (
                 SELECT 1 FROM ai_messages m
                 JOIN ai_conversations c ON c.id = m.ai_conversation_id
                 WHERE m.id = f.ai_message_id AND {})",
            has_member_sql(&limit, "c.user_id", "(caller.needed ->> 'course' ->> 'id')")
        );
        let count = |vote: &str| {
            let count = format!(
                "SELECT count(*) FROM ai_message_feedback f WHERE f.ai_experience_id = ?1 AND f.vote = '{vote}'"
            );
            // Without a limit all of them are counted in the index alone.
            format!("iif({limit} IS NULL, ({count}), ({count} AND {is_seen}))")
        };
        let sql = format!("SELECT {} AS liked, {} AS disliked", count("liked"), count("disliked"));
        Ok(Lookup::new(sql, (experience,)))
    }
}
