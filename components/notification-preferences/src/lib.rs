//! Notification preferences: how often each channel of a user is told of each kind of event.

mod model;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!("notification-preferences", LmsErrors, [notification_preferences, notification_preference_categories]);
