//! The ends of statements and transactions on a database that refuses some of them.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use futures::executor::block_on;

use super::migrate::LATEST;
use super::pool::forget_all;
use super::scripted::{executed, have_version, need_version, refuse};
use super::{Db, Error, Result, change_known, change_known_at_once, pool};

const EXPIRED: &str = r#"Hrana: `api error: `status=400 Bad Request, body={"message":"The stream has expired","code":"STREAM_EXPIRED"}``"#;
const UNIQUE: &str = r#"Hrana: `stream error: `Error { message: "SQLite error: UNIQUE constraint failed: a.b", code: "SQLITE_CONSTRAINT" }``"#;
const BROKEN: &str = "Hrana: `http error: `connection closed before message completed``";
const UNKNOWN: &str = "Hrana: `cursor error: `error at step 0: (error code: SQLITE_INTERRUPT)``";

/// A database with one idle connection, number 1.
fn database() -> Db {
    forget_all();
    let db = Db::default();
    block_on(db.execute("SELECT 0", ())).unwrap();
    executed();
    db
}

fn execute(db: &Db, sql: &str) -> Result<()> {
    block_on(db.execute(sql, ()))
}

/// A transaction of one statement.
fn change(db: &Db) -> Result<()> {
    block_on(db.transaction(async |db| db.execute("UPDATE a", ()).await))
}

#[test]
fn a_connection_is_kept_for_the_next_statement() {
    let db = database();
    execute(&db, "SELECT 1").unwrap();
    change(&db).unwrap();
    assert_eq!(executed(), ["1 SELECT 1", "1 BEGIN IMMEDIATE", "1 UPDATE a", "1 COMMIT"]);
}

#[test]
fn one_statement_has_no_transaction_around_it_and_several_have_one() {
    let db = database();
    for has_several in [false, true] {
        block_on(db.transaction_if(has_several, async |db| db.execute("UPDATE a", ()).await)).unwrap();
    }
    assert_eq!(executed(), ["1 UPDATE a", "1 BEGIN IMMEDIATE", "1 UPDATE a", "1 COMMIT"]);
}

#[test]
fn a_change_of_a_record_that_is_another_one_by_now_is_judged_anew() {
    let judged = RefCell::new(Vec::new());
    let change = async |known: i64| {
        judged.borrow_mut().push(known);
        Ok::<_, Error>((known == 2).then_some("changed"))
    };
    assert_eq!(block_on(change_known(1, async || Ok(2), change)).unwrap(), "changed");
    assert_eq!(*judged.borrow(), [1, 2]);
    let never = block_on(change_known(1, async || Ok(2), async |_: i64| Ok::<Option<()>, Error>(None)));
    assert!(matches!(never, Err(Error::NoRow)));
}

#[test]
fn a_change_of_one_statement_has_a_transaction_only_where_somebody_was_faster() {
    let db = database();
    let read_again = async |db: &Db| {
        db.execute("SELECT 2", ()).await?;
        Ok::<_, Error>(2)
    };
    for stored in [1, 2, 3] {
        let change = async |db: &Db, known: i64| {
            db.execute("UPDATE a", ()).await?;
            Ok::<_, Error>((known == stored).then_some(known))
        };
        let changed = block_on(change_known_at_once(&db, 1, read_again, change)).unwrap();
        assert_eq!(changed, Some(stored).filter(|stored| *stored < 3));
    }
    let again = ["1 UPDATE a", "1 BEGIN IMMEDIATE", "1 SELECT 2", "1 UPDATE a", "1 COMMIT"];
    assert_eq!(executed(), [&["1 UPDATE a"], &again[..], &again[..]].concat());
}

#[test]
fn a_statement_on_an_expired_connection_runs_once_more_on_a_new_one() {
    let db = database();
    refuse("UPDATE", EXPIRED);
    execute(&db, "UPDATE a").unwrap();
    execute(&db, "SELECT 1").unwrap();
    assert_eq!(executed(), ["1 UPDATE a", "1 closed", "2 UPDATE a", "2 SELECT 1"]);
}

#[test]
fn a_read_whose_answer_was_lost_runs_once_more_and_a_write_does_not() {
    let db = database();
    refuse("SELECT 1", BROKEN);
    execute(&db, "SELECT 1").unwrap();
    assert_eq!(executed(), ["1 SELECT 1", "1 closed", "2 SELECT 1"]);
    refuse("UPDATE", BROKEN);
    assert!(matches!(execute(&db, "UPDATE a"), Err(Error::Broken(_))));
    assert_eq!(executed(), ["2 UPDATE a", "2 closed"]);
}

