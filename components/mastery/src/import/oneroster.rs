//! `OneRoster` 1.2 in CSV (and 1.1, whose users tell their role themselves): rows into records.
//!
//! Schools are organisations, teachers are users with that role, classes are sections and classrooms at once. A line item is an
//! assessment of its class with a material of one item, and a result is a score of that item.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::csv::Row;

use crate::import::{Entry, Manner};

/// The destination of the rows of a file: the name of a table, and how its records are loaded.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) table: &'static str,
    pub(crate) manner: Manner,
    pub(crate) entries: Vec<Entry>,
}

/// The files that are read, in the order in which they are.
pub(crate) const FILES: [&str; 7] = ["orgs", "roles", "users", "classes", "enrollments", "lineItems", "results"];

/// The columns without which no row of that file can be loaded.
fn required(file: &str) -> &'static [&'static str] {
    match file {
        "orgs" => &["sourcedId", "name", "type"],
        "roles" => &["userSourcedId", "role"],
        "users" => &["sourcedId", "familyName"],
        "classes" => &["sourcedId", "title"],
        "enrollments" => &["classSourcedId", "userSourcedId", "role"],
        "lineItems" => &["sourcedId", "classSourcedId"],
        "results" => &["sourcedId", "lineItemSourcedId", "score"],
        _ => &[],
    }
}

/// Refuses a file without the columns that it needs, in words.
pub(crate) fn require_columns(file: &str, columns: &[String]) -> Result<(), String> {
    let is_missing = |name: &&str| !columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    let missing: Vec<_> = required(file).iter().copied().filter(is_missing).collect();
    match missing.as_slice() {
        [] => Ok(()),
        [column] => Err(format!("The column {column} is missing")),
        columns => Err(format!("The columns {} are missing", columns.join(", "))),
    }
}

/// Says why nothing of a row of that file is loaded, where a number is none that can count.
pub(crate) fn refusal(file: &str, row: &Row) -> Option<&'static str> {
    let is_right =
        |points: &str| points.trim().is_empty() || whole(points).trim().parse::<i32>().is_ok_and(|points| points >= 0);
    let is_negative = |score: &str| score.trim().parse::<f64>().is_ok_and(|score| score < 0.0);
    match file {
        "lineItems" if !is_gone(row) && !row.get("resultvaluemax").is_none_or(is_right) => {
            Some("resultValueMax is not a whole number of 0 or more")
        }
        "results" if is_scored(row) && row.get("score").is_some_and(is_negative) => Some("score is less than 0"),
        _ => None,
    }
}

/// The column that a field of a record comes from, where files may be without it.
fn column(file: &str, field: &str) -> Option<&'static str> {
    Some(match (file, field) {
        ("orgs", "nces_school_id") => "identifier",
        ("roles", "school_id") => "orgsourcedid",
        ("users", "first_name") => "givenname",
        ("users", "email") => "email",
        ("classes", "school_id") => "schoolsourcedid",
        ("classes", "period") => "periods",
        ("classes", "subject") => "subjects",
        ("classes", "archived") => "status",
        ("lineItems", "title") => "title",
        ("lineItems", "description") => "description",
        ("lineItems", "points") => "resultvaluemax",
        _ => return None,
    })
}

/// The targets without fields of which a file with these columns tells nothing: what was loaded before stays.
pub(crate) fn told(file: &str, columns: &[String], mut targets: Vec<Target>) -> Vec<Target> {
    let is_told = |field: &str| column(file, field).is_none_or(|name| columns.iter().any(|column| column == name));
    for entry in targets.iter_mut().flat_map(|target| &mut target.entries) {
        entry.fields.retain(|field, _| is_told(field));
    }
    targets
}

/// The classes and teachers of which a row so far was the primary one. A file is read in batches, and the rows of one class may
/// lie far apart.
#[derive(Default)]
pub(crate) struct Primaries(BTreeSet<String>);

impl Primaries {
    /// The rows without those of a teacher or a class that has a primary one, before or behind them.
    pub(crate) fn leading(&mut self, file: &str, mut rows: Vec<Row>) -> Vec<Row> {
        let (of, column, value) = match file {
            "roles" => ("usersourcedid", "roletype", "primary"),
            "enrollments" => ("classsourcedid", "primary", "true"),
            _ => return rows,
        };
        let is_primary = |row: &Row| is(row, "role", "teacher") && !is_gone(row) && is(row, column, value);
        let primary = rows.iter().filter(|row| is_primary(row));
        self.0.extend(primary.filter_map(|row| row.get(of).map(str::to_owned)));
        rows.retain(|row| is_primary(row) || !row.get(of).is_some_and(|id| self.0.contains(id)));
        rows
    }
}

