//! What attempts tell of a quiz, classic or new: its statistics with item analysis, and the reports of them, which jobs write
//! into files.
//!
//! An area reads its attempts and says what was asked and answered; here it is counted and written. A report is a row, which
//! is the job as well ([`store`]); whoever works on it holds a lease ([`work`]).

pub mod attempts;
pub mod item_analysis;
pub mod item_report;
pub mod limits;
pub mod plain;
pub mod questions;
pub mod reliability;
pub mod report;
pub mod sheet;
pub mod store;
pub mod student_analysis;
pub mod students;
pub mod view;
pub mod work;
