//! The events of submissions, grades, quizzes and files, for those who have subscribed to it.
//!
//! An event is recorded in the transaction of the change that causes it, together with a delivery for each subscription
//! that wants it, in one statement. Where nobody has subscribed there is no row at all: the statement looks the
//! subscriptions up in an index and ends. For a disabled subscription the delivery is kept, until somebody asks for it.
//!
//! See "Types of events" and "Deliveries" in `docs/contract/webhook-subscriptions.md`.

mod attachments;
pub mod caliper;
mod cause;
#[cfg(not(target_arch = "wasm32"))]
mod described;
pub mod live_event;

use database::{Binds, Db, Json};
use http::HeaderName;
use serde::{Deserialize, Serialize};
use types::clock::{self, Timestamp};
use types::ids::{AccountId, AssignmentId, AttachmentId, CourseId, QuizSubmissionId, SubmissionId, UserId};
use uuid::Uuid;

use crate::accounts_above;
use crate::outbox::{Outbox, Rows};

pub use attachments::{attachment_created, attachments_created};
pub use cause::Cause;
#[cfg(not(target_arch = "wasm32"))]
pub use described::webhooks;

/// The header that names the subscription, for receivers of several.
pub const SUBSCRIPTION: HeaderName = HeaderName::from_static("webhook-subscription-id");

/// The most characters of a text in an event.
const MAX_TEXT_CHARS: usize = 8192;

/// The event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Event {
    /// An attempt at a quiz was handed in.
    QuizSubmitted(QuizSubmitted),
    /// A submission has another grade than before.
    GradeChange(GradeChange),
    /// A file was uploaded into the folders of a course, a group or a user.
    AttachmentCreated(AttachmentCreated),
    /// Something was handed in, be it for the first time or again.
    SubmissionCreated(Submission),
    /// Something else changed about what was handed in or graded.
    SubmissionUpdated(Submission),
    /// A grader wants the tools to look again at what was handed in.
    PlagiarismResubmit(Submission),
}

/// An attempt at a quiz.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuizSubmitted {
    /// The student's way through the quiz.
    pub quiz_submission_id: QuizSubmissionId,
    /// The id of the classic quiz, or of the assignment of a new one.
    pub quiz_id: i64,
    /// The student.
    pub user_id: UserId,
}

/// A grade, and the one before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradeChange {
    /// The submission.
    pub submission_id: SubmissionId,
    /// The assignment for which it was handed in.
    pub assignment_id: AssignmentId,
    /// The assignment's name.
    pub assignment_name: String,
    /// The grade as the assignment shows grades.
    pub grade: Option<String>,
    /// The grade before.
    pub old_grade: Option<String>,
    /// The points.
    pub score: Option<f64>,
    /// The points before.
    pub old_score: Option<f64>,
    /// The points of a complete answer.
    pub points_possible: Option<f64>,
    /// The points of a complete answer before.
    pub old_points_possible: Option<f64>,
    /// The grader; `None`: the service itself.
    pub grader_id: Option<UserId>,
    /// Whose submission it is.
    pub student_id: UserId,
    /// True if nothing is left to be graded.
    pub grading_complete: bool,
    /// True if the student does not see the grade yet.
    #[serde(default)]
    pub muted: bool,
}

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttachmentCreated {
    /// The file.
    pub attachment_id: AttachmentId,
    /// The user who uploaded it.
    pub user_id: Option<UserId>,
    /// Its name as it is shown.
    pub display_name: String,
    /// Its name as it was uploaded.
    pub filename: String,
    /// `Course`, `Group` or `User`.
    pub context_type: String,
    /// The id of the course, group or user.
    pub context_id: i64,
    /// Its type.
    pub content_type: String,
    /// The id of the folder it lies in.
    pub folder_id: Option<i64>,
    /// True if nobody may read it.
    pub locked: bool,
    /// From when on it may be read.
    pub unlock_at: Option<Timestamp>,
    /// From when on it may not be read any more.
    pub lock_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// The submission as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The submission.
    pub submission_id: SubmissionId,
    /// The assignment for which it was handed in.
    pub assignment_id: AssignmentId,
    /// By what tools know the assignment.
    pub lti_assignment_id: Option<String>,
    /// Whose it is.
    pub user_id: UserId,
    /// `online_text_entry`, `online_url`, `online_upload`, `online_quiz`, …
    pub submission_type: Option<String>,
    /// The text that was handed in.
    pub body: Option<String>,
    /// The address that was handed in.
    pub url: Option<String>,
    /// The number of the attempt, from 1.
    pub attempt: Option<i64>,
    /// When it was handed in.
    pub submitted_at: Option<Timestamp>,
    /// When it was graded.
    pub graded_at: Option<Timestamp>,
    /// When the student could see the grade.
    pub posted_at: Option<Timestamp>,
    /// The points.
    pub score: Option<f64>,
    /// The grade as the assignment shows grades.
    pub grade: Option<String>,
    /// True if it was handed in after it was due.
    pub late: bool,
    /// True if nothing was handed in although it was due.
    pub missing: bool,
    /// `submitted`, `pending_review` or `graded`.
    pub workflow_state: String,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// The place where something happened: what subscriptions look for.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The tenant.
    pub root_account: AccountId,
    /// The account that the course stands in, or the tenant.
    pub account: AccountId,
    /// The course.
    pub course: Option<CourseId>,
    /// The assignment.
    pub assignment: Option<AssignmentId>,
}

