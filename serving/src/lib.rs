//! The HTTP server of our programs: it limits connections, and when it is asked to stop it finishes what runs.

mod body;
mod exchange;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use http::{Request, Response};
use http_body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
pub use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub use crate::body::RequestBody;
use crate::exchange::{Connection, Exchange};

/// A Ctrl-C that comes so soon after the first signal is the same one: from the terminal, and from a program that passes it on.
const SAME: Duration = Duration::from_millis(500);
/// The exit code of who was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The longest head of a request: each connection may keep as much in memory until it is whole.
const MAX_HEAD_BYTES: usize = 128 << 10;

/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// What clients may use of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at one time; further clients wait until one is closed.
    pub connections: usize,
    /// The time that a client has to send the head of a request.
    pub header_timeout: Duration,
}

impl Limits {
    /// For a server that programs of a developer's machine call.
    pub const DEVELOPMENT: Self = Self { connections: 64, header_timeout: Duration::from_secs(30) };
}

/// Reads an address to listen on: `127.0.0.1:3000`, `[::1]:3000`, `localhost:3000`, or a port of this machine alone.
///
/// # Errors
/// Says what an address is like.
pub fn address(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let like = "an address has a host and a port from 0 to 65535, for example 127.0.0.1:3000";
    let found: Vec<SocketAddr> = text.to_socket_addrs().context(like)?.collect();
    // Most clients ask `localhost` for the fourth version first, as Spin does.
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied().context(like)
}

/// Listens at that address; `option` is the one by which the user has chosen it.
///
/// # Errors
/// Tells what to do where the address cannot be had.
pub async fn listen(address: SocketAddr, option: &str) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}: if the port is taken, choose another with {option}"))
}

/// Ready at the first Ctrl-C or request to terminate. Whoever presses Ctrl-C again does not want to wait for what runs: it ends the
/// process at once.
///
/// # Errors
/// Fails where the system tells of no signals.
pub fn stop_signal() -> Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tokio::spawn(end_at_once(interrupt));
    })
}

async fn end_at_once(mut interrupt: Signal) {
    let _passed = timeout(SAME, async { while interrupt.recv().await.is_some() {} }).await;
    if interrupt.recv().await.is_some() {
        std::process::exit(INTERRUPTED);
    }
}

