//! The settings of a quiz, as the reference exporter writes them.

use crate::model::{Quiz, Report, Settings};
use crate::xml::Element;

/// What a quiz is told to have, and no quiz here has.
const UNKNOWN: [(&str, &str); 4] = [
    ("require_lockdown_browser", "it asked for a lockdown browser, which is not imported"),
    ("require_lockdown_browser_for_results", "it asked for a lockdown browser for the results, which is not imported"),
    ("require_lockdown_browser_monitor", "it was watched by a lockdown browser's monitor, which is not imported"),
    ("disable_timer_autosubmission", "it was not handed in when its time was over; here it is"),
];
/// Likewise of its assignment.
const UNKNOWN_OF_ASSIGNMENT: [(&str, &str); 4] = [
    ("peer_reviews", "peer reviews are not imported"),
    ("moderated_grading", "moderated grading is not imported"),
    ("omit_from_final_grade", "that it is omitted from the final grade is not imported"),
    ("hide_in_gradebook", "that it is hidden in the gradebook is not imported"),
];

/// Adds the settings of an `assessment_meta.xml` to its quiz. What no quiz here has is noted.
pub(crate) fn settings(root: &Element, quiz: &mut Quiz, report: &mut Report) {
    let text = |name: &str| root.content_at(&[name]);
    let flag = |name: &str| text(name).map(|value| value == "true");
    let number = |name: &str| text(name).and_then(|value| value.parse().ok());
    // A graded quiz says some things once more, or only, with its assignment.
    let dated = |name: &str| text(name).or_else(|| root.content_at(&["assignment", name]));
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
    own.show_correct_answers_last_attempt = flag("show_correct_answers_last_attempt");
    own.show_correct_answers_at = text("show_correct_answers_at");
    own.hide_correct_answers_at = text("hide_correct_answers_at");
    own.one_time_results = flag("one_time_results");
    own.anonymous_submissions = flag("anonymous_submissions");
    own.only_visible_to_overrides = flag("only_visible_to_overrides");
    own.one_question_at_a_time = flag("one_question_at_a_time");
    own.cant_go_back = flag("cant_go_back");
    own.hide_results = text("hide_results");
    own.access_code = text("access_code");
    own.ip_filter = text("ip_filter");
    own.due_at = dated("due_at");
    own.unlock_at = dated("unlock_at");
    own.lock_at = dated("lock_at");
    own.published = flag("available");
    if let Some(assignment) = root.first("assignment") {
        grading(assignment, own);
    }
    tell_unknown(root, quiz, report);
}

/// Adds how the assignment of a quiz is graded. What it does not say stays.
pub(crate) fn grading(assignment: &Element, own: &mut Settings) {
    let flag = |names: &[&str]| assignment.content_at(names).map(|value| value == "true");
    own.grading_type = assignment.content_at(&["grading_type"]).or_else(|| own.grading_type.take());
    own.anonymous_grading = flag(&["anonymous_grading"]).or(own.anonymous_grading);
    own.post_manually = flag(&["post_policy", "post_manually"]).or(own.post_manually);
    let attempts = assignment.content_at(&["allowed_attempts"]).and_then(|attempts| attempts.parse().ok());
    own.attempts_of_assignment = attempts.filter(|attempts| *attempts > 0).or(own.attempts_of_assignment);
}

fn tell_unknown(root: &Element, quiz: &Quiz, report: &mut Report) {
    let is_set = |parent: Option<&Element>, name: &str| {
        parent.and_then(|own| own.content_at(&[name])).is_some_and(|value| value == "true")
    };
    let assignment = root.first("assignment");
    let of_quiz = UNKNOWN.iter().filter(|(name, _)| is_set(Some(root), name));
    let of_assignment = UNKNOWN_OF_ASSIGNMENT.iter().filter(|(name, _)| is_set(assignment, name));
    for (_, message) in of_quiz.chain(of_assignment) {
        report.note(quiz.title.as_str(), *message);
    }
    let overrides = root.first("assignment_overrides").or_else(|| root.at(&["assignment", "assignment_overrides"]));
    if overrides.is_some_and(|own| own.elements().next().is_some()) {
        report.note(quiz.title.as_str(), "dates of single students, sections or groups are not imported");
    }
    if quiz.settings.only_visible_to_overrides == Some(true) {
        let message = "it is only for students who have dates of their own, and a package has none of these";
        report.note(quiz.title.as_str(), message);
    }
}
