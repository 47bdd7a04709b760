//! Curriculum maps, what they lead through, and pathways.

use crate::resource::{AVAILABLE, FilterValue, List, Parent, Record, Resource, SUBJECT, Scope, by, column, flag};
use crate::routes::resources::classrooms::OBJECTIVE;
use crate::routes::resources::materials::MATERIAL;

const OF_MAP: Parent = Parent {
    parameter: "curriculum_map_id",
    sql: "SELECT NULL AS school FROM mastery_curriculum_maps WHERE id = ?1 AND district_id = reader.district",
    has_school: false,
};

pub(crate) static CURRICULUM_MAPS: Resource = Resource {
    kind: "curriculum_map",
    scope: "curriculum_maps:read",
    table: "mastery_curriculum_maps",
    attributes: &[
        column("title"),
        column("description"),
        column("privacy_level"),
        column("subject_id"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_curriculum_maps",
        path: "/api/v2/curriculum_maps",
        about: "Lists curriculum maps",
        parent: None,
        filters: &[by("privacy_level", FilterValue::Integer, "r.privacy_level = ?", "Only those of this level.")],
        sorts: &["title", "created_at", "updated_at"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_curriculum_map",
        path: "/api/v2/curriculum_maps/:id",
        about: "Reads a curriculum map",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};

pub(crate) static MAP_OBJECTIVES: Resource = Resource {
    kind: "objective",
    scope: "objectives:read",
    table: "mastery_objectives",
    attributes: OBJECTIVE,
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_curriculum_map_objectives",
        path: "/api/v2/curriculum_maps/:curriculum_map_id/objectives",
        about: "Lists the objectives of a curriculum map",
        parent: Some(OF_MAP),
        filters: &[],
        sorts: &["name", "created_at", "updated_at"],
        scope: Scope::Where("r.id IN (SELECT objective_id FROM mastery_map_entries WHERE curriculum_map_id = ?1)"),
    }],
    records: &[],
};

pub(crate) static MAP_MATERIALS: Resource = Resource {
    kind: "material",
    scope: "materials:read",
    table: "mastery_materials",
    attributes: MATERIAL,
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_curriculum_map_materials",
        path: "/api/v2/curriculum_maps/:curriculum_map_id/materials",
        about: "Lists the materials of a curriculum map",
        parent: Some(OF_MAP),
        filters: &[],
        sorts: &["title", "created_at", "updated_at"],
        scope: Scope::Where("r.id IN (SELECT material_id FROM mastery_map_entries WHERE curriculum_map_id = ?1)"),
    }],
    records: &[],
};

pub(crate) static PATHWAYS: Resource = Resource {
    kind: "pathway",
    scope: "pathways:read",
    table: "mastery_pathways",
    attributes: &[column("name"), flag("available"), column("subject_id"), column("created_at"), column("updated_at")],
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_pathways",
        path: "/api/v2/pathways",
        about: "Lists pathways",
        parent: None,
        filters: &[AVAILABLE, SUBJECT],
        sorts: &["name"],
        scope: Scope::District,
    }],
    records: &[Record {
        id: "get_mastery_pathway",
        path: "/api/v2/pathways/:id",
        about: "Reads a pathway",
        parent: None,
        scope: Scope::District,
        also: &[],
    }],
};
