//! Messages to users: at once, in digests or never; tried again, given up, bounced; and never lost.

mod bounces;
mod deleted_tenants;

use std::sync::OnceLock;

use serde_json::{Value, json};
use shared::Timestamp;
use support::{Client, Course, Response, Running, School, number_id, recent, unique};
use tokio::sync::{Mutex, MutexGuard};

/// The clock of a tick is everybody's: these tests have an application of their own, and take turns in it.
async fn site() -> (MutexGuard<'static, ()>, Running) {
    static TURN: Mutex<()> = Mutex::const_new(());
    static SITE: OnceLock<Running> = OnceLock::new();
    let turn = TURN.lock().await;
    let site =
        tokio::task::spawn_blocking(|| SITE.get_or_init(|| Running::own("messages", &[])).clone()).await.unwrap();
    // Messages of the test before are no business of this one.
    site.tick(Some("2040-01-01")).await;
    (turn, site)
}

/// A course whose teacher writes to a student.
struct Classroom {
    site: Running,
    school: School,
    course: Course,
    teacher: Client,
    student: Client,
    _turn: MutexGuard<'static, ()>,
}

impl Classroom {
    async fn new() -> Self {
        let (turn, site) = site().await;
        let school = School::start_in(&site).await;
        let (course, teacher, student) = school.classroom("Botany").await;
        Self { site, school, course, teacher, student, _turn: turn }
    }

    /// A channel of the student that needs no confirmation.
    async fn channel(&self, kind: &str, address: &str) -> i64 {
        let body = json!({ "communication_channel": { "type": kind, "address": address }, "skip_confirmation": true });
        let path = format!("/api/v1/users/{}/communication_channels", self.student.id);
        let channel = self.school.admin.post(&path).json(body).await.is(200).id();
        // Of the assignments themselves nothing is told here.
        let path =
            format!("/api/v1/users/self/communication_channels/{channel}/notification_preference_categories/due_date");
        let never = json!({ "notification_preferences": { "frequency": "never" } });
        self.student.put(&path).json(never).await.is(200);
        channel
    }

    async fn prefers(&self, channel: i64, notification: &str, frequency: &str) {
        let path =
            format!("/api/v1/users/self/communication_channels/{channel}/notification_preferences/{notification}");
        let body = json!({ "notification_preferences": { "frequency": frequency } });
        self.student.put(&path).json(body).await.is(200);
    }

    async fn lives_in(&self, time_zone: &str) {
        let path = format!("/api/v1/users/{}", self.student.id);
        self.school.admin.put(&path).json(json!({ "user": { "time_zone": time_zone } })).await.is(200);
    }

    async fn assignment(&self) -> String {
        let assignment = json!({ "assignment": { "name": "Essay", "published": true, "points_possible": 10 } });
        let id = self.teacher.post(&self.course.path("/assignments")).json(assignment).await.is(201).id();
        self.course.path(&format!("/assignments/{id}/submissions/{}", self.student.id))
    }

    async fn grades(&self, submission: &str, grade: &str) {
        self.teacher.put(submission).json(json!({ "submission": { "posted_grade": grade } })).await.is(200);
    }

    /// The teacher says something about the student's work.
    async fn comments(&self, text: &str) {
        let submission = self.assignment().await;
        self.teacher.put(&submission).json(json!({ "comment": { "text_comment": text } })).await.is(200);
    }

    /// All that was to be sent to a channel, the newest first.
    async fn outbox(&self, channel: i64) -> Vec<Value> {
        let outbox = self.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let messages = outbox.json.as_array().unwrap().iter();
        messages.filter(|message| message["channel_id"] == channel).cloned().collect()
    }

    async fn tick(&self, clock: Timestamp) -> Response {
        self.site.tick(Some(&clock.to_string())).await
    }

    /// The student's channel as a site administrator sees it.
    async fn watched(&self, channel: i64) -> Value {
        let path = format!("/api/v1/users/{}/communication_channels?per_page=100", self.student.id);
        let channels = self.site.site_admin().await.get(&path).await.is(200);
        channels.json.as_array().unwrap().iter().find(|found| found["id"] == channel).unwrap().clone()
    }

    async fn bounces(&self, address: &str, kind: &str, at: Timestamp) {
        let body = json!({ "address": address, "kind": kind, "at": at, "summary": "550 No such user" });
        self.operator().post("/internal/bounces").json(body).await.is(204);
    }

