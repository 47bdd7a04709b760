//! Imports, as those who send them see them.

pub(crate) mod upload;

use serde::{Deserialize, Serialize};
use shared::auth::{self, AccountAccess, AccountPath};
use shared::blob::Writer;
use shared::error::OrNotFound;
use shared::ids::{AccountId, IdOrAlias, SisImportId};
use shared::params::Params;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, background, blob, endpoint, endpoints};

use crate::model::options::Options;
use crate::model::sis_imports::{Aborted, ImportFilter, SisImport, SisImportError};
use crate::routes::sis_imports::upload::{LARGEST, OptionsForm, UploadForm};
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
struct ImportPath {
    account_id: IdOrAlias<AccountId>,
    id: SisImportId,
}

#[derive(Serialize, JsonSchema)]
struct Imports {
    sis_imports: Vec<SisImport>,
}

#[derive(Serialize, JsonSchema)]
struct Errors {
    sis_import_errors: Vec<SisImportError>,
}

/// Lists the imports of an account, the newest first.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports")]
async fn list_sis_imports(
    cx: Context,
    Path(at): Path<AccountPath>,
    body: Query<ImportFilter>,
) -> Result<Reply<Imports>> {
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
    let id = store::begin(&cx.db, account.id, cx.caller()?, &blob, cx.now).await?;
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
            let error = Error::from(error);
            if !error.is_in_doubt() {
                blob::delete(&blob, size).await?;
            }
            return Err(error);
        }
    };
    let db = cx.db.clone();
    background::after_response(
        async move { work::run(&db, shared::clock::now(), background::deadline()).await.map(drop) },
    );
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
async fn administered(cx: &Context, named: &IdOrAlias<AccountId>) -> Result<AccountAccess> {
    let account = auth::account(&cx.db, cx.caller()?, named).await?;
    account.require_administrator()?;
    match account.id == account.root_account {
        true => Ok(account),
        false => Err(Error::bad_request("SIS imports can only be executed on root accounts")),
    }
}
