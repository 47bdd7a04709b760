//! Communication channels.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Answer, Call, Client, School, running, unique};

/// A school with a user who has no channels yet.
struct Room {
    school: School,
    user: Client,
}

impl Room {
    async fn new() -> Self {
        let school = School::start().await;
        let user = school.person("Ada").await;
        Self { school, user }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/users/{}/communication_channels{rest}", self.user.id)
    }

    /// The user's own channel, which is not confirmed.
    async fn channel(&self, kind: &str, address: &str) -> Answer {
        create(&self.user, "self", kind, address).await.is(200)
    }

    /// The user's channel, which an administrator vouches for.
    async fn confirmed(&self, kind: &str, address: &str) -> Answer {
        let body = json!({ "communication_channel": { "type": kind, "address": address }, "skip_confirmation": true });
        self.school.admin.post(&self.path("")).json(body).await.is(200)
    }

    async fn listed(&self) -> Vec<Value> {
        self.user.get(&self.path("?per_page=100")).await.is(200).json.as_array().unwrap().clone()
    }

    /// What was queued for a channel, the newest first.
    async fn messages(&self, channel: i64) -> Vec<Value> {
        let outbox = self.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let of_channel = |message: &&Value| message["channel_id"] == channel;
        outbox.json.as_array().unwrap().iter().filter(of_channel).cloned().collect()
    }

    /// The code in the newest message to a channel.
    async fn code(&self, channel: i64) -> String {
        let messages = self.messages(channel).await;
        let (_, rest) = messages[0]["body"].as_str().unwrap().split_once("/register/").unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    }

    async fn confirm(&self, channel: i64, code: &str) -> Answer {
        self.user.post(&self.path(&format!("/{channel}/confirm"))).form(&[("code", code)]).await
    }

    async fn resend(&self, channel: i64) -> Answer {
        self.user.post(&self.path(&format!("/{channel}/resend"))).await
    }

    /// The user with a token of a developer key, which has a topic for push messages or has none.
    async fn device(&self, topic: Option<&str>) -> Client {
        let admin = &self.school.admin;
        let key = json!({ "developer_key": { "name": "An app", "push_topic_arn": topic } });
        let key = admin.post("/api/v1/accounts/self/developer_keys").json(key).await.is(200).id();
        let token = json!({ "purpose": "push", "developer_key_id": key });
        let token = admin.token_for(self.user.id, token).await.is(200);
        self.user.with_token(token["visible_token"].as_str().unwrap())
    }
}

const TOPIC: &str = "arn:aws:sns:eu-central-1:1:app/GCM/lectern";
const OWN: &str = "/api/v1/users/self/communication_channels";

fn create(client: &Client, user: &str, kind: &str, address: &str) -> Call {
    let form = [("communication_channel[address]", address), ("communication_channel[type]", kind)];
    client.post(&format!("/api/v1/users/{user}/communication_channels")).form(&form)
}

fn register(client: &Client, token: &str) -> Call {
    client.post(OWN).form(&[("communication_channel[type]", "push"), ("communication_channel[token]", token)])
}

