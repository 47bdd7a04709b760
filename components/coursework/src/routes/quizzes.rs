//! Classic quizzes.

pub(crate) mod assignment_overrides;
pub(crate) mod extensions;
pub(crate) mod questions;
pub(crate) mod regrades;
pub(crate) mod reports;
pub(crate) mod statistics;
pub(crate) mod submission;
pub(crate) mod submissions;

use ::submissions::quiz_options::{QuizForm, QuizOptions, QuizType};
use ::submissions::rules::require_read;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::{CourseAccess, Right};
use shared::db::{Json, change_known};
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, QuizId};
use shared::needs::{InCourse, NeededCourse, NeededInCourse, may};
use shared::notify::Notifier;
use shared::params::Params;
use shared::prefetch::PrefetchedList;
use shared::quiz_order::Order;
use shared::{
    Context, Db, Error, Form, JsonSchema, NoContent, Patch, Query, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::assignment_notices::{Subject, announce};
use crate::model::assignments::Announced;
use crate::model::quizzes::{Fields, Quiz, Search};
use crate::model::{form, rules};
use crate::routes::assignments::may_be_published;
use crate::store::quizzes::{self as store, KnownQuiz, QuizzesOfCourse};

endpoints![list_quizzes, get_quiz, create_quiz, update_quiz, delete_quiz, reorder_quiz];

/// The settings that are one of a few words.
const WORDS: &[&str] = &["hide_results", "scoring_policy", "quiz_type"];

/// A classic quiz as the caller sees it.
#[derive(Serialize, JsonSchema)]
struct QuizView {
    id: QuizId,
    title: String,
    html_url: String,
    description: Option<String>,
    quiz_type: QuizType,
    /// The assignment that its grades are of; null: it is not graded.
    assignment_id: Option<AssignmentId>,
    #[serde(flatten)]
    options: QuizOptions,
    has_access_code: bool,
    due_at: Option<Timestamp>,
    lock_at: Option<Timestamp>,
    unlock_at: Option<Timestamp>,
    published: bool,
    /// True if it can be taken back: not any more when a student has begun an attempt.
    unpublishable: bool,
    locked_for_user: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_info: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_explanation: Option<String>,
    /// Without texts; of a group as many as are picked.
    question_count: i64,
    points_possible: f64,
    question_types: Json<Vec<String>>,
    version_number: i64,
    permissions: Permissions,
    /// To graders: where they find what belongs to it.
    #[serde(flatten)]
    addresses: Option<GradersAddresses>,
}

#[derive(Serialize, JsonSchema)]
struct GradersAddresses {
    quiz_extensions_url: String,
    quiz_reports_url: String,
    quiz_statistics_url: String,
}

/// The rights of the caller to a quiz.
#[derive(Serialize, JsonSchema)]
struct Permissions {
    read: bool,
    submit: bool,
    create: bool,
    manage: bool,
    update: bool,
    delete: bool,
    read_statistics: bool,
    review_grades: bool,
}

#[derive(Deserialize, JsonSchema)]
struct QuizForms {
    #[serde(rename = "quiz")]
    _quiz: QuizForm,
}

/// Lists the classic quizzes of a course.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes", students(200, "students see what is published"))]
async fn list_quizzes(
    cx: Context,
    course: NeededCourse<may::Read>,
    quizzes: PrefetchedList<QuizzesOfCourse>,
    _: Query<Search>,
) -> Result<Reply<Vec<QuizView>>> {
    let (base_url, page) = (cx.base_url().await?, cx.page().await?);
    let quizzes = quizzes.page(&page)?;
    Ok(Reply::page(quizzes.map(|quiz| QuizView::new(quiz, &course, &base_url, cx.now))))
}

/// Reads a classic quiz.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:id", students(200, "students see what is published"))]
async fn get_quiz(cx: Context, quiz: NeededInCourse<Quiz>) -> Result<Reply<QuizView>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.is_seen_by_students())?;
    view(&cx, &course, quiz).await
}

