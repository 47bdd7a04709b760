//! Reads the file of a quiz, and adds what it says to the quiz that the standard has told.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{BLANK, ITEM, SPOT};
use crate::model::{Bank, BlankAnswer, Blanks, Entry, Group, HotSpot, Interaction, Question, Quiz, Report};
use crate::points;
use crate::qti12::read as qti12;
use crate::xml::Element;

/// The most levels of lists and objects in a setting.
const MAX_LEVELS: usize = 5;

/// The file of a quiz, read.
pub(crate) struct Extension<'a>(&'a Element);

/// The file as such; none if it is something else.
pub(crate) fn read(root: &Element) -> Option<Extension<'_>> {
    (root.name == "quiz").then_some(Extension(root))
}

impl Extension<'_> {
    /// Adds what it says to its quiz; none of another. Banks whose questions stand in the quiz become banks again.
    pub(crate) fn add_to(&self, quiz: &mut Quiz, banks: &mut Vec<Bank>, report: &mut Report) {
        if self.0.attribute("identifier") != Some(quiz.id.as_str()) {
            report.note(quiz.title.as_str(), "the file of Lectern beside it is that of another quiz, and is left out");
            return;
        }
        if let Some(settings) = self.0.first("settings") {
            qti12::settings(settings, quiz, report);
        }
        if let Some(assignment) = self.0.first("assignment") {
            let points = assignment.content_at(&["points_possible"]);
            points::tell(points.as_deref(), "it gives what its questions do", &quiz.title, report);
            quiz.settings.points_possible = points.as_deref().and_then(points::read);
            quiz.settings.grading_type = assignment.content_at(&["grading_type"]);
            qti12::grading(assignment, &mut quiz.settings);
        }
        if let Some(own) = self.0.first("new_quiz_settings") {
            quiz.settings.new_quiz = Some(members(own, 0));
        }
        self.add_stimuli(quiz);
        // A draw takes its questions into a bank, as they are then.
        self.add_questions(quiz);
        self.add_draws(quiz, banks, report);
    }

    fn add_draws(&self, quiz: &mut Quiz, banks: &mut Vec<Bank>, report: &mut Report) {
        let draws = self.0.first("draws").into_iter().flat_map(|draws| draws.all("draw"));
        let draws: BTreeMap<_, _> = draws.filter_map(|draw| Some((draw.attribute("section")?, draw))).collect();
        for entry in &mut quiz.entries {
            let Entry::Group(group) = entry else { continue };
            let Some(draw) = draws.get(group.id.as_str()) else { continue };
            group.pick_count = draw.attribute("count").and_then(|count| count.parse().ok());
            let points = draw.attribute("points");
            points::tell(points, "each question is worth what the quiz says without it", &group.title, report);
            group.points = points.and_then(points::read).or(group.points);
            if let Some(bank) = draw.attribute("bank").filter(|_| group.bank.is_none()) {
                give_back(group, bank, draw.attribute("bank_title").unwrap_or_default(), banks, report);
            }
        }
    }

    fn add_stimuli(&self, quiz: &mut Quiz) {
        let known = self.0.first("stimuli").into_iter().flat_map(|stimuli| stimuli.all("stimulus"));
        let known: BTreeMap<_, _> = known.filter_map(|own| Some((own.attribute("identifier")?, own))).collect();
        for entry in &mut quiz.entries {
            let Entry::Stimulus(stimulus) = entry else { continue };
            let Some(own) = known.get(stimulus.id.as_str()) else { continue };
            let orientation = own.attribute("orientation").filter(|own| matches!(*own, "top" | "left"));
            stimulus.orientation = orientation.unwrap_or("left").to_owned();
            stimulus.source_url = own.attribute("source_url").unwrap_or_default().to_owned();
            stimulus.passage = own.attribute("passage") == Some("true");
        }
    }

    fn add_questions(&self, quiz: &mut Quiz) {
        let known = self.0.first("questions").into_iter().flat_map(|questions| questions.all("question"));
        let known: BTreeMap<_, _> = known.filter_map(|own| Some((own.attribute("identifier")?, own))).collect();
        let add = |question: &mut Question| {
            let Some(own) = known.get(question.id.as_str()) else { return };
            question.calculator = own.attribute("calculator").map(str::to_owned);
            question.stimulus = own.attribute("stimulus").map(str::to_owned);
            match &mut question.interaction {
                Interaction::HotSpot(hot_spot) => add_spots(hot_spot, own),
                Interaction::Blanks(blanks) => add_shown_texts(blanks, own),
                _ => {}
            }
        };
        for entry in &mut quiz.entries {
            match entry {
                Entry::Question(question) => add(question),
                Entry::Group(group) => group.questions.iter_mut().for_each(add),
                Entry::Stimulus(_) => {}
            }
        }
    }
}