#[track_caller]
fn keys(record: &Value) -> Vec<&str> {
    record.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn refused_with(answer: &Answer, field: &str, code: &str) {
    assert_eq!(answer["errors"][field][0]["type"], code, "{answer}");
    assert_eq!(answer["errors"][field][0]["attribute"], field, "{answer}");
}

#[tokio::test]
async fn a_channel_has_exactly_the_documented_keys() {
    let room = Room::new().await;
    let made = room.channel("email", "ada@school.test").await;
    let expected = json!({
        "id": made["id"], "position": 1, "workflow_state": "unconfirmed", "user_id": room.user.id,
        "created_at": made["created_at"], "address": "ada@school.test", "type": "email",
        "bounce_count": 0, "last_bounce_at": null,
    });
    assert_eq!(made.json, expected);
    let created_at = made["created_at"].as_str().unwrap();
    assert!(created_at.len() == 20 && created_at.ends_with('Z'), "{created_at}");
    assert_eq!(room.listed().await, std::slice::from_ref(&expected));
    // The tenant's administrators see no more, those of the site do.
    let seen = room.school.admin.get(&room.path("")).await.is(200);
    assert_eq!(seen.json, json!([expected]));
    let seen = running().site_admin().await.get(&room.path("")).await.is(200);
    let more = [
        "last_bounce_summary",
        "last_suppression_bounce_at",
        "last_transient_bounce_at",
        "last_transient_bounce_summary",
    ];
    for key in more {
        assert!(seen.json[0][key].is_null() && keys(&seen.json[0]).contains(&key), "{key}: {seen}");
    }
    assert_eq!(keys(&seen.json[0]).len(), 13);
}

#[tokio::test]
async fn json_form_and_multipart_say_the_same() {
    let room = Room::new().await;
    let json = json!({ "communication_channel": { "address": "a@school.test", "type": "email" } });
    let answers = [
        room.user.post(OWN).json(json).await.is(200),
        create(&room.user, "self", "email", "b@school.test").await.is(200),
        room.user
            .post(OWN)
            .multipart(&[("communication_channel[address]", "c@school.test"), ("communication_channel[type]", "email")])
            .await
            .is(200),
    ];
    let addresses: Vec<_> = answers.iter().map(|answer| answer["address"].as_str().unwrap()).collect();
    assert_eq!(addresses, ["a@school.test", "b@school.test", "c@school.test"]);
}

#[tokio::test]
async fn channels_are_listed_by_position_and_in_pages() {
    let room = Room::new().await;
    let mut ids = Vec::new();
    for number in 0..12 {
        let made = room.channel("sms", &format!("+1 555 01{number:02}")).await;
        assert_eq!(made["position"], number + 1);
        ids.push(made.id());
    }
    let first = room.user.get(OWN).await.is(200);
    assert_eq!(first.ids(), ids[..10]);
    let second = room.user.get(&first.link("next").unwrap()).await.is(200);
    assert_eq!(second.ids(), ids[10..]);
    assert!(second.link("next").is_none() && second.link("last").is_some());
    let path = room.path(&format!("/{}", ids[3]));
    room.user.delete(&path).await.is(200);
    let listed = room.user.get(&format!("{OWN}?per_page=100")).await.is(200);
    assert!(!listed.ids().contains(&ids[3]));
    // The place of one that was taken away stays empty.
    assert_eq!(room.channel("sms", "+1 555 0199").await["position"], 13);
    room.user.get(&format!("{OWN}?page=0")).await.is_not_found();
}

#[tokio::test]
async fn a_channel_waits_for_its_owner_unless_an_administrator_vouches() {
    let room = Room::new().await;
    assert_eq!(room.channel("email", "a@school.test").await["workflow_state"], "unconfirmed");
    assert_eq!(room.confirmed("email", "b@school.test").await["workflow_state"], "active");
    // The user's own word does not count.
    let body = json!({
        "communication_channel": { "type": "sms", "address": "+1 555 0100" }, "skip_confirmation": true,
    });
    let made = room.user.post(OWN).json(body.clone()).await.is(200);
    assert_eq!(made["workflow_state"], "unconfirmed");
    // Nor does an administrator's who acts as the user.
    let body = json!({
        "communication_channel": { "type": "sms", "address": "+1 555 0101" }, "skip_confirmation": true,
        "as_user_id": room.user.id,
    });
    assert_eq!(room.school.admin.post(OWN).json(body).await.is(200)["workflow_state"], "unconfirmed");
    // An administrator's channel of one's own is confirmed as well.
    let body = json!({
        "communication_channel": { "type": "sms", "address": "+1 555 0102" }, "skip_confirmation": "1",
    });
    assert_eq!(room.school.admin.post(OWN).json(body).await.is(200)["workflow_state"], "active");
    for (number, skip) in ["false", "0", ""].iter().enumerate() {
        let address = format!("+1 555 011{number}");
        let form = [
            ("communication_channel[type]", "sms"),
            ("communication_channel[address]", &address),
            ("skip_confirmation", skip),
        ];
        assert_eq!(room.school.admin.post(OWN).form(&form).await.is(200)["workflow_state"], "unconfirmed");
    }
}

#[tokio::test]
async fn only_the_user_and_administrators_manage_channels() {
    let room = Room::new().await;
    let channel = room.channel("email", "a@school.test").await.id();
    let stranger = room.school.person("stranger").await;
    let (course, teacher, student) = room.school.classroom("Botany").await;
    let foreigner = School::start().await.admin;
    let of_student = format!("/api/v1/users/{}/communication_channels", student.id);
    teacher.get(&of_student).await.is_forbidden();
    assert!(course.id > 0);
    stranger.get(&room.path("")).await.is_forbidden();
    create(&stranger, &room.user.id.to_string(), "email", "b@school.test").await.is_forbidden();
    create(&stranger, &room.user.id.to_string(), "push", "").await.is_forbidden();
    let places = [(Method::DELETE, ""), (Method::POST, "/confirm"), (Method::POST, "/resend")]
        .map(|(method, rest)| (method, room.path(&format!("/{channel}{rest}"))));
    for (method, path) in &places {
        stranger.call(method.clone(), path).await.is_forbidden();
        foreigner.call(method.clone(), path).await.is_not_found();
    }
    stranger.delete(&room.path("/email/a@school.test")).await.is_forbidden();
    foreigner.delete(&room.path("/email/a@school.test")).await.is_not_found();
    foreigner.get(&room.path("")).await.is_not_found();
    create(&foreigner, &room.user.id.to_string(), "email", "b@school.test").await.is_not_found();
    // What is not there is not there for those without the right too.
    stranger.delete(&room.path("/999999999")).await.is_not_found();
    // Another's channel is none of one's own.
    stranger.delete(&format!("{OWN}/{channel}")).await.is_not_found();
    room.user.get("/api/v1/users/999999999/communication_channels").await.is_not_found();
    room.school.admin.delete(&room.path(&format!("/{channel}"))).await.is(200);
}

#[tokio::test]
async fn a_channel_that_is_wrong_is_refused_in_words() {
    let room = Room::new().await;
    let post = |channel: Value| room.user.post(OWN).json(json!({ "communication_channel": channel }));
    room.user.post(OWN).await.is_refused(400, "communication_channel is missing");
    room.user.post(OWN).form(&[("communication_channel", "x")]).await.is(400);
    for (channel, field, code) in [
        (json!({ "address": "a@school.test" }), "type", "blank"),
        (json!({ "type": "", "address": "a@school.test" }), "type", "blank"),
        (json!({ "type": "fax", "address": "+1 555 0100" }), "type", "inclusion"),
        (json!({ "type": "Email", "address": "a@school.test" }), "type", "inclusion"),
        (json!({ "type": "email" }), "path", "blank"),
        (json!({ "type": "email", "address": " " }), "path", "blank"),
        (json!({ "type": "sms", "address": null }), "path", "blank"),
        (json!({ "type": "email", "address": "ada" }), "email", "invalid"),
        (json!({ "type": "email", "address": "a@school.test,b@school.test" }), "email", "invalid"),
        (json!({ "type": "email", "address": "a@school.test\nBcc: b@school.test" }), "email", "invalid"),
        (json!({ "type": "email", "address": "a\u{200B}da@school.test" }), "email", "invalid"),
        (json!({ "type": "email", "address": "\u{202E}ada@school.test" }), "email", "invalid"),
        (json!({ "type": "sms", "address": "+15550\n100" }), "path", "invalid"),
        (json!({ "type": "sms", "address": "+15550\u{202E}100" }), "path", "invalid"),
        (json!({ "type": "sms", "address": "555 0100" }), "path", "invalid"),
        (json!({ "type": "sms", "address": "Ada" }), "path", "invalid"),
        (json!({ "type": "sms", "address": "1".repeat(256) }), "path", "too_long"),
    ] {
        refused_with(&post(channel.clone()).await.is(400), field, code);
    }
    post(json!({ "type": "sms", "address": ["1"] })).await.is_refused(400, "communication_channel[address]");
    let body = json!({ "communication_channel": { "type": "sms", "address": "1" }, "skip_confirmation": "perhaps" });
    room.user.post(OWN).json(body).await.is_refused(400, "skip_confirmation must be true or false");
    assert!(room.listed().await.is_empty());
}

#[tokio::test]
async fn a_user_has_each_address_once() {
    let room = Room::new().await;
    let made = room.channel("email", "Ada@School.test").await;
    for address in ["Ada@School.test", "ada@school.test", " ADA@SCHOOL.TEST "] {
        let answer = create(&room.user, "self", "email", address).await.is(400);
        assert_eq!(
            answer.json,
            json!({ "errors": { "path": [{ "attribute": "path", "type": "unique!", "message": "unique!" }] } })
        );
    }
    // Of another user it is another.
    let other = room.school.person("other").await;
    create(&other, "self", "email", "ada@school.test").await.is(200);
    assert_eq!(room.listed().await[0]["id"], made["id"]);
}

#[tokio::test]
async fn a_channel_that_was_taken_away_comes_back_as_itself() {
    let room = Room::new().await;
    let made = room.confirmed("email", "ada@school.test").await;
    let id = made.id();
    assert!(running().change_database(&format!(
        "UPDATE communication_channels SET bounce_count = 1, last_bounce_at = created_at WHERE id = {id};"
    )));
    room.user.delete(&room.path(&format!("/{id}"))).await.is(200);
    let again = room.channel("email", "ADA@school.test").await;
    assert_eq!(again.id(), id);
    assert_eq!(again["address"], "ADA@school.test");
    assert_eq!(again["workflow_state"], "unconfirmed", "what was confirmed once is asked again");
    assert_eq!((&again["bounce_count"], &again["position"]), (&json!(0), &made["position"]));
    room.user.delete(&room.path(&format!("/{id}"))).await.is(200);
    assert_eq!(room.confirmed("email", "ada@school.test").await["workflow_state"], "active");
}

#[tokio::test]
async fn a_deleted_channel_is_gone() {
    let room = Room::new().await;
    let by_id = room.channel("email", "a@school.test").await;
    let path = room.path(&format!("/{}", by_id.id()));
    let mut expected = by_id.json.clone();
    // Client libraries take no other state for a deletion.
    expected["workflow_state"] = json!("deleted");
    assert_eq!(room.user.delete(&path).await.is(200).json, expected);
    room.user.delete(&path).await.is_not_found();
    room.channel("email", "a.b+c@school.test").await;
    let by_address = room.path("/email/A.B%2Bc%40school.test");
    assert_eq!(room.user.delete(&by_address).await.is(200)["workflow_state"], "deleted");
    room.user.delete(&by_address).await.is_not_found();
    room.channel("sms", "+1 (555) 01/00").await;
    for path in ["/email/+1%20(555)%2001%2F00", "/fax/+1%20(555)%2001%2F00", "/sms/1", "/sms/%00", "/sms/%FF", "/x"] {
        room.user.delete(&room.path(path)).await.is_not_found();
    }
    room.user.delete(&room.path("/sms/+1%20(555)%2001%2F00")).await.is(200);
    assert!(room.listed().await.is_empty());
}

#[tokio::test]
async fn a_user_has_a_hundred_channels_at_most() {
    let room = Room::new().await;
    let rows = format!(
        "INSERT INTO communication_channels
             (root_account_id, user_id, type, address, position, workflow_state, created_at, updated_at)
         SELECT {}, {}, 'sms', '+155500' || value, value, iif(value > 10, 'retired', 'active'), '2026-01-01T00:00:00Z',
                '2026-01-01T00:00:00Z'
         FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 99) SELECT value FROM n);",
        room.school.account, room.user.id
    );
    assert!(running().change_database(&rows));
    let made = join_all((0..6).map(|number| {
        room.user
            .post(OWN)
            .json(json!({
                "communication_channel": { "type": "sms", "address": format!("+1 555 010{number}") }
            }))
            .into_future()
    }))
    .await;
    assert_eq!(made.iter().filter(|answer| answer.status == 200).count(), 1);
    for refused in made.iter().filter(|answer| answer.status != 200) {
        refused_with(refused, "user_id", "too_many");
        assert!(refused.body.contains("user communication_channels limit exceeded"), "{refused}");
    }
    assert_eq!(room.channel("sms", "+15550099").await["position"], 99, "what was taken away can still come back");
}

