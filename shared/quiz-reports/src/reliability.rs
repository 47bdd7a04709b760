//! The reliability of a quiz: Cronbach's alpha (Cronbach 1951), which is near 1 where the questions agree on who knows much.
//!
//! Of `k` questions it is `k / (k - 1) * (1 - v / t)`, with the sum `v` of the variances of the points of each question, and the
//! variance `t` of the sums of points. It needs the same questions in each attempt: those count that all were asked, and the
//! attempts that have an answer with points to each of them.

use std::collections::BTreeMap;

use crate::item_analysis::{Sums, float};

/// The fewest questions, and the fewest attempts, that have an alpha.
const FEWEST: usize = 2;

/// The points of attempts for each question, by what names a question.
#[derive(Debug, Clone)]
pub struct Reliability<K> {
    questions: BTreeMap<K, Asked>,
    attempts: Vec<Vec<(usize, f64)>>,
}

/// A question that some attempts asked.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// Its number among the questions that were met.
    number: usize,
    /// The number of attempts that asked it.
    attempts: usize,
}

impl<K: Ord> Default for Reliability<K> {
    fn default() -> Self {
        Self { questions: BTreeMap::new(), attempts: Vec::new() }
    }
}

impl<K: Ord> Reliability<K> {
    /// Adds an attempt with each question that it asked once, and the points of its answer; `None`: there is no answer, or it has no
    /// points yet.
    pub fn add(&mut self, attempt: impl IntoIterator<Item = (K, Option<f64>)>) {
        let mut own = Vec::new();
        for (question, points) in attempt {
            let number = self.questions.len();
            let asked = self.questions.entry(question).or_insert(Asked { number, attempts: 0 });
            asked.attempts += 1;
            own.extend(points.map(|points| (asked.number, points)));
        }
        self.attempts.push(own);
    }

    /// Cronbach's alpha, 1 at most; none with fewer than two questions or attempts, or where all have the same sum of points.
    pub fn alpha(&self) -> Option<f64> {
        let mut of_questions: BTreeMap<_, _> = self
            .questions
            .values()
            .filter(|asked| asked.attempts == self.attempts.len())
            .map(|asked| (asked.number, Sums::default()))
            .collect();
        let (mut totals, mut counted) = (Sums::default(), 0);
        for attempt in &self.attempts {
            let common: Vec<_> = attempt.iter().filter(|(number, _)| of_questions.contains_key(number)).collect();
            if common.len() < of_questions.len() {
                continue;
            }
            counted += 1;
            totals.add(common.iter().map(|(_, points)| points).sum());
            for (number, points) in common {
                of_questions.entry(*number).or_default().add(*points);
            }
        }
        let spread = totals.spread();
        if of_questions.len() < FEWEST || counted < FEWEST || spread == 0 {
            return None;
        }
        let questions = float(i128::try_from(of_questions.len()).ok()?);
        let parts: i128 = of_questions.values().map(|sums| sums.spread()).sum();
        Some(questions / (questions - 1.0) * (1.0 - float(parts) / float(spread)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten people, three questions: the example of "How to Calculate Cronbach's Alpha in Python" (Statology), whose solution by
    /// the package pingouin is 0.7734375.
    const EXAMPLE: [[f64; 10]; 3] = [
        [1.0, 2.0, 2.0, 3.0, 2.0, 2.0, 3.0, 3.0, 2.0, 3.0],
        [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 2.0, 3.0, 3.0, 3.0],
        [1.0, 1.0, 2.0, 1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 3.0],
    ];

    fn example() -> Reliability<&'static str> {
        let [one, two, three] = EXAMPLE;
        let mut reliability = Reliability::default();
        for ((one, two), three) in one.into_iter().zip(two).zip(three) {
            reliability.add([("one", Some(one)), ("two", Some(two)), ("three", Some(three))]);
        }
        reliability
    }

    fn of(attempts: &[&[(u8, Option<f64>)]]) -> Option<f64> {
        let mut reliability = Reliability::default();
        attempts.iter().for_each(|attempt| reliability.add(attempt.iter().copied()));
        reliability.alpha()
    }

    fn is_example(alpha: Option<f64>) -> bool {
        alpha.is_some_and(|alpha| (alpha - 0.773_437_5).abs() < 1e-12)
    }

    #[test]
    fn a_published_example_comes_out_as_its_solution_says() {
        assert!(is_example(example().alpha()), "{:?}", example().alpha());
    }

    #[test]
    fn only_questions_that_all_were_asked_and_whole_attempts_count() {
        let mut reliability = example();
        reliability.add([("three", Some(2.0)), ("two", None), ("one", Some(1.0))]);
        assert!(is_example(reliability.alpha()), "an answer is missing");
        let mut reliability = Reliability::default();
        let [one, two, three] = EXAMPLE;
        for (number, ((one, two), three)) in one.into_iter().zip(two).zip(three).enumerate() {
            let drawn = if number % 2 == 0 { "even" } else { "odd" };
            reliability.add([("one", Some(one)), (drawn, Some(9.0)), ("two", Some(two)), ("three", Some(three))]);
        }
        assert!(is_example(reliability.alpha()), "a question was asked of some");
    }

    #[test]
    fn questions_that_agree_wholly_have_one_and_others_none() {
        let right = |points| [(1, Some(points)), (2, Some(points))];
        assert_eq!(of(&[&right(0.0), &right(1.0), &right(2.0)]), Some(1.0));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[&right(1.0)]), None, "one attempt");
        assert_eq!(of(&[&right(1.0), &right(1.0)]), None, "all the same");
        assert_eq!(of(&[&[(1, Some(0.0))], &[(1, Some(1.0))]]), None, "one question");
        assert_eq!(of(&[&[(1, Some(0.0)), (2, None)], &[(1, None), (2, Some(1.0))]]), None, "nobody answered all");
        assert_eq!(of(&[&[], &[]]), None, "nothing was asked");
    }
}
