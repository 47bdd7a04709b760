//! The questions of an attempt at a classic quiz, and the student's answers to them.

use std::collections::{BTreeSet, HashMap};

use ::submissions::quiz_options::QuizOptions;
use ::submissions::quiz_results::VisibleResults;
use classic_questions::{Answer, QuestionType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::Right;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{QuestionId, QuizId, QuizSubmissionId};
use shared::needs::Needed;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::formulas::VariableValue;
use crate::model::matches::Match;
use crate::model::open_questions::OpenQuestions;
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submission_view::View;
use crate::model::quiz_submissions::{Attempt, Row, StudentAnswer};
use crate::quiz_admission::{require_address, require_admission};
use crate::quiz_overdue::GRACE;
use crate::routes::quizzes::submissions::{Proof, require_own, require_visible};
use crate::store::quiz_submissions::{self as store, NamedSubmission};

/// The submission that the path names.
type NeededSubmission = Needed<NamedSubmission>;

const MAX_ANSWERS: usize = 1000;

endpoints![
    list_quiz_submission_questions,
    answer_quiz_submission_questions,
    flag_quiz_submission_question,
    unflag_quiz_submission_question
];

#[derive(Deserialize, JsonSchema)]
struct QuestionPath {
    id: QuestionId,
}

#[derive(Deserialize, JsonSchema)]
struct AnswerForm {
    /// The attempt that runs.
    #[serde(default)]
    attempt: Option<i64>,
    /// As it was given out when the attempt began.
    #[serde(default)]
    validation_token: Option<String>,
    /// The quiz's access code, if it has one.
    #[serde(default)]
    access_code: Option<String>,
    quiz_questions: Vec<AnswerTo>,
}

#[derive(Deserialize, JsonSchema)]
struct AnswerTo {
    id: QuestionId,
    /// In the form that the question's type has; null takes the answer back. Left out: it stays as it is.
    #[serde(default)]
    answer: Patch<Value>,
    #[serde(default)]
    flagged: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Questions {
    quiz_submission_questions: Vec<AttemptQuestion>,
}

/// A question as it was when the attempt began, without what tells the right answer.
#[derive(Serialize, JsonSchema)]
struct AttemptQuestion {
    id: QuestionId,
    quiz_id: QuizId,
    position: usize,
    question_name: String,
    question_type: QuestionType,
    /// Rich content. Of a formula with the values of the attempt in the place of the variables.
    question_text: String,
    points_possible: f64,
    flagged: bool,
    /// In the form that the question's type has; null: none yet, or none that the quiz shows any more.
    answer: Value,
    /// The choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<Choice>>,
    /// Of a matching question: what can be chosen as the other half.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<Match>>,
    /// Of a formula: the values that stand in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Vec<VariableValue>>,
    /// Of a completed attempt, where the quiz shows it: what the answer was worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Choice {
    id: Option<i64>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blank_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Value>,
}

/// Lists the questions of an attempt at a quiz.
///
/// Where the quiz shows one question at a time, the student who takes it sees the current one, and unless there is no way back those
/// before it.
#[endpoint(GET "/api/v1/quiz_submissions/:quiz_submission_id/questions")]
async fn list_quiz_submission_questions(cx: Context, submission: NeededSubmission) -> Result<Reply<Questions>> {
    let NamedSubmission { course: Json(course), quiz: Json(quiz), submission: Json(row) } = submission.into_record();
    require_visible(&cx, &course, &row)?;
    let is_taken = row.is_running() && !course.can(Right::ManageGrades);
    if is_taken {
        require_address(&cx, &quiz)?;
    }
    let mut visible = View::new(&cx, &course, &quiz).await?.visible(&row);
    let is_shown_once = quiz.settings.0.one_time_results && !row.is_running() && row.user_id == cx.caller()?.user;
    // Of several looks at once one sees the results.
    if is_shown_once && visible.answers && !store::see_results(&cx.db, row.id, row.attempt).await? {
        visible = VisibleResults { answers: false, points: false, ..visible };
    }
    let open = OpenQuestions::of(&quiz.settings.0, &row);
    Ok(Reply::ok(Questions::of(&row, visible, |place, _| !is_taken || open.contains(place))))
}

/// Answers questions of a quiz.
///
/// Where the quiz shows one question at a time, an answer to the current one, be it null, opens the next.
#[endpoint(
    POST "/api/v1/quiz_submissions/:quiz_submission_id/questions",
    PUT "/api/v1/quiz_submissions/:quiz_submission_id/questions" as replace_quiz_submission_answers,
    throttled("wrong access codes"),
)]
async fn answer_quiz_submission_questions(
    cx: Context,
    submission: NeededSubmission,
    body: Form<AnswerForm>,
) -> Result<Reply<Questions>> {
    let NamedSubmission { course: Json(course), quiz: Json(quiz), submission: Json(row) } = submission.into_record();
    require_own(&cx, &course, &row)?;
    let AnswerForm { attempt, validation_token, access_code, quiz_questions } = body.decode()?;
    require_admission(&cx, &quiz, access_code.as_deref()).await?;
    if quiz_questions.len() > MAX_ANSWERS {
        return Err(Error::bad_request(format!("quiz_questions are too many (maximum is {MAX_ANSWERS})")));
    }
    let named: BTreeSet<_> = quiz_questions.iter().map(|answer| answer.id).collect();
    let changes = quiz_questions.into_iter().map(Change::from).collect();
    let proof = Proof { attempt, validation_token, access_code };
    let row = change(&cx, &quiz.settings.0, row.id, &proof, changes).await?;
    Ok(Reply::ok(Questions::of(&row, VisibleResults::ALL, |_, asked| named.contains(&asked.id))))
}

