//! A store whose answers are lost when a test says so, and the rows of blobs in a database in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rusqlite::{Connection, Params};
use spin_sdk::key_value;
use types::clock::Timestamp;
use web::error::{Error, Result};

use super::registry::{Rows, sql};
use super::removal::Keys;

/// The tables of blobs, with those that name some.
const TABLES: &str = "
    CREATE TABLE blobs (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
        size INTEGER NOT NULL CHECK (size >= 0), touched_at TEXT NOT NULL,
        removing INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1))) STRICT;
    CREATE TABLE blob_totals (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, searched_to INTEGER NOT NULL) STRICT;
    INSERT INTO blob_totals VALUES (1, 0, 0);
    CREATE TABLE attachments (blob TEXT);
    CREATE TABLE media_objects (blob TEXT);
    CREATE TABLE sis_import_files (blob TEXT);
    CREATE TABLE sis_imports (upload TEXT, errors_blob TEXT);
    CREATE TABLE badge_images (name TEXT);";

/// The moment of the tests.
pub(super) fn now() -> Timestamp {
    types::clock::now()
}

/// A moment at which nothing can come any more.
pub(super) fn later() -> Timestamp {
    now().plus_seconds(3700)
}

/// What befalls a call.
enum Fate {
    /// It is refused, in these words.
    Refused(&'static str),
    /// It is done, and its answer lost.
    Done,
    /// Its answer is lost, and it may be done later.
    Pending,
}

/// The store and the rows, with the calls that were made of both.
pub(super) struct Scripted {
    database: Connection,
    keys: RefCell<BTreeMap<String, usize>>,
    log: RefCell<Vec<String>>,
    fates: RefCell<BTreeMap<String, Fate>>,
}

impl Default for Scripted {
    fn default() -> Self {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(TABLES).unwrap();
        Self { database, keys: RefCell::default(), log: RefCell::default(), fates: RefCell::default() }
    }
}

impl Scripted {
    /// The calls up to now, without those that only look.
    pub(super) fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }

    /// The number of keys.
    pub(super) fn keys(&self) -> usize {
        self.keys.borrow().len()
    }

    /// The rows: names, sizes, and if they are marked.
    pub(super) fn rows(&self) -> Vec<(String, usize, bool)> {
        let mut rows = self.database.prepare("SELECT name, size, removing FROM blobs ORDER BY id").unwrap();
        let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<_> {
            Ok((row.get(0)?, usize::try_from(row.get::<_, i64>(1)?).unwrap(), row.get(2)?))
        };
        rows.query_map((), row).unwrap().map(Result::unwrap).collect()
    }

    /// The blobs that the tick would remove at that moment because they are marked.
    pub(super) fn due(&self, now: Timestamp) -> Vec<String> {
        let sql = format!("SELECT b.name FROM blobs b WHERE ?1 AND {}", sql::IS_DUE);
        let mut rows = self.database.prepare(&sql).unwrap();
        rows.query_map((1, now.to_string()), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// The next such call is refused in these words, such as `set file/a/0`.
    pub(super) fn refuse(&self, call: &str, words: &'static str) {
        self.fates.borrow_mut().insert(call.to_owned(), Fate::Refused(words));
    }

    /// The answer of the next such call is lost, after it was done or before.
    pub(super) fn lose_answer_of(&self, call: &str, is_done: bool) {
        let fate = if is_done { Fate::Done } else { Fate::Pending };
        self.fates.borrow_mut().insert(call.to_owned(), fate);
    }

    /// A chunk comes that was under way.
    pub(super) fn deliver(&self, chunk: &str) {
        self.keys.borrow_mut().insert(format!("blob/{chunk}"), 1);
    }

    /// A record names the blob.
    pub(super) fn name(&self, blob: &str) {
        self.database.execute("INSERT INTO attachments VALUES (?1)", (blob,)).unwrap();
    }

    fn fate(&self, verb: &str, key: &str) -> Option<Fate> {
        let call = format!("{verb} {}", key.strip_prefix("blob/").unwrap_or(key));
        self.log.borrow_mut().push(call.clone());
        self.fates.borrow_mut().remove(&call)
    }

    /// Does something to the keys, unless the script says otherwise.
    fn act(
        &self,
        verb: &str,
        key: &str,
        act: impl FnOnce(&mut BTreeMap<String, usize>),
    ) -> Result<(), key_value::Error> {
        let lost = || Err(key_value::Error::Other("broken pipe".to_owned()));
        match self.fate(verb, key) {
            Some(Fate::Refused(words)) => Err(key_value::Error::Other(words.to_owned())),
            Some(Fate::Pending) => lost(),
            Some(Fate::Done) => {
                act(&mut self.keys.borrow_mut());
                lost()
            }
            None => {
                act(&mut self.keys.borrow_mut());
                Ok(())
            }
        }
    }

    /// The first value of the first row, if there is one.
    fn first(&self, verb: &str, name: &str, sql: &str, values: impl Params) -> Result<Option<usize>> {
        if self.fate(verb, name).is_some() {
            return Err(Error::internal(std::io::Error::other("the database is away")));
        }
        let mut statement = self.database.prepare(sql).unwrap();
        let mut rows = statement.query(values).unwrap();
        Ok(rows.next().unwrap().map(|row| usize::try_from(row.get::<_, i64>(0).unwrap()).unwrap()))
    }
}

fn count(bytes: usize) -> i64 {
    bytes.try_into().unwrap()
}

impl Keys for &Scripted {
    async fn set(&self, key: &str, value: &[u8]) -> Result<(), key_value::Error> {
        self.act("set", key, |keys| {
            keys.insert(key.to_owned(), value.len());
        })
    }

    async fn exists(&self, key: &str) -> Result<bool, key_value::Error> {
        Ok(self.keys.borrow().contains_key(key))
    }

    async fn delete(&self, key: &str) -> Result<(), key_value::Error> {
        self.act("delete", key, |keys| {
            keys.remove(key);
        })
    }
}

impl Rows for &Scripted {
    async fn insert(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        let none: Option<i64> = None;
        Ok(self.first("insert", name, sql::INSERT, (name, count(bytes), now.to_string(), none))?.is_some())
    }

    async fn resize(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        let none: Option<i64> = None;
        Ok(self.first("resize", name, sql::RESIZE, (name, count(bytes), now.to_string(), none))?.is_some())
    }

    async fn touch(&self, name: &str, now: Timestamp) -> Result<bool> {
        Ok(self.first("touch", name, sql::TOUCH, (name, now.to_string()))?.is_some())
    }

    async fn settle(&self, name: &str, bytes: usize, now: Timestamp) -> Result<bool> {
        Ok(self.first("settle", name, sql::SETTLE, (name, count(bytes), now.to_string()))?.is_some())
    }

    async fn mark(&self, name: &str, due: Timestamp) -> Result<Option<usize>> {
        self.first("mark", name, &sql::mark(), (name, due.to_string()))
    }

    async fn mark_unless_named(&self, name: &str, due: Timestamp) -> Result<Option<usize>> {
        self.first("mark", name, &sql::mark_unless_named(), (name, due.to_string()))
    }

    async fn doubt(&self, name: &str, bytes: usize, due: Timestamp) -> Result<()> {
        self.first("doubt", name, sql::DOUBT, (name, count(bytes), due.to_string())).map(drop)
    }

    async fn forget(&self, name: &str, now: Timestamp) -> Result<()> {
        self.first("forget", name, sql::FORGET, (name, now.to_string())).map(drop)
    }

    async fn erase(&self, name: &str) -> Result<()> {
        self.first("erase", name, sql::ERASE, (name,)).map(drop)
    }
}
