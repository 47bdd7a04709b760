//! Questions that people grade.

use super::field;
use super::item::Body;
use crate::model::{Essay, FileUpload};
use crate::xml::Element;

pub(super) fn essay(own: &Essay) -> Body {
    let word = |value: Option<bool>| value.map(|value| if value { "Yes" } else { "No" });
    // The schema knows no attributes for them.
    let fields = [
        ("rce", word(own.rich)),
        ("word_count", word(own.word_count)),
        ("spell_check", word(own.spell_check)),
        ("word_limit_enabled", word(own.word_limit)),
        ("word_limit_min", own.fewest_words.as_deref()),
        ("word_limit_max", own.most_words.as_deref()),
        ("grading_notes", Some(own.notes.as_str()).filter(|notes| !notes.is_empty())),
    ];
    Body {
        kind: "essay_question",
        fields: fields.into_iter().filter_map(|(name, value)| Some(field(name, value?))).collect(),
        presentation: vec![written().child(blank())],
        scoring: vec![ungraded()],
        ..Body::default()
    }
}

/// An essay of which nothing more is said.
pub(super) fn profile_essay() -> Body {
    Body { presentation: vec![written().child(blank())], scoring: vec![ungraded()], ..Body::default() }
}

fn written() -> Element {
    Element::new("response_str").with("ident", "response1").with("rcardinality", "Single")
}

fn blank() -> Element {
    Element::new("render_fib").child(Element::new("response_label").with("ident", "answer1").with("rshuffle", "No"))
}

/// Whatever the answer is, it gives no points by itself.
fn ungraded() -> Element {
    let other = Element::new("conditionvar").child(Element::new("other"));
    Element::new("respcondition").with("continue", "No").child(other)
}

pub(super) fn file_upload(own: &FileUpload) -> Body {
    let types = (!own.types.is_empty()).then(|| ("allowed_types".to_owned(), own.types.join(",")));
    let count = own.count.map(|count| ("files_count".to_owned(), count.to_string()));
    Body {
        kind: "file_upload_question",
        presentation_attributes: types.into_iter().chain(count).collect(),
        ..Body::default()
    }
}
