//! Options: rows and views.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

/// The way in which the import is to be done.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Options {
    pub(crate) override_sis_stickiness: bool,
    pub(crate) add_sis_stickiness: bool,
    pub(crate) clear_sis_stickiness: bool,
    pub(crate) skip_deletes: bool,
}
