//! Questions of classic quizzes. Students never read them here: the right answers are in them.

use ::submissions::regrades::store::{self as regrades, require_idle};
use ::submissions::regrades::{NewRegrade, RegradeOption, RegradedQuiz, StoredKey};
use classic_questions::{Answer, QuestionData, QuestionType};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::Right;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{GroupId, QuestionBankId, QuestionId, QuizId, UserId};
use shared::needs::{NeededInCourse, may};
use shared::params::{NoParameters, not_too_long};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{
    Context, Error, Form, JsonSchema, NoContent, Patch, Path, Query, Reply, Result, background, endpoint, endpoints,
};

use crate::model::answers;
use crate::model::matches::{self, Match};
use crate::model::quizzes::Quiz;
use crate::model::regrades::{KeyedQuestion, QuestionKey};
use crate::model::{form, rules, unsupported};
use crate::store::questions::{self as store, Fields, Home, QuestionsOfQuiz, Row};
use crate::store::word;

const LAST_POSITION: i64 = 1_000_000;
/// The most bytes of the variables of a formula, and of its formulas, as JSON.
const MAX_FORMULA_BYTES: usize = 64 * 1024;
const MAX_TOLERANCE_CHARS: usize = 255;

endpoints![list_quiz_questions, get_quiz_question, create_quiz_question, update_quiz_question, delete_quiz_question];

#[derive(Deserialize, JsonSchema)]
struct QuestionPath {
    id: QuestionId,
}

/// A question of a quiz or of a bank.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Question {
    id: QuestionId,
    quiz_id: Option<QuizId>,
    quiz_group_id: Option<GroupId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question_bank_id: Option<QuestionBankId>,
    /// The question of a bank that it was made from: none ever is.
    assessment_question_id: Option<QuestionId>,
    position: Option<i64>,
    question_name: String,
    question_type: QuestionType,
    /// Rich content.
    question_text: String,
    points_possible: Option<f64>,
    correct_comments: String,
    incorrect_comments: String,
    neutral_comments: String,
    answers: Json<Vec<Answer>>,
    /// Of a matching question: what can be chosen.
    matches: Option<Vec<Match>>,
    #[serde(flatten)]
    question_data: Json<QuestionData>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct QuestionForms {
    #[serde(rename = "question")]
    _question: QuestionForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct QuestionForm {
    question_name: Patch<String>,
    question_type: Patch<QuestionType>,
    /// Rich content.
    question_text: Patch<String>,
    /// A group of the quiz.
    quiz_group_id: Patch<GroupId>,
    position: Patch<i64>,
    points_possible: Patch<f64>,
    correct_comments: Patch<String>,
    incorrect_comments: Patch<String>,
    neutral_comments: Patch<String>,
    /// Objects in a list, or in an object by their numbers.
    answers: Patch<Value>,
    correct_comments_html: Patch<String>,
    incorrect_comments_html: Patch<String>,
    neutral_comments_html: Patch<String>,
    /// Rich content.
    text_after_answers: Patch<String>,
    matching_answer_incorrect_matches: Patch<String>,
    variables: Patch<Value>,
    formulas: Patch<Value>,
    answer_tolerance: Patch<Value>,
    formula_decimal_places: Patch<i64>,
    /// Of a question that is changed: what becomes of the attempts that were asked it. None of them changes when it is left out.
    regrade_option: Patch<RegradeOption>,
}

/// Lists the questions of a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/questions", unsupported(unsupported::QUIZ_QUESTIONS))]
async fn list_quiz_questions(
    cx: Context,
    _: NeededInCourse<Quiz, may::ManageAssignments>,
    questions: PrefetchedList<QuestionsOfQuiz>,
    query: Query<NoParameters>,
) -> Result<Reply<Vec<Question>>> {
    query.decode()?;
    Ok(Reply::page(questions.page(&cx.page().await?)?.map(Question::from)))
}

/// Reads a question.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/questions/:id")]
async fn get_quiz_question(
    _: Context,
    _: NeededInCourse<Quiz, may::ManageAssignments>,
    question: Prefetched<Row>,
) -> Result<Reply<Question>> {
    Ok(Reply::ok(question.record()?.into()))
}

/// Creates a question.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes/:quiz_id/questions")]
async fn create_quiz_question(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageAssignments>,
    body: Form<QuestionForms>,
) -> Result<Reply<Question>> {
    create_in(&cx, Home::Quiz(quiz.id), body).await
}

/// Changes a question.
///
/// Attempts keep what they were asked and what was right then, unless `regrade_option` says otherwise: it is for graders of the whole
/// course, and begins a regrade of the attempts that were asked the question.
#[endpoint(
    PUT "/api/v1/courses/:course_id/quizzes/:quiz_id/questions/:id",
    answers(409, "A regrade of the quiz is running."),
)]
async fn update_quiz_question(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageAssignments>,
    question: Prefetched<Row>,
    body: Form<QuestionForms>,
) -> Result<Reply<Question>> {
    let (home, id) = (Home::Quiz(quiz.id), question.record()?.id);
    let mut form: QuestionForm = form::optional(body, "question")?;
    let option =
        std::mem::take(&mut form.regrade_option).into_option().filter(|option| *option != RegradeOption::NoRegrade);
    if option.is_some() {
        quiz.course.require(Right::ManageGrades)?;
        quiz.course.require_section(None)?;
    }
    let user = cx.caller()?.user;
    let question = cx.db.transaction(async |db| {
        let current = Fields::from(store::question(db, home, id).await?.or_not_found()?);
        let fields = form.over(current.clone())?;
        if let Some(option) = option {
            require_idle(db, RegradedQuiz::Classic(quiz.id)).await?;
            regrades::insert(db, regrade((quiz.id, id), (&current, &fields), (user, option))?, cx.now).await?;
        }
        store::update(db, home, id, fields, cx.now).await?.or_not_found()
    });
    let question = question.await?;
    if option.is_some() {
        background::run_soon();
    }
    Ok(Reply::ok(question.into()))
}

