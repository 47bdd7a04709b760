//! What is answered beside submissions.

use serde::Deserialize;
use shared::JsonSchema;

/// The parameters of reads of submissions.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Including {
    /// `submission_history`, `submission_comments`, `user`, `assignment`, `course`; others are passed over.
    pub(crate) include: Vec<String>,
}

impl Including {
    /// True if nothing is asked for.
    pub(crate) fn is_plain(&self) -> bool {
        self.include.is_empty()
    }
}

/// The records that are answered beside the submissions themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Include {
    pub(crate) history: bool,
    pub(crate) comments: bool,
    pub(crate) user: bool,
    pub(crate) assignment: bool,
    pub(crate) course: bool,
}

impl Include {
    /// Reads `include[]`. A word in it that nobody knows is passed over.
    pub(crate) fn read(words: &[String]) -> Self {
        let has = |word: &str| words.iter().any(|given| given == word);
        Self {
            history: has("submission_history"),
            comments: has("submission_comments"),
            user: has("user"),
            assignment: has("assignment"),
            course: has("course"),
        }
    }
}
