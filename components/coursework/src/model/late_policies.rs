//! Late policies as they are sent and answered.

use ::submissions::late_policy::LateInterval;
use serde::{Deserialize, Serialize};
use shared::ids::CourseId;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

/// How a course grades what comes late or not at all. Deductions and the minimum are percents of the points that can be reached.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CourseLatePolicy {
    id: i64,
    course_id: CourseId,
    /// True if missing work gets a grade by itself.
    missing_submission_deduction_enabled: bool,
    missing_submission_deduction: f64,
    /// True if late work loses points.
    late_submission_deduction_enabled: bool,
    /// For each interval that has begun.
    late_submission_deduction: f64,
    late_submission_interval: LateInterval,
    late_submission_minimum_percent_enabled: bool,
    /// The grade below which lateness does not bring anybody.
    late_submission_minimum_percent: f64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What is set of a late policy. What is left out or null stays as it is.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct LatePolicyForm {
    pub(crate) missing_submission_deduction_enabled: Patch<bool>,
    /// 0 to 100; 100 unless given.
    pub(crate) missing_submission_deduction: Patch<f64>,
    pub(crate) late_submission_deduction_enabled: Patch<bool>,
    /// 0 to 100, for each interval; 0 unless given.
    pub(crate) late_submission_deduction: Patch<f64>,
    /// `day` unless given.
    pub(crate) late_submission_interval: Patch<LateInterval>,
    pub(crate) late_submission_minimum_percent_enabled: Patch<bool>,
    /// 0 to 100; 0 unless given.
    pub(crate) late_submission_minimum_percent: Patch<f64>,
}

impl LatePolicyForm {
    /// 400 for what is no percent.
    pub(crate) fn require_valid(&self) -> Result<()> {
        for (field, percent) in [
            ("missing_submission_deduction", self.missing_submission_deduction),
            ("late_submission_deduction", self.late_submission_deduction),
            ("late_submission_minimum_percent", self.late_submission_minimum_percent),
        ] {
            if percent.into_option().is_some_and(|percent| !(0.0..=100.0).contains(&percent)) {
                return Err(Error::invalid(field, "inclusion", "must be between 0 and 100"));
            }
        }
        Ok(())
    }
}
