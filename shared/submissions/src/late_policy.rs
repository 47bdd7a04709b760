//! The late policy of a course: what lateness costs, and what missing work is worth.
//!
//! Source: the reference system's late policies. Each interval that has begun costs a part of the points that can be reached.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::clock::{DAY, HOUR};

use crate::grading::{Grade, GradingType, Scale, rounded};

/// How a course grades what comes late or not at all. Deductions and the minimum are percents of the points that can be reached.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct LatePolicy {
    pub missing_submission_deduction_enabled: bool,
    pub missing_submission_deduction: f64,
    pub late_submission_deduction_enabled: bool,
    /// For each interval.
    pub late_submission_deduction: f64,
    pub late_submission_interval: LateInterval,
    pub late_submission_minimum_percent_enabled: bool,
    /// The grade below which lateness does not bring anybody.
    pub late_submission_minimum_percent: f64,
}

/// The time for which a deduction is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LateInterval {
    Hour,
    #[default]
    Day,
}

/// What a grader says about the lateness of work, whatever the dates tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatePolicyStatus {
    /// Neither late nor missing.
    None,
    Late,
    Missing,
    /// The student was given more time.
    Extended,
}

impl LateInterval {
    fn seconds(self) -> i64 {
        match self {
            Self::Hour => HOUR,
            Self::Day => DAY,
        }
    }
}

impl LatePolicy {
    /// What a grade is for work that came so many seconds late; without points to reach nothing is deducted.
    pub fn deduct(self, scale: Scale, entered: Grade, seconds_late: i64) -> Grade {
        let (Some(score), Some(points)) = (entered.score, scale.points_possible.filter(|points| *points > 0.0)) else {
            return entered;
        };
        let has_deductions = !matches!(scale.grading_type, GradingType::PassFail | GradingType::NotGraded);
        if !self.late_submission_deduction_enabled || !has_deductions || seconds_late <= 0 {
            return entered;
        }
        let deducted = self.deducted_percent(score / points * 100.0, seconds_late) / 100.0 * points;
        let deducted = rounded(deducted);
        Grade { points_deducted: Some(deducted), ..scale.grade(score - deducted) }
    }

    fn deducted_percent(self, percent: f64, seconds_late: i64) -> f64 {
        let lowest =
            if self.late_submission_minimum_percent_enabled { self.late_submission_minimum_percent } else { 0.0 };
        let full = seconds_late.div_euclid(self.late_submission_interval.seconds());
        let begun = i64::from(seconds_late.rem_euclid(self.late_submission_interval.seconds()) > 0);
        // A deduction is 100 percent at most: so many intervals are as bad as any more.
        let intervals = i32::try_from(full.saturating_add(begun)).unwrap_or(i32::MAX);
        (self.late_submission_deduction * f64::from(intervals)).min((percent - lowest).max(0.0))
    }

    /// The grade of missing work; `None` where a person gives it.
    pub fn missing(self, scale: Scale) -> Option<Grade> {
        let percent = match scale.grading_type {
            GradingType::NotGraded => return None,
            GradingType::PassFail => 0.0,
            _ => 100.0 - self.missing_submission_deduction,
        };
        let points = scale.points_possible.unwrap_or_default();
        self.missing_submission_deduction_enabled.then(|| scale.grade(points * percent / 100.0))
    }
}

#[cfg(test)]
mod tests {
    use shared::clock::HOUR;

    use super::*;

    const POLICY: LatePolicy = LatePolicy {
        missing_submission_deduction_enabled: true,
        missing_submission_deduction: 80.0,
        late_submission_deduction_enabled: true,
        late_submission_deduction: 10.0,
        late_submission_interval: LateInterval::Day,
        late_submission_minimum_percent_enabled: true,
        late_submission_minimum_percent: 40.0,
    };
    const SCALE: Scale = Scale { grading_type: GradingType::Points, points_possible: Some(20.0) };

    fn deducted(policy: LatePolicy, scale: Scale, score: f64, seconds: i64) -> (Option<f64>, Option<f64>) {
        let Grade { score, points_deducted, .. } = policy.deduct(scale, scale.grade(score), seconds);
        (score, points_deducted)
    }

    #[test]
    fn each_interval_that_has_begun_costs_points_down_to_the_minimum() {
        for (policy, score, seconds, graded, points) in [
            (POLICY, 20.0, 1, 18.0, Some(2.0)),
            (POLICY, 20.0, 24 * HOUR, 18.0, Some(2.0)),
            (POLICY, 20.0, 24 * HOUR + 1, 16.0, Some(4.0)),
            (POLICY, 20.0, i64::MAX, 8.0, Some(12.0)),
            (POLICY, 7.0, HOUR, 7.0, Some(0.0)),
            (POLICY, 20.0, 0, 20.0, None),
            (LatePolicy { late_submission_interval: LateInterval::Hour, ..POLICY }, 20.0, 2 * HOUR, 16.0, Some(4.0)),
            (LatePolicy { late_submission_minimum_percent_enabled: false, ..POLICY }, 1.0, HOUR, 0.0, Some(1.0)),
            (LatePolicy { late_submission_deduction: 3.333, ..POLICY }, 20.0, HOUR, 19.33, Some(0.67)),
            (LatePolicy { late_submission_deduction_enabled: false, ..POLICY }, 20.0, HOUR, 20.0, None),
        ] {
            assert_eq!(deducted(policy, SCALE, score, seconds), (Some(graded), points), "{score} after {seconds} s");
        }
    }

    #[test]
    fn what_has_no_points_to_reach_or_is_passed_or_failed_loses_none() {
        for scale in [
            Scale { points_possible: None, ..SCALE },
            Scale { points_possible: Some(0.0), ..SCALE },
            Scale { grading_type: GradingType::PassFail, ..SCALE },
        ] {
            assert_eq!(deducted(POLICY, scale, 5.0, HOUR), (Some(5.0), None), "{scale:?}");
        }
        assert_eq!(POLICY.deduct(SCALE, Grade::default(), HOUR), Grade::default());
    }

    #[test]
    fn missing_work_has_what_the_policy_leaves() {
        let score = |policy: LatePolicy, scale| policy.missing(scale).and_then(|grade| grade.score);
        assert_eq!(score(POLICY, SCALE), Some(4.0));
        assert_eq!(score(POLICY, Scale { grading_type: GradingType::PassFail, ..SCALE }), Some(0.0));
        assert_eq!(score(POLICY, Scale { grading_type: GradingType::NotGraded, ..SCALE }), None);
        assert_eq!(score(LatePolicy { missing_submission_deduction_enabled: false, ..POLICY }, SCALE), None);
    }
}
