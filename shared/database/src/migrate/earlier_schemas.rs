//! Databases of all earlier releases: each is brought to this one's schema with its rows.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::{MIGRATION_COUNT, migrations, new_database, statements};

/// The migrations of releases. Later ones may only add, or must say that releases before them cannot use the database.
const RELEASED: usize = 52;

/// The table by which a migration says so.
const COMPATIBILITY: &str = "schema_compatibility";

/// The tables whose rows no migration may touch.
const KEPT: [&str; 8] =
    ["accounts", "assignments", "course_sections", "courses", "enrollments", "pseudonyms", "quizzes", "users"];

/// Tables, indexes and triggers, as they are written.
const SCHEMA: &str = "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY type, name";

fn empty_database() -> Connection {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    database
}

/// A database with all migrations.
fn migrated_database() -> Connection {
    let database = empty_database();
    migrate(&database, 0, MIGRATION_COUNT);
    database
}

/// Applies migrations, each whole or not at all.
fn migrate(database: &Connection, from: usize, to: usize) {
    for (number, migration) in (1..).zip(migrations()).take(to).skip(from) {
        apply(database, &migration, number);
    }
}

fn apply(database: &Connection, sql: &str, version: usize) {
    database.execute_batch("SAVEPOINT migration").unwrap();
    for statement in statements(sql) {
        let applied = database.execute_batch(&statement);
        applied.unwrap_or_else(|error| panic!("schema {version}: {error}\n{statement}"));
    }
    database.execute_batch(&format!("PRAGMA user_version = {version}; RELEASE migration")).unwrap();
}

fn texts(database: &Connection, sql: &str) -> Vec<String> {
    let mut statement = database.prepare(sql).unwrap();
    let texts = statement.query_map((), |row| row.get(0)).unwrap();
    texts.map(Result::unwrap).collect()
}

fn count(database: &Connection, table: &str) -> i64 {
    database.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).unwrap()
}

const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid";

/// Puts a row into each empty table that takes one of values made up by the types of its columns. Answers how many tables
/// have rows then.
fn fill(database: &Connection) -> usize {
    let tables = texts(database, TABLES);
    // A row may need another that comes about later.
    for _ in 0..2 {
        for table in tables.iter().filter(|table| count(database, table) == 0) {
            let _taken = insert(database, table);
        }
    }
    tables.iter().filter(|table| count(database, table) > 0).count()
}

fn insert(database: &Connection, table: &str) -> bool {
    let sql: String =
        database.query_row("SELECT sql FROM sqlite_schema WHERE name = ?1", (table,), |row| row.get(0)).unwrap();
    let columns = "SELECT name, type FROM pragma_table_info(?1) WHERE \"notnull\" AND dflt_value IS NULL";
    let mut columns = database.prepare(columns).unwrap();
    let columns = columns.query_map((table,), |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let (names, values): (Vec<_>, Vec<_>) =
        columns.map(Result::unwrap).map(|(name, kind)| (name.clone(), value(&sql, &name, &kind))).unzip();
    if names.is_empty() {
        return false;
    }
    let marks = vec!["?"; names.len()].join(", ");
    let insert = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
    database.execute(&insert, params_from_iter(values)).is_ok()
}

/// A value for a column: the first that a check allows, a time, or a one, which is JSON and a number too.
fn value(table: &str, column: &str, kind: &str) -> Value {
    let allowed = table.split_once(&format!("{column} IN (")).map(|(_, rest)| rest.trim_start());
    let allowed = allowed.and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
    match (kind, allowed) {
        ("TEXT", Some((text, _))) => Value::Text(text.to_owned()),
        ("TEXT", None) if column.ends_with("_at") => Value::Text("2026-01-01T00:00:00Z".to_owned()),
        ("TEXT", None) => Value::Text("1".to_owned()),
        ("REAL", _) => Value::Real(1.0),
        ("BLOB", _) => Value::Blob(vec![1]),
        _ => Value::Integer(1),
    }
}

#[test]
fn a_database_of_every_earlier_schema_is_brought_up_to_date_with_its_rows() {
    let fresh = texts(&migrated_database(), SCHEMA);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for first in 0..processors {
            let share = (first..=MIGRATION_COUNT).step_by(processors);
            let fresh = &fresh;
            scope.spawn(move || {
                let (database, mut migrated) = (empty_database(), 0);
                for earlier in share {
                    migrate(&database, migrated, earlier);
                    migrated = earlier;
                    database.execute_batch("BEGIN").unwrap();
                    assert_brought_up_to_date(&database, earlier, fresh);
                    database.execute_batch("ROLLBACK").unwrap();
                }
            });
        }
    });
}

