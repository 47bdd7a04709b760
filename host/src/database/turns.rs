//! The turns of those who write to a file, in the order in which they came.
//!
//! SQLite has one writer at a time, and who waits for the lock looks for it again and again: chance decides who gets it, and
//! somebody always comes last. In this process a writer wakes the next one instead. Among processes SQLite's own lock
//! decides.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// For so long a writer waits for its turn before it hears that the file is busy.
const LIMIT: Duration = Duration::from_millis(100);
/// For so long a place in the queue is kept for who has heard that, and asks again.
const PLACE_IS_KEPT: Duration = Duration::from_secs(1);

/// The turns of one file.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<Queue>>);

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
    turn: Sender<Turn>,
}

/// The right to write. When it is dropped, it is the next one's turn.
struct Turn(Turns);

/// A place in the queue that was left without a turn.
struct Place {
    number: u64,
    left: Instant,
}

/// A connection, as one of those who write.
pub(super) struct Writer {
    turns: Turns,
    owner: Owner,
    turn: Option<Turn>,
    place: Option<Place>,
}

impl Writer {
    pub(super) fn new(turns: Turns, owner: Owner) -> Self {
        Self { turns, owner, turn: None, place: None }
    }

    /// Waits for its turn; false if it did not come.
    pub(super) fn take_turn(&mut self) -> bool {
        let mut queue = self.turns.queue();
        let Some(holder) = &queue.holder else {
            queue.holder = Some(self.owner.clone());
            drop(queue);
            self.turn = Some(Turn(self.turns.clone()));
            return true;
        };
        if holder.is(&self.owner) {
            // An instance that waits for a statement does not end its own transaction.
            return false;
        }
        let number = match self.place.take() {
            Some(place) if place.left.elapsed() < PLACE_IS_KEPT => place.number,
            _ => {
                queue.last += 1;
                queue.last
            }
        };
        let (sender, turn) = mpsc::channel();
        queue.waiting.insert(number, Waiting { owner: self.owner.clone(), turn: sender });
        drop(queue);
        self.turn = turn.recv_timeout(LIMIT).ok();
        if self.turn.is_none() {
            // If it comes after all, nobody takes it, and it passes on.
            self.turns.queue().waiting.remove(&number);
            self.place = Some(Place { number, left: Instant::now() });
        }
        self.turn.is_some()
    }

    pub(super) fn end_turn(&mut self) {
        self.turn = None;
    }
}

impl Turns {
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
    use std::thread::{scope, sleep};

    use super::*;

    fn writer(turns: &Turns) -> Writer {
        Writer::new(turns.clone(), Owner::default())
    }

    /// Waits for the turn, however long it takes.
    fn wait(writer: &mut Writer) {
        while !writer.take_turn() {}
    }

    /// Waits until so many writers wait.
    fn until_waiting(turns: &Turns, count: usize) {
        while turns.queue().waiting.len() != count {
            sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn who_comes_first_writes_first() {
        let (turns, order) = (Turns::default(), Mutex::new(Vec::new()));
        let mut first = writer(&turns);
        assert!(first.take_turn());
        scope(|scope| {
            for number in 0..5 {
                let (mut writer, order) = (writer(&turns), &order);
                scope.spawn(move || {
                    wait(&mut writer);
                    order.lock().unwrap().push(number);
                    writer.end_turn();
                });
                until_waiting(&turns, number + 1);
            }
            first.end_turn();
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4]);
        assert!(first.take_turn(), "nobody else is left");
    }

    #[test]
    fn who_gives_up_keeps_the_place() {
        let turns = Turns::default();
        let (mut holder, mut early, mut late) = (writer(&turns), writer(&turns), writer(&turns));
        assert!(holder.take_turn() && !early.take_turn());
        scope(|scope| {
            let late = scope.spawn(|| {
                wait(&mut late);
                Instant::now()
            });
            until_waiting(&turns, 1);
            let early = scope.spawn(|| {
                wait(&mut early);
                let began = Instant::now();
                sleep(Duration::from_millis(20));
                early.end_turn();
                began
            });
            until_waiting(&turns, 2);
            holder.end_turn();
            assert!(early.join().unwrap() < late.join().unwrap());
        });
        drop(late);
        assert!(turns.queue().holder.is_none());
    }

    #[test]
    fn an_instance_does_not_wait_for_itself() {
        let (turns, owner) = (Turns::default(), Owner::default());
        let [mut one, mut other] = [(); 2].map(|()| Writer::new(turns.clone(), owner.clone()));
        assert!(one.take_turn());
        let began = Instant::now();
        assert!(!other.take_turn() && began.elapsed() < LIMIT);
        drop(one);
        assert!(other.take_turn());
    }

    #[test]
    fn a_turn_that_nobody_waits_for_any_more_passes_on() {
        let turns = Turns::default();
        let (mut holder, mut other) = (writer(&turns), writer(&turns));
        assert!(holder.take_turn());
        let gone = Waiting { owner: Owner::default(), turn: mpsc::channel().0 };
        turns.queue().waiting.insert(0, gone);
        scope(|scope| {
            scope.spawn(|| wait(&mut other));
            until_waiting(&turns, 2);
            holder.end_turn();
        });
    }
}