#[test]
fn a_connection_that_breaks_leaves_doubt_about_a_commit_alone() {
    for statement in ["BEGIN", "UPDATE"] {
        let db = database();
        refuse(statement, BROKEN);
        assert!(matches!(change(&db), Err(Error::Expired)), "{statement}");
    }
    let db = database();
    refuse("COMMIT", BROKEN);
    assert!(matches!(change(&db), Err(Error::Broken(_))));
}

#[test]
fn what_expires_twice_is_not_tried_again() {
    let db = database();
    refuse("UPDATE", EXPIRED);
    refuse("UPDATE", EXPIRED);
    assert!(matches!(execute(&db, "UPDATE a"), Err(Error::Expired)));
    assert_eq!(executed(), ["1 UPDATE a", "1 closed", "2 UPDATE a", "2 closed"]);
}

#[test]
fn a_transaction_begins_on_a_new_connection_where_the_idle_one_has_expired() {
    let db = database();
    refuse("BEGIN", EXPIRED);
    change(&db).unwrap();
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 closed", "2 BEGIN IMMEDIATE", "2 UPDATE a", "2 COMMIT"]);
}

#[test]
fn nothing_of_a_transaction_runs_again() {
    for statement in ["UPDATE", "COMMIT"] {
        let db = database();
        refuse(statement, EXPIRED);
        refuse("ROLLBACK", EXPIRED);
        assert!(matches!(change(&db), Err(Error::Expired)));
        let executed = executed();
        assert_eq!(executed.last().map(String::as_str), Some("1 closed"));
        assert!(executed.iter().all(|line| line.starts_with('1')), "{executed:?}");
    }
}

#[test]
fn a_transaction_that_ends_in_an_error_is_rolled_back_and_its_connection_closed() {
    for (words, statement) in [(UNIQUE, "UPDATE"), (UNKNOWN, "UPDATE"), (UNIQUE, "COMMIT"), (UNKNOWN, "COMMIT")] {
        let db = database();
        refuse(statement, words);
        change(&db).unwrap_err();
        let executed = executed();
        let [.., before, last] = executed.as_slice() else { panic!("{executed:?}") };
        assert_eq!([before.as_str(), last], ["1 ROLLBACK", "1 closed"], "{statement} {words}");
    }
}

#[test]
fn work_that_fails_by_itself_is_rolled_back_and_its_connection_kept() {
    let db = database();
    block_on(db.transaction(async |_| Err::<(), _>(Error::NoRow))).unwrap_err();
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 ROLLBACK"]);
    refuse("ROLLBACK", UNKNOWN);
    block_on(db.transaction(async |_| Err::<(), _>(Error::NoRow))).unwrap_err();
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 ROLLBACK", "1 closed"]);
}

#[test]
fn a_transaction_may_go_on_after_a_broken_constraint() {
    let db = database();
    refuse("INSERT", UNIQUE);
    let work = db.transaction(async |db| {
        assert!(matches!(db.execute("INSERT INTO a", ()).await, Err(Error::Unique(columns)) if columns == "a.b"));
        db.execute("UPDATE a", ()).await
    });
    block_on(work).unwrap();
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 INSERT INTO a", "1 UPDATE a", "1 COMMIT", "1 closed"]);
}

#[test]
fn no_statement_runs_where_the_transaction_may_be_gone() {
    for words in [UNKNOWN, EXPIRED, "database or disk is full"] {
        let db = database();
        refuse("INSERT", words);
        let work = db.transaction(async |db| {
            db.execute("INSERT INTO a", ()).await.unwrap_err();
            db.execute("UPDATE a", ()).await.unwrap_err();
            Ok::<_, Error>(())
        });
        block_on(work).unwrap_err();
        assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 INSERT INTO a", "1 ROLLBACK", "1 closed"], "{words}");
    }
}

#[test]
fn a_transaction_whose_beginning_is_doubtful_is_rolled_back() {
    let db = database();
    refuse("BEGIN", UNKNOWN);
    change(&db).unwrap_err();
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 ROLLBACK", "1 closed"]);
}

