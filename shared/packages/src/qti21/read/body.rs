//! The text of an item, without its interactions.

use crate::html;
use crate::xml::{Element, Node};

/// The elements in which students answer.
pub(super) const INTERACTIONS: [&str; 20] = [
    "choiceInteraction",
    "inlineChoiceInteraction",
    "textEntryInteraction",
    "extendedTextInteraction",
    "matchInteraction",
    "orderInteraction",
    "uploadInteraction",
    "selectPointInteraction",
    "hotspotInteraction",
    "gapMatchInteraction",
    "associateInteraction",
    "hottextInteraction",
    "sliderInteraction",
    "mediaInteraction",
    "drawingInteraction",
    "graphicAssociateInteraction",
    "graphicGapMatchInteraction",
    "graphicOrderInteraction",
    "endAttemptInteraction",
    "customInteraction",
];

/// The interactions of an item.
pub(super) fn interactions(item: &Element) -> Vec<&Element> {
    let body = item.first("itemBody");
    let all = body.into_iter().flat_map(Element::descendants);
    all.filter(|element| INTERACTIONS.contains(&element.name.as_str())).collect()
}

/// Elements that show something even where nothing stands in them.
const MEDIA: [&str; 5] = ["audio", "embed", "iframe", "object", "video"];

/// The content of an element as HTML.
pub(super) fn content(own: &Element) -> String {
    let nodes = unwrapped(&own.children);
    match own.find("object").next() {
        Some(_) => html::of(&with_media(nodes)),
        None => html::of(nodes),
    }
}

/// The nodes with the elements of HTML in the place of objects, which QTI has for all kinds of media.
fn with_media(nodes: &[Node]) -> Vec<Node> {
    let node = |node: &Node| match node {
        Node::Element(object) if object.name == "object" => Node::Element(medium(object)),
        Node::Element(own) => {
            let (name, attributes) = (own.name.clone(), own.attributes.clone());
            Node::Element(Element { name, attributes, children: with_media(&own.children) })
        }
        text @ Node::Text(_) => text.clone(),
    };
    nodes.iter().map(node).collect()
}

/// An object as what its type says that it is; one of another type is a link to it.
fn medium(object: &Element) -> Element {
    let attribute = |name: &str| object.attribute(name).unwrap_or_default().trim();
    let (kind, address, text) = (attribute("type").to_ascii_lowercase(), attribute("data"), object.content());
    let sized = |element: Element| {
        let sizes = ["width", "height"].into_iter().filter_map(|name| Some((name, object.attribute(name)?)));
        sizes.fold(element, |element, (name, size)| element.with(name, size))
    };
    match kind.split('/').next().unwrap_or_default() {
        "video" => sized(Element::new("video").with("controls", "").with("src", address)),
        "audio" => Element::new("audio").with("controls", "").with("src", address),
        "image" => sized(Element::new("img").with("src", address).with("alt", text)),
        _ if kind == "text/html" || (kind.is_empty() && address.starts_with("https://")) => {
            sized(Element::new("iframe").with("src", address))
        }
        _ => {
            let name = address.rsplit('/').next().unwrap_or_default();
            Element::new("a").with("href", address).text(if text.is_empty() { name } else { &text })
        }
    }
}

/// A `div` without attributes that holds all there is has no meaning of its own.
fn unwrapped(nodes: &[Node]) -> &[Node] {
    let mut something = nodes.iter().filter(|node| !matches!(node, Node::Text(text) if text.trim().is_empty()));
    match (something.next(), something.next()) {
        (Some(Node::Element(only)), None) if only.name == "div" && only.attributes.is_empty() => {
            unwrapped(&only.children)
        }
        _ => nodes,
    }
}

/// The number of prompts that an item has at most: each is looked for in the whole text.
const MAX_PROMPTS: usize = 20;

/// The text of an item as HTML. `replace` gives what stands in the place of an interaction or a variable in a line.
pub(super) fn text(item: &Element, replace: &dyn Fn(&Element) -> Option<String>) -> String {
    let Some(body) = item.first("itemBody") else { return String::new() };
    let text = Element { children: kept_nodes(&refs(&body.children), replace), ..Element::default() };
    let prompts = interactions(item).into_iter().filter_map(|own| own.first("prompt")).take(MAX_PROMPTS);
    // Some tools say the same twice.
    let said = text.content();
    let is_new = |prompt: &&Element| !prompt.content().is_empty() && !said.contains(&prompt.content());
    let prompts: Vec<_> = prompts.filter(is_new).map(content).collect();
    match content(&text) {
        text if prompts.is_empty() => text,
        text => format!("{text}<p>{}</p>", prompts.join("</p><p>")),
    }
}

fn kept_nodes(nodes: &[&Node], replace: &dyn Fn(&Element) -> Option<String>) -> Vec<Node> {
    let mut kept: Vec<Node> = Vec::new();
    for node in nodes {
        match node {
            Node::Text(text) => push_text(&mut kept, text),
            Node::Element(own) => {
                let is_interaction = INTERACTIONS.contains(&own.name.as_str());
                match replace(own) {
                    Some(text) => push_text(&mut kept, &text),
                    None if own.name == "gapMatchInteraction" => {
                        let blocks: Vec<_> = own.children.iter().filter(|node| !is_gap_choice(node)).collect();
                        kept.extend(self::kept_nodes(&blocks, replace));
                    }
                    None if is_interaction || NOT_FOR_STUDENTS.contains(&own.name.as_str()) => {}
                    None => {
                        let children = self::kept_nodes(&refs(&own.children), replace);
                        // A block that held nothing but an interaction has nothing to say.
                        let is_medium = MEDIA.contains(&own.name.as_str());
                        if !children.is_empty() || own.children.is_empty() || is_medium {
                            let (name, attributes) = (own.name.clone(), own.attributes.clone());
                            kept.push(Node::Element(Element { name, attributes, children }));
                        }
                    }
                }
            }
        }
    }
    let is_blank = kept.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()));
    if is_blank { Vec::new() } else { kept }
}

fn refs(nodes: &[Node]) -> Vec<&Node> {
    nodes.iter().collect()
}

const NOT_FOR_STUDENTS: [&str; 5] = ["rubricBlock", "feedbackBlock", "feedbackInline", "templateBlock", "stylesheet"];

fn is_gap_choice(node: &Node) -> bool {
    matches!(node, Node::Element(own) if ["gapText", "gapImg", "prompt"].contains(&own.name.as_str()))
}

fn push_text(nodes: &mut Vec<Node>, text: &str) {
    match nodes.last_mut() {
        Some(Node::Text(own)) => own.push_str(text),
        _ => nodes.push(Node::Text(text.to_owned())),
    }
}
