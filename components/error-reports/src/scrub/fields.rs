//! Fields of texts: the name of a secret, a sign, and then the secret, as in `X-Api-Key: …` and `client_secret = …`.
//!
//! People write such names in sentences, too (`I forgot my password: please help`): so what stands around a name, or the look of
//! the value, has to say that it is a field.

use crate::scrub::lines::name_of_secret;
use crate::scrub::names::is_compound;

/// Headers whose values have several words.
const LONG: [&str; 2] = ["authorization", "cookie"];

/// The signs that stand alone between a name and its value.
const SIGNS: [&str; 4] = [":", "=", "=>", ":="];

/// A word of a text, and what stands around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    /// The boundary before it.
    pub(super) before: Option<char>,
    /// The boundary after it.
    pub(super) after: Option<char>,
    /// True if nothing but signs and numbers stands before it on its line.
    pub(super) begins_line: bool,
}

/// What the name of a secret says of the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    /// True if the value is a secret, whatever it looks like.
    pub(super) is_certain: bool,
    /// The character up to which everything is one, and no further than the line: of values of several words.
    pub(super) until: Option<char>,
}

impl<'a> Word<'a> {
    /// True if the line ends after it.
    pub(super) fn ends_line(self) -> bool {
        self.after.is_none_or(|after| after == '\n')
    }

    /// True if it stands between a name and its value.
    pub(super) fn is_sign(self) -> bool {
        SIGNS.contains(&self.text)
    }

    /// The field that it names with its end: `X-Api-Key:`.
    pub(super) fn field(self) -> Option<Field> {
        self.text.strip_suffix(':').and_then(|before| self.field_named(before))
    }

    /// The field that it names where a sign comes next.
    pub(super) fn field_before_sign(self) -> Option<Field> {
        self.field_named(self.text)
    }

    /// The name, the field and the value, where all of them are in it: `X-Api-Key:…`.
    pub(super) fn whole_field(self) -> Option<(&'a str, Field, &'a str)> {
        let (before, value) = self.text.split_once(':').filter(|(_, value)| !value.starts_with([':', '/']))?;
        let field = self.field_named(before).filter(|_| !value.is_empty())?;
        Some((before, field, value))
    }

    /// The field of a name that is the first part of this word.
    fn field_named(self, before: &str) -> Option<Field> {
        let name = name_of_secret(before)?;
        let (around, _) = before.rsplit_once(name)?;
        let is_in_path = around.contains(['/', '\\']);
        let is_long = LONG.iter().any(|long| name.to_ascii_lowercase().contains(long));
        let quotation_mark = match self.before {
            Some(mark @ ('"' | '`')) => Some(mark),
            _ => around.starts_with('\'').then_some('\''),
        };
        let is_certain = around.starts_with('{')
            || (is_long && quotation_mark.is_some())
            || (!is_in_path && (self.begins_line || is_compound(name)));
        let until = (is_certain && is_long).then(|| quotation_mark.unwrap_or('\n'));
        Some(Field { is_certain, until })
    }
}
