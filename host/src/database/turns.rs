//! The turns of those who write to a file, in the order in which they came.
//!
//! SQLite has one writer at a time, and who waits for the lock looks for it again and again: chance decides who gets it, and
//! somebody always comes last. In this process a writer wakes the next one instead. Among processes SQLite's own lock
//! decides.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout;

/// For so long a writer waits for its turn before it hears that the file is busy.
const LIMIT: Duration = Duration::from_millis(100);
/// For so long a place in the queue is kept for who has heard that, and asks again.
const PLACE_IS_KEPT: Duration = Duration::from_secs(1);

/// The turns of one file.
#[derive(Clone, Default)]
pub(super) struct Turns(Arc<Mutex<Queue>>);

/// The instance to which a connection belongs.
#[derive(Clone, Default)]
pub(crate) struct Owner(Arc<()>);

#[derive(Default)]
struct Queue {
    /// Whose turn it is.
    holder: Option<Owner>,
    /// By the numbers of their places.
    waiting: BTreeMap<u64, Waiting>,
    last: u64,
}

struct Waiting {
    owner: Owner,
    turn: oneshot::Sender<Turn>,
}

/// The right to write. When it is dropped, it is the next one's turn.
pub(super) struct Turn(Turns);

/// A place among those who want to write.
pub(super) enum Place {
    /// Nobody else does.
    First(Turn),
    /// The turn is that of the same instance, which does not end its own transaction while it waits for a statement.
    BehindItself,
    Waiting {
        number: u64,
        turns: Turns,
        turn: oneshot::Receiver<Turn>,
    },
}

/// A place that was left without a turn.
pub(super) struct LeftPlace {
    number: u64,
    left: Instant,
}

/// A connection, as one of those who write.
pub(super) struct Writer {
    turns: Turns,
    owner: Owner,
    turn: Option<Turn>,
    left: Option<LeftPlace>,
}

impl Writer {
    pub(super) fn new(turns: Turns, owner: Owner) -> Self {
        Self { turns, owner, turn: None, left: None }
    }

    pub(super) fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    pub(super) fn queue_up(&mut self) -> Place {
        let kept = self.left.take().filter(|place| place.left.elapsed() < PLACE_IS_KEPT);
        self.turns.queue_up(&self.owner, kept.map(|place| place.number))
    }

    /// Takes what came of waiting; false if it was no turn.
    pub(super) fn take(&mut self, outcome: Result<Turn, Option<LeftPlace>>) -> bool {
        match outcome {
            Ok(turn) => self.turn = Some(turn),
            Err(left) => self.left = left,
        }
        self.has_turn()
    }

    pub(super) fn end_turn(&mut self) {
        self.turn = None;
    }
}

impl Place {
    /// Waits for the turn, or until the file is called busy.
    pub(super) async fn wait(self) -> Result<Turn, Option<LeftPlace>> {
        let (number, turns, turn) = match self {
            Self::First(turn) => return Ok(turn),
            Self::BehindItself => return Err(None),
            Self::Waiting { number, turns, turn } => (number, turns, turn),
        };
        if let Ok(Ok(turn)) = timeout(LIMIT, turn).await {
            return Ok(turn);
        }
        // If it comes after all, nobody takes it, and it passes on.
        turns.queue().waiting.remove(&number);
        Err(Some(LeftPlace { number, left: Instant::now() }))
    }

    /// Waits for the turn, however long it takes.
    pub(super) async fn wait_on(self) -> Option<Turn> {
        match self {
            Self::First(turn) => Some(turn),
            Self::BehindItself => None,
            Self::Waiting { turn, .. } => turn.await.ok(),
        }
    }
}

