//! Tenants that are deleted: their users are told nothing more.

use serde_json::{Value, json};

use super::{Classroom, address, now};

#[tokio::test]
async fn users_of_a_deleted_tenant_are_told_nothing_and_confirm_nothing() {
    let room = Classroom::new().await;
    let channel = room.channel("email", &address("ada")).await;
    let site_admin = room.site.site_admin().await;
    let outbox = async |channel: i64| -> Vec<Value> {
        let outbox = site_admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let messages = outbox.json.as_array().unwrap().iter();
        messages.filter(|message| message["channel_id"] == channel).cloned().collect()
    };
    let body = json!({ "communication_channel": { "type": "email", "address": address("eve") } });
    let path = "/api/v1/users/self/communication_channels";
    let unconfirmed = room.student.post(path).json(body).await.is(200).id();
    let message = outbox(unconfirmed).await[0]["body"].as_str().unwrap().to_owned();
    let (_, link) = message.split_once("/register/").unwrap();
    let page = format!("/register/{}", link.split_whitespace().next().unwrap());
    let nobody = room.site.nobody();
    nobody.get(&page).await.is(200);
    // One waits for further news, and one for the evening.
    room.prefers(channel, "submission_graded", "immediately").await;
    room.prefers(channel, "submission_comment", "daily").await;
    room.comments("Well done").await;
    room.grades(&room.assignment().await, "6").await;

    let sql = format!("UPDATE accounts SET workflow_state = 'deleted' WHERE id = {}", room.school.account);
    assert!(room.site.change_database(&sql));
    let withdrawn = outbox(channel).await;
    let of_grade = withdrawn.iter().find(|message| message["notification"] == "submission_graded").unwrap();
    let (state, failure) = (&of_grade["state"], &of_grade["failure"]);
    assert_eq!((state, failure), (&json!("dead"), &json!("the institution was deleted")));
    room.tick(now().plus_seconds(2 * 24 * 60 * 60)).await;
    let left = outbox(channel).await;
    assert_eq!(left.len(), withdrawn.len(), "{left:?}");
    assert_eq!(left.iter().find(|message| message["id"] == of_grade["id"]), Some(of_grade));
    nobody.get(&page).await.is(404);
    nobody.post(&page).await.is(404);
}
