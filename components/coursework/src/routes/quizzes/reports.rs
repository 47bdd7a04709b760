//! Reports of a classic quiz: files with what its attempts tell.

use quiz_reports::limits::{expiry, take_turn};
use quiz_reports::report::{NewReport, ReportFormat, ReportType, ReportedQuiz, Visible};
use quiz_reports::store::{self, Asked};
use quiz_reports::view::QuizReport;
use quiz_reports::work;
use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::error::OrNotFound;
use shared::ids::{CourseId, QuizId, QuizReportId};
use shared::needs::{NeededInCourse, may};
use shared::{
    Context, Error, Form, JsonSchema, NoContent, Path, Query, Reply, Result, Timestamp, background, endpoint, endpoints,
};
use submissions::quizzes::Quizzes;

use crate::model::quizzes::Quiz;
use crate::report_writing;
use crate::store::quiz_statistics::changed_at;

endpoints![list_quiz_reports, create_quiz_report, get_quiz_report, delete_quiz_report];

/// What is wanted beside the report, all of which is there anyway.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct QuizReportQuery {
    /// `file`, `progress`: both are always there.
    include: Vec<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct QuizReportsQuery {
    /// True: the reports of all attempts; false: those of each student's last one. Without it both.
    includes_all_versions: Option<bool>,
    /// `file`, `progress`: both are always there.
    include: Vec<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CreateQuizReportForm {
    quiz_report: QuizReportForm,
    /// `file`, `progress`: both are always there.
    include: Vec<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct QuizReportForm {
    /// `student_analysis` or `item_analysis`.
    report_type: Option<String>,
    /// True: of all attempts. Otherwise of each student's last one.
    includes_all_versions: bool,
}

#[derive(Deserialize, JsonSchema)]
struct AtReport {
    id: QuizReportId,
}

/// Lists the reports of a quiz that were asked for and not removed, the newest first.
///
/// Whoever is limited to sections sees the reports of these.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/reports")]
async fn list_quiz_reports(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
    query: Query<QuizReportsQuery>,
) -> Result<Reply<Vec<QuizReport>>> {
    let (course, id) = (&quiz.course, quiz.record.id);
    let QuizReportsQuery { includes_all_versions, include: _ } = query.decode()?;
    let reports = store::page(&cx.db, &visible(course, id), includes_all_versions, &cx.page().await?).await?;
    let path = path(course.id, id);
    Ok(Reply::page(reports.then(async |row| QuizReport::of(&cx, id.0, &path, row).await).await?))
}

/// Asks for a report of a quiz, which is made after the answer.
///
/// Where no attempt has changed since the last one of that type it is answered as it is; otherwise the new one takes its place.
#[endpoint(
    POST "/api/v1/courses/:course_id/quizzes/:quiz_id/reports",
    throttled("exports of one user"),
    answers(409, "A report of that type is being made."),
)]
async fn create_quiz_report(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
    body: Form<CreateQuizReportForm>,
) -> Result<Reply<QuizReport>> {
    let (course, quiz) = (&quiz.course, &quiz.record);
    let CreateQuizReportForm { quiz_report: form, include: _ } = body.decode()?;
    let new = NewReport {
        root_account: course.root_account,
        course: course.id,
        user: cx.caller()?.user,
        visible: visible(course, quiz.id),
        report_type: report_type(form.report_type.as_deref())?,
        format: ReportFormat::Csv,
        includes_all_versions: form.includes_all_versions,
        is_anonymous: quiz.settings.0.is_anonymous(quiz.quiz_type),
        expires_at: expiry(&cx).await?,
    };
    let asked = cx.db.transaction(async |db| {
        // Nothing has ever changed where nobody has begun.
        let changed_at = changed_at(db, quiz.id).await?.or(Timestamp::from_unix(0));
        let asked = store::ask(db, &new, changed_at, cx.now).await?;
        if matches!(asked, Asked::New(_)) {
            take_turn(db, new.user, cx.now).await?;
        }
        Ok::<_, Error>(asked)
    });
    let row = match asked.await? {
        Asked::Current(row) => row,
        Asked::New(row) => {
            let (cx, id) = (cx.clone(), row.id);
            background::after_response(
                async move { work::run_one(&cx, Quizzes::Classic, id, report_writing::write).await },
            );
            row
        }
    };
    Ok(Reply::ok(QuizReport::of(&cx, quiz.id.0, &path(course.id, quiz.id), row).await?))
}

/// Reads a report of a quiz, with its file when it is made.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/reports/:id")]
async fn get_quiz_report(
    cx: Context,
    Path(at): Path<AtReport>,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
    query: Query<QuizReportQuery>,
) -> Result<Reply<QuizReport>> {
    let (course, quiz) = (&quiz.course, quiz.record.id);
    let QuizReportQuery { include: _ } = query.decode()?;
    let row = store::report(&cx.db, &visible(course, quiz), at.id).await?.or_not_found()?;
    Ok(Reply::ok(QuizReport::of(&cx, quiz.0, &path(course.id, quiz), row).await?))
}

/// Removes a report with its file; one that is being made is given up.
#[endpoint(DELETE "/api/v1/courses/:course_id/quizzes/:quiz_id/reports/:id")]
async fn delete_quiz_report(
    cx: Context,
    Path(at): Path<AtReport>,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
) -> Result<NoContent> {
    let visible = visible(&quiz.course, quiz.record.id);
    let removed = cx.db.transaction(async |db| {
        let row = store::report(db, &visible, at.id).await?.or_not_found()?;
        Ok::<_, Error>(store::remove(db, row.id, row.progress.0.id, cx.now).await?)
    });
    removed.await?;
    Ok(Reply::no_content())
}

fn visible(course: &CourseAccess, quiz: QuizId) -> Visible {
    Visible::of(ReportedQuiz::Classic(quiz), course.section_limit())
}

fn path(course: CourseId, quiz: QuizId) -> String {
    format!("/api/v1/courses/{course}/quizzes/{quiz}")
}

fn report_type(given: Option<&str>) -> Result<ReportType> {
    let given = given.ok_or_else(|| Error::missing("quiz_report[report_type]"))?;
    ReportType::named(given)
        .ok_or_else(|| Error::bad_request("quiz_report[report_type] must be student_analysis or item_analysis"))
}
