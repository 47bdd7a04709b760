//! Notification preferences.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Call, Client, Response, School, running};

/// A user with two confirmed channels: the first is told by default, the second nothing.
struct Room {
    school: School,
    user: Client,
    first: i64,
    second: i64,
}

const CHANNELS: &str = "/api/v1/users/self/communication_channels";
const FIRST: &str = "ada@school.test";
const SECOND: &str = "+1 555 0100";

impl Room {
    async fn new() -> Self {
        let school = School::start().await;
        let user = school.person("Ada").await;
        let first = confirmed(&school, user.id, "email", FIRST).await;
        let second = confirmed(&school, user.id, "sms", SECOND).await;
        Self { school, user, first, second }
    }

    /// The paths of the first channel by its id and by its address: of the user who is named, or of `self`.
    fn forms(&self, user: &str, rest: &str) -> [String; 2] {
        let base = format!("/api/v1/users/{user}/communication_channels");
        [format!("{base}/{}/{rest}", self.first), format!("{base}/email/ADA%40school.test/{rest}")]
    }

    /// A preference of the first channel, as it is answered.
    fn preference(&self, frequency: &str, notification: &str, category: &str) -> Value {
        preference(&self.user, self.first, frequency, notification, category)
    }

    fn change(&self, rest: &str, body: Value) -> Call {
        self.user.put(&self.forms("self", rest)[0]).json(json!({ "notification_preferences": body }))
    }

    async fn of_channel(&self, channel: i64) -> Response {
        self.user.get(&format!("{CHANNELS}/{channel}/notification_preferences")).await.is(200)
    }

    async fn is_told_nothing(&self, channel: i64) -> bool {
        preferences(&self.of_channel(channel).await).iter().all(|preference| preference["frequency"] == "never")
    }

    /// The frequency with which the first channel is told of that.
    async fn frequency(&self, notification: &str) -> Value {
        let path = &self.forms("self", &format!("notification_preferences/{notification}"))[0];
        let answer = self.user.get(path).await.is(200);
        only(&answer)["frequency"].clone()
    }
}

/// A preference of a user's channel, as it is answered.
fn preference(user: &Client, channel: i64, frequency: &str, notification: &str, category: &str) -> Value {
    let path = format!("/api/v1/users/{}/communication_channels/{channel}", user.id);
    let href = format!("{}{path}/notification_preferences/{notification}", user.base_url());
    json!({ "frequency": frequency, "notification": notification, "category": category, "href": href })
}

/// All preferences of a channel that has the defaults.
fn expected(user: &Client, channel: i64) -> Vec<Value> {
    let known = CATALOGUE
        .iter()
        .flat_map(|(_, category, frequency, names)| names.iter().map(move |name| (*category, *frequency, *name)));
    let known = known.chain(LATER);
    known.map(|(category, frequency, name)| preference(user, channel, frequency, name, category)).collect()
}

async fn confirmed(school: &School, user: i64, kind: &str, address: &str) -> i64 {
    let body = json!({ "communication_channel": { "type": kind, "address": address }, "skip_confirmation": true });
    school.admin.post(&format!("/api/v1/users/{user}/communication_channels")).json(body).await.is(200).id()
}

#[track_caller]
fn preferences(answer: &Response) -> &[Value] {
    answer.records(&["notification_preferences"])
}

#[track_caller]
fn only(answer: &Response) -> &Value {
    answer.only(&["notification_preferences"])
}

fn names(answer: &Response) -> Vec<&str> {
    preferences(answer).iter().filter_map(|preference| preference["notification"].as_str()).collect()
}

