//! Item analysis: how well a question tells students apart who know much from those who know little.
//!
//! Attempts are ranked by their scores; the highest 27 percent are the top group and the lowest 27 percent the bottom one, as
//! Kelley (1939) proposed. Sums are kept in whole ten-thousandths of a point, so that they are exact in whatever order they
//! come, and scores that are all the same have no deviation at all.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::JsonSchema;

/// The part of the attempts, by their scores, which count as the top of them, and as the bottom.
const GROUP_PERCENT: usize = 27;

/// The parts of a point that sums are kept in.
const UNITS: f64 = 10_000.0;

/// Where an attempt stands among those that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Among the highest scores.
    Top,
    /// Neither.
    Middle,
    /// Among the lowest scores.
    Bottom,
}

/// The ranks of attempts, by what names an attempt.
#[derive(Debug, Clone)]
pub struct Ranks<K>(BTreeMap<K, Rank>);

impl<K: Ord> Default for Ranks<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Ranks<K> {
    /// Ranks attempts by their scores. Of equal scores the one that comes first stands higher.
    pub fn of(scores: Vec<(K, f64)>) -> Self {
        let group = group_of(scores.len());
        Self::with_groups(scores, group)
    }

    /// The same with so many attempts in the top group, and in the bottom one.
    fn with_groups(mut scores: Vec<(K, f64)>, group: usize) -> Self {
        scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let count = scores.len();
        let rank = |place: usize| match place {
            _ if place < group => Rank::Top,
            _ if place >= count.saturating_sub(group) => Rank::Bottom,
            _ => Rank::Middle,
        };
        Self(scores.into_iter().enumerate().map(|(place, (key, _))| (key, rank(place))).collect())
    }

    /// The rank of an attempt; one that came later than the ranking stands in the middle.
    pub fn rank(&self, key: &K) -> Rank {
        self.0.get(key).copied().unwrap_or(Rank::Middle)
    }
}

/// The number of attempts in the top group, and in the bottom one.
fn group_of(count: usize) -> usize {
    count.saturating_mul(GROUP_PERCENT).div_ceil(100).min(count / 2)
}

/// How well a question tells students apart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ItemAnalysis {
    /// Those who gave an answer.
    pub answered_student_count: usize,
    /// Those of them in the top group.
    pub top_student_count: usize,
    /// Those of them in neither group.
    pub middle_student_count: usize,
    /// Those of them in the bottom group.
    pub bottom_student_count: usize,
    /// Those who were right.
    pub correct_student_count: usize,
    /// Those who answered and were not.
    pub incorrect_student_count: usize,
    /// The part of those who answered who were right, from 0 to 1.
    pub correct_student_ratio: f64,
    /// The part of those who answered who were not, from 0 to 1.
    pub incorrect_student_ratio: f64,
    /// Those of the top group who were right.
    pub correct_top_student_count: usize,
    /// Those in neither group who were right.
    pub correct_middle_student_count: usize,
    /// Those of the bottom group who were right.
    pub correct_bottom_student_count: usize,
    /// Of right (1) and wrong (0).
    pub variance: f64,
    /// Of right (1) and wrong (0).
    pub stdev: f64,
    /// The same as `correct_student_ratio`: the easier, the more.
    pub difficulty_index: f64,
    /// The part of the top group that was right less that of the bottom group, from -1 to 1; null where nobody of a group
    /// answered.
    pub discrimination_index: Option<f64>,
    /// Cronbach's alpha of the quiz, the same for all its questions: 1 at most, and the higher, the more they agree on who knows
    /// much. Of the questions that all were asked, and the attempts that answered each of them; null with fewer than two of
    /// either, or where all have the same points.
    pub alpha: Option<f64>,
}

/// Those of a group who answered, and those of them who were right.
#[derive(Debug, Default, Clone, Copy)]
struct Group {
    answered: usize,
    right: usize,
}

impl Group {
    fn ratio(self) -> Option<f64> {
        (self.answered > 0).then(|| ratio(self.right, self.answered))
    }
}

/// Those who answered a question, by their ranks.
#[derive(Debug, Default, Clone, Copy)]
pub struct Groups {
    top: Group,
    middle: Group,
    bottom: Group,
}

impl Groups {
    /// Counts an attempt that has an answer.
    pub fn add(&mut self, rank: Rank, is_right: bool) {
        let group = match rank {
            Rank::Top => &mut self.top,
            Rank::Middle => &mut self.middle,
            Rank::Bottom => &mut self.bottom,
        };
        group.answered += 1;
        group.right += usize::from(is_right);
    }

