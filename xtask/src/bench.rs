//! `bench`: how many requests the app answers, and how fast. Read the ratios to the floor: the figures themselves are
//! those of this machine, which runs the load as well.

mod areas;
mod audit;
mod chart;
mod compare;
mod deep;
mod figure;
mod load;
mod mastery;
mod mastery_load;
mod minute;
mod polls;
mod process;
mod quiz_taking;
mod report;
mod school;
mod sis_import;
mod size;
mod summary;
mod table;
mod template;
mod webhooks;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use tokio::process::Command;
use xtask::app::Runtime;
use xtask::folder::DataFolder;
use xtask::sandbox::Sandbox;
use xtask::{manifest, target};

use crate::tool::{self, cargo};
use crate::{compile, demo};
use figure::Figures;
use size::Size;

/// Benches beside the table of requests that end with a verdict of their own, and run if no others are named.
const WITH_VERDICT: [&str; 4] = ["votes", "deliveries", "mastery-pages", "audit-pages"];
/// Those that note figures for the page, and run if they are named.
const WITH_FIGURES: [&str; 5] = ["class-minute", "quiz-taking", "deep-pages", "sis-import", "mastery-load"];

#[derive(Args)]
pub(crate) struct Options {
    /// Seconds for which each kind of request is made.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Requests that are under way at the same time.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// So many requests in a second by a schedule, whether they are answered or not, with latencies that count from the
    /// scheduled time; otherwise each connection makes a request as soon as the one before it is answered.
    #[arg(long, value_parser = positive)]
    rate: Option<f64>,
    /// Only these areas and benches, with commas between them: areas of the API, and `votes`, `deliveries`, `mastery-pages`,
    /// `audit-pages`, `class-minute`, `quiz-taking`, `deep-pages`, `sis-import`, `mastery-load`. The last five run only if they are
    /// named.
    #[arg(long, value_delimiter = ',')]
    areas: Vec<String>,
    /// Measure two requests beside small servers in Rust, Python and Node, which execute the same statements on the same
    /// database; nothing else, unless `--areas` names it.
    #[arg(long, conflicts_with_all = ["spin", "only_webhooks"])]
    compare: bool,
    /// The size of the database in which the areas are measured; it is built once and kept.
    #[arg(long)]
    size: Option<Size>,
    /// Write what was measured to that file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write it into docs/PERFORMANCE.md and its chart; parts that were not measured stay as they are.
    #[arg(long)]
    write: bool,
    /// The price of a virtual processor for an hour, by which the cost of requests is calculated, in US dollars.
    #[arg(long, default_value_t = 0.0446, value_parser = positive)]
    vcpu_hour_usd: f64,
    /// Events that are delivered while receivers fail and the host is killed.
    #[arg(long, default_value_t = 1_000)]
    webhook_events: usize,
    /// Nothing but that delivery.
    #[arg(long)]
    only_webhooks: bool,
    /// Use the Spin CLI found on the PATH.
    #[arg(long)]
    spin: bool,
    /// Make the load with this build, instead of one whose code is optimized.
    #[arg(long, hide = true)]
    as_built: bool,
}

/// The parts of a run.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// None: no area; empty: all of them.
    areas: Option<Vec<String>>,
    benches: Vec<String>,
    compare: bool,
}

impl Plan {
    fn new(named: &[String], compare: bool) -> Self {
        if named.is_empty() && !compare {
            return Self { compare, areas: Some(Vec::new()), benches: WITH_VERDICT.map(str::to_owned).to_vec() };
        }
        let is_bench = |name: &&String| WITH_VERDICT.iter().chain(&WITH_FIGURES).any(|bench| bench == name);
        let (benches, areas): (Vec<&String>, Vec<&String>) = named.iter().partition(is_bench);
        let areas = (!areas.is_empty()).then(|| areas.into_iter().cloned().collect());
        Self { areas, benches: benches.into_iter().cloned().collect(), compare }
    }

    /// Refuses what cannot be done.
    fn check(&self, known: &[String], write: bool) -> Result<()> {
        let areas = self.areas.as_deref().unwrap_or_default();
        if let Some(unknown) = areas.iter().find(|area| !known.contains(area)) {
            let names = known.iter().map(String::as_str).chain(WITH_VERDICT).chain(WITH_FIGURES);
            bail!("there is no area or bench {unknown:?}; there are {}", names.collect::<Vec<_>>().join(", "));
        }
        ensure!(
            !write || areas.is_empty(),
            "the page has the figures of all areas: leave single ones out of `--areas`"
        );
        Ok(())
    }
}

pub(crate) async fn run(options: Options) -> Result<()> {
    // Before the minutes that a build takes.
    let plan = Plan::new(&options.areas, options.compare);
    let known = table::Table::load()?.areas();
    plan.check(&known, options.write)?;
    options.json.as_deref().map_or(Ok(()), require_folder)?;
    if cfg!(debug_assertions) && !options.as_built {
        return optimized().await;
    }
    let runtime = if options.spin { Runtime::Spin } else { Runtime::Host };
    if !manifest::is_another() {
        compile::all(runtime).await?;
    }
    if options.only_webhooks {
        return webhooks::run(runtime, options.webhook_events).await;
    }
    let mut figures = Figures::default();
    // An installation that fails does so before anything is measured.
    let programs = if plan.compare { Some(compare::Programs::install().await?) } else { None };
    if let Some(areas) = &plan.areas {
        let areas = if areas.is_empty() { known } else { areas.clone() };
        figures.lines = areas::run(runtime, &options, &areas).await?;
    }
    for bench in &plan.benches {
        figures.figures.extend(measure(bench, runtime, &options).await?);
    }
    if let Some(programs) = &programs {
        figures.beside_others = compare::run(&options, programs).await?;
    }
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&figures)?;
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if options.write {
        report::write(&figures, &options)?;
    }
    Ok(())
}

