//! The sandbox of `lectern-host`: an application for the tests of clients, which is set back, put forward, disturbed and looked at.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, RETRY_AFTER};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::Timestamp;
use support::running;

/// A school with a class of three.
const SCHOOL: &str = r#"
users:
  - {login: ada, name: Ada Lovelace, email: ada@example.edu}
  - {login: "student-{n}", name: "Student {n}", count: 3}
courses:
  - name: Biology
    code: BIO1
    teachers: [ada]
    students: [student-*]
    sections: [{name: Lab, students: [student-3]}]
    assignments:
      - {name: Essay, points: 10, due_at: +7d, submissions: {students: [student-1], body: "Text of {login}", grade: 8}}
    quizzes:
      - title: Cells
        published: true
        questions:
          - type: multiple_choice_question
            text: What has a wall?
            points: 1
            answers: [{text: A leaf, weight: 100}, {text: A fly, weight: 0}]
    pages: [{title: Welcome, body: <p>Hello</p>}]
webhooks: [{url: inbox:default, events: [SUBMISSION_CREATED]}]
"#;

/// A sandbox that ends with this value.
struct Lab {
    child: Child,
    address: String,
    ready: Value,
    http: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// `lectern-host sandbox`, on the components of the tests.
fn command(options: &[&str]) -> Command {
    let mut command = Command::new(xtask::target().join("host/lectern-host"));
    command.current_dir(xtask::root()).arg("sandbox").arg("--from").arg(xtask::manifest::path()).args(options);
    command
}

/// What becomes of a sandbox that does not start.
fn refused(options: &[&str]) -> String {
    let Output { status, stderr, .. } = command(options).stdin(Stdio::null()).output().unwrap();
    assert!(!status.success(), "{options:?}");
    String::from_utf8(stderr).unwrap()
}

impl Lab {
    async fn start(scenario: &str) -> Self {
        Self::start_with(scenario, &[]).await
    }

    async fn start_with(scenario: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scenario.yaml");
        std::fs::write(&file, scenario).unwrap();
        let always = ["--json", "--with-parent", "--listen", "127.0.0.1:0", "--scenario", file.to_str().unwrap()];
        let mut command = command(&[&always, options].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let (child, line) = tokio::task::spawn_blocking(move || {
            let mut child = command.spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            (child, line)
        })
        .await
        .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_no_json| panic!("{line:?}"));
        let address = ready["address"].as_str().unwrap().to_owned();
        let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { child, address, ready, http, _folder: folder }
    }

