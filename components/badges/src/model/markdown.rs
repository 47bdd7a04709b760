//! Narratives: Markdown that authors write, kept as it was sent, and shown on pages as HTML that can do nothing.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Parser, Tag, TagEnd};
use shared::error::Violations;
use shared::rich_text;

use crate::model::entity::FieldRules;

/// The most characters of a narrative.
pub(crate) const MAX_NARRATIVE_CHARS: usize = 16_384;
/// What is longer is shown as it is: characters have up to four bytes.
const MAX_BYTES: usize = 4 * MAX_NARRATIVE_CHARS;

/// Stands for `&` while a text is formatted: a character of nobody's.
const AMPERSAND: &str = "\u{e000}";

/// The narrative of a field that may be left out or be blank, as it was sent.
pub(crate) fn optional_narrative(violations: &mut Violations, field: &str, text: Option<&str>) -> Option<String> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    violations.require_length(field, text, MAX_NARRATIVE_CHARS).then(|| text.to_owned())
}

/// The narrative as HTML: formatted where it is Markdown that can be shown, and else as plain text.
pub(crate) fn show(text: &str) -> Markup {
    match formatted(text) {
        Some(formatted) => html! { div class="narrative" { (PreEscaped(formatted)) } },
        None => html! { p class="text" { (text) } },
    }
}

fn formatted(text: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.replace(AMPERSAND, "");
    let mut written = String::with_capacity(text.len() * 2);
    pulldown_cmark::html::push_html(&mut written, Parser::new(&text).filter_map(shown).map(without_ampersands));
    // What is written here is harmless already; whoever is wrong about that is not alone.
    Some(rich_text::sanitize(&written).ok()?.replace(AMPERSAND, "&amp;"))
}

/// The sanitizer takes longer for each `&amp;` the more of them there are: it gets a character in its place.
fn without_ampersands(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Text(text) => Event::Text(text.replace('&', AMPERSAND).into()),
        Event::Code(text) => Event::Code(text.replace('&', AMPERSAND).into()),
        other => other,
    }
}

/// What a page shows of a part of the text. HTML is shown as the text that it is, images as their words; headings stand
/// below those of the page, and lines end where the author has ended them.
fn shown(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Heading { level, .. }) => {
            Some(Event::Start(Tag::Heading { level: below(level), id: None, classes: Vec::new(), attrs: Vec::new() }))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(below(level)))),
        Event::Start(Tag::Link { link_type, dest_url, id, .. }) => {
            let dest_url = if leads_out(&dest_url) { dest_url } else { CowStr::Borrowed("") };
            Some(Event::Start(Tag::Link { link_type, dest_url, title: CowStr::Borrowed(""), id }))
        }
        Event::SoftBreak => Some(Event::HardBreak),
        other => Some(other),
    }
}

/// True of addresses that need no page to begin at, and run nothing.
fn leads_out(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme))
}

fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_formatted() {
        for (text, expected) in [
            ("Found a *boletus*", "<p>Found a <em>boletus</em></p>"),
            ("# Ten\n**mushrooms**", "<h3>Ten</h3>\n<p><strong>mushrooms</strong></p>"),
            ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
            ("first\nsecond", "<p>first<br>\nsecond</p>"),
            ("[more](https://a.test/?a=1&b=2)", "<p><a href=\"https://a.test/?a=1&amp;b=2\">more</a></p>"),
            ("<https://a.test>", "<p><a href=\"https://a.test\">https://a.test</a></p>"),
            ("1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>"),
        ] {
            assert_eq!(formatted(text).unwrap().trim_end(), expected, "{text}");
        }
    }

    #[test]
    fn what_could_do_something_is_text() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<div onclick='x()'>\n\n*a*\n\n</div>",
            "[x](javascript:alert(1))",
            "[x](<java\nscript:alert(1)>)",
            "[x](data:text/html,<script>alert(1)</script>)",
            "![x](https://evil.test/pixel.png)",
            "![x](javascript:alert(1) \"t\")",
            "[a]: javascript:alert(1)\n\n[a]",
            "<javascript:alert(1)>",
            "`<script>`",
            "```\"><script>\n</code><script>\n```",
            "&lt;script&gt;",
            "[x](https://a.test \"\\\"><script>\")",
            "[x](/v2/auth/tokens)",
        ] {
            let shown = formatted(text).unwrap().to_lowercase();
            for part in ["<script", "<img", "<div", "onerror=\"", "href=\"java", "href=\"data", "href=\"/", "title="] {
                assert!(!shown.contains(part), "{text:?} became {shown}");
            }
        }
    }

    #[test]
    fn what_cannot_be_formatted_is_plain_text() {
        let deep = "> ".repeat(8000);
        assert!(show(&deep).into_string().starts_with("<p class=\"text\">&gt; "));
        let long = "<b>".repeat(MAX_BYTES);
        assert!(show(&long).into_string().starts_with("<p class=\"text\">&lt;b&gt;"));
    }

    #[test]
    fn a_narrative_costs_no_more_than_its_length() {
        let seconds = |unit: &str, chars: usize| {
            let text = unit.repeat(chars / unit.len());
            let began = std::time::Instant::now();
            std::hint::black_box(show(&text));
            began.elapsed().as_secs_f64()
        };
        for unit in [
            "*", "_a", "[", "![", "[a](", "`", "``a", "<", "<a", "&", "- ", "> ", "#", "\\", "]", "*a_ ", "[a]: b\n",
            "a\n",
        ] {
            // Other programs on the machine may make one of them slow, but not all.
            let is_linear = || {
                let whole = seconds(unit, MAX_NARRATIVE_CHARS);
                whole < 0.05 || whole < seconds(unit, MAX_NARRATIVE_CHARS / 2) * 3.0
            };
            assert!((0..20).any(|_| is_linear()), "{unit:?} costs more than its length");
        }
    }

    #[test]
    fn a_narrative_stays_as_it_was_sent() {
        let mut violations = Violations::default();
        let text = "    code\n\n<https://a.test> <b>x</b> \n";
        assert_eq!(optional_narrative(&mut violations, "narrative", Some(text)).as_deref(), Some(text));
        assert_eq!(optional_narrative(&mut violations, "narrative", Some(" \n")), None);
        assert!(violations.require_none().is_ok());
        let mut violations = Violations::default();
        let long = "*".repeat(MAX_NARRATIVE_CHARS + 1);
        assert_eq!(optional_narrative(&mut violations, "narrative", Some(&long)), None);
        assert!(violations.require_none().is_err());
    }
}
