//! HTML as the XHTML that QTI 2.1 knows: fewer elements, each only where it may stand.

mod media;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use ammonia::Builder;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::links::{Link, Links};
use crate::xml::{Element, Node};

const BLOCK: [&str; 17] = [
    "address",
    "blockquote",
    "div",
    "dl",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "ol",
    "p",
    "pre",
    "table",
    "ul",
    "li",
];
const INLINE: [&str; 24] = [
    "a", "abbr", "acronym", "b", "big", "br", "cite", "code", "dfn", "em", "i", "img", "kbd", "q", "samp", "small",
    "span", "strong", "sub", "sup", "tt", "var", "dt", "dd",
];
const TABLE: [&str; 7] = ["caption", "tbody", "td", "tfoot", "th", "thead", "tr"];
const VOID: [&str; 5] = ["br", "hr", "img", "source", "track"];
/// Text that is nested more deeply loses its elements.
const MAX_DEPTH: usize = 60;
/// In it, only text that keeps its white space.
const NOT_IN_PRE: [&str; 6] = ["big", "img", "object", "small", "sub", "sup"];

/// HTML as QTI 2.1 can say it.
pub(crate) struct Xhtml {
    /// Nodes that may stand in a `div`.
    pub(crate) nodes: Vec<Node>,
    /// What is lost, in words.
    pub(crate) losses: Vec<&'static str>,
}

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    cleaner
        .tags([&BLOCK[..], &INLINE, &TABLE, &media::MEDIA, &["source", "track"]].concat().into_iter().collect())
        .clean_content_tags(HashSet::from(["script", "style"]))
        .generic_attributes(HashSet::from(["class"]))
        .add_tag_attributes("a", ["href"])
        .add_tag_attributes("audio", ["src"])
        .add_tag_attributes("iframe", ["src", "width", "height"])
        .add_tag_attributes("img", ["src", "alt", "width", "height"])
        .add_tag_attributes("source", ["src", "type"])
        .add_tag_attributes("td", ["colspan", "rowspan"])
        .add_tag_attributes("th", ["colspan", "rowspan"])
        .add_tag_attributes("video", ["src", "poster", "width", "height"])
        .url_schemes(HashSet::from(["data", "http", "https", "mailto", "tel"]))
        .attribute_filter(|element, _, value| (element == "img" || !is_data(value)).then(|| value.into()))
        .link_rel(None);
    cleaner
});

/// The elements that may stand at a place.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Text, and what stands in a line.
    Inline,
    /// That, and paragraphs, lists and tables.
    Flow,
}

/// True for an address that is the content itself.
fn is_data(address: &str) -> bool {
    address.get(.."data:".len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// The HTML as XHTML; addresses of files of the package are those seen from a folder in it.
pub(crate) fn of(html: &str, links: &Links<'_>) -> Xhtml {
    let html = super::map_addresses(html, &mut |address| links(address).map(Link::relative));
    let plain = replaced(&html, "math", |_, formula| {
        // The same in another notation is left out.
        let formula = formula.split_once("<annotation").map_or(formula, |(formula, _)| formula);
        super::escaped(&super::plain(formula))
    });
    let clean = CLEANER.clean(&plain).to_string();
    // Text in a frame is not escaped, and no browser shows it.
    let clean = replaced(&clean, "iframe", |attributes, _| format!("<iframe{attributes}></iframe>"));
    let mut count = media::Count::default();
    let nodes = placed(tree(&clean, &mut count), Place::Flow);
    let mut losses = count.losses(&nodes);
    if matches!(plain, Cow::Owned(_)) {
        losses.push("MathML is written as plain text");
    }
    Xhtml { nodes, losses }
}

/// The HTML with something else in the place of each element of a name, made of its attributes and of what stands in it.
fn replaced<'h>(html: &'h str, name: &str, by: impl Fn(&str, &str) -> String) -> Cow<'h, str> {
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    if !html.contains(&start) {
        return Cow::Borrowed(html);
    }
    let mut done = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, element)) = rest.split_once(&start) {
        let (element, after) = element.split_once(&end).unwrap_or((element, ""));
        let (attributes, content) = element.split_once('>').unwrap_or((element, ""));
        done.extend([before, &by(attributes, content)]);
        rest = after;
    }
    done.push_str(rest);
    Cow::Owned(done)
}

