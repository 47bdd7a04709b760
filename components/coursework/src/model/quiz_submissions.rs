//! Attempts at classic quizzes: the last one with its earlier versions, and the points that each answer got.

use ::submissions::grading::rounded;
use ::submissions::quiz_results::Progress;
use classic_questions::sum_of_points;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::{AssignmentId, CourseId, QuizId, QuizSubmissionId, SubmissionId, UserId};
use std::collections::BTreeMap;
use std::ops::Deref;

use crate::model::quiz_scoring::AskedQuestion;

/// A student's way through a quiz: the attempt that runs, or the last one that was completed. What was asked and answered is in
/// [`Attempt`].
#[derive(Deserialize, Clone)]
pub(crate) struct Row {
    pub(crate) id: QuizSubmissionId,
    pub(crate) course_id: CourseId,
    pub(crate) quiz_id: QuizId,
    pub(crate) user_id: UserId,
    pub(crate) submission_id: Option<SubmissionId>,
    pub(crate) attempt: i64,
    pub(crate) validation_token: String,
    pub(crate) quiz_points_possible: f64,
    pub(crate) score: Option<f64>,
    pub(crate) score_before_regrade: Option<f64>,
    pub(crate) kept_score: Option<f64>,
    pub(crate) fudge_points: f64,
    pub(crate) started_at: Timestamp,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) workflow_state: String,
    /// Where the quiz shows results once: the last attempt whose results were shown.
    pub(crate) results_seen_attempt: Option<i64>,
    pub(crate) assignment_id: Option<AssignmentId>,
    pub(crate) version_number: i64,
    /// What the quiz allows the student beyond others.
    pub(crate) extra_attempts: Option<i64>,
    pub(crate) extra_time: Option<i64>,
    pub(crate) manually_unlocked: Option<bool>,
    /// True if students see the grade.
    pub(crate) is_posted: bool,
    /// True if graders do not see whose it is: until the grade is posted, or ever, in a survey.
    pub(crate) is_anonymous: bool,
}

impl Row {
    pub(crate) fn is_running(&self) -> bool {
        self.workflow_state == "untaken"
    }

    pub(crate) fn progress(&self) -> Progress {
        let Self { attempt, results_seen_attempt, extra_attempts, .. } = *self;
        Progress { attempt, is_running: self.is_running(), results_seen_attempt, extra_attempts }
    }
}

/// The same with what was asked and answered, which may be megabytes.
#[derive(Deserialize, Clone)]
pub(crate) struct Attempt {
    pub(crate) record: Json<Row>,
    pub(crate) questions: Json<Vec<AskedQuestion>>,
    pub(crate) answers: Json<Answers>,
}

impl Deref for Attempt {
    type Target = Row;

    fn deref(&self) -> &Row {
        &self.record.0
    }
}

/// The answers of an attempt, by the questions' ids.
pub(crate) type Answers = BTreeMap<String, StudentAnswer>;

/// The answer of a student to a question, and its points.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StudentAnswer {
    pub(crate) answer: Value,
    pub(crate) flagged: bool,
    /// True if the student has answered, be it with nothing; a mark alone is no answer.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) is_saved: bool,
    /// Null: somebody must read it.
    pub(crate) points: Option<f64>,
    /// Null: a program has given the points when the attempt was handed in, or, in attempts from before this was noted, a person
    /// where they are other ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) points_by: Option<PointsGiver>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
}

impl StudentAnswer {
    /// True if the student has answered, be it with nothing.
    pub(crate) fn is_given(&self) -> bool {
        self.is_saved || !self.answer.is_null()
    }
}

/// Whoever has given the points of an answer after it was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PointsGiver {
    Person,
    Regrade,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A completed attempt.
#[derive(Deserialize)]
pub(crate) struct Version {
    pub(crate) attempt: i64,
    pub(crate) score: f64,
    pub(crate) score_before_regrade: Option<f64>,
    pub(crate) started_at: Timestamp,
    pub(crate) finished_at: Timestamp,
    pub(crate) fudge_points: f64,
    pub(crate) quiz_points_possible: f64,
    /// True if there is nothing that somebody must read.
    pub(crate) is_complete: bool,
}

/// A completed attempt with what was asked and answered.
#[derive(Deserialize)]
pub(crate) struct EarlierAttempt {
    pub(crate) attempt: i64,
    pub(crate) questions: Json<Vec<AskedQuestion>>,
    pub(crate) answers: Json<Answers>,
    pub(crate) score: f64,
    pub(crate) finished_at: Timestamp,
}

impl EarlierAttempt {
    /// The points beside those of the answers: the rest of its score.
    pub(crate) fn fudge_points(&self) -> f64 {
        fudge_points(self.score, &self.answers.0)
    }
}

/// The points of a score beside those of the answers.
pub(crate) fn fudge_points(score: f64, answers: &Answers) -> f64 {
    rounded(score - sum_of_points(answers.values().filter_map(|given| given.points)))
}
