//! Deliveries to webhook subscriptions.
//!
//! A delivery is written in the transaction of the change that causes it. Here the due ones are leased, sent side by
//! side, and written off or put back. A crash loses nothing: what was leased is due again when the lease has ended. So a
//! receiver gets every delivery at least once, and knows a repetition by its `webhook-id`.

mod payload;
pub(crate) mod retention;
mod schedule;
mod transport;

use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::FuturesUnordered;
use shared::aws::Aws;
use shared::background::JobOutcome;
use shared::outbound::queue::QueueRules;
use shared::{Context, Result, Timestamp, background, config};
use spin_sdk::time;

use crate::deliveries::transport::{Attempt, Outcome, Settings};
use crate::store::deliveries::{self, Due, Fate};

/// The number of deliveries that one run has under way.
const AT_ONCE: usize = 128;
/// The interval at which a run writes what has finished, and sees what has become due.
const MOMENT: Duration = Duration::from_millis(20);

thread_local! {
    /// True if a run of this instance takes on whatever becomes due.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    /// True if something has become due since that run looked last.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// The mark that a run takes on whatever becomes due, until this is dropped.
struct Watch;

impl Watch {
    /// `None` where a run does so already: it is told.
    fn begin() -> Option<Self> {
        ASKED.set(true);
        (!RUNNING.replace(true)).then_some(Self)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        RUNNING.set(false);
    }
}

/// Sends what is due now, unless a run of this instance is about to do so anyway.
pub(crate) async fn send_soon(cx: &Context, until: Instant) -> Result<()> {
    match Watch::begin() {
        Some(watch) => send_watching(&Run::new(cx), until, Some(watch)).await.map(drop),
        None => Ok(()),
    }
}

/// Sends what is due at the context's time, and what becomes due until that moment.
pub(crate) async fn send(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let run = Run::new(cx);
    let done = send_watching(&run, until, None).await?;
    Ok(JobOutcome { done, more: deliveries::is_any_due(&cx.db, run.now()).await? })
}

/// The number of deliveries that were attempted.
async fn send_watching(run: &Run<'_>, until: Instant, mut watch: Option<Watch>) -> Result<i64> {
    let (mut done, mut failure) = (0_i64, None);
    let mut under_way = FuturesUnordered::new();
    loop {
        let room = AT_ONCE.saturating_sub(under_way.len());
        if failure.is_none() && Instant::now() < until && room > 0 {
            ASKED.set(ASKED.get() && watch.is_none());
            match run.lease(room).await {
                Ok(Some((settings, leased))) => {
                    under_way.extend(leased.into_iter().map(|due| run.attempt(due, settings)));
                }
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        } else {
            watch = None;
        }
        if under_way.is_empty() {
            if watch.is_some() && ASKED.get() {
                continue;
            }
            break;
        }
        let finished = finished(&mut under_way).await;
        // The others are on their way: they are recorded before anybody hears of it.
        if !finished.is_empty()
            && let Err(error) = deliveries::record(&run.cx.db, &finished, schedule::GIVEN_UP_AFTER).await
        {
            background::keep_first(&mut failure, error.into());
        }
        done = done.saturating_add(i64::try_from(finished.len()).unwrap_or(i64::MAX));
    }
    drop(watch);
    failure.map_or(Ok(done), Err)
}

/// Whatever finishes within a moment. Attempts that finish together are written together, because each write costs the
/// changes that are being made meanwhile.
async fn finished(
    under_way: &mut FuturesUnordered<impl Future<Output = deliveries::Result>>,
) -> Vec<deliveries::Result> {
    let mut finished = Vec::new();
    let mut moment = Box::pin(time::sleep(MOMENT));
    loop {
        match select(under_way.next(), moment).await {
            Either::Left((Some(result), rest)) => {
                finished.push(result);
                moment = rest;
            }
            Either::Left((None, rest)) => {
                rest.await;
                return finished;
            }
            Either::Right(_) => return finished,
        }
    }
}

struct Run<'a> {
    cx: &'a Context,
    /// Read when something is due: who sends nothing needs none.
    settings: OnceCell<Settings>,
    began: Instant,
}

impl<'a> Run<'a> {
    fn new(cx: &'a Context) -> Self {
        Self { cx, settings: OnceCell::new(), began: Instant::now() }
    }

    async fn settings(&self) -> Result<&Settings> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let settings = Settings {
            development: config::flag("development").await?,
            base_url: self.cx.lasting_base_url().await?,
            aws: Aws::configured().await?,
            queues: QueueRules::configured().await?,
        };
        Ok(self.settings.get_or_init(|| settings))
    }

    /// The time by the clock of the tick. It counts parts of a second too: what another component has recorded in the
    /// second that has just begun is due.
    fn now(&self) -> Timestamp {
        self.cx.now.plus(self.began.elapsed())
    }

    /// Leases what is due, once it is known how to send it.
    async fn lease(&self, room: usize) -> Result<Option<(&Settings, Vec<Due>)>> {
        let now = self.now();
        // Most of the time there is nothing, and others may want to write.
        if !deliveries::is_any_due(&self.cx.db, now).await? {
            return Ok(None);
        }
        let settings = self.settings().await?;
        let room = i64::try_from(room).unwrap_or(i64::MAX);
        Ok(Some((settings, deliveries::lease(&self.cx.db, room, now).await?)))
    }

    async fn attempt(&self, due: Due, settings: &Settings) -> deliveries::Result {
        let attempt = transport::attempt(&due, settings).await;
        self.result(&due, attempt)
    }

    fn result(&self, due: &Due, attempt: Attempt) -> deliveries::Result {
        let now = self.now();
        let Attempt { outcome, request, answer, latency, reason } = attempt;
        let failed = due.attempts.saturating_add(1);
        let (status, next_at, held_until, error) = match &outcome {
            Outcome::Delivered => ("delivered", None, None, None),
            Outcome::Gone => ("dead", None, None, Some("the receiver answered 410".to_owned())),
            Outcome::Impossible { why } => ("dead", None, None, Some(why.clone())),
            Outcome::Failed { why, wait } => {
                let next = schedule::SCHEDULE.wait(failed, *wait).map(|wait| now.plus_seconds(wait));
                let status = if next.is_some() { "pending" } else { "dead" };
                (status, next, wait.map(|wait| now.plus_seconds(wait)), Some(why.clone()))
            }
        };
        let fate = Fate {
            id: due.id,
            lease: due.lease.clone(),
            subscription: due.subscription_id,
            url: due.url.clone(),
            at: now,
            failed: error.is_some(),
            status,
            next_at,
            held_until,
            gone: outcome == Outcome::Gone,
        };
        let attempt = deliveries::Attempt {
            delivery: due.id,
            at: now,
            latency: i64::try_from(latency.as_millis()).unwrap_or(i64::MAX),
            request,
            response_status: answer.status,
            response_body: answer.body,
            error,
            reason,
        };
        deliveries::Result { attempt, fate }
    }
}
