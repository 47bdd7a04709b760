//! Banks of a course: what quizzes draw from. See `BankItem` in `docs/contract/quiz-items.md`.

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::BankId;
use shared::needs::{NeededCourse, may};
use shared::params::Unread;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::item::BankItem;
use crate::store::banks as store;
use questions::form;

endpoints![list_item_banks, create_item_bank, get_item_bank, update_item_bank, archive_item_bank];

#[derive(Deserialize, JsonSchema)]
struct BankPath {
    bank_id: BankId,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct BankBody {
    bank: Patch<Unread<BankForm>>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct BankForm {
    title: Patch<String>,
    archived: Patch<bool>,
}

/// Lists the banks of a course that are not archived.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/banks")]
async fn list_item_banks(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
) -> Result<Reply<Vec<BuiltJson<BankItem>>>> {
    Ok(Reply::built_page(store::page(&cx.db, course.id, &cx.page().await?).await?))
}

/// Reads a bank.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/banks/:bank_id")]
async fn get_item_bank(
    cx: Context,
    Path(at): Path<BankPath>,
    course: NeededCourse<may::ManageAssignments>,
) -> Result<Reply<BuiltJson<BankItem>>> {
    Ok(Reply::ok(store::bank(&cx.db, course.id, at.bank_id).await?.or_not_found()?))
}

/// Creates a bank.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/banks")]
async fn create_item_bank(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<BankBody>,
) -> Result<Reply<BuiltJson<BankItem>>> {
    let form: BankForm = form::member(body.decode()?.bank, "bank")?;
    let title = titled(form::required(form.title, "bank[title]")?)?;
    Ok(Reply::ok(store::insert(&cx.db, &course, &title, cx.now).await?))
}

/// Renames a bank, or brings it back.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/banks/:bank_id")]
async fn update_item_bank(
    cx: Context,
    Path(at): Path<BankPath>,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<BankBody>,
) -> Result<Reply<BuiltJson<BankItem>>> {
    store::bank(&cx.db, course.id, at.bank_id).await?.or_not_found()?;
    let form: BankForm = form::member(body.decode()?.bank, "bank")?;
    let title = match form.title {
        Patch::Absent => None,
        title => Some(titled(title.into_option().unwrap_or_default())?),
    };
    let bank = store::update(&cx.db, course.id, at.bank_id, title, form.archived.into_option(), cx.now).await?;
    Ok(Reply::ok(bank.or_not_found()?))
}

/// Archives a bank: quizzes keep it, and no other can take it.
#[endpoint(DELETE "/api/quiz/v1/courses/:course_id/banks/:bank_id")]
async fn archive_item_bank(
    cx: Context,
    Path(at): Path<BankPath>,
    course: NeededCourse<may::ManageAssignments>,
) -> Result<Reply<BuiltJson<BankItem>>> {
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