/// The destination of the rows of that file.
pub(crate) fn targets(file: &str, rows: &[Row]) -> Vec<Target> {
    let of = |table, manner, entries: Vec<Entry>| Target { table, manner, entries };
    // Of what is gone only classes and results tell something of what was loaded before.
    let there = || rows.iter().filter(|row| !is_gone(row));
    match file {
        "orgs" => {
            vec![of("schools", Manner::WHOLE, there().filter(|row| is(row, "type", "school")).map(school).collect())]
        }
        "roles" => {
            let manner = Manner { once: &["last_name"], ..Manner::WHOLE };
            vec![of("teachers", manner, there().filter(|row| is(row, "role", "teacher")).map(teaching).collect())]
        }
        "users" => {
            let (telling, others): (Vec<_>, Vec<_>) = there().partition(|row| row.get("role").is_some());
            let telling = telling.into_iter().filter(|row| is(row, "role", "teacher"));
            vec![
                of("teachers", Manner::WHOLE, telling.map(teacher).collect()),
                of("teachers", Manner::KNOWN, others.into_iter().map(teacher).collect()),
            ]
        }
        "classes" => vec![
            of("sections", Manner::WHOLE, rows.iter().map(section).collect()),
            of("classrooms", Manner::WHOLE, rows.iter().map(classroom).collect()),
        ],
        "enrollments" => {
            let teaching = there().filter(|row| is(row, "role", "teacher"));
            vec![of("classrooms", Manner::KNOWN, teaching.map(taught).collect())]
        }
        "lineItems" => {
            let rows: Vec<_> = there().collect();
            let each = |entry: fn(&Row) -> Entry| rows.iter().map(|row| entry(row)).collect();
            vec![
                of("materials", Manner::WHOLE, each(material)),
                of("items", Manner::WHOLE, each(item)),
                of("assessments", Manner::WHOLE, each(assessment)),
            ]
        }
        "results" => {
            let (scored, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| is_scored(row));
            vec![
                of("item_scores", Manner::WHOLE, scored.into_iter().map(score).collect()),
                // One that was loaded counts no more.
                of("item_scores", Manner::KNOWN, others.into_iter().map(no_score).collect()),
            ]
        }
        _ => Vec::new(),
    }
}

/// The first of a list of ids.
fn first<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    row.get(column)?.split(',').next().map(str::trim)
}

fn is(row: &Row, column: &str, value: &str) -> bool {
    row.get(column).is_some_and(|text| text.eq_ignore_ascii_case(value))
}

fn is_gone(row: &Row) -> bool {
    is(row, "status", "tobedeleted")
}

fn entry(row: &Row, value: Value) -> Entry {
    let fields = match value {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    Entry { place: row.line, fields }
}

fn school(row: &Row) -> Entry {
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "name": row.get("name"), "nces_school_id": row.get("identifier"),
            "updated_at": row.get("datelastmodified"),
        }),
    )
}

/// A teacher's place at a school. The teacher stands in another file: until that comes, the id is the name.
fn teaching(row: &Row) -> Entry {
    let id = row.get("usersourcedid");
    entry(row, json!({"id": id, "last_name": id, "school_id": row.get("orgsourcedid")}))
}

fn teacher(row: &Row) -> Entry {
    let mut fields = json!({
        "id": row.get("sourcedid"), "first_name": row.get("givenname"), "last_name": row.get("familyname"),
        "email": row.get("email"), "updated_at": row.get("datelastmodified"),
    });
    let school = first(row, "orgsourcedids").or_else(|| first(row, "primaryorgsourcedid"));
    if let (Some(school), Some(fields)) = (school, fields.as_object_mut()) {
        fields.insert("school_id".to_owned(), school.into());
    }
    entry(row, fields)
}

fn section(row: &Row) -> Entry {
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "name": row.get("title"), "school_id": row.get("schoolsourcedid"),
            "period": row.get("periods"), "archived": is_gone(row), "updated_at": row.get("datelastmodified"),
        }),
    )
}

fn classroom(row: &Row) -> Entry {
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "title": row.get("title"), "school_id": row.get("schoolsourcedid"),
            "subject": first(row, "subjects"), "archived": is_gone(row), "updated_at": row.get("datelastmodified"),
        }),
    )
}

fn material(row: &Row) -> Entry {
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "title": row.get("title"), "description": row.get("description"),
            "updated_at": row.get("datelastmodified"),
        }),
    )
}

