//! What is the same for items of all types: their place and their points, and how they change and go.

use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, ItemId};
use shared::{Context, Error, Patch, Result};

use crate::model::item::{self, QuizItem};
use crate::store::content::Content;
use crate::store::items::{self as store, Current, ItemToChange, NewEntry, NewItem};
use questions::form;
use questions::question::StoredQuestion;

/// The place and the points of an item.
pub(crate) struct Place {
    pub(crate) position: Patch<i64>,
    pub(crate) points_possible: Patch<f64>,
}

impl Place {
    /// The new item that has them.
    pub(crate) fn of(self, entry: NewEntry) -> Result<NewItem> {
        Ok(NewItem {
            position: self.position.into_option().map(item::position).transpose()?,
            points_possible: form::points(self.points_possible.unwrap_or(1.0))?,
            stimulus: None,
            entry,
        })
    }

    /// The item as it is with them; a stimulus is worth nothing, whatever is sent.
    pub(crate) fn over(self, current: &Current) -> Result<Current> {
        let position = self.position.into_option().map(item::position).transpose()?;
        let points = self.points_possible.into_option().map(form::points).transpose()?;
        Ok(Current {
            position: position.unwrap_or(current.position),
            points_possible: points.filter(|_| !current.is_stimulus).unwrap_or(current.points_possible),
            ..current.clone()
        })
    }

    /// The points, where it names no position. What is wrong with them is told when it is known what the item is.
    pub(crate) fn points_alone(&self) -> Option<f64> {
        let Patch::Value(points) = self.points_possible else { return None };
        form::points(points).ok().filter(|_| !self.position.is_present())
    }
}

/// Changes the item, and its content, to what `apply` makes of them.
pub(crate) async fn change(
    cx: &Context,
    quiz: AssignmentId,
    id: ItemId,
    apply: impl FnOnce(&Current, Option<Content>) -> Result<(Current, Option<Content>)>,
) -> Result<BuiltJson<QuizItem>> {
    let changed = cx.db.transaction(async |db| {
        let (current, content) = store::current(db, quiz, id).await?.or_not_found()?;
        let (changed, content) = apply(&current, content)?;
        store::update(db, quiz, &current, changed, content, cx.now).await
    });
    changed.await
}

/// Changes what a quiz asks of a bank, and for how many points; what is in the bank stays. `points_alone` are all that the request names.
pub(crate) async fn change_asked(
    cx: &Context,
    quiz: AssignmentId,
    item: ItemToChange,
    points_alone: Option<f64>,
    apply: impl FnOnce(&Current) -> Result<Current>,
) -> Result<BuiltJson<QuizItem>> {
    if let Some(points) = points_alone
        && let Some(changed) = store::set_points(&cx.db, quiz, item.id, points).await?
    {
        return Ok(changed);
    }
    let apply = |current: &Current, _content| {
        let changed = apply(current)?;
        if current.attempted && !changed.is_asked_like(current) {
            return Err(immutable());
        }
        Ok((changed, None))
    };
    change(cx, quiz, item.id, apply).await
}

/// Deletes the item, unless somebody has attempted the quiz, and gives what it was.
pub(crate) async fn delete(cx: &Context, quiz: AssignmentId, id: ItemId) -> Result<BuiltJson<QuizItem>> {
    let deleted = cx.db.transaction(async |db| {
        let item = store::item(db, quiz, id).await?.or_not_found()?;
        let (current, _) = store::current(db, quiz, id).await?.or_not_found()?;
        if current.attempted {
            return Err(immutable());
        }
        store::delete(db, quiz, &current).await?;
        Ok(item)
    });
    deleted.await
}

/// True if an attempt that was made with the question holds for what it is to be. A client may write the same otherwise than it is
/// stored: a form has no booleans, and a member that the type does not have is left out.
pub(crate) fn is_answered_like(changed: &StoredQuestion, question: &StoredQuestion) -> bool {
    let as_stored = || questions::checked(changed.clone());
    changed.is_answered_like(question) || as_stored().is_ok_and(|stored| stored.is_answered_like(question))
}

/// What an attempt relies on stays as it is.
pub(crate) fn immutable() -> Error {
    Error::invalid("status", "immutable", "is immutable: the quiz has been attempted")
}