/// Marks a question of a quiz, to come back to it.
#[endpoint(PUT "/api/v1/quiz_submissions/:quiz_submission_id/questions/:id/flag", throttled("wrong access codes"))]
async fn flag_quiz_submission_question(
    cx: Context,
    Path(at): Path<QuestionPath>,
    submission: NeededSubmission,
    body: Form<Proof>,
) -> Result<Reply<Questions>> {
    set_flag(cx, submission, at.id, body, true).await
}

/// Takes the mark of a question of a quiz away.
#[endpoint(PUT "/api/v1/quiz_submissions/:quiz_submission_id/questions/:id/unflag", throttled("wrong access codes"))]
async fn unflag_quiz_submission_question(
    cx: Context,
    Path(at): Path<QuestionPath>,
    submission: NeededSubmission,
    body: Form<Proof>,
) -> Result<Reply<Questions>> {
    set_flag(cx, submission, at.id, body, false).await
}

async fn set_flag(
    cx: Context,
    submission: NeededSubmission,
    question: QuestionId,
    body: Form<Proof>,
    flagged: bool,
) -> Result<Reply<Questions>> {
    let NamedSubmission { course: Json(course), quiz: Json(quiz), submission: Json(row) } = submission.into_record();
    require_own(&cx, &course, &row)?;
    row.questions.0.iter().find(|asked| asked.id == question).or_not_found()?;
    let proof = body.decode()?;
    require_admission(&cx, &quiz, proof.access_code.as_deref()).await?;
    let mark = Change { id: question, answer: None, flagged: Some(flagged) };
    let row = change(&cx, &quiz.settings.0, row.id, &proof, vec![mark]).await?;
    Ok(Reply::ok(Questions::of(&row, VisibleResults::ALL, |_, asked| asked.id == question)))
}

/// An answer, or a mark alone.
struct Change {
    id: QuestionId,
    /// `None`: it stays as it is.
    answer: Option<Value>,
    flagged: Option<bool>,
}

impl From<AnswerTo> for Change {
    fn from(AnswerTo { id, answer, flagged }: AnswerTo) -> Self {
        let answer = answer.is_present().then(|| answer.into_option().unwrap_or_default());
        Self { id, answer, flagged }
    }
}

