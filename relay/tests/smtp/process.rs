//! `lectern-relay` as it is started.

use std::process::{ExitStatus, Stdio};

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use smtp_test_server::{Behaviour, Server};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const SENDER: &str = "Lectern <lms@school.test>";

/// A relay that runs. It ends with this value.
pub(crate) struct Relay {
    pub(crate) url: String,
    child: Child,
    complaints: ChildStderr,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// The name of the refusal.
    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// The words of the refusal.
    pub(crate) fn words(&self) -> &str {
        self.body["error"]["message"].as_str().unwrap_or_default()
    }
}

/// The program with options beside the address; the environment has the token and nothing else.
pub(crate) fn command(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lectern-relay"));
    command.env_clear().env("LECTERN_RELAY_TOKEN", TOKEN).args(["--listen", "127.0.0.1:0"]).args(options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

impl Relay {
    /// A relay to a server on this machine that is not encrypted.
    pub(crate) async fn to(server: &Server) -> Self {
        Self::start(&["--smtp-host", "127.0.0.1", "--smtp-security", "none", "--smtp-port", &server.port.to_string()])
            .await
    }

    pub(crate) async fn start(options: &[&str]) -> Self {
        Self::spawn(command(options)).await
    }

    pub(crate) async fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let complaints = child.stderr.take().unwrap();
        let line = lines.next_line().await.unwrap().expect("it serves");
        let url = line.strip_prefix("Serving ").expect("it tells where").to_owned();
        Self { url, child, complaints }
    }

    /// A request to post that message under that key.
    pub(crate) fn posting(&self, key: &str, to: &str) -> RequestBuilder {
        let message = json!({ "from": SENDER, "to": to, "subject": "Your grade", "text": "Ten points\n" });
        let mut headers = HeaderMap::new();
        headers.insert("idempotency-key", HeaderValue::from_str(key).unwrap());
        Client::new().post(format!("{}/messages", self.url)).bearer_auth(TOKEN).headers(headers).json(&message)
    }

    /// Posts a message to that address.
    pub(crate) async fn post(&self, key: &str, to: &str) -> Answer {
        answer(self.posting(key, to)).await
    }

    /// Asks it to end.
    pub(crate) fn ask_to_end(&self) {
        let pid = rustix::process::Pid::from_raw(self.child.id().unwrap().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end. Answers what it has written to its log.
    pub(crate) async fn ended(mut self) -> (ExitStatus, String) {
        let mut log = String::new();
        self.complaints.read_to_string(&mut log).await.unwrap();
        (self.child.wait().await.unwrap(), log)
    }
}

pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    Answer { status: response.status().as_u16(), body: response.json().await.unwrap() }
}

pub(crate) fn server() -> Server {
    Server::start(Behaviour::default())
}