impl Turns {
    /// The turn, if nobody has it, or a place in the queue: the last one, if there is none that was kept.
    pub(super) fn queue_up(&self, owner: &Owner, kept: Option<u64>) -> Place {
        let mut queue = self.queue();
        let Some(holder) = &queue.holder else {
            queue.holder = Some(owner.clone());
            return Place::First(Turn(self.clone()));
        };
        if holder.is(owner) {
            return Place::BehindItself;
        }
        let number = kept.unwrap_or_else(|| {
            queue.last += 1;
            queue.last
        });
        let (sender, turn) = oneshot::channel();
        queue.waiting.insert(number, Waiting { owner: owner.clone(), turn: sender });
        Place::Waiting { number, turns: self.clone(), turn }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owner {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        let next = queue.waiting.pop_first().map(|(_, waiting)| waiting);
        queue.holder = next.as_ref().map(|waiting| waiting.owner.clone());
        drop(queue);
        if let Some(next) = next {
            // What was sent to nobody is dropped here.
            let _sent = next.turn.send(Self(self.0.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::{JoinSet, yield_now};
    use tokio::time::sleep;

    use super::*;

    fn writer(turns: &Turns) -> Writer {
        Writer::new(turns.clone(), Owner::default())
    }

    async fn take_turn(writer: &mut Writer) -> bool {
        let outcome = writer.queue_up().wait().await;
        writer.take(outcome)
    }

    /// Waits for the turn, as often as the file is busy.
    async fn wait(writer: &mut Writer) {
        while !take_turn(writer).await {}
    }

    /// Waits until so many writers wait.
    async fn until_waiting(turns: &Turns, count: usize) {
        while turns.queue().waiting.len() != count {
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_comes_first_writes_first() {
        let (turns, order) = (Turns::default(), Arc::new(Mutex::new(Vec::new())));
        let mut first = writer(&turns);
        assert!(take_turn(&mut first).await);
        let mut others = JoinSet::new();
        for number in 0..5 {
            let (mut writer, order) = (writer(&turns), order.clone());
            others.spawn(async move {
                wait(&mut writer).await;
                order.lock().unwrap().push(number);
                writer.end_turn();
            });
            until_waiting(&turns, number + 1).await;
        }
        first.end_turn();
        others.join_all().await;
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
        assert!(take_turn(&mut first).await, "nobody else is left");
    }

    #[tokio::test]
    async fn who_gives_up_keeps_the_place() {
        let turns = Turns::default();
        let (mut holder, mut early, mut late) = (writer(&turns), writer(&turns), writer(&turns));
        assert!(take_turn(&mut holder).await && !take_turn(&mut early).await);
        let late = tokio::spawn(async move {
            wait(&mut late).await;
            Instant::now()
        });
        until_waiting(&turns, 1).await;
        let early = tokio::spawn(async move {
            wait(&mut early).await;
            let began = Instant::now();
            sleep(Duration::from_millis(20)).await;
            early.end_turn();
            began
        });
        until_waiting(&turns, 2).await;
        holder.end_turn();
        assert!(early.await.unwrap() < late.await.unwrap());
        assert!(turns.queue().holder.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn an_instance_does_not_wait_for_itself() {
        let (turns, owner) = (Turns::default(), Owner::default());
        let [mut one, mut other] = [(); 2].map(|()| Writer::new(turns.clone(), owner.clone()));
        assert!(take_turn(&mut one).await);
        let began = tokio::time::Instant::now();
        assert!(!take_turn(&mut other).await && began.elapsed() == Duration::ZERO);
        drop(one);
        assert!(take_turn(&mut other).await);
    }

    #[tokio::test]
    async fn a_turn_that_nobody_waits_for_any_more_passes_on() {
        let turns = Turns::default();
        let (mut holder, mut gone, mut other) = (writer(&turns), writer(&turns), writer(&turns));
        assert!(take_turn(&mut holder).await);
        drop(gone.queue_up());
        let other = tokio::spawn(async move { wait(&mut other).await });
        until_waiting(&turns, 2).await;
        holder.end_turn();
        other.await.unwrap();
    }
}
