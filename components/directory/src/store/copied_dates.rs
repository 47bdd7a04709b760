//! The SQL that shifts or removes the dates of what was copied, in the transaction of the copy.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::date_shift::Shifter;
use shared::db::{IdRow, Json};
use shared::ids::FolderId;
use shared::{Db, db};

/// The number of records whose dates are read at once.
const RECORDS_AT_ONCE: i64 = 500;

/// A table whose records have dates.
struct Dates {
    table: &'static str,
    columns: &'static [&'static str],
    /// Those that stand in the settings.
    settings: &'static [&'static str],
}

const TABLES: [Dates; 4] = [
    Dates { table: "assignments", columns: &["due_at", "unlock_at", "lock_at"], settings: &[] },
    Dates {
        table: "quizzes",
        columns: &["due_at", "unlock_at", "lock_at"],
        settings: &["show_correct_answers_at", "hide_correct_answers_at"],
    },
    Dates { table: "folders", columns: &["unlock_at", "lock_at"], settings: &[] },
    Dates { table: "attachments", columns: &["unlock_at", "lock_at"], settings: &[] },
];

/// A copy and its dates, in the order of the table.
#[derive(Deserialize)]
struct Dated {
    /// The id of what it is a copy of.
    old_id: i64,
    id: i64,
    dates: Json<Vec<Option<String>>>,
}

/// The folder that was made last.
pub(super) async fn newest_folder(db: &Db) -> db::Result<FolderId> {
    let newest: IdRow<FolderId> = db.fetch_one("SELECT ifnull(max(id), 0) AS id FROM folders", ()).await?;
    Ok(newest.id)
}

/// Shifts the dates of all copies. Folders up to `known` were there before, and keep theirs.
pub(super) async fn shift(db: &Db, shifter: &Shifter, known: FolderId) -> db::Result<()> {
    for dates in TABLES {
        let (next, change) = (dates.next_sql(), dates.change_sql());
        let known = if dates.table == "folders" { known.0 } else { 0 };
        let mut behind = 0;
        loop {
            let records: Vec<Dated> = db.fetch_all(&next, (behind, known, RECORDS_AT_ONCE)).await?;
            let Some(last) = records.last() else { break };
            behind = last.old_id;
            let shifted = records.into_iter().map(|Dated { id, dates, .. }| {
                let dates = dates.0.into_iter().map(|date| json!(shifter.date(date)));
                [json!(id)].into_iter().chain(dates).collect::<Value>()
            });
            db.execute(&change, (Json(shifted.collect::<Value>()),)).await?;
        }
    }
    Ok(())
}

impl Dates {
    /// The next copies that have any date: `?1` is what the one before them is a copy of, and those up to `?2` were there before.
    fn next_sql(&self) -> String {
        let Self { table, columns, settings } = self;
        let own = columns.iter().map(|column| format!("r.{column}"));
        let dates: Vec<_> = own.chain(settings.iter().map(|name| format!("r.settings ->> '{name}'"))).collect();
        format!(
            "SELECT m.old_id, r.id, json_array({}) AS dates
             FROM copied_records m CROSS JOIN {table} r ON r.id = m.new_id
             WHERE m.kind = '{table}' AND m.old_id > ?1 AND m.new_id > ?2 AND coalesce({}, '') <> ''
             ORDER BY m.old_id LIMIT ?3",
            dates.join(", "),
            dates.join(", ")
        )
    }

    /// Writes lists of an id and its dates back.
    fn change_sql(&self) -> String {
        let Self { table, columns, settings } = self;
        let own = columns.iter().zip(1..).map(|(column, place)| format!("{column} = j.value ->> {place}"));
        let mut changes: Vec<_> = own.collect();
        let named = settings.iter().zip(columns.len() + 1..);
        let named: Vec<_> = named.map(|(name, place)| format!("'{name}', j.value ->> {place}")).collect();
        if !named.is_empty() {
            changes.push(format!("settings = json_patch(settings, json_object({}))", named.join(", ")));
        }
        format!("UPDATE {table} SET {} FROM json_each(?1) j WHERE {table}.id = j.value ->> 0", changes.join(", "))
    }
}
