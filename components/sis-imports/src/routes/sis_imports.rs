//! Imports, as those who send them see them.

pub(crate) mod upload;

use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY};
use serde::{Deserialize, Serialize};
use shared::blob::Writer;
use shared::ids::{AccountId, EnrollmentTermId, SisImportId};
use shared::params::{self, NoParameters, Params};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::progress::Progress;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, background, blob, endpoint, endpoints};

use crate::model::options::{Options, OptionsForm};
use crate::model::sis_imports::{Aborted, ImportFilter, RestoreForm, SisImport, SisImportError, State};
use crate::model::unsupported;
use crate::routes::sis_imports::upload::{MAX_UPLOAD_BYTES, UploadForm};
use crate::store::files::KeptFile;
use crate::store::needs::{NeededImport, NeededRoot};
use crate::store::sis_imports::{self as store, ErrorsOfImport, ImportsOfAccount, RunningImports};
use crate::store::{removal, restorations};
use crate::work;

endpoints![
    list_sis_imports,
    create_sis_import,
    get_sis_import,
    list_running_sis_imports,
    restore_sis_import_states,
    abort_pending_sis_imports,
    abort_sis_import,
    list_sis_import_errors,
    download_csv_attachment,
    download_errors_attachment
];

/// A path to something of an import.
#[derive(Deserialize, JsonSchema)]
struct ImportPath {
    id: SisImportId,
}

#[derive(Deserialize, JsonSchema)]
struct CsvAttachmentPath {
    id: SisImportId,
    attachment_id: i64,
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
    _: NeededRoot,
    imports: PrefetchedList<ImportsOfAccount>,
    body: Query<ImportFilter>,
) -> Result<Reply<Imports>> {
    body.decode()?.require_few_states()?;
    let imports = imports.page(&cx.page().await?)?;
    let base = cx.base_url().await?;
    let imports = imports.map(|import| import.with_addresses(&base));
    Ok(Reply::page_in(imports, |sis_imports| Imports { sis_imports }))
}

