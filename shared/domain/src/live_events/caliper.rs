//! The form `caliper`: an envelope of Caliper 1.1 with exactly one event in it.

use serde::Serialize;
use serde_json::{Map, Value, json};
use types::JsonSchema;
use types::clock::Timestamp;
use types::ids::{AccountId, AssignmentId, SubmissionId, UserId};

use super::live_event::{non_empty, text, text_or_null, without_nulls};
use super::{AttachmentCreated, Event, GradeChange, QuizSubmitted, Recorded, Submission, cut, in_milliseconds};

const CONTEXT: &str = "http://purl.imsglobal.org/ctx/caliper/v1p1";
/// The version of our extensions.
const VERSION: &str = "1.0.0";
const VENDOR: &str = "com.instructure.canvas";

/// The envelope of an event.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CaliperEnvelope")]
pub(super) struct Envelope {
    /// Our address.
    sensor: String,
    #[schemars(extend("format" = "date-time"))]
    send_time: String,
    data_version: &'static str,
    data: [CaliperEvent; 1],
}

/// An event of Caliper 1.1.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CaliperEvent {
    #[serde(rename = "@context")]
    context: &'static str,
    id: String,
    r#type: &'static str,
    /// Who did it.
    #[schemars(with = "Entity")]
    actor: Value,
    action: &'static str,
    /// What was done something with.
    #[schemars(with = "Entity")]
    object: Value,
    /// The grade.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Entity")]
    generated: Value,
    #[schemars(extend("format" = "date-time"))]
    event_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    referrer: Option<String>,
    #[schemars(with = "Entity")]
    ed_app: Value,
    /// The course.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Entity")]
    group: Value,
    /// The role of the actor in the course.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Entity")]
    membership: Value,
    /// The name of the event, the subscription, and the request that caused it.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Map<String, Value>")]
    extensions: Value,
}

/// A thing in an event. Its further members depend on its type.
#[cfg(not(target_arch = "wasm32"))]
#[derive(JsonSchema)]
#[schemars(rename = "CaliperEntity")]
#[expect(dead_code, reason = "only the description reads it: things are made as JSON")]
struct Entity {
    id: String,
    r#type: String,
}

/// The delivery of an event to a subscription, at that moment.
pub fn payload(event: &Recorded, subscription: &str, now: Timestamp) -> serde_json::Result<Value> {
    serde_json::to_value(envelope(sensor(event), now, data(event, subscription)))
}

/// A test of that number that was asked for at one moment and is delivered at another.
pub fn test(delivery: &TestDelivery<'_>, base_url: &str, now: Timestamp) -> serde_json::Result<Value> {
    let sensor = format!("{base_url}/");
    let service = json!({ "id": sensor, "type": "SoftwareApplication" });
    let event = CaliperEvent {
        context: CONTEXT,
        id: format!("urn:uuid:{}", delivery.subscription),
        r#type: "Event",
        actor: service.clone(),
        action: "Created",
        object: json!({ "id": format!("urn:lectern:message:{}", delivery.message_id), "type": "Message" }),
        generated: Value::Null,
        event_time: in_milliseconds(delivery.asked_at.to_utc().timestamp_millis()),
        referrer: None,
        ed_app: service,
        group: Value::Null,
        membership: Value::Null,
        extensions: vendor(json!({
            "event_name": "test",
            "root_account_id": text(delivery.root_account),
            "subscription_id": delivery.subscription,
            "version": VERSION,
        })),
    };
    serde_json::to_value(envelope(sensor, now, event))
}

/// A test of a subscription.
pub struct TestDelivery<'a> {
    /// The id of the subscription.
    pub subscription: &'a str,
    /// The id of the delivery.
    pub message_id: &'a str,
    /// The tenant.
    pub root_account: AccountId,
    /// When it was asked for.
    pub asked_at: Timestamp,
}

