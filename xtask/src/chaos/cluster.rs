//! Processes behind a front, and the two servers that they share: each can be killed, and started again where it was.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use xtask::app::{App, Launch};
use xtask::daemon::{Daemon, Port};
use xtask::folder::{DataFolder, RUNTIME_CONFIG};
use xtask::front::{self, Front};
use xtask::redis::{REDIS_SERVER, Redis};
use xtask::sandbox::Sandbox;
use xtask::scaled::Servers;

pub(super) const PROCESSES: usize = 3;
/// How often something is started again that does not come up, because its port is not free yet.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(300);
/// The time that requests have to come to a process after the front has given them to it.
const ARRIVAL: Duration = Duration::from_millis(300);

/// What can be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Victim {
    Process(usize),
    Redis,
    Database,
}

impl Victim {
    /// Everything there is.
    pub(super) const ALL: [Self; PROCESSES + 2] =
        [Self::Process(0), Self::Process(1), Self::Process(2), Self::Redis, Self::Database];

    pub(super) fn name(self) -> String {
        match self {
            Self::Process(number) => format!("process {}", number + 1),
            Self::Redis => "Redis".to_owned(),
            Self::Database => "database".to_owned(),
        }
    }
}

/// How a process differs from the others.
#[derive(Default)]
pub(super) struct Peculiar {
    /// The manifest of the build that it serves.
    pub(super) manifest: Option<PathBuf>,
    /// What its environment has beside the variables: another clock.
    pub(super) environment: Vec<(String, String)>,
}

struct Process {
    folder: DataFolder,
    /// Where it listens, each time.
    port: Port,
    peculiar: Peculiar,
    app: Option<App>,
}

/// All of it. It ends when this value is dropped.
pub(super) struct Cluster {
    pub(super) front: Front,
    pub(super) sandbox: Sandbox,
    processes: Vec<Process>,
    redis_port: Port,
    redis: Option<Redis>,
    database_port: Port,
    database: Option<Daemon>,
}

impl Cluster {
    /// Starts everything; `peculiar` tells of each process how it differs.
    pub(super) async fn start(sandbox: Sandbox, peculiar: [Peculiar; PROCESSES]) -> Result<Self> {
        let (redis_port, database_port) = (Port::hold()?, Port::hold()?);
        let servers = Servers {
            libsql_url: format!("http://{}", database_port.address()),
            libsql_token: String::new(),
            redis_url: redis_url(&redis_port),
        };
        let config = servers.runtime_config()?;
        let mut processes = Vec::new();
        for (number, peculiar) in peculiar.into_iter().enumerate() {
            let folder = DataFolder::open(sandbox.folder.path().join(format!("process-{}", number + 1)))?;
            folder.write_private(RUNTIME_CONFIG, &config)?;
            processes.push(Process { folder, port: Port::hold()?, peculiar, app: None });
        }
        let addresses = processes.iter().map(|process| process.port.address()).collect();
        let front = front::start("127.0.0.1:0", addresses).await?;
        let mut cluster = Self { front, sandbox, processes, redis_port, redis: None, database_port, database: None };
        for victim in [Victim::Redis, Victim::Database, Victim::Process(0), Victim::Process(1), Victim::Process(2)] {
            cluster.revive(victim).await?;
        }
        Ok(cluster)
    }

    /// The file of the database.
    pub(super) fn database(&self) -> PathBuf {
        self.sandbox.folder.path().join("libsql.db")
    }

    /// The address of Redis.
    pub(super) fn redis_url(&self) -> String {
        redis_url(&self.redis_port)
    }

    /// Kills it with signal 9.
    pub(super) async fn kill(&mut self, victim: Victim) -> Result<()> {
        match victim {
            Victim::Process(number) => {
                let process = self.processes.get_mut(number).context("no such process")?;
                if let Some(app) = process.app.take() {
                    app.crash().await?;
                }
            }
            Victim::Redis => {
                if let Some(redis) = self.redis.take() {
                    redis.stop().await?;
                }
            }
            Victim::Database => {
                if let Some(database) = self.database.take() {
                    database.kill().await?;
                }
            }
        }
        Ok(())
    }

    /// Starts it again on what it has left behind, and waits until it serves.
    pub(super) async fn revive(&mut self, victim: Victim) -> Result<()> {
        for _ in 0..TRIES {
            let is_up = match victim {
                Victim::Process(number) => self.start_process(number).await?,
                Victim::Redis => self.start_redis().await?,
                Victim::Database => self.start_database().await?,
            };
            if is_up {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        bail!("{} does not start", victim.name())
    }

    /// Ends a process as an operator does, and starts it again with the build of that manifest: it gets no more requests, what
    /// it has begun is finished, and it gets requests again when it serves. Answers how long it took to end, and to serve.
    pub(super) async fn restart(&mut self, number: usize, manifest: Option<PathBuf>) -> Result<(Duration, Duration)> {
        let process = self.processes.get_mut(number).context("no such process")?;
        let listen = process.port.address();
        self.front.rest(&listen);
        tokio::time::sleep(ARRIVAL).await;
        let began = Instant::now();
        if let Some(app) = process.app.take() {
            app.stop().await?;
        }
        let stopped = began.elapsed();
        process.peculiar.manifest = manifest;
        self.revive(Victim::Process(number)).await?;
        self.front.resume(&listen);
        Ok((stopped, began.elapsed().saturating_sub(stopped)))
    }

    async fn start_process(&mut self, number: usize) -> Result<bool> {
        let process = self.processes.get_mut(number).context("no such process")?;
        let launch = Launch {
            listen: &process.port.address(),
            manifest: process.peculiar.manifest.as_deref(),
            environment: &process.peculiar.environment,
            ..Launch::quiet(self.sandbox.runtime, &process.folder, &self.sandbox.variables)
        };
        match App::start(&launch).await {
            Ok(app) => process.app = Some(app),
            Err(error) => super::complain(&format!("process {}: {error:#}", number + 1)),
        }
        Ok(process.app.is_some())
    }

    async fn start_redis(&mut self) -> Result<bool> {
        let started = Redis::start_at(self.sandbox.folder.path(), self.redis_port.number, None).await;
        self.redis = started.with_context(|| format!("apt-get install {REDIS_SERVER}"))?;
        Ok(self.redis.is_some())
    }

    /// A process of this program: in our own it could not be killed.
    async fn start_database(&mut self) -> Result<bool> {
        let mut server = Command::new(std::env::current_exe()?);
        server.arg("libsql-server").arg(self.database());
        server.args(["--listen", &self.database_port.address()]);
        let daemon = Daemon::spawn(&server, None)?;
        let listens = daemon.listens(self.database_port.number).await;
        self.database = Some(daemon);
        Ok(listens)
    }
}

fn redis_url(port: &Port) -> String {
    format!("redis://{}", port.address())
}

/// The environment in which a program believes it to be so many seconds later, by a library that is put before libc.
pub(super) fn other_clock(library: &Path, seconds: i64) -> Vec<(String, String)> {
    let text = |name: &str, value: String| (name.to_owned(), value);
    vec![
        text("LD_PRELOAD", library.display().to_string()),
        text("FAKETIME", format!("{seconds:+}")),
        // Durations stay what they are.
        text("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        text("DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}
