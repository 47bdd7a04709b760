//! The submissions of a course, by who wants which of them.

use ::submissions::posting::{is_row_posted, posts_manually_or};
use ::submissions::store::{Row, select_without_text};
use serde_json::Value;
use shared::auth::SectionLimit;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, Binds, Json};
use shared::ids::{AssignmentId, CourseId, UserId};
use shared::{Db, Timestamp};

use crate::model::submission_order::{SubmissionDirection, SubmissionSort};

/// The filter of a course's submissions.
#[derive(Default)]
pub(crate) struct SubmissionFilter {
    /// `None`: of everybody.
    pub(crate) students: Option<Vec<UserId>>,
    /// `None`: for every assignment.
    pub(crate) assignments: Option<Vec<AssignmentId>>,
    pub(crate) workflow_state: Option<String>,
    pub(crate) submitted_since: Option<Timestamp>,
    pub(crate) graded_since: Option<Timestamp>,
    pub(crate) also_unpublished: bool,
    /// The sections whose students' submissions are listed.
    pub(crate) section_limit: SectionLimit,
    /// True if work is left out of which graders do not see whose it is.
    pub(crate) without_anonymous: bool,
    /// True if the reader sees grades before they are posted. Otherwise the list is filtered and ordered as it is shown.
    pub(crate) sees_grading: bool,
    /// Student by student unless given.
    pub(crate) sort: Option<SubmissionSort>,
    pub(crate) direction: SubmissionDirection,
}

/// All submissions of a course that are wanted, without texts: for as many students as are on a page, each of whom has as many as
/// there are assignments.
pub(crate) async fn all_of_course(db: &Db, course: CourseId, filter: &SubmissionFilter) -> db::Result<Vec<Row>> {
    db.fetch_all(&of_course(&select_without_text(), filter), filter.binds(course)).await
}

/// The same with the columns that `select` has of submissions `s`, assignments `a` and courses `c`.
pub(super) fn of_course(select: &str, filter: &SubmissionFilter) -> String {
    let ShownColumns { workflow_state, graded_at } = ShownColumns::to(filter.sees_grading);
    // All that is wanted of the course is counted for the pages, and so may be put in order.
    let order = match (filter.sort, filter.direction) {
        (Some(SubmissionSort::Id), SubmissionDirection::Ascending) => "s.id".to_owned(),
        (Some(SubmissionSort::Id), SubmissionDirection::Descending) => "s.id DESC".to_owned(),
        (Some(SubmissionSort::GradedAt), SubmissionDirection::Ascending) => format!("{graded_at}, s.id"),
        (Some(SubmissionSort::GradedAt), SubmissionDirection::Descending) => format!("{graded_at} DESC, s.id DESC"),
        (None, SubmissionDirection::Ascending) => "s.user_id, s.assignment_id".to_owned(),
        (None, SubmissionDirection::Descending) => "s.user_id DESC, s.assignment_id DESC".to_owned(),
    };
    // What is not asked for does not stand there: so indexes serve what is.
    let asked = [
        filter.students.as_ref().map(|_| "s.user_id IN (SELECT value FROM json_each(?2))".to_owned()),
        filter.assignments.as_ref().map(|_| "s.assignment_id IN (SELECT value FROM json_each(?3))".to_owned()),
        filter.workflow_state.as_ref().map(|_| format!("{workflow_state} = ?4")),
        filter.submitted_since.map(|_| "s.submitted_at >= ?5".to_owned()),
        filter.graded_since.map(|_| format!("{graded_at} >= ?6")),
    ];
    let asked: String = asked.into_iter().flatten().map(|condition| format!(" AND {condition}")).collect();
    format!(
        "{select} WHERE s.course_id = ?1 AND a.workflow_state <> 'deleted' AND (?7 OR a.workflow_state = 'published'){asked}
           AND NOT (?9 AND a.anonymous_grading AND NOT {})
           AND {}
         ORDER BY {order}",
        is_row_posted("s", &posts_manually_or("a", "c.post_manually")),
        has_student_sql("?8", "s.user_id", "s.course_id")
    )
}

/// What a reader is shown of columns that tell of grades, as expressions.
struct ShownColumns {
    workflow_state: String,
    graded_at: String,
}

impl ShownColumns {
    fn to(sees_grading: bool) -> Self {
        if sees_grading {
            return Self { workflow_state: "s.workflow_state".to_owned(), graded_at: "s.graded_at".to_owned() };
        }
        let is_posted = is_row_posted("s", &posts_manually_or("a", "c.post_manually"));
        Self {
            workflow_state: format!(
                "iif({is_posted}, s.workflow_state, iif(s.attempt IS NULL, 'unsubmitted', 'submitted'))"
            ),
            graded_at: format!("iif({is_posted}, s.graded_at, NULL)"),
        }
    }
}

impl SubmissionFilter {
    /// The values of `?1` to `?9`.
    pub(super) fn binds(&self, course: CourseId) -> impl Binds {
        let students = self.students.as_ref().map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>());
        let assignments = self.assignments.as_ref().map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>());
        (
            course,
            students.map(|ids| Json(Value::from(ids))),
            assignments.map(|ids| Json(Value::from(ids))),
            self.workflow_state.clone(),
            self.submitted_since,
            self.graded_since,
            self.also_unpublished,
            self.section_limit.clone(),
            self.without_anonymous,
        )
    }
}
