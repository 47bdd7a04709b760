//! Bodies: of requests, whole or piece by piece, and of answers, whole or piece by piece.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures::stream::{LocalBoxStream, Stream, StreamExt};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::error::{Error, Result};

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The parameters that came with a request.
pub(crate) enum RequestBody {
    Whole(Bytes),
    Stream(BodyStream),
}

/// The body of a request, piece by piece, up to the endpoint's limit.
pub struct BodyStream(LocalBoxStream<'static, Result<Bytes>>);

impl BodyStream {
    /// A body that is refused where it has more than `limit` bytes.
    pub fn new(body: impl Body<Data = Bytes, Error: Into<BoxError>> + 'static, limit: usize) -> Self {
        let body = Box::pin(Limited::new(Box::pin(body), limit));
        let frames = futures::stream::unfold(body, |mut body| async {
            let frame = body.frame().await?;
            Some((frame, body))
        });
        let chunks = frames.filter_map(move |frame| async move {
            match frame {
                Ok(frame) => frame.into_data().ok().map(Ok),
                Err(error) if error.is::<LengthLimitError>() => Some(Err(Error::too_large(limit))),
                Err(_) => Some(Err(Error::bad_request("the body did not arrive whole"))),
            }
        });
        Self(chunks.boxed_local())
    }

    /// The next piece; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        self.0.next().await.transpose()
    }

    /// The rest of it.
    pub async fn collect(mut self) -> Result<Bytes> {
        let Some(first) = self.chunk().await? else {
            return Ok(Bytes::new());
        };
        let Some(second) = self.chunk().await? else {
            return Ok(first);
        };
        let mut bytes = BytesMut::from(first.as_ref());
        bytes.extend_from_slice(&second);
        while let Some(chunk) = self.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    }
}

impl Stream for BodyStream {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(cx)
    }
}

/// The body of an answer.
pub struct ResponseBody(Content);

enum Content {
    Whole(Bytes),
    Stream { chunks: LocalBoxStream<'static, Result<Bytes>>, length: Option<u64> },
}

impl ResponseBody {
    /// A body that is made piece by piece while it is sent.
    pub(crate) fn stream(chunks: impl Stream<Item = Result<Bytes>> + 'static, length: Option<u64>) -> Self {
        Self(Content::Stream { chunks: chunks.boxed_local(), length })
    }

    /// Its bytes, unless they are made while it is sent.
    pub(crate) fn whole(&self) -> Option<&Bytes> {
        match &self.0 {
            Content::Whole(bytes) => Some(bytes),
            Content::Stream { .. } => None,
        }
    }

    /// Its length, where it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.0 {
            Content::Whole(bytes) => u64::try_from(bytes.len()).ok(),
            Content::Stream { length, .. } => *length,
        }
    }
}

impl Default for ResponseBody {
    fn default() -> Self {
        Self::from(Bytes::new())
    }
}

impl From<Bytes> for ResponseBody {
    fn from(bytes: Bytes) -> Self {
        Self(Content::Whole(bytes))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        match &mut self.0 {
            Content::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Content::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Content::Stream { chunks, .. } => chunks.poll_next_unpin(cx).map_ok(Frame::data),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use http_body_util::StreamBody;

    use super::*;

    #[test]
    fn a_body_that_breaks_off_is_told_in_plain_words() {
        let pieces =
            [Ok(Frame::data(Bytes::from_static(b"{"))), Err(std::io::Error::other("ErrorCode::HttpProtocolError"))];
        let body = BodyStream::new(StreamBody::new(futures::stream::iter(pieces)), 10);
        let refusal = block_on(body.collect()).unwrap_err();
        assert!(
            matches!(refusal.kind(), crate::error::Kind::BadRequest(message) if message == "the body did not arrive whole")
        );
    }
}
