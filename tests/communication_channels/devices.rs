//! Push channels.

use serde_json::json;
use support::{number_id, recent};

use super::{OWN, Room, create, refused_with, register};

const TOPIC: &str = "arn:aws:sns:eu-central-1:1:app/GCM/lectern";

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
        "id": number_id(&made["id"]), "position": 1, "workflow_state": "active", "user_id": room.user.id,
        "created_at": recent(&made["created_at"]), "address": "For All Devices", "type": "push",
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
async fn a_push_channel_is_found_by_the_address_that_is_shown() {
    let room = Room::new().await;
    let id = register(&room.device(Some(TOPIC)).await, "t1").await.is(200).id();
    let by_id = room.user.get(&room.path(&format!("/{id}/notification_preferences"))).await.is(200);
    for address in ["For%20All%20Devices", "for%20all%20devices", "push"] {
        let by_address = room.user.get(&room.path(&format!("/push/{address}/notification_preferences"))).await.is(200);
        assert_eq!(by_address.json, by_id.json);
        let alert = format!("{OWN}/push/{address}/notification_preferences/alert");
        let same = by_id["notification_preferences"][2].clone();
        let form = [("notification_preferences[frequency]", same["frequency"].as_str().unwrap())];
        assert_eq!(room.user.put(&alert).form(&form).await.is(200)["notification_preferences"], json!([same]));
    }
    for other in ["/push/x", "/email/For%20All%20Devices", "/sms/push"] {
        room.user.get(&room.path(&format!("{other}/notification_preferences"))).await.is_not_found();
        room.user.delete(&room.path(other)).await.is_not_found();
    }
    assert_eq!(room.user.delete(&room.path("/push/For%20All%20Devices")).await.is(200)["id"], id);
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
