//! The form `live-event`: `{"metadata": …, "body": …}`. Ids are strings, and what is not known is left out.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use types::ids::{AccountId, UserId};
use types::{JsonSchema, Timestamp};

use super::{AttachmentCreated, Event, GradeChange, QuizSubmitted, Recorded, Submission, cut, in_milliseconds};

const PRODUCER: &str = "canvas";

/// An event in this form.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{B}Event")]
pub(super) struct LiveEvent<M, B> {
    metadata: M,
    body: B,
}

/// Metadata that tests have too.
#[derive(Serialize, JsonSchema)]
pub(super) struct TestMetadata<'a> {
    /// The type of the event in small letters.
    event_name: String,
    /// With milliseconds. Later events have later times, and no two have the same.
    #[schemars(extend("format" = "date-time"))]
    event_time: String,
    /// The id of the subscription to which it is delivered.
    subscription_id: &'a str,
    /// `canvas`.
    producer: &'static str,
    /// The tenant.
    root_account_id: String,
}

/// Who caused an event, where, and by which request.
#[derive(Serialize, JsonSchema)]
pub(super) struct Metadata<'a> {
    #[serde(flatten)]
    test: TestMetadata<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_account_uuid: Option<&'a str>,
    /// The same, by the name that tools know it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    root_account_lti_guid: Option<&'a str>,
    /// `Course` or `Account`: where it happened.
    context_type: &'static str,
    context_id: String,
    /// The account of the course.
    context_account_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_sis_source_id: Option<&'a str>,
    /// The role in the course of whoever caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_role: Option<&'a str>,
    /// The user who caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    /// The administrator who acted as that user.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_user_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_login: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_sis_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    developer_key_id: Option<String>,
    /// The request that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http_method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    hostname: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    referrer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_ip: Option<&'a str>,
}

/// The body of a test.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub(super) struct TestBody {}

/// An attempt at a quiz.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "QuizSubmitted")]
pub(super) struct QuizSubmittedBody {
    /// The student's way through the quiz.
    submission_id: String,
    quiz_id: String,
}

/// A grade, and the one before it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GradeChange")]
pub(super) struct GradeChangeBody<'a> {
    submission_id: String,
    assignment_id: String,
    assignment_name: String,
    /// As the assignment shows grades.
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_grade: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_score: Option<f64>,
    /// The points of a complete answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    points_possible: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_points_possible: Option<f64>,
    /// Left out where the service graded by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    grader_id: Option<String>,
    student_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    student_sis_id: Option<&'a str>,
    /// The student.
    user_id: String,
    /// True if nothing is left to be graded.
    grading_complete: bool,
    /// True if the student does not see the grade yet.
    muted: bool,
}

/// A file that was uploaded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AttachmentCreated")]
pub(super) struct AttachmentCreatedBody<'a> {
    attachment_id: String,
    /// The user who uploaded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<String>,
    display_name: String,
    filename: String,
    /// `Course`, `Group` or `User`.
    context_type: &'a str,
    context_id: String,
    content_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder_id: Option<String>,
    /// True if nobody may read it.
    locked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unlock_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_at: Option<Timestamp>,
    updated_at: Timestamp,
}

/// A submission as it is now.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Submission")]
pub(super) struct SubmissionBody<'a> {
    submission_id: String,
    assignment_id: String,
    /// By what tools know the assignment.
    #[serde(skip_serializing_if = "Option::is_none")]
    lti_assignment_id: Option<&'a str>,
    /// The student.
    user_id: String,
    /// By what tools know the student.
    lti_user_id: String,
    /// `online_text_entry`, `online_url`, `online_upload`, `online_quiz`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    submission_type: Option<&'a str>,
    /// The text that was handed in, of which 8,192 characters are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// The address that was handed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graded_at: Option<Timestamp>,
    /// When the student could see the grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    posted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grade: Option<&'a str>,
    late: bool,
    missing: bool,
    /// `submitted`, `pending_review` or `graded`.
    workflow_state: &'a str,
    updated_at: Timestamp,
}

/// The delivery of an event to a subscription.
pub fn payload(event: &Recorded, subscription: &str) -> serde_json::Result<Value> {
    let metadata = metadata(event, subscription);
    let cause = &event.cause.0;
    match &event.data.0 {
        Event::QuizSubmitted(quiz) => live_event(metadata, quiz_submitted(quiz)),
        Event::GradeChange(grade) => live_event(metadata, grade_change(grade, cause.student_sis_id.as_deref())),
        Event::AttachmentCreated(file) => live_event(metadata, attachment_created(file)),
        Event::SubmissionCreated(it) | Event::SubmissionUpdated(it) | Event::PlagiarismResubmit(it) => {
            live_event(metadata, submission(it, cause.root_account_uuid.as_deref()))
        }
    }
}

