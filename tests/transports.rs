//! The ways out: each transport against a server that notes what it is sent. And a crash in the middle of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use support::{Client, Received, Receiver, Reply, Running, School, admin_of, unique};
use tokio::sync::{Mutex, MutexGuard};
use xtask::app::App;
use xtask::sandbox::Sandbox;

/// An application whose messages go to servers of ours, and who has them: these tests take turns in it.
#[derive(Clone)]
struct Post {
    site: Running,
    mail: Receiver,
    texts: Receiver,
    /// By this the text service is told that it has had time enough.
    told: Arc<AtomicBool>,
}

/// The answer of the mail service depends on the address: `busy-…` has to wait, `broken-…` always fails, `late-…` fails at
/// first, `gone-…` is none.
fn sendgrid(request: &Received) -> Reply {
    let to = request.json()["personalizations"][0]["to"][0]["email"].as_str().unwrap_or_default().to_owned();
    match to.split('-').next() {
        Some("busy") => Reply::new(429, "{}").header("retry-after", "600"),
        Some("broken") => Reply::new(500, "out of order"),
        Some("late") if is_new(&to) => Reply::new(503, "closed"),
        Some("gone") => {
            let field = "personalizations.0.to.0.email";
            Reply::new(400, json!({ "errors": [{ "message": "No such address", "field": field }] }).to_string())
        }
        _ => Reply::new(202, "").header("x-message-id", "sg-1"),
    }
}

/// Where numbers begin at which the text service fails at first, and then takes its time: until it is told.
const SLOW: &str = "1556";
/// Where numbers begin that are none.
const NONE: &str = "1557";

