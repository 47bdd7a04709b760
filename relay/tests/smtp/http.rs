//! Who may post, and what.

use reqwest::Client;
use serde_json::json;

use crate::process::{Relay, SENDER, TOKEN, answer, command, server};

#[tokio::test]
async fn only_the_token_lets_in() {
    let server = server();
    let relay = Relay::to(&server).await;
    for token in ["", "0123456789abcdef0123456789abcdee", "0123"] {
        let request = Client::new().post(format!("{}/messages", relay.url)).bearer_auth(token).body("{}");
        let refused = answer(request).await;
        assert_eq!((refused.status, refused.code()), (401, "unauthorized"), "{token:?}");
    }
    let nobody = answer(Client::new().post(format!("{}/messages", relay.url)).body("{}")).await;
    assert_eq!(nobody.status, 401);
    assert_eq!(server.taken(), []);
    assert_eq!(relay.post("1", "ada@school.test").await.status, 200);
}

#[tokio::test]
async fn while_the_token_is_changed_the_one_before_it_is_good_too() {
    const NEW: &str = "fedcba9876543210fedcba9876543210";
    let server = server();
    let port = server.port.to_string();
    let options = ["--smtp-host", "127.0.0.1", "--smtp-security", "none", "--smtp-port", &port];
    for (previous, served) in [(TOKEN, 200), ("", 401)] {
        let mut command = command(&options);
        command.env("LECTERN_RELAY_TOKEN", NEW).env("LECTERN_RELAY_TOKEN_PREVIOUS", previous);
        let relay = Relay::spawn(command).await;
        assert_eq!(relay.post("old", "ada@school.test").await.status, served);
        let message = json!({ "from": SENDER, "to": "ada@school.test", "subject": "A", "text": "B" });
        let posting = Client::new().post(format!("{}/messages", relay.url)).bearer_auth(NEW).json(&message);
        assert_eq!(answer(posting.header("idempotency-key", "new")).await.status, 200);
    }
    let mut short = command(&options);
    let output = short.env("LECTERN_RELAY_TOKEN_PREVIOUS", "short").output().await.unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("needs 32"));
}

#[tokio::test]
async fn a_request_that_is_none_is_told_so() {
    let server = server();
    let port = server.port.to_string();
    let relay = Relay::start(&[
        "--smtp-host",
        "127.0.0.1",
        "--smtp-security",
        "none",
        "--smtp-port",
        &port,
        "--max-message-bytes",
        "1000",
    ])
    .await;
    let long = json!({ "from": "a@b.test", "to": "a@b.test", "subject": "", "text": "x".repeat(1000) });
    let large = answer(relay.posting("1", "ada@school.test").json(&long)).await;
    assert_eq!((large.status, large.code()), (413, "message_too_large"));
    for body in ["", "{", "{}", r#"{"from":1}"#, "\u{0}"] {
        let refused = answer(relay.posting("1", "ada@school.test").body(body)).await;
        assert_eq!((refused.status, refused.code()), (400, "unreadable"), "{body:?}");
    }
    let url = |path: &str| format!("{}{path}", relay.url);
    let health = answer(Client::new().get(url("/health"))).await;
    assert_eq!((health.status, health.body), (200, json!({ "status": "ok" })));
    assert_eq!(answer(Client::new().get(url("/messages"))).await.status, 405);
    assert_eq!(answer(Client::new().get(url("/"))).await.status, 404);
    assert_eq!(server.taken(), []);
}

#[tokio::test]
async fn no_header_can_be_put_into_a_message() {
    let server = server();
    let relay = Relay::to(&server).await;
    let subject = "Hello\r\nBcc: eve@elsewhere.test\r\n\r\nsomething else";
    let message = json!({
        "from": "lms@school.test", "to": "ada@school.test", "subject": subject,
        "text": "a line\r\n.\r\nMAIL FROM:<eve@elsewhere.test>\r\nRCPT TO:<eve@elsewhere.test>\r\nDATA\r\n..\r\n.\r\n",
    });
    assert_eq!(answer(relay.posting("1", "").json(&message)).await.status, 200);
    let to = json!({ "from": "lms@school.test", "to": "ada@school.test>\r\nDATA", "subject": "", "text": "" });
    assert_eq!(answer(relay.posting("2", "").json(&to)).await.code(), "recipient_refused");
    let from = json!({ "from": "a@b.test\r\nBcc: e@f.test", "to": "ada@school.test", "subject": "", "text": "" });
    assert_eq!(answer(relay.posting("3", "").json(&from)).await.code(), "account_refused");

    let taken = server.taken();
    let [message] = taken.as_slice() else { panic!("{taken:?}") };
    assert_eq!(message.recipient, "ada@school.test");
    let (head, body) = message.text.split_once("\r\n\r\n").unwrap();
    assert!(!head.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc")), "{head}");
    assert!(body.starts_with("a line\r\n.\r\nMAIL FROM:<eve@elsewhere.test>\r\n"), "{body}");
}

#[tokio::test]
async fn it_does_not_start_with_what_would_be_unsafe() {
    for (options, words) in [
        (&["--smtp-host", "mail.school.test", "--smtp-security", "none"][..], "is not this machine"),
        (&["--smtp-host", "localhost", "--smtp-user", "lms"], "no password"),
        (&["--smtp-host", "localhost", "--smtp-ca-file", "/nowhere"], "cannot read certificates"),
        (&["--smtp-host", "localhost", "--token-file", "/nowhere"], "cannot read /nowhere"),
    ] {
        let output = command(options).output().await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(words), "{options:?}: {said}");
    }
    let short = command(&["--smtp-host", "localhost"]).env("LECTERN_RELAY_TOKEN", "short").output().await.unwrap();
    assert!(String::from_utf8(short.stderr).unwrap().contains("needs 32"));
    let none = command(&["--smtp-host", "localhost"]).env_remove("LECTERN_RELAY_TOKEN").output().await.unwrap();
    assert!(String::from_utf8(none.stderr).unwrap().contains("there is no token"));
}
