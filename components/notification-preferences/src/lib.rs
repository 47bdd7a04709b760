//! Notification preferences: how often each channel of a user is told of each kind of event.

mod model;
mod routes;
mod store;

use shared::{Envelope, component};

component!("notification-preferences", Envelope::Lms, [notification_preferences, notification_preference_categories]);
