//! An installed `redis-server`, for several processes on one machine.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin};

use crate::app::guarded;

/// The program, from Debian's package of the same name.
pub const REDIS_SERVER: &str = "redis-server";

/// How often another port is tried: somebody may have taken it since it was free.
const TRIES: usize = 5;
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// A server on the loopback. It ends when this value is dropped, and when this process ends, however it does.
pub struct Redis {
    /// Its address.
    pub url: String,
    child: Child,
    lifeline: Option<ChildStdin>,
}

impl Redis {
    /// Starts a server that keeps its data in the folder: what it has acknowledged is on the disk. `removes` is a folder
    /// that goes with it.
    pub async fn start(folder: &Path, removes: Option<&Path>) -> Result<Self> {
        for _ in 0..TRIES {
            let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
            let mut server = std::process::Command::new(REDIS_SERVER);
            server.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--dir"]).arg(folder);
            server.args(["--appendonly", "yes", "--appendfsync", "always", "--save", ""]);
            let mut command = guarded(&server, removes);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit()).process_group(0);
            let mut child = command.spawn().with_context(|| format!("cannot start {REDIS_SERVER}"))?;
            let lifeline = child.stdin.take();
            let redis = Self { url: format!("redis://127.0.0.1:{port}"), child, lifeline };
            if redis.answers(port).await {
                return Ok(redis);
            }
            redis.stop().await?;
        }
        bail!("{REDIS_SERVER} does not start (apt-get install {REDIS_SERVER})")
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

    /// Ends it.
    pub async fn stop(mut self) -> Result<()> {
        drop(self.lifeline.take());
        self.child.wait().await?;
        Ok(())
    }
}

async fn ping(port: u16) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(b"PING\r\n").await?;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).await?;
    Ok(String::from_utf8_lossy(answer.get(..length).unwrap_or_default()).into_owned())
}