/// The regrade of a question that is changed; 400 where attempts at it cannot be judged by what it is now.
fn regrade(
    (quiz, question): (QuizId, QuestionId),
    (previous, current): (&Fields, &Fields),
    (user, option): (UserId, RegradeOption),
) -> Result<NewRegrade> {
    let [asked, by] = [previous, current]
        .map(|fields| KeyedQuestion { question_type: fields.question_type, answers: &fields.answers.0 });
    asked.require_regradable(&by)?;
    let key = |fields: &Fields| {
        let answer_tolerance = fields.question_data.0.answer_tolerance.clone();
        let key = QuestionKey { answers: fields.answers.0.clone(), answer_tolerance };
        StoredKey { algorithm: word(fields.question_type).unwrap_or_default(), data: Json(json!(key)) }
    };
    let points = [previous, current].map(|fields| fields.points_possible.unwrap_or_default().max(0.0));
    let [before, now] = points;
    // Of a group's questions the group says what they are worth.
    let is_grouped = previous.quiz_group_id.is_some() || current.quiz_group_id.is_some();
    Ok(NewRegrade {
        quiz: RegradedQuiz::Classic(quiz),
        item: question.to_string(),
        question: None,
        bank: None,
        bank_entry: None,
        user,
        option,
        keys: Some([previous, current].map(key)),
        points: Some(points).filter(|_| !is_grouped && (before - now).abs() > f64::EPSILON),
    })
}

/// Deletes a question.
#[endpoint(DELETE "/api/v1/courses/:course_id/quizzes/:quiz_id/questions/:id")]
async fn delete_quiz_question(
    cx: Context,
    Path(at): Path<QuestionPath>,
    quiz: NeededInCourse<Quiz, may::ManageAssignments>,
) -> Result<NoContent> {
    match store::delete(&cx.db, Home::Quiz(quiz.id), at.id, cx.now).await? {
        true => Ok(Reply::no_content()),
        false => Err(Error::not_found()),
    }
}

