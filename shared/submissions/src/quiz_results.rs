//! The results of a classic quiz that students see, and when: the one rule for every place that shows them.
//!
//! Source: the reference system's quiz settings. Graders see everything.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;

use crate::quiz_options::{HideResults, QuizOptions, attempts_with};

/// The parts of a completed attempt that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibleResults {
    /// The score of the attempt.
    pub score: bool,
    /// The answers.
    pub answers: bool,
    /// The points of each answer, which tell whether it is right.
    pub points: bool,
}

/// The progress of a student with a quiz, as far as the rule asks for it.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Progress {
    /// The attempt that runs, or was completed last.
    pub attempt: i64,
    pub is_running: bool,
    /// The last attempt whose results were shown, where a quiz shows them once.
    pub results_seen_attempt: Option<i64>,
    /// The attempts that the student has beyond those that the quiz allows.
    pub extra_attempts: Option<i64>,
}

impl VisibleResults {
    /// The view of graders.
    pub const ALL: Self = Self { score: true, answers: true, points: true };
    /// The view of students before grades are posted.
    pub const NONE: Self = Self { score: false, answers: false, points: false };

    /// The view of the student, and of whoever watches over the student.
    pub fn of_student(options: &QuizOptions, progress: Progress, now: Timestamp) -> Self {
        let allowed = attempts_with(options.allowed_attempts, progress.extra_attempts);
        let has_none_left = !progress.is_running && allowed >= 1 && progress.attempt >= allowed;
        match options.hide_results {
            Some(HideResults::Always) => return Self::NONE,
            Some(HideResults::UntilAfterLastAttempt) if !has_none_left => return Self::NONE,
            Some(HideResults::UntilAfterLastAttempt) | None => {}
        }
        let was_seen = options.one_time_results && progress.results_seen_attempt == Some(progress.attempt);
        let is_time = options.show_correct_answers_at.is_none_or(|at| at <= now)
            && options.hide_correct_answers_at.is_none_or(|at| now < at);
        let is_late_enough = !options.show_correct_answers_last_attempt || has_none_left;
        let answers = !was_seen;
        Self { score: true, answers, points: answers && options.show_correct_answers && is_time && is_late_enough }
    }
}

/// The classic quiz whose grade a submission of an assignment holds, and the student's progress with it.
#[derive(Deserialize, Clone)]
pub struct GradedQuiz {
    settings: Json<QuizOptions>,
    progress: Option<Progress>,
}

impl GradedQuiz {
    /// True if students see the grade. One that was given without an attempt is no result of the quiz.
    pub fn shows_score(&self, now: Timestamp) -> bool {
        self.progress.is_none_or(|progress| VisibleResults::of_student(&self.settings.0, progress, now).score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Progress =
        Progress { attempt: 1, is_running: false, results_seen_attempt: None, extra_attempts: None };
    const LAST: Progress = Progress { attempt: 2, ..FIRST };

    /// Two attempts, and what a test changes of the other options.
    fn options(change: impl FnOnce(&mut QuizOptions)) -> QuizOptions {
        let mut options = QuizOptions::default();
        options.allowed_attempts = 2;
        change(&mut options);
        options
    }

    fn visible_parts(options: &QuizOptions, progress: Progress) -> (bool, bool, bool) {
        let VisibleResults { score, answers, points } =
            VisibleResults::of_student(options, progress, Timestamp::from_unix(1_000).unwrap());
        (score, answers, points)
    }

    #[test]
    fn nothing_is_hidden_unless_the_quiz_says_so() {
        assert_eq!(visible_parts(&options(|_| ()), FIRST), (true, true, true));
    }

    #[test]
    fn results_are_hidden_always_or_while_attempts_are_left() {
        let always = options(|options| options.hide_results = Some(HideResults::Always));
        assert_eq!(visible_parts(&always, LAST), (false, false, false));
        let until = options(|options| options.hide_results = Some(HideResults::UntilAfterLastAttempt));
        assert_eq!(visible_parts(&until, FIRST), (false, false, false));
        assert_eq!(visible_parts(&until, Progress { is_running: true, ..LAST }), (false, false, false));
        assert_eq!(visible_parts(&until, LAST), (true, true, true));
        assert_eq!(visible_parts(&until, Progress { extra_attempts: Some(1), ..LAST }), (false, false, false));
        assert_eq!(
            visible_parts(
                &options(|options| {
                    options.hide_results = Some(HideResults::UntilAfterLastAttempt);
                    options.allowed_attempts = -1;
                }),
                LAST
            ),
            (false, false, false)
        );
    }

    #[test]
    fn which_answers_are_right_is_shown_in_its_time_or_not_at_all() {
        let at = |seconds| Timestamp::from_unix(seconds);
        for (options, progress, points) in [
            (options(|options| options.show_correct_answers = false), LAST, false),
            (options(|options| options.show_correct_answers_at = at(1_001)), LAST, false),
            (options(|options| options.show_correct_answers_at = at(1_000)), LAST, true),
            (options(|options| options.hide_correct_answers_at = at(1_000)), LAST, false),
            (options(|options| options.hide_correct_answers_at = at(1_001)), LAST, true),
            (options(|options| options.show_correct_answers_last_attempt = true), FIRST, false),
            (options(|options| options.show_correct_answers_last_attempt = true), LAST, true),
        ] {
            assert_eq!(visible_parts(&options, progress), (true, true, points));
        }
    }

    #[test]
    fn results_that_are_shown_once_are_gone_when_they_were_seen() {
        let once = options(|options| options.one_time_results = true);
        assert_eq!(visible_parts(&once, FIRST), (true, true, true));
        assert_eq!(visible_parts(&once, Progress { results_seen_attempt: Some(1), ..FIRST }), (true, false, false));
        assert_eq!(visible_parts(&once, Progress { results_seen_attempt: Some(1), ..LAST }), (true, true, true));
    }
}
