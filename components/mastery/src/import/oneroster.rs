//! `OneRoster` 1.2 in CSV (and 1.1, whose users tell their role themselves): rows into records.
//!
//! Schools are organisations, teachers are users with that role, classes are sections and classrooms at once.

use serde_json::{Value, json};
use shared::csv::Row;

use crate::import::Entry;

/// The destination of the rows of a file: the name of a table, and whether records that are not there are made.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) table: &'static str,
    pub(crate) new: bool,
    pub(crate) entries: Vec<Entry>,
}

/// The files that are read, in the order in which they are.
pub(crate) const FILES: [&str; 5] = ["orgs", "roles", "users", "classes", "enrollments"];

/// The destination of the rows of that file.
pub(crate) fn targets(file: &str, rows: &[Row]) -> Vec<Target> {
    let of = |table, new, entries: Vec<Entry>| Target { table, new, entries };
    match file {
        "orgs" => vec![of("schools", true, rows.iter().filter(|row| is(row, "type", "school")).map(school).collect())],
        "roles" => {
            vec![of("teachers", true, rows.iter().filter(|row| is(row, "role", "teacher")).map(teaching).collect())]
        }
        "users" => {
            let (telling, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.get("role").is_some());
            let telling = telling.into_iter().filter(|row| is(row, "role", "teacher"));
            vec![
                of("teachers", true, telling.map(teacher).collect()),
                of("teachers", false, others.into_iter().map(teacher).collect()),
            ]
        }
        "classes" => vec![
            of("sections", true, rows.iter().map(section).collect()),
            of("classrooms", true, rows.iter().map(classroom).collect()),
        ],
        "enrollments" => {
            let teaching = rows.iter().filter(|row| is(row, "role", "teacher") && !is_gone(row));
            let (primary, others): (Vec<_>, Vec<_>) = teaching.partition(|row| is(row, "primary", "true"));
            // Whoever comes last stays: those who are named first among the teachers.
            vec![of("classrooms", false, others.into_iter().chain(primary).map(taught).collect())]
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

/// A teacher's place at a school; the teacher stands in another file.
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
        assert_eq!((users[1].new, users[1].entries.len()), (false, 1));
    }

    #[test]
    fn a_class_is_a_section_and_a_classroom() {
        let rows =
            [Row::of(2, &[("sourcedid", "c"), ("title", "Math 4"), ("status", "tobedeleted"), ("periods", "2")])];
        let both = targets("classes", &rows);
        assert_eq!((both[0].table, both[1].table), ("sections", "classrooms"));
        assert_eq!(both[1].entries[0].fields["archived"], true);
    }
}
