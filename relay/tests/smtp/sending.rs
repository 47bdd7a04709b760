//! A message is acknowledged when the mail server has taken it, and goes out once.

use std::time::Duration;

use smtp_test_server::{Behaviour, Server};

use crate::process::{Relay, answer, server};

#[tokio::test]
async fn an_acknowledged_message_is_at_the_mail_server() {
    let server = server();
    let relay = Relay::to(&server).await;
    let sent = relay.post("1", "ada@school.test").await;
    assert_eq!((sent.status, &sent.body["response"]), (200, &"250 2.0.0 taken as 4bXz".into()));

    let taken = server.taken();
    let [message] = taken.as_slice() else { panic!("{taken:?}") };
    assert_eq!((message.sender.as_str(), message.recipient.as_str()), ("lms@school.test", "ada@school.test"));
    let (head, body) = message.text.split_once("\r\n\r\n").unwrap();
    let id = sent.body["message_id"].as_str().unwrap();
    for line in [
        format!("Message-ID: {id}").as_str(),
        "From: Lectern <lms@school.test>",
        "To: ada@school.test",
        "Subject: Your grade",
        "Auto-Submitted: auto-generated",
    ] {
        assert!(head.lines().any(|found| found == line), "{line} is not in {head}");
    }
    assert!(head.contains("\r\nDate: "), "{head}");
    assert_eq!(body, "Ten points\r\n");
}

#[tokio::test]
async fn the_same_message_goes_out_once() {
    let server = server();
    let relay = Relay::to(&server).await;
    let first = relay.post("1", "ada@school.test").await;
    assert_eq!(relay.post("1", "ada@school.test").await, first);
    assert_eq!(server.taken().len(), 1);

    // Another application counts its messages from one, too.
    let other = relay.post("1", "bob@school.test").await;
    assert_ne!(other.body["message_id"], first.body["message_id"]);
    assert_eq!(relay.post("2", "ada@school.test").await.status, 200);
    assert_eq!(server.taken().len(), 3);
}

#[tokio::test]
async fn who_does_not_wait_hears_of_it_later() {
    let server = server();
    let relay = Relay::to(&server).await;
    let impatient = relay.posting("1", "slow-ada@school.test").timeout(Duration::from_millis(300)).send().await;
    assert!(impatient.unwrap_err().is_timeout());
    let patient = tokio::spawn(answer(relay.posting("1", "slow-ada@school.test")));
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.release();
    assert_eq!(patient.await.unwrap().status, 200);
    assert_eq!(server.taken().len(), 1, "both have heard of the same");
}

#[tokio::test]
async fn a_connection_serves_many_messages() {
    let server = server();
    let relay = Relay::to(&server).await;
    for key in 0..10 {
        assert_eq!(relay.post(&key.to_string(), "ada@school.test").await.status, 200);
    }
    // One more has tried at the start whether there is a server.
    assert!(server.connections() <= 2, "{}", server.connections());
    assert_eq!(server.taken().len(), 10);
}

#[tokio::test]
async fn a_server_that_hangs_up_is_called_again() {
    let server = Server::start(Behaviour { hangs_up_after: 1, ..Behaviour::default() });
    let relay = Relay::to(&server).await;
    for key in 0..5 {
        assert_eq!(relay.post(&key.to_string(), "ada@school.test").await.status, 200);
    }
    assert_eq!(server.taken().len(), 5);
}

#[tokio::test]
async fn the_end_waits_for_a_message_on_its_way() {
    let server = server();
    let relay = Relay::to(&server).await;
    let posting = tokio::spawn(answer(relay.posting("1", "slow-ada@school.test")));
    let on_its_way = async {
        while server.slow() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), on_its_way).await.expect("the message is at the mail server");
    relay.ask_to_end();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.release();
    assert_eq!(posting.await.unwrap().status, 200);
    let (status, log) = relay.ended().await;
    assert!(status.success(), "{log}");
    assert_eq!(server.taken().len(), 1);
    assert!(!log.contains('@') || !log.contains("ada"), "no address is in the log: {log}");
}
