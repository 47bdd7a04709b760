//! Quizzes: rows and views.

use ::submissions::quiz_options::{QuizOptions, QuizType};
use serde::Deserialize;
use shared::db::Json;
use shared::ids::{AssignmentId, QuizId};
use shared::{JsonSchema, Timestamp};

use crate::model::assignments::Announced;

/// A quiz as it is stored, with what its questions and groups add up to.
#[derive(Deserialize)]
pub(crate) struct Quiz {
    pub(crate) id: QuizId,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) quiz_type: QuizType,
    pub(crate) settings: Json<QuizOptions>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) workflow_state: String,
    pub(crate) version_number: i64,
    /// The assignment that its grades are of.
    pub(crate) assignment_id: Option<AssignmentId>,
    /// True if somebody has begun an attempt.
    pub(crate) attempted: bool,
    pub(crate) question_count: i64,
    pub(crate) points_possible: f64,
    pub(crate) question_types: Json<Vec<String>>,
}

impl Quiz {
    pub(crate) fn is_published(&self) -> bool {
        self.workflow_state == "available"
    }

    pub(crate) fn fields(&self) -> Fields {
        Fields {
            title: self.title.clone(),
            description: self.description.clone(),
            quiz_type: self.quiz_type,
            options: self.settings.0.clone(),
            due_at: self.due_at,
            lock_at: self.lock_at,
            unlock_at: self.unlock_at,
        }
    }
}

/// The quizzes of a list that are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Search {
    /// A part of the title.
    pub(crate) search_term: Option<String>,
}

/// The columns of a quiz that are set.
pub(crate) struct Fields {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) quiz_type: QuizType,
    pub(crate) options: QuizOptions,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
}

impl Fields {
    /// The part of it that students are told.
    pub(crate) fn announced(&self, published: bool) -> Announced {
        Announced {
            title: self.title.clone(),
            description: self.description.clone(),
            points_possible: None,
            due_at: self.due_at,
            unlock_at: self.unlock_at,
            lock_at: self.lock_at,
            published,
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            title: "Unnamed Quiz".to_owned(),
            description: None,
            quiz_type: QuizType::default(),
            options: QuizOptions::default(),
            due_at: None,
            lock_at: None,
            unlock_at: None,
        }
    }
}
