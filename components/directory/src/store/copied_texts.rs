//! The SQL that lets copied texts lead to what was copied with them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::{Db, db};

use crate::model::copied_links::{CopiedLinks, Form};

/// The most records that are changed in one go.
const RECORDS_AT_ONCE: u16 = 100;

/// A table, and which of its columns have texts with links.
struct Texts {
    table: &'static str,
    html: &'static [&'static str],
    json: &'static [&'static str],
}

const COURSES: &str = "courses";

const TEXTS: [Texts; 7] = [
    Texts { table: COURSES, html: &["syllabus_body", "public_description"], json: &[] },
    Texts { table: "wiki_pages", html: &["body"], json: &[] },
    Texts { table: "assignments", html: &["description"], json: &[] },
    Texts { table: "quizzes", html: &["description"], json: &[] },
    Texts {
        table: "quiz_questions",
        html: &["question_text", "correct_comments", "incorrect_comments", "neutral_comments"],
        json: &["answers", "question_data"],
    },
    Texts {
        table: "question_items",
        html: &["item_body"],
        json: &["feedback", "answer_feedback", "interaction_data", "scoring_data", "properties"],
    },
    Texts { table: "stimuli", html: &["body", "instructions", "source_url"], json: &[] },
];

/// The texts of a record that has a copy, which has the same.
#[derive(Deserialize)]
struct Copied {
    old_id: i64,
    new_id: i64,
    texts: Json<Vec<Option<String>>>,
}

/// The texts of a copy that become other ones; `None`: one that stays.
#[derive(Serialize)]
struct Changed {
    id: i64,
    texts: Vec<Option<String>>,
}

/// Lets the copied texts lead to the copies; those of the course itself, where its settings were copied. `db` is in a transaction in
/// which all is copied already.
pub(super) async fn lead_to_copies(db: &Db, mut links: CopiedLinks, has_settings: bool) -> db::Result<()> {
    for Link { kind, old_name, new_name } in copied_links(db).await? {
        links.add(kind, old_name, new_name);
    }
    for texts in copied(has_settings) {
        texts.lead_to_copies(db, &links).await?;
    }
    Ok(())
}

/// The files of the course that is copied to which the copied texts lead.
pub(super) async fn linked_files(db: &Db, links: &CopiedLinks, has_settings: bool) -> db::Result<BTreeSet<i64>> {
    let mut files = BTreeSet::new();
    for texts in copied(has_settings) {
        let next = texts.next_sql();
        let mut behind = 0;
        while let Some(records) = next_records(db, &next, links, behind).await? {
            behind = records.last().map_or(behind, |record| record.old_id);
            for Copied { texts: Json(own), .. } in records {
                for (text, form) in own.iter().zip(texts.forms()) {
                    files.extend(text.iter().flat_map(|text| links.files_in(text, form)));
                }
            }
        }
    }
    Ok(files)
}

fn copied(has_settings: bool) -> impl Iterator<Item = Texts> {
    TEXTS.into_iter().filter(move |texts| has_settings || texts.table != COURSES)
}

/// The next records behind that one; `None`: there are no more.
async fn next_records(db: &Db, next: &str, links: &CopiedLinks, behind: i64) -> db::Result<Option<Vec<Copied>>> {
    let parameters = (behind, links.course(), CopiedLinks::FILES, i64::from(RECORDS_AT_ONCE));
    let records: Vec<Copied> = db.fetch_all(next, parameters).await?;
    Ok(Some(records).filter(|records| !records.is_empty()))
}

#[derive(Deserialize)]
struct Link {
    kind: String,
    old_name: String,
    new_name: String,
}

/// What has a copy. A file that was not copied because another one has its name and place has that one in its stead.
async fn copied_links(db: &Db) -> db::Result<Vec<Link>> {
    let sql = "SELECT 'files' AS kind, CAST(r.id AS TEXT) AS old_name, CAST(o.id AS TEXT) AS new_name
        FROM copied_records f
        JOIN attachments r ON r.folder_id = f.old_id AND r.workflow_state = 'available'
        JOIN attachments o ON o.folder_id = f.new_id AND o.display_name = r.display_name COLLATE NOCASE
                           AND o.workflow_state = 'available'
        WHERE f.kind = 'folders'
        UNION ALL
        SELECT 'pages', r.url, p.url
        FROM copied_records m JOIN wiki_pages r ON r.id = m.old_id JOIN wiki_pages p ON p.id = m.new_id
        WHERE m.kind = 'wiki_pages'
        UNION ALL
        SELECT kind, CAST(old_id AS TEXT), CAST(new_id AS TEXT) FROM copied_records
        WHERE kind IN ('assignments', 'quizzes', 'folders')";
    db.fetch_all(sql, ()).await
}

impl Texts {
    async fn lead_to_copies(&self, db: &Db, links: &CopiedLinks) -> db::Result<()> {
        let (next, change) = (self.next_sql(), self.change_sql());
        let mut behind = 0;
        while let Some(records) = next_records(db, &next, links, behind).await? {
            let is_last = records.len() < usize::from(RECORDS_AT_ONCE);
            behind = records.last().map_or(behind, |record| record.old_id);
            let changed = records.into_iter().filter_map(|record| self.changed(record, links));
            let changed: Vec<_> = changed.collect();
            if !changed.is_empty() {
                db.execute(&change, (Json(changed),)).await?;
            }
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// The next records behind `?1` of which a text has `?2` or `?3`. The texts are read where they were copied from: what a course
    /// had of its own, and keeps because the other one has nothing, is none of them.
    fn next_sql(&self) -> String {
        let columns = self.each(|column, _| format!("r.{column}"), ", ");
        let may_change = self.each(|column, _| format!("instr(r.{column}, ?2) OR instr(r.{column}, ?3)"), " OR ");
        format!(
            "SELECT m.old_id, m.new_id, json_array({columns}) AS texts
             FROM copied_records m JOIN {table} r ON r.id = m.old_id
             WHERE m.kind = '{table}' AND m.old_id > ?1 AND ({may_change})
             ORDER BY m.old_id LIMIT ?4",
            table = self.table
        )
    }

    fn change_sql(&self) -> String {
        let table = self.table;
        let set =
            |column: &str, place| format!("{column} = ifnull(new.value ->> '$.texts[{place}]', {table}.{column})");
        let columns = self.each(set, ", ");
        format!("UPDATE {table} SET {columns} FROM json_each(?1) AS new WHERE {table}.id = new.value ->> 'id'")
    }

    fn each(&self, write: impl Fn(&str, usize) -> String, between: &str) -> String {
        let columns = self.html.iter().chain(self.json).enumerate();
        columns.map(|(place, column)| write(column, place)).collect::<Vec<_>>().join(between)
    }

    fn forms(&self) -> impl Iterator<Item = Form> {
        self.html.iter().map(|_| Form::Html).chain(self.json.iter().map(|_| Form::Json))
    }

    fn changed(&self, record: Copied, links: &CopiedLinks) -> Option<Changed> {
        let Copied { new_id, texts: Json(texts), .. } = record;
        let texts: Vec<_> =
            texts.into_iter().zip(self.forms()).map(|(text, form)| links.rewritten(&text?, form)).collect();
        texts.iter().any(Option::is_some).then_some(Changed { id: new_id, texts })
    }
}
