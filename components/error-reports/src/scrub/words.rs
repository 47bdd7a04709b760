//! Texts, word by word: a word may say that the next one is a secret.

use crate::scrub::FILTERED;
use crate::scrub::addresses::{self, ESCAPES, ends_with_name_of_secret, without_password};
use crate::scrub::fields::{Field, Word};
use crate::scrub::lines::is_nothing;
use crate::scrub::names::{is_name_of_secret, is_secret};

/// Options of programs that are followed by a user and a password.
const LOGIN_OPTIONS: [&str; 5] = ["--proxy-user", "--user", "-U", "-a", "-u"];

/// Ways in which a token is shown. Those that are no plain words may be followed by a short one.
const SCHEMES: [(&str, bool); 4] = [("basic", false), ("bearer", true), ("digest", false), ("negotiate", false)];

/// No token is shorter, unless it has a digit in it or is padded.
const MIN_TOKEN_CHARS: usize = 12;

/// The role of the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    /// A token, if it looks like one; a short one does by its digits.
    Token {
        may_be_short: bool,
    },
    /// A secret, whatever it looks like; another option is none.
    Secret,
    /// The value of a field.
    Value(Field),
    /// A user with a password.
    Login,
    /// The text between the name of a secret and the secret, if the text is JSON.
    Separator,
    /// Secrets up to this character, and no further than the line.
    Until(char),
}

pub(super) fn scrub(text: &str) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut next = Next::Word;
    let mut last: Option<Word<'_>> = None;
    let (mut before, mut begins_line) = (None, true);
    for piece in text.split_inclusive(is_boundary) {
        let after = piece.chars().next_back().filter(|last| is_boundary(*last));
        let word = Word { text: piece.trim_end_matches(is_boundary), before, after, begins_line };
        scrubbed.push_str(&scrub_word(word, next));
        scrubbed.extend(after);
        next = follows(next, word, last);
        let ends_line = matches!(after, Some('\n' | '\r'));
        begins_line = ends_line || (begins_line && !word.text.contains(char::is_alphabetic));
        last = if word.text.is_empty() { last } else { Some(word) };
        last = last.filter(|_| !ends_line);
        before = after;
    }
    scrubbed
}

/// The characters that cannot be part of an address as browsers write it.
fn is_boundary(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>' | '`')
}

fn scrub_word(word: Word<'_>, is: Next) -> String {
    let text = word.text;
    let is_secret = match is {
        Next::Word | Next::Separator | Next::Login => false,
        Next::Token { may_be_short } => looks_random(text, may_be_short),
        Next::Secret => !text.is_empty() && !text.starts_with("--"),
        Next::Value(field) => !word.is_sign() && is_secret_of(field, text),
        Next::Until(_) => !text.is_empty(),
    };
    match is {
        _ if is_secret => FILTERED.to_owned(),
        Next::Login if text.contains(':') => without_password(text),
        _ if text.starts_with("-u") && text.contains(':') && !text.contains('/') => without_password(text),
        _ => match word.whole_field() {
            Some((name, field, value)) if is_secret_of(field, value) => {
                format!("{}:{FILTERED}", addresses::scrub(name, ESCAPES))
            }
            _ => addresses::scrub(text, ESCAPES),
        },
    }
}

/// True if the value of a field is a secret. The way in which one is shown stands before it.
fn is_secret_of(field: Field, value: &str) -> bool {
    let is_secret = (field.is_certain && scheme(value).is_none()) || looks_random(value, true);
    is_secret && !value.is_empty() && !is_nothing(value)
}

/// The role of a word that comes after a `current`, before which a `last` one stands on the same line.
fn follows(current: Next, word: Word<'_>, last: Option<Word<'_>>) -> Next {
    let Word { text, after, .. } = word;
    let ends_line = word.ends_line();
    match current {
        Next::Until(_) if ends_line => Next::Word,
        Next::Until(end) if after == Some(end) || text.contains(end) => Next::Word,
        Next::Until(end) => Next::Until(end),
        // A quotation mark: what it begins is the secret.
        Next::Secret | Next::Login if text.is_empty() && after == Some('"') => Next::Until('"'),
        Next::Value(field) if text.is_empty() || word.is_sign() => value(field, after),
        Next::Token { .. } | Next::Secret | Next::Login | Next::Separator if text.is_empty() && !ends_line => current,
        Next::Separator if matches!(text.trim_end_matches('\\'), ":" | "=" | "=>") => match after {
            Some('"') => Next::Until('"'),
            _ => Next::Secret,
        },
        // `'a secret of several words'`
        Next::Secret | Next::Value(Field { is_certain: true, .. })
            if text.starts_with('\'') && text.matches('\'').count() == 1 =>
        {
            Next::Until('\'')
        }
        Next::Secret if !text.starts_with("--") => Next::Word,
        Next::Value(Field { until: Some(end), .. }) => rest_of(word, text, end),
        Next::Value(Field { is_certain: true, .. }) if scheme(text).is_some() => Next::Secret,
        _ if word.is_sign() => last.and_then(Word::field_before_sign).map_or(Next::Word, |field| value(field, after)),
        _ => announced(word),
    }
}

/// The role of what follows the name of a field and its sign.
fn value(field: Field, after: Option<char>) -> Next {
    match after {
        None | Some('\n') => Next::Word,
        Some(mark @ ('"' | '`')) if field.is_certain => Next::Until(mark),
        Some(_) => Next::Value(field),
    }
}

