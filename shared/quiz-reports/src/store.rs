//! The SQL of reports: asked for, found, worked on, written and removed. Each row is a job, too.

use serde::Deserialize;
use shared::db::{self, IdRow};
use shared::error::OrNotFound;
use shared::ids::{AttachmentId, ProgressId, QuizReportId};
use shared::leases::{Jobs, Lease};
use shared::needs::nested;
use shared::pagination::{Key, Page};
use shared::progress::{self, ProgressRow};
use shared::{Db, Error, Paged, Result, Timestamp, files::Attachment};
use submissions::posting;
use submissions::quizzes::Quizzes;
use uuid::Uuid;

use crate::report::{CONTEXT, Claimed, NewReport, ReportType, ReportedQuiz, Visible, WrittenReport};

/// A report as it is stored, with its progress and its file.
#[derive(Deserialize)]
pub struct ReportRow {
    /// The id.
    pub id: QuizReportId,
    /// What it tells.
    pub report_type: ReportType,
    /// See [`NewReport`].
    pub includes_all_versions: bool,
    /// See [`NewReport`].
    pub is_anonymous: bool,
    /// `created`, `generating`, `generated` or `failed`.
    pub workflow_state: String,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When its state changed.
    pub updated_at: Timestamp,
    /// How far it is.
    pub progress: db::Json<ProgressRow>,
    /// Where it is written.
    pub attachment: Option<db::Json<Attachment>>,
}

impl ReportRow {
    /// True while it is made.
    pub fn is_under_way(&self) -> bool {
        matches!(self.workflow_state.as_str(), "created" | "generating")
    }

    /// True if its file is there.
    pub fn is_generated(&self) -> bool {
        self.workflow_state == "generated"
    }
}

fn select() -> Result<String> {
    let progress =
        nested::<ProgressRow>(&format!("SELECT {} FROM progresses WHERE id = r.progress_id", progress::COLUMNS))?;
    let file = nested::<Attachment>(&format!(
        "SELECT {} FROM attachments WHERE id = r.attachment_id AND workflow_state = 'available'",
        Attachment::COLUMNS
    ))?;
    Ok(format!(
        "SELECT r.id, r.report_type, r.includes_all_versions, r.is_anonymous, r.workflow_state, r.created_at,
                r.updated_at, {progress} AS progress, {file} AS attachment
         FROM quiz_reports r"
    ))
}

/// A report `r` of the quiz, which `?1` or `?2` names, and of the sections `?3`.
fn is_visible(quiz: ReportedQuiz) -> &'static str {
    match quiz {
        ReportedQuiz::Classic(_) => "r.quiz_id = ?1 AND ?2 IS NULL AND r.section_limit IS ?3",
        ReportedQuiz::New(_) => "r.assignment_id = ?2 AND ?1 IS NULL AND r.section_limit IS ?3",
    }
}

/// The reports that somebody sees, of all versions or not, the newest first.
pub async fn page(db: &Db, visible: &Visible, versions: Option<bool>, page: &Page) -> Result<Paged<ReportRow>> {
    let (quiz, assignment) = visible.quiz.columns();
    let is_wanted = "(?4 IS NULL OR r.includes_all_versions = ?4)";
    let sql = format!("{} WHERE {} AND {is_wanted}", select()?, is_visible(visible.quiz));
    let binds = (quiz, assignment, visible.sections.clone(), versions);
    page.fetch_keyset(db, &sql, binds, Key::descending(&["id"])).await
}

/// A report that somebody sees.
pub async fn report(db: &Db, visible: &Visible, id: QuizReportId) -> Result<Option<ReportRow>> {
    let (quiz, assignment) = visible.quiz.columns();
    let sql = format!("{} WHERE {} AND r.id = ?4", select()?, is_visible(visible.quiz));
    Ok(db.fetch(&sql, (quiz, assignment, visible.sections.clone(), id)).await?)
}

/// The last report of that kind that somebody sees, and that has not failed.
async fn latest(db: &Db, new: &NewReport) -> Result<Option<ReportRow>> {
    let (quiz, assignment) = new.visible.quiz.columns();
    let sql = format!(
        "{} WHERE {} AND r.report_type = ?4 AND r.format = ?5 AND r.includes_all_versions = ?6
           AND r.workflow_state <> 'failed' ORDER BY r.id DESC LIMIT 1",
        select()?,
        is_visible(new.visible.quiz)
    );
    let sections = new.visible.sections.clone();
    let (kind, format) = (new.report_type.name(), new.format.name());
    Ok(db.fetch(&sql, (quiz, assignment, sections, kind, format, new.includes_all_versions)).await?)
}

