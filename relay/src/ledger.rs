//! What the mail server has taken within the last hour: whoever posts it again is answered as the first time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// For how long an acceptance is known.
const KEPT_FOR: Duration = Duration::from_secs(60 * 60);
/// So many acceptances are known; of more the oldest are forgotten. They take about ten megabytes.
const MAX_KEPT: usize = 20_000;

/// A message by its content, under a key of the sender's.
pub(crate) type Id = [u8; 16];

/// The mail server has taken a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The value of the header `Message-ID`.
    pub(crate) message_id: String,
    /// The words of the server.
    pub(crate) response: String,
}

/// Filled in by whoever has handed the message over; whoever posts the same waits for its lock.
type Slot = Arc<Mutex<Option<Accepted>>>;

/// What was taken, and what is on its way.
#[derive(Default)]
pub(crate) struct Ledger(std::sync::Mutex<Entries>);

#[derive(Default)]
struct Entries {
    slots: HashMap<Id, Slot>,
    /// What was taken, the oldest first.
    taken: VecDeque<(Instant, Id)>,
}

impl Ledger {
    /// Sends the message, unless it was taken already. Where somebody else is sending it, their attempt comes first.
    pub(crate) async fn once<E>(&self, id: Id, send: impl AsyncFnOnce() -> Result<Accepted, E>) -> Result<Accepted, E> {
        let slot = self.entries(|entries| entries.slot(id));
        let mut taken = slot.lock().await;
        if let Some(accepted) = taken.as_ref() {
            return Ok(accepted.clone());
        }
        let sent = send().await;
        match &sent {
            Ok(accepted) => {
                *taken = Some(accepted.clone());
                self.entries(|entries| entries.taken.push_back((Instant::now(), id)));
            }
            Err(_) => self.entries(|entries| entries.give_back(id, &slot)),
        }
        sent
    }

    fn entries<T>(&self, work: impl FnOnce(&mut Entries) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Entries {
    fn slot(&mut self, id: Id) -> Slot {
        self.forget_old();
        self.slots.entry(id).or_default().clone()
    }

    fn forget_old(&mut self) {
        while let Some((since, id)) = self.taken.front() {
            if self.taken.len() <= MAX_KEPT && since.elapsed() < KEPT_FOR {
                break;
            }
            self.slots.remove(id);
            self.taken.pop_front();
        }
    }

    /// A refused message is as if it had never come, unless somebody else waits to send it.
    fn give_back(&mut self, id: Id, slot: &Slot) {
        // One is ours, one the map's.
        if Arc::strong_count(slot) <= 2 {
            self.slots.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn accepted(name: &str) -> Accepted {
        Accepted { message_id: name.to_owned(), response: "250 OK".to_owned() }
    }

    async fn send(ledger: &Ledger, id: u32, name: &str) -> String {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&id.to_be_bytes());
        ledger.once(bytes, async || Ok::<_, ()>(accepted(name))).await.unwrap().message_id
    }

    #[tokio::test(start_paused = true)]
    async fn an_acceptance_is_known_for_an_hour() {
        let ledger = Ledger::default();
        assert_eq!(send(&ledger, 1, "first").await, "first");
        tokio::time::advance(KEPT_FOR - Duration::from_secs(1)).await;
        assert_eq!(send(&ledger, 1, "second").await, "first");
        assert_eq!(send(&ledger, 2, "another").await, "another");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(send(&ledger, 1, "third").await, "third");
    }

    #[tokio::test]
    async fn of_too_many_the_oldest_are_forgotten() {
        let ledger = Ledger::default();
        for id in 0..=u32::try_from(MAX_KEPT).unwrap() {
            send(&ledger, id, "first").await;
        }
        assert_eq!(send(&ledger, 0, "again").await, "again");
        assert_eq!(send(&ledger, 2, "again").await, "first");
        assert!(ledger.entries(|entries| entries.slots.len()) <= MAX_KEPT + 2);
    }

    #[tokio::test]
    async fn who_posts_it_meanwhile_waits_and_sends_nothing() {
        let (ledger, sent) = (Ledger::default(), AtomicUsize::new(0));
        let post = || {
            ledger.once([1; 16], async || {
                tokio::time::sleep(Duration::from_millis(20)).await;
                sent.fetch_add(1, Ordering::Relaxed);
                Ok::<_, ()>(accepted("once"))
            })
        };
        let (first, second) = tokio::join!(post(), post());
        assert_eq!((first.unwrap(), second.unwrap()), (accepted("once"), accepted("once")));
        assert_eq!(sent.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_refused_message_is_tried_again_and_leaves_nothing_behind() {
        let ledger = Ledger::default();
        let refused = ledger.once([1; 16], async || Err("no")).await;
        assert_eq!(refused, Err("no"));
        assert!(ledger.entries(|entries| entries.slots.is_empty()));
        assert_eq!(ledger.once([1; 16], async || Ok::<_, ()>(accepted("now"))).await, Ok(accepted("now")));
    }
}
