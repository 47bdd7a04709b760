//! New quizzes, as they are answered.

use ::submissions::grading::GradingType;
use ::submissions::quiz_settings::QuizSettings;
use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right};
use shared::db::Json;
use shared::ids::{self, AssignmentId};
use shared::{JsonSchema, Timestamp};

use crate::model::assignments::Assignment;

/// A quiz of the quiz engine.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct NewQuiz {
    /// The id of its assignment.
    #[serde(serialize_with = "ids::as_text")]
    #[schemars(with = "String")]
    pub(crate) id: AssignmentId,
    pub(crate) title: String,
    /// Rich content.
    pub(crate) instructions: Option<String>,
    #[serde(serialize_with = "ids::as_text_or_null")]
    #[schemars(with = "Option<String>")]
    pub(crate) assignment_group_id: Option<i64>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) published: bool,
    pub(crate) grading_type: GradingType,
    pub(crate) quiz_settings: Json<QuizSettings>,
}

impl NewQuiz {
    /// The quiz of an assignment, with these settings.
    pub(crate) fn of(assignment: Assignment, quiz_settings: QuizSettings) -> Self {
        Self {
            id: assignment.id,
            title: assignment.name,
            instructions: assignment.description,
            assignment_group_id: assignment.assignment_group_id,
            points_possible: assignment.points_possible,
            due_at: assignment.due_at,
            lock_at: assignment.lock_at,
            unlock_at: assignment.unlock_at,
            published: assignment.published,
            grading_type: assignment.grading_type,
            quiz_settings: Json(quiz_settings),
        }
    }

    /// The access code is for the teacher to tell, and from where the quiz is taken is no student's business.
    pub(crate) fn seen_in(mut self, course: &CourseAccess) -> Self {
        if !course.can(Right::ReadAsStaff) {
            self.quiz_settings.0.hide_secrets();
        }
        self
    }
}
