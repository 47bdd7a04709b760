//! Deliveries to webhook subscriptions: signed, tried again, given up, sent again by hand.
//!
//! They run in an application of their own, because the clocks of other tests would set off their retries.

mod page;
mod tools;
mod while_disabled;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use shared::Timestamp;
use shared::config::Secret;
use shared::standard_webhooks::signatures;
use support::{Client, Received, Receiver, Reply, Response, Running, School, Subscription, Tool};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

const DELIVERIES: &str = "/api/v1/webhook_deliveries";
const DAY: i64 = 24 * 3600;

/// The waits of the schedule, in seconds.
const WAITS: [i64; 9] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Held by tests that set the clock, so that no other test's deliveries are due by it.
static CLOCK: RwLock<()> = RwLock::const_new(());

#[expect(dead_code, reason = "they are held, and not looked at")]
enum Clock {
    Running(RwLockReadGuard<'static, ()>),
    Set(RwLockWriteGuard<'static, ()>),
}

struct Scene {
    site: Running,
    school: School,
    tool: Tool,
    subscription: Subscription,
    receiver: Receiver,
    _clock: Option<Clock>,
}

impl Scene {
    /// A subscription whose receiver answers so.
    async fn new(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::at(shared_site().await, Some(Clock::Running(CLOCK.read().await)), answer).await
    }

    /// The same in a test that sets the clock.
    async fn with_clock(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::at(shared_site().await, Some(Clock::Set(CLOCK.write().await)), answer).await
    }

    /// The same at an application of its own: who sets the clock of the others would wait for its receiver.
    async fn alone(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::at(Running::own("slow-receiver", &[]), None, answer).await
    }

    /// Another one in the same test.
    async fn beside(&self, answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::at(self.site.clone(), None, answer).await
    }

    async fn at(
        site: Running,
        clock: Option<Clock>,
        answer: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let school = School::start_in(&site).await;
        let tool = Tool::register(&school.admin).await;
        let receiver = Receiver::start(answer);
        let subscription = tool.subscribe(&receiver.url).await;
        Self { site, school, tool, subscription, receiver, _clock: clock }
    }

    async fn tick_at(&self, moment: Timestamp) {
        self.site.tick(Some(&moment.to_string())).await;
    }

    fn admin(&self) -> &Client {
        &self.school.admin
    }

    /// Sends a test, and answers the delivery's id.
    async fn test(&self) -> i64 {
        test(self.admin(), &self.subscription).await
    }

    async fn delivery(&self, id: i64) -> Response {
        self.admin().get(&format!("{DELIVERIES}/{id}")).await.is(200)
    }

    async fn status(&self) -> Value {
        let subscription =
            self.tool.client.get(&format!("/api/lti/subscriptions/{}", self.subscription.id)).await.is(200);
        subscription["Status"].clone()
    }

    async fn disable(&self) {
        let mut wanted = self.tool.wanted(&self.receiver.url);
        wanted["Status"] = json!("disabled");
        let path = format!("/api/lti/subscriptions/{}", self.subscription.id);
        let disabled = self.tool.client.put(&path).json(json!({ "subscription": wanted })).await.is(200);
        assert_eq!(disabled["Status"], "disabled");
    }

    async fn enable(&self) {
        let wanted = json!({ "subscription": self.tool.wanted(&self.receiver.url) });
        let path = format!("/api/lti/subscriptions/{}", self.subscription.id);
        let enabled = self.tool.client.put(&path).json(wanted).await.is(200);
        assert_eq!(enabled["Status"], "active");
    }

    /// The delivery when so many attempts have been made, or it has ended.
    async fn after_attempts(&self, id: i64, attempts: usize) -> Response {
        for _ in 0..1_200 {
            let delivery = self.delivery(id).await;
            if history(&delivery).len() >= attempts {
                return delivery;
            }
            self.site.tick(None).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not {attempts} attempts: {}", self.delivery(id).await)
    }

    /// Ticks at the moments at which the delivery is due, until it has ended.
    async fn to_its_end(&self, id: i64) -> Response {
        for _ in 0..200 {
            let delivery = self.delivery(id).await;
            let Some(next) = moment(&delivery["next_attempt_at"]) else { return delivery };
            self.tick_at(next.plus_seconds(1)).await;
        }
        panic!("it never ends: {}", self.delivery(id).await)
    }
}

async fn shared_site() -> Running {
    static SITE: OnceLock<Running> = OnceLock::new();
    let site = || SITE.get_or_init(|| Running::own("webhook-deliveries", &[])).clone();
    tokio::task::spawn_blocking(site).await.unwrap()
}

async fn test(admin: &Client, subscription: &Subscription) -> i64 {
    admin.post(&format!("/api/lti/subscriptions/{}/test", subscription.id)).await.is(201).id()
}

fn history(delivery: &Response) -> &Vec<Value> {
    delivery["attempt_history"].as_array().unwrap()
}

fn moment(value: &Value) -> Option<Timestamp> {
    value.as_str().and_then(Timestamp::parse)
}

#[tokio::test]
async fn a_delivery_is_signed_and_says_whose_it_is() {
    let scene = Scene::new(|_| Reply::new(200, "thank you")).await;
    let id = scene.test().await;
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(1)));
    let [attempt] = history(&delivery).as_slice() else { panic!("{delivery}") };
    assert_eq!((&attempt["response_status"], &attempt["response_body"]), (&json!(200), &json!("thank you")));
    assert_eq!(attempt["error"], Value::Null);
    let kept = attempt.clone();

    let received = scene.receiver.received();
    let [received] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!((received.method.as_str(), received.header("content-type")), ("POST", Some("application/json")));
    let message = received.header("webhook-id").unwrap();
    assert_eq!(delivery["message_id"], message);
    let now: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    assert!((shared::clock::now().unix() - now).abs() < 60, "the timestamp is that of the attempt");
    let secret = Secret::new(scene.subscription.secret.clone());
    let signed = signatures(&[secret], message, Timestamp::from_unix(now).unwrap(), &received.body);
    assert_eq!(received.header("webhook-signature"), signed.as_deref());

    assert_eq!(received.header("webhook-subscription-id"), Some(scene.subscription.id.as_str()));
    // What was sent is shown as it was sent, with its signature, and without the secret that made it.
    let headers = kept["request_headers"].as_array().unwrap();
    let names = ["content-type", "user-agent", "webhook-subscription-id", "webhook-id", "webhook-timestamp"];
    for name in names.into_iter().chain(["webhook-signature"]) {
        let header = headers.iter().find(|header| header["name"] == name).unwrap_or_else(|| panic!("{name}: {kept}"));
        assert_eq!(header["value"].as_str(), received.header(name), "{name}");
    }
    assert_eq!(kept["request_body"].as_str().unwrap(), received.text());
    assert_eq!(kept["request_bytes"], received.body.len());
    assert!(!kept.to_string().contains(scene.subscription.secret.trim_start_matches("whsec_")), "{kept}");
    let body = received.json();
    assert_eq!(body["metadata"]["subscription_id"], scene.subscription.id.as_str());
    assert_eq!(body["metadata"]["event_name"], "test");
}

#[tokio::test]
async fn a_test_comes_in_the_form_of_the_subscription() {
    let scene = Scene::new(|_| Reply::new(204, "")).await;
    let mut wanted = scene.tool.wanted(&scene.receiver.url);
    wanted["Format"] = json!("caliper");
    let caliper = scene.tool.subscribe_to(wanted).await;
    let id = test(&scene.tool.client, &caliper).await;
    scene.after_attempts(id, 1).await;
    let received = scene.receiver.received_with(&caliper.id);
    let body = received[0].json();
    assert_eq!(body["dataVersion"], "http://purl.imsglobal.org/ctx/caliper/v1p1");
    let [event] = body["data"].as_array().unwrap().as_slice() else { panic!("{body}") };
    let extensions = &event["extensions"]["com.instructure.canvas"];
    assert_eq!(extensions["subscription_id"], caliper.id.as_str());
}

#[tokio::test]
async fn ten_attempts_are_made_and_then_the_delivery_is_dead() {
    let scene = Scene::with_clock(|_| Reply::new(500, "no")).await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let delivery = scene.to_its_end(id).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("dead"), &json!(10)));
    assert!(delivery["ended_at"].is_string());
    let times: Vec<_> = history(&delivery).iter().map(|attempt| moment(&attempt["attempted_at"]).unwrap()).collect();
    assert_eq!(times.len(), 10);
    for (pair, wait) in times.windows(2).zip(WAITS) {
        let gap = pair[1].unix() - pair[0].unix();
        assert!(gap >= wait - wait / 10 - 1, "after {gap} seconds instead of {wait}: {times:?}");
    }
    let received = scene.receiver.received();
    assert_eq!(received.len(), 10);
    assert!(received.iter().all(|one| one.header("webhook-id") == received[0].header("webhook-id")));
    assert_eq!(history(&delivery)[9]["error"], "the receiver answered 500");
}

