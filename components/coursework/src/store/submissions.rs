//! Submissions: found, graded and commented on.

use std::borrow::Cow;

use ::submissions::grading::Grade;
use ::submissions::late_policy::LatePolicyStatus;
pub(crate) use ::submissions::store::{Row, ensure, submission};
use ::submissions::store::{select, select_without_text};
use serde::Deserialize;
use serde_json::json;
use shared::auth::section_limit::has_student_sql;
use shared::auth::{self, CourseAccess};
use shared::db::{self, Binds, Json};
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, CourseId, SubmissionId, UserId};
use shared::needs::{Lookup, MatchedPath, OfCourse, Record, nested};
use shared::outbox::{Columns, Outbox};
use shared::{Db, Error, Result, Timestamp};

use crate::model::rules::graders_limit;
use crate::store::kept_attempts::KeptGrade;
use crate::store::submission_contents::Comment;
use crate::store::{unless_same_json, word};

/// The limits of one author's comments on a submission: so many comments, and so many bytes in all of them.
const MAX_COMMENTS: i64 = 500;
const MAX_COMMENT_BYTES: i64 = 2 * 1024 * 1024;

const COMMENTS: &str =
    "SELECT c.submission_id, c.id, c.author_id, u.name AS author_name, c.attempt, c.comment, c.created_at
    FROM submission_comments c JOIN users u ON u.id = c.author_id";

/// A submission to be changed, with the state on which the change is judged.
#[derive(Deserialize)]
pub(crate) struct KnownSubmission {
    pub(crate) submission: Json<Row>,
    /// The text that [`change`] holds against the row as it is then.
    pub(crate) state: String,
}

/// The student whom a path names, with the work for the assignment that is needed.
#[derive(Deserialize)]
pub(crate) struct KnownWork {
    pub(crate) student: UserId,
    /// True if the user is or was a student of the course.
    is_student: bool,
    /// The same of the sections that the caller is limited to.
    is_in_sections: bool,
    submission: Option<Json<Row>>,
    state: Option<String>,
}

impl KnownWork {
    /// 404 unless the user is or was a student of the course. Graders who are limited to sections find nobody but themselves
    /// in others.
    pub(crate) fn require_student(&self, course: &CourseAccess, caller: UserId) -> Result<()> {
        let is_limited = self.student != caller && graders_limit(course).is_some();
        if self.is_student && (self.is_in_sections || !is_limited) { Ok(()) } else { Err(Error::not_found()) }
    }

    /// The submission as it is, if the student has one already.
    pub(crate) fn row(&self) -> Option<&Row> {
        self.submission.as_ref().map(|submission| &submission.0)
    }

    /// The same.
    pub(crate) fn into_row(self) -> Option<Row> {
        self.submission.map(|submission| submission.0)
    }

    /// The same, to be changed.
    pub(crate) fn submission(self) -> Option<KnownSubmission> {
        self.submission.zip(self.state).map(|(submission, state)| KnownSubmission { submission, state })
    }
}

impl Record for KnownWork {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let mut values = Vec::new();
        let student = auth::user_id_sql(&path.behind("submissions")?.or_not_found()?, &mut values)?;
        Ok(Lookup::new(Self::sql(&student)?, values))
    }
}

/// The same of the work that a path names by its anonymous id.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct AnonymousWork(pub(crate) KnownWork);

impl Record for AnonymousWork {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const STUDENT: &str = "(SELECT t.user_id FROM submissions t
            WHERE t.assignment_id = caller.needed ->> 'record' ->> 'id' AND t.anonymous_id = ?1)";
        let id: String = path.behind("anonymous_submissions")?.or_not_found()?;
        Ok(Lookup::new(KnownWork::sql(STUDENT)?, (id,)))
    }
}

impl KnownWork {
    /// The work of a student, who is an expression.
    fn sql(student: &str) -> Result<String> {
        const WORK: &str = "s.assignment_id = caller.needed ->> 'record' ->> 'id' AND s.user_id = named.id";
        const COURSE: &str = "(caller.needed ->> 'course' ->> 'id')";
        const LIMIT: &str = "(caller.needed ->> 'course' ->> 'section_limit')";
        let is_in_sections = has_student_sql(LIMIT, "named.id", COURSE);
        let (submission, state) = (nested::<Row>(&format!("{} WHERE {WORK}", select()))?, state_sql(WORK));
        Ok(format!(
            "SELECT named.id AS student,
                    EXISTS (SELECT 1 FROM enrollments e
                            WHERE e.user_id = named.id AND e.course_id = {COURSE} AND e.type = 'StudentEnrollment'
                              AND e.workflow_state IN ('active', 'completed', 'inactive')) AS is_student,
                    {is_in_sections} AS is_in_sections,
                    {submission} AS submission, {state} AS state
             FROM (SELECT {student} AS id) named WHERE named.id IS NOT NULL"
        ))
    }
}