/// A category as lists and records have it, the default, and its notifications.
type Known = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CATALOGUE: [Known; 34] = [
    ("added_to_conversation", "added_to_conversation", "immediately", &["added_to_conversation"]),
    ("conversation_created", "conversation_created", "never", &["conversation_created"]),
    ("alert", "alert", "daily", &["alert"]),
    (
        "all_submissions",
        "all_submissions",
        "never",
        &["assignment_submitted", "assignment_resubmitted", "submission_needs_grading"],
    ),
    ("announcement", "announcement", "immediately", &["new_announcement"]),
    (
        "announcement_created_by_you",
        "announcement_created_by_you",
        "never",
        &["announcement_created_by_you", "announcement_reply"],
    ),
    (
        "appointment_availability",
        "appointment_availability",
        "immediately",
        &["appointment_group_published", "appointment_group_updated"],
    ),
    (
        "appointment_cancelations",
        "appointment_cancelations",
        "immediately",
        &["appointment_deleted_for_user", "appointment_group_deleted"],
    ),
    ("appointment_signups", "appointment_signups", "immediately", &["appointment_reserved_for_user"]),
    ("calendar", "calendar", "never", &["new_event_created", "event_date_changed"]),
    ("conversation_message", "conversation_message", "immediately", &["conversation_message"]),
    ("course_content", "course_content", "never", &["assignment_changed", "updated_wiki_page"]),
    (
        "deprecated__reminder",
        "deprecated___reminder",
        "daily",
        &["assignment_publishing_reminder", "assignment_grading_reminder", "assignment_due_date_reminder"],
    ),
    ("discussion", "discussion", "never", &["new_discussion_topic"]),
    ("discussionentry", "discussion_entry", "daily", &["new_discussion_entry"]),
    (
        "due_date",
        "due_date",
        "weekly",
        &["assignment_due_date_changed", "assignment_created", "assignment_due_date_override_changed"],
    ),
    ("files", "files", "never", &["new_file_added", "new_files_added"]),
    (
        "grading",
        "grading",
        "immediately",
        &[
            "assignment_graded",
            "assignment_unmuted",
            "submission_graded",
            "submission_grade_changed",
            "submission_posted",
            "submissions_posted",
            "quiz_regrade_finished",
        ],
    ),
    ("grading_policies", "grading_policies", "weekly", &["grade_weight_changed"]),
    (
        "invitation",
        "invitation",
        "immediately",
        &[
            "collaboration_invitation",
            "web_conference_invitation",
            "new_context_group_membership_invitation",
            "rubric_assessment_submission_reminder",
            "rubric_assessment_invitation",
            "rubric_association_created",
            "peer_review_invitation",
        ],
    ),
    ("late_grading", "late_grading", "daily", &["assignment_submitted_late", "group_assignment_submitted_late"]),
    (
        "membership_update",
        "membership_update",
        "daily",
        &["new_context_group_membership", "group_membership_accepted", "group_membership_rejected"],
    ),
    (
        "migration",
        "migration",
        "immediately",
        &[
            "migration_export_ready",
            "migration_import_finished",
            "migration_import_failed",
            "content_export_finished",
            "content_export_failed",
        ],
    ),
    (
        "other",
        "other",
        "daily",
        &[
            "new_account_user",
            "new_course",
            "report_generated",
            "report_generation_failed",
            "new_user",
            "new_student_organized_group",
            "enrollment_accepted",
        ],
    ),
    (
        "registration",
        "registration",
        "immediately",
        &[
            "confirm_email_communication_channel",
            "merge_email_communication_channel",
            "confirm_sms_communication_channel",
            "pseudonym_registration",
            "pseudonym_registration_done",
            "confirm_registration",
            "forgot_password",
            "account_user_registration",
            "account_user_notification",
            "enrollment_invitation",
            "enrollment_registration",
            "enrollment_notification",
        ],
    ),
    (
        "student_appointment_signups",
        "student_appointment_signups",
        "never",
        &["appointment_canceled_by_user", "appointment_reserved_by_user"],
    ),
    ("submission_comment", "submission_comment", "daily", &["submission_comment", "submission_comment_for_teacher"]),
    ("summaries", "summaries", "daily", &["summaries"]),
    ("recording_ready", "recording_ready", "immediately", &["web_conference_recording_ready"]),
    ("blueprint", "blueprint", "daily", &["blueprint_content_added", "blueprint_sync_complete"]),
    ("content_link_error", "content_link_error", "daily", &["content_link_error"]),
    ("account_notification", "account_notification", "immediately", &["account_notification"]),
    ("discussionmention", "discussion_mention", "immediately", &["discussion_mention"]),
    ("reportedreply", "reported_reply", "immediately", &["reported_reply"]),
];

