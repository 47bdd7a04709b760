//! The places of blanks in a sentence: `<span id="blank_X"></span>` in new quizzes, `[X]` in the model.

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

/// The body with markers of new quizzes: each blank of the model under its new id. What is not marked is put at the end.
pub(super) fn to_spans(body: &str, ids: &[(&str, String)]) -> String {
    ids.iter().fold(body.to_owned(), |body, (name, id)| {
        let span = format!("<span id=\"blank_{id}\"></span>");
        match body.contains(&format!("[{name}]")) {
            true => body.replacen(&format!("[{name}]"), &span, 1),
            false => format!("{body} {span}"),
        }
    })
}

/// The body of a formula with its variables in brackets, as the model has them, instead of in back-ticks.
pub(super) fn variables_to_brackets<'a>(body: &str, names: impl Iterator<Item = &'a str>) -> String {
    names.fold(body.to_owned(), |body, name| body.replace(&format!("`{name}`"), &format!("[{name}]")))
}

/// The body of a formula with its variables in back-ticks.
pub(super) fn variables_to_ticks<'a>(body: &str, names: impl Iterator<Item = &'a str>) -> String {
    names.fold(body.to_owned(), |body, name| body.replace(&format!("[{name}]"), &format!("`{name}`")))
}
