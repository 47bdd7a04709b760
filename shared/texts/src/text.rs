//! A text in all languages.

use std::fmt::Display;

use crate::Language;

/// A text in all languages, in the order of [`Language::ALL`]. `{name}` is the place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text(pub(crate) [&'static str; 4]);

impl Text {
    /// The text in a language.
    pub fn get(&self, language: Language) -> &'static str {
        self.0.get(language.place()).copied().unwrap_or_default()
    }

    /// The text in a language with values in their places.
    pub fn fill(&self, language: Language, values: &[(&str, &dyn Display)]) -> String {
        let mut filled = String::new();
        for part in self.parts(language) {
            match part {
                Part::Words(words) => filled.push_str(words),
                Part::Place(name) => {
                    let value = values.iter().find(|(known, _)| *known == name);
                    filled.extend(value.map(|(_, value)| value.to_string()));
                }
            }
        }
        filled
    }

    /// The words of the text and the names of the places between them, for who puts more than text in these.
    pub fn parts(&self, language: Language) -> impl Iterator<Item = Part> + use<> {
        self.get(language).split_inclusive(['{', '}']).filter_map(|piece| match piece.as_bytes().last() {
            Some(b'}') => Some(Part::Place(piece.trim_end_matches('}'))),
            Some(b'{') => Some(Part::Words(piece.trim_end_matches('{'))).filter(|_| piece.len() > 1),
            _ => Some(Part::Words(piece)),
        })
    }
}

/// A text about so many things, with a place `{number}` for how many, in the singular and in the plural.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    pub(crate) one: Text,
    pub(crate) many: Text,
}

impl Counted {
    /// The text about `number` things in a language.
    pub fn get(&self, language: Language, number: i64) -> String {
        let text = if language.is_singular(number) { &self.one } else { &self.many };
        text.fill(language, &[("number", &number)])
    }
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Words that stay as they are.
    Words(&'static str),
    /// The name of a value that stands here.
    Place(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_their_places() {
        let text = Text(["{who} has {n} of {all}.", "{n} von {all} hat {who}", "", "Rien"]);
        let fill = |language| text.fill(language, &[("n", &3), ("all", &"{n}"), ("who", &"Ada")]);
        assert_eq!(Language::ALL.map(fill), ["Ada has 3 of {n}.", "3 von {n} hat Ada", "", "Rien"]);
        let leaves = Counted { one: Text(["{number} leaf"; 4]), many: Text(["{number} leaves"; 4]) };
        assert_eq!([0, 1, 2].map(|number| leaves.get(Language::English, number)), ["0 leaves", "1 leaf", "2 leaves"]);
        assert_eq!(leaves.get(Language::French, 0), "0 leaf");
        let parts: Vec<_> = Text(["Hi {a}{b}!", "", "", ""]).parts(Language::English).collect();
        assert_eq!(parts, [Part::Words("Hi "), Part::Place("a"), Part::Place("b"), Part::Words("!")]);
    }
}
