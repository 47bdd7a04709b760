//! Comments as they are typed into a page, which knows paragraphs and lines alone.

/// The HTML of what was typed.
pub(crate) fn paragraphs(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let blocks = escaped.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.trim().is_empty());
    blocks.map(|block| format!("<p>{}</p>", block.replace('\n', "<br>"))).collect()
}

/// What was typed for that HTML; `None` where it has more than paragraphs and lines.
pub(crate) fn typed(html: &str) -> Option<String> {
    let text = html.replace("</p><p>", "\n\n").replace("</p>\n<p>", "\n\n").replace("<br>", "\n");
    let bare = text.trim();
    let bare = bare.strip_prefix("<p>").and_then(|inner| inner.strip_suffix("</p>")).unwrap_or(bare);
    if bare.contains('<') {
        return None;
    }
    let references = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", "\u{a0}"), ("&amp;", "&")];
    Some(references.iter().fold(bare.to_owned(), |text, (reference, sign)| text.replace(reference, sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_comes_back() {
        for text in ["Good.", "One line\nand another\n\nA paragraph", "a < b & c > d", "&lt;"] {
            assert_eq!(typed(&paragraphs(text)).as_deref(), Some(text));
        }
        assert_eq!(paragraphs("a\n\n\n\nb"), "<p>a</p><p>b</p>");
        assert_eq!(typed("Plain &amp; simple").as_deref(), Some("Plain & simple"));
    }

    #[test]
    fn a_comment_with_more_than_paragraphs_was_not_typed() {
        assert_eq!(typed("<p>See <b>this</b>.</p>"), None);
        assert_eq!(typed("<ul><li>One</li></ul>"), None);
    }
}
