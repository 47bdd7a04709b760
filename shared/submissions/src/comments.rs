//! What students are told of comments on their work, and how many people an author's comments are sent to.

use shared::clock::HOUR;
use shared::ids::{CourseId, UserId};
use shared::notify::{News, Notifier, Recipients};
use shared::throttle::{self, Limit};
use shared::{Db, LimitKind, Result, Timestamp};

use crate::notices::path;
use crate::store::Row;

/// The number of people to whom the comments of one author are sent.
const TOLD_OF_COMMENTS: Limit = Limit { most: 1000, seconds: HOUR };

/// Counts the people who are told of a comment: 429 where the author has told too many. Nothing is said in silence, so that
/// whoever may send no more says no more either.
pub async fn take_turn(db: &Db, author: UserId, told: i64, now: Timestamp) -> Result<()> {
    let key = format!("submission-comments/{author}");
    throttle::take_several(db, &key, told, TOLD_OF_COMMENTS, now).await?.require(LimitKind::Comments)?;
    Ok(())
}

/// Tells the student what a grader says, in plain text, unless the grade is not posted: what is not seen is not told. The author is not
/// named. `db` is in the transaction that keeps the comment.
pub async fn tell_student(
    db: &Db,
    notifier: &Notifier,
    course: CourseId,
    row: &Row,
    (author, comment): (UserId, &str),
    now: Timestamp,
) -> Result<()> {
    if !row.is_posted() {
        return Ok(());
    }
    take_turn(db, author, 1, now).await?;
    let news = News {
        name: "submission_comment",
        recipients: Recipients::Participant { course, user: row.user_id },
        subject: &subject(row),
        body: comment,
        path: &path(course, row),
        // Each comment is news of its own.
        asset: None,
    };
    notifier.tell(db, news).await?;
    Ok(())
}

/// The subject of news about a comment.
pub fn subject(row: &Row) -> String {
    format!("Comment on {}", row.assignment_name)
}
