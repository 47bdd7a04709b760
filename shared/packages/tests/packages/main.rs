//! Packages as a whole: written, checked against the public schemas, and read back.

#![cfg(test)]

mod costs;
mod foreign;
mod forms;
mod hostile;
mod hot_spots;
mod kept;
mod media;
mod pictures;
mod references;
mod round_trips;
mod sample;
mod schemas;
mod settings;
mod states;
