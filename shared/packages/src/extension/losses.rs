//! Tells which settings of a quiz other systems do not read.

use serde_json::Value;

use super::FILE;
use crate::model::{Entry, Quiz, Report, Settings};
use crate::plan::Format;

/// Tells the settings of a quiz that stand in the file of ours alone.
pub(crate) fn tell(quiz: &Quiz, format: Format, report: &mut Report) {
    let mut lost = of_new_quiz(quiz);
    if format == Format::Qti21 {
        lost.extend(of_qti_2_1(&quiz.settings));
        if quiz.entries.iter().any(|entry| matches!(entry, Entry::Group(group) if group.bank.is_some())) {
            lost.push("the banks that it draws from: their questions stand in each draw");
        }
    }
    if !lost.is_empty() {
        let message = format!("other systems do not read these settings, which stand in {FILE}: {}", lost.join(", "));
        report.note(quiz.title.as_str(), message);
    }
}

/// Of a new quiz what a classic one has not, in which form every format has its settings.
fn of_new_quiz(quiz: &Quiz) -> Vec<&'static str> {
    let settings = &quiz.settings;
    let at = |names: &[&str]| {
        let own = settings.new_quiz.as_ref()?.get(*names.first()?)?;
        names.iter().skip(1).try_fold(own, |own, name| own.get(name))
    };
    let is_set = |names: &[&str]| at(names).and_then(Value::as_bool) == Some(true);
    let is = |names: &[&str], text: &str| at(names).and_then(Value::as_str) == Some(text);
    let seconds = at(&["session_time_limit_in_seconds"]).and_then(Value::as_i64).unwrap_or_default();
    let has_several = is_set(&["multiple_attempts", "multiple_attempts_enabled"]);
    let lost = [
        (is(&["calculator_type"], "basic") || is(&["calculator_type"], "scientific"), "the calculator"),
        (has_several && is_set(&["multiple_attempts", "cooling_period"]), "the waiting time between attempts"),
        (has_several && is(&["multiple_attempts", "score_to_keep"], "first"), "that the first score counts"),
        (is_set(&["has_time_limit"]) && seconds.rem_euclid(60) != 0, "the seconds of the time limit"),
        (is_set(&["filter_ip_address"]) && settings.ip_filter.is_none(), "the ranges of addresses"),
        (
            is_set(&["result_view_settings", "result_view_restricted"]),
            "what students see of each part of their results",
        ),
        (settings.new_quiz.is_some() && is_graded_otherwise(settings), "the type of grading"),
        (
            settings.points_possible.is_some_and(|own| (own - quiz.points_possible()).abs() > 1e-9),
            "the points of its assignment",
        ),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, name)| name).collect()
}

/// True if its assignment has no points as grades.
fn is_graded_otherwise(own: &Settings) -> bool {
    own.grading_type.as_deref().is_some_and(|kind| kind != "points")
}

/// Of a quiz what QTI 2.1 has no words for.
fn of_qti_2_1(own: &Settings) -> Vec<&'static str> {
    let results = own.one_time_results == Some(true)
        || own.show_correct_answers_last_attempt == Some(true)
        || own.hide_results.as_deref() == Some("until_after_last_attempt")
        || own.show_correct_answers_at.is_some()
        || own.hide_correct_answers_at.is_some();
    let is_single = own.one_question_at_a_time == Some(true) && own.cant_go_back != Some(true);
    let has_dates = own.due_at.is_some() || own.unlock_at.is_some() || own.lock_at.is_some();
    let lost = [
        (
            own.allowed_attempts.is_some_and(|attempts| attempts != 1),
            "the number of attempts, and the score that counts",
        ),
        (own.shuffle_answers == Some(true), "that all choices are shuffled"),
        (is_single, "one question at a time with a way back"),
        (own.access_code.is_some(), "the access code"),
        (own.ip_filter.is_some(), "the filter of addresses"),
        (results, "when results are shown"),
        (has_dates, "the dates"),
        (own.quiz_type.as_deref().is_some_and(|kind| kind != "assignment"), "the type of quiz"),
        (own.anonymous_submissions == Some(true), "that submissions are anonymous"),
        (own.new_quiz.is_none() && is_graded_otherwise(own), "the type of grading"),
        (own.anonymous_grading == Some(true), "that graders do not see whose work they grade"),
        (own.post_manually.is_some(), "whether grades are posted by hand"),
        (own.attempts_of_assignment.is_some(), "the number of attempts that its assignment names"),
        (own.only_visible_to_overrides == Some(true), "that it is only for students with dates of their own"),
    ];
    lost.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, name)| name).collect()
}
