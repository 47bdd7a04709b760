//! Materials, which are assessments as they are written, and their items.

use crate::resource::{
    AVAILABLE, Attribute, FilterValue, List, Parent, Record, Resource, SUBJECT, Scope, UPDATED_SINCE, by, column,
    computed, flag, nested,
};

/// The attributes of a material, wherever it is listed.
pub(crate) const MATERIAL: &[Attribute] = &[
    column("title"),
    column("description"),
    computed("total_score", "(SELECT sum(points) FROM mastery_items i WHERE i.material_id = r.id)"),
    column("privacy_level"),
    flag("draft"),
    flag("available"),
    column("created_at"),
    column("updated_at"),
    nested(
        "objective",
        "ifnull((SELECT json_object('id', CAST(o.id AS TEXT), 'name', o.name) FROM mastery_objectives o
                 WHERE o.id = r.objective_id), 'null')",
    ),
    nested(
        "subject",
        "ifnull((SELECT json_object('id', CAST(s.id AS TEXT), 'name', s.name) FROM mastery_subjects s
                 WHERE s.id = r.subject_id), 'null')",
    ),
    nested(
        "teacher",
        "ifnull((SELECT json_object('id', CAST(t.id AS TEXT), 'first_name', t.first_name, 'last_name', t.last_name)
                 FROM mastery_teachers t WHERE t.id = r.teacher_id), 'null')",
    ),
];

pub(crate) static MATERIALS: Resource = Resource {
    kind: "material",
    scope: "materials:read",
    table: "mastery_materials",
    attributes: MATERIAL,
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_materials",
        path: "/api/v2/materials",
        about: "Lists materials",
        parent: None,
        filters: &[
            SUBJECT,
            by("objective_id", FilterValue::Integer, "r.objective_id = ?", "Only those of this objective."),
            by("draft", FilterValue::Boolean, "r.draft = ?", "Only drafts, or only the others."),
            AVAILABLE,
            UPDATED_SINCE,
        ],
        sorts: &["title", "created_at", "updated_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_material",
        path: "/api/v2/materials/:id",
        about: "Reads a material with its items",
        parent: None,
        scope: Scope::District,
        also: &[nested(
            "items",
            "(SELECT json_group_array(json_object('id', CAST(id AS TEXT), 'item_type', item_type, 'points', points,
                                                  'objective', json(objective)))
              FROM (SELECT i.id, i.item_type, i.points,
                           ifnull((SELECT json_object('id', CAST(o.id AS TEXT), 'name', o.name)
                                   FROM mastery_objectives o WHERE o.id = i.objective_id), 'null') AS objective
                    FROM mastery_items i WHERE i.material_id = r.id ORDER BY i.position, i.id))",
        )],
    }],
};

pub(crate) static ITEMS: Resource = Resource {
    kind: "item",
    scope: "items:read",
    table: "mastery_items",
    attributes: &[
        column("item_type"),
        column("points"),
        column("position"),
        column("title"),
        column("dok"),
        nested(
            "objective",
            "ifnull((SELECT json_object('id', CAST(o.id AS TEXT), 'name', o.name) FROM mastery_objectives o
                     WHERE o.id = r.objective_id), 'null')",
        ),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("material", "material_id")],
    school: None,
    lists: &[List {
        id: "list_mastery_material_items",
        path: "/api/v2/materials/:material_id/items",
        about: "Lists the items of a material",
        parent: Some(Parent {
            parameter: "material_id",
            sql: "SELECT NULL AS school FROM mastery_materials WHERE id = ?1 AND district_id = reader.district",
            has_school: false,
        }),
        filters: &[],
        sorts: &["id"],
        scope: Scope::Where("r.material_id = ?1"),
    }],
    records: &[],
};
