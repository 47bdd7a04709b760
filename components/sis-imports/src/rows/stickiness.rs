//! Fields that somebody has changed in the product stick: the rows of an import that does not override them are read as if they
//! said what is so already. Triggers note which fields these are.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::Result;
use shared::csv::Row;
use shared::db::Json;

use crate::model::kind::Kind;
use crate::rows::Target;
use crate::rows::known::{login_of_row, record_known_as};

/// The records of a type that rows of a kind set, by the fields that stick.
struct RecordFields {
    record_type: &'static str,
    /// Each field with the columns of files that set it. The first alone has all of the value.
    fields: &'static [(&'static str, &'static [&'static str])],
    /// The fields of the rows' records that stick, with their values as files have them: of the tenant `?1` and the rows `?2`.
    /// Dates are blanks: a date that stays is none of the row's, which might be in another order with it.
    sql: &'static str,
}

/// A row, as the statements look for its record.
#[derive(Serialize)]
struct SoughtRow<'a> {
    place: usize,
    id: &'a str,
    login: Option<&'a str>,
}

/// A field of the record of a row that sticks.
#[derive(Deserialize)]
struct StickyField {
    place: usize,
    record_id: i64,
    field: String,
    /// Its value, as files have it; `None`: a blank leaves it as it is.
    value: Option<String>,
}

/// The values that stay, by the places of rows and by columns.
#[derive(Default)]
pub(super) struct KeptValues(BTreeMap<usize, Vec<(&'static str, Option<String>)>>);

impl KeptValues {
    /// True if something of that row's record stays.
    pub(super) fn names(&self, place: usize) -> bool {
        self.0.contains_key(&place)
    }

    /// The row with the values that stay.
    pub(super) fn applied<'a>(&self, place: usize, row: &'a Row) -> Cow<'a, Row> {
        let Some(values) = self.0.get(&place) else { return Cow::Borrowed(row) };
        let row = values.iter().fold(row.clone(), |row, (column, value)| row.with(column, value.as_deref()));
        Cow::Owned(row)
    }
}

impl RecordFields {
    fn columns(&self, field: &str) -> &'static [&'static str] {
        self.fields.iter().find(|(name, _)| *name == field).map_or(&[], |(_, columns)| *columns)
    }
}

/// The values that these rows do not change. An import that overrides what sticks has none, and clears the fields that its
/// rows name where it is to.
pub(super) async fn kept(into: &Target<'_>, kind: Kind, rows: &[Row]) -> Result<KeptValues> {
    let (overrides, clears) = (into.options.override_sis_stickiness, into.options.clear_sis_stickiness);
    let mut kept = KeptValues::default();
    if overrides && !clears {
        return Ok(kept);
    }
    let sought: Vec<_> = rows.iter().enumerate().filter_map(|(place, row)| sought(kind, place, row)).collect();
    if sought.is_empty() {
        return Ok(kept);
    }
    for records in records(kind) {
        let sticky: Vec<StickyField> = into.db.fetch_all(records.sql, (into.root, Json(&sought))).await?;
        if clears {
            clear(into, records, rows, &sticky).await?;
            continue;
        }
        for StickyField { place, field, value, .. } in sticky {
            if let Some(column) = records.columns(&field).first().copied() {
                kept.0.entry(place).or_default().push((column, value));
            }
        }
    }
    Ok(kept)
}

async fn clear(into: &Target<'_>, records: &RecordFields, rows: &[Row], sticky: &[StickyField]) -> Result<()> {
    let is_named = |sticky: &&StickyField| {
        let row = rows.get(sticky.place);
        row.is_some_and(|row| records.columns(&sticky.field).iter().any(|column| row.get(column).is_some()))
    };
    let named: Vec<_> =
        sticky.iter().filter(is_named).map(|sticky| (sticky.record_id, sticky.field.as_str())).collect();
    if named.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM sis_sticky_fields
         WHERE record_type = ?1 AND (record_id, field) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))";
    Ok(into.db.execute(sql, (records.record_type, Json(named))).await?)
}

