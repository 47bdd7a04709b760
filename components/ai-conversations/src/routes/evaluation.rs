//! Evaluations of a conversation, which the model makes for the teacher. Spec: "AI conversations", rules.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::AiConversationId;
use shared::{Context, JsonSchema, Path, Reply, Result, clock, endpoint, endpoints};

use crate::access::ConversationPath;
use crate::limits::{self, Action};
use crate::model::failure::Failure;
use crate::model::prompt;
use crate::store::{conversations as store, messages};
use crate::turn;

endpoints![get_evaluation, create_evaluation];

/// The latest evaluation of a conversation.
#[derive(Serialize, JsonSchema)]
struct Stored {
    id: AiConversationId,
    /// Null when none was made.
    evaluation: Option<Evaluation>,
    /// Whether the experience was edited since.
    stale: bool,
}

#[derive(Serialize, JsonSchema)]
struct Made {
    id: AiConversationId,
    evaluation: Evaluation,
}

/// How a student did.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evaluation {
    summary: String,
    overall_assessment: String,
    /// 0 to 100.
    overall_score: f64,
    learning_objectives_evaluation: Vec<ObjectiveEvaluation>,
    #[serde(default)]
    strengths: Vec<String>,
    #[serde(default)]
    areas_for_improvement: Vec<String>,
    #[serde(default)]
    key_moments: Vec<KeyMoment>,
    #[serde(default)]
    custom_metrics: Vec<CustomMetric>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ObjectiveEvaluation {
    objective: String,
    met: bool,
    /// 0 to 100.
    score: f64,
    explanation: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct KeyMoment {
    learning_objective: String,
    evidence: String,
    /// Which message of the conversation, from 1 on.
    message_number: Value,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct CustomMetric {
    metric: String,
    response: String,
}

impl Evaluation {
    fn is_possible(&self) -> bool {
        let scores = self.learning_objectives_evaluation.iter().map(|one| one.score);
        scores.chain([self.overall_score]).all(|score| (0.0..=100.0).contains(&score))
    }
}

/// Reads the latest evaluation, without asking the model.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation")]
async fn get_evaluation(cx: Context, Path(at): Path<ConversationPath>) -> Result<Reply<Stored>> {
    let found = at.find(&cx).await?;
    found.classroom.must_manage()?;
    let stored = store::evaluation(&cx.db, found.conversation.id).await?;
    let stale = stored.evaluated_version.is_some_and(|version| version < found.experience.version);
    let evaluation = stored.evaluation.map(|Json(evaluation)| evaluation);
    Ok(Reply::ok(Stored { id: found.conversation.id, evaluation, stale }))
}

/// Lets the model evaluate the conversation.
#[endpoint(POST "/api/v1/courses/:course_id/ai_experiences/:ai_experience_id/conversations/:id/evaluation")]
async fn create_evaluation(cx: Context, Path(at): Path<ConversationPath>) -> Result<Reply<Made>> {
    let found = at.find(&cx).await?;
    found.classroom.must_manage()?;
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
