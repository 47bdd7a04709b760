//! The application as a process: started, awaited, stopped.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use terminal::Progress;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use uuid::Uuid;

use crate::daemon::guarded;
use crate::folder::{self, DataFolder, Variables, environment_name};
use crate::manifest::{self, Manifest};
use crate::{root, target};

/// The flags with which Spin runs the application, wherever it does; neither Spin nor our host ends a request without.
///
/// In a shared instance a request that computes for long, or that is cut off, takes up to fifteen others with it. A new
/// instance opens a connection to the database and prepares its statements anew, ten times the work of a request: it is
/// kept for longer than Spin would keep it.
const FLAGS: [&str; 8] = [
    "--request-timeout",
    "60s",
    "--max-instance-concurrent-reuse-count",
    "1",
    "--max-instance-reuse-count",
    "1024",
    "--idle-instance-timeout",
    "10s",
];

/// Where Spin and our host tell that all components are ready, and the time between two looks.
const HEALTH: &str = "/.well-known/spin/health";
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The folder in which each application tells the statements that its components execute, if the environment names one.
pub const RECORD_STATEMENTS: &str = "LECTERN_RECORD_STATEMENTS";
/// The variable that names the folder where the contract tests write down requests that succeeded, and their answers.
pub const RECORD_EXAMPLES: &str = "LECTERN_RECORD_EXAMPLES";

/// The program that runs the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Runtime {
    /// The host of this workspace.
    #[default]
    Host,
    /// The Spin CLI on the PATH.
    Spin,
}

/// The start of an application: its program, its place, its variables.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The program that runs it.
    pub runtime: Runtime,
    /// The address, for example `127.0.0.1:3000`; port 0 picks a free one.
    pub listen: &'a str,
    /// Where it keeps its state.
    pub folder: &'a DataFolder,
    /// The values of its variables.
    pub variables: &'a Variables,
    /// True keeps the components' logs out of sight.
    pub quiet: bool,
    /// True loads each component at the first request to it, where the host can.
    pub load_on_demand: bool,
    /// Another manifest than the workspace's, which may be that of another version.
    pub manifest: Option<&'a Path>,
    /// What its environment has beside the variables.
    pub environment: &'a [(String, String)],
}

/// The running application. It ends when this value is dropped.
pub struct App {
    /// Its address, without a slash at the end.
    pub base_url: String,
    child: Child,
    runtime: Runtime,
    show_logs: Arc<AtomicBool>,
    /// Closed with this value, even if this process is killed: the guard waits for that.
    _lifeline: Option<ChildStdin>,
}

impl<'a> Launch<'a> {
    /// A start on any free port, with the components' logs out of sight.
    pub fn quiet(runtime: Runtime, folder: &'a DataFolder, variables: &'a Variables) -> Self {
        let (listen, quiet, load_on_demand) = ("127.0.0.1:0", true, false);
        Self { runtime, listen, folder, variables, quiet, load_on_demand, manifest: None, environment: &[] }
    }

