//! Reports.

use serde::Deserialize;
use shared::ids::{AccountId, ErrorReportId, UserId};
use shared::page::{Key, Page};
use shared::{Db, Paged, Timestamp, db};

use super::forwards;
use crate::form::NewReport;
use crate::reports::{Details, Filter, Report, State, Summary};

/// What [`Summary`] has.
const SUMMARY: &str =
    "id, root_account_id AS account_id, user_id, subject, category, url, email, user_perceived_severity,
    context_asset_string, user_roles, workflow_state, created_at, updated_at, closed_at";

/// What [`Details`] has besides.
const DETAILS: &str = "message, comments, backtrace, http_env, note, updated_by_id";

/// What [`Report`] has besides.
const FORWARDING: &str = "(SELECT status FROM error_report_forwards WHERE report_id = error_reports.id) AS forwarding,
    (SELECT error FROM error_report_forwards WHERE report_id = error_reports.id) AS forwarding_error";

/// Who files a report, and in which tenant.
pub(crate) struct Reporter {
    pub(crate) root_account: AccountId,
    pub(crate) user: Option<UserId>,
}

/// What somebody does with a report.
pub(crate) struct Change {
    /// `None`: it stays as it is.
    pub(crate) state: Option<State>,
    /// `None`: it stays; empty: there is none any more.
    pub(crate) note: Option<String>,
    pub(crate) by: UserId,
}

/// Stores a report, and with it that it is to be forwarded.
pub(crate) async fn insert(
    db: &Db,
    reporter: Reporter,
    report: NewReport,
    forwarded: bool,
    now: Timestamp,
) -> db::Result<ErrorReportId> {
    if !forwarded {
        return insert_report(db, reporter, report, now).await;
    }
    db.transaction(async |db| {
        let id = insert_report(db, reporter, report, now).await?;
        forwards::insert(db, id, now).await?;
        Ok(id)
    })
    .await
}

/// What the report does not say of a known user, the directory does.
async fn insert_report(db: &Db, reporter: Reporter, report: NewReport, now: Timestamp) -> db::Result<ErrorReportId> {
    #[derive(Deserialize)]
    struct Id {
        id: ErrorReportId,
    }
    let row: Id = db
        .fetch_one(
            "INSERT INTO error_reports
                 (root_account_id, user_id, subject, message, comments, backtrace, category, url, email,
                  user_perceived_severity, context_asset_string, user_roles, http_env, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ifnull(?9, (SELECT email FROM users WHERE id = ?2)), ?10, ?11,
                 ifnull(?12, (
                     SELECT group_concat(role, ',') FROM (
                         SELECT role FROM (
                             SELECT 1 AS place, 'user' AS role WHERE ?2 IS NOT NULL
                             UNION
                             SELECT CASE type WHEN 'StudentEnrollment' THEN 2 WHEN 'ObserverEnrollment' THEN 4 ELSE 3 END,
                                    CASE type WHEN 'StudentEnrollment' THEN 'student' WHEN 'ObserverEnrollment' THEN 'observer'
                                    ELSE 'teacher' END
                             FROM enrollments WHERE user_id = ?2 AND workflow_state = 'active'
                             UNION
                             SELECT 5, 'admin' FROM account_admins WHERE user_id = ?2
                             UNION
                             SELECT 6, 'root_admin' FROM account_admins m JOIN accounts a ON a.id = m.account_id
                             WHERE m.user_id = ?2 AND a.parent_account_id IS NULL
                         ) ORDER BY place))),
                 ?13, ?14, ?14)
             RETURNING id",
            (
                reporter.root_account,
                reporter.user,
                report.subject,
                report.message,
                report.comments,
                report.backtrace,
                report.category,
                report.url,
                report.email,
                report.user_perceived_severity,
                report.context_asset_string,
                report.user_roles,
                report.http_env,
                now,
            ),
        )
        .await?;
    Ok(row.id)
}

/// One page of the tenant's reports; of all of them where no tenant is given.
pub(crate) async fn list(
    db: &Db,
    tenant: Option<AccountId>,
    filter: &Filter,
    key: Key,
    page: &Page,
) -> db::Result<Paged<Summary>> {
    let (sql, binds) = filtered(tenant, filter);
    db.keyset(&sql, binds, key, page).await
}