    fn operator(&self) -> Client {
        self.site.nobody().with_token(&self.site.variables["tick_token"])
    }
}

fn now() -> Timestamp {
    shared::clock::now()
}

/// The next moment with that time of the day, in UTC.
fn next(time: &str) -> Timestamp {
    let now = now();
    let day = |days: i64| now.plus_seconds(days * 24 * 60 * 60).to_string();
    let at = |days: i64| Timestamp::parse(&format!("{}T{time}Z", day(days).split('T').next().unwrap())).unwrap();
    if at(0) > now { at(0) } else { at(1) }
}

fn address(name: &str) -> String {
    format!("{}@school.test", unique(name))
}

#[tokio::test]
async fn what_is_wanted_at_once_is_sent_at_once_and_once() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    room.comments("Well done").await;
    let queued = room.outbox(channel).await;
    assert_eq!(queued.len(), 1);

    assert_eq!(room.site.tick(None).await["messages"], 1);
    assert_eq!(room.site.tick(None).await["messages"], 0);
    let sent = room.outbox(channel).await;
    let expected = json!([{
        "id": number_id(&queued[0]["id"]), "channel_id": channel, "type": "email", "to": to, "notification": "submission_comment",
        "subject": "Comment on Essay", "body": queued[0]["body"], "state": "sent", "attempts": 1, "failure": null,
        "due_at": null,
        "created_at": recent(&queued[0]["created_at"]), "sent_at": recent(&sent[0]["sent_at"]),
    }]);
    assert_eq!(json!(sent), expected);
    let (body, page) = (queued[0]["body"].as_str().unwrap(), format!("/courses/{}/assignments/", room.course.id));
    assert!(body.starts_with("Well done\n\nhttp") && body.contains(&page), "{body}");
    assert_eq!(queued[0]["due_at"], queued[0]["created_at"]);
}

#[tokio::test]
async fn a_daily_digest_comes_at_six_in_the_evening_where_the_user_lives() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    // Three quarters of an hour beside everybody else, in summer and in winter.
    room.lives_in("Asia/Kathmandu").await;
    room.prefers(channel, "submission_comment", "daily").await;
    room.comments("A leaf is missing").await;
    room.comments("And a root").await;
    let six = next("12:15:00");

    room.tick(six.plus_seconds(-1)).await;
    assert_eq!(room.outbox(channel).await, Vec::<Value>::new());
    room.tick(six).await;
    let digest = room.outbox(channel).await;
    assert_eq!(digest.len(), 1, "{digest:?}");
    assert_eq!((&digest[0]["notification"], &digest[0]["state"]), (&json!("summaries"), &json!("sent")));
    assert_eq!(digest[0]["subject"], "Daily summary: 2 notifications");
    let body = digest[0]["body"].as_str().unwrap();
    assert!(body.find("A leaf is missing") < body.find("And a root") && body.contains("And a root"), "{body}");

    room.tick(six.plus_seconds(24 * 60 * 60)).await;
    assert_eq!(room.outbox(channel).await.len(), 1, "a day without news has no digest");
}

#[tokio::test]
async fn a_weekly_digest_comes_on_saturday_and_without_a_zone_by_the_accounts() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "weekly").await;
    room.comments("Well done").await;
    let account = json!({ "account": { "default_time_zone": "Asia/Tokyo" } });
    room.school.admin.put("/api/v1/accounts/self").json(account).await.is(200);
    // 2026-11-21 is a Saturday: six in the evening there is nine in the morning here.
    let saturday = Timestamp::parse("2026-11-21T09:00:00Z").unwrap();
    let week = 7 * 24 * 60 * 60;
    let saturday = saturday.plus_seconds(((now().unix() - saturday.unix()).div_euclid(week) + 1) * week);

    room.tick(saturday.plus_seconds(-1)).await;
    assert_eq!(room.outbox(channel).await.len(), 0);
    room.tick(saturday).await;
    let digest = room.outbox(channel).await;
    assert_eq!(digest[0]["subject"], "Weekly summary: 1 notification");
}

