//! Grades: the many ways in which they are given, and the one in which an assignment shows them.

use serde::{Deserialize, Serialize};
use shared::{Error, JsonSchema, Result};

/// Letters with the lowest percentage of each, best first: the scheme of assignments that name no other.
const LETTERS: [(&str, f64); 12] = [
    ("A", 94.0),
    ("A-", 90.0),
    ("B+", 87.0),
    ("B", 84.0),
    ("B-", 80.0),
    ("C+", 77.0),
    ("C", 74.0),
    ("C-", 70.0),
    ("D+", 67.0),
    ("D", 64.0),
    ("D-", 61.0),
    ("F", 0.0),
];
const MAX_SCORE: f64 = 999_999_999.0;
/// A percentage is smaller than this: more than any of points that are worth something.
const PERCENT_BOUND: f64 = 1e15;
/// The part of the points by which a sum of floating-point numbers may be off.
const NEARLY: f64 = 1e-9;

/// The grade of somebody's work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grade {
    /// In points.
    pub score: Option<f64>,
    /// As the assignment shows it.
    pub grade: Option<String>,
    /// The points that lateness costs, which the score is without.
    pub points_deducted: Option<f64>,
}

/// The way in which an assignment is graded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    pub grading_type: GradingType,
    pub points_possible: Option<f64>,
}

impl Scale {
    /// Reads a grade as it was posted: points (`8.5`), a percentage (`85%`), a letter (`B+`), `pass`, `complete`, `fail`
    /// or `incomplete`. A blank takes the grade away.
    pub fn read(self, posted: &str) -> Result<Grade> {
        let posted = posted.trim();
        if posted.is_empty() {
            return Ok(Grade::default());
        }
        let score = self.score(posted).ok_or_else(|| invalid_grade("is not a grade"))?;
        if !(-MAX_SCORE..=MAX_SCORE).contains(&score) {
            return Err(invalid_grade("is too large"));
        }
        let grade = self.grade(score);
        Ok(match self.word_without_points(posted) {
            Some(word) => Grade { grade: Some(word), ..grade },
            None => grade,
        })
    }

    /// The word that is posted, where points tell nothing: without any to reach, 0 may be each grade.
    fn word_without_points(self, posted: &str) -> Option<String> {
        if self.points_possible.is_some_and(|points| points > 0.0) {
            return None;
        }
        match self.grading_type {
            GradingType::PassFail => passes(posted).map(passed_or_failed),
            GradingType::LetterGrade | GradingType::GpaScale => {
                LETTERS.get(place_of_letter(posted)?).map(|(letter, _)| (*letter).to_owned())
            }
            _ => None,
        }
    }

    /// The grade that so many points are.
    pub fn grade(self, score: f64) -> Grade {
        let score = rounded_of(score, self.points_possible.unwrap_or_default());
        Grade { score: Some(score), grade: self.shown(score), points_deducted: None }
    }

    fn score(self, posted: &str) -> Option<f64> {
        let points = self.points_possible.unwrap_or_default();
        if let Some(percent) = posted.strip_suffix('%') {
            return Some(points * number(percent)? / 100.0);
        }
        match passes(posted) {
            Some(true) => Some(points),
            Some(false) => Some(0.0),
            None => number(posted).or_else(|| Some(points * best_of_letter(posted)? / 100.0)),
        }
    }

    fn shown(self, score: f64) -> Option<String> {
        let percent = self.points_possible.filter(|points| *points > 0.0).map(|points| score / points * 100.0);
        match self.grading_type {
            GradingType::Points => Some(decimal(score)),
            GradingType::Percent => {
                let percent = Some(rounded(percent.unwrap_or(score))).filter(|percent| percent.abs() < PERCENT_BOUND);
                percent.map(|percent| format!("{}%", decimal(percent)))
            }
            GradingType::PassFail => {
                let passed = percent.map_or(score > 0.0, |percent| percent >= 100.0);
                Some(passed_or_failed(passed || self.points_possible == Some(0.0)))
            }
            GradingType::LetterGrade | GradingType::GpaScale => Some(letter(percent.unwrap_or(score)).to_owned()),
            GradingType::NotGraded => None,
        }
    }
}

