//! SIS imports, as lists and answers show them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{AccountId, EnrollmentTermId, SisImportId, UserId};
use shared::{Error, JsonSchema, Result, Timestamp};

const MAX_FILTERED_STATES: usize = 100;

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
    /// The root account.
    pub(crate) account_id: AccountId,
    /// The states that it has changed, by the types of records.
    pub(crate) statistics: Json<Statistics>,
    pub(crate) batch_mode: Option<bool>,
    pub(crate) batch_mode_term_id: Option<EnrollmentTermId>,
    pub(crate) multi_term_batch_mode: bool,
    pub(crate) batch_mode_enrollment_drop_status: Option<String>,
    pub(crate) change_threshold: Option<i64>,
    pub(crate) skip_deletes: bool,
    pub(crate) override_sis_stickiness: bool,
    pub(crate) add_sis_stickiness: bool,
    pub(crate) clear_sis_stickiness: bool,
    pub(crate) diffing_data_set_identifier: Option<String>,
    pub(crate) diffing_remaster: bool,
    pub(crate) diffing_drop_status: Option<String>,
    pub(crate) diff_row_count_threshold: Option<i64>,
    /// True if all rows were applied because too much differed.
    pub(crate) diffing_threshold_exceeded: bool,
    /// The import that it was compared with.
    pub(crate) diffed_against_import_id: Option<SisImportId>,
    /// Its CSV files, as soon as they are known.
    pub(crate) csv_attachments: Json<Vec<CsvAttachment>>,
    /// What it has to say, as a CSV file: as soon as it has ended, if it has something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) errors_attachment: Option<Json<CsvAttachment>>,
    /// The user who sent it.
    pub(crate) user: Json<Sender>,
    /// The first 50 of the rows and files that were not taken: the file's name, and why.
    #[serde(skip_serializing_if = "nothing")]
    pub(crate) processing_errors: Json<Vec<(String, String)>>,
    /// The first 50 of what else there is to say.
    #[serde(skip_serializing_if = "nothing")]
    pub(crate) processing_warnings: Json<Vec<(String, String)>>,
}

impl SisImport {
    /// The import with whole addresses of its files. `base` is the service's address.
    pub(crate) fn with_addresses(mut self, base: &str) -> Self {
        let errors = self.errors_attachment.iter_mut().map(|errors| &mut errors.0);
        for file in self.csv_attachments.0.iter_mut().chain(errors).filter(|file| !file.url.is_empty()) {
            file.url.insert_str(0, base);
        }
        self
    }
}

/// A CSV file of an import, or the one of its messages.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CsvAttachment {
    pub(crate) id: i64,
    uuid: String,
    folder_id: Option<i64>,
    display_name: String,
    filename: String,
    /// `success`.
    upload_status: String,
    /// `text/csv`.
    #[serde(rename = "content-type")]
    content_type: String,
    /// The address of its bytes, for those who may see the import; blank where the file has passwords, and 30 days after the
    /// end of the import.
    url: String,
    /// In bytes.
    size: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
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

/// The numbers of states that an import has changed, by a row or by what follows from one.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Statistics {
    pub(crate) total_state_changes: i64,
    /// By types of records: `Account`, `EnrollmentTerm`, `User`, `Pseudonym`, `Course`, `CourseSection`, `Enrollment`, `Group`,
    /// `GroupMembership`.
    #[serde(flatten)]
    pub(crate) record_types: BTreeMap<String, Statistic>,
}

/// The numbers of states of one type of records.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Statistic {
    pub(crate) created: i64,
    /// Those that are completed now.
    pub(crate) concluded: i64,
    /// Enrollments that are inactive now.
    pub(crate) deactivated: i64,
    /// Those that were deleted, completed or inactive.
    pub(crate) restored: i64,
    pub(crate) deleted: i64,
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
    /// What it does not name is being removed.
    CleanupBatch,
    Imported,
    ImportedWithMessages,
    Failed,
    FailedWithMessages,
    Aborted,
    Restoring,
    PartiallyRestored,
    Restored,
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

/// Which states are restored: all of them, unless one of these is true.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct RestoreForm {
    /// Only what was removed because the import did not name it.
    pub(crate) batch_mode: bool,
    /// Only what was deleted.
    pub(crate) undelete_only: bool,
    /// Only enrollments that were completed.
    pub(crate) unconclude_only: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Aborted {
    pub(crate) aborted: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ImportFilter {
    /// Only those that were made at that time or later.
    pub(crate) created_since: Option<Timestamp>,
    /// Only those that were made at that time or before.
    pub(crate) created_before: Option<Timestamp>,
    /// Only those in one of these states.
    pub(crate) workflow_state: Vec<State>,
}

impl ImportFilter {
    /// 400 where it names too many states.
    pub(crate) fn require_few_states(&self) -> Result<()> {
        match self.workflow_state.len() {
            0..=MAX_FILTERED_STATES => Ok(()),
            _ => Err(Error::bad_request(format!("workflow_state has more than {MAX_FILTERED_STATES} values"))),
        }
    }
}

pub(crate) fn nothing<T>(list: &Json<Vec<T>>) -> bool {
    list.0.is_empty()
}
