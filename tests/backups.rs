//! Backups of the application while it is written to, restorations, checks, and databases of other releases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::join_all;
use rusqlite::Connection;
use serde_json::{Value, json};
use support::{Client, DEVELOPMENT, admin_of};
use xtask::folder::RUNTIME_CONFIG;
use xtask::redis::Redis;
use xtask::sandbox::Sandbox;

use crate::files::{download, upload};

const WRITERS: usize = 4;
/// Bytes of a file, which take two keys.
const FILE: usize = 300_000;

/// Runs `lectern-host` with a subcommand on a folder.
async fn lectern(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(xtask::target().join("host/lectern-host"));
    command.args(words).arg("--state-dir").arg(folder);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

async fn succeeds(folder: &Path, words: &[&str]) -> String {
    let output = lectern(folder, words).await;
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn fails(folder: &Path, words: &[&str]) -> String {
    let output = lectern(folder, words).await;
    assert!(!output.status.success(), "{words:?}");
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An empty folder for an application with the secrets of another.
fn beside(sandbox: &Sandbox) -> Sandbox {
    let mut other = support::sandbox(&DEVELOPMENT);
    other.variables = sandbox.variables.clone();
    other
}

/// What writers were answered: the names of courses, and the contents of files, by their ids.
#[derive(Default)]
struct Acknowledged {
    courses: Mutex<BTreeMap<i64, String>>,
    files: Mutex<BTreeMap<i64, u8>>,
}

/// Makes courses with a file each, and removes each third file, until it is told to stop.
async fn write(admin: &Client, writer: usize, acknowledged: &Acknowledged, stop: &AtomicBool) {
    for number in 0..=u8::MAX {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let name = format!("Botany {writer}.{number}");
        let course = admin.post("/api/v1/accounts/1/courses").json(json!({ "course": { "name": name } })).await.is(200);
        acknowledged.courses.lock().unwrap().insert(course.id(), name);
        let files = format!("/api/v1/courses/{}/files", course.id());
        let file = upload(admin, &files, json!({ "name": "leaf.bin" }), &vec![number; FILE]).await;
        if number % 3 == 0 {
            admin.delete(&format!("/api/v1/files/{}", file.id())).await.is(200);
        } else {
            acknowledged.files.lock().unwrap().insert(file.id(), number);
        }
    }
}

#[tokio::test]
async fn a_backup_under_write_load_has_all_that_was_acknowledged() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let (acknowledged, stop) = (Acknowledged::default(), AtomicBool::new(false));
    let archives = tempfile::tempdir().unwrap();
    let archive = archives.path().join("lectern.tar");
    let writers = join_all((0..WRITERS).map(|writer| write(&admin, writer, &acknowledged, &stop)));
    let back_up = async {
        // Each writer has written several, and the files of some of them stand.
        while acknowledged.courses.lock().unwrap().len() < 4 * WRITERS {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let courses = acknowledged.courses.lock().unwrap().clone();
        let files = acknowledged.files.lock().unwrap().clone();
        succeeds(sandbox.folder.path(), &["backup", path(&archive)]).await;
        assert!(acknowledged.courses.lock().unwrap().len() > courses.len(), "nobody wrote meanwhile");
        stop.store(true, Ordering::Relaxed);
        (courses, files)
    };
    let (_, (courses, files)) = futures::future::join(writers, back_up).await;
    assert!(!files.is_empty(), "too little was written to tell");
    let refused = fails(sandbox.folder.path(), &["restore", path(&archive), "--replace"]).await;
    assert!(refused.contains("stop it first"), "{refused}");
    app.stop().await.unwrap();

    let other = beside(&sandbox);
    succeeds(other.folder.path(), &["restore", path(&archive)]).await;
    succeeds(other.folder.path(), &["check"]).await;
    let app = other.start().await.unwrap();
    let admin = admin_of(&other, &app).await;
    for (id, name) in courses {
        assert_eq!(admin.get(&format!("/api/v1/courses/{id}")).await.is(200)["name"], name);
    }
    for (id, content) in files {
        let file = admin.get(&format!("/api/v1/files/{id}")).await.is(200);
        let bytes = download(&admin, &file.json).await.is(200).bytes;
        assert!(bytes.len() == FILE && bytes.iter().all(|byte| *byte == content), "file {id}");
    }
    let course = json!({ "course": { "name": "Afterwards" } });
    admin.post("/api/v1/accounts/1/courses").json(course).await.is(200);
    app.stop().await.unwrap();
}

/// Says that the application on that folder keeps its bytes in Redis, and how `lectern-host` is told.
fn keep_bytes_in_redis(sandbox: &Sandbox, url: &str) -> [String; 2] {
    let config = format!("[key_value_store.default]\ntype = \"redis\"\nurl = \"{url}\"\n");
    sandbox.folder.write_private(RUNTIME_CONFIG, &config).unwrap();
    let config = sandbox.folder.runtime_config().unwrap();
    ["--runtime-config-file".to_owned(), path(&config).to_owned()]
}

#[tokio::test]
async fn an_installation_with_redis_is_backed_up_while_it_is_written_to_and_restored_to_another_server() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let Some(redis) = Redis::for_test(folders[0].path()).await.unwrap() else { return };
    let sandbox = support::sandbox(&DEVELOPMENT);
    let [flag, config] = keep_bytes_in_redis(&sandbox, &redis.url);
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let (acknowledged, stop) = (Acknowledged::default(), AtomicBool::new(false));
    let archive = folders[0].path().join("lectern.tar");
    let writers = join_all((0..2).map(|writer| write(&admin, writer, &acknowledged, &stop)));
    let back_up = async {
        while acknowledged.files.lock().unwrap().len() < 4 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let files = acknowledged.files.lock().unwrap().clone();
        succeeds(sandbox.folder.path(), &["backup", path(&archive), &flag, &config]).await;
        stop.store(true, Ordering::Relaxed);
        files
    };
    let (_, files) = futures::future::join(writers, back_up).await;
    succeeds(sandbox.folder.path(), &["check", &flag, &config]).await;
    app.stop().await.unwrap();
    let keys = std::fs::metadata(sandbox.folder.path().join("sqlite_key_value.db"));
    assert!(keys.is_err(), "the bytes are in a file");

    let second = Redis::for_test(folders[1].path()).await.unwrap().unwrap();
    let other = beside(&sandbox);
    let [flag, config] = keep_bytes_in_redis(&other, &second.url);
    succeeds(other.folder.path(), &["restore", path(&archive), &flag, &config]).await;
    redis.stop().await.unwrap();
    let report = succeeds(other.folder.path(), &["check", "--json", &flag, &config]).await;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["ok"], &report["unknown_keys"]), (&json!(true), &json!(0)));
    let app = other.start().await.unwrap();
    let admin = admin_of(&other, &app).await;
    for (id, content) in files {
        let file = admin.get(&format!("/api/v1/files/{id}")).await.is(200);
        let bytes = download(&admin, &file.json).await.is(200).bytes;
        assert!(bytes.len() == FILE && bytes.iter().all(|byte| *byte == content), "file {id}");
    }
    app.stop().await.unwrap();
}

