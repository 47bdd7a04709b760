//! Conversations.

use serde::Deserialize;
use shared::auth::SectionLimit;
use shared::auth::section_limit::{has_member_sql, has_section_sql};
use shared::db::{IdRow, Json};
use shared::ids::{AiConversationId, AiExperienceId, CourseId, UserId};
use shared::needs::{self, Lookup, MatchedPath};
use shared::{Db, Result, Timestamp, db};
use uuid::Uuid;

use crate::model::conversations::{Progress, Record, Talk};
use crate::model::evaluations::Evaluation;
use crate::model::overview::Latest;
use crate::model::prompt;
use crate::store::message_order::in_order;
use crate::store::needs::id;

/// The messages of the conversation `c` with the votes of a user.
macro_rules! messages {
    ($user:literal) => {
        concat!(
            "(SELECT json_group_array(json_object(
         'id', m.uuid, 'role', m.role, 'text', m.text,
         'feedback', (SELECT json_group_array(json_object('id', f.uuid, 'vote', f.vote))
                      FROM ai_message_feedback f WHERE f.ai_message_id = m.id AND f.user_id = ",
            $user,
            ")))
     FROM (SELECT * FROM ai_messages m WHERE m.ai_conversation_id = c.id ",
            in_order!(),
            ") m) AS messages"
        )
    };
}

/// The caller's active conversation with the experience of the path.
impl needs::Record for Talk {
    const IDS: &'static [&'static str] = &["ai_experiences"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const SQL: &str = concat!(
            "SELECT c.id, c.progress, ",
            messages!("caller.user_id"),
            " FROM ai_conversations c
              WHERE c.ai_experience_id = ?1 AND c.user_id = caller.user_id AND c.workflow_state = 'active'"
        );
        let experience: AiExperienceId = path.id("ai_experiences")?;
        Ok(Lookup::new(SQL, (experience,)))
    }
}

/// The whole record of the conversation of the path, with the votes of the caller. What is needed beside it is in the course
/// ([`NeededInCourse`](shared::needs::NeededInCourse)), of which some see their own sections.
impl needs::Record for Record {
    const IDS: &'static [&'static str] = &["ai_experiences", "ai_conversations", "conversations"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const SQL: &str = concat!(
            "SELECT c.id, CAST(c.user_id AS TEXT) AS user_id, c.uuid AS llm_conversation_id, c.workflow_state,
                    c.all_objectives_met, c.created_at, c.updated_at, c.progress, ",
            messages!("caller.user_id"),
            " FROM ai_conversations c
              WHERE c.id = ?2 AND c.ai_experience_id = ?1 AND c.workflow_state <> 'deleted'"
        );
        let is_seen = has_member_sql(
            "(caller.needed ->> 'course' ->> 'section_limit')",
            "c.user_id",
            "(caller.needed ->> 'course' ->> 'id')",
        );
        let sql =
            format!("{SQL} AND (caller.needed ->> 'course' ->> 'admin' OR c.user_id = caller.user_id OR {is_seen})");
        let conversation = id(path, "conversations").or_else(|| id(path, "ai_conversations"));
        Ok(Lookup::new(sql, (id(path, "ai_experiences"), conversation)))
    }
}

/// The conversation with the votes of the user.
pub(crate) async fn talk(db: &Db, id: AiConversationId, user: UserId) -> db::Result<Talk> {
    const SQL: &str = concat!("SELECT c.id, c.progress, ", messages!("?2"), " FROM ai_conversations c WHERE c.id = ?1");
    db.fetch_one(SQL, (id, user)).await
}

/// The conversations of a user with an experience, ended ones among them.
const MAX_CONVERSATIONS: i64 = 1_000;

/// True if the user has as many conversations with the experience as one may have.
pub(crate) async fn has_most(db: &Db, experience: AiExperienceId, user: UserId) -> db::Result<bool> {
    let sql = "SELECT 1 AS full WHERE ?3 <= (
                   SELECT count(*) FROM ai_conversations WHERE ai_experience_id = ?1 AND user_id = ?2)";
    db.affects(sql, (experience, user, MAX_CONVERSATIONS)).await
}

pub(crate) async fn end(db: &Db, id: AiConversationId, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE ai_conversations SET workflow_state = 'ended', updated_at = ?2
               WHERE id = ?1 AND workflow_state = 'active'";
    db.execute(sql, (id, now)).await
}

pub(crate) async fn end_active(db: &Db, experience: AiExperienceId, user: UserId, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE ai_conversations SET workflow_state = 'ended', updated_at = ?3
               WHERE ai_experience_id = ?1 AND user_id = ?2 AND workflow_state = 'active'";
    db.execute(sql, (experience, user, now)).await
}

