//! Item analysis: how well a question tells students apart.

use serde::Serialize;
use shared::JsonSchema;

/// The part of the attempts, by their scores, which count as the top of them, and as the bottom.
const GROUP_PERCENT: usize = 27;

/// Where a student stands among those whose attempts are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rank {
    Top,
    Middle,
    Bottom,
}

/// How well a question tells students apart.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ItemAnalysis {
    pub(super) answered_student_count: usize,
    pub(super) top_student_count: usize,
    pub(super) middle_student_count: usize,
    pub(super) bottom_student_count: usize,
    pub(super) correct_student_count: usize,
    pub(super) incorrect_student_count: usize,
    /// The part of those who answered who were right, from 0 to 1.
    pub(super) correct_student_ratio: f64,
    pub(super) incorrect_student_ratio: f64,
    pub(super) correct_top_student_count: usize,
    pub(super) correct_middle_student_count: usize,
    pub(super) correct_bottom_student_count: usize,
    pub(super) variance: f64,
    pub(super) stdev: f64,
    /// The same as `correct_student_ratio`: the easier, the more.
    pub(super) difficulty_index: f64,
    pub(super) point_biserials: Vec<PointBiserial>,
}

/// The correlation of an answer with the score of the attempt.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PointBiserial {
    pub(super) answer_id: i64,
    /// From -1 to 1; null where all or none chose it, or all had the same score.
    pub(super) point_biserial: Option<f64>,
    pub(super) correct: bool,
    pub(super) distractor: bool,
}

/// Sums of numbers, for their mean and deviation.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Sums {
    pub(super) count: f64,
    pub(super) sum: f64,
    pub(super) squares: f64,
}

impl Sums {
    pub(super) fn add(&mut self, number: f64) {
        self.count += 1.0;
        self.sum += number;
        self.squares += number * number;
    }

    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }

    pub(super) fn deviation(self) -> Option<f64> {
        self.mean().map(|mean| (self.squares / self.count - mean * mean).max(0.0).sqrt())
    }
}

/// Those who answered, and those of them who were right.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Group {
    pub(super) answered: usize,
    pub(super) right: usize,
}

/// The number of attempts in the top group, and in the bottom one.
pub(super) fn group_of(count: usize) -> usize {
    count.saturating_mul(GROUP_PERCENT).div_ceil(100).min(count / 2)
}

/// A count, or a number of seconds or hundredths, to be divided.
pub(super) fn float(count: impl TryInto<i32>) -> f64 {
    f64::from(count.try_into().unwrap_or(i32::MAX))
}

pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// The correlation of a choice with the scores of all who chose something, of whom `own` are those who chose it.
pub(super) fn point_biserial(all: Sums, own: Sums) -> Option<f64> {
    let others = Sums { count: all.count - own.count, sum: all.sum - own.sum, squares: all.squares - own.squares };
    let (deviation, part) = (all.deviation()?, own.count / all.count);
    let difference = own.mean()? - others.mean()?;
    (deviation > 0.0).then(|| difference / deviation * (part * (1.0 - part)).sqrt())
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