    /// Its statements are written to that file, or to one of its own where the environment names a folder for them.
    fn command(&self, statements: Option<&Path>) -> Command {
        let mut command = match self.runtime {
            Runtime::Host => Command::new(target().join("host/lectern-host")),
            Runtime::Spin => {
                let mut spin = Command::new("spin");
                spin.arg("up");
                spin
            }
        };
        let manifest = self.manifest.map_or_else(manifest::path, Into::into);
        command.current_dir(root()).arg("--from").arg(manifest).args(["--listen", self.listen]);
        command.args(FLAGS);
        let folder = std::env::var_os(RECORD_STATEMENTS).filter(|_| self.runtime == Runtime::Host);
        let own = folder.map(|folder| Path::new(&folder).join(format!("{}.jsonl", Uuid::new_v4())));
        if let Some(statements) = statements.or(own.as_deref()) {
            command.arg("--record-statements").arg(statements);
        }
        command.arg("--state-dir").arg(self.folder.path());
        if let Some(config) = self.folder.runtime_config() {
            command.arg("--runtime-config-file").arg(config);
        }
        if self.quiet {
            command.arg("--quiet");
        }
        if self.load_on_demand && self.runtime == Runtime::Host {
            command.arg("--load-on-demand");
        }
        let mut variables = Variables::new();
        if self.variables.get("development").is_some_and(|set| set == "true") {
            variables.extend(folder::of_development());
            if self.runtime == Runtime::Host {
                command.arg("--allow-private-networks");
            }
        }
        variables.extend(self.variables.iter().map(|(name, value)| (name.clone(), value.clone())));
        // Memory that is free goes back to the machine at once, and is taken in small pages.
        command.env("MIMALLOC_PURGE_DELAY", "0").env("MIMALLOC_ALLOW_THP", "0");
        // In the environment, because everybody can read the arguments of a process.
        command.envs(variables.iter().map(|(name, value)| (environment_name(name), value)));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl App {
    /// Starts the application and waits until it serves and, unless that is left to requests, all components are ready.
    pub async fn start(launch: &Launch<'_>) -> Result<Self> {
        let mut command = launch.command(None);
        command.kill_on_drop(true);
        Self::spawn(command, launch.runtime).await
    }

    /// The same, with the statements that its components execute written to that file. Only our own host can do it.
    pub async fn start_recording(launch: &Launch<'_>, statements: &Path) -> Result<Self> {
        let mut command = launch.command(Some(statements));
        command.kill_on_drop(true);
        Self::spawn(command, launch.runtime).await
    }

    /// The same as [`App::start`], with a shell beside it that kills it and removes `folder` when this process ends, however it ends.
    pub async fn start_guarded(launch: &Launch<'_>) -> Result<Self> {
        let shell = guarded(launch.command(None).as_std(), Some(launch.folder.path()));
        Self::spawn(shell, launch.runtime).await
    }

    async fn spawn(mut command: Command, runtime: Runtime) -> Result<Self> {
        let program = Path::new(command.as_std().get_program()).display().to_string();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for us, and we decide what becomes of the app.
        command.process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot start {program}"))?;
        // Waiting for the child would close it.
        let lifeline = child.stdin.take();
        let show_logs = Arc::new(AtomicBool::new(false));
        let stderr = child.stderr.take().context("the application has no error output")?;
        let shown = show_logs.clone();
        let complaints = tokio::spawn(show(stderr, Screen::new(shown)?));
        let stdout = child.stdout.take().context("the application has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(address) = line.trim().strip_prefix("Serving ") {
                let base_url = address.trim_end_matches('/').to_owned();
                tokio::spawn(forward(lines.into_inner()));
                if loaded(&base_url, &mut child).await? {
                    return Ok(Self { base_url, child, runtime, show_logs, _lifeline: lifeline });
                }
                break;
            }
        }
        drop(lifeline);
        let status = child.wait().await?;
        complaints.await?;
        bail!("{program} ended before it served anything: {status}")
    }

    /// From now on a line is shown for each request, but for those that `up` makes itself.
    pub fn show_logs(&self) {
        self.show_logs.store(true, Ordering::Relaxed);
    }

    /// The id of the process that serves: `spin up` leaves that to a child.
    pub fn pid(&self) -> Option<u32> {
        let started = self.child.id()?;
        match self.runtime {
            Runtime::Host => Some(started),
            Runtime::Spin => child_of(started).or(Some(started)),
        }
    }

    /// Waits until it ends by itself.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        Ok(self.child.wait().await?)
    }

    /// Asks it to stop, and waits until it has.
    pub async fn stop(mut self) -> Result<()> {
        send(self.child.id(), Signal::TERM)?;
        self.child.wait().await?;
        Ok(())
    }

    /// Kills it in the middle of what it does, as a crash would.
    pub async fn crash(mut self) -> Result<()> {
        send(self.pid(), Signal::KILL)?;
        // What is left of Spin must not start another one.
        send(self.child.id(), Signal::KILL)?;
        self.child.wait().await?;
        Ok(())
    }
}

