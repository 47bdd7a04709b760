//! The questions of an attempt that are open to the student, where a quiz shows one at a time.
//!
//! The current question is the one behind the last that was answered. Texts that stand before it are shown with it.

use std::ops::Range;

use shared::{Error, Result};

use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::{Attempt, StudentAnswer};
use ::submissions::quiz_options::QuizOptions;

/// The places of the questions that the student sees and may answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenQuestions {
    places: Range<usize>,
    /// `None`: all are open at once.
    pace: Option<Pace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pace {
    cant_go_back: bool,
}

impl OpenQuestions {
    pub(crate) fn of(options: &QuizOptions, row: &Attempt) -> Self {
        let asked = &row.questions.0;
        if !options.one_question_at_a_time || !row.is_running() {
            return Self { places: 0..asked.len(), pace: None };
        }
        let given = |question: &AskedQuestion| row.answers.0.get(&question.id.to_string());
        let is_saved = |question: &AskedQuestion| given(question).is_some_and(StudentAnswer::is_given);
        let mut open = Self { places: 0..0, pace: Some(Pace { cant_go_back: options.cant_go_back }) };
        open.move_to(asked.iter().rposition(is_saved).map_or(0, |place| place + 1), asked);
        open
    }

    pub(crate) fn contains(&self, place: usize) -> bool {
        self.places.contains(&place)
    }

    /// 400 where the question at that place is not open.
    pub(crate) fn require(&self, place: usize, question: &AskedQuestion) -> Result<()> {
        let id = question.id;
        match place {
            _ if self.contains(place) => Ok(()),
            _ if place < self.places.start => {
                Err(Error::bad_request(format!("question {id} was answered, and the quiz does not let you go back")))
            }
            _ => Err(Error::bad_request(format!("question {id} comes later: the quiz shows one question at a time"))),
        }
    }

    /// The question at that place was answered: the next one is open.
    pub(crate) fn pass(&mut self, place: usize, asked: &[AskedQuestion]) {
        if self.pace.is_some() && place + 1 >= self.places.end {
            self.move_to(place + 1, asked);
        }
    }

    fn move_to(&mut self, current: usize, asked: &[AskedQuestion]) {
        let behind = asked.iter().skip(current).position(AskedQuestion::is_question);
        let end = behind.map_or(asked.len(), |more| current + more + 1);
        let goes_back = self.pace.is_none_or(|pace| !pace.cant_go_back);
        self.places = if goes_back { 0..end } else { current..end };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A text and two questions, and another text.
    fn asked() -> Vec<AskedQuestion> {
        let kinds = ["text_only_question", "essay_question", "essay_question", "text_only_question"];
        let one = |(id, kind): (usize, &str)| -> Value {
            json!({ "id": id, "question_type": kind, "question_name": "", "question_text": "", "points_possible": 1,
                    "answers": [], "question_data": {} })
        };
        serde_json::from_value(kinds.into_iter().enumerate().map(one).collect()).unwrap()
    }

    fn paced(cant_go_back: bool) -> OpenQuestions {
        let mut open = OpenQuestions { places: 0..0, pace: Some(Pace { cant_go_back }) };
        open.move_to(0, &asked());
        open
    }

    #[test]
    fn a_question_is_shown_with_the_texts_before_it() {
        let (asked, mut open) = (asked(), paced(true));
        assert_eq!(open.places, 0..2);
        assert!(open.require(2, &asked[2]).is_err(), "it comes later");
        open.pass(1, &asked);
        assert_eq!(open.places, 2..3);
        assert!(open.require(1, &asked[1]).is_err(), "there is no way back");
        open.pass(2, &asked);
        assert_eq!(open.places, 3..4);
    }

    #[test]
    fn who_may_go_back_sees_what_came_before() {
        let (asked, mut open) = (asked(), paced(false));
        open.pass(1, &asked);
        assert_eq!(open.places, 0..3);
        open.pass(1, &asked);
        assert_eq!(open.places, 0..3, "an earlier answer that changes opens nothing");
    }
}
