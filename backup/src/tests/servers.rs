//! A database on a libSQL server. The key-value store is a file here.

use std::time::Duration;

use hyper_014::client::HttpConnector;
use libsql_test_server::{Options, Server};
use tempfile::TempDir;

use super::{VERSION, World, make_tables};
use crate::{DatabasePlace, Depth, Destination, Installation, StorePlace, back_up, check, restore, server};

/// A server, and the store beside it.
struct Far {
    folder: TempDir,
    server: Server,
}

impl Far {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { transaction_timeout: Duration::from_millis(300), ..Options::default() };
        let server = Server::start(&folder.path().join("libsql.db"), "127.0.0.1:0", options).await.unwrap();
        Self { folder, server }
    }

    async fn database(&self) -> libsql::Database {
        let remote = libsql::Builder::new_remote(self.server.url.clone(), String::new());
        remote.connector(HttpConnector::new()).build().await.unwrap()
    }

    async fn installation(&self) -> Installation {
        Installation {
            database: DatabasePlace::Server(self.database().await),
            store: StorePlace::File(self.folder.path().join("store.db")),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_file_moves_to_a_server_and_back() {
    let (world, far, back) = (World::with_a_file(), Far::start().await, World::empty());
    world
        .database()
        .execute_batch("CREATE TABLE plain (x); INSERT INTO plain (rowid, x) VALUES (5, 'a'), (9, 'b')")
        .unwrap();
    let to = |name: &str| Destination::File(world.path(name));
    let first = back_up(&world.installation(), VERSION, &to("a.tar")).await.unwrap();
    restore(&world.path("a.tar"), &far.installation().await, false).await.unwrap();
    let refused = restore(&world.path("a.tar"), &far.installation().await, false).await.unwrap_err();
    assert!(refused.to_string().contains("not empty"), "{refused:#}");
    restore(&world.path("a.tar"), &far.installation().await, true).await.unwrap();
    let report = check(&far.installation().await, Depth::Full).await.unwrap();
    assert!(report.ok && report.blobs == 1, "{report:?}");
    let second = back_up(&far.installation().await, VERSION, &to("b.tar")).await.unwrap();
    assert_eq!((first.rows, first.blobs, first.schema), (second.rows, second.blobs, second.schema));
    restore(&world.path("b.tar"), &back.installation(), false).await.unwrap();
    for sql in [
        "SELECT group_concat(rowid || x) FROM plain",
        "SELECT group_concat(name || seq, ' ') FROM (SELECT * FROM sqlite_sequence ORDER BY name)",
        // The client writes a trigger in its own way: its spaces are others.
        "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)",
        "SELECT group_concat(uuid) FROM accounts",
    ] {
        let [one, other] =
            [&world, &back].map(|world| world.database().query_row(sql, (), |row| row.get::<_, String>(0)));
        assert_eq!(one.unwrap(), other.unwrap(), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_read_as_it_is_at_one_moment() {
    const PAIRS: &str = "SELECT (SELECT count(*) FROM a_first) - (SELECT count(*) FROM z_last)";
    let (world, far) = (World::with_a_file(), Far::start().await);
    // Both tables always have the same number of rows, and one is read long before the other.
    let tables = "CREATE TABLE a_first (x TEXT); CREATE TABLE z_last (x TEXT);
        CREATE TRIGGER both AFTER INSERT ON a_first BEGIN INSERT INTO z_last VALUES (new.x); END;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO a_first SELECT hex(randomblob(200)) FROM n";
    world.database().execute_batch(tables).unwrap();
    let to = Destination::File(world.path("a.tar"));
    back_up(&world.installation(), VERSION, &to).await.unwrap();
    restore(&world.path("a.tar"), &far.installation().await, false).await.unwrap();

    let writer = far.database().await.connect().unwrap();
    let writing = tokio::spawn(async move {
        for written in 0_u64.. {
            if writer.execute("INSERT INTO a_first VALUES ('new')", ()).await.is_err() || written > 100_000 {
                return written;
            }
            tokio::task::yield_now().await;
        }
        0
    });
    for _ in 0..3 {
        let mut file = rusqlite::Connection::open_in_memory().unwrap();
        server::download(&far.database().await.connect().unwrap(), &mut file).await.unwrap();
        let difference: i64 = file.query_row(PAIRS, (), |row| row.get(0)).unwrap();
        let rows: i64 = file.query_row("SELECT count(*) FROM a_first", (), |row| row.get(0)).unwrap();
        assert!(difference == 0 && rows >= 5000, "{difference} of {rows}");
    }
    assert!(!writing.is_finished());
    writing.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restoration_to_a_server_that_breaks_off_leaves_the_old_state() {
    let (world, far) = (World::with_a_file(), Far::start().await);
    let to = |name: &str| Destination::File(world.path(name));
    back_up(&world.installation(), VERSION, &to("a.tar")).await.unwrap();
    restore(&world.path("a.tar"), &far.installation().await, false).await.unwrap();
    let broken = rusqlite::Connection::open_in_memory().unwrap();
    make_tables(&broken);
    broken.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO pseudonyms (user_id, root_account_id, unique_id, created_at) VALUES (99, 1, 'x', '')").unwrap();
    let connection = far.database().await.connect().unwrap();
    assert!(server::upload(&broken, &connection).await.is_err());
    let report = check(&far.installation().await, Depth::Full).await.unwrap();
    assert!(report.ok && report.blobs == 1, "{report:?}");
}
