//! New quizzes: the quiz engine's records of a quiz, each known by its assignment. Their items are another area's.

use ::submissions::events::Events;
use ::submissions::grading::{GradingType, Scale};
use ::submissions::quiz_settings::{QuizSettings, QuizSettingsForm};
use ::submissions::rules::require_read;
use ::submissions::submission_types::SubmissionType;
use serde::Deserialize;
use shared::db::{Json, change_known};
use shared::error::OrNotFound;
use shared::needs::{InCourse, NeededCourse, NeededInCourse, may};
use shared::notify::Notifier;
use shared::prefetch::PrefetchedList;
use shared::{
    Context, Error, Form, JsonSchema, Patch, QuizEngineErrors, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::assignment_notices::{Subject, announce};
use crate::model::assignments::Announced;
use crate::model::new_quizzes::NewQuiz;
use crate::model::{form, rules};
use crate::regrading::regrade;
use crate::routes::assignments::may_be_published;
use crate::store::assignments::{self, Fields};
use crate::store::new_quizzes::{self as store, KnownNewQuiz, QuizzesOfCourse};

endpoints![list_new_quizzes, get_new_quiz, create_new_quiz, update_new_quiz, delete_new_quiz];

#[derive(Deserialize, JsonSchema)]
struct NewQuizForms {
    #[serde(rename = "quiz")]
    _quiz: NewQuizForm,
}

#[derive(Clone, Deserialize, Default, JsonSchema)]
#[serde(default)]
struct NewQuizForm {
    title: Patch<String>,
    /// Rich content.
    instructions: Patch<String>,
    assignment_group_id: Patch<i64>,
    points_possible: Patch<f64>,
    due_at: Patch<Timestamp>,
    lock_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    published: Patch<bool>,
    grading_type: Patch<GradingType>,
    quiz_settings: Patch<QuizSettingsForm>,
}

/// Lists the new quizzes of a course.
#[endpoint(
    GET "/api/quiz/v1/courses/:course_id/quizzes",
    error_format(&QuizEngineErrors),
    students(200, "students see what is published"),
)]
async fn list_new_quizzes(
    cx: Context,
    course: NeededCourse<may::Read>,
    quizzes: PrefetchedList<QuizzesOfCourse>,
) -> Result<Reply<Vec<NewQuiz>>> {
    let quizzes = quizzes.page(&cx.page().await?)?;
    Ok(Reply::page(quizzes.map(|quiz| quiz.seen_in(&course))))
}

/// Reads a new quiz.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id", error_format(&QuizEngineErrors))]
async fn get_new_quiz(_: Context, quiz: NeededInCourse<NewQuiz>) -> Result<Reply<NewQuiz>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    require_read(&course, quiz.published)?;
    Ok(Reply::ok(quiz.seen_in(&course)))
}

/// Creates a new quiz with its assignment.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes", error_format(&QuizEngineErrors))]
async fn create_new_quiz(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<NewQuizForms>,
) -> Result<Reply<NewQuiz>> {
    let form: NewQuizForm = form::required(body, "quiz")?;
    let blank = Fields {
        name: "Untitled Quiz".to_owned(),
        points_possible: Some(0.0),
        submission_types: Json(vec![SubmissionType::ExternalTool]),
        ..Fields::default()
    };
    let (fields, settings) = form.over(blank, QuizSettings::default())?;
    let notifier = Notifier::of(&cx).await?;
    let quiz = cx.db.transaction(async |db| {
        let announced = fields.announced();
        let assignment = assignments::insert(db, &course, fields, cx.now).await?;
        store::insert(db, assignment.id, settings.clone(), cx.now).await?;
        announce(db, &notifier, course.id, Subject::Assignment(assignment.id), None, &announced).await?;
        Ok::<_, Error>(NewQuiz::of(assignment, settings))
    });
    Ok(Reply::ok(quiz.await?))
}

