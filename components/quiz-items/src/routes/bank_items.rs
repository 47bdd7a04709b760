//! Banks from which a quiz draws.

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::ids::BankId;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::changes::{self, Place};
use crate::model::item::QuizItem;
use crate::store::banks;
use crate::store::items::{self as store, Current, ItemToChange, NewEntry};
use crate::store::needs::ManagedQuiz;
use questions::form;

endpoints![add_quiz_bank, update_quiz_bank, remove_quiz_bank];

#[derive(Deserialize, JsonSchema)]
struct DrawnBankForm {
    #[serde(default)]
    bank_id: Patch<BankId>,
    /// The number of items that are drawn; all when left out.
    #[serde(default)]
    sample_num: Patch<i64>,
    #[serde(default)]
    position: Patch<i64>,
    /// Of each item that is drawn; 1 when left out.
    #[serde(default)]
    points_possible: Patch<f64>,
}

/// What may change of a bank in a quiz.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct DrawForm {
    /// The number of items that are drawn; null: all.
    sample_num: Patch<i64>,
    position: Patch<i64>,
    /// Of each item that is drawn.
    points_possible: Patch<f64>,
}

/// Puts a bank into a new quiz, from which items are drawn for each student.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_items")]
async fn add_quiz_bank(
    cx: Context,
    quiz: ManagedQuiz,
    body: Form<DrawnBankForm>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let form: DrawnBankForm = form::read(form::unwrapped(body.into_params()?, &["item"]))?;
    let id = form::required(form.bank_id, "bank_id")?;
    if !banks::is_in_use(&cx.db, quiz.course.id, id).await? {
        return Err(Error::invalid("bank_id", "invalid", "must be the id of a bank of the course"));
    }
    let sample_num = drawn(form.sample_num.into_option())?;
    let place = Place { position: form.position, points_possible: form.points_possible };
    let new = place.of(NewEntry::Bank { id, sample_num })?;
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

/// Changes how much a new quiz draws of a bank, or moves the bank.
///
/// Once the quiz has been attempted it is only moved.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_items/:id")]
async fn update_quiz_bank(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
    body: Form<DrawForm>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let item = item.record()?;
    let DrawForm { sample_num, position, points_possible } =
        form::read(form::unwrapped(body.into_params()?, &["item"]))?;
    let place = Place { position, points_possible };
    let points_alone = place.points_alone().filter(|_| !sample_num.is_present());
    let changed = changes::change_asked(&cx, quiz.id, item, points_alone, |current| {
        let sample_num = drawn(sample_num.over(current.sample_num))?;
        Ok(Current { sample_num, ..place.over(current)? })
    });
    Ok(Reply::ok(changed.await?))
}

/// Takes a bank out of a new quiz, and answers what stood there. The bank itself stays.
#[endpoint(
    DELETE "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_items/:id",
    answers(422, "The quiz has been attempted."),
)]
async fn remove_quiz_bank(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    Ok(Reply::ok(changes::delete(&cx, quiz.id, item.record()?.id).await?))
}

/// The number of items that are drawn, if it is one; all where there is none.
fn drawn(sample_num: Option<i64>) -> Result<Option<i64>> {
    if sample_num.is_some_and(|count| count < 1) {
        return Err(Error::invalid("sample_num", "greater_than", "must be greater than 0"));
    }
    Ok(sample_num)
}
