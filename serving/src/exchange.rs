//! Clients that send no more, and clients that take nothing.
//!
//! A client may say that it sends no more and still wait for its answer. That looks the same as the end of a client that has gone
//! away, for whom nobody is to work: so whoever has asked is worked for a little longer.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::Response;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// The time for which an answer is worked on when its client may be gone.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);
/// The time for which a client may take nothing of what it has asked for: it would keep its connection for ever.
pub(crate) const UNREAD: Duration = Duration::from_secs(120);

/// Whether a request of a connection has come, and its answer is not made yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange(Arc<AtomicBool>);

impl Exchange {
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The answer, with whose end nobody waits any more.
    pub(crate) fn answered_by<B>(&self, response: Response<B>) -> Response<Answer<B>> {
        response.map(|body| Answer { body, exchange: self.clone() })
    }

    fn goes_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The body of an answer.
pub(crate) struct Answer<B> {
    body: B,
    exchange: Exchange,
}

impl<B> Drop for Answer<B> {
    fn drop(&mut self) {
        self.exchange.0.store(false, Ordering::Relaxed);
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The connection of a client.
pub(crate) struct Connection<S> {
    stream: S,
    exchange: Exchange,
    /// When the client has said that it sends no more, or has taken something since.
    ended: Option<Instant>,
    patience: Option<Pin<Box<Sleep>>>,
    /// There while the client takes nothing.
    unread: Option<Pin<Box<Sleep>>>,
}

impl<S> Connection<S> {
    pub(crate) fn new(stream: S, exchange: Exchange) -> Self {
        Self { stream, exchange, ended: None, patience: None, unread: None }
    }

    /// Ready when the client is not believed to be there any more.
    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let ended = *self.ended.get_or_insert_with(Instant::now);
        if !self.exchange.goes_on() {
            return Poll::Ready(());
        }
        let sleep = self.patience.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        if sleep.deadline() != ended + PATIENCE {
            sleep.as_mut().reset(ended + PATIENCE);
        }
        sleep.as_mut().poll(cx)
    }

    /// What became of a write; an error where the client has taken nothing for too long.
    fn taken(&mut self, cx: &mut Context<'_>, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        if written.is_ready() {
            self.unread = None;
            // Who takes something is there: the bytes for one that has gone away are refused.
            self.ended = self.ended.map(|_| Instant::now());
            return written;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        ready!(unread.as_mut().poll(cx));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client takes nothing")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() == before {
            ready!(self.poll_gone(cx));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.taken(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.taken(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::Full;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// How long it takes until the end of a client is seen that asks no more.
    async fn until_it_is_gone(exchange: Exchange) -> Duration {
        let (client, server) = duplex(64);
        drop(client);
        let began = Instant::now();
        assert_eq!(Connection::new(server, exchange).read(&mut [0; 8]).await.unwrap(), 0);
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_asked_is_believed_to_wait_for_a_while() {
        let exchange = Exchange::default();
        assert_eq!(until_it_is_gone(exchange.clone()).await, Duration::ZERO);
        exchange.begin();
        assert_eq!(until_it_is_gone(exchange.clone()).await, PATIENCE);
        drop(exchange.answered_by(Response::new(Full::new(Bytes::new()))));
        assert_eq!(until_it_is_gone(exchange).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_something_is_there() {
        let exchange = Exchange::default();
        exchange.begin();
        let (mut client, server) = duplex(64);
        client.shutdown().await.unwrap();
        let (mut connection, began) = (Connection::new(server, exchange), Instant::now());
        let mut buffer = [0; 8];
        let early = tokio::time::timeout(PATIENCE / 2, connection.read(&mut buffer)).await;
        assert!(early.is_err());
        connection.write_all(b"a part").await.unwrap();
        assert_eq!(connection.read(&mut buffer).await.unwrap(), 0);
        assert_eq!(began.elapsed(), PATIENCE * 3 / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_for_long_is_given_up() {
        let (mut client, server) = duplex(64);
        let mut connection = Connection::new(server, Exchange::default());
        let began = Instant::now();
        let reading = tokio::spawn(async move {
            sleep(UNREAD / 2).await;
            client.read_exact(&mut [0; 64]).await.unwrap();
            client
        });
        let refused = connection.write_all(&[0; 256]).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), UNREAD * 3 / 2, "from the last byte that it has taken");
        drop(reading);
    }
}