/// A new conversation with the user's seed and the model's greeting; nothing where the user has as many as one may have.
/// Another one that was started meanwhile is ended. Call it in a transaction.
pub(crate) async fn start(
    db: &Db,
    experience: AiExperienceId,
    user: UserId,
    greeting: &str,
    progress: Progress,
    now: Timestamp,
) -> db::Result<Option<Talk>> {
    end_active(db, experience, user, now).await?;
    let (uuid, is_complete) = (Uuid::new_v4().to_string(), progress.is_complete());
    let new: Option<IdRow<AiConversationId>> = db
        .fetch(
            "INSERT INTO ai_conversations
                 (ai_experience_id, user_id, uuid, all_objectives_met, progress, created_at, updated_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6
             WHERE (SELECT count(*) FROM ai_conversations WHERE ai_experience_id = ?1 AND user_id = ?2) < ?7
             RETURNING id",
            (experience, user, uuid, is_complete, Json(progress), now, MAX_CONVERSATIONS),
        )
        .await?;
    let Some(new) = new else { return Ok(None) };
    db.execute(
        "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, created_at)
         VALUES (?1, ?2, 'User', ?3, ?6), (?1, ?4, 'Assistant', ?5, ?6)",
        (new.id, Uuid::new_v4().to_string(), prompt::SEED, Uuid::new_v4().to_string(), greeting, now),
    )
    .await?;
    let sql = "SELECT c.id, c.progress,
                      (SELECT json_group_array(json_object('id', uuid, 'role', role, 'text', text))
                       FROM (SELECT * FROM ai_messages WHERE ai_conversation_id = c.id ORDER BY id)) AS messages
               FROM ai_conversations c WHERE c.id = ?1";
    db.fetch_one(sql, (new.id,)).await.map(Some)
}

/// Notes how far the student has come, lets the next message have its turn, and answers the conversation with the votes of
/// the user; nothing where the turn is not any more that of the lease.
pub(crate) async fn advance(
    db: &Db,
    id: AiConversationId,
    lease: &str,
    user: UserId,
    progress: &Progress,
    now: Timestamp,
) -> db::Result<Option<Talk>> {
    const TALK: &str = concat!(
        "SELECT c.id, c.progress, ",
        messages!("?6"),
        " FROM ai_conversations c WHERE c.id = ai_conversations.id"
    );
    db.write_and_read(
        "UPDATE ai_conversations
         SET progress = ?2, all_objectives_met = max(all_objectives_met, ?3), answering_until = NULL, lease = NULL,
             updated_at = ?4
         WHERE id = ?1 AND lease = ?5",
        TALK,
        (id, Json(progress), progress.is_complete(), now, lease, user),
    )
    .await
}

/// Keeps the conversation taken until then: false where its turn is not any more that of the lease.
pub(crate) async fn renew(db: &Db, id: AiConversationId, lease: &str, until: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE ai_conversations SET answering_until = ?3 WHERE id = ?1 AND lease = ?2 RETURNING id";
    db.affects(sql, (id, lease, until)).await
}

/// Lets the next message have its turn: false where the turn is not any more that of the lease.
pub(crate) async fn release(db: &Db, id: AiConversationId, lease: &str) -> db::Result<bool> {
    let sql = "UPDATE ai_conversations SET answering_until = NULL, lease = NULL
               WHERE id = ?1 AND lease = ?2 RETURNING id";
    db.affects(sql, (id, lease)).await
}

/// An evaluation as it is stored.
#[derive(Deserialize)]
pub(crate) struct Evaluated {
    pub(crate) evaluation: Option<Json<Evaluation>>,
    pub(crate) evaluated_version: Option<i64>,
}

pub(crate) async fn evaluation(db: &Db, id: AiConversationId) -> db::Result<Evaluated> {
    db.fetch_one("SELECT evaluation, evaluated_version FROM ai_conversations WHERE id = ?1", (id,)).await
}

pub(crate) async fn set_evaluation(
    db: &Db,
    id: AiConversationId,
    evaluation: Json<Evaluation>,
    version: i64,
    now: Timestamp,
) -> db::Result<Json<Evaluation>> {
    #[derive(Deserialize)]
    struct Row {
        evaluation: Json<Evaluation>,
    }
    let row: Row = db
        .fetch_one(
            "UPDATE ai_conversations SET evaluation = ?2, evaluated_version = ?3, updated_at = ?4
             WHERE id = ?1 RETURNING evaluation",
            (id, evaluation, version, now),
        )
        .await?;
    Ok(row.evaluation)
}

/// The latest conversation of each active student of the course, in the sections of the limit, by name.
pub(crate) async fn latest(
    db: &Db,
    course: CourseId,
    experience: AiExperienceId,
    limit: SectionLimit,
) -> db::Result<Vec<Latest>> {
    let sql = format!(
        "SELECT c.id, CAST(u.id AS TEXT) AS user_id, json_object('id', CAST(u.id AS TEXT), 'name', u.name) AS student,
                c.id IS NOT NULL AS has_conversation, c.workflow_state, c.progress, c.created_at, c.updated_at,
                CASE
                    WHEN EXISTS (SELECT 1 FROM ai_conversations met
                                 WHERE met.ai_experience_id = ?2 AND met.user_id = u.id AND met.all_objectives_met)
                    THEN 'completed'
                    WHEN c.workflow_state = 'active' THEN 'in_progress'
                    ELSE 'not_started'
                END AS status
         FROM users u
         LEFT JOIN ai_conversations c ON c.id = (
             SELECT max(id) FROM ai_conversations
             WHERE ai_experience_id = ?2 AND user_id = u.id AND workflow_state <> 'deleted'
         )
         WHERE u.id IN (SELECT user_id FROM enrollments
                        WHERE course_id = ?1 AND type = 'StudentEnrollment' AND workflow_state = 'active' AND {})
         ORDER BY u.sortable_name, u.id",
        has_section_sql("?3", "course_section_id")
    );
    db.fetch_all(&sql, (course, experience, limit)).await
}
