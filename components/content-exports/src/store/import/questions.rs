//! The questions of a package, as those of classic quizzes or as items of new ones.

use content_packages::classic::{ClassicQuestion, QuestionType};
use content_packages::items::{QuestionItem, StimulusItem};
use content_packages::model::{Entry, Question, Report, Stimulus};
use serde_json::{Value, json};
use shared::db::{self, Json};

use super::Into;
use super::course::Made;

/// What classic questions belong to.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Quiz { quiz: i64, group: Option<i64> },
    Bank(i64),
}

/// Makes classic questions from that position on, in one statement, and tells how many there are. What no classic quiz
/// can ask is left out, and reported.
pub(super) async fn classic(
    to: &Into<'_>,
    home: Home,
    first: i64,
    entries: &[Entry],
    report: &mut Report,
) -> db::Result<i64> {
    let mut rows = Vec::new();
    for entry in entries {
        let question = match entry {
            Entry::Question(question) => ClassicQuestion::of(question, report),
            Entry::Stimulus(stimulus) => Some(read_only(stimulus)),
            Entry::Group(_) => None,
        };
        rows.extend(question.map(stored));
    }
    let count = i64::try_from(rows.len()).unwrap_or_default();
    let (quiz, group, bank) = match home {
        Home::Quiz { quiz, group } => (Some(quiz), group, None),
        Home::Bank(bank) => (None, None, Some(bank)),
    };
    to.db
        .execute(
            "INSERT INTO quiz_questions (quiz_id, quiz_group_id, question_bank_id, position, question_name,
                 question_type, question_text, points_possible, correct_comments, incorrect_comments, neutral_comments,
                 answers, question_data, created_at, updated_at)
             SELECT ?1, ?2, ?3, iif(?3 IS NULL, ?4 + key, NULL), value ->> 'question_name', value ->> 'question_type',
                    value ->> 'question_text', CAST(value ->> 'points_possible' AS REAL),
                    value ->> 'correct_comments', value ->> 'incorrect_comments', value ->> 'neutral_comments',
                    value -> 'answers', value -> 'question_data', ?6, ?6
             FROM json_each(?5) ORDER BY key",
            (quiz, group, bank, first, Json(Value::from(rows)), to.now),
        )
        .await?;
    Ok(count)
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

/// What an item of a new quiz holds.
pub(super) enum Held {
    Question { id: i64, points: f64 },
    Stimulus(i64),
    Bank { bank: i64, sample: Option<i64>, points: f64 },
}

/// Makes the question of an item. What no new quiz can ask is left out, and reported.
pub(super) async fn item(to: &Into<'_>, question: &Question, report: &mut Report) -> db::Result<Option<Held>> {
    let Some(own) = QuestionItem::of(question, report) else { return Ok(None) };
    let binds = (
        own.title,
        own.item_body,
        own.calculator_type,
        Json(own.feedback),
        own.interaction_type_slug,
        Json(own.interaction_data),
        Json(own.properties),
        Json(own.scoring_data),
        Json(own.answer_feedback),
        own.scoring_algorithm,
        to.now,
    );
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO question_items (title, item_body, calculator_type, feedback, interaction_type_slug,
                 interaction_data, properties, scoring_data, answer_feedback, scoring_algorithm, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11) RETURNING id",
            binds,
        )
        .await?;
    // The engine has no questions that are worth nothing.
    let points = if question.points > 0.0 { question.points } else { 1.0 };
    Ok(Some(Held::Question { id: made.id, points }))
}

/// Makes a stimulus.
pub(super) async fn stimulus(to: &Into<'_>, stimulus: &Stimulus) -> db::Result<Held> {
    let own = StimulusItem::of(stimulus);
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO stimuli (title, body, instructions, source_url, orientation, passage, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING id",
            (own.title, own.body, own.instructions, own.source_url, own.orientation, own.passage, to.now),
        )
        .await?;
    Ok(Held::Stimulus(made.id))
}

/// Puts something at a position of a new quiz; `about` is the item of the stimulus that it is about.
pub(super) async fn place(to: &Into<'_>, quiz: i64, position: i64, held: &Held, about: Option<i64>) -> db::Result<i64> {
    let (kind, question, stimulus, bank, sample, points) = match *held {
        Held::Question { id, points } => ("Item", Some(id), None, None, None, points),
        Held::Stimulus(id) => ("Stimulus", None, Some(id), None, None, 0.0),
        Held::Bank { bank, sample, points } => ("Bank", None, None, Some(bank), sample, points),
    };
    // An item and what it holds never have the same id, and no item gets the id of one that is gone.
    let made: Made = to
        .db
        .fetch_one(
            "INSERT INTO quiz_items (id, assignment_id, position, points_possible, entry_type, question_item_id,
                 stimulus_id, bank_id, sample_num, stimulus_quiz_entry_id)
             VALUES (1 + max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'quiz_items'), 0),
                             coalesce(?5, ?6, ?7)),
                     ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             RETURNING id",
            (quiz, position, points, kind, question, stimulus, bank, sample, about),
        )
        .await?;
    Ok(made.id)
}

/// Puts a question or a stimulus into a bank.
pub(super) async fn keep(to: &Into<'_>, bank: i64, held: &Held) -> db::Result<()> {
    let (question, stimulus) = match *held {
        Held::Question { id, .. } => (Some(id), None),
        Held::Stimulus(id) => (None, Some(id)),
        Held::Bank { .. } => return Ok(()),
    };
    to.db
        .execute(
            "INSERT INTO bank_entries (bank_id, question_item_id, stimulus_id, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4)",
            (bank, question, stimulus, to.now),
        )
        .await
}
