//! The output of components: into one file each, as Spin does, and to standard error unless that is unwanted. At a
//! terminal the lines of requests are short there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use anyhow::Result;
use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

/// The size at which a file makes room for a new one. The one before it is kept, and no other: where the operator's own program
/// rotates files, it does so earlier.
const MAX_BYTES: u64 = 64 << 20;
/// The most that a component writes at a time.
const MAX_WRITE_BYTES: usize = 64 << 10;

/// Where one output of one component goes. The writes are small and go to the page cache, so they do not wait.
#[derive(Clone)]
pub(crate) struct Log {
    file: Arc<Mutex<LogFile>>,
    terminal: bool,
}

impl Log {
    /// Appends to `<state_dir>/logs/<component>_<output>.txt`; the folder must exist.
    pub(crate) fn open(state_dir: &Path, component: &str, output: &str, terminal: bool) -> Result<Self> {
        let path = state_dir.join("logs").join(format!("{component}_{output}.txt"));
        Ok(Self { file: Arc::new(Mutex::new(LogFile::open(path, MAX_BYTES)?)), terminal })
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        if self.terminal {
            // A closed terminal is no reason to fail a request.
            let _closed = show(bytes);
        }
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }
}

/// A file that is renamed to `<name>.1` when it is full.
struct LogFile {
    path: PathBuf,
    file: File,
    /// As far as is known here: others may have emptied it.
    bytes: u64,
    max_bytes: u64,
}

impl LogFile {
    fn open(path: PathBuf, max_bytes: u64) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(&path)?;
        Ok(Self { bytes: file.metadata()?.len(), path, file, max_bytes })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes >= self.max_bytes {
            self.bytes = self.file.metadata()?.len();
        }
        if self.bytes >= self.max_bytes {
            let mut before = self.path.clone().into_os_string();
            before.push(".1");
            fs::rename(&self.path, before)?;
            *self = Self::open(self.path.clone(), self.max_bytes)?;
        }
        self.file.write_all(bytes)?;
        self.bytes += u64::try_from(bytes.len()).unwrap_or_default();
        Ok(())
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
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

/// The stream of a component that writes while its request waits for nothing else: no task has to be woken for each line.
#[wasmtime_wasi::async_trait]
impl Pollable for Log {
    async fn ready(&mut self) {}
}

impl OutputStream for Log {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.append(&bytes).map_err(|error| StreamError::LastOperationFailed(error.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MAX_WRITE_BYTES)
    }
}

impl AsyncWrite for Log {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.append(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_makes_room_and_the_one_before_it_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, before) = (folder.path().join("polls_stderr.txt"), folder.path().join("polls_stderr.txt.1"));
        let mut log = LogFile::open(path.clone(), 10).unwrap();
        let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        for line in ["one two\n", "three\n", "four\n"] {
            log.write(line.as_bytes()).unwrap();
        }
        assert_eq!((text(&before), text(&path)), ("one two\nthree\n".to_owned(), "four\n".to_owned()));
        // What was there at the start counts too, and what others have taken away does not.
        let mut log = LogFile::open(path.clone(), 5).unwrap();
        fs::write(&path, "").unwrap();
        log.write(b"five\n").unwrap();
        assert_eq!(text(&path), "five\n");
        log.write(b"six\n").unwrap();
        assert_eq!((text(&before), text(&path)), ("five\n".to_owned(), "six\n".to_owned()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
