//! The settings of quizzes: from what is stored to those of a package, and back. Each value of a package is judged as
//! one that the API is given; one that it would refuse is left out, and noted.

use std::net::IpAddr;

use content_packages::model::{Report, Settings};
use serde_json::{Map, Value, json};
use shared::params::coerce;
use submissions::address_filter;
use submissions::quiz_options::{QuizForm, QuizOptions};
use submissions::quiz_settings::{
    MultipleAttempts, OneAtATime, Qualifier, QuizSettings, QuizSettingsForm, ResultViewSettings, ScoreToKeep,
};

/// The member of the filters that has the ranges of addresses.
const RANGES: &str = "ips";
/// The most characters of a name that is told.
const MAX_SHOWN_CHARS: usize = 100;

/// The settings of a new quiz for a package: all of them, and those that classic quizzes have too in the form of these.
pub(crate) fn of_new_quiz(own: &QuizSettings) -> Settings {
    let attempts = own.multiple_attempts.as_ref().filter(|attempts| attempts.multiple_attempts_enabled);
    let scoring_policy = attempts.and_then(|attempts| attempts.score_to_keep).and_then(|score| match score {
        ScoreToKeep::Highest => Some("keep_highest"),
        ScoreToKeep::Latest => Some("keep_latest"),
        ScoreToKeep::Average => Some("keep_average"),
        ScoreToKeep::First => None,
    });
    let seconds = own.session_time_limit_in_seconds.filter(|_| own.has_time_limit);
    let stored = json!(own);
    let common = Settings {
        time_limit: seconds.map(|seconds| seconds.saturating_add(59).div_euclid(60)),
        allowed_attempts: Some(attempts.map_or(Some(1), MultipleAttempts::most).unwrap_or(-1)),
        scoring_policy: scoring_policy.map(str::to_owned),
        shuffle_answers: Some(own.shuffle_answers),
        shuffle_questions: Some(own.shuffle_questions),
        one_question_at_a_time: Some(own.one_at_a_time_type == OneAtATime::Question),
        cant_go_back: Some(!own.allow_backtracking),
        access_code: own.access_code().map(str::to_owned),
        ip_filter: ip_filter(own),
        new_quiz: stored.as_object().cloned(),
        ..Settings::default()
    };
    match own.result_view_settings.as_ref().filter(|results| results.result_view_restricted == Some(true)) {
        Some(results) => with_results(common, results),
        None => common,
    }
}

/// The filter of addresses as classic quizzes have it; `None` where there is none, or one that no such filter can be.
fn ip_filter(own: &QuizSettings) -> Option<String> {
    let ranges = own.filters.get(RANGES).filter(|ranges| own.filter_ip_address && !ranges.is_empty())?;
    let address = |text: &String| text.trim().parse::<IpAddr>().ok();
    let element = |range: &Vec<String>| match range.as_slice() {
        [only] => address_filter::element(address(only)?, address(only)?),
        [first, last] => address_filter::element(address(first)?, address(last)?),
        _ => None,
    };
    let elements: Vec<_> = ranges.iter().map(element).collect::<Option<_>>()?;
    Some(elements.join(","))
}

/// What classic quizzes can say of restricted results; what is not shown later is not shown.
fn with_results(settings: Settings, results: &ResultViewSettings) -> Settings {
    let is_shown = results.display_items == Some(true) && results.display_item_response == Some(true);
    let qualifier = results.display_item_response_qualifier.unwrap_or(Qualifier::Always);
    let hidden = match (is_shown, qualifier) {
        (false, _) => Some("always"),
        (true, Qualifier::AfterLastAttempt | Qualifier::OnceAfterLastAttempt) => Some("until_after_last_attempt"),
        (true, Qualifier::Always | Qualifier::OncePerAttempt) => None,
    };
    let once = matches!(qualifier, Qualifier::OncePerAttempt | Qualifier::OnceAfterLastAttempt);
    Settings {
        hide_results: hidden.map(str::to_owned),
        one_time_results: Some(is_shown && once),
        show_correct_answers: Some(results.display_item_correct_answer == Some(true)),
        ..settings
    }
}

