//! Receivers of webhooks, of different kinds: they note the submissions that they are told of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};
use serde_json::Value;
use serving::{Limits, RequestBody};
use tokio::net::TcpListener;

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
        let answer = move |request| {
            let noted = noted.clone();
            async move { answer(request, mood, &noted).await }
        };
        tokio::spawn(serving::serve(listener, Limits::DEVELOPMENT, answer, std::future::pending()));
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

/// Answers a message, or fails where the connection is to end without an answer.
async fn answer(request: Request<RequestBody>, mood: Mood, notes: &Mutex<Notes>) -> Result<Response<Empty<Bytes>>> {
    let (head, body) = request.into_parts();
    let id = head.headers.get("webhook-id").context("no webhook-id")?.to_str()?.to_owned();
    let message = serde_json::from_slice(&body.collect().await?.to_bytes())?;
    let Some(status) = note(&message, id, mood, notes)? else {
        tokio::time::sleep(Duration::from_secs(60)).await;
        bail!("it never answers this one");
    };
    Ok(Response::builder().status(status).body(Empty::new())?)
}

/// Notes a message, and tells what it is answered; `None`: nothing.
fn note(message: &Value, id: String, mood: Mood, notes: &Mutex<Notes>) -> Result<Option<StatusCode>> {
    let of = |key: &str| message.get("body").and_then(|body| body.get(key)).with_context(|| format!("no {key}"));
    let user = of("user_id")?.as_str().context("no text")?.to_owned();
    let attempt = of("attempt")?.as_i64().context("no number")?;
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    notes.first.entry((user, attempt)).or_insert_with(SystemTime::now);
    notes.requests += 1;
    match mood {
        Mood::Failing if notes.requests % 10 < 3 => return Ok(Some(StatusCode::INTERNAL_SERVER_ERROR)),
        Mood::Hanging if notes.requests.is_multiple_of(20) => return Ok(None),
        _ => {}
    }
    if !notes.taken.insert(id) {
        notes.again += 1;
    }
    Ok(Some(StatusCode::NO_CONTENT))
}
