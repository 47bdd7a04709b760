//! Conversations of users with an AI experience: started, read, ended. See `docs/contract/ai-conversations.md`.

use serde_json::{Value, json};
use shared::prefetch::Prefetched;
use shared::{Context, Created, Db, Error, Reply, Result, clock, endpoint, endpoints};

use crate::access::{self, Classroom, not_found};
use crate::language_model::Utterance;
use crate::limits::{self, Action};
use crate::model::conversations::{Progress, Record, Talk, show_messages};
use crate::model::experiences::Experience;
use crate::model::prompt;
use crate::store::conversations::{self as store, OwnConversations};
use crate::store::needs::{NeededConversation, NeededExperience};
use crate::turn;

endpoints![get_current_conversation, start_conversation, get_conversation, end_conversation];

/// Reads the caller's active conversation.
#[endpoint(
    GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations",
    students(200, "reads the caller's own: none"),
)]
async fn get_current_conversation(
    _: Context,
    experience: NeededExperience,
    talk: Prefetched<Talk>,
) -> Result<Reply<Value>> {
    access::experience(experience)?;
    Ok(Reply::ok(talk.into_option()?.map_or_else(|| json!({}), |talk| json!(talk.shown()))))
}

/// Starts a conversation, and ends the one before it.
///
/// The model opens the conversation. One that was active before is ended once the model is asked, whether or not it answers.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations",
    students(201, "students talk"),
    throttled("conversations of one user, and the month's tokens of the institution"),
    answers(409, "The conversation cannot go on as it is."),
    answers(503, "The model is away, or none is set up."),
)]
async fn start_conversation(
    cx: Context,
    experience: NeededExperience,
    own: Prefetched<OwnConversations>,
) -> Result<Created<Talk>> {
    let (classroom, experience) = access::experience(experience)?;
    Ok(Reply::created(start(&cx, &classroom, &experience, &own.record()?).await?.shown()))
}

/// Starts a conversation of the caller's, over the API or on a page.
pub(crate) async fn start(
    cx: &Context,
    classroom: &Classroom,
    experience: &Experience,
    own: &OwnConversations,
) -> Result<Talk> {
    classroom.require_talking()?;
    if own.are_most() {
        return Err(has_most());
    }
    limits::count(cx, Action::Start).await?;
    let user = cx.caller()?.user;
    let end_active = async || -> Result<()> {
        if own.has_active {
            store::end_active(&cx.db, experience.id, user, cx.now).await?;
        }
        Ok(())
    };
    let (tenant, seed) = (classroom.course.root_account, Utterance { by_user: true, text: prompt::SEED.to_owned() });
    let (said, spent) = turn::ask_after(cx, tenant, experience, vec![seed], end_active).await?;
    let progress = Progress::of(&experience.learning_objectives.0, None, &said.covered_objectives);
    // Others may have been started while the model was asked.
    let start = async |db: &Db| -> Result<Talk> {
        let talk = store::start(db, experience.id, user, &said.reply, &progress, clock::now()).await?;
        talk.ok_or_else(has_most)
    };
    spent.with(cx, start).await
}

fn has_most() -> Error {
    limits::full("there are as many conversations with this experience as one may have")
}

/// Reads the conversation of a student.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id")]
async fn get_conversation(
    _: Context,
    conversation: NeededConversation,
    record: Prefetched<Record>,
) -> Result<Reply<Record>> {
    access::conversation(conversation)?.classroom.require_manage()?;
    let mut record = record.into_option()?.ok_or_else(not_found)?;
    show_messages(&mut record.messages.0);
    Ok(Reply::ok(record))
}

/// Ends a conversation.
#[endpoint(DELETE "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id")]
async fn end_conversation(cx: Context, conversation: NeededConversation) -> Result<Reply<Value>> {
    let found = access::conversation(conversation)?;
    store::end(&cx.db, found.conversation.id, cx.now).await?;
    Ok(Reply::ok(json!({"message": "Conversation ended successfully"})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_covered_stays_covered() {
        let objectives = ["a", "b", "c"].map(str::to_owned);
        let first = Progress::of(&objectives, None, &[1, 9]);
        assert_eq!((first.current, first.total, first.percentage), (1, 3, 33));
        let second = Progress::of(&objectives, Some(&first), &[3]);
        assert_eq!((second.current, second.percentage), (2, 67));
        assert!(!second.is_complete());
        assert!(Progress::of(&objectives, Some(&second), &[2]).is_complete());
        assert!(!Progress::of(&[], None, &[]).is_complete());
    }
}