/// What became of the wish for a report.
pub enum Asked {
    /// It is to be made.
    New(ReportRow),
    /// It is there already, and nothing has changed since.
    Current(ReportRow),
}

/// Asks for a report, unless there is one that was asked for after `changed_at`; the older ones of its kind go. 409 while
/// the same is made. `db` is in a transaction.
pub async fn ask(db: &Db, new: &NewReport, changed_at: Option<Timestamp>, now: Timestamp) -> Result<Asked> {
    let before = latest(db, new).await?;
    if before.as_ref().is_some_and(ReportRow::is_under_way) {
        return Err(Error::conflict("a report of that type is being made"));
    }
    let is_current = |before: &ReportRow| before.is_generated() && changed_at.is_some_and(|at| at < before.created_at);
    if let Some(current) = before.filter(|before| is_current(before) && before.attachment.is_some()) {
        return Ok(Asked::Current(current));
    }
    remove_kind(db, new, now).await?;
    let id = insert(db, new, now).await?;
    Ok(Asked::New(report(db, &new.visible, id).await?.or_not_found()?))
}

async fn insert(db: &Db, new: &NewReport, now: Timestamp) -> Result<QuizReportId> {
    let progress: IdRow<ProgressId> = db
        .fetch_one(
            "INSERT INTO progresses (root_account_id, context_type, context_id, user_id, tag, created_at, updated_at)
             VALUES (?1, ?2, 0, ?3, ?4, ?5, ?5) RETURNING id",
            (new.root_account, CONTEXT, new.user, format!("quiz_{}", new.report_type.name()), now),
        )
        .await?;
    let (quiz, assignment) = new.visible.quiz.columns();
    let hides_students = posting::hides_students("ifnull(?4, (SELECT z.assignment_id FROM quizzes z WHERE z.id = ?3))");
    let sql = format!(
        "INSERT INTO quiz_reports
                 (root_account_id, course_id, quiz_id, assignment_id, user_id, report_type, format,
                  includes_all_versions, is_anonymous, section_limit, progress_id, created_at, updated_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 OR {hides_students}, ?10, ?11, ?12, ?12, ?13) RETURNING id"
    );
    let report: IdRow<QuizReportId> = db
        .fetch_one(
            &sql,
            (
                new.root_account,
                new.course,
                quiz,
                assignment,
                new.user,
                new.report_type.name(),
                new.format.name(),
                new.includes_all_versions,
                new.is_anonymous,
                new.visible.sections.clone(),
                progress.id,
                now,
                new.expires_at,
            ),
        )
        .await?;
    db.execute("UPDATE progresses SET context_id = ?2 WHERE id = ?1", (progress.id, report.id)).await?;
    Ok(report.id)
}

/// Removes the reports of that kind that are not made now.
async fn remove_kind(db: &Db, new: &NewReport, now: Timestamp) -> db::Result<()> {
    let (quiz, assignment) = new.visible.quiz.columns();
    let (kind, format) = (new.report_type.name(), new.format.name());
    let which = format!(
        "{} AND r.report_type = ?4 AND r.format = ?5 AND r.includes_all_versions = ?6",
        is_visible(new.visible.quiz)
    );
    let sections = || new.visible.sections.clone();
    db.execute(
        &remove_files(&which, "?7"),
        (quiz, assignment, sections(), kind, format, new.includes_all_versions, now),
    )
    .await?;
    let rows = format!("DELETE FROM quiz_reports AS r WHERE {which}");
    db.execute(&rows, (quiz, assignment, sections(), kind, format, new.includes_all_versions)).await
}

/// A statement that gives up the files of reports `r` at a moment. Their bytes go with those of deleted files.
fn remove_files(which: &str, now: &str) -> String {
    format!(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = {now}
         WHERE id IN (SELECT r.attachment_id FROM quiz_reports r WHERE {which} AND r.attachment_id IS NOT NULL)"
    )
}

/// Removes a report, or gives up making it. `db` is in a transaction.
pub async fn remove(db: &Db, id: QuizReportId, progress: ProgressId, now: Timestamp) -> db::Result<()> {
    db.execute(&remove_files("r.id = ?1", "?2"), (id, now)).await?;
    db.execute("DELETE FROM quiz_reports WHERE id = ?1", (id,)).await?;
    progress::end(db, progress, "failed", Some("The report was removed"), now).await
}

/// The reports, as jobs.
pub(crate) const REPORTS: Jobs = Jobs { table: "quiz_reports", at_work: "generating", since: "created_at" };

/// The condition of a report `r` of these quizzes.
fn is_of(quizzes: Quizzes) -> &'static str {
    match quizzes {
        Quizzes::Classic => "r.quiz_id IS NOT NULL",
        Quizzes::New => "r.assignment_id IS NOT NULL",
    }
}

