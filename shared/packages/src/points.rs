//! Points, as packages say them.

use crate::model::Report;

/// The part of a text that is told.
const MAX_SHOWN_CHARS: usize = 100;

/// The points that a text says; `None` where it is no number, or none of points.
pub(crate) fn read(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|points: &f64| points.is_finite() && *points >= 0.0)
}

/// Notes the first of the texts that say no points, unless it is blank. `instead` is what the points are then.
pub(crate) fn tell<'t>(said: impl IntoIterator<Item = &'t str>, instead: &str, about: &str, report: &mut Report) {
    let mut wrong = said.into_iter().filter(|text| !text.trim().is_empty() && read(text).is_none());
    if let Some(text) = wrong.next() {
        let shown: String = text.trim().chars().take(MAX_SHOWN_CHARS).collect();
        report.note(about, format!("its points \u{201c}{shown}\u{201d} are no number: {instead}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbers_from_zero_on() {
        assert_eq!((read(" 2.5 "), read("0")), (Some(2.5), Some(0.0)));
        for text in ["", "two", "NaN", "inf", "-1", "2,5", "1e999"] {
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
    }
}
