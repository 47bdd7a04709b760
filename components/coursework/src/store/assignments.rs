//! Assignments.

use std::borrow::Cow;

use ::submissions::grading::GradingType;
use ::submissions::posting;
use ::submissions::student_dates;
use ::submissions::submission_types::SubmissionType;
use serde::Deserialize;
use shared::auth::section_limit::has_section_sql;
use shared::auth::{CourseAccess, SectionLimit};
use shared::db::{self, Changes, Json};
use shared::ids::{AssignmentId, CourseId, UserId};
use shared::needs::{OfCourse, nested};
use shared::{Db, Patch, Result, Timestamp};
use uuid::Uuid;

use crate::model::assignments::{Announced, AnnouncedAssignment, Assignment};
use crate::store::{CALLER, HAS_WORK, unless_same_json, word};

/// The assignments `a` with their quizzes: `n` where they stand for a new one, `z` where they hold the grades of a classic one.
const ASSIGNMENTS: &str = "assignments a
        LEFT JOIN new_quizzes n ON n.assignment_id = a.id
        LEFT JOIN quizzes z ON z.assignment_id = a.id";

/// The columns of an assignment, as it is for nobody in particular.
pub(super) fn select() -> String {
    select_for(None)
}

/// The same with the dates of a student, who is an expression. What there is one of at most is joined, because a statement in a
/// column begins anew for each row.
pub(super) fn select_for(student: Option<&str>) -> String {
    let dates = student_dates::ASSIGNMENT.columns(student);
    format!(
        "SELECT a.id, a.course_id, a.name, a.description, a.points_possible, {dates},
            a.grading_type, a.submission_types, a.assignment_group_id, a.allowed_attempts, a.lti_context_id,
            a.workflow_state, a.created_at, a.updated_at,
            a.workflow_state = 'published' AS published, {} AS post_manually,
            a.anonymous_grading,
            {HAS_WORK} AS has_submitted_submissions,
            n.assignment_id IS NOT NULL AS is_quiz_lti_assignment,
            z.id AS quiz_id, a.position, {} AS muted, a.has_overrides, {IS_FOR_SOME} AS only_visible_to_overrides
        FROM {ASSIGNMENTS} LEFT JOIN courses c ON c.id = a.course_id",
        posts_manually(),
        is_muted()
    )
}

/// True if its quiz is for those students alone for whom there are overrides.
const IS_FOR_SOME: &str = "ifnull(z.settings ->> 'only_visible_to_overrides', 0)";

fn posts_manually() -> String {
    posting::posts_manually_or("a", "c.post_manually")
}

/// True if grades of the assignment `a` are posted by hand, and none is.
fn is_muted() -> String {
    format!(
        "({} AND NOT EXISTS (SELECT 1 FROM submissions s WHERE s.assignment_id = a.id AND s.posted_at IS NOT NULL))",
        posts_manually()
    )
}

/// The end of a record of the assignment `a`: when it is open, and whether it is locked for the student
/// ([`Lock`](crate::model::locks::Lock)). The dates stand there once, because texts of statements cost, and of assignments without any
/// nothing is worked out.
fn open_dates_sql(student: &str, is_staff: &str, now: &str) -> String {
    let dates = student_dates::ASSIGNMENT;
    let [unlock_at, lock_at] = [dates.unlock_at(student), dates.lock_at(student)];
    format!(
        r#"iif(a.unlock_at IS NULL AND a.lock_at IS NULL AND NOT a.has_overrides,
            ',"unlock_at":null,"lock_at":null,"locked_for_user":false',
            (SELECT concat(',"unlock_at":', json_quote(own.unlock_at), ',"lock_at":', json_quote(own.lock_at), CASE
                 WHEN own.unlock_at > {now} AND NOT {is_staff} THEN concat(
                     ',"locked_for_user":true,"lock_info":{{"asset_string":"assignment_', a.id, '","unlock_at":"', own.unlock_at,
                     '"}},"lock_explanation":"This assignment is locked until ', own.unlock_at, '."')
                 WHEN own.lock_at <= {now} AND NOT {is_staff} THEN concat(
                     ',"locked_for_user":true,"lock_info":{{"asset_string":"assignment_', a.id, '","lock_at":"', own.lock_at,
                     '","can_view":true}},"lock_explanation":"This assignment was locked ', own.lock_at, '."')
                 ELSE ',"locked_for_user":false' END)
             FROM (SELECT {unlock_at} AS unlock_at, {lock_at} AS lock_at) own))"#
    )
}

