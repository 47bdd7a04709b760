//! Conversations as pages show them.

use shared::auth::section_limit::has_member_sql;
use shared::ids::{AiConversationId, AiExperienceId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::{Db, Result, db};

use crate::model::conversations::Message;
use crate::model::own_talk::{OwnTalk, Said};
use crate::model::transcript::Transcript;
use crate::store::message_order::in_order;

/// The caller's active conversation with the experience of the path.
impl Record for OwnTalk {
    const IDS: &'static [&'static str] = &["ai_experiences"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let experience: AiExperienceId = path.id("ai_experiences")?;
        Ok(Lookup::new(select_own("caller.user_id")?, (experience,)))
    }
}

/// The active conversation of a user with an experience.
pub(crate) async fn own_talk(db: &Db, experience: AiExperienceId, user: UserId) -> db::Result<Option<OwnTalk>> {
    db.fetch(&select_own("?2")?, (experience, user)).await
}

fn select_own(user: &str) -> db::Result<String> {
    const ORDER: &str = in_order!();
    let said = db::json_object::<Said>()?;
    Ok(format!(
        "SELECT c.id, c.progress, c.answering_until,
                (SELECT json_group_array({said}) FROM (
                     SELECT m.uuid AS id, m.role = 'User' AS by_user, m.text, f.uuid AS vote_id, f.vote,
                            f.feedback_message AS vote_words
                     FROM ai_messages m
                     LEFT JOIN ai_message_feedback f ON f.ai_message_id = m.id AND f.user_id = {user}
                     WHERE m.ai_conversation_id = c.id {ORDER}
                )) AS messages
         FROM ai_conversations c
         WHERE c.ai_experience_id = ?1 AND c.user_id = {user} AND c.workflow_state = 'active'"
    ))
}

/// The conversation of the path, for those who see whoever talks in it. The course is what is needed beside it.
impl Record for Transcript {
    const IDS: &'static [&'static str] = &["ai_experiences", "ai_conversations"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const ORDER: &str = in_order!();
        let message = db::json_object::<Message>()?;
        let is_seen = has_member_sql(
            "(caller.needed ->> 'course' ->> 'section_limit')",
            "c.user_id",
            "(caller.needed ->> 'course' ->> 'id')",
        );
        let sql = format!(
            "SELECT u.name AS student, c.workflow_state, c.updated_at, c.progress,
                    (SELECT json_group_array({message}) FROM (
                         SELECT m.uuid AS id, m.role, m.text, NULL AS feedback FROM ai_messages m
                         WHERE m.ai_conversation_id = c.id {ORDER}
                    )) AS messages
             FROM ai_conversations c JOIN users u ON u.id = c.user_id
             WHERE c.id = ?2 AND c.ai_experience_id = ?1 AND c.workflow_state <> 'deleted'
               AND (caller.needed ->> 'course' ->> 'admin' OR c.user_id = caller.user_id OR {is_seen})"
        );
        let experience: AiExperienceId = path.id("ai_experiences")?;
        let conversation: AiConversationId = path.id("ai_conversations")?;
        Ok(Lookup::new(sql, (experience, conversation)))
    }
}
