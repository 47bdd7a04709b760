//! Communication channels: the addresses, telephones and devices on which users are told things.

mod routes;
mod store;

use shared::{Envelope, component};

component!(
    "communication-channels",
    Envelope::Lms,
    [communication_channels, push, communication_channels::confirmation, register]
);
