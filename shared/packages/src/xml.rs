//! XML as a tree, built and written, or read within limits. Names are read without their prefixes.

use std::io::Write;

use quick_xml::Writer;
use quick_xml::escape::{escape, partial_escape};
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::error::Result;

mod read;

pub(crate) use read::parse;

/// An element with what is in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The element with an attribute more.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.attributes.push((name.to_owned(), value.into()));
        self
    }

    /// The element with an attribute more, if there is a value.
    pub(crate) fn with_some(self, name: &str, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The element with a text more.
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Node::Text(text.into()));
        self
    }

    /// The element with an element more.
    pub(crate) fn child(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    /// The element with elements more.
    pub(crate) fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Node::Element));
        self
    }

    /// The element with elements and texts more.
    pub(crate) fn nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(nodes);
        self
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The elements in it.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The elements of that name in it.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.elements().filter(move |element| element.name == name)
    }

    /// The first element of that name in it.
    pub(crate) fn first(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| element.name == name)
    }

    /// The elements that the names lead to, one level each.
    pub(crate) fn at(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |element, name| element.first(name))
    }

    /// Itself and all elements below it, in the order of the document.
    pub(crate) fn descendants(&self) -> Descendants<'_> {
        Descendants { open: vec![self] }
    }

    /// The elements of that name anywhere below it.
    pub(crate) fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.descendants().filter(move |element| element.name == name)
    }

    /// The elements of that name anywhere below it, but none that is in another of them.
    pub(crate) fn outermost<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        let mut open: Vec<&Self> = self.elements().collect();
        open.reverse();
        std::iter::from_fn(move || {
            loop {
                let element = open.pop()?;
                if element.name == name {
                    return Some(element);
                }
                let from = open.len();
                open.extend(element.elements());
                open.get_mut(from..)?.reverse();
            }
        })
    }

    /// All text in it, white space at its ends left out.
    pub(crate) fn content(&self) -> String {
        let mut content = String::new();
        self.push_content(&mut content);
        content.trim().to_owned()
    }

    /// The text of the element that the names lead to.
    pub(crate) fn content_at(&self, names: &[&str]) -> Option<String> {
        self.at(names).map(Self::content).filter(|content| !content.is_empty())
    }

    fn push_content(&self, content: &mut String) {
        for node in &self.children {
            match node {
                Node::Text(text) => content.push_str(text),
                Node::Element(element) => element.push_content(content),
            }
        }
    }
}

pub(crate) struct Descendants<'a> {
    open: Vec<&'a Element>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = &'a Element;

    fn next(&mut self) -> Option<Self::Item> {
        let element = self.open.pop()?;
        let from = self.open.len();
        self.open.extend(element.elements());
        self.open.get_mut(from..)?.reverse();
        Some(element)
    }
}

/// Writes a document piece by piece.
pub(crate) struct Document<W: Write> {
    writer: Writer<W>,
    open: Vec<String>,
}

impl<W: Write> Document<W> {
    pub(crate) fn new(out: W) -> Result<Self> {
        let mut writer = Writer::new(out);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        Ok(Self { writer, open: Vec::new() })
    }

    /// Writes a start tag; what is written until [`Self::close`] is in the element. `element` has no children yet.
    pub(crate) fn open(&mut self, element: &Element) -> Result<()> {
        self.break_line()?;
        self.writer.write_event(Event::Start(start(element)))?;
        self.open.push(element.name.clone());
        Ok(())
    }

    pub(crate) fn close(&mut self) -> Result<()> {
        if let Some(name) = self.open.pop() {
            self.break_line()?;
            self.writer.write_event(Event::End(BytesEnd::new(name)))?;
        }
        Ok(())
    }

    pub(crate) fn element(&mut self, element: &Element) -> Result<()> {
        self.break_line()?;
        self.write(element, self.open.len(), false)
    }

    /// Closes what is open.
    pub(crate) fn finish(mut self) -> Result<W> {
        while !self.open.is_empty() {
            self.close()?;
        }
        self.writer.write_event(Event::Text(BytesText::from_escaped("\n")))?;
        Ok(self.writer.into_inner())
    }

    fn break_line(&mut self) -> Result<()> {
        self.indent(self.open.len())
    }

    fn indent(&mut self, depth: usize) -> Result<()> {
        let space = format!("\n{}", "  ".repeat(depth));
        Ok(self.writer.write_event(Event::Text(BytesText::from_escaped(space)))?)
    }

