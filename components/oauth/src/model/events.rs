//! Events: views.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::BuiltJson;
use shared::ids::UserId;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedUser {
    id: UserId,
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Linked {
    users: BuiltJson<Vec<LinkedUser>>,
}
