//! Entries of banks that a quiz takes.

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::ids::BankEntryId;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::changes::{self, Place};
use crate::model::item::QuizItem;
use crate::store::banks;
use crate::store::items::{self as store, ItemToChange, NewEntry, NewItem};
use crate::store::needs::ManagedQuiz;
use questions::form;

endpoints![add_quiz_bank_entry, update_quiz_bank_entry, remove_quiz_bank_entry];

#[derive(Deserialize, JsonSchema)]
struct BankEntryForm {
    #[serde(default)]
    bank_entry_id: Patch<BankEntryId>,
    #[serde(default)]
    position: Patch<i64>,
    /// 1 when left out; a stimulus has none.
    #[serde(default)]
    points_possible: Patch<f64>,
}

/// What may change of an entry of a bank in a quiz.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PlaceForm {
    position: Patch<i64>,
    /// A stimulus has none.
    points_possible: Patch<f64>,
}

/// Puts an entry of a bank into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_entries")]
async fn add_quiz_bank_entry(
    cx: Context,
    quiz: ManagedQuiz,
    body: Form<BankEntryForm>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let form: BankEntryForm = form::read(form::unwrapped(body.into_params()?, &["item"]))?;
    let id = form::required(form.bank_entry_id, "bank_entry_id")?;
    let Some(entry) = banks::entry_in_use(&cx.db, quiz.course.id, id).await? else {
        return Err(Error::invalid("bank_entry_id", "invalid", "must be the id of an entry of a bank of the course"));
    };
    let place = Place { position: form.position, points_possible: form.points_possible };
    let new = place.of(NewEntry::BankEntry(id))?;
    let points_possible = if entry.is_question { new.points_possible } else { 0.0 };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, NewItem { points_possible, ..new }, cx.now).await?))
}

/// Changes the points of a bank's entry in a new quiz, or moves it.
///
/// Once the quiz has been attempted it is only moved.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_entries/:id")]
async fn update_quiz_bank_entry(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
    body: Form<PlaceForm>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let item = item.record()?;
    let PlaceForm { position, points_possible } = form::read(form::unwrapped(body.into_params()?, &["item"]))?;
    let place = Place { position, points_possible };
    let points_alone = place.points_alone();
    let changed = changes::change_asked(&cx, quiz.id, item, points_alone, |current| place.over(current));
    Ok(Reply::ok(changed.await?))
}

/// Takes an entry of a bank out of a new quiz, and answers what stood there. The entry itself stays.
#[endpoint(
    DELETE "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_entries/:id",
    answers(422, "The quiz has been attempted."),
)]
async fn remove_quiz_bank_entry(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    Ok(Reply::ok(changes::delete(&cx, quiz.id, item.record()?.id).await?))
}
