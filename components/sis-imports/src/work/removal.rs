//! Batch mode: what an import does not name in its terms is removed, of the kinds that it has files of.
//!
//! Records that no import has brought stay. It is counted first how many would go; then they go course by course.

use std::time::Instant;

use shared::course_events::{self as events, Event};
use shared::ids::EnrollmentTermId;
use shared::{Db, Result, clock, courses};

use crate::model::kind::Kind;
use crate::model::note::Note;
use crate::store::removal::{self as removals, Removed, Share};
use crate::store::sis_imports::{self as store, Claimed, Standing};
use crate::work::watch::LEASE_SECONDS;
use crate::work::{differences, target};

/// The number of courses that are gone through in one transaction.
const COURSES: usize = 10;

/// Removes what the import does not name. False, if there is no time left, or the import is not ours any more.
pub(crate) async fn remove_unnamed(db: &Db, import: &Claimed, standing: &Standing, until: Instant) -> Result<bool> {
    let kinds = &standing.kinds.0;
    let is_meant = [Kind::Courses, Kind::Sections, Kind::Enrollments].iter().any(|kind| kinds.contains(kind));
    if import.options.0.batch_mode != Some(true) || !is_meant {
        return Ok(true);
    }
    if !store::is_read_whole(db, import.id).await? {
        return differences::warn_of_unread(db, import).await;
    }
    let terms = removals::terms(db, import).await?;
    if !standing.removing && !begin(db, import, standing, &terms).await? {
        return Ok(false);
    }
    for term in terms.into_iter().filter(|term| term.0 >= standing.removal_term_id) {
        let mut after = if term.0 == standing.removal_term_id { standing.removal_course_id } else { 0 };
        loop {
            if Instant::now() >= until {
                return Ok(false);
            }
            match remove_some(db, import, standing, term, after).await? {
                Progress::Lost => return Ok(false),
                Progress::Ended => break,
                Progress::UpTo(course) => after = course,
            }
        }
    }
    Ok(true)
}

enum Progress {
    /// The import is not ours any more.
    Lost,
    /// There are no more courses.
    Ended,
    /// The courses up to this one are done.
    UpTo(i64),
}

/// Begins with the removal, unless too much would go: then the import ends. False, if it has.
async fn begin(db: &Db, import: &Claimed, standing: &Standing, terms: &[EnrollmentTermId]) -> Result<bool> {
    let shares = match import.options.0.change_threshold {
        Some(_) => removals::shares(db, import.id, terms).await?,
        None => Vec::new(),
    };
    let threshold = import.options.0.change_threshold.unwrap_or_default();
    let too_many = shares.into_iter().find(|share| standing.kinds.0.contains(&share.kind) && share.exceeds(threshold));
    db.transaction(async |db| {
        let now = clock::now();
        if !store::keep(db, import, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(false);
        }
        let Some(Share { kind, unnamed, .. }) = too_many else {
            removals::begin(db, import.id, now).await?;
            return Ok(true);
        };
        let name = kind.name();
        let why = format!("{unnamed} {name} would be deleted and exceeds the set threshold of {threshold}%");
        store::add_note(db, import.id, Note::of_file(why)).await?;
        store::abort(db, import.root_account_id, import.id, now).await?;
        Ok(false)
    })
    .await
}

async fn remove_some(
    db: &Db,
    import: &Claimed,
    standing: &Standing,
    term: EnrollmentTermId,
    after: i64,
) -> Result<Progress> {
    let author = target::author(import);
    let kinds = &standing.kinds.0;
    let drop = import.options.0.batch_mode_enrollment_drop_status.unwrap_or_default();
    db.transaction(async |db| {
        let now = clock::now();
        if !store::begin_changes(db, import, now.plus_seconds(LEASE_SECONDS)).await? {
            return Ok(Progress::Lost);
        }
        let found = removals::courses(db, import, term, after, COURSES).await?;
        let Some(last) = found.last().map(|course| course.id) else {
            store::end_changes(db, import, now).await?;
            return Ok(Progress::Ended);
        };
        let mut removed = Removed::default();
        if kinds.contains(&Kind::Courses) {
            let unnamed: Vec<_> = found.iter().filter(|course| course.is_unnamed).map(|course| course.id).collect();
            // A section that belongs to another course is no part of this one.
            courses::return_sections(db, &unnamed, now).await?;
            removals::remove_courses(db, &unnamed, now).await?;
            for course in &unnamed {
                events::happened(db, &author, *course, Event::Deleted).await?;
            }
            removed.courses = unnamed.len();
        }
        let found: Vec<_> = found.iter().map(|course| course.id).collect();
        if kinds.contains(&Kind::Sections) {
            removed.sections = removals::remove_sections(db, import.id, &found, now).await?;
        }
        if kinds.contains(&Kind::Enrollments) {
            removed.enrollments = removals::remove_enrollments(db, import.id, &found, drop.word(), now).await?;
        }
        removals::advance(db, import.id, term, last, removed).await?;
        store::end_changes(db, import, now).await?;
        Ok(Progress::UpTo(last.0))
    })
    .await
}