#[tokio::test]
async fn a_restoration_replaces_data_if_asked_and_a_check_tells_what_is_lost() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let folder = sandbox.folder.path().to_owned();
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let file = upload(&admin, "/api/v1/users/self/files", json!({ "name": "a.bin" }), &vec![1; FILE]).await;
    let archive = folder.join("a.tar");
    succeeds(&folder, &["backup", path(&archive)]).await;
    let course = json!({ "course": { "name": "Later" } });
    let later = admin.post("/api/v1/accounts/1/courses").json(course).await.is(200).id();
    app.stop().await.unwrap();

    let refused = fails(&folder, &["restore", path(&archive)]).await;
    assert!(refused.contains("--replace"), "{refused}");
    Connection::open(folder.join("sqlite_key_value.db")).unwrap().execute("DELETE FROM spin_key_value", ()).unwrap();
    let report: Value = serde_json::from_str(&fails(&folder, &["check", "--json"]).await).unwrap();
    assert_eq!((&report["ok"], &report["missing_blobs"]), (&json!(false), &json!(1)));
    succeeds(&folder, &["restore", path(&archive), "--replace"]).await;
    let report: Value = serde_json::from_str(&succeeds(&folder, &["check", "--quick", "--json"]).await).unwrap();
    assert_eq!((&report["ok"], &report["blobs"], &report["unknown_keys"]), (&json!(true), &json!(1), &json!(0)));
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    admin.get(&format!("/api/v1/courses/{later}")).await.is(404);
    let file = admin.get(&format!("/api/v1/files/{}", file.id())).await.is(200);
    assert_eq!(download(&admin, &file.json).await.is(200).bytes.len(), FILE);
    app.stop().await.unwrap();
}