/// Answers requests until `shutdown` is ready, and then listens no longer. The caller finishes the connections that are left. An
/// error in the place of an answer closes its connection.
pub async fn serve<A, F, B, E>(
    listener: TcpListener,
    limits: Limits,
    answer: A,
    shutdown: impl Future<Output = ()>,
) -> GracefulShutdown
where
    A: Fn(Request<RequestBody>) -> F + Clone + Send + 'static,
    F: Future<Output = Result<Response<B>, E>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    let connections = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = async {
            let permit = connections.clone().acquire_owned().await?;
            let (stream, _client) = listener.accept().await?;
            anyhow::Ok((permit, stream))
        };
        let (permit, stream) = tokio::select! {
            () = &mut shutdown => return graceful,
            accepted = accepted => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file handles, most likely: others have to finish first.
                    tracing::warn!("cannot accept a connection: {error}");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
        };
        let _slower = stream.set_nodelay(true);
        let mut server = http1::Builder::new();
        server.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_header_size(MAX_HEAD_BYTES);
        let (answer, exchange) = (answer.clone(), Exchange::default());
        let stream = Connection::new(stream, exchange.clone());
        let service = service_fn(move |request| {
            exchange.begin();
            let (answered, exchange) = (answer(RequestBody::of(request)), exchange.clone());
            async move { answered.await.map(|response| exchange.answered_by(response)) }
        });
        let connection = server.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients that go away in the middle are nothing to write about.
            if let Err(error) = connection.await {
                tracing::debug!("a connection ended early: {error}");
            }
            drop(permit);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Instant;

    use bytes::Bytes;
    use http_body_util::Full;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpSocket, TcpStream};
    use tokio::sync::Notify;
    use tokio::task::JoinHandle;

    use super::*;

    const LIMITS: Limits = Limits { connections: 1, header_timeout: Duration::from_secs(10) };

    /// A server each of whose answers waits until `ready` is told.
    struct Slow {
        address: SocketAddr,
        /// Holds the port: when this server has stopped, that of another test does not come to stand there.
        _held: TcpSocket,
        started: Arc<Notify>,
        ready: Arc<Notify>,
        stop: Arc<Notify>,
        serving: JoinHandle<GracefulShutdown>,
    }

    impl Slow {
        async fn start() -> Self {
            let held = TcpSocket::new_v4().unwrap();
            held.set_reuseaddr(true).unwrap();
            held.bind(([127, 0, 0, 1], 0).into()).unwrap();
            let address = held.local_addr().unwrap();
            let listener = listen(address, "--listen").await.unwrap();
            let [started, ready, stop] = [(); 3].map(|()| Arc::new(Notify::new()));
            let (telling, waiting, stopped) = (started.clone(), ready.clone(), stop.clone());
            let answer = move |_request| {
                let (telling, waiting) = (telling.clone(), waiting.clone());
                async move {
                    telling.notify_one();
                    waiting.notified().await;
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"done"))))
                }
            };
            let serving = tokio::spawn(serve(listener, LIMITS, answer, async move { stopped.notified().await }));
            Self { address, _held: held, started, ready, stop, serving }
        }

        async fn ask(&self) -> TcpStream {
            let mut client = TcpStream::connect(self.address).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
            client
        }
    }

    async fn client_of_a_server_that_reads_no_body() -> (TcpStream, JoinHandle<GracefulShutdown>) {
        let listener = listen(([127, 0, 0, 1], 0).into(), "--listen").await.unwrap();
        let address = listener.local_addr().unwrap();
        let refuse =
            |_request| async { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"too much")))) };
        let serving = tokio::spawn(serve(listener, LIMITS, refuse, std::future::pending()));
        (TcpStream::connect(address).await.unwrap(), serving)
    }

    async fn answer(mut client: TcpStream) -> String {
        let mut text = String::new();
        client.read_to_string(&mut text).await.unwrap();
        text
    }

    #[tokio::test]
    async fn a_server_that_stops_finishes_what_runs_and_takes_no_more() {
        let slow = Slow::start().await;
        let client = slow.ask().await;
        slow.started.notified().await;
        slow.stop.notify_one();
        let open = slow.serving.await.unwrap();
        assert!(TcpStream::connect(slow.address).await.is_err());
        slow.ready.notify_one();
        open.shutdown().await;
        assert!(answer(client).await.ends_with("done"));
    }

    #[tokio::test]
    async fn clients_beyond_the_limit_wait_for_their_turn() {
        let slow = Slow::start().await;
        let first = slow.ask().await;
        slow.started.notified().await;
        let second = slow.ask().await;
        let early = tokio::time::timeout(Duration::from_millis(100), slow.started.notified()).await;
        assert!(early.is_err(), "both are answered at once");
        slow.ready.notify_one();
        assert!(answer(first).await.ends_with("done"));
        slow.started.notified().await;
        slow.ready.notify_one();
        assert!(answer(second).await.ends_with("done"));
        slow.serving.abort();
    }

    #[tokio::test]
    async fn who_sends_what_nobody_reads_still_has_the_answer() {
        const LENGTH: usize = 16 * 1024 * 1024;
        let (mut client, serving) = client_of_a_server_that_reads_no_body().await;
        let head = format!("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {LENGTH}\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        client.write_all(&vec![b'x'; LENGTH]).await.unwrap();
        assert!(answer(client).await.ends_with("too much"));
        serving.abort();
    }

    #[tokio::test]
    async fn a_head_that_does_not_end_is_refused_before_it_fills_the_memory() {
        let slow = Slow::start().await;
        let mut client = TcpStream::connect(slow.address).await.unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\ncookie: ").await.unwrap();
        client.write_all(&vec![b'x'; MAX_HEAD_BYTES]).await.unwrap();
        let mut text = [0; 12];
        client.read_exact(&mut text).await.unwrap();
        assert_eq!(&text, b"HTTP/1.1 431");
        slow.serving.abort();
    }

    #[tokio::test]
    async fn who_asks_before_it_sends_is_not_waited_for() {
        let (mut client, serving) = client_of_a_server_that_reads_no_body().await;
        let head = b"POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
        client.write_all(head).await.unwrap();
        let answer = tokio::time::timeout(body::UNWANTED_TIME / 2, answer(client)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("too much"), "{answer}");
        serving.abort();
    }

    /// What a client gets that sends this and says that it sends no more, where it is answered before the server loses patience:
    /// on a busy machine that takes several tries.
    async fn answer_to_half_closed(request: &str) -> String {
        loop {
            let slow = Slow::start().await;
            let mut client = TcpStream::connect(slow.address).await.unwrap();
            client.write_all(request.as_bytes()).await.unwrap();
            let began = Instant::now();
            client.shutdown().await.unwrap();
            slow.started.notified().await;
            tokio::time::sleep(exchange::PATIENCE / 4).await;
            slow.ready.notify_one();
            let answer = answer(client).await;
            slow.serving.abort();
            if !answer.is_empty() || began.elapsed() < exchange::PATIENCE {
                return answer;
            }
        }
    }

    #[tokio::test]
    async fn who_sends_no_more_is_answered_all_the_same() {
        for request in [
            "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody",
            "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
        ] {
            let answer = answer_to_half_closed(request).await;
            assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"), "{request}: {answer}");
        }
    }

    #[tokio::test]
    async fn nobody_works_for_long_for_who_is_gone() {
        let slow = Slow::start().await;
        drop(slow.ask().await);
        slow.started.notified().await;
        // The connection of who is gone is the only one that there may be.
        let next = slow.ask().await;
        let patience = exchange::PATIENCE + Duration::from_secs(60);
        tokio::time::timeout(patience, slow.started.notified()).await.expect("its turn");
        slow.ready.notify_one();
        assert!(answer(next).await.ends_with("done"));
        slow.serving.abort();
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, expected) in [
            ("127.0.0.1:3000", "127.0.0.1:3000"),
            ("3000", "127.0.0.1:3000"),
            ("localhost:3000", "127.0.0.1:3000"),
            ("[::1]:0", "[::1]:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(address(text).unwrap(), expected.parse().unwrap(), "{text}");
        }
        for wrong in ["", "localhost", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:x", "65536", "-1"] {
            assert!(address(wrong).unwrap_err().to_string().contains("127.0.0.1:3000"), "{wrong}");
        }
    }

    #[tokio::test]
    async fn an_address_that_is_taken_is_told_with_the_option_that_chooses_another() {
        let taken = listen(([127, 0, 0, 1], 0).into(), "--listen").await.unwrap();
        let refused = listen(taken.local_addr().unwrap(), "--metrics-listen").await.unwrap_err().to_string();
        assert!(refused.contains("choose another with --metrics-listen"), "{refused}");
    }
}