#[tokio::test]
async fn of_many_who_make_the_same_channel_one_does() {
    let room = Room::new().await;
    let answers = join_all((0..16).map(|_| create(&room.user, "self", "email", "ada@school.test").into_future())).await;
    let made: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(made.len(), 1);
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        refused_with(refused, "path", "unique!");
    }
    assert_eq!(room.listed().await.len(), 1);
    assert_eq!(room.messages(made[0].id()).await.len(), 1);
    let path = room.path(&format!("/{}", made[0].id()));
    let answers = join_all((0..8).map(|_| room.user.delete(&path).into_future())).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 404)));
}

#[tokio::test]
async fn the_code_that_was_sent_confirms_a_channel() {
    let room = Room::new().await;
    for (kind, address, length, notification) in [
        ("email", "ada@school.test", 25, "confirm_email_communication_channel"),
        ("sms", "+1 555 0100", 12, "confirm_sms_communication_channel"),
    ] {
        let channel = room.channel(kind, address).await;
        let messages = room.messages(channel.id()).await;
        assert_eq!(messages.len(), 1);
        assert_eq!((&messages[0]["to"], &messages[0]["notification"]), (&json!(address), &json!(notification)));
        let code = room.code(channel.id()).await;
        assert_eq!(code.len(), length);
        assert!(!channel.body.contains(&code));
        let wrong = room.confirm(channel.id(), "WRONG").await.is(400);
        refused_with(&wrong, "code", "invalid");
        room.user.post(&room.path(&format!("/{}/confirm", channel.id()))).await.is_refused(400, "code is missing");
        // It may be typed in small letters and in groups.
        let (start, rest) = code.split_at(4);
        let typed = format!(" {start}-{rest} ").to_lowercase();
        let confirmed = room.confirm(channel.id(), &typed).await.is(200);
        let mut expected = channel.json.clone();
        expected["workflow_state"] = json!("active");
        assert_eq!(confirmed.json, expected);
        assert_eq!(room.confirm(channel.id(), &code).await.is(200).json, expected, "a repeated request is no mistake");
    }
}