/// Those that came later, behind all others.
const LATER: [(&str, &str, &str); 7] = [
    ("submission_comment", "daily", "annotation_notification"),
    ("submission_comment", "daily", "annotation_teacher_notification"),
    ("due_date", "weekly", "upcoming_assignment_alert"),
    ("registration", "immediately", "manually_created_access_token_created"),
    ("registration", "immediately", "new_email_address_added"),
    ("registration", "immediately", "email_address_removed"),
    ("registration", "immediately", "default_email_address_changed"),
];

#[tokio::test]
async fn the_whole_catalogue_is_listed_with_its_defaults() {
    let room = Room::new().await;
    let id = room.user.id.to_string();
    for user in ["self", &id] {
        for path in room.forms(user, "notification_preferences") {
            let answer = room.user.get(&path).await.is(200);
            assert_eq!(answer.json, json!({ "notification_preferences": expected(&room.user, room.first) }));
            assert_eq!(answer.header("link"), None);
        }
    }
    let path = format!("/api/v1/users/self/communication_channels/{}/notification_preferences", room.second);
    let answer = room.user.get(&path).await.is(200);
    assert_eq!(preferences(&answer).len(), expected(&room.user, room.second).len());
    assert!(preferences(&answer).iter().all(|preference| preference["frequency"] == "never"), "{answer}");
}

#[tokio::test]
async fn categories_are_listed_once_each() {
    let room = Room::new().await;
    let categories: Vec<_> = CATALOGUE.iter().map(|(listed, ..)| *listed).collect();
    for path in room.forms("self", "notification_preference_categories") {
        assert_eq!(room.user.get(&path).await.is(200).json, json!({ "categories": categories }));
    }
}

#[tokio::test]
async fn one_preference_is_read_by_its_name_however_it_is_written() {
    let room = Room::new().await;
    let preference = room.preference("immediately", "new_announcement", "announcement");
    assert_eq!(
        room.user.get(preference["href"].as_str().unwrap()).await.is(200).json["notification_preferences"][0],
        preference
    );
    let expected = json!({ "notification_preferences": [preference] });
    for name in ["new_announcement", "New%20Announcement", "NewAnnouncement"] {
        for path in room.forms("self", &format!("notification_preferences/{name}")) {
            assert_eq!(room.user.get(&path).await.is(200).json, expected);
        }
    }
    let path = |name: &str| room.forms("self", &format!("notification_preferences/{name}"))[0].clone();
    for name in ["Confirm%20SMS%20Communication%20Channel", "confirm_sms_communication_channel"] {
        let found = room.user.get(&path(name)).await.is(200);
        assert_eq!(only(&found)["notification"], "confirm_sms_communication_channel");
    }
    for name in ["nothing", "New%20%20Announcement", "%00"] {
        room.user.get(&path(name)).await.is_not_found();
    }
}

#[tokio::test]
async fn one_preference_changes_in_all_forms() {
    let room = Room::new().await;
    let paths = room.forms("self", "notification_preferences/new_announcement");
    let frequencies = ["never", "daily", "weekly", "immediately"];
    for (path, frequency) in paths.iter().flat_map(|path| frequencies.map(|frequency| (path, frequency))) {
        let preference = room.preference(frequency, "new_announcement", "announcement");
        let expected = json!({ "notification_preferences": [preference] });
        let form = [("notification_preferences[frequency]", frequency)];
        assert_eq!(room.user.put(path).form(&form).await.is(200).json, expected);
        assert_eq!(room.frequency("new_announcement").await, frequency);
    }
    let rest = "notification_preferences/new_announcement";
    let answer = room.change(rest, json!([{ "frequency": "never" }, { "frequency": "daily" }])).await.is(200);
    assert_eq!(only(&answer)["frequency"], "never", "of a list the first counts");
    for nothing in [json!({}), json!([]), json!({ "frequency": null }), json!({ "other": "daily" })] {
        let answer = room.change(rest, nothing).await.is(200);
        assert_eq!(only(&answer)["frequency"], "never", "without a frequency nothing changes");
    }
    // The other channel keeps its own.
    let other = format!("/api/v1/users/self/communication_channels/{}/{rest}", room.second);
    room.user.put(&other).form(&[("notification_preferences[frequency]", "weekly")]).await.is(200);
    assert_eq!(room.frequency("new_announcement").await, "never");
    assert_eq!(only(&room.user.get(&other).await.is(200))["frequency"], "weekly");
}

