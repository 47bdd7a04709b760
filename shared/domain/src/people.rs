//! Names and addresses of people.

/// True if mail can be tried, to one address and no list: what it really is, only its mail server knows.
pub fn is_email(text: &str) -> bool {
    let separates = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || is_hidden(character)
            || matches!(character, ',' | ';' | '<' | '>' | '"' | '(' | ')')
    };
    let parts = text.split_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.') && !domain.contains('@'))
        && !text.contains(separates)
}

/// True if a character shows nothing itself, or turns what stands beside it: with it an address looks like another one.
pub fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
    )
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
        for text in ["a\u{200B}da@c.test", "\u{202E}ada@c.test", "ada@c.te\u{AD}st", "\u{FEFF}ada@c.test"] {
            assert!(!is_email(text), "{text:?}");
        }
        for text in ["a@c.test,b@c.test", "a@c.test;b", "A<a@c.test>", "(a)@c.test"] {
            assert!(!is_email(text), "{text}");
        }
    }
}
