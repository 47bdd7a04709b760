//! Statistics of a classic quiz: of the attempts as a whole, and of the answers to each question.
//!
//! They are summed up attempt by attempt, so that no more than one of them is in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use classic_questions::{Answer, QuestionType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{QuestionId, QuizSubmissionId, UserId};
use shared::{JsonSchema, Timestamp};

use crate::model::answers::Match;
use crate::model::quiz_scoring::{AskedQuestion, Worth};
use crate::model::quiz_submissions::{Answers, StudentAnswer};

/// The part of the attempts, by their scores, which count as the top of them, and as the bottom.
const GROUP_PERCENT: usize = 27;

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

/// Where a student stands among those whose attempts are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rank {
    Top,
    Middle,
    Bottom,
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

/// The answers to a question.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuestionStatistics {
    id: QuestionId,
    question_type: QuestionType,
    /// Rich content.
    question_text: String,
    /// The place where it stood first.
    position: usize,
    /// The answers that were given, without blank ones.
    responses: usize,
    /// Of those who were asked: right, partly right, wrong or blank, and waiting for a grader.
    correct: usize,
    partially_correct: usize,
    incorrect: usize,
    ungraded: usize,
    /// The answers that there are to choose or to give, with how often each was given; of a question without parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<AnswerStatistics>>,
    /// The same for each blank, or for each half of a pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_sets: Option<Vec<AnswerSet>>,
    /// Of what somebody must read: how often each score was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    point_distribution: Option<Vec<PointCount>>,
    /// Of multiple choice and true or false.
    #[serde(flatten)]
    item: Option<ItemAnalysis>,
}

/// How often an answer was given.
#[derive(Serialize, JsonSchema, Clone)]
pub(crate) struct AnswerStatistics {
    /// The id of the answer; `other`: one that is none of the question's; `none`: nothing.
    id: String,
    text: String,
    correct: bool,
    responses: usize,
}

/// A part of a question that is answered by itself.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AnswerSet {
    /// The id of the blank, or of the left half.
    id: String,
    text: String,
    answers: Vec<AnswerStatistics>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PointCount {
    score: f64,
    count: usize,
}

/// How well a question tells students apart.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ItemAnalysis {
    answered_student_count: usize,
    top_student_count: usize,
    middle_student_count: usize,
    bottom_student_count: usize,
    correct_student_count: usize,
    incorrect_student_count: usize,
    /// The part of those who answered who were right, from 0 to 1.
    correct_student_ratio: f64,
    incorrect_student_ratio: f64,
    correct_top_student_count: usize,
    correct_middle_student_count: usize,
    correct_bottom_student_count: usize,
    variance: f64,
    stdev: f64,
    /// The same as `correct_student_ratio`: the easier, the more.
    difficulty_index: f64,
    point_biserials: Vec<PointBiserial>,
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