    fn admin(&self) -> &str {
        self.ready["tokens"]["admin"].as_str().unwrap()
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.address))
    }

    async fn answer(&self, request: RequestBuilder) -> (u16, Value) {
        let response = request.send().await.unwrap();
        let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Calls the sandbox itself.
    async fn sandbox(&self, method: &str, path: &str, body: Value, status: u16) -> Value {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.request(method, &format!("/sandbox{path}"));
        if !body.is_null() {
            request = request.json(&body);
        }
        let (found, answer) = self.answer(request).await;
        assert_eq!(found, status, "{path} {body}: {answer}");
        answer
    }

    async fn look(&self, path: &str) -> Value {
        self.sandbox("GET", path, Value::Null, 200).await
    }

    /// Reads something of the application.
    async fn get(&self, token: &str, path: &str) -> (u16, Value) {
        self.answer(self.request(Method::GET, path).bearer_auth(token)).await
    }

    async fn post(&self, token: &str, path: &str, body: Value) -> (u16, Value) {
        self.answer(self.request(Method::POST, path).bearer_auth(token).json(&body)).await
    }

    async fn token(&self, login: &str) -> String {
        let made = self.sandbox("POST", "/tokens", json!({ "login": login }), 201).await;
        assert_eq!(made["login"], login);
        made["token"].as_str().unwrap().to_owned()
    }

    /// The id of a course, an assignment or the like by its name in a list.
    async fn id(&self, path: &str, key: &str, name: &str) -> i64 {
        let (_, list) = self.get(self.admin(), path).await;
        let found = list.as_array().unwrap().iter().find(|record| record[key] == name);
        found.unwrap_or_else(|| panic!("no {name} in {list}"))["id"].as_i64().unwrap()
    }

    async fn course(&self) -> i64 {
        self.id("/api/v1/accounts/1/courses", "name", "Biology").await
    }

    /// The path of the essay.
    async fn essay(&self) -> String {
        let course = self.course().await;
        let assignments = format!("/api/v1/courses/{course}/assignments");
        format!("{assignments}/{}", self.id(&assignments, "name", "Essay").await)
    }

    async fn restore(&self) -> Value {
        self.sandbox("POST", "/snapshots/start/restore", Value::Null, 200).await
    }

    /// The events of an inbox, as soon as there are so many.
    async fn events(&self, inbox: &str, count: usize) -> Vec<Value> {
        for _ in 0..1_200 {
            let events = self.look(&format!("/inbox/{inbox}")).await["events"].as_array().unwrap().clone();
            if events.len() >= count {
                return events;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not {count} events: {}", self.look(&format!("/inbox/{inbox}")).await)
    }
}

fn text(body: &str) -> Value {
    json!({ "submission": { "submission_type": "online_text_entry", "body": body } })
}

#[tokio::test]
async fn everything_is_as_it_was_after_a_restoration() {
    let lab = Lab::start(SCHOOL).await;
    assert_eq!(lab.ready["snapshot"], "start");
    assert_eq!(lab.look("/snapshots").await[0]["name"], "start");
    let (before, course) = (lab.token("student-2").await, lab.course().await);
    let wanted = json!({ "course": { "name": "Chemistry" } });
    let mut ids = Vec::new();
    for round in 0..3 {
        let (_, made) = lab.post(lab.admin(), "/api/v1/accounts/1/courses", wanted.clone()).await;
        ids.push(made["id"].as_i64().unwrap());
        let later = lab.token("ada").await;
        lab.sandbox("PUT", "/clock", json!({ "advance_seconds": 86_400 }), 200).await;
        lab.sandbox("POST", "/faults", json!({ "path": "/nowhere", "kind": "disconnect" }), 201).await;
        lab.sandbox("PUT", "/inbox/default", json!({ "status": 500 }), 200).await;
        assert_ne!(lab.look("/calls").await, json!([]));

        let restored = lab.restore().await;
        assert_eq!(restored["name"], "start");
        let took = restored["milliseconds"].as_u64().unwrap();
        // A loaded machine is slower; alone it is a few milliseconds.
        assert!(took < 2000, "{restored}");
        assert_eq!(lab.look("/calls").await, json!([]), "round {round}");
        assert_eq!(lab.look("/faults").await, json!([]));
        assert!(lab.look("/clock").await["offset_seconds"].as_i64().unwrap().abs() <= 1);
        assert_eq!(lab.get(lab.admin(), &format!("/api/v1/courses/{}", ids[0])).await.0, 404);
        for token in [&before, &later] {
            assert_eq!(lab.get(token, &format!("/api/v1/courses/{course}")).await.0, 200, "round {round}");
        }
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test]
async fn snapshots_have_names_and_are_forgotten() {
    let lab = Lab::start("users: [{login: ada}]").await;
    let named = |name: &str| json!({ "name": name });
    let made = lab.sandbox("POST", "/snapshots", named("two"), 201).await;
    assert!(made["name"] == "two" && made["id"] == "two" && made["bytes"].as_u64().unwrap() > 100_000, "{made}");
    lab.sandbox("POST", "/snapshots", named("two"), 201).await;
    assert_eq!(lab.look("/snapshots").await.as_array().unwrap().len(), 2);
    let unnamed = lab.sandbox("POST", "/snapshots", Value::Null, 201).await;
    let id = unnamed["id"].as_str().unwrap();
    lab.sandbox("POST", &format!("/snapshots/{id}/restore"), Value::Null, 200).await;
    lab.sandbox("DELETE", "/snapshots/two", Value::Null, 204).await;
    for (method, path) in [("DELETE", "/snapshots/two"), ("POST", "/snapshots/two/restore")] {
        lab.sandbox(method, path, Value::Null, 404).await;
    }
    let refused = lab.sandbox("POST", "/snapshots", named("a/b"), 400).await;
    assert_eq!(refused["errors"][0]["field"], "name");
}

#[tokio::test]
async fn requests_end_before_a_restoration_and_wait_behind_it() {
    let lab = Lab::start(SCHOOL).await;
    let course = lab.course().await;
    let path = format!("/api/v1/courses/{course}/users?per_page=100");
    let reads = futures::future::join_all((0..40).map(|_| lab.get(lab.admin(), &path)));
    let restorations = async {
        for _ in 0..5 {
            lab.restore().await;
        }
    };
    let (reads, ()) = futures::join!(reads, restorations);
    assert!(reads.iter().all(|(status, users)| *status == 200 && users.as_array().unwrap().len() == 4), "{reads:?}");
}

#[tokio::test]
async fn the_clock_makes_due_dates_pass() {
    let lab = Lab::start(SCHOOL).await;
    let student = lab.token("student-2").await;
    let essay = lab.essay().await;
    let frozen = lab.sandbox("PUT", "/clock", json!({ "is_frozen": true }), 200).await;
    assert_eq!(frozen["is_frozen"], true);
    assert_eq!(lab.look("/clock").await["now"], frozen["now"]);
    let (status, handed_in) = lab.post(&student, &format!("{essay}/submissions"), text("In time")).await;
    assert!(status == 201 && handed_in["late"] == false, "{handed_in}");
    let moment = Timestamp::parse(frozen["now"].as_str().unwrap()).unwrap();
    assert_eq!(handed_in["submitted_at"], moment.to_string());

    let moved = lab.sandbox("PUT", "/clock", json!({ "advance_seconds": 8 * 86_400 }), 200).await;
    assert_eq!(moved["is_frozen"], true);
    let (_, handed_in) = lab.post(&student, &format!("{essay}/submissions"), text("Too late")).await;
    assert_eq!(handed_in["late"], true, "{handed_in}");
    let set = json!({ "now": "2031-01-01T00:00:00Z", "is_frozen": false });
    let set = lab.sandbox("PUT", "/clock", set, 200).await;
    assert!(set["now"].as_str().unwrap().starts_with("2031-01-01T00:00:0") && set["is_frozen"] == false, "{set}");
    for wrong in [json!({}), json!({ "now": "tomorrow" }), json!({ "now": "1960-01-01T00:00:00Z" }), json!({ "at": 1 })]
    {
        lab.sandbox("PUT", "/clock", wrong, 400).await;
    }
}

#[tokio::test]
async fn the_clock_sends_digests() {
    let lab = Lab::start_with(SCHOOL, &["--no-tick"]).await;
    let (ada, essay) = (lab.token("ada").await, lab.essay().await);
    let (_, channels) = lab.get(&ada, "/api/v1/users/self/communication_channels").await;
    let channel = channels[0]["id"].as_i64().unwrap();
    let preference = format!("/api/v1/users/self/communication_channels/{channel}/notification_preferences");
    let daily = json!({ "notification_preferences": { "frequency": "daily" } });
    let preference = lab.request(Method::PUT, &format!("{preference}/submission_comment")).json(&daily);
    let (status, answer) = lab.answer(preference.bearer_auth(&ada)).await;
    assert_eq!(status, 200, "{answer}");
    let student = lab.token("student-1").await;
    let me = lab.get(&student, "/api/v1/users/self").await.1["id"].as_i64().unwrap();
    let comment = json!({ "comment": { "text_comment": "Have you read it?" } });
    let comment = lab.request(Method::PUT, &format!("{essay}/submissions/{me}")).json(&comment).bearer_auth(&student);
    assert_eq!(lab.answer(comment).await.0, 200);

    let outbox = async || lab.get(lab.admin(), "/api/v1/outbox?per_page=100").await.1.to_string();
    assert!(!outbox().await.contains("Daily summary"));
    lab.sandbox("PUT", "/clock", json!({ "advance_seconds": 86_400 }), 200).await;
    assert!(outbox().await.contains("Daily summary"), "{}", outbox().await);
}

#[tokio::test]
async fn the_clock_sends_webhooks_again() {
    let lab = Lab::start_with(SCHOOL, &["--no-tick"]).await;
    let (student, essay) = (lab.token("student-2").await, lab.essay().await);
    // A delivery is due at once by the clock of the sandbox, be it behind the machine's.
    lab.sandbox("PUT", "/clock", json!({ "advance_seconds": -60, "is_frozen": true }), 200).await;
    lab.sandbox("PUT", "/inbox/default", json!({ "status": 503 }), 200).await;
    assert_eq!(lab.post(&student, &format!("{essay}/submissions"), text("An essay")).await.0, 201);
    let first = lab.events("default", 1).await;
    assert_eq!((first.len(), &first[0]["signature"]), (1, &json!("valid")), "{first:?}");
    let body: Value = serde_json::from_str(first[0]["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["metadata"]["event_name"], "submission_created");

    lab.sandbox("PUT", "/inbox/default", json!({ "status": 200 }), 200).await;
    lab.sandbox("PUT", "/clock", json!({ "advance_seconds": 30 }), 200).await;
    let both = lab.look("/inbox/default").await["events"].as_array().unwrap().clone();
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!(both[0]["headers"]["webhook-id"], both[1]["headers"]["webhook-id"]);
    assert_eq!(both[1]["signature"], "valid", "{both:?}");
    let ticked = lab.sandbox("POST", "/tick", Value::Null, 200).await;
    assert_eq!((&ticked["deliveries"], &ticked["more"]), (&json!(0), &json!(false)));
}

#[tokio::test]
async fn an_inbox_tells_what_is_wrong_with_a_signature() {
    let lab = Lab::start("users: [{login: ada}]").await;
    // The vector of the specification.
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let signed = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    lab.sandbox("PUT", "/clock", json!({ "now": "2021-02-25T15:02:10Z" }), 200).await;
    let send = async |body: &'static str| {
        let request =
            lab.request(Method::POST, "/sandbox/inbox/mine").header("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek");
        let request = request.header("webhook-timestamp", "1614265330").header("webhook-signature", signed);
        request.body(body).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send(r#"{"test": 2432232314}"#).await, 200);
    assert_eq!(lab.events("mine", 1).await[0]["signature"], "unknown");
    lab.sandbox("PUT", "/inbox/mine", json!({ "secret": secret, "status": 410 }), 200).await;
    assert_eq!(send(r#"{"test": 1}"#).await, 410);
    lab.sandbox("POST", "/inbox/mine", json!({ "a": 1 }), 410).await;
    let events = lab.events("mine", 3).await;
    let judged: Vec<_> = events.iter().map(|event| event["signature"].as_str().unwrap()).collect();
    assert_eq!(judged, ["valid", "invalid", "missing"]);
    assert!(events[1]["problem"].as_str().unwrap().contains("this body"), "{events:?}");
    let page = lab.request(Method::GET, "/sandbox/inbox/mine").header(ACCEPT, "text/html");
    let page = page.send().await.unwrap().text().await.unwrap();
    assert!(page.contains("The signature is invalid") && page.contains("webhook-timestamp"), "{page}");
    lab.sandbox("DELETE", "/inbox/mine", Value::Null, 204).await;
    assert_eq!(lab.look("/inbox/mine").await, json!({ "events": [] }));
}

#[tokio::test]
async fn faults_come_as_often_as_they_are_wanted() {
    let lab = Lab::start(SCHOOL).await;
    let path = format!("/api/v1/courses/{}", lab.course().await);
    let fault = async |fault: Value| lab.sandbox("POST", "/faults", fault, 201).await;

    let busy = json!({ "method": "GET", "path": "/api/v1/courses/*", "kind": "status", "status": 429, "retry_after": 2, "times": 2 });
    assert_eq!(fault(busy).await["left"], 2);
    for _ in 0..2 {
        let answer = lab.request(Method::GET, &path).bearer_auth(lab.admin()).send().await.unwrap();
        assert!(answer.status() == 429 && answer.headers()[RETRY_AFTER] == "2", "{answer:?}");
    }
    assert_eq!(lab.get(lab.admin(), &path).await.0, 200);
    assert_eq!(lab.look("/faults").await[0]["left"], 0);

    fault(json!({ "path": path, "kind": "delay", "delay_ms": 300 })).await;
    let began = Instant::now();
    assert_eq!(lab.get(lab.admin(), &path).await.0, 200);
    assert!(began.elapsed() >= Duration::from_millis(300));

    fault(json!({ "path": path, "kind": "disconnect" })).await;
    assert!(lab.request(Method::GET, &path).bearer_auth(lab.admin()).send().await.is_err());

    fault(json!({ "path": path, "kind": "expired_token" })).await;
    let (status, refused) = lab.get(lab.admin(), &path).await;
    assert_eq!((status, &refused["errors"][0]["message"]), (401, &json!("Expired access token.")), "{refused}");

    let users = format!("{path}/users?per_page=2");
    fault(json!({ "path": format!("{path}/users"), "kind": "empty_page", "times": 0 })).await;
    for _ in 0..2 {
        let answer = lab.request(Method::GET, &users).bearer_auth(lab.admin()).send().await.unwrap();
        assert!(answer.headers()["link"].to_str().unwrap().contains("rel=\"next\""));
        assert_eq!(answer.json::<Value>().await.unwrap(), json!([]));
    }
    let faults = lab.look("/faults").await;
    let last = faults.as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["left"], Value::Null);
    lab.sandbox("DELETE", &format!("/faults/{}", last["id"]), Value::Null, 204).await;
    lab.sandbox("GET", &format!("/faults/{}", last["id"]), Value::Null, 404).await;
    assert_eq!(lab.get(lab.admin(), &users).await.1.as_array().unwrap().len(), 2);
    lab.sandbox("DELETE", "/faults", Value::Null, 204).await;
    assert_eq!(lab.look("/faults").await, json!([]));
    let refused = lab.sandbox("POST", "/faults", json!({ "kind": "status" }), 400).await;
    assert_eq!(refused["errors"][0]["field"], "status");

    let (slow, cut_off) = (json!({ "kind": "delay", "delay_ms": 1 }), json!({ "kind": "disconnect" }));
    fault(slow.clone()).await;
    let all = lab.sandbox("PUT", "/faults", json!([cut_off, slow]), 200).await;
    assert_eq!(json!([all[0]["kind"], all[1]["kind"]]), json!(["disconnect", "delay"]));
    lab.sandbox("PUT", "/faults", json!([slow, { "kind": "status" }]), 400).await;
    assert_eq!(lab.look("/faults").await, all);
    assert_eq!(lab.sandbox("PUT", "/faults", slow, 200).await[0]["kind"], "delay");
    assert_eq!(lab.look("/faults").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn calls_of_clients_are_listed_and_others_are_not() {
    let lab = Lab::start(SCHOOL).await;
    let (student, essay) = (lab.token("student-2").await, lab.essay().await);
    lab.sandbox("DELETE", "/calls", Value::Null, 204).await;
    assert_eq!(lab.post(&student, &format!("{essay}/submissions?x=1"), text("An essay")).await.0, 201);
    lab.sandbox("POST", "/faults", json!({ "kind": "disconnect" }), 201).await;
    assert!(lab.request(Method::GET, "/api/v1/users/self").send().await.is_err());
    let calls = lab.look("/calls").await;
    let [posted, cut_off] = calls.as_array().unwrap().as_slice() else { panic!("{calls:#}") };
    assert_eq!(
        (&posted["method"], &posted["status"], &posted["login"]),
        (&json!("POST"), &json!(201), &json!("student-2"))
    );
    assert_eq!((&posted["path"], &posted["query"]), (&json!(format!("{essay}/submissions")), &json!("x=1")));
    assert!(posted["request_body"].as_str().unwrap().contains("An essay"), "{posted:#}");
    assert!(posted["response_body"].as_str().unwrap().contains("submitted_at"), "{posted:#}");
    let shown = posted["request_headers"]["authorization"].as_str().unwrap();
    assert!(shown.starts_with("Bearer …") && student.ends_with(shown.trim_start_matches("Bearer …")), "{shown}");
    assert!(!calls.to_string().contains(&student));
    assert_eq!(cut_off["status"], Value::Null);
    assert!(cut_off["fault"].is_number(), "{cut_off:#}");
    let since = lab.look(&format!("/calls?since={}", posted["id"])).await;
    assert_eq!(since.as_array().unwrap().len(), 1);
    assert_eq!(lab.look("/calls?method=post&path=/api/v1/courses/*").await.as_array().unwrap().len(), 1);
    lab.sandbox("GET", "/calls?since=yesterday", Value::Null, 400).await;
}

#[tokio::test]
async fn tokens_are_good_or_have_ended() {
    let lab = Lab::start(SCHOOL).await;
    let home = lab.look("").await;
    assert_eq!(home["address"], lab.ready["address"]);
    assert_eq!(home["tokens"]["admin"], lab.ready["tokens"]["admin"]);
    assert_eq!(home["webhook_inbox"], format!("{}/sandbox/inbox", lab.address));
    let ada = lab.token("ada").await;
    assert_eq!(lab.token("ada").await, ada);
    assert_eq!(lab.look("").await["tokens"]["ada"], ada.as_str());
    let expired = lab.sandbox("POST", "/tokens", json!({ "login": "ada", "expired": true }), 201).await;
    let (status, refused) = lab.get(expired["token"].as_str().unwrap(), "/api/v1/users/self").await;
    assert_eq!((status, &refused["errors"][0]["message"]), (401, &json!("Expired access token.")));
    lab.sandbox("PUT", "/clock", json!({ "advance_seconds": 400 * 86_400 }), 200).await;
    assert_eq!(lab.get(&ada, "/api/v1/users/self").await.1["name"], "Ada Lovelace");
    lab.sandbox("POST", "/tokens", json!({ "login": "nobody" }), 404).await;

    let client = &home["oauth_client"];
    let query = format!(
        "client_id={}&redirect_uri={}&response_type=code",
        text_of(&client["client_id"]),
        text_of(&client["redirect_uri"])
    );
    let log_in = lab.request(Method::GET, &format!("/login/oauth2/auth?{query}")).send().await.unwrap();
    assert!(log_in.status().as_u16() < 400, "{log_in:?}");
    assert_eq!(lab.look("/oauth?code=1&state=x").await, json!({ "code": "1", "state": "x" }));
    let page = lab.request(Method::GET, "/sandbox").header(ACCEPT, "text/html,*/*").send().await.unwrap();
    assert!(page.text().await.unwrap().contains("<h1>Sandbox</h1>"));
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn a_scenario_makes_the_same_school_each_time() {
    let (one, other) = futures::join!(Lab::start("users: [{login: zoe}]"), Lab::start("users: [{login: zoe}]"));
    let load = async |lab: &Lab| {
        let request = lab.request(Method::POST, "/sandbox/scenario").body(SCHOOL);
        let (status, mut loaded) = lab.answer(request).await;
        assert_eq!(status, 201, "{loaded}");
        assert!(loaded["webhooks"][0]["secret"].as_str().unwrap().starts_with("whsec_"), "{loaded}");
        loaded["webhooks"].take();
        loaded
    };
    let loaded = load(&one).await;
    assert_eq!(loaded, load(&other).await);
    let course = loaded["courses"]["Biology"].as_i64().unwrap();
    assert_eq!(loaded["users"].as_object().unwrap().len(), 4);
    assert_eq!(loaded["pages"]["Biology/Welcome"], "welcome");
    let quiz = format!("/api/v1/courses/{course}/quizzes/{}", loaded["quizzes"]["Biology/Cells"]);
    let quiz = one.get(one.admin(), &quiz).await.1;
    assert!(quiz["published"] == true && quiz["question_count"] == 1, "{quiz}");
    let essay = format!("/api/v1/courses/{course}/assignments/{}", loaded["assignments"]["Biology/Essay"]);
    let work = one.get(one.admin(), &format!("{essay}/submissions/{}", loaded["users"]["student-1"])).await.1;
    assert_eq!((&work["score"], &work["body"]), (&json!(8.0), &json!("Text of student-1")), "{work}");
    let section = format!("/api/v1/sections/{}/enrollments", loaded["sections"]["Biology/Lab"]);
    assert_eq!(one.get(one.admin(), &section).await.1[0]["user_id"], loaded["users"]["student-3"]);
    // Whoever is there already can be named.
    let more = r#"{"courses":[{"name":"Zoology","teachers":["zoe","ada"],"students":["student-*"]}]}"#;
    let (status, loaded) = one.answer(one.request(Method::POST, "/sandbox/scenario").body(more)).await;
    assert_eq!(status, 201, "{loaded}");
}

#[tokio::test]
async fn institutions_of_a_scenario_have_people_of_their_own() {
    let scenario = "accounts: [{name: School B}]\nusers: [{login: ada}, {login: ada, account: School B}]\n\
                    courses: [{name: Biology, account: School B, teachers: [ada]}]";
    let lab = Lab::start(scenario).await;
    let here = lab.token("ada").await;
    let there = json!({ "login": "ada", "account": "School B" });
    let there = text_of(&lab.sandbox("POST", "/tokens", there, 201).await["token"]).to_owned();
    let courses = async |token: &str| lab.get(token, "/api/v1/courses").await.1.as_array().unwrap().len();
    assert_eq!((courses(&here).await, courses(&there).await), (0, 1));
    assert!(lab.look("").await["accounts"]["School B"].as_i64().unwrap() > 1);
    lab.restore().await;
    assert_eq!(courses(&there).await, 1);
}

#[tokio::test]
async fn a_scenario_that_is_refused_leaves_nothing_behind() {
    let lab = Lab::start("users: [{login: zoe}]").await;
    let users =
        async || lab.get(lab.admin(), "/api/v1/accounts/1/users?per_page=100").await.1.as_array().unwrap().len();
    let before = users().await;
    for (scenario, field, words) in [
        ("users: [{login: ada, nmae: Ada}]", "users[0]", "unknown field `nmae`"),
        ("users: [{login: ada}]\ncourses: [{name: B, teachers: [adda]}]", "courses[0].teachers[0]", "adda"),
        ("users: [{login: ada}, {login: ada}]", "users[1].login", "above"),
        ("users: [{login: ada}, {login: zoe}]", "users[1]", "refused with 4"),
        (
            "users: [{login: ada}]\ncourses: [{name: B, assignments: [{name: E, points: -1}]}]",
            "courses[0].assignments[0]",
            "points",
        ),
    ] {
        let (status, refused) = lab.answer(lab.request(Method::POST, "/sandbox/scenario").body(scenario)).await;
        let error = &refused["errors"][0];
        assert_eq!((status, error["field"].as_str()), (400, Some(field)), "{refused}");
        assert!(text_of(&error["message"]).contains(words), "{refused}");
        assert_eq!(users().await, before, "{scenario}");
    }
}

#[tokio::test]
async fn a_copy_of_a_state_folder_is_a_beginning_too() {
    let site = running();
    let Some(folder) = site.folder().map(Path::to_owned) else { return };
    let name = support::unique("Course to copy");
    let create = async || {
        let course = json!({ "course": { "name": name } });
        site.site_admin().await.post("/api/v1/accounts/1/courses").json(course).await.is(200).id()
    };
    let course = create().await;
    let lab = Lab::start_with("users: []", &["--state", folder.to_str().unwrap()]).await;
    let (status, copied) = lab.get(lab.admin(), &format!("/api/v1/courses/{course}")).await;
    assert_eq!((status, text_of(&copied["name"])), (200, name.as_str()));
    let later = create().await;
    assert_eq!(lab.get(lab.admin(), &format!("/api/v1/courses/{later}")).await.0, 404, "made after the copy");
}

#[tokio::test]
async fn a_sandbox_ends_with_whoever_has_started_it() {
    let mut lab = Lab::start("users: []").await;
    drop(lab.child.stdin.take());
    for _ in 0..1_200 {
        if let Some(status) = lab.child.try_wait().unwrap() {
            return assert!(status.success(), "{status}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it goes on");
}

#[test]
fn a_sandbox_is_for_this_machine_and_for_development() {
    assert!(refused(&["--listen", "0.0.0.0:0"]).contains("no address of this machine alone"));
    assert!(refused(&["--listen", "127.0.0.1:0", "--variable", "development=false"]).contains("development=false"));
    assert!(refused(&["--listen", "127.0.0.1:0", "--scenario", "/nowhere.yaml"]).contains("/nowhere.yaml"));
    assert!(refused(&["--listen", "127.0.0.1:0", "--state", "/nowhere"]).contains("is no folder"));
}

#[tokio::test]
async fn without_the_sandbox_there_is_none() {
    let nobody = reqwest::Client::new();
    for path in ["/sandbox", "/sandbox/clock", "/sandbox/calls"] {
        let answer = nobody.get(format!("{}{path}", running().base_url)).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 404, "{path}");
    }
}
