//! Rich text: the HTML that authors write, without what would run or load in the browser of whoever reads it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;

/// The most bytes of a rich text. What a parser does may grow with the square of its input: areas refuse what is longer.
pub const LONGEST: usize = 64 * 1024;

/// The most nodes that a parser may make of the elements that it opens again, and the most steps that it may take through
/// those that are not closed. No author's text comes near this.
const MOST_REOPENED: usize = 200_000;
const MOST_STEPS: usize = 40_000_000;
/// More than can be written whole, as `&lt;`.
const MOST_REFERENCES: usize = LONGEST / 4;

/// Elements that a parser opens again in every paragraph until they are closed.
const REOPENED: [&str; 12] = ["b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"];

const MATH: [&str; 30] = [
    "annotation",
    "math",
    "menclose",
    "mfenced",
    "mfrac",
    "mi",
    "mlabeledtr",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "semantics",
];

/// None of them takes an address.
const STYLE_PROPERTIES: [&str; 44] = [
    "background-color",
    "border",
    "border-bottom",
    "border-collapse",
    "border-color",
    "border-left",
    "border-radius",
    "border-right",
    "border-spacing",
    "border-style",
    "border-top",
    "border-width",
    "clear",
    "color",
    "direction",
    "display",
    "float",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-height",
    "max-width",
    "min-height",
    "min-width",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "text-align",
    "text-decoration",
    "text-indent",
    "vertical-align",
    "width",
];

static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut sanitizer = Builder::default();
    sanitizer
        .add_tags(MATH)
        .add_tags(["big", "font", "section", "tfoot"])
        .add_generic_attributes(["class", "dir", "role", "style"])
        .add_generic_attribute_prefixes(["aria-"])
        .add_tag_attributes("a", ["target"])
        .add_tag_attributes("font", ["color", "face", "size"])
        .add_tag_attributes("img", ["data-equation-content"])
        .add_tag_attributes("ol", ["type"])
        .add_tag_attributes("span", ["id"])
        .add_tag_attributes("table", ["border", "cellpadding", "cellspacing", "width"])
        .add_tag_attributes("th", ["scope"])
        .add_tag_attributes("math", ["display", "xmlns"])
        .add_tag_attributes("annotation", ["encoding"])
        .filter_style_properties(HashSet::from(STYLE_PROPERTIES))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel"]))
        .link_rel(None)
        .attribute_filter(|element, attribute, value| {
            is_kept(element, attribute, value).then_some(Cow::Borrowed(value))
        });
    sanitizer
});

/// The HTML without scripts, event handlers, frames, and addresses that run something. What would keep a parser busy for
/// long becomes plain text.
pub fn sanitize(html: &str) -> String {
    if !html.contains(['<', '>', '&']) {
        return html.to_owned();
    }
    if html.len() > LONGEST || is_costly(html) {
        return ammonia::clean_text(html);
    }
    SANITIZER.clean(html).to_string()
}

fn is_kept(element: &str, attribute: &str, value: &str) -> bool {
    match (element, attribute) {
        // The places of the blanks in the sentence of a question.
        ("span", "id") => value.starts_with("blank_"),
        ("img", "src") => !is_plain_http(value),
        _ => true,
    }
}

/// Browsers pass over white space in an address.
fn is_plain_http(address: &str) -> bool {
    let scheme: String = address.chars().filter(|c| !c.is_ascii_control() && *c != ' ').take(5).collect();
    scheme.eq_ignore_ascii_case("http:")
}

fn is_costly(html: &str) -> bool {
    let tags = || html.split('<').skip(1);
    let (all, ends) = (tags().count(), tags().filter(|tag| tag.starts_with('/')).count());
    let references = html.matches('&').count();
    let kinds: HashSet<_> = tags().filter_map(|tag| tag.split('>').next()).filter(|tag| is_reopened(tag)).collect();
    // Of each kind up to three are opened again, at any tag.
    references > MOST_REFERENCES
        || all.saturating_mul(3 * kinds.len()) > MOST_REOPENED
        || all.saturating_mul(all.saturating_sub(2 * ends)) > MOST_STEPS
}

