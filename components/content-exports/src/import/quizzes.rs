//! The quizzes and banks of a package as rows: of classic quizzes, and of new ones.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::classic::{ClassicQuestion, QuestionType};
use content_packages::model::{Bank, Entry, Group, Quiz, Stimulus};
use serde_json::{Value, json};
use shared::Result;

use crate::import::fields::{Dates, state, title};
use crate::import::items::{question, size, stimulus, worth};
use crate::import::references::Settled;
use crate::import::room::{BankSize, Room};
use crate::import::rows::Rows;
use crate::import::texts::Texts;
use crate::model::quiz_settings;
use crate::package::quizzes::{ITEM_BANK, NEW_QUIZ};
use crate::work::Work;

/// The package's banks by their ids there: their numbers, and how many questions each has.
type Banks = BTreeMap<String, (i64, i64)>;

/// Quizzes with what belongs to them. Rows name each other by their numbers. `None`: there are none of the kind.
pub(crate) struct Quizzes {
    pub(crate) classic: Option<ClassicRows>,
    pub(crate) new: Option<NewRows>,
}

/// What comes into a course as one kind of quizzes.
#[derive(Default)]
pub(super) struct OfKind {
    pub(super) quizzes: Vec<Quiz>,
    banks: Vec<Bank>,
}

impl OfKind {
    /// `None` where there is nothing.
    fn found(self) -> Option<Self> {
        Some(self).filter(|found| !found.quizzes.is_empty() || !found.banks.is_empty())
    }
}

/// The rows of all quizzes and banks.
pub(super) async fn rows(work: &Work, classic: OfKind, new: OfKind, texts: &mut Texts<'_>) -> Result<Quizzes> {
    let classic = match classic.found() {
        Some(OfKind { quizzes, banks }) => Some(as_classic(work, quizzes, banks, texts).await?),
        None => None,
    };
    let new = match new.found() {
        Some(OfKind { quizzes, banks }) => Some(as_new_quizzes(work, quizzes, banks, texts).await?),
        None => None,
    };
    Ok(Quizzes { classic, new })
}

/// Classic quizzes and new ones: all new if `as_new` says so, and classic if it denies it. Without a word each quiz stays
/// what our own packages say that it was; those of others are classic. Each kind has the banks that it draws from; of a
/// bank that nobody draws from, the name tells the kind.
pub(super) fn divided(as_new: Option<bool>, quizzes: Vec<Quiz>, banks: Vec<Bank>) -> (OfKind, OfKind) {
    let (new, classic): (Vec<_>, Vec<_>) =
        quizzes.into_iter().partition(|quiz| as_new.unwrap_or_else(|| quiz.id.starts_with(NEW_QUIZ)));
    let (by_classic, by_new) = (drawn(&classic), drawn(&new));
    let mut classic = OfKind { quizzes: classic, banks: Vec::new() };
    let mut new = OfKind { quizzes: new, banks: Vec::new() };
    for bank in banks {
        let is_new = as_new.unwrap_or_else(|| bank.id.starts_with(ITEM_BANK));
        match (by_classic.contains(&bank.id), by_new.contains(&bank.id)) {
            (true, true) => {
                classic.banks.push(bank.clone());
                new.banks.push(bank);
            }
            (false, true) => new.banks.push(bank),
            (true, false) => classic.banks.push(bank),
            (false, false) if is_new => new.banks.push(bank),
            (false, false) => classic.banks.push(bank),
        }
    }
    (classic, new)
}

/// The ids of the banks that groups of the quizzes draw from.
fn drawn(quizzes: &[Quiz]) -> BTreeSet<String> {
    let entries = quizzes.iter().flat_map(|quiz| &quiz.entries);
    entries.filter_map(|entry| if let Entry::Group(group) = entry { group.bank.clone() } else { None }).collect()
}

impl Quizzes {
    /// Writes the places that are known now into the texts.
    pub(crate) fn settle(&mut self, settled: &Settled) {
        if let Some(ClassicRows { quizzes, questions, .. }) = &mut self.classic {
            [quizzes, questions].into_iter().for_each(|rows| rows.settle(settled));
        }
        if let Some(NewRows { quizzes, questions, stimuli, .. }) = &mut self.new {
            [quizzes, questions, stimuli].into_iter().for_each(|rows| rows.settle(settled));
        }
    }
}

