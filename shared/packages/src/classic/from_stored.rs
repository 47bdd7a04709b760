//! From what is stored to the model.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Answer, ClassicQuestion, NumericalAnswerType, QuestionType};
use crate::model::{
    Accepted, Blank, BlankAnswer, Blanks, Choice, Choices, Essay, Feedback, FileUpload, Formula, Interaction, Left,
    Matching, Number, Question, Solution, Text, Typed, Variable,
};

/// The name of the missing word in its sentence.
const MISSING_WORD: &str = "answer";

impl ClassicQuestion {
    /// The question; `id` is unique in the package.
    pub fn to_question(&self, id: impl Into<String>) -> Question {
        Question {
            id: id.into(),
            title: self.question_name.clone(),
            body: self.body(),
            points: self.points_possible.unwrap_or_default(),
            feedback: self.feedback(),
            calculator: None,
            stimulus: None,
            interaction: self.interaction(),
        }
    }

    /// The missing word of a sentence is a blank to choose for.
    fn body(&self) -> String {
        let after = self.question_data.text_after_answers.as_deref().unwrap_or_default();
        match self.question_type {
            QuestionType::MissingWord => format!("{} [{MISSING_WORD}] {after}", self.question_text),
            _ => self.question_text.clone(),
        }
    }

    fn feedback(&self) -> Feedback {
        let data = &self.question_data;
        Feedback {
            neutral: first_given(data.neutral_comments_html.as_ref(), &self.neutral_comments),
            correct: first_given(data.correct_comments_html.as_ref(), &self.correct_comments),
            incorrect: first_given(data.incorrect_comments_html.as_ref(), &self.incorrect_comments),
        }
    }

    fn interaction(&self) -> Interaction {
        match self.question_type {
            QuestionType::Calculated => Interaction::Formula(self.formula()),
            QuestionType::Essay => Interaction::Essay(Essay::default()),
            QuestionType::FileUpload => Interaction::FileUpload(FileUpload::default()),
            QuestionType::FillInMultipleBlanks | QuestionType::MultipleDropdowns => Interaction::Blanks(self.blanks()),
            QuestionType::Matching => Interaction::Matching(self.matching()),
            QuestionType::MissingWord => Interaction::Blanks(Blanks {
                blanks: vec![Blank {
                    name: MISSING_WORD.to_owned(),
                    answer: BlankAnswer::Dropdown(choices(&self.answers)),
                }],
                ..Blanks::default()
            }),
            // Classic quizzes give each right choice its share, and a wrong one takes a share away.
            QuestionType::MultipleAnswers => {
                Interaction::MultipleAnswers(Choices { partial: true, ..choices(&self.answers) })
            }
            QuestionType::MultipleChoice => Interaction::Choice(choices(&self.answers)),
            QuestionType::Numerical => Interaction::Numeric(self.answers.iter().filter_map(number).collect()),
            QuestionType::ShortAnswer => Interaction::ShortAnswer(typed(&self.answers)),
            QuestionType::TextOnly => Interaction::TextOnly,
            QuestionType::TrueFalse => Interaction::TrueFalse(self.true_false()),
        }
    }

    /// Authors may have the answers in either order and language: what is not false is true.
    fn true_false(&self) -> Choices {
        let mut choices = choices(&self.answers);
        if choices.options.len() < 2 {
            let right = choices.options.first().filter(|choice| choice.right);
            let is_true = right.map(|choice| !is_false(choice));
            choices.options = ["True", "False"]
                .into_iter()
                .zip([true, false])
                .map(|(text, value)| Choice {
                    id: text.to_lowercase(),
                    text: Text::Plain(text.to_owned()),
                    right: is_true == Some(value),
                    ..Choice::default()
                })
                .collect();
        }
        if choices.options.first().is_some_and(is_false) {
            choices.options.reverse();
        }
        choices
    }

    fn blanks(&self) -> Blanks {
        let mut names: Vec<&str> = Vec::new();
        let mut answers: BTreeMap<&str, Vec<Answer>> = BTreeMap::new();
        for answer in &self.answers {
            let Some(name) = answer.blank_id.as_deref() else { continue };
            let own = answers.entry(name).or_insert_with(|| {
                names.push(name);
                Vec::new()
            });
            own.push(answer.clone());
        }
        // Those that the sentence does not have stand last.
        let places = marked(&self.question_text);
        names.sort_by_key(|name| places.get(name).copied().unwrap_or(usize::MAX));
        let mut blank = |name: &str| {
            let answers = answers.remove(name).unwrap_or_default();
            let answer = match self.question_type {
                QuestionType::MultipleDropdowns => BlankAnswer::Dropdown(choices(&answers)),
                _ => BlankAnswer::Typed(typed(&answers)),
            };
            Blank { name: name.to_owned(), answer }
        };
        Blanks { blanks: names.into_iter().map(&mut blank).collect(), ..Blanks::default() }
    }

    fn matching(&self) -> Matching {
        let mut right = Halves::default();
        let mut left = Vec::new();
        let distractors = self.question_data.matching_answer_incorrect_matches.as_deref().unwrap_or_default();
        for answer in &self.answers {
            let half = answer.right.clone().unwrap_or_default();
            left.push(Left {
                id: id(answer),
                text: Text::Plain(answer.left.clone().unwrap_or_else(|| answer.text.clone())),
                feedback: comments(answer),
                right: right.id(&half, answer.match_id),
            });
        }
        for line in distractors.lines().map(str::trim).filter(|line| !line.is_empty()) {
            right.id(line, None);
        }
        Matching { left, right: right.choices, shuffled: true, partial: true }
    }

