//! Notices about comments on submissions, for students and teachers.

use ::submissions::notices::{path, path_for_graders};
use ::submissions::store::Row;
use shared::ids::{CourseId, UserId};
use shared::notify::{News, Notifier, Recipients};
use shared::throttle::{self, Limit, Turn};
use shared::{Db, Error, LimitKind, Result, Timestamp};

use crate::store::teachers;

/// The number of people to whom the comments of one author are sent to.
const TOLD_OF_COMMENTS: Limit = Limit { most: 1000, seconds: 3600 };

/// Tells the student what a teacher says, and the teachers what the student says. Nothing is said in silence: whoever may send
/// no more says no more either. What the student does not see before it is posted is not told.
pub(crate) async fn commented(
    db: &Db,
    notifier: &Notifier,
    course: CourseId,
    row: &Row,
    author: UserId,
    comment: &str,
    now: Timestamp,
) -> Result<()> {
    let is_own = author == row.user_id;
    if !is_own && !row.is_posted() {
        return Ok(());
    }
    let (name, recipients) = match is_own {
        true => ("submission_comment_for_teacher", Recipients::Teachers { course, student: author }),
        false => ("submission_comment", Recipients::Participant { course, user: row.user_id }),
    };
    let told = if is_own { teachers::count(db, course).await? } else { 1 };
    let key = format!("submission-comments/{author}");
    if let Turn::Wait { seconds } = throttle::take_several(db, &key, told, TOLD_OF_COMMENTS, now).await? {
        return Err(Error::throttled(LimitKind::Comments, seconds));
    }
    let subject = format!("Comment on {}", row.assignment_name);
    let path = if is_own { path_for_graders(course, row) } else { path(course, row) };
    // Each comment is news of its own.
    notifier.tell(db, News { name, recipients, subject: &subject, body: comment, path: &path, asset: None }).await?;
    Ok(())
}