/// Dates of a term for some of those who are enrolled are no dates of the term itself.
fn sought(kind: Kind, place: usize, row: &Row) -> Option<SoughtRow<'_>> {
    let column = match kind {
        Kind::Accounts => "account_id",
        Kind::Terms if row.get("date_override_enrollment_type").is_some() => return None,
        Kind::Terms => "term_id",
        Kind::Users => "user_id",
        Kind::Courses => "course_id",
        Kind::Sections | Kind::Xlists => "section_id",
        Kind::Groups => "group_id",
        Kind::Enrollments | Kind::GroupMemberships => return None,
    };
    Some(SoughtRow { place, id: row.get(column)?, login: row.get("login_id") })
}

fn records(kind: Kind) -> &'static [RecordFields] {
    match kind {
        Kind::Accounts => &ACCOUNTS,
        Kind::Terms => &TERMS,
        Kind::Users => &USERS,
        Kind::Courses => &COURSES,
        Kind::Sections => &SECTIONS,
        Kind::Xlists => &XLISTS,
        Kind::Groups => &GROUPS,
        Kind::Enrollments | Kind::GroupMemberships => &[],
    }
}

const ACCOUNTS: [RecordFields; 1] = [RecordFields {
    record_type: "Account",
    fields: &[("name", &["name"]), ("parent_account_id", &["parent_account_id"])],
    sql: concat!(
        "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'name' THEN a.name
                 WHEN 'parent_account_id' THEN (SELECT sis_account_id FROM accounts WHERE id = a.parent_account_id)
             END AS value
         FROM json_each(?2) r CROSS JOIN accounts a CROSS JOIN sis_sticky_fields s
         WHERE a.id = ",
        record_known_as!(Account, "r.value ->> 'id'"),
        " AND s.record_type = 'Account' AND s.record_id = a.id"
    ),
}];

const TERMS: [RecordFields; 1] = [RecordFields {
    record_type: "EnrollmentTerm",
    fields: &[("name", &["name"]), ("start_at", &["start_date"]), ("end_at", &["end_date"])],
    sql: concat!(
        "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'name' THEN t.name
             END AS value
         FROM json_each(?2) r CROSS JOIN enrollment_terms t CROSS JOIN sis_sticky_fields s
         WHERE t.id = ",
        record_known_as!(EnrollmentTerm, "r.value ->> 'id'"),
        " AND s.record_type = 'EnrollmentTerm' AND s.record_id = t.id"
    ),
}];

const USERS: [RecordFields; 2] = [
    RecordFields {
        record_type: "User",
        fields: &[
            ("name", &["full_name", "first_name", "last_name"]),
            ("sortable_name", &["sortable_name", "first_name", "last_name"]),
            ("short_name", &["short_name"]),
        ],
        sql: concat!(
            "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'name' THEN u.name WHEN 'sortable_name' THEN u.sortable_name WHEN 'short_name' THEN u.short_name
             END AS value
         FROM json_each(?2) r CROSS JOIN pseudonyms p CROSS JOIN users u CROSS JOIN sis_sticky_fields s
         WHERE p.id = ",
            login_of_row!(),
            " AND u.id = p.user_id AND s.record_type = 'User' AND s.record_id = u.id"
        ),
    },
    RecordFields {
        record_type: "Pseudonym",
        fields: &[("unique_id", &["login_id"]), ("workflow_state", &["status"])],
        sql: concat!(
            "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'unique_id' THEN p.unique_id
                 WHEN 'workflow_state' THEN iif(p.workflow_state = 'active' AND p.suspended, 'suspended', p.workflow_state)
             END AS value
         FROM json_each(?2) r CROSS JOIN pseudonyms p CROSS JOIN sis_sticky_fields s
         WHERE p.id = ",
            login_of_row!(),
            " AND s.record_type = 'Pseudonym' AND s.record_id = p.id"
        ),
    },
];

