//! Keys of services that we call: while a service takes two of them nothing is refused, and what was refused with one that is
//! gone goes out with the next.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use support::model::{completion, tutoring};
use support::{Client, DEVELOPMENT, Received, Receiver, Reply, Tool, admin_of};
use xtask::app::App;
use xtask::sandbox::Sandbox;

use super::amazon::is_signed;
use crate::ai_conversations::models::lesson_of;
use crate::transports::{address, in_seconds, number};
use crate::uploads::until;

const FIRST: &str = "first-key";
const SECOND: &str = "second-key";
const THIRD: &str = "third-key";

/// Whether a request shows that key.
type Shows = fn(&Received, &str) -> bool;

/// A service that takes requests with its keys and refuses all others.
struct Service {
    receiver: Receiver,
    keys: Arc<Mutex<Vec<&'static str>>>,
    shows: Shows,
}

impl Service {
    /// What shows a key that it has is answered so.
    fn start(shows: Shows, taken: fn() -> Reply) -> Self {
        let keys = Arc::new(Mutex::new(vec![FIRST]));
        let known = keys.clone();
        let receiver = Receiver::start(move |request| {
            let is_known = known.lock().unwrap().iter().any(|key| shows(request, key));
            if is_known { taken() } else { Reply::new(401, "this key is none") }
        });
        Self { receiver, keys, shows }
    }

    /// From now on it has these keys.
    fn has(&self, keys: &[&'static str]) {
        *self.keys.lock().unwrap() = keys.to_vec();
    }

    /// The keys that requests with that text have shown, the oldest request first.
    fn shown_with(&self, text: &str) -> Vec<&'static str> {
        let key = |request: &Received| [FIRST, SECOND, THIRD].into_iter().find(|key| (self.shows)(request, key));
        self.receiver.received_with(text).iter().map(|request| key(request).expect("one of the keys")).collect()
    }

    /// Waits until requests with that text have come with these keys.
    async fn sees(&self, text: &str, keys: &[&str]) {
        until("the service is asked", async || self.shown_with(text).len() >= keys.len()).await;
        assert_eq!(self.shown_with(text), keys);
    }
}

fn authorizes(request: &Received, value: &str) -> bool {
    request.header("authorization").is_some_and(|shown| shown.starts_with(value))
}

fn bearer(request: &Received, key: &str) -> bool {
    request.header("authorization") == Some(&format!("Bearer {key}"))
}

/// An application with a key of a service, which is put in so.
struct Site<P> {
    sandbox: Sandbox,
    app: App,
    admin: Client,
    put: P,
}

impl<P: Fn(&mut Sandbox, &str)> Site<P> {
    async fn start(settings: &[(&str, &str)], put: P) -> Self {
        let mut sandbox = support::sandbox(&[&DEVELOPMENT, settings].concat());
        put(&mut sandbox, FIRST);
        let app = sandbox.start().await.unwrap();
        let admin = admin_of(&sandbox, &app).await;
        Self { sandbox, app, admin, put }
    }

    /// Puts another key in and starts the application again.
    async fn with(mut self, key: &str) -> Self {
        self.app.stop().await.unwrap();
        (self.put)(&mut self.sandbox, key);
        self.app = self.sandbox.start().await.unwrap();
        self.admin = admin_of(&self.sandbox, &self.app).await;
        self
    }

    /// A tick at which everything is due that was refused just now, even if nobody has noted the refusal.
    async fn tick_later(&self) {
        let operator = self.admin.with_token(&self.sandbox.variables["tick_token"]);
        operator.post("/internal/tick").header("x-test-clock", in_seconds(3600)).await.is(200);
    }
}

/// Changes the key as it ought to be done, and then as it ought not: the service loses the old one first. `send` has something
/// sent to the service, and answers what it is known by.
async fn change<P: Fn(&mut Sandbox, &str)>(service: &Service, site: Site<P>, send: impl AsyncFn(&Client) -> String) {
    service.sees(&send(&site.admin).await, &[FIRST]).await;
    service.has(&[FIRST, SECOND]);
    service.sees(&send(&site.admin).await, &[FIRST]).await;
    let site = site.with(SECOND).await;
    service.sees(&send(&site.admin).await, &[SECOND]).await;
    service.has(&[SECOND]);
    service.sees(&send(&site.admin).await, &[SECOND]).await;

    service.has(&[THIRD]);
    let refused = send(&site.admin).await;
    service.sees(&refused, &[SECOND]).await;
    let site = site.with(THIRD).await;
    site.tick_later().await;
    service.sees(&refused, &[SECOND, THIRD]).await;
    site.tick_later().await;
    assert_eq!(service.shown_with(&refused).len(), 2, "what was taken is not sent again");
    site.app.stop().await.unwrap();
}

/// Has the message sent that asks to confirm the address.
async fn asks(admin: &Client, kind: &str, address: &str) {
    let channel = json!({ "communication_channel": { "type": kind, "address": address } });
    admin.post("/api/v1/users/self/communication_channels").json(channel).await.is(200);
}