#[tokio::test]
async fn a_category_changes_as_a_whole() {
    let room = Room::new().await;
    for (path, frequency) in
        room.forms("self", "notification_preference_categories/due_date").iter().zip(["never", "daily"])
    {
        let form = [("notification_preferences[frequency]", frequency)];
        let answer = room.user.put(path).form(&form).await.is(200);
        let expected = [
            "assignment_due_date_changed",
            "assignment_created",
            "assignment_due_date_override_changed",
            "upcoming_assignment_alert",
        ];
        assert_eq!(names(&answer), expected);
        assert!(preferences(&answer).iter().all(|preference| preference["frequency"] == frequency), "{answer}");
    }
    assert_eq!(room.frequency("assignment_created").await, "daily");
    assert_eq!(room.frequency("new_announcement").await, "immediately", "others are left alone");
    let unchanged = room.change("notification_preference_categories/due_date", json!({})).await.is(200);
    assert_eq!(preferences(&unchanged)[0]["frequency"], "daily");
}

#[tokio::test]
async fn a_category_is_found_by_every_spelling_that_lists_and_records_have() {
    let room = Room::new().await;
    let change = |name: &str| {
        room.change(&format!("notification_preference_categories/{name}"), json!({ "frequency": "weekly" }))
    };
    for (listed, name, _, notifications) in CATALOGUE {
        for path in BTreeSet::from([listed, name]) {
            let answer = change(path).await.is(200);
            assert!(notifications.iter().all(|notification| names(&answer).contains(notification)), "{path}: {answer}");
        }
    }
    for name in ["Course%20Content", "DiscussionEntry", "DEPRECATED%20-%20Reminder"] {
        change(name).await.is(200);
    }
    for name in ["nothing", "coursecontent"] {
        change(name).await.is_not_found();
    }
}

#[tokio::test]
async fn several_change_at_once() {
    let room = Room::new().await;
    for (path, frequency) in room.forms("self", "notification_preferences").iter().zip(["weekly", "never"]) {
        let form = [
            ("notification_preferences[new_announcement][frequency]", frequency),
            ("notification_preferences[Assignment Created][frequency]", frequency),
        ];
        let answer = room.user.put(path).form(&form).await.is(200);
        let mut changed = names(&answer);
        changed.sort_unstable();
        assert_eq!(changed, ["assignment_created", "new_announcement"]);
        assert!(preferences(&answer).iter().all(|preference| preference["frequency"] == frequency), "{answer}");
    }
    let list = json!([
        { "notification": "submission_graded", "frequency": "daily" },
        { "notification": "new_announcement" },
        { "notification": "assignment_created", "frequency": "immediately" },
    ]);
    let answer = room.change("notification_preferences", list).await.is(200);
    assert_eq!(names(&answer), ["submission_graded", "new_announcement", "assignment_created"]);
    let frequencies: Vec<_> = preferences(&answer).iter().map(|preference| preference["frequency"].clone()).collect();
    assert_eq!(frequencies, ["daily", "never", "immediately"]);
    let twice = json!([
        { "notification": "new_announcement", "frequency": "daily" },
        { "notification": "new_announcement", "frequency": "never" },
    ]);
    let once = room.change("notification_preferences", twice).await.is(200);
    let once: Vec<_> = once.records(&["notification_preferences"]).iter().map(|one| one["frequency"].clone()).collect();
    assert_eq!(once, ["never"], "the last one counts, and stands once");
    let nothing = room.change("notification_preferences", json!({})).await.is(200);
    assert!(preferences(&nothing).is_empty());
}

#[tokio::test]
async fn of_several_all_change_or_none() {
    let room = Room::new().await;
    let good = json!({ "notification": "new_announcement", "frequency": "never" });
    let change = |bad: Value| room.change("notification_preferences", json!([good, bad]));
    change(json!({ "notification": "nothing", "frequency": "never" })).await.is_not_found();
    change(json!({ "notification": "assignment_created", "frequency": "hourly" })).await.is(422);
    change(json!({ "frequency": "never" })).await.is_refused(400, "notification_preferences must be");
    change(json!("x")).await.is_refused(400, "notification_preferences must be");
    let mixed = json!({ "new_announcement": { "frequency": "never" }, "assignment_created": "never" });
    room.change("notification_preferences", mixed).await.is_refused(400, "notification_preferences must be");
    room.change("notification_preferences", json!("never")).await.is_refused(400, "notification_preferences must be");
    assert_eq!(room.frequency("new_announcement").await, "immediately");
}

