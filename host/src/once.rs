//! What is made once, for all who ask for it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Result, anyhow};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

/// Something that the first who asks has made. It goes on being made when all who wait for it go away: a client that gives up
/// after a moment, and asks again, would otherwise have it begun anew each time, while what was begun before goes on too.
pub(crate) struct Once<T> {
    made: Arc<OnceLock<T>>,
    making: Mutex<Option<Shared<Making>>>,
}

/// Ends when it is made, or tells why it cannot be.
type Making = BoxFuture<'static, Result<(), String>>;

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { made: Arc::default(), making: Mutex::default() }
    }
}

impl<T: Send + Sync + 'static> Once<T> {
    pub(crate) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    /// The thing, which is made with `make` unless somebody has done it, or does it just now. Where that fails all who wait are
    /// told, and who asks afterwards has it tried again.
    pub(crate) async fn get<F: Future<Output = Result<T>> + Send + 'static>(
        &self,
        make: impl FnOnce() -> F,
    ) -> Result<&T> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let making = self.making(make);
        making.await.map_err(|error| anyhow!(error))?;
        self.made.get().ok_or_else(|| anyhow!("what was made is gone"))
    }

    fn making<F: Future<Output = Result<T>> + Send + 'static>(&self, make: impl FnOnce() -> F) -> Shared<Making> {
        let mut making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(making) = making.as_ref().filter(|making| making.peek().is_none_or(Result::is_ok)) {
            return making.clone();
        }
        let (made, work) = (self.made.clone(), make());
        let task = tokio::spawn(async move {
            let result = work.await.map(|thing| _ = made.set(thing));
            result.map_err(|error| format!("{error:#}"))
        });
        let waiting = async move { task.await.unwrap_or_else(|lost| Err(lost.to_string())) };
        making.insert(waiting.boxed().shared()).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use anyhow::bail;
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn what_is_being_made_goes_on_when_who_has_asked_goes_away() {
        let (once, begun, go_on) = (Once::default(), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let make = || {
            let (begun, go_on) = (begun.clone(), go_on.clone());
            async move {
                let number = begun.fetch_add(1, Ordering::SeqCst);
                go_on.notified().await;
                Ok(number)
            }
        };
        for _ in 0..3 {
            assert!(once.get(make).now_or_never().is_none());
            tokio::task::yield_now().await;
        }
        assert!(!once.is_made());
        go_on.notify_one();
        assert_eq!(*once.get(make).await.unwrap(), 0);
        assert_eq!((begun.load(Ordering::SeqCst), once.is_made()), (1, true));
    }

    #[tokio::test]
    async fn what_has_failed_is_tried_again_by_who_asks_afterwards() {
        let once = Once::<u8>::default();
        let failing = || async { bail!("no file") };
        let (first, second) = tokio::join!(once.get(failing), once.get(|| async { Ok(1) }));
        assert_eq!(first.unwrap_err().to_string(), "no file");
        assert_eq!(second.unwrap_err().to_string(), "no file");
        assert_eq!(*once.get(|| async { Ok(2) }).await.unwrap(), 2);
    }
}