/// The one item of a line item's material.
fn item(row: &Row) -> Entry {
    let id = row.get("sourcedid");
    entry(
        row,
        json!({
            "id": id, "material_id": id, "position": 1, "title": row.get("title"),
            "points": row.get("resultvaluemax").map(whole), "updated_at": row.get("datelastmodified"),
        }),
    )
}

fn assessment(row: &Row) -> Entry {
    let id = row.get("sourcedid");
    entry(
        row,
        json!({
            "id": id, "classroom_id": row.get("classsourcedid"), "material_id": id, "title": row.get("title"),
            "updated_at": row.get("datelastmodified"),
        }),
    )
}

/// A whole number without the zeros behind its point, with which many systems write it.
fn whole(text: &str) -> &str {
    match text.trim().split_once('.') {
        Some((whole, rest)) if rest.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    }
}

/// True if a result has points that count.
fn is_scored(row: &Row) -> bool {
    let has_score = row.get("score").is_some_and(|score| !score.trim().is_empty());
    has_score && !is_gone(row) && !is(row, "scorestatus", "exempt") && !is(row, "scorestatus", "not submitted")
}

fn score(row: &Row) -> Entry {
    let line_item = row.get("lineitemsourcedid");
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "assessment_id": line_item, "item_id": line_item,
            "points_earned": row.get("score"), "points_possible": null, "updated_at": row.get("datelastmodified"),
        }),
    )
}

fn no_score(row: &Row) -> Entry {
    entry(
        row,
        json!({
            "id": row.get("sourcedid"), "points_earned": 0, "points_possible": 0,
            "updated_at": row.get("datelastmodified"),
        }),
    )
}

