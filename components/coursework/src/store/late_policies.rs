//! Late policies, and the work that follows from them.

use ::submissions::store::select_without_text;
use ::submissions::student_dates;
use serde::{Deserialize, Serialize};
use shared::clock::DAY;
use shared::db::{self, Json};
use shared::ids::{AccountId, AssignmentId, CourseId, SubmissionId, UserId};
use shared::{Db, Timestamp};

use crate::model::late_policies::{CourseLatePolicy, LatePolicyForm};
use crate::store::submissions::Row;
use crate::store::word;

const COLUMNS: &str = "id, course_id, missing_submission_deduction_enabled, missing_submission_deduction,
    late_submission_deduction_enabled, late_submission_deduction, late_submission_interval,
    late_submission_minimum_percent_enabled, late_submission_minimum_percent, created_at, updated_at";

/// The time after which a course is looked at for missing work at the latest, for those who came into it or its groups since.
const LOOK_SECONDS: i64 = DAY;

/// The late policy of a course.
pub(crate) async fn of_course(db: &Db, course: CourseId) -> db::Result<Option<CourseLatePolicy>> {
    db.fetch(&format!("SELECT {COLUMNS} FROM late_policies WHERE course_id = ?1"), (course,)).await
}

/// Gives a course a late policy; `None` where it has one.
pub(crate) async fn insert(
    db: &Db,
    course: CourseId,
    form: &LatePolicyForm,
    now: Timestamp,
) -> db::Result<Option<CourseLatePolicy>> {
    let sql = format!(
        "INSERT INTO late_policies
             (course_id, missing_submission_deduction_enabled, missing_submission_deduction,
              late_submission_deduction_enabled, late_submission_deduction, late_submission_interval,
              late_submission_minimum_percent_enabled, late_submission_minimum_percent, look_at, created_at, updated_at)
         VALUES (?1, ifnull(?2, 0), ifnull(?3, 100), ifnull(?4, 0), ifnull(?5, 0), ifnull(?6, 'day'), ifnull(?7, 0),
                 ifnull(?8, 0), iif(?2, ?9, NULL), ?9, ?9)
         ON CONFLICT DO NOTHING RETURNING {COLUMNS}"
    );
    db.fetch(&sql, values(course, form, now)).await
}

/// Changes what the form names of a course's late policy; false where it has none.
pub(crate) async fn update(db: &Db, course: CourseId, form: &LatePolicyForm, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE late_policies
               SET missing_submission_deduction_enabled = ifnull(?2, missing_submission_deduction_enabled),
                   missing_submission_deduction = ifnull(?3, missing_submission_deduction),
                   late_submission_deduction_enabled = ifnull(?4, late_submission_deduction_enabled),
                   late_submission_deduction = ifnull(?5, late_submission_deduction),
                   late_submission_interval = ifnull(?6, late_submission_interval),
                   late_submission_minimum_percent_enabled = ifnull(?7, late_submission_minimum_percent_enabled),
                   late_submission_minimum_percent = ifnull(?8, late_submission_minimum_percent),
                   look_at = iif(ifnull(?2, missing_submission_deduction_enabled), ?9, NULL),
                   revision = revision + 1, regraded_to = 0, updated_at = ?9
               WHERE course_id = ?1 RETURNING id";
    db.affects(sql, values(course, form, now)).await
}

fn values(course: CourseId, form: &LatePolicyForm, now: Timestamp) -> impl db::Binds {
    (
        course,
        form.missing_submission_deduction_enabled.into_option(),
        form.missing_submission_deduction.into_option(),
        form.late_submission_deduction_enabled.into_option(),
        form.late_submission_deduction.into_option(),
        form.late_submission_interval.into_option().and_then(word),
        form.late_submission_minimum_percent_enabled.into_option(),
        form.late_submission_minimum_percent.into_option(),
        now,
    )
}

/// A late policy for which there is work, and its course.
#[derive(Deserialize)]
pub(crate) struct PolicyAtWork {
    pub(crate) id: i64,
    pub(crate) course_id: CourseId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
    revision: i64,
}

const AT_WORK: &str = "SELECT p.id, p.course_id, c.root_account_id, c.account_id, p.revision
    FROM late_policies p JOIN courses c ON c.id = p.course_id";

/// The next policy behind that id by which submissions are to be graded anew.
pub(crate) async fn to_regrade(db: &Db, behind: i64) -> db::Result<Option<PolicyAtWork>> {
    let sql = format!("{AT_WORK} WHERE p.regraded_to IS NOT NULL AND p.id > ?1 ORDER BY p.id LIMIT 1");
    db.fetch(&sql, (behind,)).await
}

/// The next submissions of the course that the policy may grade otherwise, after those that are done, without their texts. `db` is
/// in a transaction.
pub(crate) async fn next_graded(db: &Db, policy: &PolicyAtWork, most: i64) -> db::Result<Vec<Row>> {
    let sql = format!(
        "{} WHERE s.course_id = ?1 AND s.id > (SELECT p.regraded_to FROM late_policies p WHERE p.id = ?2)
           AND s.score IS NOT NULL
         ORDER BY s.id LIMIT ?3",
        select_without_text()
    );
    db.fetch_all(&sql, (policy.course_id, policy.id, most)).await
}