fn is_reopened(tag: &str) -> bool {
    let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    REOPENED.iter().any(|reopened| name.eq_ignore_ascii_case(reopened))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_content_needs_is_kept_as_it_is() {
        let kept = [
            "plain text with `back-ticks`",
            "<h2>Leaves</h2><p class=\"intro\">Oak <strong>and</strong> elm</p>",
            "<ul><li>one</li><li>two</li></ul>",
            "<table border=\"1\"><thead><tr><th scope=\"col\">a</th></tr></thead><tbody><tr><td colspan=\"2\">b</td></tr></tbody></table>",
            "<img src=\"/courses/1/files/2/preview\" alt=\"a leaf\">",
            "<img src=\"https://media.example/leaf.png\" alt=\"a leaf\" width=\"10\">",
            "<img class=\"equation_image\" src=\"/equation_images/x\" data-equation-content=\"x^2\">",
            "<a href=\"https://example.org/?a=1&amp;b=2\" target=\"_blank\">more</a>",
            "<p>The <span id=\"blank_5e0c\"></span> orbits</p>",
            "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><msup><mi>x</mi><mn>2</mn></msup></math>",
        ];
        for html in kept {
            assert_eq!(sanitize(html), html);
        }
        assert_eq!(sanitize("<p style=\"color: red; position: fixed\">x</p>"), "<p style=\"color:red\">x</p>");
    }

    #[test]
    fn what_runs_or_loads_is_gone() {
        let cases = [
            ("a<script>alert(1)</script>b", "ab"),
            ("<p onclick=\"alert(1)\">x</p>", "<p>x</p>"),
            ("<img src=x onerror=alert(1)>", "<img src=\"x\">"),
            ("<a href=\"javascript:alert(1)\">x</a>", "<a>x</a>"),
            ("<a href=\" jAvA\tscript:alert(1)\">x</a>", "<a>x</a>"),
            ("<img src=\"http://tracker.example/1.gif\">", "<img>"),
            ("<img src=\" HT\tTP://tracker.example/1.gif\">", "<img>"),
            ("<img src=\"data:text/html,x\">", "<img>"),
            ("<iframe src=\"https://example.org\"></iframe>x", "x"),
            ("<object data=x></object><embed src=x><form action=x><input></form>x", "x"),
            ("<span id=\"login\">x</span>", "<span>x</span>"),
            ("<p id=\"blank_1\">x</p>", "<p>x</p>"),
            ("<style>p { color: red }</style>x", "x"),
            ("<p style=\"background: url(https://tracker.example)\">x</p>", "<p style=\"\">x</p>"),
            ("<svg><script>alert(1)</script></svg>x", "x"),
            ("<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>", "<math><mtext></mtext></math>"),
            ("<!-- a comment -->x", "x"),
            ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ];
        for (given, expected) in cases {
            assert_eq!(sanitize(given), expected, "{given}");
        }
    }

    #[test]
    fn it_is_the_same_when_done_twice() {
        let once = sanitize("<p>a<b>c<p>d & e<table><td>f<script>g");
        assert_eq!(sanitize(&once), once);
    }

    #[test]
    fn what_would_keep_a_parser_busy_stays_text() {
        let reopened = (0..3_000).map(|n| format!("<b a={n}>")).chain((0..8_000).map(|_| "<p>x".to_owned()));
        assert!(sanitize(&reopened.collect::<String>()).starts_with("&lt;b&#32;"));
        assert!(sanitize(&"&".repeat(LONGEST)).starts_with("&amp;&amp;"));
        assert!(sanitize(&"<div>".repeat(10_000)).starts_with("&lt;div&gt;"));
        let paragraph = "<p>A <b>long</b> <i>text</i><br></p>";
        let long = paragraph.repeat(LONGEST / paragraph.len());
        assert_eq!(sanitize(&long), long);
        assert!(sanitize(&format!("{long}{paragraph}")).starts_with("&lt;p&gt;"));
    }
}
