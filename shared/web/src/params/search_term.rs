//! What a list is searched for.

use database::{Bind, Value};

use super::not_too_long;
use crate::error::Result;

/// The longest term, in characters: as long as what is searched.
const MAX_CHARS: usize = 255;

/// A text that others contain, whatever the case of its letters. Bound to a statement, it is the pattern of
/// [`contained_sql`](Self::contained_sql).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTerm {
    text: String,
    /// True if it has letters that SQLite knows in one case alone.
    is_foreign: bool,
}

impl SearchTerm {
    /// The term without the space around it; `None` if nothing is left.
    ///
    /// # Errors
    /// 400 if it is longer than 255 characters.
    pub fn read(text: Option<&str>) -> Result<Option<Self>> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
        not_too_long("search_term", text, MAX_CHARS)?;
        let is_foreign = text.chars().any(|letter| !letter.is_ascii() && cases(letter).len() > 1);
        Ok(Some(Self { text: text.to_owned(), is_foreign }))
    }

    /// The term itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The condition that one of these expressions contains the term, which is bound at that place. Where there is none, it is
    /// of no account.
    pub fn contained_sql(term: Option<&Self>, texts: &[&str], place: &str) -> String {
        let contains = |text: &&str| match term {
            Some(Self { is_foreign: true, .. }) => format!("{text} GLOB {place}"),
            _ => format!("{text} LIKE {place} ESCAPE '\\'"),
        };
        format!("({})", texts.iter().map(contains).collect::<Vec<_>>().join(" OR "))
    }

    /// `LIKE` looks past the case of ASCII, and takes a third of the time of `GLOB`, which can be told of other letters.
    fn pattern(&self) -> String {
        match self.is_foreign {
            true => format!("*{}*", self.text.chars().map(in_each_case).collect::<String>()),
            false => format!("%{}%", self.text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")),
        }
    }
}

impl Bind for &SearchTerm {
    fn value(self) -> Value {
        Value::Text(self.pattern())
    }
}

/// The character as a part of a pattern of `GLOB`.
fn in_each_case(letter: char) -> String {
    match (cases(letter).as_slice(), letter) {
        ([_], letter) if !['*', '?', '['].contains(&letter) => letter.to_string(),
        (cases, _) => format!("[{}]", cases.iter().collect::<String>()),
    }
}

/// A letter, and the same in other cases that are one letter too.
fn cases(letter: char) -> Vec<char> {
    let (lower, upper) = (one(letter.to_lowercase()), one(letter.to_uppercase()));
    // A sigma at the end of a word is one within another word, and both are one where they are large.
    let other = upper.and_then(|upper| one(upper.to_lowercase()));
    let mut cases = vec![letter];
    for case in [lower, upper, other].into_iter().flatten() {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases
}

fn one(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str) -> SearchTerm {
        SearchTerm::read(Some(text)).unwrap().unwrap()
    }

    #[test]
    fn letters_of_ascii_are_left_to_like() {
        let term = term(" 100%_a\\b 王 ");
        assert_eq!(term.pattern(), r"%100\%\_a\\b 王%");
        assert_eq!(
            SearchTerm::contained_sql(Some(&term), &["a", "b"], "?1"),
            r"(a LIKE ?1 ESCAPE '\' OR b LIKE ?1 ESCAPE '\')"
        );
    }

    #[test]
    fn other_letters_are_named_in_each_case() {
        let term = term("Jürß*[ς");
        assert_eq!(term.pattern(), "*[Jj][üÜ][rR]ß[*][[][ςΣσ]*");
        assert_eq!(SearchTerm::contained_sql(Some(&term), &["a"], "?1"), "(a GLOB ?1)");
    }

    #[test]
    fn a_term_is_as_long_as_a_name() {
        assert!(SearchTerm::read(Some(&"ü".repeat(255))).is_ok());
        assert!(SearchTerm::read(Some(&"ü".repeat(256))).is_err());
        assert_eq!(SearchTerm::read(Some("  ")).unwrap(), None);
        assert_eq!(SearchTerm::read(None).unwrap(), None);
    }
}
