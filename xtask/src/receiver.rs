//! Receivers of webhooks, of different kinds: they note the submissions that they are told of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Attempts of students: who, and which.
pub(crate) type Submissions = BTreeMap<(String, i64), SystemTime>;

/// The behaviour of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It takes everything.
    Willing,
    /// It refuses three of ten.
    Failing,
    /// It never answers one of twenty.
    Hanging,
}

impl Mood {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Willing => "willing",
            Self::Failing => "fails 30 %",
            Self::Hanging => "hangs 5 %",
        }
    }
}

/// A server that notes what it is sent.
pub(crate) struct Receiver {
    pub(crate) url: String,
    notes: Arc<Mutex<Notes>>,
}

#[derive(Default)]
struct Notes {
    requests: u64,
    /// When each submission came first, taken or not.
    first: Submissions,
    /// The messages that were taken.
    taken: BTreeSet<String>,
    /// The number of messages that were taken again.
    again: usize,
}

impl Receiver {
    pub(crate) async fn start(mood: Mood) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let notes = Arc::new(Mutex::new(Notes::default()));
        let noted = notes.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let noted = noted.clone();
                // A sender that breaks off is killed, as is meant here.
                tokio::spawn(async move { serve(stream, mood, &noted).await });
            }
        });
        Ok(Self { url, notes })
    }

    /// When each submission came first.
    pub(crate) fn first_times(&self) -> Submissions {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).first.clone()
    }

    /// The number of messages that were taken, and of these that were taken again.
    pub(crate) fn accepted(&self) -> (usize, usize) {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        (notes.taken.len(), notes.again)
    }
}

async fn serve(stream: TcpStream, mood: Mood, notes: &Mutex<Notes>) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut length, mut message, mut line) = (0, String::new(), String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                if line.trim_end().is_empty() {
                    break;
                } else {
                    continue;
                };
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "webhook-id" => value.clone_into(&mut message),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let status = note(&serde_json::from_slice(&body)?, message, mood, notes)?;
        let Some(status) = status else {
            tokio::time::sleep(Duration::from_secs(60)).await;
            return Ok(());
        };
        stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).await?;
    }
}

/// Notes a message, and tells what it is answered; `None`: nothing.
fn note(message: &Value, id: String, mood: Mood, notes: &Mutex<Notes>) -> Result<Option<&'static str>> {
    let of = |key: &str| message.get("body").and_then(|body| body.get(key)).with_context(|| format!("no {key}"));
    let user = of("user_id")?.as_str().context("no text")?.to_owned();
    let attempt = of("attempt")?.as_i64().context("no number")?;
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    notes.first.entry((user, attempt)).or_insert_with(SystemTime::now);
    notes.requests += 1;
    match mood {
        Mood::Failing if notes.requests % 10 < 3 => return Ok(Some("500 Internal Server Error")),
        Mood::Hanging if notes.requests.is_multiple_of(20) => return Ok(None),
        _ => {}
    }
    if !notes.taken.insert(id) {
        notes.again += 1;
    }
    Ok(Some("204 No Content"))
}
