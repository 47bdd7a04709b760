//! Handing in: a text, an address or files, as the assignment takes them.

use std::collections::BTreeSet;

use ::submissions::events::{Events, Work};
use ::submissions::files::{self, Handing};
use ::submissions::rules::denied;
use ::submissions::rules::require_read;
use ::submissions::submission_types::SubmissionType;
use http::uri::Authority;
use serde::Deserialize;
use shared::auth::Right;
use shared::db::change_known_at_once;
use shared::ids::{AttachmentId, UserId};
use shared::needs::{InCourse, NeededInCourse};
use shared::prefetch::Prefetched;
use shared::{Context, Created, Db, Error, Form, JsonSchema, Patch, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::submission_includes::Include;
use crate::model::unsupported;
use crate::model::{form, rules};
use crate::routes::assignments::submissions::view::{Submission, view};
use crate::routes::assignments::submissions::{CommentForm, add_comment, read_comment, require_named, require_open};
use crate::store::graded_assignments::OpenAssignment;
use crate::store::handing_in::{self as store, HandedIn, OwnWork};
use crate::store::students;
use crate::store::submissions::{self, KnownSubmission};

const MAX_URL_BYTES: usize = 2048;
const MAX_FILES: usize = 100;

endpoints![submit_assignment];

#[derive(Deserialize, JsonSchema)]
struct SubmissionForms {
    #[serde(rename = "submission")]
    _submission: SubmissionForm,
    #[serde(rename = "comment", default)]
    _comment: CommentForm,
}

#[derive(Deserialize, JsonSchema)]
struct SubmissionForm {
    /// `online_text_entry`, `online_url` or `online_upload`, as the assignment allows.
    submission_type: String,
    /// Of `online_text_entry`: rich content.
    #[serde(default)]
    body: Option<String>,
    /// Of `online_url`.
    #[serde(default)]
    url: Option<String>,
    /// Of `online_upload`: files of the student, which cannot be changed any more then; where a grader hands in, those that
    /// the grader has uploaded for it.
    #[serde(default, deserialize_with = "form::list_or_text")]
    file_ids: Patch<Vec<AttachmentId>>,
    /// The student, where a grader hands in for one.
    #[serde(default)]
    user_id: Option<UserId>,
    /// When it was handed in, where a grader hands in for a student.
    #[serde(default)]
    submitted_at: Option<Timestamp>,
}

/// Hands in a text, an address or files.
#[endpoint(
    POST "/api/v1/courses/:course_id/assignments/:assignment_id/submissions",
    throttled("notices about comments of one user"),
    unsupported(unsupported::SUBMISSION),
)]
async fn submit_assignment(
    cx: Context,
    assignment: NeededInCourse<OpenAssignment>,
    own: Prefetched<OwnWork>,
    body: Form<SubmissionForms>,
) -> Result<Created<Submission>> {
    let InCourse { course, record: assignment } = assignment.into_record();
    require_read(&course, assignment.published)?;
    let grades = course.can(Right::ManageGrades);
    if !grades {
        course.require(Right::Participate)?;
    }
    let mut params = body.into_params()?;
    let comment: CommentForm = form::optional_of(&mut params, "comment")?;
    let work: SubmissionForm = form::required_of(&mut params, "submission")?;
    let caller = cx.caller()?.user;
    let student = work.user_id.unwrap_or(caller);
    if student == caller {
        course.require(Right::Participate)?;
        require_open(&assignment, cx.now)?;
    } else if !grades {
        return Err(Error::forbidden());
    } else if !students::is_student(&cx.db, course.id, student, rules::graders_limit(&course)).await? {
        return Err(Error::invalid("user_id", "invalid", "is not a student of the course"));
    }
    let submitted_at = work.submitted_at.filter(|_| grades && student != caller);
    let work = work.read(&assignment, submitted_at.unwrap_or(cx.now))?;
    let comment = read_comment(comment)?;
    let mut events = Events::of(&cx, &course, Some(assignment.id)).await?;
    let handing = Handing { assignment: assignment.id, student, caller };
    let has_more = comment.is_some() || !work.attachments.is_empty();
    let known = own.record()?.submission().filter(|_| student == caller);
    let handed_in = cx.db.transaction_if(has_more, async |db| {
        if !work.attachments.is_empty() && !files::take(db, &work.attachments, handing, cx.now).await? {
            return Err(no_valid_files());
        }
        let known = match known {
            Some(known) => known,
            // That nothing was handed in is true whether something is now or not.
            None => submissions::begun(db, assignment.id, student, cx.now).await?,
        };
        require_named(&cx, &course, &known.submission.0)?;
        let hand_in = async |db: &Db, known: KnownSubmission| {
            let row = work.over(&known.submission.0, cx.now);
            let told = Work { course: course.id, before: None, row: &row, quiz: None, to_read: false };
            let has_events = store::hand_in(db, &known, &row, events.of_work(&told)?).await?;
            Ok::<_, Error>(has_events.map(|has_events| (row, has_events)))
        };
        let read_again = async |db: &Db| submissions::begun(db, assignment.id, student, cx.now).await;
        let handed_in = change_known_at_once(db, known, read_again, hand_in).await?;
        let (row, has_events) = handed_in.ok_or_else(no_attempts_left)?;
        if let Some(comment) = comment {
            add_comment(db, &events, &course, &row, caller, comment, cx.now).await?;
        }
        Ok((row, has_events))
    });
    let (row, has_events) = handed_in.await?;
    events.queued(has_events);
    events.send();
    Ok(Reply::created(view(&cx, &course, row, &Include::default()).await?))
}

