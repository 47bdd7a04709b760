//! Installations in files.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{CHUNK, VERSION, World, add, remove};
use crate::restoration::Restoration;
use crate::{Depth, Destination, Manifest, Report, SCHEMA, back_up, check, restore};

async fn backed_up(world: &World, archive: &Path) -> Manifest {
    back_up(&world.installation(), VERSION, &Destination::File(archive.to_owned())).await.unwrap()
}

async fn checked(world: &World) -> Report {
    check(&world.installation(), Depth::Full).await.unwrap()
}

/// What writers have been answered.
#[derive(Default)]
struct Ledger {
    added: Mutex<BTreeSet<String>>,
    removed: Mutex<BTreeSet<String>>,
    slowest: Mutex<Duration>,
}

/// Adds files, and removes each third of them soon after, until it is told to stop.
fn write(folder: &Path, writer: usize, ledger: &Ledger, stop: &AtomicBool) {
    let open = |name: &str| {
        let connection = rusqlite::Connection::open(folder.join(name)).unwrap();
        connection.busy_timeout(Duration::from_secs(15)).unwrap();
        connection
    };
    let (database, store) = (open("sqlite_db.db"), open("sqlite_key_value.db"));
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        let (name, began) = (format!("{writer}-{number}"), Instant::now());
        add(&database, &store, &name, number % 3 * CHUNK + 10);
        ledger.added.lock().unwrap().insert(name.clone());
        if number % 3 == 0 {
            ledger.removed.lock().unwrap().insert(name.clone());
            remove(&database, &store, &name);
        }
        let mut slowest = ledger.slowest.lock().unwrap();
        *slowest = slowest.max(began.elapsed());
        number += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_write_load_has_all_that_was_acknowledged_and_every_byte_that_it_names() {
    const WRITERS: usize = 3;
    let world = World::with_a_file();
    // Enough that copying takes several steps.
    let filler = "CREATE TABLE filler (bytes BLOB); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO filler SELECT randomblob(100000) FROM n";
    world.database().execute_batch(filler).unwrap();
    let (ledger, stop) = (Arc::new(Ledger::default()), Arc::new(AtomicBool::new(false)));
    let writers = (0..WRITERS).map(|writer| {
        let (folder, ledger, stop) = (world.folder.path().to_owned(), ledger.clone(), stop.clone());
        std::thread::spawn(move || write(&folder, writer, &ledger, &stop))
    });
    let writers: Vec<_> = writers.collect();

    for round in 0..2 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let before = ledger.added.lock().unwrap().clone();
        let archive = world.path(&format!("{round}.tar"));
        let began = Instant::now();
        let manifest = backed_up(&world, &archive).await;
        println!("{} files, {} bytes in {:?}", manifest.blobs, manifest.blob_bytes, began.elapsed());
        let removed = ledger.removed.lock().unwrap().clone();
        assert!(ledger.added.lock().unwrap().len() > before.len(), "nobody wrote meanwhile");
        assert_eq!((manifest.missing_blobs.len(), manifest.schema), (0, SCHEMA));

        let other = World::empty();
        restore(&archive, &other.installation(), false).await.unwrap();
        let report = checked(&other).await;
        assert!(report.ok && report.unknown_keys == 0, "{report:?}");
        let there: BTreeSet<_> = other.names().into_iter().collect();
        let lost: Vec<_> = before.iter().filter(|name| !removed.contains(*name) && !there.contains(*name)).collect();
        assert!(lost.is_empty(), "{lost:?}");
        other.add("afterwards", 1);
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.join().unwrap();
    }
    let slowest = *ledger.slowest.lock().unwrap();
    println!("{} files were added, the slowest in {slowest:?}", ledger.added.lock().unwrap().len());
}

/// What became of the writes of one who waits for nobody.
#[derive(Default)]
struct Impatient {
    committed: usize,
    refused: Vec<rusqlite::Error>,
    slowest: Duration,
}