/// A report `r` that nobody works on: `?1` is the moment.
const IS_FREE: &str =
    "r.workflow_state IN ('created', 'generating') AND (r.leased_until IS NULL OR r.leased_until <= ?1)";

/// True if a report is to be made, or to be removed. The tick asks before it writes.
pub async fn is_due(db: &Db, quizzes: Quizzes, now: Timestamp) -> db::Result<bool> {
    let is_own = is_of(quizzes);
    let sql = format!(
        "SELECT 1 AS due
         WHERE EXISTS (SELECT 1 FROM quiz_reports r WHERE {IS_FREE} AND {is_own})
            OR EXISTS (SELECT 1 FROM quiz_reports r WHERE r.expires_at <= ?1 AND {is_own})"
    );
    db.affects(&sql, (now,)).await
}

/// Removes the reports whose time is over.
pub async fn expire(db: &Db, quizzes: Quizzes, now: Timestamp) -> db::Result<()> {
    let which = format!("r.expires_at <= ?1 AND {}", is_of(quizzes));
    let work = db.transaction(async |db| {
        db.execute(&remove_files(&which, "?1"), (now,)).await?;
        db.execute(&format!("DELETE FROM quiz_reports AS r WHERE {which}"), (now,)).await
    });
    work.await
}

/// Takes a report that nobody works on: the one of that id, or the oldest.
pub async fn claim(
    db: &Db,
    quizzes: Quizzes,
    id: Option<QuizReportId>,
    lease: &str,
    until: Timestamp,
    now: Timestamp,
) -> db::Result<Option<Claimed>> {
    let sql = format!(
        "UPDATE quiz_reports
         SET workflow_state = 'generating', lease = ?3, leased_until = ?4, attempts = attempts + 1, updated_at = ?1
         WHERE id = (SELECT r.id FROM quiz_reports r
                     WHERE {IS_FREE} AND r.expires_at > ?1 AND {} AND (?2 IS NULL OR r.id = ?2) ORDER BY r.id LIMIT 1)
         RETURNING id, root_account_id, course_id, quiz_id, assignment_id, user_id, report_type, format,
             includes_all_versions, is_anonymous, section_limit, progress_id, attempts,
             ifnull((SELECT z.title FROM quizzes z WHERE z.id = quiz_reports.quiz_id),
                    ifnull((SELECT a.name FROM assignments a WHERE a.id = quiz_reports.assignment_id), '')) AS title",
        is_of(quizzes)
    );
    let work = db.transaction(async |db| {
        let claimed: Option<Claimed> = db.fetch(&sql, (now, id, lease, until)).await?;
        if let Some(claimed) = &claimed {
            progress::begin(db, claimed.progress_id, now).await?;
        }
        Ok::<_, db::Error>(claimed)
    });
    work.await
}

/// The file is whole. False where somebody else has the report, or it is gone. `db` is in a transaction.
pub(crate) async fn complete(
    db: &Db,
    report: &Claimed,
    lease: &Lease,
    written: &WrittenReport,
    now: Timestamp,
) -> db::Result<bool> {
    if !lease.renew(db, now).await? {
        return Ok(false);
    }
    let uuid = Uuid::new_v4().simple().to_string();
    let WrittenReport { name, content_type, blob, size } = written;
    // Which kinds of owners a file has is settled; what a report has left to be downloaded is an export of no other record.
    let file: IdRow<AttachmentId> = db
        .fetch_one(
            "INSERT INTO attachments (root_account_id, context_type, context_id, user_id, filename, display_name,
                 content_type, size, blob, uuid, created_at, modified_at, updated_at)
             VALUES (?1, 'ContentExport', 0, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?8) RETURNING id",
            (report.root_account_id, report.user_id, name, *content_type, *size, blob, &uuid, now),
        )
        .await?;
    db.execute(
        "UPDATE quiz_reports
         SET workflow_state = 'generated', attachment_id = ?2, lease = NULL, leased_until = NULL, updated_at = ?3
         WHERE id = ?1",
        (report.id, file.id, now),
    )
    .await?;
    progress::end(db, report.progress_id, "completed", None, now).await?;
    Ok(true)
}

/// There will be no file; nothing happens where somebody else has the report. `db` is in a transaction.
pub(crate) async fn fail(db: &Db, report: &Claimed, lease: &Lease, reason: &str, now: Timestamp) -> db::Result<()> {
    if !lease.renew(db, now).await? {
        return Ok(());
    }
    let sql = "UPDATE quiz_reports SET workflow_state = 'failed', lease = NULL, leased_until = NULL, updated_at = ?2
        WHERE id = ?1";
    db.execute(sql, (report.id, now)).await?;
    progress::end(db, report.progress_id, "failed", Some(reason), now).await
}
