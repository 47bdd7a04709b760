//! Regrading, step by step: some attempts at a time are scored anew, each step in a transaction. What a crash cuts off is done by
//! the next step; a regrade that is given up is told of.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use shared::background::{self, JobOutcome};
use shared::error::OrNotFound;
use shared::ids::{QuizRegradeId, QuizSessionId, UserId};
use shared::live_events::Place;
use shared::{Context, Db, Result, Timestamp};
use submissions::events::Events;
use submissions::kept_attempts::Kept;
use submissions::quiz_settings::QuizSettings;
use submissions::quizzes::Quizzes;
use submissions::regraded::{RescoredSubmission, settle as settle_grades, submissions};
use submissions::regrades::store::{Done, Ended, Outcome, advance, tell_grader, tell_grader_of_failure};
use submissions::regrades::turns::{self, Turn, give_up};
use submissions::store::Row;

use crate::model::regrading::{DueAttempt, NewPoints, Regrading, points_gained};
use crate::store::regrading::{self as store, ScoredAttempt, Step};

/// The attempts of a step.
const STEP: i64 = 20;

/// The job of the tick.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    turns::run(cx, Quizzes::New, until, async |id, turn| take(cx, id, turn).await).await
}

/// Takes a step, or ends a regrade that does not move on; answers how many attempts it has regraded.
async fn take(cx: &Context, id: QuizRegradeId, turn: Turn) -> Result<i64> {
    let most = if turn == Turn::Step { STEP } else { 0 };
    let step = store::step(&cx.db, id, most).await?.or_not_found()?;
    let place = Place::in_course(step.root_account_id, step.account_id, step.course_id, Some(step.assignment_id));
    let mut events = Events::of_student(cx, place, step.user_id).await?;
    match turn {
        Turn::Step => regrade(cx, &step, &mut events).await?,
        Turn::TooMany => cx.db.transaction(async |db| end(db, &step, &events, cx.now).await).await?,
    }
    events.send();
    Ok(count(step.attempts.0.len()))
}

/// Gives the regrade up. `db` is in a transaction.
async fn end(db: &Db, step: &Step, events: &Events, now: Timestamp) -> Result<()> {
    give_up(db, step.id, now).await?;
    Ok(tell_grader_of_failure(db, &step.ended(), events).await?)
}

/// Regrades the attempts of a step. Answers are scored before the transaction, which would keep others waiting.
async fn regrade(cx: &Context, step: &Step, events: &mut Events) -> Result<()> {
    let asked = step.attempts.0.iter().flat_map(DueAttempt::questions);
    let asked: Vec<_> = asked.collect::<BTreeSet<_>>().into_iter().collect();
    let questions = store::questions(&cx.db, &asked).await?;
    // Where what is stored is damaged, the attempts stay as they are, so that other regrades go on.
    let regrading =
        Regrading::new(step.option, step.points_possible, questions, step.keys().as_ref(), background::log_failure);
    let points: Vec<_> = step.attempts.0.iter().flat_map(|attempt| regrading.regraded(attempt)).collect();
    cx.db.transaction(async |db| settle(db, step, &points, events, cx.now).await).await
}

/// Keeps what the attempts of a step have now, with the grades that follow from it. `db` is in a transaction.
async fn settle(db: &Db, step: &Step, points: &[NewPoints], events: &mut Events, now: Timestamp) -> Result<()> {
    let sessions: Vec<_> = step.attempts.0.iter().map(|attempt| attempt.session_id).collect();
    let students: BTreeSet<_> = step.attempts.0.iter().map(|attempt| attempt.user_id).collect();
    let students: Vec<_> = students.into_iter().collect();
    if !store::claim(db, step, now).await? {
        // Somebody was faster.
        return Ok(());
    }
    let before = Attempts::of(db, step, &students).await?;
    if let Some(points) = step.points_possible {
        store::set_item_points(db, step, points, &sessions).await?;
    }
    store::set_points(db, points, &sessions).await?;
    let outcome = store::set_outcome(db, step).await?;
    let after = Attempts::of(db, step, &students).await?;
    grade(db, step, (&before, &after), events, now).await?;
    let changes: Vec<_> = outcome.iter().filter(|outcome| outcome.is_change()).collect();
    let done = Done {
        regraded: count(outcome.len()),
        changed: count(changes.len()),
        by_person: count(outcome.iter().filter(|outcome| outcome.is_by_person).count()),
        points_gained: points_gained(
            changes.iter().map(|Outcome { points_before, points_after, .. }| (*points_before, *points_after)),
        ),
    };
    if advance(db, step.id, &done, now).await? && !step.was_complete {
        tell_grader(db, &step.ended(), events).await?;
    }
    Ok(())
}

