//! What all attempts at a quiz have in common.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use shared::JsonSchema;
use shared::ids::UserId;

use crate::item_analysis::{Sums, percent};

/// What all attempts have in common.
#[derive(Debug, Serialize, JsonSchema, Default)]
pub struct SubmissionStatistics {
    /// The students who have completed an attempt.
    unique_count: usize,
    score_average: Option<f64>,
    score_high: Option<f64>,
    score_low: Option<f64>,
    /// The standard deviation of the scores.
    score_stdev: Option<f64>,
    /// How often each score was reached, in percent of the points.
    scores: BTreeMap<i64, usize>,
    /// The mean number of questions that were answered rightly.
    correct_count_average: Option<f64>,
    /// The mean number of the others, as far as they are graded.
    incorrect_count_average: Option<f64>,
    /// In seconds.
    duration_average: Option<f64>,
}

/// An attempt as a whole.
#[derive(Debug, Clone, Copy)]
pub struct AttemptFigures {
    /// Whose it is.
    pub user: UserId,
    /// In points.
    pub score: f64,
    /// In points.
    pub points_possible: f64,
    /// The time from its beginning to its end.
    pub seconds: i64,
    /// The number of questions that are right.
    pub correct: u32,
    /// The number of the others, as far as they are graded.
    pub incorrect: u32,
}

/// The attempts so far.
#[derive(Debug, Default)]
pub struct AttemptTally {
    students: BTreeSet<i64>,
    found: SubmissionStatistics,
    scores: Sums,
    correct: Sums,
    incorrect: Sums,
    durations: Sums,
}

impl AttemptTally {
    /// Adds an attempt.
    pub fn add(&mut self, attempt: AttemptFigures) {
        let AttemptFigures { user, score, points_possible, seconds, correct, incorrect } = attempt;
        self.students.insert(user.0);
        self.scores.add(score);
        let highest = self.found.score_high.map_or(score, |high| high.max(score));
        let lowest = self.found.score_low.map_or(score, |low| low.min(score));
        (self.found.score_high, self.found.score_low) = (Some(highest), Some(lowest));
        if points_possible > 0.0 {
            *self.found.scores.entry(percent(score / points_possible)).or_default() += 1;
        }
        self.durations.add(f64::from(i32::try_from(seconds).unwrap_or(i32::MAX)));
        self.correct.add(correct.into());
        self.incorrect.add(incorrect.into());
    }

    /// What they have in common.
    pub fn finish(self) -> SubmissionStatistics {
        SubmissionStatistics {
            unique_count: self.students.len(),
            score_average: self.scores.mean(),
            score_stdev: self.scores.deviation(),
            correct_count_average: self.correct.mean(),
            incorrect_count_average: self.incorrect.mean(),
            duration_average: self.durations.mean(),
            ..self.found
        }
    }
}
