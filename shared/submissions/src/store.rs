//! Submissions: the row of each student, and attempts at new quizzes that become one.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AssignmentId, AttachmentId, SubmissionId, UserId};
use shared::{Db, Timestamp};

use crate::grading::{Grade, GradingType, Scale};
use crate::late_policy::{LatePolicy, LatePolicyStatus};
use crate::posting;
use crate::quiz_results::GradedQuiz;
use crate::student_dates;
use crate::submission_types::SubmissionType;

/// The late policy `p`, as JSON.
const LATE_POLICY: &str = "json_object(
    'missing_submission_deduction_enabled', json(iif(p.missing_submission_deduction_enabled, 'true', 'false')),
    'missing_submission_deduction', p.missing_submission_deduction,
    'late_submission_deduction_enabled', json(iif(p.late_submission_deduction_enabled, 'true', 'false')),
    'late_submission_deduction', p.late_submission_deduction,
    'late_submission_interval', p.late_submission_interval,
    'late_submission_minimum_percent_enabled', json(iif(p.late_submission_minimum_percent_enabled, 'true', 'false')),
    'late_submission_minimum_percent', p.late_submission_minimum_percent)";

/// The columns of [`Row`], from `submissions s`, `assignments a` and `courses c`.
pub fn select() -> String {
    select_with("s.body", "submissions s")
}

/// The same of the submissions whose ids are in the table `page`, in their order.
pub fn select_page() -> String {
    select_with("s.body", "page CROSS JOIN submissions s ON s.id = page.id")
}

/// The same without texts, for many at once.
pub fn select_without_text() -> String {
    select_with("NULL", "submissions s")
}

/// What there is one of at most is joined, because a statement in a column begins anew for each row.
fn select_with(body: &str, submissions: &str) -> String {
    let due_at = student_dates::ASSIGNMENT.due_at("s.user_id");
    let (policy, posts_manually) = (LATE_POLICY, posting::posts_manually_or("a", "c.post_manually"));
    format!(
        "SELECT s.id, a.course_id, s.assignment_id, s.user_id, s.attempt, s.submission_type, {body} AS body, s.url, s.submitted_at,
            s.score, s.grade, s.excused, s.grader_id, s.graded_at, s.graded_attempt, s.workflow_state, s.updated_at,
            s.points_deducted, s.kept_submitted_at, s.late_policy_status, s.seconds_late_override,
            s.posted_at, s.is_hidden, {posts_manually} AS posts_manually, s.anonymous_id, a.anonymous_grading,
            iif(p.id IS NULL, NULL, {policy}) AS late_policy, u.name AS user_name, a.name AS assignment_name,
            c.name AS course_name,
            {due_at} AS due_at,
            a.points_possible, a.grading_type, a.submission_types, a.lti_context_id,
            (SELECT json_group_array(attachment_id) FROM (
                SELECT t.attachment_id FROM submission_attachments t
                WHERE t.submission_id = s.id AND t.attempt = s.attempt ORDER BY t.position)) AS attachment_ids,
            iif(z.id IS NULL, NULL, json_object('settings', json(z.settings), 'progress', json((
                SELECT json_object('attempt', q.attempt, 'is_running', json(iif(q.workflow_state = 'untaken', 'true', 'false')),
                                   'results_seen_attempt', q.results_seen_attempt,
                                   'extra_attempts', (SELECT x.extra_attempts FROM quiz_extensions x
                                                      WHERE x.quiz_id = q.quiz_id AND x.user_id = q.user_id))
                FROM quiz_submissions q WHERE q.quiz_id = z.id AND q.user_id = s.user_id)))) AS quiz
        FROM {submissions} JOIN assignments a ON a.id = s.assignment_id
        LEFT JOIN courses c ON c.id = a.course_id LEFT JOIN users u ON u.id = s.user_id
        LEFT JOIN late_policies p ON p.course_id = a.course_id
        LEFT JOIN quizzes z ON z.assignment_id = a.id AND z.workflow_state <> 'deleted'"
    )
}

