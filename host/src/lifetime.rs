//! The life of the instances of an application: when they have to end, and when the last of them is gone.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The instances that are made now, and those that come after all of these have ended.
#[derive(Clone, Default)]
pub(crate) struct Lifetime(Arc<Mutex<Generation>>);

/// Instances that end together.
#[derive(Clone, Default)]
pub(crate) struct Generation {
    /// Cancelled when whoever has nothing to do ends.
    pub(crate) stopping: CancellationToken,
    /// Cancelled when whoever still does something ends too.
    pub(crate) cutting_off: CancellationToken,
    pub(crate) instances: TaskTracker,
}

impl Lifetime {
    /// The instances that are made now.
    pub(crate) fn current(&self) -> Generation {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on instances belong to a new generation.
    pub(crate) fn renew(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Generation::default();
    }
}

impl Generation {
    /// Lets the instances finish what they do; false if some have not after that time.
    pub(crate) async fn end(&self, patience: Duration) -> bool {
        self.stopping.cancel();
        self.instances.close();
        timeout(patience, self.instances.wait()).await.is_ok()
    }

    /// Ends the instances in the middle of what they do.
    pub(crate) async fn cut_off(&self) {
        self.stopping.cancel();
        self.cutting_off.cancel();
        self.instances.close();
        self.instances.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_generation_has_ended_when_its_last_instance_is_gone() {
        let lifetime = Lifetime::default();
        let (first, instance) = (lifetime.current(), lifetime.current().instances.token());
        assert!(!first.end(Duration::from_millis(5)).await);
        lifetime.renew();
        assert!(!lifetime.current().stopping.is_cancelled());
        drop(instance);
        assert!(first.end(Duration::from_secs(5)).await);
    }
}
