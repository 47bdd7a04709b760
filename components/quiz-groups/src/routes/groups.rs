//! Groups of a quiz's questions. See `docs/contract/quiz-groups.md`.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::Right;
use shared::db::{self, BuiltJson};
use shared::error::{OrNotFound, Violation, Violations};
use shared::ids::{GroupId, QuestionBankId};
use shared::needs::{InCourse, NeededInCourse, Unjudged, may};
use shared::params;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::quiz_order::Order;
use shared::{Context, Created, Error, Form, JsonSchema, NoContent, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::groups::{QuizGroup, QuizGroups};
use crate::store::groups::{self as store, Change};
use crate::store::needs::{GroupOfQuiz, GroupsOfQuiz, Quiz};

/// The quiz that the path names, in its course.
type NeededQuiz<R = Unjudged> = NeededInCourse<Quiz, R>;

const MAX_NAME_CHARS: usize = 255;

endpoints![
    list_quiz_groups,
    get_quiz_group,
    create_quiz_group,
    update_quiz_group,
    delete_quiz_group,
    reorder_quiz_group
];

#[derive(Deserialize, JsonSchema)]
struct GroupPath {
    id: GroupId,
}

#[derive(Deserialize, JsonSchema)]
struct GroupForms {
    /// Only the first element counts.
    quiz_groups: Vec<GroupForm>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct GroupForm {
    name: Patch<String>,
    /// A number; null is 0.
    pick_count: Patch<Value>,
    /// A number.
    question_points: Patch<Value>,
    /// Taken when the group is created, and ignored later.
    assessment_question_bank_id: Patch<Value>,
}

/// Lists the groups of a quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/groups", students(200, "students see what is published"))]
async fn list_quiz_groups(
    _: Context,
    quiz: NeededQuiz,
    groups: PrefetchedBuiltList<GroupsOfQuiz>,
) -> Result<Reply<QuizGroups>> {
    require_read(&quiz)?;
    Reply::built_in(groups.rows()?, "quiz_groups", &())
}

/// Reads a group.
#[endpoint(
    GET "/api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id",
    students(200, "students see what is published"),
)]
async fn get_quiz_group(
    _: Context,
    quiz: NeededQuiz,
    group: Prefetched<GroupOfQuiz>,
) -> Result<Reply<BuiltJson<QuizGroup>>> {
    require_read(&quiz)?;
    Ok(Reply::ok(group.record()?.0.into_record()))
}

/// Creates a group.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes/:quiz_id/groups")]
async fn create_quiz_group(
    cx: Context,
    quiz: NeededQuiz<may::ManageAssignments>,
    body: Form<GroupForms>,
) -> Result<Created<QuizGroups>> {
    let form = first(body)?;
    let bank = bank_id(&form.assessment_question_bank_id);
    let bank = store::readable_bank(&cx.db, bank, &quiz.course, cx.caller()?.user).await?;
    let made = store::insert(&cx.db, quiz.id, validated(form)?, bank, cx.now).await?;
    let too_many = || Error::invalid("base", "too_many", "the quiz has as many groups as it may have");
    made.map(Reply::created).ok_or_else(too_many)
}

/// Changes a group.
#[endpoint(PUT "/api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id")]
async fn update_quiz_group(
    cx: Context,
    quiz: NeededQuiz<may::ManageAssignments>,
    group: Prefetched<QuizGroup>,
    body: Form<GroupForms>,
) -> Result<Reply<QuizGroups>> {
    let group = group.record()?;
    let change = validated(first(body)?)?;
    Ok(Reply::ok(store::update(&cx.db, quiz.id, group.id, change, cx.now).await?.or_not_found()?))
}

/// Deletes a group with its questions.
#[endpoint(DELETE "/api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id")]
async fn delete_quiz_group(
    cx: Context,
    Path(at): Path<GroupPath>,
    quiz: NeededQuiz<may::ManageAssignments>,
) -> Result<NoContent> {
    match store::delete(&cx.db, quiz.id, at.id).await? {
        true => Ok(Reply::no_content()),
        false => Err(Error::not_found()),
    }
}

/// Puts the questions of a group in order.
///
/// Every question that is named moves into this group, wherever in the quiz it stood.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id/reorder")]
async fn reorder_quiz_group(
    cx: Context,
    quiz: NeededQuiz<may::ManageAssignments>,
    group: Prefetched<QuizGroup>,
    body: Form<Order>,
) -> Result<NoContent> {
    let group = group.record()?;
    match body.decode()?.apply(&cx.db, quiz.id, Some(group.id), cx.now).await {
        // Somebody has deleted the group since it was read.
        Err(db::Error::ForeignKey) => Err(Error::not_found()),
        applied => {
            applied?;
            Ok(Reply::no_content())
        }
    }
}

/// Staff read every quiz, students those that are published and for them.
fn require_read(quiz: &InCourse<Quiz>) -> Result<()> {
    quiz.course.require(if quiz.is_seen_by_students() { Right::Read } else { Right::ReadAsStaff })
}

fn first(body: Form<GroupForms>) -> Result<GroupForm> {
    let missing = || Error::missing("quiz_groups");
    let mut params = body.into_params()?;
    match params.get_mut("quiz_groups") {
        Some(Value::Array(forms)) => forms.truncate(1),
        _ => return Err(missing()),
    }
    let forms: GroupForms = params::decode(params)?;
    forms.quiz_groups.into_iter().next().ok_or_else(missing)
}

fn validated(form: GroupForm) -> Result<Change> {
    let mut violations = Violations::default();
    let name = violations.check(name(form.name));
    let pick_count = violations.check(number("pick_count", form.pick_count));
    let question_points = violations.check(number("question_points", form.question_points));
    violations.require_none()?;
    Ok(Change {
        name: name.unwrap_or_default(),
        pick_count: pick_count.unwrap_or_default().map(f64::trunc),
        question_points: question_points.unwrap_or_default(),
    })
}

fn name(name: Patch<String>) -> Result<Patch<String>, Violation> {
    if let Patch::Value(name) = &name {
        params::check_length("name", name, MAX_NAME_CHARS)?;
    }
    Ok(name)
}

fn number(field: &str, value: Patch<Value>) -> Result<Patch<f64>, Violation> {
    let Patch::Value(value) = value else {
        return Ok(value.map(|_| 0.0));
    };
    let number = match &value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text.trim().is_empty() => return Ok(Patch::Null),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number.filter(|number: &f64| number.abs() <= f64::from(i32::MAX)) {
        Some(number) => Ok(Patch::Value(number)),
        None => Err(Violation::new(field, "not_a_number", "is not a number")),
    }
}

fn bank_id(value: &Patch<Value>) -> Option<QuestionBankId> {
    match value {
        Patch::Value(value) => params::integer(value).map(QuestionBankId),
        Patch::Absent | Patch::Null => None,
    }
}