/// Of classic quizzes.
#[derive(Default)]
pub(crate) struct ClassicRows {
    pub(crate) banks: Rows,
    pub(crate) quizzes: Rows,
    pub(crate) groups: Rows,
    pub(crate) questions: Rows,
    /// True if an assignment of one of the quizzes says itself how it is graded, or how grades are posted.
    pub(crate) are_graded_otherwise: bool,
}

/// Of new quizzes.
#[derive(Default)]
pub(crate) struct NewRows {
    pub(crate) banks: Rows,
    pub(crate) quizzes: Rows,
    pub(crate) questions: Rows,
    pub(crate) stimuli: Rows,
    /// The content of the banks.
    pub(crate) entries: Rows,
    /// The content of the quizzes.
    pub(crate) items: Rows,
    /// The sizes of the banks by their numbers.
    bank_sizes: BTreeMap<i64, BankSize>,
}

/// The parts of a quiz or bank, whose texts are cleaned one by one: others get their turn between them.
async fn cleaned(work: &Work, about: &str, mut entries: Vec<Entry>, texts: &mut Texts<'_>) -> Result<Vec<Entry>> {
    for entry in &mut entries {
        texts.entry(about, entry);
        work.advance(0).await?;
    }
    Ok(entries)
}

/// Classic quizzes and banks of questions.
async fn as_classic(work: &Work, quizzes: Vec<Quiz>, banks: Vec<Bank>, texts: &mut Texts<'_>) -> Result<ClassicRows> {
    let mut rows = ClassicRows::default();
    let mut known = Banks::new();
    for bank in banks {
        texts.report.begin(&bank.title);
        let number = rows.banks.push(json!({ "title": title(&bank.title) }))?;
        let entries = cleaned(work, &bank.title, bank.entries, texts).await?;
        let home = Home { bank: Some(number), ..Home::default() };
        let count = rows.add(&home, 1, &entries, texts)?;
        known.insert(bank.id, (number, count));
    }
    for mut quiz in quizzes {
        quiz.description = texts.html(&quiz.title, &quiz.description);
        quiz.entries = cleaned(work, &quiz.title, quiz.entries, texts).await?;
        texts.report.begin(&quiz.title);
        classic(&mut rows, &quiz, &known, texts)?;
    }
    Ok(rows)
}

fn classic(rows: &mut ClassicRows, quiz: &Quiz, banks: &Banks, texts: &mut Texts<'_>) -> Result<()> {
    const TYPES: [&str; 4] = ["practice_quiz", "assignment", "graded_survey", "survey"];
    let settings = &quiz.settings;
    let kind = settings.quiz_type.as_deref().filter(|kind| TYPES.contains(kind)).unwrap_or("practice_quiz");
    let grading = grading_type(settings.grading_type.as_deref());
    quiz_settings::tell_lost_of_new_quiz(settings, &quiz.title, texts.report);
    let dates = dates(quiz, texts);
    let number = rows.quizzes.push(json!({
        "title": title(&quiz.title),
        "description": quiz.description,
        "kind": kind,
        "settings": quiz_settings::classic(settings, &quiz.title, texts.report),
        "due_at": dates.due_at,
        "lock_at": dates.lock_at,
        "unlock_at": dates.unlock_at,
        "published": settings.published.unwrap_or(false),
        "grading": grading,
        "anonymous": settings.anonymous_grading.unwrap_or(false),
        "post_manually": settings.post_manually,
        "attempts": settings.attempts_of_assignment,
    }))?;
    rows.are_graded_otherwise |= grading != "points"
        || settings.anonymous_grading == Some(true)
        || settings.post_manually.is_some()
        || settings.attempts_of_assignment.is_some();
    let mut position = 1;
    let mut rest = quiz.entries.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let home = Home { quiz: Some(number), ..Home::default() };
        if let Entry::Group(group) = first {
            classic_group(rows, &home, position, group, banks, texts)?;
            position += 1;
        } else {
            position += rows.add(&home, position, std::slice::from_ref(first), texts)?;
        }
        rest = others;
    }
    Ok(())
}

