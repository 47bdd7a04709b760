//! A line that says how far something has come, and is written over again and again.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The time between two lines where each stays, because nobody sits at a terminal.
const PAUSE: Duration = Duration::from_secs(30);
/// The width that each terminal has. A longer line would wrap, and could not be written over.
const WIDTH: usize = 79;

/// How far something has come. The line goes when this value is dropped.
pub struct Progress {
    is_terminal: bool,
    is_shown: bool,
    told: Instant,
    began: Instant,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn start() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        let is_terminal = std::io::stderr().is_terminal() && !is_dumb;
        let now = Instant::now();
        Self { is_terminal, is_shown: false, told: now, began: now }
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Says how far it is, with the time that it has taken. Elsewhere than at a terminal it is said twice a minute.
    pub fn tell(&mut self, state: &str) {
        if self.is_terminal {
            write(&format!("\r{}\x1b[K", line(state, self.elapsed())));
            self.is_shown = true;
        } else if self.told.elapsed() >= PAUSE {
            self.told = Instant::now();
            write(&format!("{}\n", line(state, self.elapsed())));
        }
    }

    /// Takes the line away, so that something else can be written.
    pub fn clear(&mut self) {
        if self.is_shown {
            write("\r\x1b[K");
            self.is_shown = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    // A terminal that was closed is no reason to stop what goes on.
    let _closed = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn line(state: &str, elapsed: Duration) -> String {
    let (minutes, seconds) = (elapsed.as_secs() / 60, elapsed.as_secs() % 60);
    let time = format!("{minutes}:{seconds:02}");
    let room = WIDTH - time.len() - 1;
    let shown: String = match state.chars().count() > room {
        true => state.chars().take(room - 1).chain(['…']).collect(),
        false => state.to_owned(),
    };
    format!("{shown} {time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_wraps() {
        assert_eq!(line("12 of 431 crates", Duration::from_secs(192)), "12 of 431 crates 3:12");
        let long = line(&"ä".repeat(200), Duration::from_secs(9));
        assert_eq!(long.chars().count(), WIDTH);
        assert!(long.ends_with("ä… 0:09"), "{long}");
    }
}
