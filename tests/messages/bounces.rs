//! Messages that come back: the channel rests, and providers tell of it in their own ways.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use shared::Timestamp;
use support::{Client, Running};

use super::{Classroom, address, now};

#[tokio::test]
async fn a_channel_whose_messages_come_back_rests_and_a_success_ends_that() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    let long_ago = now().plus_seconds(-8 * 24 * 60 * 60);
    room.bounces(&to.to_uppercase(), "permanent", now()).await;
    let bounced = room.watched(channel).await;
    assert_eq!((&bounced["bounce_count"], &bounced["last_bounce_summary"]), (&json!(1), &json!("550 No such user")));
    room.bounces(&to, "permanent", now().plus_seconds(3 * 60 * 60)).await;
    assert_eq!(room.watched(channel).await["bounce_count"], 1, "it counts once");

    room.comments("Well done").await;
    assert_eq!(room.outbox(channel).await.len(), 0, "it rests");
    let sql = format!("UPDATE communication_channels SET last_bounce_at = '{long_ago}' WHERE id = {channel}");
    assert!(room.site.change_database(&sql));
    room.comments("Well done").await;
    room.site.tick(None).await;
    assert_eq!(room.outbox(channel).await[0]["state"], "sent");
    let recovered = room.watched(channel).await;
    assert_eq!((&recovered["bounce_count"], &recovered["last_bounce_at"]), (&json!(0), &json!(long_ago)));
}

#[tokio::test]
async fn what_concerns_the_account_goes_where_messages_arrive() {
    let room = Classroom::new().await;
    let (to, other) = (address("ada"), address("ada"));
    let (first, second) = (room.channel("email", &to).await, room.channel("email", &other).await);
    let new_token = async || {
        let token = json!({ "token": { "purpose": "scripts" } });
        let path = format!("/api/v1/users/{}/tokens", room.student.id);
        room.school.admin.post(&path).json(token).await.is(200);
    };
    new_token().await;
    assert_eq!(room.outbox(second).await, Vec::<Value>::new());
    // What is on its way would end the rest when it arrives.
    room.site.tick(None).await;
    room.bounces(&to, "permanent", now()).await;
    let before = room.outbox(first).await;
    assert_eq!(before[0]["notification"], "manually_created_access_token_created");
    new_token().await;
    room.channel("email", &address("ada")).await;
    let names = async |channel: i64| -> Vec<Value> {
        room.outbox(channel).await.iter().map(|message| message["notification"].clone()).collect()
    };
    let told = ["new_email_address_added", "manually_created_access_token_created"];
    assert_eq!(names(second).await, told);
    assert_eq!(names(first).await.len(), before.len());
    // What it is told otherwise is not told elsewhere.
    room.comments("Well done").await;
    assert_eq!(names(second).await, told);
}

#[tokio::test]
async fn a_channel_that_bounces_after_its_rest_rests_anew() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    let week = 7 * 24 * 60 * 60;
    let first = now().plus_seconds(-week - 60);
    room.bounces(&to, "permanent", first).await;
    room.bounces(&to, "permanent", first.plus_seconds(2 * 60 * 60)).await;
    assert_eq!(room.watched(channel).await["last_bounce_at"], json!(first), "it rests: that was no new try");
    room.comments("Well done").await;
    assert_eq!(room.outbox(channel).await.len(), 1, "it is tried again");
    let again = now();
    room.bounces(&to, "permanent", again).await;
    let noted = room.watched(channel).await;
    assert_eq!((&noted["bounce_count"], &noted["last_bounce_at"]), (&json!(2), &json!(again)));
    room.comments("Well done").await;
    assert_eq!(room.outbox(channel).await.len(), 1, "it rests once more");
}

#[tokio::test]
async fn what_comes_back_after_something_arrived_is_noted_at_once() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    room.prefers(channel, "submission_comment", "immediately").await;
    room.comments("It was written before the first message came back").await;
    let first = now();
    room.bounces(&to, "permanent", first).await;
    room.site.tick(None).await;
    assert_eq!(room.watched(channel).await["bounce_count"], 0);
    // A notice that comes twice is one.
    room.bounces(&to, "permanent", first).await;
    assert_eq!(room.watched(channel).await["bounce_count"], 0);
    let minute_ago = first.plus_seconds(-60);
    let sql = format!("UPDATE communication_channels SET last_bounce_at = '{minute_ago}' WHERE id = {channel}");
    assert!(room.site.change_database(&sql));
    room.bounces(&to, "permanent", first).await;
    assert_eq!(room.watched(channel).await["bounce_count"], 1);
    room.comments("Well done").await;
    assert_eq!(room.outbox(channel).await.iter().filter(|message| message["state"] == "queued").count(), 0, "it rests");
}

