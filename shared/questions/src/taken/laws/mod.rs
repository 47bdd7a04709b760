//! What holds of the score of any answer, for each type and algorithm: made-up questions and answers, whose score is found in
//! another way than by the type itself.

mod anything;
mod blanks;
mod numbers;
mod pairs;
mod picks;
mod places;

use serde_json::{Map, Value, json};

use crate::sample::Sample;
use crate::{Fraction, Question, ScoreState, check_response, score};

fn asked(sample: Sample) -> Question {
    Question::parse(sample.question().into()).unwrap()
}

/// What the answer earns. It fits its question, and needs nobody to judge it.
fn earned(question: &Question, response: &Value) -> Fraction {
    earned_of(question, response, None)
}

/// The same with that variant of the question.
fn earned_of(question: &Question, response: &Value, variant: Option<usize>) -> Fraction {
    check_response(question, response).unwrap();
    let score = score(question, Some(response), variant).unwrap();
    assert_ne!(score.state, ScoreState::WaitsForPerson, "{response}");
    score.fraction
}

fn whole_if(is_right: bool) -> Fraction {
    if is_right { Fraction::one() } else { Fraction::zero() }
}

/// An id that differs from that of any other number.
fn id(number: usize) -> String {
    format!("0b7c1b8e-1111-4222-8333-{number:012}")
}

fn ids(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(id).collect()
}

/// So many texts with ids from that number on, by their ids.
fn labelled(from: usize, count: usize) -> Value {
    let texts = (from..from + count).map(|number| {
        let text = json!({"id": id(number), "item_body": format!("Text {number}")});
        (id(number), text)
    });
    Value::Object(texts.collect::<Map<_, _>>())
}