fn live_event<M: Serialize, B: Serialize>(metadata: M, body: B) -> serde_json::Result<Value> {
    serde_json::to_value(LiveEvent { metadata, body })
}

/// A test that was asked for at that moment.
pub fn test(subscription: &str, root_account: AccountId, moment: Timestamp) -> serde_json::Result<Value> {
    let metadata = TestMetadata {
        event_name: "test".to_owned(),
        event_time: in_milliseconds(moment.to_utc().timestamp_millis()),
        subscription_id: subscription,
        producer: PRODUCER,
        root_account_id: root_account.to_string(),
    };
    live_event(metadata, TestBody {})
}

/// An object without what is null.
pub(super) fn without_nulls(object: Value) -> Value {
    match object {
        Value::Object(object) => {
            Value::Object(object.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other => other,
    }
}

pub(super) fn text(id: impl ToString) -> Value {
    Value::String(id.to_string())
}

pub(super) fn text_or_null(id: Option<impl ToString>) -> Value {
    id.map_or(Value::Null, text)
}

/// A text that is there: what no request asked for has none.
pub(super) fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn metadata<'a>(event: &'a Recorded, subscription: &'a str) -> Metadata<'a> {
    let cause = &event.cause.0;
    let (context_type, context_id) = match event.course_id {
        Some(course) => ("Course", course.to_string()),
        None => ("Account", event.account_id.to_string()),
    };
    Metadata {
        test: TestMetadata {
            event_name: event.data.0.event_type().to_lowercase(),
            event_time: in_milliseconds(event.event_time),
            subscription_id: subscription,
            producer: PRODUCER,
            root_account_id: event.root_account_id.to_string(),
        },
        root_account_uuid: cause.root_account_uuid.as_deref(),
        root_account_lti_guid: cause.root_account_uuid.as_deref(),
        context_type,
        context_id,
        context_account_id: event.account_id.to_string(),
        context_sis_source_id: cause.context_sis_source_id.as_deref(),
        context_role: cause.context_role.as_deref(),
        user_id: cause.user_id.map(|id| id.to_string()),
        real_user_id: cause.real_user_id.map(|id| id.to_string()),
        user_login: cause.user_login.as_deref(),
        user_sis_id: cause.user_sis_id.as_deref(),
        user_account_id: cause.user_account_id.map(|id| id.to_string()),
        time_zone: cause.time_zone.as_deref(),
        developer_key_id: cause.developer_key_id.map(|id| id.to_string()),
        request_id: non_empty(&cause.request_id),
        http_method: non_empty(&cause.http_method),
        url: non_empty(&cause.url),
        hostname: &cause.hostname,
        referrer: cause.referrer.as_deref(),
        user_agent: cause.user_agent.as_deref(),
        client_ip: cause.client_ip.as_deref(),
    }
}

fn quiz_submitted(quiz: &QuizSubmitted) -> QuizSubmittedBody {
    QuizSubmittedBody { submission_id: quiz.quiz_submission_id.to_string(), quiz_id: quiz.quiz_id.to_string() }
}

fn grade_change<'a>(grade: &'a GradeChange, student_sis_id: Option<&'a str>) -> GradeChangeBody<'a> {
    GradeChangeBody {
        submission_id: grade.submission_id.to_string(),
        assignment_id: grade.assignment_id.to_string(),
        assignment_name: cut(&grade.assignment_name),
        grade: grade.grade.as_deref(),
        old_grade: grade.old_grade.as_deref(),
        score: grade.score,
        old_score: grade.old_score,
        points_possible: grade.points_possible,
        old_points_possible: grade.old_points_possible,
        grader_id: grade.grader_id.map(|id| id.to_string()),
        student_id: grade.student_id.to_string(),
        student_sis_id,
        user_id: grade.student_id.to_string(),
        grading_complete: grade.grading_complete,
        muted: grade.muted,
    }
}

fn attachment_created(file: &AttachmentCreated) -> AttachmentCreatedBody<'_> {
    AttachmentCreatedBody {
        attachment_id: file.attachment_id.to_string(),
        user_id: file.user_id.map(|id| id.to_string()),
        display_name: cut(&file.display_name),
        filename: cut(&file.filename),
        context_type: &file.context_type,
        context_id: file.context_id.to_string(),
        content_type: &file.content_type,
        folder_id: file.folder_id.map(|id| id.to_string()),
        locked: file.locked,
        unlock_at: file.unlock_at,
        lock_at: file.lock_at,
        updated_at: file.updated_at,
    }
}

fn submission<'a>(it: &'a Submission, root_account_uuid: Option<&str>) -> SubmissionBody<'a> {
    SubmissionBody {
        submission_id: it.submission_id.to_string(),
        assignment_id: it.assignment_id.to_string(),
        lti_assignment_id: it.lti_assignment_id.as_deref(),
        user_id: it.user_id.to_string(),
        lti_user_id: lti_user_id(root_account_uuid.unwrap_or_default(), it.user_id),
        submission_type: it.submission_type.as_deref(),
        body: it.body.as_deref().map(cut),
        url: it.url.as_deref(),
        attempt: it.attempt,
        submitted_at: it.submitted_at,
        graded_at: it.graded_at,
        posted_at: it.posted_at,
        score: it.score,
        grade: it.grade.as_deref(),
        late: it.late,
        missing: it.missing,
        workflow_state: &it.workflow_state,
        updated_at: it.updated_at,
    }
}