#[tokio::test]
async fn each_kind_of_bounce_is_noted_by_itself() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    let phone = room.channel("sms", "+15550100").await;
    let first = Timestamp::parse("2026-03-04T05:00:00Z").unwrap();
    room.bounces(&to, "transient", first).await;
    room.bounces(&to, "transient", first.plus_seconds(30 * 60)).await;
    room.bounces(&to, "suppression", first.plus_seconds(60)).await;
    let noted = room.watched(channel).await;
    assert_eq!((&noted["bounce_count"], &noted["last_bounce_at"]), (&json!(0), &Value::Null));
    assert_eq!(noted["last_transient_bounce_at"], "2026-03-04T05:00:00Z", "the same news counts once within an hour");
    assert_eq!(noted["last_suppression_bounce_at"], "2026-03-04T05:01:00Z");
    room.bounces(&to, "transient", first.plus_seconds(60 * 60)).await;
    assert_eq!(room.watched(channel).await["last_transient_bounce_at"], "2026-03-04T06:00:00Z");
    assert_eq!(room.watched(phone).await["last_transient_bounce_at"], Value::Null, "it is about mail");

    room.bounces(&to, "permanent", Timestamp::parse("9999-12-31").unwrap()).await;
    let ahead = room.watched(channel).await["last_bounce_at"].as_str().and_then(Timestamp::parse);
    assert!(ahead.is_some_and(|at| at <= now()), "nothing has come back in the future");

    room.bounces(&address("nobody"), "permanent", first).await;
    let bounces = |client: Client, body: Value| async move { client.post("/internal/bounces").json(body).await };
    bounces(room.operator(), json!({ "address": to, "kind": "odd" })).await.is_refused(400, "kind");
    bounces(room.operator(), json!({ "kind": "permanent" })).await.is_refused(400, "address");
    bounces(room.operator(), json!({ "address": " ", "kind": "permanent" })).await.is_refused(400, "blank");
    bounces(room.site.nobody(), json!({ "address": to, "kind": "permanent" })).await.is(401);
    bounces(room.school.admin.clone(), json!({ "address": to, "kind": "permanent" })).await.is(401);
}

#[tokio::test]
async fn notices_of_providers_are_taken_as_they_send_them() {
    let room = Classroom::new().await;
    let to = address("ada");
    let channel = room.channel("email", &to).await;
    let token = room.site.variables["bounce_postmark_token"].clone();
    let operator = room.site.nobody().with_token(&token);
    let path = "/internal/bounces/postmark";
    let notice = |kind: &str, at: Timestamp| json!({ "RecordType": "Bounce", "Type": kind, "Email": to, "BouncedAt": at, "Description": "No such user" });
    let told = async |notice: Value| operator.post(path).json(notice).await.is(200)["bounces"].clone();
    assert_eq!(told(json!({ "RecordType": "Delivery", "Recipient": to })).await, 0);
    assert_eq!(told(notice("AutoResponder", now())).await, 0);
    assert_eq!(told(notice("HardBounce", now().plus_seconds(-2 * 24 * 60 * 60))).await, 0, "it is too old");
    assert_eq!(told(notice("SoftBounce", now())).await, 1);
    let soft = room.watched(channel).await;
    assert_eq!(soft["bounce_count"], 0, "a soft bounce does not count");
    assert_ne!(soft["last_transient_bounce_at"], Value::Null);
    assert_eq!(told(notice("HardBounce", now())).await, 1);
    let hard = room.watched(channel).await;
    assert_eq!((&hard["bounce_count"], &hard["last_bounce_summary"]), (&json!(1), &json!("No such user")));
    assert_eq!(told(notice("HardBounce", now())).await, 1);
    assert_eq!(room.watched(channel).await["bounce_count"], 1, "the same news counts once");

    let basic = format!("Basic {}", BASE64_STANDARD.encode(format!("postmark:{token}")));
    let nobody = room.site.nobody();
    nobody.post(path).header("authorization", &basic).json(notice("SoftBounce", now())).await.is(200);
    operator.post(path).body("application/json", "no JSON").await.is(400);
    nobody.with_token("wrong").post(path).json(notice("HardBounce", now())).await.is(401);
    for provider in ["postmark", "ses", "sendgrid", "twilio"] {
        let path = format!("/internal/bounces/{provider}");
        nobody.post(&path).json(notice("HardBounce", now())).await.is(401);
    }
}

#[tokio::test]
async fn a_batch_of_sendgrid_is_taken_with_its_signature_alone() {
    const KEY: &str = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvrR9pgmii2xHFCDNNGQ+o2vLN/sw9SRbLphrMj9/PABFYWS5XAsznRPVq3xyxvYOHi01yyZ+9bJsYqB6wwp80Q==";
    const SIGNATURE: &str =
        "MEUCIQDNXqZLBj0dy4mr1ObZ9ypgfv25MBWKrqVdwff4+JH01QIgSAMbR0SamNd8sc+/or1NtjbGSdodCh8bhBYEFoWNMLI=";
    const TIME: &str = "1772600767";
    const BODY: &str = r#"[{"email":"a@b.test","event":"bounce","type":"bounce","timestamp":1772600767}]"#;
    let site = Running::own("sendgrid", &[("bounce_sendgrid_key", KEY)]);
    let send = async |signature: &str, time: &str, body: &str| {
        let call = site.nobody().post("/internal/bounces/sendgrid").body("application/json", body);
        let call = call.header("x-twilio-email-event-webhook-signature", signature);
        call.header("x-twilio-email-event-webhook-timestamp", time).await
    };
    assert_eq!(send(SIGNATURE, TIME, BODY).await.is(200)["bounces"], 0, "nobody has this address");
    send(SIGNATURE, "1772600768", BODY).await.is(401);
    send(SIGNATURE, TIME, &BODY.replace("a@b", "c@d")).await.is(401);
    send("", TIME, BODY).await.is(401);
}
