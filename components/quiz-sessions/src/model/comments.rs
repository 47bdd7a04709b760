//! Comments on answers, as the student is told of them.

use quiz_reports::plain::plain_text;

use crate::model::typed::typed;

/// The most characters that are told at once. The result has the rest.
const MAX_TOLD_CHARS: usize = 16 * 1024;

/// A comment that was not there before, or says something else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewComment {
    /// The number of its question in the session, from 1.
    pub(crate) question: usize,
    pub(crate) html: String,
}

/// The comments as plain text, each with the number of its question.
pub(crate) fn told(comments: &[NewComment]) -> String {
    let text = |html: &str| typed(html).unwrap_or_else(|| plain_text(html));
    let lines: Vec<_> =
        comments.iter().map(|comment| format!("Question {}: {}", comment.question, text(&comment.html))).collect();
    let told = lines.join("\n\n");
    match told.char_indices().nth(MAX_TOLD_CHARS) {
        Some((end, _)) => format!("{}…", told.get(..end).unwrap_or_default()),
        None => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(question: usize, html: &str) -> NewComment {
        NewComment { question, html: html.to_owned() }
    }

    #[test]
    fn each_comment_names_its_question_and_is_plain_text() {
        let comments = [comment(2, "<p>Good &amp; short</p><p>Go on</p>"), comment(5, "<p>See <b>page 3</b></p>")];
        assert_eq!(told(&comments), "Question 2: Good & short\n\nGo on\n\nQuestion 5: See page 3");
    }

    #[test]
    fn what_is_told_is_cut() {
        let told = told(&[comment(1, &"ä".repeat(2 * MAX_TOLD_CHARS))]);
        assert_eq!((told.chars().count(), told.chars().last()), (MAX_TOLD_CHARS + 1, Some('…')));
    }
}