impl Place {
    /// A course of an account, or an assignment in it.
    pub fn in_course(
        root_account: AccountId,
        account: AccountId,
        course: CourseId,
        assignment: Option<AssignmentId>,
    ) -> Self {
        Self { root_account, account, course: Some(course), assignment }
    }
}

/// An event as it is stored: with [`SELECT`] it is read for its deliveries.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// The same in every delivery.
    pub uuid: Uuid,
    /// The tenant.
    pub root_account_id: AccountId,
    /// The account that the course stands in, or the tenant.
    pub account_id: AccountId,
    /// The course.
    pub course_id: Option<CourseId>,
    /// Milliseconds since the beginning of 1970 in UTC. Later events have more.
    pub event_time: i64,
    /// The author, the place and the request.
    pub cause: Json<Cause>,
    /// The event.
    pub data: Json<Event>,
}

/// Reads what [`Recorded`] has from `live_events e`.
pub const SELECT: &str =
    "SELECT e.uuid, e.root_account_id, e.account_id, e.course_id, e.event_time, e.cause, e.data FROM live_events e";

/// Records what happened, and queues a delivery of it for each subscription that wants it. Tells whether there is any:
/// then, after the commit, it is time to [nudge](crate::background::run_soon) the deliveries.
///
/// Must be called in the transaction of the change itself.
pub async fn record(db: &Db, cause: &Cause, place: Place, event: Event) -> database::Result<bool> {
    record_all(db, cause, place, &[event]).await
}

/// Whether a subscription, active or disabled, wants events of a type at the place of `?2` to `?5`.
macro_rules! is_wanted {
    ($event_type:literal) => {
        concat!(
            "EXISTS (
             WITH place (type, id) AS (
                 SELECT 'assignment', ?5
                 UNION ALL
                 SELECT 'course', ?4
                 UNION ALL
                 SELECT 'account', id FROM ",
            accounts_above!("?3"),
            "
             )
             SELECT 1 FROM place
             CROSS JOIN webhook_subscriptions w ON w.context_type = place.type AND w.context_id = place.id
             WHERE w.status <> 'deleted' AND w.root_account_id = ?2
               AND EXISTS (SELECT 1 FROM tool_proxies t WHERE t.id = w.tool_proxy_id AND t.account_id IN ",
            accounts_above!("?3"),
            ")
               AND ",
            $event_type,
            " IN (SELECT wanted.value FROM json_each(w.event_types) AS wanted))"
        )
    };
}

/// Whether anybody wants to be told of such events there.
async fn is_wanted(db: &Db, place: Place, event_type: &str) -> database::Result<bool> {
    let sql = concat!("SELECT ?1 AS wanted WHERE ", is_wanted!("?6"));
    db.affects(sql, (1, place.root_account, place.account, place.course, place.assignment, event_type)).await
}

/// An event that is recorded now.
#[derive(Serialize)]
struct NewEvent<'a> {
    uuid: Uuid,
    event_type: &'static str,
    about: Option<UserId>,
    data: &'a Event,
}

impl<'a> NewEvent<'a> {
    fn of(data: &'a Event) -> Self {
        Self { uuid: Uuid::new_v4(), event_type: data.event_type(), about: data.about(), data }
    }
}

