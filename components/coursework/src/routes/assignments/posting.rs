//! Posting: students see grades and comments from now on, or not any more.

use ::submissions::events::Events;
use ::submissions::notices;
use serde::{Deserialize, Serialize};
use shared::ids::SectionId;
use shared::needs::{NeededInCourse, may};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::store::graded_assignments::GradedAssignment;
use crate::store::posting::{self as store, Posting};
use crate::store::submissions;

/// The most sections of one request.
const MAX_SECTIONS: usize = 500;
/// The number of submissions that are told of in one statement.
const CHUNK: usize = 100;

endpoints![post_assignment_grades, hide_assignment_grades];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PostForm {
    /// True: those of work that is graded alone. Otherwise what is graded later is seen at once, too.
    graded_only: bool,
    /// Those of students of these sections alone: 500 at most.
    section_ids: Vec<SectionId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct HideForm {
    /// Those of students of these sections alone: 500 at most.
    section_ids: Vec<SectionId>,
}

#[derive(Serialize, JsonSchema)]
struct PostedGrades {
    /// The number of submissions that were posted, and were not before.
    posted: usize,
}

#[derive(Serialize, JsonSchema)]
struct HiddenGrades {
    /// The number of submissions that were hidden, and were not before.
    hidden: usize,
}

/// Posts the grades of an assignment: students see them, and are told.
///
/// A grader who is limited to sections posts those of their students.
#[endpoint(PUT "/api/v1/courses/:course_id/assignments/:assignment_id/post_grades")]
async fn post_assignment_grades(
    cx: Context,
    assignment: NeededInCourse<GradedAssignment, may::ManageGrades>,
    body: Form<PostForm>,
) -> Result<Reply<PostedGrades>> {
    let PostForm { graded_only, section_ids } = body.decode()?;
    let posted = set_posted(&cx, &assignment, Posting::Posted { graded_only }, section_ids).await?;
    Ok(Reply::ok(PostedGrades { posted }))
}

/// Hides the grades of an assignment: students do not see them until they are posted.
///
/// A grader who is limited to sections hides those of their students.
#[endpoint(PUT "/api/v1/courses/:course_id/assignments/:assignment_id/hide_grades")]
async fn hide_assignment_grades(
    cx: Context,
    assignment: NeededInCourse<GradedAssignment, may::ManageGrades>,
    body: Form<HideForm>,
) -> Result<Reply<HiddenGrades>> {
    let HideForm { section_ids } = body.decode()?;
    let hidden = set_posted(&cx, &assignment, Posting::Hidden, section_ids).await?;
    Ok(Reply::ok(HiddenGrades { hidden }))
}

async fn set_posted(
    cx: &Context,
    assignment: &NeededInCourse<GradedAssignment, may::ManageGrades>,
    posting: Posting,
    sections: Vec<SectionId>,
) -> Result<usize> {
    let (course, id) = (&assignment.course, assignment.id);
    if sections.len() > MAX_SECTIONS {
        return Err(Error::bad_request(format!("section_ids are too many (maximum is {MAX_SECTIONS})")));
    }
    if !store::are_sections_of(&cx.db, course.id, &sections).await? {
        return Err(Error::invalid("section_ids", "invalid", "are not all sections of the course"));
    }
    let sections = Some(sections).filter(|sections| !sections.is_empty());
    let mut events = Events::of(cx, course, Some(id)).await?;
    let changed = cx.db.transaction(async |db| {
        if posting.is_for_all() {
            submissions::ensure_all(db, course.id, id, cx.now).await?;
        }
        let ids = store::to_change(db, id, posting, course.section_limit(), sections.as_deref()).await?;
        store::set(db, &ids, posting, cx.now).await?;
        for ids in ids.chunks(CHUNK) {
            let rows = store::rows(db, ids).await?;
            if posting != Posting::Hidden {
                notices::posted(db, events.notifier(), course.id, &rows, cx.now).await?;
            }
            events.updated_all(db, &rows).await?;
        }
        Ok::<_, Error>(ids.len())
    });
    let changed = changed.await?;
    events.send();
    Ok(changed)
}