/// The dates of a quiz.
fn dates(quiz: &Quiz, texts: &mut Texts<'_>) -> Dates {
    let own = &quiz.settings;
    let given = Dates { due_at: own.due_at.clone(), unlock_at: own.unlock_at.clone(), lock_at: own.lock_at.clone() };
    Dates::of(&given, &quiz.title, texts.report)
}

fn classic_group(
    rows: &mut ClassicRows,
    home: &Home,
    position: i64,
    group: &Group,
    banks: &Banks,
    texts: &mut Texts<'_>,
) -> Result<()> {
    texts.report.end_question();
    let bank = bank_of(group, banks, texts);
    let all = i64::try_from(group.questions.len()).unwrap_or_default();
    let all = bank.map_or(all, |(_, count)| count);
    let points = group.points.or_else(|| group.questions.first().map(|question| question.points));
    let number = rows.groups.push(json!({
        "quiz": home.quiz,
        "name": Some(title(&group.title)).filter(|_| !group.title.trim().is_empty()),
        "pick_count": group.pick_count.map_or(all, i64::from),
        "points": points,
        "bank": bank.map(|(number, _)| number),
        "position": position,
    }))?;
    let entries: Vec<_> = group.questions.iter().cloned().map(Entry::Question).collect();
    rows.add(&Home { quiz: home.quiz, group: Some(number), bank: None }, 1, &entries, texts)?;
    Ok(())
}

/// The bank that a group draws from. One that the package does not have is noted.
fn bank_of(group: &Group, banks: &Banks, texts: &mut Texts<'_>) -> Option<(i64, i64)> {
    let bank = group.bank.as_ref()?;
    let known = banks.get(bank).copied();
    if known.is_none() && group.questions.is_empty() {
        texts.report.note(&group.title, "it draws from a bank that is not in the package: there is nothing to draw");
    }
    known
}

/// The owners of classic questions, by the numbers of these.
#[derive(Default)]
struct Home {
    quiz: Option<i64>,
    group: Option<i64>,
    bank: Option<i64>,
}

impl ClassicRows {
    /// Adds questions from that position on, and tells how many there are. A question that no classic quiz can ask is
    /// left out, and reported. Questions of a group have no position.
    fn add(&mut self, home: &Home, first: i64, entries: &[Entry], texts: &mut Texts<'_>) -> Result<i64> {
        let mut count = 0;
        for entry in entries {
            let question = match entry {
                Entry::Question(question) => {
                    texts.report.next_question();
                    ClassicQuestion::of(question, texts.report)
                }
                Entry::Stimulus(stimulus) => Some(read_only(stimulus)),
                Entry::Group(_) => None,
            };
            let Some(question) = question else { continue };
            let mut row = stored(question);
            if let Some(members) = row.as_object_mut() {
                let position = home.group.is_none().then_some(first + count);
                let place = [("quiz", home.quiz), ("group", home.group), ("bank", home.bank), ("position", position)];
                members.extend(place.map(|(name, value)| (name.to_owned(), json!(value))));
            }
            self.questions.push(row)?;
            count += 1;
        }
        Ok(count)
    }
}

/// A text beside questions is a question without an answer.
fn read_only(stimulus: &Stimulus) -> ClassicQuestion {
    ClassicQuestion {
        question_name: stimulus.title.clone(),
        question_type: QuestionType::TextOnly,
        question_text: format!("{}{}", stimulus.instructions, stimulus.body),
        ..ClassicQuestion::default()
    }
}

/// The question without what it has not.
fn stored(question: ClassicQuestion) -> Value {
    let mut row = json!(question);
    if let Some(data) = row.get_mut("question_data").and_then(Value::as_object_mut) {
        data.retain(|_, value| !value.is_null());
    }
    row
}

/// New quizzes and banks of items.
async fn as_new_quizzes(work: &Work, quizzes: Vec<Quiz>, banks: Vec<Bank>, texts: &mut Texts<'_>) -> Result<NewRows> {
    let mut rows = NewRows::default();
    let mut known = Banks::new();
    for bank in banks {
        let entries = cleaned(work, &bank.title, bank.entries, texts).await?;
        texts.report.begin(&bank.title);
        let number = rows.bank(&bank.title, &entries, texts)?;
        let count = i64::try_from(entries.len()).unwrap_or_default();
        known.insert(bank.id, (number, count));
    }
    for mut quiz in quizzes {
        quiz.description = texts.html(&quiz.title, &quiz.description);
        quiz.entries = cleaned(work, &quiz.title, quiz.entries, texts).await?;
        texts.report.begin(&quiz.title);
        rows.quiz(&quiz, &known, texts)?;
    }
    Ok(rows)
}

