//! The dates of a row, between which a term, a course or a section lies.

use shared::Timestamp;
use shared::csv::Row;

use crate::rows::Read;

/// When something starts and when it ends; `None`: nobody has said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dates {
    pub(super) start_at: Option<Timestamp>,
    pub(super) end_at: Option<Timestamp>,
}

impl Dates {
    /// A date that cannot be read is none, and is told of.
    pub(super) fn of(row: &Row, warning: &mut Option<String>) -> Self {
        Self { start_at: moment(row, "start_date", warning), end_at: moment(row, "end_date", warning) }
    }

    /// The dates that a record has after a row: one that the row does not have stays. Reversed dates that are there already are
    /// not the row's error.
    pub(super) fn over(self, current: Self, what: &str) -> Read<Self> {
        let own = self.in_order(what)?;
        let after = Self { start_at: own.start_at.or(current.start_at), end_at: own.end_at.or(current.end_at) };
        if current.are_reversed() { Ok(after) } else { after.in_order(what) }
    }

    pub(super) fn in_order(self, what: &str) -> Read<Self> {
        if self.are_reversed() { Err(format!("End dates cannot be before start dates for {what}")) } else { Ok(self) }
    }

    fn are_reversed(self) -> bool {
        self.start_at.zip(self.end_at).is_some_and(|(start, end)| end < start)
    }
}

fn moment(row: &Row, column: &str, warning: &mut Option<String>) -> Option<Timestamp> {
    let given = row.get(column)?;
    let read = Timestamp::parse(given);
    if read.is_none() {
        *warning = Some(format!("Bad date format for {column}: {given}"));
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(start: &str, end: &str) -> Dates {
        Dates::of(&Row::of(2, &[("start_date", start), ("end_date", end)]), &mut None)
    }

    #[test]
    fn a_date_that_cannot_be_read_is_told_of() {
        let row = Row::of(2, &[("start_date", "2026-09-01"), ("end_date", "soon")]);
        let mut warning = None;
        let read = Dates::of(&row, &mut warning);
        assert_eq!(read.start_at.map(|start| start.to_string()).as_deref(), Some("2026-09-01T00:00:00Z"));
        assert_eq!(read.end_at, None);
        assert_eq!(warning.as_deref(), Some("Bad date format for end_date: soon"));
    }

    #[test]
    fn a_row_sets_no_end_before_the_start() {
        let autumn = dates("2026-09-01", "2027-01-31");
        let refused = Err("End dates cannot be before start dates for term T1".to_owned());
        assert_eq!(dates("", "2027-02-28").over(autumn, "term T1"), Ok(dates("2026-09-01", "2027-02-28")));
        assert_eq!(dates("", "2026-09-01").over(autumn, "term T1"), Ok(dates("2026-09-01", "2026-09-01")));
        assert_eq!(dates("", "2026-08-31").over(autumn, "term T1"), refused);
        assert_eq!(dates("2027-03-01", "").over(autumn, "term T1"), refused);
        assert_eq!(dates("2027-03-01", "2026-08-31").in_order("term T1"), refused);
        let reversed = dates("2027-03-01", "2026-08-31");
        assert_eq!(dates("", "").over(reversed, "term T1"), Ok(reversed));
        assert_eq!(dates("", "2026-09-30").over(reversed, "term T1"), Ok(dates("2027-03-01", "2026-09-30")));
        assert_eq!(reversed.over(reversed, "term T1"), refused);
    }
}
