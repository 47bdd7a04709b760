//! Chaos: several processes share a database and a Redis server, clients write, and one after another is killed and started
//! again. Afterwards nothing that was acknowledged may be missing, and everything that follows from a change must have
//! followed.

mod account;
mod caller;
mod cluster;
mod lanes;
mod ledger;
mod logs;
mod losses;
mod rolling;
mod school;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use fastrand::Rng;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use xtask::app::Runtime;
use xtask::client::Client;
use xtask::manifest;
use xtask::sandbox::Sandbox;

use crate::compile;
use account::Account;
use caller::{Caller, Outcome};
use cluster::{Cluster, Peculiar, Victim, other_clock};
use ledger::Ledger;
use losses::Database;
use school::School;

const FIRST_REQUESTS: usize = 12;
/// Milliseconds between two kills, and for which something stays dead. After five seconds a server takes away the
/// transaction of a process that was killed: so some kills come before that, and some after.
const BETWEEN_KILLS: std::ops::Range<u64> = 300..7_000;
const DEAD: std::ops::Range<u64> = 0..1_500;
/// Of ten rounds, those in which two are killed at once.
const DOUBLE: u8 = 3;
/// The time between two ticks, and how far their clocks are off, in seconds.
const BETWEEN_TICKS: Duration = Duration::from_millis(700);
const TICK_SKEW: i64 = 90;
/// Hours that the clock is put on until nothing is due.
const HOURS: i64 = 200;
/// How often the bytes that nothing names are given time to be removed: some of them twice, because they may come late.
const REMOVALS: usize = 3;
/// The time in which clients bring their last writes to an end.
const LAST_WRITES: Duration = Duration::from_secs(120);

#[derive(Args)]
pub(crate) struct Options {
    /// How often something is killed.
    #[arg(long, default_value_t = 100)]
    rounds: usize,
    /// Repeats the choices of another run: who is killed, when and for how long.
    #[arg(long)]
    seed: Option<u64>,
    /// How often all processes are restarted after the kills, one after another: first with the other build, if there is one,
    /// then with their own.
    #[arg(long, default_value_t = 2)]
    restarts: usize,
    /// The manifest of another build, which one of the processes serves, and all of them after every other restart.
    #[arg(long, value_name = "PATH")]
    other_manifest: Option<PathBuf>,
    /// Seconds by which the clock of one process is ahead, and that of another behind. Needs libfaketime.
    #[arg(long, default_value_t = 0)]
    skew: i64,
    /// The library that gives a program another clock.
    #[arg(
        long,
        value_name = "PATH",
        default_value = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
        env = "LECTERN_FAKETIME"
    )]
    faketime: PathBuf,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    // What is missing is told before the build.
    peculiar(&options)?;
    if !manifest::is_another() {
        compile::all(Runtime::Host).await?;
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // What is dropped on the way out is killed.
    tokio::select! {
        ended = Box::pin(everything(&options)) => ended,
        _ = interrupt.recv() => anyhow::bail!("interrupted"),
        _ = terminate.recv() => anyhow::bail!("interrupted"),
    }
}

async fn everything(options: &Options) -> Result<()> {
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("Seed {seed}, {} rounds", options.rounds);
    let sandbox = Sandbox::new(Runtime::Host, &[("development", "true"), ("content_export_hourly_limit", "100000")])?;
    let mut cluster = Cluster::start(sandbox, peculiar(options)?).await?;
    let admin = first_requests(&cluster).await?;
    let school = School::open(&admin).await?;

    let (ledger, stop) = (Ledger::default(), Arc::new(AtomicBool::new(false)));
    let clients = lanes::start(&school, &ledger, &stop);
    let ticks = tokio::spawn(tick(Ticks::of(&cluster)?, Rng::with_seed(seed ^ 1)));
    let began = Instant::now();
    let killed = kill(&mut cluster, options.rounds, Rng::with_seed(seed)).await;
    let seconds = began.elapsed().as_secs();
    let other = options.other_manifest.as_deref();
    let restarted = match &killed {
        Ok(_) => rolling::restart_all(&mut cluster, &ledger, options.restarts, other).await,
        Err(_) => Ok(Vec::new()),
    };
    stop.store(true, Ordering::Relaxed);
    let written = tokio::time::timeout(LAST_WRITES, end(clients)).await;
    ticks.abort();
    let (killed, wrong) = (killed?, restarted?);
    println!("\n{} kills in {seconds} s: {}", killed.values().sum::<usize>(), listed(&killed));
    written.with_context(|| format!("these clients do not end:{}", ledger.unended()))??;
    let ticks = Ticks::of(&cluster)?;
    let hours = ticks.until_nothing_is_due(&Database::open(&cluster.database())?).await?;
    println!("nothing was due any more after {hours} hours of ticks");
    let mut account = Account { cluster: &cluster, school: &school, ledger: &ledger, wrong };
    account.bytes(&ticks).await?;
    account.judge(seed).await
}

