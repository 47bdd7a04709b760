//! Banks of questions, from which groups of classic quizzes draw: of a course, of an account, or of the caller.

pub(crate) mod questions;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shared::auth::{self, Right};
use shared::error::OrNotFound;
use shared::ids::{AccountId, CourseId, IdOrAlias, QuestionBankId};
use shared::{Context, Described, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::question_banks::QuestionBank;
use crate::model::{form, rules};
use crate::store::question_banks::{self as store, Owner};

endpoints![list_question_banks, create_question_bank, get_question_bank, update_question_bank, delete_question_bank];

#[derive(Deserialize, JsonSchema)]
struct OfCourse {
    course_id: IdOrAlias<CourseId>,
}

#[derive(Deserialize, JsonSchema)]
struct OfAccount {
    account_id: IdOrAlias<AccountId>,
}

#[derive(Deserialize, JsonSchema)]
struct OfCaller {}

/// One of the banks.
#[derive(Deserialize, JsonSchema)]
struct One<P> {
    #[serde(flatten)]
    of: P,
    id: QuestionBankId,
}

/// A path that says whose banks are meant.
trait Owned: DeserializeOwned + Described + 'static {
    /// The owner, and whether the caller may see and change the banks.
    async fn owner(&self, cx: &Context) -> Result<(Owner, Access)>;
}

/// The rights of the caller to the banks of an owner.
struct Access {
    read: bool,
    write: bool,
}

impl Access {
    fn require_read(&self) -> Result<()> {
        if self.read { Ok(()) } else { Err(Error::forbidden()) }
    }

    fn require_write(&self) -> Result<()> {
        if self.write { Ok(()) } else { Err(Error::forbidden()) }
    }
}

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
    GET "/api/v1/courses/:course_id/question_banks" as list_course_question_banks::<OfCourse>,
    GET "/api/v1/accounts/:account_id/question_banks" as list_account_question_banks::<OfAccount> { summary("Lists the question banks of an account") },
    GET "/api/v1/users/self/question_banks" as list_user_question_banks::<OfCaller> { summary("Lists the caller's own question banks"), foreigners(200, "lists the caller's own"), students(200, "lists the caller's own") },
)]
async fn list_question_banks<P: Owned>(cx: Context, Path(at): Path<P>) -> Result<Reply<Vec<QuestionBank>>> {
    let (owner, access) = at.owner(&cx).await?;
    access.require_read()?;
    Ok(Reply::page(store::page(&cx.db, owner, &cx.page().await?).await?))
}

/// Creates a question bank.
#[endpoint(
    POST "/api/v1/courses/:course_id/question_banks" as create_course_question_bank::<OfCourse>,
    POST "/api/v1/accounts/:account_id/question_banks" as create_account_question_bank::<OfAccount> { summary("Creates a question bank for the courses of an account") },
    POST "/api/v1/users/self/question_banks" as create_user_question_bank::<OfCaller> { summary("Creates a question bank of the caller's own"), foreigners(400, "makes one of the caller's own"), students(400, "makes one of the caller's own") },
)]
async fn create_question_bank<P: Owned>(
    cx: Context,
    Path(at): Path<P>,
    body: Form<BankForms>,
) -> Result<Reply<QuestionBank>> {
    let (owner, access) = at.owner(&cx).await?;
    access.require_write()?;
    let form: BankForm = form::required(body, "question_bank")?;
    let title = rules::title("title", form.title, String::new())?;
    let bank = store::insert(&cx.db, owner, title, cx.now).await?;
    Ok(Reply::ok(bank.ok_or_else(|| Error::invalid("base", "too_many", "has as many question banks as one may have"))?))
}

/// Reads a question bank.
#[endpoint(
    GET "/api/v1/courses/:course_id/question_banks/:id" as get_course_question_bank::<OfCourse>,
    GET "/api/v1/accounts/:account_id/question_banks/:id" as get_account_question_bank::<OfAccount> { summary("Reads a question bank of an account") },
    GET "/api/v1/users/self/question_banks/:id" as get_user_question_bank::<OfCaller> { summary("Reads a question bank of the caller's own") },
)]
async fn get_question_bank<P: Owned>(cx: Context, Path(at): Path<One<P>>) -> Result<Reply<QuestionBank>> {
    let (bank, _, access) = find(&cx, &at).await?;
    access.require_read()?;
    Ok(Reply::ok(bank))
}

/// Changes a question bank.
#[endpoint(
    PUT "/api/v1/courses/:course_id/question_banks/:id" as update_course_question_bank::<OfCourse>,
    PUT "/api/v1/accounts/:account_id/question_banks/:id" as update_account_question_bank::<OfAccount> { summary("Changes a question bank of an account") },
    PUT "/api/v1/users/self/question_banks/:id" as update_user_question_bank::<OfCaller> { summary("Changes a question bank of the caller's own") },
)]
async fn update_question_bank<P: Owned>(
    cx: Context,
    Path(at): Path<One<P>>,
    body: Form<BankForms>,
) -> Result<Reply<QuestionBank>> {
    let (_, owner, access) = find(&cx, &at).await?;
    access.require_write()?;
    let form: BankForm = form::optional(body, "question_bank")?;
    let title = form.title.into_option().map(|title| rules::title("title", Patch::Value(title), String::new()));
    let title = title.transpose()?;
    Ok(Reply::ok(store::update(&cx.db, owner, at.id, title, cx.now).await?.or_not_found()?))
}

/// Deletes a question bank.
#[endpoint(
    DELETE "/api/v1/courses/:course_id/question_banks/:id" as delete_course_question_bank::<OfCourse>,
    DELETE "/api/v1/accounts/:account_id/question_banks/:id" as delete_account_question_bank::<OfAccount> { summary("Deletes a question bank of an account") },
    DELETE "/api/v1/users/self/question_banks/:id" as delete_user_question_bank::<OfCaller> { summary("Deletes a question bank of the caller's own") },
)]
async fn delete_question_bank<P: Owned>(cx: Context, Path(at): Path<One<P>>) -> Result<Reply<QuestionBank>> {
    let (_, owner, access) = find(&cx, &at).await?;
    access.require_write()?;
    Ok(Reply::ok(store::delete(&cx.db, owner, at.id, cx.now).await?.or_not_found()?))
}

async fn find<P: Owned>(cx: &Context, at: &One<P>) -> Result<(QuestionBank, Owner, Access)> {
    let (owner, access) = at.of.owner(cx).await?;
    let bank = store::bank(&cx.db, owner, at.id).await?.or_not_found()?;
    Ok((bank, owner, access))
}

impl Owned for OfCourse {
    async fn owner(&self, cx: &Context) -> Result<(Owner, Access)> {
        let course = auth::course(&cx.db, cx.caller()?, &self.course_id).await?;
        let access = Access { read: course.can(Right::ReadAsStaff), write: course.can(Right::ManageAssignments) };
        Ok((Owner::Course(course.id, course.root_account), access))
    }
}

impl Owned for OfAccount {
    async fn owner(&self, cx: &Context) -> Result<(Owner, Access)> {
        let account = auth::account(&cx.db, cx.caller()?, &self.account_id).await?;
        Ok((Owner::Account(account.id, account.root_account), Access { read: account.admin, write: account.admin }))
    }
}

impl Owned for OfCaller {
    async fn owner(&self, cx: &Context) -> Result<(Owner, Access)> {
        let caller = cx.caller()?;
        Ok((Owner::User(caller.user, caller.root_account), Access { read: true, write: true }))
    }
}
