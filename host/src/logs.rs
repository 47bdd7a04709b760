//! The output of components: into one file each, as Spin does, and to the terminal unless that is unwanted.

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
            let _closed = io::stderr().write_all(bytes);
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
