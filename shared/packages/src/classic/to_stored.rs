//! From the model to what is stored.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Answer, ClassicQuestion, NumericalAnswerType, QuestionData, QuestionType};
use crate::html;
use crate::model::{
    Accepted, BlankAnswer, Blanks, Categorization, Choice, Choices, Formula, Interaction, Matching, Number, Ordering,
    Question, Report, Text, TextRule, Typed,
};

const RIGHT: f64 = 100.0;
const MAX_ID: i64 = 999_999_999_999;
/// The most answers of a question whose blanks each have a list of all words.
const MAX_LISTED_WORDS: usize = 20_000;

impl ClassicQuestion {
    /// The question as a classic quiz has it; `None` if it has none that is like it. The report tells what is different.
    pub fn of(question: &Question, report: &mut Report) -> Option<Self> {
        let mut notes = Notes { question, report };
        let (question_type, mut answers, data) = stored(question, &mut notes)?;
        tell_lost(question, &mut notes);
        number(&mut answers);
        let (correct_comments, correct_comments_html) = comments(&question.feedback.correct);
        let (incorrect_comments, incorrect_comments_html) = comments(&question.feedback.incorrect);
        let (neutral_comments, neutral_comments_html) = comments(&question.feedback.neutral);
        Some(Self {
            question_name: question.title.clone(),
            question_type,
            question_text: question.body.clone(),
            points_possible: Some(question.points),
            correct_comments,
            incorrect_comments,
            neutral_comments,
            answers,
            question_data: QuestionData {
                correct_comments_html,
                incorrect_comments_html,
                neutral_comments_html,
                ..data
            },
        })
    }
}

struct Notes<'a> {
    question: &'a Question,
    report: &'a mut Report,
}

impl Notes<'_> {
    fn note(&mut self, message: &str) {
        self.report.note(self.question.title.as_str(), message);
    }
}

/// Tells what no classic quiz has a place for.
fn tell_lost(question: &Question, notes: &mut Notes<'_>) {
    if question.calculator.as_ref().is_some_and(|calculator| calculator != "none") {
        notes.note("its calculator is left out: classic quizzes have none");
    }
    match &question.interaction {
        Interaction::Essay(own) => {
            if own.word_limit == Some(true) || own.word_count == Some(true) {
                notes.note("that words are counted, and how many there may be, is left out");
            }
            if !own.notes.is_empty() {
                notes.note("its notes for graders are left out");
            }
        }
        Interaction::FileUpload(own) if own.count.is_some() || !own.types.is_empty() => {
            notes.note("how many files there may be, and which suffixes they have, is left out");
        }
        Interaction::Ordering(own) if own.labelled => notes.note("the labels above and below are left out"),
        _ => {}
    }
    let mut halves: Box<dyn Iterator<Item = &Text>> = match &question.interaction {
        Interaction::Matching(own) => {
            Box::new(own.left.iter().map(|left| &left.text).chain(own.right.iter().map(|right| &right.text)))
        }
        Interaction::Categorization(own) => {
            let answers = own.answers.iter().map(|answer| &answer.text);
            Box::new(answers.chain(own.categories.iter().map(|category| &category.text)))
        }
        Interaction::Ordering(own) => Box::new(own.items.iter().map(|item| &item.text)),
        _ => Box::new(std::iter::empty()),
    };
    if halves.any(Text::has_media) {
        notes.note("pictures, formulas and the like in its halves are left out: these are plain text");
    }
}