/// The options of a classic quiz, of the settings of a package.
pub(crate) fn classic(own: &Settings, about: &str, report: &mut Report) -> QuizOptions {
    if own.shuffle_questions == Some(true) {
        report.note(about, "classic quizzes keep the order of their questions: that they are shuffled is left out");
    }
    let mut options = QuizOptions::default();
    for (name, value) in members_of(own) {
        let taken = QuizForm::read(name, value).and_then(|mut form| {
            form.require_valid_texts().ok()?;
            form.options_over(options.clone()).valid().ok()
        });
        match taken {
            Some(taken) => options = taken,
            None => refused(name, about, report),
        }
    }
    options
}

/// The settings of a new quiz, of those of a package: its own, and where it says none, those that classic quizzes have.
pub(crate) fn new_quiz(own: &Settings, about: &str, report: &mut Report) -> QuizSettings {
    let mut members = of_classic(own, about, report);
    members.extend(own.new_quiz.clone().unwrap_or_default());
    let known = json!(QuizSettings::default());
    let mut settings = QuizSettings::default();
    for (name, value) in members {
        let form = known.get(&name).and_then(|_| QuizSettingsForm::read(&name, value));
        match form.and_then(|form| form.over(settings.clone()).ok()) {
            Some(taken) => settings = taken,
            None => refused(&name, about, report),
        }
    }
    settings
}

fn refused(name: &str, about: &str, report: &mut Report) {
    let name: String = name.chars().take(MAX_SHOWN_CHARS).collect();
    report.note(about, format!("the setting \u{201c}{name}\u{201d} is left out: no quiz here takes its value"));
}

/// Something of which each setting is read by itself.
trait ReadOne: serde::de::DeserializeOwned {
    fn read(name: &str, value: Value) -> Option<Self> {
        coerce::from_value(Value::Object(Map::from_iter([(name.to_owned(), value)]))).ok()
    }
}

impl ReadOne for QuizForm {}
impl ReadOne for QuizSettingsForm {}

/// The settings of a classic quiz that a package says, as the API names them.
fn members_of(own: &Settings) -> impl Iterator<Item = (&'static str, Value)> {
    let members = [
        ("time_limit", json!(own.time_limit)),
        ("allowed_attempts", json!(own.allowed_attempts)),
        ("scoring_policy", json!(own.scoring_policy)),
        ("shuffle_answers", json!(own.shuffle_answers)),
        ("show_correct_answers", json!(own.show_correct_answers)),
        ("show_correct_answers_last_attempt", json!(own.show_correct_answers_last_attempt)),
        ("show_correct_answers_at", json!(own.show_correct_answers_at)),
        ("hide_correct_answers_at", json!(own.hide_correct_answers_at)),
        ("one_time_results", json!(own.one_time_results)),
        ("one_question_at_a_time", json!(own.one_question_at_a_time)),
        ("cant_go_back", json!(own.cant_go_back)),
        ("hide_results", json!(own.hide_results)),
        ("access_code", json!(own.access_code)),
        ("ip_filter", json!(own.ip_filter)),
        ("anonymous_submissions", json!(own.anonymous_submissions)),
        ("only_visible_to_overrides", json!(own.only_visible_to_overrides)),
    ];
    members.into_iter().filter(|(_, value)| !value.is_null())
}

/// The settings of a classic quiz as a new quiz has them.
fn of_classic(own: &Settings, about: &str, report: &mut Report) -> Map<String, Value> {
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    if let Some(minutes) = own.time_limit.filter(|minutes| *minutes > 0) {
        set("has_time_limit", json!(true));
        set("session_time_limit_in_seconds", json!(minutes.saturating_mul(60)));
    }
    if let Some(code) = own.access_code.as_ref().filter(|code| !code.is_empty()) {
        set("require_student_access_code", json!(true));
        set("student_access_code", json!(code));
    }
    for (name, value) in [("shuffle_answers", own.shuffle_answers), ("shuffle_questions", own.shuffle_questions)] {
        if let Some(value) = value {
            set(name, json!(value));
        }
    }
    if let Some(single) = own.one_question_at_a_time {
        set("one_at_a_time_type", json!(if single { "question" } else { "none" }));
    }
    if let Some(blocked) = own.cant_go_back {
        set("allow_backtracking", json!(!blocked));
    }
    if let Some(attempts) = own.allowed_attempts.filter(|attempts| *attempts != 1) {
        set("multiple_attempts", attempts_of(attempts, own.scoring_policy.as_deref()));
    }
    if let Some(filter) = &own.ip_filter {
        match address_filter::ranges(filter) {
            Some(ranges) => {
                let ranges: Vec<_> = ranges.iter().map(|(first, last)| [first.to_string(), last.to_string()]).collect();
                set("filter_ip_address", json!(true));
                set("filters", json!({ RANGES: ranges }));
            }
            None => refused("ip_filter", about, report),
        }
    }
    if own.new_quiz.is_none() {
        if let Some(results) = results_of(own) {
            set("result_view_settings", results);
        }
        tell_lost(own, about, report);
    }
    members
}

