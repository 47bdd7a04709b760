//! AI experiences, as they are answered.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AiExperienceId, CourseId};
use shared::{JsonSchema, Timestamp};

/// An experience that students of a course talk with.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Experience {
    pub(crate) id: AiExperienceId,
    pub(crate) course_id: CourseId,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    /// The objectives of the students: one to ten texts.
    pub(crate) learning_objectives: Json<Vec<String>>,
    /// The facts that the tutor knows of the subject. Only those who manage it see this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) facts: Option<String>,
    /// The way in which the tutor is to teach. Only those who manage it see this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) pedagogical_guidance: String,
    /// The criteria of an evaluation beyond the objectives.
    pub(crate) evaluation_metrics: Json<Vec<Metric>>,
    pub(crate) workflow_state: String,
    /// True if it may be unpublished: as long as no student has talked with it.
    pub(crate) can_unpublish: bool,
    /// Of the caller: `not_started`, `in_progress` or `completed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) submission_status: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing)]
    pub(crate) version: i64,
}

/// The criteria of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Metric {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) enabled: bool,
    pub(crate) visible_to_learners: bool,
}

impl Experience {
    /// Takes away what only those who manage it may see.
    pub(crate) fn hide(&mut self) {
        self.facts = None;
        self.pedagogical_guidance = String::new();
        self.evaluation_metrics.0.retain(|metric| metric.enabled && metric.visible_to_learners);
    }
}

/// What a page shows of an experience in a list.
#[derive(Deserialize)]
pub(crate) struct ListedExperience {
    pub(crate) id: AiExperienceId,
    pub(crate) title: String,
    pub(crate) workflow_state: String,
    pub(crate) submission_status: Option<String>,
}

/// The number of experiences on a page, where nothing else is asked for.
pub(crate) const PAGE_LENGTH: i64 = 15;
const MAX_LENGTH: i64 = 100;

/// The page of the list that is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct ListQuery {
    /// Which page: its number, from 1.
    page: i64,
    /// How many experiences a page has at most.
    per_page: i64,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self { page: 1, per_page: PAGE_LENGTH }
    }
}

impl ListQuery {
    pub(crate) fn number(&self) -> i64 {
        self.page.max(1)
    }

    pub(crate) fn length(&self) -> i64 {
        self.per_page.clamp(1, MAX_LENGTH)
    }
}

/// The same of the list that people see.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PageQuery {
    /// Which page of the list: its number, from 1.
    page: i64,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { page: 1 }
    }
}

impl PageQuery {
    pub(crate) fn number(&self) -> i64 {
        self.page.max(1)
    }
}