async fn mails(admin: &Client) -> String {
    let to = address("ada");
    asks(admin, "email", &to).await;
    to
}

#[tokio::test]
async fn the_key_of_sendgrid() {
    let service = Service::start(bearer, || Reply::new(202, ""));
    let settings = [
        ("mail_transport", "sendgrid"),
        ("mail_from", "school@lectern.test"),
        ("mail_base_url", &*service.receiver.url),
    ];
    let site = Site::start(&settings, |sandbox, key| drop(sandbox.set("mail_api_key", key))).await;
    change(&service, site, mails).await;
}

#[tokio::test]
async fn the_key_of_postmark() {
    let shows: Shows = |request, key| request.header("x-postmark-server-token") == Some(key);
    let service = Service::start(shows, || Reply::new(200, r#"{"ErrorCode":0,"MessageID":"pm-1"}"#));
    let settings = [
        ("mail_transport", "postmark"),
        ("mail_from", "school@lectern.test"),
        ("mail_base_url", &*service.receiver.url),
    ];
    let site = Site::start(&settings, |sandbox, key| drop(sandbox.set("mail_api_key", key))).await;
    change(&service, site, mails).await;
}

#[tokio::test]
async fn the_key_of_twilio() {
    let shows: Shows =
        |request, key| authorizes(request, &format!("Basic {}", BASE64_STANDARD.encode(format!("AC1:{key}"))));
    let service = Service::start(shows, || Reply::new(201, r#"{"sid":"SM1"}"#));
    let settings = [
        ("sms_transport", "twilio"),
        ("sms_from", "+15550199"),
        ("sms_account", "AC1"),
        ("sms_base_url", &*service.receiver.url),
    ];
    // The one before still verifies what Twilio tells.
    let put = |sandbox: &mut Sandbox, key: &str| {
        let before = sandbox.set("sms_api_key", key).unwrap_or_default();
        sandbox.set("sms_api_key_previous", &before);
    };
    let send = async |admin: &Client| {
        let to = number("1555");
        asks(admin, "sms", &to).await;
        to.trim_start_matches('+').to_owned()
    };
    change(&service, Site::start(&settings, put).await, send).await;
}

/// A key of Amazon has a secret beside it.
fn secret_of(key: &str) -> String {
    format!("the secret of {key}")
}

#[tokio::test]
async fn the_keys_of_amazon() {
    let shows: Shows = |request, key| is_signed(request, key, &secret_of(key));
    let service = Service::start(shows, || Reply::new(200, r#"{"MessageId":"1"}"#));
    let queue = format!("{}/123456789012/events", service.receiver.url);
    let put = |sandbox: &mut Sandbox, key: &str| {
        sandbox.set("aws_access_key_id", key);
        sandbox.set("aws_secret_access_key", &secret_of(key));
    };
    let send = async |admin: &Client| {
        let tool = Tool::register(admin).await;
        let mut wanted = tool.wanted(&queue);
        wanted["TransportType"] = json!("sqs");
        let subscription = tool.subscribe_to(wanted).await;
        let test = admin.post(&format!("/api/lti/subscriptions/{}/test", subscription.id)).await.is(201);
        test["message_id"].as_str().unwrap().to_owned()
    };
    change(&service, Site::start(&[("aws_region", "eu-west-1")], put).await, send).await;
}

#[tokio::test]
async fn the_key_of_the_model_of_conversations() {
    let service = Service::start(bearer, || completion(&tutoring("Go on.", &[])));
    let settings = [("ai_base_url", &*service.receiver.url)];
    let site = Site::start(&settings, |sandbox, key| drop(sandbox.set("ai_api_key", key))).await;
    let conversations = lesson_of(&site.admin, "Leaves").await;
    let conversation = site.admin.post(&conversations).await.is(201).id();
    let says = async |admin: &Client, text: &str| {
        admin.post(&format!("{conversations}/{conversation}/messages")).json(json!({ "message": text })).await
    };
    says(&site.admin, "Oaks").await.is(200);
    service.has(&[FIRST, SECOND]);
    says(&site.admin, "Elms").await.is(200);
    let site = site.with(SECOND).await;
    says(&site.admin, "Ferns").await.is(200);
    service.has(&[SECOND]);
    says(&site.admin, "Mosses").await.is(200);

    service.has(&[THIRD]);
    says(&site.admin, "Lichens").await.is_refused(503, "service_unavailable");
    let site = site.with(THIRD).await;
    says(&site.admin, "Algae").await.is(200);
    // Each question has all that was said before.
    assert_eq!(service.shown_with("Oaks"), [FIRST, FIRST, SECOND, SECOND, SECOND, THIRD]);
    assert_eq!(service.shown_with("Lichens"), [SECOND, THIRD], "what was refused is not forgotten");
    site.app.stop().await.unwrap();
}
