//! Answers: what is sent, what is stored, and whether both go together.

use std::collections::BTreeSet;

use http::StatusCode;
use questions::Fraction;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::db::Json;
use shared::ids::UserId;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

/// The most bytes of the answers of a session, as JSON.
pub(crate) const MAX_RESPONSE_BYTES: usize = 512 * 1024;
/// The most answers of a request.
const MAX_ANSWERS: usize = 1_000;

/// The answers that a student saves.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AnswersForm {
    /// 1,000 at most.
    answers: Vec<AnswerForm>,
}

/// An answer to an item of the session.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AnswerForm {
    /// The item of the session.
    pub(crate) item_id: String,
    /// Its shape depends on the type of the question. Null takes the answer away; where it is absent the answer stays.
    #[serde(default)]
    pub(crate) response: Patch<Value>,
    /// The version that the client knows; 0: none.
    pub(crate) version: i64,
    /// True if the student wants to come back to it.
    #[serde(default)]
    pub(crate) flagged: Option<bool>,
}

/// An answer as it is stored.
#[derive(Clone, Deserialize)]
pub(crate) struct AnswerRow {
    pub(crate) item_id: String,
    pub(crate) version: i64,
    pub(crate) response: Option<Json>,
    pub(crate) flagged: bool,
    pub(crate) saved_at: Option<Timestamp>,
    pub(crate) points: Option<f64>,
    pub(crate) parts: Option<Json>,
    /// Who has given the points; `None`: the service.
    pub(crate) grader_id: Option<UserId>,
    pub(crate) graded_at: Option<Timestamp>,
    /// Rich text.
    pub(crate) comment: Option<String>,
}

impl AnswerRow {
    /// The points of the parts that the service has judged.
    pub(crate) fn earned_by_parts(&self) -> Fraction {
        let parts = self.parts.as_ref().and_then(|parts| parts.0.as_array()).into_iter().flatten();
        let points = parts.filter_map(|part| part.get("points")?.as_f64());
        points.map(Fraction::of_number).fold(Fraction::zero(), |sum, own| sum + own)
    }

    /// The answer as it is answered; `None`: nothing was ever saved.
    pub(crate) fn shown(&self) -> Option<Answer> {
        Some(Answer {
            item_id: self.item_id.clone(),
            response: self.response.clone().map(|response| response.0),
            version: self.version,
            flagged: self.flagged,
            saved_at: self.saved_at?,
        })
    }
}

/// An answer of a student.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Answer {
    pub(crate) item_id: String,
    /// Null: there is none.
    pub(crate) response: Option<Value>,
    /// 1 more with each change.
    pub(crate) version: i64,
    pub(crate) flagged: bool,
    pub(crate) saved_at: Timestamp,
}

/// An answer that is to be written.
#[derive(Serialize)]
pub(crate) struct NewAnswer {
    pub(crate) item_id: String,
    /// The version that is there now.
    pub(crate) version: i64,
    /// As JSON.
    pub(crate) response: Option<String>,
    pub(crate) flagged: bool,
}

impl AnswersForm {
    /// The answers, each to another item.
    pub(crate) fn into_answers(self) -> Result<Vec<AnswerForm>> {
        if self.answers.is_empty() {
            return Err(Error::missing("answers"));
        }
        if self.answers.len() > MAX_ANSWERS {
            return Err(invalid(&format!("are too many (maximum is {MAX_ANSWERS})")));
        }
        let items: BTreeSet<_> = self.answers.iter().map(|answer| answer.item_id.as_str()).collect();
        if items.len() < self.answers.len() {
            return Err(invalid("must be to different items"));
        }
        Ok(self.answers)
    }
}

/// What becomes of the answers of a request.
pub(crate) struct Saving {
    /// Those that are to be written.
    pub(crate) changes: Vec<NewAnswer>,
    /// All of them, as they are afterwards.
    pub(crate) answers: Vec<Answer>,
}