/// Puts a new question into a quiz or a bank; 404 where its group is none of the quiz.
pub(crate) async fn create_in(cx: &Context, home: Home, body: Form<QuestionForms>) -> Result<Reply<Question>> {
    let form: QuestionForm = form::required(body, "question")?;
    let fields = form.over(Fields::default())?;
    let group = fields.quiz_group_id;
    if let Some(question) = store::insert(&cx.db, home, fields, cx.now).await? {
        return Ok(Reply::ok(question.into()));
    }
    let Home::Quiz(quiz) = home else {
        let is_none = group.map(|_| Error::not_found());
        let message = "is more than one's own question banks may hold";
        return Err(is_none.unwrap_or_else(|| Error::invalid("base", "too_many", message)));
    };
    match group {
        Some(group) if !store::has_group(&cx.db, quiz, group).await? => Err(Error::not_found()),
        _ => Err(Error::invalid("base", "too_many", "is more than a quiz may hold")),
    }
}

impl QuestionForm {
    fn over(self, current: Fields) -> Result<Fields> {
        let question_type = self.question_type.unwrap_or(current.question_type);
        let answers = match self.answers {
            // Of another type the same answers may be none.
            Patch::Absent if question_type == current.question_type => current.answers.0,
            Patch::Absent => answers::read(question_type, json!(current.answers)).unwrap_or_default(),
            given => answers::read(question_type, given.into_option().unwrap_or_default())?,
        };
        let data = current.question_data.0;
        let fields = Fields {
            question_name: match self.question_name.unwrap_or(current.question_name) {
                name if name.trim().is_empty() => Fields::default().question_name,
                name => name,
            },
            question_type,
            question_text: rich_over("question_text", self.question_text, current.question_text)?,
            quiz_group_id: self.quiz_group_id.over(current.quiz_group_id),
            position: self.position.into_option().or(current.position),
            points_possible: self.points_possible.over(current.points_possible).or(Some(0.0)),
            correct_comments: rich_over("correct_comments", self.correct_comments, current.correct_comments)?,
            incorrect_comments: rich_over("incorrect_comments", self.incorrect_comments, current.incorrect_comments)?,
            neutral_comments: rich_over("neutral_comments", self.neutral_comments, current.neutral_comments)?,
            answers: Json(answers),
            question_data: Json(QuestionData {
                correct_comments_html: rules::rich_over(
                    "correct_comments_html",
                    self.correct_comments_html,
                    data.correct_comments_html,
                )?,
                incorrect_comments_html: rules::rich_over(
                    "incorrect_comments_html",
                    self.incorrect_comments_html,
                    data.incorrect_comments_html,
                )?,
                neutral_comments_html: rules::rich_over(
                    "neutral_comments_html",
                    self.neutral_comments_html,
                    data.neutral_comments_html,
                )?,
                text_after_answers: rules::rich_over(
                    "text_after_answers",
                    self.text_after_answers,
                    data.text_after_answers,
                )?,
                matching_answer_incorrect_matches: distractors_over(
                    self.matching_answer_incorrect_matches,
                    data.matching_answer_incorrect_matches,
                )?,
                variables: list_over("variables", self.variables, data.variables)?,
                formulas: list_over("formulas", self.formulas, data.formulas)?,
                answer_tolerance: tolerance_over(self.answer_tolerance, data.answer_tolerance)?,
                formula_decimal_places: self.formula_decimal_places.over(data.formula_decimal_places),
            }),
        };
        require_valid(&fields)?;
        Ok(fields)
    }
}

