//! How the server treats a client: the one that Spin uses, and plain HTTP.

use std::time::{Duration, Instant};

use hyper_014::client::HttpConnector;
use libsql::{Builder, Connection};
use serde_json::{Value, json};

use crate::{Options, Server};

struct Place {
    server: Server,
    _folder: tempfile::TempDir,
}

impl Place {
    async fn start(options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&folder.path().join("test.db"), "127.0.0.1:0", options).await.unwrap();
        let place = Self { server, _folder: folder };
        place.connect().await.execute("CREATE TABLE a (b INTEGER UNIQUE)", ()).await.unwrap();
        place
    }

    async fn connect(&self) -> Connection {
        let remote = Builder::new_remote(self.server.url.clone(), "token".to_owned());
        remote.connector(HttpConnector::new()).build().await.unwrap().connect().unwrap()
    }

    async fn pipeline(&self, baton: Option<&str>, requests: Value) -> (u16, Value) {
        let body = json!({"baton": baton, "requests": requests});
        let call = reqwest::Client::new().post(format!("{}/v3/pipeline", self.server.url)).json(&body);
        let answer = call.send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

/// Executes a statement as Spin does, and answers the first column of the first row.
async fn run(connection: &Connection, sql: &str) -> Result<Option<i64>, String> {
    let mut rows = connection.query(sql, ()).await.map_err(|error| error.to_string())?;
    let row = rows.next().await.map_err(|error| error.to_string())?;
    Ok(row.and_then(|row| row.get(0).ok()))
}

fn execute(sql: &str) -> Value {
    json!({"type": "execute", "stmt": {"sql": sql}})
}

#[tokio::test]
async fn a_transaction_is_there_for_others_when_it_is_committed() {
    let place = Place::start(Options::default()).await;
    let (one, other) = (place.connect().await, place.connect().await);
    for sql in ["BEGIN IMMEDIATE", "INSERT INTO a VALUES (1)"] {
        run(&one, sql).await.unwrap();
    }
    assert_eq!(run(&other, "SELECT count(*) FROM a").await, Ok(Some(0)));
    run(&one, "COMMIT").await.unwrap();
    assert_eq!(run(&other, "SELECT count(*) FROM a").await, Ok(Some(1)));
    run(&one, "BEGIN IMMEDIATE").await.unwrap();
    run(&one, "DELETE FROM a").await.unwrap();
    run(&one, "ROLLBACK").await.unwrap();
    assert_eq!(run(&other, "SELECT count(*) FROM a").await, Ok(Some(1)));
}

#[tokio::test]
async fn a_broken_constraint_is_told_within_the_words_of_server_and_client() {
    let place = Place::start(Options::default()).await;
    let connection = place.connect().await;
    run(&connection, "INSERT INTO a VALUES (1)").await.unwrap();
    let error = run(&connection, "INSERT INTO a VALUES (1)").await.unwrap_err();
    assert!(error.contains("SQLite error: UNIQUE constraint failed: a.b"), "{error}");
    assert!(error.contains("SQLITE_CONSTRAINT") && error.starts_with("Hrana: `"), "{error}");
}

#[tokio::test]
async fn the_journal_is_not_the_clients_to_choose() {
    let place = Place::start(Options::default()).await;
    let connection = place.connect().await;
    for refused in ["PRAGMA journal_mode = WAL", "PRAGMA busy_timeout = 25", "VACUUM"] {
        assert_eq!(run(&connection, refused).await, Err("unsupported statement".to_owned()), "{refused}");
        let (_, answer) = place.pipeline(None, json!([execute(refused)])).await;
        let message = answer["results"][0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("unsupported statement"), "{answer}");
    }
    for sql in ["PRAGMA foreign_keys = ON", "PRAGMA user_version = 3"] {
        run(&connection, sql).await.unwrap();
    }
    assert_eq!(run(&connection, "PRAGMA user_version").await, Ok(Some(3)));
    assert_eq!(run(&connection, "PRAGMA foreign_keys").await, Ok(Some(1)));
}

#[tokio::test]
async fn an_idle_stream_expires_and_its_transaction_with_it_and_not_before() {
    let idle_timeout = Duration::from_secs(2);
    let place = Place::start(Options { idle_timeout, ..Options::default() }).await;
    let (abandoned, other) = (place.connect().await, place.connect().await);
    run(&abandoned, "BEGIN IMMEDIATE").await.unwrap();
    let began = Instant::now();
    run(&abandoned, "INSERT INTO a VALUES (1)").await.unwrap();
    run(&other, "INSERT INTO a VALUES (2)").await.unwrap();
    assert!(began.elapsed() >= idle_timeout, "it had to wait: {:?}", began.elapsed());
    let error = run(&abandoned, "COMMIT").await.unwrap_err();
    assert!(error.contains("status=400") && error.contains("STREAM_EXPIRED"), "{error}");
    assert_eq!(run(&place.connect().await, "SELECT sum(b) FROM a").await, Ok(Some(2)));
}

#[tokio::test]
async fn a_write_transaction_that_lasts_is_taken_away_when_others_wait() {
    let transaction_timeout = Duration::from_millis(200);
    let place = Place::start(Options { transaction_timeout, ..Options::default() }).await;
    let (slow, other) = (place.connect().await, place.connect().await);
    run(&slow, "BEGIN IMMEDIATE").await.unwrap();
    run(&slow, "INSERT INTO a VALUES (1)").await.unwrap();
    run(&other, "INSERT INTO a VALUES (2)").await.unwrap();
    let error = run(&slow, "INSERT INTO a VALUES (3)").await.unwrap_err();
    assert!(error.contains("TRANSACTION_TIMEOUT"), "{error}");
    assert!(run(&slow, "COMMIT").await.unwrap_err().contains("no transaction is active"));
    assert_eq!(run(&other, "SELECT sum(b) FROM a").await, Ok(Some(2)));
}

#[tokio::test]
async fn who_waits_in_vain_is_told_that_the_database_is_locked() {
    let lock_timeout = Duration::from_millis(100);
    let place = Place::start(Options { lock_timeout, ..Options::default() }).await;
    let (one, other) = (place.connect().await, place.connect().await);
    run(&one, "BEGIN IMMEDIATE").await.unwrap();
    let error = run(&other, "INSERT INTO a VALUES (1)").await.unwrap_err();
    assert!(error.contains("database is locked") && error.contains("SQLITE_BUSY"), "{error}");
}

#[tokio::test]
async fn a_baton_is_good_for_one_call() {
    let place = Place::start(Options::default()).await;
    let (_, first) = place.pipeline(None, json!([execute("BEGIN IMMEDIATE")])).await;
    let baton = first["baton"].as_str();
    let (status, second) = place.pipeline(baton, json!([{"type": "get_autocommit"}])).await;
    assert_eq!((status, &second["results"][0]["response"]["is_autocommit"]), (200, &json!(false)));
    assert_ne!(first["baton"], second["baton"]);
    let (status, error) = place.pipeline(baton, json!([])).await;
    assert_eq!((status, error), (400, json!("Received an invalid baton")));
    let (_, closed) = place.pipeline(second["baton"].as_str(), json!([{"type": "close"}])).await;
    assert_eq!(closed["baton"], Value::Null);
    assert_eq!(run(&place.connect().await, "INSERT INTO a VALUES (1)").await, Ok(None));
}

#[tokio::test]
async fn a_batch_goes_on_where_its_conditions_are_met_and_a_sequence_runs_all() {
    let place = Place::start(Options::default()).await;
    let sequence = json!({"type": "sequence", "sql": "INSERT INTO a VALUES (1); INSERT INTO a VALUES (2);"});
    let steps = json!([
        {"stmt": {"sql": "INSERT INTO a VALUES (2)"}},
        {"stmt": {"sql": "INSERT INTO a VALUES (3)"}, "condition": {"type": "ok", "step": 0}},
        {"stmt": {"sql": "INSERT INTO a VALUES (?)", "args": [{"type": "integer", "value": "4"}]},
         "condition": {"type": "error", "step": 0}},
    ]);
    let batch = json!({"type": "batch", "batch": {"steps": steps}});
    let (_, answer) = place.pipeline(None, json!([sequence, batch])).await;
    let result = &answer["results"][1]["response"]["result"];
    assert_eq!(result["step_errors"][0]["code"], "SQLITE_CONSTRAINT");
    assert_eq!(result["step_results"][1], Value::Null);
    assert_eq!(result["step_results"][2]["affected_row_count"], 1);
    assert_eq!(run(&place.connect().await, "SELECT sum(b) FROM a").await, Ok(Some(7)));
}

#[tokio::test]
async fn each_call_can_take_longer() {
    let place = Place::start(Options { delay: Duration::from_millis(30), ..Options::default() }).await;
    let connection = place.connect().await;
    let began = Instant::now();
    run(&connection, "SELECT 1").await.unwrap();
    // The client asks what the statement is before it executes it.
    assert!(began.elapsed() >= Duration::from_millis(60), "{:?}", began.elapsed());
}

#[tokio::test]
async fn tokens_can_be_asked_for_and_changed() {
    let options = Options::default();
    let tokens = options.tokens.clone();
    tokens.set(&["another", "token"]);
    let place = Place::start(options).await;
    let (connection, call) = (place.connect().await, async || place.pipeline(None, json!([])).await.0);
    assert_eq!(call().await, 401, "it shows none");
    assert_eq!(run(&connection, "SELECT 1").await, Ok(Some(1)));
    tokens.set(&["another"]);
    assert!(run(&connection, "SELECT 1").await.unwrap_err().contains("401"));
}
