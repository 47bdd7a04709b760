//! Points, as packages say them.

use crate::model::Report;

/// The part of a text that is told.
const MAX_SHOWN_CHARS: usize = 100;

/// The most points, as the API takes them: sums of these have an end too.
const MAX_POINTS: f64 = 999_999_999.0;

/// The points that a text says; `None` where it is no number, or none of points.
pub(crate) fn read(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|points: &f64| (0.0..=MAX_POINTS).contains(points))
}

/// The reason why a text says no points.
fn fault(text: &str) -> &'static str {
    let is_too_large = text.trim().parse().is_ok_and(|points: f64| points > MAX_POINTS);
    if is_too_large { "are too large" } else { "are no number" }
}

/// Notes the first of the texts that say no points, unless it is blank. `instead` is what the points are then.
pub(crate) fn tell<'t>(said: impl IntoIterator<Item = &'t str>, instead: &str, about: &str, report: &mut Report) {
    let mut wrong = said.into_iter().filter(|text| !text.trim().is_empty() && read(text).is_none());
    if let Some(text) = wrong.next() {
        let shown: String = text.trim().chars().take(MAX_SHOWN_CHARS).collect();
        report.note(about, format!("its points \u{201c}{shown}\u{201d} {}: {instead}", fault(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbers_from_zero_on() {
        assert_eq!((read(" 2.5 "), read("0")), (Some(2.5), Some(0.0)));
        assert_eq!(read("999999999"), Some(999_999_999.0));
        for text in ["", "two", "NaN", "inf", "-1", "2,5", "1e999", "1e308", "1000000000"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_told_and_what_is_blank_is_not() {
        let mut report = Report::default();
        tell(["", " ", "3"], "it gives 1", "Leaf", &mut report);
        assert!(report.is_empty(), "{report}");
        tell(["", "two", "three"], "it gives 1", "Leaf", &mut report);
        assert_eq!(report.to_string(), "Leaf: its points \u{201c}two\u{201d} are no number: it gives 1\n");
        let mut report = Report::default();
        tell(["1e308"], "it gives 1", "Leaf", &mut report);
        assert_eq!(report.to_string(), "Leaf: its points \u{201c}1e308\u{201d} are too large: it gives 1\n");
    }
}