/// The rows of events that somebody wants, each with its cause and what is known of it now. Subscriptions are looked up first; the
/// rest of a row is only built where there are some.
const ROWS: &str = concat!(
    "(WITH recorded
         (uuid, root_account_id, account_id, course_id, assignment_id, event_type, event_time, cause, data, recorded_at) AS (
     SELECT j.value ->> 'uuid', ?2, ?3, ?4, ?5, j.value ->> 'event_type',
            j.key + max(?6, 1 + ifnull((SELECT event_time FROM live_events ORDER BY id DESC LIMIT 1), 0)),
            json_patch(?7, json_object(
                'root_account_uuid', (SELECT uuid FROM accounts WHERE id = ?2),
                'user_login', (SELECT unique_id FROM pseudonyms
                               WHERE user_id = ?8 AND root_account_id = ?2 AND workflow_state = 'active'
                               ORDER BY id LIMIT 1),
                'user_sis_id', (SELECT sis_user_id FROM pseudonyms
                                WHERE user_id = ?8 AND root_account_id = ?2 AND workflow_state = 'active'
                                  AND sis_user_id IS NOT NULL
                                ORDER BY id LIMIT 1),
                'time_zone', (SELECT time_zone FROM users WHERE id = ?8),
                'developer_key_id', (SELECT developer_key_id FROM access_tokens WHERE id = ?9),
                'context_sis_source_id', (SELECT sis_course_id FROM courses WHERE id = ?4),
                'context_role', (SELECT type FROM enrollments
                                 WHERE course_id = ?4 AND user_id = ?8 AND workflow_state = 'active'
                                 ORDER BY type = 'StudentEnrollment', type = 'ObserverEnrollment', type DESC LIMIT 1),
                'student_sis_id', (SELECT sis_user_id FROM pseudonyms
                                   WHERE user_id = j.value ->> 'about' AND root_account_id = ?2
                                     AND workflow_state = 'active' AND sis_user_id IS NOT NULL
                                   ORDER BY id LIMIT 1))),
            j.value -> 'data', ?10
     FROM json_each(?1) j WHERE ",
    is_wanted!("j.value ->> 'event_type'"),
    " ORDER BY j.key
     )
     SELECT json_group_array(json_array(uuid, root_account_id, account_id, course_id, assignment_id, event_type, event_time,
                                        cause, data, recorded_at))
     FROM recorded)"
);

/// Events that happen together, for an outbox; `None`: there are none.
pub fn rows(cause: &Cause, place: Place, events: &[Event]) -> Option<Rows> {
    if events.is_empty() {
        return None;
    }
    let rows: Vec<_> = events.iter().map(NewEvent::of).collect();
    let now = clock::now();
    let values = (
        Json(rows),
        place.root_account,
        place.account,
        place.course,
        place.assignment,
        now.to_utc().timestamp_millis(),
        Json(cause),
        cause.user_id,
        cause.token_id,
        now,
    );
    Some(Rows { sql: ROWS.to_owned(), values: values.values() })
}

/// The same as [`record`] for events that happen together, in one statement.
pub async fn record_all(db: &Db, cause: &Cause, place: Place, events: &[Event]) -> database::Result<bool> {
    Outbox::default().with_events(rows(cause, place, events)).queue(db).await
}

impl Event {
    /// Its name in subscriptions: `SUBMISSION_CREATED`.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::QuizSubmitted(_) => "QUIZ_SUBMITTED",
            Self::GradeChange(_) => "GRADE_CHANGE",
            Self::AttachmentCreated(_) => "ATTACHMENT_CREATED",
            Self::SubmissionCreated(_) => "SUBMISSION_CREATED",
            Self::SubmissionUpdated(_) => "SUBMISSION_UPDATED",
            Self::PlagiarismResubmit(_) => "PLAGIARISM_RESUBMIT",
        }
    }

    /// The user whom it is about.
    fn about(&self) -> Option<UserId> {
        match self {
            Self::QuizSubmitted(quiz) => Some(quiz.user_id),
            Self::GradeChange(grade) => Some(grade.student_id),
            Self::AttachmentCreated(file) => file.user_id,
            Self::SubmissionCreated(it) | Self::SubmissionUpdated(it) | Self::PlagiarismResubmit(it) => {
                Some(it.user_id)
            }
        }
    }
}