/// Creates a classic quiz.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes")]
async fn create_quiz(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<QuizForms>,
) -> Result<Reply<QuizView>> {
    let form: QuizForm = form::required_of(&mut with_words(body)?, "quiz")?;
    let published = form.published.into_option().unwrap_or_default();
    let fields = over(form, Fields::default())?;
    let notifier = Notifier::of(&cx).await?;
    let announced = fields.announced(published);
    let insert = async |db: &Db| {
        let quiz = store::insert(db, &course, fields, published, cx.now).await?;
        announce(db, &notifier, course.id, Subject::Quiz(quiz.id), None, &announced).await?;
        Ok::<_, Error>(quiz)
    };
    let quiz = cx.db.transaction_if(announced.is_news_after(None), insert).await?;
    view(&cx, &course, quiz).await
}

/// Changes a classic quiz.
#[endpoint(PUT "/api/v1/courses/:course_id/quizzes/:id")]
async fn update_quiz(
    cx: Context,
    quiz: NeededInCourse<KnownQuiz, may::ManageAssignments>,
    body: Form<QuizForms>,
) -> Result<Reply<QuizView>> {
    let InCourse { course, record: known } = quiz.into_record();
    let id = known.quiz.0.id;
    let form: QuizForm = form::optional_of(&mut with_words(body)?, "quiz")?;
    let change = Change::of(form.clone(), &known)?;
    if !change.is_told()
        && let Some(quiz) = store::update(&cx.db, course.id, &known, change.fields, change.published, cx.now).await?
    {
        return view(&cx, &course, quiz).await;
    }
    let notifier = Notifier::of(&cx).await?;
    let changed = cx.db.transaction(async |db| {
        let change = async |known: KnownQuiz| {
            let Change { fields, published, told_before, told } = Change::of(form.clone(), &known)?;
            let Some(quiz) = store::update(db, course.id, &known, fields, published, cx.now).await? else {
                return Ok(None);
            };
            announce(db, &notifier, course.id, Subject::Quiz(id), Some(&told_before), &told).await?;
            Ok::<_, Error>(Some(quiz))
        };
        change_known(known, async || store::known(db, id).await?.or_not_found(), change).await
    });
    view(&cx, &course, changed.await?).await
}

/// A change of a classic quiz, judged by what the quiz is.
struct Change {
    fields: Fields,
    /// `None`: it is as published as it was.
    published: Option<bool>,
    /// The part that students are told, before and after it.
    told_before: Announced,
    told: Announced,
}

impl Change {
    fn of(form: QuizForm, known: &KnownQuiz) -> Result<Self> {
        let quiz = &known.quiz.0;
        may_be_published(form.published, !quiz.attempted)?;
        let (published, was_published) = (form.published.into_option(), quiz.is_published());
        let current = quiz.fields();
        let told_before = current.announced(was_published);
        let fields = over(form, current)?;
        stays_anonymous(quiz, &fields)?;
        let told = fields.announced(published.unwrap_or(was_published));
        Ok(Self { fields, published, told_before, told })
    }

    /// True if students are told of it.
    fn is_told(&self) -> bool {
        self.told.is_news_after(Some(&self.told_before))
    }
}

/// A survey that students have answered without their names names nobody afterwards, neither itself nor in an assignment that it gets.
fn stays_anonymous(quiz: &Quiz, fields: &Fields) -> Result<()> {
    let refused =
        |field| Err(Error::invalid(field, "invalid", "can't be changed when there are anonymous submissions"));
    if !quiz.attempted || !quiz.settings.0.is_anonymous(quiz.quiz_type) {
        return Ok(());
    }
    if fields.quiz_type != quiz.quiz_type {
        return refused("quiz_type");
    }
    if fields.options.is_anonymous(quiz.quiz_type) { Ok(()) } else { refused("anonymous_submissions") }
}

/// Deletes a classic quiz.
#[endpoint(DELETE "/api/v1/courses/:course_id/quizzes/:id")]
async fn delete_quiz(cx: Context, quiz: NeededInCourse<Quiz, may::ManageAssignments>) -> Result<Reply<QuizView>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    match store::delete(&cx.db, quiz.id, cx.now).await? {
        true => view(&cx, &course, quiz).await,
        false => Err(Error::not_found()),
    }
}

