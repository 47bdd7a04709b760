//! Questions and stimuli themselves, whatever holds them.

use serde::Deserialize;
use shared::db::IdRow;
use shared::ids::{QuestionItemId, StimulusId};
use shared::{Db, Timestamp, db};

use crate::model::stimulus::Stimulus;
use questions::question::StoredQuestion;

/// The content of an entry, or of an item that has one of its own.
pub(crate) enum Content {
    Question(Box<StoredQuestion>),
    Stimulus(Stimulus),
}

/// Where the content of an entry is.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Held {
    pub(super) question_item_id: Option<QuestionItemId>,
    pub(super) stimulus_id: Option<StimulusId>,
    pub(super) own_bytes: i64,
}

/// Makes the content what it is to be.
pub(super) async fn update(db: &Db, held: Held, to: Content, now: Timestamp) -> db::Result<()> {
    match (to, held) {
        (Content::Question(to), Held { question_item_id: Some(id), .. }) => update_question(db, id, *to, now).await,
        (Content::Stimulus(to), Held { stimulus_id: Some(id), .. }) => update_stimulus(db, id, to, now).await,
        _ => Ok(()),
    }
}

pub(super) async fn question(db: &Db, id: QuestionItemId) -> db::Result<Option<StoredQuestion>> {
    db.fetch(
        "SELECT title, item_body, calculator_type, feedback, interaction_type_slug, interaction_data, properties,
                scoring_data, answer_feedback, scoring_algorithm
         FROM question_items WHERE id = ?1",
        (id,),
    )
    .await
}

pub(super) async fn insert_question(db: &Db, new: StoredQuestion, now: Timestamp) -> db::Result<QuestionItemId> {
    let row: IdRow<QuestionItemId> = db
        .fetch_one(
            "INSERT INTO question_items
                 (title, item_body, calculator_type, feedback, interaction_type_slug, interaction_data, properties,
                  scoring_data, answer_feedback, scoring_algorithm, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11) RETURNING id",
            (
                new.title,
                new.item_body,
                new.calculator_type,
                new.feedback,
                new.interaction_type_slug,
                new.interaction_data,
                new.properties,
                new.scoring_data,
                new.answer_feedback,
                new.scoring_algorithm,
                now,
            ),
        )
        .await?;
    Ok(row.id)
}

async fn update_question(db: &Db, id: QuestionItemId, to: StoredQuestion, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE question_items
         SET title = ?2, item_body = ?3, calculator_type = ?4, feedback = ?5, interaction_type_slug = ?6,
             interaction_data = ?7, properties = ?8, scoring_data = ?9, answer_feedback = ?10, scoring_algorithm = ?11,
             updated_at = ?12
         WHERE id = ?1",
        (
            id,
            to.title,
            to.item_body,
            to.calculator_type,
            to.feedback,
            to.interaction_type_slug,
            to.interaction_data,
            to.properties,
            to.scoring_data,
            to.answer_feedback,
            to.scoring_algorithm,
            now,
        ),
    )
    .await
}

pub(super) async fn stimulus(db: &Db, id: StimulusId) -> db::Result<Option<Stimulus>> {
    let sql = "SELECT title, body, instructions, source_url, orientation, passage FROM stimuli WHERE id = ?1";
    db.fetch(sql, (id,)).await
}

pub(super) async fn insert_stimulus(db: &Db, new: Stimulus, now: Timestamp) -> db::Result<StimulusId> {
    let row: IdRow<StimulusId> = db
        .fetch_one(
            "INSERT INTO stimuli
                 (title, body, instructions, source_url, orientation, passage, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING id",
            (new.title, new.body, new.instructions, new.source_url, new.orientation, new.passage, now),
        )
        .await?;
    Ok(row.id)
}

async fn update_stimulus(db: &Db, id: StimulusId, to: Stimulus, now: Timestamp) -> db::Result<()> {
    db.execute(
        "UPDATE stimuli
         SET title = ?2, body = ?3, instructions = ?4, source_url = ?5, orientation = ?6, passage = ?7, updated_at = ?8
         WHERE id = ?1",
        (id, to.title, to.body, to.instructions, to.source_url, to.orientation, to.passage, now),
    )
    .await
}

/// Empties a stimulus of an item that goes. The row stays: nothing tells quickly who else refers to it, which SQLite would look for.
pub(super) async fn empty_stimulus(db: &Db, id: StimulusId) -> db::Result<()> {
    let sql = "UPDATE stimuli SET title = NULL, body = NULL, instructions = NULL, source_url = NULL WHERE id = ?1";
    db.execute(sql, (id,)).await
}
