//! E-mail over SMTP: the application posts to the relay, and the relay speaks to a mail server.
//!
//! The application is allowed the relay's host by `mail_http_host`, and nothing else without https.

use std::sync::OnceLock;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use relay::{Credentials, Headers, MailServer, Relay, Security, Settings};
use serde_json::{Value, json};
use smtp_test_server::{Behaviour, Encryption, PASSWORD, Server};
use support::Running;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, MutexGuard};

use crate::transports::{Correspondent, address, in_seconds};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const BEHAVIOUR: Behaviour =
    Behaviour { encryption: Encryption::StartTls, asks_who: true, hangs_up_after: 0 };

/// An application with a relay and a mail server. These tests take turns in it.
struct Post {
    site: Running,
    /// The port of the mail server.
    port: u16,
}

async fn post() -> (MutexGuard<'static, Option<Server>>, &'static Post) {
    static SERVER: Mutex<Option<Server>> = Mutex::const_new(None);
    static POST: OnceLock<Post> = OnceLock::new();
    let mut server = SERVER.lock().await;
    let running = server.get_or_insert_with(|| Server::start(BEHAVIOUR));
    let (port, certificate) = (running.port, running.certificate.clone());
    let start = move || {
        let url = start_relay(port, &certificate);
        let settings = [
            ("mail_transport", "relay"),
            ("mail_from", "Lectern <lms@school.test>"),
            ("mail_api_key", TOKEN),
            ("mail_base_url", &*url),
            ("mail_http_host", &*url),
            ("development_host", "https://none.invalid"),
            ("development_host_name", "https://none.invalid"),
        ];
        Post { site: Running::own("smtp", &settings), port }
    };
    let post = tokio::task::spawn_blocking(move || POST.get_or_init(start)).await.unwrap();
    (server, post)
}

/// The mail server at that port, which wants to see that password.
pub(crate) fn mail_server(port: u16, certificate: &str, password: &str) -> MailServer {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), certificate).unwrap();
    MailServer {
        host: "localhost".to_owned(),
        port,
        security: Security::StartTls,
        tls: relay::trusted(Some(file.path())).unwrap(),
        credentials: Some(Credentials::new("lms".to_owned(), password.to_owned())),
        hello: "lms.school.test".to_owned(),
    }
}

/// The settings of a relay that wants to see one of these tokens.
pub(crate) fn settings(token: &str, previous: Option<&str>) -> Settings {
    Settings {
        token: token.to_owned(),
        previous_token: previous.map(str::to_owned),
        headers: Headers::default(),
        connections: 4,
        timeout: Duration::from_secs(30),
        max_message_bytes: 1024 * 1024,
    }
}

/// Starts a relay to the mail server at that port. It lives as long as the tests do.
fn start_relay(port: u16, certificate: &str) -> String {
    let relay = Relay::new(mail_server(port, certificate, PASSWORD), settings(TOKEN, None)).unwrap();
    let (started, wait) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            started.send(format!("http://{}", listener.local_addr().unwrap())).unwrap();
            relay.serve(listener, std::future::pending()).await;
        });
    });
    wait.recv().unwrap()
}

#[tokio::test]
async fn a_message_goes_out_over_smtp() {
    let (server, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("ada");
    let channel = ada.asks("email", &to).await;
    ada.reached(channel).await;
    let message = ada.message(channel).await;
    assert_eq!((&message["attempts"], &message["body"]), (&json!(1), &json!("")), "the code in it is forgotten");

    let taken = server.as_ref().unwrap().taken_for(&to);
    let [mail] = taken.as_slice() else { panic!("{taken:?}") };
    assert!(mail.encrypted && mail.sender == "lms@school.test", "{mail:?}");
    let (head, body) = mail.text.split_once("\r\n\r\n").unwrap();
    for line in [
        "From: Lectern <lms@school.test>".to_owned(),
        format!("To: {to}"),
        format!("Subject: {}", message["subject"].as_str().unwrap()),
        "Auto-Submitted: auto-generated".to_owned(),
    ] {
        assert!(head.lines().any(|found| found == line), "{line} is not in {head}");
    }
    assert!(head.contains("Message-ID: <") && body.contains("/register/"), "{head} {body}");
    post.site.tick(Some(&in_seconds(3600))).await;
    assert_eq!(server.as_ref().unwrap().taken_for(&to).len(), 1, "what was taken is not sent again");
}

#[tokio::test]
async fn an_address_that_the_mail_server_refuses_has_bounced() {
    let (_server, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let channel = ada.asks("email", &address("gone")).await;
    let words = "the mail server does not take the address: 550 5.1.1 there is no such user";
    let message = ada.tried(channel).await;
    assert_eq!((&message["state"], &message["failure"]), (&json!("dead"), &json!(words)));
    let channel = ada.channel(&post.site, channel).await;
    assert_eq!((&channel["bounce_count"], &channel["last_bounce_summary"]), (&json!(1), &json!(words)));
}

#[tokio::test]
async fn a_message_that_is_refused_is_no_bounce() {
    let (_server, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let channel = ada.asks("email", &address("spam")).await;
    let message = ada.tried(channel).await;
    let words = "the mail server does not take the message: 554 5.7.1 this is spam";
    assert_eq!((&message["state"], &message["failure"]), (&json!("dead"), &json!(words)));
    assert_eq!(ada.channel(&post.site, channel).await["bounce_count"], 0);
}

#[tokio::test]
async fn a_server_that_relays_nothing_is_no_bounce_and_waits_for_the_operator() {
    let (_server, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let channel = ada.asks("email", &address("foreign")).await;
    let message = ada.tried(channel).await;
    let words = "the mail server does not take messages from lectern-relay: 550 relay not permitted";
    assert_eq!((&message["state"], &message["failure"]), (&json!("queued"), &json!(words)));
    assert_eq!(ada.channel(&post.site, channel).await["bounce_count"], 0);
}

#[tokio::test]
async fn a_mail_server_that_is_away_gets_its_messages_later() {
    let (mut server, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let before = server.as_ref().unwrap();
    before.stop();
    let to = address("ada");
    let channel = ada.asks("email", &to).await;
    let message = ada.tried(channel).await;
    assert_eq!((&message["state"], &message["sent_at"]), (&json!("queued"), &Value::Null));
    let failure = message["failure"].as_str().unwrap();
    assert!(failure.starts_with("it answered 503: "), "{failure}");

    // It comes back with the certificate that it had.
    let back = before.start_again();
    post.site.tick(Some(&in_seconds(60))).await;
    ada.reached(channel).await;
    assert_eq!((back.taken_for(&to).len(), back.port), (1, post.port));
    *server = Some(back);
}