/// The submissions of a user for these assignments, in no order.
pub(crate) async fn of_user(db: &Db, user: UserId, assignments: Vec<i64>) -> db::Result<Vec<Row>> {
    let sql = format!("{} WHERE s.user_id = ?1 AND s.assignment_id IN (SELECT value FROM json_each(?2))", select());
    db.fetch_all(&sql, (user, Json(assignments))).await
}

/// The state of a submission: all that a grade is judged by, and who is told of it.
pub(crate) fn state_sql(condition: &str) -> String {
    format!(
        "(SELECT json_array(s.attempt, s.score, s.grade, s.excused, s.graded_at, s.workflow_state, a.name, a.points_possible,
                            a.grading_type, s.points_deducted, s.kept_submitted_at, s.late_policy_status,
                            s.seconds_late_override, s.posted_at, s.is_hidden, s.grader_id, s.graded_attempt, a.anonymous_grading,
                            ifnull(a.post_manually, (SELECT c.post_manually FROM courses c WHERE c.id = a.course_id)),
                            (SELECT p.revision FROM late_policies p WHERE p.course_id = a.course_id)) || ''
          FROM submissions s JOIN assignments a ON a.id = s.assignment_id WHERE {condition})"
    )
}

/// The comments on a submission, in the order in which they were made, as an expression of JSON.
fn comments_sql(submission: &str) -> db::Result<String> {
    let comment = db::json_object::<Comment>()?;
    Ok(format!(
        "(SELECT json_group_array({comment}) FROM ({COMMENTS} WHERE c.submission_id = {submission} ORDER BY c.id))"
    ))
}

/// The submission as it is now, to be changed.
pub(crate) async fn known(db: &Db, assignment: AssignmentId, user: UserId) -> Result<Option<KnownSubmission>> {
    const WORK: &str = "s.assignment_id = ?1 AND s.user_id = ?2";
    let submission = nested::<Row>(&format!("{} WHERE {WORK}", select()))?;
    let sql = format!(
        "SELECT {submission} AS submission, {} AS state FROM submissions WHERE assignment_id = ?1 AND user_id = ?2",
        state_sql(WORK)
    );
    Ok(db.fetch(&sql, (assignment, user)).await?)
}

/// The same where the student may have none yet: it begins as one of nothing.
pub(crate) async fn begun(db: &Db, assignment: AssignmentId, user: UserId, now: Timestamp) -> Result<KnownSubmission> {
    ensure(db, assignment, user, now).await?;
    known(db, assignment, user).await?.or_not_found()
}

/// An assignment whose submissions are listed.
#[derive(Deserialize)]
pub(crate) struct AssignmentWithWork {
    pub(crate) id: AssignmentId,
    /// True if there are students who have no submission yet: see [`ensure_all`].
    pub(crate) lacks_submissions: bool,
}

impl OfCourse for AssignmentWithWork {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        // As sets: so nothing is looked up for each student.
        let sql = format!(
            "SELECT a.id, EXISTS (
                 SELECT e.user_id {} EXCEPT SELECT s.user_id FROM submissions s WHERE s.assignment_id = ?1
             ) AS lacks_submissions
             FROM assignments a WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'",
            students_sql("course.id")
        );
        Ok(sql.into())
    }
}

/// Gives every student of the course a submission, who has none yet: in no order, so that their ids do not tell whose they are.
pub(crate) async fn ensure_all(db: &Db, course: CourseId, assignment: AssignmentId, now: Timestamp) -> db::Result<()> {
    let sql = format!(
        "INSERT INTO submissions (root_account_id, course_id, assignment_id, user_id, created_at, updated_at)
         SELECT root_account_id, course_id, id, user_id, ?3, ?3
         FROM assignments JOIN (
             SELECT e.user_id {} EXCEPT SELECT s.user_id FROM submissions s WHERE s.assignment_id = ?2)
         WHERE id = ?2
         ORDER BY random() ON CONFLICT (assignment_id, user_id) DO NOTHING",
        students_sql("?1")
    );
    db.execute(&sql, (course, assignment, now)).await
}

