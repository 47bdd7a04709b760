//! Claim codes: how they look, and what is kept of them.

use sha2::{Digest, Sha256};
use shared::auth::secrets;

/// Digits and capital letters without those that look like others.
const ALPHABET: [char; 32] = [
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'M', 'N', 'P',
    'Q', 'R', 'S', 'T', 'V', 'W', 'X', 'Y', 'Z',
];
/// Each character is five random bits: all of them are more than anybody can try, even with the hashes at hand.
const CODE_CHARS: usize = 16;
const GROUP_CHARS: usize = 4;
/// The most characters of a code as somebody types it, separators among them.
const MAX_TYPED_CHARS: usize = 64;

/// A claim code: without separators, in capital letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Code(String);

impl Code {
    pub(crate) fn generate() -> Self {
        let random = Sha256::digest(secrets::generate());
        Self(random.iter().take(CODE_CHARS).filter_map(|byte| ALPHABET.get(usize::from(byte % 32))).collect())
    }

    /// The code that somebody typed, in whatever case and with whatever separators; `None` where it cannot be one.
    pub(crate) fn typed(text: &str) -> Option<Self> {
        if text.chars().nth(MAX_TYPED_CHARS).is_some() {
            return None;
        }
        let is_separator = |c: &char| c.is_whitespace() || matches!(c, '-' | '_' | '.' | '–');
        let characters = text.chars().filter(|c| !is_separator(c)).map(|c| match c.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        });
        let code: String = characters.collect();
        let is_code = code.chars().count() == CODE_CHARS && code.chars().all(|c| ALPHABET.contains(&c));
        is_code.then_some(Self(code))
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> String {
        secrets::hash(&self.0)
    }

    /// The code as it is told: in groups that are easy to read.
    pub(crate) fn shown(&self) -> String {
        let characters: Vec<_> = self.0.chars().collect();
        let groups: Vec<String> = characters.chunks(GROUP_CHARS).map(|group| group.iter().collect()).collect();
        groups.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let code = Code::generate();
        let shown = code.shown();
        assert_eq!((shown.len(), shown.matches('-').count()), (19, 3), "{shown}");
        for typed in
            [shown.clone(), shown.to_lowercase(), shown.replace('-', " "), format!("  {}\n", shown.replace('-', ""))]
        {
            assert_eq!(Code::typed(&typed), Some(code.clone()), "{typed:?}");
        }
        assert_eq!(Code::typed("oooo-iiii-llll-0000").unwrap().shown(), "0000-1111-1111-0000");
        let long = "A".repeat(1_000_000);
        for no_code in ["", "AAAA", "AAAA-AAAA-AAAA-AAAU", "AAAA-AAAA-AAAA-AAAA-A", "ÄÄÄÄ-AAAA-AAAA-AAAA", &long] {
            assert_eq!(Code::typed(no_code), None, "{no_code:.20}");
        }
        assert_ne!(Code::generate(), code);
    }
}
