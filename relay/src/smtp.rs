//! What is said to a mail server, and what its answers mean.

use std::error::Error as _;
use std::sync::Arc;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{DEFAULT_MECHANISMS, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use lettre::transport::smtp::response::Response;
use tokio_rustls::rustls::ClientConfig;

pub use lettre::transport::smtp::authentication::Credentials;

use crate::message::Message;
use crate::refusal::{Refusal, Step, judge};
use crate::stream::{self, Security};

/// The mail server that takes everything.
pub struct MailServer {
    /// Its name, by which its certificate is known.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How connections are encrypted.
    pub security: Security,
    /// Whom its certificate may be from.
    pub tls: Arc<ClientConfig>,
    /// Who we are, if it wants to know.
    pub credentials: Option<Credentials>,
    /// What we call ourselves in `EHLO`.
    pub hello: String,
}

/// A conversation with the mail server that has come so far that it takes messages.
pub(crate) struct Conversation {
    connection: AsyncSmtpConnection,
    /// The number of messages that it has taken.
    pub(crate) taken: u32,
}

impl MailServer {
    /// Begins a conversation.
    pub(crate) async fn talk(&self) -> Result<Conversation, Refusal> {
        let stream = stream::open(&self.host, self.port, self.security, &self.tls, &self.hello).await?;
        let hello = ClientId::Domain(self.hello.clone());
        let begun = AsyncSmtpConnection::connect_with_transport(stream, &hello).await;
        let mut connection = begun.map_err(|error| refusal(Step::Hello, &error))?;
        if let Some(credentials) = &self.credentials {
            if !DEFAULT_MECHANISMS.iter().any(|mechanism| offers(&connection, *mechanism)) {
                return Err(Refusal::Account("the mail server takes no password (AUTH PLAIN or LOGIN)".to_owned()));
            }
            let shown = connection.auth(DEFAULT_MECHANISMS, credentials).await;
            shown.map_err(|error| refusal(Step::Hello, &error))?;
        }
        Ok(Conversation { connection, taken: 0 })
    }
}

fn offers(connection: &AsyncSmtpConnection, mechanism: Mechanism) -> bool {
    connection.server_info().supports_auth_mechanism(mechanism)
}

impl Conversation {
    /// Hands a message over. Answers the words by which the server takes it.
    pub(crate) async fn deliver(&mut self, message: &Message) -> Result<String, Refusal> {
        let Message { sender, recipient, bytes, .. } = message;
        let mut parameters = Vec::new();
        let (from, to): (&str, &str) = (sender.as_ref(), recipient.as_ref());
        if !from.is_ascii() || !to.is_ascii() {
            if !self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                let words = "the mail server takes addresses in ASCII alone (SMTPUTF8)".to_owned();
                return Err(if from.is_ascii() { Refusal::Recipient(words) } else { Refusal::Account(words) });
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        let connection = &mut self.connection;
        let taken = connection.command(Mail::new(Some(sender.clone()), parameters)).await;
        answered(Step::Sender, taken, 200..300)?;
        let taken = connection.command(Rcpt::new(recipient.clone(), Vec::new())).await;
        answered(Step::Recipient, taken, 200..300)?;
        answered(Step::Content, connection.command(Data).await, 354..355)?;
        let response = answered(Step::Content, connection.message(bytes).await, 200..300)?;
        self.taken = self.taken.saturating_add(1);
        Ok(format!("{} {}", response.code(), response.message().collect::<Vec<_>>().join(" ")))
    }

    /// True if it can go on after a refusal.
    pub(crate) async fn goes_on(&mut self) -> bool {
        self.connection.command(Rset).await.is_ok()
    }

    /// True if the server is still there.
    pub(crate) async fn lives(&mut self) -> bool {
        self.connection.test_connected().await
    }

    /// Takes leave.
    pub(crate) async fn end(mut self) {
        self.connection.abort().await;
    }
}

/// The answer, if it has one of these codes. Another one that is no refusal is an answer to something else.
fn answered(step: Step, answer: Result<Response, Error>, expected: std::ops::Range<u16>) -> Result<Response, Refusal> {
    let response = answer.map_err(|error| refusal(step, &error))?;
    match expected.contains(&response.code().into()) {
        true => Ok(response),
        false => Err(Refusal::Unavailable(format!("the mail server answered {} out of turn", response.code()))),
    }
}

fn refusal(step: Step, error: &Error) -> Refusal {
    match error.status() {
        Some(code) => judge(step, code.into(), &error.source().map(ToString::to_string).unwrap_or_default()),
        None => Refusal::Unavailable(format!("the mail server cannot be talked to: {error}")),
    }
}
