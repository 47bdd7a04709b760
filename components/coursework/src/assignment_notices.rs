//! News for the students of a course of the work that is set them: of what is published, and of its changes.

use std::time::Instant;

use shared::background::JobOutcome;
use shared::clock::DAY;
use shared::ids::{AssignmentId, CourseId, QuizId};
use shared::notify::{News, Notifier, Recipients};
use shared::{Db, Timestamp, db};

use crate::model::assignments::{Announced, AnnouncedAssignment};
use crate::store::assignments as store;

/// The thing that is told of.
#[derive(Clone, Copy)]
pub(crate) enum Subject {
    Assignment(AssignmentId),
    Quiz(QuizId),
}

impl Subject {
    pub(crate) fn path(self, course: CourseId) -> String {
        match self {
            Self::Assignment(id) => format!("/courses/{course}/assignments/{id}"),
            Self::Quiz(id) => format!("/courses/{course}/quizzes/{id}"),
        }
    }

    pub(crate) fn asset(self) -> String {
        match self {
            Self::Assignment(id) => format!("assignment_{id}"),
            Self::Quiz(id) => format!("quiz_{id}"),
        }
    }
}

/// Tells of what was not published before, or is not as it was. `db` is in the transaction of the change.
pub(crate) async fn announce(
    db: &Db,
    notifier: &Notifier,
    course: CourseId,
    subject: Subject,
    before: Option<&Announced>,
    after: &Announced,
) -> db::Result<()> {
    if !after.is_news_after(before) {
        return Ok(());
    }
    let title = &after.title;
    let due = after.due_at.map_or_else(|| "It has no due date.".to_owned(), |due| format!("It is due {due}."));
    let (path, asset) = (subject.path(course), subject.asset());
    let tell = async |name: &str, subject: &str, body: &str| {
        let recipients = Recipients::Students { course };
        notifier.tell(db, News { name, recipients, subject, body, path: &path, asset: Some(&asset) }).await
    };
    let Some(before) = before.filter(|before| before.published) else {
        let body = format!("{title} is there to be worked on. {due}");
        return tell("assignment_created", &format!("New: {title}"), &body).await;
    };
    if before.due_at != after.due_at {
        let body = format!("The due date of {title} has changed. {due}");
        tell("assignment_due_date_changed", &format!("Due date changed: {title}"), &body).await?;
    }
    if before.differs_beside_due_date(after) {
        tell("assignment_changed", &format!("Changed: {title}"), &format!("{title} has changed.")).await?;
    }
    Ok(())
}

/// For how long before it is due students are told of work that they have not handed in.
const ALERTED_BEFORE: i64 = DAY;
/// The number of assignments that are looked at in one transaction.
const BATCH: i64 = 20;

/// Tells of work that will soon be due, once for each due date, until then.
pub(crate) async fn alert(db: &Db, notifier: &Notifier, now: Timestamp, until: Instant) -> db::Result<JobOutcome> {
    let mut all = 0;
    // Only who finds something to do holds others up.
    while store::is_to_alert(db, now, now.plus_seconds(ALERTED_BEFORE)).await? {
        if Instant::now() >= until {
            return Ok(JobOutcome { done: all, more: true });
        }
        let told = db.transaction(async |db| {
            let due = store::to_alert(db, now, now.plus_seconds(ALERTED_BEFORE), BATCH).await?;
            for assignment in &due {
                alert_of(db, notifier, assignment).await?;
            }
            Ok::<_, db::Error>(i64::try_from(due.len()).unwrap_or(BATCH))
        });
        all += told.await?;
    }
    Ok(JobOutcome { done: all, more: false })
}

async fn alert_of(db: &Db, notifier: &Notifier, assignment: &AnnouncedAssignment) -> db::Result<()> {
    let AnnouncedAssignment { id, course_id: course, name, due_at } = assignment;
    let news = News {
        name: "upcoming_assignment_alert",
        recipients: Recipients::StudentsWithoutWork { course: *course, assignment: *id },
        subject: &format!("Due soon: {name}"),
        body: &format!("{name} is due {due_at}."),
        path: &Subject::Assignment(*id).path(*course),
        asset: Some(&format!("assignment_{id}")),
    };
    notifier.tell(db, news).await
}