/// The role of what follows a word with the `first` of a value that goes on to that character.
fn rest_of(word: Word<'_>, first: &str, end: char) -> Next {
    let is_over = word.ends_line() || word.after == Some(end) || first.contains(end);
    if is_over { Next::Word } else { Next::Until(end) }
}

/// The role that a word gives to the next one.
fn announced(word: Word<'_>) -> Next {
    let Word { text, before, after, .. } = word;
    if text.is_empty() {
        return Next::Word;
    }
    if let (Some('<'), Some('>')) = (before, after) {
        // `<password>…</password>`
        return if is_name_of_secret(text) { Next::Until('<') } else { Next::Word };
    }
    if let Some(quotation_mark @ ('"' | '`')) = after {
        // `password="…"`, `{password:"…"`, and in JSON `"password": …`.
        return match () {
            () if ends_with_name_of_secret(text) => Next::Until(quotation_mark),
            () if before == after && is_name_of_secret(text.trim_end_matches('\\')) => Next::Separator,
            () => word.field().map_or(Next::Word, |field| value(field, after)),
        };
    }
    if LOGIN_OPTIONS.contains(&text) {
        return Next::Login;
    }
    if text.starts_with('-') && !text.contains('=') && is_secret(text) {
        return Next::Secret;
    }
    // `{'password': …`
    if let Some(name) = text.strip_suffix("':") {
        return if is_secret(name.rsplit('\'').next().unwrap_or_default()) { Next::Secret } else { Next::Word };
    }
    if let Some(field) = word.field() {
        return value(field, after);
    }
    if let Some((_, Field { until: Some(end), .. }, value)) = word.whole_field() {
        return rest_of(word, value, end);
    }
    scheme(text).map_or(Next::Word, |may_be_short| Next::Token { may_be_short })
}

/// `Bearer`, `Authorization:Basic`: whether the token that comes next may be a short one.
fn scheme(word: &str) -> Option<bool> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).rsplit([':', '=']).next().unwrap_or_default();
    SCHEMES.iter().find(|(scheme, _)| word.eq_ignore_ascii_case(scheme)).map(|(_, may_be_short)| *may_be_short)
}

/// Longer than most words, or with a digit among its letters, and with nothing in it that tokens have not.
fn looks_random(word: &str, may_be_short: bool) -> bool {
    let word =
        word.trim_matches(|c| matches!(c, '\'' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | ':' | '!' | '?'));
    let is_mixed = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_ascii_alphabetic());
    let is_long = word.len() >= MIN_TOKEN_CHARS || word.ends_with('=') || (may_be_short && is_mixed);
    is_long && !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-._~+/=%".contains(c))
}
