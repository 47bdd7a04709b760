//! Packages as a whole: written, checked against the public schemas, and read back.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests say what they expect")]

mod costs;
mod foreign;
mod forms;
mod hostile;
mod pictures;
mod round_trips;
mod sample;
mod schemas;
