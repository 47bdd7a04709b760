//! Quizzes and banks as they are stored, made into those of a package.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::model::{
    Bank, BlankAnswer, Entry, Group, Interaction, Question, Quiz, Report, Settings, Stimulus,
};
use shared::ids::UserId;
use shared::{Db, Error, Result};

use crate::model::quiz_settings;
use crate::store::quizzes::{self as store, ClassicQuiz, LeftOut, NewQuiz, QuestionGroup};

/// The ids of new quizzes and of banks of items in a package begin so, by which an import knows them again.
pub(crate) const NEW_QUIZ: &str = "new-quiz-";
pub(crate) const ITEM_BANK: &str = "item-bank-";

/// The banks that quizzes draw from.
#[derive(Default)]
pub(crate) struct Drawn {
    pub(crate) question_banks: BTreeSet<i64>,
    pub(crate) item_banks: BTreeSet<i64>,
}

/// A question as it goes into a package; none, and a note, where no format holds it.
fn supported_question(question: Question, report: &mut Report) -> Option<Question> {
    if question.is_too_large() {
        report.note(question.title, "The question has too many parts or options, and is left out");
        return None;
    }
    if has_blank_of_several(&question.interaction) {
        let message = "Of several right choices of a blank the first alone is right in a package";
        report.note(question.title.as_str(), message);
    }
    Some(question)
}

/// True if several choices of one of its blanks are right.
fn has_blank_of_several(interaction: &Interaction) -> bool {
    let Interaction::Blanks(blanks) = interaction else { return false };
    blanks.blanks.iter().any(|blank| match &blank.answer {
        BlankAnswer::Dropdown(choices) => choices.options.iter().filter(|choice| choice.right).count() > 1,
        BlankAnswer::Typed(_) | BlankAnswer::Word(_) => false,
    })
}

/// A classic quiz with its questions and groups, in the order in which students see them. Questions of a bank that the
/// reader may not read are left out, and that is told.
pub(crate) async fn classic(
    db: &Db,
    own: ClassicQuiz,
    reader: UserId,
    drawn: &mut Drawn,
    report: &mut Report,
) -> Result<Quiz> {
    let mut placed: Vec<(i64, Entry)> = Vec::new();
    let groups = store::groups(db, own.id, reader).await?;
    let mut grouped: BTreeMap<i64, Vec<Question>> = groups.iter().map(|group| (group.id, Vec::new())).collect();
    report.begin(&own.title);
    for row in store::questions(db, own.id).await? {
        report.next_question();
        let question = row.question.0.to_question(format!("question-{}", row.id));
        let Some(question) = supported_question(question, report) else { continue };
        match row.group_id.and_then(|group| grouped.get_mut(&group)) {
            Some(questions) => questions.push(question),
            None => placed.push((row.position.unwrap_or(i64::MAX), Entry::Question(question))),
        }
    }
    report.end_question();
    for group in groups {
        let questions = grouped.remove(&group.id).unwrap_or_default();
        drawn.question_banks.extend(group.bank_id);
        let questions = asked_of(&own.title, &group, questions, report);
        placed.push((group.position, Entry::Group(group_of(group, questions))));
    }
    placed.sort_by_key(|(position, _)| *position);
    tell_left_out(&own.title, &own.left_out.0, report);
    let stored: Settings = serde_json::from_value(own.settings.0).map_err(Error::internal)?;
    let settings = Settings {
        quiz_type: Some(own.quiz_type),
        due_at: own.due_at,
        unlock_at: own.unlock_at,
        lock_at: own.lock_at,
        published: Some(own.workflow_state == "available"),
        grading_type: own.grading_type.filter(|kind| kind != "points"),
        anonymous_grading: own.anonymous_grading,
        post_manually: own.post_manually,
        attempts_of_assignment: own.attempts_of_assignment,
        ..stored
    };
    Ok(Quiz {
        id: quiz_id(own.id),
        title: own.title,
        description: own.description.unwrap_or_default(),
        settings,
        entries: placed.into_iter().map(|(_, entry)| entry).collect(),
    })
}

/// The questions of its own that a group asks: none where it draws from a bank.
fn asked_of(quiz: &str, group: &QuestionGroup, questions: Vec<Question>, report: &mut Report) -> Vec<Question> {
    if group.bank_id.is_none() && !group.is_closed {
        return questions;
    }
    let about = format!("{quiz}: {}", group.name.as_deref().unwrap_or_default());
    if !questions.is_empty() {
        report.note(
            &about,
            "The group draws from a question bank: its own questions, which nobody is asked, are left out",
        );
    }
    if group.is_closed {
        report.note(&about, "The group draws from a question bank that you may not read: its questions are left out");
    }
    Vec::new()
}

