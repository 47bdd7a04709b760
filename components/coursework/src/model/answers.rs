//! The answers of a classic question. Clients write them in two spellings, `answer_text` and `text`; they are kept and
//! answered in the short one.

use std::collections::BTreeSet;

use classic_questions::{Answer, NumericalAnswerType, QuestionType};
use serde_json::{Map, Value};
use shared::params::coerce;
use shared::{Error, Result};

use crate::model::{form, formulas, matches, rules};

const MAX_ANSWERS: usize = 500;
/// The weight of an answer that is right.
const RIGHT: i64 = 100;
const MAX_ID: i64 = 999_999_999_999;

/// The long spelling of each name, and the short one.
const SPELLINGS: [(&str, &str); 15] = [
    ("answer_text", "text"),
    ("answer_html", "html"),
    ("answer_weight", "weight"),
    ("answer_comment", "comments"),
    ("answer_comments", "comments"),
    ("answer_comment_html", "comments_html"),
    ("answer_comments_html", "comments_html"),
    ("answer_match_left", "left"),
    ("answer_match_right", "right"),
    ("answer_exact", "exact"),
    ("answer_error_margin", "margin"),
    ("answer_range_start", "start"),
    ("answer_range_end", "end"),
    ("answer_approximate", "approximate"),
    ("answer_precision", "precision"),
];

/// Reads the answers of a question of that type.
pub(crate) fn read(question_type: QuestionType, value: Value) -> Result<Vec<Answer>> {
    let list = form::list("answers", value)?;
    if list.len() > MAX_ANSWERS {
        return Err(invalid_answers(&format!("are too many (maximum is {MAX_ANSWERS})")));
    }
    let list = list.into_iter().map(|answer| short(question_type, answer)).collect::<Result<Vec<_>>>()?;
    let mut answers: Vec<Answer> =
        coerce::from_value(Value::Array(list)).map_err(|error| form::invalid_form(&format!("answers{error}")))?;
    for answer in &mut answers {
        complete(answer, question_type)?;
    }
    number(&mut answers)?;
    if question_type == QuestionType::Matching {
        matches::number(&mut answers);
    }
    Ok(answers)
}

fn invalid_answers(message: &str) -> Error {
    Error::invalid("answers", "invalid", message)
}

/// The same answer in the short spelling. Empty fields of a form are as good as absent.
fn short(question_type: QuestionType, answer: Value) -> Result<Value> {
    let Value::Object(mut answer) = answer else {
        return Err(invalid_answers("must be objects"));
    };
    let given = |value: &Value| !value.is_null() && value.as_str() != Some("");
    if question_type == QuestionType::Calculated && answer.get("answer_text").is_some_and(given) {
        // Only clients that write a solution as a text say this; the number beside it is what they have read.
        answer.remove("answer");
    }
    for (long, short) in SPELLINGS {
        if let Some(value) = answer.remove(long) {
            answer.insert(short.to_owned(), value);
        }
    }
    let mut answer: Map<_, _> = answer.into_iter().filter(|(_, value)| given(value)).collect();
    if question_type == QuestionType::Calculated {
        answer.entry("weight").or_insert(RIGHT.into());
    }
    Ok(Value::Object(answer))
}

/// Cleans an answer, and checks that it has what answers of such a question need.
fn complete(answer: &mut Answer, question_type: QuestionType) -> Result<()> {
    let texts = [answer.html.as_mut(), answer.comments_html.as_mut(), Some(&mut answer.comments)];
    for html in texts.into_iter().flatten() {
        *html = rules::rich("answers", html)?;
    }
    if let Some(variables) = answer.variables.take() {
        answer.variables = Some(Value::Array(form::list("answers[][variables]", variables)?));
    }
    match question_type {
        QuestionType::Matching => complete_match(answer),
        QuestionType::Numerical => complete_number(answer),
        QuestionType::Calculated => complete_solution(answer),
        QuestionType::FillInMultipleBlanks | QuestionType::MultipleDropdowns if answer.blank_id.is_none() => {
            Err(invalid_answers("need a blank_id"))
        }
        _ => Ok(()),
    }
}

fn complete_match(answer: &mut Answer) -> Result<()> {
    let left = answer.left.get_or_insert_with(|| answer.text.clone());
    if left.trim().is_empty() || answer.right.is_none() {
        return Err(invalid_answers("need an answer_match_left and an answer_match_right"));
    }
    answer.text.clone_from(left);
    Ok(())
}

/// A text alone is the exact answer.
fn complete_number(answer: &mut Answer) -> Result<()> {
    if answer.exact.is_none() && answer.start.is_none() && answer.approximate.is_none() {
        answer.exact = answer.text.trim().parse().ok().filter(|exact: &f64| exact.is_finite());
    }
    let guessed = match (answer.start, answer.approximate) {
        (Some(_), _) => NumericalAnswerType::Range,
        (None, Some(_)) => NumericalAnswerType::Precision,
        (None, None) => NumericalAnswerType::Exact,
    };
    match *answer.numerical_answer_type.get_or_insert(guessed) {
        NumericalAnswerType::Exact if answer.exact.is_none() => Err(invalid_answers("need an exact number")),
        NumericalAnswerType::Exact if answer.margin.is_some_and(|margin| margin < 0.0) => {
            Err(invalid_answers("need a margin that is not negative"))
        }
        NumericalAnswerType::Range if answer.start.zip(answer.end).is_none_or(|(start, end)| start > end) => {
            Err(invalid_answers("need a start and an end that is not below it"))
        }
        NumericalAnswerType::Precision
            if answer.approximate.is_none() || answer.precision.is_none_or(|precision| precision < 0) =>
        {
            Err(invalid_answers("need an approximate number and a precision"))
        }
        _ => Ok(()),
    }
}

