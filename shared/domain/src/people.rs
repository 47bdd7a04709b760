//! Names and addresses of people.

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// True if mail can be tried, to one address and no list: what it really is, only its mail server knows.
pub fn is_email(text: &str) -> bool {
    let separates = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || is_hidden(character)
            || matches!(character, ',' | ';' | ':' | '<' | '>' | '"' | '(' | ')' | '[' | ']' | '\\')
    };
    let parts = text.split_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && is_domain(domain)) && !text.contains(separates)
}

/// True of names with points between them, such as a host has.
fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    text.contains('.') && !text.contains('@') && text.split('.').all(is_label)
}

/// True if a character shows nothing itself, or turns what stands beside it: with it an address looks like another one.
pub fn is_hidden(character: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{2800}')
}

/// `Lovelace, Ada` for `Ada Lovelace`.
pub fn family_name_first(name: &str) -> String {
    match name.trim().rsplit_once(char::is_whitespace) {
        Some((given, family)) if !name.contains(',') => format!("{family}, {}", given.trim_end()),
        _ => name.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_by_the_family_name() {
        for (name, sortable) in [
            ("Ada Lovelace", "Lovelace, Ada"),
            ("Ada  King  Lovelace ", "Lovelace, Ada  King"),
            ("Plato", "Plato"),
            ("Lovelace, Ada", "Lovelace, Ada"),
            ("", ""),
        ] {
            assert_eq!(family_name_first(name), sortable);
        }
    }

    #[test]
    fn an_address_has_two_sides() {
        for text in ["ada@example.com", "ada+lists@example.com", "a/b@example.com", "ädä@beispiel.test"] {
            assert!(is_email(text), "{text}");
        }
        for text in ["ada", "@example.com", "ada@example", "a b@example.com", "a@b@example.com", "ada@ex.com\n"] {
            assert!(!is_email(text), "{text}");
        }
        for text in
            ["a@c..test", "a@.test", "a@c.", "a@-c.test", "a@c-.test", "a@[192.0.2.1]", "a\\@c.test", "To:a@c.test"]
        {
            assert!(!is_email(text), "{text}");
        }
        for text in ["a\u{200B}da@c.test", "\u{202E}ada@c.test", "ada@c.te\u{AD}st", "\u{FEFF}ada@c.test"] {
            assert!(!is_email(text), "{text:?}");
        }
        // What Unicode lets programs show nothing of: fillers, selectors of variants, tags; and the blank letter of Braille.
        let hidden =
            "\u{34F}\u{61C}\u{115F}\u{17B4}\u{180B}\u{180E}\u{2800}\u{3164}\u{FE00}\u{FE0F}\u{FFA0}\u{1D173}\u{E0041}";
        for character in hidden.chars().chain(['\u{E0100}']) {
            assert!(!is_email(&format!("a{character}da@c.test")), "{character:?}");
        }
        for text in ["a@c.test,b@c.test", "a@c.test;b", "A<a@c.test>", "(a)@c.test"] {
            assert!(!is_email(text), "{text}");
        }
    }
}