/// As much of a text as events have.
pub fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

/// A moment in milliseconds: `2026-03-04T05:06:07.089Z`.
fn in_milliseconds(moment: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_millis(moment).unwrap_or_default();
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn recorded(data: Event) -> Recorded {
        let cause = Cause {
            user_id: Some(UserId(9)),
            user_account_id: Some(AccountId(1)),
            request_id: "req-1".to_owned(),
            http_method: "POST".to_owned(),
            url: "https://lms.test/api/v1/x".to_owned(),
            hostname: "lms.test".to_owned(),
            base_url: "https://lms.test".to_owned(),
            user_agent: Some("curl".to_owned()),
            root_account_uuid: Some("acc-uuid".to_owned()),
            user_login: Some("ada".to_owned()),
            developer_key_id: Some(types::ids::ClientId(7)),
            context_role: Some("StudentEnrollment".to_owned()),
            ..Cause::default()
        };
        Recorded {
            uuid: Uuid::from_u128(0x7b1e_0000_0000_4000_8000_0000_0000_0001),
            root_account_id: AccountId(1),
            account_id: AccountId(2),
            course_id: Some(CourseId(44)),
            event_time: 1_772_359_200_123,
            cause: Json(cause),
            data: Json(data),
        }
    }

    pub(super) fn quiz() -> Recorded {
        let quiz = QuizSubmitted { quiz_submission_id: QuizSubmissionId(501), quiz_id: 31, user_id: UserId(9) };
        recorded(Event::QuizSubmitted(quiz))
    }

    pub(super) fn grade_changed() -> Recorded {
        let grade = GradeChange {
            submission_id: SubmissionId(900),
            assignment_id: AssignmentId(77),
            assignment_name: "Essay 1".to_owned(),
            grade: Some("8".to_owned()),
            old_grade: Some("7".to_owned()),
            score: Some(8.0),
            old_score: Some(7.0),
            points_possible: Some(10.0),
            old_points_possible: Some(10.0),
            grader_id: Some(UserId(5)),
            student_id: UserId(9),
            grading_complete: true,
            muted: false,
        };
        let mut recorded = recorded(Event::GradeChange(grade));
        recorded.cause.0.student_sis_id = Some("S-9".to_owned());
        recorded
    }

    pub(super) fn attachment() -> Recorded {
        let file = AttachmentCreated {
            attachment_id: AttachmentId(632),
            user_id: Some(UserId(9)),
            display_name: "a.pdf".to_owned(),
            filename: "a.pdf".to_owned(),
            context_type: "Course".to_owned(),
            context_id: 44,
            content_type: "application/pdf".to_owned(),
            folder_id: Some(13),
            locked: false,
            unlock_at: None,
            lock_at: None,
            created_at: Timestamp::from_unix(1_772_359_200).unwrap(),
            updated_at: Timestamp::from_unix(1_772_359_200).unwrap(),
        };
        recorded(Event::AttachmentCreated(file))
    }

    pub(super) fn submitted(event: impl Fn(Submission) -> Event) -> Recorded {
        let submission = Submission {
            submission_id: SubmissionId(900),
            assignment_id: AssignmentId(77),
            lti_assignment_id: Some("6d0e".to_owned()),
            user_id: UserId(9),
            submission_type: Some("online_text_entry".to_owned()),
            body: Some("text".to_owned()),
            url: None,
            attempt: Some(1),
            submitted_at: Timestamp::from_unix(1_772_359_200),
            graded_at: None,
            posted_at: None,
            score: None,
            grade: None,
            late: false,
            missing: false,
            workflow_state: "submitted".to_owned(),
            updated_at: Timestamp::from_unix(1_772_359_200).unwrap(),
        };
        recorded(event(submission))
    }

    #[test]
    fn an_event_is_read_as_it_was_stored() {
        for recorded in [quiz(), grade_changed(), attachment(), submitted(Event::PlagiarismResubmit)] {
            let event = recorded.data.0;
            let stored = serde_json::to_value(&event).unwrap();
            assert_eq!(stored.as_object().unwrap().keys().collect::<Vec<_>>(), [event.event_type()]);
            assert_eq!(serde_json::from_value::<Event>(stored).unwrap(), event);
        }
    }
}
