//! The teacher's overview: the latest conversation of each student.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::ids::{AiConversationId, AiExperienceId, CourseId, Named};
use shared::{Context, Error, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::access;
use crate::model::conversations::{Record, show_messages};
use crate::model::experiences::Metric;
use crate::model::overview::Latest;
use crate::store::conversations as store;

endpoints![list_ai_conversations, get_ai_conversation];

#[derive(Deserialize, JsonSchema)]
struct ExperiencePath {
    course_id: Named<CourseId>,
    id: AiExperienceId,
}

#[derive(Deserialize, JsonSchema)]
struct OnePath {
    course_id: Named<CourseId>,
    id: AiExperienceId,
    conversation_id: AiConversationId,
}

#[derive(Serialize, JsonSchema)]
struct Overview {
    conversations: Vec<Latest>,
    snapshot: Snapshot,
}

#[derive(Serialize, JsonSchema)]
struct Snapshot {
    completed: usize,
    in_progress: usize,
    not_started: usize,
    total_objectives: usize,
    evaluation_metrics: Vec<Metric>,
}

/// Lists the latest conversation of each student.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:id/ai_conversations")]
async fn list_ai_conversations(cx: Context, Path(at): Path<ExperiencePath>) -> Result<Reply<Overview>> {
    let (classroom, experience) = access::experience(&cx, &at.course_id, at.id).await?;
    classroom.must_manage()?;
    let conversations = store::latest(&cx.db, classroom.course.id, experience.id).await?;
    let count = |status: &str| conversations.iter().filter(|latest| latest.status == status).count();
    let snapshot = Snapshot {
        completed: count("completed"),
        in_progress: count("in_progress"),
        not_started: count("not_started"),
        total_objectives: experience.learning_objectives.0.len(),
        evaluation_metrics: experience.evaluation_metrics.0,
    };
    Ok(Reply::ok(Overview { conversations, snapshot }))
}

/// Reads one of them with its messages.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:id/ai_conversations/:conversation_id")]
async fn get_ai_conversation(cx: Context, Path(at): Path<OnePath>) -> Result<Reply<Record>> {
    let (classroom, experience) = access::experience(&cx, &at.course_id, at.id).await?;
    classroom.must_manage()?;
    let found = store::find(&cx.db, experience.id, at.conversation_id, None).await?;
    let found = found.ok_or_else(|| Error::own(StatusCode::NOT_FOUND, json!({"error": "Conversation not found"})))?;
    let mut record = store::record(&cx.db, found.id, cx.caller()?.user).await?;
    show_messages(&mut record.messages.0);
    Ok(Reply::ok(record))
}
