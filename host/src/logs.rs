//! The output of components: into one file each, as Spin does, and to standard error unless that is unwanted. At a
//! terminal the lines of requests are short there.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::Result;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

/// Where one output of one component goes. The writes are small and go to the page cache, so they do not wait.
#[derive(Clone)]
pub(crate) struct Log {
    file: Arc<File>,
    terminal: bool,
}

impl Log {
    /// Appends to `<state_dir>/logs/<component>_<output>.txt`; the folder must exist.
    pub(crate) fn open(state_dir: &Path, component: &str, output: &str, terminal: bool) -> Result<Self> {
        let path = state_dir.join("logs").join(format!("{component}_{output}.txt"));
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { file: Arc::new(file), terminal })
    }
}

/// A component writes a line of its log at once.
fn show(bytes: &[u8]) -> io::Result<()> {
    let at_terminal = io::IsTerminal::is_terminal(&io::stderr());
    let short = std::str::from_utf8(bytes).ok().filter(|_| at_terminal).and_then(terminal::describe);
    match short {
        Some(line) => writeln!(terminal::stderr(), "{line}"),
        None => io::stderr().write_all(bytes),
    }
}

impl IsTerminal for Log {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Log {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Log {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.terminal {
            // A closed terminal is no reason to fail a request.
            let _closed = show(bytes);
        }
        Poll::Ready((&*self.file).write_all(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