fn stored(question: &Question, notes: &mut Notes<'_>) -> Option<(QuestionType, Vec<Answer>, QuestionData)> {
    let (question_type, answers) = match &question.interaction {
        Interaction::Choice(choices) => {
            if choices.options.iter().any(|choice| choice.points.is_some()) {
                notes.note("the points of single choices are left out");
            }
            (QuestionType::MultipleChoice, options(choices))
        }
        Interaction::MultipleAnswers(choices) => (QuestionType::MultipleAnswers, options(choices)),
        Interaction::TrueFalse(choices) => (QuestionType::TrueFalse, options(choices)),
        Interaction::ShortAnswer(typed) => (QuestionType::ShortAnswer, accepted(typed, notes)),
        Interaction::Blanks(blanks) => filled(blanks, notes)?,
        Interaction::Matching(matching) => return Some(matched(matching)),
        Interaction::Categorization(own) => return Some(categorized(own, notes)),
        Interaction::Ordering(own) => return Some(ordered(own, notes)),
        Interaction::Numeric(numbers) => {
            (QuestionType::Numerical, numbers.iter().filter_map(|number| numeric(number, notes)).collect())
        }
        Interaction::Formula(formula) => return Some(calculated(formula)),
        Interaction::Essay(_) => (QuestionType::Essay, Vec::new()),
        Interaction::FileUpload(_) => (QuestionType::FileUpload, Vec::new()),
        Interaction::HotSpot(_) => {
            notes.note("classic quizzes have no hot spots");
            return None;
        }
        Interaction::TextOnly => (QuestionType::TextOnly, Vec::new()),
    };
    Some((question_type, answers, QuestionData::default()))
}

fn answer(choice: &Choice) -> Answer {
    let html = match &choice.text {
        Text::Html(html) if html::is_html(html) => Some(html.clone()),
        _ => None,
    };
    let (comments, comments_html) = comments(&choice.feedback);
    Answer {
        id: choice.id.parse().ok(),
        text: choice.text.plain().into_owned(),
        html,
        comments,
        comments_html,
        weight: if choice.right { RIGHT } else { 0.0 },
        ..Answer::default()
    }
}

/// The text of a comment, and the comment itself where it is more than text. Both are HTML, and shown as such.
fn comments(feedback: &str) -> (String, Option<String>) {
    match feedback.contains('<') {
        true => (html::escaped(&html::plain(feedback)), Some(feedback.to_owned())),
        false => (feedback.to_owned(), None),
    }
}

fn options(choices: &Choices) -> Vec<Answer> {
    choices.options.iter().map(answer).collect()
}

fn accepted(typed: &Typed, notes: &mut Notes<'_>) -> Vec<Answer> {
    match typed.rule {
        TextRule::Same => {}
        TextRule::Contains => notes.note("an answer has to be the accepted text; it was enough to contain it"),
        TextRule::CloseEnough { .. } => notes.note("an answer has to be the accepted text; misspelling it was allowed"),
        TextRule::Regex => notes.note("an answer has to be the accepted text, which was a regular expression"),
    }
    typed.accepted.iter().map(|choice| Answer { weight: RIGHT, ..answer(choice) }).collect()
}

/// Blanks of one kind keep it. Those of a bank of words choose from all words; those of several kinds are typed.
fn filled(blanks: &Blanks, notes: &mut Notes<'_>) -> Option<(QuestionType, Vec<Answer>)> {
    let of_words = blanks.blanks.iter().filter(|blank| matches!(blank.answer, BlankAnswer::Word(_))).count();
    if of_words.saturating_mul(blanks.words.len()) > MAX_LISTED_WORDS {
        notes.note(&format!("its blanks would have more than {MAX_LISTED_WORDS} words to choose from: it is left out"));
        return None;
    }
    let is_typed = |answer: &BlankAnswer| matches!(answer, BlankAnswer::Typed(_));
    let some_typed = blanks.blanks.iter().any(|blank| is_typed(&blank.answer));
    if some_typed && !blanks.blanks.iter().all(|blank| is_typed(&blank.answer)) {
        notes.note("all blanks are typed; some were chosen");
    } else if !blanks.words.is_empty() {
        notes.note("blanks are chosen from lists; they shared a bank of words");
    }
    let mut answers = Vec::new();
    for blank in &blanks.blanks {
        let own = match &blank.answer {
            BlankAnswer::Typed(typed) => accepted(typed, notes),
            BlankAnswer::Dropdown(choices) => options(choices),
            BlankAnswer::Word(id) => {
                let word = |word: &Choice| answer(&Choice { right: word.id == *id, ..word.clone() });
                blanks.words.iter().map(word).collect()
            }
        };
        let kept = own.into_iter().filter(|answer| !some_typed || answer.is_right());
        // The same word in two blanks is two answers.
        answers.extend(kept.map(|answer| Answer { blank_id: Some(blank.name.clone()), ..answer }));
    }
    let question_type = if some_typed { QuestionType::FillInMultipleBlanks } else { QuestionType::MultipleDropdowns };
    Some((question_type, answers))
}

