//! The work that a text makes for the parser. Most texts are read in one go, but an element that stays open is looked
//! at again at every tag, and a formatting element that stays open is opened again in every paragraph.
//!
//! Nothing is counted too low: an element is taken as closed only where every parser closes it.

use std::collections::HashMap;

/// The most looks at open elements that a text may cost, and the most elements that may be opened again, with the most
/// bytes of their tags.
const MAX_STEPS: usize = 30_000_000;
const MAX_REOPENED: usize = 200_000;
const MAX_REOPENED_BYTES: usize = 16 * super::MAX_BYTES;
/// Of formatting elements that are all the same, so many are opened again.
const MAX_OF_A_KIND: usize = 3;
/// The looks at all open elements that one misplaced end tag of a formatting element may cost.
const MISPLACED: usize = 16;

const VOID: [&str; 15] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Elements that a parser opens again until they are closed.
const FORMATTING: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

const TABLE_PARTS: [&str; 10] = ["caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"];

/// Elements whose content is text, whatever it looks like.
const RAW: [&str; 10] =
    ["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"];

/// Elements inside of which raw ones may have ordinary content, and raw ones that do not end at the next end tag.
const UNCERTAIN: [&str; 6] = ["frameset", "math", "noscript", "plaintext", "select", "svg"];

/// True if a parser is done with the text in a moment.
pub(super) fn is_small(html: &str) -> bool {
    let is_plain = is_plain(html);
    let mut effort = Effort { is_plain, ..Effort::default() };
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        // Where tags begin and end is only known in plain HTML: elsewhere, all that may be one counts.
        let (piece, next) = if is_plain { (after, None) } else { (upto(after, '<'), Some(after)) };
        let (tag, follows) = Tag::read(piece);
        if tag.is_some_and(|tag| !effort.add(tag)) {
            return false;
        }
        let raw = tag.filter(|tag| is_plain && !tag.is_end && RAW.iter().any(|name| is_named(tag.name, name)));
        rest = next.unwrap_or_else(|| raw.map_or(follows, |tag| from_end_of(tag.name, follows)));
    }
    true
}

/// True if some of it may be text that is taken as it stands, without tags and character references.
pub(super) fn has_raw_text(html: &str) -> bool {
    has(html, &RAW) || html.contains("<![CDATA[")
}

/// Whether an element of such a name may begin somewhere. A frame without content is read alike by everybody.
fn has(html: &str, names: &[&str]) -> bool {
    let mut pieces = html.split('<').peekable();
    while let Some(piece) = pieces.next() {
        let mut is_empty_frame = || {
            is_named(piece, "iframe") && is_tag(piece) && pieces.peek().is_some_and(|next| is_named(next, "/iframe"))
        };
        if names.iter().any(|name| is_named(piece, name)) && !is_empty_frame() {
            return true;
        }
    }
    false
}

/// Whether it is a tag from its name to its bracket, and nothing more.
fn is_tag(piece: &str) -> bool {
    // Where the last bracket does not end the tag, because it stands in a value, another one makes the tag longer.
    let (length, _) = measured(piece);
    length == piece.len() && measured(&format!("{piece}>")).0 == length
}

/// True if it is known which of the text is tags.
fn is_plain(html: &str) -> bool {
    let has = |names: &[&str]| has(html, names);
    let has_uncertain = has(&RAW) && (has(&UNCERTAIN) || (has(&["script"]) && html.contains("<!--")));
    !has_uncertain && !html.contains("<![CDATA[")
}

fn is_named(tag: &str, name: &str) -> bool {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(is_after_name);
    tag.split_at_checked(name.len()).is_some_and(|(found, rest)| found.eq_ignore_ascii_case(name) && ends(rest))
}

fn is_after_name(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '/' | '>')
}

fn upto(text: &str, end: char) -> &str {
    text.split(end).next().unwrap_or_default()
}

/// From the end tag of a raw element on.
fn from_end_of<'a>(name: &str, text: &'a str) -> &'a str {
    let ends = text.match_indices("</").filter_map(|(index, _)| text.split_at_checked(index));
    ends.map(|(_, rest)| rest).find(|rest| rest.strip_prefix("</").is_some_and(|tag| is_named(tag, name))).unwrap_or("")
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    /// All of it, without the opening bracket and the slash of an end tag.
    text: &'a str,
    name: &'a str,
    is_end: bool,
    is_formatting: bool,
    attributes: usize,
}

impl<'a> Tag<'a> {
    /// The tag behind `<`, or `None` where it is a comment or no tag; and what follows it.
    fn read(after: &'a str) -> (Option<Self>, &'a str) {
        if let Some(comment) = after.strip_prefix("!--") {
            return (None, after_comment(comment));
        }
        let (is_end, inside) = match after.strip_prefix('/') {
            Some(inside) => (true, inside),
            None => (false, after),
        };
        match inside.chars().next() {
            Some(c) if c.is_ascii_alphabetic() => {}
            Some('!' | '?') => return (None, after_first(after, ">")),
            Some(_) if is_end => return (None, after_first(inside, ">")),
            _ => return (None, after),
        }
        let (length, attributes) = measured(inside);
        let (text, rest) = inside.split_at_checked(length).unwrap_or((inside, ""));
        let name = text.split(is_after_name).next().unwrap_or_default();
        let is_formatting = FORMATTING.iter().any(|formatting| name.eq_ignore_ascii_case(formatting));
        (Some(Self { text, name, is_end, is_formatting, attributes }), rest)
    }