/// Notes how far the submissions are graded anew, `None`: all are; unless they are to be graded once more since.
pub(crate) async fn set_regraded_to(db: &Db, policy: &PolicyAtWork, to: Option<SubmissionId>) -> db::Result<()> {
    let sql = "UPDATE late_policies SET regraded_to = ?3 WHERE id = ?1 AND revision = ?2";
    db.execute(sql, (policy.id, policy.revision, to)).await
}

/// The policies whose courses are to be looked at for missing work, those first that have waited longest.
pub(crate) async fn to_look_at(db: &Db, now: Timestamp, most: i64) -> db::Result<Vec<PolicyAtWork>> {
    let sql = format!("{AT_WORK} WHERE p.look_at <= ?1 ORDER BY p.look_at LIMIT ?2");
    db.fetch_all(&sql, (now, most)).await
}

/// Work that a student has not handed in.
#[derive(Serialize, Deserialize)]
pub(crate) struct MissingWork {
    assignment_id: AssignmentId,
    user_id: UserId,
}

/// Work of active students of the course that is missing and has no grade.
pub(crate) async fn missing(db: &Db, course: CourseId, now: Timestamp, most: i64) -> db::Result<Vec<MissingWork>> {
    let due_at = student_dates::ASSIGNMENT.due_at("e.user_id");
    let sql = format!(
        "SELECT DISTINCT a.id AS assignment_id, e.user_id
         FROM assignments a
         JOIN enrollments e ON e.course_id = a.course_id AND e.type = 'StudentEnrollment' AND e.workflow_state = 'active'
         WHERE a.course_id = ?1 AND a.workflow_state = 'published' AND a.grading_type <> 'not_graded'
           AND EXISTS (SELECT 1 FROM json_each(a.submission_types) WHERE value NOT IN ('none', 'on_paper'))
           AND NOT EXISTS (
               SELECT 1 FROM submissions s
               WHERE s.assignment_id = a.id AND s.user_id = e.user_id
                 AND (s.submitted_at IS NOT NULL OR s.graded_at IS NOT NULL
                      OR s.late_policy_status IN ('none', 'late', 'extended')))
           AND {due_at} < ?2
         LIMIT ?3"
    );
    db.fetch_all(&sql, (course, now, most)).await
}

/// The submissions of missing work, which are made where there are none: in no order, so that their ids do not tell whose they are.
/// `db` is in a transaction.
pub(crate) async fn submissions_of(db: &Db, missing: &[MissingWork], now: Timestamp) -> db::Result<Vec<Row>> {
    db.execute(
        "INSERT INTO submissions (root_account_id, course_id, assignment_id, user_id, created_at, updated_at)
         SELECT a.root_account_id, a.course_id, a.id, work.value ->> 'user_id', ?2, ?2
         FROM json_each(?1) work JOIN assignments a ON a.id = work.value ->> 'assignment_id'
         WHERE TRUE ORDER BY random() ON CONFLICT (assignment_id, user_id) DO NOTHING",
        (Json(missing), now),
    )
    .await?;
    let sql = format!(
        "{} WHERE s.id IN (
             SELECT t.id FROM json_each(?1) work
             JOIN submissions t ON t.assignment_id = work.value ->> 'assignment_id' AND t.user_id = work.value ->> 'user_id')
           AND s.submitted_at IS NULL AND s.graded_at IS NULL
         ORDER BY s.id",
        select_without_text()
    );
    db.fetch_all(&sql, (Json(missing),)).await
}

/// Grades missing work as these rows have it. `db` is in the transaction that has read them.
pub(crate) async fn set_missing(db: &Db, rows: impl Iterator<Item = &Row>, now: Timestamp) -> db::Result<()> {
    let grade = |row: &Row| serde_json::json!({ "id": row.id, "score": row.score, "grade": row.grade });
    let sql = "UPDATE submissions
         SET score = new.value ->> 'score', grade = new.value ->> 'grade', graded_at = ?2, graded_attempt = attempt,
             workflow_state = 'graded', updated_at = ?2
         FROM json_each(?1) AS new WHERE submissions.id = new.value ->> 'id'";
    db.execute(sql, (Json(rows.map(grade).collect::<Vec<_>>()), now)).await
}

/// Notes that the course has no missing work without a grade: it is looked at again when something else is due.
pub(crate) async fn set_looked_at(db: &Db, policy: &PolicyAtWork, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE late_policies
         SET look_at = min(
             ?4,
             ifnull((SELECT min(a.due_at) FROM assignments a
                     WHERE a.course_id = ?2 AND a.workflow_state <> 'deleted' AND a.due_at >= ?3), ?4),
             ifnull((SELECT min(o.due_at) FROM assignments a JOIN assignment_overrides o ON o.assignment_id = a.id
                     WHERE a.course_id = ?2 AND a.workflow_state <> 'deleted' AND o.due_at >= ?3), ?4))
         WHERE id = ?1 AND revision = ?5";
    db.execute(sql, (policy.id, policy.course_id, now, now.plus_seconds(LOOK_SECONDS), policy.revision)).await
}
