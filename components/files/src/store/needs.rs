//! Records as paths name them, with what the caller may do with the files of their owner.

use std::ops::Deref;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::Result;
use shared::db::{Json, json_object};
use shared::files::Area;
use shared::needs::{Lookup, MatchedPath, Needed, Record, nested};

/// A record that a path names, and its owner.
pub(crate) type NeededInArea<T> = Needed<InArea<T>>;

/// A record that has an owner.
pub(crate) trait Owned: Record {
    /// The kind of its owner and the id, as expressions of the columns of its statement.
    const OWNER: [&'static str; 2];
}

/// A record, and what the caller may do with the files of its owner.
#[derive(Deserialize)]
#[serde(bound = "")]
pub(crate) struct InArea<T: DeserializeOwned> {
    area: Json<Area>,
    record: Json<T>,
}

impl<T: DeserializeOwned> InArea<T> {
    /// The owner.
    pub(crate) fn area(&self) -> &Area {
        &self.area.0
    }

    /// The owner, and the record itself.
    pub(crate) fn into_parts(self) -> (Area, T) {
        (self.area.0, self.record.0)
    }
}

impl<T: DeserializeOwned> Deref for InArea<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record.0
    }
}

impl<T: Owned> Record for InArea<T> {
    const IDS: &'static [&'static str] = T::IDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (records, values) = T::lookup(path)?.into_parts();
        let [kind, id] = T::OWNER;
        let area = nested::<Area>(&Area::by_owner("found.owner_kind", "found.owner_id")?)?;
        let record = json_object::<T>()?;
        // With limits SQLite makes each row once, instead of a column once for each time that it is mentioned.
        let sql = format!(
            "SELECT * FROM (
                 SELECT {area} AS area, {record} AS record
                 FROM (SELECT *, {kind} AS owner_kind, {id} AS owner_id FROM ({records}) LIMIT 1) found LIMIT 1
             ) WHERE area IS NOT NULL"
        );
        Ok(Lookup::new(sql, values))
    }
}