#[tokio::test]
async fn digests_keep_their_hour_when_the_clocks_change() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.lives_in("Mountain Time (US & Canada)").await;
    room.prefers(channel, "submission_comment", "daily").await;
    for (written, due) in [
        ("2026-03-07T12:00:00Z", "2026-03-08T01:00:00Z"),
        ("2026-03-08T12:00:00Z", "2026-03-09T00:00:00Z"),
        ("2026-10-31T12:00:00Z", "2026-11-01T00:00:00Z"),
        ("2026-11-01T12:00:00Z", "2026-11-02T01:00:00Z"),
    ] {
        let before = room.outbox(channel).await.len();
        room.comments("Well done").await;
        let sql =
            format!("UPDATE messages SET created_at = '{written}' WHERE channel_id = {channel} AND state = 'gathered'");
        assert!(room.site.change_database(&sql));
        let due = Timestamp::parse(due).unwrap();
        room.tick(due.plus_seconds(-1)).await;
        assert_eq!(room.outbox(channel).await.len(), before, "before {due}");
        room.tick(due).await;
        assert_eq!(room.outbox(channel).await.len(), before + 1, "{due}");
    }
}

#[tokio::test]
async fn what_is_never_wanted_is_never_sent() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "never").await;
    room.comments("Well done").await;
    room.tick(now().plus_seconds(30 * 24 * 60 * 60)).await;
    assert_eq!(room.outbox(channel).await.len(), 0);
}

#[tokio::test]
async fn what_waits_is_not_sent_once_it_is_never_wanted() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "daily").await;
    room.prefers(channel, "submission_graded", "immediately").await;
    let submission = room.assignment().await;
    room.grades(&submission, "6").await;
    room.comments("Well done").await;
    assert_eq!(room.outbox(channel).await.len(), 1, "the grade; the comment waits for its digest");
    for notification in ["submission_comment", "submission_graded"] {
        room.prefers(channel, notification, "never").await;
    }
    room.tick(now().plus_seconds(2 * 24 * 60 * 60)).await;
    assert_eq!(room.outbox(channel).await.len(), 0);
}

#[tokio::test]
async fn one_channel_is_told_by_default_even_where_that_was_settled_of_none() {
    let room = Classroom::new().await;
    let (phone, first) = (room.channel("sms", "+15550101").await, room.channel("email", &address("ada")).await);
    let second = room.channel("email", &address("ada")).await;
    let none =
        format!("UPDATE communication_channels SET told_by_default = 0 WHERE id IN ({phone}, {first}, {second});");
    assert!(room.site.change_database(&none));
    room.comments("Well done").await;
    room.tick(now().plus_seconds(2 * 24 * 60 * 60)).await;
    let digests = [phone, first, second].map(async |channel| {
        let outbox = room.outbox(channel).await;
        outbox.iter().filter(|message| message["notification"] == "summaries").count()
    });
    assert_eq!(futures::future::join_all(digests).await, [0, 1, 0], "an address comes before a number");
}

#[tokio::test]
async fn each_channel_has_its_own_frequency() {
    let room = Classroom::new().await;
    let first = room.channel("email", &address("ada")).await;
    let (second, phone) = (room.channel("email", &address("ada")).await, room.channel("sms", "+15550100").await);
    room.prefers(first, "submission_comment", "immediately").await;
    room.prefers(phone, "submission_comment", "daily").await;
    room.comments("Well done").await;
    room.site.tick(None).await;
    let told = async |channel| {
        let outbox = room.outbox(channel).await;
        outbox.iter().filter(|message| message["notification"] == "submission_comment").count()
    };
    let lengths = [first, second, phone].map(told);
    let lengths = futures::future::join_all(lengths).await;
    assert_eq!(lengths, [1, 0, 0], "other channels than the first are told nothing unless their user says so");

    room.tick(now().plus_seconds(2 * 24 * 60 * 60)).await;
    let digest = room.outbox(phone).await;
    assert_eq!((digest.len(), &digest[0]["type"], &digest[0]["to"]), (1, &json!("sms"), &json!("+15550100")));
}

#[tokio::test]
async fn nothing_goes_to_a_channel_that_is_not_confirmed_or_was_taken_away() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    room.comments("Well done").await;
    let gone = format!("/api/v1/users/self/communication_channels/{channel}");
    room.student.delete(&gone).await.is(200);
    let withdrawn = room.outbox(channel).await;
    let [message] = withdrawn.as_slice() else { panic!("{withdrawn:?}") };
    let (state, failure) = (&message["state"], &message["failure"]);
    assert_eq!((state, failure), (&json!("dead"), &json!("the channel was taken away")));
    room.comments("Well done").await;

    let body = json!({ "communication_channel": { "type": "email", "address": address("eve") } });
    let path = "/api/v1/users/self/communication_channels";
    let unconfirmed = room.student.post(path).json(body).await.is(200).id();
    room.comments("Well done").await;
    room.tick(now().plus_seconds(30 * 24 * 60 * 60)).await;
    assert_eq!(room.outbox(channel).await, withdrawn, "it is not sent, and nothing else either");
    let told = room.outbox(unconfirmed).await;
    assert_eq!((told.len(), &told[0]["notification"]), (1, &json!("confirm_email_communication_channel")));
}

