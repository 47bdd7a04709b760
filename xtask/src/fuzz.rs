//! `fuzz`: made-up input for what reads the input of strangers. Each target of `shared/fuzz` begins with its seeds and
//! looks for crashes, for an input that takes seconds, and for costs that grow faster than the input.
//!
//! `cargo xtask fuzz` looks for what is new, led by the paths through the program that an input takes, of which two runs
//! find different ones. The test command must tell the same of the same program: it reads the seeds, to which every input
//! that was found belongs.
//!
//! The targets are built for libFuzzer with the flags of `cargo fuzz`, but without a sanitizer, which stable compilers do
//! not have: it would find misuse of memory, and our code has no `unsafe`.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::timeout;
use xtask::{root, target};

use crate::tool::{self, cargo};

/// The workspace of the targets.
const MANIFEST: &str = "shared/fuzz/Cargo.toml";

/// The time of all targets together, which run side by side, in seconds.
pub(crate) const DEFAULT_SECONDS: u64 = 60;
/// The time after which reading one input counts as hanging, in seconds.
const MAX_INPUT_SECONDS: u64 = 10;
const MAX_MEMORY_MEGABYTES: u64 = 1024;
/// What the test command reads: the seeds, and nothing that is made of them, so that whoever has changed nothing about the
/// targets finds nothing new.
const SEEDS_ALONE: [&str; 1] = ["-runs=0"];
/// The lines of a target's log that are shown when it finds something.
const SHOWN_LINES: usize = 40;

/// Counters at the edges of the program, and the values that it compares.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                        -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

#[derive(Args)]
pub(crate) struct Options {
    /// For how many seconds, all targets side by side.
    #[arg(long, default_value_t = DEFAULT_SECONDS)]
    seconds: u64,
    /// Only these targets.
    targets: Vec<String>,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    let all = targets()?;
    if let Some(unknown) = options.targets.iter().find(|target| !all.contains(target)) {
        bail!("there is no target {unknown}, only {}", all.join(", "));
    }
    let targets = if options.targets.is_empty() { all } else { options.targets };
    let corpus = folder().join("corpus");
    Run { programs: build_with_coverage().await?, corpus, seconds: options.seconds, flags: &[] }.fuzz(targets).await
}

/// Lets all targets read their seeds, for so many seconds at most.
pub(crate) async fn seeds(seconds: u64) -> Result<()> {
    let corpus = tempfile::tempdir()?;
    // Unoptimized, beside what the other tests are built of, most of which is the same.
    let mut build = cargo(["build", "--manifest-path", MANIFEST, "--target-dir"]);
    tool::run(build.arg(target())).await?;
    let programs = target().join("debug");
    Run { programs, corpus: corpus.path().to_owned(), seconds, flags: &SEEDS_ALONE }.fuzz(targets()?).await
}

/// The names of the targets.
fn targets() -> Result<Vec<String>> {
    let folder = root().join("shared/fuzz/fuzz_targets");
    let files = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let names = files.iter().filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    Ok(names)
}

fn folder() -> PathBuf {
    target().join("fuzz")
}

/// Builds the targets so that they tell which way an input takes, and tells the folder in which they are.
async fn build_with_coverage() -> Result<PathBuf> {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let host = Command::new(compiler).args(["--print", "host-tuple"]).current_dir(root()).output().await?;
    ensure!(host.status.success(), "rustc does not tell what it compiles for");
    let host = String::from_utf8(host.stdout)?.trim().to_owned();
    // With a target named, the flags are those of the targets alone and not of build scripts.
    let mut build = cargo(["build", "--release", "--manifest-path", MANIFEST]);
    build.args(["--target", &host, "--target-dir"]).arg(folder());
    build.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", COVERAGE);
    tool::run(&mut build).await?;
    Ok(folder().join(host).join("release"))
}

/// A run of targets side by side.
#[derive(Clone)]
struct Run {
    /// The folder of their programs.
    programs: PathBuf,
    /// The folder in which each keeps the inputs that it found.
    corpus: PathBuf,
    seconds: u64,
    /// Flags of libFuzzer beside those of every run.
    flags: &'static [&'static str],
}

impl Run {
    async fn fuzz(self, targets: Vec<String>) -> Result<()> {
        std::fs::create_dir_all(folder())?;
        let mut running = JoinSet::new();
        for name in targets {
            let run = self.clone();
            running.spawn(async move { run.fuzz_target(&name).await });
        }
        while let Some(target) = running.join_next().await {
            target??;
        }
        Ok(())
    }

    async fn fuzz_target(&self, name: &str) -> Result<()> {
        let log = folder().join(format!("{name}.log"));
        let (program, corpus) = (self.programs.join(name), self.corpus.join(name));
        std::fs::create_dir_all(&corpus)?;
        let output = std::fs::File::create(&log)?;
        let mut command = Command::new(&program);
        command.args([
            // An input that is being read when the time is over is read to its end.
            format!("-max_total_time={}", self.seconds.saturating_sub(MAX_INPUT_SECONDS).max(1)),
            format!("-timeout={MAX_INPUT_SECONDS}"),
            format!("-rss_limit_mb={MAX_MEMORY_MEGABYTES}"),
            format!("-artifact_prefix={}/{name}-", folder().display()),
            "-print_final_stats=1".to_owned(),
        ]);
        command.args(self.flags);
        // New inputs go to the first folder.
        command.arg(&corpus).arg(root().join("shared/fuzz/seeds").join(name));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let ended = timeout(Duration::from_secs(self.seconds + MAX_INPUT_SECONDS), child.wait()).await;
        let status = ended.with_context(|| format!("{name} did not end in time"))??;
        let text = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
        if !status.success() {
            let lines: Vec<_> = text.lines().collect();
            eprintln!("{}", lines.split_at(lines.len().saturating_sub(SHOWN_LINES)).1.join("\n"));
            bail!("{name}: {} names the input; to read it again: {} FILE", log.display(), program.display());
        }
        let number = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        eprintln!("{name}: {} inputs", number.map_or("?", str::trim));
        Ok(())
    }
}
