//! Statistics of a classic quiz: of the attempts as a whole, and of the answers to each question.
//!
//! They are summed up attempt by attempt, so that no more than one of them is in memory.

mod choices;
mod item;
mod parts;
mod question;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{QuizSubmissionId, UserId};
use shared::{JsonSchema, Timestamp};

use self::item::{Rank, Sums, float, group_of};
use self::question::{QuestionTally, percent};
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::Answers;

pub(crate) use self::question::QuestionStatistics;

/// The score of a completed attempt.
#[derive(Deserialize)]
pub(crate) struct AttemptScore {
    pub(crate) id: QuizSubmissionId,
    pub(crate) attempt: i64,
    pub(crate) user_id: UserId,
    pub(crate) score: f64,
    /// The size of its questions and answers.
    pub(crate) bytes: i64,
}

/// A completed attempt.
#[derive(Deserialize)]
pub(crate) struct CompletedAttempt {
    pub(crate) id: QuizSubmissionId,
    pub(crate) attempt: i64,
    questions: Json<Vec<AskedQuestion>>,
    answers: Json<Answers>,
    score: f64,
    started_at: Timestamp,
    finished_at: Timestamp,
}

/// What all attempts have in common.
#[derive(Serialize, JsonSchema, Default)]
pub(crate) struct SubmissionStatistics {
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

/// The statistics so far.
#[derive(Default)]
pub(crate) struct Tally {
    ranks: HashMap<(i64, i64), Rank>,
    submissions: SubmissionStatistics,
    scores: Sums,
    correct: Sums,
    incorrect: Sums,
    durations: Sums,
    /// By the id of the question.
    questions: BTreeMap<i64, QuestionTally>,
}

impl Tally {
    /// Statistics of these attempts, which are still to be added.
    pub(crate) fn of(scores: &[AttemptScore]) -> Self {
        let mut ordered: Vec<_> = scores.iter().collect();
        ordered.sort_by(|a, b| b.score.total_cmp(&a.score));
        let group = group_of(ordered.len());
        let rank = |place: usize| match place {
            _ if place < group => Rank::Top,
            _ if place >= ordered.len() - group => Rank::Bottom,
            _ => Rank::Middle,
        };
        let ranks = ordered.iter().enumerate().map(|(place, one)| ((one.id.0, one.attempt), rank(place))).collect();
        let mut tally = Self { ranks, ..Self::default() };
        let students: BTreeSet<_> = scores.iter().map(|one| one.user_id).collect();
        tally.submissions.unique_count = students.len();
        tally
    }

    pub(crate) fn add(&mut self, attempt: CompletedAttempt) {
        let CompletedAttempt { id, attempt: number, questions, answers, score, started_at, finished_at } = attempt;
        let rank = self.ranks.get(&(id.0, number)).copied().unwrap_or(Rank::Middle);
        self.scores.add(score);
        let highest = self.submissions.score_high.map_or(score, |high| high.max(score));
        let lowest = self.submissions.score_low.map_or(score, |low| low.min(score));
        (self.submissions.score_high, self.submissions.score_low) = (Some(highest), Some(lowest));
        self.durations.add(float(finished_at.unix() - started_at.unix()));
        let possible: f64 = questions.0.iter().map(|asked| asked.points_possible).sum();
        if possible > 0.0 {
            *self.submissions.scores.entry(percent(score / possible)).or_default() += 1;
        }
        let (mut correct, mut incorrect) = (0.0, 0.0);
        for (place, asked) in questions.0.into_iter().enumerate().filter(|(_, asked)| asked.is_question()) {
            let given = answers.0.get(&asked.id.to_string()).cloned().unwrap_or_default();
            let question = self.questions.entry(asked.id.0).or_insert_with(|| QuestionTally::new(place + 1, asked));
            match question.add(&given, rank, score) {
                Some(true) => correct += 1.0,
                Some(false) => incorrect += 1.0,
                None => {}
            }
        }
        self.correct.add(correct);
        self.incorrect.add(incorrect);
    }

    pub(crate) fn finish(self) -> (SubmissionStatistics, Vec<QuestionStatistics>) {
        let submissions = SubmissionStatistics {
            score_average: self.scores.mean(),
            score_stdev: self.scores.deviation(),
            correct_count_average: self.correct.mean(),
            incorrect_count_average: self.incorrect.mean(),
            duration_average: self.durations.mean(),
            ..self.submissions
        };
        let mut questions: Vec<_> = self.questions.into_values().map(QuestionTally::finish).collect();
        questions.sort_by_key(|question| (question.position, question.id));
        (submissions, questions)
    }
}
