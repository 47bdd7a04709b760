//! Channels: their records, lists, rights and limits.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use support::{School, number_id, recent, running};

use super::{OWN, Room, create, refused_with};

#[track_caller]
fn keys(record: &Value) -> Vec<&str> {
    record.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_channel_has_exactly_the_documented_keys() {
    let room = Room::new().await;
    let made = room.channel("email", "ada@school.test").await;
    let expected = json!({
        "id": number_id(&made["id"]), "position": 1, "workflow_state": "unconfirmed", "user_id": room.user.id,
        "created_at": recent(&made["created_at"]), "address": "ada@school.test", "type": "email",
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
    // A missing record is missing for those without the right too.
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
async fn a_number_is_one_address_however_it_is_spaced() {
    let room = Room::new().await;
    let made = room.channel("sms", "+1 555 010 0123").await;
    for address in ["+15550100123", "+1 (555) 010-0123"] {
        refused_with(&create(&room.user, "self", "sms", address).await.is(400), "path", "unique!");
    }
    assert_eq!(room.listed().await, std::slice::from_ref(&made.json), "it is kept as it was written");
    assert_eq!(room.messages(made.id()).await.len(), 1);
    assert_eq!(room.user.delete(&room.path("/sms/+15550100123")).await.is(200)["id"], made["id"]);
    let again = room.channel("sms", "+1-555-010-0123").await;
    assert_eq!((again.id(), &again["address"]), (made.id(), &json!("+1-555-010-0123")));
    assert_ne!(room.channel("sms", "+15550100124").await.id(), made.id());
}

#[tokio::test]
async fn of_a_number_that_is_there_twice_each_spelling_has_its_channel() {
    let room = Room::new().await;
    let spaced = room.channel("sms", "+1 555 010 0123").await.id();
    let twin = format!(
        "INSERT INTO communication_channels
             (root_account_id, user_id, type, address, position, workflow_state, created_at, updated_at)
         VALUES ({}, {}, 'sms', '+15550100123', 2, 'active', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');",
        room.school.account, room.user.id
    );
    assert!(running().change_database(&twin));
    let delete = async |path: &str| room.user.delete(&room.path(path)).await.is(200).id();
    let twin = delete("/sms/+15550100123").await;
    assert_ne!(twin, spaced);
    refused_with(&create(&room.user, "self", "sms", "+15550100123").await.is(400), "path", "unique!");
    assert_eq!(delete("/sms/+15550100123").await, spaced);
    assert_eq!(room.channel("sms", "+15550100123").await.id(), twin);
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
