//! The places of blanks in a sentence: `<span id="blank_X"></span>` in new quizzes, `[X]` in the model.

use std::collections::{BTreeMap, BTreeSet};

/// The body with markers of the model.
pub(super) fn to_brackets(body: &str) -> String {
    let mut marked = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, span)) = rest.split_once("<span id=\"blank_") {
        let Some((id, after)) = span.split_once('"') else { break };
        let Some((_, after)) = after.split_once('>') else { break };
        marked.extend([before, "[", id, "]"]);
        rest = after.strip_prefix("</span>").unwrap_or(after);
    }
    marked + rest
}

/// The body with markers of new quizzes: each blank of the model under its new id. Blanks that are not marked are put at the
/// end.
pub(super) fn to_spans(body: &str, ids: &[(&str, String)]) -> String {
    let span = |id: &str| format!("<span id=\"blank_{id}\"></span>");
    // Of several blanks with a name, the first is where the name stands first.
    let mut left: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, id) in ids.iter().rev() {
        left.entry(name).or_default().push(id);
    }
    let mut placed = BTreeSet::new();
    let mut marked = replaced(body, '[', ']', |name| {
        let id = left.get_mut(name)?.pop()?;
        placed.insert(id);
        Some(span(id))
    });
    for (_, id) in ids.iter().filter(|(_, id)| !placed.contains(id.as_str())) {
        marked.extend([" ", &span(id)]);
    }
    marked
}

/// The body of a formula with its variables in brackets, as the model has them, instead of in back-ticks.
pub(super) fn variables_to_brackets<'a>(body: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<_> = names.collect();
    replaced(body, '`', '`', |name| names.contains(name).then(|| format!("[{name}]")))
}

/// The body of a formula with its variables in back-ticks.
pub(super) fn variables_to_ticks<'a>(body: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<_> = names.collect();
    replaced(body, '[', ']', |name| names.contains(name).then(|| format!("`{name}`")))
}

/// The body with each name between two marks replaced by what `by` gives for it, if it gives something.
fn replaced(body: &str, open: char, close: char, mut by: impl FnMut(&str) -> Option<String>) -> String {
    let mut done = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, inner)) = rest.split_once(open) {
        done.push_str(before);
        let end = inner.find([open, close]).filter(|end| inner.get(*end..).is_some_and(|rest| rest.starts_with(close)));
        let name = end.and_then(|end| inner.get(..end));
        match name.and_then(|name| Some((name.len(), by(name)?))) {
            Some((length, new)) => {
                done.push_str(&new);
                rest = inner.get(length..).and_then(|rest| rest.strip_prefix(close)).unwrap_or_default();
            }
            None => {
                done.push(open);
                rest = inner;
            }
        }
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_spans_and_back() {
        let ids = [("a", "1".to_owned()), ("b", "2".to_owned()), ("a", "3".to_owned())];
        let spans = to_spans("x [a] [c] [[a] [a", &ids);
        let span = |id: u8| format!("<span id=\"blank_{id}\"></span>");
        assert_eq!(spans, format!("x {} [c] [{} [a {}", span(1), span(3), span(2)));
        assert_eq!(to_brackets(&spans), "x [1] [c] [[3] [a [2]");
    }

    #[test]
    fn variables_change_their_marks() {
        assert_eq!(variables_to_brackets("`x` + `y` + ``x", ["x"].into_iter()), "[x] + `y` + ``x");
        assert_eq!(variables_to_ticks("[x] + [y] + [x", ["x"].into_iter()), "`x` + [y] + [x");
    }
}
