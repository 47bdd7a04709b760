//! Conversations.

use serde::Deserialize;
use shared::auth::section_limit::{self, has_member_sql, has_section_sql};
use shared::db::{IdRow, Json};
use shared::ids::{AiConversationId, AiExperienceId, UserId};
use shared::needs::{self, Lookup, MatchedPath};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp, db};
use uuid::Uuid;

use crate::model::conversations::{Message, Progress, Record, Talk};
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

/// What a user has of conversations with the experience `?1`.
macro_rules! own_conversations {
    ($user:literal) => {
        concat!(
            "SELECT (SELECT count(*) FROM ai_conversations WHERE ai_experience_id = ?1 AND user_id = ",
            $user,
            ") AS number,
                    EXISTS (SELECT 1 FROM ai_conversations
                            WHERE ai_experience_id = ?1 AND user_id = ",
            $user,
            " AND workflow_state = 'active') AS has_active"
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

/// What a user has of conversations with an experience.
#[derive(Deserialize)]
pub(crate) struct OwnConversations {
    /// The number of them, ended ones among them.
    number: i64,
    pub(crate) has_active: bool,
}

impl OwnConversations {
    /// True if there are as many as one may have.
    pub(crate) fn are_most(&self) -> bool {
        self.number >= MAX_CONVERSATIONS
    }
}

/// The caller's, with the experience of the path.
impl needs::Record for OwnConversations {
    const IDS: &'static [&'static str] = &["ai_experiences"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(own_conversations!("caller.user_id"), (id(path, "ai_experiences"),)))
    }
}

pub(crate) async fn own(db: &Db, experience: AiExperienceId, user: UserId) -> db::Result<OwnConversations> {
    db.fetch_one(own_conversations!("?2"), (experience, user)).await
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
    progress: &Progress,
    now: Timestamp,
) -> db::Result<Option<Talk>> {
    let mut id = insert(db, experience, user, progress, now).await?;
    if id.is_none() {
        end_active(db, experience, user, now).await?;
        id = insert(db, experience, user, progress, now).await?;
    }
    let Some(id) = id else { return Ok(None) };
    let said = |role: &str, text: &str| Message {
        id: Uuid::new_v4(),
        role: role.to_owned(),
        text: text.to_owned(),
        feedback: None,
    };
    let [seed, greeting] = [said("User", prompt::SEED), said("Assistant", greeting)];
    db.execute(
        "INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, created_at)
         VALUES (?1, ?2, ?3, ?4, ?8), (?1, ?5, ?6, ?7, ?8)",
        (id, seed.id.to_string(), &seed.role, &seed.text, greeting.id.to_string(), &greeting.role, &greeting.text, now),
    )
    .await?;
    Ok(Some(Talk { id, messages: Json(vec![seed, greeting]), progress: Some(Json(progress.clone())) }))
}

/// A conversation of which nothing is said yet; none where the user has an active one, or as many as one may have.
async fn insert(
    db: &Db,
    experience: AiExperienceId,
    user: UserId,
    progress: &Progress,
    now: Timestamp,
) -> db::Result<Option<AiConversationId>> {
    let row: Option<IdRow<AiConversationId>> = db
        .fetch(
            "INSERT INTO ai_conversations
                 (ai_experience_id, user_id, uuid, all_objectives_met, progress, created_at, updated_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6
             WHERE (SELECT count(*) FROM ai_conversations WHERE ai_experience_id = ?1 AND user_id = ?2) < ?7
               AND NOT EXISTS (
                   SELECT 1 FROM ai_conversations
                   WHERE ai_experience_id = ?1 AND user_id = ?2 AND workflow_state = 'active')
             RETURNING id",
            (
                experience,
                user,
                Uuid::new_v4().to_string(),
                progress.is_complete(),
                Json(progress),
                now,
                MAX_CONVERSATIONS,
            ),
        )
        .await?;
    Ok(row.map(|row| row.id))
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

/// True if no message has the turn, or the conversation has ended.
pub(crate) async fn is_free(db: &Db, id: AiConversationId, now: Timestamp) -> db::Result<bool> {
    let sql = "SELECT 1 AS free FROM ai_conversations
               WHERE id = ?1 AND (workflow_state <> 'active' OR answering_until IS NULL OR answering_until <= ?2)";
    db.affects(sql, (id, now)).await
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

/// The evaluation of the conversation of the path, for those who have been let in to it.
impl needs::Record for Evaluated {
    const IDS: &'static [&'static str] = &["conversations"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let sql = "SELECT evaluation, evaluated_version FROM ai_conversations WHERE id = ?1";
        Ok(Lookup::new(sql, (id(path, "conversations"),)))
    }
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

/// The latest conversation of each active student of the course that is needed, in the sections that the caller is limited to, by
/// name.
pub(crate) struct LatestOfStudents;

impl List for LatestOfStudents {
    type Row = Latest;
    const PAGES: Pages = Pages::Whole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const COURSE: &str = "caller.needed ->> 'course'";
        let limit = section_limit::of_needed_sql(COURSE);
        let sql = format!(
            "SELECT c.id, CAST(u.id AS TEXT) AS user_id, json_object('id', CAST(u.id AS TEXT), 'name', u.name) AS student,
                    c.id IS NOT NULL AS has_conversation, c.workflow_state, c.progress, c.created_at, c.updated_at,
                    CASE
                        WHEN EXISTS (SELECT 1 FROM ai_conversations met
                                     WHERE met.ai_experience_id = ?1 AND met.user_id = u.id AND met.all_objectives_met)
                        THEN 'completed'
                        WHEN c.workflow_state = 'active' THEN 'in_progress'
                        ELSE 'not_started'
                    END AS status
             FROM (SELECT DISTINCT n.user_id
                   FROM (SELECT {COURSE} ->> 'id' AS course_id, {limit} AS section_limit LIMIT 1) viewer
                   CROSS JOIN enrollments n ON n.course_id = viewer.course_id
                   WHERE n.type = 'StudentEnrollment' AND n.workflow_state = 'active' AND {}) student
             CROSS JOIN users u ON u.id = student.user_id
             LEFT JOIN ai_conversations c ON c.id = (
                 SELECT max(id) FROM ai_conversations
                 WHERE ai_experience_id = ?1 AND user_id = u.id AND workflow_state <> 'deleted'
             )
             ORDER BY u.sortable_name, u.id",
            has_section_sql("viewer.section_limit", "n.course_section_id")
        );
        Ok(Lookup::new(sql, (id(path, "ai_experiences"),)))
    }
}
