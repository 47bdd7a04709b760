//! Servers beside the application, which never outlive this process.

use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::net::{TcpSocket, TcpStream};
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

/// A port of the loopback that nobody else is given while this value lives. Nobody answers there but a server that is told to
/// listen at it, which it may as every server may that starts where one has just ended.
pub struct Port {
    /// Its number.
    pub number: u16,
    _held: TcpSocket,
}

impl Port {
    /// Any that is free.
    pub fn hold() -> Result<Self> {
        let held = TcpSocket::new_v4()?;
        held.set_reuseaddr(true)?;
        held.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        Ok(Self { number: held.local_addr()?.port(), _held: held })
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("{}:{}", Ipv4Addr::LOCALHOST, self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_port_is_held_for_the_server_that_it_is_meant_for() {
        let port = Port::hold().unwrap();
        assert!(TcpStream::connect(port.address()).await.is_err());
        let server = TcpListener::bind(port.address()).unwrap();
        TcpStream::connect(port.address()).await.unwrap();
        drop(server);
        let others: Vec<_> = (0..1_000).map(|_| Port::hold().unwrap()).collect();
        assert!(others.iter().all(|other| other.number != port.number));
        assert!(TcpStream::connect(port.address()).await.is_err());
    }
}