#[tokio::test]
async fn a_code_is_good_for_its_channel_alone() {
    let room = Room::new().await;
    let one = room.channel("email", "a@school.test").await.id();
    let other = room.channel("email", "b@school.test").await.id();
    let code = room.code(one).await;
    refused_with(&room.confirm(other, &code).await.is(400), "code", "invalid");
    // Who administers the user may pass the code on.
    let path = room.path(&format!("/{one}/confirm"));
    room.school.admin.post(&path).json(json!({ "code": code })).await.is(200);
    // A channel that needed no confirmation has no code.
    let confirmed = room.confirmed("email", "c@school.test").await.id();
    assert!(room.messages(confirmed).await.is_empty());
    refused_with(&room.confirm(confirmed, "WRONG").await.is(400), "code", "expired");
}

#[tokio::test]
async fn an_address_that_is_taken_away_takes_its_code_along() {
    let room = Room::new().await;
    let channel = room.channel("email", "a@school.test").await.id();
    let code = room.code(channel).await;
    room.user.delete(&room.path(&format!("/{channel}"))).await.is(200);
    room.confirm(channel, &code).await.is_not_found();
    room.user.without_token().post(&format!("/register/{code}")).await.is(404);
    room.channel("email", "a@school.test").await;
    refused_with(&room.confirm(channel, &code).await.is(400), "code", "invalid");
}