/// Writes row by row, and waits for nobody: whoever holds the lock of the database for a moment refuses a row.
fn write_impatiently(path: &Path, stop: &AtomicBool) -> Impatient {
    let database = rusqlite::Connection::open(path).unwrap();
    database.busy_timeout(Duration::ZERO).unwrap();
    let mut writes = Impatient::default();
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let began = Instant::now();
        let row = "INSERT INTO blobs (name, size, touched_at) VALUES (?1, 0, '2026-01-01T00:00:00Z')";
        match database.execute(row, (format!("{number}"),)) {
            Ok(_) => writes.committed += 1,
            Err(error) => writes.refused.push(error),
        }
        writes.slowest = writes.slowest.max(began.elapsed());
    }
    writes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_large_database_refuses_nobody_a_write_for_a_moment() {
    const LARGE: i64 = 150 << 20;
    let world = World::with_a_file();
    let database = world.database();
    let filler = "CREATE TABLE filler (text TEXT); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 160000)
        INSERT INTO filler SELECT printf('%01000d', i) FROM n; PRAGMA wal_checkpoint(TRUNCATE)";
    database.execute_batch(filler).unwrap();
    let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let size: i64 = database.query_row(size, (), |row| row.get(0)).unwrap();
    assert!(size > LARGE, "{size} bytes");

    let (stop, path) = (Arc::new(AtomicBool::new(false)), world.database_path());
    let writer = std::thread::spawn({
        let stop = stop.clone();
        move || write_impatiently(&path, &stop)
    });
    let count = || database.query_row("SELECT count(*) FROM blobs", (), |row| row.get::<_, i64>(0)).unwrap();
    let began = Instant::now();
    let before = count();
    let manifest = backed_up(&world, &world.path("a.tar")).await;
    let (meanwhile, took) = (count() - before, began.elapsed());
    stop.store(true, Ordering::Relaxed);
    let writes = writer.join().unwrap();
    println!("{meanwhile} writes while {size} bytes were saved in {took:?}, the slowest in {:?}", writes.slowest);
    assert!(
        writes.refused.is_empty(),
        "{} of {}: {:?}",
        writes.refused.len(),
        writes.committed,
        writes.refused.first()
    );
    assert!(meanwhile >= 10, "{meanwhile} writes were committed while the backup was made");
    assert!(manifest.rows > 160_000);
}

