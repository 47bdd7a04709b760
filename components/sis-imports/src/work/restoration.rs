//! Imports that are taken back: the records whose states they have changed get those that they had before, the last change
//! first.

use std::time::Instant;

use shared::course_events::{self as events, Author};
use shared::ids::{CourseId, UserId};
use shared::leases::{MAX_BEGINNINGS, new_token};
use shared::{Db, Result, Timestamp, channels, clock, users};

use crate::model::restoration::{RecordType, Step, steps_back};
use crate::rows;
use crate::store::restorations::{self as store, Restoration};
use crate::work::watch::LEASE_SECONDS;

/// The number of changes that are restored in one transaction.
const CHANGES: usize = 200;

/// Works on the next import that is taken back. False, if there is none.
pub(crate) async fn restore_next(db: &Db, now: Timestamp, until: Instant) -> Result<bool> {
    let lease = new_token();
    let Some(of) = store::claim(db, &lease, now, clock::now().plus_seconds(LEASE_SECONDS)).await? else {
        return Ok(false);
    };
    if of.attempts > MAX_BEGINNINGS {
        let why = "The states could not be restored";
        db.transaction(async |db| store::end(db, &of, Some(why), clock::now()).await).await?;
        return Ok(true);
    }
    let mut before = Some(of.restored_from);
    while let Some(change) = before {
        if Instant::now() >= until {
            store::release(db, &of).await?;
            return Ok(true);
        }
        before = restore_some(db, &of, change).await?;
    }
    Ok(true)
}

/// Restores the states of the changes before that one. `None`: there are no more, or the work is not ours any more.
async fn restore_some(db: &Db, of: &Restoration, before: i64) -> Result<Option<i64>> {
    let changes = store::changes(db, of, before, CHANGES).await?;
    db.transaction(async |db| {
        let now = clock::now();
        let Some(up_to) = changes.last().map(|change| change.id) else {
            store::end(db, of, None, now).await?;
            return Ok(None);
        };
        if !store::advance(db, of, up_to, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(None);
        }
        if !store::tell(db, of, up_to, now).await? {
            store::end(db, of, Some("It was cancelled"), now).await?;
            return Ok(None);
        }
        for (record_type, mut steps) in steps_back(changes) {
            if record_type == RecordType::User {
                // Nobody deletes oneself.
                steps.retain(|step| !(step.id == of.user_id.0 && step.to == "deleted"));
            }
            restore(db, of, record_type, &steps, now).await?;
        }
        store::end_changes(db, of).await?;
        Ok(Some(up_to))
    })
    .await
}

async fn restore(db: &Db, of: &Restoration, record_type: RecordType, steps: &[Step], now: Timestamp) -> Result<()> {
    if record_type == RecordType::Course {
        let courses = store::unchanged_courses(db, steps).await?;
        for step in steps.iter().filter(|step| courses.contains(&CourseId(step.id))) {
            tell_of_course(db, of, step).await?;
        }
    }
    store::restore(db, record_type, steps, now).await?;
    if record_type == RecordType::User {
        let (gone, back): (Vec<_>, Vec<_>) = steps.iter().partition(|step| step.to == "deleted");
        let ids = |steps: Vec<&Step>| steps.iter().map(|step| UserId(step.id)).collect::<Vec<_>>();
        users::shut_out(db, &ids(gone), now).await?;
        channels::vouch(db, &ids(back), now).await?;
    }
    Ok(())
}

/// Notes in the course's log what becomes of it.
async fn tell_of_course(db: &Db, of: &Restoration, step: &Step) -> Result<()> {
    let author = Author::import(of.user_id, of.real_user_id, of.sis_import_id);
    for event in rows::steps(&step.from, &step.to) {
        events::happened(db, &author, CourseId(step.id), *event).await?;
    }
    Ok(())
}