/// Gives the spots of a list their ids; a file that knows another number of them is of another question.
fn add_spots(hot_spot: &mut HotSpot, own: &Element) {
    let ids: Vec<_> = own.all(SPOT).filter_map(|spot| spot.attribute("identifier")).collect();
    if ids.is_empty() || ids.len() != hot_spot.spots.len() {
        return;
    }
    for (spot, id) in hot_spot.spots.iter_mut().zip(&ids) {
        spot.id = (*id).to_owned();
    }
    hot_spot.places = hot_spot.places.or(Some(1));
}

/// Gives typed blanks the texts that are shown in their places.
fn add_shown_texts(blanks: &mut Blanks, own: &Element) {
    let texts = own.all(BLANK).filter_map(|blank| Some((blank.attribute("name")?, blank.attribute("text")?)));
    let texts: BTreeMap<_, _> = texts.collect();
    for blank in &mut blanks.blanks {
        if let BlankAnswer::Typed(typed) = &mut blank.answer {
            typed.shown = texts.get(blank.name.as_str()).map(|text| (*text).to_owned());
        }
    }
}

/// Makes the questions of a group those of its bank again. The group keeps them where the bank is another one than the file
/// says.
fn give_back(group: &mut Group, bank: &str, title: &str, banks: &mut Vec<Bank>, report: &mut Report) {
    let prefix = format!("{}-", group.id);
    let own = |question: &Question| {
        let id = question.id.strip_prefix(&prefix).unwrap_or(&question.id).to_owned();
        Entry::Question(Question { id, ..question.clone() })
    };
    let entries: Vec<_> = group.questions.iter().map(own).collect();
    match banks.iter().find(|known| known.id == bank) {
        Some(known) if !are_same(&known.entries, &entries) => {
            let message =
                "its questions are others than those of the bank that it says it draws from: it keeps its own";
            report.note(group.title.as_str(), message);
            return;
        }
        Some(_) => {}
        None => banks.push(Bank { id: bank.to_owned(), title: title.to_owned(), entries }),
    }
    group.questions.clear();
    group.bank = Some(bank.to_owned());
}

/// True if these are the same questions, whatever they are worth: that is a matter of the draw.
fn are_same(one: &[Entry], other: &[Entry]) -> bool {
    let pairs = one.iter().zip(other).map(|pair| match pair {
        (Entry::Question(one), Entry::Question(other)) => Question { points: other.points, ..one.clone() } == *other,
        (one, other) => one == other,
    });
    one.len() == other.len() && pairs.into_iter().all(|same| same)
}

/// The members of a setting: texts, lists of them, or settings themselves.
fn members(own: &Element, level: usize) -> Map<String, Value> {
    own.elements().map(|child| (child.name.clone(), value(child, level))).collect()
}

fn value(own: &Element, level: usize) -> Value {
    let is_list = own.elements().all(|child| child.name == ITEM);
    match own.elements().next() {
        Some(_) if level < MAX_LEVELS && is_list => {
            Value::Array(own.elements().map(|child| value(child, level + 1)).collect())
        }
        Some(_) if level < MAX_LEVELS => Value::Object(members(own, level + 1)),
        _ => Value::String(own.content()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_are_too_large_are_told_and_those_of_the_quiz_stay() {
        let root = crate::xml::parse(
            b"<quiz identifier='q'><assignment><points_possible>1e308</points_possible></assignment>
              <draws><draw section='g' points='1e308'/></draws></quiz>",
        );
        let group = Group { id: "g".to_owned(), points: Some(2.0), ..Group::default() };
        let mut quiz = Quiz { id: "q".to_owned(), entries: vec![Entry::Group(group)], ..Quiz::default() };
        let mut report = Report::default();
        read(&root.unwrap()).unwrap().add_to(&mut quiz, &mut Vec::new(), &mut report);
        assert_eq!(quiz.settings.points_possible, None);
        assert!(matches!(&quiz.entries[..], [Entry::Group(group)] if group.points == Some(2.0)));
        assert_eq!(report.notes.len(), 2, "{report}");
    }
}
