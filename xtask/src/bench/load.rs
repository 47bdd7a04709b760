//! The load: requests over connections that are kept, one after another as they are answered (a closed loop), or at a fixed
//! rate whether they are answered or not (an open loop).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::summary::Outcome;
use super::table::Request;
use super::template::{Template, Values};

/// The times at which requests are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    /// Requests in a second; none: each as soon as the one before it on the connection is answered.
    pub(super) rate: Option<f64>,
    pub(super) length: Duration,
    pub(super) at_most: u32,
}

impl Schedule {
    /// The time from the start at which a request is due, and from which its latency counts; none after the end.
    ///
    /// At a fixed rate that is its place in the schedule, also where all connections are still waiting for the server:
    /// otherwise a server that stalls would be asked less often, and the stall would count once instead of for everybody
    /// who had to wait (coordinated omission).
    fn due(&self, number: u32, now: Duration) -> Option<Duration> {
        let due = match self.rate {
            Some(rate) => Duration::from_secs_f64(f64::from(number) / rate),
            None => now,
        };
        (number < self.at_most && due < self.length).then_some(due)
    }
}

/// A kind of request, ready to be made.
pub(super) struct Prepared {
    name: String,
    method: String,
    path: Template,
    body: Option<Template>,
    token: Template,
    status: u16,
    values: Values,
}

impl Prepared {
    pub(super) fn new(request: &Request, values: &Values) -> Self {
        Self {
            name: format!("{}: {}", request.area, request.name),
            method: request.method.clone(),
            path: Template::parse(&request.path),
            body: request.body.as_deref().map(Template::parse),
            token: Template::parse(request.token.as_deref().unwrap_or("{admin}")),
            status: request.status,
            values: values.clone(),
        }
    }

    fn build(&self, host: &str, number: u32) -> Result<hyper::Request<Full<Bytes>>> {
        let path = self.path.fill(number, &self.values)?;
        let request = hyper::Request::builder().method(self.method.as_str()).uri(path).header(HOST, host);
        let mut request = request.header("x-forwarded-for", address_of(number));
        let token = self.token.fill(number, &self.values)?;
        if !token.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match &self.body {
            Some(body) => {
                request = request.header(CONTENT_TYPE, "application/json");
                body.fill(number, &self.values)?
            }
            None => String::new(),
        };
        Ok(request.body(Full::new(body.into()))?)
    }
}

/// The address of somebody, as a proxy in front would tell it: the service counts per address what is filed without a token.
pub(super) fn address_of(number: u32) -> String {
    let [_, a, b, c] = number.to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

/// Requests of one kind, and their common clock.
struct Run {
    host: String,
    request: Prepared,
    schedule: Schedule,
    next: AtomicU32,
    start: Instant,
    /// Requests that are due and not yet made, where there is a rate.
    due: Arc<Semaphore>,
}

/// Makes requests over so many connections. Each must be answered with the status that is expected.
pub(super) async fn measure(
    base_url: &str,
    request: Prepared,
    schedule: Schedule,
    connections: usize,
) -> Result<Outcome> {
    let host = base_url.strip_prefix("http://").context("the address of the service has another scheme than http")?;
    // Connections are there before the clock starts.
    let mut senders = Vec::new();
    for _ in 0..connections {
        senders.push(connect(host).await?);
    }
    let (next, start, due) = (AtomicU32::new(0), Instant::now(), Arc::new(Semaphore::new(0)));
    let run = Arc::new(Run { host: host.to_owned(), request, schedule, next, start, due });
    if schedule.rate.is_some() {
        let due = run.due.clone();
        std::thread::spawn(move || release(schedule, start, &due));
    }
    let mut lanes = JoinSet::new();
    for sender in senders {
        lanes.spawn(lane(run.clone(), sender));
    }
    let mut durations = Vec::new();
    while let Some(lane) = lanes.join_next().await {
        durations.extend(lane??);
    }
    ensure!(!durations.is_empty(), "{}: no request was made", run.request.name);
    Ok(Outcome::new(durations, run.start.elapsed()))
}

/// Releases each request when it is due. The timers of the runtime are late by up to a millisecond, which would count as latency.
fn release(schedule: Schedule, start: Instant, due: &Semaphore) {
    for offset in (0..).map_while(|number| schedule.due(number, Duration::ZERO)) {
        std::thread::sleep((start + offset).saturating_duration_since(Instant::now()));
        due.add_permits(1);
    }
}

async fn lane(run: Arc<Run>, mut sender: SendRequest<Full<Bytes>>) -> Result<Vec<Duration>> {
    let mut durations = Vec::new();
    loop {
        let number = run.next.fetch_add(1, Ordering::Relaxed);
        let Some(due) = run.schedule.due(number, run.start.elapsed()) else { return Ok(durations) };
        if run.schedule.rate.is_some() {
            run.due.acquire().await?.forget();
        }
        let request = run.request.build(&run.host, number)?;
        if sender.ready().await.is_err() {
            // A server may close a connection between two requests.
            sender = connect(&run.host).await?;
        }
        let due = if run.schedule.rate.is_some() { due } else { run.start.elapsed() };
        let name = || run.request.name.clone();
        let answer = sender.send_request(request).await.with_context(name)?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.with_context(name)?.to_bytes();
        durations.push(run.start.elapsed().saturating_sub(due));
        ensure!(status == run.request.status, "{}: {status} {}", name(), String::from_utf8_lossy(&body));
    }
}

async fn connect(host: &str) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(host).await.with_context(|| format!("nothing answers at {host}"))?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // A connection that breaks is told to whoever waits for an answer on it.
    tokio::spawn(connection);
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_open_loop_keeps_to_its_times_however_late_it_is() {
        let schedule = Schedule { rate: Some(4.0), length: 2 * SECOND, at_most: u32::MAX };
        let due: Vec<_> = (0..9).map_while(|number| schedule.due(number, 100 * SECOND)).collect();
        let expected: Vec<_> = (0..8).map(|quarter| Duration::from_millis(250 * quarter)).collect();
        assert_eq!(due, expected);
        assert_eq!(schedule.due(8, Duration::ZERO), None);
    }

    #[test]
    fn a_closed_loop_goes_on_until_the_time_is_over() {
        let schedule = Schedule { rate: None, length: SECOND, at_most: 1_000 };
        assert_eq!(schedule.due(999, SECOND / 2), Some(SECOND / 2));
        assert_eq!(schedule.due(0, SECOND), None);
        assert_eq!(schedule.due(1_000, Duration::ZERO), None);
    }

    #[test]
    fn everybody_has_an_address_of_their_own() {
        assert_eq!(address_of(0), "10.0.0.0");
        assert_eq!(address_of(70_000), "10.1.17.112");
    }
}
