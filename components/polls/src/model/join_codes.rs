//! Codes by which a class joins an open session: short enough to be read from a wall, without letters that look alike.

use uuid::Uuid;

/// Neither I, L and O nor 0 and 1.
const ALPHABET: &str = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const LETTERS: u128 = 31;
const LENGTH: usize = 6;
/// The bits of a random UUID that are all random.
const RANDOM_BITS: u128 = (1 << 62) - 1;
/// So many are made for an opening, of which the first is taken that no other session has.
const CANDIDATES: usize = 8;

/// Codes for a session that is opened.
pub(crate) fn candidates() -> Vec<String> {
    (0..CANDIDATES).map(|_| code(Uuid::new_v4().as_u128() & RANDOM_BITS)).collect()
}

fn code(mut random: u128) -> String {
    let letters = (0..LENGTH).filter_map(|_| {
        let place = usize::try_from(random % LETTERS).ok()?;
        random /= LETTERS;
        ALPHABET.chars().nth(place)
    });
    letters.collect()
}

/// A code as somebody has typed it: in capitals, without what stands between. Empty where nothing of it can be one.
pub(crate) fn normal(typed: &str) -> String {
    // No longer than a code that is none by one letter.
    typed
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_uppercase())
        .take(LENGTH + 1)
        .collect()
}

/// A code in two halves, as it is read.
pub(crate) fn halves(code: &str) -> (&str, &str) {
    code.split_at_checked(LENGTH / 2).unwrap_or((code, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_six_letters_that_cannot_be_taken_for_others() {
        assert_eq!(ALPHABET.chars().count(), usize::try_from(LETTERS).unwrap());
        assert!(!ALPHABET.contains(['I', 'L', 'O', '0', '1']));
        let codes = candidates();
        assert_eq!(codes.len(), CANDIDATES);
        for code in &codes {
            assert!(code.len() == LENGTH && code.chars().all(|letter| ALPHABET.contains(letter)), "{code}");
            assert_eq!(&normal(code), code);
        }
        assert_eq!((code(0), code(31_u128.pow(6) - 1)), ("AAAAAA".to_owned(), "999999".to_owned()));
        assert_ne!(codes[0], codes[1]);
    }

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        assert_eq!(normal(" abc-2 34\n"), "ABC234");
        assert_eq!(normal("ä/?"), "");
        assert_eq!(normal(&"A".repeat(1000)), "AAAAAAA");
        assert_eq!(halves("ABC234"), ("ABC", "234"));
    }
}