/// A submission with what is needed of its assignment.
#[derive(Deserialize, Clone)]
pub struct Row {
    pub id: SubmissionId,
    pub assignment_id: AssignmentId,
    pub user_id: UserId,
    pub attempt: Option<i64>,
    pub submission_type: Option<String>,
    pub body: Option<String>,
    pub url: Option<String>,
    pub submitted_at: Option<Timestamp>,
    pub score: Option<f64>,
    pub grade: Option<String>,
    pub excused: bool,
    pub grader_id: Option<UserId>,
    pub graded_at: Option<Timestamp>,
    pub graded_attempt: Option<i64>,
    pub workflow_state: String,
    pub updated_at: Timestamp,
    /// The points that lateness has cost, which `score` is without.
    pub points_deducted: Option<f64>,
    /// When the attempt was handed in whose score the quiz keeps; `None`: no quiz has given the grade.
    pub kept_submitted_at: Option<Timestamp>,
    /// When the grade was posted by hand.
    pub posted_at: Option<Timestamp>,
    pub is_hidden: bool,
    /// True if grades of the assignment are posted by hand.
    pub posts_manually: bool,
    /// By what graders know work that is graded anonymously.
    pub anonymous_id: Option<String>,
    pub anonymous_grading: bool,
    /// What a grader says about lateness; `None`: the dates tell.
    pub late_policy_status: Option<LatePolicyStatus>,
    pub seconds_late_override: Option<i64>,
    /// That of the course.
    pub late_policy: Option<Json<LatePolicy>>,
    pub user_name: String,
    pub assignment_name: String,
    pub course_name: String,
    pub due_at: Option<Timestamp>,
    pub points_possible: Option<f64>,
    pub grading_type: GradingType,
    pub submission_types: Json<Vec<SubmissionType>>,
    pub lti_context_id: Option<String>,
    pub attachment_ids: Json<Vec<AttachmentId>>,
    /// The classic quiz whose grade it holds.
    pub quiz: Option<Json<GradedQuiz>>,
}

impl Row {
    /// True if the student sees score and grade.
    pub fn shows_score(&self, now: Timestamp) -> bool {
        self.is_posted() && self.quiz.as_ref().is_none_or(|quiz| quiz.0.shows_score(now))
    }

    /// True if what a grader says is there for the student to see.
    pub fn is_posted(&self) -> bool {
        !self.is_hidden && (self.posted_at.is_some() || !self.posts_manually)
    }

    /// The same as it is shown to whoever does not see what graders say.
    #[must_use]
    pub fn without_grading(self) -> Self {
        Self {
            workflow_state: if self.attempt.is_some() { "submitted" } else { "unsubmitted" }.to_owned(),
            score: None,
            grade: None,
            points_deducted: None,
            kept_submitted_at: None,
            excused: false,
            grader_id: None,
            graded_at: None,
            graded_attempt: None,
            late_policy_status: None,
            seconds_late_override: None,
            ..self
        }
    }

    /// True if graders do not see whose work it is.
    pub fn is_anonymous(&self) -> bool {
        self.anonymous_grading && !self.is_posted()
    }

    /// When the grade was posted, by hand or by being given; `None`: the student does not see it.
    pub fn shown_posted_at(&self) -> Option<Timestamp> {
        self.posted_at.or(self.graded_at).filter(|_| self.is_posted())
    }

    pub fn scale(&self) -> Scale {
        Scale { grading_type: self.grading_type, points_possible: self.points_possible }
    }
}

/// The submission of a user for an assignment.
pub async fn submission(db: &Db, assignment: AssignmentId, user: UserId) -> db::Result<Option<Row>> {
    db.fetch(&format!("{} WHERE s.assignment_id = ?1 AND s.user_id = ?2", select()), (assignment, user)).await
}

/// Gives the student a submission where there is none yet.
pub async fn ensure(db: &Db, assignment: AssignmentId, user: UserId, now: Timestamp) -> db::Result<()> {
    db.execute(
        "INSERT INTO submissions (root_account_id, course_id, assignment_id, user_id, created_at, updated_at)
         SELECT root_account_id, course_id, id, ?2, ?3, ?3 FROM assignments WHERE id = ?1
         ON CONFLICT (assignment_id, user_id) DO NOTHING",
        (assignment, user, now),
    )
    .await
}

