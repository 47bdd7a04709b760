//! A crash in the middle of writing: what was acknowledged is there afterwards, and nothing is half there.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, DEVELOPMENT, admin_of, crash_while};
use xtask::app::App;
use xtask::client::Client as ToolClient;
use xtask::sandbox::Sandbox;

const ROUNDS: u64 = 3;
const WRITERS: usize = 6;

/// Ids that the app has answered.
#[derive(Default)]
struct Acknowledged {
    items: Mutex<BTreeSet<i64>>,
    groups: Mutex<BTreeSet<i64>>,
}

fn item(number: usize) -> Value {
    json!({ "item": {
        "entry_type": "Item",
        "position": if number.is_multiple_of(2) { json!(1) } else { Value::Null },
        "entry": {
            "item_body": "<p>Is it so?</p>",
            "interaction_type_slug": "true-false",
            "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
            "scoring_data": { "value": true },
            "scoring_algorithm": "Equivalence",
        },
    } })
}

/// Writes items and groups until the app is gone.
async fn write(admin: &ToolClient, quiz: &str, groups: &str, acknowledged: &Acknowledged) {
    for number in 0.. {
        let Ok(item) = admin.post(&format!("{quiz}/items"), item(number)).await else { return };
        acknowledged.items.lock().unwrap().insert(item["id"].as_str().unwrap().parse().unwrap());
        let Ok(group) = admin.post(groups, json!({ "quiz_groups": [{ "name": "A" }] })).await else { return };
        acknowledged.groups.lock().unwrap().insert(group["quiz_groups"][0]["id"].as_i64().unwrap());
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_crash() {
    let sandbox = support::sandbox(&[]);
    let acknowledged = Acknowledged::default();
    let mut app = sandbox.start().await.unwrap();
    let client = sandbox.admin(&app).await.unwrap();
    let course = client.post("/api/v1/accounts/1/courses", json!({ "course": { "name": "Botany" } })).await.unwrap();
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course["id"]);
    let quiz = client.post(&engine, json!({ "quiz": { "title": "Seeds" } })).await.unwrap();
    let quiz = format!("{engine}/{}", quiz["id"].as_str().unwrap());
    let classic = format!("/api/v1/courses/{}/quizzes", course["id"]);
    let groups = client.post(&classic, json!({ "quiz": { "title": "Leaves" } })).await.unwrap();
    let groups = format!("{classic}/{}/groups", groups["id"]);

    for round in 1..=ROUNDS {
        let client = sandbox.admin(&app).await.unwrap();
        let before = acknowledged.items.lock().unwrap().len();
        let writers = join_all((0..WRITERS).map(|_| write(&client, &quiz, &groups, &acknowledged)));
        let written = || acknowledged.items.lock().unwrap().len() > before;
        let crash = crash_while(app, Duration::from_millis(400 * round), written);
        futures::future::join(writers, crash).await;

        app = sandbox.start().await.unwrap();
        let client = sandbox.admin(&app).await.unwrap();
        let reader = Client::new(&app.base_url, Some(client.token()));
        check_items(&reader.get(&format!("{quiz}/items")).await.is(200).json, &acknowledged);
        check_groups(&reader.get(&groups).await.is(200).json, &acknowledged);
    }
    app.stop().await.unwrap();
}

fn check_items(items: &Value, acknowledged: &Acknowledged) {
    let items = items.as_array().unwrap();
    let ids: BTreeSet<i64> = items.iter().map(|item| item["id"].as_str().unwrap().parse().unwrap()).collect();
    let lost: Vec<_> = acknowledged.items.lock().unwrap().difference(&ids).copied().collect();
    assert!(lost.is_empty(), "lost items: {lost:?}");
    let half = items.iter().find(|item| item["entry"]["scoring_data"]["value"] != true);
    assert!(half.is_none(), "half an item: {half:?}");
    let positions: Vec<_> = items.iter().map(|item| item["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (1..).take(items.len()).collect::<Vec<_>>());
}

fn check_groups(groups: &Value, acknowledged: &Acknowledged) {
    let groups = groups["quiz_groups"].as_array().unwrap();
    let ids: BTreeSet<i64> = groups.iter().map(|group| group["id"].as_i64().unwrap()).collect();
    let lost: Vec<_> = acknowledged.groups.lock().unwrap().difference(&ids).copied().collect();
    assert!(lost.is_empty(), "lost groups: {lost:?}");
    let positions: BTreeSet<_> = groups.iter().map(|group| group["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (1..).take(groups.len()).collect(), "each group has a place of its own");
}

/// The last save of an answer that was acknowledged: its version, and what stands in it. The next one may be on its way.
type Saved = Mutex<(i64, String)>;

/// The text of a version of an answer.
fn text(lane: usize, version: i64) -> String {
    format!("<p>Answer {lane}, version {version}</p>")
}

/// Saves an answer again and again until the app is gone.
async fn answer(client: &ToolClient, session: &str, item: &str, lane: usize, saved: &Saved) {
    loop {
        let version = saved.lock().unwrap().0;
        let response = text(lane, version + 1);
        let answers = json!([{ "item_id": item, "response": response, "version": version }]);
        let answers = client.put(&format!("{session}/answers"), json!({ "answers": answers })).await;
        let Ok(answers) = answers else { return };
        assert_eq!(answers["answers"][0]["version"], version + 1);
        *saved.lock().unwrap() = (version + 1, response);
    }
}

#[tokio::test]
async fn no_acknowledged_answer_of_a_quiz_is_lost_in_a_crash() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut app = sandbox.start().await.unwrap();
    let client = sandbox.admin(&app).await.unwrap();
    let course = client.post("/api/v1/accounts/1/courses", json!({ "course": { "name": "Botany" } })).await.unwrap();
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course["id"]);
    let quiz = client.post(&engine, json!({ "quiz": { "title": "Leaves" } })).await.unwrap();
    let quiz = format!("{engine}/{}", quiz["id"].as_str().unwrap());
    let mut essay = xtask::items::all().into_iter().find(|entry| entry["interaction_type_slug"] == "essay").unwrap();
    essay["interaction_data"]["word_limit_enabled"] = json!(false);
    for _ in 0..WRITERS {
        let item = json!({ "item": { "entry_type": "Item", "entry": essay } });
        client.post(&format!("{quiz}/items"), item).await.unwrap();
    }
    let session = client.post(&format!("{quiz}/sessions"), json!({ "preview": true })).await.unwrap();
    let items: Vec<_> = session["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    let path = format!("{quiz}/sessions/{}", session["id"]);
    let saved: Vec<Saved> = (0..WRITERS).map(|_| Saved::default()).collect();

    for round in 1..=ROUNDS {
        let client = sandbox.admin(&app).await.unwrap();
        let versions = || -> i64 { saved.iter().map(|saved| saved.lock().unwrap().0).sum() };
        let before = versions();
        let lanes = items.iter().zip(&saved).enumerate();
        let writers = join_all(lanes.map(|(lane, (item, saved))| answer(&client, &path, item, lane, saved)));
        let crash = crash_while(app, Duration::from_millis(300 * round), || versions() > before);
        futures::future::join(writers, crash).await;

        app = sandbox.start().await.unwrap();
        let client = sandbox.admin(&app).await.unwrap();
        let session = client.get(&path).await.unwrap();
        for (lane, saved) in saved.iter().enumerate() {
            let answer = &session["items"][lane]["answer"];
            let (version, acknowledged) = saved.lock().unwrap().clone();
            // What was on its way may have been saved as well.
            let next = (version + 1, text(lane, version + 1));
            let stands =
                (answer["version"].as_i64().unwrap_or(0), answer["response"].as_str().unwrap_or("").to_owned());
            assert!(stands == (version, acknowledged.clone()) || stands == next, "lost: {acknowledged}, {answer}");
            *saved.lock().unwrap() = stands;
        }
    }
    let client = admin_of(&sandbox, &app).await;
    let submitted = client.post(&format!("{path}/submit")).await.is(200);
    assert_eq!((&submitted["state"], &submitted["answered_count"]), (&json!("submitted"), &json!(WRITERS)));
    app.stop().await.unwrap();
}

#[tokio::test]
async fn the_first_requests_may_come_all_at_once() {
    let sandbox = support::sandbox(&[]);
    let app = sandbox.start().await.unwrap();
    for admin in join_all((0..16).map(|_| sandbox.admin(&app))).await {
        admin.unwrap();
    }
    app.stop().await.unwrap();
}

#[tokio::test]
async fn tokens_outlive_the_secret_that_signed_them_by_one_change() {
    let [first, second, third] =
        ["first", "second", "third"].map(|name| format!("the {name} secret, which is long enough"));
    let mut sandbox = support::sandbox(&[("token_secret", &first)]);
    let app = sandbox.start().await.unwrap();
    let token = sandbox.admin(&app).await.unwrap().token().to_owned();
    let who = async |app: &App| Client::new(&app.base_url, Some(&token)).get("/api/v1/users/self").await;
    who(&app).await.is(200);
    app.stop().await.unwrap();
    change_secret(&mut sandbox, &second);
    let app = sandbox.start().await.unwrap();
    who(&app).await.is(200);
    app.stop().await.unwrap();
    change_secret(&mut sandbox, &third);
    let app = sandbox.start().await.unwrap();
    who(&app).await.is_unauthenticated("Invalid access token.");
    app.stop().await.unwrap();
}

/// From the next start on tokens are signed with that secret, and those of the one before are accepted.
fn change_secret(sandbox: &mut Sandbox, secret: &str) {
    let before = sandbox.set("token_secret", secret).unwrap();
    sandbox.set("token_secret_previous", &before);
}

const USERS: usize = 200;
const COURSES: usize = 250;
const IMPORTS: &str = "/api/v1/accounts/1/sis_imports";

/// The files of an import: each user is enrolled in each course. Some rows name nobody.
fn files() -> [String; 3] {
    let users = (0..USERS).map(|user| format!("U{user},login-{user},User {user},active\n"));
    let courses = (0..COURSES).map(|course| format!("C{course},C{course},Course {course},published\n"));
    let enrollments = (0..COURSES).flat_map(|course| {
        let rows = (0..USERS).map(move |user| format!("C{course},U{user},student,active\n"));
        rows.chain([format!("C{course},NOBODY,student,active\n")])
    });
    [
        ["user_id,login_id,full_name,status\n".to_owned()].into_iter().chain(users).collect(),
        ["course_id,short_name,long_name,status\n".to_owned()].into_iter().chain(courses).collect(),
        ["course_id,user_id,role,status\n".to_owned()].into_iter().chain(enrollments).collect(),
    ]
}

/// Sets off background work, of which the app may not see the end, as of a time when leases that a crash has left behind
/// have run out.
fn tick(app: &App, sandbox: &Sandbox) {
    let token = &sandbox.variables["tick_token"];
    let clock = shared::clock::now().plus_seconds(120).to_string();
    let tick = reqwest::Client::new().post(format!("{}/internal/tick", app.base_url));
    tokio::spawn(tick.bearer_auth(token).header("x-test-clock", clock).send());
}

#[tokio::test]
async fn an_import_goes_on_where_a_crash_has_cut_it_off() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut app = sandbox.start().await.unwrap();
    let mut client = admin_of(&sandbox, &app).await;
    let mut imports = Vec::new();
    for file in files() {
        imports.push(client.post(IMPORTS).body("text/csv", file).await.is(200).id());
    }
    let last = format!("{IMPORTS}/{}", imports[2]);
    let (mut progress, mut cut_off) = (0, 0);
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < Duration::from_secs(120), "the import does not end");
        let import = client.get(&last).await.is(200);
        if !import["ended_at"].is_null() {
            break;
        }
        // Each crash comes when the import has moved on. How often that is seen is a matter of the machine.
        let reached = import["progress"].as_i64().unwrap();
        if reached > progress && cut_off < 4 {
            (progress, cut_off) = (reached, cut_off + 1);
            app.crash().await.unwrap();
            app = sandbox.start().await.unwrap();
            client = admin_of(&sandbox, &app).await;
            tick(&app, &sandbox);
        }
    }
    assert!(cut_off > 0, "the import was too fast to be cut off");
    for import in imports {
        let import = client.get(&format!("{IMPORTS}/{import}")).await.is(200);
        assert!(!import["ended_at"].is_null(), "{import}");
    }
    let import = client.get(&last).await.is(200);
    assert_eq!(import["data"]["counts"], json!({ "enrollments": USERS * COURSES }));
    let errors = pages(&client, &format!("{last}/errors?per_page=100"), "sis_import_errors").await;
    assert_eq!(errors.len(), COURSES, "each row is told of once");
    for course in 0..COURSES {
        let course = format!("/api/v1/courses/sis_course_id:C{course}");
        let found = client.get(&format!("{course}?include[]=total_students")).await.is(200);
        assert_eq!(found["total_students"], USERS);
        let log = client.get(&format!("/api/v1/audit/course/courses/{}", found.id())).await.is(200);
        let types: Vec<_> = log["events"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
        assert_eq!(types, ["published", "created"], "each event is there once");
    }
    app.stop().await.unwrap();
}

/// Renames a course until the app is gone, and notes each name that was acknowledged.
async fn rename(client: &ToolClient, course: &str, lane: usize, acknowledged: &Mutex<Vec<String>>) {
    for number in 0.. {
        let name = format!("{lane}-{number}-{}", acknowledged.lock().unwrap().len());
        let Ok(_) = client.put(course, json!({ "course": { "name": name } })).await else { return };
        acknowledged.lock().unwrap().push(name);
    }
}

#[tokio::test]
async fn each_acknowledged_change_of_a_course_has_its_event_after_a_crash() {
    let sandbox = support::sandbox(&[]);
    let acknowledged = Mutex::new(Vec::new());
    let mut app = sandbox.start().await.unwrap();
    let client = sandbox.admin(&app).await.unwrap();
    let course = client.post("/api/v1/accounts/1/courses", json!({ "course": { "name": "Botany" } })).await.unwrap();
    let path = format!("/api/v1/courses/{}", course["id"]);
    for round in 1..=ROUNDS {
        let client = sandbox.admin(&app).await.unwrap();
        let writers = join_all((0..WRITERS).map(|lane| rename(&client, &path, lane, &acknowledged)));
        let before = acknowledged.lock().unwrap().len();
        let renamed = || acknowledged.lock().unwrap().len() > before + 2 * WRITERS;
        let crash = crash_while(app, Duration::from_millis(300 * round), renamed);
        futures::future::join(writers, crash).await;
        app = sandbox.start().await.unwrap();
    }
    let client = admin_of(&sandbox, &app).await;
    let log = format!("/api/v1/audit/course/courses/{}?per_page=100", course["id"]);
    let events = pages(&client, &log, "events").await;
    let names: Vec<_> = events.iter().filter_map(|event| event["event_data"]["name"][1].as_str()).collect();
    let once: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(once.len(), names.len(), "an event is there twice");
    let acknowledged = acknowledged.into_inner().unwrap();
    let lost: Vec<_> = acknowledged.iter().filter(|name| !once.contains(name.as_str())).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    // The newest event tells what the course is.
    assert_eq!(client.get(&path).await.is(200)["name"], names[0]);
    app.stop().await.unwrap();
}

/// All records of a list that stands under a name.
async fn pages(client: &Client, path: &str, name: &str) -> Vec<Value> {
    let (mut records, mut next) = (Vec::new(), Some(path.to_owned()));
    while let Some(path) = next {
        let page = client.get(&path).await.is(200);
        records.extend(page[name].as_array().unwrap().iter().cloned());
        next = page.link("next");
    }
    records
}