    /// The analysis of all that was counted, with the alpha of the quiz.
    pub fn analysis(self, alpha: Option<f64>) -> ItemAnalysis {
        let Self { top, middle, bottom } = self;
        let answered = top.answered + middle.answered + bottom.answered;
        let right = top.right + middle.right + bottom.right;
        let correct = ratio(right, answered);
        let variance = correct * (1.0 - correct);
        ItemAnalysis {
            answered_student_count: answered,
            top_student_count: top.answered,
            middle_student_count: middle.answered,
            bottom_student_count: bottom.answered,
            correct_student_count: right,
            incorrect_student_count: answered - right,
            correct_student_ratio: correct,
            incorrect_student_ratio: if answered == 0 { 0.0 } else { 1.0 - correct },
            correct_top_student_count: top.right,
            correct_middle_student_count: middle.right,
            correct_bottom_student_count: bottom.right,
            variance,
            stdev: variance.sqrt(),
            difficulty_index: correct,
            discrimination_index: top.ratio().zip(bottom.ratio()).map(|(top, bottom)| top - bottom),
            alpha,
        }
    }
}

/// Sums of numbers, for their mean and deviation: exact for numbers of four decimals.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sums {
    count: i128,
    sum: i128,
    squares: i128,
}

impl Sums {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        let units = units(number);
        self.count += 1;
        self.sum = self.sum.saturating_add(units);
        self.squares = self.squares.saturating_add(units.saturating_mul(units));
    }

    /// The mean; none of no numbers.
    pub fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| float(self.sum) / float(self.count) / UNITS)
    }

    /// The standard deviation of these numbers, which are all there are; none of no numbers.
    pub fn deviation(self) -> Option<f64> {
        (self.count > 0).then(|| float(self.spread()).sqrt() / float(self.count) / UNITS)
    }

    /// The variance, times the square of how many there are, in squares of the units of sums.
    pub(crate) fn spread(self) -> i128 {
        let spread = self.count.saturating_mul(self.squares).saturating_sub(self.sum.saturating_mul(self.sum));
        spread.max(0)
    }

    /// All numbers but those of `own`, which are some of them.
    fn without(self, own: Self) -> Self {
        Self { count: self.count - own.count, sum: self.sum - own.sum, squares: self.squares - own.squares }
    }
}

/// The correlation of a choice with the scores of all who chose something, of whom `own` are those who chose it: from -1 to
/// 1. None where all or none chose it, or all had the same score.
pub fn point_biserial(all: Sums, own: Sums) -> Option<f64> {
    let others = all.without(own);
    let (deviation, part) = (all.deviation()?, float(own.count) / float(all.count));
    let difference = own.mean()? - others.mean()?;
    (deviation > 0.0).then(|| difference / deviation * (part * (1.0 - part)).sqrt())
}

/// The number in whole units.
fn units(number: f64) -> i128 {
    format!("{:.0}", number * UNITS).parse().unwrap_or_default()
}

pub(crate) fn float(whole: i128) -> f64 {
    whole.to_string().parse().unwrap_or_default()
}

