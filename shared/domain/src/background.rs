//! Work that nobody waits for: after the response, and at the operator's tick.
//!
//! Work that is to be done stands in the database before anything runs, so that work which a crash cuts off is found again.
//! Running it after the response only makes it sooner.

use std::iter::Sum;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Method;
use http::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use types::JsonSchema;
use types::clock::Timestamp;
pub use web::after_response::{after_response, keep_first, log, log_failure, log_if_failed, log_text};
use web::api::{Credential, Endpoint};
use web::config;
use web::error::{Error, Result, TokenProblem};
use web::outbound::{self, Limits};
use web::secrets;
use web::{Context, Reply};

/// The path at which each component with jobs takes the call to do them. No route leads there: it is reached by service
/// chaining.
pub const JOBS: &str = "/internal/jobs";

/// The path at which the component `background` is told that something is due now.
pub const RUN_SOON: &str = "/internal/nudge";

/// The header by which a developer sets the clock of one tick.
pub const CLOCK: &str = "x-test-clock";

/// The time for which one call may work.
const BUDGET: Duration = Duration::from_secs(20);

/// The work that a call has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobOutcome {
    /// The number of jobs that were worked on.
    pub done: i64,
    /// True if there is more to do now.
    pub more: bool,
}

impl Sum for JobOutcome {
    fn sum<I: Iterator<Item = Self>>(outcomes: I) -> Self {
        outcomes.fold(Self::default(), |all, one| Self {
            done: all.done.saturating_add(one.done),
            more: all.more || one.more,
        })
    }
}

/// Asks the component `background`, after the response, to send what is due. If it cannot be reached, the tick does it.
pub fn run_soon() {
    after_response(async { chain("background", RUN_SOON, None).await.map(drop) });
}

/// Lets a component do its jobs, as of the moment that `clock` gives.
pub async fn run_jobs(component: &str, clock: Option<Timestamp>) -> Result<JobOutcome> {
    serde_json::from_slice(&chain(component, JOBS, clock).await?).map_err(Error::internal)
}

async fn chain(component: &str, path: &str, clock: Option<Timestamp>) -> Result<Bytes> {
    let token = config::required_secret("tick_token").await?;
    let mut request = http::Request::post(format!("http://{component}.spin.internal{path}"))
        .header(AUTHORIZATION, format!("Bearer {}", token.expose()));
    if let Some(clock) = clock {
        request = request.header(CLOCK, clock.to_string());
    }
    let request = request.body(Bytes::new()).map_err(Error::internal)?;
    let limits = Limits { first_byte: BUDGET * 2, total: BUDGET * 2, ..Limits::default() };
    let answer = outbound::send(request, &limits).await;
    let answer = answer.map_err(|failure| Error::internal(anyhow::anyhow!("{component}: {}", failure.detail())))?;
    match answer.status().is_success() {
        true => Ok(answer.into_body()),
        false => Err(Error::internal(anyhow::anyhow!("{component} answered {}", answer.status()))),
    }
}

/// The token of the operator's clock and mail server.
pub const TICK_TOKEN: Credential =
    Credential { name: "tick_token", description: "The operator's own token, which is the variable `tick_token`." };

/// The token of those who watch the installation, and may do nothing else.
pub const STATUS_TOKEN: Credential = Credential {
    name: "status_token",
    description: "The token of who watches: the variable `status_token`, or `tick_token`.",
};

/// The context of work whose caller shows the tick's token: 401 otherwise. In development its clock may be another.
pub async fn authorized(mut cx: Context) -> Result<Context> {
    // Without a token of its own an installation has no tick.
    require_bearer(&cx, "tick_token", Error::token(TokenProblem::Invalid)).await?;
    if let Some(clock) = cx.header(CLOCK)
        && config::flag("development").await?
    {
        cx.now = Timestamp::parse(clock).ok_or_else(|| Error::bad_request("the clock is not an ISO 8601 time"))?;
    }
    Ok(cx)
}

/// Refuses who shows neither the token of the tick nor that of those who only watch: 401. Where nobody may only watch, there is
/// nothing to see without the token of the tick: 404.
pub async fn require_watcher(cx: &Context) -> Result<()> {
    if secrets::is_own("tick_token", bearer(cx).unwrap_or_default()).await? == Some(true) {
        return Ok(());
    }
    require_bearer(cx, "status_token", Error::not_found()).await
}

/// Refuses who does not show the operator's secret of that name: 401, and `absent` where there is no such secret.
async fn require_bearer(cx: &Context, name: &str, absent: Error) -> Result<()> {
    let shown = bearer(cx);
    match secrets::is_own(name, shown.unwrap_or_default()).await? {
        None => Err(absent),
        Some(true) => Ok(()),
        Some(false) => Err(Error::token(if shown.is_some() { TokenProblem::Invalid } else { TokenProblem::Missing })),
    }
}

fn bearer(cx: &Context) -> Option<&str> {
    cx.header(AUTHORIZATION).and_then(web::bearer)
}

/// The moment until which work that begins now may take on more.
pub fn deadline() -> Instant {
    let now = Instant::now();
    now.checked_add(BUDGET).unwrap_or(now)
}

/// The endpoint by which the tick lets an area do its jobs: `run` takes on no more after the moment it is given.
pub fn jobs<F>(run: impl Fn(Context, Instant) -> F + Copy + Send + Sync + 'static) -> Endpoint
where
    F: Future<Output = Result<JobOutcome>> + 'static,
{
    let answer = move |cx: Context| async move { Ok(Reply::ok(run(authorized(cx).await?, deadline()).await?)) };
    Endpoint::new(Method::POST, JOBS, "run_jobs", answer).public().quiet()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_more_to_do_where_any_has_more() {
        let [some, more] = [false, true].map(|more| JobOutcome { done: 2, more });
        assert_eq!([some, more, some].into_iter().sum::<JobOutcome>(), JobOutcome { done: 6, more: true });
        assert_eq!([some, some].into_iter().sum::<JobOutcome>(), JobOutcome { done: 4, more: false });
        assert_eq!([].into_iter().sum::<JobOutcome>(), JobOutcome::default());
    }
}
