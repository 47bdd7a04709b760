//! Quiz items: what stands in a new quiz, the banks and stimuli it draws on, and the media of hot-spot questions.

mod additions;
mod bank_entries;
mod banks;
mod form;
mod image;
mod item;
mod items;
mod media;
mod question;
mod questions;
mod quiz;
mod rich;
mod s3;
mod stimulus;
mod store;

use shared::{Envelope, component};

component!("quiz-items", Envelope::QuizEngine, [items, additions, banks, bank_entries, media]);
