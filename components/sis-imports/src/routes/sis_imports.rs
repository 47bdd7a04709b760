//! Imports, as those who send them see them.

pub(crate) mod upload;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::{self, AccountAccess};
use shared::blob::Writer;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{AccountId, Named, SisImportId, UserId};
use shared::params::Params;
use shared::{
    Context, Error, Form, JsonSchema, Path, Query, Reply, Result, Timestamp, background, blob, endpoint, endpoints,
};

use crate::routes::sis_imports::upload::{LARGEST, Options, OptionsForm, UploadForm};
use crate::store::sis_imports as store;
use crate::work;

const MAX_FILTERED_STATES: usize = 100;

endpoints![
    list_sis_imports,
    create_sis_import,
    get_sis_import,
    abort_pending_sis_imports,
    abort_sis_import,
    list_sis_import_errors
];

#[derive(Deserialize, JsonSchema)]
struct AccountPath {
    account_id: Named<AccountId>,
}

#[derive(Deserialize, JsonSchema)]
struct ImportPath {
    account_id: Named<AccountId>,
    id: SisImportId,
}

/// An import of CSV files.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SisImport {
    id: SisImportId,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    updated_at: Timestamp,
    /// How much of it is done, in percent.
    progress: i64,
    workflow_state: State,
    data: Json<Data>,
    batch_mode: Option<bool>,
    batch_mode_term_id: Option<i64>,
    skip_deletes: bool,
    override_sis_stickiness: bool,
    add_sis_stickiness: bool,
    clear_sis_stickiness: bool,
    diffing_data_set_identifier: Option<String>,
    diffed_against_import_id: Option<SisImportId>,
    /// Who sent it.
    user: Json<Sender>,
    /// The first 50 of the rows and files that were not taken: the file's name, and why.
    #[serde(skip_serializing_if = "nothing")]
    processing_errors: Json<Vec<(String, String)>>,
    /// The first 50 of what else there is to say.
    #[serde(skip_serializing_if = "nothing")]
    processing_warnings: Json<Vec<(String, String)>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Data {
    import_type: String,
    /// The kinds of its files, in the order in which they are imported.
    supplied_batches: Vec<String>,
    /// How many rows of each kind were taken.
    counts: Value,
    completed_at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sender {
    id: UserId,
    name: String,
}

/// How far an import has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Initializing,
    Created,
    Importing,
    Imported,
    ImportedWithMessages,
    Failed,
    FailedWithMessages,
    Aborted,
}

/// What an import has to say about a row or a file.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SisImportError {
    id: i64,
    sis_import_id: SisImportId,
    file: Option<String>,
    /// The line of the file where the row begins.
    row: Option<i64>,
    message: String,
    /// The row's values.
    row_info: Option<String>,
    /// Whether the row or file was passed over.
    failure: bool,
}

#[derive(Serialize, JsonSchema)]
struct Imports {
    sis_imports: Vec<SisImport>,
}

#[derive(Serialize, JsonSchema)]
struct Errors {
    sis_import_errors: Vec<SisImportError>,
}

