//! The settings of a new quiz. Those that are nowhere set have the default of the product's user interface.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::{Error, Patch, Result, Timestamp};

#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct QuizSettings {
    calculator_type: CalculatorType,
    filter_ip_address: bool,
    /// Under `ips`: pairs of the first and the last address of a range.
    filters: BTreeMap<String, Vec<Vec<String>>>,
    pub(crate) multiple_attempts: Option<MultipleAttempts>,
    one_at_a_time_type: OneAtATime,
    allow_backtracking: bool,
    result_view_settings: Option<ResultViewSettings>,
    shuffle_answers: bool,
    shuffle_questions: bool,
    require_student_access_code: bool,
    /// Only staff see it.
    pub(crate) student_access_code: Option<String>,
    has_time_limit: bool,
    session_time_limit_in_seconds: Option<i64>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum CalculatorType {
    #[default]
    None,
    Basic,
    Scientific,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OneAtATime {
    #[default]
    None,
    Question,
}

#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct MultipleAttempts {
    #[serde(default)]
    multiple_attempts_enabled: bool,
    /// Whether `max_attempts` counts.
    #[serde(default)]
    attempt_limit: bool,
    #[serde(default)]
    max_attempts: Option<i64>,
    #[serde(default)]
    score_to_keep: Option<ScoreToKeep>,
    #[serde(default)]
    cooling_period: bool,
    #[serde(default)]
    cooling_period_seconds: Option<i64>,
}

impl MultipleAttempts {
    /// How often a student may attempt the quiz; `None`: without end.
    pub(crate) fn most(&self) -> Option<i64> {
        match (self.multiple_attempts_enabled, self.attempt_limit) {
            (false, _) => Some(1),
            (true, true) => self.max_attempts,
            (true, false) => None,
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScoreToKeep {
    Average,
    First,
    Highest,
    Latest,
}

/// What students see of their results, and when.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct ResultViewSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_view_restricted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_points_awarded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_points_possible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_response: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_response_qualifier: Option<Qualifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    show_item_responses_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hide_item_responses_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_response_correctness: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_response_correctness_qualifier: Option<Qualifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    show_item_response_correctness_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hide_item_response_correctness_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_correct_answer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_item_feedback: Option<bool>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Qualifier {
    Always,
    OncePerAttempt,
    AfterLastAttempt,
    OnceAfterLastAttempt,
}

/// What a request sets: each setting as a whole, be it an object.
#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct QuizSettingsForm {
    calculator_type: Patch<CalculatorType>,
    filter_ip_address: Patch<bool>,
    filters: Patch<BTreeMap<String, Vec<Vec<String>>>>,
    multiple_attempts: Patch<MultipleAttempts>,
    one_at_a_time_type: Patch<OneAtATime>,
    allow_backtracking: Patch<bool>,
    result_view_settings: Patch<ResultViewSettings>,
    shuffle_answers: Patch<bool>,
    shuffle_questions: Patch<bool>,
    require_student_access_code: Patch<bool>,
    student_access_code: Patch<String>,
    has_time_limit: Patch<bool>,
    session_time_limit_in_seconds: Patch<i64>,
}

impl QuizSettingsForm {
    pub(crate) fn over(self, current: QuizSettings) -> Result<QuizSettings> {
        let settings = QuizSettings {
            calculator_type: self.calculator_type.unwrap_or(current.calculator_type),
            filter_ip_address: self.filter_ip_address.unwrap_or(current.filter_ip_address),
            filters: self.filters.over(Some(current.filters)).unwrap_or_default(),
            multiple_attempts: self.multiple_attempts.over(current.multiple_attempts),
            one_at_a_time_type: self.one_at_a_time_type.unwrap_or(current.one_at_a_time_type),
            allow_backtracking: self.allow_backtracking.unwrap_or(current.allow_backtracking),
            result_view_settings: self.result_view_settings.over(current.result_view_settings),
            shuffle_answers: self.shuffle_answers.unwrap_or(current.shuffle_answers),
            shuffle_questions: self.shuffle_questions.unwrap_or(current.shuffle_questions),
            require_student_access_code: self
                .require_student_access_code
                .unwrap_or(current.require_student_access_code),
            student_access_code: self.student_access_code.over(current.student_access_code),
            has_time_limit: self.has_time_limit.unwrap_or(current.has_time_limit),
            session_time_limit_in_seconds: self
                .session_time_limit_in_seconds
                .over(current.session_time_limit_in_seconds),
        };
        settings.valid()
    }
}

impl QuizSettings {
    fn valid(self) -> Result<Self> {
        let attempts = self.multiple_attempts.as_ref();
        let positive = [
            ("session_time_limit_in_seconds", self.session_time_limit_in_seconds),
            ("multiple_attempts][max_attempts", attempts.and_then(|attempts| attempts.max_attempts)),
            (
                "multiple_attempts][cooling_period_seconds",
                attempts.and_then(|attempts| attempts.cooling_period_seconds),
            ),
        ];
        match positive.iter().find(|(_, number)| number.is_some_and(|number| number < 1)) {
            Some((name, _)) => {
                Err(Error::invalid(&format!("quiz_settings[{name}]"), "greater_than", "must be greater than 0"))
            }
            None => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::params::lenient;

    use super::*;

    fn over(current: QuizSettings, form: Value) -> Result<QuizSettings> {
        lenient::from_value::<QuizSettingsForm>(form).unwrap().over(current)
    }

    #[test]
    fn a_setting_is_replaced_as_a_whole_and_the_others_stay() {
        let first = json!({
            "shuffle_answers": "true",
            "filters": {"ips": [["10.0.0.0", "10.10.0.0"]]},
            "multiple_attempts": {"multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": "3"},
            "unknown": 1,
        });
        let first = over(QuizSettings::default(), first).unwrap();
        assert_eq!(first.multiple_attempts.as_ref().and_then(MultipleAttempts::most), Some(3));
        let second = over(first, json!({"multiple_attempts": {"multiple_attempts_enabled": true}})).unwrap();
        assert_eq!(second.multiple_attempts.as_ref().and_then(MultipleAttempts::most), None);
        let stored = serde_json::to_value(&second).unwrap();
        assert_eq!(stored["shuffle_answers"], true);
        assert_eq!(stored["filters"]["ips"], json!([["10.0.0.0", "10.10.0.0"]]));
        assert!(serde_json::from_value::<QuizSettings>(stored).is_ok());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(over(QuizSettings::default(), json!({"session_time_limit_in_seconds": 0})).is_err());
        assert!(over(QuizSettings::default(), json!({"multiple_attempts": {"max_attempts": -1}})).is_err());
        assert!(lenient::from_value::<QuizSettingsForm>(json!({"shuffle_answers": "perhaps"})).is_err());
        assert!(lenient::from_value::<QuizSettingsForm>(json!({"calculator_type": "abacus"})).is_err());
    }
}
