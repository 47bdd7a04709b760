//! Texts that students type, held against those that authors wrote.

use icu_normalizer::ComposingNormalizerBorrowed;

/// How many edits count as close at most. What an author asks for beyond counts as this.
pub(crate) const MAX_DISTANCE: usize = 100;

/// The text in composed form (NFC), without white space around it and with one space for each run of white space.
pub(crate) fn normal(text: &str) -> String {
    composed(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text in composed form (NFC).
pub(crate) fn composed(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// The text so that letters of either case are the same, `ß` and `SS` too.
pub(crate) fn without_case(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// True if so many edits at most make one text the other. An edit adds, removes or replaces a character (Levenshtein).
pub(crate) fn is_close(one: &str, other: &str, distance: usize) -> bool {
    let [one, other]: [Vec<char>; 2] = [one, other].map(|text| text.chars().collect());
    let distance = distance.min(MAX_DISTANCE);
    if one.len().abs_diff(other.len()) > distance {
        return false;
    }
    // Each row holds the distances between the beginning of `one` and all beginnings of `other`; beyond the distance on
    // either side of the diagonal they are too large to matter.
    let far = distance + 1;
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.iter().enumerate() {
        let mut next = vec![far; row.len()];
        let from = place.saturating_sub(distance);
        if from == 0
            && let Some(first) = next.first_mut()
        {
            *first = place + 1;
        }
        let mut left = next.get(from).copied().unwrap_or(far);
        let above = row.iter().zip(row.iter().skip(1)).zip(&other);
        for (cell, ((diagonal, above), same)) in next.iter_mut().skip(1).zip(above).skip(from).take(2 * distance + 2) {
            *cell = (diagonal + usize::from(letter != same)).min(above + 1).min(left + 1).min(far);
            left = *cell;
        }
        row = next;
    }
    row.last().is_some_and(|edits| *edits <= distance)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edits(one: &[char], other: &[char]) -> usize {
        match (one, other) {
            ([], rest) | (rest, []) => rest.len(),
            ([a, one @ ..], [b, other @ ..]) if a == b => edits(one, other),
            ([_, one_rest @ ..], [_, other_rest @ ..]) => {
                1 + edits(one_rest, other).min(edits(one, other_rest)).min(edits(one_rest, other_rest))
            }
        }
    }

    #[test]
    fn texts_are_close_by_their_edits() {
        for (one, other, distance) in
            [("Earth", "Erth", 1), ("kitten", "sitting", 3), ("ab", "ba", 2), ("", "abc", 3), ("ö", "o", 1)]
        {
            assert!(is_close(one, other, distance), "{one} {other}");
            assert!(!is_close(one, other, distance - 1), "{one} {other}");
        }
        assert!(is_close("same", "same", 0));
        assert!(!is_close(&"a".repeat(101), "", usize::MAX));
    }

    #[test]
    fn texts_are_compared_as_they_are_read() {
        assert_eq!(normal("  New \u{a0} York\n"), "New York");
        assert_eq!(normal("Cafe\u{301}"), "Café");
        for same in ["STRASSE", "Straße", "STRAẞE"] {
            assert_eq!(without_case(same), "strasse");
        }
        assert_eq!(without_case("ΟΔΟΣ"), without_case("οδος"));
    }

    proptest! {
        #[test]
        fn the_band_finds_what_the_definition_finds(one in "[abc]{0,6}", other in "[abc]{0,6}", distance in 0_usize..8) {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = edits(&chars(&one), &chars(&other)) <= distance;
            prop_assert_eq!(is_close(&one, &other, distance), expected);
        }
    }
}
