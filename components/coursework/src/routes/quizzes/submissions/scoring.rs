//! Scores that a grader gives to answers of a classic quiz.

use std::collections::BTreeSet;

use ::submissions::events::Events;
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededInCourse, may};
use shared::params::{coerce, not_too_long};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submission_view::QuizSubmissions;
use crate::model::quiz_submissions::{Answers, Attempt, PointsGiver, Row};
use crate::quiz_grading::{Outcome, finish, regrade_earlier};
use crate::routes::quizzes::submissions::one;
use crate::store::quiz_submissions::{self as store, SubmissionOfQuiz};

const MAX_SCORE: f64 = 1_000_000.0;
const MAX_COMMENT_CHARS: usize = 16 * 1024;

endpoints![score_quiz_submission];

#[derive(Deserialize, JsonSchema)]
struct ScoreForms {
    quiz_submissions: Vec<ScoreForm>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ScoreForm {
    /// The attempt, which must be completed: the last one, or one before.
    attempt: Option<i64>,
    /// Points that the attempt gets beside those of its answers.
    fudge_points: Option<f64>,
    /// Scores and comments by the questions' ids.
    questions: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct QuestionScore {
    score: Option<f64>,
    comment: Option<String>,
}

/// Changes the score of answers to a quiz, and comments on them.
///
/// A grader grades answers that a program could not grade, or graded wrongly, of the last attempt or of one before. Points
/// beside the answers of an attempt are `fudge_points`.
#[endpoint(PUT "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id")]
async fn score_quiz_submission(
    cx: Context,
    submission: NeededInCourse<SubmissionOfQuiz, may::ManageGrades>,
    body: Form<ScoreForms>,
) -> Result<Reply<QuizSubmissions>> {
    let InCourse { course, record } = submission.into_record();
    let SubmissionOfQuiz { quiz: Json(quiz), submission: Json(row) } = record;
    let mut forms = body.decode()?.quiz_submissions;
    let form = if forms.len() == 1 { forms.pop() } else { None };
    let form = form.ok_or_else(|| Error::bad_request("quiz_submissions must have one element"))?;
    let grader = cx.caller()?.user;
    let mut events = Events::of(&cx, &course, row.assignment_id).await?;
    let row = cx.db.transaction(async |db| {
        let row = store::attempt(db, row.id).await?.or_not_found()?;
        let policy = quiz.settings.0.scoring_policy;
        let attempt = form.attempt.ok_or_else(invalid_attempt)?;
        if attempt == row.attempt {
            let outcome = form.over_last(&row)?;
            finish(db, &row, &outcome, policy, Some(grader), &mut events, cx.now).await?;
        } else {
            let earlier = store::earlier(db, row.id, attempt).await?.ok_or_else(invalid_attempt)?;
            let outcome = form.over(&earlier.questions.0, &earlier.answers.0, earlier.fudge_points())?;
            regrade_earlier(db, (&row, &earlier), &outcome, policy, grader, &mut events, cx.now).await?;
        }
        store::of_quiz(db, quiz.id, row.id).await?.or_not_found()
    });
    let row: Row = row.await?;
    events.send();
    one(&cx, &course, &quiz, &row).await
}

fn invalid_attempt() -> Error {
    Error::bad_request("invalid attempt")
}

impl ScoreForm {
    fn over_last(self, row: &Attempt) -> Result<Outcome> {
        if row.is_running() {
            return Err(Error::bad_request("quiz submission is not complete"));
        }
        self.over(&row.questions.0, &row.answers.0, row.fudge_points)
    }

    fn over(self, asked: &[AskedQuestion], answers: &Answers, fudge_points: f64) -> Result<Outcome> {
        let mut answers = answers.clone();
        let questions = asked.iter().filter(|asked| asked.is_question()).map(|asked| asked.id.to_string());
        let questions: BTreeSet<_> = questions.collect();
        let mut gives_points = self.fudge_points.is_some();
        for (question, score) in self.questions {
            if !questions.contains(&question) {
                return Err(Error::bad_request(format!("question {question} is none of the quiz submission")));
            }
            let refused = |error: coerce::Error| Error::bad_request(format!("questions[{question}] {error}"));
            let score: QuestionScore = coerce::from_value(score).map_err(refused)?;
            let given = answers.entry(question.clone()).or_default();
            if let Some(score) = score.score {
                gives_points = true;
                if !(0.0..=MAX_SCORE).contains(&score) {
                    return Err(Error::invalid("score", "inclusion", "must be an unsigned decimal"));
                }
                // Points that are there already stay those of whom they came from.
                if given.points != Some(score) {
                    (given.points, given.points_by) = (Some(score), Some(PointsGiver::Person));
                }
            }
            if let Some(comment) = score.comment {
                not_too_long("comment", &comment, MAX_COMMENT_CHARS)?;
                given.comment = Some(comment).filter(|comment| !comment.is_empty());
            }
        }
        let fudge_points = self.fudge_points.unwrap_or(fudge_points);
        if !(-MAX_SCORE..=MAX_SCORE).contains(&fudge_points) {
            return Err(Error::invalid("fudge_points", "inclusion", "is too large"));
        }
        Ok(Outcome { answers, fudge_points, gives_points })
    }
}