fn envelope(sensor: String, now: Timestamp, event: CaliperEvent) -> Envelope {
    let send_time = in_milliseconds(now.to_utc().timestamp_millis());
    Envelope { sensor, send_time, data_version: CONTEXT, data: [event] }
}

/// The fields of an event that are Caliper's own.
struct CaliperFields {
    r#type: &'static str,
    action: &'static str,
    object: Value,
    generated: Value,
}

fn data(event: &Recorded, subscription: &str) -> CaliperEvent {
    let told = match &event.data.0 {
        Event::QuizSubmitted(quiz) => quiz_submitted(quiz),
        Event::GradeChange(grade) => grade_change(grade, event),
        Event::AttachmentCreated(file) => attachment_created(file),
        Event::SubmissionCreated(it) => submission_created(it),
        Event::SubmissionUpdated(it) => submission_updated(it),
        Event::PlagiarismResubmit(it) => plagiarism_resubmit(it),
    };
    CaliperEvent {
        context: CONTEXT,
        id: format!("urn:uuid:{}", event.uuid),
        r#type: told.r#type,
        actor: actor(event),
        action: told.action,
        object: told.object,
        generated: told.generated,
        event_time: in_milliseconds(event.event_time),
        referrer: event.cause.0.referrer.clone(),
        ed_app: json!({ "id": sensor(event), "type": "SoftwareApplication" }),
        group: group(event),
        membership: membership(event),
        extensions: extensions(event, subscription),
    }
}

fn sensor(event: &Recorded) -> String {
    format!("{}/", event.cause.0.base_url)
}

fn urn(kind: &str, id: impl std::fmt::Display) -> String {
    format!("urn:instructure:canvas:{kind}:{id}")
}

/// Extensions of our own, without what is null; nothing where nothing is left.
fn vendor(extensions: Value) -> Value {
    match without_nulls(extensions) {
        Value::Object(extensions) if extensions.is_empty() => Value::Null,
        extensions => Value::Object(Map::from_iter([(VENDOR.to_owned(), extensions)])),
    }
}

fn person(user: UserId) -> Value {
    json!({ "id": urn("user", user), "type": "Person" })
}

/// The author; the service itself where a quiz was graded by nobody.
fn actor(event: &Recorded) -> Value {
    let cause = &event.cause.0;
    let Some(user) = acting_user(event) else {
        return json!({ "id": sensor(event), "type": "SoftwareApplication" });
    };
    let extensions = json!({
        "entity_id": text(user),
        "root_account_id": text(event.root_account_id),
        "root_account_lti_guid": cause.root_account_uuid,
        "root_account_uuid": cause.root_account_uuid,
        "user_login": cause.user_login,
        "user_sis_id": cause.user_sis_id,
        "real_user_id": text_or_null(cause.real_user_id),
    });
    json!({ "id": urn("user", user), "type": "Person", "extensions": vendor(extensions) })
}

fn acting_user(event: &Recorded) -> Option<UserId> {
    match &event.data.0 {
        Event::GradeChange(grade) => grade.grader_id,
        _ => event.cause.0.user_id,
    }
}

fn group(event: &Recorded) -> Value {
    let Some(course) = event.course_id else {
        return Value::Null;
    };
    let extensions = json!({ "context_type": "Course", "entity_id": text(course) });
    json!({ "id": urn("course", course), "type": "CourseOffering", "extensions": vendor(extensions) })
}

/// The role of the actor in the course, where the actor is somebody in it.
fn membership(event: &Recorded) -> Value {
    let role = event.cause.0.context_role.as_deref().and_then(role);
    let (Some(course), Some(user), Some(role)) = (event.course_id, acting_user(event), role) else {
        return Value::Null;
    };
    json!({
        "id": format!("{}:{role}:{user}", urn("course", course)),
        "type": "Membership",
        "member": person(user),
        "organization": { "id": urn("course", course), "type": "CourseOffering" },
        "roles": [role],
    })
}

