//! The languages, and how each writes a day.

use chrono::{DateTime, Datelike, Utc};

/// A language in which pages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English, for whoever reads none of the others.
    #[default]
    English,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
}

const MONTHS: [[&str; 12]; 4] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
];

impl Language {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 4] = [Self::English, Self::German, Self::Spanish, Self::French];

    /// Its tag, as HTML and HTTP have it.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
        }
    }

    /// The language of a tag: German of `de`, `de-AT` and `DE_at`.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let main = tag.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| main.eq_ignore_ascii_case(language.tag()))
    }

    /// The day of a moment, in words: `4 March 2021`.
    pub fn day(self, moment: DateTime<Utc>) -> String {
        let (day, year) = (moment.day(), moment.year());
        let names = MONTHS.get(self.place()).and_then(|names| names.get(usize::try_from(moment.month0()).ok()?));
        let month = names.copied().unwrap_or_default();
        match self {
            Self::English => format!("{day} {month} {year}"),
            Self::German => format!("{day}. {month} {year}"),
            Self::Spanish => format!("{day} de {month} de {year}"),
            Self::French => format!("{} {month} {year}", if day == 1 { "1er".to_owned() } else { day.to_string() }),
        }
    }

    /// True if so many things are spoken of in the singular: in French nothing is, too.
    pub const fn is_singular(self, number: i64) -> bool {
        matches!((self, number), (_, 1) | (Self::French, 0))
    }

    /// The sign between the whole and its parts: `1.5`, `1,5`.
    pub const fn decimal_mark(self) -> char {
        match self {
            Self::English => '.',
            Self::German | Self::Spanish | Self::French => ',',
        }
    }

    /// Its place in the order of the table.
    pub(crate) const fn place(self) -> usize {
        match self {
            Self::English => 0,
            Self::German => 1,
            Self::Spanish => 2,
            Self::French => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_as_the_language_writes_it() {
        let first = DateTime::from_timestamp(1_614_556_800, 0).unwrap();
        let days = Language::ALL.map(|language| language.day(first));
        assert_eq!(days, ["1 March 2021", "1. März 2021", "1 de marzo de 2021", "1er mars 2021"]);
        assert!(Language::ALL.iter().enumerate().all(|(place, language)| language.place() == place));
    }

    #[test]
    fn nothing_is_one_in_french_alone() {
        let singular = |language: Language| [0, 1, 2, -1].map(|number| language.is_singular(number));
        assert_eq!(singular(Language::French), [true, true, false, false]);
        for language in [Language::English, Language::German, Language::Spanish] {
            assert_eq!(singular(language), [false, true, false, false]);
        }
    }
}