/// The records of assignments as they are answered ([`AssignmentView`](crate::model::assignments::AssignmentView)), with the dates
/// of a student. Student, whether it is one of the staff, address and moment are expressions.
pub(super) fn select_records(student: &str, is_staff: &str, base_url: &str, now: &str) -> String {
    let (due_at, open_dates) = (student_dates::ASSIGNMENT.due_at(student), open_dates_sql(student, is_staff, now));
    format!(
        r#"SELECT concat(
            '{{"id":', a.id, ',"course_id":', a.course_id, ',"name":', json_quote(a.name),
            ',"description":', json_quote(a.description), ',"points_possible":', json_quote(a.points_possible),
            ',"due_at":', json_quote({due_at}), ',"lti_context_id":', json_quote(a.lti_context_id),
            ',"grading_type":"', a.grading_type, '","submission_types":', a.submission_types,
            ',"assignment_group_id":', ifnull(a.assignment_group_id, 'null'),
            ',"allowed_attempts":', a.allowed_attempts, ',"position":', a.position,
            ',"workflow_state":"', a.workflow_state,
            '","published":', iif(a.workflow_state = 'published', 'true', 'false'),
            iif({HAS_WORK}, ',"has_submitted_submissions":true,"unpublishable":false',
                            ',"has_submitted_submissions":false,"unpublishable":true'),
            ',"post_manually":', iif({}, 'true', 'false'), ',"anonymous_grading":', iif(a.anonymous_grading, 'true', 'false'),
            ',"is_quiz_lti_assignment":', iif(n.assignment_id IS NULL, 'false', 'true'), ',"quiz_id":' || z.id,
            ',"created_at":"', a.created_at, '","updated_at":"', a.updated_at, '","html_url":',
            json_quote(concat({base_url}, '/courses/', a.course_id, '/assignments/', a.id)),
            ',"muted":', iif({}, 'true', 'false'), ',"has_overrides":', iif(a.has_overrides, 'true', 'false'),
            ',"only_visible_to_overrides":', iif({IS_FOR_SOME}, 'true', 'false'), {open_dates},
            ',"omit_from_final_grade":false,"peer_reviews":false,"group_category_id":null,"grading_standard_id":null,',
            '"integration_id":null,"integration_data":{{}}}}') AS record
        FROM {ASSIGNMENTS} LEFT JOIN courses c ON c.id = a.course_id"#,
        posts_manually(),
        is_muted()
    )
}

/// An assignment to be changed, with the state on which the change is judged.
#[derive(Deserialize)]
pub(crate) struct KnownAssignment {
    pub(crate) assignment: Json<Assignment>,
    /// The text that [`update`] holds against the row as it is then.
    pub(crate) state: String,
}

/// The state of an assignment, by the name or alias of its table: all that is set of it, also as a quiz, and whether students
/// have begun something for it.
pub(super) fn state_sql(table: &str) -> String {
    format!(
        "(SELECT json_array(a.name, a.description, a.points_possible, a.due_at, a.unlock_at, a.lock_at, a.grading_type,
                            a.submission_types, a.assignment_group_id, a.allowed_attempts, a.workflow_state,
                            n.quiz_settings, z.id, {HAS_WORK}) || ''
          FROM {ASSIGNMENTS} WHERE a.id = {table}.id)"
    )
}

/// The columns of [`KnownAssignment`] for the assignment `known`.
pub(super) fn known_columns() -> Result<String> {
    let assignment = nested::<Assignment>(&format!("{} WHERE a.id = known.id", select()))?;
    Ok(format!("{assignment} AS assignment, {} AS state", state_sql("known")))
}

/// The columns of an assignment that are set.
pub(crate) struct Fields {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) grading_type: GradingType,
    pub(crate) submission_types: Json<Vec<SubmissionType>>,
    pub(crate) assignment_group_id: Option<i64>,
    /// -1: without end.
    pub(crate) allowed_attempts: i64,
    pub(crate) published: bool,
    /// Null: as the course does. Absent: as it is.
    pub(crate) post_manually: Patch<bool>,
    /// Null or absent: as it is.
    pub(crate) anonymous_grading: Patch<bool>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: None,
            points_possible: None,
            due_at: None,
            unlock_at: None,
            lock_at: None,
            grading_type: GradingType::default(),
            submission_types: Json(vec![SubmissionType::None]),
            assignment_group_id: None,
            allowed_attempts: -1,
            published: false,
            post_manually: Patch::Absent,
            anonymous_grading: Patch::Absent,
        }
    }
}

impl Fields {
    /// The fields as they are.
    pub(crate) fn of(assignment: &Assignment) -> Self {
        Self {
            name: assignment.name.clone(),
            description: assignment.description.clone(),
            points_possible: assignment.points_possible,
            due_at: assignment.due_at,
            unlock_at: assignment.unlock_at,
            lock_at: assignment.lock_at,
            grading_type: assignment.grading_type,
            submission_types: assignment.submission_types.clone(),
            assignment_group_id: assignment.assignment_group_id,
            allowed_attempts: assignment.allowed_attempts,
            published: assignment.published,
            post_manually: Patch::Absent,
            anonymous_grading: Patch::Absent,
        }
    }

