//! Servers beside the application, which never outlive this process.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, Command};

use crate::root;

/// Starts a program, waits for the end of its own input, kills the program, and removes the folder, if one is named.
const GUARD: &str = r#"
    folder=$1; shift
    "$@" &
    exec >/dev/null
    cat
    kill -9 $! 2>/dev/null
    wait
    if [ -n "$folder" ]; then rm -rf -- "$folder"; fi
"#;

const START_TIMEOUT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// The program under a shell that ends it, and removes the folder, when its own input ends, however that came about.
pub(crate) fn guarded(program: &std::process::Command, folder: Option<&Path>) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", GUARD, "guard"]).arg(folder.unwrap_or(Path::new("")));
    shell.arg(program.get_program()).args(program.get_args()).current_dir(root());
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

/// A program that serves on the loopback. It is killed when this value is dropped, and when this process ends.
pub struct Daemon {
    child: Child,
    lifeline: Option<ChildStdin>,
}

impl Daemon {
    /// Starts the program; `removes` is a folder that goes with it.
    pub fn spawn(program: &std::process::Command, removes: Option<&Path>) -> Result<Self> {
        let mut command = guarded(program, removes);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::inherit()).process_group(0);
        let name = Path::new(program.get_program()).display();
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let lifeline = child.stdin.take();
        Ok(Self { child, lifeline })
    }

    /// Waits until somebody listens at that port. False: nobody does in time.
    pub async fn listens(&self, port: u16) -> bool {
        let began = Instant::now();
        while began.elapsed() < START_TIMEOUT {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_ok() {
                return true;
            }
            tokio::time::sleep(PAUSE).await;
        }
        false
    }

    /// Kills it in the middle of what it does, and waits until it is gone.
    pub async fn kill(mut self) -> Result<()> {
        drop(self.lifeline.take());
        self.child.wait().await?;
        Ok(())
    }
}

/// A port of the loopback that nobody listens at.
pub async fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?.port())
}
