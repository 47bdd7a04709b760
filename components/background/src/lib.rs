//! Work that nobody waits for: what is due is sent, and the jobs of the areas are called for.

mod deliveries;
mod housekeeping;
mod messages;
mod tick;

use shared::{Envelope, component};

component!("background", Envelope::Lms, [messages, tick], internal: [tick::nudge()]);
