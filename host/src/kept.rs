//! What is made when somebody asks for it, is shared by all who do, and is given up when nobody has asked for long.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

/// Something that the first who asks has made. It goes on being made when all who wait for it go away: a client that gives up
/// after a moment, and asks again, would otherwise have it begun anew each time, while what was begun before goes on too.
pub(crate) struct Kept<T>(Mutex<State<T>>);

struct State<T> {
    /// What is made, or is being made just now.
    making: Option<Shared<Making<T>>>,
    /// When it was last asked for; `None` as long as it was only made ready.
    asked: Option<Instant>,
}

/// Ends when it is made, or tells why it cannot be.
type Making<T> = BoxFuture<'static, Result<T, String>>;

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(State { making: None, asked: None }))
    }
}

impl<T: Clone + Send + Sync + 'static> Kept<T> {
    /// The thing, which is made with `make` unless it is there, or is made just now. Where that fails all who wait are told,
    /// and who asks afterwards has it tried again.
    pub(crate) async fn get<F: Future<Output = Result<T>> + Send + 'static>(
        &self,
        make: impl FnOnce() -> F,
    ) -> Result<T> {
        let making = {
            let mut state = self.state();
            state.asked = Some(Instant::now());
            state.making(make)
        };
        made(making).await
    }

    /// Tries whether it can be made, for what making it leaves behind. It is only kept if somebody asks for it meanwhile.
    pub(crate) async fn try_out<F: Future<Output = Result<T>> + Send + 'static>(
        &self,
        make: impl FnOnce() -> F,
    ) -> Result<()> {
        let making = self.state().making(make);
        made(making).await?;
        let mut state = self.state();
        if state.asked.is_none() {
            state.making = None;
        }
        Ok(())
    }

    /// Gives it up unless somebody has asked for it within that time. Who has it goes on with it.
    pub(crate) fn give_up_after(&self, idle: Duration) {
        let mut state = self.state();
        let is_made = state.making.as_ref().is_some_and(|making| making.peek().is_some());
        if is_made && state.asked.is_none_or(|asked| asked.elapsed() >= idle) {
            state.making = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone + Send + Sync + 'static> State<T> {
    fn making<F: Future<Output = Result<T>> + Send + 'static>(
        &mut self,
        make: impl FnOnce() -> F,
    ) -> Shared<Making<T>> {
        if let Some(making) = self.making.as_ref().filter(|making| making.peek().is_none_or(Result::is_ok)) {
            return making.clone();
        }
        let work = make();
        let task = tokio::spawn(async move { work.await.map_err(|error| format!("{error:#}")) });
        let waiting = async move { task.await.unwrap_or_else(|lost| Err(lost.to_string())) };
        self.making.insert(waiting.boxed().shared()).clone()
    }
}

async fn made<T: Clone>(making: Shared<Making<T>>) -> Result<T> {
    making.await.map_err(|error| anyhow!(error))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use anyhow::bail;
    use tokio::sync::Notify;

    use super::*;

    /// Makes the number of things that were made before.
    fn counting(begun: &Arc<AtomicUsize>) -> impl Fn() -> BoxFuture<'static, Result<usize>> {
        let begun = begun.clone();
        move || {
            let begun = begun.clone();
            async move { Ok(begun.fetch_add(1, Ordering::SeqCst)) }.boxed()
        }
    }

    #[tokio::test]
    async fn what_is_being_made_goes_on_when_who_has_asked_goes_away() {
        let (kept, begun, go_on) = (Kept::default(), Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let make = || {
            let (begun, go_on) = (begun.clone(), go_on.clone());
            async move {
                let number = begun.fetch_add(1, Ordering::SeqCst);
                go_on.notified().await;
                Ok(number)
            }
        };
        for _ in 0..3 {
            assert!(kept.get(make).now_or_never().is_none());
            tokio::task::yield_now().await;
        }
        go_on.notify_one();
        assert_eq!(kept.get(make).await.unwrap(), 0);
        assert_eq!(begun.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn what_has_failed_is_tried_again_by_who_asks_afterwards() {
        let kept = Kept::<u8>::default();
        let failing = || async { bail!("no file") };
        let (first, second) = tokio::join!(kept.get(failing), kept.get(|| async { Ok(1) }));
        assert_eq!(first.unwrap_err().to_string(), "no file");
        assert_eq!(second.unwrap_err().to_string(), "no file");
        assert_eq!(kept.get(|| async { Ok(2) }).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn what_was_only_tried_out_is_not_kept() {
        let (kept, begun) = (Kept::default(), Arc::default());
        kept.try_out(counting(&begun)).await.unwrap();
        assert_eq!(kept.get(counting(&begun)).await.unwrap(), 1);
        kept.try_out(counting(&begun)).await.unwrap();
        assert_eq!(kept.get(counting(&begun)).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn what_is_asked_for_while_it_is_tried_out_is_kept() {
        let (kept, begun) = (Kept::default(), Arc::default());
        let (tried, first) = tokio::join!(kept.try_out(counting(&begun)), kept.get(counting(&begun)));
        tried.unwrap();
        assert_eq!((first.unwrap(), kept.get(counting(&begun)).await.unwrap()), (0, 0));
    }

    #[tokio::test]
    async fn what_nobody_has_asked_for_within_the_time_is_given_up() {
        let (kept, begun) = (Kept::default(), Arc::default());
        assert_eq!(kept.get(counting(&begun)).await.unwrap(), 0);
        kept.give_up_after(Duration::from_secs(60));
        assert_eq!(kept.get(counting(&begun)).await.unwrap(), 0);
        kept.give_up_after(Duration::ZERO);
        assert_eq!(kept.get(counting(&begun)).await.unwrap(), 1);
    }
}
