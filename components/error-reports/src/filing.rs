//! Filing a report: for whoever meets a problem, with a token or without.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::ids::{AccountId, ErrorReportId};
use shared::params::{self, Params};
use shared::throttle::{self, Limit, Turn};
use shared::{Body, Context, Endpoint, Error, Reply, Result, background, post};

use crate::form::{Form, cut};
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
    let address = format!("error reports from {}", network(cx.client_address().unwrap_or_default()));
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

/// What is counted as one address: of the new kind a customer of a provider has a whole network.
fn network(address: &str) -> String {
    let parsed = address.parse::<IpAddr>().or_else(|_| address.parse::<SocketAddr>().map(|socket| socket.ip()));
    match parsed.map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => address.to_string(),
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
        Err(_no_address) => cut(address, 64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_is_counted_as_what_one_customer_has() {
        for (address, counted) in [
            ("203.0.113.7", "203.0.113.7"),
            ("203.0.113.7:4711", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("[2001:db8:1:2::9]:80", "2001:db8:1:2::"),
            ("unknown", "unknown"),
            ("", ""),
        ] {
            assert_eq!(network(address), counted, "{address}");
        }
        assert_eq!(network(&"x".repeat(1000)).len(), 64);
    }

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
