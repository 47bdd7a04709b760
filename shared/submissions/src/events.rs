//! Events about submissions, for tools.
//!
//! See "Effects elsewhere" in `docs/contract/coursework.md`.

use shared::auth::CourseAccess;
use shared::ids::{AssignmentId, QuizSubmissionId, UserId};
use shared::live_events::{self, Cause, Event, GradeChange, Place, QuizSubmitted};
use shared::notify::Notifier;
use shared::{Context, Db, Result, Timestamp, background};

use crate::lateness::Lateness;
use crate::store::Row;

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

    /// Something was handed in, be it for the first time or again.
    pub async fn handed_in(&mut self, db: &Db, row: &Row) -> Result<()> {
        self.record(db, Event::SubmissionCreated(described(row, self.now))).await
    }

    /// The grade is not as it was, if it is not as it was.
    pub async fn graded(&mut self, db: &Db, before: &Row, row: &Row) -> Result<()> {
        self.record_all(db, grade_change(before, row).into_iter().collect()).await
    }

    /// The same of several submissions, each with how it was before.
    pub async fn graded_all(&mut self, db: &Db, rows: &[(Row, Row)]) -> Result<()> {
        self.record_all(db, rows.iter().filter_map(|(before, row)| grade_change(before, row)).collect()).await
    }

    /// Something else changed about a submission, and perhaps its grade. Of what is not submitted nobody is told.
    pub async fn graded_and_updated(&mut self, db: &Db, before: &Row, row: &Row) -> Result<()> {
        self.record_all(db, grade_change(before, row).into_iter().chain(self.update(row)).collect()).await
    }

    /// The same of several submissions, each with how it was before.
    pub async fn graded_and_updated_all(&mut self, db: &Db, rows: &[(Row, Row)]) -> Result<()> {
        let events =
            rows.iter().flat_map(|(before, row)| grade_change(before, row).into_iter().chain(self.update(row)));
        self.record_all(db, events.collect()).await
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

    /// An attempt at a quiz was handed in. `quiz` is the classic quiz, or the assignment of a new one.
    pub async fn quiz_submitted(
        &mut self,
        db: &Db,
        quiz_submission_id: QuizSubmissionId,
        quiz: i64,
        user_id: UserId,
    ) -> Result<()> {
        self.record(db, Event::QuizSubmitted(QuizSubmitted { quiz_submission_id, quiz_id: quiz, user_id })).await
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
