//! Banks of questions, from which groups of classic quizzes draw: of a course, of an account, or of the caller.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shared::auth::{self, Right};
use shared::error::OrNotFound;
use shared::ids::{AccountId, CourseId, Named, QuestionBankId, UserId};
use shared::{Body, Context, Described, Endpoint, Error, Patch, Reply, Result, Timestamp, delete, get, post, put};

use crate::questions::{Question, QuestionForms, create_in};
use crate::store::question_banks::{self as store, Owner};
use crate::store::questions::{self, Home};
use crate::{form, rules};

pub(crate) fn endpoints() -> [Endpoint; 21] {
    [
        get("/api/v1/courses/:course_id/question_banks", list::<OfCourse>)
            .about("Lists the question banks of a course"),
        post("/api/v1/courses/:course_id/question_banks", create::<OfCourse>).about("Creates a question bank"),
        get("/api/v1/courses/:course_id/question_banks/:id", show::<OfCourse>).about("Reads a question bank"),
        put("/api/v1/courses/:course_id/question_banks/:id", update::<OfCourse>).about("Changes a question bank"),
        delete("/api/v1/courses/:course_id/question_banks/:id", destroy::<OfCourse>).about("Deletes a question bank"),
        get("/api/v1/courses/:course_id/question_banks/:id/questions", questions_of::<OfCourse>)
            .about("Lists the questions of a bank"),
        post("/api/v1/courses/:course_id/question_banks/:id/questions", add_question::<OfCourse>)
            .about("Creates a question in a bank"),
        get("/api/v1/accounts/:account_id/question_banks", list::<OfAccount>)
            .about("Lists the question banks of an account"),
        post("/api/v1/accounts/:account_id/question_banks", create::<OfAccount>)
            .about("Creates a question bank for the courses of an account"),
        get("/api/v1/accounts/:account_id/question_banks/:id", show::<OfAccount>)
            .about("Reads a question bank of an account"),
        put("/api/v1/accounts/:account_id/question_banks/:id", update::<OfAccount>)
            .about("Changes a question bank of an account"),
        delete("/api/v1/accounts/:account_id/question_banks/:id", destroy::<OfAccount>)
            .about("Deletes a question bank of an account"),
        get("/api/v1/accounts/:account_id/question_banks/:id/questions", questions_of::<OfAccount>)
            .about("Lists the questions of a bank of an account"),
        post("/api/v1/accounts/:account_id/question_banks/:id/questions", add_question::<OfAccount>)
            .about("Creates a question in a bank of an account"),
        get("/api/v1/users/self/question_banks", list::<OfCaller>).about("Lists the caller's own question banks"),
        post("/api/v1/users/self/question_banks", create::<OfCaller>)
            .about("Creates a question bank of the caller's own"),
        get("/api/v1/users/self/question_banks/:id", show::<OfCaller>)
            .about("Reads a question bank of the caller's own"),
        put("/api/v1/users/self/question_banks/:id", update::<OfCaller>)
            .about("Changes a question bank of the caller's own"),
        delete("/api/v1/users/self/question_banks/:id", destroy::<OfCaller>)
            .about("Deletes a question bank of the caller's own"),
        get("/api/v1/users/self/question_banks/:id/questions", questions_of::<OfCaller>)
            .about("Lists the questions of a bank of the caller's own"),
        post("/api/v1/users/self/question_banks/:id/questions", add_question::<OfCaller>)
            .about("Creates a question in a bank of the caller's own"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct OfCourse {
    course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct OfAccount {
    account_id: Named<AccountId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct OfCaller {}

/// One of the banks.
#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
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

/// What the caller may do with the banks of an owner.
struct Access {
    read: bool,
    write: bool,
}

impl Access {
    fn must_read(&self) -> Result<()> {
        if self.read { Ok(()) } else { Err(Error::forbidden()) }
    }

    fn must_write(&self) -> Result<()> {
        if self.write { Ok(()) } else { Err(Error::forbidden()) }
    }
}

/// A bank of questions.
#[derive(Serialize, Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
pub(crate) struct QuestionBank {
    id: QuestionBankId,
    title: String,
    course_id: Option<CourseId>,
    account_id: Option<AccountId>,
    user_id: Option<UserId>,
    assessment_question_count: i64,
    workflow_state: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct BankForms {
    #[serde(rename = "question_bank")]
    _question_bank: BankForm,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct BankForm {
    title: Patch<String>,
}

async fn list<P: Owned>(cx: Context, at: P) -> Result<Reply<Vec<QuestionBank>>> {
    let (owner, access) = at.owner(&cx).await?;
    access.must_read()?;
    Ok(Reply::page(store::page(&cx.db, owner, &cx.page().await?).await?))
}

async fn create<P: Owned>(cx: Context, at: P, body: Body<BankForms>) -> Result<Reply<QuestionBank>> {
    let (owner, access) = at.owner(&cx).await?;
    access.must_write()?;
    let form: BankForm = form::required(body, "question_bank")?;
    let title = rules::title("title", form.title, String::new())?;
    let bank = store::insert(&cx.db, owner, title, cx.now).await?;
    Ok(Reply::ok(bank.ok_or_else(|| Error::invalid("base", "too_many", "has as many question banks as one may have"))?))
}

async fn show<P: Owned>(cx: Context, at: One<P>) -> Result<Reply<QuestionBank>> {
    let (bank, _, access) = find(&cx, &at).await?;
    access.must_read()?;
    Ok(Reply::ok(bank))
}

async fn update<P: Owned>(cx: Context, at: One<P>, body: Body<BankForms>) -> Result<Reply<QuestionBank>> {
    let (_, owner, access) = find(&cx, &at).await?;
    access.must_write()?;
    let form: BankForm = form::optional(body, "question_bank")?;
    let title = form.title.into_option().map(|title| rules::title("title", Patch::Value(title), String::new()));
    let title = title.transpose()?;
    Ok(Reply::ok(store::update(&cx.db, owner, at.id, title, cx.now).await?.or_not_found()?))
}

async fn destroy<P: Owned>(cx: Context, at: One<P>) -> Result<Reply<QuestionBank>> {
    let (_, owner, access) = find(&cx, &at).await?;
    access.must_write()?;
    Ok(Reply::ok(store::delete(&cx.db, owner, at.id, cx.now).await?.or_not_found()?))
}

async fn questions_of<P: Owned>(cx: Context, at: One<P>) -> Result<Reply<Vec<Question>>> {
    let (_, _, access) = find(&cx, &at).await?;
    access.must_read()?;
    let questions = questions::page(&cx.db, Home::Bank(at.id), &cx.page().await?).await?;
    Ok(Reply::page(questions.map(Question::from)))
}

async fn add_question<P: Owned>(cx: Context, at: One<P>, body: Body<QuestionForms>) -> Result<Reply<Question>> {
    let (_, _, access) = find(&cx, &at).await?;
    access.must_write()?;
    create_in(&cx, Home::Bank(at.id), body).await
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
