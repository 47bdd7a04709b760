//! Rich text of authors: without scripts, and blank only where there is nothing to read or look at.

use serde::{Deserialize, Serialize};
use shared::rich_text;

/// What there is to see in a text without letters.
const MEDIA: [&str; 5] = ["<img", "<math", "<video", "<audio", "<span id=\"blank_"];

/// Rich text that is safe to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Rich(String);

impl Rich {
    /// Whether it has neither text nor media.
    pub(crate) fn is_blank(&self) -> bool {
        let has_text = || text(&self.0).replace("&nbsp;", " ").contains(|c: char| !c.is_whitespace());
        !MEDIA.iter().any(|tag| self.0.contains(tag)) && !has_text()
    }
}

impl From<String> for Rich {
    fn from(html: String) -> Self {
        Self(rich_text::sanitize(&html))
    }
}

impl From<Rich> for String {
    fn from(rich: Rich) -> Self {
        rich.0
    }
}

/// What stands between the tags of clean HTML.
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

    #[test]
    fn a_text_is_blank_when_nothing_of_it_is_seen() {
        for html in ["", " \n", "<p></p>", "<p>&nbsp;<br></p>", "<script>alert(1)</script>"] {
            assert!(Rich::from(html.to_owned()).is_blank(), "{html}");
        }
        for html in ["x", "<p>x</p>", "<img src=\"/courses/1/x.png\">", "<p><span id=\"blank_1\"></span></p>", "&gt;"] {
            assert!(!Rich::from(html.to_owned()).is_blank(), "{html}");
        }
    }
}
