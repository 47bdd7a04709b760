//! A body that shows its bytes to somebody as they pass by.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use wasmtime_wasi_http::{Error, WasiBody};

/// The same body, of which each piece is shown to `see` when it is read.
pub(crate) fn observed(body: WasiBody, see: impl FnMut(&[u8]) + Send + Unpin + 'static) -> WasiBody {
    Observed { body, see }.boxed_unsync()
}

struct Observed<F> {
    body: WasiBody,
    see: F,
}

impl<F: FnMut(&[u8]) + Unpin> Body for Observed<F> {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            (self.see)(data);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