/// Imports CSV files, one or a zip of them.
///
/// The upload is stored before it is answered, and imported afterwards.
#[endpoint(
    POST "/api/v1/accounts/:account_id/sis_imports",
    streamed(MAX_UPLOAD_BYTES),
    unsupported(unsupported::IMPORT),
    accepts(&["text/csv", "application/zip"]),
    parts(&["attachment"]),
    answers(415, "The file is neither CSV nor a zip of it."),
)]
async fn create_sis_import(cx: Context, account: NeededRoot, body: Form<OptionsForm>) -> Result<Reply<SisImport>> {
    let params = body.into_params()?;
    params::decode::<OptionsForm>(params.clone())?.into_options()?;
    let blob = blob::new_name("sis");
    let id = store::begin(&cx.db, account.id, cx.caller()?, &blob, cx.now).await?;
    let (size, form, options) = match received(&cx, account.id, &blob, params).await {
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
    run_soon(&cx);
    shown(&cx, import).await
}

/// The import as it is answered.
async fn shown(cx: &Context, import: SisImport) -> Result<Reply<SisImport>> {
    Ok(Reply::ok(import.with_addresses(&cx.base_url().await?)))
}

/// Stores what was sent, or leaves nothing of it.
async fn received(cx: &Context, root: AccountId, blob: &str, query: Params) -> Result<(usize, UploadForm, Options)> {
    let mut writer = Writer::new(blob).await?;
    match read(cx, root, &mut writer, query).await {
        Ok((form, options)) => Ok((writer.finish().await?, form, options)),
        Err(error) => {
            writer.discard().await?;
            Err(error)
        }
    }
}

async fn read(cx: &Context, root: AccountId, writer: &mut Writer, query: Params) -> Result<(UploadForm, Options)> {
    let mut form = upload::receive(cx, writer).await?;
    if writer.size() == 0 {
        return Err(Error::bad_request("The file is empty"));
    }
    let params = query.into_iter().chain(std::mem::take(&mut form.params)).collect();
    params::refuse_unsupported(unsupported::IMPORT, &params)?;
    let options = options(cx, root, params::decode(params)?).await?;
    Ok((form, options))
}

/// The options that are asked for, with the term that is named.
async fn options(cx: &Context, root: AccountId, mut form: OptionsForm) -> Result<Options> {
    let term = form.batch_mode_term_id.take().filter(|term| !term.is_empty());
    let mut options = form.into_options()?;
    if options.batch_mode == Some(true) {
        let (id, sis_id) = match term.as_deref().map(|term| (term, term.strip_prefix("sis_term_id:"))) {
            Some((_, Some(sis_id))) => (None, Some(sis_id)),
            Some((term, None)) => (term.parse().ok().map(EnrollmentTermId), None),
            None => (None, None),
        };
        options.batch_mode_term_id = removal::active_term(&cx.db, root, id, sis_id).await?;
        if options.batch_mode_term_id.is_none() && (term.is_some() || !options.multi_term_batch_mode) {
            let why = "Batch mode specified, but the given batch_mode_term_id cannot be found.";
            return Err(Error::bad_request(why));
        }
    }
    Ok(options)
}

/// Reads an import.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/:id")]
async fn get_sis_import(cx: Context, _: NeededRoot, import: Prefetched<SisImport>) -> Result<Reply<SisImport>> {
    shown(&cx, import.record()?).await
}

/// Lists the imports of an account that are worked on now.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/importing")]
async fn list_running_sis_imports(
    cx: Context,
    _: NeededRoot,
    imports: PrefetchedList<RunningImports>,
) -> Result<Reply<Imports>> {
    let (imports, base) = (imports.rows()?, cx.base_url().await?);
    Ok(Reply::ok(Imports { sis_imports: imports.into_iter().map(|import| import.with_addresses(&base)).collect() }))
}

/// Gives the records whose states an import has changed those that they had before.
///
/// The work goes on after the answer. States that were changed since stay as they are.
#[endpoint(PUT "/api/v1/accounts/:account_id/sis_imports/:id/restore_states")]
async fn restore_sis_import_states(
    cx: Context,
    account: NeededRoot,
    import: Prefetched<SisImport>,
    body: Form<RestoreForm>,
) -> Result<Reply<Progress>> {
    let import = import.record()?;
    let form = body.decode()?;
    let caller = cx.caller()?;
    let begun =
        cx.db.transaction(async |db| restorations::begin(db, account.id, import.id, caller, &form, cx.now).await);
    let Some(progress) = begun.await? else {
        return Err(Error::bad_request(match import {
            SisImport { ended_at: None, .. } => "The import has not ended",
            SisImport { workflow_state: State::Restoring, .. } => "The import is being restored already",
            _ => "The states before the import are not known: they are kept for 30 days",
        }));
    };
    run_soon(&cx);
    Ok(Reply::ok(Progress::of(&cx, progress).await?))
}

/// Works on what is to be done after the response.
fn run_soon(cx: &Context) {
    let db = cx.db.clone();
    background::after_response(
        async move { work::run(&db, shared::clock::now(), background::deadline()).await.map(drop) },
    );
}

/// Ends an import before its end.
#[endpoint(PUT "/api/v1/accounts/:account_id/sis_imports/:id/abort")]
async fn abort_sis_import(cx: Context, account: NeededRoot, import: Prefetched<SisImport>) -> Result<Reply<SisImport>> {
    let aborted = store::abort(&cx.db, account.id, import.record()?.id, cx.now).await?;
    shown(&cx, aborted.ok_or_else(|| Error::bad_request("The import has ended"))?).await
}

/// Ends all imports of an account that have not ended.
#[endpoint(PUT "/api/v1/accounts/:account_id/sis_imports/abort_all_pending")]
async fn abort_pending_sis_imports(cx: Context, account: NeededRoot) -> Result<Reply<Aborted>> {
    store::abort_all(&cx.db, account.id, cx.now).await?;
    Ok(Reply::ok(Aborted { aborted: true }))
}

/// Lists what an import has to say about rows and files.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/:id/errors", unsupported(unsupported::ERRORS))]
async fn list_sis_import_errors(
    cx: Context,
    _: NeededImport,
    errors: PrefetchedList<ErrorsOfImport>,
    query: Query<NoParameters>,
) -> Result<Reply<Errors>> {
    query.decode()?;
    let errors = errors.page(&cx.page().await?)?;
    Ok(Reply::page_in(errors, |sis_import_errors| Errors { sis_import_errors }))
}

/// Reads a CSV file of an import.
///
/// Files with passwords are not kept, and others for 30 days after the end of the import.
#[endpoint(
    GET "/api/v1/accounts/:account_id/sis_imports/:id/csv_attachments/:attachment_id",
    sends(&["text/csv"]),
)]
async fn download_csv_attachment(
    _: Context,
    Path(at): Path<CsvAttachmentPath>,
    _: NeededRoot,
    file: Prefetched<KeptFile>,
) -> Result<Reply> {
    saved(&file.record()?, &format!("sis-import-{}-{}.csv", at.id, at.attachment_id))
}

/// Reads what an import has to say about rows and files, as CSV.
///
/// The file is there when the import has ended, and for 30 days.
#[endpoint(GET "/api/v1/accounts/:account_id/sis_imports/:id/errors_attachment", sends(&["text/csv"]))]
async fn download_errors_attachment(
    _: Context,
    Path(at): Path<ImportPath>,
    _: NeededRoot,
    file: Prefetched<KeptFile>,
) -> Result<Reply> {
    saved(&file.record()?, &format!("sis_errors_attachment_{}.csv", at.id))
}

/// A file that is saved and, because somebody has sent what stands in it, never shown as a page of ours.
fn saved(file: &KeptFile, name: &str) -> Result<Reply> {
    let length = u64::try_from(file.size).map_err(Error::internal)?;
    Ok(Reply::stream("text/csv", Some(length), blob::stream(&file.blob, file.size))
        .header(CONTENT_DISPOSITION, &format!("attachment; filename=\"{name}\""))
        .header(CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")
        .header(CACHE_CONTROL, "private, no-store"))
}