/// Waits until all components are ready; false if the application ends before.
async fn loaded(base_url: &str, child: &mut Child) -> Result<bool> {
    while child.try_wait()?.is_none() {
        if reqwest::get(format!("{base_url}{HEALTH}")).await.is_ok_and(|health| health.status().is_success()) {
            return Ok(true);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    Ok(false)
}

/// The process that was started by that one. Linux alone tells it in a file.
fn child_of(pid: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// Signals a process, unless it is gone.
fn send(pid: Option<u32>, signal: Signal) -> Result<()> {
    let pid = pid.and_then(|id| Pid::from_raw(id.cast_signed()));
    match pid.map(|pid| kill_process(pid, signal)) {
        None | Some(Err(rustix::io::Errno::SRCH)) => Ok(()),
        Some(result) => result.context("cannot signal the application"),
    }
}

/// What a person sees of what the application says.
struct Screen {
    /// True once the lines of requests are shown.
    shows_logs: Arc<AtomicBool>,
    progress: Progress,
    /// The components that are loaded, and all.
    loaded: usize,
    components: usize,
}

impl Screen {
    fn new(shows_logs: Arc<AtomicBool>) -> Result<Self> {
        let components = Manifest::load()?.component.len();
        Ok(Self { shows_logs, progress: Progress::start(), loaded: 0, components })
    }

    fn show(&mut self, line: &str) {
        if line.contains(": ready after ") {
            self.loaded += 1;
            match self.loaded < self.components {
                true => self.progress.tell(&format!("Loading the components: {} of {}", self.loaded, self.components)),
                false => self.progress.clear(),
            }
            return;
        }
        let (short, is_log) = match terminal::describe(line) {
            Some(short) => (short, true),
            None => (line.to_owned(), false),
        };
        if !is_log || (self.shows_logs.load(Ordering::Relaxed) && !is_ours(line)) {
            self.progress.clear();
            terminal::eprintln!("{short}");
        }
    }
}

/// True for the requests that `up` makes again and again, which tell nobody anything. Its ticks leave no line themselves.
fn is_ours(line: &str) -> bool {
    line.contains("\"route\":\"/api/v1/outbox\"") && line.contains("\"status\":200")
}

async fn show(from: impl AsyncRead + Unpin, mut screen: Screen) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        screen.show(&line);
    }
}

async fn forward(from: impl AsyncRead + Unpin) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        eprintln!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The text with single spaces, without the signs of Markdown and of lists, and without line ends in the middle of a
    /// command.
    fn plain(path: &Path) -> String {
        let text = std::fs::read_to_string(path).unwrap();
        text.replace(['`', '\\', '"', ','], " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_look_at_the_outbox_that_succeeds_stays_off_the_terminal() {
        let line =
            |route: &str, status: u16| format!("{{\"area\":\"files\",\"route\":\"{route}\",\"status\":{status}}}");
        assert!(is_ours(&line("/api/v1/outbox", 200)));
        assert!(!is_ours(&line("/api/v1/outbox", 503)));
        assert!(!is_ours(&line("/api/v1/courses", 200)));
    }

    /// What tells an operator how to run the application.
    fn documents() -> Vec<PathBuf> {
        let files = |folder: &str| std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
        let documents = files("").chain(files("docs")).filter(|path| path.extension().is_some_and(|end| end == "md"));
        let deployed = files("deploy").chain(files("deploy/container")).filter(|path| path.is_file());
        documents.chain(deployed).collect()
    }

    #[test]
    fn the_commands_of_operators_have_the_flags_that_ours_have() {
        let flags = FLAGS.join(" ");
        for path in [
            "README.md",
            "deploy/lectern",
            "deploy/lectern.service",
            "deploy/lectern-spin.conf",
            "deploy/container/Containerfile",
        ] {
            assert!(plain(&root().join(path)).contains(&flags), "{path} lacks {flags}");
        }
        let operations = plain(&root().join("docs/OPERATIONS.md"));
        for flag in FLAGS.chunks(2) {
            assert!(operations.contains(&flag.join(" ")), "docs/OPERATIONS.md lacks {flag:?}");
        }
    }

    #[test]
    fn no_document_gives_a_flag_another_value() {
        for path in documents() {
            let text = plain(&path);
            let words: Vec<_> = text.split(' ').collect();
            for pair in words.windows(2) {
                let flag = FLAGS.chunks(2).find(|flag| flag[0] == pair[0]);
                let value = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
                if let Some(flag) = flag.filter(|_| value.starts_with(|c: char| c.is_ascii_digit())) {
                    assert_eq!(value, flag[1], "{} of {}", pair[0], path.display());
                }
            }
        }
    }
}