    /// What is said of the way in which grades are given and posted.
    fn grading(&self) -> Changes {
        let changes = Changes::default().set("post_manually", self.post_manually);
        changes.set("anonymous_grading", self.anonymous_grading)
    }

    /// The part of it that students are told.
    pub(crate) fn announced(&self) -> Announced {
        Announced {
            title: self.name.clone(),
            description: self.description.clone(),
            points_possible: self.points_possible,
            due_at: self.due_at,
            unlock_at: self.unlock_at,
            lock_at: self.lock_at,
            published: self.published,
        }
    }
}

impl OfCourse for Assignment {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        let select = select_for(Some(CALLER));
        Ok(format!("{select} WHERE a.id = ?1 AND a.course_id = course.id AND a.workflow_state <> 'deleted'").into())
    }
}

impl OfCourse for KnownAssignment {
    const WORDS: &'static [&'static str] = &["assignments"];

    fn sql() -> Result<Cow<'static, str>> {
        let columns = known_columns()?;
        Ok(format!(
            "SELECT {columns} FROM assignments known
             WHERE known.id = ?1 AND known.course_id = course.id AND known.workflow_state <> 'deleted'"
        )
        .into())
    }
}

/// The assignment as it is now, to be changed.
pub(crate) async fn known(db: &Db, id: AssignmentId) -> Result<Option<KnownAssignment>> {
    let columns = known_columns()?;
    let sql =
        format!("SELECT {columns} FROM assignments known WHERE known.id = ?1 AND known.workflow_state <> 'deleted'");
    Ok(db.fetch(&sql, (id,)).await?)
}

pub(crate) async fn assignment(db: &Db, course: CourseId, id: AssignmentId) -> db::Result<Option<Assignment>> {
    let sql = format!("{} WHERE a.id = ?1 AND a.course_id = ?2 AND a.workflow_state <> 'deleted'", select());
    db.fetch(&sql, (id, course)).await
}

/// The assignments of these ids, in no order, with the dates that they have for the user.
pub(crate) async fn with_ids(db: &Db, ids: Vec<i64>, user: UserId) -> db::Result<Vec<Assignment>> {
    let sql = format!("{} WHERE a.id IN (SELECT value FROM json_each(?1))", select_for(Some("?2")));
    db.fetch_all(&sql, (Json(ids), user)).await
}

/// How much work for each of these assignments waits for a grade, of students of the sections of the limit. Where there is none the
/// assignment is left out.
pub(crate) async fn needs_grading_counts(
    db: &Db,
    ids: Vec<i64>,
    limit: SectionLimit,
) -> db::Result<Vec<(AssignmentId, i64)>> {
    #[derive(Deserialize)]
    struct Count {
        id: AssignmentId,
        count: i64,
    }
    let sql = format!(
        "SELECT s.assignment_id AS id, count(*) AS count FROM submissions s
         WHERE s.assignment_id IN (SELECT value FROM json_each(?1)) AND {} GROUP BY s.assignment_id",
        needs_grading_sql("?2")
    );
    let counts: Vec<Count> = db.fetch_all(&sql, (Json(ids), limit)).await?;
    Ok(counts.into_iter().map(|Count { id, count }| (id, count)).collect())
}

/// True if the submission `s` waits for a grade, and is one of an active student of the sections of a limit, which is an expression.
pub(super) fn needs_grading_sql(limit: &str) -> String {
    format!(
        "s.attempt IS NOT NULL AND s.workflow_state IN ('submitted', 'pending_review') AND NOT s.excused
         AND EXISTS (SELECT 1 FROM enrollments e
                     WHERE e.user_id = s.user_id AND e.course_id = s.course_id
                       AND e.type = 'StudentEnrollment' AND e.workflow_state = 'active' AND {})",
        has_section_sql(limit, "e.course_section_id")
    )
}