fn assert_brought_up_to_date(database: &Connection, earlier: usize, fresh: &[String]) {
    let filled = fill(database);
    let tables = texts(database, TABLES);
    assert!(filled * 10 >= tables.len() * 6, "schema {earlier}: {filled} of {} tables have rows", tables.len());
    let kept: Vec<_> = KEPT.into_iter().filter(|table| tables.iter().any(|name| name == table)).collect();
    let rows: Vec<_> = kept.iter().map(|table| count(database, table)).collect();
    migrate(database, earlier, MIGRATION_COUNT);
    assert_eq!(kept.iter().map(|table| count(database, table)).collect::<Vec<_>>(), rows, "schema {earlier}");
    assert_eq!(texts(database, SCHEMA), fresh, "schema {earlier}");
    assert_eq!(texts(database, "PRAGMA integrity_check"), ["ok"], "schema {earlier}");
    let broken = texts(database, "SELECT \"table\" FROM pragma_foreign_key_check");
    assert!(broken.is_empty(), "schema {earlier}: {broken:?}");
}

/// All rows of a table as text, but for when and by what chance they were made. A row may tell of its own times
/// again in other columns, as the record of a user does.
fn rows(database: &Connection, table: &str) -> Vec<String> {
    let columns = texts(database, &format!("SELECT name FROM pragma_table_info('{table}') WHERE name <> 'uuid'"));
    let (times, columns): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| column.ends_with("_at"));
    let timeless = |column: &String| {
        let value = times
            .iter()
            .fold(format!("quote({column})"), |value, time| format!("replace({value}, coalesce({time}, ''), '')"));
        format!("'{column} ', {value}")
    };
    let values: Vec<_> = columns.iter().map(timeless).collect();
    texts(database, &format!("SELECT concat_ws(' ', '', {}) AS shown FROM {table} ORDER BY shown", values.join(", ")))
}

#[test]
fn a_new_database_is_the_same_as_one_that_has_all_migrations() {
    let (migrated, new) = (migrated_database(), empty_database());
    // What tells the second of its making differs in the two then.
    std::thread::sleep(std::time::Duration::from_millis(1_001));
    apply(&new, &new_database(), MIGRATION_COUNT);
    let is_same = texts(&new, SCHEMA) == texts(&migrated, SCHEMA);
    assert!(is_same, "shared/database/schema.sql is stale: run `cargo xtask generate`");
    let mut all = 0;
    for table in texts(&new, TABLES) {
        let expected = rows(&migrated, &table);
        assert_eq!(rows(&new, &table), expected, "{table}: see shared/database/first_rows.sql");
        all += expected.len();
    }
    assert!(all >= 7, "{all} rows");
}

#[test]
fn sums_of_points_are_rounded_and_other_points_stay() {
    /// The schema before sums were rounded.
    const BEFORE: usize = 71;
    let database = empty_database();
    database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    migrate(&database, 0, BEFORE);
    let rows = "
        INSERT INTO assignments (root_account_id, course_id, name, points_possible, submission_types, created_at, updated_at)
        VALUES (1, 1, 'Essay', 0.12345678, '[]', '2026', '2026');
        INSERT INTO quizzes (id, root_account_id, course_id, title, quiz_type, last_edited_at, created_at, updated_at)
        VALUES (1, 1, 1, 'Sums', 'assignment', '2026', '2026', '2026');
        INSERT INTO quiz_questions (quiz_id, question_type, points_possible, created_at, updated_at)
        SELECT 1, 'essay_question', 0.1, '2026', '2026' FROM json_each('[1, 2, 3]')";
    database.execute_batch(rows).unwrap();
    let points = || -> Vec<f64> {
        let mut statement = database.prepare("SELECT points_possible FROM assignments ORDER BY id").unwrap();
        let points = statement.query_map((), |row| row.get(0)).unwrap();
        points.map(Result::unwrap).collect()
    };
    assert_eq!(points(), [0.12345678, 0.1 + 0.1 + 0.1]);
    migrate(&database, BEFORE, MIGRATION_COUNT);
    assert_eq!(points(), [0.12345678, 0.3]);
    database.execute_batch("UPDATE quizzes SET title = 'Tenths'").unwrap();
    assert_eq!(points(), [0.12345678, 0.3]);
}

/// A database of the schema before the users of deleted tenants were told nothing, with those rows and without their references.
fn before_messages_of_deleted_tenants(rows: &str) -> Connection {
    let database = empty_database();
    database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let before =
        migrations().iter().position(|migration| migration.contains("TRIGGER accounts_take_messages")).unwrap();
    migrate(&database, 0, before);
    database.execute_batch(rows).unwrap();
    migrate(&database, before, MIGRATION_COUNT);
    database
}

