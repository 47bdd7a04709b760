//! Work that is done when the response is on its way, so that nobody waits for it.

use std::io::Write;

use crate::error::{Error, Result};

/// Runs after the response is sent, and logs what goes wrong.
pub fn after_response(work: impl Future<Output = Result<()>> + 'static) {
    spin_sdk::wasip3::spawn(async move {
        log_if_failed(work.await);
    });
}

/// The outcome of a write that is left out where others write for long: the next one makes up for it.
pub fn unless_busy(written: database::Result<()>) -> Result<()> {
    match written {
        Ok(()) | Err(database::Error::Busy) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Writes to the log what went wrong in work that nobody waits for.
pub fn log_failure(error: &Error) {
    log_text(&error.to_string());
}

/// The same of a step behind which the work goes on, whatever becomes of it.
pub fn log_if_failed(step: Result<(), impl Into<Error>>) {
    if let Err(error) = step {
        log_failure(&error.into());
    }
}

/// Keeps the first failure of several steps, to be returned at their end. The log has the others.
pub fn keep_first(kept: &mut Option<Error>, error: Error) {
    match kept {
        Some(_) => log_failure(&error),
        None => *kept = Some(error),
    }
}

/// What there is to say of work that nobody waits for, in the log.
pub fn log_text(text: &str) {
    log(&serde_json::json!({ "background": text }));
}

/// One line of the log.
pub fn log(line: &serde_json::Value) {
    // A log that cannot be written is no reason to stop working.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}