#[tokio::test]
async fn a_receiver_that_recovers_gets_what_it_has_missed() {
    let down = Arc::new(AtomicBool::new(true));
    let is_down = down.clone();
    let scene = Scene::with_clock(move |_| match is_down.load(Ordering::SeqCst) {
        true => Reply::new(302, "").header("location", "http://127.0.0.1:1/"),
        false => Reply::new(202, ""),
    })
    .await;
    let id = scene.test().await;
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!(delivery["status"], "pending", "a redirect is no success, and is not followed");
    let wait = moment(&delivery["next_attempt_at"]).unwrap().unix()
        - moment(&history(&delivery).last().unwrap()["attempted_at"]).unwrap().unix();
    assert!(wait > 0, "{delivery}");
    down.store(false, Ordering::SeqCst);
    let delivery = scene.to_its_end(id).await;
    assert_eq!((&delivery["status"], &delivery["response_status"]), (&json!("delivered"), &json!(202)));
}

#[tokio::test]
async fn a_busy_receiver_is_left_alone_for_as_long_as_it_asks() {
    for status in [429, 503] {
        let scene = Scene::with_clock(move |_| Reply::new(status, "").header("retry-after", "7200")).await;
        let id = scene.test().await;
        let delivery = scene.after_attempts(id, 1).await;
        let attempted = moment(&history(&delivery)[0]["attempted_at"]).unwrap();
        let next = moment(&delivery["next_attempt_at"]).unwrap();
        assert!(next.unix() - attempted.unix() >= 7200, "{delivery}");
        // It holds for whatever else is due.
        let other = scene.test().await;
        scene.tick_at(attempted.plus_seconds(3600)).await;
        let waiting = scene.delivery(other).await;
        let early = history(&waiting).iter().filter(|attempt| moment(&attempt["attempted_at"]).unwrap() < next).count();
        assert_eq!(early, 0, "{waiting}");
    }
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_left_alone() {
    let scene = Scene::new(|_| Reply::new(410, "")).await;
    let id = scene.test().await;
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!(delivery["status"], "dead");
    assert_eq!(scene.status().await, "disabled");
    let replay = format!("{DELIVERIES}/{id}/replay");
    scene.admin().post(&replay).await.is_refused(409, "The subscription has ended or is disabled");
    scene.enable().await;
    scene.admin().post(&replay).await.is(200);
    scene.after_attempts(id, 2).await;
    assert_eq!(scene.status().await, "disabled", "it is gone still");
}

#[tokio::test]
async fn what_the_old_address_answers_says_nothing_of_the_new_one() {
    let ready = Arc::new(AtomicBool::new(false));
    let answers = Arc::clone(&ready);
    let scene = Scene::new(move |_| Reply::new(410, "").once(Arc::clone(&answers))).await;
    let id = scene.test().await;
    crate::uploads::until("the old address is asked", async || !scene.receiver.received().is_empty()).await;
    let new = Receiver::start(|_| Reply::new(200, ""));
    let wanted = json!({ "subscription": scene.tool.wanted(&new.url) });
    scene.tool.client.put(&format!("/api/lti/subscriptions/{}", scene.subscription.id)).json(wanted).await.is(200);
    ready.store(true, Ordering::SeqCst);
    assert_eq!(scene.after_attempts(id, 1).await["status"], "dead");
    assert_eq!(scene.status().await, "active");
    let id = scene.test().await;
    assert_eq!(scene.after_attempts(id, 1).await["status"], "delivered");
}

#[tokio::test]
async fn what_waits_for_a_receiver_that_is_gone_ends_at_once() {
    let scene = Scene::new(|received| {
        let is_test = String::from_utf8_lossy(&received.body).contains("\"event_name\":\"test\"");
        if is_test { Reply::new(410, "") } else { Reply::new(503, "").header("retry-after", "7200") }
    })
    .await;
    let (course, teacher, student) = scene.school.classroom("Botany").await;
    let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Oaks" } });
    student.post(&course.path(&format!("/assignments/{essay}/submissions"))).json(text).await.is(201);
    let waiting = scene.admin().get(DELIVERIES).await.is(200).ids()[0];
    scene.after_attempts(waiting, 1).await;
    // It is enabled so that the receiver is asked before the time that it has named.
    scene.enable().await;
    let id = scene.test().await;
    let gone = scene.after_attempts(id, 1).await;
    let ended = scene.delivery(waiting).await;
    assert_eq!((&ended["status"], &ended["next_attempt_at"]), (&json!("dead"), &json!(null)));
    assert_eq!(ended["ended_at"], gone["ended_at"], "it does not end in two hours");
}

#[tokio::test]
async fn a_receiver_that_fails_for_five_days_is_disabled() {
    let scene = Scene::with_clock(|_| Reply::new(500, "")).await;
    let first = scene.test().await;
    let delivery = scene.after_attempts(first, 1).await;
    let failed = moment(&history(&delivery)[0]["attempted_at"]).unwrap();
    scene.to_its_end(first).await;
    assert_eq!(scene.status().await, "active", "three days are not five");
    let second = scene.test().await;
    scene.tick_at(failed.plus_seconds(5 * DAY + 60)).await;
    scene.after_attempts(second, 1).await;
    assert_eq!(scene.status().await, "disabled");
    scene.enable().await;
}

#[tokio::test]
async fn one_success_is_a_new_start() {
    let fail = Arc::new(AtomicBool::new(true));
    let fails = fail.clone();
    let scene = Scene::with_clock(move |_| Reply::new(if fails.load(Ordering::SeqCst) { 500 } else { 200 }, "")).await;
    let first = scene.test().await;
    let delivery = scene.after_attempts(first, 1).await;
    let failed = moment(&history(&delivery)[0]["attempted_at"]).unwrap();
    fail.store(false, Ordering::SeqCst);
    assert_eq!(scene.to_its_end(first).await["status"], "delivered");
    fail.store(true, Ordering::SeqCst);
    // The failures that count begin now, some seconds after the first.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let second = scene.test().await;
    scene.after_attempts(second, 1).await;
    scene.tick_at(failed.plus_seconds(5 * DAY)).await;
    scene.after_attempts(second, 2).await;
    assert_eq!(scene.status().await, "active");
}

#[tokio::test]
async fn a_delivery_can_be_sent_again() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let id = scene.test().await;
    let message = scene.after_attempts(id, 1).await["message_id"].clone();
    let again = scene.admin().post(&format!("{DELIVERIES}/{id}/replay")).await.is(200);
    assert_eq!((&again["status"], &again["message_id"]), (&json!("pending"), &message));
    assert_eq!(again["attempts"], 1, "what was tried before counts");
    let delivery = scene.after_attempts(id, 2).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(2)));
    let received = scene.receiver.received();
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    // The schedule begins anew with each time, and the number does not.
    let since = shared::clock::now().plus_seconds(-60).to_string();
    let dead = format!("UPDATE webhook_deliveries SET status = 'dead' WHERE id = {id}");
    if !scene.site.change_database(&dead) {
        return;
    }
    scene.admin().post(&format!("{DELIVERIES}/replay")).form(&[("since", &since)]).await.is(200);
    assert_eq!(scene.after_attempts(id, 3).await["attempts"], 3);
}

