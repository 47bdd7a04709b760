//! The answers to a question, counted attempt by attempt.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::JsonSchema;

use crate::item_analysis::{Groups, ItemAnalysis, Rank, Sums, percent, point_biserial};

/// The answers to a question, as they are answered.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuestionFigures {
    /// The answers that were given, without blank ones.
    pub responses: usize,
    /// Of those who were asked: right, partly right, wrong or blank, and waiting for a grader.
    pub correct: usize,
    /// More than nothing, and not all points.
    pub partially_correct: usize,
    /// Wrong, or blank.
    pub incorrect: usize,
    /// Waiting for a grader.
    pub ungraded: usize,
    /// The answers that there are to choose or to give, with how often each was given; of a question without parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<AnswerStatistics>>,
    /// The same for each part of a question that is answered by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_sets: Option<Vec<AnswerSet>>,
    /// Of what somebody must read: how often each score was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_distribution: Option<Vec<PointCount>>,
    /// Of questions that are right or wrong.
    #[serde(flatten)]
    pub item: Option<ItemAnalysis>,
}

/// How often an answer was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AnswerStatistics {
    /// The id of the answer; `other`: one that is none of the question's; `none`: nothing.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// True if it is right.
    pub correct: bool,
    /// How often it was given.
    pub responses: usize,
}

/// A part of a question that is answered by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnswerSet {
    /// The id of the part.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// The answers that there are to it.
    pub answers: Vec<AnswerStatistics>,
}

/// How often a score was given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PointCount {
    /// In points.
    pub score: f64,
    /// How often.
    pub count: usize,
}

/// An answer of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAnswer {
    /// Unique in its part.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// True if it is right.
    pub correct: bool,
}

/// A part of a question that is answered by itself, with the answers that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPart {
    /// Unique in the question.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// In their order.
    pub answers: Vec<KnownAnswer>,
}

/// What there is to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Nothing that could be listed.
    Plain,
    /// Something that somebody must read.
    Read,
    /// One answer of these, or some.
    Answers(Vec<KnownAnswer>),
    /// An answer to each part.
    Parts(Vec<KnownPart>),
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// One of the question's.
    Known(String),
    /// One that the question does not have.
    Other,
    /// None at all.
    Nothing,
}

/// What an attempt has of a question.
#[derive(Debug, Clone)]
pub struct GivenAnswer {
    /// The part of the points that it got, from 0 to 1; none where nobody has read it yet.
    pub part: Option<f64>,
    /// The points that it got.
    pub points: Option<f64>,
    /// True if it is not blank.
    pub is_given: bool,
    /// What was chosen, with the part of the question that it answers: blank, where it has none.
    pub choices: Vec<(String, Choice)>,
}

impl GivenAnswer {
    /// True if it is right; none where nobody has read it yet.
    pub fn is_right(&self) -> Option<bool> {
        self.part.map(|part| part >= 1.0)
    }
}

/// The answers to a question so far.
#[derive(Debug, Default, Clone)]
pub struct QuestionTally {
    responses: usize,
    correct: usize,
    partially_correct: usize,
    incorrect: usize,
    ungraded: usize,
    /// By part: blank where the question has none.
    counts: BTreeMap<String, Counts>,
    /// By hundredths of a point.
    points: BTreeMap<i64, usize>,
    groups: Groups,
    /// The scores of all who answered, and of those who chose each answer.
    scores: Sums,
    scores_of: BTreeMap<String, Sums>,
}

/// How often each answer was given.
type Counts = BTreeMap<Choice, usize>;

impl QuestionTally {
    /// Adds an answer, and the rank and the score of its attempt.
    pub fn add(&mut self, given: &GivenAnswer, rank: Rank, score: f64) {
        match given.part {
            Some(part) if part >= 1.0 => self.correct += 1,
            Some(part) if part > 0.0 => self.partially_correct += 1,
            Some(_) => self.incorrect += 1,
            None => self.ungraded += 1,
        }
        if given.is_given {
            self.responses += 1;
            self.scores.add(score);
            self.groups.add(rank, given.is_right() == Some(true));
        }
        if let Some(points) = given.points {
            *self.points.entry(percent(points)).or_default() += 1;
        }
        for (part, choice) in &given.choices {
            *self.counts.entry(part.clone()).or_default().entry(choice.clone()).or_default() += 1;
            if let (true, Choice::Known(id)) = (part.is_empty(), choice) {
                self.scores_of.entry(id.clone()).or_default().add(score);
            }
        }
    }

