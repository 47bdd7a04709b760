//! Exports: what is chosen, what was written, and what the package could not say.

use content_packages::model::Report;
use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::selection::Selection;

/// The words of paths for the owners of exported content, and the kinds of these.
pub(crate) const OWNERS: [(&str, &str); 3] = [("courses", "Course"), ("groups", "Group"), ("users", "User")];

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
    /// What it could not say, or not as it was.
    pub(crate) issues: Vec<NewIssue>,
    /// True if only who asked for it may have it.
    pub(crate) is_private: bool,
}

/// One thing that a package could not say, or not as it was, as it is stored.
#[derive(Serialize)]
pub(crate) struct NewIssue {
    about: String,
    description: String,
}

/// One thing that a package could not say, or not as it was.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ExportIssue {
    /// Its number within the export.
    id: i64,
    /// Its subject: the title of a quiz or a question, the path of a file.
    about: String,
    /// What happened to it, and why.
    description: String,
}

/// The most issues that are kept of an export; the package tells more.
const MAX_ISSUES: usize = 500;
/// The most characters of a subject.
const MAX_ABOUT_CHARS: usize = 255;

impl NewIssue {
    /// The issues of a report, and a last one where there are more.
    pub(crate) fn of(report: &Report) -> Vec<Self> {
        let kept = report.notes.iter().take(MAX_ISSUES).map(|note| Self {
            about: note.about.chars().take(MAX_ABOUT_CHARS).collect(),
            description: note.message.clone(),
        });
        let more = report.notes.len().saturating_sub(MAX_ISSUES).saturating_add(report.more);
        let rest = (more > 0)
            .then(|| Self { about: "export-report.txt".to_owned(), description: format!("There are {more} more") });
        kept.chain(rest).collect()
    }
}
