//! Rich text: the HTML that authors write, without what would run or load in the browser of whoever reads it.

mod attributes;
mod bounded;
mod frames;
mod parse_cost;

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use ammonia::Builder;
pub use frames::{read_frame_hosts, set_frame_hosts};

/// The most bytes of a rich text, as it is sent and as it is kept.
pub const MAX_BYTES: usize = 128 * 1024;

/// Why a text is not taken. As a sentence it has no subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has more bytes than [`MAX_BYTES`], or would have when all its elements are closed.
    TooLong,
    /// So many of its elements are open at once that reading it takes long.
    TooDeep,
    /// One run of its text has so many characters that are escaped that writing it takes long.
    TooDense,
}

impl Refusal {
    /// The rule, in one word.
    pub fn code(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::TooDeep => "too_deep",
            Self::TooDense => "too_dense",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "is too long (maximum is {MAX_BYTES} bytes)"),
            Self::TooDeep => f.write_str("is nested too deeply"),
            Self::TooDense => f.write_str("has too many special characters without an element between them"),
        }
    }
}

impl std::error::Error for Refusal {}

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
        .add_tags(["audio", "big", "font", "iframe", "section", "source", "tfoot", "track", "video"])
        .add_generic_attributes(["class", "dir", "id", "role", "style"])
        .add_generic_attribute_prefixes(["aria-"])
        .add_tag_attributes("a", ["target"])
        .add_tag_attributes("audio", ["controls", "loop", "muted", "preload", "src"])
        .add_tag_attributes("font", ["color", "face", "size"])
        .add_tag_attributes("iframe", ["allowfullscreen", "height", "loading", "src", "width"])
        .add_tag_attributes("img", ["data-equation-content"])
        .add_tag_attributes("ol", ["type"])
        .add_tag_attributes("table", ["border", "cellpadding", "cellspacing", "width"])
        .add_tag_attributes("source", ["src", "type"])
        .add_tag_attributes("th", ["scope"])
        .add_tag_attributes("track", ["default", "kind", "label", "src", "srclang"])
        .add_tag_attributes(
            "video",
            ["controls", "height", "loop", "muted", "playsinline", "poster", "preload", "src", "width"],
        )
        .add_tag_attributes("math", ["display", "xmlns"])
        .add_tag_attributes("annotation", ["encoding"])
        .filter_style_properties(HashSet::from(STYLE_PROPERTIES))
        .set_tag_attribute_value("iframe", "sandbox", frames::SANDBOX)
        .url_schemes(HashSet::from(["data", "http", "https", "mailto", "tel"]))
        .link_rel(None)
        .attribute_filter(attributes::kept);
    sanitizer
});

/// The HTML without scripts, event handlers, frames of hosts that are not allowed, and addresses that run something. HTML
/// that is kept is taken again.
pub fn sanitize(html: &str) -> Result<String, Refusal> {
    if html.len() > MAX_BYTES {
        return Err(Refusal::TooLong);
    }
    if !html.contains(['<', '>', '&']) {
        return Ok(html.to_owned());
    }
    if !parse_cost::is_small(html) {
        return Err(Refusal::TooDeep);
    }
    let clean = frames::emptied(bounded::html(&SANITIZER.clean(html), longest_run(html))?);
    if !bounded::is_sparse(&clean, longest_run(&clean)) {
        return Err(Refusal::TooDense);
    }
    if parse_cost::is_small(&clean) { Ok(clean) } else { Err(Refusal::TooDeep) }
}

