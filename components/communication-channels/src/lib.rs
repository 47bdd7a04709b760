//! Communication channels: the addresses, telephones and devices on which users are told things.

mod channels;
mod confirmation;
mod pages;
mod push;
mod store;

use shared::{Envelope, component};

component!("communication-channels", Envelope::Lms, [channels, push, confirmation, pages]);
