//! Chaos: several processes share a database and a Redis server, clients write, and one after another is killed and started
//! again. Afterwards nothing that was acknowledged may be missing, and everything that follows from a change must have
//! followed.

mod caller;
mod cluster;
mod lanes;
mod ledger;
mod logs;
mod losses;
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
use xtask::sandbox::Sandbox;

use crate::{compile, moving};
use caller::{Caller, Outcome};
use cluster::{Cluster, Peculiar, Victim, other_clock};
use ledger::{Kind, Ledger};
use losses::{Database, complaint, lost};
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
    /// The manifest of another build, which one of the processes serves.
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
    // Another manifest names components that were built in another way.
    if std::env::var_os("LECTERN_MANIFEST").is_none() {
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
    stop.store(true, Ordering::Relaxed);
    let written = tokio::time::timeout(LAST_WRITES, end(clients)).await;
    ticks.abort();
    let killed = killed?;
    let seconds = began.elapsed().as_secs();
    println!("{} kills in {seconds} s: {}", killed.values().sum::<usize>(), listed(&killed));
    written.context("the clients do not end")??;
    let hours = Ticks::of(&cluster)?.until_nothing_is_due(&Database::open(&cluster.database())?).await?;
    println!("nothing was due any more after {hours} hours of ticks");
    judge(&cluster, &school, &ledger, seed).await
}

/// The first requests come to all processes at once: one of them makes the tables, and the others wait for it.
async fn first_requests(cluster: &Cluster) -> Result<Client> {
    let mut requests = JoinSet::new();
    for _ in 0..FIRST_REQUESTS {
        let (address, variables) = (cluster.base_url.clone(), cluster.sandbox.variables.clone());
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
        Ok(Self { caller: Caller::new(&cluster.base_url, token)? })
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

/// Prints the account, and fails if anything was lost.
async fn judge(cluster: &Cluster, school: &School, ledger: &Ledger, seed: u64) -> Result<()> {
    let database = Database::open(&cluster.database())?;
    let mut present = database.present()?;
    let mut wrong = database.broken_rules()?;
    let (files, bad_packages) = files(school, &database).await?;
    present.insert(Kind::Files, (files, 0));
    wrong.extend(complaint("packages that cannot be downloaded whole", &bad_packages));
    println!(
        "\n{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
        "", "written", "unknown", "found", "later", "refused", "there", "lost"
    );
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for (kind, tally) in ledger.tallies() {
        let (there, twice) = present.get(&kind).context("a kind that nobody counts")?;
        let missing = lost(&tally, there);
        println!(
            "{:<20}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
            kind.name(),
            tally.written.len(),
            tally.unknown,
            tally.found,
            tally.later,
            tally.refused.len(),
            there.len(),
            missing.len()
        );
        wrong.extend(complaint(&format!("{} that were acknowledged are lost", kind.name()), &missing));
        wrong.extend(complaint(&format!("{} were refused", kind.name()), &tally.refused));
        if *twice > 0 && kind != Kind::Groups {
            wrong.push(format!("{twice} {} are there twice", kind.name()));
        }
        for (cause, count) in tally.causes {
            *causes.entry(cause).or_default() += count;
        }
    }
    println!();
    let submissions = ledger.tallies().remove(&Kind::Submissions).unwrap_or_default();
    for (mood, receiver) in &school.receivers {
        let told = receiver.first_times();
        let told = told.keys().map(|(user, attempt)| format!("{user}/{attempt}")).collect();
        let missing = lost(&submissions, &told);
        let (accepted, duplicates) = receiver.accepted();
        println!("receiver, {:<10}{accepted:>10} taken{duplicates:>10} twice{:>10} lost", mood.name(), missing.len());
        wrong.extend(complaint("submissions never came to a receiver", &missing));
    }
    println!("\nAnswers that told nothing:");
    for (cause, count) in &causes {
        println!("{count:>6}  {cause}");
    }
    println!("\nCauses in the logs of the processes:");
    for (cause, count) in logs::causes(cluster.sandbox.folder.path())? {
        println!("{count:>6}  {cause}");
    }
    let keys = moving::redis_keys(&cluster.redis_url()).await?;
    println!("\n{} keys in Redis", keys.len());
    wrong.extend(complaint("keys in Redis that nobody knows of", &database.unnamed(&keys)?));
    let failed = database.number("SELECT count(*) FROM content_exports WHERE workflow_state = 'failed'")?;
    println!("\n{failed} exports were given up after three attempts");
    wrong.iter().for_each(|line| println!("WRONG: {line}"));
    ensure!(wrong.is_empty(), "something was lost; again with --seed {seed}");
    println!("Nothing was lost.");
    Ok(())
}

/// The names of the files whose bytes are right, and the packages whose bytes are not there.
async fn files(school: &School, database: &Database) -> Result<(std::collections::BTreeSet<String>, Vec<String>)> {
    let mut whole = std::collections::BTreeSet::new();
    let mut bad = Vec::new();
    for (id, name) in database.files()? {
        let bytes = match school.admin.read(&format!("/api/v1/files/{id}")).await? {
            Some(file) => match file.get("url").and_then(Value::as_str) {
                Some(url) => school.admin.read_bytes(url).await?,
                None => None,
            },
            None => None,
        };
        if bytes.as_ref() == Some(&lanes::content(&name)) {
            whole.insert(name);
        }
    }
    for (id, size) in database.packages()? {
        let path = format!("/api/v1/courses/{}/content_exports/{id}", school.course.id);
        let export = school.admin.read(&path).await?.context("an export is gone")?;
        if let Some(url) = export.pointer("/attachment/url").and_then(Value::as_str) {
            let bytes = school.admin.read_bytes(url).await?.unwrap_or_default();
            if i64::try_from(bytes.len())? != size {
                bad.push(format!("export {id}: {} bytes of {size}", bytes.len()));
            }
        }
    }
    Ok((whole, bad))
}

/// Tells the person at the terminal what goes on, beside the figures.
fn complain(text: &str) {
    eprintln!("{text}");
}
