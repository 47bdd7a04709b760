//! Submissions of classic quizzes as the API answers them.

use ::submissions::quiz_options::attempts_with;
use ::submissions::quiz_results::VisibleResults;
use serde::Serialize;
use shared::auth::{CourseAccess, Right};
use shared::ids::{QuizId, QuizSubmissionId, SubmissionId, UserId};
use shared::{Context, JsonSchema, Result, Timestamp};

use crate::model::quiz_submissions::{Row, Version};
use crate::model::quizzes::Quiz;

#[derive(Serialize, JsonSchema)]
pub(crate) struct QuizSubmissions {
    pub(crate) quiz_submissions: Vec<QuizSubmission>,
}

/// A student's way through a quiz: the attempt that runs, or the last one that was completed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuizSubmission {
    id: QuizSubmissionId,
    quiz_id: QuizId,
    quiz_version: i64,
    /// Left out to graders, with `submission_id`, of an anonymous survey, and while work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<UserId>,
    /// The submission of the quiz's assignment.
    submission_id: Option<SubmissionId>,
    /// 1 is the first.
    attempt: i64,
    /// The attempts that the student has beyond those that the quiz allows. Null to graders, with the next two and `end_at`, where
    /// they do not see whose it is: it is they who give them.
    extra_attempts: Option<i64>,
    /// The minutes that the student has beyond the quiz's time limit.
    extra_time: Option<i64>,
    /// True if the student may take the quiz although it is locked for others.
    manually_unlocked: Option<bool>,
    /// In seconds.
    time_spent: Option<i64>,
    score: Option<f64>,
    /// The score before a question of the quiz was regraded for the first time; null: it is the same.
    score_before_regrade: Option<f64>,
    /// The score that the quiz's policy keeps of those of all attempts.
    kept_score: Option<f64>,
    /// Null where the caller does not see the score.
    fudge_points: Option<f64>,
    quiz_points_possible: f64,
    /// Of a quiz that shows results once.
    has_seen_results: Option<bool>,
    /// -1: without end.
    attempts_left: i64,
    started_at: Timestamp,
    finished_at: Option<Timestamp>,
    /// When the time is over.
    end_at: Option<Timestamp>,
    /// `untaken`, `pending_review` or `complete`.
    workflow_state: String,
    overdue_and_needs_submission: bool,
    html_url: String,
    /// Whoever answers must know it: only the student is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_token: Option<String>,
}

/// The things that all submissions of an answer have in common.
pub(crate) struct View<'a> {
    quiz: &'a Quiz,
    caller: UserId,
    /// True if the caller sees every result.
    is_grader: bool,
    base_url: String,
    now: Timestamp,
}

impl<'a> View<'a> {
    pub(crate) async fn new(cx: &Context, course: &CourseAccess, quiz: &'a Quiz) -> Result<Self> {
        Ok(Self {
            quiz,
            caller: cx.caller()?.user,
            is_grader: course.can(Right::ManageGrades),
            base_url: cx.base_url().await?,
            now: cx.now,
        })
    }

    /// The results of the attempt that the caller sees.
    pub(crate) fn visible(&self, row: &Row) -> VisibleResults {
        match self.is_grader {
            true => VisibleResults::ALL,
            false if !row.is_posted => VisibleResults::NONE,
            false => VisibleResults::of_student(&self.quiz.settings.0, row.progress(), self.now),
        }
    }

    /// True if the caller is one of those who do not see whose it is.
    fn is_anonymous(&self, row: &Row) -> bool {
        row.is_anonymous && self.is_grader && row.user_id != self.caller
    }

    /// When the time is over. Graders put it off, and would know by it whose it is.
    pub(crate) fn end_at(&self, row: &Row) -> Option<Timestamp> {
        row.end_at.filter(|_| !self.is_anonymous(row))
    }

    pub(crate) fn submission(&self, row: &Row) -> QuizSubmission {
        let options = &self.quiz.settings.0;
        let is_anonymous = self.is_anonymous(row);
        let extra_attempts = row.extra_attempts.filter(|_| !is_anonymous);
        let (most, sees_score) = (attempts_with(options.allowed_attempts, extra_attempts), self.visible(row).score);
        let spent = |finished: Timestamp| finished.unix() - row.started_at.unix();
        QuizSubmission {
            id: row.id,
            quiz_id: row.quiz_id,
            quiz_version: row.version_number,
            user_id: Some(row.user_id).filter(|_| !is_anonymous),
            submission_id: row.submission_id.filter(|_| !is_anonymous),
            attempt: row.attempt,
            extra_attempts,
            extra_time: row.extra_time.filter(|_| !is_anonymous),
            manually_unlocked: row.manually_unlocked.filter(|_| !is_anonymous),
            time_spent: row.finished_at.map(spent),
            score: row.score.filter(|_| sees_score),
            score_before_regrade: row.score_before_regrade.filter(|_| sees_score),
            kept_score: row.kept_score.filter(|_| sees_score),
            fudge_points: Some(row.fudge_points).filter(|_| sees_score),
            quiz_points_possible: row.quiz_points_possible,
            has_seen_results: options.one_time_results.then(|| row.results_seen_attempt == Some(row.attempt)),
            attempts_left: if most < 0 { -1 } else { (most - row.attempt).max(0) },
            started_at: row.started_at,
            finished_at: row.finished_at,
            end_at: self.end_at(row),
            workflow_state: row.workflow_state.clone(),
            overdue_and_needs_submission: row.is_running() && row.end_at.is_some_and(|end| end <= self.now),
            html_url: format!(
                "{}/courses/{}/quizzes/{}/submissions/{}",
                self.base_url, row.course_id, row.quiz_id, row.id
            ),
            validation_token: (row.user_id == self.caller && row.is_running()).then(|| row.validation_token.clone()),
        }
    }

    /// An attempt before the last one, or the last one.
    pub(crate) fn version(&self, row: &Row, version: &Version) -> QuizSubmission {
        let submission = self.submission(row);
        if version.attempt == row.attempt {
            return submission;
        }
        let sees_score = self.visible(row).score;
        QuizSubmission {
            attempt: version.attempt,
            score: Some(version.score).filter(|_| sees_score),
            score_before_regrade: version.score_before_regrade.filter(|_| sees_score),
            fudge_points: Some(version.fudge_points).filter(|_| sees_score),
            quiz_points_possible: version.quiz_points_possible,
            started_at: version.started_at,
            finished_at: Some(version.finished_at),
            // Only that of the last attempt is known.
            end_at: None,
            time_spent: Some(version.finished_at.unix() - version.started_at.unix()),
            workflow_state: if version.is_complete { "complete" } else { "pending_review" }.to_owned(),
            ..submission
        }
    }
}
