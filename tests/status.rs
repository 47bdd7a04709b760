//! Health and figures: whether the service lives, whether it can work, and what waits, in both forms; and that what is called
//! again and again fills no log.

use std::future::IntoFuture;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::model::{completion, script, tutoring};
use support::{Client, Receiver, Reply, Response, Running, School, Tool, unique};

const STATUS: &str = "/internal/status";

/// An application of the test's own: the figures are those of all that happens in it.
async fn site(name: &'static str, settings: &'static [(&'static str, &'static str)]) -> Running {
    tokio::task::spawn_blocking(move || Running::own(name, settings)).await.unwrap()
}

fn watcher(site: &Running) -> Client {
    site.nobody().with_token(&site.variables["status_token"])
}

async fn status(site: &Running) -> Response {
    watcher(site).get(STATUS).await.is(200)
}

/// The number that the text of Prometheus has for a series.
fn figure(text: &str, series: &str) -> Option<i64> {
    let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
    Some(value.parse().unwrap())
}

#[tokio::test]
async fn health_and_readiness_need_no_token_and_cost_next_to_nothing() {
    let nobody = support::running().nobody();
    let health = nobody.get("/health").await.is(200);
    assert_eq!(health.json, json!({ "status": "alive" }));
    assert_eq!(health.header("server-timing"), Some("db;desc=\"0 statements\""));
    let ready = nobody.get("/ready").await.is(200);
    assert_eq!(ready.json, json!({ "status": "ready" }));
    assert_eq!(ready.header("server-timing"), Some("db;desc=\"1 statements\""));
    nobody.with_token("nonsense").get("/ready").await.is(200);
    nobody.post("/health").await.is(405);
}

#[tokio::test]
async fn what_is_not_ready_is_named_and_nothing_else_is_told() {
    let site = site("not-ready", &[]).await;
    let nobody = site.nobody();
    nobody.get("/ready").await.is(200);
    let Some(version) = site.read_database("PRAGMA user_version").map(|rows| rows[0][0].clone()) else { return };
    if !site.change_key_value("ALTER TABLE spin_key_value RENAME TO hidden") {
        return;
    }
    let no_blobs = "Not ready: blobs (the key-value store does not answer).";
    let refused = nobody.get("/ready").await.is_refused(503, no_blobs);
    assert!(!refused.body.contains("spin_key_value") && !refused.body.contains("SQL"), "{refused}");
    // The figures go on, and say the same.
    assert_eq!(status(&site).await["ready"], json!({ "database": true, "schema": true, "blobs": false }));

    site.change_database("PRAGMA user_version = 3");
    let both = "Not ready: schema (the tables are not those of this version); blobs (";
    nobody.get("/ready").await.is_refused(503, both);
    nobody.get("/health").await.is(200);

    site.change_database(&format!("PRAGMA user_version = {version}"));
    site.change_key_value("ALTER TABLE hidden RENAME TO spin_key_value");
    nobody.get("/ready").await.is(200);
}

#[tokio::test]
async fn the_figures_are_for_who_has_their_token() {
    let site = site("watched", &[]).await;
    let nobody = site.nobody();
    nobody.get(STATUS).await.is_unauthenticated("user authorization required");
    nobody.with_token("nonsense").get(STATUS).await.is_unauthenticated("Invalid access token.");
    nobody.with_token(&site.variables["tick_token"]).get(STATUS).await.is(200);
    let in_query = format!("{STATUS}?access_token={}", site.variables["status_token"]);
    nobody.get(&in_query).await.is(401);
    let answer = status(&site).await;
    for secret in site.variables.values().filter(|value| value.len() >= 32) {
        assert!(!answer.body.contains(secret.as_str()), "{answer}");
    }
    // Who watches cannot do anything.
    watcher(&site).post("/internal/tick").await.is_unauthenticated("Invalid access token.");
    watcher(&site).get("/api/v1/users/self").await.is(401);
}

#[tokio::test]
async fn without_a_token_of_their_own_the_figures_are_for_who_has_that_of_the_tick() {
    let site = site("unwatched", &[("status_token", "")]).await;
    site.nobody().get(STATUS).await.is_not_found();
    site.nobody().with_token("nonsense").get(STATUS).await.is_not_found();
    site.nobody().with_token(&site.variables["tick_token"]).get(STATUS).await.is(200);
    site.nobody().get("/ready").await.is(200);
}

