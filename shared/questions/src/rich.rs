//! Rich text of authors: without scripts, and blank only where there is nothing to read or look at.

use serde::{Deserialize, Serialize};
use shared::rich_text::{self, Refusal};
use shared::{Error, JsonSchema, Result};

/// The parts of a text without letters that can be seen.
const MEDIA: [&str; 6] = ["<img", "<math", "<video", "<audio", "<iframe", "<span id=\"blank_"];

/// Rich text that is safe to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(rename = "RichText")]
pub struct Rich(String);

impl Rich {
    /// The rich text of a field, safe to show; 422 where it is too long or too deep.
    pub fn of(field: &str, html: String) -> Result<Self> {
        html.try_into().map_err(|refusal: Refusal| Error::invalid(field, refusal.code(), refusal.to_string()))
    }

    /// True if it has neither text nor media.
    pub fn is_blank(&self) -> bool {
        let has_text = || text(&self.0).replace("&nbsp;", " ").contains(|c: char| !c.is_whitespace());
        !MEDIA.iter().any(|tag| self.0.contains(tag)) && !has_text()
    }
}

impl TryFrom<String> for Rich {
    type Error = Refusal;

    fn try_from(html: String) -> Result<Self, Self::Error> {
        rich_text::sanitize(&html).map(Self)
    }
}

impl From<Rich> for String {
    fn from(rich: Rich) -> Self {
        rich.0
    }
}

/// The text between the tags of clean HTML.
fn text(html: &str) -> String {
    let mut in_tag = false;
    html.chars()
        .filter(|c| match c {
            '<' => {
                in_tag = true;
                false
            }
            '>' if in_tag => {
                in_tag = false;
                false
            }
            _ => !in_tag,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rich(html: &str) -> Rich {
        html.to_owned().try_into().unwrap()
    }

    #[test]
    fn what_is_stored_can_be_read_again() {
        let long = "&".repeat(rich_text::MAX_BYTES / 10);
        let stored = String::from(rich(&long));
        assert_eq!(String::from(rich(&stored)), stored);
        assert_eq!(Rich::try_from(format!("{long}{long}")), Err(Refusal::TooDense));
    }

    #[test]
    fn the_reason_is_told_with_the_field() {
        let error = Rich::of("item_body", "<div>".repeat(10_000)).unwrap_err();
        let shared::error::Kind::Invalid(violations) = error.kind() else { panic!("{error}") };
        assert_eq!(violations[0].field.as_deref(), Some("item_body"));
        assert_eq!((violations[0].code, violations[0].message.as_str()), ("too_deep", "is nested too deeply"));
    }

    #[test]
    fn a_text_is_blank_when_nothing_of_it_is_seen() {
        for html in ["", " \n", "<p></p>", "<p>&nbsp;<br></p>", "<script>alert(1)</script>"] {
            assert!(rich(html).is_blank(), "{html}");
        }
        let media = ["<img src=\"/courses/1/x.png\">", "<video src=\"/courses/1/x.mp4\"></video>"];
        for html in ["x", "<p>x</p>", "<p><span id=\"blank_1\"></span></p>", "&gt;"].into_iter().chain(media) {
            assert!(!rich(html).is_blank(), "{html}");
        }
    }
}
