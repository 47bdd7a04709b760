//! The teacher's overview: the latest conversation of each student.

mod markup;

use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Error, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::access;
use crate::model::conversations::{Record, show_messages};
use crate::model::experiences::Metric;
use crate::model::overview::Latest;
use crate::model::transcript::Transcript;
use crate::store::conversations::LatestOfStudents;
use crate::store::needs::NeededExperience;

endpoints![list_ai_conversations, get_ai_conversation, get_ai_conversations_page, get_ai_conversation_page];

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
async fn list_ai_conversations(
    _: Context,
    experience: NeededExperience,
    latest: PrefetchedList<LatestOfStudents>,
) -> Result<Reply<Overview>> {
    let (classroom, experience) = access::experience(experience)?;
    classroom.require_manage()?;
    let conversations = latest.rows()?;
    let [completed, in_progress, not_started] = counts(&conversations);
    let snapshot = Snapshot {
        completed,
        in_progress,
        not_started,
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

/// How many students have completed the experience, are at it, and have not begun.
fn counts(conversations: &[Latest]) -> [usize; 3] {
    ["completed", "in_progress", "not_started"]
        .map(|status| conversations.iter().filter(|latest| latest.status == status).count())
}

/// Shows who manages an AI experience the latest conversation of each student, with the progress: a page.
#[endpoint(GET "/courses/:course_id/ai_experiences/:id/ai_conversations", signed_in, page, answers(403, "The caller does not manage the experience."))]
async fn get_ai_conversations_page(
    cx: Context,
    experience: NeededExperience,
    latest: PrefetchedList<LatestOfStudents>,
) -> Result<Reply> {
    let (classroom, experience) = access::experience(experience).map_err(access::on_page)?;
    classroom.require_manage()?;
    Ok(markup::overview(&cx, &experience, &latest.rows()?))
}

/// Shows who manages an AI experience a conversation with it: a page.
#[endpoint(GET "/courses/:course_id/ai_experiences/:id/ai_conversations/:conversation_id", signed_in, page, answers(403, "The caller does not manage the experience."))]
async fn get_ai_conversation_page(
    cx: Context,
    experience: NeededExperience,
    conversation: Prefetched<Transcript>,
) -> Result<Reply> {
    let (classroom, experience) = access::experience(experience).map_err(access::on_page)?;
    classroom.require_manage()?;
    Ok(markup::transcript(&cx, &experience, &conversation.record()?))
}
