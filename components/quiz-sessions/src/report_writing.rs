//! Reports of new quizzes, as they are written: the sessions are read in batches, and each goes into the file at once.

use quiz_reports::item_report;
use quiz_reports::report::{ReportFormat, ReportType};
use quiz_reports::student_analysis::{Columns, header, record, row};
use quiz_reports::work::Work;
use shared::error::OrNotFound;
use shared::ids::QuizSessionId;
use shared::{Error, Result};

use crate::model::statistics::{ItemStatistics, Questions, ScoredSession, Tally};
use crate::store::statistics::{self as store, Scope, WithStudents};

/// The most sessions of which a report is made.
const MAX_SESSIONS: i64 = 200_000;

/// Writes a report.
pub(crate) async fn write(work: &mut Work) -> Result<()> {
    let scope = Scope {
        quiz: work.report.assignment_id.or_not_found()?,
        all_versions: work.report.includes_all_versions,
        section_limit: work.report.section_limit.clone(),
    };
    let questions = Questions::new(store::questions(&work.db, &scope).await?);
    match work.report.report_type {
        ReportType::StudentAnalysis => student_analysis(work, &scope, &questions).await,
        ReportType::ItemAnalysis => item_analysis(work, &scope, &questions).await,
    }
}

/// The sessions are read twice: to know the columns, and for the rows.
async fn student_analysis(work: &mut Work, scope: &Scope, questions: &Questions) -> Result<()> {
    let count = require_few(store::scores(&work.db, scope, MAX_SESSIONS + 1).await?.len())?;
    let (mut columns, mut done, mut last) = (Columns::default(), 0, BEGINNING);
    while let Some(sessions) = next(work, scope, &mut last, WithStudents::No).await? {
        for session in sessions {
            session.add_columns(questions, &mut columns);
            done += 1;
        }
        work.advance(done, count.saturating_mul(2)).await?;
    }
    let (format, is_anonymous) = (work.report.format, work.report.is_anonymous);
    let students = if is_anonymous { WithStudents::No } else { WithStudents::Yes };
    match format {
        ReportFormat::Csv => work.write_row(&header(&columns, is_anonymous)).await?,
        ReportFormat::Json => work.write("[").await?,
    }
    let mut separator = "";
    last = BEGINNING;
    while let Some(sessions) = next(work, scope, &mut last, students).await? {
        for session in sessions {
            let attempt = session.analyzed(questions);
            match format {
                ReportFormat::Csv => work.write_row(&row(&columns, &attempt, is_anonymous)).await?,
                ReportFormat::Json => {
                    work.write(separator).await?;
                    work.write(&record(&columns, &attempt).map_err(Error::internal)?).await?;
                    separator = ",";
                }
            }
            done += 1;
        }
        work.advance(done, count.saturating_mul(2)).await?;
    }
    match format {
        ReportFormat::Csv => Ok(()),
        ReportFormat::Json => work.write("]").await,
    }
}

async fn item_analysis(work: &mut Work, scope: &Scope, questions: &Questions) -> Result<()> {
    let scores = store::scores(&work.db, scope, MAX_SESSIONS + 1).await?;
    let all = require_few(scores.len())?;
    let mut tally = Tally::of(&scores);
    let (mut done, mut last) = (0, BEGINNING);
    while let Some(sessions) = next(work, scope, &mut last, WithStudents::No).await? {
        for session in sessions {
            tally.add(&session, questions);
            done += 1;
        }
        work.advance(done, all).await?;
    }
    let (_, statistics) = tally.finish(questions);
    if work.report.format == ReportFormat::Json {
        return work.write(&serde_json::to_string(&statistics).map_err(Error::internal)?).await;
    }
    let count = statistics.len();
    let items: Vec<_> = statistics.into_iter().filter_map(ItemStatistics::analyzed).collect();
    for cells in item_report::rows(&items, count) {
        work.write_row(&cells).await?;
    }
    Ok(())
}

/// Before the first session.
const BEGINNING: QuizSessionId = QuizSessionId(0);

/// The next sessions, and from now on those behind them; `None` at the end.
async fn next(
    work: &Work,
    scope: &Scope,
    last: &mut QuizSessionId,
    students: WithStudents,
) -> Result<Option<Vec<ScoredSession>>> {
    let sessions = store::sessions_after(&work.db, scope, *last, students).await?;
    let Some(newest) = sessions.last() else { return Ok(None) };
    *last = newest.id;
    Ok(Some(sessions))
}

/// The number of sessions. An error where they are too many.
fn require_few(sessions: usize) -> Result<i64> {
    match i64::try_from(sessions) {
        Ok(count) if count <= MAX_SESSIONS => Ok(count),
        _ => Err(Error::bad_request("the quiz has too many sessions for a report")),
    }
}
