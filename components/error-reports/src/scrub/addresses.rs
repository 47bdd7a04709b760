//! Addresses, and whatever else is one word: what its parameters, its path and the part before its host give away.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::scrub::names::{is_secret, is_secret_in_address};
use crate::scrub::tokens::{without_private_keys, without_tokens};
use crate::scrub::{FILTERED, lines};

/// The number of times that something is escaped until we take it for what it says.
pub(super) const ESCAPES: usize = 4;

/// The words of paths behind which something stands that carries its own right: our links, and the names that others
/// have for theirs.
const LINKS: [&str; 6] = ["files_api", "magic_link", "password_reset", "password_resets", "register", "reset_password"];

/// `mailto:ada@school.test` has no password in it.
const NO_LOGINS: [&str; 11] = ["acct", "bcc", "cc", "email", "from", "mail", "mailto", "sip", "to", "user", "xmpp"];

/// Parameters whose value is a name with a password behind it.
const LOGINS: [&str; 4] = ["proxy-user", "proxy_user", "user", "userpwd"];

pub(super) fn scrub(word: &str, escapes: usize) -> String {
    let word = without_links(&without_users(word));
    let mut scrubbed = String::with_capacity(word.len());
    for piece in word.split_inclusive(['?', '&', ';', '#']) {
        let pair = piece.trim_end_matches(['?', '&', ';', '#']);
        scrub_pair(pair, escapes, &mut scrubbed);
        scrubbed.push_str(piece.strip_prefix(pair).unwrap_or_default());
    }
    scrubbed
}

/// `name=value`; where there are more of these signs, whatever stands before one may be a name.
fn scrub_pair(pair: &str, escapes: usize, scrubbed: &mut String) {
    let mut rest = pair;
    let mut is_login = false;
    while let Some((name, value)) = rest.split_once('=') {
        scrubbed.push_str(&without_tokens(&scrub_escaped(name, escapes)));
        scrubbed.push('=');
        let plain = unescaped(name);
        if !value.is_empty() && is_secret_in_address(&plain) {
            scrubbed.push_str(FILTERED);
            return;
        }
        is_login = LOGINS.iter().any(|login| plain.trim_start_matches('-').eq_ignore_ascii_case(login));
        rest = value;
    }
    let value = scrub_escaped(rest, escapes);
    let value = match without_login(&value) {
        Some(value) => value,
        None if is_login => without_password(&value),
        None => value,
    };
    scrubbed.push_str(&without_tokens(&value));
}

/// An address may stand inside another one, escaped as often as it is nested.
fn scrub_escaped(value: &str, escapes: usize) -> String {
    let plain = match percent_decode_str(value).decode_utf8() {
        Ok(plain) if plain != value => plain,
        Ok(_) | Err(_) => return value.to_owned(),
    };
    // Nobody escapes so often; who does has something to hide.
    let Some(left) = escapes.checked_sub(1) else { return FILTERED.to_owned() };
    if plain.lines().any(|line| lines::before_secret(line).is_some()) {
        return FILTERED.to_owned();
    }
    let scrubbed = scrub(&without_private_keys(&plain), left);
    if scrubbed == plain { value.to_owned() } else { utf8_percent_encode(&scrubbed, NON_ALPHANUMERIC).to_string() }
}

/// Addresses without the user and the password before the host. Browsers take a backslash for a slash.
fn without_users(word: &str) -> String {
    let mut scrubbed = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((before, after)) = split_at_authority(rest) {
        let authority = after.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        scrubbed.push_str(before);
        match authority.rsplit_once('@') {
            Some((_user, host)) => scrubbed.extend([FILTERED, "@", host]),
            None => scrubbed.push_str(authority),
        }
        rest = after.strip_prefix(authority).unwrap_or_default();
    }
    scrubbed.push_str(rest);
    scrubbed
}

/// A text up to two slashes, and the rest.
fn split_at_authority(text: &str) -> Option<(&str, &str)> {
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let at = text.as_bytes().windows(2).position(|pair| pair.iter().all(is_slash))?;
    text.split_at_checked(at.checked_add(2)?)
}

/// Paths without what carries a right of its own: `/register/[FILTERED]`.
fn without_links(word: &str) -> String {
    let is_of_right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '%' | '+');
    let mut scrubbed = String::with_capacity(word.len());
    let mut follows = false;
    for segment in word.split_inclusive(['/', '\\']) {
        let name = segment.trim_end_matches(['/', '\\']);
        let rest = segment.trim_start_matches(is_of_right);
        if follows && rest.len() < segment.len() {
            scrubbed.extend([FILTERED, rest]);
        } else {
            scrubbed.push_str(segment);
        }
        follows = LINKS.iter().any(|link| name.eq_ignore_ascii_case(link)) || (follows && name.is_empty());
    }
    scrubbed
}

/// `user:password@host` without a scheme, as data sources are written.
fn without_login(value: &str) -> Option<String> {
    let head = value.split(['/', '\\']).next()?;
    let (login, host) = head.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let user = user.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_address = NO_LOGINS.iter().any(|scheme| user.eq_ignore_ascii_case(scheme));
    if is_address || password.is_empty() || host.is_empty() {
        return None;
    }
    Some(format!("{FILTERED}@{host}{}", value.strip_prefix(head)?))
}

/// `user:password` without the password.
pub(super) fn without_password(login: &str) -> String {
    match login.split_once(':') {
        Some((user, password)) if !password.is_empty() => format!("{user}:{FILTERED}"),
        _ => login.to_owned(),
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = text.to_owned();
    for _ in 0..ESCAPES {
        match percent_decode_str(&plain).decode_utf8().map(std::borrow::Cow::into_owned) {
            Ok(next) if next != plain => plain = next,
            Ok(_) | Err(_) => break,
        }
    }
    plain
}

/// The name that stands before the last `=` of a word which ends there.
pub(super) fn ends_with_name_of_secret(word: &str) -> bool {
    let name = word.strip_suffix('=').and_then(|before| before.rsplit(['?', '&', ';', '#', '=']).next());
    name.is_some_and(is_secret)
}
