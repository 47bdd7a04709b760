//! Working through reports: for administrators.

pub(crate) mod filing;
pub(crate) mod page;

use serde::Deserialize;
use shared::auth;
use shared::error::OrNotFound;
use shared::ids::{ErrorReportId, Named, UserId};
use shared::pagination::Key;
use shared::params::not_too_long;
use shared::{Context, Form, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::reports::{Filter, Report, State, Summary};
use crate::store::reports::{self as store, Change};

const NEWEST_FIRST: Key = Key::descending(&["id"]);
const MAX_NOTE_CHARS: usize = 65_535;

endpoints![list_error_reports, get_error_report, update_error_report];

#[derive(Deserialize, JsonSchema)]
struct ReportPath {
    id: ErrorReportId,
}

/// What is done with a report. What is left out stays as it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Update {
    #[serde(default)]
    workflow_state: Option<State>,
    /// For those who work on it; null takes it away.
    #[serde(default)]
    note: Patch<String>,
}

impl Update {
    pub(crate) fn change(self, by: UserId) -> Result<Change> {
        let note = match self.note {
            Patch::Absent => None,
            Patch::Null => Some(String::new()),
            Patch::Value(note) => Some(note),
        };
        if let Some(note) = &note {
            not_too_long("note", note, MAX_NOTE_CHARS)?;
        }
        Ok(Change { state: self.workflow_state, note, by })
    }
}

/// Lists error reports, newest first.
#[endpoint(GET "/api/v1/error_reports", foreigners(200, "lists the caller's own"))]
async fn list_error_reports(cx: Context, body: Query<Filter>) -> Result<Reply<Vec<Summary>>> {
    must_administer(&cx).await?;
    let filter = body.decode()?;
    filter.check()?;
    let page = cx.page().await?;
    Ok(Reply::page(store::list(&cx.db, cx.caller()?.tenant(), &filter, NEWEST_FIRST, &page).await?))
}

/// Reads an error report with its environment.
#[endpoint(GET "/api/v1/error_reports/:id")]
async fn get_error_report(cx: Context, Path(at): Path<ReportPath>) -> Result<Reply<Report>> {
    let report = store::find(&cx.db, cx.caller()?.tenant(), at.id).await?.or_not_found()?;
    must_administer(&cx).await?;
    Ok(Reply::ok(report))
}

/// Closes an error report or opens it again, and notes something at it.
#[endpoint(PUT "/api/v1/error_reports/:id")]
async fn update_error_report(cx: Context, Path(at): Path<ReportPath>, body: Form<Update>) -> Result<Reply<Report>> {
    let caller = cx.caller()?;
    store::find(&cx.db, caller.tenant(), at.id).await?.or_not_found()?;
    must_administer(&cx).await?;
    let change = body.decode()?.change(caller.user)?;
    let report = store::update(&cx.db, caller.tenant(), at.id, change, cx.now).await?.or_not_found()?;
    Ok(Reply::ok(report))
}

/// 403 unless the caller administers the tenant: a report may say anything about anybody in it.
pub(crate) async fn must_administer(cx: &Context) -> Result<()> {
    auth::account(&cx.db, cx.caller()?, &Named::Own).await?.must_administer()
}