fn no_attempts_left() -> Error {
    denied("you have reached the maximum number of allowed attempts for this assignment")
}

/// Of files that may not be handed in nobody is told whether they are there.
fn no_valid_files() -> Error {
    Error::bad_request("No valid file ids given")
}

impl SubmissionForm {
    /// The work, where the assignment takes it.
    fn read(self, assignment: &OpenAssignment, submitted_at: Timestamp) -> Result<HandedIn> {
        let nothing = || HandedIn { submission_type: "", body: None, url: None, attachments: Vec::new(), submitted_at };
        let (kind, work) = match self.submission_type.as_str() {
            "online_text_entry" => {
                let body = rules::rich("body", &self.body.unwrap_or_default())?;
                // Asked of what is kept: a script alone leaves nothing.
                let body = Some(body).filter(|body| !body.trim().is_empty());
                let body = Some(body.ok_or_else(|| lacks("online_text_entry", "body"))?);
                (SubmissionType::OnlineTextEntry, HandedIn { submission_type: "online_text_entry", body, ..nothing() })
            }
            "online_url" => {
                let url = self.url.filter(|url| !url.trim().is_empty()).ok_or_else(|| lacks("online_url", "url"))?;
                let url = Some(web_address(&url)?);
                (SubmissionType::OnlineUrl, HandedIn { submission_type: "online_url", url, ..nothing() })
            }
            "online_upload" => {
                let ids = self.file_ids.into_option().filter(|ids| !ids.is_empty());
                let ids = ids.ok_or_else(|| lacks("online_upload", "file_ids"))?;
                let attachments = each_once(ids)?;
                (SubmissionType::OnlineUpload, HandedIn { submission_type: "online_upload", attachments, ..nothing() })
            }
            _ => return Err(Error::bad_request("Invalid submission[submission_type] given")),
        };
        if !assignment.takes(kind) {
            return Err(Error::bad_request("the assignment does not take this submission[submission_type]"));
        }
        Ok(work)
    }
}

fn lacks(kind: &str, parameter: &str) -> Error {
    Error::bad_request(format!("Invalid parameters for submission_type {kind}. Required: submission[{parameter}]"))
}

/// An address of the web. Without a scheme it is one of http.
fn web_address(text: &str) -> Result<String> {
    let refused = || Error::invalid("url", "invalid", "is not the address of a web page");
    let text = text.trim();
    if text.len() > MAX_URL_BYTES {
        return Err(Error::invalid("url", "too_long", format!("is too long (maximum is {MAX_URL_BYTES} characters)")));
    }
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let uri: http::Uri = text.parse().map_err(|_no_address| refused())?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    // A host, and perhaps a port that is a number.
    let is_host = |place: &Authority| !place.host().is_empty() && (place == place.host() || place.port_u16().is_some());
    if is_web && uri.authority().is_some_and(is_host) { Ok(text) } else { Err(refused()) }
}

/// The files in their order, none of them twice.
fn each_once(mut ids: Vec<AttachmentId>) -> Result<Vec<AttachmentId>> {
    let mut seen = BTreeSet::new();
    ids.retain(|id| seen.insert(*id));
    if ids.len() > MAX_FILES {
        return Err(Error::invalid("file_ids", "too_long", format!("are too many (maximum is {MAX_FILES})")));
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_the_web() {
        assert_eq!(web_address(" example.com/a ").unwrap(), "http://example.com/a");
        assert_eq!(web_address("https://example.com:8443/").unwrap(), "https://example.com:8443/");
        for text in ["ftp://example.com", "javascript:alert(1)", "http://", "a b", "https://x\u{0}"] {
            assert!(web_address(text).is_err(), "{text}");
        }
        assert!(web_address(&"x".repeat(3000)).is_err());
    }
}
