//! The tick: bounded work at each call, for whatever calls again and again.

use futures::future::join_all;
use futures::join;
use serde::Serialize;
use shared::background::{self, JobOutcome};
use shared::{Context, Endpoint, Error, JsonSchema, Method, NoContent, Reply, Result, endpoint, endpoints, status};

use crate::{deliveries, messages, retention};

/// Components that have jobs.
const AREAS: [&str; 8] =
    ["badges", "content-exports", "coursework", "directory", "error-reports", "files", "quiz-sessions", "sis-imports"];

/// The work that a tick has done.
#[derive(Serialize, JsonSchema)]
struct Ticked {
    /// Deliveries to webhook subscriptions that were tried.
    deliveries: i64,
    /// Messages to users that were tried.
    messages: i64,
    /// Jobs of all areas that were worked on: content exports and imports are some of them.
    exports: i64,
    /// True if there is more to do now.
    more: bool,
}

endpoints![run_tick];

/// Told by an area that something is due now.
pub(crate) fn run_soon() -> Endpoint {
    Endpoint::new(Method::POST, background::RUN_SOON, "nudge_background_work", nudged).public().quiet()
}

/// Does what is due: deliveries, messages, the jobs of the areas, and clearing up.
///
/// A part that fails does not keep the others from being done: the log says why, and the figures how many did.
#[endpoint(
    POST "/internal/tick",
    public,
    nobody(401, "it is called with a token of the operator's own"),
    takes(background::TICK_TOKEN),
    quiet,
)]
async fn run_tick(cx: Context) -> Result<Reply<Ticked>> {
    let cx = background::authorized(cx).await?;
    let until = background::deadline();
    let (delivered, told, (jobs, failed_areas)) =
        join!(deliveries::send(&cx, until), messages::send(&cx, until), jobs(&cx));
    let mut failures = failed_areas;
    let mut note = |error: &Error| {
        failures = failures.saturating_add(1);
        background::log_failure(error);
    };
    let delivered = delivered.inspect_err(&mut note).unwrap_or_default();
    let told = told.inspect_err(&mut note).unwrap_or_default();
    for cleared in [deliveries::retention::run(&cx).await, retention::run(&cx.db).await] {
        cleared.inspect_err(&mut note).unwrap_or_default();
    }
    status::note_tick(&cx.db, failures).await?;
    Ok(Reply::ok(Ticked {
        deliveries: delivered.done,
        messages: told.done,
        exports: jobs.done,
        more: delivered.more || told.more || jobs.more,
    }))
}

/// Answers at once, so that whoever nudges need not wait.
async fn nudged(cx: Context) -> Result<NoContent> {
    let cx = background::authorized(cx).await?;
    background::after_response(async move {
        let until = background::deadline();
        let (delivered, told) = join!(deliveries::send_soon(&cx, until), messages::send(&cx, until));
        delivered.and(told).map(drop)
    });
    Ok(Reply::no_content())
}

/// Lets the areas do their jobs, side by side. One that fails does not keep the others from theirs: it is counted.
async fn jobs(cx: &Context) -> (JobOutcome, i64) {
    let mut failed_areas = 0_i64;
    let mut note = |error: &Error| {
        failed_areas = failed_areas.saturating_add(1);
        background::log_failure(error);
    };
    let outcomes = join_all(AREAS.map(|area| background::run_jobs(area, Some(cx.now)))).await;
    let total = outcomes.into_iter().filter_map(|done| done.inspect_err(&mut note).ok()).sum();
    (total, failed_areas)
}
