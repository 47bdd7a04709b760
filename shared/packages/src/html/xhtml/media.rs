//! Video, sound and frames: QTI 2.1 has one element for all of them, which says of what type it is.

use crate::xml::{Element, Node};

/// The elements of HTML for which QTI 2.1 has `object`.
pub(super) const MEDIA: [&str; 3] = ["audio", "iframe", "video"];

const SOURCES: &str = "of video and sound only the first source is written, without subtitles and still picture";
const NO_PLACE: &str =
    "images, video, sound or frames that have no address, or stand where QTI 2.1 takes none, are left out";

/// The medium as an object, without what stands in it; `None` if it has no address.
pub(super) fn object(medium: &Element, children: &[Node]) -> Option<Element> {
    let (address, told_type) = first_source(medium, children)?;
    let told_type = told_type.filter(|own| own.starts_with(&format!("{}/", medium.name)) && is_media_type(own));
    let media_type = told_type.unwrap_or_else(|| media_type(&medium.name, address));
    let object = Element::new("object").with("type", media_type).with("data", address);
    let kept = ["class", "width", "height"].into_iter();
    Some(kept.fold(object, |object, name| object.with_some(name, medium.attribute(name))))
}

/// The address that is loaded first, and its type where a source says it.
fn first_source<'e>(medium: &'e Element, children: &'e [Node]) -> Option<(&'e str, Option<&'e str>)> {
    let of = |own: &'e Element| own.attribute("src").filter(|address| super::is_kept("src", address));
    let source = |node: &'e Node| match node {
        Node::Element(own) if own.name == "source" => Some((of(own)?, own.attribute("type"))),
        _ => None,
    };
    of(medium).map(|address| (address, None)).or_else(|| children.iter().find_map(source))
}

/// True for a type without parameters, as QTI takes it.
fn is_media_type(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-+.".contains(&byte);
    text.split_once('/').is_some_and(|(_, subtype)| !subtype.is_empty() && subtype.bytes().all(is_plain))
}

/// The type that the end of the address tells; that of most video or sound where it tells none.
fn media_type(name: &str, address: &str) -> &'static str {
    let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    match (name, path.rsplit_once('.').map(|(_, suffix)| suffix)) {
        ("iframe", _) => "text/html",
        ("video", Some("webm")) => "video/webm",
        ("video", Some("ogv" | "ogg")) => "video/ogg",
        ("video", Some("mov")) => "video/quicktime",
        ("video", _) => "video/mp4",
        (_, Some("m4a" | "mp4")) => "audio/mp4",
        (_, Some("oga" | "ogg" | "opus")) => "audio/ogg",
        (_, Some("wav")) => "audio/wav",
        (_, Some("webm")) => "audio/webm",
        (_, Some("flac")) => "audio/flac",
        _ => "audio/mpeg",
    }
}

/// Media that a text has, and the parts of them that QTI 2.1 has no words for.
#[derive(Default)]
pub(super) struct Count {
    media: usize,
    /// Those of the media that may have several sources, and the sources that there are.
    played: usize,
    sources: usize,
    has_more: bool,
}

impl Count {
    /// Counts an element of HTML, whether or not it is kept.
    pub(super) fn add(&mut self, element: &Element) {
        let sources = usize::from(element.attribute("src").is_some());
        match element.name.as_str() {
            "img" | "iframe" => self.media += 1,
            "audio" | "video" => {
                self.media += 1;
                self.played += 1;
                self.sources += sources;
                self.has_more |= element.attribute("poster").is_some();
            }
            "source" => self.sources += sources,
            "track" => self.has_more = true,
            _ => {}
        }
    }

    /// The losses in words, where this is what of the text is written.
    pub(super) fn losses(&self, written: &[Node]) -> Vec<&'static str> {
        let mut losses = Vec::new();
        if shown(written) < self.media {
            losses.push(NO_PLACE);
        }
        if self.has_more || self.sources > self.played {
            losses.push(SOURCES);
        }
        losses
    }
}

fn shown(nodes: &[Node]) -> usize {
    let elements = nodes.iter().filter_map(|node| match node {
        Node::Element(element) => Some(element),
        Node::Text(_) => None,
    });
    let all = elements.flat_map(Element::descendants);
    all.filter(|element| ["img", "object"].contains(&element.name.as_str())).count()
}
