//! When the bytes of a request and of its answer have moved last: a client on a slow line is none that does nothing, and the limit
//! for a request is one for what moves nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body::Body;
use tokio::time::{Instant, sleep_until};
use wasmtime_wasi_http::WasiBody;

use crate::observed_body::observed;

/// So many bytes have to move until it counts: who lets one trickle now and then is not to hold an instance for ever.
const STEP: usize = 64 << 10;

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

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::{BodyExt, Full};
    use wasmtime_wasi_http::Error;

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
