//! Texts, word by word: a word may say that the next one is a secret.

use crate::scrub::FILTERED;
use crate::scrub::addresses::{self, ESCAPES, ends_with_name_of_secret, without_password};
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
    let mut boundary_before = None;
    for piece in text.split_inclusive(is_boundary) {
        let word = piece.trim_end_matches(is_boundary);
        let boundary = piece.chars().next_back().filter(|last| is_boundary(*last));
        scrubbed.push_str(&scrub_word(word, next));
        scrubbed.extend(boundary);
        next = follows(next, word, boundary_before, boundary);
        boundary_before = boundary;
    }
    scrubbed
}

/// The characters that cannot be part of an address as browsers write it.
fn is_boundary(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>' | '`')
}

fn scrub_word(word: &str, is: Next) -> String {
    let is_secret = match is {
        Next::Word | Next::Separator | Next::Login => false,
        Next::Token { may_be_short } => looks_random(word, may_be_short),
        Next::Secret => !word.is_empty() && !word.starts_with("--"),
        Next::Until(_) => !word.is_empty(),
    };
    match is {
        _ if is_secret => FILTERED.to_owned(),
        Next::Login if word.contains(':') => without_password(word),
        _ if word.starts_with("-u") && word.contains(':') && !word.contains('/') => without_password(word),
        _ => addresses::scrub(word, ESCAPES),
    }
}

/// The role of a word that comes after a `current`.
fn follows(current: Next, word: &str, before: Option<char>, after: Option<char>) -> Next {
    let ends_line = after.is_none_or(|after| after == '\n');
    match current {
        Next::Until(_) if ends_line => Next::Word,
        Next::Until(end) if after == Some(end) || word.contains(end) => Next::Word,
        Next::Until(end) => Next::Until(end),
        // A quotation mark: what it begins is the secret.
        Next::Secret | Next::Login if word.is_empty() && after == Some('"') => Next::Until('"'),
        Next::Token { .. } | Next::Secret | Next::Login | Next::Separator if word.is_empty() && !ends_line => current,
        Next::Separator if matches!(word.trim_end_matches('\\'), ":" | "=" | "=>") => match after {
            Some('"') => Next::Until('"'),
            _ => Next::Secret,
        },
        // `'a secret of several words'`
        Next::Secret if word.starts_with('\'') && word.matches('\'').count() == 1 => Next::Until('\''),
        Next::Secret if !word.starts_with("--") => Next::Word,
        _ => announced(word, before, after),
    }
}

/// The role that a word gives to the next one.
fn announced(word: &str, before: Option<char>, after: Option<char>) -> Next {
    if word.is_empty() {
        return Next::Word;
    }
    if let (Some('<'), Some('>')) = (before, after) {
        // `<password>…</password>`
        return if is_name_of_secret(word) { Next::Until('<') } else { Next::Word };
    }
    if let Some(quotation_mark @ ('"' | '`')) = after {
        // `password="…"`, and in JSON `"password": …`.
        return match () {
            () if ends_with_name_of_secret(word) => Next::Until(quotation_mark),
            () if before == after && is_name_of_secret(word.trim_end_matches('\\')) => Next::Separator,
            () => Next::Word,
        };
    }
    if LOGIN_OPTIONS.contains(&word) {
        return Next::Login;
    }
    if word.starts_with('-') && !word.contains('=') && is_secret(word) {
        return Next::Secret;
    }
    // `{'password': …`
    if let Some(name) = word.strip_suffix("':") {
        return if is_secret(name.rsplit('\'').next().unwrap_or_default()) { Next::Secret } else { Next::Word };
    }
    scheme(word).map_or(Next::Word, |may_be_short| Next::Token { may_be_short })
}

/// `Bearer`, `Authorization:Basic`: whether the token that comes next may be a short one.
fn scheme(word: &str) -> Option<bool> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).rsplit([':', '=']).next().unwrap_or_default();
    SCHEMES.iter().find(|(scheme, _)| word.eq_ignore_ascii_case(scheme)).map(|(_, may_be_short)| *may_be_short)
}

/// Longer than most words, or with a digit among its letters, and with nothing in it that tokens have not.
fn looks_random(word: &str, may_be_short: bool) -> bool {
    let word = word.trim_matches(|c| matches!(c, '\'' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';'));
    let is_mixed = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_ascii_alphabetic());
    let is_long = word.len() >= MIN_TOKEN_CHARS || word.ends_with('=') || (may_be_short && is_mixed);
    is_long && !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-._~+/=%".contains(c))
}
