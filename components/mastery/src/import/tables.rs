//! The kinds of records, in an order in which each finds what it refers to.

use crate::import::{Column, Kind, Table};

const fn needs(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true, default: "NULL" }
}

const fn may(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: false, default: "NULL" }
}

const fn or(name: &'static str, kind: Kind, default: &'static str) -> Column {
    Column { name, kind, required: false, default }
}

const SUBJECT: Kind = Kind::Reference("mastery_subjects");
const SCHOOL: Kind = Kind::Reference("mastery_schools");
const TEACHER: Kind = Kind::Reference("mastery_teachers");
const CLASSROOM: Kind = Kind::Reference("mastery_classrooms");
const OBJECTIVE: Kind = Kind::Reference("mastery_objectives");
const MATERIAL: Kind = Kind::Reference("mastery_materials");
const BANK: Kind = Kind::Reference("mastery_banks");

/// The points of the item, where a score does not say how many could be had.
const POINTS_OF_ITEM: &str = "ifnull((SELECT f.points FROM mastery_items f
    WHERE f.district_id = ?1 AND f.source_id = (j.value ->> 'item_id')), 0)";

pub(crate) static TABLES: [Table; 18] = [
    Table { name: "subjects", table: "mastery_subjects", columns: &[needs("name", Kind::Text)] },
    Table {
        name: "schools",
        table: "mastery_schools",
        columns: &[needs("name", Kind::Text), may("nces_school_id", Kind::Text)],
    },
    Table {
        name: "teachers",
        table: "mastery_teachers",
        columns: &[
            may("school_id", SCHOOL),
            may("first_name", Kind::Text),
            needs("last_name", Kind::Text),
            may("email", Kind::Text),
        ],
    },
    Table {
        name: "sections",
        table: "mastery_sections",
        columns: &[
            may("school_id", SCHOOL),
            needs("name", Kind::Text),
            may("period", Kind::Text),
            or("archived", Kind::Boolean, "0"),
        ],
    },
    Table {
        name: "classrooms",
        table: "mastery_classrooms",
        columns: &[
            may("school_id", SCHOOL),
            may("teacher_id", TEACHER),
            needs("title", Kind::Text),
            may("subject", Kind::Text),
            or("archived", Kind::Boolean, "0"),
        ],
    },
    Table {
        name: "objectives",
        table: "mastery_objectives",
        columns: &[
            may("subject_id", SUBJECT),
            needs("name", Kind::Text),
            may("description", Kind::Text),
            may("grade", Kind::Text),
        ],
    },
    Table {
        name: "class_objectives",
        table: "mastery_class_objectives",
        columns: &[
            needs("classroom_id", CLASSROOM),
            needs("objective_id", OBJECTIVE),
            needs("name", Kind::Text),
            may("class_objective_type", Kind::Text),
            or("available", Kind::Boolean, "1"),
        ],
    },
    Table {
        name: "materials",
        table: "mastery_materials",
        columns: &[
            may("subject_id", SUBJECT),
            may("objective_id", OBJECTIVE),
            may("teacher_id", TEACHER),
            may("title", Kind::Text),
            may("description", Kind::Text),
            or("privacy_level", Kind::Integer, "1"),
            or("draft", Kind::Boolean, "0"),
            or("available", Kind::Boolean, "1"),
        ],
    },
    Table {
        name: "items",
        table: "mastery_items",
        columns: &[
            needs("material_id", MATERIAL),
            may("objective_id", OBJECTIVE),
            needs("position", Kind::Integer),
            may("title", Kind::Text),
            may("item_type", Kind::Integer),
            may("points", Kind::Integer),
            may("dok", Kind::Integer),
            may(
                "question_id",
                Kind::Own("SELECT q.id FROM quiz_questions q JOIN quizzes z ON z.id = q.quiz_id WHERE q.id = {id}"),
            ),
        ],
    },
    Table {
        name: "banks",
        table: "mastery_banks",
        columns: &[needs("name", Kind::Text), or("bank_type", Kind::Integer, "1")],
    },
    Table {
        name: "bank_shares",
        table: "mastery_bank_shares",
        columns: &[needs("bank_id", BANK), needs("shared_with_id", Kind::District), or("active", Kind::Boolean, "1")],
    },
    Table {
        name: "passages",
        table: "mastery_passages",
        columns: &[needs("bank_id", BANK), may("title", Kind::Text), may("body", Kind::Text)],
    },
    Table {
        name: "questions",
        table: "mastery_questions",
        columns: &[
            needs("bank_id", BANK),
            may("objective_id", OBJECTIVE),
            may("passage_id", Kind::Reference("mastery_passages")),
            may("item_type", Kind::Integer),
            may("points", Kind::Integer),
            may("stem", Kind::Text),
            may("dok", Kind::Integer),
        ],
    },
    Table {
        name: "curriculum_maps",
        table: "mastery_curriculum_maps",
        columns: &[
            may("subject_id", SUBJECT),
            needs("title", Kind::Text),
            may("description", Kind::Text),
            or("privacy_level", Kind::Integer, "1"),
        ],
    },
    Table {
        name: "map_entries",
        table: "mastery_map_entries",
        columns: &[
            needs("curriculum_map_id", Kind::Reference("mastery_curriculum_maps")),
            may("objective_id", OBJECTIVE),
            may("material_id", MATERIAL),
        ],
    },
    Table {
        name: "pathways",
        table: "mastery_pathways",
        columns: &[may("subject_id", SUBJECT), needs("name", Kind::Text), or("available", Kind::Boolean, "1")],
    },
    Table {
        name: "assessments",
        table: "mastery_assessments",
        columns: &[
            needs("classroom_id", CLASSROOM),
            needs("material_id", MATERIAL),
            may("objective_id", OBJECTIVE),
            may("title", Kind::Text),
            may("quiz_id", Kind::Own("SELECT z.id FROM quizzes z WHERE z.id = {id}")),
        ],
    },
    Table {
        name: "item_scores",
        table: "mastery_item_scores",
        columns: &[
            needs("assessment_id", Kind::Reference("mastery_assessments")),
            needs("item_id", Kind::Reference("mastery_items")),
            needs("points_earned", Kind::Points),
            or("points_possible", Kind::Points, POINTS_OF_ITEM),
        ],
    },
];