#[test]
fn one_channel_of_a_user_stays_told_by_default() {
    let database = before_messages_of_deleted_tenants(
        "INSERT INTO communication_channels
             (root_account_id, user_id, type, address, position, workflow_state, told_by_default, created_at, updated_at)
         VALUES (1, 7, 'push', 'push', 1, 'active', 1, '2026', '2026'),
                (1, 7, 'email', 'gone@c.test', 2, 'retired', 1, '2026', '2026'),
                (1, 7, 'email', 'new@c.test', 3, 'unconfirmed', 1, '2026', '2026'),
                (1, 7, 'email', 'first@c.test', 4, 'active', 1, '2026', '2026'),
                (1, 7, 'email', 'second@c.test', 5, 'active', 1, '2026', '2026'),
                (1, 7, 'email', 'never@c.test', 6, 'active', NULL, '2026', '2026'),
                (1, 8, 'sms', '+15550100', 1, 'active', 1, '2026', '2026')",
    );
    let told = "SELECT address FROM communication_channels WHERE told_by_default = 1 ORDER BY address";
    assert_eq!(texts(&database, told), ["+15550100", "first@c.test", "gone@c.test"]);
}

#[test]
fn users_of_a_deleted_tenant_are_told_nothing() {
    let database = before_messages_of_deleted_tenants(
        "INSERT INTO accounts (id, root_account_id, name, uuid, workflow_state, created_at, updated_at)
         VALUES (7, 7, 'Gone', 'a', 'deleted', '2026', '2026'), (8, 8, 'Going', 'b', 'active', '2026', '2026'),
                (9, 8, 'Department', 'c', 'active', '2026', '2026');
         INSERT INTO users (id, root_account_id, name, sortable_name, short_name, created_at, updated_at)
         VALUES (7, 7, 'Ada', 'Ada', 'Ada', '2026', '2026'), (8, 8, 'Ada', 'Ada', 'Ada', '2026', '2026');
         INSERT INTO communication_channels
             (id, root_account_id, user_id, type, address, position, workflow_state, created_at, updated_at)
         VALUES (7, 7, 7, 'email', 'ada@c.test', 1, 'active', '2026', '2026'),
                (8, 8, 8, 'email', 'ada@c.test', 1, 'active', '2026', '2026');
         INSERT INTO messages (root_account_id, channel_id, type, recipient, notification, subject, body, state, created_at)
         SELECT tenant.value, tenant.value, 'email', 'ada@c.test', 'summaries', state.value, '', state.value, '2026'
         FROM json_each('[7, 8]') AS tenant CROSS JOIN json_each('[\"gathered\", \"queued\", \"sent\"]') AS state",
    );
    let states = "SELECT concat(root_account_id, ' ', state) FROM messages ORDER BY 1";
    assert_eq!(texts(&database, states), ["7 dead", "7 sent", "8 gathered", "8 queued", "8 sent"]);
    database.execute_batch("UPDATE accounts SET workflow_state = 'deleted' WHERE id = 9").unwrap();
    assert_eq!(texts(&database, states).len(), 5);
    database.execute_batch("UPDATE accounts SET workflow_state = 'deleted' WHERE id = 8").unwrap();
    let left = ["7 dead", "7 sent", "8 dead", "8 sent"];
    assert_eq!(texts(&database, states), left);
    let another = "INSERT INTO messages
             (root_account_id, channel_id, type, recipient, notification, subject, body, created_at)
         VALUES (8, 8, 'email', 'ada@c.test', 'summaries', '', '', '2026')";
    database.execute_batch(another).unwrap();
    assert_eq!(texts(&database, states), left);
}

#[test]
fn a_migration_that_takes_something_away_says_that_earlier_releases_cannot_go_on() {
    for (number, migration) in (1..).zip(migrations()).skip(RELEASED) {
        let takes_away = ["DROP TABLE", "DROP COLUMN", "RENAME "].into_iter().any(|words| migration.contains(words));
        assert!(
            !takes_away || migration.contains(COMPATIBILITY),
            "migration {number} takes something away from releases that still run: see docs/UPGRADING.md"
        );
    }
}

#[test]
fn the_page_about_upgrading_tells_the_schema_of_the_last_release() {
    let page = std::fs::read_to_string("../../docs/UPGRADING.md").unwrap();
    let (_, table) = page.split_once("## Each release").unwrap();
    let last = table.lines().rfind(|line| line.starts_with("| ")).unwrap();
    let columns: Vec<_> = last.split('|').map(str::trim).collect();
    assert_eq!(columns[1..3], [env!("CARGO_PKG_VERSION"), &RELEASED.to_string()], "{last}");
}