fn attempts_of(attempts: i64, scoring_policy: Option<&str>) -> Value {
    let score = match scoring_policy {
        Some("keep_latest") => "latest",
        Some("keep_average") => "average",
        _ => "highest",
    };
    let limited = attempts > 0;
    json!({
        "multiple_attempts_enabled": true, "attempt_limit": limited, "max_attempts": limited.then_some(attempts),
        "score_to_keep": score, "cooling_period": false, "cooling_period_seconds": null,
    })
}

/// The results that students see, where a classic quiz restricts them.
fn results_of(own: &Settings) -> Option<Value> {
    let hides_all = own.hide_results.as_deref() == Some("always");
    let is_late = own.hide_results.as_deref() == Some("until_after_last_attempt");
    let once = own.one_time_results == Some(true);
    let shows_right = own.show_correct_answers != Some(false);
    if !hides_all && !is_late && !once && shows_right {
        return None;
    }
    let qualifier = match (is_late, once) {
        (true, true) => "once_after_last_attempt",
        (true, false) => "after_last_attempt",
        (false, true) => "once_per_attempt",
        (false, false) => "always",
    };
    let shown = !hides_all;
    Some(json!({
        "result_view_restricted": true, "display_points_awarded": shown, "display_points_possible": shown,
        "display_items": shown, "display_item_response": shown, "display_item_response_qualifier": qualifier,
        "display_item_response_correctness": shown, "display_item_response_correctness_qualifier": qualifier,
        "display_item_correct_answer": shown && shows_right, "display_item_feedback": shown,
    }))
}

/// Notes what only classic quizzes have.
fn tell_lost(own: &Settings, about: &str, report: &mut Report) {
    const UNGRADED: [&str; 3] = ["practice_quiz", "survey", "graded_survey"];
    let lost = [
        (
            own.quiz_type.as_deref().is_some_and(|kind| UNGRADED.contains(&kind)),
            "a practice quiz or a survey (it is a graded quiz)",
        ),
        (own.show_correct_answers_last_attempt == Some(true), "right answers after the last attempt alone"),
        (own.show_correct_answers_at.is_some(), "the time from which right answers are shown"),
        (own.hide_correct_answers_at.is_some(), "the time from which right answers are hidden"),
        (own.anonymous_submissions == Some(true), "anonymous submissions"),
    ];
    for (_, name) in lost.into_iter().filter(|(is_lost, _)| *is_lost) {
        report.note(about, format!("new quizzes have no such setting: {name}"));
    }
}

