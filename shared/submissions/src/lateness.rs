//! The lateness of work, and what it costs.

use shared::Timestamp;

use crate::grading::Grade;
use crate::late_policy::LatePolicyStatus;
use crate::store::Row;
use crate::submission_types::SubmissionType;

/// The lateness of work: by how much, or that it is missing.
pub struct Lateness {
    pub late: bool,
    pub missing: bool,
    pub seconds: i64,
}

impl Lateness {
    /// By the due date of the student, or by what a grader says about it. Missing work to which the service has given a grade is
    /// still missing.
    pub fn of(row: &Row, submitted_at: Option<Timestamp>, now: Timestamp) -> Self {
        let expected =
            row.submission_types.0.iter().any(|kind| !matches!(kind, SubmissionType::None | SubmissionType::OnPaper));
        let is_graded = row.workflow_state == "graded" && row.grader_id.is_some();
        let seconds = seconds_late(row, submitted_at);
        let (late, missing) = match row.late_policy_status {
            Some(status) => (status == LatePolicyStatus::Late, status == LatePolicyStatus::Missing),
            None => (seconds > 0, submitted_at.is_none() && expected && overdue(row, now) > 0 && !is_graded),
        };
        Self { late, missing: missing && !row.excused, seconds }
    }
}

impl Row {
    /// The grade before lateness cost points.
    pub fn entered(&self) -> Grade {
        match self.score.zip(self.points_deducted) {
            Some((score, deducted)) => self.scale().grade(score + deducted),
            None => Grade { score: self.score, grade: self.grade.clone(), points_deducted: None },
        }
    }

    /// What a grade is for work that was handed in then: by the late policy of the course, and the student's due date.
    pub fn deduct(&self, entered: Grade, submitted_at: Option<Timestamp>) -> Grade {
        match &self.late_policy {
            Some(policy) => policy.0.deduct(self.scale(), entered, seconds_late(self, submitted_at)),
            None => entered,
        }
    }

    /// The grade that the late policy gives to missing work; `None` where there is none that does.
    pub fn grade_of_missing(&self) -> Option<Grade> {
        self.late_policy.as_ref().and_then(|policy| policy.0.missing(self.scale()))
    }
}

/// The seconds by which work that was handed in then is late.
fn seconds_late(row: &Row, submitted_at: Option<Timestamp>) -> i64 {
    match row.late_policy_status {
        Some(LatePolicyStatus::Late) => row.seconds_late_override.unwrap_or_default(),
        Some(_) => 0,
        None => submitted_at.map_or(0, |at| overdue(row, at)),
    }
}

fn overdue(row: &Row, moment: Timestamp) -> i64 {
    row.due_at.map_or(0, |due| moment.unix() - due.unix()).max(0)
}