fn taught(row: &Row) -> Entry {
    entry(row, json!({"id": row.get("classsourcedid"), "teacher_id": row.get("usersourcedid")}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schools_and_teachers_are_taken() {
        let rows = [
            Row::of(2, &[("sourcedid", "1"), ("type", "district")]),
            Row::of(3, &[("sourcedid", "2"), ("type", "school")]),
        ];
        let schools = targets("orgs", &rows);
        assert_eq!(schools[0].entries.len(), 1);
        let rows = [
            Row::of(2, &[("sourcedid", "1"), ("role", "student")]),
            Row::of(3, &[("sourcedid", "2"), ("role", "teacher"), ("orgsourcedids", "s1,s2")]),
            Row::of(4, &[("sourcedid", "3")]),
        ];
        let users = targets("users", &rows);
        assert_eq!(users[0].entries[0].fields["school_id"], "s1");
        assert_eq!((users[1].manner.new, users[1].entries.len()), (false, 1));
    }

    #[test]
    fn a_record_that_is_gone_is_passed_over() {
        let gone = |fields: &[(&str, &str)]| Row::of(2, &[fields, &[("status", "toBeDeleted")]].concat());
        for (file, row) in [
            ("orgs", gone(&[("sourcedid", "1"), ("type", "school")])),
            ("roles", gone(&[("usersourcedid", "1"), ("role", "teacher")])),
            ("users", gone(&[("sourcedid", "1"), ("role", "teacher")])),
            ("users", gone(&[("sourcedid", "1")])),
            ("enrollments", gone(&[("classsourcedid", "c"), ("role", "teacher")])),
            ("lineItems", gone(&[("sourcedid", "1")])),
        ] {
            assert!(targets(file, &[row]).iter().all(|target| target.entries.is_empty()), "{file}");
        }
    }

    #[test]
    fn a_file_has_the_columns_without_which_no_row_is_loaded() {
        let columns = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
        for (file, names, refusal) in [
            ("orgs", "a,b", Err("The columns sourcedId, name, type are missing")),
            ("orgs", "type,sourcedid,name", Ok(())),
            ("results", "sourcedid,score", Err("The column lineItemSourcedId is missing")),
        ] {
            assert_eq!(require_columns(file, &columns(names)), refusal.map_err(str::to_owned), "{file} {names}");
        }
        assert!(FILES.iter().all(|file| !required(file).is_empty()));
    }

    #[test]
    fn a_line_item_is_an_assessment_with_one_item_and_a_result_its_score() {
        let rows = [
            Row::of(2, &[("sourcedid", "l"), ("title", "Test"), ("classsourcedid", "c"), ("resultvaluemax", "20.0")]),
            Row::of(3, &[("sourcedid", "gone"), ("status", "tobedeleted")]),
        ];
        let targets_of_line_items = targets("lineItems", &rows);
        let tables: Vec<_> = targets_of_line_items.iter().map(|target| (target.table, target.entries.len())).collect();
        assert_eq!(tables, [("materials", 1), ("items", 1), ("assessments", 1)]);
        assert_eq!(targets_of_line_items[1].entries[0].fields["points"], "20");
        assert_eq!(targets_of_line_items[2].entries[0].fields["classroom_id"], "c");
        let result =
            |line, fields: &[(&str, &str)]| Row::of(line, &[&[("sourcedid", "r"), ("score", "5")], fields].concat());
        let rows = [
            result(2, &[("lineitemsourcedid", "l"), ("scorestatus", "fully graded")]),
            result(3, &[("scorestatus", "exempt")]),
            result(4, &[("status", "tobedeleted")]),
            Row::of(5, &[("sourcedid", "r"), ("score", " ")]),
        ];
        let results = targets("results", &rows);
        assert_eq!((results[0].entries.len(), results[1].entries.len(), results[1].manner.new), (1, 3, false));
        assert_eq!(results[0].entries[0].fields["item_id"], "l");
        assert_eq!((whole("12.5"), whole("12."), whole("7")), ("12.5", "12", "7"));
    }

    #[test]
    fn a_row_whose_points_cannot_count_is_refused_whole() {
        let line_item = |max: &str| refusal("lineItems", &Row::of(2, &[("sourcedid", "l"), ("resultvaluemax", max)]));
        for max in ["", " ", "0", "20", "20.0", " 20.0 "] {
            assert_eq!(line_item(max), None, "{max}");
        }
        for max in ["x", "10.5", "-1", "-1.0", "2147483648", "1e2"] {
            assert_eq!(line_item(max), Some("resultValueMax is not a whole number of 0 or more"), "{max}");
        }
        let result = |score: &str, state: &str| {
            refusal("results", &Row::of(2, &[("sourcedid", "r"), ("score", score), ("scorestatus", state)]))
        };
        assert_eq!(result("-0.5", "fully graded"), Some("score is less than 0"));
        for (score, state) in [("0", "fully graded"), ("much", "fully graded"), ("", "exempt"), ("-1", "exempt")] {
            assert_eq!(result(score, state), None, "{score} {state}");
        }
        let gone = Row::of(2, &[("sourcedid", "l"), ("resultvaluemax", "x"), ("status", "tobedeleted")]);
        assert_eq!((refusal("lineItems", &gone), refusal("orgs", &gone)), (None, None));
    }

    #[test]
    fn a_class_is_a_section_and_a_classroom() {
        let rows =
            [Row::of(2, &[("sourcedid", "c"), ("title", "Math 4"), ("status", "tobedeleted"), ("periods", "2")])];
        let both = targets("classes", &rows);
        assert_eq!((both[0].table, both[1].table), ("sections", "classrooms"));
        assert_eq!(both[1].entries[0].fields["archived"], true);
    }

    #[test]
    fn a_field_without_its_column_is_not_told() {
        let columns = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
        let fields = |file: &str, names: &str| {
            let told =
                told(file, &columns(names), targets(file, &[Row::of(2, &[("sourcedid", "1"), ("type", "school")])]));
            told.into_iter()
                .map(|target| target.entries[0].fields.keys().cloned().collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert_eq!(fields("orgs", "sourcedid,name,type"), [["id", "name", "updated_at"]]);
        assert_eq!(fields("orgs", "sourcedid,name,type,identifier"), [["id", "name", "nces_school_id", "updated_at"]]);
        let classes = fields("classes", "sourcedid,title");
        assert_eq!(classes, [["id", "name", "updated_at"], ["id", "title", "updated_at"]]);
        assert!(!fields("lineItems", "sourcedid,classsourcedid")[1].contains(&"points".to_owned()));
    }

    #[test]
    fn the_primary_teacher_of_a_class_leads_across_batches() {
        let row = |class, user, primary| {
            let fields =
                [("classsourcedid", class), ("usersourcedid", user), ("primary", primary), ("role", "teacher")];
            Row::of(2, &fields)
        };
        let mut primaries = Primaries::default();
        let mut users = |rows: Vec<Row>| {
            let rows = primaries.leading("enrollments", rows);
            rows.iter().map(|row| row.get("usersourcedid").unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(users(vec![row("a", "1", "true"), row("a", "2", "false"), row("b", "3", "false")]), ["1", "3"]);
        assert_eq!(users(vec![row("a", "4", ""), row("b", "5", "true"), row("c", "6", "")]), ["5", "6"]);
        assert_eq!(users(vec![row("b", "7", "false")]), Vec::<String>::new());
    }
}
