//! The attributes of rich text: which values are kept, and ids that cannot be taken for those of the page around the text.

use std::borrow::Cow;

use super::frames;

/// Before every id of a text, so that none is an id of the page that shows it.
const ID_PREFIX: &str = "content_";
const MAX_ID_BYTES: usize = 100;

/// Images that may stand in an address, and how long such an address may be.
const IMAGES: [&str; 4] = ["gif", "jpeg", "png", "webp"];
const MAX_IMAGE_BYTES: usize = 64 * 1024;

/// The value of an attribute as it is kept; `None`: the attribute is taken out.
pub(super) fn kept<'a>(element: &str, attribute: &str, value: &'a str) -> Option<Cow<'a, str>> {
    match (element, attribute) {
        // The places of the blanks in the sentence of a question.
        ("span", "id") if value.starts_with("blank_") => Some(Cow::Borrowed(value)),
        (_, "id") => id(value),
        ("a", "href") if value.starts_with('#') => fragment(value),
        ("iframe", "src") => frames::is_allowed(value).then_some(Cow::Borrowed(value)),
        ("img", "src") | ("video", "poster") => is_image(value).then_some(Cow::Borrowed(value)),
        ("audio" | "source" | "track" | "video", "src") => is_loaded(value).then_some(Cow::Borrowed(value)),
        (_, "href" | "src" | "cite") => (!has_scheme(value, "data:")).then_some(Cow::Borrowed(value)),
        (
            _,
            "aria-activedescendant"
            | "aria-controls"
            | "aria-describedby"
            | "aria-details"
            | "aria-errormessage"
            | "aria-flowto"
            | "aria-labelledby"
            | "aria-owns"
            | "headers",
        ) => references(value),
        // A prefix alone would let through a name with a tag in it.
        (_, name) => name.bytes().all(is_of_name).then_some(Cow::Borrowed(value)),
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

fn id(id: &str) -> Option<Cow<'_, str>> {
    let own = id.strip_prefix(ID_PREFIX);
    let bare = own.unwrap_or(id);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    if bare.is_empty() || bare.len() > MAX_ID_BYTES || !bare.bytes().all(is_plain) {
        return None;
    }
    Some(if own.is_some() { Cow::Borrowed(id) } else { Cow::Owned(format!("{ID_PREFIX}{id}")) })
}

/// A place in the same text; `#` alone is its beginning.
fn fragment(address: &str) -> Option<Cow<'_, str>> {
    match address.strip_prefix('#') {
        None | Some("") => Some(Cow::Borrowed(address)),
        Some(name) => id(name).map(|id| Cow::Owned(format!("#{id}"))),
    }
}

/// A list of ids.
fn references(names: &str) -> Option<Cow<'_, str>> {
    let own = |name| if str::starts_with(name, "blank_") { Some(Cow::Borrowed(name)) } else { id(name) };
    let ids: Vec<_> = names.split_ascii_whitespace().filter_map(own).collect();
    if ids.is_empty() { None } else { Some(Cow::Owned(ids.join(" "))) }
}

fn is_image(address: &str) -> bool {
    if has_scheme(address, "data:") { is_image_within(address) } else { is_loaded(address) }
}

/// True for an address of https, or of this host: a page that came by https loads no others.
fn is_loaded(address: &str) -> bool {
    !has_scheme(address, "http:") && !has_scheme(address, "data:")
}

/// An image that stands in the text, in letters that mean nothing else anywhere.
fn is_image_within(address: &str) -> bool {
    let parts = address.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    parts.is_some_and(|(kind, data)| {
        IMAGES.contains(&kind) && address.len() <= MAX_IMAGE_BYTES && !data.is_empty() && data.bytes().all(is_base64)
    })
}

/// Browsers pass over white space in an address.
fn has_scheme(address: &str, scheme: &str) -> bool {
    let seen = address.chars().filter(|c| !c.is_ascii_control() && *c != ' ');
    seen.take(scheme.len()).map(|c| c.to_ascii_lowercase()).eq(scheme.chars())
}
