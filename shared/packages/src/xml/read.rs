//! Reads XML that may have been made to do harm: no entities of its own, nothing from elsewhere, no endless nesting.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Element, Node};
use crate::error::{Error, Result};

/// The most levels of elements.
const MAX_DEPTH: usize = 100;
/// The most attributes of an element: each is compared to all before it.
const MAX_ATTRIBUTES: usize = 200;
/// The most elements, attributes and texts of a document: the tree of that many takes about a hundred megabytes.
const MAX_PARTS: usize = 400_000;

/// The root element of a document.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element> {
    let text = decoded(bytes)?;
    let mut reader = Reader::from_str(&text);
    let mut tree = Tree::default();
    loop {
        match reader.read_event().map_err(|error| invalid_xml(&error))? {
            Event::Start(start) => tree.open(&start)?,
            Event::Empty(start) => {
                tree.open(&start)?;
                tree.close();
            }
            Event::End(_) => tree.close(),
            Event::Text(text) => tree.text(&text.xml10_content())?,
            Event::CData(text) => tree.text(&text.xml10_content())?,
            Event::GeneralRef(reference) => {
                let known = match reference.resolve_char_ref().map_err(|error| invalid_xml(&error))? {
                    Some(c) => c.to_string(),
                    None => named(&reference.xml10_content())?.to_owned(),
                };
                tree.text(&known)?;
            }
            // A document type is passed over: nothing that it names is fetched, and nothing that it defines is known.
            Event::DocType(_) => tree.document_type()?,
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => return tree.root(),
        }
    }
}

#[derive(Default)]
struct Tree {
    open: Vec<Element>,
    root: Option<Element>,
    count: usize,
    has_document_type: bool,
}

impl Tree {
    fn open(&mut self, start: &BytesStart<'_>) -> Result<()> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Error::invalid_package(format!(
                "the XML is nested too deeply (maximum is {MAX_DEPTH} levels)"
            )));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(Error::invalid_package("the XML has more than one root"));
        }
        self.grow()?;
        let mut element = Element::new(start.local_name().as_ref());
        for (number, attribute) in start.attributes().enumerate() {
            if number >= MAX_ATTRIBUTES {
                return Err(Error::invalid_package(format!(
                    "the XML has an element with too many attributes (maximum is {MAX_ATTRIBUTES})"
                )));
            }
            let attribute = attribute.map_err(|error| invalid_xml(&error))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| invalid_xml(&error))?;
            self.grow()?;
            let name = attribute.key.local_name();
            // A declaration of a namespace is none of the element's attributes.
            if attribute.key.as_namespace_binding().is_none() && element.attribute(name.as_ref()).is_none() {
                element = element.with(name.as_ref(), value);
            }
        }
        self.open.push(element);
        Ok(())
    }

    fn document_type(&mut self) -> Result<()> {
        if self.has_document_type || self.root.is_some() || !self.open.is_empty() {
            return Err(Error::invalid_package("the XML has a document type where there may be none"));
        }
        self.has_document_type = true;
        Ok(())
    }

    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(Node::Element(element)),
            None => self.root = Some(element),
        }
    }

    fn text(&mut self, text: &str) -> Result<()> {
        self.grow()?;
        let Some(element) = self.open.last_mut() else { return Ok(()) };
        match element.children.last_mut() {
            Some(Node::Text(own)) => own.push_str(text),
            _ => element.children.push(Node::Text(text.to_owned())),
        }
        Ok(())
    }

    fn grow(&mut self) -> Result<()> {
        self.count += 1;
        match self.count > MAX_PARTS {
            true => Err(Error::invalid_package(format!("the XML has too many parts (maximum is {MAX_PARTS})"))),
            false => Ok(()),
        }
    }

    fn root(self) -> Result<Element> {
        match self.root {
            Some(root) if self.open.is_empty() => Ok(root),
            _ => Err(Error::invalid_package("the XML is not complete")),
        }
    }
}

fn invalid_xml(error: &dyn std::error::Error) -> Error {
    Error::invalid_package(format!("the XML is not well-formed: {error}"))
}

/// The entities that need no document type. Authors' programs also write the space of HTML.
fn named(entity: &str) -> Result<&'static str> {
    match entity {
        "amp" => Ok("&"),
        "lt" => Ok("<"),
        "gt" => Ok(">"),
        "quot" => Ok("\""),
        "apos" => Ok("'"),
        "nbsp" => Ok("\u{a0}"),
        _ => Err(Error::invalid_package("the XML has an entity that is not defined")),
    }
}

