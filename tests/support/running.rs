//! The application under test.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;
use xtask::app::{App, Launch, Runtime};
use xtask::folder::{DataFolder, Variables};
use xtask::scaled::Scaled;

use crate::{Client, Response};

/// The application that all tests share.
#[derive(Clone)]
pub struct Running {
    /// Its address, without a slash at the end.
    pub base_url: String,
    /// The values of its variables, the secrets among them.
    pub variables: Variables,
    /// Its database, where we started it, or the file of the server that keeps it.
    database: Option<PathBuf>,
    /// Its key-value store, where that is a file.
    key_value: Option<PathBuf>,
}

impl Running {
    /// An application beside the one that all tests share, with variables of its own. It lives as long as the tests do.
    pub fn own(name: &str, settings: &[(&str, &str)]) -> Self {
        start(name, settings)
    }

    /// Sets off background work, as of that moment if one is given.
    pub async fn tick(&self, clock: Option<&str>) -> Response {
        let operator = self.nobody().with_token(&self.variables["tick_token"]);
        let tick = operator.post("/internal/tick");
        let tick = if let Some(clock) = clock { tick.header("x-test-clock", clock) } else { tick };
        tick.await.is(200)
    }

    /// Nobody in particular.
    pub fn nobody(&self) -> Client {
        Client::new(&self.base_url, None)
    }

    /// The administrator of the whole site.
    pub async fn site_admin(&self) -> Client {
        let secrets = (&self.variables["admin_client_id"], &self.variables["admin_client_secret"]);
        self.nobody().with_credentials(secrets.0, secrets.1).await
    }

    /// Reads the database behind the application's back: rows of JSON values. `None` where the application runs elsewhere.
    pub fn read_database(&self, sql: &str) -> Option<Vec<Vec<Value>>> {
        Some(read(self.database.as_ref()?, sql))
    }

    /// Changes the database behind the application's back. False where that is not possible because it runs elsewhere.
    pub fn change_database(&self, sql: &str) -> bool {
        self.database.as_ref().map(|database| change(database, sql)).is_some()
    }

    /// Uses up a limit: `key` was counted so many times, and is for so many seconds. False where that is not possible.
    pub fn use_up(&self, key: &str, times: usize, seconds: i64) -> bool {
        self.change_database(&format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {times})
             INSERT INTO throttle_hits (key, at, until)
             SELECT '{key}', unixepoch() * 1000, (unixepoch() + {seconds}) * 1000 FROM n"
        ))
    }

    /// The folder of its state, where we started it.
    pub fn folder(&self) -> Option<&Path> {
        self.database.as_ref()?.parent()
    }

    /// Changes the key-value store behind the application's back. False where that is not possible.
    pub fn change_key_value(&self, sql: &str) -> bool {
        self.key_value.as_ref().map(|store| change(store, sql)).is_some()
    }

    /// Keeps everybody from writing until this is dropped. `None` where the application runs elsewhere.
    pub fn hold_writes(&self) -> Option<WriteLock> {
        let connection = connect(self.database.as_ref()?);
        connection.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        Some(WriteLock { _connection: connection })
    }
}

/// The lock of the database, held by a test.
pub struct WriteLock {
    _connection: Connection,
}

/// The file of the key-value store, which lies beside the database of one process.
fn key_value(database: &Path) -> PathBuf {
    database.with_file_name("sqlite_key_value.db")
}

