//! Grades that follow by and by when questions make a classic quiz worth something else. Points that were given stay; the share of all
//! points that they are, and what lateness costs, do not. Nobody is notified; tools are told of each grade.

use std::time::Instant;

use ::submissions::events::Events;
use shared::background::{self, JobOutcome};
use shared::ids::AssignmentId;
use shared::live_events::Place;
use shared::{Context, Error, Result};

use crate::regrading::regrade;
use crate::store::other_points::{self as store, OtherPoints};

/// The job of the tick. An assignment whose grades fail does not keep the others from theirs.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let (mut done, mut behind) = (0, AssignmentId(0));
    while let Some(one) = store::next(&cx.db, behind).await? {
        if Instant::now() >= until {
            return Ok(JobOutcome { done, more: true });
        }
        behind = one.assignment_id;
        match show_anew(cx, &one).await {
            Ok(()) => done += 1,
            Err(error) => background::log_failure(&error),
        }
    }
    Ok(JobOutcome { done, more: false })
}

async fn show_anew(cx: &Context, one: &OtherPoints) -> Result<()> {
    let assignment = one.assignment_id;
    let place = Place::in_course(one.root_account_id, one.account_id, one.course_id, Some(assignment));
    let mut events = Events::of_service(cx, place).await?;
    let shown = cx.db.transaction(async |db| match store::take(db, assignment).await? {
        Some(before) if !before.is_deleted => regrade(db, assignment, before.points_before, &mut events, cx.now).await,
        _ => Ok::<_, Error>(()),
    });
    shown.await?;
    events.send();
    Ok(())
}