fn matched(matching: &Matching) -> (QuestionType, Vec<Answer>, QuestionData) {
    // Of several halves with an id, the first counts.
    let halves: BTreeMap<_, _> = matching.right.iter().rev().map(|choice| (choice.id.as_str(), choice)).collect();
    let half = |id: &str| halves.get(id);
    let pairs = matching.left.iter().map(|left| {
        let right = half(&left.right).map(|choice| choice.text.plain().into_owned()).unwrap_or_default();
        pair(&left.id, left.text.plain().into_owned(), right, &left.feedback)
    });
    let matched: BTreeSet<_> = matching.left.iter().map(|left| left.right.as_str()).collect();
    let distractors = matching.right.iter().filter(|choice| !matched.contains(choice.id.as_str()));
    let distractors: Vec<_> = distractors.map(|choice| choice.text.plain().into_owned()).collect();
    pairs_of(pairs.collect(), distractors)
}

fn pair(id: &str, left: String, right: String, feedback: &str) -> Answer {
    let (comments, comments_html) = comments(feedback);
    Answer {
        id: id.parse().ok(),
        text: left.clone(),
        comments,
        comments_html,
        weight: RIGHT,
        left: Some(left),
        right: Some(right),
        ..Answer::default()
    }
}

/// The same right half has the same id, whichever left half it belongs to.
fn pairs_of(mut pairs: Vec<Answer>, distractors: Vec<String>) -> (QuestionType, Vec<Answer>, QuestionData) {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for pair in &mut pairs {
        let next = numbers.len() + 1;
        let number = *numbers.entry(pair.right.clone().unwrap_or_default()).or_insert(next);
        pair.match_id = i64::try_from(number).ok();
    }
    let lines = Some(distractors.join("\n")).filter(|lines| !lines.is_empty());
    let data = QuestionData { matching_answer_incorrect_matches: lines, ..QuestionData::default() };
    (QuestionType::Matching, pairs, data)
}

fn categorized(own: &Categorization, notes: &mut Notes<'_>) -> (QuestionType, Vec<Answer>, QuestionData) {
    notes.note("each answer is matched with its category; answers were put into categories");
    let mut pairs = Vec::new();
    let members = own.categories.iter().rev().flat_map(|own| own.members.iter().map(move |member| (member, own)));
    let categories: BTreeMap<_, _> = members.collect();
    for member in &own.answers {
        match categories.get(&member.id) {
            Some(category) => {
                let (left, right) = (member.text.plain().into_owned(), category.text.plain().into_owned());
                pairs.push(pair(&member.id, left, right, &member.feedback));
            }
            None => {
                notes.note(&format!("\u{201c}{}\u{201d}, which is of no category, is left out", member.text.plain()))
            }
        }
    }
    pairs_of(pairs, Vec::new())
}

fn ordered(own: &Ordering, notes: &mut Notes<'_>) -> (QuestionType, Vec<Answer>, QuestionData) {
    notes.note("each place is matched with what belongs there; it was put into order");
    let places = (1..).zip(&own.items);
    let pairs = places.map(|(place, item): (i64, _)| {
        pair(&place.to_string(), place.to_string(), item.text.plain().into_owned(), &item.feedback)
    });
    pairs_of(pairs.collect(), Vec::new())
}

