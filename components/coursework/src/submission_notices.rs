//! Notices about comments on submissions, for students and teachers.

use ::submissions::comments;
use ::submissions::notices::path_for_graders;
use ::submissions::store::Row;
use shared::ids::{CourseId, UserId};
use shared::notify::{News, Notifier, Recipients};
use shared::{Db, Result, Timestamp};

use crate::store::teachers;

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
    if author != row.user_id {
        return comments::tell_student(db, notifier, course, row, (author, comment), now).await;
    }
    let told = teachers::count(db, course).await?;
    comments::take_turn(db, author, told, now).await?;
    let news = News {
        name: "submission_comment_for_teacher",
        recipients: Recipients::Teachers { course, student: author },
        subject: &comments::subject(row),
        body: comment,
        path: &path_for_graders(course, row),
        // Each comment is news of its own.
        asset: None,
    };
    notifier.tell(db, news).await?;
    Ok(())
}
