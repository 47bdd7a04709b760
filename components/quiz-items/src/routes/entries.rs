//! The entries of a bank: questions and stimuli. See `BankEntryItem` in
//! `docs/contract/quiz-items.md`.

use serde::Deserialize;
use serde_json::Value;
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::BankEntryId;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::changes::{immutable, is_answered_like};
use crate::model::item::BankEntryItem;
use crate::model::stimulus::{Stimulus, StimulusForm};
use crate::store::banks as store;
use crate::store::content::Content;
use crate::store::needs::ManagedBank;
use questions::form;
use questions::question::QuestionForm;

endpoints![
    list_item_bank_entries,
    create_item_bank_entry,
    get_item_bank_entry,
    update_item_bank_entry,
    archive_item_bank_entry
];

#[derive(Deserialize, JsonSchema)]
struct EntryPath {
    entry_id: BankEntryId,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct EntryForm {
    /// `Item` or `Stimulus`; it is said once, when the entry is made.
    entry_type: Patch<String>,
    /// The fields of a question or of a stimulus.
    #[schemars(with = "Option<ContentForm>")]
    entry: Patch<Value>,
    archived: Patch<bool>,
}

/// The fields of an entry, according to its `entry_type`.
#[cfg(not(target_arch = "wasm32"))]
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(
    dead_code,
    reason = "the entry is read as one of them when its type is known; only the description reads this"
)]
enum ContentForm {
    Question(#[schemars(with = "questions::described::ByType<QuestionForm>")] QuestionForm),
    Stimulus(StimulusForm),
}

/// Lists the entries of a bank that are not archived.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/banks/:bank_id/entries")]
async fn list_item_bank_entries(cx: Context, bank: ManagedBank) -> Result<Reply<Vec<BuiltJson<BankEntryItem>>>> {
    Ok(Reply::built_page(store::entries(&cx.db, bank.id, &cx.page().await?).await?))
}

/// Reads an entry of a bank.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/banks/:bank_id/entries/:entry_id")]
async fn get_item_bank_entry(
    cx: Context,
    Path(at): Path<EntryPath>,
    bank: ManagedBank,
) -> Result<Reply<BuiltJson<BankEntryItem>>> {
    Ok(Reply::ok(store::entry(&cx.db, bank.id, at.entry_id).await?.or_not_found()?))
}

/// Puts a question or a stimulus into a bank.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/banks/:bank_id/entries")]
async fn create_item_bank_entry(
    cx: Context,
    bank: ManagedBank,
    body: Form<EntryForm>,
) -> Result<Reply<BuiltJson<BankEntryItem>>> {
    let form: EntryForm = form::read(body.into_params()?)?;
    let entry_type = form::required(form.entry_type, "entry_type")?;
    let entry = form::required(form.entry, "entry")?;
    let content = match entry_type.as_str() {
        "Item" => {
            let question: QuestionForm = form::read_named("entry", entry)?;
            Content::Question(Box::new(question.create("entry")?))
        }
        "Stimulus" => {
            let stimulus: StimulusForm = form::read_named("entry", entry)?;
            Content::Stimulus(stimulus.over(Stimulus::default())?)
        }
        _ => return Err(Error::invalid("entry_type", "inclusion", "must be one of Item, Stimulus")),
    };
    Ok(Reply::ok(store::insert_entry(&cx.db, bank.id, content, cx.now).await?))
}

/// Changes an entry of a bank, or brings it back.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/banks/:bank_id/entries/:entry_id")]
async fn update_item_bank_entry(
    cx: Context,
    Path(at): Path<EntryPath>,
    bank: ManagedBank,
    body: Form<EntryForm>,
) -> Result<Reply<BuiltJson<BankEntryItem>>> {
    store::entry(&cx.db, bank.id, at.entry_id).await?.or_not_found()?;
    let form: EntryForm = form::read(body.into_params()?)?;
    let archived = form.archived.into_option();
    let changed = cx.db.transaction(async |db| {
        let content = match form.entry.into_option() {
            Some(entry) => {
                let current = store::content(db, bank.id, at.entry_id).await?.or_not_found()?;
                let attempted = store::is_attempted(db, bank.id, at.entry_id).await?;
                Some(changed(current, entry, attempted)?)
            }
            None => None,
        };
        store::update_entry(db, bank.id, at.entry_id, content, archived, cx.now).await
    });
    Ok(Reply::ok(changed.await?))
}

/// An attempt relies on what was asked and on what is right, be it drawn from a bank.
fn changed(current: Content, entry: Value, attempted: bool) -> Result<Content> {
    match current {
        Content::Question(question) => {
            let form: QuestionForm = form::read_named("entry", entry)?;
            let changed = form.over((*question).clone())?;
            if attempted && !is_answered_like(&changed, &question) {
                return Err(immutable());
            }
            Ok(Content::Question(Box::new(questions::checked(changed)?)))
        }
        Content::Stimulus(stimulus) => {
            let form: StimulusForm = form::read_named("entry", entry)?;
            form.over(stimulus).map(Content::Stimulus)
        }
    }
}

/// Archives an entry of a bank: quizzes keep it, and no other can take it.
#[endpoint(DELETE "/api/quiz/v1/courses/:course_id/banks/:bank_id/entries/:entry_id")]
async fn archive_item_bank_entry(
    cx: Context,
    Path(at): Path<EntryPath>,
    bank: ManagedBank,
) -> Result<Reply<BuiltJson<BankEntryItem>>> {
    store::entry(&cx.db, bank.id, at.entry_id).await?.or_not_found()?;
    Ok(Reply::ok(store::update_entry(&cx.db, bank.id, at.entry_id, None, Some(true), cx.now).await?))
}
