//! An installed `redis-server`, for several processes on one machine.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::daemon::{Daemon, Port};
use crate::installed;

/// The program, from Debian's package of the same name.
pub const REDIS_SERVER: &str = "redis-server";

const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A server on the loopback. It ends when this value is dropped, and when this process ends, however it does.
pub struct Redis {
    /// Its address.
    pub url: String,
    daemon: Daemon,
    /// Where it was not told at which port to listen.
    _port: Option<Port>,
}

impl Redis {
    /// Starts a server that keeps its data in the folder: what it has acknowledged is on the disk. `removes` is a folder
    /// that goes with it.
    pub async fn start(folder: &Path, removes: Option<&Path>) -> Result<Self> {
        let port = Port::hold()?;
        match Self::start_at(folder, port.number, removes).await? {
            Some(redis) => Ok(Self { _port: Some(port), ..redis }),
            None => bail!("{REDIS_SERVER} does not start (apt-get install {REDIS_SERVER})"),
        }
    }

    /// The same for a test. `None`: there is no such program, and the test is left out. Where `CI` is set that is an error.
    pub async fn for_test(folder: &Path) -> Result<Option<Self>> {
        if installed(REDIS_SERVER) {
            return Self::start(folder, None).await.map(Some);
        }
        let missing = format!("there is no {REDIS_SERVER} (apt-get install {REDIS_SERVER})");
        ensure!(!crate::is_ci(), "CI is set, and {missing}");
        eprintln!("NOT TESTED, {missing}");
        Ok(None)
    }

    /// The same at that port. `None`: it cannot be had.
    pub async fn start_at(folder: &Path, port: u16, removes: Option<&Path>) -> Result<Option<Self>> {
        let mut server = std::process::Command::new(REDIS_SERVER);
        server.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--dir"]).arg(folder);
        server.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
        let daemon = Daemon::spawn(&server, removes)?;
        let redis = Self { url: format!("redis://127.0.0.1:{port}"), daemon, _port: None };
        if redis.answers(port).await {
            return Ok(Some(redis));
        }
        redis.stop().await?;
        Ok(None)
    }

    async fn answers(&self, port: u16) -> bool {
        let began = Instant::now();
        while began.elapsed() < START_TIMEOUT {
            if ping(port).await.is_ok_and(|answer| answer.starts_with("+PONG")) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    /// Kills it: what it has acknowledged is on the disk.
    pub async fn stop(self) -> Result<()> {
        self.daemon.kill().await
    }
}

async fn ping(port: u16) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(b"PING\r\n").await?;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).await?;
    Ok(String::from_utf8_lossy(answer.get(..length).unwrap_or_default()).into_owned())
}
