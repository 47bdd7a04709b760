//! Scrubbing: whoever reads a report must not get at what its reporter may do. So tokens, passwords and keys are taken out of
//! addresses, headers and texts before anything is stored.
//!
//! All of this takes time in proportion to the length of what it reads, whatever that says.

mod addresses;
mod environment;
mod fields;
mod lines;
mod names;
#[cfg(test)]
mod tests;
mod tokens;
mod words;

pub(crate) use crate::scrub::environment::environment;

/// The text in the place of a secret.
const FILTERED: &str = "[FILTERED]";

/// Text that a person has written: addresses, tokens and fields in it lose their secrets.
pub(crate) fn text(text: &str) -> String {
    words::scrub(&tokens::without_private_keys(text))
}

/// Text that a machine has written: lines that name a secret lose the rest of the line too.
pub(crate) fn log(log: &str) -> String {
    let log = tokens::without_private_keys(log);
    let mut scrubbed = String::with_capacity(log.len());
    for line in log.split_inclusive('\n') {
        match lines::before_secret(line) {
            Some(before) => {
                scrubbed.push_str(&words::scrub(before));
                scrubbed.push_str(FILTERED);
                scrubbed.push_str(if line.ends_with('\n') { "\n" } else { "" });
            }
            None => scrubbed.push_str(&words::scrub(line)),
        }
    }
    scrubbed
}
