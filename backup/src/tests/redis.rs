//! Bytes in Redis, on an installed server of each test's own. The database is a file here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::{Connection, cmd};
use xtask::redis::Redis;

use super::{CHUNK, VERSION, World, add_row, chunks, make_tables, remove_row};
use crate::restoration::Restoration;
use crate::{DatabasePlace, Depth, Destination, Installation, Manifest, Report, StorePlace, back_up, check, restore};

/// Keys of a blob that the server tells of in several portions.
const MANY: usize = 5_000;

/// A database in a folder, and a server for the bytes.
struct Far {
    world: World,
    redis: Redis,
}

impl Far {
    /// An empty one. `None`: there is no server to test with.
    async fn start() -> Option<Self> {
        let world = World::empty();
        let redis = Redis::for_test(world.folder.path()).await.unwrap()?;
        Some(Self { world, redis })
    }

    /// One with the schema of this release, and a file of two chunks.
    async fn with_a_file() -> Option<Self> {
        let far = Self::start().await?;
        make_tables(&far.world.database());
        far.add("first", CHUNK + 1);
        Some(far)
    }

    fn installation(&self) -> Installation {
        let store = StorePlace::Redis(self.redis.url.clone());
        Installation { database: DatabasePlace::File(self.world.database_path()), store }
    }

    fn connection(&self) -> Connection {
        connect(&self.redis.url)
    }

    fn add(&self, name: &str, size: usize) {
        add(&self.world.database(), &mut self.connection(), name, size);
    }

    async fn backed_up(&self, name: &str) -> Manifest {
        back_up(&self.installation(), VERSION, &Destination::File(self.world.path(name))).await.unwrap()
    }

    async fn checked(&self) -> Report {
        check(&self.installation(), Depth::Full).await.unwrap()
    }

    fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = cmd("KEYS").arg("*").query(&mut self.connection()).unwrap();
        keys.sort();
        keys
    }
}

