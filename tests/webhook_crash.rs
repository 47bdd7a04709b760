//! A crash in the middle of delivering: no receiver misses anything that was handed in, and none is told of what was not.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, DEVELOPMENT, Received, Receiver, Reply, Tool, admin_of, crash_while};

const ROUNDS: u64 = 3;
const STUDENTS: usize = 4;
/// The time between two attempts of a student, who may have 250 of them: all rounds together last three seconds.
const PAUSE: Duration = Duration::from_millis(20);

async fn student(admin: &Client, course: i64) -> String {
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": support::unique("ada") } });
    let user = admin.post("/api/v1/accounts/1/users").json(user).await.is(200).id();
    support::enroll(admin, course, user, "StudentEnrollment").await;
    let token = admin.token_for(user, json!({ "purpose": "test" })).await.is(200);
    token["visible_token"].as_str().unwrap().to_owned()
}

/// Hands in again and again until the application is gone. What is noted was acknowledged.
async fn hand_in(http: &reqwest::Client, address: &str, token: &str, acknowledged: &Mutex<BTreeSet<(String, String)>>) {
    let essay = json!({ "submission": { "submission_type": "online_text_entry", "body": "An essay" } });
    loop {
        let Ok(answer) = http.post(address).bearer_auth(token).json(&essay).send().await else { return };
        assert!(answer.status().is_success(), "{}", answer.status());
        let Ok(submission) = answer.json::<Value>().await else { return };
        acknowledged.lock().unwrap().insert((text(&submission["user_id"]), text(&submission["attempt"])));
        tokio::time::sleep(PAUSE).await;
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Two of three requests are refused, for no reason that the sender could know.
fn moody(received: &Received) -> Reply {
    let sum = received.header("webhook-signature").unwrap().bytes().map(u64::from).sum::<u64>();
    Reply::new(if sum.is_multiple_of(3) { 200 } else { 500 }, "").after(Duration::from_millis(sum % 40))
}

/// A course, and an assignment of it that takes texts.
async fn essay(operator: &Client) -> (i64, i64) {
    let course = json!({ "course": { "name": "Botany" }, "offer": true });
    let course = operator.post("/api/v1/accounts/1/courses").json(course).await.is(200).id();
    let essay = json!({ "assignment": {
        "name": "Essay", "submission_types": ["online_text_entry"], "points_possible": 10, "published": true,
    } });
    (course, operator.post(&format!("/api/v1/courses/{course}/assignments")).json(essay).await.is(201).id())
}

/// Lets hour after hour pass until no delivery waits.
async fn deliver_all(operator: &Client, tick: &Client) {
    let pending = async || operator.get("/api/v1/webhook_deliveries?status=pending").await.is(200).json.clone();
    let mut hours = 0;
    while pending().await != json!([]) {
        assert!(hours < 200, "{}", pending().await);
        let clock = shared::clock::now().plus_seconds(hours * 3600 + 120).to_string();
        while tick.post("/internal/tick").header("x-test-clock", &clock).await.is(200)["more"] == true {}
        hours += 1;
    }
}

#[tokio::test]
async fn every_submission_reaches_every_receiver_through_crashes() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut app = sandbox.start().await.unwrap();
    let operator = admin_of(&sandbox, &app).await;
    let (course, essay) = essay(&operator).await;
    let students = join_all((0..STUDENTS).map(|_| student(&operator, course))).await;
    let tool = Tool::register(&operator).await;
    let receivers = [Receiver::start(moody), Receiver::start(|_| Reply::new(204, ""))];
    for receiver in &receivers {
        tool.subscribe(&receiver.url).await;
    }

    let acknowledged = Mutex::new(BTreeSet::new());
    for round in 1..=ROUNDS {
        let http = reqwest::Client::new();
        let address = format!("{}/api/v1/courses/{course}/assignments/{essay}/submissions", app.base_url);
        let writers = join_all(students.iter().map(|token| hand_in(&http, &address, token, &acknowledged)));
        let before = acknowledged.lock().unwrap().len();
        let handed_in = || acknowledged.lock().unwrap().len() > before + STUDENTS;
        let crash = crash_while(app, Duration::from_millis(500 * round), handed_in);
        futures::future::join(writers, crash).await;
        app = sandbox.start().await.unwrap();
    }

    let operator = Client::new(&app.base_url, operator.token.as_deref());
    let tick = operator.with_token(&sandbox.variables["tick_token"]);
    deliver_all(&operator, &tick).await;
    let acknowledged = acknowledged.into_inner().unwrap();
    let dead = operator.get("/api/v1/webhook_deliveries?status=dead&per_page=100").await.is(200).json.clone();
    for receiver in &receivers {
        let told: BTreeSet<_> = receiver
            .received()
            .iter()
            .map(Received::json)
            .map(|message| (text(&message["body"]["user_id"]), text(&message["body"]["attempt"])))
            .collect();
        let lost: Vec<_> = acknowledged.difference(&told).collect();
        assert!(lost.is_empty(), "never sent: {lost:?}; dead: {dead}");
        // One submission of each student may have been committed when the answer to it was cut off, in each round.
        let unknown = told.difference(&acknowledged).count();
        assert!(unknown <= STUDENTS * usize::try_from(ROUNDS).unwrap(), "{unknown} that nobody handed in");
    }

    // Later all of it is forgotten.
    let clock = shared::clock::now().plus_seconds(60 * 24 * 3600).to_string();
    for _ in 0..10 {
        tick.post("/internal/tick").header("x-test-clock", &clock).await.is(200);
    }
    assert_eq!(operator.get("/api/v1/webhook_deliveries").await.is(200).json, json!([]));
    app.stop().await.unwrap();
}
