//! Evaluations of a conversation, which the model makes for the teacher. See `docs/contract/ai-conversations.md`.

use futures::stream::{self, StreamExt, TryStreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::db::Json;
use shared::ids::{AccountId, AiConversationId};
use shared::prefetch::Prefetched;
use shared::{Context, JsonSchema, Reply, Result, clock, endpoint, endpoints};

use crate::access;
use crate::language_model::{Question, Utterance};
use crate::limits::{self, Action};
use crate::model::evaluations::Evaluation;
use crate::model::experiences::Experience;
use crate::model::failure::Failure;
use crate::model::{evaluating, prompt};
use crate::store::conversations::{self as store, Evaluated};
use crate::store::messages;
use crate::store::needs::NeededConversation;
use crate::turn;

/// How many parts of a conversation the model is asked about at the same time.
const PARTS_AT_ONCE: usize = 4;

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
struct NewEvaluation {
    id: AiConversationId,
    evaluation: Evaluation,
}

/// Reads the latest evaluation, without asking the model.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation")]
async fn get_evaluation(
    _: Context,
    conversation: NeededConversation,
    evaluated: Prefetched<Evaluated>,
) -> Result<Reply<Stored>> {
    let found = access::conversation(conversation)?;
    found.classroom.require_manage()?;
    let Evaluated { evaluation, evaluated_version } = evaluated.record()?;
    let stale = evaluated_version.is_some_and(|version| version < found.experience.version);
    let evaluation = evaluation.map(|Json(evaluation)| evaluation.shown());
    Ok(Reply::ok(Stored { id: found.conversation.id, evaluation, stale }))
}

/// Lets the model evaluate the conversation.
///
/// One that is longer than the model takes is evaluated by notes on its parts, which the model makes first. Where it fails
/// at one of them, there is no evaluation.
#[endpoint(
    POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation",
    throttled("evaluations by one user, and the month's tokens of the institution"),
    answers(503, "The model is away, or none is set up."),
)]
async fn create_evaluation(cx: Context, conversation: NeededConversation) -> Result<Reply<NewEvaluation>> {
    let found = access::conversation(conversation)?;
    found.classroom.require_manage()?;
    limits::count(&cx, Action::Evaluate).await?;
    let id = found.conversation.id;
    let said = messages::said(&cx.db, id).await?;
    let evaluation = evaluate(&cx, found.classroom.course.root_account, &found.experience, &said).await?;
    let evaluation = evaluation.of(&found.experience, said.len());
    let Json(evaluation) =
        store::set_evaluation(&cx.db, id, Json(evaluation), found.experience.version, clock::now()).await?;
    Ok(Reply::ok(NewEvaluation { id, evaluation: evaluation.shown() }))
}

async fn evaluate(cx: &Context, tenant: AccountId, experience: &Experience, said: &[Utterance]) -> Result<Evaluation> {
    let budget = turn::context_tokens().await?;
    let question = match evaluating::plan(experience, said, budget) {
        evaluating::Plan::Whole(question) => question,
        evaluating::Plan::Parts(parts) => {
            let notes = stream::iter(&parts).map(|part| ask(cx, tenant, &part.question, |_| true));
            let notes: Vec<evaluating::Notes> = notes.buffered(PARTS_AT_ONCE).try_collect().await?;
            evaluating::by_notes(experience, &parts, &notes, budget)
        }
    };
    ask(cx, tenant, &question, Evaluation::is_possible).await
}

async fn ask<T: DeserializeOwned>(
    cx: &Context,
    tenant: AccountId,
    question: &Question,
    is_possible: impl Fn(&T) -> bool,
) -> Result<T> {
    let read = |text: &str| prompt::object(text).filter(&is_possible);
    let asked = turn::checked(cx, tenant, question, Failure::EvaluationUnreadable, |reply| read(&reply.text));
    let (answer, spent) = asked.await?;
    spent.note(&cx.db).await?;
    Ok(answer)
}
