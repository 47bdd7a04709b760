//! When the bytes of a request and of its answer have moved last: a client on a slow line is none that does nothing, and the limit
//! for a request is one for what moves nothing.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::time::{Instant, Sleep, sleep_until};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::observed_body::observed;

/// So many bytes have to move until it counts: who lets one trickle now and then is not to hold an instance for ever.
const STEP: usize = 64 << 10;

/// The part of the limit for a request that is left to answer that its body does not come.
const TO_ANSWER: u32 = 8;

/// The last moment at which bytes of a request of an instance have moved.
#[derive(Clone)]
pub(crate) struct Moment(Arc<Mutex<Instant>>);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(crate) fn get(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, moment: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }
}

/// The bytes of a request and of its answer.
#[derive(Clone)]
pub(crate) struct Passing(Arc<Mutex<State>>);

struct State {
    last: Instant,
    /// Those that have moved since.
    bytes: usize,
    /// That of the instance which works on the request.
    instance: Option<Moment>,
}

impl Default for Passing {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State { last: Instant::now(), bytes: 0, instance: None })))
    }
}

impl Passing {
    /// The body of the request, whose bytes count from now on. Who reads it is told that it does not come while there is time to
    /// answer: the rest of the limit, at which the instance is stopped.
    pub(crate) fn watch_request(&self, body: WasiBody, limit: Option<Duration>) -> WasiBody {
        match limit {
            Some(limit) if !body.is_end_stream() => {
                let patience = limit.saturating_sub(limit / TO_ANSWER);
                let sleep = Box::pin(tokio::time::sleep(patience));
                Awaited { body: self.watch(body), passing: self.clone(), patience, sleep }.boxed_unsync()
            }
            _ => self.watch(body),
        }
    }

    /// The body, whose bytes count from now on.
    pub(crate) fn watch(&self, body: WasiBody) -> WasiBody {
        let most = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
        match most {
            Some(bytes) if bytes < STEP => body,
            _ => {
                let passing = self.clone();
                observed(body, move |bytes| passing.moved(bytes.len()))
            }
        }
    }

    /// Says that an instance begins to work on the request.
    pub(crate) fn begin(&self, instance: &Moment) {
        let mut state = self.state();
        state.last = Instant::now();
        state.instance = Some(instance.clone());
    }

    /// Ready when nothing has moved for so long.
    pub(crate) async fn stands_still(self, limit: Duration) {
        loop {
            let last = self.state().last;
            sleep_until(last + limit).await;
            if self.state().last == last {
                return;
            }
        }
    }

    fn moved(&self, bytes: usize) {
        let mut state = self.state();
        state.bytes = state.bytes.saturating_add(bytes);
        if state.bytes >= STEP {
            (state.bytes, state.last) = (0, Instant::now());
            if let Some(instance) = &state.instance {
                instance.set(state.last);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a request that ends with an error where it does not come.
struct Awaited {
    body: WasiBody,
    passing: Passing,
    /// The time for which nothing may have moved.
    patience: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl Body for Awaited {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        let end = self.passing.state().last + self.patience;
        if self.sleep.deadline() != end {
            self.sleep.as_mut().reset(end);
        }
        ready!(self.sleep.as_mut().poll(cx));
        Poll::Ready(Some(Err(Error::ConnectionReadTimeout)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn body(bytes: usize) -> WasiBody {
        Full::new(Bytes::from(vec![0; bytes])).map_err(Error::from).boxed_unsync()
    }

    /// How long it takes until nothing has moved for a minute, where so many bytes have moved after half of one.
    async fn until_it_stands_still(bytes: usize) -> Duration {
        let (passing, began) = (Passing::default(), Instant::now());
        let instance = Moment::now();
        passing.begin(&instance);
        let still = tokio::spawn(passing.clone().stands_still(LIMIT));
        tokio::time::sleep(LIMIT / 2).await;
        passing.watch(body(bytes)).collect().await.unwrap();
        still.await.unwrap();
        assert_eq!(began.elapsed(), instance.get() + LIMIT - began);
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_begins_anew_when_bytes_move_and_not_when_they_trickle() {
        assert_eq!(until_it_stands_still(STEP).await, LIMIT * 3 / 2);
        assert_eq!(until_it_stands_still(0).await, LIMIT);
        assert_eq!(until_it_stands_still(STEP - 1).await, LIMIT);
    }

    /// A body that does not come.
    struct Never;

    impl Body for Never {
        type Data = Bytes;
        type Error = Error;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
            Poll::Pending
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_a_body_that_does_not_come_is_told_before_the_limit() {
        let (passing, began) = (Passing::default(), Instant::now());
        passing.begin(&Moment::now());
        let mut body = passing.watch_request(Never.boxed_unsync(), Some(LIMIT));
        let waiting = body.frame();
        tokio::pin!(waiting);
        assert!(tokio::time::timeout(LIMIT / 2, waiting.as_mut()).await.is_err());
        // Others of its bytes have come meanwhile.
        passing.moved(STEP);
        assert!(matches!(waiting.await, Some(Err(Error::ConnectionReadTimeout))));
        assert_eq!(began.elapsed(), LIMIT / 2 + LIMIT - LIMIT / TO_ANSWER);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_a_body_is_waited_for() {
        let mut body = Passing::default().watch_request(Never.boxed_unsync(), None);
        assert!(tokio::time::timeout(LIMIT * 100, body.frame()).await.is_err());
    }

    #[tokio::test]
    async fn many_small_pieces_count_together() {
        let passing = Passing::default();
        let began = passing.state().last;
        tokio::time::sleep(Duration::from_millis(5)).await;
        (1..STEP / 1_000).for_each(|_| passing.moved(1_000));
        assert_eq!(passing.state().last, began);
        passing.moved(2_000);
        assert!(passing.state().last > began);
    }
}
