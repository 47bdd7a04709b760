//! Accounts and terms that are deleted while somebody puts something into them: nothing ends in a place that is gone.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, School};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::badges::at_once;

const ROUNDS: usize = 20;

/// A request whose head is sent, and whose body is not yet.
pub(crate) struct Begun {
    stream: TcpStream,
    body: String,
}

impl Begun {
    /// Begins a POST, and waits until it has been looked up whether the caller may do that.
    pub(crate) async fn post(client: &Client, path: &str, body: Value) -> Self {
        Self::json(client, "POST", path, body).await
    }

    /// The same with another method.
    pub(crate) async fn json(client: &Client, method: &str, path: &str, body: Value) -> Self {
        Self::new(client, method, path, "application/json", body.to_string()).await
    }

    /// The same with any body, from a program or a browser.
    pub(crate) async fn new(client: &Client, method: &str, path: &str, content_type: &str, body: String) -> Self {
        let address = client.base_url().trim_start_matches("http://");
        let token = client.token.iter().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let cookie = client.cookie.iter().map(|cookie| format!("Cookie: {cookie}\r\n"));
        let caller: String = token.chain(cookie).collect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{caller}Content-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(700)).await;
        Self { stream, body }
    }

    /// Sends the body. The status of the answer.
    pub(crate) async fn status(mut self) -> String {
        self.stream.write_all(self.body.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        let read = self.stream.read_exact(&mut answer);
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("an answer").unwrap();
        String::from_utf8_lossy(&answer[9..]).into_owned()
    }
}

async fn new_account(admin: &Client) -> i64 {
    let account = json!({ "account": { "name": "Science" } });
    admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id()
}

#[tokio::test]
async fn nothing_is_made_in_an_account_that_goes_meanwhile() {
    let school = School::start().await;
    let admin = &school.admin;
    for (what, body) in [
        ("courses", json!({ "course": { "name": "Botany" } })),
        ("sub_accounts", json!({ "account": { "name": "Biology" } })),
        ("mastery_credentials", json!({})),
    ] {
        let account = new_account(admin).await;
        let begun = Begun::post(admin, &format!("/api/v1/accounts/{account}/{what}"), body).await;
        admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{account}")).await.is(200);
        assert_eq!(begun.status().await, "404", "{what}");
    }
    assert_eq!(admin.get("/api/v1/accounts/self/courses").await.is(200).ids(), [0; 0]);
}

#[tokio::test]
async fn no_course_is_moved_into_an_account_or_a_term_that_goes_meanwhile() {
    let school = School::start().await;
    let admin = &school.admin;
    let course = school.course("Botany").await;
    let set = |fields: Value| admin.put(&course.path("")).json(json!({ "course": fields }));
    for round in 0..ROUNDS {
        let account = new_account(admin).await;
        let term = json!({ "enrollment_term": { "name": "Autumn" } });
        let term = admin.post("/api/v1/accounts/self/terms").json(term).await.is(200).id();
        for (place, fields, column) in [
            (format!("sub_accounts/{account}"), json!({ "account_id": account }), "account_id"),
            (format!("terms/{term}"), json!({ "term_id": term }), "enrollment_term_id"),
        ] {
            let deletion = admin.delete(&format!("/api/v1/accounts/self/{place}"));
            let answers = at_once([set(fields.clone()), deletion]).await;
            let (moved, deleted) = (answers[0].status == 200, answers[1].status == 200);
            assert!(moved != deleted, "round {round}, {place}: {} {}", answers[0].status, answers[1].status);
            let now = admin.get(&course.path("")).await.is(200)[column].clone();
            let there = fields.as_object().unwrap().values().next().unwrap();
            assert_eq!(now == *there, moved, "round {round}, {place}: {now}");
        }
        set(json!({ "account_id": school.account, "term_id": null })).await.is(200);
    }
}
