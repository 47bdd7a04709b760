//! The context of a subscription: an account, a course or an assignment at or below the account of the tool.

use shared::db::IdRow;
use shared::{Db, accounts_above, db};

use crate::model::contexts::Place;
use crate::model::tools::Tool;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    RootAccount,
    Account,
    Course,
    Assignment,
}

impl Kind {
    /// The kind of that name; the reference system says `root_account`, the contract `account`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "root_account" => Some(Self::RootAccount),
            "account" => Some(Self::Account),
            "course" => Some(Self::Course),
            "assignment" => Some(Self::Assignment),
            _ => None,
        }
    }

    /// Its account, by the id or uuid `?1`.
    fn sql(self) -> &'static str {
        match self {
            Self::RootAccount => {
                "SELECT id, id AS account FROM accounts
                 WHERE ((id = CAST(?1 AS INTEGER) AND CAST(id AS TEXT) = ?1) OR uuid = ?1) AND id = root_account_id AND workflow_state <> 'deleted'"
            }
            Self::Account => {
                "SELECT id, id AS account FROM accounts
                 WHERE ((id = CAST(?1 AS INTEGER) AND CAST(id AS TEXT) = ?1) OR uuid = ?1) AND workflow_state <> 'deleted'"
            }
            Self::Course => {
                "SELECT id, account_id AS account FROM courses
                 WHERE id = CAST(?1 AS INTEGER) AND CAST(id AS TEXT) = ?1 AND workflow_state <> 'deleted'"
            }
            Self::Assignment => {
                "SELECT a.id, c.account_id AS account FROM assignments a JOIN courses c ON c.id = a.course_id
                 WHERE a.id = CAST(?1 AS INTEGER) AND CAST(a.id AS TEXT) = ?1
                   AND a.workflow_state <> 'deleted' AND c.workflow_state <> 'deleted'"
            }
        }
    }
}

/// The context, if the tool is installed in it or above it.
pub(crate) async fn find(db: &Db, tool: &Tool, kind: Kind, id: &str) -> db::Result<Option<Place>> {
    let sql = format!("SELECT id FROM ({}) found WHERE ?2 IN {}", kind.sql(), accounts_above!("found.account"));
    let row: Option<IdRow<i64>> = db.fetch(&sql, (id, tool.account)).await?;
    let context_type = match kind {
        Kind::RootAccount | Kind::Account => "account",
        Kind::Course => "course",
        Kind::Assignment => "assignment",
    };
    Ok(row.map(|row| Place { context_type, id: row.id }))
}
