//! `lectern-relay`: takes the messages of the application over HTTP and hands them to a mail server over SMTP.

use std::io::{IsTerminal, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, ValueEnum};
use relay::{Credentials, Headers, MailServer, Relay, Settings, mailbox};
use serving::{address, listen, stop_signal};

/// Hands the messages of Lectern to a mail server that speaks SMTP.
///
/// Secrets are no options, because everybody can read the arguments of a process: the token is in
/// `LECTERN_RELAY_TOKEN` or in a file, the password of the mail server in `LECTERN_RELAY_SMTP_PASSWORD` or in a file.
#[derive(Parser)]
#[command(name = "lectern-relay", version)]
struct Arguments {
    /// The address to listen on, or a port of this machine alone; port 0 picks a free one.
    #[arg(long, env = "LECTERN_RELAY_LISTEN", default_value = "127.0.0.1:2580", value_parser = address)]
    listen: SocketAddr,
    /// The file with the token that the application shows (`mail_api_key`), of 32 characters or more.
    #[arg(long, env = "LECTERN_RELAY_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The file with the token before it, which is good too while the application changes to the new one
    /// (`LECTERN_RELAY_TOKEN_PREVIOUS`).
    #[arg(long, env = "LECTERN_RELAY_TOKEN_PREVIOUS_FILE", value_name = "FILE")]
    previous_token_file: Option<PathBuf>,
    /// The mail server, by the name in its certificate.
    #[arg(long, env = "LECTERN_RELAY_SMTP_HOST", value_name = "HOST")]
    smtp_host: String,
    /// Its port; by default 587 with starttls, 465 with tls, 25 with none.
    #[arg(long, env = "LECTERN_RELAY_SMTP_PORT", value_name = "PORT")]
    smtp_port: Option<u16>,
    /// How connections to it are encrypted; `none` is for a server on this machine alone.
    #[arg(long, env = "LECTERN_RELAY_SMTP_SECURITY", value_enum, default_value_t = Security::Starttls)]
    smtp_security: Security,
    /// Certificates in PEM by which it is known, beside those that browsers trust.
    #[arg(long, env = "LECTERN_RELAY_SMTP_CA_FILE", value_name = "FILE")]
    smtp_ca_file: Option<PathBuf>,
    /// The user that it knows us by; by default it is shown none.
    #[arg(long, env = "LECTERN_RELAY_SMTP_USER", value_name = "USER")]
    smtp_user: Option<String>,
    /// The file with the user's password.
    #[arg(long, env = "LECTERN_RELAY_SMTP_PASSWORD_FILE", value_name = "FILE")]
    smtp_password_file: Option<PathBuf>,
    /// What we call ourselves (EHLO); by default the name of this machine.
    #[arg(long, env = "LECTERN_RELAY_EHLO_NAME", value_name = "NAME")]
    ehlo_name: Option<String>,
    /// Whom bounces go to (MAIL FROM); by default the sender, which is `mail_from` of the application.
    #[arg(long, env = "LECTERN_RELAY_ENVELOPE_SENDER", value_name = "ADDRESS", value_parser = mailbox)]
    envelope_sender: Option<lettre::message::Mailbox>,
    /// Whom answers of recipients go to (Reply-To); by default the sender.
    #[arg(long, env = "LECTERN_RELAY_REPLY_TO", value_name = "ADDRESS", value_parser = mailbox)]
    reply_to: Option<lettre::message::Mailbox>,
    /// Connections to the mail server at one time.
    #[arg(long, env = "LECTERN_RELAY_CONNECTIONS", value_name = "COUNT", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=64))]
    connections: u16,
    /// The seconds that the mail server has for one message.
    #[arg(long, env = "LECTERN_RELAY_TIMEOUT_SECONDS", value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout_seconds: u64,
    /// The greatest message that is taken, in bytes.
    #[arg(long, env = "LECTERN_RELAY_MAX_MESSAGE_BYTES", value_name = "BYTES", default_value_t = 1024 * 1024)]
    max_message_bytes: usize,
    /// Talk to the mail server once, tell whether that works, and end.
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Security {
    Starttls,
    Tls,
    None,
}

#[tokio::main]
#[expect(clippy::print_stderr, reason = "the reason why the program ends is for the person who started it")]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
    let relay = arguments.relay()?;
    let mut stdout = std::io::stdout();
    if arguments.check {
        relay.check().await.map_err(|words| anyhow::anyhow!("the mail server takes nothing: {words}"))?;
        writeln!(stdout, "The mail server takes messages")?;
        return Ok(());
    }
    let listener = listen(arguments.listen, "--listen").await?;
    let stop = stop_signal()?;
    writeln!(stdout, "Serving http://{}", listener.local_addr()?)?;
    stdout.flush()?;
    // A mail server that is away comes back; until then messages wait in the outbox.
    tokio::spawn(tell_problems(relay.clone()));
    relay.serve(listener, stop).await;
    Ok(())
}