/// A type of grading, `points` unless it is another one that there is.
pub(super) fn grading_type(named: Option<&str>) -> &str {
    const TYPES: [&str; 6] = ["pass_fail", "percent", "letter_grade", "gpa_scale", "points", "not_graded"];
    named.filter(|kind| TYPES.contains(kind)).unwrap_or("points")
}

/// The content of an item of a new quiz, by its number.
enum Held {
    Question { question: i64, points: f64 },
    Stimulus(i64),
    Bank { bank: i64, sample: Option<i64>, points: f64 },
}

impl NewRows {
    fn quiz(&mut self, quiz: &Quiz, banks: &Banks, texts: &mut Texts<'_>) -> Result<()> {
        let settings = &quiz.settings;
        let dates = dates(quiz, texts);
        let number = self.quizzes.push(json!({
            "name": title(&quiz.title),
            "description": quiz.description,
            "points": settings.points_possible.unwrap_or_else(|| quiz.points_possible()),
            "grading": grading_type(settings.grading_type.as_deref()),
            "due_at": dates.due_at,
            "unlock_at": dates.unlock_at,
            "lock_at": dates.lock_at,
            "anonymous": settings.anonymous_grading.unwrap_or(false),
            "post_manually": settings.post_manually,
            "attempts": settings.attempts_of_assignment,
            "state": state(settings.published.unwrap_or(false)),
            "settings": quiz_settings::new_quiz(settings, &quiz.title, texts.report),
        }))?;
        let mut placed = Vec::with_capacity(quiz.entries.len());
        let mut room = Room::default();
        for entry in &quiz.entries {
            if let Some(held) = self.held(entry, banks, &mut room, texts)? {
                placed.push((entry, held));
            }
        }
        // A question may stand before the text that it is about, which has its number first.
        let mut stimuli = BTreeMap::new();
        for (position, (entry, held)) in (1..).zip(&placed) {
            if let Entry::Stimulus(stimulus) = entry {
                stimuli.insert(stimulus.id.as_str(), self.place(number, position, held, None)?);
            }
        }
        for (position, (entry, held)) in (1..).zip(&placed) {
            let about = match entry {
                Entry::Question(question) => question.stimulus.as_deref().and_then(|id| stimuli.get(id).copied()),
                Entry::Group(_) => None,
                Entry::Stimulus(_) => continue,
            };
            self.place(number, position, held, about)?;
        }
        Ok(())
    }

    /// The content of an entry. What no new quiz can ask is left out, and reported.
    fn held(&mut self, entry: &Entry, banks: &Banks, room: &mut Room, texts: &mut Texts<'_>) -> Result<Option<Held>> {
        match entry {
            Entry::Question(asked) => {
                let Some(row) = question(asked, texts) else { return Ok(None) };
                if !room.takes(size(&row), &asked.title, texts) {
                    return Ok(None);
                }
                let question = self.questions.push(row)?;
                let points = worth(asked.points, &asked.title, texts);
                Ok(Some(Held::Question { question, points }))
            }
            Entry::Stimulus(shown) => {
                let row = stimulus(shown);
                if !room.takes(size(&row), &shown.title, texts) {
                    return Ok(None);
                }
                self.stimuli.push(row).map(Held::Stimulus).map(Some)
            }
            Entry::Group(group) => self.drawn(group, banks, room, texts),
        }
    }

