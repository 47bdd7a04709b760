//! What a person sees at a terminal where the application runs: colours, the line of progress, and one short line for
//! each request. The host shows it, and so do the developer commands.
//!
//! [`print!`], [`println!`] and [`eprintln!`] leave the colours out where nobody would see them: into a file or a
//! pipe, and where `NO_COLOR` is set.

mod progress;
mod requests;

pub use anstream::{eprintln, print, println, stderr};
pub use progress::Progress;
pub use requests::describe;

use anstyle::{AnsiColor, Style};

/// What is to be read first.
pub const STRONG: Style = Style::new().bold();
/// What stands beside it.
pub const FAINT: Style = Style::new().dimmed();
/// What went well.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What leads elsewhere.
pub const LINK: Style = AnsiColor::Cyan.on_default();
/// What the client did wrong.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// What went wrong here.
pub const ERROR: Style = AnsiColor::Red.on_default();

/// The text in that style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The text without colours.
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