/// The nodes of clean HTML, in which only the elements without content are left open.
fn tree(html: &str, count: &mut media::Count) -> Vec<Node> {
    let mut reader = Reader::from_str(html);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut open = vec![Element::default()];
    let mut flattened = 0_usize;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) => {
                let element = element(&start);
                count.add(&element);
                let is_void = VOID.contains(&element.name.as_str());
                let is_deep = open.len() > MAX_DEPTH;
                match open.last_mut() {
                    Some(parent) if is_void => parent.children.push(Node::Element(element)),
                    _ if is_deep => flattened += 1,
                    _ => open.push(element),
                }
            }
            Event::End(_) if flattened > 0 => flattened -= 1,
            Event::End(_) => close(&mut open),
            Event::Text(text) => push_text(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                push_text(&mut open, &super::unescaped(&format!("&{};", reference.xml10_content())))
            }
            Event::Eof => break,
            _ => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|root| root.children).unwrap_or_default()
}

fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(element) = open.pop()
        && let Some(parent) = open.last_mut()
    {
        parent.children.push(Node::Element(element));
    }
}

fn push_text(open: &mut [Element], text: &str) {
    let Some(element) = open.last_mut() else { return };
    match element.children.last_mut() {
        Some(Node::Text(own)) => own.push_str(text),
        _ => element.children.push(Node::Text(text.to_owned())),
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let attributes = start
        .html_attributes()
        .flatten()
        .map(|attribute| (attribute.key.as_ref().to_owned(), super::unescaped(&attribute.value)));
    Element { attributes: attributes.collect(), ..Element::new(start.name().as_ref()) }
}

fn placed(nodes: Vec<Node>, place: Place) -> Vec<Node> {
    nodes.into_iter().flat_map(|node| placed_node(node, place)).collect()
}

/// The node if it may stand there, or what of it may.
fn placed_node(node: Node, place: Place) -> Vec<Node> {
    let Node::Element(mut element) = node else { return vec![node] };
    let children = std::mem::take(&mut element.children);
    let is_block = BLOCK.contains(&element.name.as_str());
    if place == Place::Inline && (is_block || TABLE.contains(&element.name.as_str())) {
        return placed(children, Place::Inline);
    }
    element.attributes.retain(|(name, value)| is_kept(name, value));
    match element.name.as_str() {
        "br" | "hr" => vec![Node::Element(element)],
        "img" if element.attribute("src").is_none() => Vec::new(),
        "img" => {
            if element.attribute("alt").is_none() {
                element = element.with("alt", "");
            }
            vec![Node::Element(element)]
        }
        "ol" | "ul" => vec![Node::Element(element.children(items(children, &["li"], "li")))],
        "dl" => vec![Node::Element(element.children(items(children, &["dt", "dd"], "dd")))],
        "table" => table(element, children).into_iter().map(Node::Element).collect(),
        "blockquote" => vec![Node::Element(element.child(Element::new("div").nodes(placed(children, Place::Flow))))],
        "div" => vec![Node::Element(element.nodes(placed(children, Place::Flow)))],
        "pre" => vec![Node::Element(element.nodes(without(placed(children, Place::Inline), &NOT_IN_PRE)))],
        "address" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" => {
            vec![Node::Element(element.nodes(placed(children, Place::Inline)))]
        }
        name if media::MEDIA.contains(&name) => {
            media::object(&element, &children).into_iter().map(Node::Element).collect()
        }
        // An element that stands alone stands in nothing.
        "source" | "track" => Vec::new(),
        "li" | "dt" | "dd" => placed(children, place),
        name if TABLE.contains(&name) => placed(children, place),
        "a" if element.attribute("href").is_none() => placed(children, place),
        _ if place == Place::Flow && children.iter().any(has_block) => placed(children, place),
        _ => vec![Node::Element(element.nodes(placed(children, Place::Inline)))],
    }
}

