//! The turns that regrades take, of all tenants: a step of each, one after another, so that none keeps the others from being done. A
//! step is noted before it is taken; a regrade that is cut off again and again is given up.

use std::collections::BTreeSet;
use std::time::Instant;

use shared::background::{self, JobOutcome};
use shared::db::{self, IdRow};
use shared::ids::QuizRegradeId;
use shared::leases::MAX_BEGINNINGS;
use shared::{Context, Db, Error, Result, Timestamp};

use crate::beginnings::Beginnings;
use crate::quizzes::Quizzes;

/// The steps of regrades.
const STEPS: Beginnings = Beginnings {
    table: "quiz_regrades",
    number: "beginnings",
    begun_at: "begun_at",
    is_open: "failed_at IS NULL",
    lease: 30,
};
/// The regrades that are looked for at a time.
const ROUND: i64 = 20;

impl Quizzes {
    /// The columns that name an attempt and a quiz of these.
    fn columns(self) -> (&'static str, &'static str) {
        match self {
            Self::Classic => ("quiz_submission_id", "quiz_id"),
            Self::New => ("session_id", "assignment_id"),
        }
    }
}

/// The job of the tick: `work` takes a step of one regrade after another, or ends one, and answers how many attempts it has
/// regraded, until there are no more, or the time is over. One that fails is tried again by another tick.
///
/// # Errors
/// The database does not answer. What is wrong with a regrade is its own.
pub async fn run(
    cx: &Context,
    quizzes: Quizzes,
    until: Instant,
    work: impl AsyncFn(QuizRegradeId, Turn) -> Result<i64>,
) -> Result<JobOutcome> {
    let (mut done, mut failed) = (0, BTreeSet::new());
    loop {
        let mut round = in_turn(&cx.db, quizzes, cx.now).await?;
        round.retain(|id| !failed.contains(id));
        if round.is_empty() {
            return Ok(JobOutcome { done, more: false });
        }
        for id in round {
            if Instant::now() >= until {
                return Ok(JobOutcome { done, more: true });
            }
            match take(cx, id, &work).await {
                Ok(regraded) => done += regraded,
                Err(error) => {
                    background::log_failure(&error);
                    failed.insert(id);
                }
            }
        }
    }
}

async fn take(cx: &Context, id: QuizRegradeId, work: &impl AsyncFn(QuizRegradeId, Turn) -> Result<i64>) -> Result<i64> {
    let Some(beginnings) = STEPS.begin(&cx.db, id.0, cx.now).await? else {
        // Somebody was faster.
        return Ok(0);
    };
    let taken = work(id, if beginnings > MAX_BEGINNINGS { Turn::TooMany } else { Turn::Step }).await;
    if taken.as_ref().is_err_and(Error::is_outage) {
        STEPS.postpone(&cx.db, id.0).await?;
    }
    taken
}

/// The regrades with attempts that are due and whose turn it is: those first whose last step was begun longest ago. Of a quiz it is
/// the earliest, because a later one builds on it; and none of which somebody has just begun a step.
async fn in_turn(db: &Db, quizzes: Quizzes, now: Timestamp) -> db::Result<Vec<QuizRegradeId>> {
    let (attempt, quiz) = quizzes.columns();
    // From one regrade to the next, because each may have many attempts.
    let sql = format!(
        "WITH RECURSIVE due (id) AS (
             SELECT min(w.regrade_id) FROM quiz_regrade_attempts w WHERE w.state = 'due' AND w.{attempt} IS NOT NULL
             UNION ALL
             SELECT (SELECT min(w.regrade_id) FROM quiz_regrade_attempts w
                     WHERE w.regrade_id > due.id AND w.state = 'due' AND w.{attempt} IS NOT NULL)
             FROM due WHERE due.id IS NOT NULL
         )
         SELECT r.id FROM (
             SELECT min(q.id) AS id FROM due CROSS JOIN quiz_regrades q WHERE q.id = due.id GROUP BY q.{quiz}
         ) earliest CROSS JOIN quiz_regrades r
         WHERE r.id = earliest.id AND {}
         ORDER BY r.begun_at, r.id LIMIT ?2",
        STEPS.is_free("?1")
    );
    let ids: Vec<IdRow<QuizRegradeId>> = db.fetch_all(&sql, (STEPS.lease_end(now), ROUND)).await?;
    Ok(ids.into_iter().map(|row| row.id).collect())
}

/// What may become of a regrade that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Its next step.
    Step,
    /// None: it was begun too often.
    TooMany,
}

/// Gives a regrade up: the attempts that it has not come to stay as they are, and so do those that ran when it began. `db` is in
/// a transaction.
pub async fn give_up(db: &Db, id: QuizRegradeId, now: Timestamp) -> db::Result<()> {
    let attempts = "DELETE FROM quiz_regrade_attempts WHERE regrade_id = ?1 AND state IN ('waiting', 'due')";
    db.execute(attempts, (id,)).await?;
    db.execute(
        "UPDATE quiz_regrades SET failed_at = ?2, completed_at = ifnull(completed_at, ?2) WHERE id = ?1",
        (id, now),
    )
    .await
}