fn connect(url: &str) -> Connection {
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

/// Stores a file as the application does.
fn add(database: &rusqlite::Connection, store: &mut Connection, name: &str, size: usize) {
    add_row(database, name, size, || {
        for (key, value) in chunks(name, size) {
            let () = cmd("SET").arg(key).arg(value).query(store).unwrap();
        }
    });
}

/// Removes a file as the application does.
fn remove(database: &rusqlite::Connection, store: &mut Connection, name: &str, size: usize) {
    remove_row(database, name, || {
        for (key, _) in chunks(name, size) {
            let () = cmd("DEL").arg(key).query(store).unwrap();
        }
    });
}

/// All that the file of a key-value store has.
fn pairs(world: &World) -> BTreeMap<String, Vec<u8>> {
    let store = world.store();
    let mut statement = store.prepare("SELECT key, value FROM spin_key_value WHERE store = 'default'").unwrap();
    statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn bytes_move_from_a_file_to_redis_and_back_as_they_are() {
    let Some(far) = Far::start().await else { return };
    let (world, back) = (World::with_a_file(), World::empty());
    // Names with all that means something to somebody, and more keys than are told of at once.
    world.add("a*b?[c]:ä\\\n", 2 * CHUNK);
    world.add("empty", 0);
    let row = "INSERT INTO blobs (name, size, touched_at) VALUES ('files/many', ?1, '2026-01-01T00:00:00Z');";
    world.database().execute(row, (i64::try_from(MANY).unwrap(),)).unwrap();
    let file = "UPDATE attachments SET blob = 'files/many', size = ?1 WHERE filename = 'empty'";
    world.database().execute(file, (i64::try_from(MANY).unwrap(),)).unwrap();
    let many = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
        INSERT INTO spin_key_value SELECT 'default', 'blob/files/many/' || i, randomblob(1) FROM n";
    world.store().execute(many, (i64::try_from(MANY).unwrap(),)).unwrap();

    let archive = world.path("a.tar");
    let first = back_up(&world.installation(), VERSION, &Destination::File(archive.clone())).await.unwrap();
    restore(&archive, &far.installation(), false).await.unwrap();
    let report = far.checked().await;
    assert!(report.ok && report.blobs == 3 && report.unknown_keys == 0, "{report:?}");
    let second = far.backed_up("b.tar").await;
    let counted = |manifest: &Manifest| (manifest.rows, manifest.blobs, manifest.blob_bytes);
    assert_eq!((counted(&first), second.missing_blobs.len()), (counted(&second), 0));
    restore(&far.world.path("b.tar"), &back.installation(), false).await.unwrap();
    assert_eq!(pairs(&back), pairs(&world));
}

#[tokio::test]
async fn what_others_keep_in_redis_is_neither_saved_nor_touched() {
    let Some(far) = Far::with_a_file().await else { return };
    let mut connection = far.connection();
    let () = cmd("SET").arg("session:1").arg("theirs").query(&mut connection).unwrap();
    let () = cmd("RPUSH").arg("queue").arg("a job").query(&mut connection).unwrap();
    let first = ["blob/files/first/0", "blob/files/first/1"];
    let manifest = far.backed_up("a.tar").await;
    assert_eq!((manifest.blobs, manifest.blob_bytes), (1, u64::try_from(CHUNK).unwrap() + 1));
    far.add("second", 5);
    restore(&far.world.path("a.tar"), &far.installation(), true).await.unwrap();
    assert_eq!(far.keys(), [first[0], first[1], "queue", "session:1"]);
    let report = far.checked().await;
    assert!(report.ok && report.unknown_keys == 0, "{report:?}");
}

#[tokio::test]
async fn bytes_in_redis_are_replaced_only_if_that_is_asked_for() {
    let Some(far) = Far::with_a_file().await else { return };
    far.backed_up("a.tar").await;
    std::fs::remove_file(far.world.database_path()).unwrap();
    let refused = restore(&far.world.path("a.tar"), &far.installation(), false).await.unwrap_err().to_string();
    assert!(refused.contains("the key-value store is not empty") && refused.contains("--replace"), "{refused}");
    restore(&far.world.path("a.tar"), &far.installation(), true).await.unwrap();
    assert!(far.checked().await.ok);
}

#[tokio::test]
async fn a_restoration_into_redis_that_breaks_off_leaves_the_old_state_or_the_new() {
    let Some(backup) = Far::with_a_file().await else { return };
    backup.backed_up("a.tar").await;
    let archive = backup.world.path("a.tar");
    for steps in 0..=3 {
        let far = Far::with_a_file().await.unwrap();
        far.add("second", 5);
        remove(&far.world.database(), &mut far.connection(), "first", CHUNK + 1);
        let installation = far.installation();
        let restoration = Restoration::prepare(&archive, &installation).unwrap();
        if steps > 0 {
            restoration.add_bytes(&installation).await.unwrap();
        }
        if steps > 1 {
            restoration.replace_database(&installation).await.unwrap();
        }
        if steps > 2 {
            restoration.remove_others(&installation).await.unwrap();
        }
        // As a kill would leave it: what was unpacked stays.
        std::mem::forget(restoration);
        assert_eq!(far.world.names(), [if steps > 1 { "first" } else { "second" }], "after {steps} steps");
        let report = far.checked().await;
        assert!(report.ok, "after {steps} steps: {report:?}");
        assert_eq!(report.unknown_keys, [0, 2, 1, 0][steps], "after {steps} steps");
        restore(&archive, &installation, true).await.unwrap();
        assert_eq!(far.keys(), ["blob/files/first/0", "blob/files/first/1"], "again after {steps} steps");
    }
}

#[tokio::test]
async fn a_check_finds_the_bytes_that_redis_has_lost() {
    let Some(far) = Far::with_a_file().await else { return };
    let () = cmd("DEL").arg("blob/files/first/1").query(&mut far.connection()).unwrap();
    let report = far.checked().await;
    assert!(!report.ok && report.missing == ["files/first"], "{report:?}");
    assert_eq!(far.backed_up("a.tar").await.missing_blobs, ["files/first"]);
}

/// Adds files, and removes each third of them soon after, until it is told to stop. Answers those that are there.
fn write(far: &Far, stop: &Arc<AtomicBool>) -> std::thread::JoinHandle<Vec<String>> {
    let (path, url, stop) = (far.world.database_path(), far.redis.url.clone(), stop.clone());
    std::thread::spawn(move || {
        let database = rusqlite::Connection::open(path).unwrap();
        database.busy_timeout(Duration::from_secs(15)).unwrap();
        let (mut store, mut kept) = (connect(&url), Vec::new());
        for number in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (name, size) = (format!("file-{number}"), number % 3 * CHUNK + 10);
            add(&database, &mut store, &name, size);
            if number % 3 == 0 {
                remove(&database, &mut store, &name, size);
            } else {
                kept.push(name);
            }
        }
        kept
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_redis_under_write_load_has_every_byte_that_it_names() {
    let Some(far) = Far::with_a_file().await else { return };
    let stop = Arc::new(AtomicBool::new(false));
    let writer = write(&far, &stop);
    let count = || far.world.names().len();
    while count() < 20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let before = far.world.names();
    let manifest = far.backed_up("a.tar").await;
    while count() == before.len() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let kept = writer.join().unwrap();
    assert_eq!(manifest.missing_blobs.len(), 0);
    let other = World::empty();
    restore(&far.world.path("a.tar"), &other.installation(), false).await.unwrap();
    let report = check(&other.installation(), Depth::Full).await.unwrap();
    assert!(report.ok && report.unknown_keys == 0, "{report:?}");
    let there = other.names();
    let lost: Vec<_> = before.iter().filter(|name| kept.contains(name) && !there.contains(name)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(far.checked().await.ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_for_a_while_is_waited_for() {
    let Some(far) = Far::with_a_file().await else { return };
    // As when it writes down what it has. Longer than the client library would wait by itself.
    let () = cmd("CLIENT").arg("PAUSE").arg(1_500).arg("ALL").query(&mut far.connection()).unwrap();
    let manifest = far.backed_up("a.tar").await;
    assert_eq!((manifest.blobs, manifest.missing_blobs.len()), (1, 0));
}

#[tokio::test]
async fn a_server_that_is_away_is_told_without_its_password() {
    let world = World::with_a_file();
    let store = StorePlace::Redis("redis://:hunter2@127.0.0.1:1".to_owned());
    let installation = Installation { database: DatabasePlace::File(world.database_path()), store };
    let destination = Destination::File(world.path("a.tar"));
    let refused = format!("{:#}", back_up(&installation, VERSION, &destination).await.unwrap_err());
    assert!(refused.contains("Redis") && !refused.contains("hunter2"), "{refused}");
    assert!(!world.path("a.tar").exists());
}
