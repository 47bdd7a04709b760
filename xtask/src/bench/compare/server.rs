//! A server while it is measured.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, Command};
use xtask::client::Client;
use xtask::daemon::Port;
use xtask::root;

use super::super::process::Server;
use super::programs::Program;

const START_TIMEOUT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// A server with its workers. They are killed when this is dropped, and end when this process ends, however it does.
pub(super) struct RunningServer {
    pub(super) base_url: String,
    child: Child,
    /// Closed with this value, even if this process is killed: the server waits for that.
    _input: Option<ChildStdin>,
    port: Port,
}

impl RunningServer {
    /// Starts it with that file, and waits until it listens.
    pub(super) async fn start(program: &Program, description: &Path) -> Result<Self> {
        let port = Port::hold()?;
        let mut command = Command::new(&program.program);
        command.args(&program.arguments).arg(description).arg(port.number.to_string()).arg(program.workers.to_string());
        command.envs(program.environment.iter().map(|(name, value)| (name, value)));
        // Its workers are of the group of its own, by which all of them are killed.
        command.current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot start {}", program.name))?;
        let input = child.stdin.take();
        let mut server = Self { base_url: format!("http://{}", port.address()), child, _input: input, port };
        let began = Instant::now();
        while TcpStream::connect(server.port.address()).await.is_err() {
            if let Some(status) = server.child.try_wait()? {
                bail!("{} ended before it served anything: {status}", program.name);
            }
            if began.elapsed() > START_TIMEOUT {
                bail!("{} does not listen after {} seconds", program.name, START_TIMEOUT.as_secs());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(server)
    }

    /// Reads as the holder of that token.
    pub(super) async fn get(&self, token: &str, path: &str) -> Result<Value> {
        Client::new(&self.base_url, token).get(path).await
    }

    /// Its process, with the workers that it has started.
    pub(super) fn process(&self) -> Result<Server> {
        self.child.id().map(Server).context("the server has ended")
    }

    pub(super) async fn stop(mut self) -> Result<()> {
        self.kill();
        self.child.wait().await?;
        Ok(())
    }

    fn kill(&self) {
        if let Some(group) = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            // A group that is gone need not be killed.
            let _gone = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn shell(script: &str) -> Program {
        Program {
            name: "a shell".to_owned(),
            program: "sh".into(),
            arguments: ["-c", script].map(OsString::from).to_vec(),
            environment: Vec::new(),
            workers: 1,
        }
    }

    #[tokio::test]
    async fn a_server_that_ends_at_once_is_an_error() {
        let error = RunningServer::start(&shell("exit 3"), Path::new("none")).await.err().unwrap().to_string();
        assert_eq!(error, "a shell ended before it served anything: exit status: 3");
    }
}
