//! Reports of a new quiz: files with what its sessions tell.

use quiz_reports::limits::{expiry, take_turn};
use quiz_reports::report::{NewReport, ReportFormat, ReportType, ReportedQuiz, Visible};
use quiz_reports::store::{self, Asked};
use quiz_reports::work;
use serde::{Deserialize, Serialize};
use shared::needs::{NeededInCourse, may};
use shared::progress::Progress;
use shared::{Context, Error, Form, JsonSchema, Reply, Result, background, endpoint, endpoints};
use submissions::quizzes::Quizzes;

use crate::report_writing;
use crate::store::statistics::AnalyzedQuiz;

endpoints![create_new_quiz_report];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CreateNewQuizReportForm {
    quiz_report: NewQuizReportForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct NewQuizReportForm {
    /// `student_analysis` or `item_analysis`.
    report_type: Option<String>,
    /// `csv` or `json`.
    format: Option<String>,
    /// True: of all sessions. Otherwise of each student's last one.
    includes_all_versions: bool,
}

/// The work that makes a report.
#[derive(Serialize, JsonSchema)]
struct NewQuizReportProgress {
    progress: Progress,
}

/// Asks for a report of a new quiz, which is made after the answer.
///
/// The progress has the address of the file in `results` when it is completed. The new report takes the place of the last one
/// of that type and format.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/reports",
    throttled("exports of one user"),
    answers(409, "A report of that type and format is being made."),
)]
async fn create_new_quiz_report(
    cx: Context,
    quiz: NeededInCourse<AnalyzedQuiz, may::ManageGrades>,
    body: Form<CreateNewQuizReportForm>,
) -> Result<Reply<NewQuizReportProgress>> {
    let (course, quiz) = (&quiz.course, quiz.record.id);
    let form = body.decode()?.quiz_report;
    let new = NewReport {
        root_account: course.root_account,
        course: course.id,
        user: cx.caller()?.user,
        visible: Visible::of(ReportedQuiz::New(quiz), course.section_limit()),
        report_type: named("report_type", form.report_type, ReportType::named, "student_analysis or item_analysis")?,
        format: named("format", form.format, ReportFormat::named, "csv or json")?,
        includes_all_versions: form.includes_all_versions,
        is_anonymous: false,
        expires_at: expiry(&cx).await?,
    };
    let asked = cx.db.transaction(async |db| {
        let asked = store::ask(db, &new, None, cx.now).await?;
        take_turn(db, new.user, cx.now).await?;
        Ok::<_, Error>(asked)
    });
    let (Asked::New(row) | Asked::Current(row)) = asked.await?;
    let (job, id) = (cx.clone(), row.id);
    background::after_response(async move { work::run_one(&job, Quizzes::New, id, report_writing::write).await });
    Ok(Reply::ok(NewQuizReportProgress { progress: Progress::of(&cx, row.progress.0).await? }))
}

/// What a parameter names; 400 where it is absent, or names nothing.
fn named<T>(name: &str, given: Option<String>, named: impl Fn(&str) -> Option<T>, names: &str) -> Result<T> {
    let parameter = format!("quiz_report[{name}]");
    let given = given.ok_or_else(|| Error::missing(&parameter))?;
    named(&given).ok_or_else(|| Error::bad_request(format!("{parameter} must be {names}")))
}
