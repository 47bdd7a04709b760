//! Communication channels.

mod channels;
mod codes;
mod devices;
mod users;

use serde_json::{Value, json};
use support::{Call, Client, Response, School};

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
    async fn channel(&self, kind: &str, address: &str) -> Response {
        create(&self.user, "self", kind, address).await.is(200)
    }

    /// The user's channel, which an administrator vouches for.
    async fn confirmed(&self, kind: &str, address: &str) -> Response {
        let body = json!({ "communication_channel": { "type": kind, "address": address }, "skip_confirmation": true });
        self.school.admin.post(&self.path("")).json(body).await.is(200)
    }

    async fn listed(&self) -> Vec<Value> {
        self.user.get(&self.path("?per_page=100")).await.is(200).json.as_array().unwrap().clone()
    }

    /// The messages queued for a channel, the newest first.
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

    async fn confirm(&self, channel: i64, code: &str) -> Response {
        self.user.post(&self.path(&format!("/{channel}/confirm"))).form(&[("code", code)]).await
    }

    async fn resend(&self, channel: i64) -> Response {
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

const OWN: &str = "/api/v1/users/self/communication_channels";

fn create(client: &Client, user: &str, kind: &str, address: &str) -> Call {
    let form = [("communication_channel[address]", address), ("communication_channel[type]", kind)];
    client.post(&format!("/api/v1/users/{user}/communication_channels")).form(&form)
}

fn register(client: &Client, token: &str) -> Call {
    client.post(OWN).form(&[("communication_channel[type]", "push"), ("communication_channel[token]", token)])
}

#[track_caller]
fn refused_with(answer: &Response, field: &str, code: &str) {
    assert_eq!(answer["errors"][field][0]["type"], code, "{answer}");
    assert_eq!(answer["errors"][field][0]["attribute"], field, "{answer}");
}
