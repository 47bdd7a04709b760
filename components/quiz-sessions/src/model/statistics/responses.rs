//! Responses of students, as they are counted and as they stand in a report.

use std::collections::BTreeMap;

use quiz_reports::plain::plain_text;
use quiz_reports::questions::{Choice, GivenAnswer, KnownPart, Shape};
use quiz_reports::student_analysis::Answered;
use serde::Deserialize;
use serde_json::Value;

use super::shapes::text;

/// An answer that is scored.
#[derive(Deserialize)]
pub(crate) struct ScoredAnswer {
    pub(super) item_id: String,
    response: Option<Value>,
    /// Null while nobody has judged it.
    points: Option<f64>,
    parts: Option<Vec<ScoredPart>>,
}

/// A piece of an answer.
#[derive(Deserialize)]
struct ScoredPart {
    id: String,
    correct: bool,
}

impl ScoredAnswer {
    /// The answer to a question of that type and shape, which is worth so many points.
    pub(super) fn given(&self, slug: &str, shape: &Shape, points_possible: f64) -> GivenAnswer {
        GivenAnswer {
            part: self.part(points_possible),
            points: self.points,
            is_given: self.response().is_some(),
            choices: self.choices(slug, shape),
        }
    }

    /// The same for a report.
    pub(super) fn answered(&self, slug: &str, shape: &Shape, points_possible: f64) -> Answered {
        let correct = self.part(points_possible).map(|part| part >= 1.0);
        Answered { text: self.text(slug, shape), points: self.points, correct }
    }

    /// The part of the points that it got. What is worth nothing is right if all of its pieces are.
    fn part(&self, points_possible: f64) -> Option<f64> {
        let points = self.points?;
        if points_possible > 0.0 {
            return Some(points / points_possible);
        }
        let pieces = self.parts.as_deref().unwrap_or_default();
        let is_right = !pieces.is_empty() && pieces.iter().all(|piece| piece.correct);
        Some(if is_right { 1.0 } else { 0.0 })
    }

    /// The response, unless it says nothing.
    fn response(&self) -> Option<&Value> {
        self.response.as_ref().filter(|response| !is_blank(response))
    }

    fn choices(&self, slug: &str, shape: &Shape) -> Vec<(String, Choice)> {
        match shape {
            Shape::Plain | Shape::Read => Vec::new(),
            Shape::Answers(known) => {
                let ids = self.response().map(|response| self.picked(slug, response)).unwrap_or_default();
                let choice = |id: String| match known.iter().any(|own| own.id == id) {
                    true => Choice::Known(id),
                    false => Choice::Other,
                };
                let none = self.response().is_none().then_some(Choice::Nothing);
                ids.into_iter().map(choice).chain(none).map(|choice| (String::new(), choice)).collect()
            }
            Shape::Parts(parts) => {
                let mut choices = Vec::new();
                for (place, part) in parts.iter().enumerate() {
                    let given = self.response().map(|response| pieces(slug, response, place, part)).unwrap_or_default();
                    let none = given.is_empty().then_some(Choice::Nothing);
                    let own = given.iter().map(|piece| self.piece(part, piece));
                    choices.extend(own.chain(none).map(|choice| (part.id.clone(), choice)));
                }
                choices
            }
        }
    }

    /// The ids of the answers that are picked, of a question without parts.
    fn picked(&self, slug: &str, response: &Value) -> Vec<String> {
        match slug {
            // Which accepted number it matches is known since it was scored.
            "numeric" => vec![self.parts.iter().flatten().map(|piece| piece.id.clone()).next().unwrap_or_default()],
            _ => texts(response),
        }
    }

    /// What is given to a part: a known answer, or one that is as right as one.
    fn piece(&self, part: &KnownPart, given: &str) -> Choice {
        let is_same = |known: &str| known == given || known.trim().to_lowercase() == given.trim().to_lowercase();
        if let Some(known) = part.answers.iter().find(|known| is_same(&known.id)) {
            return Choice::Known(known.id.clone());
        }
        let is_right = self.parts.iter().flatten().any(|piece| piece.id == part.id && piece.correct);
        match part.answers.iter().find(|known| known.correct).filter(|_| is_right) {
            Some(known) => Choice::Known(known.id.clone()),
            None => Choice::Other,
        }
    }

    /// In plain text: several answers have commas between them, and parts an arrow behind what they are.
    fn text(&self, slug: &str, shape: &Shape) -> String {
        let Some(response) = self.response() else { return String::new() };
        match shape {
            Shape::Answers(known) if slug != "numeric" => {
                let names: BTreeMap<_, _> = known.iter().map(|own| (own.id.as_str(), own.text.as_str())).collect();
                let shown =
                    texts(response).into_iter().map(|id| listed(names.get(id.as_str()).copied().unwrap_or(&id)));
                shown.collect::<Vec<_>>().join(",")
            }
            Shape::Parts(parts) => {
                let shown = parts.iter().enumerate().map(|(place, part)| {
                    let given = pieces(slug, response, place, part);
                    let given = given.iter().map(|id| {
                        let known = part.answers.iter().find(|known| known.id == *id);
                        listed(known.map_or(id.as_str(), |known| &known.text))
                    });
                    let given = given.collect::<Vec<_>>().join(",");
                    match slug {
                        "matching" | "categorization" => format!("{}=>{given}", listed(&part.text)),
                        _ => given,
                    }
                });
                shown.collect::<Vec<_>>().join(",")
            }
            Shape::Read => plain_text(&texts(response).join(",")),
            Shape::Answers(_) | Shape::Plain => match response {
                Value::Object(point) => {
                    point.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(",")
                }
                other => texts(other).join(","),
            },
        }
    }
}

