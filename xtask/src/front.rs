//! A front for several processes: each request goes to the next of them. It stands in for a load balancer on a developer's
//! machine; it ends no TLS, limits nobody and adds no headers.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1 as client;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serving::{Limits, RequestBody};
use tokio::net::{TcpListener, TcpStream};

/// As many connections as a process has handles: the processes behind it have limits of their own.
const LIMITS: Limits = Limits { connections: 4_096, header_timeout: Duration::from_secs(30) };

/// The processes behind a front: their addresses, those that get no requests at the moment, and how many requests have come.
struct Processes {
    addresses: Vec<String>,
    resting: Mutex<BTreeSet<String>>,
    requests: AtomicUsize,
}

/// A front that serves. It lives as long as the tokio runtime does.
pub struct Front {
    /// Its address.
    pub base_url: String,
    processes: Arc<Processes>,
}

impl Front {
    /// Gives that process no more requests, as a balancer is told before a process is to end.
    pub fn rest(&self, address: &str) {
        self.processes.resting().insert(address.to_owned());
    }

    /// Gives it requests again.
    pub fn resume(&self, address: &str) {
        self.processes.resting().remove(address);
    }
}

type Body = Either<Incoming, Full<Bytes>>;

/// Serves at that address, port 0 for a free one.
pub async fn start(listen: &str, addresses: Vec<String>) -> Result<Front> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let base_url = format!("http://{}", listener.local_addr()?);
    let processes = Arc::new(Processes { addresses, resting: Mutex::default(), requests: AtomicUsize::new(0) });
    let front = Front { base_url, processes: processes.clone() };
    let answer = move |request| {
        let processes = processes.clone();
        async move { Ok::<_, Infallible>(forward(&processes, request).await) }
    };
    tokio::spawn(serving::serve(listener, LIMITS, answer, std::future::pending()));
    Ok(front)
}

impl Processes {
    fn resting(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The processes that get requests, beginning with the one whose turn it is.
    fn in_turn(&self) -> Vec<String> {
        let turn = self.requests.fetch_add(1, Ordering::Relaxed) % self.addresses.len().max(1);
        let resting = self.resting();
        let all = self.addresses.iter().cycle().skip(turn).take(self.addresses.len());
        all.filter(|address| !resting.contains(*address)).cloned().collect()
    }
}

async fn forward(processes: &Processes, request: Request<RequestBody>) -> Response<Body> {
    match send(processes, request).await {
        Ok(response) => response.map(Either::Left),
        Err(error) => {
            let mut response = Response::new(Either::Right(Full::new(format!("{error:#}\n").into())));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}

async fn send(processes: &Processes, request: Request<RequestBody>) -> Result<Response<Incoming>> {
    let stream = connect(processes).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}

/// The next process whose turn it is and that is there.
async fn connect(processes: &Processes) -> Result<TcpStream> {
    for address in processes.in_turn() {
        if let Ok(stream) = TcpStream::connect(address).await {
            return Ok(stream);
        }
    }
    anyhow::bail!("none of the processes is there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::Port;

    /// A server that answers each request with its name.
    async fn named(name: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answer =
            move |_| async move { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(name.as_bytes())))) };
        tokio::spawn(serving::serve(listener, LIMITS, answer, std::future::pending()));
        address
    }

    #[tokio::test]
    async fn each_request_goes_to_the_next_process_that_is_there() {
        let gone = Port::hold().unwrap();
        let front = start("127.0.0.1:0", vec![named("a").await, gone.address(), named("b").await]).await.unwrap();
        let client = reqwest::Client::new();
        let mut names = Vec::new();
        for _ in 0..6 {
            names.push(client.get(&front.base_url).send().await.unwrap().text().await.unwrap());
        }
        assert_eq!(names.concat(), "abbabb");
    }

    #[tokio::test]
    async fn a_process_that_rests_gets_no_requests() {
        let (a, b) = (named("a").await, named("b").await);
        let front = start("127.0.0.1:0", vec![a.clone(), b]).await.unwrap();
        let client = reqwest::Client::new();
        let mut names = String::new();
        front.rest(&a);
        for number in 0..6 {
            if number == 4 {
                front.resume(&a);
            }
            names += &client.get(&front.base_url).send().await.unwrap().text().await.unwrap();
        }
        assert_eq!(names, "bbbbab");
    }

    #[tokio::test]
    async fn where_nobody_is_there_the_front_says_so() {
        let gone = Port::hold().unwrap();
        let front = start("127.0.0.1:0", vec![gone.address()]).await.unwrap();
        let answer = reqwest::get(&front.base_url).await.unwrap();
        assert_eq!(answer.status(), 502);
    }
}