#[tokio::test]
async fn a_code_is_tried_five_times_and_no_more() {
    let room = Room::new().await;
    let channel = room.channel("sms", "+1 555 0100").await.id();
    let code = room.code(channel).await;
    let answers = join_all((0..16).map(|_| room.confirm(channel, "WRONG"))).await;
    let judged = answers.iter().filter(|answer| answer["errors"]["code"][0]["type"] == "invalid").count();
    let counted = answers.iter().filter(|answer| answer["errors"]["code"][0]["type"] == "expired").count();
    assert_eq!((judged, counted), (5, 11));
    refused_with(&room.confirm(channel, &code).await.is(400), "code", "expired");
    room.user.without_token().post(&format!("/register/{code}")).await.is(404);
    // Another code has its own tries, and the one before it is good no more.
    assert_eq!(room.resend(channel).await.is(200).json, json!({ "re_sent": true }));
    let another = room.code(channel).await;
    assert_ne!(another, code);
    refused_with(&room.confirm(channel, &code).await.is(400), "code", "invalid");
    room.confirm(channel, &another).await.is(200);
}

#[tokio::test]
async fn an_old_code_is_good_no_more() {
    let room = Room::new().await;
    let channel = room.channel("email", "a@school.test").await.id();
    let code = room.code(channel).await;
    assert!(running().change_database(&format!(
        "UPDATE confirmation_codes SET expires_at = '2026-01-01T00:00:00Z' WHERE channel_id = {channel};"
    )));
    refused_with(&room.confirm(channel, &code).await.is(400), "code", "expired");
    room.user.without_token().get(&format!("/register/{code}")).await.is(404);
}

#[tokio::test]
async fn a_code_is_not_sent_without_end() {
    let room = Room::new().await;
    let channel = room.channel("email", "a@school.test").await.id();
    let answers = join_all((0..8).map(|_| room.resend(channel))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 2);
    let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
    assert_eq!(refused.status, 429);
    assert!(refused.body.contains("Rate Limit Exceeded"), "{refused}");
    let seconds: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "{seconds}");
    assert_eq!(room.messages(channel).await.len(), 3);
    // Nor by making the channel again and again.
    room.user.delete(&room.path(&format!("/{channel}"))).await.is(200);
    assert_eq!(room.channel("email", "a@school.test").await.id(), channel);
    assert_eq!(room.messages(channel).await.len(), 3);
}

#[tokio::test]
async fn what_was_to_be_sent_to_a_channel_that_is_taken_away_says_so() {
    let room = Room::new().await;
    let channel = room.confirmed("email", "a@school.test").await.id();
    let queued = |subject: &str, confidential: bool| {
        running().change_database(&format!(
            "INSERT INTO messages (root_account_id, channel_id, type, recipient, notification, subject, body, confidential,
                                   due_at, created_at)
             VALUES ({}, {channel}, 'email', 'a@school.test', 'x', '{subject}', 'S3CRET', {confidential},
                     '2100-01-01T00:00:00Z', '2026-01-01T00:00:00Z');",
            room.school.account
        ))
    };
    if !(queued("A code", true) && queued("A word", false)) {
        return;
    }
    room.user.delete(&room.path(&format!("/{channel}"))).await.is(200);
    let messages = room.messages(channel).await;
    assert_eq!(messages.len(), 2, "nobody looks for what was acknowledged");
    for message in &messages {
        let (state, failure) = (&message["state"], &message["failure"]);
        assert_eq!((state, failure), (&json!("dead"), &json!("the channel was taken away")));
    }
    assert_eq!((&messages[0]["body"], &messages[1]["body"]), (&json!("S3CRET"), &json!("")));
}

