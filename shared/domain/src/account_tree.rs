//! The tree of accounts, as parts of statements: whoever asks for an account asks for those above it or below it.
//!
//! A tree has few levels, and each costs one look-up in an index within the statement that asks: no table of all pairs
//! has to be kept right while accounts move. Nor is it a view: SQLite would make all pairs before it looks for one.

/// The ids of an account and of those above it, for `IN`; with columns, a table of `id` and `distance`.
///
/// The account is an expression of the statement around it; where it is null there is nothing above.
#[macro_export]
macro_rules! accounts_above {
    ($account:literal) => {
        $crate::accounts_above!($account, "id")
    };
    ($account:literal, $columns:literal) => {
        $crate::accounts_above!(@select $account, $columns, " FROM above")
    };
    (@select $account:literal, $($select:literal),+) => {
        concat!(
            "(WITH RECURSIVE above (id, distance) AS (
                 SELECT ",
            $account,
            ", 0
                 UNION ALL
                 SELECT parent.parent_account_id, distance + 1 FROM accounts parent, above
                 WHERE parent.id = above.id AND parent.parent_account_id IS NOT NULL
             )
             SELECT ",
            $($select,)+
            ")"
        )
    };
}

/// The ids of an account and of all below it, deleted ones too, for `IN`.
#[macro_export]
macro_rules! accounts_below {
    ($account:literal) => {
        concat!(
            "(WITH RECURSIVE below (id) AS (
                 SELECT ",
            $account,
            "
                 UNION ALL
                 SELECT child.id FROM accounts child JOIN below ON child.parent_account_id = below.id
             )
             SELECT id FROM below)"
        )
    };
}

/// True of a user who administers the account or one above it; both are expressions of the statement around it.
///
/// It is written flat, because it stands deep in other statements: libSQL servers read a hundred levels, and `IN` would be ten.
#[macro_export]
macro_rules! administers_account {
    ($user:literal, $account:literal) => {
        concat!(
            "EXISTS ",
            $crate::accounts_above!(
                @select $account,
                "1 FROM above, account_admins admins WHERE admins.account_id = above.id AND admins.user_id = ",
                $user
            )
        )
    };
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    /// 1 has 2 and 5 below it, 2 has 3, 3 has 4; user 7 administers 2.
    fn tree() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE accounts (id INTEGER PRIMARY KEY, parent_account_id INTEGER);
             INSERT INTO accounts VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, 1);
             CREATE TABLE account_admins (account_id INTEGER, user_id INTEGER);
             INSERT INTO account_admins VALUES (2, 7);
             CREATE TABLE courses (id INTEGER PRIMARY KEY, account_id INTEGER);
             INSERT INTO courses VALUES (1, 1), (2, 2), (3, 4), (4, 5), (5, NULL);",
        )
        .unwrap();
        db
    }

    fn ids(db: &Connection, sql: &str) -> Vec<i64> {
        let mut statement = db.prepare(sql).unwrap();
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    fn is_true(db: &Connection, condition: &str) -> bool {
        !ids(db, &format!("SELECT 1 WHERE {condition}")).is_empty()
    }

    #[test]
    fn an_account_is_followed_by_those_above_it() {
        let db = tree();
        let nearest_first = concat!("SELECT id FROM ", accounts_above!("4", "id, distance"), " ORDER BY distance");
        assert_eq!(ids(&db, nearest_first), [4, 3, 2, 1]);
        assert!(is_true(&db, concat!("2 IN ", accounts_above!("4"))));
        assert!(!is_true(&db, concat!("5 IN ", accounts_above!("4"))));
        assert!(!is_true(&db, concat!("1 IN ", accounts_above!("NULL"))));
    }

    #[test]
    fn an_account_that_moved_stands_under_its_new_parent_at_once() {
        let db = tree();
        db.execute_batch("UPDATE accounts SET parent_account_id = 5 WHERE id = 3").unwrap();
        assert!(is_true(&db, concat!("5 IN ", accounts_above!("4"))));
        assert!(!is_true(&db, concat!("2 IN ", accounts_above!("4"))));
        assert_eq!(ids(&db, concat!("SELECT id FROM accounts WHERE id IN ", accounts_below!("5"))), [3, 4, 5]);
    }

    #[test]
    fn accounts_below_are_those_of_every_level() {
        let db = tree();
        let of = |sql| ids(&db, sql);
        assert_eq!(of(concat!("SELECT id FROM accounts WHERE id IN ", accounts_below!("2"))), [2, 3, 4]);
        assert_eq!(of(concat!("SELECT id FROM accounts WHERE id IN ", accounts_below!("1"))), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn an_administrator_administers_what_stands_below() {
        let db = tree();
        let courses = concat!("SELECT id FROM courses WHERE ", administers_account!("7", "courses.account_id"));
        assert_eq!(ids(&db, courses), [2, 3]);
        assert!(!is_true(&db, administers_account!("8", "4")));
    }
}
