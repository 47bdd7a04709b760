//! Codes: sent, tried, confirmed and outlived.

use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use support::running;

use crate::uploads::until;

use super::{OWN, Room, create, refused_with};

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
    // An administrator of the user may pass the code on.
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
    // A message that arrives ends the rest of a channel: it must not arrive later than the return.
    until("the first code has left", async || room.messages(bouncing).await[0]["state"] == "sent").await;
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