/// So many of the tenant's newest reports that are older than that one.
pub(crate) async fn newest(
    db: &Db,
    tenant: Option<AccountId>,
    filter: &Filter,
    before: Option<ErrorReportId>,
    most: i64,
) -> db::Result<Vec<Summary>> {
    let (sql, (tenant, state, severity, user, since, until, search)) = filtered(tenant, filter);
    let sql = format!("{sql} AND id < ifnull(?8, 9223372036854775807) ORDER BY id DESC LIMIT ?9");
    db.fetch_all(&sql, (tenant, state, severity, user, since, until, search, before, most)).await
}

type Filtered<'a> = (
    Option<AccountId>,
    Option<&'static str>,
    Option<&'a str>,
    Option<UserId>,
    Option<Timestamp>,
    Option<Timestamp>,
    Option<String>,
);

/// A filter that is not asked for leaves no condition on its column, so that an index serves those that are.
fn filtered(tenant: Option<AccountId>, filter: &Filter) -> (String, Filtered<'_>) {
    let condition = |given: bool, condition: &'static str, number: u8| match given {
        true => condition.to_owned(),
        false => format!("?{number} IS NULL"),
    };
    let conditions = [
        condition(tenant.is_some(), "root_account_id = ?1", 1),
        match filter.user_id {
            // A user has few reports: the index on them is the better one.
            Some(_) => condition(filter.workflow_state.is_some(), "+workflow_state = ?2", 2),
            None => condition(filter.workflow_state.is_some(), "workflow_state = ?2", 2),
        },
        condition(filter.user_perceived_severity.is_some(), "user_perceived_severity = ?3", 3),
        condition(filter.user_id.is_some(), "user_id = ?4", 4),
        condition(filter.since.is_some(), "created_at >= ?5", 5),
        condition(filter.until.is_some(), "created_at < ?6", 6),
        condition(filter.search_term.is_some(), "subject LIKE ?7 ESCAPE '\\'", 7),
    ];
    let sql = format!("SELECT {SUMMARY} FROM error_reports WHERE {}", conditions.join(" AND "));
    let binds = (
        tenant,
        filter.workflow_state.map(State::name),
        filter.user_perceived_severity.as_deref(),
        filter.user_id,
        filter.since,
        filter.until,
        filter.search_term.as_deref().map(containing),
    );
    (sql, binds)
}

/// The pattern of texts that contain that one.
fn containing(text: &str) -> String {
    format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
}

/// The report, if it is one of the tenant.
pub(crate) async fn find(db: &Db, tenant: Option<AccountId>, id: ErrorReportId) -> db::Result<Option<Report>> {
    let sql = format!(
        "SELECT {SUMMARY}, {DETAILS}, {FORWARDING} FROM error_reports
         WHERE id = ?1 AND (?2 IS NULL OR root_account_id = ?2)"
    );
    db.fetch(&sql, (id, tenant)).await
}

/// The report, to be forwarded.
pub(crate) async fn details(db: &Db, id: ErrorReportId) -> db::Result<Option<Details>> {
    db.fetch(&format!("SELECT {SUMMARY}, {DETAILS} FROM error_reports WHERE id = ?1"), (id,)).await
}

/// Changes the report. It was closed when it was closed first since it was open.
pub(crate) async fn update(db: &Db, id: ErrorReportId, change: Change, now: Timestamp) -> db::Result<Option<Report>> {
    let sql = format!(
        "UPDATE error_reports
         SET workflow_state = ifnull(?2, workflow_state),
             closed_at = iif(ifnull(?2, workflow_state) = 'closed', ifnull(closed_at, ?5), NULL),
             note = nullif(ifnull(?3, note), ''), updated_by_id = ?4, updated_at = ?5
         WHERE id = ?1 RETURNING {SUMMARY}, {DETAILS}, {FORWARDING}"
    );
    db.fetch(&sql, (id, change.state.map(State::name), change.note, change.by, now)).await
}

/// Whether the user administers the tenant: its reports, or those of all tenants. `None`: neither.
pub(crate) async fn opened_to(db: &Db, user: UserId) -> db::Result<Option<Option<AccountId>>> {
    #[derive(Deserialize)]
    struct Rights {
        root_account_id: AccountId,
        site_admin: bool,
    }
    let rights: Option<Rights> = db
        .fetch(
            "SELECT u.root_account_id, u.site_admin FROM users u
             WHERE u.id = ?1 AND u.workflow_state <> 'deleted' AND (u.site_admin OR EXISTS (
                 SELECT 1 FROM account_admins WHERE user_id = u.id AND account_id = u.root_account_id))",
            (user,),
        )
        .await?;
    Ok(rights.map(|rights| (!rights.site_admin).then_some(rights.root_account_id)))
}