/// A text alone is the result.
fn complete_solution(answer: &mut Answer) -> Result<()> {
    answer.answer = formulas::result(answer);
    match answer.answer {
        Some(_) => Ok(()),
        None => Err(invalid_answers("need an answer_text that is a number")),
    }
}

/// Gives the answers that have no id the next ones.
fn number(answers: &mut [Answer]) -> Result<()> {
    let given: Vec<i64> = answers.iter().filter_map(|answer| answer.id).collect();
    if given.iter().any(|id| !(1..=MAX_ID).contains(id)) {
        return Err(invalid_answers(&format!("must have ids between 1 and {MAX_ID}")));
    }
    if given.iter().collect::<BTreeSet<_>>().len() < given.len() {
        return Err(invalid_answers("must have unique ids"));
    }
    let mut next = given.into_iter().max().unwrap_or_default();
    for answer in answers.iter_mut().filter(|answer| answer.id.is_none()) {
        next += 1;
        answer.id = Some(next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(question_type: QuestionType, answers: Value) -> Value {
        serde_json::to_value(read(question_type, answers).unwrap()).unwrap()
    }

    #[test]
    fn both_spellings_and_both_forms_of_a_list_say_the_same() {
        let expected = json!([
            {"id": 1, "text": "oak", "comments": "yes", "weight": 100.0},
            {"id": 2, "text": "elm", "comments": "", "weight": 0.0},
        ]);
        let long = json!({
            "0": {"answer_text": "oak", "answer_weight": "100", "answer_comments": "yes"},
            "1": {"answer_text": "elm", "answer_weight": "", "answer_exact": ""},
        });
        let short = json!([{"text": "oak", "weight": 100, "comments": "yes"}, {"text": "elm"}]);
        assert_eq!(written(QuestionType::MultipleChoice, long), expected);
        assert_eq!(written(QuestionType::MultipleChoice, short), expected);
    }

    #[test]
    fn ids_are_kept_and_unique() {
        let answers = json!([{"text": "a"}, {"text": "b", "id": 7}, {"text": "c"}]);
        let written = written(QuestionType::MultipleChoice, answers);
        assert_eq!([&written[0]["id"], &written[1]["id"], &written[2]["id"]], [8, 7, 9]);
        assert!(read(QuestionType::MultipleChoice, json!([{"id": 1}, {"id": 1}])).is_err());
    }

    #[test]
    fn answers_have_what_their_question_needs() {
        use QuestionType::{FillInMultipleBlanks, Matching, Numerical};
        let exact = written(Numerical, json!([{"answer_text": "42"}]));
        assert_eq!((&exact[0]["exact"], &exact[0]["numerical_answer_type"]), (&json!(42.0), &json!("exact_answer")));
        assert!(read(Numerical, json!([{"start": 1, "end": 2}])).is_ok());
        let refused = [
            (Numerical, json!([{"text": "many"}])),
            (Numerical, json!([{"numerical_answer_type": "range_answer", "start": 3, "end": 2}])),
            (Numerical, json!([{"numerical_answer_type": "precision_answer", "approximate": 3}])),
            (Matching, json!([{"left": "Utah"}])),
            (FillInMultipleBlanks, json!([{"text": "red"}])),
            (Matching, json!(["text"])),
            (Matching, json!([{"left": "a", "right": "b", "weight": "heavy"}])),
        ];
        for (question_type, answers) in refused {
            assert!(read(question_type, answers.clone()).is_err(), "{answers}");
        }
    }

    #[test]
    fn a_solution_is_a_text_or_a_number() {
        use QuestionType::Calculated;
        let variables = json!({"0": {"name": "x", "value": "3"}});
        let solution = json!([{"answer_text": " 7.5 ", "variables": variables, "answer_weight": ""}]);
        let expected = json!([{
            "id": 1, "text": " 7.5 ", "comments": "", "weight": 100.0, "answer": 7.5,
            "variables": [{"name": "x", "value": "3"}],
        }]);
        assert_eq!(written(Calculated, solution), expected);
        let answer = |answers| written(Calculated, answers)[0]["answer"].clone();
        assert_eq!(answer(json!([{"text": 8}])), 8.0);
        assert_eq!(answer(json!([{"answer": "9", "text": "8"}])), 9.0);
        assert_eq!(answer(json!([{"answer": 9, "text": "9", "answer_text": "8"}])), 8.0);
        for refused in [json!([{"answer_text": "many"}]), json!([{"variables": []}]), json!([{"text": "inf"}])] {
            let error = read(Calculated, refused.clone()).unwrap_err();
            assert!(error.to_string().contains("need an answer_text that is a number"), "{refused} {error}");
        }
    }

    #[test]
    fn rich_content_is_sanitized_and_text_is_text() {
        let answers = json!([{"text": "1 < 2", "html": "<b onclick=x>b</b>", "comments": "<script>x</script>c"}]);
        let written = written(QuestionType::MultipleChoice, answers);
        assert_eq!(written[0]["text"], "1 < 2");
        assert_eq!(written[0]["html"], "<b>b</b>");
        assert_eq!(written[0]["comments"], "c");
    }
}