/// A part of a number of people, from 0 to 1; 0 of nobody.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count: usize| i128::try_from(count).map(float).unwrap_or_default();
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// A part in hundredths.
pub(crate) fn percent(part: f64) -> i64 {
    format!("{:.0}", part * 100.0).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worksheet that courses on educational measurement hand out ("Item Analysis Worksheet", ten students, ten
    /// questions, five students in each group): who, the score in percent, and which questions were answered rightly.
    const WORKSHEET: [(&str, f64, [u8; 10]); 10] = [
        ("Joe", 100.0, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
        ("Dave", 90.0, [1, 1, 1, 1, 1, 1, 1, 1, 0, 1]),
        ("Sujie", 70.0, [1, 1, 0, 1, 1, 1, 1, 1, 0, 0]),
        ("Darrell", 70.0, [0, 1, 1, 1, 1, 1, 0, 1, 0, 1]),
        ("Eliza", 70.0, [1, 1, 1, 0, 1, 1, 1, 0, 0, 1]),
        ("Zoe", 60.0, [1, 1, 1, 0, 1, 1, 0, 1, 0, 0]),
        ("Grace", 60.0, [0, 1, 1, 0, 1, 1, 0, 1, 0, 1]),
        ("Hannah", 50.0, [0, 1, 1, 1, 0, 0, 1, 0, 1, 0]),
        ("Ricky", 50.0, [1, 1, 1, 0, 1, 0, 0, 0, 0, 1]),
        ("Anita", 30.0, [0, 1, 0, 0, 0, 1, 0, 0, 1, 0]),
    ];

    /// Its solution: right in the upper group, right in the lower group, difficulty, discrimination.
    const SOLUTION: [(usize, usize, f64, f64); 10] = [
        (4, 2, 0.6, 0.4),
        (5, 5, 1.0, 0.0),
        (4, 4, 0.8, 0.0),
        (4, 1, 0.5, 0.6),
        (5, 3, 0.8, 0.4),
        (5, 3, 0.8, 0.4),
        (4, 1, 0.5, 0.6),
        (4, 2, 0.6, 0.4),
        (1, 2, 0.3, -0.2),
        (4, 2, 0.6, 0.4),
    ];

    fn sums(numbers: &[f64]) -> Sums {
        let mut sums = Sums::default();
        numbers.iter().for_each(|number| sums.add(*number));
        sums
    }

    fn near(given: Option<f64>, expected: f64) -> bool {
        given.is_some_and(|given| (given - expected).abs() < 1e-9)
    }

    #[test]
    fn a_published_worksheet_comes_out_as_its_solution_says() {
        let scores = WORKSHEET.iter().map(|(name, score, _)| (*name, *score)).collect();
        let ranks = Ranks::with_groups(scores, 5);
        for (question, (upper, lower, difficulty, discrimination)) in SOLUTION.into_iter().enumerate() {
            let mut groups = Groups::default();
            for (name, _, right) in WORKSHEET {
                groups.add(ranks.rank(&name), right.get(question) == Some(&1));
            }
            let found = groups.analysis(None);
            assert_eq!((found.correct_top_student_count, found.correct_bottom_student_count), (upper, lower));
            assert!(near(Some(found.difficulty_index), difficulty), "question {}: {found:?}", question + 1);
            assert!(near(found.discrimination_index, discrimination), "question {}: {found:?}", question + 1);
        }
    }

    /// The correlation of Pearson, as its definition has it.
    fn pearson(pairs: &[(f64, f64)]) -> f64 {
        let count = float(i128::try_from(pairs.len()).unwrap());
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|pair| of(pair.0 - x, pair.1 - y)).sum::<f64>();
        sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
    }

    #[test]
    fn the_point_biserial_is_pearsons_correlation_of_right_with_score() {
        let all = sums(&WORKSHEET.map(|(_, score, _)| score));
        for question in [0, 2, 3, 8] {
            let right = |one: &[u8; 10]| one.get(question).copied().unwrap_or_default();
            let own: Vec<_> = WORKSHEET.iter().filter(|one| right(&one.2) == 1).map(|one| one.1).collect();
            let pairs: Vec<_> = WORKSHEET.iter().map(|one| (f64::from(right(&one.2)), one.1)).collect();
            assert!(near(point_biserial(all, sums(&own)), pearson(&pairs)), "question {}", question + 1);
        }
    }

    #[test]
    fn a_choice_of_those_with_high_scores_speaks_for_it() {
        let all = sums(&[1.0, 2.0, 3.0, 4.0]);
        assert!(near(point_biserial(all, sums(&[3.0, 4.0])), 0.8_f64.sqrt()));
        assert!(near(point_biserial(all, sums(&[1.0, 2.0])), -(0.8_f64.sqrt())));
        assert_eq!(point_biserial(all, all), None, "all chose it");
        assert_eq!(point_biserial(all, sums(&[])), None, "nobody chose it");
        assert_eq!(point_biserial(sums(&[2.0, 2.0]), sums(&[2.0])), None, "all are the same");
    }

    #[test]
    fn scores_that_are_the_same_do_not_deviate() {
        let same = sums(&[0.1; 1_000]);
        assert_eq!((same.mean(), same.deviation()), (Some(0.1), Some(0.0)));
        assert_eq!(sums(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).deviation(), Some(2.0));
        assert_eq!((sums(&[]).mean(), sums(&[]).deviation()), (None, None));
    }

    #[test]
    fn groups_are_a_quarter_at_each_end() {
        assert_eq!([0, 1, 2, 3, 10, 100].map(group_of), [0, 0, 1, 1, 3, 27]);
        let ranks = Ranks::of(vec![("low", 1.0), ("high", 3.0), ("between", 2.0)]);
        assert_eq!(["high", "between", "low"].map(|one| ranks.rank(&one)), [Rank::Top, Rank::Middle, Rank::Bottom]);
    }
}
