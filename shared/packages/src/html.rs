//! The HTML of authors: as text, and with its addresses replaced.

mod xhtml;

use std::borrow::Cow;
use std::collections::BTreeMap;

use quick_xml::escape::{escape, partial_escape};
use quick_xml::events::BytesStart;

pub(crate) use xhtml::{Xhtml, of as xhtml};

use crate::xml::Node;

/// The attributes that hold addresses.
const ADDRESSES: [&str; 4] = ["src", "href", "data", "poster"];

/// Plain text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    partial_escape(text).into_owned()
}

/// Plain text as the value of an attribute, in quotes.
pub(crate) fn escaped_attribute(text: &str) -> String {
    escape(text).into_owned()
}

/// Elements that have no content.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// XHTML as HTML.
pub(crate) fn of(nodes: &[Node]) -> String {
    let mut html = String::new();
    push_nodes(&mut html, nodes);
    html.trim().to_owned()
}

fn push_nodes(html: &mut String, nodes: &[Node]) {
    for node in nodes {
        match node {
            Node::Text(text) => html.push_str(&escaped(text)),
            Node::Element(element) => {
                html.extend(["<", &element.name]);
                for (name, value) in &element.attributes {
                    html.extend([" ", name, "=\"", &escape(value.as_str()), "\""]);
                }
                html.push('>');
                if !VOID.contains(&element.name.as_str()) {
                    push_nodes(html, &element.children);
                    html.extend(["</", &element.name, ">"]);
                }
            }
        }
    }
}

/// HTML as plain text: without its tags, and with its entities resolved.
pub(crate) fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let Some((_, after)) = tag.split_once('>') else {
            text.push('<');
            rest = tag;
            break;
        };
        rest = after;
    }
    text.push_str(rest);
    unescaped(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if it shows something that no plain text does: a picture, a sound, a video, a formula.
pub(crate) fn has_media(html: &str) -> bool {
    const MEDIA: [&str; 8] = ["audio", "embed", "iframe", "img", "math", "object", "svg", "video"];
    let is_medium = |tag: &str| {
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        MEDIA.iter().any(|own| name.eq_ignore_ascii_case(own))
    };
    html.split('<').skip(1).any(is_medium)
}

/// True if it is more than text.
pub(crate) fn is_html(text: &str) -> bool {
    text.contains('<') || text.contains('&')
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, reference)) = rest.split_once('&') {
        plain.push_str(before);
        match resolved(reference) {
            Some((c, after)) => {
                plain.push(c);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = reference;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The character of the reference that begins here, and the text after it.
fn resolved(reference: &str) -> Option<(char, &str)> {
    /// Looking on for an end that never comes would make many ampersands slow.
    const MAX_REFERENCE_BYTES: usize = 12;
    let end = reference.bytes().take(MAX_REFERENCE_BYTES).position(|byte| byte == b';')?;
    let (name, after) = reference.split_at_checked(end)?;
    Some((entity(name)?, after.strip_prefix(';')?))
}

fn entity(name: &str) -> Option<char> {
    let code = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            number.strip_prefix(['x', 'X']).map_or_else(|| code(number, 10), |digits| code(digits, 16))
        }
    }
}

/// The HTML with each address for which there is another one replaced.
pub(crate) fn map_addresses<'h>(html: &'h str, map: &mut dyn FnMut(&str) -> Option<String>) -> Cow<'h, str> {
    let mut mapped = String::new();
    let mut rest = html;
    let mut changed = false;
    while let Some((before, tag)) = rest.split_once('<') {
        mapped.push_str(before);
        mapped.push('<');
        let Some((tag, after)) = split_tag(tag) else {
            rest = tag;
            break;
        };
        let new = map_tag(tag, map);
        changed |= new.is_some();
        mapped.push_str(new.as_deref().unwrap_or(tag));
        mapped.push('>');
        rest = after;
    }
    if !changed {
        return Cow::Borrowed(html);
    }
    mapped.push_str(rest);
    Cow::Owned(mapped)
}