/// The most bytes of a run of its text. No character reference is shorter than what it stands for, and the
/// frequent ones are longer wherever they are read as such.
fn longest_run(html: &str) -> usize {
    const SAVED: [(&str, usize); 5] = [("&amp;", 4), ("&nbsp;", 4), ("&lt;", 3), ("&gt;", 3), ("&quot;", 5)];
    if parse_cost::has_raw_text(html) {
        return html.len();
    }
    let saved = SAVED.iter().map(|(reference, saved)| html.matches(reference).count() * saved);
    html.len() - saved.sum::<usize>()
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
            "<video controls=\"\" poster=\"/courses/1/files/3/preview\"><source src=\"/courses/1/files/2/preview\" \
             type=\"video/mp4\"><track kind=\"captions\" src=\"/courses/1/files/4/preview\" srclang=\"en\"></video>",
            "<audio controls=\"\" src=\"https://media.example/lark.mp3\"></audio>",
            "<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"a leaf\">",
            "<h3 id=\"content_roots\">Roots</h3><a href=\"#content_roots\">to the roots</a>",
        ];
        for html in kept {
            assert_eq!(sanitize(html).unwrap(), html);
        }
        assert_eq!(sanitize("<p style=\"color: red; position: fixed\">x</p>").unwrap(), "<p style=\"color:red\">x</p>");
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
            ("<img src=\"data:image/svg+xml;base64,PHN2Zz4=\">", "<img>"),
            ("<img src=\"data:image/png,x\">", "<img>"),
            ("<img src=\" d\tata:image/png;base64,AAAA\">", "<img>"),
            ("<a href=\"data:text/html,x\">x</a>", "<a>x</a>"),
            ("<a href=\"data:image/png;base64,AAAA\">x</a>", "<a>x</a>"),
            ("<video src=\"data:video/mp4;base64,AAAA\" autoplay></video>", "<video></video>"),
            ("<audio><source src=\"http://tracker.example/1.mp3\"></audio>", "<audio><source></audio>"),
            ("<video poster=\"http://tracker.example/1.gif\"></video>", "<video></video>"),
            ("<iframe src=\"https://example.org\"></iframe>x", "x"),
            ("<iframe srcdoc=\"<script>alert(1)</script>\"><b>no frames</b></iframe>x", "x"),
            ("<object data=x></object><embed src=x><form action=x><input></form>x", "x"),
            ("<span id=\"login\">x</span>", "<span id=\"content_login\">x</span>"),
            ("<p id=\"blank_1\">x</p>", "<p id=\"content_blank_1\">x</p>"),
            ("<style>p { color: red }</style>x", "x"),
            ("<p style=\"background: url(https://tracker.example)\">x</p>", "<p style=\"\">x</p>"),
            ("<svg><script>alert(1)</script></svg>x", "x"),
            ("<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>", "<math><mtext></mtext></math>"),
            ("<!-- a comment -->x", "x"),
            ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
        ];
        for (given, expected) in cases {
            assert_eq!(sanitize(given).unwrap(), expected, "{given}");
        }
    }

    fn numbered(count: usize, piece: impl Fn(usize) -> String) -> String {
        (0..count).map(piece).collect()
    }

    #[test]
    fn frames_of_allowed_hosts_are_kept_in_a_sandbox() {
        set_frame_hosts("frames.example, *.tube.example, own.example:8443");
        let framed =
            |src: &str| sanitize(&format!("<p>a</p><iframe src=\"{src}\" onload=\"x()\">no <b>frames</b></iframe>b"));
        let kept = |src: &str| format!("<p>a</p><iframe src=\"{src}\" sandbox=\"{}\"></iframe>b", frames::SANDBOX);
        let allowed = [
            "https://frames.example/embed/1",
            "https://FRAMES.example",
            "https://www.tube.example/watch?v=1",
            "https://own.example:8443/x",
        ];
        for src in allowed {
            let once = framed(src).unwrap();
            assert_eq!(once, kept(src));
            assert_eq!(sanitize(&once).unwrap(), once);
        }
        let others = [
            "http://frames.example/",
            "//frames.example/",
            "/courses/1/files/2/preview",
            "https://frames.example:8443/",
            "https://other.example/",
            "https://tube.example/",
            "https://nottube.example/",
            "https://frames.example@other.example/",
            "https://user@frames.example/",
            "https://other.example\\@frames.example/",
            "https:frames.example",
            "https:///frames.example/",
            "https://frames%2Eexample/",
            "https://fra\tmes.example/",
            "javascript:alert(1)",
            "data:text/html,x",
        ];
        for src in others {
            assert_eq!(framed(src).unwrap(), "<p>a</p>b", "{src}");
        }
        let wide =
            "<iframe src=\"https://frames.example/\" sandbox=\"allow-top-navigation\" allow=\"camera\"></iframe>";
        let narrow = format!("<iframe src=\"https://frames.example/\" sandbox=\"{}\"></iframe>", frames::SANDBOX);
        assert_eq!(sanitize(wide).unwrap(), narrow);
        set_frame_hosts("");
        assert_eq!(sanitize(&narrow).unwrap(), "");
    }

    #[test]
    fn an_empty_frame_makes_nothing_of_a_text_uncertain() {
        set_frame_hosts("frames.example");
        let frame = format!("<iframe src=\"https://frames.example/\" sandbox=\"{}\"></iframe>", frames::SANDBOX);
        let formula = "<math><mi>x</mi></math>";
        let words = numbered(1_500, |n| format!("<p><b>word</b> {n}</p>"));
        let text = format!("{frame}{formula}{words}{frame}");
        assert_eq!(sanitize(&text).unwrap(), text);
    }

    #[test]
    fn ids_and_what_refers_to_them_change_together() {
        let cases = [
            (
                "<h2 id=\"a.b\">x</h2><a href=\"#a.b\">y</a>",
                "<h2 id=\"content_a.b\">x</h2><a href=\"#content_a.b\">y</a>",
            ),
            ("<p aria-describedby=\"a blank_1 'b\">x</p>", "<p aria-describedby=\"content_a blank_1\">x</p>"),
            ("<p aria-label=\"a\" aria-b<script=\"c\">x</p>", "<p aria-label=\"a\">x</p>"),
            ("<td headers=\"x\">", ""),
            ("<p id=\"\">x</p><p id=\"content_\">x</p><p id=\"a b\">x</p>", "<p>x</p><p>x</p><p>x</p>"),
            ("<a href=\"#\">top</a><a href=\"#a b\">x</a>", "<a href=\"#\">top</a><a>x</a>"),
        ];
        for (given, expected) in cases {
            let once = sanitize(given).unwrap();
            assert_eq!(once, expected, "{given}");
            assert_eq!(sanitize(&once).unwrap(), once);
        }
        let long = format!("<p id=\"{}\">x</p>", "a".repeat(101));
        assert_eq!(sanitize(&long).unwrap(), "<p>x</p>");
        let longest = sanitize(&format!("<p id=\"{}\">x</p>", "a".repeat(100))).unwrap();
        assert_eq!(sanitize(&longest).unwrap(), longest);
    }

    #[test]
    fn images_within_the_text_have_a_size() {
        let image = |bytes: usize| format!("<img src=\"data:image/webp;base64,{}\">", "A".repeat(bytes));
        let small = image(50_000);
        assert_eq!(sanitize(&small).unwrap(), small);
        assert_eq!(sanitize(&image(70_000)).unwrap(), "<img>");
    }

    #[test]
    fn it_is_the_same_when_done_twice() {
        let once = sanitize("<p>a<b>c<p>d & e<table><td>f<script>g").unwrap();
        assert_eq!(sanitize(&once).unwrap(), once);
    }

    #[test]
    fn long_texts_of_authors_are_kept_and_taken_again() {
        let fonts = numbered(200, |n| format!("<font color=\"#{n:06}\">word</font>"));
        let strong = |n| format!("<p><strong style=\"color:#0000{:02}\">A</strong> paragraph of it</p>", n % 60);
        let rows = numbered(860, |n| format!("<tr><td>row {n}<td>second<td>third<td>and the fourth"));
        let texts = [
            format!("<p>{fonts}</p>"),
            numbered(600, strong),
            format!("<style>p {{ color: red }}</style><!-- pasted --><iframe></iframe>{}", numbered(600, strong)),
            "word<br>".repeat(6_500),
            format!("<table>{rows}</table>"),
            "&".repeat(20_000),
            numbered(2_000, |n| format!("<p>A <b>long <i>text</b> that</i> goes on, {n}<br></p>")),
            numbered(2_000, |n| format!("<li><a href=\"/courses/{n}\">no end")),
            numbered(2_000, |_| "<p><b>left open</p>".to_owned()),
        ];
        for text in texts {
            let kept = sanitize(&text).unwrap();
            assert!(!kept.contains("&lt;"), "{kept}");
            assert_eq!(sanitize(&kept).unwrap(), kept);
        }
        let kept = "<p>A <b>long</b> <i>text</i><br></p>".repeat(3_000);
        assert_eq!(sanitize(&kept).unwrap(), kept);
        assert_eq!(sanitize(&format!("<p>{fonts}</p>")).unwrap(), format!("<p>{fonts}</p>"));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let message = "is too long (maximum is 131072 bytes)";
        let grows = "<p>&</p>".repeat(MAX_BYTES / 8);
        for text in ["x".repeat(MAX_BYTES + 1), grows, "<p>A</p>".repeat(MAX_BYTES / 8 + 1)] {
            assert_eq!(sanitize(&text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn what_would_keep_a_parser_busy_is_refused() {
        let left_open = numbered(3_000, |n| format!("<b a={n}>"));
        let texts = [
            "<div>".repeat(10_000),
            format!("{left_open}{}", "<p>x".repeat(8_000)),
            // End tags that are none.
            numbered(3_000, |n| format!("<b a={n}><!--</b>-->")) + &"<p>x".repeat(8_000),
            numbered(3_000, |n| format!("<b a={n}><i title='></i></b>'>")) + &"<p>x".repeat(8_000),
            numbered(3_000, |n| format!("<b a={n}><style></b></style>")) + &"<p>x".repeat(8_000),
            numbered(1_500, |n| format!("<b a={n}><script><!--<script></b></script>-->")) + &"<p>x".repeat(8_000),
            numbered(3_000, |n| format!("<math><style><b a={n}></b>")) + &"<p>x".repeat(8_000),
            format!("<b{}>", numbered(20_000, |n| format!(" {n:x}"))),
            // Formatting with long attributes that is opened again in each paragraph.
            format!(
                "<p>{}</p>{}",
                format!("<b style='{}'>", "color:red;".repeat(2_000)).repeat(3),
                "<p>x</p>".repeat(6_000)
            ),
        ];
        for text in texts {
            assert_eq!(sanitize(&text), Err(Refusal::TooDeep));
        }
        for text in ["&".repeat(MAX_BYTES - 1), "\u{a3}".repeat(MAX_BYTES / 2 - 1) + "<"] {
            assert_eq!(sanitize(&text), Err(Refusal::TooDense));
        }
    }

    #[test]
    fn what_is_kept_is_taken_again_also_where_it_has_as_many_special_characters_as_it_may() {
        // Quotation marks in an attribute, and elements that are closed only when they are kept.
        let texts = (1..24).map(|n| format!("<p title='{}'>x</p>", "<a b=\"".repeat(n * 250)));
        let open = (1..24).map(|n| format!("{}{}", "<b>".repeat(100), "&".repeat(n * 900)));
        let mut kept = 0;
        for text in texts.chain(open) {
            if let Ok(clean) = sanitize(&text) {
                assert_eq!(sanitize(&clean).as_ref(), Ok(&clean));
                kept += 1;
            }
        }
        assert!(kept > 20, "only {kept} were kept");
    }

    /// The least of several times that sanitizing takes, in seconds.
    fn seconds(text: &str) -> f64 {
        let time = || {
            let began = std::time::Instant::now();
            let _kept_or_refused = std::hint::black_box(sanitize(std::hint::black_box(text)));
            began.elapsed().as_secs_f64()
        };
        std::iter::repeat_with(time).take(3).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn four_times_the_text_takes_about_four_times_the_time() {
        const PIECES: [&str; 24] = [
            "&",
            "&a",
            "&#",
            "&#x",
            "&am",
            "&\"",
            "&nbsp;",
            "\u{a3}&",
            "\u{301}<",
            ">",
            "<a",
            "</",
            "<!",
            "<!--",
            "<![CDATA[",
            "</p>",
            "<br>",
            "</br>",
            "</b>",
            "<b></b>",
            "<i><p></i>",
            "<p title='",
            "<p a=b ",
            "<textarea>",
        ];
        // As much as may be looked at: in a component it takes a seventh of a second, and here whatever this machine needs.
        let dearest = "&amp;".repeat(3_000) + &"x".repeat(MAX_BYTES - 24_000);
        assert!(sanitize(&dearest).is_ok());
        let dearest = seconds(&dearest);
        for piece in PIECES {
            // Only what is escaped may come to that, and what costs little beside it is no measure of anything.
            let most = if piece.contains('&') { 2.0 * dearest } else { dearest / 4.0 };
            // Other work on the machine only ever makes a run longer, so the shortest of many runs count.
            let (mut once, mut more) = (f64::INFINITY, f64::INFINITY);
            let is_in_proportion = (0..10).any(|_| {
                once = once.min(seconds(&piece.repeat(MAX_BYTES / 8 / piece.len())));
                more = more.min(seconds(&piece.repeat(MAX_BYTES / 2 / piece.len())));
                more < most || more < 10.0 * once
            });
            assert!(is_in_proportion, "{piece}: {once} s, four times as much {more} s");
        }
    }
}
