//! `lectern-host` as an operator meets it: processes on one folder, signals, and what it makes of odd requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use support::{Client, DEVELOPMENT, admin_of};
use xtask::folder::{RUNTIME_CONFIG, environment_name};
use xtask::sandbox::Sandbox;

/// A process that ends with this value.
struct Process {
    child: Child,
    /// Where it serves.
    address: String,
    stderr: ChildStderr,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

fn host() -> Command {
    let mut command = Command::new(xtask::target().join("host/lectern-host"));
    command.current_dir(xtask::root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `lectern-host` on the folder of the applications of `sandbox`.
fn serving(sandbox: &Sandbox, options: &[&str]) -> Command {
    let mut command = host();
    command.arg("--from").arg(xtask::manifest::path()).arg("--state-dir").arg(sandbox.folder.path());
    command.args(["--listen", "127.0.0.1:0", "--quiet", "--load-on-demand", "--allow-private-networks"]).args(options);
    command.envs(sandbox.variables.iter().map(|(name, value)| (environment_name(name), value)));
    command
}

impl Process {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (mut line, stderr) = (String::new(), child.stderr.take().unwrap());
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Serving http://").unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Self { child, address, stderr }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    /// What it answers to these bytes, until it closes the connection.
    fn answer(&self, bytes: &str) -> String {
        let (mut stream, mut text) = (self.connect(), String::new());
        stream.write_all(bytes.as_bytes()).unwrap();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// Ends it, and answers what it has told.
    fn end(mut self) -> String {
        signal(&self.child, "TERM");
        assert!(self.child.wait().unwrap().success());
        let mut text = String::new();
        self.stderr.read_to_string(&mut text).unwrap();
        text
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", child.id())).status();
    assert!(sent.unwrap().success());
}

/// Why it does not start.
fn refused(mut command: Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    assert!(!status.success());
    String::from_utf8(stderr).unwrap()
}

#[test]
fn a_second_process_on_a_folder_is_told_that_it_is_not_alone_and_keeps_no_bytes_elsewhere() {
    const NOT_ALONE: &str = "another process serves";
    let sandbox = support::sandbox(&DEVELOPMENT);
    let first = Process::start(serving(&sandbox, &[]));
    let second = Process::start(serving(&sandbox, &[]));
    assert!(second.answer("GET /ready HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
    let told = second.end();
    assert!(told.contains(NOT_ALONE) && told.contains("--state-dir"), "{told}");

    let elsewhere = tempfile::tempdir().unwrap();
    let config = elsewhere.path().join(RUNTIME_CONFIG);
    let store = elsewhere.path().join("kv.db");
    std::fs::write(&config, format!("[key_value_store.default]\ntype = \"spin\"\npath = {store:?}\n")).unwrap();
    let options = ["--runtime-config-file", config.to_str().unwrap()];
    let told = refused(serving(&sandbox, &options));
    assert!(told.contains("the other would miss"), "{told}");
    let told = first.end();
    assert!(!told.contains(NOT_ALONE), "{told}");
    Process::start(serving(&sandbox, &options)).end();
}

#[test]
fn a_sandbox_that_is_stopped_while_it_starts_tells_of_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("scenario.yaml");
    std::fs::write(&scenario, "users: [{login: \"student-{n}\", name: \"Student {n}\", count: 2000}]").unwrap();
    for milliseconds in (200..=2000).step_by(300) {
        let mut command = host();
        command.arg("sandbox").arg("--from").arg(xtask::manifest::path()).args(["--listen", "127.0.0.1:0"]);
        let child = command.arg("--scenario").arg(&scenario).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        signal(&child, "TERM");
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let told = String::from_utf8(stderr).unwrap();
        assert!(status.success() && !told.contains("ERROR"), "after {milliseconds} ms: {told}");
        if !stdout.is_empty() {
            break;
        }
    }
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_what_runs() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut process = Process::start(serving(&sandbox, &["--request-timeout", "60s"]));
    let mut slow = process.connect();
    let head = b"POST /api/v1/error_reports HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n";
    slow.write_all(head).unwrap();
    let mut begun = [0; 12];
    slow.read_exact(&mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 100");
    // The terminal's, and that which whoever has started it passes on: together they are one.
    let both = format!("kill -INT {0}; kill -INT {0}", process.child.id());
    assert!(Command::new("sh").arg("-c").arg(both).status().unwrap().success());
    std::thread::sleep(Duration::from_secs(1));
    assert!(process.child.try_wait().unwrap().is_none(), "it finishes what runs");
    // Who waits for its end waits for ten seconds, and it ends in another way then. On a busy machine it may hear of this one so
    // soon after the first that it is the same.
    let status = loop {
        signal(&process.child, "INT");
        std::thread::sleep(Duration::from_secs(1));
        if let Some(status) = process.child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_request_that_names_two_hosts_is_refused() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let process = Process::start(serving(&sandbox, &[]));
    let ask = |hosts: &str| process.answer(&format!("GET /health HTTP/1.1\r\n{hosts}connection: close\r\n\r\n"));
    assert!(ask("host: lms.test\r\n").starts_with("HTTP/1.1 200"));
    assert!(ask("host: lms.test\r\nhost: evil.test\r\n").starts_with("HTTP/1.1 400"));
}

#[test]
fn data_that_cannot_be_written_are_told_before_anything_is_served() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let database: &Path = &sandbox.folder.path().join("sqlite_db.db");
    // Nobody writes to a folder, not even the superuser.
    std::fs::create_dir(database).unwrap();
    let told = refused(serving(&sandbox, &[]));
    assert!(told.contains("cannot write") && told.contains("sqlite_db.db"), "{told}");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_not_ready_until_it_can() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let app = sandbox.start().await.unwrap();
    let (nobody, admin) = (Client::new(&app.base_url, None), admin_of(&sandbox, &app).await);
    nobody.get("/ready").await.is(200);
    let database = Connection::open(sandbox.folder.path().join("sqlite_db.db")).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    let change = |sql: &str| database.execute_batch(sql).unwrap();
    // What SQLite says where the disk is full.
    change("CREATE TRIGGER full BEFORE INSERT ON courses BEGIN SELECT raise(FAIL, 'database or disk is full'); END");
    let make = || admin.post("/api/v1/accounts/1/courses").json(json!({ "course": { "name": "Botany" } }));
    make().await.is(507);
    // Nobody else writes meanwhile.
    change("BEGIN IMMEDIATE");
    let refused = nobody.get("/ready").await.is_refused(503, "Not ready: database (it cannot be written).");
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    nobody.get("/health").await.is(200);
    change("ROLLBACK");
    // Where nobody is sent who would write, a write is tried, which this disk takes.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    nobody.get("/ready").await.is(200);
    change("DROP TRIGGER full");
    make().await.is(200);
    nobody.get("/ready").await.is(200);
}

#[test]
fn it_may_open_as_many_files_as_the_machine_allows() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut shell = Command::new("sh");
    let host = serving(&sandbox, &[]);
    shell.arg("-c").arg("ulimit -Sn 256; exec \"$@\"").arg("sh").arg(host.get_program()).args(host.get_args());
    shell.envs(host.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(xtask::root());
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let process = Process::start(shell);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.child.id())).unwrap();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    let [soft, hard] = files.split_whitespace().take(2).collect::<Vec<_>>()[..] else { panic!("{files}") };
    assert_eq!(soft, hard);
}

/// Sends a report of so many bytes, piece by piece, and answers the status.
fn sent_slowly(process: &Process, piece: usize, pieces: usize) -> String {
    let mut stream = process.connect();
    let head = format!("POST /api/v1/error_reports HTTP/1.0\r\nhost: x\r\ncontent-length: {}\r\n\r\n", piece * pieces);
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..pieces {
        // Whoever is refused before the end still reads why.
        let _closed = stream.write_all(&vec![b'a'; piece]);
        std::thread::sleep(Duration::from_millis(500));
    }
    let mut text = String::new();
    let _reset = stream.read_to_string(&mut text);
    text.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn the_limit_for_a_request_is_none_for_who_sends_all_the_time() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let process = Process::start(serving(&sandbox, &["--request-timeout", "4s"]));
    // It is loaded then.
    assert!(process.answer("GET /api/v1/error_reports HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 401"));
    let status = sent_slowly(&process, 100_000, 12);
    assert!(status.starts_with('4') || status.starts_with('2'), "{status}");
    assert_eq!(sent_slowly(&process, 100, 12), "400", "it trickles");
}

#[test]
fn who_sends_no_more_is_answered_and_what_does_not_come_is_refused_in_the_form_of_the_area() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let process = Process::start(serving(&sandbox, &["--request-timeout", "5s"]));
    // They are loaded then, and the database is made.
    for path in ["/ready", "/api/v1/error_reports"] {
        assert!(process.answer(&format!("GET {path} HTTP/1.0\r\n\r\n")).starts_with("HTTP/1.0"));
    }
    let report = r#"{"error":{"subject":"It is slow"}}"#;
    let length = report.len();
    let head = format!("host: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    let ask = |text: &str, has_ended: bool| {
        let (mut stream, mut answer) = (process.connect(), String::new());
        stream.write_all(text.as_bytes()).unwrap();
        if has_ended {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answer = ask("GET /ready HTTP/1.1\r\nhost: x\r\n\r\n", true);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("}"), "{answer}");
    let answer = ask(&format!("POST /api/v1/error_reports HTTP/1.1\r\n{head}{report}"), true);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // Cut off, and stalled.
    for has_ended in [true, false] {
        let answer = ask(&format!("POST /api/v1/error_reports HTTP/1.1\r\n{head}{{"), has_ended);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(r#"{"errors":"#), "{has_ended}: {answer}");
    }
    let told = process.end();
    assert!(!told.contains("ERROR") && !told.contains("WARN"), "clients are no fault of ours: {told}");
}

#[test]
fn a_sandbox_takes_no_data_from_elsewhere_and_options_stand_where_they_are_looked_at() {
    let sandboxed = |before: &[&str], behind: &[&str]| {
        let mut command = host();
        command.args(before).arg("sandbox").arg("--from").arg(xtask::manifest::path()).args(behind);
        refused(command)
    };
    let told = sandboxed(&[], &["--runtime-config-file", "deploy/runtime-config.toml"]);
    assert!(told.contains("leave --runtime-config-file out"), "{told}");
    let told = sandboxed(&["--listen", "127.0.0.1:0"], &[]);
    assert!(told.contains("--listen before `sandbox` is for serving"), "{told}");
    let told = sandboxed(&[], &["--listen", "127.0.0.1:0", "--scenario", "nowhere.yaml"]);
    assert!(told.contains("cannot read nowhere.yaml"), "{told}");
}

#[test]
fn limits_of_nothing_are_refused() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    for option in ["--request-timeout", "--max-instance-reuse-count", "--max-instance-concurrent-reuse-count"] {
        let told = refused(serving(&sandbox, &[option, "0"]));
        assert!(told.contains(option), "{told}");
    }
}
