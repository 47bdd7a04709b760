//! The answers to a question, counted attempt by attempt.

use std::collections::BTreeMap;

use classic_questions::{Answer, QuestionType};
use serde::Serialize;
use serde_json::Value;
use shared::JsonSchema;
use shared::ids::QuestionId;

use super::choices::{AnswerStatistics, Counts, is_blank, others};
use super::item::{Group, ItemAnalysis, PointBiserial, Rank, Sums, float, point_biserial, ratio};
use super::parts::{AnswerSet, Part};
use crate::model::quiz_scoring::{AskedQuestion, Worth};
use crate::model::quiz_submissions::StudentAnswer;

/// The answers to a question.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuestionStatistics {
    pub(super) id: QuestionId,
    pub(super) question_type: QuestionType,
    /// Rich content.
    pub(super) question_text: String,
    /// The place where it stood first.
    pub(super) position: usize,
    /// The answers that were given, without blank ones.
    pub(super) responses: usize,
    /// Of those who were asked: right, partly right, wrong or blank, and waiting for a grader.
    pub(super) correct: usize,
    pub(super) partially_correct: usize,
    pub(super) incorrect: usize,
    pub(super) ungraded: usize,
    /// The answers that there are to choose or to give, with how often each was given; of a question without parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<Vec<AnswerStatistics>>,
    /// The same for each blank, or for each half of a pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer_sets: Option<Vec<AnswerSet>>,
    /// Of what somebody must read: how often each score was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) point_distribution: Option<Vec<PointCount>>,
    /// Of multiple choice and true or false.
    #[serde(flatten)]
    pub(super) item: Option<ItemAnalysis>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PointCount {
    score: f64,
    count: usize,
}

pub(super) struct QuestionTally {
    asked: AskedQuestion,
    position: usize,
    responses: usize,
    correct: usize,
    partially_correct: usize,
    incorrect: usize,
    ungraded: usize,
    answers: Counts,
    /// By the id of the blank or of the left half.
    sets: BTreeMap<String, Counts>,
    points: BTreeMap<i64, usize>,
    top: Group,
    middle: Group,
    bottom: Group,
    /// The scores of all who answered, and of those who chose each answer.
    scores: Sums,
    scores_of: BTreeMap<i64, Sums>,
}

impl QuestionTally {
    pub(super) fn new(position: usize, asked: AskedQuestion) -> Self {
        Self {
            asked,
            position,
            responses: 0,
            correct: 0,
            partially_correct: 0,
            incorrect: 0,
            ungraded: 0,
            answers: Counts::new(),
            sets: BTreeMap::new(),
            points: BTreeMap::new(),
            top: Group::default(),
            middle: Group::default(),
            bottom: Group::default(),
            scores: Sums::default(),
            scores_of: BTreeMap::new(),
        }
    }

    /// Adds an answer; true if it is right, `None` where nobody has read it yet.
    pub(super) fn add(&mut self, given: &StudentAnswer, rank: Rank, score: f64) -> Option<bool> {
        let part = self.part(given);
        match part {
            Some(part) if part >= 1.0 => self.correct += 1,
            Some(part) if part > 0.0 => self.partially_correct += 1,
            Some(_) => self.incorrect += 1,
            None => self.ungraded += 1,
        }
        let is_right = part.map(|part| part >= 1.0);
        let is_given = !is_blank(&given.answer);
        if is_given {
            self.responses += 1;
            self.scores.add(score);
            let group = match rank {
                Rank::Top => &mut self.top,
                Rank::Middle => &mut self.middle,
                Rank::Bottom => &mut self.bottom,
            };
            group.answered += 1;
            group.right += usize::from(is_right == Some(true));
        }
        if let Some(points) = given.points {
            *self.points.entry(percent(points)).or_default() += 1;
        }
        self.count(&given.answer, score);
        is_right
    }

    /// The part of the points that the answer got, from 0 to 1.
    fn part(&self, given: &StudentAnswer) -> Option<f64> {
        if self.asked.points_possible > 0.0 {
            return given.points.map(|points| points / self.asked.points_possible);
        }
        match self.asked.worth(&given.answer) {
            Worth::Part(part) => Some(part),
            Worth::Unknown => given.points.map(|_| 0.0),
        }
    }