    /// A group as the bank that its questions come from: one of the package, or one of its own.
    fn drawn(&mut self, group: &Group, banks: &Banks, room: &mut Room, texts: &mut Texts<'_>) -> Result<Option<Held>> {
        texts.report.end_question();
        let bank = match bank_of(group, banks, texts) {
            Some((bank, _)) => bank,
            None => {
                let entries: Vec<_> = group.questions.iter().cloned().map(Entry::Question).collect();
                self.bank(&group.title, &entries, texts)?
            }
        };
        texts.report.end_question();
        if group.pick_count == Some(0) {
            let message =
                "it picks no question, and a draw of a new quiz picks one at least: it is left out, and its bank stays";
            texts.report.note(group.title.as_str(), message);
            return Ok(None);
        }
        let size = self.bank_sizes.get(&bank).copied().unwrap_or_default().drawn(group.pick_count);
        if !room.takes(size, &group.title, texts) {
            return Ok(None);
        }
        let points = group.points.or_else(|| group.questions.first().map(|question| question.points));
        let points = worth(points.unwrap_or(1.0), &group.title, texts);
        Ok(Some(Held::Bank { bank, sample: group.pick_count.map(i64::from), points }))
    }

    fn bank(&mut self, name: &str, entries: &[Entry], texts: &mut Texts<'_>) -> Result<i64> {
        let bank = self.banks.push(json!({ "title": title(name) }))?;
        let mut bank_size = BankSize::default();
        for entry in entries {
            let (question, stimulus) = match entry {
                Entry::Question(asked) => {
                    let Some(row) = question(asked, texts) else { continue };
                    let before = self.questions.bytes();
                    let number = self.questions.push(row)?;
                    bank_size.add(self.questions.bytes().saturating_sub(before));
                    (Some(number), None)
                }
                Entry::Stimulus(shown) => (None, Some(self.stimuli.push(stimulus(shown))?)),
                Entry::Group(_) => continue,
            };
            self.entries.push(json!({ "bank": bank, "question": question, "stimulus": stimulus }))?;
        }
        self.bank_sizes.insert(bank, bank_size);
        Ok(bank)
    }

    /// Puts something at a position of a quiz; `about` is the number of the item of the stimulus that it is about.
    fn place(&mut self, quiz: i64, position: i64, held: &Held, about: Option<i64>) -> Result<i64> {
        let (kind, question, stimulus, bank, sample, points) = match *held {
            Held::Question { question, points } => ("Item", Some(question), None, None, None, points),
            Held::Stimulus(stimulus) => ("Stimulus", None, Some(stimulus), None, None, 0.0),
            Held::Bank { bank, sample, points } => ("Bank", None, None, Some(bank), sample, points),
        };
        self.items.push(json!({
            "quiz": quiz, "position": position, "points": points, "kind": kind, "question": question,
            "stimulus": stimulus, "bank": bank, "sample": sample, "about": about,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiz(id: &str, bank: Option<&str>) -> Quiz {
        let group = |bank: &str| Entry::Group(Group { bank: Some(bank.to_owned()), ..Group::default() });
        Quiz { id: id.to_owned(), entries: bank.map(group).into_iter().collect(), ..Quiz::default() }
    }

    fn bank(id: &str) -> Bank {
        Bank { id: id.to_owned(), ..Bank::default() }
    }

    /// The ids of the classic quizzes, their banks, the new quizzes and theirs.
    fn ids(as_new: Option<bool>) -> [Vec<String>; 4] {
        let quizzes =
            vec![quiz("quiz-2", Some("question-bank-1")), quiz("new-quiz-4", Some("both")), quiz("x", Some("both"))];
        let banks = ["question-bank-1", "item-bank-2", "both", "nobody's"].map(bank).to_vec();
        let (classic, new) = divided(as_new, quizzes, banks);
        let quizzes = |of: &OfKind| of.quizzes.iter().map(|quiz| quiz.id.clone()).collect();
        let banks = |of: &OfKind| of.banks.iter().map(|bank| bank.id.clone()).collect();
        [quizzes(&classic), banks(&classic), quizzes(&new), banks(&new)]
    }

    #[test]
    fn each_quiz_stays_what_it_was_unless_somebody_says_otherwise() {
        let kept = ids(None);
        assert_eq!(kept[0], ["quiz-2", "x"]);
        assert_eq!(kept[1], ["question-bank-1", "both", "nobody's"]);
        assert_eq!(kept[2], ["new-quiz-4"]);
        assert_eq!(kept[3], ["item-bank-2", "both"]);
        assert!(ids(Some(true))[0].is_empty() && ids(Some(true))[1].is_empty());
        assert!(ids(Some(false))[2].is_empty() && ids(Some(false))[3].is_empty());
    }
}
