//! The lists of assignments.

use ::submissions::posting::{is_row_posted, posts_manually};
use ::submissions::student_dates;
use shared::auth::section_limit;
use shared::auth::{Right, is_staff_of_needed_sql};
use shared::clock;
use shared::clock::DAY;
use shared::db::{BuiltRow, Json};
use shared::needs::{Lookup, MatchedPath};
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Result, Timestamp};

use crate::model::assignments::{Assignment, AssignmentFilter, AssignmentOrder, Bucket};
use crate::store::CALLER;
use crate::store::assignments::{needs_grading_sql, select_records};

/// The time before its due date in which an assignment is upcoming, in seconds.
const UPCOMING_SECONDS: i64 = 7 * DAY;

/// The assignments of the course that is needed, as they are answered: all for its staff, for others those that students see.
pub(crate) struct AssignmentsOfCourse;

impl List for AssignmentsOfCourse {
    type Row = BuiltRow<Assignment>;
    const PAGES: Pages = Pages::Numbered;
    const HAS_ADDRESSES: bool = true;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let AssignmentFilter { search_term, assignment_ids, bucket, order_by, include: _ } = path.query()?;
        let term = SearchTerm::read(search_term.as_deref())?;
        let ids = Some(assignment_ids).filter(|ids| !ids.is_empty()).map(Json);
        let conditions = [
            term.as_ref().map(|term| SearchTerm::contained_sql(Some(term), &["a.name"], "?1")),
            ids.is_some().then(|| "a.id IN (SELECT value FROM json_each(?2))".to_owned()),
            bucket.map(in_bucket_sql),
        ];
        let asked: String = conditions.into_iter().flatten().map(|condition| format!(" AND {condition}")).collect();
        let is_staff = is_staff_of_needed_sql();
        let sql = format!(
            "{}
             WHERE a.course_id = caller.needed ->> 'id' AND a.workflow_state <> 'deleted'
               AND (a.workflow_state = 'published' OR {is_staff}){asked}",
            select_records(CALLER, &is_staff, "?5", "?3")
        );
        let sql = in_order_sql(&sql, order_by);
        let now: Timestamp = clock::now();
        let soon = now.plus_seconds(UPCOMING_SECONDS);
        Ok(Lookup::new(sql, (term.as_ref(), ids, now, soon, path.base_url()?)))
    }
}

/// The student whose work counts: the one whom the caller watches over, or else the caller.
const STUDENT: &str = "ifnull(
    (SELECT iif(count(DISTINCT o.associated_user_id) = 1, min(o.associated_user_id), NULL) FROM enrollments o
     WHERE o.user_id = caller.user_id AND o.course_id = a.course_id AND o.type = 'ObserverEnrollment'
       AND o.workflow_state = 'active'), caller.user_id)";

/// True if something can be handed in for it at all.
const TAKES_WORK: &str =
    "EXISTS (SELECT 1 FROM json_each(a.submission_types) type WHERE type.value NOT IN ('none', 'on_paper'))";

/// The rows of a list in their order.
fn in_order_sql(rows: &str, order: AssignmentOrder) -> String {
    match order {
        AssignmentOrder::Position => format!("{rows} ORDER BY a.id"),
        AssignmentOrder::Name => format!("{rows} ORDER BY lower(a.name), a.id"),
        // The date of the caller's own is in the records: older servers know no caller in an order.
        AssignmentOrder::DueAt => {
            format!("SELECT * FROM ({rows}) ORDER BY ifnull(record ->> 'due_at', 'undated'), record ->> 'id'")
        }
    }
}

/// True if the assignment `a` is in the bucket; `?3` is now, and `?4` the end of what is upcoming.
fn in_bucket_sql(bucket: Bucket) -> String {
    let dates = student_dates::ASSIGNMENT;
    let due_at = dates.due_at(STUDENT);
    match bucket {
        Bucket::Past => format!("{due_at} < ?3"),
        Bucket::Overdue => format!(
            "{due_at} < ?3 AND {TAKES_WORK}
             AND ifnull({} <= ?3, 1) AND ifnull({} > ?3, 1)
             AND EXISTS (SELECT 1 FROM enrollments e
                         WHERE e.user_id = {STUDENT} AND e.course_id = a.course_id AND e.type = 'StudentEnrollment'
                           AND e.workflow_state = 'active')
             AND NOT EXISTS (SELECT 1 FROM submissions s
                             WHERE s.assignment_id = a.id AND s.user_id = {STUDENT}
                               AND (s.attempt IS NOT NULL OR (s.workflow_state = 'graded' AND {})))",
            dates.unlock_at(STUDENT),
            dates.lock_at(STUDENT),
            is_row_posted("s", &posts_manually("a"))
        ),
        Bucket::Undated => format!("{due_at} IS NULL"),
        Bucket::Ungraded => format!(
            "(caller.needed ->> 'admin' OR EXISTS (
                 SELECT 1 FROM json_each(caller.needed ->> 'roles') WHERE value IN {}))
             AND EXISTS (SELECT 1 FROM submissions s WHERE s.assignment_id = a.id AND {})",
            Right::ManageGrades.roles_sql(),
            needs_grading_sql(&section_limit::of_needed_sql("caller.needed"))
        ),
        Bucket::Unsubmitted => format!(
            "{TAKES_WORK}
             AND NOT EXISTS (SELECT 1 FROM submissions s
                             WHERE s.assignment_id = a.id AND s.user_id = {STUDENT} AND s.attempt IS NOT NULL)"
        ),
        Bucket::Upcoming => format!("{due_at} BETWEEN ?3 AND ?4"),
        Bucket::Future => format!("ifnull({due_at} >= ?3, 1)"),
    }
}
