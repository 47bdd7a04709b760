//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod notification_preference_categories;
pub(crate) mod notification_preferences;
