//! Banks of questions, from which groups of classic quizzes draw: of a course, of an account, or of the caller.

pub(crate) mod questions;

use serde::Deserialize;
use shared::auth::{AccountAccess, CourseAccess};
use shared::error::OrNotFound;
use shared::needs::Needed;
use shared::prefetch::PrefetchedList;
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::model::question_banks::QuestionBank;
use crate::model::{form, rules};
use crate::store::question_banks::{
    self as store, BankOwner, BanksOfOwner, CallerAsOwner, ChangeBank, OwnedBank, ReadBank,
};

endpoints![list_question_banks, create_question_bank, get_question_bank, update_question_bank, delete_question_bank];

#[derive(Deserialize, JsonSchema)]
struct BankForms {
    #[serde(rename = "question_bank")]
    _question_bank: BankForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct BankForm {
    title: Patch<String>,
}

/// Lists the question banks of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/question_banks" as list_course_question_banks::<CourseAccess>,
    GET "/api/v1/accounts/:account_id/question_banks" as list_account_question_banks::<AccountAccess> { summary("Lists the question banks of an account") },
    GET "/api/v1/users/self/question_banks" as list_user_question_banks::<CallerAsOwner> { summary("Lists the caller's own question banks"), foreigners(200, "lists the caller's own"), students(200, "lists the caller's own") },
)]
async fn list_question_banks<O: BankOwner>(
    cx: Context,
    _: Needed<O, O::Read>,
    banks: PrefetchedList<BanksOfOwner<O>>,
) -> Result<Reply<Vec<QuestionBank>>> {
    Ok(Reply::page(banks.page(&cx.page().await?)?))
}

/// Creates a question bank.
#[endpoint(
    POST "/api/v1/courses/:course_id/question_banks" as create_course_question_bank::<CourseAccess>,
    POST "/api/v1/accounts/:account_id/question_banks" as create_account_question_bank::<AccountAccess> { summary("Creates a question bank for the courses of an account") },
    POST "/api/v1/users/self/question_banks" as create_user_question_bank::<CallerAsOwner> { summary("Creates a question bank of the caller's own"), foreigners(400, "makes one of the caller's own"), students(400, "makes one of the caller's own") },
)]
async fn create_question_bank<O: BankOwner>(
    cx: Context,
    owner: Needed<O, O::Write>,
    body: Form<BankForms>,
) -> Result<Reply<QuestionBank>> {
    let form: BankForm = form::required(body, "question_bank")?;
    let title = rules::title("title", form.title, String::new())?;
    let bank = store::insert(&cx.db, &*owner, title, cx.now).await?;
    Ok(Reply::ok(bank.ok_or_else(|| Error::invalid("base", "too_many", "has as many question banks as one may have"))?))
}

/// Reads a question bank.
#[endpoint(
    GET "/api/v1/courses/:course_id/question_banks/:id" as get_course_question_bank::<CourseAccess>,
    GET "/api/v1/accounts/:account_id/question_banks/:id" as get_account_question_bank::<AccountAccess> { summary("Reads a question bank of an account") },
    GET "/api/v1/users/self/question_banks/:id" as get_user_question_bank::<CallerAsOwner> { summary("Reads a question bank of the caller's own") },
)]
async fn get_question_bank<O: BankOwner>(
    _: Context,
    bank: Needed<OwnedBank<O>, ReadBank>,
) -> Result<Reply<QuestionBank>> {
    Ok(Reply::ok(bank.into_record().bank.0))
}

/// Changes a question bank.
#[endpoint(
    PUT "/api/v1/courses/:course_id/question_banks/:id" as update_course_question_bank::<CourseAccess>,
    PUT "/api/v1/accounts/:account_id/question_banks/:id" as update_account_question_bank::<AccountAccess> { summary("Changes a question bank of an account") },
    PUT "/api/v1/users/self/question_banks/:id" as update_user_question_bank::<CallerAsOwner> { summary("Changes a question bank of the caller's own") },
)]
async fn update_question_bank<O: BankOwner>(
    cx: Context,
    bank: Needed<OwnedBank<O>, ChangeBank>,
    body: Form<BankForms>,
) -> Result<Reply<QuestionBank>> {
    let form: BankForm = form::optional(body, "question_bank")?;
    let title = form.title.into_option().map(|title| rules::title("title", Patch::Value(title), String::new()));
    let title = title.transpose()?;
    Ok(Reply::ok(store::update(&cx.db, bank.bank.0.id, title, cx.now).await?.or_not_found()?))
}

/// Deletes a question bank.
#[endpoint(
    DELETE "/api/v1/courses/:course_id/question_banks/:id" as delete_course_question_bank::<CourseAccess>,
    DELETE "/api/v1/accounts/:account_id/question_banks/:id" as delete_account_question_bank::<AccountAccess> { summary("Deletes a question bank of an account") },
    DELETE "/api/v1/users/self/question_banks/:id" as delete_user_question_bank::<CallerAsOwner> { summary("Deletes a question bank of the caller's own") },
)]
async fn delete_question_bank<O: BankOwner>(
    cx: Context,
    bank: Needed<OwnedBank<O>, ChangeBank>,
) -> Result<Reply<QuestionBank>> {
    Ok(Reply::ok(store::delete(&cx.db, bank.bank.0.id, cx.now).await?.or_not_found()?))
}