#[tokio::test]
async fn a_frequency_that_is_none_is_refused() {
    let room = Room::new().await;
    let expected = json!({ "errors": [
        { "field": "frequency", "message": "is not included in the list", "error_code": "inclusion" },
    ] });
    for rest in ["notification_preferences/new_announcement", "notification_preference_categories/announcement"] {
        for frequency in [json!("hourly"), json!("Daily"), json!(""), json!(1), json!(["daily"])] {
            assert_eq!(room.change(rest, json!({ "frequency": frequency })).await.is(422).json, expected);
        }
        for wrong in [json!("daily"), json!(1), json!(["daily"])] {
            room.change(rest, wrong).await.is_refused(400, "notification_preferences must be an object");
        }
        for path in room.forms("self", rest) {
            room.user.put(&path).await.is_refused(400, "notification_preferences is missing");
            room.user.put(&path).json(json!({ "notification_preferences": null })).await.is(400);
        }
    }
    assert_eq!(room.frequency("new_announcement").await, "immediately");
}

#[tokio::test]
async fn preferences_are_read_by_administrators_and_changed_by_oneself() {
    let room = Room::new().await;
    let stranger = room.school.person("stranger").await;
    let foreigner = School::start().await.admin;
    let site = running().site_admin().await;
    let id = room.user.id.to_string();
    for rest in ["notification_preferences", "notification_preference_categories", "notification_preferences/alert"] {
        for path in room.forms(&id, rest) {
            room.school.admin.get(&path).await.is(200);
            site.get(&path).await.is(200);
            stranger.get(&path).await.is_forbidden();
            foreigner.get(&path).await.is_not_found();
        }
    }
    let form = [("notification_preferences[frequency]", "never")];
    // Only what is read at the path of somebody else has a method there.
    let writes = [
        ("notification_preferences", 405),
        ("notification_preferences/alert", 405),
        ("notification_preference_categories/alert", 404),
    ];
    for (rest, status) in writes {
        for path in room.forms("self", rest) {
            // To others `self` is somebody else.
            room.school.admin.put(&path).form(&form).await.is_not_found();
        }
        for path in room.forms(&id, rest) {
            for client in [&room.user, &room.school.admin] {
                client.put(&path).form(&form).await.is(status);
            }
        }
    }
    let as_user = [("notification_preferences[frequency]", "never"), ("as_user_id", id.as_str())];
    let path = &room.forms("self", "notification_preferences/alert")[0];
    room.school.admin.put(path).form(&as_user).await.is(200);
    assert_eq!(room.frequency("alert").await, "never");
}

#[tokio::test]
async fn channels_that_are_not_there_have_no_preferences() {
    let room = Room::new().await;
    let base = "/api/v1/users/self/communication_channels";
    let retired = format!("{base}/{}", room.first);
    room.user.delete(&retired).await.is(200);
    let others = confirmed(&room.school, room.school.admin.id, "email", "admin@school.test").await;
    for channel in [
        retired.clone(),
        format!("{base}/999999999"),
        format!("{base}/x"),
        format!("{base}/{others}"),
        format!("{base}/email/{FIRST}"),
        format!("{base}/sms/{FIRST}"),
        format!("{base}/fax/{SECOND}"),
    ] {
        room.user.get(&format!("{channel}/notification_preferences")).await.is_not_found();
        room.user.get(&format!("{channel}/notification_preference_categories")).await.is_not_found();
        for rest in ["notification_preferences/alert", "notification_preference_categories/alert"] {
            let form = [("notification_preferences[frequency]", "never")];
            room.user.put(&format!("{channel}/{rest}")).form(&form).await.is_not_found();
        }
    }
    room.user.get("/api/v1/users/999999999/communication_channels/1/notification_preferences").await.is_not_found();
}

#[tokio::test]
async fn a_number_is_found_however_it_is_spaced() {
    let room = Room::new().await;
    let base = "/api/v1/users/self/communication_channels";
    let by_id = room.user.get(&format!("{base}/{}/notification_preferences", room.second)).await.is(200);
    for address in [SECOND, "+15550100", "+1 (555) 01-00"] {
        let path = format!("{base}/sms/{}/notification_preferences", address.replace(' ', "%20"));
        assert_eq!(room.user.get(&path).await.is(200).json, by_id.json, "{address}");
    }
}

