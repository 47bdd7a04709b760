//! Which part of a file a request asks for (RFC 9110): one range of bytes. A range that is not understood asks for the
//! whole.

use std::ops::Range;

/// The question of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    Whole,
    Part(Range<usize>),
    /// A part that the file does not have.
    Unsatisfiable,
}

/// Reads the header `Range` for a file of that size.
pub(crate) fn requested(header: Option<&str>, size: usize) -> Requested {
    let range = header.and_then(|header| header.trim().strip_prefix("bytes=")).map(str::trim);
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else { return Requested::Whole };
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => part(first, last.saturating_add(1).min(size)),
        (Some(first), None) if last.is_empty() => part(first, size),
        (None, Some(length)) if first.is_empty() => part(size.saturating_sub(length), size),
        _ => Requested::Whole,
    }
}

fn part(start: usize, end: usize) -> Requested {
    if start < end { Requested::Part(start..end) } else { Requested::Unsatisfiable }
}

/// Digits alone; a number that is too large is as good as the largest.
fn number(digits: &str) -> Option<usize> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_and_anything_else_the_whole() {
        for (header, expected) in [
            ("bytes=0-0", Requested::Part(0..1)),
            ("bytes=2-5", Requested::Part(2..6)),
            ("bytes=7-", Requested::Part(7..10)),
            ("bytes=-3", Requested::Part(7..10)),
            ("bytes=-99", Requested::Part(0..10)),
            ("bytes=5-99999999999999999999999", Requested::Part(5..10)),
            ("bytes=10-", Requested::Unsatisfiable),
            ("bytes=99999999999999999999999-", Requested::Unsatisfiable),
            ("bytes=-0", Requested::Unsatisfiable),
            ("bytes=5-2", Requested::Whole),
            ("bytes=0-1,4-5", Requested::Whole),
            ("bytes=-", Requested::Whole),
            ("bytes=+1-2", Requested::Whole),
            ("items=0-1", Requested::Whole),
            ("", Requested::Whole),
        ] {
            assert_eq!(requested(Some(header), 10), expected, "{header}");
        }
        assert_eq!(requested(None, 10), Requested::Whole);
        assert_eq!(requested(Some("bytes=0-"), 0), Requested::Unsatisfiable);
    }
}
