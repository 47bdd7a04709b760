//! The account of what clients wrote: what they were told, and what must be there because of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Courses,
    Names,
    Groups,
    Votes,
    Submissions,
    Channels,
    Exports,
    Files,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Courses => "courses made",
            Self::Names => "courses renamed",
            Self::Groups => "quiz groups",
            Self::Votes => "votes",
            Self::Submissions => "submissions",
            Self::Channels => "channels",
            Self::Exports => "exports",
            Self::Files => "files",
        }
    }
}

/// The writes of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// What was acknowledged, or found by a read after an answer that told nothing.
    pub(super) written: BTreeSet<String>,
    /// Answers that told nothing.
    pub(super) unknown: usize,
    /// Of these, writes that had happened.
    pub(super) found: usize,
    /// Answers that asked to come later.
    pub(super) later: usize,
    /// The causes of refusals, which nobody expects.
    pub(super) refused: Vec<String>,
    /// The kinds of answers that told nothing, and their number.
    pub(super) causes: BTreeMap<String, usize>,
}

/// All kinds.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    tallies: Arc<Mutex<BTreeMap<Kind, Tally>>>,
    /// What each client that has not ended is doing.
    doing: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Ledger {
    /// Changes the account of a kind.
    pub(super) fn note(&self, kind: Kind, change: impl FnOnce(&mut Tally)) {
        change(lock(&self.tallies).entry(kind).or_default());
    }

    pub(super) fn tallies(&self) -> BTreeMap<Kind, Tally> {
        lock(&self.tallies).clone()
    }

    /// Notes what a client is doing.
    pub(super) fn does(&self, client: &str, doing: String) {
        lock(&self.doing).insert(client.to_owned(), doing);
    }

    /// Notes that a client has ended.
    pub(super) fn ends(&self, client: &str) {
        lock(&self.doing).remove(client);
    }

    /// The clients that have not ended, with what each is doing.
    pub(super) fn unended(&self) -> String {
        let doing = lock(&self.doing);
        doing.iter().map(|(client, doing)| format!("\n{client} {doing}")).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tally {
    /// Counts an answer that told nothing by its beginning: the rest names addresses and ids.
    pub(super) fn note_unknown(&mut self, cause: &str) {
        self.unknown += 1;
        *self.causes.entry(cause.chars().take(120).collect()).or_default() += 1;
    }
}
