//! Evaluations of a conversation, which the model makes for the teacher. See `docs/contract/ai-conversations.md`.

use serde::Serialize;
use shared::db::Json;
use shared::ids::AiConversationId;
use shared::{Context, JsonSchema, Reply, Result, clock, endpoint, endpoints};

use crate::access;
use crate::limits::{self, Action};
use crate::model::evaluations::Evaluation;
use crate::model::failure::Failure;
use crate::model::prompt;
use crate::store::needs::NeededConversation;
use crate::store::{conversations as store, messages};
use crate::turn;

endpoints![get_evaluation, create_evaluation];

/// The latest evaluation of a conversation.
#[derive(Serialize, JsonSchema)]
struct Stored {
    id: AiConversationId,
    /// Null when none was made.
    evaluation: Option<Evaluation>,
    /// True if the experience was edited since.
    stale: bool,
}

#[derive(Serialize, JsonSchema)]
struct Made {
    id: AiConversationId,
    evaluation: Evaluation,
}

/// Reads the latest evaluation, without asking the model.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation")]
async fn get_evaluation(cx: Context, conversation: NeededConversation) -> Result<Reply<Stored>> {
    let found = access::conversation(conversation)?;
    found.classroom.require_manage()?;
    let stored = store::evaluation(&cx.db, found.conversation.id).await?;
    let stale = stored.evaluated_version.is_some_and(|version| version < found.experience.version);
    let evaluation = stored.evaluation.map(|Json(evaluation)| evaluation);
    Ok(Reply::ok(Stored { id: found.conversation.id, evaluation, stale }))
}

/// Lets the model evaluate the conversation.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation",
    throttled("evaluations by one user, and the month's tokens of the institution"),
)]
async fn create_evaluation(cx: Context, conversation: NeededConversation) -> Result<Reply<Made>> {
    let found = access::conversation(conversation)?;
    found.classroom.require_manage()?;
    limits::count(&cx, Action::Evaluate).await?;
    let id = found.conversation.id;
    let question = prompt::evaluating(&found.experience, &messages::said(&cx.db, id).await?);
    let tenant = found.classroom.course.root_account;
    let malformed = Failure::EvaluationUnreadable;
    let evaluation = turn::checked(&cx, tenant, &question, malformed, |reply| {
        prompt::object(&reply.text).filter(Evaluation::is_possible)
    })
    .await?;
    let Json(evaluation) =
        store::set_evaluation(&cx.db, id, Json(evaluation), found.experience.version, clock::now()).await?;
    Ok(Reply::ok(Made { id, evaluation }))
}
