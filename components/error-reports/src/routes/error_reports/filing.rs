//! Filing a report: for whoever meets a problem, with a token or without.

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use shared::clock::MINUTE;
use shared::ids::{AccountId, ErrorReportId};
use shared::params::{self, Params};
use shared::throttle::{self, Limit, Try};
use shared::{Context, Error, Form, JsonSchema, LimitKind, Reply, Result, background, config, endpoint, endpoints};

use crate::forwarding;
use crate::model::form::ReportForm;
use crate::store::reports::{self as store, Budget, Filed, Reporter};

/// Whose reports those of nobody in particular are: the first account, which is the site's.
const SITE: AccountId = AccountId(1);

const TEN_MINUTES: i64 = 10 * MINUTE;
/// The number of reports that a user may file.
const OF_ONE_USER: Limit = Limit { most: 10, seconds: TEN_MINUTES };
/// The number of reports that may come from one address, behind which a whole school may be.
const FROM_ONE_ADDRESS: Limit = Limit { most: 30, seconds: TEN_MINUTES };

/// The amount that is stored of one user within a day.
const OF_ONE_USER_A_DAY: Budget = Budget { reports: 200, bytes: 8 << 20 };
/// The bytes that are stored within a day of all who file without a token.
const BYTES_WITHOUT_TOKEN: i64 = 16 << 20;
/// The number of reports without a token that are stored within a day.
const DAILY_LIMIT: &str = "error_report_daily_limit";

/// A field that people do not see: who fills it in is a program.
const TRAP: &str = "username";

endpoints![create_error_report];

/// The answer to a report that is stored.
#[derive(Serialize, JsonSchema)]
struct Logged {
    /// Always true.
    logged: bool,
    id: ErrorReportId,
}

/// Files an error report.
#[endpoint(
    POST "/api/v1/error_reports",
    token_optional,
    nobody(400, "anybody reports a problem; it asks for the subject"),
    throttled("reports from one network, of one user, and in all"),
)]
async fn create_error_report(cx: Context, body: Form<ReportForm>) -> Result<Reply<Logged>> {
    let params = body.into_params()?;
    if !is_a_report(&params) {
        return Ok(Reply::empty(StatusCode::BAD_REQUEST));
    }
    let report = params::decode::<ReportForm>(params)?.read(&cx)?;
    // Before any work on its texts, so that who files too often costs little.
    take_turn(&cx).await?;
    let report = report.scrub();
    let (reporter, budget) = match cx.known_caller() {
        Some(caller) => (Reporter { root_account: caller.root_account, user: Some(caller.user) }, OF_ONE_USER_A_DAY),
        None => (Reporter { root_account: SITE, user: None }, anonymous_budget().await?),
    };
    let forwarded = forwarding::is_wanted().await?;
    let id = match store::insert(&cx.db, reporter, report, budget, forwarded, cx.now).await? {
        Filed::Stored(id) => id,
        Filed::OverBudget { seconds } => return Err(Error::throttled(LimitKind::ErrorReports, seconds)),
    };
    if forwarded {
        background::after_response(async move { forwarding::run(cx, background::deadline()).await.map(drop) });
    }
    Ok(Reply::ok(Logged { logged: true, id }))
}

async fn anonymous_budget() -> Result<Budget> {
    Ok(Budget { reports: config::number(DAILY_LIMIT).await?, bytes: BYTES_WITHOUT_TOKEN })
}

/// True if `error` is a hash in which the trap is empty. Where there is none, the subject is what is missing.
fn is_a_report(params: &Params) -> bool {
    match params.get("error") {
        None | Some(Value::Null) => true,
        Some(Value::Object(fields)) => match fields.get(TRAP) {
            None | Some(Value::Null) => true,
            Some(trap) => trap.as_str().is_some_and(str::is_empty),
        },
        Some(_) => false,
    }
}

/// Counts the report of its address and of its user; 429 where it is one too many.
async fn take_turn(cx: &Context) -> Result<()> {
    let address = Try { key: format!("error reports from {}", cx.client_network()), limit: FROM_ONE_ADDRESS };
    let user = cx.known_caller().map(|caller| caller.user);
    let user = user.map(|user| Try { key: format!("error reports of {user}"), limit: OF_ONE_USER });
    let tries: Vec<_> = [address].into_iter().chain(user).collect();
    throttle::take_all(&cx.db, &tries, cx.now).await?.require(LimitKind::ErrorReports)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_programs_fill_in_the_trap() {
        let is_a_report = |error: Value| match json!({ "error": error }) {
            Value::Object(params) => is_a_report(&params),
            _ => false,
        };
        for error in [json!(null), json!({}), json!({"username": ""}), json!({"username": null})] {
            assert!(is_a_report(error.clone()), "{error}");
        }
        for error in
            [json!("text"), json!(["x"]), json!({"username": "x"}), json!({"username": " "}), json!({"username": 1})]
        {
            assert!(!is_a_report(error.clone()), "{error}");
        }
    }
}
