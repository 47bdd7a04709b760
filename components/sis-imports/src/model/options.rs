//! The way in which an import is to be done: as it is stored, and as it is asked for.

use serde::{Deserialize, Serialize};
use shared::ids::EnrollmentTermId;
use shared::{Error, JsonSchema, Result};

/// The most bytes of the name of a data set.
const MAX_IDENTIFIER_BYTES: usize = 128;

/// The way in which the import is to be done.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Options {
    pub(crate) override_sis_stickiness: bool,
    pub(crate) add_sis_stickiness: bool,
    pub(crate) clear_sis_stickiness: bool,
    pub(crate) skip_deletes: bool,
    /// True if what the import does not name is removed from its terms.
    pub(crate) batch_mode: Option<bool>,
    /// The term; null where the terms are those of the import's own file.
    pub(crate) batch_mode_term_id: Option<EnrollmentTermId>,
    pub(crate) multi_term_batch_mode: bool,
    pub(crate) batch_mode_enrollment_drop_status: Option<DropStatus>,
    pub(crate) diffing_data_set_identifier: Option<String>,
    pub(crate) diffing_remaster: bool,
    pub(crate) diffing_drop_status: Option<DropStatus>,
    pub(crate) diffing_user_remove_status: Option<UserRemoveStatus>,
    /// In percent: of the records of a term in batch mode, else of the size of the files.
    pub(crate) change_threshold: Option<u32>,
    pub(crate) diff_row_count_threshold: Option<u32>,
}

/// The state of an enrollment that is not named any more.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DropStatus {
    #[default]
    Deleted,
    Completed,
    Inactive,
}

/// The state of a user whose row is gone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserRemoveStatus {
    #[default]
    Deleted,
    Suspended,
}

impl UserRemoveStatus {
    /// As files and rows name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Suspended => "suspended",
        }
    }
}

impl DropStatus {
    /// As files and rows name it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Completed => "completed",
            Self::Inactive => "inactive",
        }
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct OptionsForm {
    /// `instructure_csv`.
    import_type: Option<String>,
    /// `csv` or `zip`, where the content type does not tell.
    extension: Option<String>,
    /// Values that somebody has changed here are overwritten; otherwise they stay.
    override_sis_stickiness: bool,
    /// Later imports leave what this one changes as if somebody had changed it here. Only with `override_sis_stickiness`.
    add_sis_stickiness: bool,
    /// Later imports overwrite the values that this one names. Only with `override_sis_stickiness`; wins over
    /// `add_sis_stickiness`.
    clear_sis_stickiness: bool,
    /// Rows that say that something is deleted are passed over.
    skip_deletes: bool,
    /// Courses, sections and enrollments that earlier imports have brought into the term, and that this one does not name,
    /// are removed: of these kinds those that it has files of.
    batch_mode: Option<bool>,
    /// The term, as an id or as `sis_term_id:X`.
    pub(crate) batch_mode_term_id: Option<String>,
    /// The terms are those of the import's file of terms. Needs `change_threshold`.
    multi_term_batch_mode: bool,
    /// `deleted` unless given.
    batch_mode_enrollment_drop_status: Option<String>,
    /// Only what differs from the last import with this identifier is applied. At most 128 bytes.
    diffing_data_set_identifier: Option<String>,
    /// All rows are applied, and the next import is compared with this one.
    diffing_remaster_data_set: bool,
    /// The state of enrollments whose rows are gone: `deleted` unless given.
    diffing_drop_status: Option<String>,
    /// The state of users whose rows are gone, `deleted` or `suspended`: `deleted` unless given.
    diffing_user_remove_status: Option<String>,
    /// With `batch_mode`: nothing is removed where that were more percent of the courses, sections or enrollments of the
    /// term. With an identifier: nothing is compared where the files are that many percent larger or smaller.
    change_threshold: Option<i64>,
    /// Nothing is compared where more rows differ; 0 is no limit.
    diff_row_count_threshold: Option<i64>,
}

