//! The settings of a quiz, as the reference importer reads them.

use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::model::{Quiz, Settings};
use crate::xml::{Element, document};

/// The file `assessment_meta.xml` of a quiz.
pub(crate) fn settings(quiz: &Quiz, links: &Links<'_>) -> Result<Vec<u8>> {
    let kind = quiz.settings.quiz_type.clone().or_else(|| Some("assignment".to_owned()));
    let settings = Settings { quiz_type: kind, ..quiz.settings.clone() };
    let members = [
        ("title", quiz.title.clone()),
        ("description", links::with_based(&quiz.description, links).into_owned()),
        ("points_possible", super::decimal(quiz.points_possible())),
    ];
    document(
        &Element::new("quiz")
            .with("identifier", ident::of(&quiz.id))
            .with("xmlns", "http://canvas.instructure.com/xsd/cccv1p0")
            .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
            .with(
                "xsi:schemaLocation",
                "http://canvas.instructure.com/xsd/cccv1p0 https://canvas.instructure.com/xsd/cccv1p0.xsd",
            )
            .children(members.map(|(name, value)| Element::new(name).text(value)))
            .children(setting_elements(&settings))
            .children(assignment(quiz)),
    )
}

/// The assignment of a quiz, where it says more than the quiz. The reference importer takes all of it from there.
fn assignment(quiz: &Quiz) -> Option<Element> {
    let own = &quiz.settings;
    let grading: Vec<_> = grading_elements(own).collect();
    let state = if own.published == Some(true) { "published" } else { "unpublished" };
    let members = [
        ("title", Some(quiz.title.clone())),
        ("due_at", own.due_at.clone()),
        ("lock_at", own.lock_at.clone()),
        ("unlock_at", own.unlock_at.clone()),
        ("workflow_state", Some(state.to_owned())),
        ("points_possible", Some(super::decimal(own.points_possible.unwrap_or_else(|| quiz.points_possible())))),
        ("grading_type", Some(own.grading_type.clone().unwrap_or_else(|| "points".to_owned()))),
        ("submission_types", Some("online_quiz".to_owned())),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)));
    let assignment = Element::new("assignment").with("identifier", ident::part(&quiz.id, "assignment"));
    // That of a new quiz stands in a file of ours.
    let has_own_type = own.new_quiz.is_none() && own.grading_type.is_some();
    (has_own_type || !grading.is_empty()).then(|| assignment.children(members).children(grading))
}

/// How the assignment of a quiz is graded.
pub(crate) fn grading_elements(own: &Settings) -> impl Iterator<Item = Element> {
    let anonymous = own.anonymous_grading.filter(|own| *own).map(|_| Element::new("anonymous_grading").text("true"));
    let posting =
        |manually: bool| Element::new("post_policy").child(Element::new("post_manually").text(manually.to_string()));
    let attempts =
        own.attempts_of_assignment.map(|attempts| Element::new("allowed_attempts").text(attempts.to_string()));
    anonymous.into_iter().chain(attempts).chain(own.post_manually.map(posting))
}

/// The settings that a quiz has, each as an element.
pub(crate) fn setting_elements(own: &Settings) -> impl Iterator<Item = Element> {
    let flag = |value: Option<bool>| value.map(|value| value.to_string());
    let number = |value: Option<i64>| value.map(|value| value.to_string());
    let members = [
        ("due_at", own.due_at.clone()),
        ("lock_at", own.lock_at.clone()),
        ("unlock_at", own.unlock_at.clone()),
        ("shuffle_answers", flag(own.shuffle_answers)),
        ("scoring_policy", own.scoring_policy.clone()),
        ("hide_results", own.hide_results.clone()),
        ("quiz_type", own.quiz_type.clone()),
        ("show_correct_answers", flag(own.show_correct_answers)),
        ("show_correct_answers_last_attempt", flag(own.show_correct_answers_last_attempt)),
        ("show_correct_answers_at", own.show_correct_answers_at.clone()),
        ("hide_correct_answers_at", own.hide_correct_answers_at.clone()),
        ("one_time_results", flag(own.one_time_results)),
        ("anonymous_submissions", flag(own.anonymous_submissions)),
        ("only_visible_to_overrides", flag(own.only_visible_to_overrides)),
        ("allowed_attempts", number(own.allowed_attempts)),
        ("one_question_at_a_time", flag(own.one_question_at_a_time)),
        ("cant_go_back", flag(own.cant_go_back)),
        ("available", flag(own.published)),
        ("access_code", own.access_code.clone()),
        ("ip_filter", own.ip_filter.clone()),
        ("time_limit", number(own.time_limit)),
    ];
    members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)))
}