/// The text of the document, whatever it is encoded in.
fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>> {
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) {
        let rest = bytes.get(length..).unwrap_or_default();
        return text(encoding, rest);
    }
    let head: String = bytes.iter().take(200).map(|byte| char::from(*byte)).collect();
    let declared = head.split_once("encoding").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
    let encoding = declared.filter(|_| head.starts_with("<?xml"));
    let encoding = encoding.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    text(encoding.unwrap_or(encoding_rs::UTF_8), bytes)
}

fn text<'b>(encoding: &'static encoding_rs::Encoding, bytes: &'b [u8]) -> Result<Cow<'b, str>> {
    encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .ok_or_else(|| Error::invalid_package("the XML is not in the encoding that it declares"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_prefixes_and_namespaces() {
        let root = parse(b"<q:a xmlns:q='urn:q' xmlns='urn:r' xml:lang='en' q:x='1'><q:b/></q:a>").unwrap();
        assert_eq!(root.name, "a");
        assert_eq!(root.attributes, [("lang".to_owned(), "en".to_owned()), ("x".to_owned(), "1".to_owned())]);
        assert!(root.first("b").is_some());
    }

    #[test]
    fn text_is_read_in_all_its_forms() {
        let root = parse(b"<a>1 &lt; <![CDATA[<b>&amp;</b>]]> &#228;&#x41;&nbsp;</a>").unwrap();
        assert_eq!(root.children, [Node::Text("1 < <b>&amp;</b> \u{e4}A\u{a0}".to_owned())]);
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>";
        assert_eq!(parse(latin).unwrap().content(), "\u{e4}");
        let wide: Vec<u8> = "\u{feff}<a>\u{e4}</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(parse(&wide).unwrap().content(), "\u{e4}");
    }

    #[test]
    fn a_document_type_is_passed_over() {
        for kind in [
            "<!DOCTYPE a SYSTEM \"ims_qtiasiv1p2p1.dtd\">",
            "<!DOCTYPE a PUBLIC \"-//X//DTD > [x] //EN\" 'http://x.test/a.dtd'>",
            "<!DOCTYPE a>",
            "<!DOCTYPE a [<!ELEMENT a (#PCDATA)><!-- ]> --><!ENTITY x 'y>]'><!ATTLIST a b CDATA 'c'>]>",
        ] {
            let root = parse(format!("<?xml version='1.0'?>\n{kind}\n<a>1 &lt; 2</a>").as_bytes()).unwrap();
            assert_eq!(root.content(), "1 < 2", "{kind}");
            assert!(root.attributes.is_empty(), "no default of the document type counts");
        }
    }

    #[test]
    fn what_would_do_harm_is_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY x \"xxxx\"><!ENTITY y \"&x;&x;\">]><a>&y;</a>";
        let file = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
        let deep = "<a>".repeat(MAX_DEPTH + 1);
        let wide = format!("<a>{}</a>", "<b/>".repeat(MAX_PARTS));
        let attributes: String = (0..=MAX_ATTRIBUTES).map(|number| format!(" x{number}=''")).collect();
        let crowded = format!("<a{attributes}/>");
        let parameter = "<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://x.test/a.dtd\"> %x;]><a>&y;</a>";
        let cases = [
            (bomb, "not defined"),
            (file, "not defined"),
            (parameter, "not defined"),
            ("<!DOCTYPE a SYSTEM \"http://x.test/a.dtd\"><a>&x;</a>", "not defined"),
            ("<!DOCTYPE a [<!ENTITY x 'y'>]><a b='&x;'/>", "not well-formed"),
            ("<!DOCTYPE a><!DOCTYPE a><a/>", "where there may be none"),
            ("<a><!DOCTYPE a></a>", "where there may be none"),
            ("<a/><!DOCTYPE a>", "where there may be none"),
            ("<!DOCTYPE a [<!ENTITY x 'y'>", "not well-formed"),
            ("<a>&x;</a>", "not defined"),
            ("<a x='&x;'/>", "not well-formed"),
            (&deep, "nested too deeply"),
            (&wide, "too many parts"),
            (&crowded, "too many attributes"),
            ("<a><b></a>", "not well-formed"),
            ("<a>", "not complete"),
            ("", "not complete"),
            ("<a/><a/>", "more than one root"),
            ("<a x='1' x='2'/>", "not well-formed"),
        ];
        for (text, reason) in cases {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.is_refusal() && error.to_string().contains(reason), "{reason}: {error}");
        }
        assert!(parse(b"<a>\xff</a>").unwrap_err().to_string().contains("encoding"));
    }
}