/// What is given to the part of a question at that place.
fn pieces(slug: &str, response: &Value, place: usize, part: &KnownPart) -> Vec<String> {
    let given = match slug {
        "ordering" => response.get(place),
        _ => response.get(&part.id),
    };
    given.filter(|given| !is_blank(given)).map(texts).unwrap_or_default()
}

/// The elements of a list, or a single value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        other => vec![text(other)],
    }
}

/// An answer among others: its own commas are told apart from those between them.
fn listed(text: &str) -> String {
    text.replace(',', "\\,")
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use questions::question::StoredQuestion;
    use serde_json::json;

    use super::super::shapes::shape;
    use super::*;

    const A: &str = "0b7c1b8e-1111-4222-8333-444455556661";
    const B: &str = "0b7c1b8e-1111-4222-8333-444455556662";

    /// What is counted of a response to a question of that type, and how a report shows it.
    fn counted(slug: &str, data: Value, scoring: Value, answer: Value) -> (Vec<(String, Choice)>, String) {
        let question: StoredQuestion = serde_json::from_value(json!({
            "title": null, "item_body": "", "calculator_type": "none", "feedback": {}, "interaction_type_slug": slug,
            "interaction_data": data, "properties": {}, "scoring_data": scoring, "answer_feedback": {},
            "scoring_algorithm": "",
        }))
        .unwrap();
        let mut answer = answer;
        answer["item_id"] = json!("1");
        let (answer, shape): (ScoredAnswer, _) = (serde_json::from_value(answer).unwrap(), shape(&question));
        let given = answer.given(slug, &shape, 1.0);
        (given.choices, answer.answered(slug, &shape, 1.0).text)
    }

    fn known(part: &str, id: &str) -> (String, Choice) {
        (part.to_owned(), Choice::Known(id.to_owned()))
    }

    fn trees() -> Value {
        json!([{ "id": A, "item_body": "<p>Oak, old</p>" }, { "id": B, "item_body": "<p>Elm</p>" }])
    }

    fn by_id() -> Value {
        json!({ A: { "id": A, "item_body": "Oak" }, B: { "id": B, "item_body": "Elm" } })
    }

    #[test]
    fn choices_are_counted_one_by_one() {
        let answer = json!({ "response": [A, B], "points": 1.0, "parts": [] });
        let (choices, text) = counted("multi-answer", json!({ "choices": trees() }), json!({ "value": [A] }), answer);
        assert_eq!((choices, text.as_str()), (vec![known("", A), known("", B)], "Oak\\, old,Elm"));
        let (choices, text) = counted("choice", json!({ "choices": trees() }), json!({ "value": A }), json!({}));
        assert_eq!((choices, text.as_str()), (vec![(String::new(), Choice::Nothing)], ""));
    }

    #[test]
    fn a_number_counts_as_the_one_that_it_matches() {
        let scoring = json!({ "value": [{ "id": "7", "type": "withinARange", "start": "1", "end": "2" }] });
        let number = |matched: &str| {
            let parts = json!([{ "id": matched, "correct": matched == "7" }]);
            counted("numeric", json!({}), scoring.clone(), json!({ "response": "1.5", "points": 0.0, "parts": parts }))
        };
        assert_eq!(number("7"), (vec![known("", "7")], "1.5".to_owned()));
        assert_eq!(number("").0, [(String::new(), Choice::Other)]);
    }

    #[test]
    fn parts_are_counted_by_themselves() {
        let data = json!({ "categories": by_id(), "distractors": by_id(), "category_order": [A, B] });
        let scoring = json!({ "value": [{ "id": A, "scoring_data": { "value": [B] } }] });
        let answer = json!({ "response": { A: [B, A] } });
        let (choices, text) = counted("categorization", data, scoring, answer);
        assert_eq!(choices, [known(A, B), known(A, A), (B.to_owned(), Choice::Nothing)]);
        assert_eq!(text, "Oak=>Elm,Oak,Elm=>");

        let answer = json!({ "response": [B, A] });
        let (choices, text) = counted("ordering", json!({ "choices": by_id() }), json!({ "value": [A, B] }), answer);
        assert_eq!((choices, text.as_str()), (vec![known("1", B), known("2", A)], "Elm,Oak"));
    }

    #[test]
    fn what_is_typed_is_held_against_what_is_accepted() {
        let data =
            json!({ "blanks": [{ "id": A, "answer_type": "openEntry" }, { "id": B, "answer_type": "openEntry" }] });
        let row = |id: &str| json!({ "id": id, "scoring_data": { "value": ["oak"] } });
        let scoring = json!({ "value": [row(A), row(B)] });
        let parts = json!([{ "id": A, "correct": true }, { "id": B, "correct": false }]);
        let answer = |first: &str| json!({ "response": { A: first, B: "fir" }, "parts": parts });
        let (choices, text) = counted("rich-fill-blank", data.clone(), scoring.clone(), answer("Oak"));
        assert_eq!((choices, text.as_str()), (vec![known(A, "oak"), (B.to_owned(), Choice::Other)], "Oak,fir"));
        let (choices, _) = counted("rich-fill-blank", data, scoring, answer("oka"));
        assert_eq!(choices[0], known(A, "oak"), "right in another way");
    }
}
