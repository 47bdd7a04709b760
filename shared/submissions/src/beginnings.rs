//! Work that may end its process is noted before it is begun: so it is known what was begun too often, and nobody begins what
//! somebody else is at.

use serde::Deserialize;
use shared::{Db, Timestamp, db};

/// The table of some work, and its columns of beginnings.
pub(crate) struct Beginnings {
    pub(crate) table: &'static str,
    pub(crate) number: &'static str,
    pub(crate) begun_at: &'static str,
    /// The condition that there is work.
    pub(crate) is_open: &'static str,
    /// The seconds for which nobody else begins what somebody has begun.
    pub(crate) lease: i64,
}

impl Beginnings {
    /// The condition that nobody has just begun the work, where the parameter is [`Self::lease_end`].
    pub(crate) fn is_free(&self, parameter: &str) -> String {
        let Self { number, begun_at, .. } = self;
        format!("({number} = 0 OR ifnull({begun_at} <= {parameter}, 1))")
    }

    /// What was begun up to then may be begun again.
    pub(crate) fn lease_end(&self, now: Timestamp) -> Timestamp {
        now.plus_seconds(-self.lease)
    }

    /// Notes that work begins. Answers how often it was begun by now; `None` where it is done, or somebody else is at it.
    pub(crate) async fn begin(&self, db: &Db, id: i64, now: Timestamp) -> db::Result<Option<i64>> {
        #[derive(Deserialize)]
        struct Begun {
            beginnings: i64,
        }
        let Self { table, number, begun_at, is_open, .. } = self;
        let sql = format!(
            "UPDATE {table} SET {number} = {number} + 1, {begun_at} = ?2 WHERE id = ?1 AND {is_open} AND {}
             RETURNING {number} AS beginnings",
            self.is_free("?3")
        );
        let begun: Option<Begun> = db.fetch(&sql, (id, now, self.lease_end(now))).await?;
        Ok(begun.map(|begun| begun.beginnings))
    }

    /// The last beginning does not count, because a server was away, but that there was one.
    pub(crate) async fn postpone(&self, db: &Db, id: i64) -> db::Result<()> {
        let Self { table, number, is_open, .. } = self;
        let sql = format!("UPDATE {table} SET {number} = max({number} - 1, 1) WHERE id = ?1 AND {is_open}");
        db.execute(&sql, (id,)).await
    }
}