#[derive(Serialize, JsonSchema)]
struct Aborted {
    aborted: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Which {
    pub(crate) created_since: Option<Timestamp>,
    pub(crate) created_before: Option<Timestamp>,
    pub(crate) workflow_state: Vec<State>,
}

/// Lists the imports of an account, the newest first.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports")]
async fn list_sis_imports(cx: Context, Path(at): Path<AccountPath>, body: Query<Which>) -> Result<Reply<Imports>> {
    let account = administered(&cx, &at.account_id).await?;
    let which = body.decode()?;
    if which.workflow_state.len() > MAX_FILTERED_STATES {
        return Err(Error::bad_request(format!("workflow_state has more than {MAX_FILTERED_STATES} values")));
    }
    let imports = store::imports(&cx.db, account.id, which, &cx.page().await?).await?;
    Ok(Reply::page_in(imports, |sis_imports| Imports { sis_imports }))
}

/// Imports CSV files, one or a zip of them.
///
/// The upload is stored before it is answered, and imported afterwards.
#[endpoint(POST "/api/v1/accounts/:account_id/sis_imports", streamed(LARGEST))]
async fn create_sis_import(
    cx: Context,
    Path(at): Path<AccountPath>,
    body: Form<OptionsForm>,
) -> Result<Reply<SisImport>> {
    let account = administered(&cx, &at.account_id).await?;
    let params = body.into_params();
    upload::options(params.clone())?;
    let blob = blob::new_name("sis");
    let id = store::begin(&cx.db, account.id, cx.caller()?.user, &blob, cx.now).await?;
    let (size, form, options) = match received(&cx, &blob, params).await {
        Ok(received) => received,
        Err(error) => {
            store::give_up(&cx.db, id).await?;
            return Err(error);
        }
    };
    let import = match store::uploaded(&cx.db, id, size, form.file_name, options, cx.now).await {
        Ok(import) => import,
        Err(error) => {
            blob::delete(&blob, size).await?;
            return Err(error.into());
        }
    };
    let db = cx.db.clone();
    background::later(async move { work::run(&db, shared::clock::now(), background::deadline()).await.map(drop) });
    Ok(Reply::ok(import))
}

/// Stores what was sent, or leaves nothing of it.
async fn received(cx: &Context, blob: &str, query: Params) -> Result<(usize, UploadForm, Options)> {
    let mut writer = Writer::new(blob).await?;
    match read(cx, &mut writer, query).await {
        Ok((form, options)) => Ok((writer.finish().await?, form, options)),
        Err(error) => {
            writer.discard().await?;
            Err(error)
        }
    }
}

async fn read(cx: &Context, writer: &mut Writer, query: Params) -> Result<(UploadForm, Options)> {
    let mut form = upload::receive(cx, writer).await?;
    if writer.size() == 0 {
        return Err(Error::bad_request("The file is empty"));
    }
    let params = query.into_iter().chain(std::mem::take(&mut form.params)).collect();
    Ok((form, upload::options(params)?))
}

/// Reads an import.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/:id")]
async fn get_sis_import(cx: Context, Path(at): Path<ImportPath>) -> Result<Reply<SisImport>> {
    let account = administered(&cx, &at.account_id).await?;
    Ok(Reply::ok(store::import(&cx.db, account.id, at.id).await?.or_not_found()?))
}

/// Ends an import before its end.
#[endpoint(PUT "/api/v1/accounts/:account_id/sis_imports/:id/abort")]
async fn abort_sis_import(cx: Context, Path(at): Path<ImportPath>) -> Result<Reply<SisImport>> {
    let account = administered(&cx, &at.account_id).await?;
    store::import(&cx.db, account.id, at.id).await?.or_not_found()?;
    let aborted = store::abort(&cx.db, account.id, at.id, cx.now).await?;
    Ok(Reply::ok(aborted.ok_or_else(|| Error::bad_request("The import has ended"))?))
}

/// Ends all imports of an account that have not ended.
#[endpoint(PUT "/api/v1/accounts/:account_id/sis_imports/abort_all_pending")]
async fn abort_pending_sis_imports(cx: Context, Path(at): Path<AccountPath>) -> Result<Reply<Aborted>> {
    let account = administered(&cx, &at.account_id).await?;
    store::abort_all(&cx.db, account.id, cx.now).await?;
    Ok(Reply::ok(Aborted { aborted: true }))
}

/// Lists what an import has to say about rows and files.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/:id/errors")]
async fn list_sis_import_errors(cx: Context, Path(at): Path<ImportPath>) -> Result<Reply<Errors>> {
    let account = administered(&cx, &at.account_id).await?;
    store::import(&cx.db, account.id, at.id).await?.or_not_found()?;
    let errors = store::errors(&cx.db, at.id, &cx.page().await?).await?;
    Ok(Reply::page_in(errors, |sis_import_errors| Errors { sis_import_errors }))
}

/// A root account that the caller administers: what comes from other systems concerns the tenant as a whole.
async fn administered(cx: &Context, named: &Named<AccountId>) -> Result<AccountAccess> {
    let account = auth::account(&cx.db, cx.caller()?, named).await?;
    account.must_administer()?;
    match account.id == account.root_account {
        true => Ok(account),
        false => Err(Error::bad_request("SIS imports can only be executed on root accounts")),
    }
}

fn nothing<T>(list: &Json<Vec<T>>) -> bool {
    list.0.is_empty()
}
