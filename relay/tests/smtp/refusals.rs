//! What the mail server does not take is told in its words, and whether it is for good.

use crate::process::{Relay, server};

#[tokio::test]
async fn a_refusal_tells_whose_fault_it_is() {
    let server = server();
    let relay = Relay::to(&server).await;
    for (to, status, code, words) in [
        ("gone-ada@school.test", 422, "recipient_refused", "550 5.1.1 there is no such user"),
        ("spam-ada@school.test", 422, "message_refused", "554 5.7.1 this is spam"),
        ("foreign-ada@elsewhere.test", 502, "account_refused", "550 relay not permitted"),
        ("later-ada@school.test", 503, "unavailable", "451 4.7.1 come back later"),
    ] {
        let refused = relay.post("1", to).await;
        assert_eq!((refused.status, refused.code(), refused.words()), (status, code, words));
    }
    let nobody = relay.post("1", "ada@school.test, bob@school.test").await;
    assert_eq!((nobody.status, nobody.code()), (422, "recipient_refused"));
    assert_eq!(server.taken(), []);
    assert_eq!(relay.post("1", "ada@school.test").await.status, 200, "and it goes on");
}

#[tokio::test]
async fn what_was_refused_is_tried_again_under_the_same_key() {
    let server = server();
    let relay = Relay::to(&server).await;
    server.stop();
    let refused = relay.post("1", "ada@school.test").await;
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{}", refused.words());
    let back = server.start_again();
    assert_eq!(relay.post("1", "ada@school.test").await.status, 200);
    assert_eq!(back.taken().len(), 1);
}

#[tokio::test]
async fn no_addresses_stand_in_the_log() {
    let server = server();
    let relay = Relay::to(&server).await;
    for to in ["ada@school.test", "gone-ada@school.test", "foreign-ada@elsewhere.test", "later-ada@school.test"] {
        relay.post("1", to).await;
    }
    relay.ask_to_end();
    let (status, log) = relay.ended().await;
    assert!(status.success() && log.contains("account_refused: 550 relay not permitted"), "{log}");
    assert!(!log.contains("ada"), "{log}");
}