fn is_kept(name: &str, value: &str) -> bool {
    let is_length = |value: &str| {
        let digits = value.strip_suffix('%').unwrap_or(value);
        !digits.is_empty() && digits.len() < 6 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match name {
        "width" | "height" => is_length(value),
        "colspan" | "rowspan" => value.parse::<u16>().is_ok(),
        "class" => !value.trim().is_empty(),
        "href" | "src" => !value.trim().is_empty() && !value.contains(char::is_whitespace),
        _ => true,
    }
}

fn has_block(node: &Node) -> bool {
    let Node::Element(element) = node else { return false };
    let name = element.name.as_str();
    BLOCK.contains(&name) || TABLE.contains(&name) || element.children.iter().any(has_block)
}

/// The entries of a list; what is none of them becomes one, unless it is nothing but white space.
fn items(children: Vec<Node>, names: &[&str], wrapper: &str) -> Vec<Element> {
    let item = |node: Node| match node {
        Node::Element(mut element) if names.contains(&element.name.as_str()) => {
            let place = if element.name == "dt" { Place::Inline } else { Place::Flow };
            element.attributes.retain(|(name, value)| is_kept(name, value));
            let children = std::mem::take(&mut element.children);
            Some(element.nodes(placed(children, place)))
        }
        Node::Text(text) if text.trim().is_empty() => None,
        other => Some(Element::new(wrapper).nodes(placed_node(other, Place::Flow))),
    };
    children.into_iter().filter_map(item).collect()
}

/// The table with its parts in their order; `None` if it has no cells.
fn table(element: Element, children: Vec<Node>) -> Option<Element> {
    let mut caption = None;
    let (mut head, mut foot, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
    for child in children {
        let Node::Element(mut part) = child else { continue };
        let nodes = std::mem::take(&mut part.children);
        match part.name.as_str() {
            "caption" => caption = Some(Element::new("caption").nodes(placed(nodes, Place::Inline))),
            "thead" => head.extend(rows(nodes)),
            "tfoot" => foot.extend(rows(nodes)),
            "tr" => bodies.push(rows(vec![Node::Element(part.nodes(nodes))])),
            _ => bodies.push(rows(nodes)),
        }
    }
    bodies.retain(|rows| !rows.is_empty());
    if bodies.is_empty() {
        // A table has a body, whatever else it has.
        let only = [&mut head, &mut foot].into_iter().map(std::mem::take).find(|rows| !rows.is_empty())?;
        bodies.push(only);
    }
    let part = |name: &str, rows: Vec<Element>| (!rows.is_empty()).then(|| Element::new(name).children(rows));
    Some(
        element
            .children(caption)
            .children(part("thead", head))
            .children(part("tfoot", foot))
            .children(bodies.into_iter().map(|rows| Element::new("tbody").children(rows))),
    )
}

fn rows(nodes: Vec<Node>) -> Vec<Element> {
    let row = |node: Node| {
        let Node::Element(row) = node else { return None };
        let cell = |node: Node| match node {
            Node::Element(mut cell) if cell.name == "td" || cell.name == "th" => {
                cell.attributes.retain(|(name, value)| is_kept(name, value));
                let children = std::mem::take(&mut cell.children);
                Some(cell.nodes(placed(children, Place::Flow)))
            }
            _ => None,
        };
        let cells: Vec<_> = row.children.into_iter().filter_map(cell).collect();
        (row.name == "tr" && !cells.is_empty()).then(|| Element::new("tr").children(cells))
    };
    nodes.into_iter().filter_map(row).collect()
}

fn without(nodes: Vec<Node>, names: &[&str]) -> Vec<Node> {
    let kept = |node: Node| match node {
        Node::Element(mut element) => {
            let children = without(std::mem::take(&mut element.children), names);
            match names.contains(&element.name.as_str()) {
                true => children,
                false => vec![Node::Element(element.nodes(children))],
            }
        }
        text @ Node::Text(_) => vec![text],
    };
    nodes.into_iter().flat_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::Opening;
    use crate::xml::document;

    fn links(address: &str) -> Option<Link> {
        (address == "/files/1").then(|| Link::File("media/a b.png".to_owned(), Opening::default()))
    }

    fn losses(html: &str) -> Vec<&'static str> {
        of(html, &links).losses
    }

    fn xhtml(html: &str) -> String {
        let root = Element::new("div").nodes(of(html, &links).nodes);
        let text = String::from_utf8(document(&root).unwrap()).unwrap();
        text.split_once("?>\n").unwrap().1.trim().to_owned()
    }

    #[test]
    fn what_qti_knows_stays() {
        let cases = [
            ("1 < 2 & 3", "<div>1 &lt; 2 &amp; 3</div>"),
            ("<p>a<br>b&nbsp;<b class=\"x\">c</b></p>", "<div>\n  <p>a<br/>b\u{a0}<b class=\"x\">c</b></p>\n</div>"),
            ("x<img src=\"/files/1\" width=\"10px\">", "<div>x<img src=\"../media/a%20b.png\" alt=\"\"/></div>"),
            ("x<ul><li>1<li>2</ul>", "<div>x<ul><li>1</li><li>2</li></ul></div>"),
        ];
        for (given, expected) in cases {
            assert_eq!(xhtml(given), expected, "{given}");
        }
    }

    #[test]
    fn what_is_nested_deeply_is_flattened() {
        let deep = format!("{}x{}", "<div>".repeat(5_000), "</div>".repeat(5_000));
        let text = xhtml(&format!("{deep}<p>y</p>"));
        assert_eq!(text.matches("<div>").count(), MAX_DEPTH + 1);
        assert!(text.contains('x') && text.contains("<p>y</p>"), "{text}");
    }

    #[test]
    fn what_may_not_stand_there_is_moved_or_unwrapped() {
        let cases = [
            ("x<script>y</script><iframe></iframe><u>z</u>", "<div>xz</div>"),
            ("x<iframe src=y><p>z</iframe>w", "<div>x<object type=\"text/html\" data=\"y\"/>w</div>"),
            ("x<math><msup><mi>y</mi><mn>2</mn></msup><annotation>y^2</annotation></math> z", "<div>xy2 z</div>"),
            ("x<span><div>y</div></span>", "<div>x<div>y</div></div>"),
            ("x<a name=y>z</a>", "<div>xz</div>"),
            ("x<ul>y<li>z</li></ul>", "<div>x<ul><li>y</li><li>z</li></ul></div>"),
            ("x<blockquote>y</blockquote>", "<div>x<blockquote><div>y</div></blockquote></div>"),
            (
                "x<table><thead><tr><th>y</th></tr></thead></table>",
                "<div>x<table><tbody><tr><th>y</th></tr></tbody></table></div>",
            ),
            ("x<table><tr><td>1</td></tr></table>", "<div>x<table><tbody><tr><td>1</td></tr></tbody></table></div>"),
            ("x<table></table>", "<div>x</div>"),
            ("x<img>", "<div>x</div>"),
            ("x<pre>a\n b<sup>2</sup></pre>", "<div>x<pre>a\n b2</pre></div>"),
        ];
        for (given, expected) in cases {
            assert_eq!(xhtml(given), expected, "{given}");
        }
    }

    #[test]
    fn media_become_objects() {
        let cases = [
            (
                "x<video src='/films/1.webm?y=1' width=320 poster=p>y<track src=t></video>",
                "<object type=\"video/webm\" data=\"/films/1.webm?y=1\" width=\"320\"/>",
            ),
            (
                "x<video><source src='https://x.test/1' type='video/ogg'><source src='/2.mp4'></video>",
                "<object type=\"video/ogg\" data=\"https://x.test/1\"/>",
            ),
            ("x<audio><source src=1.wav type='audio/x; y'></audio>", "<object type=\"audio/wav\" data=\"1.wav\"/>"),
            ("x<audio src='/files/1'></audio>", "<object type=\"audio/mpeg\" data=\"../media/a%20b.png\"/>"),
            (
                "x<iframe src='https://x.test/' height=90 sandbox=y></iframe>",
                "<object type=\"text/html\" data=\"https://x.test/\" height=\"90\"/>",
            ),
            ("x<img src='data:image/png;base64,AA=='>", "<img src=\"data:image/png;base64,AA==\" alt=\"\"/>"),
        ];
        for (given, expected) in cases {
            assert_eq!(xhtml(given), format!("<div>x{expected}</div>"), "{given}");
        }
    }

    #[test]
    fn what_is_lost_is_told() {
        let deep = format!("{}<video src=x></video>{}", "<div>".repeat(100), "</div>".repeat(100));
        for lost in ["<pre><video src=x></video></pre>", "<video></video>", "<pre><img src=x></pre>", &deep] {
            assert!(losses(lost).concat().contains("are left out"), "{lost}: {:?}", losses(lost));
        }
        for lost in ["<video src=x poster=y></video>", "<audio><source src=x><source src=y></audio>"] {
            assert!(losses(lost).concat().contains("only the first source"), "{lost}: {:?}", losses(lost));
        }
        assert_eq!(losses("<math><mi>x</mi></math>"), ["MathML is written as plain text"]);
        for kept in [
            "<p><video src=x></video> <img src=y></p>",
            "<video><source src=x></video><audio src=y></audio>",
            "<iframe src='https://x.test/'></iframe>",
            "<b>x</b>",
        ] {
            assert!(losses(kept).is_empty(), "{kept}: {:?}", losses(kept));
        }
    }
}