/// What is less than nothing, or not said, is nothing in quizzes as well.
fn group_of(group: QuestionGroup, questions: Vec<Question>) -> Group {
    Group {
        id: format!("group-{}", group.id),
        title: group.name.unwrap_or_default(),
        pick_count: u32::try_from(group.pick_count.max(0)).ok(),
        points: Some(group.question_points.unwrap_or_default().max(0.0)),
        bank: group.bank_id.map(question_bank_id),
        questions,
        ..Group::default()
    }
}

/// Notes what concerns single people: a package has none.
pub(crate) fn tell_left_out(title: &str, own: &LeftOut, report: &mut Report) {
    let left_out = [
        (own.accommodations, "accommodations of students (extra time, extra attempts and the like)"),
        (own.overrides, "dates of single students, sections or groups"),
    ];
    for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        report.note(title, format!("A package has no people: {what} are left out ({count})"));
    }
}

/// A bank of classic questions.
pub(crate) async fn question_bank(db: &Db, own: store::Bank, report: &mut Report) -> Result<Bank> {
    let questions = store::questions_of_bank(db, own.id).await?;
    report.begin(&own.title);
    let entries = questions.into_iter().filter_map(|row| {
        report.next_question();
        supported_question(row.question.0.to_question(format!("question-{}", row.id)), report).map(Entry::Question)
    });
    Ok(Bank { id: question_bank_id(own.id), entries: entries.collect(), title: own.title })
}

/// A new quiz with its items.
pub(crate) async fn new(db: &Db, own: NewQuiz, drawn: &mut Drawn, report: &mut Report) -> Result<Quiz> {
    let mut entries = Vec::new();
    report.begin(&own.title);
    for row in store::entries(db, own.id).await? {
        drawn.item_banks.extend(row.bank_id);
        entries.extend(entry_of(row, "item", report));
    }
    let settings = Settings {
        quiz_type: Some("assignment".to_owned()),
        due_at: own.due_at,
        unlock_at: own.unlock_at,
        lock_at: own.lock_at,
        published: Some(own.published),
        grading_type: Some(own.grading_type),
        points_possible: own.points_possible,
        anonymous_grading: Some(own.anonymous_grading),
        post_manually: own.post_manually,
        attempts_of_assignment: own.attempts_of_assignment,
        ..quiz_settings::of_new_quiz(&own.settings.0)
    };
    tell_left_out(&own.title, &own.left_out.0, report);
    Ok(Quiz {
        id: format!("{NEW_QUIZ}{}", own.id),
        title: own.title,
        description: own.instructions.unwrap_or_default(),
        settings,
        entries,
    })
}

/// A bank of items.
pub(crate) async fn item_bank(db: &Db, own: store::Bank, report: &mut Report) -> Result<Bank> {
    report.begin(&own.title);
    let entries = store::entries_of_bank(db, own.id).await?;
    let entries = entries.into_iter().filter_map(|row| entry_of(row, "bank-entry", report));
    Ok(Bank { id: item_bank_id(own.id), entries: entries.collect(), title: own.title })
}

/// The record that a row stands for. `kind` keeps its id from being that of another row.
fn entry_of(row: store::Entry, kind: &str, report: &mut Report) -> Option<Entry> {
    let id = format!("{kind}-{}", row.id);
    if let Some(stimulus) = row.stimulus {
        let stimulus: Stimulus = stimulus.0.to_stimulus(id);
        return Some(Entry::Stimulus(stimulus));
    }
    if let Some(question) = row.question {
        report.next_question();
        let stimulus = row.about.map(|about| format!("{kind}-{about}"));
        if let Some(bank) = row.copied_from {
            let about = question.0.title.as_deref().unwrap_or_default();
            report.note(about, format!("The question of the bank \u{201c}{bank}\u{201d} is one of the quiz itself"));
        }
        let question = Question { stimulus, ..question.0.to_question(id, row.points) };
        return supported_question(question, report).map(Entry::Question);
    }
    let bank = row.bank_id?;
    Some(Entry::Group(Group {
        id,
        title: row.bank_title.unwrap_or_default(),
        pick_count: row.sample_num.and_then(|count| u32::try_from(count).ok()),
        points: Some(row.points),
        bank: Some(item_bank_id(bank)),
        bank_size: row.bank_size.and_then(|size| u32::try_from(size).ok()),
        ..Group::default()
    }))
}

/// The id of a classic quiz in packages.
pub(crate) fn quiz_id(id: i64) -> String {
    format!("quiz-{id}")
}

fn question_bank_id(id: i64) -> String {
    format!("question-bank-{id}")
}

fn item_bank_id(id: i64) -> String {
    format!("{ITEM_BANK}{id}")
}
