//! Communication channels: the addresses, telephones and devices on which users are told things.

mod model;
mod routes;
mod store;

use shared::{LmsErrors, component};

component!(
    "communication-channels",
    LmsErrors,
    [communication_channels, push, communication_channels::confirmation, register]
);