/// Notes what of a new quiz no classic one has.
pub(crate) fn tell_lost_of_new_quiz(own: &Settings, about: &str, report: &mut Report) {
    if own.new_quiz.is_none() {
        return;
    }
    let mut noted = Report::default();
    let settings = new_quiz(own, about, &mut noted);
    let kept = new_quiz(&Settings { new_quiz: None, ..own.clone() }, about, &mut noted);
    let (settings, kept) = (json!(settings), json!(kept));
    for (name, value) in settings.as_object().into_iter().flatten() {
        if kept.get(name) != Some(value) {
            report.note(about, format!("classic quizzes do not have all of the setting \u{201c}{name}\u{201d}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(form: Value) -> QuizSettings {
        coerce::from_value::<QuizSettingsForm>(form).unwrap().over(QuizSettings::default()).unwrap()
    }

    #[test]
    fn settings_of_a_new_quiz_are_those_of_a_classic_quiz() {
        let settings = of_new_quiz(&settings(json!({
            "has_time_limit": true, "session_time_limit_in_seconds": 90, "allow_backtracking": false,
            "one_at_a_time_type": "question", "require_student_access_code": false, "student_access_code": "x",
            "multiple_attempts": { "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 3,
                                   "score_to_keep": "latest" },
            "filter_ip_address": true, "filters": { "ips": [["10.0.0.0", "10.0.0.255"], ["10.9.9.9"]] },
            "result_view_settings": { "result_view_restricted": true, "display_items": true,
                                      "display_item_response": true,
                                      "display_item_response_qualifier": "once_after_last_attempt" },
        })));
        assert_eq!((settings.time_limit, settings.allowed_attempts), (Some(2), Some(3)));
        assert_eq!(settings.scoring_policy.as_deref(), Some("keep_latest"));
        assert_eq!((settings.cant_go_back, settings.one_question_at_a_time), (Some(true), Some(true)));
        assert_eq!(settings.access_code, None);
        assert_eq!(settings.ip_filter.as_deref(), Some("10.0.0.0/24,10.9.9.9"));
        assert_eq!(settings.hide_results.as_deref(), Some("until_after_last_attempt"));
        assert_eq!((settings.one_time_results, settings.show_correct_answers), (Some(true), Some(false)));
        assert_eq!(of_new_quiz(&QuizSettings::default()).allowed_attempts, Some(1));
    }

    #[test]
    fn what_classic_quizzes_say_becomes_settings_of_a_new_quiz_and_comes_back() {
        let own = Settings {
            time_limit: Some(5),
            allowed_attempts: Some(-1),
            scoring_policy: Some("keep_average".to_owned()),
            shuffle_answers: Some(true),
            one_question_at_a_time: Some(true),
            cant_go_back: Some(true),
            access_code: Some("leaf".to_owned()),
            ip_filter: Some("10.0.0.0/8".to_owned()),
            hide_results: Some("always".to_owned()),
            ..Settings::default()
        };
        let mut report = Report::default();
        let back = of_new_quiz(&new_quiz(&own, "Q", &mut report));
        assert!(report.is_empty(), "{report}");
        assert_eq!(
            (back.time_limit, back.allowed_attempts, back.scoring_policy),
            (Some(5), Some(-1), own.scoring_policy)
        );
        assert_eq!((back.shuffle_answers, back.cant_go_back), (Some(true), Some(true)));
        assert_eq!(
            (back.access_code, back.ip_filter, back.hide_results),
            (own.access_code, own.ip_filter, own.hide_results)
        );
    }

    #[test]
    fn a_value_that_the_api_would_refuse_is_left_out_and_noted() {
        let own = Settings {
            allowed_attempts: Some(0),
            scoring_policy: Some("keep_lowest".to_owned()),
            ip_filter: Some("nowhere".to_owned()),
            access_code: Some("x".repeat(256)),
            show_correct_answers_at: Some("soon".to_owned()),
            cant_go_back: Some(true),
            ..Settings::default()
        };
        let mut report = Report::default();
        let options = json!(classic(&own, "Q", &mut report));
        assert_eq!(report.notes.len(), 5, "{report}");
        assert_eq!((&options["allowed_attempts"], &options["cant_go_back"]), (&json!(1), &json!(true)));
        let new = json!({ "calculator_type": "abacus", "shuffle_answers": "true", "nonsense": "1",
                          "session_time_limit_in_seconds": "-1", "filters": "x" });
        let own = Settings { new_quiz: new.as_object().cloned(), ..Settings::default() };
        let mut report = Report::default();
        let settings = new_quiz(&own, "Q", &mut report);
        assert!(settings.shuffle_answers);
        assert_eq!(report.notes.len(), 4, "{report}");
    }

    #[test]
    fn what_classic_quizzes_do_not_have_is_told() {
        let own = of_new_quiz(&settings(json!({
            "calculator_type": "basic", "has_time_limit": true, "session_time_limit_in_seconds": 90,
            "shuffle_answers": true,
        })));
        let mut report = Report::default();
        tell_lost_of_new_quiz(&own, "Q", &mut report);
        assert_eq!(report.notes.len(), 2, "{report}");
    }
}