    /// What was counted, of a question of that shape; with item analysis and the alpha of the quiz, if it is right or wrong.
    pub fn figures(&self, shape: &Shape, has_item: bool, alpha: Option<f64>) -> QuestionFigures {
        let (mut answers, mut answer_sets, mut point_distribution) = (None, None, None);
        match shape {
            Shape::Plain => {}
            Shape::Read => point_distribution = Some(self.point_distribution()),
            Shape::Answers(known) => answers = Some(self.answers("", known)),
            Shape::Parts(parts) => {
                let set = |part: &KnownPart| AnswerSet {
                    id: part.id.clone(),
                    text: part.text.clone(),
                    answers: self.answers(&part.id, &part.answers),
                };
                answer_sets = Some(parts.iter().map(set).collect());
            }
        }
        QuestionFigures {
            responses: self.responses,
            correct: self.correct,
            partially_correct: self.partially_correct,
            incorrect: self.incorrect,
            ungraded: self.ungraded,
            answers,
            answer_sets,
            point_distribution,
            item: has_item.then(|| self.groups.analysis(alpha)),
        }
    }

    /// The correlation of an answer with the score: see [`point_biserial`].
    pub fn point_biserial(&self, answer: &str) -> Option<f64> {
        point_biserial(self.scores, self.scores_of.get(answer).copied().unwrap_or_default())
    }

    fn answers(&self, part: &str, known: &[KnownAnswer]) -> Vec<AnswerStatistics> {
        let none = Counts::new();
        let counts = self.counts.get(part).unwrap_or(&none);
        let of = |choice: Choice| counts.get(&choice).copied().unwrap_or_default();
        let own = known.iter().map(|answer| AnswerStatistics {
            id: answer.id.clone(),
            text: answer.text.clone(),
            correct: answer.correct,
            responses: of(Choice::Known(answer.id.clone())),
        });
        let others = [("other", "Something Else", Choice::Other), ("none", "No Answer", Choice::Nothing)];
        let others = others.into_iter().map(|(id, text, choice)| AnswerStatistics {
            id: id.to_owned(),
            text: text.to_owned(),
            correct: false,
            responses: of(choice),
        });
        own.chain(others.filter(|other| other.responses > 0)).collect()
    }

    fn point_distribution(&self) -> Vec<PointCount> {
        let score = |hundredths: i64| f64::from(i32::try_from(hundredths).unwrap_or(i32::MAX)) / 100.0;
        self.points.iter().map(|(points, count)| PointCount { score: score(*points), count: *count }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(choice: Choice, part: f64) -> GivenAnswer {
        let is_given = choice != Choice::Nothing;
        GivenAnswer { part: Some(part), points: Some(part), is_given, choices: vec![(String::new(), choice)] }
    }

    #[test]
    fn answers_are_counted_with_those_that_were_not_to_choose() {
        let known = |id: &str, correct| KnownAnswer { id: id.to_owned(), text: id.to_uppercase(), correct };
        let mut tally = QuestionTally::default();
        tally.add(&given(Choice::Known("a".to_owned()), 1.0), Rank::Top, 4.0);
        tally.add(&given(Choice::Known("b".to_owned()), 0.0), Rank::Bottom, 1.0);
        tally.add(&given(Choice::Other, 0.5), Rank::Middle, 2.0);
        tally.add(&given(Choice::Nothing, 0.0), Rank::Bottom, 0.0);
        let figures =
            tally.figures(&Shape::Answers(vec![known("a", true), known("b", false), known("c", false)]), true, None);
        assert_eq!((figures.responses, figures.correct, figures.partially_correct, figures.incorrect), (3, 1, 1, 2));
        let counts: Vec<_> = figures.answers.unwrap().into_iter().map(|one| (one.id, one.responses)).collect();
        let expected = [("a", 1), ("b", 1), ("c", 0), ("other", 1), ("none", 1)];
        assert_eq!(counts, expected.map(|(id, count)| (id.to_owned(), count)));
        let item = figures.item.unwrap();
        assert_eq!((item.answered_student_count, item.discrimination_index), (3, Some(1.0)));
        assert!(tally.point_biserial("a").unwrap() > 0.9 && tally.point_biserial("c").is_none());
    }
}
