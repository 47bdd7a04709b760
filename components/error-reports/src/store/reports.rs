//! Reports.

use serde::Deserialize;
use serde_json::json;
use shared::clock::DAY;
use shared::db::{Binds, BuiltRow, IdRow, Json};
use shared::ids::{AccountId, ErrorReportId, UserId};
use shared::needs::{Lookup, MatchedPath, nested_list};
use shared::pagination::Key;
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp, db, users};

use crate::model::form::NewReport;
use crate::model::reports::{Details, Filter, Report, State, Summary};
use crate::store::forwards;

/// The columns of [`Summary`].
const SUMMARY: &str =
    "id, root_account_id AS account_id, user_id, subject, category, url, email, user_perceived_severity,
    context_asset_string, user_roles, workflow_state, created_at, updated_at, closed_at";

/// The further columns of [`Details`].
const DETAILS: &str = "message, comments, backtrace, http_env, note, updated_by_id";

/// The further columns of [`Report`].
const FORWARDING: &str = "(SELECT status FROM error_report_forwards WHERE report_id = error_reports.id) AS forwarding,
    (SELECT error FROM error_report_forwards WHERE report_id = error_reports.id) AS forwarding_error";

/// The user who files a report, and the tenant.
pub(crate) struct Reporter {
    pub(crate) root_account: AccountId,
    pub(crate) user: Option<UserId>,
}

/// A change of a report by somebody.
pub(crate) struct Change {
    /// `None`: it stays as it is.
    pub(crate) state: Option<State>,
    /// `None`: it stays; empty: there is none any more.
    pub(crate) note: Option<String>,
    pub(crate) by: UserId,
}

/// The amount that is stored of one reporter within a day; all who are not known are one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) reports: i64,
    pub(crate) bytes: i64,
}

/// The outcome of a report.
pub(crate) enum Filed {
    Stored(ErrorReportId),
    /// It is more than the reporter may file in a day; after so many seconds there is room again.
    OverBudget {
        seconds: i64,
    },
}

/// Stores a report unless its reporter has filed enough, and with it that it is to be forwarded.
pub(crate) async fn insert(
    db: &Db,
    reporter: Reporter,
    report: NewReport,
    budget: Budget,
    forwarded: bool,
    now: Timestamp,
) -> db::Result<Filed> {
    let bytes = i64::try_from(report.bytes()).unwrap_or(i64::MAX);
    let user = reporter.user;
    let store = async |db: &Db| {
        let id = insert_report(db, reporter, report, bytes, budget, now).await?;
        if let Some(id) = id.filter(|_| forwarded) {
            forwards::insert(db, id, now).await?;
        }
        Ok::<_, db::Error>(id)
    };
    match db.transaction_if(forwarded, store).await? {
        Some(id) => Ok(Filed::Stored(id)),
        None => Ok(Filed::OverBudget { seconds: seconds_to_wait(db, user, now).await? }),
    }
}

/// The time until the oldest report of the day counts no more.
async fn seconds_to_wait(db: &Db, user: Option<UserId>, now: Timestamp) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Stored {
        oldest: Option<Timestamp>,
    }
    let sql = "SELECT min(created_at) AS oldest FROM error_reports WHERE user_id IS ?1 AND created_at > ?2";
    let stored: Stored = db.fetch_one(sql, (user, now.plus_seconds(-DAY))).await?;
    let ends = stored.oldest.unwrap_or(now).plus_seconds(DAY).unix();
    Ok(ends.saturating_sub(now.unix()).max(1))
}

/// Stores the report, if the budget of its reporter's day has room for it. The directory fills in what it does not say of a
/// known user.
async fn insert_report(
    db: &Db,
    reporter: Reporter,
    report: NewReport,
    bytes: i64,
    budget: Budget,
    now: Timestamp,
) -> db::Result<Option<ErrorReportId>> {
    let room = json!({ "reports": budget.reports, "bytes": budget.bytes, "since": now.plus_seconds(-DAY) });
    let row: Option<IdRow<ErrorReportId>> = db
        .fetch(
            "INSERT INTO error_reports
                 (root_account_id, user_id, subject, message, comments, backtrace, category, url, email,
                  user_perceived_severity, context_asset_string, user_roles, http_env, created_at, updated_at, bytes)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ifnull(?9, (SELECT email FROM user_emails WHERE user_id = ?2)), ?10, ?11,
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
                 ?13, ?14, ?14, ?15
             WHERE (SELECT count(*) < ?16 ->> 'reports' AND ifnull(sum(stored.bytes), 0) + ?15 <= ?16 ->> 'bytes'
                    FROM error_reports AS stored WHERE stored.user_id IS ?2 AND stored.created_at > ?16 ->> 'since')
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
                bytes,
                Json(room),
            ),
        )
        .await?;
    Ok(row.map(|row| row.id))
}