/// The enrollments `e` of those who are or were students of the course.
fn students_sql(course: &str) -> String {
    format!(
        "FROM enrollments e
         WHERE e.course_id = {course} AND e.type = 'StudentEnrollment'
           AND e.workflow_state IN ('active', 'completed', 'inactive')"
    )
}

/// A grade that somebody gives.
pub(crate) struct GivenGrade {
    /// After what lateness costs.
    pub(crate) grade: Grade,
    pub(crate) excused: bool,
    pub(crate) late_policy_status: Option<LatePolicyStatus>,
    pub(crate) seconds_late_override: Option<i64>,
    /// `None`: it follows from attempts, or is taken away.
    pub(crate) grader: Option<UserId>,
    /// The attempts at a quiz that it follows from.
    pub(crate) kept: Option<KeptGrade>,
}

impl GivenGrade {
    /// The submission that has it: what is handed in now is graded, or nothing.
    fn over(&self, before: &Row, now: Timestamp) -> Row {
        let is_graded = self.grade.score.is_some() || self.excused;
        let latest = self.kept.as_ref().map(|kept| kept.latest);
        let workflow_state = match &self.kept {
            Some(kept) if latest == before.attempt => {
                if kept.is_complete {
                    "graded"
                } else {
                    "pending_review"
                }
            }
            // Something was handed in since.
            Some(_) => "submitted",
            None if is_graded => "graded",
            None if before.attempt.is_none() => "unsubmitted",
            None => "submitted",
        };
        Row {
            score: self.grade.score,
            grade: self.grade.grade.clone(),
            points_deducted: self.grade.points_deducted,
            kept_submitted_at: self.kept.as_ref().map(|kept| kept.submitted_at),
            excused: self.excused,
            grader_id: self.grader,
            graded_at: is_graded.then_some(now),
            graded_attempt: latest.or(before.attempt),
            late_policy_status: self.late_policy_status,
            seconds_late_override: self.seconds_late_override,
            workflow_state: workflow_state.to_owned(),
            updated_at: now,
            ..before.clone()
        }
    }
}

/// What becomes of a submission.
pub(crate) struct Change {
    /// The submission as it is then.
    pub(crate) row: Row,
    /// The grade of the attempt that is graded, where one is.
    own: Option<Grade>,
}

impl Change {
    /// It gets a grade: of what is handed in now, or of nothing.
    pub(crate) fn graded(before: &Row, given: GivenGrade, now: Timestamp) -> Self {
        let row = given.over(before, now);
        let own = given.kept.map_or(given.grade, |kept| kept.own);
        Self { own: row.graded_attempt.map(|_| own), row }
    }

    /// A grader says something about lateness, and it costs that of the grade that there is.
    pub(crate) fn of_lateness(row: Row, now: Timestamp) -> Self {
        Self { row: Row { updated_at: now, ..row }, own: None }
    }

    /// Something that is told of it is not as it was.
    pub(crate) fn of_nothing(before: &Row, now: Timestamp) -> Self {
        Self { row: Row { updated_at: now, ..before.clone() }, own: None }
    }

    /// The grade of the attempt, for its version.
    fn version(&self) -> Option<Json<serde_json::Value>> {
        let own = self.own.as_ref()?;
        Some(Json(json!({ "attempt": self.row.graded_attempt, "score": own.score, "grade": own.grade })))
    }
}

/// A submission as a change has left it.
#[derive(Deserialize)]
pub(crate) struct Changed {
    /// The comments on it.
    pub(crate) comments: Json<Vec<Comment>>,
    /// True if events are queued.
    pub(crate) has_events: bool,
}