#[tokio::test]
async fn changes_in_quick_succession_become_one_message() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_graded", "immediately").await;
    room.prefers(channel, "submission_grade_changed", "immediately").await;
    let submission = room.assignment().await;
    // A slip is mended while the first grade waits; what changes later is another message.
    for (grades, notification, waits) in
        [(["6", "7"], "submission_graded", 60 * 60), (["8", "9"], "submission_grade_changed", 5 * 60)]
    {
        for grade in grades {
            room.grades(&submission, grade).await;
        }
        room.site.tick(None).await;
        let outbox = room.outbox(channel).await;
        let waiting: Vec<_> = outbox.iter().filter(|message| message["state"] == "queued").collect();
        let [message] = waiting.as_slice() else { panic!("{outbox:?}") };
        assert_eq!(message["notification"], notification);
        let [due, created] =
            ["due_at", "created_at"].map(|key| Timestamp::parse(message[key].as_str().unwrap()).unwrap());
        assert_eq!(due, created.plus_seconds(waits));
        let body = format!("Your grade for Essay in Botany is {}.", grades[1]);
        assert!(message["body"].as_str().unwrap().starts_with(&body), "{message}");
        room.tick(now().plus_seconds(2 * 60 * 60)).await;
        assert!(room.outbox(channel).await.iter().all(|message| message["state"] == "sent"));
    }
}

#[tokio::test]
async fn what_is_true_no_longer_is_told_to_nobody() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    for notification in ["submission_graded", "assignment_created"] {
        room.prefers(channel, notification, "immediately").await;
    }
    let waiting = async || room.outbox(channel).await.iter().filter(|message| message["state"] == "queued").count();
    let graded = async || {
        let submission = room.assignment().await;
        room.grades(&submission, "3").await;
        assert_eq!(waiting().await, 2, "of the assignment and of the grade");
        submission
    };
    for taken in ["", "EX"] {
        room.grades(&graded().await, taken).await;
        assert_eq!(waiting().await, 1);
        room.site.tick(Some("2040-01-01")).await;
    }
    let of_assignment = |submission: &str| submission.split("/submissions/").next().unwrap().to_owned();
    let hidden = of_assignment(&graded().await);
    room.teacher.put(&format!("{hidden}/hide_grades")).await.is(200);
    assert_eq!(waiting().await, 1);
    room.site.tick(Some("2040-01-01")).await;
    room.teacher.delete(&of_assignment(&graded().await)).await.is(200);
    assert_eq!(waiting().await, 0);
    graded().await;
    let enrollments = room.course.path(&format!("/enrollments?user_id={}", room.student.id));
    let enrollment = room.school.admin.get(&enrollments).await.is(200).ids()[0];
    room.school.admin.delete(&room.course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    assert_eq!(waiting().await, 0);
    room.site.tick(Some("2040-01-01")).await;
    let told = room.outbox(channel).await;
    assert!(told.iter().all(|message| message["notification"] != "submission_graded"), "{told:?}");
}

#[tokio::test]
async fn a_digest_is_not_larger_than_what_services_take() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    let gathered = room.site.change_database(&format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 120)
         INSERT INTO messages (root_account_id, channel_id, type, recipient, notification, subject, body, digest, state,
                               created_at)
         SELECT {}, {channel}, 'email', 'ada@school.test', 'x', 'Number ' || number || '.',
                iif(number = 1, printf('%.*c', 100000, 'x'), 'y'), 'daily', 'gathered', '2026-01-01T00:00:00Z'
         FROM numbers",
        room.school.account
    ));
    if !gathered {
        return;
    }
    room.tick(now()).await;
    let outbox = room.outbox(channel).await;
    let [digest] = outbox.as_slice() else { panic!("{outbox:?}") };
    assert_eq!(digest["subject"], "Daily summary: 120 notifications");
    let body = digest["body"].as_str().unwrap();
    assert_eq!(body.matches('x').count(), 4000);
    assert!(body.contains("Number 100.") && !body.contains("Number 101.") && body.ends_with("---- and 20 more"));
}