/// The reports that the administrators of the tenant may see: not those of nobody in particular, which may be about any
/// tenant. Where there is no tenant, the site's administrators see all.
macro_rules! seen_by_tenant {
    ($tenant:literal) => {
        concat!("error_reports.root_account_id = ", $tenant, " AND error_reports.user_id IS NOT NULL")
    };
}

/// The site's administrators see all reports.
const SEEN_BY_SITE: &str = "TRUE";

/// The reports that the caller sees as an administrator and that the query asks for, the newest first. Of these two statements one
/// finds nothing, and each has its own index.
pub(crate) struct Reports;

/// The tenant of a caller who administers it alone. A statement of its own asks the caller, so that it is asked once for a page.
const CALLERS_TENANT: &str = "(SELECT caller.root_account_id FROM caller WHERE NOT caller.site_admin)";
const CALLER_IS_OF_SITE: &str = "(SELECT caller.site_admin FROM caller)";

impl List for Reports {
    type Row = BuiltRow<Summary>;
    const PAGES: Pages = Pages::Keyset(Key::descending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let filter: Filter = path.query()?;
        let term = filter.term()?;
        // A user has few reports: the index on them is the better one.
        let account = if filter.user_id.is_some() { "+root_account_id" } else { "root_account_id" };
        let of_tenant = format!("{account} = {CALLERS_TENANT} AND user_id IS NOT NULL");
        let [of_tenant, of_site] =
            [of_tenant.as_str(), CALLER_IS_OF_SITE].map(|seen| filtered(seen, &filter, term.as_ref()));
        let shown = format!("SELECT id, {} AS record FROM page", db::json_object::<Summary>()?);
        let values = filter_values(&filter, term.as_ref());
        Ok(Lookup::new(format!("{of_tenant} UNION ALL {of_site}"), values).shown_by(shown))
    }
}

/// What the page of reports shows.
#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) reports: Json<Vec<Summary>>,
}

/// So many of the newest of these reports that are older than that one, as the administrator may see them; nothing for others.
pub(crate) async fn listed(
    db: &Db,
    user: UserId,
    filter: &Filter,
    before: Option<ErrorReportId>,
    most: i64,
) -> Result<Option<Listed>> {
    let term = filter.term()?;
    let newest = |seen: &str| {
        let sql = filtered(seen, filter, term.as_ref());
        nested_list::<Summary>(&format!("{sql} AND id < ifnull(?7, 9223372036854775807) ORDER BY id DESC LIMIT ?8"))
    };
    let sql = format!(
        "SELECT CASE WHEN viewer.is_of_site THEN {} ELSE {} END AS reports FROM ({}) viewer",
        newest(SEEN_BY_SITE)?,
        newest(seen_by_tenant!("viewer.tenant"))?,
        viewer("?9"),
    );
    let mut values = filter_values(filter, term.as_ref()).values();
    values.extend((before, most, user).values());
    Ok(db.fetch(&sql, values).await?)
}

/// The report, if it is there and the administrator may see it.
pub(crate) async fn shown(db: &Db, user: UserId, id: ErrorReportId) -> db::Result<Option<Report>> {
    let sql = format!(
        "SELECT {SUMMARY}, {DETAILS}, {FORWARDING} FROM error_reports
         WHERE id = ?2 AND EXISTS (SELECT 1 FROM ({}) viewer WHERE viewer.is_of_site OR {})",
        viewer("?1"),
        seen_by_tenant!("viewer.tenant")
    );
    db.fetch(&sql, (user, id)).await
}

