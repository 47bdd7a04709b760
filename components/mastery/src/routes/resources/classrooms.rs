//! Classrooms, which are trackers too, and the objectives that are taught in them.

use crate::resource::{
    ARCHIVED, AVAILABLE, Attribute, FilterValue, List, Parent, Record, Resource, SCHOOL, Scope, by, column, flag,
};
use crate::store::readings::SCHOOL_OF_CLASSROOM;

pub(crate) static CLASSROOMS: Resource = Resource {
    kind: "classroom",
    scope: "classrooms:read",
    table: "mastery_classrooms",
    attributes: &[
        column("title"),
        flag("archived"),
        column("school_id"),
        column("teacher_id"),
        column("subject"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("school", "school_id"), ("teacher", "teacher_id")],
    school: Some("r.school_id"),
    lists: &[List {
        id: "list_mastery_classrooms",
        path: "/api/v2/classrooms",
        about: "Lists classrooms",
        parent: None,
        filters: &[
            SCHOOL,
            by("teacher_id", FilterValue::Integer, "r.teacher_id = ?", "Only those of this teacher."),
            ARCHIVED,
        ],
        sorts: &["title", "created_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_classroom",
        path: "/api/v2/classrooms/:id",
        about: "Reads a classroom",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};

/// The attributes of an objective, wherever it is listed.
pub(crate) const OBJECTIVE: &[Attribute] = &[
    column("name"),
    column("description"),
    column("grade"),
    column("subject_id"),
    column("created_at"),
    column("updated_at"),
];

pub(crate) static OBJECTIVES: Resource = Resource {
    kind: "objective",
    scope: "objectives:read",
    table: "mastery_objectives",
    attributes: OBJECTIVE,
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_classroom_objectives",
        path: "/api/v2/classrooms/:classroom_id/objectives",
        about: "Lists the objectives of a classroom",
        parent: Some(Parent { parameter: "classroom_id", sql: SCHOOL_OF_CLASSROOM, has_school: true }),
        filters: &[],
        sorts: &["name", "created_at"],
        scope: Scope::Where(
            "r.id IN (SELECT objective_id FROM mastery_class_objectives WHERE classroom_id = ?1) AND r.district_id = reader.district",
        ),
    }],
    records: &[],
};

/// An objective that is taught in a classroom.
pub(crate) static CLASS_OBJECTIVES: Resource = Resource {
    kind: "class_objective",
    scope: "class_objectives:read",
    table: "mastery_class_objectives",
    attributes: &[
        column("name"),
        flag("available"),
        column("class_objective_type"),
        column("classroom_id"),
        column("objective_id"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("classroom", "classroom_id"), ("objective", "objective_id")],
    school: Some("(SELECT school_id FROM mastery_classrooms WHERE id = r.classroom_id)"),
    lists: &[List {
        id: "list_mastery_class_objectives",
        path: "/api/v2/class_objectives",
        about: "Lists the objectives that are taught in classrooms",
        parent: None,
        filters: &[
            AVAILABLE,
            by("class_objective_type", FilterValue::Text, "r.class_objective_type = ?", "Only those of this type."),
        ],
        sorts: &["name"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_class_objective",
        path: "/api/v2/class_objectives/:id",
        about: "Reads an objective that is taught in a classroom",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};
