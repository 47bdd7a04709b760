//! Submissions of students to the assignments of a course.

use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right, USER_ALIASES};
use shared::db::BuiltJson;
use shared::ids::{AssignmentId, IdOrAlias, SectionId, UserId};
use shared::needs::{NeededCourse, may};
use shared::pagination::Page;
use shared::params::coerce;
use shared::{Context, Error, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};
use std::collections::{BTreeMap, BTreeSet};

use crate::model::rules::graders_limit;
use crate::model::submission_includes::Include;
use crate::model::submission_order::{SubmissionDirection, SubmissionSort};
use crate::model::unsupported;
use crate::routes::assignments::submissions::built;
use crate::routes::assignments::submissions::view::{Submission, views};
use crate::store::course_submissions::{self as store, SubmissionFilter};
use crate::store::{students, submission_lists};

endpoints![list_student_submissions];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Filters {
    /// `submission_history`, `submission_comments`, `user`, `assignment`, `course`; others are passed over.
    include: Vec<String>,
    /// Users, by ids or `sis_user_id:…` and the like, or `all`; without it the caller.
    student_ids: Vec<String>,
    /// Only those for these assignments.
    assignment_ids: Vec<AssignmentId>,
    /// Only those in this state: `unsubmitted`, `submitted`, `pending_review` or `graded`.
    workflow_state: Option<String>,
    /// Only those that were handed in at that time or later.
    submitted_since: Option<Timestamp>,
    /// Only those that were graded at that time or later.
    graded_since: Option<Timestamp>,
    /// True if the list is one of students, each with all submissions.
    grouped: Option<bool>,
    /// By student and assignment unless given.
    order: Option<SubmissionSort>,
    /// Ascending unless given.
    order_direction: SubmissionDirection,
}

/// A submission, or a student with several.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum SubmissionList {
    One(Box<Submission>),
    OfStudent(OfStudent),
}

#[derive(Serialize, JsonSchema)]
struct OfStudent {
    user_id: UserId,
    section_id: SectionId,
    submissions: Vec<Submission>,
}

/// Lists submissions of students for several assignments.
///
/// Work that is graded anonymously is left out until its grade is posted.
#[endpoint(
    GET "/api/v1/courses/:course_id/students/submissions",
    students(200, "lists the caller's own"),
    unsupported(unsupported::STUDENT_SUBMISSIONS),
)]
async fn list_student_submissions(
    cx: Context,
    course: NeededCourse<may::Read>,
    query: Query<Filters>,
) -> Result<Reply<Vec<BuiltJson<SubmissionList>>>> {
    let filters = query.decode()?;
    let include = Include::of(filters.include);
    let students = students(&cx, &course, &filters.student_ids).await?;
    let caller = cx.caller()?.user;
    let are_own = students.as_ref().is_some_and(|students| students.iter().all(|student| *student == caller));
    let wanted = SubmissionFilter {
        students,
        assignments: Some(filters.assignment_ids).filter(|ids| !ids.is_empty()),
        workflow_state: filters.workflow_state,
        submitted_since: filters.submitted_since,
        graded_since: filters.graded_since,
        also_unpublished: course.can(Right::ReadAsStaff),
        section_limit: graders_limit(&course).filter(|_| !are_own),
        without_anonymous: course.can(Right::ManageGrades) && !are_own,
        sees_grading: course.can(Right::ManageGrades),
        sort: filters.order,
        direction: filters.order_direction,
    };
    let page = cx.page().await?;
    if filters.grouped == Some(true) {
        return grouped(&cx, &course, wanted, &include, &page).await;
    }
    let base_url = cx.base_url().await?;
    let shown = (base_url.as_str(), cx.now, &include);
    let submissions = submission_lists::page_of_course(&cx.db, course.id, &wanted, shown, &page).await?;
    built(&cx, &course, submissions, &include, |submission| SubmissionList::One(Box::new(submission))).await
}