#[tokio::test]
async fn a_restoration_that_is_killed_leaves_the_old_state_or_the_new() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let folder = sandbox.folder.path().to_owned();
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    for number in 0..10 {
        let name = json!({ "name": format!("{number}.bin") });
        upload(&admin, "/api/v1/users/self/files", name, &vec![number; FILE]).await;
    }
    app.stop().await.unwrap();
    let archive = folder.join("a.tar");
    succeeds(&folder, &["backup", path(&archive)]).await;
    let courses = |folder: &Path| -> i64 {
        let database = Connection::open(folder.join("sqlite_db.db")).unwrap();
        database.query_row("SELECT count(*) FROM courses WHERE name = 'Old'", (), |row| row.get(0)).unwrap()
    };
    let old = "INSERT INTO courses (root_account_id, account_id, name, course_code, uuid, created_at, updated_at)
        VALUES (1, 1, 'Old', '', 'old', '2026', '2026')";
    let mut states = [0, 0];
    for milliseconds in (0..60).step_by(4) {
        if courses(&folder) == 0 {
            Connection::open(folder.join("sqlite_db.db")).unwrap().execute(old, ()).unwrap();
        }
        let mut command = Command::new(xtask::target().join("host/lectern-host"));
        command.args(["restore", path(&archive), "--replace", "--state-dir", path(&folder)]);
        let mut restoring = command.spawn().unwrap();
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        restoring.kill().unwrap();
        restoring.wait().unwrap();
        states[usize::from(courses(&folder) == 0)] += 1;
        succeeds(&folder, &["check"]).await;
    }
    succeeds(&folder, &["restore", path(&archive), "--replace"]).await;
    assert_eq!(courses(&folder), 0);
    assert!(states[0] > 0, "no restoration was killed before it had ended: {states:?}");
}

fn migrations() -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(xtask::root().join("shared/database/migrations"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

#[tokio::test]
async fn databases_of_earlier_releases_are_brought_up_to_date_by_the_first_request() {
    for earlier in [1, 14, 30] {
        let sandbox = support::sandbox(&DEVELOPMENT);
        let database = Connection::open(sandbox.folder.path().join("sqlite_db.db")).unwrap();
        for migration in migrations().iter().take(earlier) {
            database.execute_batch(migration).unwrap();
        }
        let course =
            "INSERT INTO courses (root_account_id, account_id, name, course_code, uuid, created_at, updated_at)
            VALUES (1, 1, 'Botany', 'BOT', 'b', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z') RETURNING id";
        let course: i64 = database.query_row(course, (), |row| row.get(0)).unwrap();
        database.pragma_update(None, "user_version", i64::try_from(earlier).unwrap()).unwrap();
        database.close().unwrap();
        let app = sandbox.start().await.unwrap();
        let admin = admin_of(&sandbox, &app).await;
        assert_eq!(admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["name"], "Botany");
        app.stop().await.unwrap();
        let told = succeeds(sandbox.folder.path(), &["check"]).await;
        assert!(told.contains(&format!("Schema {}.", migrations().len())), "{told}");
    }
}

#[tokio::test]
async fn a_later_release_may_add_to_the_database_beside_this_one_and_take_it_over() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let app = sandbox.start().await.unwrap();
    admin_of(&sandbox, &app).await;
    app.stop().await.unwrap();
    let newer = i64::try_from(migrations().len()).unwrap() + 1;
    let database = Connection::open(sandbox.folder.path().join("sqlite_db.db")).unwrap();
    let adds = "ALTER TABLE courses ADD COLUMN later TEXT; CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;";
    database.execute_batch(adds).unwrap();
    database.pragma_update(None, "user_version", newer).unwrap();
    let app = sandbox.start().await.unwrap();
    let token = sandbox.admin(&app).await.unwrap().token().to_owned();
    let admin = Client::new(&app.base_url, Some(&token));
    admin.post("/api/v1/accounts/1/courses").json(json!({ "course": { "name": "Botany" } })).await.is(200);
    app.stop().await.unwrap();

    let takes = "CREATE TABLE schema_compatibility (oldest_schema INTEGER NOT NULL) STRICT;
        INSERT INTO schema_compatibility SELECT user_version FROM pragma_user_version";
    database.execute_batch(takes).unwrap();
    let app = sandbox.start().await.unwrap();
    let admin = Client::new(&app.base_url, Some(&token));
    admin.get("/api/v1/users/self").await.is_refused(503, "newer release");
    let no_schema = "Not ready: schema (the tables are not those of this version).";
    Client::new(&app.base_url, None).get("/ready").await.is_refused(503, no_schema);
    app.stop().await.unwrap();
    let told = fails(sandbox.folder.path(), &["check"]).await;
    assert!(told.contains("newer than that of this release"), "{told}");
}
