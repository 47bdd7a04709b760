//! What belongs to a submission beside its content and its grade: the upload of its files, and a word to the tools that
//! look for plagiarism.

use shared::auth::Right;
use shared::error::OrNotFound;
use shared::files::{self, NewUpload, OnDuplicate, Owner, Place, UploadForm};
use shared::{Body, Context, Endpoint, Error, Reply, Result, post};

use crate::assignments::SubmissionType;
use crate::rules;
use crate::store::submissions as store;
use crate::store::uploads;
use crate::submission_events::Events;
use crate::submission_view::{Include, Submission, view};
use crate::submissions::{SubmissionPath, find_submission, must_be_open};

pub(crate) fn endpoints() -> [Endpoint; 2] {
    [
        post("/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id/files", upload)
            .about("Announces a file that is to be handed in"),
        post(
            "/api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id/resubmit_to_plagiarism",
            resubmit,
        )
        .about("Asks the tools that look for plagiarism to look at a submission again"),
    ]
}

/// The file becomes the student's, in the folder of what was handed in. Files of the same name do not replace each other.
async fn upload(cx: Context, at: SubmissionPath, body: Body<UploadForm>) -> Result<Reply<NewUpload>> {
    let (course, assignment, student) = find_submission(&cx, &at).await?;
    let caller = cx.caller()?.user;
    if caller == student {
        rules::must_read(&course, assignment.published)?;
        course.must(Right::Participate)?;
        must_be_open(&assignment, cx.now)?;
    } else {
        course.must(Right::ManageGrades)?;
    }
    if !assignment.submission_types.0.contains(&SubmissionType::OnlineUpload) {
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

async fn resubmit(cx: Context, at: SubmissionPath) -> Result<Reply<Submission>> {
    let (course, assignment, student) = find_submission(&cx, &at).await?;
    course.must(Right::ManageGrades)?;
    let mut events = Events::of(&cx, &course, Some(assignment.id)).await?;
    let row = cx.db.transaction(async |db| {
        let row = store::submission(db, assignment.id, student).await?;
        let row = row.filter(|row| row.attempt.is_some()).or_not_found()?;
        events.resubmitted(db, &row).await?;
        Ok::<_, Error>(row)
    });
    let row = row.await?;
    events.send();
    Ok(Reply::ok(view(&cx, &course, row, Include::default()).await?))
}
