//! Filing a report: for whoever meets a problem, with a token or without.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::ids::{AccountId, ErrorReportId};
use shared::params::{self, Params};
use shared::throttle::{self, Limit, Turn};
use shared::{Body, Context, Endpoint, Error, Reply, Result, background, post};

use crate::form::Form;
use crate::forwarding;
use crate::store::reports::{self as store, Reporter};

/// Whose reports those of nobody in particular are: the first account, which is the site's.
const SITE: AccountId = AccountId(1);

const TEN_MINUTES: i64 = 600;
/// How many reports a user may file.
const OF_ONE_USER: Limit = Limit { most: 10, seconds: TEN_MINUTES };
/// How many reports may come from one address, behind which a whole school may be.
const FROM_ONE_ADDRESS: Limit = Limit { most: 30, seconds: TEN_MINUTES };

/// A field that people do not see: who fills it in is a program.
const TRAP: &str = "username";

pub(crate) fn endpoints() -> [Endpoint; 1] {
    [post("/api/v1/error_reports", create).token_optional().about("Files an error report")]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Nothing {}

/// That a report is stored.
#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct Logged {
    /// Always true.
    logged: bool,
    id: ErrorReportId,
}

async fn create(cx: Context, _: Nothing, body: Body<Form>) -> Result<Reply<Logged>> {
    let params = body.into_params();
    if !is_a_report(&params) {
        return Ok(Reply::empty(StatusCode::BAD_REQUEST));
    }
    let report = params::decode::<Form>(params)?.report(&cx)?;
    take_turn(&cx).await?;
    let reporter = match cx.known_caller() {
        Some(caller) => Reporter { root_account: caller.root_account, user: Some(caller.user) },
        None => Reporter { root_account: SITE, user: None },
    };
    let forwarded = forwarding::is_wanted().await?;
    let id = store::insert(&cx.db, reporter, report, forwarded, cx.now).await?;
    if forwarded {
        background::later(async move { forwarding::run(cx, background::deadline()).await.map(drop) });
    }
    Ok(Reply::ok(Logged { logged: true, id }))
}

/// Whether `error` is a hash in which the trap is empty. Where there is none, the subject is what is missing.
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
    let address = format!("error reports from {}", cx.client_network());
    if let Turn::Wait { seconds } = throttle::take(&cx.db, &address, FROM_ONE_ADDRESS, cx.now).await? {
        return Err(Error::throttled(seconds));
    }
    let Some(caller) = cx.known_caller() else { return Ok(()) };
    let user = format!("error reports of {}", caller.user);
    if let Turn::Wait { seconds } = throttle::take(&cx.db, &user, OF_ONE_USER, cx.now).await? {
        throttle::give_back(&cx.db, &address).await?;
        return Err(Error::throttled(seconds));
    }
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
