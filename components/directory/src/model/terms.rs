//! Terms, as they are answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::EnrollmentTermId;
use shared::{JsonSchema, Timestamp};

/// The part of a year in which courses are taught.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct EnrollmentTerm {
    pub(crate) id: EnrollmentTermId,
    pub(crate) name: String,
    pub(crate) sis_term_id: Option<String>,
    /// The import that named it last.
    pub(crate) sis_import_id: Option<i64>,
    pub(crate) start_at: Option<Timestamp>,
    pub(crate) end_at: Option<Timestamp>,
    /// `active` or `deleted`.
    pub(crate) workflow_state: String,
    /// Other dates for those who are enrolled in a way, such as `StudentEnrollment`.
    pub(crate) overrides: Json<BTreeMap<String, TermDates>>,
    pub(crate) created_at: Timestamp,
    /// The number of courses that are not deleted, where `include[]=course_count` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) course_count: Option<i64>,
}

/// The dates of a term for some of those who are enrolled.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct TermDates {
    pub(crate) start_at: Option<Timestamp>,
    pub(crate) end_at: Option<Timestamp>,
}

/// Which terms are listed.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TermState {
    Active,
    Deleted,
    All,
}