async fn tell_problems(relay: Arc<Relay>) {
    if let Err(words) = relay.check().await {
        tracing::warn!("the mail server takes nothing: {words}");
    }
}

impl Arguments {
    fn relay(&self) -> Result<Arc<Relay>> {
        let token = secret("LECTERN_RELAY_TOKEN", self.token_file.as_deref())?;
        let token = token.context("there is no token: set LECTERN_RELAY_TOKEN or LECTERN_RELAY_TOKEN_FILE")?;
        let headers = Headers { envelope_sender: self.envelope_sender.clone(), reply_to: self.reply_to.clone() };
        let previous_token = secret("LECTERN_RELAY_TOKEN_PREVIOUS", self.previous_token_file.as_deref())?;
        let settings = Settings {
            token,
            previous_token,
            headers,
            connections: self.connections.into(),
            timeout: Duration::from_secs(self.timeout_seconds),
            max_message_bytes: self.max_message_bytes,
        };
        Relay::new(self.mail_server()?, settings)
    }

    fn mail_server(&self) -> Result<MailServer> {
        let (security, default_port) = match self.smtp_security {
            Security::Starttls => (relay::Security::StartTls, 587),
            Security::Tls => (relay::Security::Tls, 465),
            Security::None if !is_here(&self.smtp_host) => {
                bail!("{} is not this machine: messages go there encrypted alone (starttls or tls)", self.smtp_host)
            }
            Security::None => (relay::Security::None, 25),
        };
        Ok(MailServer {
            host: self.smtp_host.clone(),
            port: self.smtp_port.unwrap_or(default_port),
            security,
            tls: relay::trusted(self.smtp_ca_file.as_deref())?,
            credentials: self.credentials()?,
            hello: self.hello()?,
        })
    }

    fn credentials(&self) -> Result<Option<Credentials>> {
        let password = secret("LECTERN_RELAY_SMTP_PASSWORD", self.smtp_password_file.as_deref())?;
        match (self.smtp_user.clone().filter(|user| !user.is_empty()), password) {
            (None, None) => Ok(None),
            (Some(user), Some(password)) => Ok(Some(Credentials::new(user, password))),
            (Some(_), None) => bail!("there is a user of the mail server and no password"),
            (None, Some(_)) => bail!("there is a password of the mail server and no user"),
        }
    }

    fn hello(&self) -> Result<String> {
        let given = self.ehlo_name.clone().filter(|name| !name.is_empty());
        let name = given.unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        ensure!(
            !name.is_empty() && name.chars().all(is_plain),
            "{name:?} is no name for EHLO: give one with --ehlo-name"
        );
        Ok(name)
    }
}

/// True for a host that is this machine by its address or as `localhost`.
fn is_here(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A secret from a file, without the end of its line, or else from the environment.
fn secret(name: &str, file: Option<&Path>) -> Result<Option<String>> {
    let secret = match file {
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        None => std::env::var(name).ok(),
    };
    Ok(secret.filter(|secret| !secret.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(given: &[&str]) -> Arguments {
        Arguments::try_parse_from(["lectern-relay"].iter().chain(given)).map_err(|error| error.to_string()).unwrap()
    }

    #[test]
    fn the_options_are_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn messages_leave_this_machine_encrypted_alone() {
        let server = |given: &[&str]| arguments(given).mail_server().map(|server| (server.port, server.security));
        let none = ["--smtp-security", "none", "--smtp-host"];
        assert_eq!(server(&["--smtp-host", "mail.school.test"]).unwrap(), (587, relay::Security::StartTls));
        let tls = server(&["--smtp-host", "mail.school.test", "--smtp-security", "tls"]);
        assert_eq!(tls.unwrap(), (465, relay::Security::Tls));
        for host in ["127.0.0.1", "::1", "localhost"] {
            assert_eq!(server(&[&none[..], &[host]].concat()).unwrap(), (25, relay::Security::None), "{host}");
        }
        for host in ["mail.school.test", "10.0.0.1", "localhost.school.test"] {
            assert!(server(&[&none[..], &[host]].concat()).is_err(), "{host}");
        }
    }

    #[test]
    fn names_and_addresses_have_no_commands_in_them() {
        let hello = |name: &str| arguments(&["--smtp-host", "localhost", "--ehlo-name", name]).hello();
        assert_eq!(hello("lms.school.test").unwrap(), "lms.school.test");
        assert!(hello("lms\r\nMAIL FROM:<x>").is_err());
        let sender = ["lectern-relay", "--smtp-host", "localhost", "--envelope-sender", "lms"];
        assert!(Arguments::try_parse_from(sender).is_err());
    }

    #[test]
    fn a_secret_is_the_line_of_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a secret\r\n").unwrap();
        assert_eq!(secret("NONE", Some(file.path())).unwrap().as_deref(), Some("a secret"));
        assert_eq!(secret("LECTERN_RELAY_NOTHING", None).unwrap(), None);
        assert!(secret("NONE", Some(Path::new("/nowhere"))).is_err());
    }
}
