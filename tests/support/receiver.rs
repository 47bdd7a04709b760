//! A server that the application sends requests to: it notes them, and answers as a test wants.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// A server on the loopback. It lives as long as the tests do.
#[derive(Clone)]
pub struct Receiver {
    /// Its address, without a slash at the end.
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A reply of the receiver.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
    /// The time that it takes.
    pub after: Duration,
    /// The condition that must come true before it is given.
    pub once: Option<Arc<AtomicBool>>,
    /// True cuts the connection before the end of the body.
    pub breaks_off: bool,
}

impl Reply {
    /// An answer with that status and body.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), after: Duration::ZERO, once: None, breaks_off: false }
    }

    /// The same with a header more.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same, but the connection is cut before the end.
    pub fn breaks_off(self) -> Self {
        Self { breaks_off: true, ..self }
    }

    /// The same after a while.
    pub fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }

    /// The same, but only once that is true.
    pub fn once(self, ready: Arc<AtomicBool>) -> Self {
        Self { once: Some(ready), ..self }
    }
}

impl Received {
    /// A header, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl Receiver {
    /// Starts a server that answers each request as the function says.
    pub fn start(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", answer)
    }

    /// The same at that address.
    pub fn start_at(address: &str, answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        let address = address.to_owned();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (started, wait) = mpsc::channel();
        let (noted, answer) = (received.clone(), Arc::new(answer));
        // Tests have a runtime each; this one outlives them.
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.expect("a port");
                let address = listener.local_addr().expect("an address");
                started.send(format!("http://{address}")).expect("a test waits for it");
                while let Ok((stream, _)) = listener.accept().await {
                    let (noted, answer) = (noted.clone(), answer.clone());
                    let service = service_fn(move |request| serve(request, noted.clone(), answer.clone()));
                    // A client that breaks off is its own affair.
                    tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
                }
            });
        });
        Self { url: wait.recv().expect("the server starts"), received }
    }

    /// The requests that came, the oldest first.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The requests with that text in their bodies, the oldest first.
    pub fn received_with(&self, text: &str) -> Vec<Received> {
        self.received().into_iter().filter(|received| received.text().contains(text)).collect()
    }
}

async fn serve(
    request: Request<Incoming>,
    noted: Arc<Mutex<Vec<Received>>>,
    answer: Arc<impl Fn(&Received) -> Reply>,
) -> Result<Response<Body>, hyper::Error> {
    let (head, body) = request.into_parts();
    // What whoever sends it does not send whole, because it is killed meanwhile, was not received.
    let body = body.collect().await?.to_bytes();
    let received =
        Received { method: head.method.to_string(), path: head.uri.to_string(), headers: head.headers, body };
    let given = answer(&received);
    noted.lock().unwrap_or_else(PoisonError::into_inner).push(received);
    tokio::time::sleep(given.after).await;
    while given.once.as_ref().is_some_and(|ready| !ready.load(Ordering::Relaxed)) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let response = given
        .headers
        .into_iter()
        .fold(Response::builder().status(given.status), |response, (name, value)| response.header(name, value));
    Ok(response.body(body_of(given.body, given.breaks_off)).expect("an answer"))
}

type Body = UnsyncBoxBody<Bytes, std::io::Error>;

fn body_of(text: String, breaks_off: bool) -> Body {
    let text = Bytes::from(text);
    if !breaks_off {
        return Full::new(text).map_err(|never| match never {}).boxed_unsync();
    }
    // So late that what stands before it is on its way.
    let cut = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Err(std::io::ErrorKind::ConnectionAborted.into())
    };
    let frames = futures::stream::iter([Ok(Frame::data(text))]).chain(futures::stream::once(cut));
    BodyExt::boxed_unsync(StreamBody::new(frames))
}
