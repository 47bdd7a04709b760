//! The comparison of an import with those of the same data set.

use serde::{Deserialize, Serialize};
use shared::csv::Row;

use crate::model::kind::Kind;

/// The id of a data set.
pub(crate) type DataSetId = i64;

/// Which rows of an import are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Comparison {
    /// None yet: it is counted how many differ.
    Counting,
    /// Those that differ.
    Difference,
    /// All, and the next import is compared with them.
    Whole,
    /// All, because too much differs; the next import is compared with an older one.
    None,
}

impl Comparison {
    /// As it is stored.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Counting => "counting",
            Self::Difference => "difference",
            Self::Whole => "whole",
            Self::None => "none",
        }
    }
}

/// A row as a data set keeps it.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    /// The values by which it is known.
    pub(crate) identity: String,
    /// All its values but the password.
    pub(crate) content: String,
}

impl Entry {
    pub(crate) fn of(kind: Kind, row: &Row) -> Self {
        Self { identity: row.identity(kind.identity()), content: row.content() }
    }
}

/// True if files of these sizes are more percent apart than the threshold says.
pub(crate) fn exceeds(threshold: u32, bytes: usize, before: i64) -> bool {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    is_more_than(threshold, before.saturating_sub(bytes).saturating_abs(), before)
}

/// True if a part is more than so many percent of a whole.
pub(crate) fn is_more_than(percent: u32, part: i64, whole: i64) -> bool {
    i128::from(part) * 100 > i128::from(percent) * i128::from(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_a_part_of_the_size_before() {
        for (threshold, bytes, before, exceeded) in
            [(5, 105, 100, false), (5, 106, 100, true), (5, 95, 100, false), (5, 94, 100, true), (0, 100, 100, false)]
        {
            assert_eq!(exceeds(threshold, bytes, before), exceeded, "{threshold} {bytes}");
        }
    }
}
