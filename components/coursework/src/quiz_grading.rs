//! The end of an attempt at a classic quiz: its score, and what becomes of it.

use ::submissions::events::{Events, Work};
use ::submissions::files;
use ::submissions::grading::rounded_of;
use ::submissions::quiz_options::{QuizType, ScoringPolicy};
use ::submissions::store::{AttemptGrade, grade_attempt};
use classic_questions::{QuestionType, sum_of_points};
use serde_json::Value;
use shared::error::OrNotFound;
use shared::ids::{AttachmentId, QuizId, UserId};
use shared::live_events::QuizSubmitted;
use shared::{Db, Result, Timestamp};

use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::{Answers, Attempt, EarlierAttempt};
use crate::store::quiz_submissions::{self as store, Graded};
use crate::store::submissions;

/// The outcome of an attempt.
pub(crate) struct Outcome {
    pub(crate) answers: Answers,
    pub(crate) fudge_points: f64,
    /// False where a grader has commented, and no more: the grade stays what it is, also one that was given to the whole work.
    pub(crate) gives_points: bool,
}

impl Outcome {
    /// The outcome of the answers, as far as a program can tell. No answer to a survey is wrong: whoever has taken one that is
    /// graded has all points.
    pub(crate) fn of(row: &Attempt, quiz_type: QuizType) -> Self {
        let mut answers = row.answers.0.clone();
        for asked in row.questions.0.iter().filter(|asked| asked.is_question()) {
            let given = answers.entry(asked.id.to_string()).or_default();
            given.points = match quiz_type {
                QuizType::GradedSurvey => Some(asked.points_possible),
                _ => asked.worth(&given.answer).points(asked.points_possible),
            };
        }
        Self { answers, fudge_points: 0.0, gives_points: true }
    }

    /// All that was answered waits for a person.
    pub(crate) fn unscored(row: &Attempt) -> Self {
        let mut answers = row.answers.0.clone();
        for asked in row.questions.0.iter().filter(|asked| asked.is_question()) {
            let given = answers.entry(asked.id.to_string()).or_default();
            given.points = given.answer.is_null().then_some(0.0);
        }
        Self { answers, fudge_points: 0.0, gives_points: true }
    }

    /// The files that are an answer.
    fn files(&self, row: &Attempt) -> Vec<AttachmentId> {
        let asked = row.questions.0.iter().filter(|asked| asked.question_type == QuestionType::FileUpload);
        let answers = asked.filter_map(|asked| self.answers.get(&asked.id.to_string())?.answer.as_array());
        answers.flatten().filter_map(Value::as_i64).map(AttachmentId).collect()
    }

    /// The score of an attempt that was asked these questions.
    fn score(&self, questions: &[AskedQuestion]) -> f64 {
        let points = self.answers.values().filter_map(|given| given.points);
        let possible = sum_of_points(questions.iter().map(|asked| asked.points_possible));
        rounded_of(sum_of_points(points.chain([self.fudge_points])), possible)
    }

    /// True if there is nothing that somebody must read.
    fn is_complete(&self, row: &Attempt) -> bool {
        let graded = |id: &str| self.answers.get(id).is_some_and(|given| given.points.is_some());
        row.questions.0.iter().filter(|asked| asked.is_question()).all(|asked| graded(&asked.id.to_string()))
    }
}

/// Keeps the outcome of an attempt, and gives the quiz's assignment its grade. Without a grader the attempt is being
/// handed in. `db` is in the transaction that has read the row.
pub(crate) async fn finish(
    db: &Db,
    row: &Attempt,
    outcome: &Outcome,
    policy: ScoringPolicy,
    grader: Option<UserId>,
    events: &mut Events,
    now: Timestamp,
) -> Result<()> {
    // Whoever hands in when the time is over has finished with it, as if the tick had been faster.
    let finished_at = row.finished_at.or(row.end_at.filter(|end| *end < now)).unwrap_or(now);
    let graded = Graded {
        answers: &outcome.answers,
        score: outcome.score(&row.questions.0),
        fudge_points: outcome.fudge_points,
        is_complete: outcome.is_complete(row),
        finished_at,
    };
    let kept = store::set_graded(db, row, &graded, policy, now).await?;
    let quiz = QuizSubmitted { quiz_submission_id: row.id, quiz_id: row.quiz_id.0, user_id: row.user_id };
    if grader.is_none() {
        files::take_own(db, &outcome.files(row), row.user_id, now).await?;
    }
    let Some(assignment) = row.assignment_id.filter(|_| outcome.gives_points) else {
        return if grader.is_none() { events.quiz_submitted(db, quiz).await } else { Ok(()) };
    };
    submissions::ensure(db, assignment, row.user_id, now).await?;
    let before = submissions::submission(db, assignment, row.user_id).await?.or_not_found()?;
    let result = store::HandedIn {
        submission: before.id,
        quiz_submission: row.id,
        attempt: row.attempt,
        submission_type: "online_quiz",
        body: Some(body(row.quiz_id, row.user_id, kept.score, finished_at)),
        own: before.scale().grade(graded.score),
        kept: before.deduct(before.scale().grade(kept.score), Some(kept.submitted_at)),
        kept_submitted_at: kept.submitted_at,
        workflow_state: if graded.is_complete { "graded" } else { "pending_review" },
        grader,
    };
    store::hand_in(db, &result, finished_at, now).await?;
    let after = submissions::submission(db, assignment, row.user_id).await?.or_not_found()?;
    let outbox = match grader {
        None => events.of_work(&Work {
            course: row.course_id,
            before: Some(&before),
            row: &after,
            quiz: Some(quiz),
            to_read: !graded.is_complete,
        }),
        // Of the grade that a program gives, the student sees at once as much as the quiz shows.
        Some(_) => events.of_grade(row.course_id, &before, &after),
    };
    events.queue(db, outbox?).await
}

/// Keeps the points of an earlier attempt, and gives the quiz's assignment the grade that follows. `db` is in the transaction
/// that has read both.
pub(crate) async fn regrade_earlier(
    db: &Db,
    (row, earlier): (&Attempt, &EarlierAttempt),
    outcome: &Outcome,
    policy: ScoringPolicy,
    grader: UserId,
    events: &mut Events,
    now: Timestamp,
) -> Result<()> {
    let score = outcome.score(&earlier.questions.0);
    let graded = (&outcome.answers, score);
    let kept = store::set_earlier_graded(db, row, earlier.attempt, graded, policy, now).await?;
    let Some(assignment) = row.assignment_id.filter(|_| outcome.gives_points) else {
        return Ok(());
    };
    let before = submissions::submission(db, assignment, row.user_id).await?.or_not_found()?;
    let graded = AttemptGrade {
        attempt: earlier.attempt,
        own: before.scale().grade(score),
        latest: None,
        kept: before.deduct(before.scale().grade(kept.score), Some(kept.submitted_at)),
        kept_submitted_at: Some(kept.submitted_at),
        is_complete: true,
        grader: Some(grader),
    };
    grade_attempt(db, &before, &graded, now).await?;
    let finished_at = row.finished_at.unwrap_or(earlier.finished_at);
    store::set_body(db, before.id, &body(row.quiz_id, row.user_id, kept.score, finished_at)).await?;
    let after = submissions::submission(db, assignment, row.user_id).await?.or_not_found()?;
    events.queue(db, events.of_grade(row.course_id, &before, &after)?).await
}

/// The text of a submission that is a quiz.
pub(crate) fn body(quiz: QuizId, user: UserId, score: f64, finished_at: Timestamp) -> String {
    format!("user: {user}, quiz: {quiz}, score: {score}, time: {finished_at}")
}