#[tokio::test]
async fn the_figures_come_as_json_and_as_the_text_of_prometheus() {
    let site = site("formats", &[("storage_limit_megabytes", "7")]).await;
    let watcher = watcher(&site);
    let json = watcher.get(STATUS).await.is(200);
    assert_eq!(json.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(json["blobs"]["limit_bytes"], 7 * 1024 * 1024);
    assert!(json["database"]["bytes"].as_i64().unwrap() > 100_000, "{json}");

    let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
    for asked in [
        watcher.get(STATUS).header("accept", "text/plain"),
        watcher.get(STATUS).header("accept", prometheus),
        watcher.get(&format!("{STATUS}?format=prometheus")),
    ] {
        let text = asked.await.is(200);
        assert_eq!(text.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        assert_eq!(figure(&text.body, "lectern_ready{part=\"blobs\"}"), Some(1), "{text}");
        assert_eq!(figure(&text.body, "lectern_blob_limit_bytes"), Some(7 * 1024 * 1024), "{text}");
        assert_eq!(figure(&text.body, "lectern_schema_version"), json["database"]["schema_version"].as_i64());
        for line in text.body.lines().filter(|line| !line.starts_with('#')) {
            let (series, value) = line.split_once(' ').unwrap();
            assert!(series.starts_with("lectern_") && value.parse::<f64>().is_ok(), "{line}");
        }
    }
    let json = watcher.get(&format!("{STATUS}?format=json")).header("accept", "text/plain").await.is(200);
    assert!(json["tick"].is_object());
    watcher.get(&format!("{STATUS}?format=xml")).await.is_refused(400, "must be json or prometheus");
}

#[tokio::test]
async fn the_figures_tell_of_the_last_tick() {
    let site = site("ticked", &[]).await;
    assert_eq!(status(&site).await["tick"], json!({ "last_at": null, "age_seconds": null, "failed_areas": 0 }));
    // The tick may be told another time: what counts is when it came.
    site.tick(Some("2040-01-01")).await;
    let answer = status(&site).await;
    support::recent(&answer["tick"]["last_at"]);
    assert!((0..60).contains(&answer["tick"]["age_seconds"].as_i64().unwrap()), "{answer}");
    // Components that are loaded by the first tick may take longer than it waits for them.
    for _ in 0..5 {
        site.tick(None).await;
    }
    assert_eq!(status(&site).await["tick"]["failed_areas"], 0);
}

#[tokio::test]
async fn what_is_due_and_what_is_given_up_is_counted() {
    let site = site("due", &[]).await;
    let school = School::start_in(&site).await;
    let before = status(&site).await;
    let (none, blobs) = (before["webhook_deliveries"].clone(), before["blobs"]["number"].as_i64().unwrap());
    assert_eq!((&none["waiting"], &none["due"], &none["dead"]), (&json!(0), &json!(0), &json!(0)));

    let receiver = Receiver::start(|_| Reply::new(500, ""));
    let tool = Tool::register(&school.admin).await;
    let subscription = tool.subscribe(&receiver.url).await;
    school.admin.post(&format!("/api/lti/subscriptions/{}/test", subscription.id)).await;
    // It is tried and put off, or still to be tried.
    let waiting = status(&site).await;
    assert_eq!(waiting["webhook_deliveries"]["waiting"], 1, "{waiting}");

    // Nobody ticks here. When the attempt that follows the answer has failed, nobody looks any more: then it is due for an hour.
    let tried = "SELECT 1 FROM webhook_deliveries WHERE attempts = 1 AND lease IS NULL";
    while site.read_database(tried).is_some_and(|rows| rows.is_empty()) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let due = "UPDATE webhook_deliveries SET lease = NULL, next_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour')";
    let mut late = Value::Null;
    for _ in 0..600 {
        if !site.change_database(due) {
            return;
        }
        late = status(&site).await.json;
        if late["webhook_deliveries"]["due"] == 1 && late["webhook_deliveries"]["running"] == 0 {
            break;
        }
        // Somebody was still looking: that attempt fails, too.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!((&late["webhook_deliveries"]["due"], &late["webhook_deliveries"]["running"]), (&json!(1), &json!(0)));
    let age = late["webhook_deliveries"]["oldest_due_seconds"].as_i64().unwrap();
    assert!((3600..3660).contains(&age), "{late}");
    site.change_database("UPDATE webhook_deliveries SET status = 'dead', ended_at = next_at");
    let dead = status(&site).await;
    assert_eq!((&dead["webhook_deliveries"]["waiting"], &dead["webhook_deliveries"]["dead"]), (&json!(0), &json!(1)));

    // An import that nobody can read fails, and its upload is a blob.
    let import = school.admin.post("/api/v1/accounts/self/sis_imports").body("text/csv", "colour,shape\nred,round\n");
    let import = import.await.is(200).id();
    let failed = loop {
        site.tick(None).await;
        let answer = status(&site).await;
        if answer["sis_imports"]["waiting"] == 0 && answer["sis_imports"]["running"] == 0 {
            break answer;
        }
    };
    let import = school.admin.get(&format!("/api/v1/accounts/self/sis_imports/{import}")).await.is(200);
    assert_eq!(import["workflow_state"], "failed_with_messages", "{import}");
    assert_eq!(failed["sis_imports"]["failed_in_last_day"], 1, "{failed}");
    assert!(failed["blobs"]["number"].as_i64().unwrap() > blobs, "{failed}");
    let text = watcher(&site).get(&format!("{STATUS}?format=prometheus")).await.is(200);
    assert_eq!(figure(&text.body, "lectern_queue_dead{queue=\"webhook_deliveries\"}"), Some(1), "{text}");
    assert_eq!(figure(&text.body, "lectern_jobs_failed_in_last_day{kind=\"sis_imports\"}"), Some(1), "{text}");
}

#[tokio::test]
async fn calls_of_the_model_that_fail_are_counted_by_kind() {
    type Case = (&'static str, i64, fn() -> Reply);
    let site = site("model-failures", &[("ai_timeout_seconds", "5")]).await;
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("History").await;
    let word = unique("Treaties");
    let experience = json!({ "ai_experience": {
        "title": word, "learning_objectives": ["Name two causes"], "pedagogical_guidance": "Ask back.",
        "workflow_state": "published",
    } });
    let experience = teacher.post(&course.path("/ai_experiences")).json(experience).await.is(201).id();
    let conversations = course.path(&format!("/ai_experiences/{experience}/conversations"));
    let none = json!({ "timeout": 0, "unavailable": 0, "refused": 0, "malformed": 0, "rate_limited": 0 });
    assert_eq!(status(&site).await["model"], json!({ "calls": 0, "failures": none }));

    let conversation = student.post(&conversations).await.is(201).id();
    assert_eq!(status(&site).await["model"], json!({ "calls": 1, "failures": none }), "a success is no failure");
    let messages = format!("{conversations}/{conversation}/messages");
    let says = |text: String| student.post(&messages).json(json!({ "message": text }));
    // Each with the number of calls that it takes: an answer in another shape is asked for once more.
    let cases: [Case; 7] = [
        ("unavailable", 1, || Reply::new(500, "oops")),
        ("unavailable", 1, || completion(&Value::Null).breaks_off()),
        ("rate_limited", 1, || Reply::new(429, "slow down")),
        ("refused", 1, || Reply::new(200, r#"{"choices": [{"finish_reason": "content_filter"}]}"#)),
        ("malformed", 2, || Reply::new(200, "<html>")),
        ("malformed", 2, || completion(&json!("Just talking"))),
        ("timeout", 1, || completion(&tutoring("Too late.", &[])).after(Duration::from_secs(15))),
    ];
    let (mut calls, mut failures) = (1, none);
    for (number, (kind, taken, given)) in cases.into_iter().enumerate() {
        script(&word, move |_| given());
        says(format!("try {number}")).await.is(503);
        calls += taken;
        failures[kind] = json!(failures[kind].as_i64().unwrap() + taken);
        assert_eq!(status(&site).await["model"], json!({ "calls": calls, "failures": failures }), "{kind}");
    }
    // A stream that fails at its beginning, and one that fails in the middle.
    for reply in [|| Reply::new(500, "oops"), || completion(&json!("Just talking")).breaks_off()] {
        script(&word, move |_| reply());
        let streamed = says("stream".to_owned()).header("accept", "text/event-stream").await;
        assert!(streamed.status == 503 || streamed.body.contains("event: error"), "{streamed}");
    }
    let after = status(&site).await;
    let failed = |failures: &Value| failures.as_object().unwrap().values().filter_map(Value::as_i64).sum::<i64>();
    assert!(failed(&after["model"]["failures"]) >= failed(&failures) + 2, "{after}");
    let text = watcher(&site).get(&format!("{STATUS}?format=prometheus")).await.is(200).body;
    assert!(text.contains("# TYPE lectern_model_failures_total counter\n"), "{text}");
    assert_eq!(figure(&text, "lectern_model_failures_total{kind=\"timeout\"}"), Some(1), "{text}");
    assert_eq!(figure(&text, "lectern_model_calls_total"), after["model"]["calls"].as_i64(), "{text}");
}

#[tokio::test]
async fn limits_that_are_hit_are_counted_without_making_anybody_wait() {
    let site = site("limits-hit", &[]).await;
    let hits = async || status(&site).await["limits_hit"]["client_secrets"].as_i64().unwrap();
    assert_eq!(hits().await, 0);
    let form = [("grant_type", "client_credentials"), ("client_id", "10000000000001"), ("client_secret", "guessed")];
    let nobody = site.nobody();
    let guess = || nobody.post("/login/oauth2/token").header("x-forwarded-for", "192.0.2.7").form(&form);
    for _ in 0..30 {
        guess().await.is(401);
    }
    assert_eq!(hits().await, 0, "what is answered 401 hits no limit");
    let refused = guess().await.is(429);
    // What is counted is written when the answer is on its way: in the same second, if nobody else writes.
    let counted = async |number: i64| {
        for _ in 0..300 {
            if hits().await == number {
                return;
            }
            // Several at once, so that each instance has one of them.
            join_all((0..8).map(|_| nobody.get("/login/oauth2/token").into_future())).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("{} hits are counted, and not {number}", hits().await);
    };
    counted(1).await;

    // While somebody else writes they are refused as quickly, with as many statements, and are written afterwards.
    let Some(lock) = site.hold_writes() else { return };
    let began = std::time::Instant::now();
    for _ in 0..3 {
        let again = guess().await.is(429);
        assert_eq!(again.header("server-timing"), refused.header("server-timing"));
    }
    // To wait for the other one would take them fifteen seconds each.
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    assert_eq!(hits().await, 1);
    drop(lock);
    counted(4).await;
    let text = watcher(&site).get(&format!("{STATUS}?format=prometheus")).await.is(200).body;
    assert!(text.contains("# TYPE lectern_limits_hit_total counter\n"), "{text}");
    assert_eq!(figure(&text, "lectern_limits_hit_total{limit=\"client_secrets\"}"), Some(4), "{text}");
    assert_eq!(figure(&text, "lectern_limits_hit_total{limit=\"log_ins\"}"), Some(0), "{text}");
}

/// The lines of the log about requests, each with its route and its status.
fn logged(site: &Running) -> Option<Vec<(String, i64)>> {
    let logs = site.folder()?.join("logs");
    let mut requests = Vec::new();
    for file in std::fs::read_dir(logs).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        requests.extend(lines.filter_map(|line| Some((line["route"].as_str()?.to_owned(), line["status"].as_i64()?))));
    }
    Some(requests)
}

#[tokio::test]
async fn what_is_called_again_and_again_leaves_a_line_only_where_it_fails() {
    let site = site("quiet", &[]).await;
    let nobody = site.nobody();
    for _ in 0..3 {
        site.tick(None).await;
        nobody.get("/health").await.is(200);
        nobody.get("/ready").await.is(200);
        status(&site).await;
    }
    let ours = |requests: Vec<(String, i64)>| -> Vec<_> {
        let is_ours = |route: &str| route.starts_with("/internal/") || matches!(route, "/health" | "/ready");
        requests.into_iter().filter(|(route, _)| is_ours(route)).collect()
    };
    let Some(requests) = logged(&site) else { return };
    assert!(requests.iter().any(|(route, status)| (route.as_str(), *status) == ("/login/oauth2/token", 200)));
    let told = ours(requests);
    assert!(told.is_empty(), "{told:?}");
    nobody.post("/internal/tick").await.is(401);
    nobody.get(STATUS).await.is(401);
    let refused = [("/internal/tick".to_owned(), 401), (STATUS.to_owned(), 401)];
    assert_eq!(ours(logged(&site).unwrap()), refused);
}