impl Saving {
    /// Holds the answers against what is stored of the same items: `None` where somebody else has changed one since. An
    /// answer that is there already, with the next version, has come twice.
    pub(crate) fn of(forms: Vec<AnswerForm>, stored: &[AnswerRow], now: Timestamp) -> Option<Self> {
        let mut saving = Self { changes: Vec::new(), answers: Vec::new() };
        for form in forms {
            let stored = stored.iter().find(|stored| stored.item_id == form.item_id);
            let before = stored.and_then(|stored| stored.response.clone()).map(|response| response.0);
            let version = stored.map_or(0, |stored| stored.version);
            let was_flagged = stored.is_some_and(|stored| stored.flagged);
            let response = match form.response {
                Patch::Absent => before.clone(),
                Patch::Null | Patch::Value(Value::Null) => None,
                Patch::Value(response) => Some(response),
            };
            let flagged = form.flagged.unwrap_or(was_flagged);
            let came_before = form.version.checked_add(1) == Some(version);
            if came_before && response == before && flagged == was_flagged {
                saving.answers.extend(stored.and_then(AnswerRow::shown));
                continue;
            }
            if form.version != version {
                return None;
            }
            saving.changes.push(NewAnswer {
                item_id: form.item_id.clone(),
                version,
                response: response.as_ref().map(Value::to_string),
                flagged,
            });
            let version = version.saturating_add(1);
            saving.answers.push(Answer { item_id: form.item_id, response, version, flagged, saved_at: now });
        }
        Some(saving)
    }

    /// The bytes of the responses that are written.
    pub(crate) fn response_bytes(&self) -> usize {
        self.changes.iter().filter_map(|change| change.response.as_ref()).map(String::len).sum()
    }
}

/// 409 with the answers that stand.
pub(crate) fn stale(stored: &[AnswerRow]) -> Error {
    let message = "an answer was changed by somebody else, such as another window of yours";
    let answers: Vec<_> = stored.iter().filter_map(AnswerRow::shown).collect();
    let errors = json!([{ "error_type": "ActiveRecord::StaleObjectError", "message": message }]);
    Error::own(StatusCode::CONFLICT, json!({ "error": message, "errors": errors, "answers": answers }))
}

/// 422 about the answers as a whole.
pub(crate) fn invalid(message: &str) -> Error {
    Error::invalid("answers", "invalid", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: Value) -> AnswerForm {
        shared::params::coerce::from_value(fields).unwrap()
    }

    fn stored(version: i64, response: Value, flagged: bool) -> AnswerRow {
        AnswerRow {
            item_id: "1".to_owned(),
            version,
            response: Some(Json(response)).filter(|response| !response.0.is_null()),
            flagged,
            saved_at: Timestamp::from_unix(5),
            points: None,
            parts: None,
            grader_id: None,
            graded_at: None,
            comment: None,
        }
    }

    fn save(fields: Value, stored: &[AnswerRow]) -> Option<Saving> {
        Saving::of(vec![form(fields)], stored, Timestamp::from_unix(9).unwrap())
    }

    #[test]
    fn a_first_answer_has_version_one() {
        let saving = save(json!({"item_id": 1, "response": true, "version": 0}), &[]).unwrap();
        assert_eq!((saving.answers[0].version, &saving.answers[0].response), (1, &Some(json!(true))));
        assert_eq!((saving.changes[0].version, saving.changes[0].response.as_deref()), (0, Some("true")));
        assert_eq!(saving.response_bytes(), 4);
    }

    #[test]
    fn a_flag_alone_leaves_the_answer_and_null_takes_it_away() {
        let there = [stored(3, json!("oak"), false)];
        let flagged = save(json!({"item_id": "1", "version": 3, "flagged": true}), &there).unwrap();
        assert_eq!((&flagged.answers[0].response, flagged.answers[0].flagged), (&Some(json!("oak")), true));
        let cleared = save(json!({"item_id": "1", "version": 3, "response": null}), &there).unwrap();
        assert_eq!((&cleared.answers[0].response, cleared.answers[0].version), (&None, 4));
        assert_eq!(cleared.changes[0].response, None);
    }

    #[test]
    fn a_stale_version_is_refused_and_the_same_answer_may_come_twice() {
        let there = [stored(3, json!("oak"), false)];
        assert!(save(json!({"item_id": "1", "version": 2, "response": "elm"}), &there).is_none());
        assert!(save(json!({"item_id": "1", "version": 4, "response": "elm"}), &there).is_none());
        assert!(save(json!({"item_id": "1", "version": 1, "response": "oak"}), &there).is_none());
        let again = save(json!({"item_id": "1", "version": 2, "response": "oak"}), &there).unwrap();
        assert!(again.changes.is_empty());
        assert_eq!((again.answers[0].version, again.answers[0].saved_at.unix()), (3, 5));
    }
}
