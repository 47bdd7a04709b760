//! The options of a classic quiz: all of its settings that have no column of their own.

use serde::{Deserialize, Serialize};
use shared::params::not_too_long;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

use crate::address_filter;

/// The most characters of an access code, and of a filter of addresses.
const MAX_TEXT_CHARS: usize = 255;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuizOptions {
    assignment_group_id: Option<i64>,
    /// In minutes; null: none.
    pub time_limit: Option<i64>,
    /// True if the choices of an attempt stand in an order of its own.
    pub shuffle_answers: bool,
    /// Null: students see their results.
    pub hide_results: Option<HideResults>,
    /// True if students see which of their answers are right.
    pub show_correct_answers: bool,
    pub show_correct_answers_last_attempt: bool,
    pub show_correct_answers_at: Option<Timestamp>,
    pub hide_correct_answers_at: Option<Timestamp>,
    /// True if students see their answers and what they were worth once after each attempt.
    pub one_time_results: bool,
    pub scoring_policy: ScoringPolicy,
    /// -1: without end.
    pub allowed_attempts: i64,
    pub one_question_at_a_time: bool,
    /// Of a quiz that shows one question at a time: true if what was answered stays as it is.
    pub cant_go_back: bool,
    /// Only who may change the quiz sees it.
    pub access_code: Option<String>,
    /// Addresses and networks, separated by commas. Only who may change the quiz sees it.
    pub ip_filter: Option<String>,
    only_visible_to_overrides: bool,
    anonymous_submissions: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HideResults {
    Always,
    UntilAfterLastAttempt,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
pub enum ScoringPolicy {
    #[default]
    #[serde(rename = "keep_highest")]
    Highest,
    #[serde(rename = "keep_latest")]
    Latest,
    #[serde(rename = "keep_average")]
    Average,
}

impl Default for QuizOptions {
    fn default() -> Self {
        Self {
            assignment_group_id: None,
            time_limit: None,
            shuffle_answers: false,
            hide_results: None,
            show_correct_answers: true,
            show_correct_answers_last_attempt: false,
            show_correct_answers_at: None,
            hide_correct_answers_at: None,
            one_time_results: false,
            scoring_policy: ScoringPolicy::default(),
            allowed_attempts: 1,
            one_question_at_a_time: false,
            cant_go_back: false,
            access_code: None,
            ip_filter: None,
            only_visible_to_overrides: false,
            anonymous_submissions: false,
        }
    }
}

impl QuizOptions {
    /// True if students must type a code.
    pub fn has_access_code(&self) -> bool {
        self.access_code.is_some()
    }

    /// True if nobody is told who has answered what, which is so of surveys alone.
    pub fn is_anonymous(&self, quiz_type: QuizType) -> bool {
        self.anonymous_submissions && matches!(quiz_type, QuizType::Survey | QuizType::GradedSurvey)
    }

    /// The parts that students are not told.
    pub fn without_secrets(self) -> Self {
        Self { access_code: None, ip_filter: None, ..self }
    }

    pub fn valid(self) -> Result<Self> {
        if self.time_limit.is_some_and(|minutes| minutes < 1) {
            return Err(Error::invalid("time_limit", "greater_than", "must be greater than 0"));
        }
        if self.allowed_attempts < 1 && self.allowed_attempts != -1 {
            return Err(Error::invalid("allowed_attempts", "inclusion", "must be greater than 0, or -1"));
        }
        Ok(self)
    }
}

/// The settings of a request.
#[derive(Clone, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub struct QuizForm {
    pub title: Patch<String>,
    /// Rich content.
    pub description: Patch<String>,
    pub quiz_type: Patch<QuizType>,
    pub due_at: Patch<Timestamp>,
    pub lock_at: Patch<Timestamp>,
    pub unlock_at: Patch<Timestamp>,
    pub published: Patch<bool>,
    assignment_group_id: Patch<i64>,
    time_limit: Patch<i64>,
    shuffle_answers: Patch<bool>,
    hide_results: Patch<HideResults>,
    show_correct_answers: Patch<bool>,
    show_correct_answers_last_attempt: Patch<bool>,
    show_correct_answers_at: Patch<Timestamp>,
    hide_correct_answers_at: Patch<Timestamp>,
    one_time_results: Patch<bool>,
    scoring_policy: Patch<ScoringPolicy>,
    allowed_attempts: Patch<i64>,
    one_question_at_a_time: Patch<bool>,
    cant_go_back: Patch<bool>,
    access_code: Patch<String>,
    ip_filter: Patch<String>,
    only_visible_to_overrides: Patch<bool>,
    anonymous_submissions: Patch<bool>,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuizType {
    #[default]
    PracticeQuiz,
    Assignment,
    GradedSurvey,
    Survey,
}

impl QuizType {
    /// True if such a quiz has an assignment.
    pub fn is_graded(self) -> bool {
        matches!(self, Self::Assignment | Self::GradedSurvey)
    }
}

impl QuizForm {
    /// 400 where the access code or the filter of addresses is longer than either needs to be, or the latter has something else
    /// than addresses.
    pub fn require_valid_texts(&self) -> Result<()> {
        for (field, given) in [("access_code", &self.access_code), ("ip_filter", &self.ip_filter)] {
            if let Patch::Value(text) = given {
                not_too_long(field, text, MAX_TEXT_CHARS)?;
            }
        }
        if let Patch::Value(filter) = &self.ip_filter
            && !filter.is_empty()
            && !address_filter::is_valid(filter)
        {
            return Err(Error::invalid(
                "ip_filter",
                "invalid_ip_filter",
                "must be addresses or networks, separated by commas",
            ));
        }
        Ok(())
    }

    /// The options the quiz has afterwards.
    pub fn options_over(&mut self, current: QuizOptions) -> QuizOptions {
        fn text(given: &mut Patch<String>, current: Option<String>) -> Option<String> {
            std::mem::take(given).over(current).filter(|text| !text.is_empty())
        }
        QuizOptions {
            assignment_group_id: self.assignment_group_id.over(current.assignment_group_id),
            time_limit: self.time_limit.over(current.time_limit),
            shuffle_answers: self.shuffle_answers.unwrap_or(current.shuffle_answers),
            hide_results: self.hide_results.over(current.hide_results),
            show_correct_answers: self.show_correct_answers.unwrap_or(current.show_correct_answers),
            show_correct_answers_last_attempt: self
                .show_correct_answers_last_attempt
                .unwrap_or(current.show_correct_answers_last_attempt),
            show_correct_answers_at: self.show_correct_answers_at.over(current.show_correct_answers_at),
            hide_correct_answers_at: self.hide_correct_answers_at.over(current.hide_correct_answers_at),
            one_time_results: self.one_time_results.unwrap_or(current.one_time_results),
            scoring_policy: self.scoring_policy.unwrap_or(current.scoring_policy),
            allowed_attempts: self.allowed_attempts.unwrap_or(current.allowed_attempts),
            one_question_at_a_time: self.one_question_at_a_time.unwrap_or(current.one_question_at_a_time),
            cant_go_back: self.cant_go_back.unwrap_or(current.cant_go_back),
            access_code: text(&mut self.access_code, current.access_code),
            ip_filter: text(&mut self.ip_filter, current.ip_filter),
            only_visible_to_overrides: self.only_visible_to_overrides.unwrap_or(current.only_visible_to_overrides),
            anonymous_submissions: self.anonymous_submissions.unwrap_or(current.anonymous_submissions),
        }
    }
}

/// The number of times that a student may take a quiz, with the extra ones; -1: without end.
pub fn attempts_with(allowed: i64, extra: Option<i64>) -> i64 {
    if allowed < 0 { allowed } else { allowed.saturating_add(extra.unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extra_attempts_are_added_to_those_that_are_counted() {
        assert_eq!(attempts_with(2, None), 2);
        assert_eq!(attempts_with(2, Some(3)), 5);
        assert_eq!(attempts_with(-1, Some(3)), -1);
    }
}
