//! Lists of submissions, as graders see them.
//!
//! The statement writes the records. Where one takes more than it knows, such as the points that lateness has cost, the address of
//! a file or whose anonymous work it is, it leaves the record to be built of its [`Row`].

use ::submissions::posting::is_row_posted;
use ::submissions::store::{Row, select_page};
use shared::auth::SectionLimit;
use shared::auth::section_limit::{self, has_section_sql};
use shared::clock;
use shared::db::{self, Binds, BuiltRow};
use shared::ids::{AssignmentId, CourseId};
use shared::needs::{Lookup, MatchedPath};
use shared::pagination::{BuiltPage, ListStatement, Page};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::submission_includes::Include;
use crate::store::course_submissions::{SubmissionFilter, of_course};

/// The submissions of the assignment that is needed, one for each student who takes part or has taken part, in the sections
/// that the caller is limited to.
pub(crate) struct SubmissionsOfAssignment;

impl List for SubmissionsOfAssignment {
    type Row = BuiltRow<Row>;
    const PAGES: Pages = Pages::Numbered;
    const HAS_ADDRESSES: bool = true;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        const ASSIGNMENT: &str = "(caller.needed ->> 'record' ->> 'id')";
        let limit = section_limit::of_needed_sql("caller.needed ->> 'course'");
        let include: Include = path.query()?;
        let values = (path.base_url()?, clock::now(), include.is_plain());
        Ok(Lookup::new(ids_sql(ASSIGNMENT, &limit), values).shown_by(records_sql(["?1", "?2", "?3"])?))
    }
}

/// The same, of an assignment that is known.
pub(crate) async fn page(
    db: &Db,
    assignment: AssignmentId,
    limit: SectionLimit,
    (base_url, now, include): (&str, Timestamp, &Include),
    page: &Page,
) -> Result<BuiltPage<Row>> {
    let (found, shown) = (ids_sql("?1", "?2"), records_sql(["?3", "?4", "?5"])?);
    let list = ListStatement::from(&found).shown_by(&shown);
    page.fetch_built(db, list, (assignment, limit, base_url, now, include.is_plain())).await
}

/// The submissions of a course that are wanted. Whoever does not see grades before they are posted has them built of their rows.
pub(crate) async fn page_of_course(
    db: &Db,
    course: CourseId,
    filter: &SubmissionFilter,
    (base_url, now, include): (&str, Timestamp, &Include),
    page: &Page,
) -> Result<BuiltPage<Row>> {
    const FOUND: &str = "SELECT s.id FROM submissions s JOIN assignments a ON a.id = s.assignment_id
         LEFT JOIN courses c ON c.id = a.course_id";
    let (found, shown) = (of_course(FOUND, filter), records_sql(["?10", "?11", "?12"])?);
    let list = ListStatement::from(&found).shown_by(&shown);
    let mut values = filter.binds(course).values();
    values.extend((base_url, now, filter.sees_grading && include.is_plain()).values());
    page.fetch_built(db, list, values).await
}

/// Assignment and limit are one row beside the submissions, so that they are looked up once and not for each of them.
fn ids_sql(assignment: &str, limit: &str) -> String {
    format!(
        "SELECT s.id FROM submissions s JOIN assignments a ON a.id = s.assignment_id
         JOIN (SELECT {assignment} AS assignment_id, {limit} AS sections) wanted
         WHERE s.assignment_id = wanted.assignment_id AND EXISTS (
             SELECT 1 FROM enrollments e
             WHERE e.user_id = s.user_id AND e.course_id = s.course_id AND e.type = 'StudentEnrollment'
               AND e.workflow_state IN ('active', 'completed', 'inactive') AND {})
         ORDER BY iif(a.anonymous_grading, s.anonymous_id, NULL), s.user_id",
        has_section_sql("wanted.sections", "e.course_section_id")
    )
}

/// The submissions whose ids are in the table `page`. The parameters are the service's own address, the time, and whether nothing
/// is asked for beside the submissions, as a grader sees them.
fn records_sql([base_url, now, is_plain]: [&str; 3]) -> Result<String> {
    // What the view of a row says of it: see `routes::assignments::submissions::view`.
    const IS_LATE: &str = "s.submitted_at > s.due_at";
    const SECONDS_LATE: &str = "unixepoch(s.submitted_at) - unixepoch(s.due_at)";
    const IS_MATCHING: &str = "s.graded_at IS NULL OR s.graded_attempt IS s.attempt";
    let is_missing = format!(
        "iif(s.submitted_at IS NULL AND s.due_at < {now} AND NOT s.excused
             AND NOT (s.workflow_state = 'graded' AND s.grader_id IS NOT NULL),
             EXISTS (SELECT 1 FROM json_each(s.submission_types) type WHERE type.value NOT IN ('none', 'on_paper')), 0)"
    );
    let is_posted = is_row_posted("s", "s.posts_manually");
    let record = format!(
        r#"concat('{{"id":', s.id, ',"assignment_id":', s.assignment_id, ',"user_id":', s.user_id,
            ',"attempt":', ifnull(s.attempt, 'null'), ',"submission_type":', json_quote(s.submission_type),
            ',"body":', json_quote(s.body), ',"url":', json_quote(s.url), ',"submitted_at":', json_quote(s.submitted_at),
            ',"score":', ifnull(s.score, 'null'), ',"grade":', json_quote(s.grade),
            ',"entered_score":', ifnull(s.score, 'null'), ',"entered_grade":', json_quote(s.grade),
            ',"excused":', iif(s.excused, 'true', 'false'), ',"grader_id":', ifnull(s.grader_id, 'null'),
            ',"graded_at":', json_quote(s.graded_at),
            ',"posted_at":', json_quote(iif({is_posted}, ifnull(s.posted_at, s.graded_at), NULL)),
            ',"grade_matches_current_submission":', iif({IS_MATCHING}, 'true', 'false'),
            ',"workflow_state":"', s.workflow_state,
            iif({IS_LATE}, '","late":true,"missing":false,"seconds_late":' || ({SECONDS_LATE}),
                iif({is_missing}, '","late":false,"missing":true,"seconds_late":0',
                    '","late":false,"missing":false,"seconds_late":0')),
            ',"late_policy_status":null,"points_deducted":null,"cached_due_date":', json_quote(s.due_at),
            ',"redo_request":false,"extra_attempts":null,"assignment_visible":true,"preview_url":"', {base_url},
            '/courses/', s.course_id, '/assignments/', s.assignment_id, '/submissions/', s.user_id,
            '?preview=1&version=', ifnull(s.attempt, 0), '"}}')"#
    );
    Ok(format!(
        "SELECT iif({is_plain} AND NOT s.anonymous_grading AND s.points_deducted IS NULL AND s.late_policy_status IS NULL
                    AND s.attachment_ids = '[]' AND s.quiz IS NULL, {record}, {}) AS record
         FROM ({}) s",
        db::unbuilt(&db::json_array::<Row>()?),
        select_page()
    ))
}
