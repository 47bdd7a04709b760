//! A crash in the middle of writing: what was acknowledged is there afterwards, and nothing is half there.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::Client;
use xtask::app::{App, Launch, Runtime};
use xtask::client::Client as ToolClient;
use xtask::folder::DataFolder;

const ROUNDS: u64 = 3;
const WRITERS: usize = 6;

/// Ids that the app has answered.
#[derive(Default)]
struct Acknowledged {
    items: Mutex<BTreeSet<i64>>,
    groups: Mutex<BTreeSet<i64>>,
}

async fn start(folder: &DataFolder) -> App {
    let variables = folder.variables().unwrap();
    let launch = Launch { runtime: Runtime::Host, listen: "127.0.0.1:0", folder, variables: &variables, quiet: true };
    App::start(&launch).await.unwrap()
}

async fn admin(app: &App, folder: &DataFolder) -> ToolClient {
    ToolClient::admin(&app.base_url, &folder.variables().unwrap()).await.unwrap()
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
    let temporary = tempfile::tempdir().unwrap();
    let folder = DataFolder::open(temporary.path()).unwrap();
    let acknowledged = Acknowledged::default();
    let mut app = start(&folder).await;
    let client = admin(&app, &folder).await;
    let course = client.post("/api/v1/accounts/1/courses", json!({ "course": { "name": "Botany" } })).await.unwrap();
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course["id"]);
    let quiz = client.post(&engine, json!({ "quiz": { "title": "Seeds" } })).await.unwrap();
    let quiz = format!("{engine}/{}", quiz["id"].as_str().unwrap());
    let classic = format!("/api/v1/courses/{}/quizzes", course["id"]);
    let groups = client.post(&classic, json!({ "quiz": { "title": "Leaves" } })).await.unwrap();
    let groups = format!("{classic}/{}/groups", groups["id"]);

    for round in 1..=ROUNDS {
        let client = admin(&app, &folder).await;
        let before = acknowledged.items.lock().unwrap().len();
        let writers = join_all((0..WRITERS).map(|_| write(&client, &quiz, &groups, &acknowledged)));
        let crash = async {
            tokio::time::sleep(Duration::from_millis(400 * round)).await;
            app.crash().await.unwrap();
        };
        futures::future::join(writers, crash).await;
        assert!(acknowledged.items.lock().unwrap().len() > before, "nothing was written before the crash");

        app = start(&folder).await;
        let client = admin(&app, &folder).await;
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

#[tokio::test]
async fn the_first_requests_may_come_all_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = DataFolder::open(temporary.path()).unwrap();
    let app = start(&folder).await;
    join_all((0..16).map(|_| admin(&app, &folder))).await;
    app.stop().await.unwrap();
}

#[tokio::test]
async fn tokens_outlive_the_secret_that_signed_them_by_one_change() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = DataFolder::open(temporary.path()).unwrap();
    let start = async |secret: &str, previous: &str| {
        let mut variables = folder.variables().unwrap();
        variables.insert("token_secret".to_owned(), secret.to_owned());
        variables.insert("token_secret_previous".to_owned(), previous.to_owned());
        let launch = Launch {
            runtime: Runtime::Host,
            listen: "127.0.0.1:0",
            folder: &folder,
            variables: &variables,
            quiet: true,
        };
        App::start(&launch).await.unwrap()
    };
    let app = start("the first secret", "").await;
    let token = admin(&app, &folder).await.token().to_owned();
    let who = async |app: &App| Client::new(&app.base_url, Some(&token)).get("/api/v1/users/self").await;
    who(&app).await.is(200);
    app.stop().await.unwrap();
    let app = start("the second secret", "the first secret").await;
    who(&app).await.is(200);
    app.stop().await.unwrap();
    let app = start("the third secret", "the second secret").await;
    who(&app).await.is_unauthenticated("Invalid access token.");
    app.stop().await.unwrap();
}
