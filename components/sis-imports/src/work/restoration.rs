//! Imports that are taken back: the records whose states they have changed get those that they had before.

use std::collections::BTreeSet;
use std::time::Instant;

use shared::course_events::{self as events, Author};
use shared::ids::{AccountId, CourseId, UserId};
use shared::leases::{MAX_BEGINNINGS, new_token};
use shared::{Db, Result, Timestamp, channels, clock, courses, users};

use crate::model::restoration::{Change, RecordType, Stage, Step};
use crate::rows;
use crate::store::restorations::{self as store, Restoration, Standing};
use crate::work::watch::LEASE_SECONDS;

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
    let mut before = Some(of.standing());
    while let Some(standing) = before {
        if Instant::now() >= until {
            store::release(db, &of).await?;
            return Ok(true);
        }
        before = restore_some(db, &of, standing).await?;
    }
    Ok(true)
}

/// Restores the states of the next records. `None`: there are no more, or the work is not ours any more.
async fn restore_some(db: &Db, of: &Restoration, standing: Standing) -> Result<Option<Standing>> {
    let Some(stage) = Stage::numbered(standing.stage) else {
        db.transaction(async |db| store::end(db, of, None, clock::now()).await).await?;
        return Ok(None);
    };
    let changes = store::changes(db, of, &stage, standing.record_id).await?;
    let Some(last) = changes.iter().map(|change| change.record_id).max() else {
        return Ok(Some(Standing { stage: standing.stage + 1, record_id: 0, ..standing }));
    };
    let looked_at = standing.looked_at + changes.len();
    let standing = Standing { record_id: last, looked_at, ..standing };
    db.transaction(async |db| {
        let now = clock::now();
        if !store::advance(db, of, &standing, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(None);
        }
        if !store::tell(db, of, &standing, now).await? {
            store::end(db, of, Some("It was cancelled"), now).await?;
            return Ok(None);
        }
        let steps = changes.into_iter().filter_map(Change::step_back).filter(|step| stage.takes(step));
        // Nobody deletes oneself.
        let is_oneself = |step: &Step| stage.record_type == RecordType::User && step.id == of.user_id.0;
        restore(db, of, &stage, steps.filter(|step| !(stage.deletes && is_oneself(step))).collect(), now).await?;
        store::end_changes(db, of).await?;
        Ok(Some(standing))
    })
    .await
}

/// Makes those steps that can be made. Accounts stand in one another: a step may have to wait for that of another one.
async fn restore(db: &Db, of: &Restoration, stage: &Stage, mut steps: Vec<Step>, now: Timestamp) -> Result<()> {
    while !steps.is_empty() {
        let possible: BTreeSet<_> = store::possible(db, stage, &steps).await?.into_iter().collect();
        let (made, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|step| possible.contains(&step.id));
        if made.is_empty() {
            break;
        }
        make(db, of, stage, &made, now).await?;
        steps = if stage.record_type == RecordType::Account { rest } else { Vec::new() };
    }
    Ok(())
}

/// Makes the steps, with what follows from them.
async fn make(db: &Db, of: &Restoration, stage: &Stage, steps: &[Step], now: Timestamp) -> Result<()> {
    let ids = steps.iter().map(|step| step.id);
    if stage.record_type == RecordType::User && stage.deletes {
        return Ok(users::delete(db, &ids.map(UserId).collect::<Vec<_>>(), now).await?);
    }
    store::restore(db, stage, steps, now).await?;
    match (stage.record_type, stage.deletes) {
        (RecordType::User, false) => channels::vouch(db, &ids.map(UserId).collect::<Vec<_>>(), now).await?,
        (RecordType::Account, true) => store::delete_keys(db, &ids.map(AccountId).collect::<Vec<_>>()).await?,
        (RecordType::Course, deletes) => {
            if deletes {
                courses::return_sections(db, &ids.map(CourseId).collect::<Vec<_>>(), now).await?;
            }
            for step in steps {
                tell_of_course(db, of, step).await?;
            }
        }
        _ => {}
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
