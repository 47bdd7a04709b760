//! The settings of a quiz, as the reference importer reads them.

use crate::error::Result;
use crate::ident;
use crate::links::{self, Links};
use crate::model::Quiz;
use crate::xml::{Element, document};

/// The file `assessment_meta.xml` of a quiz.
pub(crate) fn settings(quiz: &Quiz, links: &Links<'_>) -> Result<Vec<u8>> {
    let own = &quiz.settings;
    let flag = |value: Option<bool>| value.map(|value| value.to_string());
    let number = |value: Option<i64>| value.map(|value| value.to_string());
    let members = [
        ("title", Some(quiz.title.clone())),
        ("description", Some(links::with_based(&quiz.description, links).into_owned())),
        ("due_at", own.due_at.clone()),
        ("lock_at", own.lock_at.clone()),
        ("unlock_at", own.unlock_at.clone()),
        ("shuffle_answers", flag(own.shuffle_answers)),
        ("scoring_policy", own.scoring_policy.clone()),
        ("hide_results", own.hide_results.clone()),
        ("quiz_type", Some(own.quiz_type.clone().unwrap_or_else(|| "assignment".to_owned()))),
        ("points_possible", Some(super::decimal(quiz.points_possible()))),
        ("show_correct_answers", flag(own.show_correct_answers)),
        ("allowed_attempts", number(own.allowed_attempts)),
        ("one_question_at_a_time", flag(own.one_question_at_a_time)),
        ("cant_go_back", flag(own.cant_go_back)),
        ("available", flag(own.published)),
        ("access_code", own.access_code.clone()),
        ("time_limit", number(own.time_limit)),
    ];
    let members = members.into_iter().filter_map(|(name, value)| Some(Element::new(name).text(value?)));
    document(
        &Element::new("quiz")
            .with("identifier", ident::of(&quiz.id))
            .with("xmlns", "http://canvas.instructure.com/xsd/cccv1p0")
            .with("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
            .with(
                "xsi:schemaLocation",
                "http://canvas.instructure.com/xsd/cccv1p0 https://canvas.instructure.com/xsd/cccv1p0.xsd",
            )
            .children(members),
    )
}