    fn is_one_of(self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// Links are never open twice, whatever their addresses.
    fn kind(self) -> &'a str {
        if self.is_one_of(&["a", "nobr"]) { self.name } else { self.text }
    }
}

fn after_comment(comment: &str) -> &str {
    if let Some(rest) = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->")) {
        return rest;
    }
    let mut ends = comment.match_indices('>').filter_map(|(index, _)| comment.split_at_checked(index));
    let end = ends.find(|(before, _)| before.ends_with("--") || before.ends_with("--!"));
    end.and_then(|(_, rest)| rest.strip_prefix('>')).unwrap_or_default()
}

fn after_first<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or("", |(_, rest)| rest)
}

/// The length of the tag, and the number of its attributes.
fn measured(tag: &str) -> (usize, usize) {
    #[derive(Clone, Copy)]
    enum At {
        ElementName,
        Between,
        Name,
        AfterName,
        BeforeValue,
        Value,
        Quoted(u8),
    }
    let mut at = At::ElementName;
    let mut attributes = 0;
    for (index, byte) in tag.bytes().enumerate() {
        at = match (at, byte) {
            (At::Quoted(quote), _) if byte == quote => At::Between,
            (At::Quoted(_), _) => at,
            (At::BeforeValue, b'"' | b'\'') => At::Quoted(byte),
            (_, b'>') => return (index + 1, attributes),
            (At::ElementName | At::Name | At::AfterName, b'/') => At::Between,
            (At::Between, b'/') => at,
            (At::Name | At::AfterName, b'=') => At::BeforeValue,
            (At::Name, _) if byte.is_ascii_whitespace() => At::AfterName,
            (At::ElementName | At::Value, _) if byte.is_ascii_whitespace() => At::Between,
            (_, _) if byte.is_ascii_whitespace() => at,
            (At::BeforeValue, _) => At::Value,
            (At::Between | At::AfterName, _) => {
                attributes += 1;
                At::Name
            }
            _ => at,
        };
    }
    (tag.len(), attributes)
}

#[derive(Default)]
struct Effort<'a> {
    is_plain: bool,
    open: Vec<Tag<'a>>,
    /// Which formatting elements are open.
    kinds: HashMap<&'a str, Kind>,
    /// The number of those that are opened again, and of the bytes of their tags.
    formatting: usize,
    formatting_bytes: usize,
    /// The number of elements that could be moved in front of a table.
    loose: usize,
    has_table: bool,
    steps: usize,
    reopened: usize,
    reopened_bytes: usize,
}

/// Formatting elements that are all the same.
#[derive(Default)]
struct Kind {
    open: usize,
    longest_tag: usize,
}

impl<'a> Effort<'a> {
    /// Counts what the tag costs; whether that is still little.
    fn add(&mut self, tag: Tag<'a>) -> bool {
        let looks = 1 + self.open.len() + self.formatting;
        self.reopened += self.formatting;
        self.reopened_bytes += self.formatting_bytes;
        // Each attribute is compared with those before it.
        self.steps += looks + tag.attributes * tag.attributes / 2;
        if !tag.is_end {
            self.start(tag);
        } else if !self.end(tag) && tag.is_formatting {
            self.steps += MISPLACED * looks;
        }
        self.steps <= MAX_STEPS && self.reopened <= MAX_REOPENED && self.reopened_bytes <= MAX_REOPENED_BYTES
    }

    fn start(&mut self, tag: Tag<'a>) {
        self.has_table |= tag.is_one_of(&["table"]);
        if !tag.is_one_of(&TABLE_PARTS) {
            self.loose += 1;
            self.steps += if self.has_table { self.loose / 2 } else { 0 };
        }
        if tag.is_one_of(&VOID) {
            return;
        }
        if tag.is_formatting {
            // It is compared with each that is open, attribute by attribute.
            self.steps += self.formatting * (1 + tag.attributes) * 16;
            self.change_kind(tag, |kind| {
                kind.open += 1;
                kind.longest_tag = kind.longest_tag.max(tag.text.len());
            });
        }
        self.open.push(tag);
    }

    fn change_kind(&mut self, tag: Tag<'a>, change: impl FnOnce(&mut Kind)) {
        let most = if self.is_plain { MAX_OF_A_KIND } else { usize::MAX };
        let kind = self.kinds.entry(tag.kind()).or_default();
        let before = kind.open.min(most);
        self.formatting -= before;
        self.formatting_bytes -= before * kind.longest_tag;
        change(kind);
        let after = kind.open.min(most);
        self.formatting += after;
        self.formatting_bytes += after * kind.longest_tag;
    }

    /// Closes the innermost element of the name unless more than formatting is open inside of it. That formatting goes
    /// on behind it.
    fn end(&mut self, tag: Tag<'a>) -> bool {
        let is_same = |open: &Tag<'_>| open.name.eq_ignore_ascii_case(tag.name);
        let is_inside = |open: &&Tag<'_>| open.is_formatting && !is_same(open);
        let inside = self.open.iter().rev().take_while(is_inside).count();
        let Some(index) = self.open.len().checked_sub(inside + 1).filter(|_| self.is_plain) else { return false };
        let Some(open) = self.open.get(index).copied().filter(is_same) else { return false };
        if open.is_formatting {
            self.open.remove(index);
            self.change_kind(open, |kind| kind.open -= 1);
        } else {
            self.open.truncate(index);
        }
        true
    }
}