type Filtered<'a> = (
    Option<&'static str>,
    Option<&'a str>,
    Option<UserId>,
    Option<Timestamp>,
    Option<Timestamp>,
    Option<&'a SearchTerm>,
);

/// The reports that are seen and asked for. A filter that is not asked for leaves no condition on its column, so that an index
/// serves those that are.
fn filtered(seen: &str, filter: &Filter, term: Option<&SearchTerm>) -> String {
    let condition = |given: bool, condition: &str, number: u8| match given {
        true => condition.to_owned(),
        false => format!("?{number} IS NULL"),
    };
    let conditions = [
        seen.to_owned(),
        match filter.user_id {
            // A user has few reports: the index on them is the better one.
            Some(_) => condition(filter.workflow_state.is_some(), "+workflow_state = ?1", 1),
            None => condition(filter.workflow_state.is_some(), "workflow_state = ?1", 1),
        },
        condition(filter.user_perceived_severity.is_some(), "user_perceived_severity = ?2", 2),
        condition(filter.user_id.is_some(), "user_id = ?3", 3),
        condition(filter.since.is_some(), "created_at >= ?4", 4),
        condition(filter.until.is_some(), "created_at < ?5", 5),
        condition(term.is_some(), &SearchTerm::contained_sql(term, &["subject"], "?6"), 6),
    ];
    // A page of whole subjects could be larger than what a component can hold.
    let summary = SUMMARY.replace("subject", "substr(subject, 1, 1024) AS subject");
    format!("SELECT {summary} FROM error_reports WHERE {}", conditions.join(" AND "))
}

/// The values of [`filtered`].
fn filter_values<'a>(filter: &'a Filter, term: Option<&'a SearchTerm>) -> Filtered<'a> {
    (
        filter.workflow_state.map(State::name),
        filter.user_perceived_severity.as_deref(),
        filter.user_id,
        filter.since,
        filter.until,
        term,
    )
}

/// The report, if the tenant's administrators may see it.
pub(crate) async fn find(db: &Db, tenant: Option<AccountId>, id: ErrorReportId) -> db::Result<Option<Report>> {
    let sql = format!(
        "SELECT {SUMMARY}, {DETAILS}, {FORWARDING} FROM error_reports WHERE id = ?1 AND (?2 IS NULL OR {})",
        seen_by_tenant!("?2")
    );
    db.fetch(&sql, (id, tenant)).await
}

/// The report, to be forwarded.
pub(crate) async fn details(db: &Db, id: ErrorReportId) -> db::Result<Option<Details>> {
    db.fetch(&format!("SELECT {SUMMARY}, {DETAILS} FROM error_reports WHERE id = ?1"), (id,)).await
}

/// Changes the report, if the tenant's administrators may see it. It was closed when it was closed first since it was open.
pub(crate) async fn update(
    db: &Db,
    tenant: Option<AccountId>,
    id: ErrorReportId,
    change: Change,
    now: Timestamp,
) -> db::Result<Option<Report>> {
    let sql = format!(
        "UPDATE error_reports
         SET workflow_state = ifnull(?2, workflow_state),
             closed_at = iif(ifnull(?2, workflow_state) = 'closed', ifnull(closed_at, ?5), NULL),
             note = nullif(ifnull(?3, note), ''), updated_by_id = ?4, updated_at = ?5
         WHERE id = ?1 AND (?6 IS NULL OR {}) RETURNING {SUMMARY}, {DETAILS}, {FORWARDING}",
        seen_by_tenant!("?6")
    );
    db.fetch(&sql, (id, change.state.map(State::name), change.note, change.by, now, tenant)).await
}

/// The user of that place, who administers the tenant or the site.
fn viewer(user: &str) -> String {
    users::administrator_sql(user, "u.root_account_id")
}

/// True if the user administers the tenant: its reports, or those of all tenants. `None`: neither.
pub(crate) async fn opened_to(db: &Db, user: UserId) -> db::Result<Option<Option<AccountId>>> {
    #[derive(Deserialize)]
    struct Rights {
        tenant: AccountId,
        is_of_site: bool,
    }
    let rights: Option<Rights> = db.fetch(&viewer("?1"), (user,)).await?;
    Ok(rights.map(|rights| (!rights.is_of_site).then_some(rights.tenant)))
}
