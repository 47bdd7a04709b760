//! The teacher's overview: the latest conversation of each student.

use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use shared::prefetch::Prefetched;
use shared::{Context, Error, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::access;
use crate::model::conversations::{Record, show_messages};
use crate::model::experiences::Metric;
use crate::model::overview::Latest;
use crate::store::conversations as store;
use crate::store::needs::NeededExperience;

endpoints![list_ai_conversations, get_ai_conversation];

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
async fn list_ai_conversations(cx: Context, experience: NeededExperience) -> Result<Reply<Overview>> {
    let (classroom, experience) = access::experience(experience)?;
    classroom.require_manage()?;
    let conversations =
        store::latest(&cx.db, classroom.course.id, experience.id, classroom.course.section_limit()).await?;
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
async fn get_ai_conversation(
    _: Context,
    experience: NeededExperience,
    conversation: Prefetched<Record>,
) -> Result<Reply<Record>> {
    let (classroom, _) = access::experience(experience)?;
    classroom.require_manage()?;
    let missing = || Error::own(StatusCode::NOT_FOUND, json!({"error": "Conversation not found"}));
    let mut record = conversation.into_option()?.ok_or_else(missing)?;
    show_messages(&mut record.messages.0);
    Ok(Reply::ok(record))
}
