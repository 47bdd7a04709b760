//! Grades that follow when an assignment is worth other points, or is graded in another way.

use std::collections::BTreeMap;

use ::submissions::events::Events;
use ::submissions::grading::Grade;
use shared::ids::{AssignmentId, SubmissionId};
use shared::{Db, Result, Timestamp};

use crate::store::graded_attempts as store;
use crate::store::submissions::{self, Row};

/// Points that were given stay what they are; what they are worth does not, nor what lateness costs, and everybody who has some
/// is told. A student who has handed something in since is as late as with what was graded. `db` is in a transaction, after the
/// change.
pub(crate) async fn regrade(
    db: &Db,
    assignment: AssignmentId,
    old_points: Option<f64>,
    events: &mut Events,
    now: Timestamp,
) -> Result<()> {
    let rows = submissions::graded(db, assignment).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let works = GradedWorks::of(db, &rows).await?;
    let regraded = rows.into_iter().map(|row| {
        let before = Row { points_possible: old_points, ..row.clone() };
        let entered = row.entered().score.map(|score| row.scale().grade(score)).unwrap_or_default();
        let Grade { score, grade, points_deducted } = row.deduct(entered, works.submitted_at(&row));
        (before, Row { score, grade, points_deducted, ..row })
    });
    let regraded: Vec<_> = regraded.collect();
    submissions::set_regraded(db, &regraded, now).await?;
    events.graded_all(db, &regraded).await
}

/// When that was handed in of which submissions have their grades, where something was handed in since.
pub(crate) struct GradedWorks(BTreeMap<SubmissionId, Timestamp>);

impl GradedWorks {
    /// Of submissions that have grades.
    pub(crate) async fn of(db: &Db, rows: &[Row]) -> Result<Self> {
        let is_earlier = |row: &&Row| row.kept_submitted_at.is_none() && !is_grade_of_latest(row);
        let ids: Vec<_> = rows.iter().filter(is_earlier).map(|row| row.id).collect();
        let found = if ids.is_empty() { Vec::new() } else { store::of_submissions(db, &ids).await? };
        Ok(Self(found.into_iter().map(|graded| (graded.submission_id, graded.submitted_at)).collect()))
    }

    /// Of one of them; `None`: nothing was handed in before it was graded.
    pub(crate) fn submitted_at(&self, row: &Row) -> Option<Timestamp> {
        match (row.kept_submitted_at, is_grade_of_latest(row)) {
            (Some(kept), _) => Some(kept),
            (None, true) => row.submitted_at,
            (None, false) => self.0.get(&row.id).copied(),
        }
    }
}

/// When that was handed in of which a submission has its points, if it has some; `None`: nothing was.
pub(crate) async fn graded_work_submitted_at(db: &Db, row: &Row) -> Result<Option<Timestamp>> {
    match row.kept_submitted_at {
        Some(kept) if row.score.is_some() => Ok(Some(kept)),
        _ if row.score.is_none() || is_grade_of_latest(row) => Ok(row.submitted_at),
        _ => Ok(store::of_submission(db, row.id).await?.map(|graded| graded.submitted_at)),
    }
}

/// True if the grade is one of what was handed in last.
fn is_grade_of_latest(row: &Row) -> bool {
    row.graded_attempt == row.attempt
}
