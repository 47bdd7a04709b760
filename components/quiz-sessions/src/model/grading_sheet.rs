//! The form of the page on which an attempt is graded: what was typed, and what it means.

use std::collections::{BTreeMap, BTreeSet};

use questions::form::MAX_POINTS;
use serde::Deserialize;
use shared::params::plain_line_ends;
use shared::{JsonSchema, Patch};
use submissions::grading::{decimal, rounded};

use crate::model::answers::AnswerRow;
use crate::model::grading::{GradingForm, ItemGradingForm, MAX_COMMENT_CHARS};
use crate::model::items::Content;
use crate::model::sessions::SessionRow;
use crate::model::typed::{paragraphs, typed};

/// What a grader has typed, field by field.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct GradingSheet {
    /// The version of the grading that the page has shown.
    version: i64,
    /// Points by the items of the session; blank takes a grader's points away.
    pub(crate) points: BTreeMap<String, String>,
    /// Comments by the items of the session: plain text.
    pub(crate) comments: BTreeMap<String, String>,
    /// The items whose comments are taken away, where nothing is typed in their place: a box that is ticked.
    pub(crate) removed_comments: BTreeMap<String, String>,
    /// Points beside those of the answers; blank: none.
    pub(crate) fudge_points: String,
    /// The page that is shown afterwards.
    pub(crate) then: AfterGrading,
}

/// The page that is shown when an attempt is graded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AfterGrading {
    /// The same attempt.
    #[default]
    Stay,
    /// The next attempt that waits, or the list where none does.
    Next,
}

/// The fields that nobody can read, or that are too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UnfitFields {
    pub(crate) points: BTreeSet<String>,
    pub(crate) comments: BTreeSet<String>,
    pub(crate) fudge_points: bool,
}

impl GradingSheet {
    /// The changes that it asks for. A field that says what stands asks for nothing.
    pub(crate) fn read(&self, row: &SessionRow, content: &Content) -> Result<GradingForm, UnfitFields> {
        let mut unfit = UnfitFields::default();
        let mut items = Vec::new();
        for item in row.items.0.iter().filter(|item| item.question.is_some()) {
            let answer = content.answer(&item.id);
            let typed = self.points.get(&item.id).map(|text| text.trim()).filter(|text| *text != shown_points(answer));
            let points = match typed {
                None => Patch::Absent,
                Some("") => Patch::Null,
                Some(text) => number(text).filter(|points| *points >= 0.0).map_or(Patch::Absent, Patch::Value),
            };
            if typed.is_some() && !points.is_present() {
                unfit.points.insert(item.id.clone());
            }
            let is_removed = self.removed_comments.contains_key(&item.id);
            let comment = self.comments.get(&item.id).map_or(Patch::Absent, |text| comment(text, is_removed, answer));
            if matches!(&comment, Patch::Value(html) if html.chars().count() > MAX_COMMENT_CHARS) {
                unfit.comments.insert(item.id.clone());
            }
            if points.is_present() || comment.is_present() {
                items.push(ItemGradingForm { item_id: item.id.clone(), points, comment });
            }
        }
        let fudge_points = match self.fudge_points.trim() {
            text if text == shown_fudge(row) => None,
            "" => Some(0.0),
            text => {
                let points = number(text);
                unfit.fudge_points = points.is_none();
                points
            }
        };
        match unfit == UnfitFields::default() {
            true => Ok(GradingForm { version: self.version, items, fudge_points }),
            false => Err(unfit),
        }
    }

    /// The version of the grading that the page has shown.
    pub(crate) fn version(&self) -> i64 {
        self.version
    }
}

/// The points of an answer as their field has them.
pub(crate) fn shown_points(answer: Option<&AnswerRow>) -> String {
    answer.and_then(|answer| answer.points).map_or_else(String::new, |points| decimal(rounded(points)))
}

/// The points beside those of the answers as their field has them.
pub(crate) fn shown_fudge(row: &SessionRow) -> String {
    if row.fudge_points == 0.0 { String::new() } else { decimal(row.fudge_points) }
}

/// The comment on an answer as its field has it: nothing of one that has more than a field can show.
pub(crate) fn shown_comment(answer: Option<&AnswerRow>) -> String {
    answer.and_then(|answer| typed(answer.comment.as_deref()?)).unwrap_or_default()
}

/// What becomes of a comment. A blank field keeps one with formatting, which it cannot show, unless that is to be removed.
fn comment(text: &str, is_removed: bool, answer: Option<&AnswerRow>) -> Patch<String> {
    let text = plain_line_ends(text);
    match text.trim() {
        "" if is_removed => Patch::Null,
        text if text == shown_comment(answer).trim() => Patch::Absent,
        "" => Patch::Null,
        text => Patch::Value(paragraphs(text)),
    }
}

/// A number as people write it, be it with a comma, within the bounds of points.
fn number(text: &str) -> Option<f64> {
    let is_plain = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',' | '-' | '+');
    let number = Some(text).filter(|text| text.chars().all(is_plain))?.replace(',', ".");
    number.parse().ok().filter(|number| (-MAX_POINTS..=MAX_POINTS).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_with_a_point_or_a_comma() {
        assert_eq!((number("7.5"), number("7,5"), number("-1")), (Some(7.5), Some(7.5), Some(-1.0)));
        for text in ["seven", "1e3", "1,000.5", "NaN", "2000000", "--1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_comment_that_stands_is_no_change() {
        assert_eq!(comment("  \r\n", false, None), Patch::Absent);
        assert_eq!(comment("Good", false, None), Patch::Value("<p>Good</p>".to_owned()));
    }

    #[test]
    fn a_comment_with_formatting_stays_is_replaced_or_taken_away() {
        let formatted = AnswerRow {
            item_id: "2".to_owned(),
            version: 1,
            response: None,
            flagged: false,
            saved_at: None,
            points: None,
            parts: None,
            grader_id: None,
            graded_at: None,
            comment: Some("<p>See <b>this</b>.</p>".to_owned()),
        };
        let becomes = |text, is_removed| comment(text, is_removed, Some(&formatted));
        assert_eq!(becomes(" ", false), Patch::Absent);
        assert_eq!(becomes(" ", true), Patch::Null);
        assert_eq!(becomes("See that.", false), Patch::Value("<p>See that.</p>".to_owned()));
        assert_eq!(becomes("See that.", true), Patch::Value("<p>See that.</p>".to_owned()), "what is typed wins");
    }
}
