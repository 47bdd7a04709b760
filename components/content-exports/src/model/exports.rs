//! Exports: rows and views.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;

use crate::model::select::Selection;

/// The kind of package, and the selection that is exported into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExportType {
    /// A course as a Common Cartridge.
    CommonCartridge,
    /// Quizzes.
    Qti,
    /// Files.
    Zip,
}

impl ExportType {
    /// As the API names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CommonCartridge => "common_cartridge",
            Self::Qti => "qti",
            Self::Zip => "zip",
        }
    }
}

/// The options beside the type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// The selection that is exported.
    pub(crate) select: Selection,
    /// True if what is hidden or closed goes into it.
    pub(crate) sees_all: bool,
    /// True if a Common Cartridge is one of version 1.1.
    pub(crate) old_cartridge: bool,
    /// True if quizzes are written in QTI 1.2.
    pub(crate) old_qti: bool,
    /// The service's address: what begins with it leads to files of ours.
    pub(crate) base: String,
}

/// A package that is whole.
pub(crate) struct WrittenPackage {
    /// The name under which it is downloaded.
    pub(crate) name: String,
    pub(crate) content_type: &'static str,
    /// The name of its bytes in the blob store.
    pub(crate) blob: String,
    pub(crate) size: i64,
}
