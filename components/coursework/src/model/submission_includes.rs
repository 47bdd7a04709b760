//! What is answered beside submissions.

use serde::Deserialize;
use shared::JsonSchema;

/// The records that are answered beside the submissions themselves, as the parameters of reads name them.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Include {
    /// `submission_history`, `submission_comments`, `user`, `assignment`, `course`; others are passed over.
    include: Vec<String>,
}

impl Include {
    /// The records that these words name.
    pub(crate) fn of(include: Vec<String>) -> Self {
        Self { include }
    }

    /// The comments alone.
    pub(crate) fn comments_alone() -> Self {
        Self::of(vec!["submission_comments".to_owned()])
    }

    /// True if nothing is asked for.
    pub(crate) fn is_plain(&self) -> bool {
        self.include.is_empty()
    }

    pub(crate) fn history(&self) -> bool {
        self.has("submission_history")
    }

    pub(crate) fn comments(&self) -> bool {
        self.has("submission_comments")
    }

    pub(crate) fn user(&self) -> bool {
        self.has("user")
    }

    pub(crate) fn assignment(&self) -> bool {
        self.has("assignment")
    }

    pub(crate) fn course(&self) -> bool {
        self.has("course")
    }

    fn has(&self, word: &str) -> bool {
        self.include.iter().any(|given| given == word)
    }
}
