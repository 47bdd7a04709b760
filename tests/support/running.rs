//! The application under test.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use xtask::app::{App, Launch, Runtime};
use xtask::folder::{DataFolder, Variables, environment_name};

use crate::Client;

/// The application that all tests share.
#[derive(Clone)]
pub struct Running {
    /// Its address, without a slash at the end.
    pub base_url: String,
    /// The values of its variables, the secrets among them.
    pub variables: Variables,
    /// Its database, where we started it.
    database: Option<PathBuf>,
}

impl Running {
    /// Nobody in particular.
    pub fn nobody(&self) -> Client {
        Client::new(&self.base_url, None)
    }

    /// The administrator of the whole site.
    pub async fn site_admin(&self) -> Client {
        let secrets = (&self.variables["admin_client_id"], &self.variables["admin_client_secret"]);
        self.nobody().with_credentials(secrets.0, secrets.1).await
    }

    /// Changes the database behind the application's back. False where that is not possible because it runs elsewhere.
    pub fn change_database(&self, sql: &str) -> bool {
        // The tests need Python anyway, for the clients that are written in it.
        const SCRIPT: &str = "import sqlite3, sys\nsqlite3.connect(sys.argv[1], timeout=5).executescript(sys.argv[2])";
        let Some(database) = &self.database else { return false };
        let mut python = Command::new("python3");
        python.args(["-c", SCRIPT]).arg(database).arg(sql);
        let output = python.output().expect("python3 runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        true
    }
}

/// The application, which the first who asks starts.
pub fn running() -> Running {
    static RUNNING: Mutex<Option<Running>> = Mutex::new(None);
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.get_or_insert_with(|| given().unwrap_or_else(start)).clone()
}

/// One that runs already, if `LECTERN_TEST_URL` tells where; its bootstrap client is in the environment too.
fn given() -> Option<Running> {
    let base_url = std::env::var("LECTERN_TEST_URL").ok()?.trim_end_matches('/').to_owned();
    let variable = |name: &str| (name.to_owned(), std::env::var(environment_name(name)).expect(name));
    let variables = ["admin_client_id", "admin_client_secret"].map(variable).into();
    Some(Running { base_url, variables, database: None })
}

/// Starts the application from a thread that outlives the tests, which have a runtime each.
fn start() -> Running {
    let (started, wait) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let path: PathBuf = xtask::target().join("tmp").join(format!("contract-tests-{}", std::process::id()));
            let folder = DataFolder::open(path).expect("a data folder");
            let mut variables = folder.variables().expect("secrets");
            variables.insert("development".to_owned(), "true".to_owned());
            let listen = "127.0.0.1:0";
            let launch =
                Launch { runtime: runtime_of_tests(), listen, folder: &folder, variables: &variables, quiet: true };
            let mut app = App::start_guarded(&launch).await.expect("the application starts");
            let database = Some(folder.path().join("sqlite_db.db"));
            let running = Running { base_url: app.base_url.clone(), variables, database };
            // The first request makes the tables.
            running.site_admin().await;
            started.send(running).expect("a test waits for it");
            app.ended().await.expect("the application is watched");
        });
    });
    wait.recv().expect("the application starts")
}

/// `cargo xtask test --spin` asks for the Spin CLI.
fn runtime_of_tests() -> Runtime {
    match std::env::var_os("LECTERN_TEST_SPIN") {
        Some(_) => Runtime::Spin,
        None => Runtime::Host,
    }
}