/// Changes a submission and queues what is told of it, in one statement; nothing where the submission is not any more in the state
/// in which it was read.
pub(crate) async fn change(
    db: &Db,
    known: &KnownSubmission,
    change: &Change,
    outbox: Outbox,
) -> Result<Option<Changed>> {
    let row = &change.row;
    let values = (
        row.id,
        row.score,
        row.grade.as_ref(),
        row.excused,
        row.grader_id,
        row.graded_at,
        row.graded_attempt,
        row.workflow_state.as_str(),
        row.points_deducted,
        row.kept_submitted_at,
        row.late_policy_status.and_then(word),
        row.seconds_late_override,
        row.updated_at,
        known.state.as_str(),
        change.version(),
    );
    let mut values = values.values();
    let Columns { events, messages } = outbox.columns(&mut values);
    let sql = format!(
        "UPDATE graded_submissions
         SET score = {}, grade = ?3, excused = ?4, grader_id = ?5, graded_at = ?6, graded_attempt = ?7, workflow_state = ?8,
             points_deducted = {}, kept_submitted_at = ?10, late_policy_status = ?11, seconds_late_override = ?12,
             updated_at = ?13, version = ?15, events = {events}, messages = {messages}
         WHERE id = ?1 AND {} = ?14",
        unless_same_json("score", "?2"),
        unless_same_json("points_deducted", "?9"),
        state_sql("s.id = ?1")
    );
    let read = format!(
        "SELECT {} AS comments, ifnull(graded_submissions.events, '[]') <> '[]' AS has_events",
        comments_sql("?1")?
    );
    Ok(db.write_and_read(&sql, &read, values).await?)
}

/// The submissions of an assignment that have points, without their texts.
pub(crate) async fn graded(db: &Db, assignment: AssignmentId) -> db::Result<Vec<Row>> {
    db.fetch_all(
        &format!("{} WHERE s.assignment_id = ?1 AND s.score IS NOT NULL ORDER BY s.id", select_without_text()),
        (assignment,),
    )
    .await
}

/// Gives submissions other grades: shown in another way, or after other deductions for lateness. Each row stands beside how it was
/// before. `db` is in the transaction that has read them.
pub(crate) async fn set_regraded(db: &Db, rows: &[(Row, Row)], now: Timestamp) -> db::Result<()> {
    // Points that do not change stay as they are, to the last digit.
    let grade = |(before, row): &(Row, Row)| {
        json!({ "id": row.id, "grade": row.grade, "deducted": row.points_deducted,
                "score": row.score.filter(|_| row.score != before.score) })
    };
    let grades: Vec<_> = rows.iter().map(grade).collect();
    // The version of the attempt that is graded follows where it has the same grade, as where a person gave it.
    let versions = "UPDATE submission_versions SET score = new.value ->> 'score', grade = new.value ->> 'grade'
         FROM json_each(?1) AS new JOIN submissions s ON s.id = new.value ->> 'id'
         WHERE submission_versions.submission_id = s.id AND submission_versions.attempt = s.graded_attempt
           AND submission_versions.score = s.score AND new.value ->> 'score' IS NOT NULL";
    db.execute(versions, (Json(&grades),)).await?;
    let sql = "UPDATE submissions
         SET score = ifnull(new.value ->> 'score', score), grade = new.value ->> 'grade',
             points_deducted = new.value ->> 'deducted', updated_at = ?2
         FROM json_each(?1) AS new
         WHERE submissions.id = new.value ->> 'id'
           AND (submissions.grade IS NOT new.value ->> 'grade' OR new.value ->> 'score' IS NOT NULL
                OR submissions.points_deducted IS NOT new.value ->> 'deducted')";
    db.execute(sql, (Json(grades), now)).await
}

/// Adds a comment, and answers all of the submission; `None` where the author has said so much about it that no more is kept.
pub(crate) async fn comment(
    db: &Db,
    id: SubmissionId,
    author: UserId,
    comment: String,
    now: Timestamp,
) -> Result<Option<Vec<Comment>>> {
    #[derive(Deserialize)]
    struct Comments {
        comments: Json<Vec<Comment>>,
    }
    let comments: Option<Comments> = db
        .write_and_read(
            "INSERT INTO submission_comments (submission_id, author_id, attempt, comment, created_at)
             SELECT id, ?2, attempt, ?3, ?4 FROM submissions
             WHERE id = ?1 AND (
                 SELECT count(*) < ?5 AND total(length(CAST(c.comment AS BLOB))) + length(CAST(?3 AS BLOB)) <= ?6
                 FROM submission_comments c WHERE c.submission_id = ?1 AND c.author_id = ?2)",
            &format!("SELECT {} AS comments", comments_sql("submission_comments.submission_id")?),
            (id, author, comment, now, MAX_COMMENTS, MAX_COMMENT_BYTES),
        )
        .await?;
    Ok(comments.map(|Comments { comments: Json(comments) }| comments))
}
