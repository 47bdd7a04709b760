//! Items of new quizzes as rows.

use content_packages::items::{QuestionItem, StimulusItem};
use content_packages::model::{Question, Stimulus};
use serde_json::{Value, json};

use crate::import::room::Size;
use crate::import::texts::Texts;

/// The most points of a question, as the API takes them.
const MAX_POINTS: f64 = 1_000_000.0;

/// The points of an item of a new quiz. The engine has none that is worth nothing; what is cut is told.
pub(super) fn worth(points: f64, about: &str, texts: &mut Texts<'_>) -> f64 {
    if points > MAX_POINTS {
        let message = format!("its points {points} are too large for a new quiz: it is worth {MAX_POINTS}");
        texts.report.note(about, message);
    }
    if points > 0.0 {
        return points.min(MAX_POINTS);
    }
    texts.report.note(about, "it is worth nothing, which no question of a new quiz is: it is worth 1");
    1.0
}

/// A question as a row. One that no new quiz can ask is left out, and reported.
pub(super) fn question(question: &Question, texts: &mut Texts<'_>) -> Option<Value> {
    texts.report.next_question();
    let own = QuestionItem::of(question, texts.report)?;
    Some(json!({
        "title": own.title,
        "item_body": own.item_body,
        "calculator_type": own.calculator_type,
        "feedback": own.feedback,
        "slug": own.interaction_type_slug,
        "interaction_data": own.interaction_data,
        "properties": own.properties,
        "scoring_data": own.scoring_data,
        "answer_feedback": own.answer_feedback,
        "algorithm": own.scoring_algorithm,
    }))
}

/// A stimulus as a row.
pub(super) fn stimulus(stimulus: &Stimulus) -> Value {
    let own = StimulusItem::of(stimulus);
    json!({
        "title": own.title,
        "body": own.body,
        "instructions": own.instructions,
        "source_url": own.source_url,
        "orientation": own.orientation,
        "passage": own.passage,
    })
}

/// The size of a row.
pub(super) fn size(row: &Value) -> Size {
    Size { items: 1, bytes: row.to_string().len() }
}