    fn count(&mut self, answer: &Value, score: f64) {
        use QuestionType as T;
        match self.asked.question_type {
            T::Essay | T::FileUpload | T::TextOnly | T::Calculated => {}
            T::FillInMultipleBlanks | T::MultipleDropdowns | T::Matching => {
                for (part, chosen) in self.asked.chosen_parts(answer) {
                    *self.sets.entry(part).or_default().entry(chosen).or_default() += 1;
                }
            }
            _ => {
                let chosen = self.asked.chosen_answers(answer);
                if chosen.is_empty() {
                    *self.answers.entry(None).or_default() += 1;
                }
                for id in chosen {
                    *self.answers.entry(Some(id)).or_default() += 1;
                    self.scores_of.entry(id).or_default().add(score);
                }
            }
        }
    }

    pub(super) fn finish(self) -> QuestionStatistics {
        use QuestionType as T;
        let kind = self.asked.question_type;
        let has_item = matches!(kind, T::MultipleChoice | T::TrueFalse);
        let has_answers = matches!(
            kind,
            T::MultipleChoice | T::TrueFalse | T::MissingWord | T::ShortAnswer | T::Numerical | T::MultipleAnswers
        );
        let has_sets = matches!(kind, T::FillInMultipleBlanks | T::MultipleDropdowns | T::Matching);
        QuestionStatistics {
            id: self.asked.id,
            question_type: kind,
            position: self.position,
            responses: self.responses,
            correct: self.correct,
            partially_correct: self.partially_correct,
            incorrect: self.incorrect,
            ungraded: self.ungraded,
            answers: has_answers.then(|| self.answers()),
            answer_sets: has_sets.then(|| self.answer_sets()),
            point_distribution: matches!(kind, T::Essay | T::FileUpload).then(|| self.point_distribution()),
            item: has_item.then(|| self.item()),
            question_text: self.asked.question_text,
        }
    }

    fn answers(&self) -> Vec<AnswerStatistics> {
        let are_all_right = matches!(self.asked.question_type, QuestionType::ShortAnswer | QuestionType::Numerical);
        let own = self.asked.answers.iter().map(|answer| AnswerStatistics {
            id: answer.id.unwrap_or_default().to_string(),
            text: self.asked.shown(answer),
            correct: are_all_right || answer.weight > 0.0,
            responses: answer.id.and_then(|id| self.answers.get(&Some(id))).copied().unwrap_or_default(),
        });
        own.chain(others(&self.answers)).collect()
    }

    fn answer_sets(&self) -> Vec<AnswerSet> {
        let none = Counts::new();
        let sets = self.asked.parts().into_iter().map(|Part { id, text, answers }| {
            let counts = self.sets.get(&id).unwrap_or(&none);
            let own = answers.into_iter().map(|answer| AnswerStatistics {
                responses: counts.get(&Some(answer.id)).copied().unwrap_or_default(),
                id: answer.id.to_string(),
                text: answer.text,
                correct: answer.correct,
            });
            AnswerSet { answers: own.chain(others(counts)).collect(), id, text }
        });
        sets.collect()
    }

    fn point_distribution(&self) -> Vec<PointCount> {
        let count = |(points, count): (&i64, &usize)| PointCount { score: float(*points) / 100.0, count: *count };
        self.points.iter().map(count).collect()
    }

    fn item(&self) -> ItemAnalysis {
        let Self { top, middle, bottom, responses: answered, .. } = *self;
        let right = top.right + middle.right + bottom.right;
        let correct_ratio = ratio(right, answered);
        let variance = correct_ratio * (1.0 - correct_ratio);
        ItemAnalysis {
            answered_student_count: answered,
            top_student_count: top.answered,
            middle_student_count: middle.answered,
            bottom_student_count: bottom.answered,
            correct_student_count: right,
            incorrect_student_count: answered - right,
            correct_student_ratio: correct_ratio,
            incorrect_student_ratio: if answered == 0 { 0.0 } else { 1.0 - correct_ratio },
            correct_top_student_count: top.right,
            correct_middle_student_count: middle.right,
            correct_bottom_student_count: bottom.right,
            variance,
            stdev: variance.sqrt(),
            difficulty_index: correct_ratio,
            point_biserials: self.point_biserials(),
        }
    }

    fn point_biserials(&self) -> Vec<PointBiserial> {
        let of = |answer: &Answer| {
            let answer_id = answer.id?;
            let own = self.scores_of.get(&answer_id).copied().unwrap_or_default();
            let correct = answer.weight > 0.0;
            let point_biserial = point_biserial(self.scores, own);
            Some(PointBiserial { answer_id, point_biserial, correct, distractor: !correct })
        };
        self.asked.answers.iter().filter_map(of).collect()
    }
}

/// A part in hundredths.
pub(super) fn percent(part: f64) -> i64 {
    format!("{:.0}", part * 100.0).parse().unwrap_or_default()
}