fn require_valid(fields: &Fields) -> Result<()> {
    rules::not_too_long("question_name", &fields.question_name)?;
    rules::points(fields.points_possible)?;
    if fields.position.is_some_and(|position| !(1..=LAST_POSITION).contains(&position)) {
        return Err(Error::invalid("position", "inclusion", format!("must be between 1 and {LAST_POSITION}")));
    }
    Ok(())
}

/// Rich content that is never null: what is taken away is empty.
fn rich_over(field: &str, given: Patch<String>, current: String) -> Result<String> {
    Ok(rules::rich_over(field, given, Some(current))?.unwrap_or_default())
}

fn distractors_over(given: Patch<String>, current: Option<String>) -> Result<Option<String>> {
    if let Patch::Value(distractors) = &given {
        matches::require_few_distractors(distractors)?;
    }
    Ok(given.over(current))
}

fn list_over(field: &str, given: Patch<Value>, current: Option<Value>) -> Result<Option<Value>> {
    let Patch::Value(value) = given else { return Ok(given.over(current)) };
    let list = Value::Array(form::list(field, value)?);
    if list.to_string().len() > MAX_FORMULA_BYTES {
        return Err(Error::invalid(field, "too_long", format!("is too long (maximum is {MAX_FORMULA_BYTES} bytes)")));
    }
    Ok(Some(list))
}

/// A number, or a text such as `5%`.
fn tolerance_over(given: Patch<Value>, current: Option<Value>) -> Result<Option<Value>> {
    match &given {
        Patch::Value(Value::String(text)) => not_too_long("answer_tolerance", text, MAX_TOLERANCE_CHARS)?,
        Patch::Value(Value::Number(_)) | Patch::Absent | Patch::Null => {}
        Patch::Value(_) => {
            return Err(Error::invalid("answer_tolerance", "invalid", "must be a number or a percentage"));
        }
    }
    Ok(given.over(current))
}

impl From<Row> for Question {
    fn from(mut row: Row) -> Self {
        let matching = row.question_type == QuestionType::Matching;
        if matching {
            matches::number(&mut row.answers.0);
        }
        let distractors = row.question_data.0.matching_answer_incorrect_matches.as_deref();
        Self {
            matches: matching.then(|| matches::matches(&row.answers.0, distractors)),
            id: row.id,
            quiz_id: row.quiz_id,
            quiz_group_id: row.quiz_group_id,
            question_bank_id: row.question_bank_id,
            assessment_question_id: None,
            position: row.position,
            question_name: row.question_name,
            question_type: row.question_type,
            question_text: row.question_text,
            points_possible: row.points_possible,
            correct_comments: row.correct_comments,
            incorrect_comments: row.incorrect_comments,
            neutral_comments: row.neutral_comments,
            answers: row.answers,
            question_data: row.question_data,
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::params::coerce;

    use super::*;

    fn data(form: Value) -> Result<Value> {
        let form: QuestionForm = coerce::from_value(form).unwrap();
        form.over(Fields::default()).map(|fields| json!(fields.question_data))
    }

    #[test]
    fn what_follows_a_missing_word_is_sanitized() {
        let html = "<b>tree</b><img src=x onerror=alert(1)>";
        assert_eq!(
            data(json!({"text_after_answers": html})).unwrap()["text_after_answers"],
            "<b>tree</b><img src=\"x\">"
        );
        assert!(data(json!({"text_after_answers": "x".repeat(shared::rich_text::MAX_BYTES + 1)})).is_err());
    }

    #[test]
    fn formulas_are_not_without_end() {
        assert!(data(json!({"variables": [{"name": "x"}], "answer_tolerance": "5%"})).is_ok());
        assert!(data(json!({"variables": ["x".repeat(MAX_FORMULA_BYTES)]})).is_err());
        for tolerance in [json!("5".repeat(256)), json!([1]), json!({"x": 1})] {
            assert!(data(json!({"answer_tolerance": tolerance})).is_err(), "{tolerance}");
        }
    }
}