#[tokio::test]
async fn a_backup_is_the_same_database_row_for_row() {
    let (world, other) = (World::with_a_file(), World::empty());
    world
        .database()
        .execute_batch("CREATE TABLE plain (x); INSERT INTO plain (rowid, x) VALUES (5, 'a'), (9, 'b')")
        .unwrap();
    let manifest = backed_up(&world, &world.path("a.tar")).await;
    assert_eq!((manifest.blobs, manifest.blob_bytes), (1, u64::try_from(CHUNK).unwrap() + 1));
    restore(&world.path("a.tar"), &other.installation(), false).await.unwrap();
    let numbers: String =
        other.database().query_row("SELECT group_concat(rowid || x) FROM plain", (), |row| row.get(0)).unwrap();
    assert_eq!(numbers, "5a,9b");
    let mode: String = other.database().query_row("PRAGMA journal_mode", (), |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    assert!(!other.path("restoring").exists());
}

#[tokio::test]
async fn a_restoration_that_breaks_off_leaves_the_old_state_or_the_new() {
    let backup = World::with_a_file();
    backed_up(&backup, &backup.path("a.tar")).await;
    for steps in 0..=3 {
        let world = World::with_a_file();
        world.add("second", 5);
        remove(&world.database(), &world.store(), "first");
        let installation = world.installation();
        let restoration = Restoration::prepare(&backup.path("a.tar"), &installation).unwrap();
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
        let expected = if steps > 1 { "first" } else { "second" };
        assert_eq!(world.names(), [expected], "after {steps} steps");
        let report = checked(&world).await;
        assert!(report.ok, "after {steps} steps: {report:?}");
        assert_eq!(report.unknown_keys, [0, 2, 1, 0][steps], "after {steps} steps");
        restore(&backup.path("a.tar"), &installation, true).await.unwrap();
        let report = checked(&world).await;
        assert!(report.ok && report.unknown_keys == 0, "again after {steps} steps: {report:?}");
        assert_eq!(world.names(), ["first"]);
        assert!(!world.path("restoring").exists());
    }
}

#[tokio::test]
async fn data_are_replaced_only_if_that_is_asked_for() {
    let (world, other) = (World::with_a_file(), World::with_a_file());
    let archive = world.path("a.tar");
    backed_up(&world, &archive).await;
    other.add("newer", 5);
    let refused = restore(&archive, &other.installation(), false).await.unwrap_err();
    assert!(refused.to_string().contains("--replace"), "{refused}");
    assert_eq!(other.names(), ["first", "newer"]);
    let reader = other.database();
    reader.execute_batch("BEGIN; SELECT count(*) FROM users").unwrap();
    let refused = restore(&archive, &other.installation(), true).await.unwrap_err();
    assert!(refused.to_string().contains("in use"), "{refused}");
    drop(reader);
    restore(&archive, &other.installation(), true).await.unwrap();
    assert_eq!(other.names(), ["first"]);
}

#[tokio::test]
async fn an_archive_that_is_damaged_changes_nothing() {
    let (world, other) = (World::with_a_file(), World::with_a_file());
    let archive = world.path("a.tar");
    let manifest = backed_up(&world, &archive).await;
    let length = std::fs::metadata(&archive).unwrap().len();
    let flip = |at: u64| {
        let mut file = std::fs::OpenOptions::new().read(true).write(true).open(&archive).unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[byte[0] ^ 1]).unwrap();
    };
    let database = manifest.parts[0].bytes;
    for at in [5, 512 * 4 + database / 2, length - 512 * 20] {
        flip(at);
        let refused = restore(&archive, &other.installation(), true).await;
        assert!(refused.is_err(), "with another byte at {at}");
        flip(at);
    }
    let whole = std::fs::read(&archive).unwrap();
    for part in [0, 100, 3000, whole.len() / 2, whole.len() - 200_000] {
        std::fs::write(world.path("part.tar"), &whole[..part]).unwrap();
        let refused = restore(&world.path("part.tar"), &other.installation(), true).await;
        assert!(refused.is_err(), "with {part} bytes");
    }
    other.add("still there", 5);
    assert_eq!(other.names(), ["first", "still there"]);
    assert!(checked(&other).await.unknown_keys == 0 && !other.path("restoring").exists());
    restore(&archive, &other.installation(), true).await.unwrap();
}

#[tokio::test]
async fn of_what_is_no_archive_nothing_is_told() {
    let world = World::empty();
    let file = world.path("passwords.txt");
    std::fs::write(&file, "hunter2 ".repeat(200)).unwrap();
    let refused = format!("{:#}", restore(&file, &world.installation(), false).await.unwrap_err());
    assert!(refused.contains("no archive of a backup") && !refused.contains("hunter2"), "{refused}");
}

#[tokio::test]
async fn a_newer_schema_is_refused_in_words() {
    let (world, other) = (World::with_a_file(), World::empty());
    let archive = world.path("a.tar");
    backed_up(&world, &archive).await;
    let newer = SCHEMA + 1;
    // The same archive, as a later release would make it.
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = crate::archive::unpack(std::fs::File::open(&archive).unwrap(), folder.path()).unwrap();
    (manifest.schema, manifest.version) = (newer, "9.9.9".to_owned());
    crate::archive::write(&manifest, folder.path(), std::fs::File::create(&archive).unwrap()).unwrap();
    let refused = restore(&archive, &other.installation(), false).await.unwrap_err().to_string();
    assert!(refused.contains("newer schema") && refused.contains("9.9.9"), "{refused}");

    world.database().pragma_update(None, "user_version", newer).unwrap();
    let destination = Destination::File(world.path("b.tar"));
    let refused = back_up(&world.installation(), VERSION, &destination).await.unwrap_err().to_string();
    assert!(refused.contains("newer schema"), "{refused}");
    assert!(!world.path("b.tar").exists());
    let report = checked(&world).await;
    assert!(!report.ok && report.lines()[0].contains("newer"), "{report:?}");
}

