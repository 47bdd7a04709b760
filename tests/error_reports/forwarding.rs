//! Reports that are forwarded to a receiver.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use shared::Timestamp;
use shared::config::Secret;
use shared::standard_webhooks::signatures;
use support::unique;

use super::{Desk, SECRET, STATUS, read};

/// The waits of the schedule, in seconds.
const WAITS: [i64; 7] = [60, 300, 1800, 7200, 18_000, 36_000, 86_400];

#[tokio::test]
async fn a_new_report_is_forwarded_and_signed() {
    let desk = Desk::answering(200).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!((&report["forwarding"], &report["forwarding_error"]), (&json!("delivered"), &Value::Null));
    let received = desk.receiver.received_with(&subject);
    let [received] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/hook"));
    assert_eq!(received.header("content-type"), Some("application/json"));
    let now: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    assert!((shared::clock::now().unix() - now).abs() < 60);
    let message = received.header("webhook-id").unwrap();
    let signed =
        signatures(&[Secret::new(SECRET.to_owned())], message, Timestamp::from_unix(now).unwrap(), &received.body);
    assert_eq!(received.header("webhook-signature"), signed.as_deref());
    let body = received.json();
    assert_eq!((&body["type"], &body["timestamp"]), (&json!("error_report.created"), &report["created_at"]));
    let mut expected = report.json.clone();
    let fields = expected.as_object_mut().unwrap();
    fields.retain(|name, _| !name.starts_with("forwarding"));
    assert_eq!(body["data"], expected);
    // It is not sent again.
    desk.tick_after(7 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 1);
}

#[tokio::test]
async fn a_receiver_that_recovers_gets_the_same_message_again() {
    let desk = Desk::answering(503).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("pending"), &json!("the receiver answered 503"))
    );
    // Not before its time.
    desk.tick_after(30).await;
    assert_eq!(desk.received(&subject), 1);
    STATUS.store(204, Ordering::SeqCst);
    desk.tick_after(90).await;
    let received = desk.receiver.received_with(&subject);
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[0].body, received[1].body);
    let report = read(&desk.school.admin, report.id()).await;
    assert_eq!((&report["forwarding"], &report["forwarding_error"]), (&json!("delivered"), &Value::Null));
}

#[tokio::test]
async fn a_receiver_that_never_takes_it_is_given_up() {
    let desk = Desk::answering(500).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    let mut after = 0;
    for (attempts, wait) in (2..).zip(WAITS) {
        assert_eq!(read(&desk.school.admin, report.id()).await["forwarding"], "pending");
        after += wait + 5;
        desk.tick_after(after).await;
        assert_eq!(desk.received(&subject), attempts);
    }
    let report = read(&desk.school.admin, report.id()).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("dead"), &json!("the receiver answered 500"))
    );
    desk.tick_after(after + 30 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 8);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_asked_once() {
    let desk = Desk::answering(410).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("dead"), &json!("the receiver answered 410"))
    );
    desk.tick_after(7 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 1);
}

#[tokio::test]
async fn what_a_crash_has_cut_off_is_sent_when_its_lease_has_ended() {
    let desk = Desk::answering(500).await;
    let subject = unique("It broke");
    let id = desk.filed(&subject).await.id();
    let leased = shared::clock::now().plus_seconds(60);
    assert!(desk.site.change_database(&format!(
        "UPDATE error_report_forwards SET lease = 'gone', next_at = '{leased}' WHERE report_id = {id}"
    )));
    STATUS.store(200, Ordering::SeqCst);
    desk.site.tick(None).await;
    assert_eq!(desk.received(&subject), 1);
    desk.tick_after(65).await;
    assert_eq!(desk.received(&subject), 2);
    assert_eq!(read(&desk.school.admin, id).await["forwarding"], "delivered");
}
