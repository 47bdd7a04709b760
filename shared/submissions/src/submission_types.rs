//! The ways to hand something in.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

/// The ways to hand something in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionType {
    DiscussionTopic,
    ExternalTool,
    MediaRecording,
    None,
    OnPaper,
    OnlineQuiz,
    OnlineTextEntry,
    OnlineUpload,
    OnlineUrl,
    StudentAnnotation,
}