/// Makes an attempt at a new quiz what the student has handed in. `db` is in a transaction.
pub async fn hand_in_attempt(
    db: &Db,
    assignment: AssignmentId,
    user: UserId,
    attempt: i64,
    now: Timestamp,
) -> db::Result<()> {
    db.execute(
        "UPDATE submissions
         SET attempt = ?3, submission_type = 'basic_lti_launch', body = NULL, url = NULL, submitted_at = ?4,
             workflow_state = 'submitted', updated_at = ?4
         WHERE assignment_id = ?1 AND user_id = ?2",
        (assignment, user, attempt, now),
    )
    .await?;
    db.execute(
        "INSERT INTO submission_versions (submission_id, attempt, submission_type, submitted_at)
         SELECT id, attempt, submission_type, submitted_at FROM submissions WHERE assignment_id = ?1 AND user_id = ?2",
        (assignment, user),
    )
    .await
}

/// An attempt at a new quiz that a program has scored.
pub struct GradedAttempt {
    pub attempt: i64,
    pub submitted_at: Timestamp,
    /// The grade that the quiz keeps of all attempts, after what lateness costs: see [`Row::deduct`].
    pub kept: Grade,
    /// When the attempt was handed in that it is of.
    pub kept_submitted_at: Timestamp,
    /// The grade of this attempt.
    pub own: Grade,
    /// False: there are answers that somebody must read.
    pub is_complete: bool,
}

/// Makes a scored attempt what the student has handed in, with the grade that is kept. `db` is in a transaction.
pub async fn hand_in_graded(db: &Db, before: &Row, graded: &GradedAttempt, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE submissions
         SET attempt = ?2, submission_type = 'basic_lti_launch', body = NULL, url = NULL, submitted_at = ?3, score = ?4,
             grade = ?5, points_deducted = ?8, kept_submitted_at = ?9, excused = 0, grader_id = NULL, graded_at = ?7,
             graded_attempt = ?2, workflow_state = iif(?6, 'graded', 'pending_review'), updated_at = ?7
         WHERE id = ?1",
        (
            before.id,
            graded.attempt,
            graded.submitted_at,
            graded.kept.score,
            graded.kept.grade.clone(),
            graded.is_complete,
            now,
            graded.kept.points_deducted,
            graded.kept_submitted_at,
        ),
    )
    .await?;
    db.execute(
        "INSERT INTO submission_versions (submission_id, attempt, submission_type, submitted_at, score, grade)
         VALUES (?1, ?2, 'basic_lti_launch', ?3, ?4, ?5)",
        (before.id, graded.attempt, graded.submitted_at, graded.own.score, graded.own.grade.clone()),
    )
    .await
}

/// An attempt at a quiz whose points a person has given.
pub struct AttemptGrade {
    pub attempt: i64,
    /// The grade of this attempt.
    pub own: Grade,
    /// The attempt whose state that of the submission is, if nothing else was handed in since; `None`: the state stays.
    pub latest: Option<i64>,
    /// The grade that the quiz keeps of all attempts, after what lateness costs: see [`Row::deduct`].
    pub kept: Grade,
    /// When the attempt was handed in that it is of.
    pub kept_submitted_at: Option<Timestamp>,
    /// False: there are answers that somebody must read.
    pub is_complete: bool,
    /// `None`: comments alone have changed.
    pub grader: Option<UserId>,
}

/// Grades an attempt that is handed in. Who is excused stays so, without a grade. `db` is in a transaction.
pub async fn grade_attempt(db: &Db, before: &Row, graded: &AttemptGrade, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE submissions
         SET score = iif(excused, score, ?2), grade = iif(excused, grade, ?3),
             points_deducted = iif(excused, points_deducted, ?8),
             kept_submitted_at = iif(excused, kept_submitted_at, ?9),
             grader_id = iif(excused OR ?4 IS NULL, grader_id, ?4), graded_at = iif(excused OR ?4 IS NULL, graded_at, ?7),
             graded_attempt = iif(attempt = ?5, ?5, graded_attempt),
             workflow_state = iif(attempt = ?5 AND NOT excused, iif(?6, 'graded', 'pending_review'), workflow_state),
             updated_at = ?7
         WHERE id = ?1",
        (
            before.id,
            graded.kept.score,
            graded.kept.grade.clone(),
            graded.grader,
            graded.latest,
            graded.is_complete,
            now,
            graded.kept.points_deducted,
            graded.kept_submitted_at,
        ),
    )
    .await?;
    db.execute(
        "UPDATE submission_versions SET score = ?3, grade = ?4 WHERE submission_id = ?1 AND attempt = ?2",
        (before.id, graded.attempt, graded.own.score, graded.own.grade.clone()),
    )
    .await
}
