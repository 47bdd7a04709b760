//! Banks from which a quiz draws.

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::ids::BankId;
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::model::item::QuizItem;
use crate::routes::stimuli::Place;
use crate::store::banks;
use crate::store::items::{self as store, NewEntry};
use crate::store::needs::ManagedQuiz;
use questions::form;

endpoints![add_quiz_bank];

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
    let sample_num = form.sample_num.into_option();
    if sample_num.is_some_and(|count| count < 1) {
        return Err(Error::invalid("sample_num", "greater_than", "must be greater than 0"));
    }
    let place = Place { position: form.position, points_possible: form.points_possible };
    let new = place.of(NewEntry::Bank { id, sample_num })?;
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}
