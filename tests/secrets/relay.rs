//! The relay's token and its password at the mail server: messages go out, or wait in the outbox until they can.

use serde_json::json;
use smtp_test_server::{PASSWORD, Server};
use support::{Client, DEVELOPMENT, admin_of};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use xtask::app::App;
use xtask::sandbox::Sandbox;

use super::{NEW, OLD};
use crate::smtp::{BEHAVIOUR, mail_server, settings};
use crate::transports::{address, in_seconds};
use crate::uploads::until;

/// A relay that runs until it is stopped.
struct Relay {
    address: String,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

impl Relay {
    async fn start(listen: &str, server: &Server, password: &str, token: &str, previous: Option<&str>) -> Self {
        let relay = mail_server(server.port, &server.certificate, password);
        let relay = relay::Relay::new(relay, settings(token, previous)).unwrap();
        let listener = TcpListener::bind(listen).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(relay.serve(listener, async move { drop(stopped.await) }));
        Self { address, stop, ended }
    }

    /// One with other secrets in its place.
    async fn restart(self, server: &Server, password: &str, token: &str, previous: Option<&str>) -> Self {
        self.stop.send(()).unwrap();
        self.ended.await.unwrap();
        Self::start(&self.address, server, password, token, previous).await
    }

    /// A data folder of applications that post to it, with that token.
    fn sandbox(&self, token: &str) -> Sandbox {
        let url = format!("http://{}", self.address);
        let settings = [
            ("mail_transport", "relay"),
            ("mail_from", "Lectern <lms@school.test>"),
            ("mail_api_key", token),
            ("mail_base_url", &*url),
            ("mail_http_host", &*url),
        ];
        support::sandbox(&[&DEVELOPMENT[..], &settings].concat())
    }
}

/// A mail server with which each message is a new conversation, that begins with the password.
fn mail_server_that_asks_each_time() -> Server {
    Server::start(smtp_test_server::Behaviour { hangs_up_after: 1, ..BEHAVIOUR })
}

/// Has a message sent to a new address, and answers the address.
async fn send(admin: &Client) -> String {
    let to = address("ada");
    let channel = json!({ "communication_channel": { "type": "email", "address": to } });
    admin.post("/api/v1/users/self/communication_channels").json(channel).await.is(200);
    to
}

async fn arrives(server: &Server, to: &str) {
    until("the message is at the mail server", async || !server.taken_for(to).is_empty()).await;
}

#[tokio::test]
async fn the_token_of_the_relay() {
    let server = mail_server_that_asks_each_time();
    let relay = Relay::start("127.0.0.1:0", &server, PASSWORD, OLD, None).await;
    let mut sandbox = relay.sandbox(OLD);
    let app = sandbox.start().await.unwrap();
    arrives(&server, &send(&admin_of(&sandbox, &app).await).await).await;

    let relay = relay.restart(&server, PASSWORD, NEW, Some(OLD)).await;
    arrives(&server, &send(&admin_of(&sandbox, &app).await).await).await;
    app.stop().await.unwrap();

    sandbox.set("mail_api_key", NEW);
    let app = sandbox.start().await.unwrap();
    arrives(&server, &send(&admin_of(&sandbox, &app).await).await).await;
    let _relay = relay.restart(&server, PASSWORD, NEW, None).await;
    arrives(&server, &send(&admin_of(&sandbox, &app).await).await).await;
    app.stop().await.unwrap();
}

/// The message to that address, once somebody has tried to send it.
async fn tried(admin: &Client, to: &str) -> serde_json::Value {
    let mut message = json!(null);
    until("somebody tries", async || {
        let outbox = admin.get("/api/v1/outbox?per_page=100").await.is(200);
        message = outbox.json.as_array().unwrap().iter().find(|message| message["to"] == to).unwrap().clone();
        !message["failure"].is_null()
    })
    .await;
    message
}

fn tick_later(sandbox: &Sandbox, app: &App) -> support::Call {
    let operator = Client::new(&app.base_url, Some(&sandbox.variables["tick_token"]));
    operator.post("/internal/tick").header("x-test-clock", in_seconds(60))
}

#[tokio::test]
async fn the_password_of_the_mail_server() {
    let server = mail_server_that_asks_each_time();
    let relay = Relay::start("127.0.0.1:0", &server, PASSWORD, OLD, None).await;
    let sandbox = relay.sandbox(OLD);
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    arrives(&server, &send(&admin).await).await;

    server.change_password("another-password");
    let to = send(&admin).await;
    let message = tried(&admin, &to).await;
    let words = "the mail server does not take messages from lectern-relay: 535 5.7.8 who are you?";
    assert_eq!((&message["state"], &message["failure"]), (&json!("queued"), &json!(words)));
    let _relay = relay.restart(&server, "another-password", OLD, None).await;
    tick_later(&sandbox, &app).await.is(200);
    arrives(&server, &to).await;
    tick_later(&sandbox, &app).await.is(200);
    assert_eq!(server.taken_for(&to).len(), 1, "it goes out once");
    app.stop().await.unwrap();
}