/// The first requests come to all processes at once: one of them makes the tables, and the others wait for it.
async fn first_requests(cluster: &Cluster) -> Result<Client> {
    let mut requests = JoinSet::new();
    for _ in 0..FIRST_REQUESTS {
        let (address, variables) = (cluster.front.base_url.clone(), cluster.sandbox.variables.clone());
        requests.spawn(async move { Client::admin(&address, &variables).await });
    }
    let mut admin = None;
    while let Some(answered) = requests.join_next().await {
        admin = Some(answered?.context("one of the first requests")?);
    }
    admin.context("a first request")
}

/// The first process is as all are; the second has another clock, and so has the third, and another build.
fn peculiar(options: &Options) -> Result<[Peculiar; 3]> {
    let clock = |seconds: i64| -> Result<Vec<(String, String)>> {
        if seconds == 0 {
            return Ok(Vec::new());
        }
        let library = &options.faketime;
        ensure!(library.is_file(), "{} is not there (apt-get install libfaketime)", library.display());
        Ok(other_clock(library, seconds))
    };
    Ok([
        Peculiar::default(),
        Peculiar { manifest: None, environment: clock(options.skew)? },
        Peculiar { manifest: options.other_manifest.clone(), environment: clock(-options.skew)? },
    ])
}

/// Kills in so many rounds. Answers how often each was killed.
async fn kill(cluster: &mut Cluster, rounds: usize, mut random: Rng) -> Result<BTreeMap<Victim, usize>> {
    let mut killed = BTreeMap::new();
    for round in 1..=rounds {
        tokio::time::sleep(Duration::from_millis(random.u64(BETWEEN_KILLS))).await;
        let count = if random.u8(0..10) < DOUBLE { 2 } else { 1 };
        let victims = random.choose_multiple(Victim::ALL, count);
        for victim in &victims {
            cluster.kill(*victim).await?;
            *killed.entry(*victim).or_default() += 1;
        }
        tokio::time::sleep(Duration::from_millis(random.u64(DEAD))).await;
        for victim in victims {
            cluster.revive(victim).await.with_context(|| format!("in round {round}"))?;
        }
    }
    Ok(killed)
}

fn listed(killed: &BTreeMap<Victim, usize>) -> String {
    killed.iter().map(|(victim, count)| format!("{} {count}", victim.name())).collect::<Vec<_>>().join(", ")
}

async fn end(mut clients: JoinSet<Result<()>>) -> Result<()> {
    while let Some(ended) = clients.join_next().await {
        ended??;
    }
    Ok(())
}

/// Whoever calls for background work.
struct Ticks {
    caller: Caller,
}

impl Ticks {
    fn of(cluster: &Cluster) -> Result<Self> {
        let token = cluster.sandbox.variables.get("tick_token").context("a tick token")?;
        Ok(Self { caller: Caller::new(&cluster.front.base_url, token)? })
    }

    /// One tick, as of so many seconds from now.
    async fn tick(&self, seconds: i64) -> Outcome<Value> {
        let clock = chrono::Utc::now() + chrono::TimeDelta::seconds(seconds);
        let request = self.caller.request(Method::POST, "/internal/tick");
        caller::write(request.header("x-test-clock", clock.to_rfc3339())).await
    }

    /// Lets hour after hour pass. Answers how many.
    async fn until_nothing_is_due(&self, database: &Database) -> Result<i64> {
        for hour in 0..HOURS {
            if database.unfinished()? == 0 {
                return Ok(hour);
            }
            self.once(hour * 3600 + 120).await?;
        }
        Ok(HOURS)
    }

    /// Ticks until there is nothing more to do at that moment.
    async fn once(&self, seconds: i64) -> Result<()> {
        loop {
            match self.tick(seconds).await {
                Outcome::Done(ticked) if ticked.get("more") == Some(&json!(true)) => {}
                Outcome::Done(_) => return Ok(()),
                failed => anyhow::bail!("a tick fails, though everything runs: {failed:?}"),
            }
        }
    }
}

/// Ticks again and again by clocks that are off. One that fails is like one that did not come.
async fn tick(ticks: Ticks, mut random: Rng) {
    loop {
        tokio::time::sleep(BETWEEN_TICKS).await;
        let _whatever = ticks.tick(random.i64(-TICK_SKEW..=TICK_SKEW)).await;
    }
}

/// Tells the person at the terminal what goes on, beside the figures.
fn complain(text: &str) {
    eprintln!("{text}");
}