fn role(enrollment: &str) -> Option<&'static str> {
    match enrollment {
        "StudentEnrollment" => Some("Learner"),
        "TeacherEnrollment" => Some("Instructor"),
        "TaEnrollment" => Some("TeachingAssistant"),
        "DesignerEnrollment" => Some("ContentDeveloper"),
        "ObserverEnrollment" => Some("Mentor"),
        _ => None,
    }
}

fn extensions(event: &Recorded, subscription: &str) -> Value {
    let cause = &event.cause.0;
    vendor(json!({
        "subscription_id": subscription,
        "event_name": event.data.0.event_type().to_lowercase(),
        "hostname": cause.hostname,
        "request_id": non_empty(&cause.request_id),
        "request_url": non_empty(&cause.url),
        "user_agent": cause.user_agent,
        "client_ip": cause.client_ip,
        "version": VERSION,
    }))
}

fn quiz_submitted(quiz: &QuizSubmitted) -> CaliperFields {
    let id = quiz.quiz_submission_id;
    let object = json!({
        "id": urn("submission", id),
        "type": "Attempt",
        "extensions": vendor(json!({ "entity_id": text(id) })),
        "assignee": person(quiz.user_id),
        "assignable": { "id": urn("quiz", quiz.quiz_id), "type": "Assessment" },
    });
    CaliperFields { r#type: "AssessmentEvent", action: "Submitted", object, generated: Value::Null }
}

fn grade_change(grade: &GradeChange, event: &Recorded) -> CaliperFields {
    let sis_id = vendor(json!({ "sis_id": event.cause.0.student_sis_id }));
    let student = without_nulls(json!({ "id": urn("user", grade.student_id), "type": "Person", "extensions": sis_id }));
    let graded = vendor(json!({ "grade": grade.grade, "entity_id": text(grade.submission_id) }));
    let object = json!({
        "id": urn("submission", grade.submission_id),
        "type": "Attempt",
        "extensions": graded,
        "assignee": student,
        "assignable": assignable(grade.assignment_id),
    });
    let generated = without_nulls(json!({
        "id": urn("submission", grade.submission_id),
        "type": "Score",
        "extensions": graded,
        "attempt": object,
        "maxScore": grade.points_possible,
        "scoreGiven": grade.score,
        "scoredBy": grade.grader_id.map_or_else(|| sensor(event), |grader| urn("user", grader)),
    }));
    CaliperFields { r#type: "GradeEvent", action: "Graded", object, generated }
}

fn attachment_created(file: &AttachmentCreated) -> CaliperFields {
    let extensions = json!({
        "entity_id": text(file.attachment_id),
        "context_id": text(file.context_id),
        "context_type": file.context_type,
        "filename": cut(&file.filename),
        "folder_id": text_or_null(file.folder_id),
    });
    let object = json!({
        "id": urn("attachment", file.attachment_id),
        "type": "Document",
        "name": cut(&file.display_name),
        "dateCreated": whole(Some(file.created_at)),
        "mediaType": file.content_type,
        "extensions": vendor(extensions),
    });
    CaliperFields { r#type: "Event", action: "Created", object, generated: Value::Null }
}

fn submission_created(it: &Submission) -> CaliperFields {
    let more = json!({
        "dateCreated": whole(it.submitted_at),
        "count": it.attempt,
        "body": it.body.as_deref().map(cut),
    });
    let extensions = json!({ "submission_type": it.submission_type, "url": it.url });
    CaliperFields {
        r#type: "AssignableEvent",
        action: "Submitted",
        object: attempt(it, more, extensions),
        generated: Value::Null,
    }
}

fn submission_updated(it: &Submission) -> CaliperFields {
    let more = json!({ "dateModified": whole(Some(it.updated_at)), "count": it.attempt });
    let extensions = json!({ "submission_type": it.submission_type });
    CaliperFields { r#type: "Event", action: "Modified", object: attempt(it, more, extensions), generated: Value::Null }
}

/// Nobody has published a form of it. The tool is told which attempt it should look at again.
fn plagiarism_resubmit(it: &Submission) -> CaliperFields {
    let more =
        json!({ "dateCreated": whole(it.submitted_at), "count": it.attempt, "body": it.body.as_deref().map(cut) });
    let extensions = json!({ "submission_type": it.submission_type, "url": it.url });
    CaliperFields { r#type: "Event", action: "Modified", object: attempt(it, more, extensions), generated: Value::Null }
}

/// The work that was handed in.
fn attempt(it: &Submission, more: Value, extensions: Value) -> Value {
    let base = json!({
        "id": urn("submission", it.submission_id),
        "type": "Attempt",
        "extensions": vendor(merged(json!({ "entity_id": entity(it.submission_id) }), extensions)),
        "assignee": person(it.user_id),
        "assignable": assignable(it.assignment_id),
    });
    without_nulls(merged(base, more))
}

fn entity(submission: SubmissionId) -> Value {
    text(submission)
}

fn merged(one: Value, other: Value) -> Value {
    let mut all = Map::new();
    for part in [one, other] {
        if let Value::Object(part) = part {
            all.extend(part);
        }
    }
    Value::Object(all)
}

fn assignable(assignment: AssignmentId) -> Value {
    json!({ "id": urn("assignment", assignment), "type": "AssignableDigitalResource" })
}

fn whole(moment: Option<Timestamp>) -> Value {
    moment.map_or(Value::Null, |moment| Value::String(in_milliseconds(moment.unix().saturating_mul(1000))))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attachment, grade_changed, quiz, submitted};
    use super::*;

    fn event(recorded: &Recorded) -> Value {
        payload(recorded, "sub-1", Timestamp::from_unix(1_772_359_201).unwrap()).unwrap()["data"][0].clone()
    }

    #[test]
    fn an_envelope_holds_one_event() {
        let payload = payload(&quiz(), "sub-1", Timestamp::from_unix(1_772_359_201).unwrap()).unwrap();
        assert_eq!(payload["sensor"], "https://lms.test/");
        assert_eq!(payload["sendTime"], "2026-03-01T10:00:01.000Z");
        assert_eq!(payload["dataVersion"], CONTEXT);
        assert_eq!(payload["data"].as_array().unwrap().len(), 1);
        assert_eq!(payload.as_object().unwrap().len(), 4);
    }

    #[test]
    fn a_quiz_was_submitted() {
        let expected = json!({
            "@context": CONTEXT,
            "id": "urn:uuid:7b1e0000-0000-4000-8000-000000000001",
            "type": "AssessmentEvent",
            "actor": {
                "id": "urn:instructure:canvas:user:9",
                "type": "Person",
                "extensions": { VENDOR: {
                    "entity_id": "9",
                    "root_account_id": "1",
                    "root_account_lti_guid": "acc-uuid",
                    "root_account_uuid": "acc-uuid",
                    "user_login": "ada",
                } },
            },
            "action": "Submitted",
            "object": {
                "id": "urn:instructure:canvas:submission:501",
                "type": "Attempt",
                "extensions": { VENDOR: { "entity_id": "501" } },
                "assignee": { "id": "urn:instructure:canvas:user:9", "type": "Person" },
                "assignable": { "id": "urn:instructure:canvas:quiz:31", "type": "Assessment" },
            },
            "eventTime": "2026-03-01T10:00:00.123Z",
            "edApp": { "id": "https://lms.test/", "type": "SoftwareApplication" },
            "group": {
                "id": "urn:instructure:canvas:course:44",
                "type": "CourseOffering",
                "extensions": { VENDOR: { "context_type": "Course", "entity_id": "44" } },
            },
            "membership": {
                "id": "urn:instructure:canvas:course:44:Learner:9",
                "type": "Membership",
                "member": { "id": "urn:instructure:canvas:user:9", "type": "Person" },
                "organization": { "id": "urn:instructure:canvas:course:44", "type": "CourseOffering" },
                "roles": ["Learner"],
            },
            "extensions": { VENDOR: {
                "subscription_id": "sub-1",
                "event_name": "quiz_submitted",
                "hostname": "lms.test",
                "request_id": "req-1",
                "request_url": "https://lms.test/api/v1/x",
                "user_agent": "curl",
                "version": "1.0.0",
            } },
        });
        assert_eq!(event(&quiz()), expected);
    }

    #[test]
    fn a_grade_changed() {
        let event = event(&grade_changed());
        assert_eq!((&event["type"], &event["action"]), (&json!("GradeEvent"), &json!("Graded")));
        assert_eq!(event["actor"]["id"], "urn:instructure:canvas:user:5");
        let object = json!({
            "id": "urn:instructure:canvas:submission:900",
            "type": "Attempt",
            "extensions": { VENDOR: { "grade": "8", "entity_id": "900" } },
            "assignee": {
                "id": "urn:instructure:canvas:user:9",
                "type": "Person",
                "extensions": { VENDOR: { "sis_id": "S-9" } },
            },
            "assignable": { "id": "urn:instructure:canvas:assignment:77", "type": "AssignableDigitalResource" },
        });
        assert_eq!(event["object"], object);
        let generated = json!({
            "id": "urn:instructure:canvas:submission:900",
            "type": "Score",
            "extensions": { VENDOR: { "grade": "8", "entity_id": "900" } },
            "attempt": object,
            "maxScore": 10.0,
            "scoreGiven": 8.0,
            "scoredBy": "urn:instructure:canvas:user:5",
        });
        assert_eq!(event["generated"], generated);
    }

    #[test]
    fn what_nobody_graded_was_graded_by_the_service() {
        let mut recorded = grade_changed();
        if let Event::GradeChange(grade) = &mut recorded.data.0 {
            grade.grader_id = None;
        }
        let event = event(&recorded);
        assert_eq!(event["actor"], json!({ "id": "https://lms.test/", "type": "SoftwareApplication" }));
        assert!(event.get("membership").is_none());
    }

    #[test]
    fn an_attachment_was_created() {
        let event = event(&attachment());
        assert_eq!((&event["type"], &event["action"]), (&json!("Event"), &json!("Created")));
        let object = json!({
            "id": "urn:instructure:canvas:attachment:632",
            "type": "Document",
            "name": "a.pdf",
            "dateCreated": "2026-03-01T10:00:00.000Z",
            "mediaType": "application/pdf",
            "extensions": { VENDOR: {
                "entity_id": "632", "context_id": "44", "context_type": "Course", "filename": "a.pdf", "folder_id": "13",
            } },
        });
        assert_eq!(event["object"], object);
    }

    #[test]
    fn something_was_handed_in_and_changed() {
        let created = event(&submitted(Event::SubmissionCreated));
        assert_eq!((&created["type"], &created["action"]), (&json!("AssignableEvent"), &json!("Submitted")));
        let object = json!({
            "id": "urn:instructure:canvas:submission:900",
            "type": "Attempt",
            "dateCreated": "2026-03-01T10:00:00.000Z",
            "count": 1,
            "body": "text",
            "extensions": { VENDOR: { "entity_id": "900", "submission_type": "online_text_entry" } },
            "assignee": { "id": "urn:instructure:canvas:user:9", "type": "Person" },
            "assignable": { "id": "urn:instructure:canvas:assignment:77", "type": "AssignableDigitalResource" },
        });
        assert_eq!(created["object"], object);
        let updated = event(&submitted(Event::SubmissionUpdated));
        assert_eq!((&updated["type"], &updated["action"]), (&json!("Event"), &json!("Modified")));
        assert_eq!(updated["object"]["dateModified"], "2026-03-01T10:00:00.000Z");
        assert!(updated["object"].get("body").is_none());
        let resubmit = event(&submitted(Event::PlagiarismResubmit));
        assert_eq!(resubmit["extensions"][VENDOR]["event_name"], "plagiarism_resubmit");
    }
}
