//! Notification preferences: how often each channel of a user is told of each kind of event.

mod changes;
mod preferences;
mod store;

use shared::{Envelope, component};

component!("notification-preferences", Envelope::Lms, [preferences]);