/// By what tools know a user: the same in every event, and nothing that tells the user's number.
fn lti_user_id(root_account_uuid: &str, user: UserId) -> String {
    let digest = Sha256::digest(format!("{root_account_uuid}/users/{user}"));
    format!("{:.40}", format!("{digest:x}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{attachment, grade_changed, quiz, submitted};
    use super::*;

    fn payload(event: &Recorded, subscription: &str) -> Value {
        super::payload(event, subscription).unwrap()
    }

    #[test]
    fn metadata_tells_who_what_when_and_for_whom() {
        let metadata = payload(&quiz(), "sub-1")["metadata"].clone();
        let expected = json!({
            "event_name": "quiz_submitted",
            "event_time": "2026-03-01T10:00:00.123Z",
            "subscription_id": "sub-1",
            "producer": "canvas",
            "root_account_id": "1",
            "root_account_uuid": "acc-uuid",
            "root_account_lti_guid": "acc-uuid",
            "context_type": "Course",
            "context_id": "44",
            "context_account_id": "2",
            "context_role": "StudentEnrollment",
            "user_id": "9",
            "user_login": "ada",
            "user_account_id": "1",
            "developer_key_id": "7",
            "request_id": "req-1",
            "http_method": "POST",
            "url": "https://lms.test/api/v1/x",
            "hostname": "lms.test",
            "user_agent": "curl",
        });
        assert_eq!(metadata, expected);
    }

    #[test]
    fn a_quiz_was_submitted() {
        assert_eq!(payload(&quiz(), "s")["body"], json!({ "submission_id": "501", "quiz_id": "31" }));
    }

    #[test]
    fn a_grade_changed() {
        let body = json!({
            "submission_id": "900", "assignment_id": "77", "assignment_name": "Essay 1",
            "grade": "8", "old_grade": "7", "score": 8.0, "old_score": 7.0,
            "points_possible": 10.0, "old_points_possible": 10.0,
            "grader_id": "5", "student_id": "9", "student_sis_id": "S-9", "user_id": "9",
            "grading_complete": true, "muted": false,
        });
        assert_eq!(payload(&grade_changed(), "s")["body"], body);
    }

    #[test]
    fn an_attachment_was_created() {
        let body = json!({
            "attachment_id": "632", "user_id": "9", "display_name": "a.pdf", "filename": "a.pdf",
            "context_type": "Course", "context_id": "44", "content_type": "application/pdf",
            "folder_id": "13", "locked": false, "updated_at": "2026-03-01T10:00:00Z",
        });
        assert_eq!(payload(&attachment(), "s")["body"], body);
    }

    #[test]
    fn something_was_handed_in() {
        let body = json!({
            "submission_id": "900", "assignment_id": "77", "lti_assignment_id": "6d0e", "user_id": "9",
            "lti_user_id": lti_user_id("acc-uuid", UserId(9)), "submission_type": "online_text_entry", "body": "text",
            "attempt": 1, "submitted_at": "2026-03-01T10:00:00Z", "late": false, "missing": false,
            "workflow_state": "submitted", "updated_at": "2026-03-01T10:00:00Z",
        });
        assert_eq!(payload(&submitted(Event::SubmissionCreated), "s")["body"], body);
        for (event, name) in [
            (submitted(Event::SubmissionUpdated), "submission_updated"),
            (submitted(Event::PlagiarismResubmit), "plagiarism_resubmit"),
        ] {
            let payload = payload(&event, "s");
            assert_eq!((&payload["body"], &payload["metadata"]["event_name"]), (&body, &json!(name)));
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let mut event = submitted(Event::SubmissionCreated);
        if let Event::SubmissionCreated(submission) = &mut event.data.0 {
            submission.body = Some("ä".repeat(9000));
        }
        let body = payload(&event, "s")["body"]["body"].as_str().unwrap().to_owned();
        assert_eq!(body, "ä".repeat(8192));
    }

    #[test]
    fn the_id_for_tools_is_that_of_the_user_in_the_tenant() {
        let id = lti_user_id("a", UserId(9));
        assert_eq!(id.len(), 40);
        assert_ne!(id, lti_user_id("b", UserId(9)));
        assert_ne!(id, lti_user_id("a", UserId(8)));
    }
}