/// Changes a new quiz.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id", error_format(&QuizEngineErrors))]
async fn update_new_quiz(
    cx: Context,
    quiz: NeededInCourse<KnownNewQuiz, may::ManageAssignments>,
    body: Form<NewQuizForms>,
) -> Result<Reply<NewQuiz>> {
    let InCourse { course, record: known } = quiz.into_record();
    let form: NewQuizForm = form::optional(body, "quiz")?;
    let notifier = Notifier::of(&cx).await?;
    let id = known.assignment.0.id;
    let change = Change::of(form.clone(), &known)?;
    if change.is_alone
        && let Some(assignment) = assignments::update(&cx.db, id, &known.state, change.fields, cx.now).await?
    {
        return Ok(Reply::ok(NewQuiz::of(assignment, change.settings)));
    }
    let mut events = Events::of(&cx, &course, Some(id)).await?;
    let quiz = cx.db.transaction(async |db| {
        let change = async |known: KnownNewQuiz| {
            let Change { fields, settings, told_before, told, .. } = Change::of(form.clone(), &known)?;
            let before = known.assignment.0;
            let Some(assignment) = assignments::update(db, id, &known.state, fields, cx.now).await? else {
                return Ok(None);
            };
            if form.quiz_settings.is_present() {
                store::update(db, id, settings.clone(), cx.now).await?;
            }
            announce(db, &notifier, course.id, Subject::Assignment(id), Some(&told_before), &told).await?;
            if assignment.scale() != before.scale() {
                regrade(db, id, before.points_possible, &mut events, cx.now).await?;
            }
            Ok::<_, Error>(Some(NewQuiz::of(assignment, settings)))
        };
        change_known(known, async || store::known(db, id).await?.or_not_found(), change).await
    });
    let quiz = quiz.await?;
    events.send();
    Ok(Reply::ok(quiz))
}

/// A change of a new quiz, judged by what the quiz is.
struct Change {
    fields: Fields,
    settings: QuizSettings,
    /// The part that students are told, before and after it.
    told_before: Announced,
    told: Announced,
    /// True if it is of the assignment alone, no grade follows, and nobody is told.
    is_alone: bool,
}

impl Change {
    fn of(form: NewQuizForm, known: &KnownNewQuiz) -> Result<Self> {
        let assignment = &known.assignment.0;
        may_be_published(form.published, !assignment.has_submitted_submissions)?;
        let current = Fields::of(assignment);
        let told_before = current.announced();
        let has_settings = form.quiz_settings.is_present();
        let (fields, settings) = form.over(current, known.quiz_settings.0.clone())?;
        let told = fields.announced();
        let scale = Scale { grading_type: fields.grading_type, points_possible: fields.points_possible };
        let is_alone = !has_settings && scale == assignment.scale() && !told.is_news_after(Some(&told_before));
        Ok(Self { fields, settings, told_before, told, is_alone })
    }
}

/// Deletes a new quiz with its assignment.
#[endpoint(DELETE "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id", error_format(&QuizEngineErrors))]
async fn delete_new_quiz(cx: Context, quiz: NeededInCourse<NewQuiz, may::ManageAssignments>) -> Result<Reply<NewQuiz>> {
    match assignments::delete(&cx.db, quiz.id, cx.now).await? {
        true => Ok(Reply::ok(quiz.into_record().record)),
        false => Err(Error::not_found()),
    }
}

impl NewQuizForm {
    fn over(self, current: Fields, settings: QuizSettings) -> Result<(Fields, QuizSettings)> {
        let fields = Fields {
            name: rules::title("title", self.title, current.name)?,
            description: rules::rich_over("instructions", self.instructions, current.description)?,
            points_possible: self.points_possible.over(current.points_possible),
            due_at: self.due_at.over(current.due_at),
            unlock_at: self.unlock_at.over(current.unlock_at),
            lock_at: self.lock_at.over(current.lock_at),
            grading_type: self.grading_type.unwrap_or(current.grading_type),
            assignment_group_id: self.assignment_group_id.over(current.assignment_group_id),
            published: self.published.unwrap_or(current.published),
            ..current
        };
        rules::points(fields.points_possible)?;
        rules::in_order(fields.unlock_at, fields.due_at, fields.lock_at)?;
        Ok((fields, self.quiz_settings.into_option().unwrap_or_default().over(settings)?))
    }
}
