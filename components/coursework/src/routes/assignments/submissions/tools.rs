//! The parts of a submission beside its content and its grade: the upload of its files, and a word to the tools that
//! look for plagiarism.

use ::submissions::events::Events;
use ::submissions::rules::require_read;
use ::submissions::submission_types::SubmissionType;
use shared::auth::Right;
use shared::error::OrNotFound;
use shared::files::{self, NewUpload, OnDuplicate, Owner, Place, UploadForm};
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, Path, Reply, Result, endpoint, endpoints};

use crate::model::submission_includes::Include;
use crate::routes::assignments::submissions::view::{Submission, view};
use crate::routes::assignments::submissions::{SubmissionPath, require_named, require_open};
use crate::store::graded_assignments::{GradedAssignment, OpenAssignment};
use crate::store::submissions::KnownWork;
use crate::store::uploads;

endpoints![upload_submission_file, resubmit_to_plagiarism];

/// Announces a file that is to be handed in.
///
/// The file becomes the student's, in the folder of what was handed in. Files of the same name do not replace each other.
#[endpoint(
    POST "/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id/files",
    throttled("files that one user announces"),
)]
async fn upload_submission_file(
    cx: Context,
    _: Path<SubmissionPath>,
    assignment: NeededInCourse<OpenAssignment>,
    work: Prefetched<KnownWork>,
    body: Form<UploadForm>,
) -> Result<Reply<NewUpload>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let (work, caller) = (work.record()?, cx.caller()?.user);
    work.require_student(&course, caller)?;
    let student = work.student;
    if caller == student {
        require_read(&course, assignment.published)?;
        course.require(Right::Participate)?;
        require_open(&assignment, cx.now)?;
    } else {
        course.require(Right::ManageGrades)?;
    }
    if !assignment.takes(SubmissionType::OnlineUpload) {
        return Err(Error::bad_request("the assignment does not take files"));
    }
    let form = UploadForm { on_duplicate: OnDuplicate::Rename, ..body.decode()? };
    let base_url = cx.base_url().await?;
    let upload = cx.db.transaction(async |db| {
        let folder = files::submissions_folder(db, course.root_account, student, cx.now).await?;
        let place = Place { root_account: course.root_account, owner: Owner::User(student), folder: Some(folder) };
        let upload = files::start_upload(db, &base_url, caller, place, form, cx.now).await?;
        uploads::is_for(db, upload.id, assignment.id).await?;
        Ok::<_, Error>(upload)
    });
    Ok(Reply::ok(upload.await?))
}

/// Asks the tools that look for plagiarism to look at a submission again.
#[endpoint(POST "/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id/resubmit_to_plagiarism")]
async fn resubmit_to_plagiarism(
    cx: Context,
    _: Path<SubmissionPath>,
    assignment: NeededInCourse<GradedAssignment>,
    work: Prefetched<KnownWork>,
) -> Result<Reply<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    let work = work.record()?;
    work.require_student(&course, cx.caller()?.user)?;
    course.require(Right::ManageGrades)?;
    let row = work.into_row().filter(|row| row.attempt.is_some()).or_not_found()?;
    require_named(&cx, &course, &row)?;
    let mut events = Events::of(&cx, &course, Some(assignment.id)).await?;
    events.resubmitted(&cx.db, &row).await?;
    events.send();
    Ok(Reply::ok(view(&cx, &course, row, &Include::default()).await?))
}
