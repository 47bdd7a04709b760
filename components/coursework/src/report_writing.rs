//! Reports of classic quizzes, as they are written: the attempts are read in batches, and each row goes into the file at once.

use quiz_reports::item_report;
use quiz_reports::report::ReportType;
use quiz_reports::student_analysis::{Columns, header, row};
use quiz_reports::work::Work;
use shared::error::OrNotFound;
use shared::ids::QuizSubmissionId;
use shared::{Error, Result};

use crate::model::quiz_statistics::{CompletedAttempt, QuestionStatistics, Tally};
use crate::store::quiz_statistics::{self as store, Scope, WithStudents};

/// The most attempts of which a report is made.
const MAX_ATTEMPTS: i64 = 200_000;
/// The most questions that the attempts may have together: each is two columns.
const MAX_QUESTIONS: usize = 5_000;

/// Writes a report.
pub(crate) async fn write(work: &mut Work) -> Result<()> {
    let scope = Scope {
        quiz: work.report.quiz_id.or_not_found()?,
        all_versions: work.report.includes_all_versions,
        section_limit: work.report.section_limit.clone(),
    };
    match work.report.report_type {
        ReportType::StudentAnalysis => student_analysis(work, &scope).await,
        ReportType::ItemAnalysis => item_analysis(work, &scope).await,
    }
}

/// The attempts are read twice: to know the columns, and for the rows.
async fn student_analysis(work: &mut Work, scope: &Scope) -> Result<()> {
    let is_anonymous = work.report.is_anonymous;
    let students = if is_anonymous { WithStudents::No } else { WithStudents::Yes };
    let count = store::count(&work.db, scope).await?;
    require_few(count, 0)?;
    let all = count.saturating_mul(2);
    let (mut columns, mut done, mut last) = (Columns::default(), 0, BEGINNING);
    while let Some(attempts) = next(work, scope, &mut last, WithStudents::No).await? {
        for attempt in attempts {
            attempt.add_columns(&mut columns);
            done += 1;
        }
        require_few(count, columns.count())?;
        work.advance(done, all).await?;
    }
    work.write_row(&header(&columns, is_anonymous)).await?;
    last = BEGINNING;
    while let Some(attempts) = next(work, scope, &mut last, students).await? {
        for attempt in attempts {
            work.write_row(&row(&columns, &attempt.analyzed(), is_anonymous)).await?;
            done += 1;
        }
        work.advance(done, all).await?;
    }
    Ok(())
}

async fn item_analysis(work: &mut Work, scope: &Scope) -> Result<()> {
    let scores = store::scores(&work.db, scope, MAX_ATTEMPTS + 1).await?;
    let all = i64::try_from(scores.len()).unwrap_or(i64::MAX);
    require_few(all, 0)?;
    let mut tally = Tally::of(&scores);
    let (mut done, mut last) = (0, BEGINNING);
    while let Some(attempts) = next(work, scope, &mut last, WithStudents::No).await? {
        for attempt in attempts {
            tally.add(attempt);
            done += 1;
        }
        require_few(all, tally.question_count())?;
        work.advance(done, all).await?;
    }
    let (_, questions) = tally.finish();
    let count = questions.len();
    let items: Vec<_> = questions.into_iter().filter_map(QuestionStatistics::analyzed).collect();
    for cells in item_report::rows(&items, count) {
        work.write_row(&cells).await?;
    }
    Ok(())
}

/// Before the first attempt.
const BEGINNING: (QuizSubmissionId, i64) = (QuizSubmissionId(0), 0);

/// The next attempts, and from now on those behind them; `None` at the end.
async fn next(
    work: &Work,
    scope: &Scope,
    last: &mut (QuizSubmissionId, i64),
    students: WithStudents,
) -> Result<Option<Vec<CompletedAttempt>>> {
    let attempts = store::attempts_after(&work.db, scope, *last, students).await?;
    let Some(newest) = attempts.last() else { return Ok(None) };
    *last = (newest.id, newest.attempt);
    Ok(Some(attempts))
}

fn require_few(attempts: i64, questions: usize) -> Result<()> {
    if attempts > MAX_ATTEMPTS || questions > MAX_QUESTIONS {
        return Err(Error::bad_request("the quiz has too many attempts or questions for a report"));
    }
    Ok(())
}