/// Keeps answers and marks, all of them or none.
async fn change(
    cx: &Context,
    options: &QuizOptions,
    id: QuizSubmissionId,
    proof: &Proof,
    changes: Vec<Change>,
) -> Result<Attempt> {
    cx.db
        .transaction(async |db| {
            let mut row = store::attempt(db, id).await?.or_not_found()?;
            proof.require_key_of(&row)?;
            require_in_time(&row, cx.now)?;
            let mut open = OpenQuestions::of(options, &row);
            let questions: HashMap<_, _> =
                row.questions.0.iter().enumerate().map(|(place, asked)| (asked.id.0, (place, asked))).collect();
            for Change { id, answer, flagged } in changes {
                let (place, asked) = *questions
                    .get(&id.0)
                    .ok_or_else(|| Error::bad_request(format!("question {id} is none of the quiz submission")))?;
                open.require(place, asked)?;
                let mut given = row.answers.0.remove(&id.to_string()).unwrap_or_default();
                given.flagged = flagged.unwrap_or(given.flagged);
                if let Some(answer) = answer {
                    given = StudentAnswer { answer: asked.read(answer)?, is_saved: true, ..given };
                    open.pass(place, &row.questions.0);
                }
                row.answers.0.insert(id.to_string(), given);
            }
            store::set_answers(db, row.id, &row.answers.0, cx.now).await?;
            Ok(row)
        })
        .await
}

/// When the time is over nothing is answered any more; what was answered can still be handed in.
fn require_in_time(row: &Row, now: Timestamp) -> Result<()> {
    match row.end_at {
        Some(end) if end.plus_seconds(GRACE) < now => {
            Err(Error::bad_request("the time of the quiz submission is over"))
        }
        _ => Ok(()),
    }
}

impl Questions {
    fn of(row: &Attempt, visible: VisibleResults, wanted: impl Fn(usize, &AskedQuestion) -> bool) -> Self {
        let questions = row.questions.0.iter().enumerate().filter(|(place, asked)| wanted(*place, asked));
        let questions = questions.map(|(place, asked)| AttemptQuestion::new(row, visible, place + 1, asked));
        Self { quiz_submission_questions: questions.collect() }
    }
}

impl AttemptQuestion {
    /// Of an attempt that runs the student sees the own answers, and nobody what they will be worth.
    fn new(row: &Attempt, visible: VisibleResults, position: usize, asked: &AskedQuestion) -> Self {
        use QuestionType as T;
        let given = row.answers.0.get(&asked.id.to_string()).cloned().unwrap_or_default();
        let are_shown = matches!(
            asked.question_type,
            T::MultipleChoice | T::TrueFalse | T::MissingWord | T::MultipleAnswers | T::MultipleDropdowns | T::Matching
        );
        Self {
            id: asked.id,
            quiz_id: row.quiz_id,
            position,
            question_name: asked.question_name.clone(),
            question_type: asked.question_type,
            question_text: asked.filled_text().into_owned(),
            points_possible: asked.points_possible,
            flagged: given.flagged,
            answer: if row.is_running() || visible.answers { given.answer } else { Value::Null },
            answers: are_shown.then(|| asked.answers.iter().map(Choice::of).collect()),
            matches: (asked.question_type == T::Matching).then(|| in_order(asked.matches())),
            variables: asked.variables.clone(),
            points: given.points.filter(|_| !row.is_running() && visible.points),
        }
    }
}

/// The halves to choose stand in the order of their ids, which tells nothing of what belongs together.
fn in_order(mut matches: Vec<Match>) -> Vec<Match> {
    matches.sort_by_key(|other| other.match_id);
    matches
}

impl Choice {
    fn of(answer: &Answer) -> Self {
        Self {
            id: answer.id,
            text: answer.text.clone(),
            html: answer.html.clone(),
            blank_id: answer.blank_id.clone(),
            variables: None,
        }
    }
}
