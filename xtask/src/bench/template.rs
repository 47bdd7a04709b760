//! Texts with places for values: paths, bodies and tokens of requests.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// The values that steps have kept, by name; a repeated step has kept several.
pub(super) type Values = BTreeMap<String, Vec<String>>;

/// A text with places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The number of the request.
    Number,
    /// The last value of that name.
    Last(String),
    /// Another value of that name for each request.
    Each(String),
}

impl Template {
    /// Every `{name}` and `{name#}` is a place; other braces are text, as in JSON.
    pub(super) fn parse(text: &str) -> Self {
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            plain.push_str(before);
            match place(after) {
                Some((part, behind)) => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(part);
                    rest = behind;
                }
                None => {
                    plain.push('{');
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        Self(parts)
    }

    /// The text for the request of that number.
    pub(super) fn fill(&self, number: u32, values: &Values) -> Result<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Number => text.push_str(&number.to_string()),
                Part::Last(name) => text.push_str(kept(values, name)?.last().context("no value")?),
                Part::Each(name) => {
                    let kept = kept(values, name)?;
                    let index = usize::try_from(number)?.checked_rem(kept.len()).context("no value")?;
                    text.push_str(kept.get(index).context("no value")?);
                }
            }
        }
        Ok(text)
    }
}

fn kept<'a>(values: &'a Values, name: &str) -> Result<&'a [String]> {
    values.get(name).map(Vec::as_slice).with_context(|| format!("no step has kept {name}"))
}

/// The place whose name begins here, and the text behind it.
fn place(text: &str) -> Option<(Part, &str)> {
    let (inside, behind) = text.split_once('}')?;
    let (name, each) = inside.strip_suffix('#').map_or((inside, false), |name| (name, true));
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let part = match (name, each) {
        _ if !is_name => return None,
        ("n", false) => Part::Number,
        (_, false) => Part::Last(name.to_owned()),
        (_, true) => Part::Each(name.to_owned()),
    };
    Some((part, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        let ids = ["3", "5"].map(str::to_owned).to_vec();
        Values::from([("quiz".to_owned(), vec!["7".to_owned()]), ("group".to_owned(), ids)])
    }

    #[test]
    fn each_request_takes_the_next_value() {
        let path = Template::parse("/quizzes/{quiz}/groups/{group#}?n={n}");
        let filled: Vec<_> = (0..3).map(|number| path.fill(number, &values()).unwrap()).collect();
        assert_eq!(filled, ["/quizzes/7/groups/3?n=0", "/quizzes/7/groups/5?n=1", "/quizzes/7/groups/3?n=2"]);
    }

    #[test]
    fn braces_of_json_are_text() {
        let body = r#"{"a":{"id":{quiz}},"b":{},"c":"{N}"}"#;
        assert_eq!(Template::parse(body).fill(0, &values()).unwrap(), r#"{"a":{"id":7},"b":{},"c":"{N}"}"#);
        assert_eq!(Template::parse("{{quiz}").fill(0, &values()).unwrap(), "{7");
    }

    #[test]
    fn a_value_that_no_step_keeps_is_named() {
        let error = Template::parse("/{nobody}").fill(0, &values()).unwrap_err();
        assert_eq!(error.to_string(), "no step has kept nobody");
    }
}
