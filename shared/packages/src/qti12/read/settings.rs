//! The settings of a quiz, as the reference exporter writes them.

use crate::model::Quiz;
use crate::xml::Element;

/// Adds the settings of an `assessment_meta.xml` to its quiz.
pub(crate) fn settings(root: &Element, quiz: &mut Quiz) {
    let text = |name: &str| root.content_at(&[name]);
    let flag = |name: &str| text(name).map(|value| value == "true");
    let number = |name: &str| text(name).and_then(|value| value.parse().ok());
    if let Some(title) = text("title") {
        quiz.title = title;
    }
    if let Some(description) = text("description") {
        quiz.description = description;
    }
    let own = &mut quiz.settings;
    own.quiz_type = text("quiz_type");
    own.time_limit = number("time_limit").or(own.time_limit);
    own.allowed_attempts = number("allowed_attempts").or(own.allowed_attempts);
    own.scoring_policy = text("scoring_policy");
    own.shuffle_answers = flag("shuffle_answers");
    own.show_correct_answers = flag("show_correct_answers");
    own.one_question_at_a_time = flag("one_question_at_a_time");
    own.cant_go_back = flag("cant_go_back");
    own.hide_results = text("hide_results");
    own.access_code = text("access_code");
    own.due_at = text("due_at");
    own.unlock_at = text("unlock_at");
    own.lock_at = text("lock_at");
    own.published = flag("available");
}
