//! How far a build is, by what cargo says of itself: it alone knows how much there is to do. One line takes the place
//! of one for each crate; what the compiler has to say is shown as it is.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use terminal::{Progress, eprintln};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use xtask::root;

/// The words with which cargo says what it waits for. It indents them, as all that it says of its state.
const WAITING: [&str; 5] = ["Blocking", "Downloading", "Downloaded", "Locking", "Updating"];
/// The other words of its state.
const WORKING: [&str; 7] = ["Adding", "Building", "Checking", "Compiling", "Dirty", "Finished", "Fresh"];

/// Runs a build of cargo's. Fails with what cargo said, if it fails.
pub(super) async fn build(what: &str, mut command: Command) -> Result<()> {
    let mut progress = Progress::start();
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "120");
    command.current_dir(root()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut cargo = command.spawn().context("cannot run cargo")?;
    progress.tell(&format!("Building {what}"));
    if let Some(stderr) = cargo.stderr.take() {
        let mut built = false;
        follow(stderr, |line| match read(line) {
            Line::Crates { done, all, names } => {
                progress.tell(&format!("Building {what}: {done} of {all} crates ({names})"));
            }
            Line::Waiting(words) => progress.tell(&format!("Building {what}: {words}")),
            Line::Working => built |= line.contains("Compiling"),
            Line::Message => {
                progress.clear();
                eprintln!("{line}");
            }
        })
        .await?;
        progress.clear();
        if built {
            eprintln!("Built {what} in {:.0} s", progress.elapsed().as_secs_f64());
        }
    }
    let status = cargo.wait().await?;
    if !status.success() {
        bail!("{what} cannot be built: cargo ended with {status}");
    }
    Ok(())
}

/// What a line of cargo's says.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// It has built so many of so many crates, and builds these.
    Crates { done: usize, all: usize, names: String },
    /// It waits, for another cargo or for a download.
    Waiting(String),
    /// Nothing that a person needs.
    Working,
    /// A word of the compiler.
    Message,
}

fn read(line: &str) -> Line {
    let plain = terminal::plain(line);
    let words = plain.trim();
    let first = words.split(' ').next().unwrap_or_default();
    match plain.starts_with(' ') {
        true if WAITING.contains(&first) => Line::Waiting(words.to_owned()),
        true if WORKING.contains(&first) => crates(words).unwrap_or(Line::Working),
        // It takes its line of progress away with spaces.
        _ if words.is_empty() => Line::Working,
        _ => Line::Message,
    }
}

/// `Building [====>    ] 12/431: serde, libc`
fn crates(words: &str) -> Option<Line> {
    let (_bar, rest) = words.strip_prefix("Building [")?.split_once("] ")?;
    let (numbers, names) = rest.split_once(':').unwrap_or((rest, ""));
    let (done, all) = numbers.trim().split_once('/')?;
    Some(Line::Crates { done: done.parse().ok()?, all: all.parse().ok()?, names: names.trim().to_owned() })
}

/// Calls `line` with each line that comes. A line of progress ends with a carriage return.
async fn follow(mut from: impl AsyncRead + Unpin, mut line: impl FnMut(&str)) -> Result<()> {
    let (mut kept, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let read = from.read(&mut chunk).await?;
        for byte in chunk.iter().take(read) {
            match byte {
                b'\n' | b'\r' => {
                    line(&String::from_utf8_lossy(&kept));
                    kept.clear();
                }
                byte => kept.push(*byte),
            }
        }
        if read == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_with_either_sign() {
        let mut lines = Vec::new();
        follow(&b"a\rb\nc"[..], |line| lines.push(line.to_owned())).await.unwrap();
        assert_eq!(lines, ["a", "b"]);
    }

    #[test]
    fn cargo_says_how_far_it_is() {
        let line = "    Building [=======>                 ] 112/431: serde, libc(build)";
        let names = "serde, libc(build)".to_owned();
        assert_eq!(read(line), Line::Crates { done: 112, all: 431, names });
        let coloured = "\u{1b}[1m\u{1b}[96m    Building\u{1b}[0m [>  ] 0/3: a";
        assert!(matches!(read(coloured), Line::Crates { done: 0, all: 3, .. }));
        let waits = "    Blocking waiting for file lock on build directory";
        assert_eq!(read(waits), Line::Waiting(waits.trim().to_owned()));
        assert_eq!(read("   Compiling serde v1.0.0"), Line::Working);
        assert_eq!(read("            "), Line::Working);
    }

    #[test]
    fn what_the_compiler_says_is_shown() {
        for line in ["warning: unused variable", "error[E0308]: mismatched types", "  --> src/lib.rs:1:1", "   |"] {
            assert_eq!(read(line), Line::Message, "{line}");
        }
    }
}