#[tokio::test]
async fn a_digest_too_tries_a_channel_after_its_rest() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    room.prefers(channel, "submission_comment", "daily").await;
    room.bounces(&to, "permanent", now().plus_seconds(-8 * 24 * 60 * 60)).await;
    room.comments("Well done").await;
    room.tick(now().plus_seconds(24 * 60 * 60)).await;
    let outbox = room.outbox(channel).await;
    assert_eq!(
        (outbox.len(), &outbox[0]["notification"], &outbox[0]["state"]),
        (1, &json!("summaries"), &json!("sent"))
    );
    assert_eq!(room.watched(channel).await["bounce_count"], 0);
}

#[tokio::test]
async fn ticks_at_the_same_moment_make_one_digest() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "daily").await;
    for text in ["Well", "done"] {
        room.comments(text).await;
    }
    let clock = now().plus_seconds(24 * 60 * 60);
    futures::future::join_all((0..4).map(|_| room.tick(clock))).await;
    let outbox = room.outbox(channel).await;
    assert_eq!((outbox.len(), &outbox[0]["subject"]), (1, &json!("Daily summary: 2 notifications")));
    assert_eq!((&outbox[0]["state"], &outbox[0]["attempts"]), (&json!("sent"), &json!(1)));
}

/// The student's devices on one application.
struct Devices<'a> {
    room: &'a Classroom,
    key: i64,
}

impl<'a> Devices<'a> {
    async fn of(room: &'a Classroom) -> Self {
        let topic = "arn:aws:sns:eu-central-1:1:app/GCM/lectern";
        let key = json!({ "developer_key": { "name": "An app", "push_topic_arn": topic } });
        let key = room.school.admin.post("/api/v1/accounts/self/developer_keys").json(key).await.is(200).id();
        Self { room, key }
    }

    /// Signs a device on with a new token of the student: the channel, which wants comments, and the student with that token.
    async fn sign_on(&self, device: &str) -> (i64, Client) {
        let Self { room, key } = self;
        let token = json!({ "purpose": "push", "developer_key_id": key });
        let token = room.school.admin.token_for(room.student.id, token).await.is(200);
        let client = room.student.with_token(token["visible_token"].as_str().unwrap());
        let body = json!({ "communication_channel": { "type": "push", "token": device } });
        let channel = client.post("/api/v1/users/self/communication_channels").json(body).await.is(200).id();
        room.prefers(channel, "submission_comment", "immediately").await;
        (channel, client)
    }

    /// Comments on the student's work; then the devices to which all such news up to now have gone.
    async fn told(&self, channel: i64) -> Vec<String> {
        self.room.comments("Well done").await;
        let outbox = self.room.outbox(channel).await;
        let mut told: Vec<_> = outbox.iter().map(|message| message["to"].as_str().unwrap().to_owned()).collect();
        told.sort();
        told
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_takes_its_device_along() {
    let room = Classroom::new().await;
    let devices = Devices::of(&room).await;
    let ((channel, lost), (_, _kept)) = (devices.sign_on("lost").await, devices.sign_on("kept").await);
    assert_eq!(devices.told(channel).await, ["kept", "lost"]);
    room.site.tick(None).await;
    lost.delete("/login/oauth2/token").await.is(200);
    assert_eq!(devices.told(channel).await, ["kept", "kept", "lost"]);
}

#[tokio::test]
async fn a_device_that_signs_on_with_another_token_is_told_once() {
    let room = Classroom::new().await;
    let devices = Devices::of(&room).await;
    let (channel, before) = devices.sign_on("phone").await;
    assert_eq!(devices.told(channel).await, ["phone"]);
    let (same, _now) = devices.sign_on("phone").await;
    assert_eq!(same, channel);
    assert_eq!(devices.told(channel).await, ["phone", "phone"], "what waits for it stays, and the next comes once");
    room.site.tick(None).await;
    before.delete("/login/oauth2/token").await.is(200);
    assert_eq!(devices.told(channel).await.len(), 3, "the token of then takes nothing along");
}

#[tokio::test]
async fn of_too_many_devices_that_is_forgotten_which_has_not_signed_on_for_longest() {
    let room = Classroom::new().await;
    let devices = Devices::of(&room).await;
    let (channel, _) = devices.sign_on("phone").await;
    let others = format!(
        "INSERT INTO push_endpoints (channel_id, access_token_id, token, created_at)
         SELECT e.channel_id, e.access_token_id, 'lost' || n.value, '2026-01-01T00:00:00Z' FROM push_endpoints e
         JOIN (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 49) SELECT value FROM n) n
         WHERE e.channel_id = {channel};"
    );
    assert!(room.site.change_database(&others));
    for device in ["phone", "tablet"] {
        devices.sign_on(device).await;
    }
    let told = devices.told(channel).await;
    assert_eq!(told.len(), 50);
    assert!(["phone", "tablet"].iter().all(|device| told.iter().any(|told| told == device)), "{told:?}");
}

#[tokio::test]
async fn the_outbox_is_for_the_tenants_administrators() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    for _ in 0..3 {
        room.comments("Well done").await;
    }
    let ids: Vec<_> = room.outbox(channel).await.iter().map(|message| message["id"].as_i64().unwrap()).collect();
    assert!(ids.len() == 3 && ids.is_sorted_by(|newer, older| newer > older), "{ids:?}");
    let page = room.school.admin.get("/api/v1/outbox?per_page=2").await.is(200);
    assert_eq!(page.ids(), ids[..2]);
    assert_eq!(room.school.admin.get(&page.link("next").unwrap()).await.is(200).ids(), ids[2..]);

