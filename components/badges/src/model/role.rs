//! The roles of staff, and what each may do.

use serde::{Deserialize, Serialize};
use shared::db::{Bind, Value};
use shared::{Error, JsonSchema, Result};

/// The roles of an issuer's staff: each may do more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Reads and awards.
    Staff,
    /// Changes the issuer, its classes and awards, too.
    Editor,
    /// Deletes the issuer, and says who its staff is, too.
    Owner,
}

impl Role {
    pub(crate) fn named(text: &str) -> Option<Self> {
        [Self::Staff, Self::Editor, Self::Owner].into_iter().find(|role| role.as_str() == text)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Staff => "staff",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// 404 unless the role is at least that one.
    pub(crate) fn require(self, least: Self) -> Result<()> {
        if self >= least { Ok(()) } else { Err(Error::not_found()) }
    }
}

impl Bind for Role {
    fn value(self) -> Value {
        Value::Text(self.as_str().to_owned())
    }
}
