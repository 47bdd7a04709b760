//! Banks of questions, which may be shared with other districts.

use crate::resource::{FilterValue, List, NAME, Parent, Record, Resource, Scope, by, column};

const SHARED: &str = "(r.district_id = reader.district
    OR r.id IN (SELECT s.bank_id FROM mastery_bank_shares s WHERE s.shared_with_id = reader.district AND s.active))";

const OF_BANK: Parent = Parent {
    parameter: "bank_id",
    sql: "SELECT NULL AS school FROM mastery_banks r
          WHERE r.id = ?1 AND (r.district_id = reader.district
              OR r.id IN (SELECT s.bank_id FROM mastery_bank_shares s WHERE s.shared_with_id = reader.district AND s.active))",
    has_school: false,
};

pub(crate) static BANKS: Resource = Resource {
    kind: "bank",
    scope: "banks:read",
    table: "mastery_banks",
    attributes: &[column("name"), column("bank_type"), column("created_at"), column("updated_at")],
    relationships: &[],
    school: None,
    lists: &[List {
        id: "list_mastery_banks",
        path: "/api/v2/banks",
        about: "Lists the banks that the district owns or shares",
        parent: None,
        filters: &[by("bank_type", FilterValue::Integer, "r.bank_type = ?", "Only those of this type."), NAME],
        sorts: &["name", "created_at"],
        scope: Scope::Where(SHARED),
    }],
    records: &[Record {
        id: "get_mastery_bank",
        path: "/api/v2/banks/:id",
        about: "Reads a bank",
        parent: None,
        scope: Scope::Where(SHARED),
        also: &[],
    }],
};

pub(crate) static QUESTIONS: Resource = Resource {
    kind: "question",
    scope: "questions:read",
    table: "mastery_questions",
    attributes: &[
        column("item_type"),
        column("points"),
        column("stem"),
        column("objective_id"),
        column("dok"),
        column("passage_id"),
        column("created_at"),
        column("updated_at"),
    ],
    relationships: &[("bank", "bank_id"), ("passage", "passage_id")],
    school: None,
    lists: &[List {
        id: "list_mastery_bank_questions",
        path: "/api/v2/banks/:bank_id/questions",
        about: "Lists the questions of a bank",
        parent: Some(OF_BANK),
        filters: &[],
        sorts: &["created_at"],
        scope: Scope::Where("r.bank_id = ?1"),
    }],
    records: &[Record {
        id: "get_mastery_bank_question",
        path: "/api/v2/banks/:bank_id/questions/:id",
        about: "Reads a question of a bank",
        parent: Some(OF_BANK),
        scope: Scope::Where("r.bank_id = ?1"),
        also: &[],
    }],
};

pub(crate) static PASSAGES: Resource = Resource {
    kind: "passage",
    scope: "passages:read",
    table: "mastery_passages",
    attributes: &[column("title"), column("body"), column("created_at"), column("updated_at")],
    relationships: &[("bank", "bank_id")],
    school: None,
    lists: &[List {
        id: "list_mastery_bank_passages",
        path: "/api/v2/banks/:bank_id/passages",
        about: "Lists the passages of a bank",
        parent: Some(OF_BANK),
        filters: &[],
        sorts: &["created_at"],
        scope: Scope::Where("r.bank_id = ?1"),
    }],
    records: &[Record {
        id: "get_mastery_bank_passage",
        path: "/api/v2/banks/:bank_id/passages/:id",
        about: "Reads a passage of a bank",
        parent: Some(OF_BANK),
        scope: Scope::Where("r.bank_id = ?1"),
        also: &[],
    }],
};
