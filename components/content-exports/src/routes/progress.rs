//! The progress of work that runs after the answer. See "Progress" in `docs/contract/content-exports.md`.

use serde::Deserialize;
use shared::auth::{self, Right};
use shared::error::OrNotFound;
use shared::files::area;
use shared::ids::{ContentExportId, IdOrAlias};
use shared::needs::Needed;
use shared::progress::{Progress, ProgressRow};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints, params};

use crate::routes::content_exports;
use crate::store::{exports as export_store, progress as store};

const MAX_MESSAGE_CHARS: usize = 1000;

endpoints![get_progress, cancel_progress];

#[derive(Deserialize, JsonSchema)]
struct CancelForm {
    /// The reason.
    #[serde(default)]
    message: Option<String>,
}

/// Tells how far work has come.
#[endpoint(GET "/api/v1/progress/:id")]
async fn get_progress(cx: Context, progress: Needed<ProgressRow>) -> Result<Reply<Progress>> {
    require_read(&cx, &progress).await?;
    Ok(Reply::ok(Progress::of(&cx, progress.into_record()).await?))
}

/// Marks work as failed, which its user alone may do.
#[endpoint(POST "/api/v1/progress/:id/cancel")]
async fn cancel_progress(
    cx: Context,
    progress: Needed<ProgressRow>,
    body: Form<CancelForm>,
) -> Result<Reply<Progress>> {
    if progress.user_id != cx.caller()?.user {
        return Err(Error::forbidden());
    }
    let message = body.decode()?.message;
    params::not_too_long("message", message.as_deref().unwrap_or_default(), MAX_MESSAGE_CHARS)?;
    let ended = match store::cancel(&cx.db, progress.id, message, cx.now).await? {
        Some(cancelled) => cancelled,
        // It had ended, maybe just now.
        None => store::progress(&cx.db, cx.caller()?, progress.id).await?,
    };
    Ok(Reply::ok(Progress::of(&cx, ended).await?))
}

/// 403 unless the caller may see what is worked on.
async fn require_read(cx: &Context, progress: &ProgressRow) -> Result<()> {
    let user = cx.caller()?.user;
    match progress.context_type.as_str() {
        "ContentExport" => {
            let export = export_store::any(&cx.db, ContentExportId(progress.context_id)).await?.or_not_found()?;
            content_exports::require_read(&area(cx, export.owner()).await?, &export, user)
        }
        "ContentMigration" => {
            let course = store::course_of_migration(&cx.db, progress.context_id).await?.or_not_found()?;
            auth::course(&cx.db, cx.caller()?, &IdOrAlias::Id(course)).await?.require(Right::Manage)
        }
        _ if progress.user_id == user => Ok(()),
        _ => Err(Error::forbidden()),
    }
}