/// The answer of the text service depends on the beginning of the number.
fn twilio(request: &Received, told: &Arc<AtomicBool>) -> Reply {
    let text = request.text();
    let taken = Reply::new(201, r#"{"sid":"SM1"}"#);
    match text.split_once("To=%2B").map(|(_, to)| to) {
        Some(to) if to.starts_with(NONE) => Reply::new(400, r#"{"code":21211,"message":"Invalid 'To' Phone Number"}"#),
        Some(to) if to.starts_with(SLOW) && is_new(to) => Reply::new(503, "closed"),
        Some(to) if to.starts_with(SLOW) => taken.once(told.clone()),
        _ => taken,
    }
}

/// True for a thing that comes for the first time.
fn is_new(text: &str) -> bool {
    static SEEN: std::sync::Mutex<BTreeSet<String>> = std::sync::Mutex::new(BTreeSet::new());
    SEEN.lock().unwrap().insert(text.to_owned())
}

async fn post() -> (MutexGuard<'static, ()>, Post) {
    static TURN: Mutex<()> = Mutex::const_new(());
    static POST: OnceLock<Post> = OnceLock::new();
    let turn = TURN.lock().await;
    let start = || {
        let told = Arc::new(AtomicBool::new(false));
        let by = told.clone();
        let (mail, texts) = (Receiver::start(sendgrid), Receiver::start(move |request| twilio(request, &by)));
        let settings = [
            ("mail_transport", "sendgrid"),
            ("mail_from", "school@lectern.test"),
            ("mail_api_key", "SG.secret"),
            ("mail_base_url", &*mail.url),
            ("sms_transport", "twilio"),
            ("sms_from", "+15550199"),
            ("sms_account", "AC1"),
            ("sms_api_key", "twilio-secret"),
            ("sms_base_url", &*texts.url),
        ];
        Post { site: Running::own("transports", &settings), mail, texts, told }
    };
    let post = tokio::task::spawn_blocking(move || POST.get_or_init(start).clone()).await.unwrap();
    (turn, post)
}

/// A user of a school, who asks for a message by opening a channel: the one that asks to confirm it.
pub(crate) struct Correspondent {
    school: School,
    user: Client,
}

impl Correspondent {
    pub(crate) async fn new(site: &Running) -> Self {
        let school = School::start_in(site).await;
        let user = school.person("Ada").await;
        Self { school, user }
    }

    pub(crate) async fn asks(&self, kind: &str, address: &str) -> i64 {
        let body = json!({ "communication_channel": { "type": kind, "address": address } });
        self.user.post("/api/v1/users/self/communication_channels").json(body).await.is(200).id()
    }

    /// The message to a channel, once somebody has tried to send it. Opening the channel sets that off already.
    pub(crate) async fn tried(&self, channel: i64) -> Value {
        for _ in 0..3_000 {
            let message = self.message(channel).await;
            if message["state"] != "queued" || message["failure"] != Value::Null {
                return message;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("nobody has tried to send the message to channel {channel}")
    }

    /// Waits until the message to a channel has gone out.
    pub(crate) async fn reached(&self, channel: i64) {
        for _ in 0..3_000 {
            if self.message(channel).await["state"] == "sent" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the message to channel {channel} does not go out")
    }

    /// The channel as an administrator sees it.
    pub(crate) async fn channel(&self, site: &Running, channel: i64) -> Value {
        let path = format!("/api/v1/users/{}/communication_channels", self.user.id);
        let channels = site.site_admin().await.get(&path).await.is(200);
        channels.json.as_array().unwrap().iter().find(|found| found["id"] == channel).unwrap().clone()
    }

    /// The message to a channel.
    pub(crate) async fn message(&self, channel: i64) -> Value {
        let outbox = self.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        outbox.json.as_array().unwrap().iter().find(|message| message["channel_id"] == channel).unwrap().clone()
    }
}

pub(crate) fn in_seconds(seconds: i64) -> String {
    shared::clock::now().plus_seconds(seconds).to_string()
}

/// Another number for each who asks.
pub(crate) fn number(begin: &str) -> String {
    format!("+{begin}{:010}", uuid::Uuid::new_v4().as_u128() % 10_000_000_000)
}

pub(crate) fn address(name: &str) -> String {
    format!("{}@school.test", unique(name))
}

/// The number of messages to an address.
fn tries(mail: &Receiver, address: &str) -> usize {
    mail.received_with(address).len()
}

#[tokio::test]
async fn sendgrid_gets_what_it_asks_for() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("ada");
    let channel = ada.asks("email", &to).await;
    let message = ada.tried(channel).await;
    assert_eq!((&message["state"], &message["body"]), (&json!("sent"), &json!("")), "the code in it is forgotten");

    let requests = post.mail.received_with(&to);
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v3/mail/send"));
    assert_eq!(request.header("authorization"), Some("Bearer SG.secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body = request.json();
    let text = body["content"][0]["value"].as_str().unwrap();
    assert!(text.contains("/register/"), "{text}");
    let expected = json!({
        "personalizations": [{ "to": [{ "email": to }] }],
        "from": { "email": "school@lectern.test" },
        "subject": message["subject"],
        "content": [{ "type": "text/plain", "value": text }],
        "custom_args": { "message_id": message["id"].to_string() },
    });
    assert_eq!(body, expected);
    post.site.tick(Some(&in_seconds(3600))).await;
    assert_eq!(tries(&post.mail, &to), 1, "what was taken is not sent again");
}

#[tokio::test]
async fn twilio_gets_what_it_asks_for() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let number = number("1555");
    let channel = ada.asks("sms", &number).await;
    let message = ada.tried(channel).await;
    assert_eq!((&message["state"], &message["body"]), (&json!("sent"), &json!("")), "the code in it is forgotten");

    let requests = post.texts.received_with(number.trim_start_matches('+'));
    let [request] = requests.as_slice() else { panic!("{requests:?}") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/2010-04-01/Accounts/AC1/Messages.json"));
    let credentials = format!("Basic {}", BASE64_STANDARD.encode("AC1:twilio-secret"));
    assert_eq!(request.header("authorization"), Some(credentials.as_str()));
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    let text = request.text();
    let form: BTreeMap<_, _> =
        reqwest::Url::parse(&format!("http://x/?{text}")).unwrap().query_pairs().into_owned().collect();
    assert_eq!((form["From"].as_str(), form["To"].as_str(), form.len()), ("+15550199", number.as_str(), 3));
    let subject = format!("{}\n\n", message["subject"].as_str().unwrap());
    assert!(form["Body"].starts_with(&subject) && form["Body"].contains("/register/"), "{form:?}");
}

#[tokio::test]
async fn a_slow_transport_delays_nobody_else() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    // Both are put off, so that one tick finds them together.
    let (slow, quick) = (ada.asks("sms", &number(SLOW)).await, ada.asks("email", &address("late")).await);
    for channel in [slow, quick] {
        assert_eq!(ada.tried(channel).await["failure"], "it answered 503: closed");
    }
    let clock = in_seconds(60);
    let watch = async {
        ada.reached(quick).await;
        assert_eq!(ada.message(slow).await["state"], "queued", "the other is not taken yet");
        post.told.store(true, Ordering::Relaxed);
    };
    futures::future::join(post.site.tick(Some(&clock)), watch).await;
    ada.reached(slow).await;
}

#[tokio::test]
async fn ticks_at_the_same_moment_send_nothing_twice() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    // More than are on their way at once.
    let addresses: Vec<_> = (0..40).map(|_| address("late")).collect();
    for to in &addresses {
        let channel = ada.asks("email", to).await;
        ada.tried(channel).await;
    }
    let clock = in_seconds(60);
    futures::future::join_all((0..4).map(|_| post.site.tick(Some(&clock)))).await;
    let tries: Vec<_> = addresses.iter().map(|to| tries(&post.mail, to)).collect();
    assert_eq!(tries, [2; 40], "once in vain, and once more");
}

#[tokio::test]
async fn a_new_user_is_asked_at_once() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("ada");
    let user = json!({
        "user": { "name": "Ada" }, "pseudonym": { "unique_id": unique("ada") }, "communication_channel": { "address": to },
    });
    let admin = &ada.school.admin;
    let user = admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let channels = admin.get(&format!("/api/v1/users/{user}/communication_channels")).await.is(200);
    ada.reached(channels.ids()[0]).await;
    assert_eq!(tries(&post.mail, &to), 1);
}

#[tokio::test]
async fn a_transport_that_asks_for_time_gets_it() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("busy");
    let channel = ada.asks("email", &to).await;
    let message = ada.tried(channel).await;
    assert_eq!(
        (&message["state"], &message["attempts"], &message["sent_at"]),
        (&json!("queued"), &json!(1), &Value::Null)
    );
    assert_eq!(message["failure"], "it answered 429: {}");
    post.site.tick(Some(&in_seconds(500))).await;
    assert_eq!(tries(&post.mail, &to), 1);
    post.site.tick(Some(&in_seconds(610))).await;
    assert_eq!(tries(&post.mail, &to), 2);
}

#[tokio::test]
async fn what_always_fails_is_tried_for_a_day_and_kept() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("broken");
    let channel = ada.asks("email", &to).await;
    ada.tried(channel).await;
    post.site.tick(Some(&in_seconds(20))).await;
    assert_eq!(tries(&post.mail, &to), 1, "not at once again");
    for day in 0..10 {
        post.site.tick(Some(&in_seconds(day * 24 * 60 * 60 + 60))).await;
    }
    let dead = ada.message(channel).await;
    assert_eq!((&dead["state"], &dead["attempts"], &dead["sent_at"]), (&json!("dead"), &json!(9), &Value::Null));
    assert_eq!((tries(&post.mail, &to), &dead["failure"]), (9, &json!("it answered 500: out of order")));
    assert!(!dead["body"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn an_address_that_is_refused_has_bounced() {
    let (_turn, post) = post().await;
    let ada = Correspondent::new(&post.site).await;
    let to = address("gone");
    let (mail, phone) = (ada.asks("email", &to).await, ada.asks("sms", &number(NONE)).await);
    for channel in [mail, phone] {
        assert_eq!(ada.tried(channel).await["state"], "dead");
    }
    post.site.tick(Some(&in_seconds(24 * 60 * 60))).await;
    assert_eq!(tries(&post.mail, &to), 1, "it is not tried again");
    for channel in [mail, phone] {
        let channel = ada.channel(&post.site, channel).await;
        assert_eq!(channel["bounce_count"], 1);
        assert!(channel["last_bounce_summary"].as_str().unwrap().starts_with("it answered 400"), "{channel}");
    }
}

/// A tick at that moment of an application that the test itself starts and crashes.
fn tick(sandbox: &Sandbox, app: &App, clock: &str) -> support::Call {
    let operator = Client::new(&app.base_url, Some(&sandbox.variables["tick_token"]));
    operator.post("/internal/tick").header("x-test-clock", clock)
}

const MESSAGES: usize = 60;
/// No more of a kind are on their way at any moment: so many may be sent twice.
const ON_THEIR_WAY: usize = 16;

#[tokio::test]
async fn a_crash_while_sending_loses_nothing() {
    // At first the service is closed, so that messages pile up.
    let open = Arc::new(AtomicBool::new(false));
    let is_open = open.clone();
    let postmark = Receiver::start(move |_| {
        if !is_open.load(Ordering::Relaxed) {
            return Reply::new(503, "closed");
        }
        let taken = json!({ "ErrorCode": 0, "Message": "OK", "MessageID": "pm-1" }).to_string();
        Reply::new(200, taken).after(Duration::from_millis(100))
    });
    let sandbox = support::sandbox(&[
        ("development", "true"),
        ("mail_transport", "postmark"),
        ("mail_from", "school@lectern.test"),
        ("mail_api_key", "pm-secret"),
        ("mail_base_url", postmark.url.as_str()),
    ]);
    let app = sandbox.start().await.unwrap();
    ask_many_addresses(&admin_of(&sandbox, &app).await).await;
    tick(&sandbox, &app, &in_seconds(0)).await.is(200);
    let refused = || postmark.received().len();
    while refused() < MESSAGES {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let closed_for = refused();
    let taken = || postmark.received().into_iter().skip(closed_for).collect::<Vec<_>>();
    open.store(true, Ordering::Relaxed);
    let sending = reqwest::Client::new().post(format!("{}/internal/tick", app.base_url));
    let sending = sending.bearer_auth(&sandbox.variables["tick_token"]).header("x-test-clock", in_seconds(60));
    let crash = async {
        while taken().len() < MESSAGES / 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        app.crash().await.unwrap();
    };
    let (broken_off, ()) = futures::future::join(sending.send(), crash).await;
    assert!(broken_off.is_err() && taken().len() < MESSAGES, "it crashed in the middle");

    let app = sandbox.start().await.unwrap();
    tick(&sandbox, &app, &in_seconds(70)).await.is(200);
    let leased = taken().len();
    tick(&sandbox, &app, &in_seconds(300)).await.is(200);
    let recipients: Vec<_> = taken().iter().map(|request| request.json()["To"].as_str().unwrap().to_owned()).collect();
    let reached: BTreeSet<_> = recipients.iter().collect();
    assert_eq!(reached.len(), MESSAGES, "nothing is lost");
    let twice = recipients.len() - MESSAGES;
    assert!(twice <= ON_THEIR_WAY, "{twice} were sent twice");
    assert!(recipients.len() - leased <= ON_THEIR_WAY, "what was on its way is left alone until its lease has run out");

    is_a_confirmation_for_postmark(&taken().pop().unwrap());
    app.stop().await.unwrap();
}

/// New users, each with an address that is to be confirmed.
async fn ask_many_addresses(admin: &Client) {
    for number in 0..MESSAGES {
        let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": format!("ada{number}") } });
        let user = admin.post("/api/v1/accounts/1/users").json(user).await.is(200).id();
        let channel =
            json!({ "communication_channel": { "type": "email", "address": format!("ada{number}@school.test") } });
        admin.post(&format!("/api/v1/users/{user}/communication_channels")).json(channel).await.is(200);
    }
}

#[track_caller]
fn is_a_confirmation_for_postmark(request: &Received) {
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/email"));
    assert_eq!(request.header("x-postmark-server-token"), Some("pm-secret"));
    let body = request.json();
    assert_eq!(
        (&body["From"], &body["Tag"]),
        (&json!("school@lectern.test"), &json!("confirm_email_communication_channel"))
    );
    assert!(body["Subject"].is_string() && body["TextBody"].as_str().unwrap().contains("/register/"), "{body}");
}
