//! SVG: a badge is baked in as the first element of the picture. An element that can do something or fetch something is
//! refused; what else is not known to only show something is left out.

use std::io::{self, Write};

use bytes::Bytes;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesCData, BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use quick_xml::writer::Writer;
use svg_hush::Filter;
use svg_hush::data_url_filter::{DataUrl, DataUrlFilterResult};

use crate::images::{MAX_IMAGE_BYTES, css};

const SVG: &str = "http://www.w3.org/2000/svg";
const OPEN_BADGES: &str = "http://openbadges.org";
const PREFIX: &str = "xmlns:openbadges";
const ELEMENT: &str = "openbadges:assertion";
const NO_IMAGE: &str = "Image must be PNG or SVG.";

const MAX_DEPTH: usize = 64;
const MAX_ELEMENTS: usize = 20_000;
/// Each element is read with all names of spaces that hold for it.
const MAX_NAMESPACES: usize = 32;
/// The most bytes of a cleaned picture, which is indented.
const MAX_CLEAN_BYTES: usize = 2 * MAX_IMAGE_BYTES;

/// Elements that run, embed or fetch.
const ACTIVE: [&str; 10] =
    ["script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "listener", "link"];
/// Attributes that hold an address as it is.
const ADDRESSES: [&str; 5] = ["href", "src", "base", "color-profile", "arcrole"];
/// Attributes that hold words of the author, which nobody reads as a style.
const NAMES: [&str; 3] = ["id", "class", "name"];

/// The picture with nothing in it but what shows something, or what is wrong with it. No reference leads out of it.
pub(crate) fn clean(bytes: &[u8]) -> Result<Bytes, String> {
    let text = std::str::from_utf8(bytes).map_err(|_not_text| NO_IMAGE.to_owned())?;
    check(text)?;
    let mut filter = Filter::new();
    filter.set_data_url_filter(only_pictures);
    let mut cleaned = Bounded(Vec::with_capacity(bytes.len()));
    filter.filter(bytes, &mut cleaned).map_err(|error| format!("{NO_IMAGE} {error}"))?;
    let cleaned = Bytes::from(cleaned.0);
    // The parts that were left out may have changed what the rest means.
    check(std::str::from_utf8(&cleaned).map_err(|_not_text| NO_IMAGE.to_owned())?)?;
    Ok(cleaned)
}

fn only_pictures(url: &DataUrl<'_>) -> DataUrlFilterResult {
    let kind = url.mime_type();
    match kind.type_ == "image" && ["png", "jpeg", "gif", "webp"].contains(&kind.subtype.as_str()) {
        true => DataUrlFilterResult::Keep,
        false => DataUrlFilterResult::Drop,
    }
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > MAX_CLEAN_BYTES {
            return Err(io::Error::other("The SVG is too large."));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state of a picture that is read from its beginning.
#[derive(Default)]
struct Progress {
    depth: usize,
    elements: usize,
    namespaces: usize,
    /// The style sheet that is being read, and how deep it stands.
    style: Option<(usize, String)>,
}

/// Checks that it is a picture that only shows itself; an error tells what is wrong with it.
fn check(text: &str) -> Result<(), String> {
    let mut reader = NsReader::from_str(text);
    let mut progress = Progress::default();
    loop {
        let wrong = |error: quick_xml::Error| format!("{NO_IMAGE} {error}.");
        let (namespace, event) = reader.read_resolved_event().map_err(wrong)?;
        match event {
            Event::Start(element) => {
                progress.begin(&namespace, &element)?;
                progress.depth = progress.depth.saturating_add(1);
                if progress.depth > MAX_DEPTH {
                    return Err("The SVG is nested too deeply.".to_owned());
                }
                if progress.style.is_none() && element.local_name().as_ref().eq_ignore_ascii_case("style") {
                    progress.style = Some((progress.depth, String::new()));
                }
            }
            Event::Empty(element) => progress.begin(&namespace, &element)?,
            Event::End(_) => progress.end()?,
            Event::DocType(_) => return Err("The SVG must have no document type.".to_owned()),
            Event::PI(_) => return Err("The SVG must have no processing instructions.".to_owned()),
            Event::Text(text) if progress.depth == 0 && !text.trim().is_empty() => return Err(NO_IMAGE.to_owned()),
            Event::CData(_) | Event::GeneralRef(_) if progress.depth == 0 => return Err(NO_IMAGE.to_owned()),
            Event::Text(text) => progress.text(&text),
            Event::CData(text) => progress.text(&text),
            Event::GeneralRef(reference) => progress.text(&resolved(&reference)?),
            Event::Eof if progress.elements > 0 && progress.depth == 0 => return Ok(()),
            Event::Eof => return Err(NO_IMAGE.to_owned()),
            _ => {}
        }
    }
}

fn resolved(reference: &BytesRef<'_>) -> Result<String, String> {
    let unknown = || format!("{NO_IMAGE} It has an entity that nobody knows.");
    if let Some(c) = reference.resolve_char_ref().map_err(|_no_character| unknown())? {
        return Ok(c.to_string());
    }
    let text = quick_xml::escape::resolve_xml_entity(reference).ok_or_else(unknown)?;
    Ok(text.to_owned())
}

impl Progress {
    fn begin(&mut self, namespace: &ResolveResult<'_>, element: &BytesStart<'_>) -> Result<(), String> {
        let is_svg = matches!(namespace, ResolveResult::Bound(name) if name.as_ref() == SVG);
        let is_root = is_svg && self.elements == 0 && element.local_name().as_ref() == "svg";
        if self.depth == 0 && !is_root {
            return Err(NO_IMAGE.to_owned());
        }
        self.elements = self.elements.saturating_add(1);
        self.namespaces = self.namespaces.saturating_add(is_harmless(element)?);
        if self.elements > MAX_ELEMENTS || self.namespaces > MAX_NAMESPACES {
            return Err("The SVG has too many elements.".to_owned());
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some((_, style)) = &mut self.style {
            style.push_str(text);
        }
    }

    fn end(&mut self) -> Result<(), String> {
        if let Some((_, style)) = self.style.take_if(|(depth, _)| *depth == self.depth) {
            css::check(&style)?;
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }
}

/// The number of names of spaces that the element declares, if it does nothing and refers to nothing else.
fn is_harmless(element: &BytesStart<'_>) -> Result<usize, String> {
    let name = element.local_name().as_ref().to_ascii_lowercase();
    if ACTIVE.contains(&name.as_str()) {
        return Err(format!("The SVG must have no element {name}."));
    }
    let mut namespaces: usize = 0;
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| format!("{NO_IMAGE} {error}."))?;
        if attribute.key.as_namespace_binding().is_some() {
            namespaces = namespaces.saturating_add(1);
            continue;
        }
        let name = attribute.key.local_name().as_ref().to_ascii_lowercase();
        if name.starts_with("on") {
            return Err(format!("The SVG must have no attribute {name}."));
        }
        let value = unescape(&attribute.value).map_err(|error| format!("{NO_IMAGE} {error}."))?;
        let value = value.trim();
        let is_address = ADDRESSES.contains(&name.as_str());
        let animates_an_address = name == "attributename" && ADDRESSES.iter().any(|address| value.ends_with(address));
        if (is_address && !css::stays_inside(value)) || animates_an_address {
            return Err(css::REFERS.to_owned());
        }
        let is_name = NAMES.contains(&name.as_str()) || name.starts_with("data-") || name.starts_with("aria-");
        // Attributes of other spaces show nothing.
        if !is_address && !is_name && attribute.key.prefix().is_none() {
            css::check(value)?;
        }
    }
    Ok(namespaces)
}

/// The picture with that text baked in, in place of what was baked in before. `id` names the assertion.
pub(crate) fn bake(image: &Bytes, id: &str, text: &str) -> Result<Bytes, String> {
    let source = std::str::from_utf8(image).map_err(|error| error.to_string())?;
    let wrong = |error: quick_xml::Error| error.to_string();
    let mut reader = NsReader::from_str(source);
    let mut writer = Writer::new(Vec::with_capacity(source.len().saturating_add(text.len())));
    let (mut baked, mut skipped) = (false, 0_usize);
    loop {
        let (namespace, event) = reader.read_resolved_event().map_err(wrong)?;
        let ours = matches!(namespace, ResolveResult::Bound(name) if name.as_ref() == OPEN_BADGES);
        let write = |writer: &mut Writer<Vec<u8>>, event: Event<'_>| {
            writer.write_event(event).map_err(|error| error.to_string())
        };
        match event {
            Event::Eof => return Ok(writer.into_inner().into()),
            Event::Start(_) if skipped > 0 || ours => skipped = skipped.saturating_add(1),
            Event::End(_) if skipped > 0 => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            Event::Empty(_) if ours => {}
            Event::Start(root) if !baked => {
                baked = true;
                write(&mut writer, Event::Start(with_namespace(&root)?))?;
                write_assertion(&mut writer, id, text)?;
            }
            Event::Empty(root) if !baked => {
                baked = true;
                let root = with_namespace(&root)?;
                let end = root.to_end().into_owned();
                write(&mut writer, Event::Start(root))?;
                write_assertion(&mut writer, id, text)?;
                write(&mut writer, Event::End(end))?;
            }
            event => write(&mut writer, event)?,
        }
    }
}

fn with_namespace(root: &BytesStart<'_>) -> Result<BytesStart<'static>, String> {
    let has = root.try_get_attribute(PREFIX).map_err(|error| error.to_string())?.is_some();
    let mut root = root.to_owned();
    if !has {
        root.push_attribute((PREFIX, "http://openbadges.org"));
    }
    Ok(root)
}

fn write_assertion(writer: &mut Writer<Vec<u8>>, id: &str, text: &str) -> Result<(), String> {
    // The end of the section can only stand inside a text of JSON, where it can be written otherwise.
    let text = text.replace("]]>", "]]\\u003e");
    let element = writer.create_element(ELEMENT).with_attribute(("verify", id));
    element.write_cdata_content(BytesCData::new(text)).map(drop).map_err(|error| error.to_string())
}

/// The text that is baked into the picture: JSON, a signed text, or an address.
pub(crate) fn unbake(image: &[u8]) -> Option<String> {
    let mut reader = NsReader::from_str(std::str::from_utf8(image).ok()?);
    let (mut verify, mut text, mut inside) = (None, String::new(), false);
    loop {
        let (namespace, event) = reader.read_resolved_event().ok()?;
        let ours = matches!(namespace, ResolveResult::Bound(name) if name.as_ref() == OPEN_BADGES);
        match event {
            Event::Start(ref element) | Event::Empty(ref element) if ours && !inside => {
                let value = element.try_get_attribute("verify").ok()??;
                verify = Some(unescape(&value.value).ok()?.into_owned());
                if matches!(event, Event::Empty(_)) {
                    return verify;
                }
                inside = true;
            }
            Event::CData(part) if inside => text.push_str(&part),
            Event::Text(part) if inside => text.push_str(&unescape(&part).ok()?),
            Event::End(_) if inside => {
                return if text.trim().is_empty() { verify } else { Some(text.trim().to_owned()) };
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = r##"<?xml version="1.0"?><!-- a leaf --><svg xmlns="http://www.w3.org/2000/svg" width="9"><use href="#a"/></svg>"##;

    #[test]
    fn what_is_baked_in_can_be_read_and_replaced() {
        let picture = clean(PICTURE.as_bytes()).unwrap();
        let json = r#"{"a":"]]>é"}"#;
        let baked = bake(&picture, "https://a.test/1?x&y", json).unwrap();
        check(std::str::from_utf8(&baked).unwrap()).unwrap();
        let text = std::str::from_utf8(&baked).unwrap();
        assert!(text.contains(r#"<openbadges:assertion verify="https://a.test/1?x&amp;y"><![CDATA["#), "{text}");
        let read: serde_json::Value = serde_json::from_str(&unbake(&baked).unwrap()).unwrap();
        assert_eq!(read["a"], "]]>é");
        assert_eq!(bake(&baked, "https://a.test/1?x&y", json).unwrap(), baked);
        assert_eq!(unbake(PICTURE.as_bytes()), None);
        let empty = Bytes::from_static(br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#);
        assert_eq!(unbake(&bake(&empty, "x", "{}").unwrap()).as_deref(), Some("{}"));
        assert_eq!(unbake(&clean(&baked).unwrap()), None, "what was baked in before is left out");
    }

    fn svg(inner: &str) -> String {
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>"#)
    }

    #[test]
    fn pictures_that_do_something_are_refused() {
        for bad in [
            svg("<script>x()</script>"),
            svg("<g onload='x()'/>"),
            svg("<foreignObject/>"),
            svg("<image href='https://a.test/x.png'/>"),
            svg("<image href='x.png'/>"),
            svg("<a xlink:href='javascript:x()'/>"),
            svg(&"<g>".repeat(100)),
            svg(&"<g/>".repeat(20_001)),
            svg("<g>"),
            format!("<!DOCTYPE svg [<!ENTITY a 'b'>]>{}", svg("&a;")),
            format!("<?xml-stylesheet href='x'?>{}", svg("")),
            format!("{}{}", svg(""), svg("")),
            "<svg/>".to_owned(),
            "<html xmlns='http://www.w3.org/1999/xhtml'/>".to_owned(),
            "GIF89a".to_owned(),
            String::new(),
        ] {
            assert!(clean(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(clean(b"\xff\xd8\xff").is_err());
    }

    #[test]
    fn pictures_that_refer_to_something_else_are_refused() {
        for bad in [
            "<style>@import url(https://evil.test/a.css)</style>",
            "<style><![CDATA[@import 'https://evil.test/a.css';]]></style>",
            "<style>@font-face { font-family: x; src: url(https://evil.test/a.woff) }</style>",
            "<style>svg { background: image-set('https://evil.test/a.png' 1x) }</style>",
            "<style>rect { fill: u\\72l(https://evil.test/a.png) }</style>",
            "<style>rect { fill: ur&#108;(https://evil.test/a.png) }</style>",
            "<style>rect { fill: url( \"//evil.test/a.png\" ) }</style>",
            "<rect style='fill:url(https://evil.test/a.svg#b)'/>",
            "<rect style='fill:URL(a.svg#b)'/>",
            "<rect fill='url(https://evil.test/a.svg#b)'/>",
            "<rect fill='url(&#104;ttps://evil.test/a.svg#b)'/>",
            "<rect mask='url(https://evil.test/a.svg#b)' filter='url(//evil.test/a.svg#b)'/>",
            "<image href='#'><set attributeName='href' to='https://evil.test/x.png'/></image>",
            "<a href='#'><animate attributeName='xlink:href' values='javascript:alert(1)'/></a>",
            "<g xml:base='https://evil.test/'/>",
            "<img xmlns='http://www.w3.org/1999/xhtml' src='https://evil.test/x.png'/>",
            "<image href='data:image/svg+xml;base64,PHN2Zy8+'/>",
            "<image href='data:text/html,x'/>",
        ] {
            assert!(clean(svg(bad).as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_no_xml_is_refused() {
        for bad in [
            svg("&foo;"),
            svg("\0"),
            svg("<g a='1' a='2'/>"),
            svg("<g a=1/>"),
            svg("<g></h>"),
            format!("<![CDATA[x]]>{}", svg("")),
            format!("<!-- a -- b -->{}", svg("")),
            format!("{} &amp;", svg("")),
        ] {
            assert!(clean(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_shows_something_stays_and_all_else_is_left_out() {
        let cleaned = |inner: &str| String::from_utf8(clean(svg(inner).as_bytes()).unwrap().to_vec()).unwrap();
        let shown = [
            "<style>.a { fill: rgb(1, 2, 3) } @media (min-width: 9px) { .a { fill: url(#b) } }</style>",
            "<path d='M0 0L9 9' transform='rotate(45) scale(2)' class='a'/>",
            "<linearGradient id='b'><stop offset='0' stop-color='hsl(9 9% 9%)'/></linearGradient>",
            "<image href='data:image/png;base64,AAAA'/>",
            "<text data-name='Layer (1)'>A &lt; B</text>",
            "<animate attributeName='fill' values='red;blue'/>",
        ];
        for (shown, word) in
            shown.into_iter().zip(["url(#b)", "rotate(45)", "hsl(", "base64,AAAA", "A &lt; B", "red;blue"])
        {
            assert!(cleaned(shown).contains(word), "{shown}: {}", cleaned(shown));
        }
        let left = cleaned(
            "<metadata><x:y xmlns:x='urn:x'>z</x:y></metadata>
             <form xmlns='http://www.w3.org/1999/xhtml' action='https://evil.test'/>
             <meta xmlns='http://www.w3.org/1999/xhtml' content='0;url=https://evil.test'/><unknown/>",
        );
        for word in ["metadata", "form", "meta", "evil", "unknown"] {
            assert!(!left.contains(word), "{word}: {left}");
        }
        assert_eq!(clean(&clean(PICTURE.as_bytes()).unwrap()).unwrap(), clean(PICTURE.as_bytes()).unwrap());
    }

    #[test]
    fn the_largest_pictures_are_read_in_time() {
        let namespaces: String = (0..MAX_NAMESPACES).map(|n| format!(" xmlns:a{n}='urn:{n}'")).collect();
        for inner in [
            format!("<g{namespaces}>{}</g>", "<g/>".repeat(19_000)),
            format!("<style>{}</style>", "a(".repeat(400_000)),
            format!("<style>{}</style>", "url(#".repeat(150_000)),
            format!("<g style='{}'/>", "(".repeat(900_000)),
            "<g><g><g><g><g><g><g><g>".repeat(7) + &"<g/>".repeat(19_000),
        ] {
            let began = std::time::Instant::now();
            let outcome = clean(svg(&inner).as_bytes());
            // Each takes a fraction of a second, and what looks again and again takes minutes.
            assert!(began.elapsed().as_secs() < 20, "{outcome:?} after {:?}", began.elapsed());
        }
    }
}