/// What a word says of whether somebody has passed.
fn passes(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "pass" | "complete" => Some(true),
        "fail" | "incomplete" => Some(false),
        _ => None,
    }
}

fn passed_or_failed(passed: bool) -> String {
    if passed { "complete" } else { "incomplete" }.to_owned()
}

fn invalid_grade(message: &str) -> Error {
    Error::invalid("posted_grade", "invalid", message)
}

/// A number as people write it: no exponents, no infinity.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    if text.is_empty() || !text.chars().all(plain) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The best percentage that still has that letter.
fn best_of_letter(letter: &str) -> Option<f64> {
    let place = place_of_letter(letter)?;
    let better = place.checked_sub(1).and_then(|better| LETTERS.get(better));
    Some(better.map_or(100.0, |(_, lowest)| lowest - 1.0))
}

fn place_of_letter(letter: &str) -> Option<usize> {
    LETTERS.iter().position(|(name, _)| name.eq_ignore_ascii_case(letter))
}

fn letter(percent: f64) -> &'static str {
    let found = LETTERS.iter().find(|(_, lowest)| percent >= *lowest);
    found.map_or("F", |(name, _)| name)
}

/// To two digits behind the point, as grades are shown.
pub fn rounded(score: f64) -> f64 {
    let rounded = (score * 100.0).round() / 100.0;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The same of so many points, which may have more digits: all of them are all, and fewer are never told as more.
pub fn rounded_of(score: f64, points_possible: f64) -> f64 {
    let rounded = rounded(score);
    if (score - points_possible).abs() <= points_possible * NEARLY {
        points_possible
    } else if score < points_possible && rounded > points_possible {
        (score * 100.0).floor() / 100.0
    } else {
        rounded
    }
}

/// [`rounded_of`] as an expression of SQL, whose numbers are expressions too.
pub fn rounded_of_sql(score: &str, points_possible: &str) -> String {
    format!(
        "(SELECT CASE WHEN abs(score - points) <= points * {NEARLY:e} THEN points
                      WHEN score < points AND round(score, 2) > points THEN CAST(score * 100 AS INTEGER) / 100.0
                      ELSE round(score, 2) END
          FROM (SELECT {score} AS score, {points_possible} AS points))"
    )
}

/// `8`, `8.5`.
pub fn decimal(number: f64) -> String {
    number.to_string()
}

