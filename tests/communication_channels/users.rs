//! Channels of users who are made or imported, and the address that stands for them.

use serde_json::{Value, json};
use support::{School, unique};

use super::Room;

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

#[tokio::test]
async fn the_address_that_an_administrator_notes_is_told_by_default_in_place_of_the_one_before() {
    let room = Room::new().await;
    let set = async |email: &str| {
        let user = format!("/api/v1/users/{}", room.user.id);
        room.school.admin.put(&user).form(&[("user[email]", email)]).await.is(200);
        room.listed().await[0]["id"].as_i64().unwrap()
    };
    let told = async |channels: &[i64]| {
        let mut told = Vec::new();
        for channel in channels {
            let alert = room.path(&format!("/{channel}/notification_preferences/alert"));
            let alert = room.user.get(&alert).await.is(200);
            told.push(alert["notification_preferences"][0]["frequency"] == "daily");
        }
        told
    };
    let first = room.confirmed("email", "first@school.test").await.id();
    let second = room.confirmed("email", "second@school.test").await.id();
    assert_eq!(told(&[first, second]).await, [true, false]);
    assert_eq!(set("second@school.test").await, second);
    assert_eq!(told(&[first, second]).await, [true, false], "one that the user had is first, and that is all");
    let unconfirmed = room.channel("email", "mine@school.test").await.id();
    let new = set("new@school.test").await;
    assert_eq!(told(&[first, second, unconfirmed, new]).await, [false, false, false, true]);
    assert_eq!(set("mine@school.test").await, unconfirmed);
    assert_eq!(told(&[first, second, unconfirmed, new]).await, [false, false, true, false]);
    room.user.delete(&room.path(&format!("/{first}"))).await.is(200);
    assert_eq!(set("first@school.test").await, first);
    assert_eq!(told(&[first, second, unconfirmed, new]).await, [true, false, false, false]);
}

/// Imports a file of users, and answers the channels of the one whom the institution calls U1.
async fn channels_after_import(school: &School, rows: &str) -> Value {
    let imports = "/api/v1/accounts/self/sis_imports";
    let file = format!("user_id,login_id,full_name,email,status\n{rows}\n");
    let import = school.admin.post(imports).body("text/csv", file).await.is(200).id();
    for _ in 0..1_200 {
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
    let told = async |channel: &Value| {
        let path = format!("/api/v1/users/sis_user_id:U1/communication_channels/{}", channel["id"]);
        let told = school.admin.get(&format!("{path}/notification_preferences/new_announcement")).await.is(200);
        told["notification_preferences"][0]["frequency"].clone()
    };
    assert_eq!(told(&first[0]).await, "immediately");
    let moved = channels_after_import(&school, "U1,ada,Ada,countess@school.test,active").await;
    assert_eq!(seen(&moved), [active("countess@school.test", 1), active("ada@school.test", 2)]);
    assert_eq!((told(&moved[0]).await, told(&moved[1]).await), (json!("immediately"), json!("never")));
    let again = channels_after_import(&school, "U1,ada,Ada Lovelace,countess@school.test,active").await;
    assert_eq!((told(&again[0]).await, told(&again[1]).await), (json!("immediately"), json!("never")));
    let deleted = channels_after_import(&school, "U1,ada,Ada,,deleted").await;
    assert_eq!(deleted["errors"][0]["message"], "The specified resource does not exist.");
    let back = channels_after_import(&school, "U1,ada,Ada,countess@school.test,active").await;
    assert_eq!(seen(&back), [active("countess@school.test", 1)]);
}
