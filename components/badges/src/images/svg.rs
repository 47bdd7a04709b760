//! SVG: a badge is baked in as the first element of the picture. What can do something or fetch something is refused.

use bytes::Bytes;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesCData, BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;
use quick_xml::writer::Writer;

const SVG: &str = "http://www.w3.org/2000/svg";
const OPEN_BADGES: &str = "http://openbadges.org";
const PREFIX: &str = "xmlns:openbadges";
const ELEMENT: &str = "openbadges:assertion";
const DEEPEST: usize = 64;

/// Elements that run, embed or fetch.
const ACTIVE: [&str; 10] =
    ["script", "foreignobject", "iframe", "object", "embed", "audio", "video", "handler", "listener", "link"];

/// Whether it is a picture that only shows itself, or what is wrong with it.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|_not_text| "Image must be PNG or SVG.".to_owned())?;
    let mut reader = NsReader::from_str(text);
    let (mut depth, mut found) = (0_usize, false);
    loop {
        let wrong = |error: quick_xml::Error| format!("Image must be PNG or SVG: {error}.");
        let (namespace, event) = reader.read_resolved_event().map_err(wrong)?;
        match event {
            Event::Start(element) => {
                root(depth, found, &namespace, &element)?;
                found = true;
                depth = depth.saturating_add(1);
                if depth > DEEPEST {
                    return Err("The SVG is nested too deeply.".to_owned());
                }
                is_harmless(&element)?;
            }
            Event::Empty(element) => {
                root(depth, found, &namespace, &element)?;
                found = true;
                is_harmless(&element)?;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::DocType(_) => return Err("The SVG must have no document type.".to_owned()),
            Event::PI(_) => return Err("The SVG must have no processing instructions.".to_owned()),
            Event::Text(text) if depth == 0 && !text.trim().is_empty() => {
                return Err("Image must be PNG or SVG.".to_owned());
            }
            Event::Eof if found && depth == 0 => return Ok(()),
            Event::Eof => return Err("Image must be PNG or SVG.".to_owned()),
            _ => {}
        }
    }
}

fn root(depth: usize, found: bool, namespace: &ResolveResult<'_>, element: &BytesStart<'_>) -> Result<(), String> {
    let is_svg = matches!(namespace, ResolveResult::Bound(name) if name.as_ref() == SVG);
    match depth {
        0 if found || !is_svg || element.local_name().as_ref() != "svg" => Err("Image must be PNG or SVG.".to_owned()),
        _ => Ok(()),
    }
}

fn is_harmless(element: &BytesStart<'_>) -> Result<(), String> {
    let name = element.local_name().as_ref().to_ascii_lowercase();
    if ACTIVE.contains(&name.as_str()) {
        return Err(format!("The SVG must have no element {}.", name));
    }
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| format!("Image must be PNG or SVG: {error}."))?;
        let name = attribute.key.local_name().as_ref().to_ascii_lowercase();
        if name.starts_with("on") {
            return Err(format!("The SVG must have no attribute {}.", name));
        }
        let value = attribute.value.trim();
        if name == "href" && !(value.starts_with('#') || value.starts_with("data:image/")) {
            return Err("The SVG must not refer to other files.".to_owned());
        }
    }
    Ok(())
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
    // What would end the section stands inside a text of JSON, where it can be written otherwise.
    let text = text.replace("]]>", "]]\\u003e");
    let element = writer.create_element(ELEMENT).with_attribute(("verify", id));
    element.write_cdata_content(BytesCData::new(text)).map(drop).map_err(|error| error.to_string())
}

/// What is baked into the picture: JSON, a signed text, or an address.
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

    fn picture() -> Bytes {
        Bytes::from_static(PICTURE.as_bytes())
    }

    #[test]
    fn what_is_baked_in_can_be_read_and_replaced() {
        check(&picture()).unwrap();
        let json = r#"{"a":"]]>é"}"#;
        let baked = bake(&picture(), "https://a.test/1?x&y", json).unwrap();
        check(&baked).unwrap();
        let text = std::str::from_utf8(&baked).unwrap();
        assert!(text.contains(r#"<openbadges:assertion verify="https://a.test/1?x&amp;y"><![CDATA["#), "{text}");
        assert!(text.starts_with(r#"<?xml version="1.0"?><!-- a leaf --><svg"#), "{text}");
        let read: serde_json::Value = serde_json::from_str(&unbake(&baked).unwrap()).unwrap();
        assert_eq!(read["a"], "]]>é");
        assert_eq!(bake(&baked, "https://a.test/1?x&y", json).unwrap(), baked);
        assert_eq!(unbake(PICTURE.as_bytes()), None);
        let empty = Bytes::from_static(br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#);
        assert_eq!(unbake(&bake(&empty, "x", "{}").unwrap()).as_deref(), Some("{}"));
    }

    #[test]
    fn pictures_that_do_something_are_refused() {
        let svg = |inner: &str| format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>"#);
        for bad in [
            svg("<script>x()</script>"),
            svg("<g onload='x()'/>"),
            svg("<foreignObject/>"),
            svg("<image href='https://a.test/x.png'/>"),
            svg("<a xlink:href='javascript:x()'/>"),
            svg(&"<g>".repeat(100)),
            svg("<g>"),
            format!("<!DOCTYPE svg [<!ENTITY a 'b'>]>{}", svg("&a;")),
            format!("<?xml-stylesheet href='x'?>{}", svg("")),
            format!("{}{}", svg(""), svg("")),
            "<svg/>".to_owned(),
            "<html xmlns='http://www.w3.org/1999/xhtml'/>".to_owned(),
            "GIF89a".to_owned(),
            String::new(),
        ] {
            assert!(check(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(check(b"\xff\xd8\xff").is_err());
    }
}