/// Of a course the account and the term have no values here: those are left as they are that a row does not name.
const COURSES: [RecordFields; 1] = [RecordFields {
    record_type: "Course",
    fields: &[
        ("name", &["long_name"]),
        ("course_code", &["short_name"]),
        ("account_id", &["account_id"]),
        ("enrollment_term_id", &["term_id"]),
        ("workflow_state", &["status"]),
        ("start_at", &["start_date"]),
        ("end_at", &["end_date"]),
    ],
    sql: concat!(
        "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'name' THEN c.name WHEN 'course_code' THEN c.course_code
                 WHEN 'workflow_state'
                 THEN iif(c.workflow_state IN ('unpublished', 'available'), 'active', c.workflow_state)
             END AS value
         FROM json_each(?2) r CROSS JOIN courses c CROSS JOIN sis_sticky_fields s
         WHERE c.id = ",
        record_known_as!(Course, "r.value ->> 'id'"),
        " AND s.record_type = 'Course' AND s.record_id = c.id"
    ),
}];

const SECTIONS: [RecordFields; 1] = [RecordFields {
    record_type: "CourseSection",
    fields: &[
        ("name", &["name"]),
        ("start_at", &["start_date"]),
        ("end_at", &["end_date"]),
        ("course_id", &["course_id"]),
    ],
    sql: concat!(
        "SELECT r.value ->> 'place' AS place, s.record_id, s.field, CASE s.field
                 WHEN 'name' THEN x.name
                 WHEN 'course_id' THEN (SELECT sis_course_id FROM courses
                                        WHERE id = ifnull(x.nonxlist_course_id, x.course_id))
             END AS value
         FROM json_each(?2) r CROSS JOIN course_sections x CROSS JOIN sis_sticky_fields s
         WHERE x.id = ",
        record_known_as!(CourseSection, "r.value ->> 'id'"),
        " AND s.record_type = 'CourseSection' AND s.record_id = x.id"
    ),
}];

/// A section whose course sticks is not taught in another one: its row is passed over.
const XLISTS: [RecordFields; 1] = [RecordFields {
    record_type: "CourseSection",
    fields: &[("course_id", &["xlist_course_id"])],
    sql: "SELECT r.value ->> 'place' AS place, s.record_id, s.field, NULL AS value
         FROM json_each(?2) r CROSS JOIN course_sections x CROSS JOIN sis_sticky_fields s
         WHERE x.root_account_id = ?1 AND x.sis_section_id = r.value ->> 'id' AND x.workflow_state <> 'deleted'
           AND s.record_type = 'CourseSection' AND s.record_id = x.id AND s.field = 'course_id'",
}];

const GROUPS: [RecordFields; 1] = [RecordFields {
    record_type: "Group",
    fields: &[("name", &["name"])],
    sql: concat!(
        "SELECT r.value ->> 'place' AS place, s.record_id, s.field, g.name AS value
         FROM json_each(?2) r CROSS JOIN groups g CROSS JOIN sis_sticky_fields s
         WHERE g.id = ",
        record_known_as!(Group, "r.value ->> 'id'"),
        " AND s.record_type = 'Group' AND s.record_id = g.id"
    ),
}];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_of_what_stays_what_is_so_already() {
        let row =
            Row::of(2, &[("course_id", "C1"), ("long_name", "Zoology"), ("term_id", "T1"), ("status", "deleted")]);
        let mut kept = KeptValues::default();
        kept.0.insert(3, vec![("long_name", Some("Botany".to_owned())), ("term_id", None)]);
        assert!(kept.names(3) && !kept.names(2));
        assert_eq!(*kept.applied(2, &row), row);
        let applied = kept.applied(3, &row);
        let values = ["course_id", "long_name", "term_id", "status"].map(|column| applied.get(column));
        assert_eq!(values, [Some("C1"), Some("Botany"), None, Some("deleted")]);
    }

    #[test]
    fn each_field_is_set_by_columns() {
        let kinds =
            [Kind::Accounts, Kind::Terms, Kind::Users, Kind::Courses, Kind::Sections, Kind::Xlists, Kind::Groups];
        for records in kinds.into_iter().flat_map(records) {
            for (field, columns) in records.fields {
                assert!(!columns.is_empty(), "{} {field}", records.record_type);
            }
        }
        let row = Row::of(2, &[("term_id", "T1"), ("date_override_enrollment_type", "StudentEnrollment")]);
        assert!(sought(Kind::Terms, 0, &row).is_none());
    }
}