#[tokio::test]
async fn whatever_could_not_be_delivered_can_be_sent_again_at_once() {
    let gone = Arc::new(AtomicBool::new(true));
    let is_gone = gone.clone();
    let scene = Scene::new(move |_| Reply::new(if is_gone.load(Ordering::SeqCst) { 410 } else { 200 }, "")).await;
    let since = shared::clock::now().plus_seconds(-60).to_string();
    let (one, other) = (scene.test().await, scene.test().await);
    scene.after_attempts(one, 1).await;
    scene.after_attempts(other, 1).await;
    gone.store(false, Ordering::SeqCst);
    scene.enable().await;
    let replay = format!("{DELIVERIES}/replay");
    let later = shared::clock::now().plus_seconds(DAY).to_string();
    assert_eq!(scene.admin().post(&replay).form(&[("since", &later)]).await.is(200)["replayed"], 0);
    assert_eq!(scene.admin().post(&replay).form(&[("since", &since)]).await.is(200)["replayed"], 2);
    for id in [one, other] {
        assert_eq!(scene.after_attempts(id, 2).await["status"], "delivered");
    }
    assert_eq!(scene.admin().post(&replay).form(&[("since", &since)]).await.is(200)["replayed"], 0);
}

#[tokio::test]
async fn while_a_secret_is_changed_both_are_good_until_a_day_is_over() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let path = format!("/api/lti/subscriptions/{}/rotate_secret", scene.subscription.id);
    let rotated = scene.tool.client.post(&path).await.is(200);
    let new = rotated["SigningSecret"].as_str().unwrap();
    assert_ne!(new, scene.subscription.secret);
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    is_signed_with(&scene.receiver.received()[0], &[new, &scene.subscription.secret]);

    let over = format!(
        "UPDATE webhook_subscriptions SET previous_secret_until = '2020-01-01T00:00:00Z' WHERE uuid = '{}'",
        scene.subscription.id
    );
    assert!(scene.site.change_database(&over));
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    is_signed_with(&scene.receiver.received()[1], &[new]);
}

