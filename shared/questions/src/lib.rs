//! The questions of new quizzes: how each of the thirteen types is written down, checked and stored.

pub mod address;
#[cfg(not(target_arch = "wasm32"))]
pub mod described;
pub mod form;
pub mod question;
pub mod rich;
#[cfg(test)]
mod sample;
mod types;

pub use types::checked;