impl Step {
    fn ended(&self) -> Ended<'_> {
        Ended {
            course: self.course_id,
            user: self.user_id,
            title: &self.title,
            page: format!("/courses/{}/assignments/{}", self.course_id, self.assignment_id),
            asset: format!("assignment_{}", self.assignment_id),
        }
    }
}

fn count(attempts: usize) -> i64 {
    i64::try_from(attempts).unwrap_or(i64::MAX)
}

/// All attempts of some students, each student's in their order.
struct Attempts(BTreeMap<UserId, Vec<ScoredAttempt>>);

impl Attempts {
    async fn of(db: &Db, step: &Step, students: &[UserId]) -> Result<Self> {
        let mut attempts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for attempt in store::attempts_of(db, step.assignment_id, students).await? {
            attempts.entry(attempt.user_id).or_default().push(attempt);
        }
        Ok(Self(attempts))
    }

    fn own(&self, student: UserId) -> &[ScoredAttempt] {
        self.0.get(&student).map_or(&[], Vec::as_slice)
    }

    fn session(&self, student: UserId, session: QuizSessionId) -> Option<&ScoredAttempt> {
        self.own(student).iter().find(|attempt| attempt.session_id == session)
    }
}

/// Gives the students of changed attempts the grades that their quizzes keep. A grade that a person has given the submission stays,
/// and who is excused has none.
async fn grade(
    db: &Db,
    step: &Step,
    (before, after): (&Attempts, &Attempts),
    events: &mut Events,
    now: Timestamp,
) -> Result<()> {
    let is_changed = |attempt: &ScoredAttempt| before.session(attempt.user_id, attempt.session_id) != Some(attempt);
    let changed = after.0.iter().filter(|(_, attempts)| attempts.iter().any(is_changed));
    let changed: Vec<_> = changed.map(|(student, _)| *student).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let settings = &step.quiz_settings.0;
    let rows = submissions(db, step.assignment_id, &changed).await?;
    let rescored = rows.into_iter().map(|row| {
        let (before, after) = (before.own(row.user_id), after.own(row.user_id));
        rescored(row, (before, after), is_changed, settings)
    });
    let rescored: Vec<_> = rescored.collect();
    settle_grades(db, (step.course_id, step.assignment_id), rescored, events, now).await
}

/// What a student's submission was worth by all attempts, and is.
fn rescored(
    row: Row,
    (before, after): (&[ScoredAttempt], &[ScoredAttempt]),
    is_changed: impl Fn(&ScoredAttempt) -> bool,
    settings: &QuizSettings,
) -> RescoredSubmission {
    let kept = |attempts: &[ScoredAttempt]| {
        let scores: Vec<_> = attempts.iter().map(ScoredAttempt::score).collect();
        Kept::of(&row, &scores, settings)
    };
    let kept_now = kept(after);
    let own = |attempt: &ScoredAttempt| {
        let score = attempt.score();
        (score.attempt, row.scale().grade(score.of_assignment(row.points_possible)))
    };
    RescoredSubmission {
        kept_before: kept(before).grade,
        kept: kept_now.grade,
        kept_submitted_at: kept_now.submitted_at.or(row.submitted_at),
        attempts: after.iter().filter(|attempt| is_changed(attempt)).map(own).collect(),
        body: None,
        is_complete: Some(after.iter().all(|attempt| attempt.score().is_scored)),
        before: row,
    }
}
