//! The answers to a question of a classic quiz, counted attempt by attempt.

use ::submissions::grading::rounded;
use classic_questions::QuestionType;
use quiz_reports::item_analysis::Rank;
use quiz_reports::item_report::AnalyzedItem;
use quiz_reports::plain::plain_text;
use quiz_reports::questions::{GivenAnswer, QuestionFigures, QuestionTally, Shape};
use serde::Serialize;
use shared::JsonSchema;
use shared::ids::QuestionId;

use super::choices::{choice, is_blank};
use crate::model::quiz_scoring::{AskedQuestion, Worth};
use crate::model::quiz_submissions::StudentAnswer;

/// The answers to a question.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuestionStatistics {
    pub(super) id: QuestionId,
    question_type: QuestionType,
    /// Rich content.
    question_text: String,
    /// The place where it stood first.
    pub(super) position: usize,
    /// Of multiple choice and true or false there is item analysis.
    #[serde(flatten)]
    figures: QuestionFigures,
    /// Of multiple choice and true or false.
    #[serde(skip_serializing_if = "Option::is_none")]
    point_biserials: Option<Vec<PointBiserial>>,
    #[serde(skip)]
    question_name: String,
}

/// The correlation of an answer with the score of the attempt.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PointBiserial {
    answer_id: i64,
    /// From -1 to 1; null where all or none chose it, or all had the same score.
    point_biserial: Option<f64>,
    correct: bool,
    distractor: bool,
}

impl QuestionStatistics {
    /// The question as a row of the report; none of a question that is not right or wrong.
    pub(crate) fn analyzed(self) -> Option<AnalyzedItem> {
        let biserials = self.point_biserials.unwrap_or_default();
        let biserials: Vec<_> = biserials.iter().map(|one| (one.correct, one.point_biserial)).collect();
        let title = match self.question_name.trim() {
            "" => plain_text(&self.question_text),
            name => name.to_owned(),
        };
        Some(AnalyzedItem::new(self.id.to_string(), title, self.figures.item?, &biserials))
    }
}

/// A question that was asked, with the answers so far.
pub(super) struct AskedTally {
    asked: AskedQuestion,
    position: usize,
    tally: QuestionTally,
}

impl AskedTally {
    pub(super) fn new(position: usize, asked: AskedQuestion) -> Self {
        Self { asked, position, tally: QuestionTally::default() }
    }

    /// Adds an answer with the part of the points that it got, and tells how it is counted.
    pub(super) fn add(&mut self, given: &StudentAnswer, part: Option<f64>, rank: Rank, score: f64) -> GivenAnswer {
        let given = GivenAnswer { part, ..self.asked.given(given) };
        self.tally.add(&given, rank, score);
        given
    }

    pub(super) fn finish(self, alpha: Option<f64>) -> QuestionStatistics {
        let Self { asked, position, tally } = self;
        let has_item = matches!(asked.question_type, QuestionType::MultipleChoice | QuestionType::TrueFalse);
        let biserials = asked.answers.iter().filter_map(|answer| {
            let answer_id = answer.id?;
            let correct = answer.is_right();
            let point_biserial = tally.point_biserial(&answer_id.to_string());
            Some(PointBiserial { answer_id, point_biserial, correct, distractor: !correct })
        });
        QuestionStatistics {
            id: asked.id,
            question_type: asked.question_type,
            position,
            figures: tally.figures(&asked.shape(), has_item, alpha),
            point_biserials: has_item.then(|| biserials.collect()),
            question_text: asked.question_text,
            question_name: asked.question_name,
        }
    }
}

impl AskedQuestion {
    /// What a student has answered, as it is counted.
    pub(super) fn given(&self, given: &StudentAnswer) -> GivenAnswer {
        use QuestionType as T;
        let choices = match self.question_type {
            T::TextOnly | T::Calculated | T::Essay | T::FileUpload => Vec::new(),
            T::FillInMultipleBlanks | T::MultipleDropdowns | T::Matching => {
                self.chosen_parts(&given.answer).into_iter().map(|(part, id)| (part, choice(id))).collect()
            }
            T::MultipleChoice | T::TrueFalse | T::MissingWord | T::ShortAnswer | T::Numerical | T::MultipleAnswers => {
                let chosen = self.chosen_answers(&given.answer);
                let none = chosen.is_empty().then_some(None);
                chosen.into_iter().map(Some).chain(none).map(|id| (String::new(), choice(id))).collect()
            }
        };
        GivenAnswer { part: self.part(given), points: given.points, is_given: !is_blank(&given.answer), choices }
    }

    /// The part of the points that the answer got, from 0 to 1.
    pub(super) fn part(&self, given: &StudentAnswer) -> Option<f64> {
        if self.points_possible > 0.0 {
            // All points may have been rounded when they were given.
            let are_all = |points: f64| points > 0.0 && points >= rounded(self.points_possible);
            let part = |points: f64| points / self.points_possible;
            return given.points.map(|points| if are_all(points) { part(points).max(1.0) } else { part(points) });
        }
        match self.worth(&given.answer) {
            Worth::Part(part) => Some(part),
            Worth::Unknown => given.points.map(|_| 0.0),
        }
    }

    fn shape(&self) -> Shape {
        use QuestionType as T;
        match self.question_type {
            T::TextOnly | T::Calculated => Shape::Plain,
            T::Essay | T::FileUpload => Shape::Read,
            T::FillInMultipleBlanks | T::MultipleDropdowns | T::Matching => Shape::Parts(self.known_parts()),
            T::MultipleChoice | T::TrueFalse | T::MissingWord | T::ShortAnswer | T::Numerical | T::MultipleAnswers => {
                Shape::Answers(self.known_answers())
            }
        }
    }
}
