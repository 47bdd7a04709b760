//! Attempts whose time is over, and that nobody has handed in: the tick hands them in as they are. What it was cut off at too often
//! is handed in without being scored.

use std::time::Instant;

use shared::background::{self, JobOutcome};
use shared::db::{self, IdRow};
use shared::leases::MAX_BEGINNINGS;
use shared::{Context, Db, Error, Result, Timestamp};

use crate::beginnings::Beginnings;
use crate::quizzes::Quizzes;

/// The attempts that are looked for at a time.
const BATCH: i64 = 20;
/// The most attempts that are tried once more in a tick.
const MAX_RETRIES: i64 = 1_000;
/// Longer than that it never takes to hand an attempt in, in seconds.
const LEASE: i64 = 60;

/// Who scores the answers of an attempt that is handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoredBy {
    /// The service, as far as it can.
    Service,
    /// A person: each answer waits.
    Person,
}

impl Quizzes {
    /// Attempts that run, and have an end. Previews are ended by whoever looks at them.
    fn running(self) -> Beginnings {
        let (table, is_open) = match self {
            Self::Classic => (
                "quiz_submissions",
                "workflow_state = 'untaken' AND end_at IS NOT NULL AND EXISTS (
                     SELECT 1 FROM quizzes z WHERE z.id = quiz_id AND z.workflow_state <> 'deleted')",
            ),
            Self::New => ("quiz_sessions", "state = 'taking' AND end_at IS NOT NULL AND is_preview = 0"),
        };
        Beginnings { table, number: "hand_in_beginnings", begun_at: "hand_in_begun_at", is_open, lease: LEASE }
    }
}

/// The attempts of an area that ended before a moment, and are handed in until another.
pub struct Overdue<'a> {
    cx: &'a Context,
    quizzes: Quizzes,
    before: Timestamp,
    until: Instant,
}

impl<'a> Overdue<'a> {
    pub fn new(cx: &'a Context, quizzes: Quizzes, before: Timestamp, until: Instant) -> Self {
        Self { cx, quizzes, before, until }
    }

    /// Hands them in, the longest overdue first; `hand_in` takes the id of one. One that fails does not keep the others from being
    /// handed in: it is left for [`Self::retry`].
    ///
    /// # Errors
    /// The database does not answer. What is wrong with an attempt is its own.
    pub async fn hand_in(&self, hand_in: impl AsyncFn(i64, ScoredBy) -> Result<()>) -> Result<JobOutcome> {
        let mut done = 0;
        loop {
            let attempts = overdue(&self.cx.db, &self.quizzes.running(), self.before).await?;
            if attempts.is_empty() {
                return Ok(JobOutcome { done, more: false });
            }
            let outcome = self.hand_in_all(&attempts, &hand_in).await?;
            done += outcome.done;
            if outcome.more {
                return Ok(JobOutcome { done, more: true });
            }
        }
    }

    /// Tries once more to hand in what the tick has begun to hand in before. It may end the process, and with it all that is behind:
    /// it comes last.
    ///
    /// # Errors
    /// The database does not answer. What is wrong with an attempt is its own.
    pub async fn retry(&self, hand_in: impl AsyncFn(i64, ScoredBy) -> Result<()>) -> Result<JobOutcome> {
        let attempts = begun(&self.cx.db, &self.quizzes.running(), self.before, self.cx.now).await?;
        self.hand_in_all(&attempts, &hand_in).await
    }

    async fn hand_in_all(
        &self,
        attempts: &[i64],
        hand_in: &impl AsyncFn(i64, ScoredBy) -> Result<()>,
    ) -> Result<JobOutcome> {
        hand_in_all(self.cx, self.quizzes, attempts, self.until, hand_in).await
    }
}

/// Hands these attempts in until that moment, but those that somebody has just begun to hand in.
///
/// # Errors
/// The database does not answer. What is wrong with an attempt is its own.
pub async fn hand_in_all(
    cx: &Context,
    quizzes: Quizzes,
    attempts: &[i64],
    until: Instant,
    hand_in: &impl AsyncFn(i64, ScoredBy) -> Result<()>,
) -> Result<JobOutcome> {
    let running = quizzes.running();
    let mut done = 0;
    for &attempt in attempts {
        if Instant::now() >= until {
            return Ok(JobOutcome { done, more: true });
        }
        let Some(beginnings) = running.begin(&cx.db, attempt, cx.now).await? else { continue };
        let handed_in = hand_in(attempt, scored_by(&running, attempt, beginnings)).await;
        if handed_in.as_ref().is_err_and(Error::is_outage) {
            running.postpone(&cx.db, attempt).await?;
        }
        match handed_in {
            Ok(()) => done += 1,
            Err(error) => background::log_failure(&error),
        }
    }
    Ok(JobOutcome { done, more: false })
}

/// What was begun too often is not scored again.
fn scored_by(running: &Beginnings, attempt: i64, beginnings: i64) -> ScoredBy {
    if beginnings <= MAX_BEGINNINGS {
        return ScoredBy::Service;
    }
    let which = format!("{} {attempt} was interrupted too often and waits for a person", running.table);
    background::log_text(&which);
    ScoredBy::Person
}

/// Attempts that ended before that moment, and that the tick has not begun to hand in.
async fn overdue(db: &Db, running: &Beginnings, before: Timestamp) -> db::Result<Vec<i64>> {
    let Beginnings { table, number, is_open, .. } = running;
    let sql =
        format!("SELECT id FROM {table} WHERE {is_open} AND {number} = 0 AND end_at <= ?1 ORDER BY end_at LIMIT ?2");
    ids(db.fetch_all(&sql, (before, BATCH)).await)
}

/// The same of those that the tick has begun to hand in: those first that it has begun the least often.
async fn begun(db: &Db, running: &Beginnings, before: Timestamp, now: Timestamp) -> db::Result<Vec<i64>> {
    let Beginnings { table, number, is_open, .. } = running;
    let sql = format!(
        "SELECT id FROM {table} WHERE {is_open} AND {number} > 0 AND end_at <= ?1 AND {} ORDER BY {number}, end_at LIMIT ?2",
        running.is_free("?3")
    );
    ids(db.fetch_all(&sql, (before, MAX_RETRIES, running.lease_end(now))).await)
}

fn ids(rows: db::Result<Vec<IdRow<i64>>>) -> db::Result<Vec<i64>> {
    Ok(rows?.into_iter().map(|row| row.id).collect())
}
