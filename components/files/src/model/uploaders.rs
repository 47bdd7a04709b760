//! Those who have uploaded files.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::ids::UserId;

/// The name of a user.
#[derive(Deserialize)]
pub(crate) struct UserName {
    pub(crate) id: UserId,
    pub(crate) short_name: String,
}

/// A user as others see one.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Uploader {
    id: UserId,
    display_name: String,
    /// Null: users have no pictures.
    avatar_image_url: Option<String>,
    html_url: String,
}

impl Uploader {
    pub(crate) fn new(user: UserName, base_url: &str) -> Self {
        let html_url = format!("{base_url}/users/{}", user.id);
        Self { id: user.id, display_name: user.short_name, avatar_image_url: None, html_url }
    }
}
