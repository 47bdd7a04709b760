//! The relay: it takes a message over HTTP, hands it to a mail server over SMTP, and tells what became of it.
//!
//! Nothing is queued here. A message is acknowledged when the mail server has taken it and not before, so that whoever
//! posts it keeps it until then; it is the outbox of the application that waits, tries again and gives up. A message that
//! is posted again within an hour of its acceptance is answered as the first time, and goes out once.

mod ledger;
mod message;
mod pool;
mod refusal;
mod server;
mod smtp;
mod stream;

pub use message::{Headers, mailbox};
pub use server::{MIN_TOKEN_CHARS, Relay, Settings};
pub use smtp::{Credentials, MailServer};
pub use stream::{Security, trusted};