fn numeric(own: &Number, notes: &mut Notes<'_>) -> Option<Answer> {
    let mut number = |text: &str| {
        let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            notes.note(&format!("\u{201c}{text}\u{201d} is no number, and is left out"));
        }
        number
    };
    let (comments, comments_html) = comments(&own.feedback);
    let common = Answer { id: own.id.parse().ok(), comments, comments_html, weight: RIGHT, ..Answer::default() };
    Some(match &own.accepted {
        Accepted::Exact { value } => exact(common, number(value)?, 0.0),
        Accepted::Margin { value, margin, percent: false } => exact(common, number(value)?, number(margin)?),
        Accepted::Margin { value, margin, percent: true } => {
            let value = number(value)?;
            let margin = value.abs() * number(margin)? / 100.0;
            notes.note("a margin in percent is kept as a number");
            exact(common, value, margin)
        }
        Accepted::Range { start, end } => range(common, number(start)?, number(end)?),
        Accepted::Precise { value, precision, significant: true } => Answer {
            numerical_answer_type: Some(NumericalAnswerType::Precision),
            approximate: Some(number(value)?),
            precision: Some(precision.trim().parse().ok()?),
            ..common
        },
        Accepted::Precise { value, precision, significant: false } => {
            let (value, places): (_, i32) = (number(value)?, precision.trim().parse().ok()?);
            notes.note("a number of decimal places is kept as a range");
            let half = 0.5 * 10_f64.powi(-places);
            range(common, value - half, value + half)
        }
    })
}

fn exact(common: Answer, value: f64, margin: f64) -> Answer {
    let (exact, margin) = (Some(value), Some(margin));
    Answer { numerical_answer_type: Some(NumericalAnswerType::Exact), exact, margin, ..common }
}

fn range(common: Answer, start: f64, end: f64) -> Answer {
    Answer { numerical_answer_type: Some(NumericalAnswerType::Range), start: Some(start), end: Some(end), ..common }
}

fn calculated(formula: &Formula) -> (QuestionType, Vec<Answer>, QuestionData) {
    let number = |text: &str| text.trim().parse::<f64>().map_or_else(|_| json!(text), |number| json!(number));
    let solution = |solution: &crate::model::Solution| {
        let inputs = solution.inputs.iter().map(|(name, value)| json!({"name": name, "value": number(value)}));
        Answer {
            weight: RIGHT,
            variables: Some(inputs.collect()),
            answer: solution.output.trim().parse().ok(),
            ..Answer::default()
        }
    };
    let variables = formula
        .variables
        .iter()
        .map(|own| json!({"name": own.name, "min": number(&own.min), "max": number(&own.max), "scale": own.scale}));
    let tolerance = match formula.percent {
        true => json!(format!("{}%", formula.tolerance)),
        false => number(&formula.tolerance),
    };
    let data = QuestionData {
        variables: Some(Value::Array(variables.collect())),
        formulas: Some(formula.formulas.iter().map(|formula| json!({"formula": formula})).collect()),
        answer_tolerance: Some(tolerance),
        formula_decimal_places: Some(formula.decimal_places),
        ..QuestionData::default()
    };
    (QuestionType::Calculated, formula.solutions.iter().map(solution).collect(), data)
}

/// Each answer keeps its id, if it may have it, or gets the next one.
fn number(answers: &mut [Answer]) {
    let mut taken = BTreeSet::new();
    for answer in answers.iter_mut() {
        answer.id = answer.id.filter(|id| (1..=MAX_ID).contains(id) && taken.insert(*id));
    }
    let mut free = (1..).filter(|id| !taken.contains(id));
    for answer in answers.iter_mut().filter(|answer| answer.id.is_none()) {
        answer.id = free.next();
    }
}