/// The way in which a grade is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GradingType {
    PassFail,
    Percent,
    LetterGrade,
    GpaScale,
    #[default]
    Points,
    NotGraded,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(grading_type: GradingType, posted: &str) -> (f64, String) {
        let grade = Scale { grading_type, points_possible: Some(20.0) }.read(posted).unwrap();
        (grade.score.unwrap(), grade.grade.unwrap_or_default())
    }

    #[test]
    fn a_grade_is_given_in_many_ways() {
        let points = |posted| read(GradingType::Points, posted);
        assert_eq!(points("8.5"), (8.5, "8.5".to_owned()));
        assert_eq!(points(" 21 "), (21.0, "21".to_owned()));
        assert_eq!(points("85%"), (17.0, "17".to_owned()));
        assert_eq!(points("A"), (20.0, "20".to_owned()));
        assert_eq!(points("b+"), (17.8, "17.8".to_owned()));
        assert_eq!(points("pass"), (20.0, "20".to_owned()));
        assert_eq!(points("incomplete"), (0.0, "0".to_owned()));
        assert_eq!(points("-1"), (-1.0, "-1".to_owned()));
    }

    #[test]
    fn a_grade_is_shown_as_the_assignment_wants_it() {
        assert_eq!(read(GradingType::Percent, "17"), (17.0, "85%".to_owned()));
        assert_eq!(read(GradingType::Percent, "33.333%"), (6.67, "33.35%".to_owned()));
        assert_eq!(read(GradingType::LetterGrade, "17"), (17.0, "B".to_owned()));
        assert_eq!(read(GradingType::GpaScale, "C-"), (14.6, "C-".to_owned()));
        assert_eq!(read(GradingType::PassFail, "complete"), (20.0, "complete".to_owned()));
        assert_eq!(read(GradingType::PassFail, "19"), (19.0, "incomplete".to_owned()));
        assert_eq!(read(GradingType::NotGraded, "19"), (19.0, String::new()));
    }

    #[test]
    fn all_points_are_all_of_them_and_fewer_are_never_more() {
        let percent = |score: f64, points: f64| {
            let grade = Scale { grading_type: GradingType::Percent, points_possible: Some(points) }.grade(score);
            (grade.score.unwrap(), grade.grade.unwrap())
        };
        for points in [0.999, 1.001, 0.004, 0.333_333, 66.666_667] {
            assert_eq!(percent(points, points), (points, "100%".to_owned()), "{points}");
        }
        assert_eq!(percent(0.1 + 0.2, 0.3), (0.3, "100%".to_owned()));
        assert_eq!(percent(0.998, 0.999), (0.99, "99.1%".to_owned()));
        assert_eq!(percent(1.2, 0.999), (1.2, "120.12%".to_owned()));
        assert_eq!(percent(0.0, 0.001), (0.0, "0%".to_owned()));
        let passed = Scale { grading_type: GradingType::PassFail, points_possible: Some(1.001) }.grade(1.001);
        assert_eq!(passed.grade.as_deref(), Some("complete"));
    }

    #[test]
    fn a_blank_takes_the_grade_away_and_nonsense_is_refused() {
        let scale = Scale { grading_type: GradingType::Points, points_possible: None };
        assert_eq!(scale.read(" ").unwrap(), Grade::default());
        for posted in ["splendid", "1e3", "NaN", "inf", "1,5", "%", "--1", "9999999999"] {
            assert!(scale.read(posted).is_err(), "{posted}");
        }
    }

    #[test]
    fn without_points_to_reach_a_number_is_a_number() {
        let scale = |grading_type, points_possible| Scale { grading_type, points_possible };
        assert_eq!(scale(GradingType::Points, None).read("7").unwrap().grade.as_deref(), Some("7"));
        assert_eq!(scale(GradingType::PassFail, Some(0.0)).read("pass").unwrap().grade.as_deref(), Some("complete"));
        assert_eq!(scale(GradingType::PassFail, None).read("1").unwrap().grade.as_deref(), Some("complete"));
    }

    #[test]
    fn without_points_to_reach_the_word_is_the_grade() {
        for points_possible in [None, Some(0.0)] {
            let scale = Scale { grading_type: GradingType::PassFail, points_possible };
            for (posted, shown) in
                [("pass", "complete"), ("Complete", "complete"), ("fail", "incomplete"), ("incomplete", "incomplete")]
            {
                let grade = scale.read(posted).unwrap();
                assert_eq!((grade.score, grade.grade.as_deref()), (Some(0.0), Some(shown)), "{points_possible:?}");
            }
            let letters = Scale { grading_type: GradingType::LetterGrade, points_possible };
            assert_eq!(letters.read("b+").unwrap().grade.as_deref(), Some("B+"), "{points_possible:?}");
            assert_eq!(letters.read("87").unwrap().grade.as_deref(), Some("B+"), "{points_possible:?}");
        }
    }

    #[test]
    fn next_to_no_points_have_no_percentage() {
        for points in [1e-320, 1e-300, 1e-15] {
            let scale = Scale { grading_type: GradingType::Percent, points_possible: Some(points) };
            let grade = scale.read("5").unwrap();
            assert_eq!((grade.score, grade.grade), (Some(5.0), None), "{points}");
        }
        let least = Scale { grading_type: GradingType::Percent, points_possible: Some(0.01) };
        assert_eq!(least.read("999999999").unwrap().grade.as_deref(), Some("9999999990000%"));
    }
}
