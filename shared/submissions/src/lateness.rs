//! The lateness of work.

use shared::Timestamp;

use crate::store::Row;
use crate::submission_types::SubmissionType;

/// The lateness of work: by how much, or that it is missing.
pub struct Lateness {
    pub late: bool,
    pub missing: bool,
    pub seconds: i64,
}

impl Lateness {
    pub fn of(row: &Row, submitted_at: Option<Timestamp>, now: Timestamp) -> Self {
        let expected =
            row.submission_types.0.iter().any(|kind| !matches!(kind, SubmissionType::None | SubmissionType::OnPaper));
        let overdue = |moment: Timestamp| row.due_at.map_or(0, |due| moment.unix() - due.unix()).max(0);
        let seconds = submitted_at.map_or(0, overdue);
        let missing =
            submitted_at.is_none() && expected && overdue(now) > 0 && !row.excused && row.workflow_state != "graded";
        Self { late: seconds > 0, missing, seconds }
    }
}