#[test]
fn a_handle_that_outlives_its_transaction_commits_nothing() {
    let db = database();
    let mut kept = None;
    let work = db.transaction(async |db| {
        kept = Some(db.clone());
        Ok::<_, Error>(())
    });
    assert!(matches!(block_on(work), Err(Error::TransactionKept)));
    assert_eq!(executed(), ["1 BEGIN IMMEDIATE", "1 ROLLBACK"]);
    drop(kept);
    assert_eq!(executed(), ["1 closed"]);
}

#[test]
fn a_connection_that_was_idle_for_long_is_not_lent() {
    let db = database();
    let long_ago = Instant::now().checked_sub(Duration::from_secs(9)).unwrap();
    pool::idle_since(long_ago);
    execute(&db, "SELECT 1").unwrap();
    assert_eq!(executed(), ["1 closed", "2 SELECT 1"]);
}

#[test]
fn the_schema_is_made_on_a_server_that_keeps_its_log_as_it_likes() {
    forget_all();
    have_version(0);
    refuse("PRAGMA busy_timeout", "unsupported statement");
    refuse("PRAGMA journal_mode", "unsupported statement");
    execute(&Db::default(), "SELECT 1").unwrap();
    let executed = executed();
    assert_eq!(executed.get(..2).unwrap(), ["1 PRAGMA journal_mode = WAL", "1 BEGIN IMMEDIATE"]);
    assert!(executed.iter().all(|line| line.starts_with("1 ") && line != "1 closed"));
    assert_eq!(executed.get(executed.len() - 2..).unwrap(), ["1 COMMIT", "1 SELECT 1"]);
}

#[test]
fn each_migration_is_a_transaction_and_what_another_has_applied_is_left_out() {
    let transactions_of_versions = |version, is_file: bool| {
        forget_all();
        have_version(version);
        if !is_file {
            refuse("PRAGMA journal_mode", "unsupported statement");
        }
        execute(&Db::default(), "SELECT 1").unwrap();
        let executed = executed();
        let of = |statement| executed.iter().filter(|line| line.starts_with(statement)).count();
        assert_eq!((of("1 BEGIN"), of("1 BEGIN")), (of("1 PRAGMA user_version ="), of("1 COMMIT")));
        of("1 BEGIN")
    };
    let all = transactions_of_versions(0, false);
    assert!(all > 30);
    assert_eq!(transactions_of_versions(30, false), all - 30);
    assert_eq!(transactions_of_versions(30, true), all - 30);
    assert_eq!(transactions_of_versions(0, true), 1, "a new file is made at once");
}

#[test]
fn a_later_release_may_change_the_schema_beside_this_one_until_it_says_otherwise() {
    for (oldest, may_use) in [(None, true), (Some(LATEST), true), (Some(LATEST + 1), false)] {
        forget_all();
        have_version(LATEST + 2);
        oldest.into_iter().for_each(need_version);
        let answer = execute(&Db::default(), "SELECT 1");
        assert_eq!(answer.is_ok(), may_use, "{oldest:?}: {answer:?}");
        let executed = executed();
        assert!(executed.iter().all(|line| !line.contains("BEGIN")), "nothing is changed: {executed:?}");
        if let Err(error) = answer {
            let words = format!("the schema {}, which releases with the schema {LATEST} cannot use", LATEST + 2);
            assert!(error.to_string().contains(&words), "{error}");
        }
    }
}

#[test]
fn a_local_file_without_a_write_ahead_log_is_not_used() {
    forget_all();
    have_version(0);
    refuse("PRAGMA journal_mode", "attempt to write a readonly database");
    execute(&Db::default(), "SELECT 1").unwrap_err();
    assert_eq!(executed(), ["1 PRAGMA journal_mode = WAL", "1 closed"]);
}

#[test]
fn a_migration_that_fails_is_rolled_back_and_tried_again_by_the_next() {
    for (statement, words) in [("CREATE", UNKNOWN), ("PRAGMA user_version =", UNKNOWN), ("COMMIT", EXPIRED)] {
        forget_all();
        have_version(0);
        refuse(statement, words);
        execute(&Db::default(), "SELECT 1").unwrap_err();
        let first = executed();
        let [.., before, last] = first.as_slice() else { panic!("{first:?}") };
        assert_eq!([before.as_str(), last], ["1 ROLLBACK", "1 closed"], "{statement}");
        execute(&Db::default(), "SELECT 1").unwrap();
        let second = executed();
        assert_eq!(second.get(second.len() - 2..).unwrap(), ["2 COMMIT", "2 SELECT 1"], "{statement}");
    }
}
