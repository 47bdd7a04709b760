//! Events about submissions, for tools.
//!
//! See "Effects elsewhere" in `docs/contract/coursework.md`.

use shared::auth::CourseAccess;
use shared::ids::{AssignmentId, CourseId, UserId};
use shared::live_events::{self, Cause, Event, GradeChange, Place, QuizSubmitted};
use shared::notify::Notifier;
use shared::outbox::Outbox;
use shared::{Context, Db, Result, Timestamp, background};

use crate::lateness::Lateness;
use crate::notices;
use crate::store::Row;

/// Work that was handed in.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    pub course: CourseId,
    /// The submission before, where a grade follows from the work.
    pub before: Option<&'a Row>,
    pub row: &'a Row,
    /// The attempt at a quiz that it is.
    pub quiz: Option<QuizSubmitted>,
    /// True of a quiz in which there are answers that somebody must read.
    pub to_read: bool,
}

/// Whoever records events in a transaction, and sends them on when it has ended well.
pub struct Events {
    cause: Cause,
    place: Place,
    now: Timestamp,
    told: bool,
    notifier: Notifier,
}

impl Events {
    /// Of what the request does in that place.
    pub async fn of(cx: &Context, course: &CourseAccess, assignment: Option<AssignmentId>) -> Result<Self> {
        let place = Place::in_course(course.root_account, course.account, course.id, assignment);
        let notifier = Notifier::of(cx).await?;
        Ok(Self { cause: Cause::of(cx).await?, place, now: cx.now, told: false, notifier })
    }

    /// Of what is done in that place for a student whose time is over.
    pub async fn of_student(cx: &Context, place: Place, student: UserId) -> Result<Self> {
        let cause = Cause::of_job(cx, student, place.root_account).await?;
        Ok(Self { cause, place, now: cx.now, told: false, notifier: Notifier::of_job(cx).await? })
    }

    /// Of what the service does in that place by itself.
    pub async fn of_service(cx: &Context, place: Place) -> Result<Self> {
        let cause = Cause::of_service(cx).await?;
        Ok(Self { cause, place, now: cx.now, told: false, notifier: Notifier::of_job(cx).await? })
    }

    /// By which users are told of the same.
    pub fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// What is told of work that was handed in: to the teachers and to tools, with the attempt at a quiz that it is, and the grade
    /// that follows from it, if it is not as it was.
    pub fn of_work(&self, work: &Work<'_>) -> Result<Outbox> {
        let Work { course, before, row, quiz, to_read } = *work;
        let created = Event::SubmissionCreated(described(row, self.now));
        let quiz = quiz.map(Event::QuizSubmitted);
        let graded = before.and_then(|before| grade_change(before, row));
        let outbox = self.outbox(quiz.into_iter().chain([created]).chain(graded).collect());
        Ok(notices::handed_in(course, row, to_read).put(&self.notifier, outbox)?)
    }

    /// What is told of a submission that was graded, or about which something else has changed: to the student, if the grade is not
    /// as it was, and to tools. Of what is not submitted tools are told the grade alone.
    pub fn of_grade(&self, course: CourseId, before: &Row, row: &Row) -> Result<Outbox> {
        let outbox = self.outbox(grade_change(before, row).into_iter().chain(self.update(row)).collect());
        match notices::graded(course, before, row, self.now) {
            Some(notice) => Ok(notice.put(&self.notifier, outbox)?),
            None => Ok(outbox),
        }
    }

    fn outbox(&self, events: Vec<Event>) -> Outbox {
        Outbox::default().with_events(live_events::rows(&self.cause, self.place, &events))
    }

    /// Queues that, in the transaction of the change.
    pub async fn queue(&mut self, db: &Db, outbox: Outbox) -> Result<()> {
        let has_events = outbox.queue(db).await?;
        self.queued(has_events);
        Ok(())
    }

    /// Notes that the statement of the change has queued it, and whether there are events.
    pub fn queued(&mut self, has_events: bool) {
        self.told |= has_events;
    }

    /// Tells tools of grades that are not as they were, each with the submission as it was before.
    pub async fn graded_all(&mut self, db: &Db, rows: &[(Row, Row)]) -> Result<()> {
        self.record_all(db, rows.iter().filter_map(|(before, row)| grade_change(before, row)).collect()).await
    }

    /// Grades were posted, or hidden.
    pub async fn updated_all(&mut self, db: &Db, rows: &[Row]) -> Result<()> {
        self.record_all(db, rows.iter().filter_map(|row| self.update(row)).collect()).await
    }

    fn update(&self, row: &Row) -> Option<Event> {
        (row.workflow_state != "unsubmitted").then(|| Event::SubmissionUpdated(described(row, self.now)))
    }

    /// A grader wants the tools to look at it again.
    pub async fn resubmitted(&mut self, db: &Db, row: &Row) -> Result<()> {
        self.record(db, Event::PlagiarismResubmit(described(row, self.now))).await
    }

    /// An attempt at a quiz was handed in that is no submission.
    pub async fn quiz_submitted(&mut self, db: &Db, quiz: QuizSubmitted) -> Result<()> {
        self.record(db, Event::QuizSubmitted(quiz)).await
    }

    /// Sends on what was recorded: to be called when it is committed.
    pub fn send(self) {
        if self.told {
            background::run_soon();
        }
    }

    async fn record(&mut self, db: &Db, event: Event) -> Result<()> {
        self.record_all(db, vec![event]).await
    }

    async fn record_all(&mut self, db: &Db, events: Vec<Event>) -> Result<()> {
        self.told |= live_events::record_all(db, &self.cause, self.place, &events).await?;
        Ok(())
    }
}

/// The change of a grade, if there is one.
fn grade_change(before: &Row, row: &Row) -> Option<Event> {
    let same = before.score == row.score
        && before.grade == row.grade
        && before.excused == row.excused
        && before.points_possible == row.points_possible;
    let change = || GradeChange {
        submission_id: row.id,
        assignment_id: row.assignment_id,
        assignment_name: row.assignment_name.clone(),
        grade: row.grade.clone(),
        old_grade: before.grade.clone(),
        score: row.score,
        old_score: before.score,
        points_possible: row.points_possible,
        old_points_possible: before.points_possible,
        grader_id: row.grader_id,
        student_id: row.user_id,
        grading_complete: row.workflow_state == "graded",
        muted: !row.is_posted(),
    };
    (!same).then(|| Event::GradeChange(change()))
}

fn described(row: &Row, now: Timestamp) -> live_events::Submission {
    let Lateness { late, missing, .. } = Lateness::of(row, row.submitted_at, now);
    live_events::Submission {
        submission_id: row.id,
        assignment_id: row.assignment_id,
        lti_assignment_id: row.lti_context_id.clone(),
        user_id: row.user_id,
        submission_type: row.submission_type.clone(),
        body: row.body.as_deref().map(live_events::cut),
        url: row.url.clone(),
        attempt: row.attempt,
        submitted_at: row.submitted_at,
        graded_at: row.graded_at,
        posted_at: row.shown_posted_at(),
        score: row.score,
        grade: row.grade.clone(),
        late,
        missing,
        workflow_state: row.workflow_state.clone(),
        updated_at: row.updated_at,
    }
}