/// Rows of a SQLite file.
pub fn read(database: &Path, sql: &str) -> Vec<Vec<Value>> {
    let connection = connect(database);
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map((), |row| Ok(values(row))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

/// Executes statements on a SQLite file.
pub fn change(database: &Path, sql: &str) {
    connect(database).execute_batch(sql).expect("the statements run");
}

fn connect(database: &Path) -> Connection {
    let connection = Connection::open(database).expect("the database");
    connection.busy_timeout(Duration::from_secs(30)).expect("patience");
    connection
}

fn values(row: &Row<'_>) -> Vec<Value> {
    let columns = 0..row.as_ref().column_count();
    let value = |column| match row.get_ref(column).expect("a value") {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => integer.into(),
        ValueRef::Real(real) => real.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(_) => panic!("a blob is no value of JSON"),
    };
    columns.map(value).collect()
}

/// The name of the application that all tests share.
const SHARED: &str = "shared";

/// The application, which the first who asks starts.
pub fn running() -> Running {
    static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.get_or_insert_with(|| given().unwrap_or_else(|| start(SHARED, &[]))).clone()
}

/// One that runs already, if `LECTERN_TEST_URL` tells where; its variables are in the environment too.
fn given() -> Option<Running> {
    let base_url = std::env::var("LECTERN_TEST_URL").ok()?.trim_end_matches('/').to_owned();
    let variables = xtask::folder::of_environment();
    if let Some(model) = variables.get("ai_base_url") {
        crate::model::model(model.trim_start_matches("http://"));
    }
    let database = std::env::var_os("LECTERN_TEST_DATABASE").map(PathBuf::from);
    let key_value = database.as_deref().map(key_value).filter(|store| store.is_file());
    Some(Running { base_url, variables, database, key_value })
}

/// Starts the application from a thread that outlives the tests, which have a runtime each.
fn start(name: &str, settings: &[(&str, &str)]) -> Running {
    let (is_shared, processes) = (name == SHARED, processes_of_tests());
    let name = format!("contract-tests-{}-{name}", std::process::id());
    let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (started, wait) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let path: PathBuf = xtask::target().join("tmp").join(name);
            let folder = DataFolder::open(path).expect("a data folder");
            let mut variables = folder.variables().expect("secrets");
            variables.insert("development".to_owned(), "true".to_owned());
            // The tests say where they call from.
            variables.insert("trusted_proxies".to_owned(), "1".to_owned());
            // They all log in at the same moment, on a machine that may be busy.
            variables.insert("password_checks_at_once".to_owned(), "12".to_owned());
            variables.insert("bounce_postmark_token".to_owned(), "postmark-0123456789abcdef0123456789".to_owned());
            variables.insert("frame_hosts".to_owned(), "frames.example".to_owned());
            variables.insert("ai_base_url".to_owned(), crate::model::model("127.0.0.1:0").url.clone());
            variables.extend(settings);
            // Many applications run at once, and a test asks for a part of its own.
            let launch = Launch { load_on_demand: true, ..Launch::quiet(runtime_of_tests(), &folder, &variables) };
            match processes.filter(|_| is_shared) {
                Some(processes) => {
                    let mut scaled = Scaled::start_guarded(&launch, processes).await.expect("the processes start");
                    let database = scaled.database().map(Path::to_owned);
                    let base_url = scaled.base_url.clone();
                    let running = Running { base_url, variables, database, key_value: None };
                    running.site_admin().await;
                    started.send(running).expect("a test waits for it");
                    scaled.ended().await.expect("the processes are watched");
                }
                None => {
                    let mut app = App::start_guarded(&launch).await.expect("the application starts");
                    let database = folder.path().join("sqlite_db.db");
                    let key_value = Some(key_value(&database));
                    let base_url = app.base_url.clone();
                    let running = Running { base_url, variables, database: Some(database), key_value };
                    // The first request makes the tables.
                    running.site_admin().await;
                    started.send(running).expect("a test waits for it");
                    app.ended().await.expect("the application is watched");
                }
            }
        });
    });
    wait.recv().expect("the application starts")
}

/// `cargo xtask test --scaled` asks for several processes of the application that all tests share.
fn processes_of_tests() -> Option<usize> {
    let processes = std::env::var(xtask::scaled::PROCESSES).ok()?;
    Some(processes.parse().expect("a number of processes"))
}

/// `cargo xtask test --spin` asks for the Spin CLI.
fn runtime_of_tests() -> Runtime {
    match std::env::var_os("LECTERN_TEST_SPIN") {
        Some(_) => Runtime::Spin,
        None => Runtime::Host,
    }
}
