//! The rules that fields of several records obey.

use shared::db::Changes;
use shared::error::Violation;
use shared::{Error, Patch, Result, Timestamp, params};

/// The most characters of a name, a code, or an id that an institution gives.
pub(crate) const MAX_CHARS: usize = 255;
const MAX_TIME_ZONE_CHARS: usize = 64;

/// A text that a record cannot be without.
pub(crate) fn required(field: &str, text: Patch<String>, longest: usize) -> Result<Patch<String>, Violation> {
    match text {
        Patch::Absent => Ok(Patch::Absent),
        Patch::Value(text) if !text.trim().is_empty() => not_too_long(field, text, longest),
        Patch::Value(_) | Patch::Null => Err(Violation::new(field, "blank", "can't be blank")),
    }
}

/// A text that a record may be without; a blank one is none.
pub(crate) fn optional(field: &str, text: Patch<String>, longest: usize) -> Result<Patch<String>, Violation> {
    match text {
        Patch::Value(text) if !text.trim().is_empty() => not_too_long(field, text, longest),
        Patch::Value(_) | Patch::Null => Ok(Patch::Null),
        Patch::Absent => Ok(Patch::Absent),
    }
}

/// A name of a time zone: which ones there are, only the readers of it know.
pub(crate) fn time_zone(field: &str, name: Patch<String>) -> Result<Patch<String>, Violation> {
    match optional(field, name, MAX_TIME_ZONE_CHARS)? {
        Patch::Value(name) if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_+/ ()&.'-".contains(c)) => {
            Err(Violation::new(field, "invalid", "is not a time zone"))
        }
        name => Ok(name),
    }
}

fn not_too_long(field: &str, text: String, longest: usize) -> Result<Patch<String>, Violation> {
    params::check_length(field, &text, longest)?;
    Ok(Patch::Value(text))
}

/// A moment as it is stored.
pub(crate) fn moment(field: Patch<Timestamp>) -> Patch<String> {
    field.map(|moment| moment.to_string())
}

/// Refuses changes by which a record with these dates would end before it starts. Dates that stay as they are are no error.
pub(crate) fn require_order(
    changes: &Changes,
    (start_at, end_at): (Option<Timestamp>, Option<Timestamp>),
) -> Result<()> {
    let [starts, ends] = [("start_at", start_at), ("end_at", end_at)].map(|(column, current)| {
        let changed = changes.text(column).map(str::to_owned);
        (changed.is_present(), changed.over(current.map(|moment| moment.to_string())))
    });
    match (starts, ends) {
        // Moments are stored so that they sort as texts.
        ((starts, Some(start)), (ends, Some(end))) if (starts || ends) && end < start => {
            Err(Error::bad_request("End dates cannot be before start dates"))
        }
        _ => Ok(()),
    }
}

/// A value that another record has, where no two may have the same.
pub(crate) fn already_taken(field: &str) -> Error {
    invalid(Violation::new(field, "taken", "is already in use"))
}

pub(crate) fn invalid(violation: Violation) -> Error {
    Error::violations(vec![violation])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch_of(text: &str) -> Patch<String> {
        Patch::Value(text.to_owned())
    }

    #[test]
    fn a_required_text_may_be_left_out_but_not_taken_away() {
        assert_eq!(required("name", Patch::Absent, 3), Ok(Patch::Absent));
        assert_eq!(required("name", patch_of("äöü"), 3), Ok(patch_of("äöü")));
        for (text, code) in [(Patch::Null, "blank"), (patch_of(" "), "blank"), (patch_of("abcd"), "too_long")] {
            assert_eq!(required("name", text, 3).unwrap_err().code, code);
        }
    }

    #[test]
    fn an_optional_text_that_is_blank_is_none() {
        assert_eq!(optional("sis_id", patch_of(""), 3), Ok(Patch::Null));
        assert_eq!(optional("sis_id", Patch::Absent, 3), Ok(Patch::Absent));
        assert!(optional("sis_id", patch_of("abcd"), 3).is_err());
    }

    #[test]
    fn a_time_zone_has_a_short_plain_name() {
        for name in ["America/Denver", "Etc/GMT+5", "Mountain Time (US & Canada)", "St. John's"] {
            assert_eq!(time_zone("time_zone", patch_of(name)), Ok(patch_of(name)));
        }
        for name in ["<b>", "Zürich", &"x".repeat(65)] {
            assert!(time_zone("time_zone", patch_of(name)).is_err());
        }
        assert_eq!(time_zone("time_zone", patch_of(" ")), Ok(Patch::Null));
    }
}
