//! Answers as they stand in a report: in plain text.

use classic_questions::QuestionType;
use quiz_reports::plain::plain_text;
use quiz_reports::student_analysis::Answered;
use serde_json::Value;

use super::choices::is_blank;
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::StudentAnswer;

impl AskedQuestion {
    /// What it asks, or its name where it asks nothing in words.
    pub(super) fn title(&self) -> String {
        let text = plain_text(&self.question_text);
        if text.is_empty() { self.question_name.clone() } else { text }
    }

    /// What a student has answered. Several answers have commas between them, and pairs an arrow.
    pub(crate) fn answered(&self, given: &StudentAnswer) -> Answered {
        Answered { text: self.answer_text(&given.answer), points: given.points, correct: self.given(given).is_right() }
    }

    fn answer_text(&self, answer: &Value) -> String {
        use QuestionType as T;
        if is_blank(answer) {
            return String::new();
        }
        match self.question_type {
            T::MultipleChoice | T::TrueFalse | T::MissingWord | T::MultipleAnswers => {
                let chosen = self.chosen_answers(answer);
                let text =
                    |id: i64| self.answers.iter().find(|own| own.id == Some(id)).map(|own| listed(&self.shown(own)));
                chosen.into_iter().filter_map(text).collect::<Vec<_>>().join(",")
            }
            T::Essay => plain_text(answer.as_str().unwrap_or_default()),
            T::Matching | T::MultipleDropdowns => self.parts_text(answer),
            T::FillInMultipleBlanks => {
                let blanks =
                    self.known_parts().into_iter().map(|part| answer.get(&part.id).map(text).unwrap_or_default());
                blanks.map(|blank| listed(&blank)).collect::<Vec<_>>().join(",")
            }
            _ => text(answer),
        }
    }

    /// The chosen answers of pairs, each behind its left half, and those of blanks.
    fn parts_text(&self, answer: &Value) -> String {
        let chosen = self.chosen_parts(answer);
        let shown = self.known_parts().into_iter().zip(chosen).map(|(part, (_, chosen))| {
            let chosen = chosen.map(|id| id.to_string());
            let own = part.answers.into_iter().find(|own| Some(&own.id) == chosen.as_ref());
            let own = own.map(|own| listed(&own.text)).unwrap_or_default();
            if self.question_type == QuestionType::Matching { format!("{}=>{own}", listed(&part.text)) } else { own }
        });
        shown.collect::<Vec<_>>().join(",")
    }
}

/// An answer among others: its own commas are told apart from those between them.
fn listed(text: &str) -> String {
    text.replace(',', "\\,")
}

fn text(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(","),
        Value::Number(number) if !number.is_i64() => number.as_f64().unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}
