//! Notices about submissions, for students and teachers.

use shared::ids::CourseId;
use shared::notify::{News, Notifier, Recipients};
use shared::outbox::Outbox;
use shared::{Db, Timestamp, db};

use crate::store::Row;

/// What somebody is told of a submission.
pub struct Notice {
    name: &'static str,
    recipients: Recipients<'static>,
    subject: String,
    body: String,
    path: String,
    asset: String,
}

impl Notice {
    /// Tells it by a statement that has more to do.
    pub(crate) fn put(&self, notifier: &Notifier, outbox: Outbox) -> db::Result<Outbox> {
        let Self { name, recipients, subject, body, path, asset } = self;
        notifier.put(News { name, recipients: *recipients, subject, body, path, asset: Some(asset) }, outbox)
    }
}

/// Tells the teachers that work was handed in; `to_read` of a quiz: there are answers that somebody must read.
pub(crate) fn handed_in(course: CourseId, row: &Row, to_read: bool) -> Notice {
    let (title, student) = (&row.assignment_name, if row.is_anonymous() { "A student" } else { &row.user_name });
    let is_late = row.due_at.zip(row.submitted_at).is_some_and(|(due, submitted)| due < submitted);
    let (name, subject, body) = match row.attempt {
        _ if to_read => (
            "submission_needs_grading",
            format!("To be graded: {title}"),
            format!("{student} has handed in {title}. Some answers must be graded by hand."),
        ),
        _ if is_late => (
            "assignment_submitted_late",
            format!("Handed in late: {title}"),
            format!("{student} has handed in {title} after its due date."),
        ),
        Some(2..) => (
            "assignment_resubmitted",
            format!("Handed in again: {title}"),
            format!("{student} has handed in {title} again."),
        ),
        _ => ("assignment_submitted", format!("Handed in: {title}"), format!("{student} has handed in {title}.")),
    };
    Notice {
        name,
        recipients: Recipients::Teachers { course, student: row.user_id },
        subject,
        body,
        path: path_for_graders(course, row),
        asset: format!("submission_{}", row.id),
    }
}

/// Tells the student of a new grade, or of another one, that is posted; `None`: there is no such grade.
pub(crate) fn graded(course: CourseId, before: &Row, row: &Row, now: Timestamp) -> Option<Notice> {
    if !row.is_posted() || row.grade.is_none() || (before.grade == row.grade && before.score == row.score) {
        return None;
    }
    let name = if before.grade.is_some() { "submission_grade_changed" } else { "submission_graded" };
    // Courses name their work alike.
    let title = format!("{} in {}", row.assignment_name, row.course_name);
    let body = match row.shows_score(now) {
        true => format!("Your grade for {title} is {}.", row.grade.as_deref().unwrap_or_default()),
        // A quiz hides its results.
        false => format!("Your work for {title} has been graded."),
    };
    Some(Notice {
        name,
        recipients: Recipients::Participant { course, user: row.user_id },
        subject: format!("Graded: {title}"),
        body,
        path: path(course, row),
        asset: format!("submission_{}", row.id),
    })
}

/// Tells the students of these submissions of one assignment that their grades can be seen.
pub async fn posted(db: &Db, notifier: &Notifier, course: CourseId, rows: &[Row], now: Timestamp) -> db::Result<()> {
    let graded: Vec<_> = rows.iter().filter(|row| row.grade.is_some() && row.shows_score(now)).collect();
    let Some(row) = graded.first() else { return Ok(()) };
    let users: Vec<_> = graded.iter().map(|row| row.user_id).collect();
    let title = format!("{} in {}", row.assignment_name, row.course_name);
    let news = News {
        name: "submission_posted",
        recipients: Recipients::Named { course, users: &users },
        subject: &format!("Graded: {title}"),
        body: &format!("Your grade for {title} can be seen now."),
        path: &format!("/courses/{course}/assignments/{}", row.assignment_id),
        asset: Some(&format!("assignment_{}", row.assignment_id)),
    };
    notifier.tell(db, news).await
}

/// The page of a submission.
pub fn path(course: CourseId, row: &Row) -> String {
    format!("/courses/{course}/assignments/{}/submissions/{}", row.assignment_id, row.user_id)
}

/// The same, or that of the assignment where graders do not see whose work it is.
pub fn path_for_graders(course: CourseId, row: &Row) -> String {
    match row.is_anonymous() {
        true => format!("/courses/{course}/assignments/{}", row.assignment_id),
        false => path(course, row),
    }
}