#[tokio::test]
async fn a_check_finds_what_is_missing_left_behind_or_broken() {
    let world = World::with_a_file();
    let report = checked(&world).await;
    assert!(report.ok && (report.blobs, report.unnamed_blobs, report.unknown_keys) == (1, 0, 0), "{report:?}");

    world.store().execute_batch("INSERT INTO spin_key_value VALUES ('default', 'other', x'00')").unwrap();
    world.add("unnamed", 5);
    world.database().execute_batch("DELETE FROM attachments WHERE filename = 'unnamed'").unwrap();
    let report = checked(&world).await;
    assert!(report.ok && (report.unnamed_blobs, report.unknown_keys) == (1, 1), "{report:?}");

    world.store().execute_batch("DELETE FROM spin_key_value WHERE key = 'blob/files/first/0'").unwrap();
    let report = checked(&world).await;
    assert!(!report.ok && report.missing == ["files/first"], "{report:?}");
    let manifest = backed_up(&world, &world.path("a.tar")).await;
    assert_eq!(manifest.missing_blobs, ["files/first"], "what was lost before is told, and the rest is saved");
    world.add("whole", 5);

    let broken =
        "PRAGMA foreign_keys = OFF; INSERT INTO account_admins (account_id, user_id, created_at) VALUES (1, 999, '')";
    world.database().execute_batch(broken).unwrap();
    assert_eq!(checked(&world).await.broken_references, 1);
}

#[tokio::test]
async fn damage_in_the_database_is_found() {
    let world = World::with_a_file();
    world.database().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let root: u64 = world
        .database()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'users_by_root_account'", (), |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
        .try_into()
        .unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(world.database_path()).unwrap();
    file.seek(SeekFrom::Start((root - 1) * 4096 + 8)).unwrap();
    file.write_all(&[0xff; 200]).unwrap();
    drop(file);
    let report = checked(&world).await;
    assert!(!report.ok && !report.damage.is_empty(), "{report:?}");

    let other = World::with_a_file();
    backed_up(&other, &other.path("a.tar")).await;
    std::fs::write(world.database_path(), vec![0xff; 8192]).unwrap();
    restore(&other.path("a.tar"), &world.installation(), true).await.unwrap();
    assert!(checked(&world).await.ok);
}

#[tokio::test]
async fn nothing_is_no_backup() {
    let world = World::empty();
    let destination = Destination::File(world.path("a.tar"));
    assert!(back_up(&world.installation(), VERSION, &destination).await.is_err());
    assert!(!world.database_path().exists() && names_of(&world).is_empty());
    assert!(check(&world.installation(), Depth::Quick).await.is_err());
}

fn names_of(world: &World) -> Vec<String> {
    let files = std::fs::read_dir(world.folder.path()).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn an_earlier_schema_is_backed_up_too() {
    let (world, other) = (World::empty(), World::empty());
    let first = include_str!("../../../shared/database/migrations/0001_directory.sql");
    world.database().execute_batch(first).unwrap();
    world.database().pragma_update(None, "user_version", 1).unwrap();
    assert_eq!(backed_up(&world, &world.path("a.tar")).await.schema, 1);
    restore(&world.path("a.tar"), &other.installation(), false).await.unwrap();
    let report = checked(&other).await;
    assert!(report.ok && report.schema == 1, "{report:?}");
}
