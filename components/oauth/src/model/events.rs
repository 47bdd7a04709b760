//! Events: rows and views.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::ids::UserId;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedUser {
    pub(crate) id: UserId,
    pub(crate) name: String,
}