pub(crate) async fn insert(db: &Db, course: &CourseAccess, fields: Fields, now: Timestamp) -> db::Result<Assignment> {
    let select = format!("{} WHERE a.id = assignments.id", select());
    let grading = fields.grading();
    let made = db
        .write_and_read(
            "INSERT INTO assignments
                 (root_account_id, course_id, name, description, points_possible, due_at, unlock_at, lock_at,
                  grading_type, submission_types, assignment_group_id, workflow_state, created_at, updated_at,
                  allowed_attempts, lti_context_id, post_manually, anonymous_grading, position)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, iif(?12, 'published', 'unpublished'), ?13, ?13, ?14, ?15,
                     ?16 ->> 'post_manually', ifnull(?16 ->> 'anonymous_grading', 0),
                     1 + ifnull((SELECT position FROM assignments WHERE course_id = ?2 AND workflow_state <> 'deleted'
                                 ORDER BY id DESC LIMIT 1), 0))",
            &select,
            (
                course.root_account,
                course.id,
                fields.name,
                fields.description,
                fields.points_possible,
                fields.due_at,
                fields.unlock_at,
                fields.lock_at,
                word(fields.grading_type),
                fields.submission_types,
                fields.assignment_group_id,
                fields.published,
                now,
                fields.allowed_attempts,
                // Where it has none, a trigger gives it one after it was read.
                Uuid::new_v4().to_string(),
                grading,
            ),
        )
        .await?;
    made.ok_or(db::Error::NoRow)
}

/// Changes an assignment that is still in the state in which it was read; nothing otherwise.
pub(crate) async fn update(
    db: &Db,
    id: AssignmentId,
    state: &str,
    fields: Fields,
    now: Timestamp,
) -> db::Result<Option<Assignment>> {
    let write = format!(
        "UPDATE assignments
         SET name = ?2, description = ?3, points_possible = {}, due_at = ?5, unlock_at = ?6, lock_at = ?7,
             grading_type = ?8, submission_types = ?9, assignment_group_id = ?10,
             workflow_state = iif(?11, 'published', 'unpublished'), updated_at = ?12, allowed_attempts = ?13,
             {}
         WHERE id = ?1 AND {} = ?14",
        unless_same_json("points_possible", "?4"),
        Changes::assignments(15, &["anonymous_grading"], &["post_manually"]),
        state_sql("assignments")
    );
    let select = format!("{} WHERE a.id = assignments.id", select());
    let grading = fields.grading();
    db.write_and_read(
        &write,
        &select,
        (
            id,
            fields.name,
            fields.description,
            fields.points_possible,
            fields.due_at,
            fields.unlock_at,
            fields.lock_at,
            word(fields.grading_type),
            fields.submission_types,
            fields.assignment_group_id,
            fields.published,
            now,
            fields.allowed_attempts,
            state,
            grading,
        ),
    )
    .await
}

/// Makes the quiz whose grades an assignment holds what the assignment is.
pub(crate) async fn update_quiz_of(db: &Db, id: AssignmentId) -> db::Result<()> {
    db.execute(
        "UPDATE quizzes
         SET title = a.name, description = a.description, due_at = a.due_at, unlock_at = a.unlock_at,
             lock_at = a.lock_at, updated_at = a.updated_at,
             published_at = iif(a.workflow_state = 'published' AND quizzes.workflow_state <> 'available',
                                a.updated_at, published_at),
             workflow_state = CASE
                 WHEN a.workflow_state = 'published' THEN 'available'
                 WHEN quizzes.workflow_state = 'available' THEN 'unpublished'
                 ELSE quizzes.workflow_state
             END
         FROM assignments a WHERE a.id = ?1 AND quizzes.assignment_id = a.id",
        (id,),
    )
    .await
}

const TO_ALERT: &str = "workflow_state = 'published' AND due_at IS NOT NULL AND alerted_due_at IS NOT due_at
    AND due_at > ?1 AND due_at <= ?2";

/// True if there is such an assignment as [`to_alert`] answers.
pub(crate) async fn is_to_alert(db: &Db, after: Timestamp, until: Timestamp) -> db::Result<bool> {
    db.affects(&format!("SELECT 1 AS found FROM assignments WHERE {TO_ALERT} LIMIT 1"), (after, until)).await
}

/// Published assignments that are due between two moments, and of whose due date nobody was told yet; notes that they are.
/// `db` is in a transaction.
pub(crate) async fn to_alert(
    db: &Db,
    after: Timestamp,
    until: Timestamp,
    most: i64,
) -> db::Result<Vec<AnnouncedAssignment>> {
    let due = format!("SELECT id, course_id, name, due_at FROM assignments WHERE {TO_ALERT} ORDER BY due_at LIMIT ?3");
    let due: Vec<AnnouncedAssignment> = db.fetch_all(&due, (after, until, most)).await?;
    if !due.is_empty() {
        let ids: Vec<_> = due.iter().map(|assignment| assignment.id).collect();
        let noted = "UPDATE assignments SET alerted_due_at = due_at WHERE id IN (SELECT value FROM json_each(?1))";
        db.execute(noted, (Json(ids),)).await?;
    }
    Ok(due)
}

pub(crate) async fn delete(db: &Db, id: AssignmentId, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE assignments SET workflow_state = 'deleted', updated_at = ?2
               WHERE id = ?1 AND workflow_state <> 'deleted' RETURNING id";
    db.affects(sql, (id, now)).await
}
