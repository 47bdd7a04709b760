//! The way of a course: each change together with its events, in one transaction.

use serde::Deserialize;
use shared::auth::AccountAccess;
use shared::course_events::{self as events, Author, Event, Pair};
use shared::db::{Changes, Json, change_known};
use shared::error::OrNotFound;
use shared::ids::CourseId;
use shared::notify::Notifier;
use shared::{Context, Error, JsonSchema, Patch, Result, courses};
use uuid::Uuid;

use crate::model::checks::require_order;
use crate::model::courses::{Course, Parts};
use crate::notices;
use crate::store::courses::{self as store, ChangedCourse, Deleted, KnownCourse};
use crate::store::resets;

/// The step that a caller wants for a course.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Offer,
    Claim,
    Conclude,
    Unconclude,
    Delete,
    Undelete,
}

impl Step {
    /// The state that it leads to from that of a course that is not deleted; nothing where it changes nothing.
    fn from(self, state: &str) -> Result<Option<(&'static str, Event)>> {
        let (to, event) = match self {
            Self::Offer => ("available", Event::Published),
            Self::Claim => ("unpublished", Event::Claimed),
            Self::Conclude => ("completed", Event::Concluded),
            Self::Unconclude if state == "completed" => ("available", Event::Unconcluded),
            Self::Unconclude => return Ok(None),
            Self::Delete => ("deleted", Event::Deleted),
            Self::Undelete => return Err(Error::bad_request("The course is not deleted")),
        };
        Ok((to != state).then_some((to, event)))
    }
}

/// Makes a course, and offers it.
pub(crate) async fn create(
    cx: &Context,
    account: &AccountAccess,
    new: Changes,
    offer: bool,
    enroll: bool,
) -> Result<Course> {
    let author = Author::of(cx)?;
    let state = if offer { "available" } else { "unpublished" };
    let new = new.set("workflow_state", Patch::Value(state));
    let notifier = Notifier::of(cx).await?;
    cx.db
        .transaction(async |db| {
            let course = store::insert(db, account.id, new, author.user, enroll, cx.now).await?;
            events::created(db, &author, course.id).await?;
            if offer {
                events::happened(db, &author, course.id, Event::Published).await?;
            }
            notices::new_course(db, &notifier, account.id, &course).await?;
            Ok(course)
        })
        .await
}

/// Changes a course that is not deleted, and takes the step.
pub(crate) async fn change(
    cx: &Context,
    id: CourseId,
    known: KnownCourse,
    changes: Changes,
    step: Option<Step>,
) -> Result<Course> {
    let author = Author::of(cx)?;
    let notifier = Notifier::of(cx).await?;
    cx.db
        .transaction(async |db| {
            let read_again = async || store::known(db, id, &changes).await?.or_not_found();
            let write = async |known: KnownCourse| {
                let before = known.snapshot()?;
                let state = before.state().or_not_found()?;
                require_order(&changes, before.dates())?;
                let step = step.map(|step| step.from(state)).transpose()?.flatten();
                let to = step.map_or(Patch::Absent, |(to, _)| Patch::Value(to));
                let changes = changes.clone().set("workflow_state", to);
                let changed = store::update(db, author.user, id, &known, changes, cx.now).await?;
                Ok::<_, Error>(changed.map(|changed| (before, step, changed)))
            };
            let (before, step, changed) = change_known(known, read_again, write).await?;
            let ChangedCourse { course: Json(course), snapshot: Json(after) } = changed;
            if let Some((_, event)) = step {
                events::happened(db, &author, id, event).await?;
                match event {
                    Event::Published => notices::published(db, &notifier, id, &course.name).await?,
                    Event::Deleted => courses::return_sections(db, &[id], cx.now).await?,
                    _ => {}
                }
            }
            events::changed(db, &author, id, &before, &after).await?;
            Ok(course)
        })
        .await
}

/// Brings back a deleted course.
pub(crate) async fn restore(cx: &Context, deleted: Deleted) -> Result<Course> {
    let author = Author::of(cx)?;
    cx.db
        .transaction(async |db| {
            let course = store::undelete(db, author.user, deleted, cx.now).await?.or_not_found()?;
            events::happened(db, &author, deleted.id, Event::Restored).await?;
            Ok(course)
        })
        .await
}

/// Puts an empty course in the place of this one, which is deleted with all that was taught in it.
pub(crate) async fn reset(cx: &Context, old: CourseId) -> Result<Course> {
    let author = Author::of(cx)?;
    let uuid = Uuid::new_v4().to_string();
    cx.db
        .transaction(async |db| {
            let new = resets::reset(db, old, &uuid, cx.now).await?.or_not_found()?;
            events::paired(db, &author, new, old, Pair::Reset).await?;
            let shown = store::Shown { of: author.user, parts: Parts::default() };
            store::course(db, shown, new).await?.or_not_found()
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_to_where_the_course_stands_is_none() {
        assert_eq!(Step::Offer.from("unpublished").unwrap(), Some(("available", Event::Published)));
        assert_eq!(Step::Offer.from("available").unwrap(), None);
        assert_eq!(Step::Conclude.from("completed").unwrap(), None);
    }

    #[test]
    fn only_a_concluded_course_goes_on() {
        assert_eq!(Step::Unconclude.from("completed").unwrap(), Some(("available", Event::Unconcluded)));
        assert_eq!(Step::Unconclude.from("unpublished").unwrap(), None);
        assert!(Step::Undelete.from("available").is_err());
    }
}
