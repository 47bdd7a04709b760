//! The body of a request.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// The time that a client has to send what nobody wants any more.
pub(crate) const UNWANTED_TIME: Duration = Duration::from_secs(5);

/// A body that reads what is left of it when it is given up.
///
/// A server that closes a connection on which the client still sends resets it, and with it the client loses the answer that
/// would have told it why.
#[derive(Debug)]
pub struct RequestBody {
    /// There until the body is given up.
    incoming: Option<Incoming>,
    /// Whether the client sends without waiting for a word that somebody reads.
    comes_unasked: bool,
}

impl RequestBody {
    pub(crate) fn of(request: Request<Incoming>) -> Request<Self> {
        let comes_unasked = !request.headers().contains_key(header::EXPECT);
        request.map(|incoming| Self { incoming: Some(incoming), comes_unasked })
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.comes_unasked = true;
        self.incoming.as_mut().map_or(Poll::Ready(None), |incoming| Pin::new(incoming).poll_frame(cx))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.as_ref().map_or_else(|| SizeHint::with_exact(0), Incoming::size_hint)
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if self.is_end_stream() || !self.comes_unasked {
            return;
        }
        if let (Some(unwanted), Ok(runtime)) = (self.incoming.take(), Handle::try_current()) {
            runtime.spawn(timeout(UNWANTED_TIME, read_to_end(unwanted)));
        }
    }
}

async fn read_to_end(mut body: Incoming) {
    while let Some(Ok(_)) = body.frame().await {}
}