    /// `mixed`: white space would be read as text.
    fn write(&mut self, element: &Element, depth: usize, mixed: bool) -> Result<()> {
        if element.children.is_empty() {
            return Ok(self.writer.write_event(Event::Empty(start(element)))?);
        }
        let mixed = mixed || element.children.iter().any(is_in_line);
        self.writer.write_event(Event::Start(start(element)))?;
        for node in &element.children {
            match node {
                Node::Text(text) => {
                    let text = partial_escape(allowed(text)).into_owned();
                    self.writer.write_event(Event::Text(BytesText::from_escaped(text)))?;
                }
                Node::Element(child) => {
                    if !mixed {
                        self.indent(depth + 1)?;
                    }
                    self.write(child, depth + 1, mixed)?;
                }
            }
        }
        if !mixed {
            self.indent(depth)?;
        }
        Ok(self.writer.write_event(Event::End(BytesEnd::new(element.name.as_str())))?)
    }
}

/// An element in a line of text: white space around it would be seen.
fn is_in_line(node: &Node) -> bool {
    const IN_LINE: [&str; 25] = [
        "a",
        "abbr",
        "acronym",
        "b",
        "big",
        "br",
        "cite",
        "code",
        "dfn",
        "em",
        "i",
        "img",
        "kbd",
        "q",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "tt",
        "var",
        "inlineChoiceInteraction",
        "printedVariable",
        "textEntryInteraction",
    ];
    match node {
        Node::Text(_) => true,
        Node::Element(element) => IN_LINE.contains(&element.name.as_str()),
    }
}

/// The whole document.
pub(crate) fn document(root: &Element) -> Result<Vec<u8>> {
    let mut document = Document::new(Vec::new())?;
    document.element(root)?;
    document.finish()
}

fn start(element: &Element) -> BytesStart<'static> {
    let mut content = element.name.clone();
    for (name, value) in &element.attributes {
        let value = escape(allowed(value)).replace('\n', "&#10;").replace('\t', "&#9;");
        content.extend([" ", name, "=\"", &value, "\""]);
    }
    BytesStart::from_content(content, element.name.len())
}

/// The text without the characters that XML cannot say.
fn allowed(text: &str) -> String {
    text.chars().filter(|c| is_allowed(*c)).collect()
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let tree = Element::new("root")
            .with("x", "1 < 2 & \"3\"\n4")
            .child(Element::new("leaf").text("<p>1 &amp; ]]> 2</p>"))
            .child(Element::new("empty"));
        let bytes = document(&tree).unwrap();
        let text = std::str::from_utf8(&bytes).unwrap();
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root x="), "{text}");
        assert!(text.ends_with("\n  <empty/>\n</root>\n"), "{text}");
        let read = parse(&bytes).unwrap();
        assert_eq!(read.attribute("x"), tree.attribute("x"));
        assert_eq!(read.content_at(&["leaf"]).as_deref(), Some("<p>1 &amp; ]]> 2</p>"));
    }

    #[test]
    fn white_space_is_kept_where_it_is_text() {
        let tree = Element::new("a").child(Element::new("p").text("x ").child(Element::new("b").text("y")).text(" z"));
        let text = String::from_utf8(document(&tree).unwrap()).unwrap();
        assert!(text.contains("<p>x <b>y</b> z</p>"), "{text}");
        let bold = |text: &str| Element::new("b").text(text);
        let tree = Element::new("a").child(Element::new("p").child(bold("x")).child(bold("y")));
        let text = String::from_utf8(document(&tree).unwrap()).unwrap();
        assert!(text.contains("\n  <p><b>x</b><b>y</b></p>\n"), "{text}");
    }

    #[test]
    fn what_xml_cannot_say_is_left_out() {
        let text = String::from_utf8(document(&Element::new("a").text("x\0\u{b}\u{fffe}y")).unwrap()).unwrap();
        assert!(text.contains("<a>xy</a>"), "{text}");
    }

    #[test]
    fn an_element_in_another_of_its_name_is_not_outermost() {
        let tree = parse(b"<a><b id='1'><b id='2'/></b><c><b id='3'/></c><b id='4'/></a>").unwrap();
        let ids: Vec<_> = tree.outermost("b").filter_map(|element| element.attribute("id")).collect();
        assert_eq!(ids, ["1", "3", "4"]);
    }

    #[test]
    fn elements_below_come_in_their_order() {
        let tree = parse(b"<a><b><c/></b><c/><d><c/></d></a>").unwrap();
        let names: Vec<_> = tree.descendants().map(|element| element.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "c", "d", "c"]);
        assert_eq!(tree.find("c").count(), 3);
    }
}
