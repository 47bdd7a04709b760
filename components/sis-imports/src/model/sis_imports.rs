//! Sis imports: rows and views.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{SisImportId, UserId};
use shared::{JsonSchema, Timestamp};

/// An import of CSV files.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SisImport {
    pub(crate) id: SisImportId,
    pub(crate) created_at: Timestamp,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) updated_at: Timestamp,
    /// The part of it that is done, in percent.
    pub(crate) progress: i64,
    pub(crate) workflow_state: State,
    pub(crate) data: Json<Data>,
    pub(crate) batch_mode: Option<bool>,
    pub(crate) batch_mode_term_id: Option<i64>,
    pub(crate) skip_deletes: bool,
    pub(crate) override_sis_stickiness: bool,
    pub(crate) add_sis_stickiness: bool,
    pub(crate) clear_sis_stickiness: bool,
    pub(crate) diffing_data_set_identifier: Option<String>,
    pub(crate) diffed_against_import_id: Option<SisImportId>,
    /// The user who sent it.
    pub(crate) user: Json<Sender>,
    /// The first 50 of the rows and files that were not taken: the file's name, and why.
    #[serde(skip_serializing_if = "nothing")]
    pub(crate) processing_errors: Json<Vec<(String, String)>>,
    /// The first 50 of what else there is to say.
    #[serde(skip_serializing_if = "nothing")]
    pub(crate) processing_warnings: Json<Vec<(String, String)>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Data {
    pub(crate) import_type: String,
    /// The kinds of its files, in the order in which they are imported.
    pub(crate) supplied_batches: Vec<String>,
    /// The number of rows of each kind that were taken.
    pub(crate) counts: Value,
    pub(crate) completed_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Sender {
    pub(crate) id: UserId,
    pub(crate) name: String,
}

/// The state of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Initializing,
    Created,
    Importing,
    Imported,
    ImportedWithMessages,
    Failed,
    FailedWithMessages,
    Aborted,
}

/// A message of an import about a row or a file.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SisImportError {
    pub(crate) id: i64,
    pub(crate) sis_import_id: SisImportId,
    pub(crate) file: Option<String>,
    /// The line of the file where the row begins.
    pub(crate) row: Option<i64>,
    pub(crate) message: String,
    /// The row's values.
    pub(crate) row_info: Option<String>,
    /// True if the row or file was passed over.
    pub(crate) failure: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Aborted {
    pub(crate) aborted: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ImportFilter {
    pub(crate) created_since: Option<Timestamp>,
    pub(crate) created_before: Option<Timestamp>,
    pub(crate) workflow_state: Vec<State>,
}

pub(crate) fn nothing<T>(list: &Json<Vec<T>>) -> bool {
    list.0.is_empty()
}
