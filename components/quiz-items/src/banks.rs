//! Banks of a course: what quizzes draw from. Beside the spec; the record is that of `BankItem`.

use serde::Deserialize;
use shared::error::OrNotFound;
use shared::ids::{BankId, CourseId, Named};
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, delete, get, patch, post};

use crate::form;
use crate::item::BankItem;
use crate::quiz;
use crate::store::banks as store;

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/api/quiz/v1/courses/:course_id/banks", list).about("Lists the banks of a course that are not archived"),
        post("/api/quiz/v1/courses/:course_id/banks", create).about("Creates a bank"),
        get("/api/quiz/v1/courses/:course_id/banks/:bank_id", show).about("Reads a bank"),
        patch("/api/quiz/v1/courses/:course_id/banks/:bank_id", update).about("Renames a bank, or brings it back"),
        delete("/api/quiz/v1/courses/:course_id/banks/:bank_id", archive)
            .about("Archives a bank: quizzes keep it, and no other can take it"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct CoursePath {
    course_id: Named<CourseId>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct BankPath {
    course_id: Named<CourseId>,
    bank_id: BankId,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "it tells the description what is read member by member")]
struct BankBody {
    bank: BankForm,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
struct BankForm {
    title: Patch<String>,
    archived: Patch<bool>,
}

async fn list(cx: Context, at: CoursePath) -> Result<Reply<Vec<BankItem>>> {
    let course = quiz::managed_course(&cx, &at.course_id).await?;
    Ok(Reply::page(store::page(&cx.db, course.id, &cx.page().await?).await?))
}

async fn show(cx: Context, at: BankPath) -> Result<Reply<BankItem>> {
    let course = quiz::managed_course(&cx, &at.course_id).await?;
    Ok(Reply::ok(store::bank(&cx.db, course.id, at.bank_id).await?.or_not_found()?))
}

async fn create(cx: Context, at: CoursePath, body: Body<BankBody>) -> Result<Reply<BankItem>> {
    let course = quiz::managed_course(&cx, &at.course_id).await?;
    let form: BankForm = form::member(body.into_params(), "bank")?;
    let title = titled(form::required(form.title, "bank[title]")?)?;
    Ok(Reply::ok(store::insert(&cx.db, &course, &title, cx.now).await?))
}

async fn update(cx: Context, at: BankPath, body: Body<BankBody>) -> Result<Reply<BankItem>> {
    let course = quiz::managed_course(&cx, &at.course_id).await?;
    store::bank(&cx.db, course.id, at.bank_id).await?.or_not_found()?;
    let form: BankForm = form::member(body.into_params(), "bank")?;
    let title = match form.title {
        Patch::Absent => None,
        title => Some(titled(title.into_option().unwrap_or_default())?),
    };
    let bank = store::update(&cx.db, course.id, at.bank_id, title, form.archived.into_option(), cx.now).await?;
    Ok(Reply::ok(bank.or_not_found()?))
}

async fn archive(cx: Context, at: BankPath) -> Result<Reply<BankItem>> {
    let course = quiz::managed_course(&cx, &at.course_id).await?;
    let bank = store::update(&cx.db, course.id, at.bank_id, None, Some(true), cx.now).await?;
    Ok(Reply::ok(bank.or_not_found()?))
}

fn titled(title: String) -> Result<String> {
    if title.trim().is_empty() {
        return Err(Error::invalid("title", "blank", "can't be blank"));
    }
    form::line("title", &title)?;
    Ok(title)
}