#[tokio::test]
async fn a_code_is_sent_only_where_it_is_wanted() {
    let room = Room::new().await;
    let confirmed = room.confirmed("email", "a@school.test").await.id();
    refused_with(&room.resend(confirmed).await.is(400), "workflow_state", "confirmed");
    let bouncing = room.channel("email", "b@school.test").await.id();
    assert!(
        running()
            .change_database(&format!("UPDATE communication_channels SET bounce_count = 1 WHERE id = {bouncing};"))
    );
    assert_eq!(room.resend(bouncing).await.is(200).json, json!({ "re_sent": false }));
    assert_eq!(room.messages(bouncing).await.len(), 1);
}

#[tokio::test]
async fn the_page_of_a_code_confirms_when_its_button_is_pressed() {
    let room = Room::new().await;
    let channel = room.channel("email", "<b>@school.test".replace(['<', '>'], "").as_str()).await.id();
    let nobody = room.user.without_token();
    let page = format!("/register/{}", room.code(channel).await);
    let shown = nobody.get(&page).await.is(200);
    assert_eq!(shown.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(shown.header("content-security-policy").unwrap().contains("form-action 'self'"));
    assert!(shown.body.contains("b@school.test") && shown.body.contains("<form method=\"post\">"), "{shown}");
    assert_eq!(shown.body.matches("<button").count(), 1);
    // Mail programs open links by themselves.
    nobody.call(Method::HEAD, &page).await.is(200);
    assert_eq!(room.listed().await[0]["workflow_state"], "unconfirmed");
    for _ in 0..2 {
        let done = nobody.post(&page).await.is(200);
        assert!(done.body.contains("Thank you") && done.body.contains("b@school.test"), "{done}");
    }
    assert_eq!(room.listed().await[0]["workflow_state"], "active");
    for method in [Method::GET, Method::POST] {
        let unknown = nobody.call(method, "/register/NOSUCHCODE").await.is(404);
        assert!(unknown.body.contains("not good any more"), "{unknown}");
    }
}

#[tokio::test]
async fn the_first_address_is_told_of_the_others() {
    let room = Room::new().await;
    let first = room.confirmed("email", "first@school.test").await.id();
    assert!(room.messages(first).await.is_empty());
    let second = room.channel("email", "second@school.test").await.id();
    room.channel("sms", "+1 555 0100").await;
    room.user.delete(&room.path(&format!("/{second}"))).await.is(200);
    let told = room.messages(first).await;
    let names: Vec<_> = told.iter().map(|message| message["notification"].as_str().unwrap()).collect();
    assert_eq!(names, ["email_address_removed", "new_email_address_added"]);
    assert!(told.iter().all(|message| message["body"].as_str().unwrap().contains("second@school.test")));
}

#[tokio::test]
async fn a_push_channel_needs_a_client_with_a_topic() {
    let room = Room::new().await;
    let why = json!({ "errors": { "type": "SNS is not configured for this developer key" } });
    assert_eq!(register(&room.user, "t1").await.is(400).json, why);
    assert_eq!(register(&room.device(None).await, "t1").await.is(400).json, why);
    let device = room.device(Some(TOPIC)).await;
    for token in ["", " "] {
        refused_with(&register(&device, token).await.is(400), "token", "blank");
    }
    refused_with(&register(&device, &"t".repeat(4097)).await.is(400), "token", "too_long");
    let made = register(&device, "t1").await.is(200);
    let expected = json!({
        "id": made["id"], "position": 1, "workflow_state": "active", "user_id": room.user.id,
        "created_at": made["created_at"], "address": "For All Devices", "type": "push",
        "bounce_count": 0, "last_bounce_at": null,
    });
    assert_eq!(made.json, expected);
    assert_eq!(room.listed().await, std::slice::from_ref(&expected));
    // A further device, and one that is known, come to the same channel.
    for token in ["t2", "T1"] {
        assert_eq!(register(&device, token).await.is(200).json, expected);
    }
    // Nobody's messages come to another's device.
    let admin = &room.school.admin;
    create(admin, &room.user.id.to_string(), "push", "").await.is_forbidden();
    let body = json!({ "communication_channel": { "type": "push", "token": "t3" }, "as_user_id": room.user.id });
    admin.post(OWN).json(body).await.is_forbidden();
    // There is nothing to confirm.
    refused_with(&room.resend(made.id()).await.is(400), "workflow_state", "confirmed");
}

#[tokio::test]
async fn a_device_is_forgotten() {
    let room = Room::new().await;
    let path = format!("{OWN}/push");
    let forget = |token: &'static str| room.user.delete(&path).form(&[("push_token", token)]);
    forget("t1").await.is_not_found();
    let devices = [room.device(Some(TOPIC)).await, room.device(Some(TOPIC)).await];
    for device in &devices {
        register(device, "Tok1").await.is(200);
        register(device, "Tok2").await.is(200);
    }
    room.user.delete(&path).await.is_refused(400, "push_token is missing");
    for token in ["tok1", "tok1", "unknown"] {
        assert_eq!(forget(token).await.is(200).json, json!({ "success": true }));
    }
    // By JSON and by the query it is the same; the channel stays.
    room.user.delete(&format!("{path}?push_token=x")).await.is(200);
    room.user.delete(&path).json(json!({ "push_token": "x" })).await.is(200);
    assert_eq!(room.listed().await.len(), 1);
    // Only for oneself.
    room.user.delete(&room.path("/push")).form(&[("push_token", "tok2")]).await.is_not_found();
    room.user.delete(&room.path("/push/push")).await.is(200);
    forget("tok2").await.is_not_found();
    assert!(room.listed().await.is_empty());
}

#[tokio::test]
async fn a_new_user_comes_with_a_channel() {
    let school = School::start().await;
    let new = async |channel: Value| {
        let user = json!({
            "user": { "name": "Ada" }, "pseudonym": { "unique_id": unique("ada") }, "communication_channel": channel,
        });
        school.admin.post("/api/v1/accounts/self/users").json(user).await
    };
    let channels = async |user: i64| {
        let path = format!("/api/v1/users/{user}/communication_channels");
        school.admin.get(&path).await.is(200).json.as_array().unwrap().clone()
    };
    let user = new(json!({ "address": "ada@school.test", "skip_confirmation": true })).await.is(200);
    assert_eq!(user["email"], "ada@school.test");
    let made = channels(user.id()).await;
    assert_eq!(made.len(), 1);
    for (key, value) in [("type", "email"), ("address", "ada@school.test"), ("workflow_state", "active")] {
        assert_eq!(made[0][key], value);
    }
    let user = new(json!({ "type": "sms", "address": "+1 555 0100" })).await.is(200);
    assert_eq!(user["email"], Value::Null);
    let made = channels(user.id()).await;
    assert_eq!((&made[0]["type"], &made[0]["workflow_state"]), (&json!("sms"), &json!("unconfirmed")));
    let outbox = school.admin.get("/api/v1/outbox").await.is(200);
    assert!(outbox.json[0]["body"].as_str().unwrap().contains("/register/"), "{outbox}");
    assert_eq!(outbox.json[0]["channel_id"], made[0]["id"]);
    let user = new(json!({ "skip_confirmation": true })).await.is(200);
    assert!(channels(user.id()).await.is_empty(), "without an address there is none");
    new(json!({ "type": "push", "address": "x" })).await.is_refused(400, "is not included in the list");
    new(json!({ "address": "x" })).await.is_refused(400, "is not a valid e-mail address");
}

#[tokio::test]
async fn a_users_email_is_that_of_the_first_active_channel() {
    let room = Room::new().await;
    let email = async || {
        let user = room.school.admin.get(&format!("/api/v1/users/{}", room.user.id)).await.is(200);
        user["email"].as_str().map(str::to_owned)
    };
    let set = |email: &'static str| {
        room.school.admin.put(&format!("/api/v1/users/{}", room.user.id)).form(&[("user[email]", email)])
    };
    assert_eq!(email().await, None);
    room.channel("email", "unconfirmed@school.test").await;
    assert_eq!(email().await, None);
    let first = room.confirmed("email", "first@school.test").await;
    room.confirmed("email", "second@school.test").await;
    assert_eq!(email().await.as_deref(), Some("first@school.test"));
    assert_eq!(set("second@school.test").await.is(200)["email"], "second@school.test");
    let order: Vec<_> = room.listed().await.iter().map(|channel| channel["address"].clone()).collect();
    assert_eq!(order, ["second@school.test", "unconfirmed@school.test", "first@school.test"]);
    assert_eq!(set("new@school.test").await.is(200)["email"], "new@school.test");
    let listed = room.listed().await;
    assert_eq!((&listed[0]["address"], &listed[0]["workflow_state"]), (&json!("new@school.test"), &json!("active")));
    assert_eq!(listed.iter().map(|channel| channel["position"].clone()).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let found = "/api/v1/accounts/self/users?search_term=new@school";
    assert_eq!(room.school.admin.get(found).await.is(200).ids(), [room.user.id]);
    for address in ["new@school.test", "second@school.test"] {
        room.user.delete(&room.path(&format!("/email/{address}"))).await.is(200);
    }
    assert_eq!(email().await.as_deref(), Some("first@school.test"));
    room.user.delete(&room.path(&format!("/{}", first.id()))).await.is(200);
    assert_eq!(email().await, None, "what was taken away is not noted elsewhere");
    room.school.admin.delete(&format!("/api/v1/accounts/self/users/{}", room.user.id)).await.is(200);
    room.school.admin.get(&room.path("")).await.is_not_found();
}

/// Imports a file of users, and answers the channels of the one whom the institution calls U1.
async fn channels_after_import(school: &School, rows: &str) -> Value {
    let imports = "/api/v1/accounts/self/sis_imports";
    let file = format!("user_id,login_id,full_name,email,status\n{rows}\n");
    let import = school.admin.post(imports).body("text/csv", file).await.is(200).id();
    for _ in 0..600 {
        if !school.admin.get(&format!("{imports}/{import}")).await.is(200)["ended_at"].is_null() {
            let user = school.admin.get("/api/v1/users/sis_user_id:U1/communication_channels").await;
            return user.json;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the import {import} does not end");
}

#[tokio::test]
async fn an_imported_user_comes_with_a_channel() {
    let school = School::start().await;
    let seen = |channels: &Value| -> Vec<(String, String, i64)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let channels = channels.as_array().unwrap().iter();
        channels
            .map(|channel| {
                let position = channel["position"].as_i64().unwrap();
                (text(&channel["address"]), text(&channel["workflow_state"]), position)
            })
            .collect()
    };
    let active = |address: &str, position: i64| (address.to_owned(), "active".to_owned(), position);
    let first = channels_after_import(&school, "U1,ada,Ada,ada@school.test,active\nU2,carl,Carl,,active").await;
    assert_eq!(seen(&first), [active("ada@school.test", 1)]);
    let of_carl = school.admin.get("/api/v1/users/sis_user_id:U2/communication_channels").await.is(200);
    assert_eq!(of_carl.json, json!([]));
    let path = format!("/api/v1/users/sis_user_id:U1/communication_channels/{}", first[0]["id"]);
    let told = school.admin.get(&format!("{path}/notification_preferences/new_announcement")).await.is(200);
    assert_eq!(told["notification_preferences"][0]["frequency"], "immediately");
    let moved = channels_after_import(&school, "U1,ada,Ada,countess@school.test,active").await;
    assert_eq!(seen(&moved), [active("countess@school.test", 1), active("ada@school.test", 2)]);
    let deleted = channels_after_import(&school, "U1,ada,Ada,,deleted").await;
    assert_eq!(deleted["errors"][0]["message"], "The specified resource does not exist.");
    let back = channels_after_import(&school, "U1,ada,Ada,countess@school.test,active").await;
    assert_eq!(seen(&back), [active("countess@school.test", 1)]);
}

#[tokio::test]
async fn all_users_of_a_tenant_together_have_an_address_asked_six_times_a_day() {
    let room = Room::new().await;
    let mut channels = Vec::new();
    for number in 0..8 {
        let somebody = room.school.person(&format!("somebody-{number}")).await;
        // However it is written it is one address.
        let address = if number % 2 == 0 { "Victim@school.test" } else { "victim@school.test" };
        let made = create(&somebody, "self", "email", address).await.is(200).id();
        channels.push((somebody, made));
    }
    let outbox = room.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
    let asked = outbox
        .json
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["to"].as_str().is_some_and(|to| to.eq_ignore_ascii_case("victim@school.test")));
    assert_eq!(asked.count(), 6);
    let (somebody, channel) = channels.last().unwrap();
    let resend = format!("{OWN}/{channel}/resend");
    let refused = somebody.post(&resend).await.is(429);
    assert!(refused.header("retry-after").is_some(), "{refused}");
}

#[tokio::test]
async fn the_page_of_a_confirmation_names_whoever_asks() {
    let room = Room::new().await;
    let channel = room.channel("email", "ada@school.test").await.id();
    let page = room.user.without_token().get(&format!("/register/{}", room.code(channel).await)).await.is(200);
    for words in ["A school", "Ada"] {
        assert!(page.body.contains(&format!("<strong>{words}")), "{words}: {page}");
    }
}
