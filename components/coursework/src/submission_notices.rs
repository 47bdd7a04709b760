//! Notices about submissions, for students and teachers.

use serde::Deserialize;
use shared::ids::{CourseId, UserId};
use shared::notify::{Notification, notify};
use shared::throttle::{self, Limit, Turn};
use shared::{Db, Error, Result, Timestamp, db};

use crate::store::submissions::Row;

/// How many people the comments of one author are sent to.
const TOLD_OF_COMMENTS: Limit = Limit { most: 1000, seconds: 3600 };

/// Tells the student of a new grade, or of another one.
pub(crate) async fn graded(db: &Db, before: &Row, row: &Row, now: Timestamp) -> db::Result<()> {
    if row.grade.is_none() || (before.grade == row.grade && before.score == row.score) {
        return Ok(());
    }
    let name = if before.grade.is_some() { "submission_grade_changed" } else { "submission_graded" };
    let title = &row.assignment_name;
    let body = match row.shows_score(now) {
        true => format!("Your grade for {title} is {}.", row.grade.as_deref().unwrap_or_default()),
        // A quiz hides its results.
        false => format!("Your work for {title} has been graded."),
    };
    let told = Notification {
        name,
        users: &[row.user_id],
        subject: &format!("Graded: {title}"),
        body: &body,
        asset: Some(&format!("submission_{}", row.id)),
        now,
    };
    notify(db, &told).await
}

/// Tells the student what a teacher says, and the teachers what the student says. Nothing is said in silence: whoever may send
/// no more says no more either.
pub(crate) async fn commented(
    db: &Db,
    course: CourseId,
    row: &Row,
    author: UserId,
    comment: &str,
    now: Timestamp,
) -> Result<()> {
    let (name, users) = match author == row.user_id {
        true => ("submission_comment_for_teacher", teachers(db, course).await?),
        false => ("submission_comment", vec![row.user_id]),
    };
    let (key, told) = (format!("submission-comments/{author}"), i64::try_from(users.len()).unwrap_or(i64::MAX));
    if let Turn::Wait { seconds } = throttle::take_several(db, &key, told, TOLD_OF_COMMENTS, now).await? {
        return Err(Error::throttled(seconds));
    }
    let subject = format!("Comment on {}", row.assignment_name);
    // Each comment is news of its own.
    notify(db, &Notification { name, users: &users, subject: &subject, body: comment, asset: None, now }).await?;
    Ok(())
}

async fn teachers(db: &Db, course: CourseId) -> db::Result<Vec<UserId>> {
    #[derive(Deserialize)]
    struct Teacher {
        user_id: UserId,
    }
    let sql = "SELECT DISTINCT user_id FROM enrollments
         WHERE course_id = ?1 AND type IN ('TeacherEnrollment', 'TaEnrollment') AND workflow_state = 'active'";
    let teachers: Vec<Teacher> = db.fetch_all(sql, (course,)).await?;
    Ok(teachers.into_iter().map(|teacher| teacher.user_id).collect())
}
