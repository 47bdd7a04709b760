//! The form `live-event`: `{"metadata": …, "body": …}`. Ids are strings, and what is not known is left out.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use types::ids::UserId;

use super::{AttachmentCreated, Event, GradeChange, QuizSubmitted, Recorded, Submission, cut, in_milliseconds};

/// The delivery of an event to a subscription.
pub fn payload(event: &Recorded, subscription: &str) -> Value {
    json!({ "metadata": metadata(event, subscription), "body": body(event) })
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

fn metadata(event: &Recorded, subscription: &str) -> Value {
    let cause = &event.cause.0;
    let (context_type, context_id) = match event.course_id {
        Some(course) => ("Course", text(course)),
        None => ("Account", text(event.account_id)),
    };
    without_nulls(json!({
        "event_name": event.data.0.event_type().to_lowercase(),
        "event_time": in_milliseconds(event.event_time),
        "subscription_id": subscription,
        "producer": "canvas",
        "root_account_id": text(event.root_account_id),
        "root_account_uuid": cause.root_account_uuid,
        "root_account_lti_guid": cause.root_account_uuid,
        "context_type": context_type,
        "context_id": context_id,
        "context_account_id": text(event.account_id),
        "context_sis_source_id": cause.context_sis_source_id,
        "context_role": cause.context_role,
        "user_id": text_or_null(cause.user_id),
        "real_user_id": text_or_null(cause.real_user_id),
        "user_login": cause.user_login,
        "user_sis_id": cause.user_sis_id,
        "user_account_id": text_or_null(cause.user_account_id),
        "time_zone": cause.time_zone,
        "developer_key_id": text_or_null(cause.developer_key_id),
        "request_id": non_empty(&cause.request_id),
        "http_method": non_empty(&cause.http_method),
        "url": non_empty(&cause.url),
        "hostname": cause.hostname,
        "referrer": cause.referrer,
        "user_agent": cause.user_agent,
        "client_ip": cause.client_ip,
    }))
}

fn body(event: &Recorded) -> Value {
    without_nulls(match &event.data.0 {
        Event::QuizSubmitted(quiz) => quiz_submitted(quiz),
        Event::GradeChange(grade) => grade_change(grade, event.cause.0.student_sis_id.as_deref()),
        Event::AttachmentCreated(file) => attachment_created(file),
        Event::SubmissionCreated(it) | Event::SubmissionUpdated(it) | Event::PlagiarismResubmit(it) => {
            submission(it, event.cause.0.root_account_uuid.as_deref())
        }
    })
}

fn quiz_submitted(quiz: &QuizSubmitted) -> Value {
    json!({ "submission_id": text(quiz.quiz_submission_id), "quiz_id": text(quiz.quiz_id) })
}

fn grade_change(grade: &GradeChange, student_sis_id: Option<&str>) -> Value {
    json!({
        "submission_id": text(grade.submission_id),
        "assignment_id": text(grade.assignment_id),
        "assignment_name": cut(&grade.assignment_name),
        "grade": grade.grade,
        "old_grade": grade.old_grade,
        "score": grade.score,
        "old_score": grade.old_score,
        "points_possible": grade.points_possible,
        "old_points_possible": grade.old_points_possible,
        "grader_id": text_or_null(grade.grader_id),
        "student_id": text(grade.student_id),
        "student_sis_id": student_sis_id,
        "user_id": text(grade.student_id),
        "grading_complete": grade.grading_complete,
        // Grades are seen by students as soon as they are given.
        "muted": false,
    })
}

fn attachment_created(file: &AttachmentCreated) -> Value {
    json!({
        "attachment_id": text(file.attachment_id),
        "user_id": text_or_null(file.user_id),
        "display_name": cut(&file.display_name),
        "filename": cut(&file.filename),
        "context_type": file.context_type,
        "context_id": text(file.context_id),
        "content_type": file.content_type,
        "folder_id": text_or_null(file.folder_id),
        "locked": file.locked,
        "unlock_at": file.unlock_at,
        "lock_at": file.lock_at,
        "updated_at": file.updated_at,
    })
}

fn submission(it: &Submission, root_account_uuid: Option<&str>) -> Value {
    json!({
        "submission_id": text(it.submission_id),
        "assignment_id": text(it.assignment_id),
        "lti_assignment_id": it.lti_assignment_id,
        "user_id": text(it.user_id),
        "lti_user_id": lti_user_id(root_account_uuid.unwrap_or_default(), it.user_id),
        "submission_type": it.submission_type,
        "body": it.body.as_deref().map(cut),
        "url": it.url,
        "attempt": it.attempt,
        "submitted_at": it.submitted_at,
        "graded_at": it.graded_at,
        "posted_at": it.posted_at,
        "score": it.score,
        "grade": it.grade,
        "late": it.late,
        "missing": it.missing,
        "workflow_state": it.workflow_state,
        "updated_at": it.updated_at,
    })
}

/// By what tools know a user: the same in every event, and nothing that tells the user's number.
fn lti_user_id(root_account_uuid: &str, user: UserId) -> String {
    let digest = Sha256::digest(format!("{root_account_uuid}/users/{user}"));
    digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attachment, grade_changed, quiz, submitted};
    use super::*;

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
