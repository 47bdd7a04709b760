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
        let parts: Vec<_> = Text(["Hi {a}{b}!", "", "", ""]).parts(Language::English).collect();
        assert_eq!(parts, [Part::Words("Hi "), Part::Place("a"), Part::Place("b"), Part::Words("!")]);
    }
}
