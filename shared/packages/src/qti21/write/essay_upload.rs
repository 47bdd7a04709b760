//! Questions that people grade.

use super::item::Body;
use super::processing::Scoring;
use super::{Cx, RESPONSE, declaration};
use crate::model::{Essay, FileUpload};
use crate::xml::Element;

pub(super) fn essay(own: &Essay, cx: &Cx<'_>) -> Body {
    if own.word_limit == Some(true) || own.word_count == Some(true) {
        cx.note("QTI 2.1 cannot say that words are counted, and how many there may be");
    }
    let format = if own.rich == Some(true) { "xhtml" } else { "plain" };
    let interaction =
        Element::new("extendedTextInteraction").with("responseIdentifier", RESPONSE).with("format", format);
    let response = declaration("responseDeclaration", RESPONSE, "single", "string");
    let mut body = Body::new(response, interaction, Scoring::None);
    if !own.notes.is_empty() {
        let notes = Element::new("rubricBlock").with("class", "notes").with("view", "scorer");
        body.blocks.push(notes.child(Element::new("p").text(own.notes.as_str())));
    }
    body
}

pub(super) fn file_upload(own: &FileUpload, cx: &Cx<'_>) -> Body {
    if own.count.is_some() || !own.types.is_empty() {
        cx.note("QTI 2.1 cannot say how many files there may be, and which suffixes they have");
    }
    let interaction = Element::new("uploadInteraction").with("responseIdentifier", RESPONSE);
    Body::new(declaration("responseDeclaration", RESPONSE, "single", "file"), interaction, Scoring::None)
}