/// Runs the same command as a build whose code is optimized: what makes the load must not take the time that it measures.
async fn optimized() -> Result<()> {
    eprintln!("Building the bench with optimization (the first time takes a few minutes)");
    tool::run(&mut cargo(["build", "--quiet", "--profile", "host", "-p", "xtask"])).await?;
    let mut command = Command::new(target().join("host/xtask"));
    command.args(std::env::args_os().skip(1)).kill_on_drop(true);
    let status = command.status().await.context("cannot run the bench")?;
    ensure!(status.success(), "the bench: {status}");
    Ok(())
}

async fn measure(bench: &str, runtime: Runtime, options: &Options) -> Result<Vec<figure::Figure>> {
    match bench {
        "class-minute" => minute::run(runtime).await,
        "quiz-taking" => quiz_taking::run(runtime).await,
        "deep-pages" => deep::run(runtime).await,
        "sis-import" => sis_import::run(runtime).await,
        "mastery-load" => mastery_load::run(runtime).await,
        "votes" => votes(runtime, options.connections).await.map(|()| Vec::new()),
        "deliveries" => webhooks::run(runtime, options.webhook_events).await.map(|()| Vec::new()),
        "mastery-pages" => mastery::run(runtime).await.map(|()| Vec::new()),
        "audit-pages" => audit::run(runtime).await.map(|()| Vec::new()),
        _ => bail!("there is no bench {bench}"),
    }
}

async fn votes(runtime: Runtime, connections: usize) -> Result<()> {
    // In development addresses of files are those of the request: the demo data have files.
    let sandbox = Sandbox::new(runtime, &[("development", "true")])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    demo::load(&admin, None).await?;
    polls::run(&app.base_url, &admin, connections).await?;
    app.stop().await
}

/// Fails where a file cannot be written because it has no folder.
fn require_folder(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    ensure!(folder.is_none_or(Path::is_dir), "cannot write {}: there is no such folder", file.display());
    Ok(())
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().map_err(|error| error.to_string())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("must be greater than 0".to_owned()) }
}

/// Writes to the database behind the back of the application, which would take an hour for as much.
fn behind(folder: &DataFolder, sql: &str) -> Result<()> {
    let connection = rusqlite::Connection::open(folder.path().join("sqlite_db.db"))?;
    connection.busy_timeout(Duration::from_secs(30))?;
    Ok(connection.execute_batch(sql)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(named: &[&str]) -> Plan {
        plan_with(named, false)
    }

    fn plan_with(named: &[&str], compare: bool) -> Plan {
        Plan::new(&named.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), compare)
    }

    #[test]
    fn without_names_all_areas_and_the_benches_with_a_verdict_run() {
        let all = plan(&[]);
        assert_eq!((all.areas, all.benches.len()), (Some(Vec::new()), 4));
    }

    #[test]
    fn names_are_of_areas_or_of_benches() {
        let some = plan(&["polls", "sis-import", "badges"]);
        assert_eq!(some.areas, Some(vec!["polls".to_owned(), "badges".to_owned()]));
        assert_eq!(some.benches, ["sis-import"]);
        assert_eq!(plan(&["mastery-load"]).areas, None);
    }

    #[test]
    fn what_nobody_knows_is_refused_before_the_work() {
        let known = table::Table::load().unwrap().areas();
        let refused = plan(&["polls", "nonsense"]).check(&known, false).unwrap_err().to_string();
        assert!(refused.contains("nonsense") && refused.contains("badges") && refused.contains("votes"), "{refused}");
        plan(&[]).check(&known, true).unwrap();
        plan(&["polls", "votes", "mastery-load"]).check(&known, false).unwrap();
        assert!(plan(&["polls"]).check(&known, true).is_err(), "the page has all areas");
    }

    #[test]
    fn the_comparison_runs_alone_unless_others_are_named() {
        let alone = Plan { areas: None, benches: Vec::new(), compare: true };
        assert_eq!(plan_with(&[], true), alone);
        let with_polls = Plan { areas: Some(vec!["polls".to_owned()]), ..alone };
        assert_eq!(plan_with(&["polls"], true), with_polls);
    }

    #[test]
    fn a_file_that_has_no_folder_is_refused() {
        require_folder(Path::new("figures.json")).unwrap();
        require_folder(&xtask::root().join("figures.json")).unwrap();
        assert!(require_folder(Path::new("/nowhere/figures.json")).is_err());
    }

    #[test]
    fn a_rate_is_a_number_above_zero() {
        assert_eq!(positive("12.5"), Ok(12.5));
        assert!(["0", "-1", "inf", "NaN", "x"].iter().all(|text| positive(text).is_err()));
    }
}
