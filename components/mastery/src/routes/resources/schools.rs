//! The district, its schools, and who teaches whom there.

use crate::resource::{
    ARCHIVED, FilterValue, List, Parent, Record, Resource, SCHOOL, Scope, by, column, computed, flag,
};

/// The caller's own district: the account.
pub(crate) static DISTRICTS: Resource = Resource {
    kind: "district",
    scope: "districts:read",
    table: "accounts",
    attributes: &[
        column("name"),
        computed("state", "NULL"),
        computed("created_at", "strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at)"),
        computed("updated_at", "strftime('%Y-%m-%dT%H:%M:%fZ', r.updated_at)"),
    ],
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_districts",
        path: "/api/v2/districts",
        about: "Lists the caller's district",
        parent: None,
        filters: &[],
        sorts: &[],
        scope: Scope::Where("r.id = reader.district"),
    }],
    records: &[Record {
        id: "get_mastery_district",
        path: "/api/v2/districts/:id",
        about: "Reads the caller's district",
        parent: None,
        scope: Scope::Where("r.id = reader.district"),
        also: &[],
    }],
};

const OF_DISTRICT: Parent = Parent {
    parameter: "district_id",
    sql: "SELECT NULL AS school FROM accounts WHERE id = ?1 AND id = reader.district",
    has_school: false,
};

pub(crate) static SCHOOLS: Resource = Resource {
    kind: "school",
    scope: "schools:read",
    table: "mastery_schools",
    attributes: &[
        column("name"),
        column("nces_school_id"),
        column("district_id"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("district", "district_id")],
    school: Some("r.id"),
    lists: &[List {
        id: "list_mastery_district_schools",
        path: "/api/v2/districts/:district_id/schools",
        about: "Lists the schools of the district",
        parent: Some(OF_DISTRICT),
        filters: &[by(
            "nces_school_id",
            FilterValue::Text,
            "r.nces_school_id = ?",
            "Only the school that has this number in the national register.",
        )],
        sorts: &["name", "created_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_district_school",
        path: "/api/v2/districts/:district_id/schools/:id",
        about: "Reads a school",
        parent: Some(OF_DISTRICT),
        scope: Scope::District,
        also: &[],
    }],
};

pub(crate) static TEACHERS: Resource = Resource {
    kind: "teacher",
    scope: "teachers:read",
    table: "mastery_teachers",
    attributes: &[
        column("first_name"),
        column("last_name"),
        column("email"),
        column("school_id"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("school", "school_id")],
    school: Some("r.school_id"),
    lists: &[List {
        id: "list_mastery_teachers",
        path: "/api/v2/teachers",
        about: "Lists teachers",
        parent: None,
        filters: &[SCHOOL],
        sorts: &["last_name", "created_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_teacher",
        path: "/api/v2/teachers/:id",
        about: "Reads a teacher",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};

/// Rosters, as they come from the student information system.
pub(crate) static SECTIONS: Resource = Resource {
    kind: "section",
    scope: "sections:read",
    table: "mastery_sections",
    attributes: &[
        column("name"),
        flag("archived"),
        column("school_id"),
        computed("sis_id", "r.source_id"),
        column("period"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("school", "school_id")],
    school: Some("r.school_id"),
    lists: &[List {
        id: "list_mastery_sections",
        path: "/api/v2/sections",
        about: "Lists sections",
        parent: None,
        filters: &[SCHOOL, ARCHIVED],
        sorts: &["name", "created_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_section",
        path: "/api/v2/sections/:id",
        about: "Reads a section",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};