#[tokio::test]
async fn the_address_that_remains_is_told_by_default() {
    let room = Room::new().await;
    let new = confirmed(&room.school, room.user.id, "email", "new@school.test").await;
    assert!(room.is_told_nothing(new).await && room.is_told_nothing(room.second).await);
    let alerts = format!("{CHANNELS}/{new}/notification_preferences/alert");
    room.user.put(&alerts).form(&[("notification_preferences[frequency]", "weekly")]).await.is(200);

    room.user.delete(&format!("{CHANNELS}/{}", room.first)).await.is(200);
    let mut told = expected(&room.user, new);
    told[2]["frequency"] = json!("weekly");
    assert_eq!(preferences(&room.of_channel(new).await), told, "what was chosen stays");
    assert!(room.is_told_nothing(room.second).await, "an address comes before a number");

    room.user.delete(&format!("{CHANNELS}/{new}")).await.is(200);
    assert_eq!(preferences(&room.of_channel(room.second).await), expected(&room.user, room.second));
    let back = confirmed(&room.school, room.user.id, "email", FIRST).await;
    assert_eq!(back, room.first);
    assert!(room.is_told_nothing(back).await, "another is told in its place");
}

#[tokio::test]
async fn the_first_channel_that_is_confirmed_is_told_by_default() {
    let school = School::start().await;
    let user = school.person("Ada").await;
    let form = [("communication_channel[type]", "email"), ("communication_channel[address]", "mistyped@school.test")];
    let mistyped = user.post(CHANNELS).form(&form).await.is(200).id();
    let list = |channel: i64| user.get(&format!("{CHANNELS}/{channel}/notification_preferences"));
    assert_eq!(preferences(&list(mistyped).await.is(200)), expected(&user, mistyped));
    let right = confirmed(&school, user.id, "email", FIRST).await;
    assert_eq!(preferences(&list(right).await.is(200)), expected(&user, right));
    let never = list(mistyped).await.is(200);
    assert!(preferences(&never).iter().all(|preference| preference["frequency"] == "never"), "{never}");
}

#[tokio::test]
async fn the_preferences_of_an_unconfirmed_channel_can_be_set_before() {
    let school = School::start().await;
    let user = school.person("Ada").await;
    let base = "/api/v1/users/self/communication_channels";
    let form = [("communication_channel[type]", "email"), ("communication_channel[address]", FIRST)];
    let channel = user.post(base).form(&form).await.is(200).id();
    let form = [("notification_preferences[frequency]", "weekly")];
    user.put(&format!("{base}/{channel}/notification_preferences/alert")).form(&form).await.is(200);
    let listed = user.get(&format!("{base}/{channel}/notification_preferences")).await.is(200);
    let mut as_set = expected(&user, channel);
    as_set[2]["frequency"] = json!("weekly");
    assert_eq!(preferences(&listed), as_set);
}

#[tokio::test]
async fn many_readers_and_writers_at_once_lose_nothing() {
    let school = School::start().await;
    let user = school.person("Ada").await;
    let base = "/api/v1/users/self/communication_channels";
    let form = [("communication_channel[type]", "email"), ("communication_channel[address]", FIRST)];
    let channel = user.post(base).form(&form).await.is(200).id();
    let list = format!("{base}/{channel}/notification_preferences");
    let all = expected(&user, channel);
    let calls = all.iter().take(16).flat_map(|preference| {
        let name = preference["notification"].as_str().unwrap();
        let form = [("notification_preferences[frequency]", "weekly")];
        [user.put(&format!("{list}/{name}")).form(&form).into_future(), user.get(&list).into_future()]
    });
    for answer in join_all(calls).await {
        answer.is(200);
    }
    let listed = user.get(&list).await.is(200);
    assert_eq!(preferences(&listed).len(), all.len());
    let weekly = preferences(&listed).iter().filter(|preference| preference["frequency"] == "weekly");
    let others = all.iter().skip(16).filter(|preference| preference["frequency"] == "weekly");
    assert_eq!(weekly.count(), 16 + others.count());
}