    room.student.get("/api/v1/outbox").await.is_forbidden();
    room.teacher.get("/api/v1/outbox").await.is_forbidden();
    room.site.nobody().get("/api/v1/outbox").await.is(401);
    let other = School::start_in(&room.site).await;
    assert_eq!(other.admin.get("/api/v1/outbox").await.is(200).ids(), Vec::<i64>::new());
}

#[tokio::test]
async fn what_is_over_for_long_is_cleared_up() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    for text in ["Sent long ago", "Sent lately", "Given up long ago"] {
        room.comments(text).await;
    }
    room.site.tick(None).await;
    let token = async || {
        let token = room.school.admin.token_for(room.student.id, json!({ "purpose": "test" })).await.is(200);
        (token.id(), room.student.with_token(token["visible_token"].as_str().unwrap()))
    };
    let ((old, ended_long_ago), (lately, ended_lately)) = (token().await, token().await);
    let days_ago = |days: i64| now().plus_seconds(-days * 24 * 60 * 60);
    let (long_ago, short_ago) = (days_ago(31), days_ago(29));
    let sql = format!(
        "UPDATE messages SET created_at = '{long_ago}' WHERE channel_id = {channel} AND body LIKE '%long ago%';
         UPDATE messages SET state = 'dead' WHERE channel_id = {channel} AND body LIKE 'Given up%';
         UPDATE access_tokens SET expires_at = '{long_ago}' WHERE id = {old};
         UPDATE access_tokens SET expires_at = '{short_ago}' WHERE id = {lately};
         DELETE FROM throttle_hits WHERE key = 'retention';"
    );
    assert!(room.site.change_database(&sql));
    ended_long_ago.get("/api/v1/users/self").await.is_unauthenticated("Expired");
    room.site.tick(None).await;
    ended_long_ago.get("/api/v1/users/self").await.is_unauthenticated("Invalid access token");
    ended_lately.get("/api/v1/users/self").await.is_unauthenticated("Expired");
    let left: Vec<_> = room.outbox(channel).await;
    let left = left.iter().filter(|message| message["notification"] == "submission_comment");
    let left: Vec<_> = left.filter_map(|message| message["body"].as_str()?.lines().next()).collect();
    assert_eq!(left, ["Given up long ago", "Sent lately"]);
}

#[tokio::test]
async fn a_grade_that_a_quiz_hides_stands_in_no_message() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    room.prefers(channel, "submission_graded", "immediately").await;
    for (hidden, body) in [
        (json!("always"), "Your work for Leaves in Botany has been graded."),
        (json!(null), "Your grade for Leaves in Botany is 7."),
    ] {
        let quiz = json!({ "title": "Leaves", "quiz_type": "assignment", "published": true, "hide_results": hidden });
        let quiz = room.teacher.post(&room.course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
        let submissions = room.course.path(&format!("/quizzes/{}/submissions", quiz.id()));
        let started = room.student.post(&submissions).await.is(200);
        assert_eq!(started["quiz_submissions"][0]["attempt"], 1);
        let submission =
            room.course.path(&format!("/assignments/{}/submissions/{}", quiz["assignment_id"], room.student.id));
        room.teacher.put(&submission).json(json!({ "submission": { "posted_grade": "7" } })).await.is(200);
        assert!(room.outbox(channel).await[0]["body"].as_str().unwrap().starts_with(body));
    }
}