impl OptionsForm {
    /// The options that are asked for, without the term, which only the database knows.
    pub(crate) fn into_options(self) -> Result<Options> {
        if self.import_type.as_deref().is_some_and(|kind| kind != "instructure_csv") {
            return Err(Error::bad_request("import_type must be instructure_csv"));
        }
        let extension = self.extension.as_deref().map(|extension| extension.trim_start_matches('.'));
        if extension.is_some_and(|extension| !matches!(extension, "csv" | "zip")) {
            return Err(Error::bad_request("extension must be csv or zip"));
        }
        let user_remove_status = match self.diffing_user_remove_status.as_deref() {
            None | Some("") => None,
            Some("deleted") => Some(UserRemoveStatus::Deleted),
            Some("suspended") => Some(UserRemoveStatus::Suspended),
            Some(_) => return Err(Error::bad_request("Invalid diffing_user_remove_status")),
        };
        let batch_mode = self.batch_mode == Some(true) || self.multi_term_batch_mode;
        let change_threshold = threshold("change_threshold", self.change_threshold)?;
        if self.multi_term_batch_mode && change_threshold.is_none() {
            return Err(Error::bad_request("change_threshold is required to use multi term_batch mode."));
        }
        let identifier = self.diffing_data_set_identifier.filter(|identifier| !identifier.is_empty());
        if batch_mode && identifier.is_some() {
            return Err(Error::bad_request("diffing_data_set_identifier cannot be used with batch_mode"));
        }
        if identifier.as_ref().is_some_and(|identifier| identifier.len() > MAX_IDENTIFIER_BYTES) {
            let why = format!("diffing_data_set_identifier is longer than {MAX_IDENTIFIER_BYTES} bytes");
            return Err(Error::bad_request(why));
        }
        let rows = threshold("diff_row_count_threshold", self.diff_row_count_threshold)?;
        let clear_sis_stickiness = self.override_sis_stickiness && self.clear_sis_stickiness;
        Ok(Options {
            override_sis_stickiness: self.override_sis_stickiness,
            add_sis_stickiness: self.override_sis_stickiness && self.add_sis_stickiness && !clear_sis_stickiness,
            clear_sis_stickiness,
            skip_deletes: self.skip_deletes,
            batch_mode: batch_mode.then_some(true).or(self.batch_mode),
            batch_mode_term_id: None,
            multi_term_batch_mode: self.multi_term_batch_mode,
            batch_mode_enrollment_drop_status: drop_status(
                "batch_mode_enrollment_drop_status",
                self.batch_mode_enrollment_drop_status,
            )?,
            diffing_remaster: identifier.is_some() && self.diffing_remaster_data_set,
            diffing_data_set_identifier: identifier,
            diffing_drop_status: drop_status("diffing_drop_status", self.diffing_drop_status)?,
            diffing_user_remove_status: user_remove_status,
            change_threshold,
            diff_row_count_threshold: rows.filter(|rows| *rows > 0),
        })
    }
}

fn threshold(field: &str, value: Option<i64>) -> Result<Option<u32>> {
    let read = value.map(u32::try_from).transpose();
    read.map_err(|_out_of_range| Error::bad_request(format!("{field} must be between 0 and {}", u32::MAX)))
}

fn drop_status(field: &str, word: Option<String>) -> Result<Option<DropStatus>> {
    match word.as_deref() {
        None | Some("") => Ok(None),
        Some("deleted") => Ok(Some(DropStatus::Deleted)),
        Some("completed") => Ok(Some(DropStatus::Completed)),
        Some("inactive") => Ok(Some(DropStatus::Inactive)),
        Some(_) => Err(Error::bad_request(format!("Invalid {field}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::params;

    use super::*;

    fn options_of(params: Value) -> Result<Options> {
        match params {
            Value::Object(params) => params::decode::<OptionsForm>(params)?.into_options(),
            _ => panic!("not an object"),
        }
    }

    #[test]
    fn options_are_read() {
        let options =
            options_of(json!({ "import_type": "instructure_csv", "skip_deletes": "true", "extension": "csv" }));
        assert_eq!(options.unwrap(), Options { skip_deletes: true, ..Options::default() });
        let options = options_of(json!({ "batch_mode": "0", "diffing_data_set_identifier": "" })).unwrap();
        assert_eq!(options, Options { batch_mode: Some(false), ..Options::default() });
        let options = options_of(json!({ "multi_term_batch_mode": "1", "change_threshold": "10" })).unwrap();
        assert_eq!((options.batch_mode, options.change_threshold), (Some(true), Some(10)));
        let options = options_of(json!({
            "diffing_data_set_identifier": "all", "diffing_remaster_data_set": true,
            "diffing_drop_status": "completed", "diff_row_count_threshold": "0",
            "diffing_user_remove_status": "suspended",
        }));
        let expected = Options {
            diffing_data_set_identifier: Some("all".to_owned()),
            diffing_remaster: true,
            diffing_drop_status: Some(DropStatus::Completed),
            diffing_user_remove_status: Some(UserRemoveStatus::Suspended),
            ..Options::default()
        };
        assert_eq!(options.unwrap(), expected);
    }

    #[test]
    fn stickiness_is_added_or_cleared_by_imports_that_override_it_alone() {
        for (given, [overrides, adds, clears]) in [
            (&["add", "clear"][..], [false, false, false]),
            (&["override"], [true, false, false]),
            (&["override", "add"], [true, true, false]),
            (&["override", "add", "clear"], [true, false, true]),
        ] {
            let params = given.iter().map(|word| (format!("{word}_sis_stickiness"), json!("1")));
            let options = options_of(Value::Object(params.collect())).unwrap();
            let done = [options.override_sis_stickiness, options.add_sis_stickiness, options.clear_sis_stickiness];
            assert_eq!(done, [overrides, adds, clears], "{given:?}");
        }
    }

    #[test]
    fn options_that_are_not_done_are_refused() {
        for params in [
            json!({ "import_type": "other" }),
            json!({ "extension": "xml" }),
            json!({ "multi_term_batch_mode": true }),
            json!({ "batch_mode": "1", "diffing_data_set_identifier": "users" }),
            json!({ "diffing_data_set_identifier": "x".repeat(129) }),
            json!({ "diffing_drop_status": "gone" }),
            json!({ "diffing_user_remove_status": "gone" }),
            json!({ "batch_mode_enrollment_drop_status": "gone" }),
            json!({ "change_threshold": "-1" }),
            json!({ "change_threshold": "many" }),
            json!({ "diff_row_count_threshold": "-1" }),
            json!({ "skip_deletes": "perhaps" }),
        ] {
            assert!(options_of(params.clone()).is_err(), "{params}");
        }
    }
}