    fn formula(&self) -> Formula {
        let data = &self.question_data;
        let formula = |value: &Value| value.get("formula").unwrap_or(value).as_str().map(str::to_owned);
        let tolerance = data.answer_tolerance.as_ref().map(text_of).unwrap_or_default();
        Formula {
            formulas: list(data.formulas.as_ref()).filter_map(formula).collect(),
            variables: list(data.variables.as_ref())
                .map(|variable| Variable {
                    name: member(variable, "name"),
                    min: member(variable, "min"),
                    max: member(variable, "max"),
                    scale: member(variable, "scale").parse().unwrap_or_default(),
                })
                .collect(),
            percent: tolerance.trim_end().ends_with('%'),
            tolerance: tolerance.trim().trim_end_matches('%').trim_end().to_owned(),
            decimal_places: data.formula_decimal_places.unwrap_or_default(),
            solutions: self
                .answers
                .iter()
                .filter_map(|answer| {
                    let inputs = list(answer.variables.as_ref());
                    let inputs = inputs.map(|input| (member(input, "name"), member(input, "value"))).collect();
                    let output = answer.answer.or_else(|| answer.text.trim().parse().ok())?;
                    Some(Solution { inputs, output: written(output) })
                })
                .collect(),
        }
    }
}

/// The number as authors write it: `4` rather than `4.0`.
pub(super) fn written(number: f64) -> String {
    number.to_string()
}

fn first_given(html: Option<&String>, text: &str) -> String {
    html.filter(|html| !html.is_empty()).cloned().unwrap_or_else(|| text.to_owned())
}

fn id(answer: &Answer) -> String {
    answer.id.map_or_else(|| "0".to_owned(), |id| id.to_string())
}

fn comments(answer: &Answer) -> String {
    first_given(answer.comments_html.as_ref(), &answer.comments)
}

fn choice(answer: &Answer) -> Choice {
    let html = answer.html.clone().filter(|html| !html.is_empty());
    Choice {
        id: id(answer),
        text: html.map_or_else(|| Text::Plain(answer.text.clone()), Text::Html),
        feedback: comments(answer),
        right: answer.is_right(),
        points: None,
    }
}

fn choices(answers: &[Answer]) -> Choices {
    Choices { options: answers.iter().map(choice).collect(), ..Choices::default() }
}

fn typed(answers: &[Answer]) -> Typed {
    let accepted = answers.iter().map(|answer| Choice { right: true, ..choice(answer) }).collect();
    Typed { accepted, ..Typed::default() }
}

fn is_false(choice: &Choice) -> bool {
    ["false", "no", "wrong", "falsch", "faux", "falso"].contains(&choice.text.plain().trim().to_lowercase().as_str())
}

/// Right halves: each stands only once, however many left halves it belongs to.
#[derive(Default)]
struct Halves {
    choices: Vec<Choice>,
    /// Their ids by their texts.
    ids: BTreeMap<String, i64>,
    taken: BTreeSet<i64>,
    /// No id below it is free.
    next: i64,
}

impl Halves {
    /// The id of a half: the one that it has, the one that is given if that is free, or the next.
    fn id(&mut self, text: &str, given: Option<i64>) -> String {
        if let Some(known) = self.ids.get(text) {
            return known.to_string();
        }
        let id = given.filter(|id| !self.taken.contains(id)).unwrap_or_else(|| {
            self.next = self.next.max(1);
            while self.taken.contains(&self.next) {
                self.next = self.next.saturating_add(1);
            }
            self.next
        });
        self.taken.insert(id);
        self.ids.insert(text.to_owned(), id);
        let own = Choice { id: id.to_string(), text: Text::Plain(text.to_owned()), ..Choice::default() };
        self.choices.push(own);
        id.to_string()
    }
}

/// The place of what stands in brackets in a text, the first time.
fn marked(text: &str) -> BTreeMap<&str, usize> {
    let mut places = BTreeMap::new();
    for (place, _) in text.match_indices('[') {
        let inner = text.get(place + 1..).unwrap_or_default();
        // A name has no brackets: looking on for an end that never comes would make many of them slow.
        let end = inner.find(['[', ']']).filter(|end| inner.get(*end..).is_some_and(|rest| rest.starts_with(']')));
        if let Some(name) = end.and_then(|end| inner.get(..end)) {
            places.entry(name).or_insert(place);
        }
    }
    places
}

fn number(answer: &Answer) -> Option<Number> {
    let guessed = match (answer.start, answer.approximate) {
        (Some(_), _) => NumericalAnswerType::Range,
        (None, Some(_)) => NumericalAnswerType::Precision,
        (None, None) => NumericalAnswerType::Exact,
    };
    let accepted = match answer.numerical_answer_type.unwrap_or(guessed) {
        NumericalAnswerType::Exact => {
            let value = written(answer.exact.or_else(|| answer.text.trim().parse().ok())?);
            match answer.margin.filter(|margin| *margin > 0.0) {
                Some(margin) => Accepted::Margin { value, margin: written(margin), percent: false },
                None => Accepted::Exact { value },
            }
        }
        NumericalAnswerType::Range => Accepted::Range { start: written(answer.start?), end: written(answer.end?) },
        NumericalAnswerType::Precision => Accepted::Precise {
            value: written(answer.approximate?),
            precision: answer.precision?.to_string(),
            significant: true,
        },
    };
    Some(Number { id: id(answer), accepted, feedback: comments(answer) })
}

/// The members of a list, or of an object that stands for one.
fn list(value: Option<&Value>) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Some(Value::Array(list)) => Box::new(list.iter()),
        Some(Value::Object(object)) => Box::new(object.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn member(value: &Value, name: &str) -> String {
    value.get(name).map(text_of).unwrap_or_default()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| if value.is_null() { String::new() } else { value.to_string() }, str::to_owned)
}