/// It has the signatures of these secrets, and no others.
#[track_caller]
fn is_signed_with(received: &Received, secrets: &[&str]) {
    let now = Timestamp::from_unix(received.header("webhook-timestamp").unwrap().parse().unwrap()).unwrap();
    let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new((*secret).to_owned())).collect();
    let expected = signatures(&secrets, received.header("webhook-id").unwrap(), now, &received.body);
    assert_eq!(received.header("webhook-signature"), expected.as_deref());
}

#[tokio::test]
async fn a_slow_receiver_holds_up_nobody_else() {
    let slow = Scene::alone(|_| Reply::new(200, "").after(Duration::from_secs(18))).await;
    let quick = slow.beside(|_| Reply::new(200, "")).await;
    join_all((0..24).map(|_| slow.test())).await;
    let began = std::time::Instant::now();
    let id = quick.test().await;
    while quick.receiver.received().is_empty() {
        // Behind the slow ones it would come after all of 18 seconds.
        assert!(began.elapsed() < Duration::from_secs(15), "{}", quick.delivery(id).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let under_way = slow.receiver.received().len();
    assert!(under_way <= 16, "a receiver has {under_way} under way, which is more than its share");
}

#[tokio::test]
async fn nobody_there_is_a_failure_and_only_the_beginning_of_an_answer_is_kept() {
    let scene = Scene::new(|_| Reply::new(500, format!("{}\0", "x".repeat(30_000)))).await;
    let id = scene.test().await;
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!(history(&delivery)[0]["response_body"].as_str().unwrap(), "x".repeat(20_000));
    let nobody = scene.tool.subscribe("http://127.0.0.1:1/").await;
    let id = test(scene.admin(), &nobody).await;
    let delivery = scene.after_attempts(id, 1).await;
    let attempt = &history(&delivery)[0];
    assert_eq!(attempt["response_status"], Value::Null);
    assert_eq!(attempt["error"], "there is no usable answer");
}

#[tokio::test]
async fn why_nobody_has_answered_is_told_to_who_runs_the_installation_alone() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let nobody = scene.tool.subscribe("http://127.0.0.1:1/").await;
    let id = test(scene.admin(), &nobody).await;
    scene.after_attempts(id, 1).await;
    let page = async |admin: &Client| {
        let link = admin.post(&format!("{DELIVERIES}/live_link")).await.is(200)["url"].as_str().unwrap().to_owned();
        scene.admin().without_token().get(&link.replace("deliveries?", &format!("deliveries/{id}?"))).await
    };
    let own = page(scene.admin()).await.is(200).body;
    assert!(own.contains("there is no usable answer") && !own.contains("connection refused"), "{own}");
    // The site's administrators see the deliveries of the root account in which they are.
    let site_admin = scene.site.site_admin().await;
    let moved = format!("UPDATE webhook_deliveries SET root_account_id = 1 WHERE id = {id}");
    if !scene.site.change_database(&moved) {
        return;
    }
    let told = page(&site_admin).await.is(200).body;
    assert!(told.contains("there is no usable answer: connection refused"), "{told}");
    assert!(!told.contains("ErrorCode"), "{told}");
}

#[tokio::test]
async fn a_subscription_that_has_ended_gets_nothing_more() {
    let scene = Scene::new(|_| Reply::new(500, "")).await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    scene.tool.client.delete(&format!("/api/lti/subscriptions/{}", scene.subscription.id)).await.is(200);
    assert_eq!(scene.delivery(id).await["status"], "dead");
    scene.admin().post(&format!("{DELIVERIES}/{id}/replay")).await.is_refused(409, "The subscription has ended");
}

#[tokio::test]
async fn a_closed_port_and_one_that_speaks_something_else_look_the_same() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    // One that answers, and not in HTTP.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let open = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _gone = std::io::Write::write_all(&mut stream, b"SSH-2.0-OpenSSH_9.6\r\n");
        }
    });
    let mut errors = Vec::new();
    for url in ["http://127.0.0.1:1/".to_owned(), format!("http://{open}/"), format!("https://{open}/")] {
        let subscription = scene.tool.subscribe(&url).await;
        let id = test(scene.admin(), &subscription).await;
        errors.push(history(&scene.after_attempts(id, 1).await)[0]["error"].clone());
    }
    assert_eq!(errors, vec![json!("there is no usable answer"); 3]);
}

/// A scene in which an essay was handed in, so that a delivery waits; with its id.
async fn waiting(scene: &Scene) -> i64 {
    let (course, teacher, student) = scene.school.classroom("Botany").await;
    let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Oaks" } });
    student.post(&course.path(&format!("/assignments/{essay}/submissions"))).json(text).await.is(201);
    let id = scene.admin().get(DELIVERIES).await.is(200).ids()[0];
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!(delivery["status"], "pending", "{delivery}");
    id
}
