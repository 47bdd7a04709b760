//! The questions of new quizzes: how each of the thirteen types is written down, checked and stored; and how it is taken: what
//! a student sees of it, which responses fit, and what they earn.
//!
//! ```
//! use questions::{Question, QuestionColumns, check_response, for_student, score, seed_of};
//! use serde_json::json;
//! use shared::db::Json;
//!
//! let question = Question::parse(QuestionColumns {
//!     interaction_type_slug: "true-false".to_owned(),
//!     item_body: "<p>Is it?</p>".to_owned(),
//!     interaction_data: Json(json!({"true_choice": "Yes", "false_choice": "No"})),
//!     properties: Json(json!({})),
//!     scoring_data: Json(json!({"value": true})),
//!     scoring_algorithm: "Equivalence".to_owned(),
//! })?;
//! let (session, item) = (7, 12);
//! let seed = seed_of(session, item);
//! let variant = question.draw_variant(seed);
//! let view = for_student(&question, seed, variant, false);
//! assert_eq!(view.interaction_data, json!({"true_choice": "Yes", "false_choice": "No"}));
//!
//! let response = json!(true);
//! check_response(&question, &response)?;
//! let score = score(&question, Some(&response), variant)?;
//! assert_eq!(score.fraction.of_points(2.5).to_f64(), 2.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod address;
mod compare;
mod decimal;
#[cfg(not(target_arch = "wasm32"))]
pub mod described;
mod draw;
pub mod form;
mod fraction;
pub mod key;
mod number;
#[cfg(test)]
mod published;
pub mod question;
mod response;
pub mod rich;
#[cfg(test)]
mod sample;
mod score;
pub mod size;
mod taken;
mod types;

pub use draw::{Draw, seed_of};
pub use fraction::Fraction;
pub use response::ResponseError;
pub use score::{PartScore, Score, ScoreState};
pub use taken::{Question, QuestionColumns, QuestionError, StudentView, check_response, for_student, score};
pub use types::checked;
