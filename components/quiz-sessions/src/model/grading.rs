//! Grading by a person: what is sent, and what becomes of the score of a session.

use std::collections::BTreeMap;

use http::StatusCode;
use questions::Fraction;
use questions::form::MAX_POINTS;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::ids::UserId;
use shared::params::not_too_long;
use shared::{Error, JsonSchema, Patch, Result, Timestamp, rich_text};
use submissions::grading::rounded_of;

use crate::model::answers::AnswerRow;
use crate::model::comments::NewComment;
use crate::model::drawing::DrawnItem;
use crate::model::items::Content;
use crate::model::results::SessionResult;
use crate::model::scores::{Judged, judged};
use crate::model::sessions::SessionRow;

/// The most characters of a comment, as it is sent.
pub(crate) const MAX_COMMENT_CHARS: usize = 16 * 1024;
/// The most items of a request.
const MAX_ITEMS: usize = 1_000;

/// Points and comments that a grader gives. What is not named stays as it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct GradingForm {
    /// The version of the grading that the grader knows, as the result has it; 0: nobody has graded it.
    pub(crate) version: i64,
    /// 1,000 at most.
    #[serde(default)]
    pub(crate) items: Vec<ItemGradingForm>,
    /// Points beside those of the answers: -1,000,000 to 1,000,000.
    #[serde(default)]
    pub(crate) fudge_points: Option<f64>,
}

/// What a grader gives an answer.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ItemGradingForm {
    /// The item of the session.
    pub(crate) item_id: String,
    /// 0 to 1,000,000, be they more than the question is worth. Null takes the grader's points away, or judges again
    /// what waits: those of the service count, or the answer waits again.
    #[serde(default)]
    pub(crate) points: Patch<f64>,
    /// Rich text of up to 16,384 characters for the student. Null or a blank takes it away.
    #[serde(default)]
    pub(crate) comment: Patch<String>,
}

/// A session as it is graded.
#[derive(Debug)]
pub(crate) struct Grading {
    /// The version that the grader knew.
    pub(crate) version: i64,
    /// The answers that change.
    pub(crate) changes: Vec<ItemGrade>,
    /// The comments that the student has not seen yet.
    pub(crate) comments: Vec<NewComment>,
    pub(crate) fudge_points: f64,
    pub(crate) score: f64,
    /// False: somebody must read an answer.
    pub(crate) is_scored: bool,
    /// True if points are others, and not comments alone.
    pub(crate) changes_points: bool,
}

/// The points of an answer and what is said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ItemGrade {
    pub(crate) item_id: String,
    /// Null: somebody must read it.
    points: Option<f64>,
    /// Null: the service has given the points.
    grader_id: Option<UserId>,
    graded_at: Option<Timestamp>,
    comment: Option<String>,
    /// What the service says of the parts, as JSON; null: what it has said before.
    parts: Option<String>,
}

impl Grading {
    /// The session as it is afterwards; `None` where nothing changes.
    pub(crate) fn of(
        row: &SessionRow,
        content: &Content,
        form: GradingForm,
        grader: (UserId, Timestamp),
        log: impl Fn(&str),
    ) -> Result<Option<Self>> {
        let fudge_points = form.fudge_points.unwrap_or(row.fudge_points);
        if !(-MAX_POINTS..=MAX_POINTS).contains(&fudge_points) {
            return Err(Error::invalid("fudge_points", "inclusion", "must be between -1000000 and 1000000"));
        }
        let version = form.version;
        let mut forms = by_item(row, form.items)?;
        let changes_fudge = fudge_points != row.fudge_points;
        let mut grading = Self {
            version,
            changes: Vec::new(),
            comments: Vec::new(),
            fudge_points,
            score: 0.0,
            is_scored: true,
            changes_points: changes_fudge,
        };
        let mut total = Fraction::of_number(fudge_points);
        for (number, item) in (1..).zip(row.items.0.iter().filter(|item| item.question.is_some())) {
            let Some(asked) = content.question(item) else { continue };
            let answer = content.answer(&item.id);
            let response = answer.and_then(|answer| answer.response.as_ref()).map(|response| &response.0);
            let before = ItemGrade::stored(item, answer);
            let after = match forms.remove(&item.id) {
                Some(form) => {
                    // The service judges anew only where it is asked to: what has kept it from that may do so again.
                    let is_asked = matches!(form.points, Patch::Null);
                    let by_service = is_asked.then(|| judged(row, item, asked, response, &log));
                    before.clone().over(form, by_service, grader)
                }
                None => before.clone(),
            };
            let earned = || answer.map_or_else(Fraction::zero, AnswerRow::earned_by_parts);
            total = total + after.points.map_or_else(earned, Fraction::of_number);
            grading.is_scored &= after.points.is_some();
            grading.changes_points |= after.points != before.points;
            grading.comments.extend(after.new_comment(&before, number));
            if after != before {
                grading.changes.push(after);
            }
        }
        grading.score = rounded_of(total.to_f64(), row.points_possible);
        Ok(Some(grading).filter(|grading| changes_fudge || !grading.changes.is_empty()))
    }
}

