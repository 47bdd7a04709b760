//! Working through reports: for administrators of the tenant, because a report may say anything about anybody in it. An
//! account that no path names is the caller's root account.

pub(crate) mod filing;
pub(crate) mod page;

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{ErrorReportId, UserId};
use shared::needs::{NeededAccount, may};
use shared::params::{not_too_long, plain_line_ends};
use shared::prefetch::PrefetchedBuiltList;
use shared::{Context, Form, JsonSchema, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::reports::{Filter, Report, State, Summary};
use crate::store::reports::{self as store, Change, Reports};

const MAX_NOTE_CHARS: usize = 65_535;

endpoints![list_error_reports, get_error_report, update_error_report];

#[derive(Deserialize, JsonSchema)]
struct ReportPath {
    id: ErrorReportId,
}

/// The changes of a report. A field that is left out stays as it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Update {
    #[serde(default)]
    workflow_state: Option<State>,
    /// For those who work on it; null takes it away.
    #[serde(default)]
    note: Patch<String>,
}

impl Update {
    /// The change that a form of a page asks for.
    pub(crate) fn with_plain_line_ends(self) -> Self {
        Self { note: self.note.map(|note| plain_line_ends(&note)), ..self }
    }

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
async fn list_error_reports(
    cx: Context,
    _tenant: NeededAccount<may::Administer>,
    _: Query<Filter>,
    reports: PrefetchedBuiltList<Reports>,
) -> Result<Reply<Vec<BuiltJson<Summary>>>> {
    Ok(Reply::built_page(reports.page(&cx.page().await?)?))
}

/// Reads an error report with its environment.
#[endpoint(GET "/api/v1/error_reports/:id")]
async fn get_error_report(cx: Context, Path(at): Path<ReportPath>, tenant: NeededAccount) -> Result<Reply<Report>> {
    let report = store::find(&cx.db, cx.caller()?.tenant(), at.id).await?.or_not_found()?;
    tenant.require_administrator()?;
    Ok(Reply::ok(report))
}

/// Closes an error report or opens it again, and notes something at it.
#[endpoint(PUT "/api/v1/error_reports/:id")]
async fn update_error_report(
    cx: Context,
    Path(at): Path<ReportPath>,
    tenant: NeededAccount,
    body: Form<Update>,
) -> Result<Reply<Report>> {
    let caller = cx.caller()?;
    store::find(&cx.db, caller.tenant(), at.id).await?.or_not_found()?;
    tenant.require_administrator()?;
    let change = body.decode()?.change(caller.user)?;
    let report = store::update(&cx.db, caller.tenant(), at.id, change, cx.now).await?.or_not_found()?;
    Ok(Reply::ok(report))
}