/// Sums of numbers, for their mean and deviation.
#[derive(Debug, Default, Clone, Copy)]
struct Sums {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, number: f64) {
        self.count += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    fn deviation(self) -> Option<f64> {
        self.mean().map(|mean| (self.squares / self.count - mean * mean).max(0.0).sqrt())
    }
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

/// How often each answer was given, by its id; `None` is none at all, and 0 one that the question does not have.
type Counts = BTreeMap<Option<i64>, usize>;

/// Those who answered, and those of them who were right.
#[derive(Debug, Default, Clone, Copy)]
struct Group {
    answered: usize,
    right: usize,
}

struct QuestionTally {
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

/// An answer that the question does not have.
const OTHER: i64 = 0;

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

/// The number of attempts in the top group, and in the bottom one.
fn group_of(count: usize) -> usize {
    count.saturating_mul(GROUP_PERCENT).div_ceil(100).min(count / 2)
}

/// A part in hundredths.
fn percent(part: f64) -> i64 {
    format!("{:.0}", part * 100.0).parse().unwrap_or_default()
}

/// A count, or a number of seconds or hundredths, to be divided.
fn float(count: impl TryInto<i32>) -> f64 {
    f64::from(count.try_into().unwrap_or(i32::MAX))
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

impl QuestionTally {
    fn new(position: usize, asked: AskedQuestion) -> Self {
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
    fn add(&mut self, given: &StudentAnswer, rank: Rank, score: f64) -> Option<bool> {
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

    fn finish(self) -> QuestionStatistics {
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

/// Of answers that the question does not have, and of none.
fn others(counts: &Counts) -> impl Iterator<Item = AnswerStatistics> {
    let of = |id: &str, text: &str, key: Option<i64>| {
        let responses = counts.get(&key).copied().unwrap_or_default();
        (responses > 0).then(|| AnswerStatistics {
            id: id.to_owned(),
            text: text.to_owned(),
            correct: false,
            responses,
        })
    };
    [of("other", "Something Else", Some(OTHER)), of("none", "No Answer", None)].into_iter().flatten()
}

/// The correlation of a choice with the scores of all who chose something, of whom `own` are those who chose it.
fn point_biserial(all: Sums, own: Sums) -> Option<f64> {
    let others = Sums { count: all.count - own.count, sum: all.sum - own.sum, squares: all.squares - own.squares };
    let (deviation, part) = (all.deviation()?, own.count / all.count);
    let difference = own.mean()? - others.mean()?;
    (deviation > 0.0).then(|| difference / deviation * (part * (1.0 - part)).sqrt())
}

fn is_blank(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(blanks) => blanks.values().all(Value::is_null),
        _ => false,
    }
}

/// A blank or the left half of a pair, with the answers that it may have.
struct Part {
    id: String,
    text: String,
    answers: Vec<PartAnswer>,
}

struct PartAnswer {
    id: i64,
    text: String,
    correct: bool,
}

impl AskedQuestion {
    /// The ids of the question's answers that an answer chooses or meets.
    fn chosen_answers(&self, answer: &Value) -> Vec<i64> {
        use QuestionType as T;
        if is_blank(answer) {
            return Vec::new();
        }
        match self.question_type {
            T::ShortAnswer | T::Numerical => vec![self.met(answer).unwrap_or(OTHER)],
            T::MultipleAnswers => answer.as_array().into_iter().flatten().filter_map(shared::params::integer).collect(),
            _ => shared::params::integer(answer).into_iter().collect(),
        }
    }

    /// The answers to each blank or left half: one of the question's, another, or none.
    fn chosen_parts(&self, answer: &Value) -> Vec<(String, Option<i64>)> {
        let chosen = |part: &str| -> Option<i64> {
            match self.question_type {
                QuestionType::Matching => {
                    let pairs = answer.as_array()?.iter().rev();
                    let number = |pair: &Value, name: &str| pair.get(name).and_then(shared::params::integer);
                    let own = |pair: &&Value| number(pair, "answer_id").is_some_and(|id| id.to_string() == part);
                    pairs.into_iter().find(own).and_then(|pair| number(pair, "match_id"))
                }
                QuestionType::MultipleDropdowns => shared::params::integer(answer.get(part)?),
                _ => {
                    let given = answer.get(part).filter(|given| !given.is_null())?;
                    Some(self.met_blank(part, given).unwrap_or(OTHER))
                }
            }
        };
        self.parts().into_iter().map(|part| (chosen(&part.id), part.id)).map(|(chosen, id)| (id, chosen)).collect()
    }

    /// The blanks or left halves.
    fn parts(&self) -> Vec<Part> {
        if self.question_type == QuestionType::Matching {
            let matches = self.matches();
            let halves = self.answers.iter().filter_map(|answer| Some((answer.id?, answer)));
            let of = |(id, answer): (i64, &Answer)| {
                let other = |other: &Match| {
                    let correct = Some(other.match_id) == answer.match_id;
                    PartAnswer { id: other.match_id, text: other.text.clone(), correct }
                };
                let answers = matches.iter().map(other).collect();
                Part { id: id.to_string(), text: answer.text.clone(), answers }
            };
            return halves.map(of).collect();
        }
        let is_text = self.question_type == QuestionType::FillInMultipleBlanks;
        let mut blanks: BTreeMap<&str, Vec<PartAnswer>> = BTreeMap::new();
        for answer in &self.answers {
            if let (Some(blank), Some(id)) = (answer.blank_id.as_deref(), answer.id) {
                let correct = is_text || answer.weight > 0.0;
                blanks.entry(blank).or_default().push(PartAnswer { id, text: answer.text.clone(), correct });
            }
        }
        let part =
            |(blank, answers): (&str, Vec<PartAnswer>)| Part { id: blank.to_owned(), text: blank.to_owned(), answers };
        blanks.into_iter().map(part).collect()
    }

    /// An answer of the question as it is shown.
    fn shown(&self, answer: &Answer) -> String {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        match (self.question_type, answer.start, answer.approximate) {
            (QuestionType::Numerical, Some(_), _) => format!("{} to {}", number(answer.start), number(answer.end)),
            (QuestionType::Numerical, None, Some(_)) => number(answer.approximate),
            (QuestionType::Numerical, None, None) => number(answer.exact),
            _ => answer.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_a_quarter_at_each_end() {
        assert_eq!([0, 1, 2, 3, 10, 100].map(group_of), [0, 0, 1, 1, 3, 27]);
    }

    #[test]
    fn a_choice_of_those_with_high_scores_speaks_for_it() {
        let sums = |numbers: &[f64]| {
            let mut sums = Sums::default();
            numbers.iter().for_each(|number| sums.add(*number));
            sums
        };
        let all = sums(&[1.0, 2.0, 3.0, 4.0]);
        let near = |given: Option<f64>, expected: f64| (given.unwrap() - expected).abs() < 1e-9;
        assert!(near(point_biserial(all, sums(&[3.0, 4.0])), 0.8_f64.sqrt()));
        assert!(near(point_biserial(all, sums(&[1.0, 2.0])), -(0.8_f64.sqrt())));
        assert_eq!(point_biserial(all, all), None, "all chose it");
        assert_eq!(point_biserial(all, sums(&[])), None, "nobody chose it");
        assert_eq!(point_biserial(sums(&[2.0, 2.0]), sums(&[2.0])), None, "all are the same");
    }
}
