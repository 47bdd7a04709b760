//! What follows from late policies by and by: late work is graded anew when the policy or a due date changes, and missing work
//! gets its grade when it is due. Nobody is notified; tools are told of each grade.

use std::collections::BTreeMap;
use std::time::Instant;

use ::submissions::events::Events;
use ::submissions::grading::Grade;
use ::submissions::lateness::Lateness;
use shared::background::{self, JobOutcome};
use shared::ids::AssignmentId;
use shared::live_events::Place;
use shared::{Context, Db, Result};

use crate::regrading::GradedWorks;
use crate::store::late_policies::{self as store, PolicyAtWork};
use crate::store::submissions::{self, Row};

/// The number of submissions of one transaction.
const BATCH: i64 = 100;
/// The number of courses that are looked at for missing work in one run.
const COURSES: i64 = 100;

/// The job of the tick. A course whose work fails does not keep the others from theirs.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let regraded = regrade_all(cx, until).await?;
    let missing = grade_missing(cx, until).await?;
    Ok([regraded, missing].into_iter().sum())
}

async fn regrade_all(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let (mut done, mut behind) = (0, 0);
    while let Some(policy) = store::to_regrade(&cx.db, behind).await? {
        if Instant::now() >= until {
            return Ok(JobOutcome { done, more: true });
        }
        match regrade(cx, &policy).await {
            Ok(read) => {
                done += read;
                // What is not done is found once more, behind the same id.
                behind = if read < BATCH { policy.id } else { policy.id - 1 };
            }
            Err(error) => {
                background::log_failure(&error);
                behind = policy.id;
            }
        }
    }
    Ok(JobOutcome { done, more: false })
}

/// Grades the next submissions anew; answers how many it has looked at.
async fn regrade(cx: &Context, policy: &PolicyAtWork) -> Result<i64> {
    let (read, told) = cx
        .db
        .transaction(async |db| {
            let rows = store::next_graded(db, policy, BATCH).await?;
            let read = count(&rows);
            let done_to = rows.last().map(|row| row.id).filter(|_| read == BATCH);
            let works = GradedWorks::of(db, &rows).await?;
            let regraded: Vec<_> = rows.into_iter().filter_map(|row| regraded(cx, row, &works)).collect();
            if !regraded.is_empty() {
                submissions::set_regraded(db, &regraded, cx.now).await?;
            }
            let told = tell(cx, db, policy, regraded).await?;
            store::set_regraded_to(db, policy, done_to).await?;
            Ok::<_, shared::Error>((read, told))
        })
        .await?;
    told.into_iter().for_each(Events::send);
    Ok(read)
}

/// The submission before and after what lateness costs now, and what missing work is worth to which the service has given a grade;
/// `None` where that is the same. A grade is as late as what it was given for, whatever was handed in since.
fn regraded(cx: &Context, before: Row, works: &GradedWorks) -> Option<(Row, Row)> {
    let is_missing = before.grader_id.is_none() && Lateness::of(&before, before.submitted_at, cx.now).missing;
    let grade = before.grade_of_missing().filter(|_| is_missing);
    let Grade { score, grade, points_deducted } =
        grade.unwrap_or_else(|| before.deduct(before.entered(), works.submitted_at(&before)));
    let changes = points_deducted != before.points_deducted || (is_missing && score != before.score);
    changes.then(|| (before.clone(), Row { score, grade, points_deducted, ..before }))
}

async fn grade_missing(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    for policy in store::to_look_at(&cx.db, cx.now, COURSES).await? {
        loop {
            if Instant::now() >= until {
                return Ok(JobOutcome { done, more: true });
            }
            match grade_missing_of(cx, &policy).await {
                Ok(0) => break,
                Ok(graded) => done += graded,
                Err(error) => {
                    background::log_failure(&error);
                    break;
                }
            }
        }
    }
    Ok(JobOutcome { done, more: false })
}

/// Grades the next missing work of a course; answers how much it was, 0 where there is no more.
async fn grade_missing_of(cx: &Context, policy: &PolicyAtWork) -> Result<i64> {
    let missing = store::missing(&cx.db, policy.course_id, cx.now, BATCH).await?;
    if missing.is_empty() {
        store::set_looked_at(&cx.db, policy, cx.now).await?;
        return Ok(0);
    }
    let (graded, told) = cx
        .db
        .transaction(async |db| {
            let rows = store::submissions_of(db, &missing, cx.now).await?;
            let graded: Vec<_> = rows.into_iter().filter_map(|row| graded_missing(cx, row)).collect();
            let count = count(&graded);
            if count > 0 {
                store::set_missing(db, graded.iter().map(|(_, after)| after), cx.now).await?;
            }
            Ok::<_, shared::Error>((count, tell(cx, db, policy, graded).await?))
        })
        .await?;
    told.into_iter().for_each(Events::send);
    Ok(graded)
}

fn graded_missing(cx: &Context, before: Row) -> Option<(Row, Row)> {
    let grade = before.grade_of_missing().filter(|_| Lateness::of(&before, before.submitted_at, cx.now).missing)?;
    let (score, grade, workflow_state) = (grade.score, grade.grade, "graded".to_owned());
    Some((before.clone(), Row { score, grade, workflow_state, graded_at: Some(cx.now), ..before }))
}

/// Records the new grades, assignment by assignment. `db` is in the transaction of the change.
async fn tell(cx: &Context, db: &Db, policy: &PolicyAtWork, graded: Vec<(Row, Row)>) -> Result<Vec<Events>> {
    let mut by_assignment: BTreeMap<AssignmentId, Vec<(Row, Row)>> = BTreeMap::new();
    for change in graded {
        by_assignment.entry(change.1.assignment_id).or_default().push(change);
    }
    let mut told = Vec::with_capacity(by_assignment.len());
    for (assignment, changes) in by_assignment {
        let place = Place::in_course(policy.root_account_id, policy.account_id, policy.course_id, Some(assignment));
        let mut events = Events::of_service(cx, place).await?;
        events.graded_all(db, &changes).await?;
        told.push(events);
    }
    Ok(told)
}

fn count<T>(list: &[T]) -> i64 {
    i64::try_from(list.len()).unwrap_or(BATCH)
}
