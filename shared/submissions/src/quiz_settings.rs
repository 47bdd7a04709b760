//! The settings of a new quiz. Those that are nowhere set have the default of the product's user interface.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::params::not_too_long;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

/// The most characters of an access code.
const MAX_CODE_CHARS: usize = 255;
/// The most bytes of the filters, as JSON.
const MAX_FILTER_BYTES: usize = 16 * 1024;

#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuizSettings {
    pub calculator_type: CalculatorType,
    pub filter_ip_address: bool,
    /// Under `ips`: pairs of the first and the last address of a range. Only staff see it.
    pub filters: BTreeMap<String, Vec<Vec<String>>>,
    pub multiple_attempts: Option<MultipleAttempts>,
    pub one_at_a_time_type: OneAtATime,
    pub allow_backtracking: bool,
    pub result_view_settings: Option<ResultViewSettings>,
    pub shuffle_answers: bool,
    pub shuffle_questions: bool,
    pub require_student_access_code: bool,
    /// Only staff see it.
    pub student_access_code: Option<String>,
    pub has_time_limit: bool,
    pub session_time_limit_in_seconds: Option<i64>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalculatorType {
    #[default]
    None,
    Basic,
    Scientific,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OneAtATime {
    #[default]
    None,
    Question,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub struct MultipleAttempts {
    #[serde(default)]
    pub multiple_attempts_enabled: bool,
    /// True if `max_attempts` counts.
    #[serde(default)]
    pub attempt_limit: bool,
    #[serde(default)]
    pub max_attempts: Option<i64>,
    #[serde(default)]
    pub score_to_keep: Option<ScoreToKeep>,
    #[serde(default)]
    pub cooling_period: bool,
    #[serde(default)]
    pub cooling_period_seconds: Option<i64>,
}

impl MultipleAttempts {
    /// The number of times that a student may attempt the quiz; `None`: without end.
    pub fn most(&self) -> Option<i64> {
        match (self.multiple_attempts_enabled, self.attempt_limit) {
            (false, _) => Some(1),
            (true, true) => self.max_attempts,
            (true, false) => None,
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreToKeep {
    Average,
    First,
    Highest,
    Latest,
}

/// The results that students see, and when.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
pub struct ResultViewSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_view_restricted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_points_awarded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_points_possible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_response: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_response_qualifier: Option<Qualifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_item_responses_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_item_responses_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_response_correctness: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_response_correctness_qualifier: Option<Qualifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_item_response_correctness_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_item_response_correctness_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_correct_answer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_item_feedback: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Qualifier {
    Always,
    OncePerAttempt,
    AfterLastAttempt,
    OnceAfterLastAttempt,
}

/// The settings of a request: each as a whole, be it an object.
#[derive(Clone, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct QuizSettingsForm {
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
    pub fn over(self, current: QuizSettings) -> Result<QuizSettings> {
        self.require_short()?;
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

impl QuizSettingsForm {
    /// 422 where the access code or the filters are longer than either needs to be.
    fn require_short(&self) -> Result<()> {
        if let Patch::Value(code) = &self.student_access_code {
            not_too_long("quiz_settings[student_access_code]", code, MAX_CODE_CHARS)?;
        }
        match &self.filters {
            Patch::Value(filters) if json!(filters).to_string().len() > MAX_FILTER_BYTES => {
                let message = format!("is too long (maximum is {MAX_FILTER_BYTES} bytes)");
                Err(Error::invalid("quiz_settings[filters]", "too_long", message))
            }
            _ => Ok(()),
        }
    }
}

impl ResultViewSettings {
    /// True if a student sees what was answered, when no attempt is left or one is. Results that are to be shown once
    /// were shown when the attempt was made.
    fn shows_responses(&self, has_none_left: bool, now: Timestamp) -> bool {
        if self.result_view_restricted != Some(true) {
            return true;
        }
        let is_time = self.show_item_responses_at.is_none_or(|at| at <= now)
            && self.hide_item_responses_at.is_none_or(|at| now < at);
        let is_late_enough = match self.display_item_response_qualifier {
            None | Some(Qualifier::Always) => true,
            Some(Qualifier::AfterLastAttempt) => has_none_left,
            Some(Qualifier::OncePerAttempt | Qualifier::OnceAfterLastAttempt) => false,
        };
        self.display_items == Some(true) && self.display_item_response == Some(true) && is_time && is_late_enough
    }
}

impl QuizSettings {
    /// The code that students must know.
    pub fn access_code(&self) -> Option<&str> {
        let code = self.student_access_code.as_deref().filter(|code| !code.is_empty());
        code.filter(|_| self.require_student_access_code)
    }

    /// The number of times that a student may attempt the quiz who has been given so many more; `None`: without end.
    pub fn most_attempts(&self, extra: i64) -> Option<i64> {
        Some(self.multiple_attempts.as_ref()?.most()?.saturating_add(extra))
    }

    /// True if a student who has made so many attempts, and was given so many more, has made the last.
    pub fn are_all_made(&self, made: i64, extra: i64) -> bool {
        self.most_attempts(extra).is_some_and(|most| made >= most)
    }

    /// The seconds that a student waits after an attempt, if the quiz has such a time.
    pub fn cooling_period(&self) -> Option<i64> {
        let attempts = self.multiple_attempts.as_ref()?;
        attempts.cooling_period_seconds.filter(|_| attempts.multiple_attempts_enabled && attempts.cooling_period)
    }

    /// Takes away what only staff may see.
    pub fn hide_secrets(&mut self) {
        self.student_access_code = None;
        self.filters.clear();
    }

    /// True if students see what they have answered.
    pub fn shows_responses(&self, has_none_left: bool, now: Timestamp) -> bool {
        self.result_view_settings.as_ref().is_none_or(|settings| settings.shows_responses(has_none_left, now))
    }

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
    use serde_json::Value;
    use shared::params::coerce;

    use super::*;

    fn over(current: QuizSettings, form: Value) -> Result<QuizSettings> {
        coerce::from_value::<QuizSettingsForm>(form).unwrap().over(current)
    }

    #[test]
    fn extra_attempts_come_on_top_of_a_limit() {
        let settings = |fields: Value| serde_json::from_value::<QuizSettings>(fields).unwrap();
        let limited = json!({"multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 2});
        assert_eq!(settings(json!({"multiple_attempts": limited})).most_attempts(1), Some(3));
        assert_eq!(settings(json!({"multiple_attempts": {}})).most_attempts(1), Some(2));
        assert_eq!(settings(json!({})).most_attempts(1), None);
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
    fn responses_are_shown_when_the_settings_say_so() {
        let shown = |settings: Value, has_none_left| {
            let settings = over(QuizSettings::default(), json!({"result_view_settings": settings})).unwrap();
            settings.shows_responses(has_none_left, Timestamp::from_unix(1_000).unwrap())
        };
        let restricted = |qualifier: &str| {
            json!({"result_view_restricted": true, "display_items": true, "display_item_response": true,
                   "display_item_response_qualifier": qualifier})
        };
        assert!(shown(json!({"result_view_restricted": false}), false));
        assert!(!shown(json!({"result_view_restricted": true}), true));
        assert!(shown(restricted("always"), false));
        assert!(!shown(restricted("after_last_attempt"), false) && shown(restricted("after_last_attempt"), true));
        assert!(!shown(restricted("once_per_attempt"), true));
        let mut later = restricted("always");
        later["show_item_responses_at"] = json!("2099-01-01T00:00:00Z");
        assert!(!shown(later, true));
    }

    #[test]
    fn students_need_the_code_where_it_is_required() {
        let code = |required| {
            let form = json!({"require_student_access_code": required, "student_access_code": "leaf"});
            over(QuizSettings::default(), form).unwrap().access_code().map(str::to_owned)
        };
        assert_eq!((code(true).as_deref(), code(false)), (Some("leaf"), None));
        let filters: Vec<_> = (0..2_000).map(|_| ["10.0.0.0", "10.0.0.1"]).collect();
        assert!(over(QuizSettings::default(), json!({"filters": {"ips": filters}})).is_err());
        assert!(over(QuizSettings::default(), json!({"student_access_code": "x".repeat(256)})).is_err());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(over(QuizSettings::default(), json!({"session_time_limit_in_seconds": 0})).is_err());
        assert!(over(QuizSettings::default(), json!({"multiple_attempts": {"max_attempts": -1}})).is_err());
        assert!(coerce::from_value::<QuizSettingsForm>(json!({"shuffle_answers": "perhaps"})).is_err());
        assert!(coerce::from_value::<QuizSettingsForm>(json!({"calculator_type": "abacus"})).is_err());
    }
}