/// What the head of a document says in its `meta` elements, by their names.
pub(crate) fn metas(html: &str) -> BTreeMap<String, String> {
    let mut metas = BTreeMap::new();
    let mut rest = html;
    while let Some((_, tag)) = rest.split_once('<') {
        // Quotes in a comment are none.
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((tag, after)) = split_tag(tag) else { break };
        match tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next() {
            Some(name) if name.eq_ignore_ascii_case("body") => break,
            Some(name) if name.eq_ignore_ascii_case("meta") => metas.extend(meta(tag)),
            _ => {}
        }
        rest = after;
    }
    metas
}

fn meta(tag: &str) -> Option<(String, String)> {
    let start = BytesStart::from_content(tag, "meta".len());
    let attribute = |name: &str| {
        let is_named = |key: &str| key.eq_ignore_ascii_case(name);
        let own = start.html_attributes().with_checks(false).flatten().find(|own| is_named(own.key.as_ref()))?;
        Some(unescaped(&own.value))
    };
    Some((attribute("name")?, attribute("content")?))
}

/// The texts before the `>` that ends the tag, and after it. One in quotes does not.
fn split_tag(tag: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => return Some((tag.get(..at)?, tag.get(at + 1..)?)),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// The tag with its addresses replaced; `None` if there is nothing to replace.
fn map_tag(tag: &str, map: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let name = tag.split(|c: char| c.is_ascii_whitespace()).next().filter(|name| !name.is_empty())?;
    let start = BytesStart::from_content(tag, name.len());
    let mut mapped = name.to_owned();
    let mut changed = false;
    for attribute in start.html_attributes().with_checks(false).flatten() {
        let key = attribute.key.as_ref();
        let is_address = ADDRESSES.iter().any(|name| key.eq_ignore_ascii_case(name));
        let new = is_address.then(|| map(&unescaped(&attribute.value))).flatten();
        changed |= new.is_some();
        let value = new.map_or_else(|| attribute.value.replace('"', "&quot;"), |new| escape(new).into_owned());
        mapped.extend([" ", key, "=\"", &value, "\""]);
    }
    if tag.ends_with('/') {
        mapped.push_str(" /");
    }
    changed.then_some(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_text() {
        assert_eq!(
            plain("<p>1 &lt; 2 &amp; <b>3</b>&nbsp;&#228;&#x41; &unknown; R&D</p>"),
            "1 < 2 & 3 \u{e4}A &unknown; R&D"
        );
        assert_eq!(plain("a < b"), "a < b");
        assert_eq!(plain(&escaped("1 < 2 & 3")), "1 < 2 & 3");
    }

    #[test]
    fn addresses_are_replaced() {
        let html = "<p title=\"src='a'\">src=\"a\" <img alt=\"a > b\" src=\"/files/1?x=1&amp;y=2\"><a HREF='/files/2'>x</a><a href=\"b\">y</a></p>";
        let mut seen = Vec::new();
        let mapped = map_addresses(html, &mut |address| {
            seen.push(address.to_owned());
            address.strip_prefix("/files/").map(|file| format!("media/{file}\""))
        });
        assert_eq!(seen, ["/files/1?x=1&y=2", "/files/2", "b"]);
        assert_eq!(
            mapped,
            "<p title=\"src='a'\">src=\"a\" <img alt=\"a > b\" src=\"media/1?x=1&amp;y=2&quot;\">\
             <a HREF=\"media/2&quot;\">x</a><a href=\"b\">y</a></p>"
        );
    }

    #[test]
    fn what_a_head_says_is_read_in_all_its_forms() {
        let html = "<!DOCTYPE html><html><head><META content='a &amp; b' NAME='one'/><meta charset=utf-8>\
            <meta name=two content=c></head><body><meta name=\"three\" content=\"d\"></body></html>";
        let expected = [("one", "a & b"), ("two", "c")].map(|(name, own)| (name.to_owned(), own.to_owned()));
        assert_eq!(metas(html), expected.into());
        assert!(metas("<meta name=\"x").is_empty() && metas("").is_empty());
    }

    #[test]
    fn what_is_no_html_stays() {
        for html in ["", "a < b", "<img src=\"x", "<", "<img data-src=\"x\">", "<img>", "</a>", "< src=\"x\">"] {
            assert_eq!(map_addresses(html, &mut |_| Some("y".to_owned())), html);
        }
    }
}
