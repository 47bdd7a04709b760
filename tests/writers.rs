//! Writers, and those who wait for them: reads never, other writers a moment.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Running, School};
use xtask::app::App;

use crate::authorization::{Endpoint, Fixture, endpoints};

/// Endpoints that change something though they are called with `GET`, because the contract has it so.
const WRITES: [(&str, &str); 2] = [
    ("GET /api/v1/polls/:poll_id/poll_sessions/:id/open", "opens a session"),
    ("GET /api/v1/polls/:poll_id/poll_sessions/:id/close", "closes a session"),
];

/// Reads that write when somebody looks for the first time, and why that is not done before.
const FIRST_LOOKS: &[(&str, &str)] = &[
    ("GET /api/v1/courses/:course_id/assignments/:assignment_id/submissions", SUBMISSION),
    ("GET /api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id", SUBMISSION),
    (
        "GET /api/v1/users/:user_id/folders",
        "most users never have a file: the root of their folders is made when it is asked for",
    ),
];

const SUBMISSION: &str =
    "of every student and every assignment one would be too many: a submission is made when it is asked for";

/// So many reads wait beside each other: those that may wait at all then take as long as one.
const AT_A_TIME: usize = 8;

#[tokio::test]
async fn every_read_is_answered_while_another_writes() {
    let site = Running::own("locked", &[]);
    let school = School::start_in(&site).await;
    let fixture = Fixture::of(school).await;
    let admin = &fixture.school.admin;
    let district = fixture.district().await;

    let reads: Vec<_> = endpoints()
        .into_iter()
        .filter(|endpoint| endpoint.method == Method::GET)
        .filter(|endpoint| WRITES.iter().all(|(name, _)| *name != endpoint.to_string()))
        .collect();
    let client = |path: &str| if path.starts_with("/api/v2/") { &district } else { admin };
    // Nothing has been looked at before, and each request would note that the token is used.
    let unseen = "UPDATE access_tokens SET last_used_at = '2020-01-01T00:00:00Z';
                  DELETE FROM submissions WHERE submitted_at IS NULL AND graded_at IS NULL";
    if !site.change_database(unseen) {
        return;
    }
    let look = async |endpoint: &Endpoint| {
        let began = Instant::now();
        let answer = fixture.drive(client(endpoint.path), endpoint).await;
        // A write would wait for fifteen seconds.
        let has_waited = answer.status == 503 || began.elapsed() > Duration::from_secs(10);
        has_waited.then(|| (endpoint.to_string(), format!("{answer} after {:?}", began.elapsed())))
    };
    let lock = site.hold_writes();
    let waited: Vec<_> = stream::iter(&reads).map(&look).buffer_unordered(AT_A_TIME).collect().await;
    drop(lock);
    let waited: BTreeMap<_, _> = waited.into_iter().flatten().collect();
    let expected: BTreeSet<_> = FIRST_LOOKS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(waited.keys().cloned().collect::<BTreeSet<_>>(), expected, "{waited:#?}");

    // A second look waits for nobody.
    let first_looks: Vec<_> = reads.iter().filter(|endpoint| expected.contains(&endpoint.to_string())).collect();
    for endpoint in &first_looks {
        fixture.drive(client(endpoint.path), endpoint).await;
    }
    let lock = site.hold_writes();
    for endpoint in first_looks {
        assert_eq!(look(endpoint).await, None);
    }
    drop(lock);
}

#[tokio::test]
async fn a_write_waits_for_another_one_and_then_gives_up() {
    let site = Running::own("waiting", &[]);
    let school = School::start_in(&site).await;
    let course = school.course("Botany").await;
    let Some(lock) = site.hold_writes() else { return };
    let page = json!({ "wiki_page": { "title": "Leaves" } });
    let began = Instant::now();
    let refused = school.admin.post(&course.path("/pages")).json(&page).await.is(503);
    assert!(refused.header("retry-after").is_some());
    assert!((14..45).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    let writing = tokio::spawn(school.admin.post(&course.path("/pages")).json(&page).into_future());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!writing.is_finished());
    drop(lock);
    writing.await.unwrap().is(200);
}

/// Loads teachers into a district of its own, and says how long that took.
async fn import(school: &School, teachers: usize) -> (Value, Duration) {
    let teachers: Vec<_> = (0..teachers).map(|id| json!({ "id": id, "last_name": format!("Teacher {id}") })).collect();
    let began = Instant::now();
    let path = "/api/v1/accounts/self/mastery_imports";
    let imported = school.admin.post(path).json(json!({ "teachers": teachers })).await.is(200);
    (imported.json, began.elapsed())
}

#[tokio::test]
async fn others_write_while_a_district_is_loaded() {
    let site = Running::own("importing", &[]);
    let (school, other) = (School::start_in(&site).await, School::start_in(&site).await);
    let course = other.course("Botany").await;
    let importing = tokio::spawn(async move { import(&school, 40_000).await });
    let mut waits = Vec::new();
    while !importing.is_finished() {
        let began = Instant::now();
        let page = json!({ "wiki_page": { "title": format!("Page {}", waits.len()) } });
        other.admin.post(&course.path("/pages")).json(page).await.is(200);
        waits.push(began.elapsed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (imported, took) = importing.await.unwrap();
    assert_eq!(imported["imported"]["teachers"], json!({ "created": 40_000, "updated": 0 }), "{imported}");
    assert_eq!(imported["complete"], true);
    let longest = waits.iter().max().unwrap();
    // A busy machine makes both longer.
    let little = Duration::from_secs(2).max(took / 4);
    assert!(*longest < little, "{} writes in {took:?}, one waited {longest:?}", waits.len());
}

#[tokio::test]
async fn what_a_district_has_does_not_make_loading_slower() {
    let site = Running::own("loading", &[]);
    let school = School::start_in(&site).await;
    let (_, first) = import(&school, 2_000).await;
    import(&school, 20_000).await;
    let (again, unchanged) = import(&school, 20_000).await;
    assert_eq!(again["imported"]["teachers"], json!({ "created": 0, "updated": 0 }));
    // Ten times as many, of which none is written: were each held against all that is there, it would be a hundred times.
    assert!(unchanged < first * 20 + Duration::from_secs(1), "2,000: {first:?}; 20,000 unchanged: {unchanged:?}");
}

#[tokio::test]
async fn a_transaction_that_fails_is_ended_in_so_many_words() {
    let sandbox = support::sandbox(&[]);
    let record = sandbox.folder.path().join("statements.jsonl");
    let app = App::start_recording(&sandbox.launch(), &record).await.unwrap();
    let admin = support::admin_of(&sandbox, &app).await;
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": "ada" } });
    admin.post("/api/v1/accounts/self/users").json(&user).await.is(200);
    admin.post("/api/v1/accounts/self/users").json(&user).await.is(400);
    admin.get("/api/v1/users/self").await.is(200);
    app.stop().await.unwrap();
    let recorded = std::fs::read_to_string(&record).unwrap();
    let ended = recorded.lines().filter(|line| line.contains("\"ROLLBACK\"")).count();
    assert_eq!(ended, 1, "{recorded}");
}
