//! Parts of the assertions of tools.

use serde::Deserialize;

/// For whom an assertion is.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    pub(crate) fn is(&self, address: &str) -> bool {
        match self {
            Self::One(one) => one == address,
            Self::Several(several) => several.iter().any(|one| one == address),
        }
    }
}
