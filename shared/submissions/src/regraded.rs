//! Submissions whose attempts at a quiz a program has scored anew, many at once: their grades, and who is told of them.

use serde::Serialize;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, CourseId, SubmissionId, UserId};
use shared::{Db, Result, Timestamp};

use crate::events::Events;
use crate::grading::Grade;
use crate::store::{Row, select};

/// A submission of which attempts were scored anew.
pub struct RescoredSubmission {
    /// As it is.
    pub before: Row,
    /// What the quiz kept of all attempts, and what it keeps now, before what lateness costs.
    pub kept_before: Grade,
    pub kept: Grade,
    /// When the attempt was handed in whose score it keeps now.
    pub kept_submitted_at: Option<Timestamp>,
    /// The attempts that have another grade than before.
    pub attempts: Vec<(i64, Grade)>,
    /// What it says now; `None`: the same.
    pub body: Option<String>,
    /// False: somebody must read an answer. `None`: that has not changed.
    pub is_complete: Option<bool>,
}

impl RescoredSubmission {
    /// True unless the student is excused, or a person has given another grade than the attempts had, whose answers a person may
    /// have graded.
    fn follows_attempts(&self) -> bool {
        let is_kept = || self.before.entered().score == self.kept_before.score;
        !self.before.excused && (self.before.grader_id.is_none() || is_kept())
    }
}

/// The submissions of these users for an assignment.
pub async fn submissions(db: &Db, assignment: AssignmentId, users: &[UserId]) -> db::Result<Vec<Row>> {
    let sql = format!("{} WHERE s.assignment_id = ?1 AND s.user_id IN (SELECT value FROM json_each(?2))", select());
    db.fetch_all(&sql, (assignment, Json(users))).await
}

/// Gives submissions of an assignment the grades that their quiz keeps, and tells of them. What a person gave stays. `db` is in a
/// transaction.
pub async fn settle(
    db: &Db,
    (course, assignment): (CourseId, AssignmentId),
    rescored: Vec<RescoredSubmission>,
    events: &mut Events,
    now: Timestamp,
) -> Result<()> {
    let rescored: Vec<_> = rescored.into_iter().filter(RescoredSubmission::follows_attempts).collect();
    if rescored.is_empty() {
        return Ok(());
    }
    set_grades(db, &rescored, now).await?;
    let users: Vec<_> = rescored.iter().map(|one| one.before.user_id).collect();
    let mut after = submissions(db, assignment, &users).await?;
    let pair = |one: RescoredSubmission| {
        let at = after.iter().position(|after| after.id == one.before.id)?;
        Some((one.before, after.swap_remove(at)))
    };
    let rows: Vec<_> = rescored.into_iter().filter_map(pair).collect();
    for (before, after) in &rows {
        events.queue(db, events.of_grade(course, before, after)?).await?;
    }
    Ok(())
}

/// Keeps the grades of submissions and of attempts. What is not handed in, or waits to be graded as a whole, stays so.
async fn set_grades(db: &Db, rescored: &[RescoredSubmission], now: Timestamp) -> db::Result<()> {
    #[derive(Serialize)]
    struct Given<'a> {
        submission: SubmissionId,
        attempt: Option<i64>,
        score: Option<f64>,
        grade: Option<String>,
        points_deducted: Option<f64>,
        kept_submitted_at: Option<Timestamp>,
        body: Option<&'a str>,
        is_complete: Option<bool>,
    }
    let submission = |one: &RescoredSubmission, attempt: Option<i64>, Grade { score, grade, points_deducted }| Given {
        submission: one.before.id,
        attempt,
        score,
        grade,
        points_deducted,
        kept_submitted_at: None,
        body: None,
        is_complete: None,
    };
    let kept = rescored.iter().map(|one| Given {
        body: one.body.as_deref(),
        is_complete: one.is_complete,
        kept_submitted_at: one.kept_submitted_at,
        ..submission(one, None, one.before.deduct(one.kept.clone(), one.kept_submitted_at))
    });
    db.execute(
        "UPDATE submissions
         SET score = given.value ->> 'score', grade = given.value ->> 'grade',
             points_deducted = given.value ->> 'points_deducted',
             kept_submitted_at = given.value ->> 'kept_submitted_at', graded_at = ?2, updated_at = ?2,
             body = iif(body IS NULL, NULL, ifnull(given.value ->> 'body', body)),
             workflow_state = iif(given.value ->> 'is_complete' IS NOT NULL
                                      AND submissions.workflow_state IN ('graded', 'pending_review'),
                                  iif(given.value ->> 'is_complete', 'graded', 'pending_review'),
                                  submissions.workflow_state)
         FROM json_each(?1) given WHERE submissions.id = given.value ->> 'submission'",
        (Json(kept.collect::<Vec<_>>()), now),
    )
    .await?;
    let attempts = rescored.iter().flat_map(|one| {
        one.attempts.iter().map(move |(attempt, grade)| submission(one, Some(*attempt), grade.clone()))
    });
    db.execute(
        "UPDATE submission_versions SET score = given.value ->> 'score', grade = given.value ->> 'grade'
         FROM json_each(?1) given
         WHERE submission_versions.submission_id = given.value ->> 'submission'
           AND submission_versions.attempt = given.value ->> 'attempt'",
        (Json(attempts.collect::<Vec<_>>()),),
    )
    .await
}