impl ItemGrade {
    fn stored(item: &DrawnItem, answer: Option<&AnswerRow>) -> Self {
        Self {
            item_id: item.id.clone(),
            points: answer.and_then(|answer| answer.points),
            grader_id: answer.and_then(|answer| answer.grader_id),
            graded_at: answer.and_then(|answer| answer.graded_at),
            comment: answer.and_then(|answer| answer.comment.clone()),
            parts: None,
        }
    }

    /// The same with what the grader gives. Points that it has already are given by whom they were given.
    fn over(mut self, form: ItemGradingForm, by_service: Option<Judged>, (grader, now): (UserId, Timestamp)) -> Self {
        match form.points {
            Patch::Value(points) if self.points != Some(points) => {
                (self.points, self.grader_id, self.graded_at) = (Some(points), Some(grader), Some(now));
            }
            // What the service has not judged is nobody's yet, and may be judged now.
            Patch::Null if self.grader_id.is_some() || self.points.is_none() => {
                let points = by_service.as_ref().and_then(Judged::points);
                (self.points, self.grader_id, self.graded_at) = (points, None, None);
                self.parts = by_service.map(|judged| judged.parts);
            }
            _ => {}
        }
        self.comment = form.comment.over(self.comment);
        self
    }

    /// The comment on the question of that number, if it says something that the one before did not.
    fn new_comment(&self, before: &Self, question: usize) -> Option<NewComment> {
        let html = self.comment.clone().filter(|comment| before.comment.as_ref() != Some(comment))?;
        Some(NewComment { question, html })
    }
}

/// The forms by their items: 422 for what is no question of the session, or out of bounds.
fn by_item(row: &SessionRow, forms: Vec<ItemGradingForm>) -> Result<BTreeMap<String, ItemGradingForm>> {
    if forms.len() > MAX_ITEMS {
        return Err(invalid(&format!("are too many (maximum is {MAX_ITEMS})")));
    }
    let mut items = BTreeMap::new();
    for form in forms {
        if row.item(&form.item_id).is_none_or(|item| item.question.is_none()) {
            return Err(invalid("must be questions of the session"));
        }
        let form = checked(form)?;
        if items.insert(form.item_id.clone(), form).is_some() {
            return Err(invalid("must be different questions"));
        }
    }
    Ok(items)
}

fn checked(form: ItemGradingForm) -> Result<ItemGradingForm> {
    let item = &form.item_id;
    if matches!(form.points, Patch::Value(points) if !(0.0..=MAX_POINTS).contains(&points)) {
        return Err(Error::invalid(&points_field(item), "inclusion", "must be between 0 and 1000000"));
    }
    let comment = match form.comment {
        Patch::Value(comment) if comment.trim().is_empty() => Patch::Null,
        Patch::Value(comment) => {
            let field = comment_field(item);
            not_too_long(&field, &comment, MAX_COMMENT_CHARS)?;
            let refused = |refusal: rich_text::Refusal| Error::invalid(&field, refusal.code(), refusal.to_string());
            Patch::Value(rich_text::sanitize(&comment).map_err(refused)?)
        }
        other => other,
    };
    Ok(ItemGradingForm { comment, ..form })
}

/// The names by which refusals call the fields of an item.
fn points_field(item: &str) -> String {
    format!("items[{item}][points]")
}

fn comment_field(item: &str) -> String {
    format!("items[{item}][comment]")
}

fn invalid(message: &str) -> Error {
    Error::invalid("items", "invalid", message)
}

/// 409 with the result that stands.
pub(crate) fn stale(result: &SessionResult) -> Error {
    let message = "the session was graded by somebody else meanwhile";
    let errors = json!([{ "error_type": "ActiveRecord::StaleObjectError", "message": message }]);
    Error::own(StatusCode::CONFLICT, json!({ "error": message, "errors": errors, "result": result }))
}