/// Puts the questions and groups of a classic quiz in order.
///
/// A question that is named leaves its group.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes/:id/reorder")]
async fn reorder_quiz(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageAssignments>,
    body: Form<Order>,
) -> Result<NoContent> {
    body.decode()?.apply(&cx.db, quiz.id, None, cx.now).await?;
    Ok(Reply::no_content())
}

async fn view(cx: &Context, course: &CourseAccess, quiz: Quiz) -> Result<Reply<QuizView>> {
    Ok(Reply::ok(QuizView::new(quiz, course, &cx.base_url().await?, cx.now)))
}

/// What was sent, in which a blank word is none: the setting that may be null is so then, and others stay.
fn with_words(body: Form<QuizForms>) -> Result<Params> {
    let mut params = body.into_params()?;
    form::blank_words_are_null(&mut params, "quiz", WORDS);
    Ok(params)
}

fn over(mut form: QuizForm, current: Fields) -> Result<Fields> {
    form.require_valid_texts()?;
    // A quiz without a title gets the one of the user interface.
    let title = match form.title {
        Patch::Value(title) if title.trim().is_empty() => Patch::Value(Fields::default().title),
        title => title,
    };
    form.title = Patch::Absent;
    let fields = Fields {
        options: form.options_over(current.options).valid()?,
        title: rules::title("title", title, current.title)?,
        description: rules::rich_over("description", form.description, current.description)?,
        quiz_type: form.quiz_type.unwrap_or(current.quiz_type),
        due_at: form.due_at.over(current.due_at),
        lock_at: form.lock_at.over(current.lock_at),
        unlock_at: form.unlock_at.over(current.unlock_at),
    };
    rules::in_order(fields.unlock_at, fields.due_at, fields.lock_at)?;
    Ok(fields)
}

impl QuizView {
    fn new(quiz: Quiz, course: &CourseAccess, base_url: &str, now: Timestamp) -> Self {
        let manages = course.can(Right::ManageAssignments);
        let lock = if course.can(Right::ReadAsStaff) { None } else { quiz.lock(now) };
        let options = quiz.settings.0;
        Self {
            id: quiz.id,
            html_url: format!("{base_url}/courses/{}/quizzes/{}", course.id, quiz.id),
            published: quiz.workflow_state == "available",
            title: quiz.title,
            description: quiz.description,
            quiz_type: quiz.quiz_type,
            assignment_id: quiz.assignment_id,
            has_access_code: options.has_access_code(),
            options: if manages { options } else { options.without_secrets() },
            due_at: quiz.due_at,
            lock_at: quiz.lock_at,
            unlock_at: quiz.unlock_at,
            unpublishable: !quiz.attempted,
            locked_for_user: lock.is_some(),
            lock_info: lock.as_ref().map(|lock| lock.info.clone()),
            lock_explanation: lock.map(|lock| lock.explanation),
            question_count: quiz.question_count,
            points_possible: quiz.points_possible,
            question_types: quiz.question_types,
            version_number: quiz.version_number,
            addresses: course.can(Right::ManageGrades).then(|| GradersAddresses::of(quiz.id, course, base_url)),
            permissions: Permissions {
                read: true,
                submit: course.can(Right::Participate),
                create: manages,
                manage: manages,
                update: manages,
                delete: manages,
                read_statistics: course.can(Right::ManageGrades),
                review_grades: course.can(Right::ManageGrades),
            },
        }
    }
}

impl GradersAddresses {
    fn of(quiz: QuizId, course: &CourseAccess, base_url: &str) -> Self {
        let address = |what: &str| format!("{base_url}/api/v1/courses/{}/quizzes/{quiz}/{what}", course.id);
        Self {
            quiz_extensions_url: address("extensions"),
            quiz_reports_url: address("reports"),
            quiz_statistics_url: address("statistics"),
        }
    }
}