/// A page of students, each with all submissions that are wanted.
async fn grouped(
    cx: &Context,
    course: &CourseAccess,
    wanted: SubmissionFilter,
    include: &Include,
    page: &Page,
) -> Result<Reply<Vec<BuiltJson<SubmissionList>>>> {
    let students =
        students::students(&cx.db, course.id, wanted.students.as_deref(), wanted.section_limit.clone(), page).await?;
    let wanted =
        SubmissionFilter { students: Some(students.items.iter().map(|student| student.user_id).collect()), ..wanted };
    let rows = store::all_of_course(&cx.db, course.id, &wanted).await?;
    let mut submissions: BTreeMap<UserId, Vec<Submission>> = BTreeMap::new();
    for submission in views(cx, course, rows, include).await? {
        if let Some(student) = submission.user_id {
            submissions.entry(student).or_default().push(submission);
        }
    }
    let students = students.then(async |student| {
        let submissions = submissions.remove(&student.user_id).unwrap_or_default();
        let students::Student { user_id, section_id } = student;
        BuiltJson::of(&SubmissionList::OfStudent(OfStudent { user_id, section_id, submissions }))
    });
    Ok(Reply::page(students.await?))
}

/// Whose submissions are asked for, `None` for everybody's whom the caller may see; 403 unless the caller may see all of them.
async fn students(cx: &Context, course: &CourseAccess, asked: &[String]) -> Result<Option<Vec<UserId>>> {
    let caller = cx.caller()?.user;
    let grades = course.can(Right::ManageGrades);
    if asked.iter().any(|word| word == "all") {
        return match grades {
            true => Ok(None),
            false => Ok(Some(own(cx, course).await?.into_iter().collect())),
        };
    }
    if asked.is_empty() {
        return Ok(Some(vec![caller]));
    }
    let NamedStudents { ids, are_all_known } = named(cx, course, asked).await?;
    let limit = graders_limit(course);
    // Of whom there is not, only those are told who would see the work of anybody.
    let may_see = match grades {
        true if limit.is_none() => true,
        _ if !are_all_known => false,
        true if students::are_students(&cx.db, course.id, &ids, limit).await? => true,
        _ => {
            let own = own(cx, course).await?;
            ids.iter().all(|id| own.contains(id))
        }
    };
    if may_see { Ok(Some(ids)) } else { Err(Error::forbidden()) }
}

/// The students whom a list names.
struct NamedStudents {
    ids: Vec<UserId>,
    /// False if there is nobody of one of the names.
    are_all_known: bool,
}

/// Finds those whom a list names by ids of an institution, all of them at once.
async fn named(cx: &Context, course: &CourseAccess, asked: &[String]) -> Result<NamedStudents> {
    let caller = cx.caller()?.user;
    let (mut ids, mut aliases) = (Vec::new(), Vec::new());
    for text in asked {
        match coerce::from_value(text.as_str().into()) {
            Ok(IdOrAlias::Own) => ids.push(caller),
            Ok(IdOrAlias::Id(id)) => ids.push(id),
            Ok(IdOrAlias::Other(kind, value)) if USER_ALIASES.contains(&kind.as_str()) => aliases.push((kind, value)),
            _ => return Err(Error::bad_request("student_ids must be ids of users, sis_…_id:… of users, or all")),
        }
    }
    let named = aliases.len();
    let found = match aliases.is_empty() {
        true => Vec::new(),
        false => students::with_aliases(&cx.db, course.root_account, aliases).await?,
    };
    let are_all_known = found.len() == named;
    ids.extend(found);
    Ok(NamedStudents { ids, are_all_known })
}

/// Those whose work the caller sees without being a grader: students their own, observers that of whom they watch over.
async fn own(cx: &Context, course: &CourseAccess) -> Result<BTreeSet<UserId>> {
    let caller = cx.caller()?.user;
    let mut own = BTreeSet::from_iter(students::observed(&cx.db, course.id, caller).await?);
    if course.is_enrolled_as("StudentEnrollment") {
        own.insert(caller);
    }
    Ok(own)
}
