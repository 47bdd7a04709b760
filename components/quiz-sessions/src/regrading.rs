//! Regrading, step by step: some attempts at a time are scored anew, each step in a transaction. What a crash cuts off is done by
//! the next step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use questions::question::StoredQuestion;
use shared::background::{self, JobOutcome};
use shared::ids::{QuizSessionId, UserId};
use shared::live_events::Place;
use shared::notify::{News, Recipients};
use shared::{Context, Db, Result, Timestamp};
use submissions::events::Events;
use submissions::notices;
use submissions::quiz_settings::QuizSettings;
use submissions::regraded::{self, Regraded, RegradedAttempt};
use submissions::store::Row;

use crate::model::regrading::{Keys, NewPoints, points_gained};
use crate::model::scores::{AttemptScore, kept_grade};
use crate::store::regrading::{self as store, Change, Done, ScoredAttempt, Step};

/// The attempts of a step.
const STEP: i64 = 20;

/// The job of the tick: steps until there are no more, or the time is over.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    let mut done = 0;
    while Instant::now() < until {
        let Some(step) = store::next(&cx.db, STEP).await? else { return Ok(JobOutcome { done, more: false }) };
        done += count(step.attempts.0.len());
        take(cx, &step).await?;
    }
    Ok(JobOutcome { done, more: true })
}

/// Takes a step. Answers are scored before the transaction, which would keep others waiting.
async fn take(cx: &Context, step: &Step) -> Result<()> {
    let current = step.question.0.clone();
    let previous = StoredQuestion {
        scoring_algorithm: step.previous_scoring_algorithm.clone(),
        scoring_data: step.previous_scoring_data.clone(),
        ..current.clone()
    };
    let points: Vec<_> = match Keys::of(previous, current) {
        Ok(keys) => step.attempts.0.iter().filter_map(|attempt| keys.regraded(step.option, attempt)).collect(),
        // What is stored is damaged. The attempts stay as they are, so that other regrades go on.
        Err(error) => {
            background::log_failure(&error);
            Vec::new()
        }
    };
    let place = Place {
        root_account: step.root_account_id,
        account: step.account_id,
        course: Some(step.course_id),
        assignment: Some(step.assignment_id),
    };
    let mut events = Events::of_student(cx, place, step.user_id).await?;
    let settled = cx.db.transaction(async |db| settle(db, step, &points, &mut events, cx.now).await);
    settled.await?;
    events.send();
    Ok(())
}

/// Keeps what the attempts of a step have now, with the grades that follow from it. `db` is in a transaction.
async fn settle(db: &Db, step: &Step, points: &[NewPoints], events: &mut Events, now: Timestamp) -> Result<()> {
    let sessions: Vec<_> = step.attempts.0.iter().map(|attempt| attempt.session_id).collect();
    if !store::claim(db, step, &sessions, now).await? {
        // Somebody was faster.
        return Ok(());
    }
    store::set_points(db, &step.item_id, points, &sessions).await?;
    let outcome = store::set_outcome(db, step, &sessions).await?;
    let changes: Vec<_> = outcome.iter().filter(|change| change.is_one()).collect();
    grade(db, step, &changes, events, now).await?;
    let done = Done {
        regraded: count(outcome.len()),
        changed: count(changes.len()),
        points_gained: points_gained(changes.iter().map(|change| (change.points_before, change.points_after))),
    };
    if store::advance(db, step.id, &done, now).await? {
        tell_grader(db, step, events).await?;
    }
    Ok(())
}

fn count(attempts: usize) -> i64 {
    i64::try_from(attempts).unwrap_or(i64::MAX)
}

/// Gives the students of changed attempts the grades that their quizzes keep. A grade that a person has given the submission stays,
/// and who is excused has none.
async fn grade(db: &Db, step: &Step, changes: &[&Change], events: &mut Events, now: Timestamp) -> Result<()> {
    let changed: BTreeMap<QuizSessionId, f64> =
        changes.iter().map(|change| (change.session_id, change.score_before.unwrap_or_default())).collect();
    let students = step.attempts.0.iter().filter(|attempt| changed.contains_key(&attempt.session_id));
    let students: BTreeSet<UserId> = students.map(|attempt| attempt.user_id).collect();
    let students: Vec<_> = students.into_iter().collect();
    if students.is_empty() {
        return Ok(());
    }
    let mut attempts: BTreeMap<UserId, Vec<ScoredAttempt>> = BTreeMap::new();
    for attempt in store::attempts_of(db, step.assignment_id, &students).await? {
        attempts.entry(attempt.user_id).or_default().push(attempt);
    }
    let settings = &step.quiz_settings.0;
    let own = |row: &Row| attempts.get(&row.user_id).map_or(&[][..], Vec::as_slice);
    let follows = |row: &Row| !row.excused && follows_attempts(row, own(row), &changed, settings);
    let before = regraded::submissions(db, step.assignment_id, &students).await?;
    let before: Vec<_> = before.into_iter().filter(follows).collect();
    let grades: Vec<_> = before.iter().map(|row| new_grade(row, own(row), settings)).collect();
    let own_grades = before.iter().flat_map(|row| {
        let own = own(row).iter().filter(|attempt| changed.contains_key(&attempt.session_id));
        own.map(|attempt| own_grade(row, attempt))
    });
    regraded::regrade(db, &grades, &own_grades.collect::<Vec<_>>(), now).await?;
    let users: Vec<_> = before.iter().map(|row| row.user_id).collect();
    let mut after: BTreeMap<_, _> = regraded::submissions(db, step.assignment_id, &users)
        .await?
        .into_iter()
        .map(|row| (row.user_id, row))
        .collect();
    let rows: Vec<_> =
        before.into_iter().filter_map(|row| after.remove(&row.user_id).map(|after| (row, after))).collect();
    events.graded_and_updated_all(db, &rows).await?;
    for (before, after) in &rows {
        notices::graded(db, events.notifier(), step.course_id, before, after, now).await?;
    }
    Ok(())
}

/// True unless a person has given another grade than the attempts had, whose answers a person may have graded.
fn follows_attempts(
    row: &Row,
    attempts: &[ScoredAttempt],
    scores_before: &BTreeMap<QuizSessionId, f64>,
    settings: &QuizSettings,
) -> bool {
    let before = attempts.iter().map(|attempt| {
        let now = attempt.score();
        let score = scores_before.get(&attempt.session_id).copied().unwrap_or(now.score);
        AttemptScore { score, ..now }
    });
    row.grader_id.is_none() || row.entered().score == kept_grade(row, before, settings).score
}

/// What a student's submission is worth by all attempts.
fn new_grade(row: &Row, attempts: &[ScoredAttempt], settings: &QuizSettings) -> Regraded {
    let kept = kept_grade(row, attempts.iter().map(ScoredAttempt::score), settings);
    let grade = row.deduct(kept, row.submitted_at);
    Regraded {
        submission: row.id,
        score: grade.score,
        grade: grade.grade,
        points_deducted: grade.points_deducted,
        is_complete: attempts.iter().all(|attempt| attempt.score().is_scored),
    }
}

fn own_grade(row: &Row, attempt: &ScoredAttempt) -> RegradedAttempt {
    let grade = row.scale().grade(attempt.score().of_assignment(row.points_possible));
    RegradedAttempt { submission: row.id, attempt: attempt.score().attempt, score: grade.score, grade: grade.grade }
}

/// Tells whoever asked for the regrade that it is done.
async fn tell_grader(db: &Db, step: &Step, events: &Events) -> Result<()> {
    let title = &step.title;
    let news = News {
        name: "quiz_regrade_finished",
        recipients: Recipients::Participant { course: step.course_id, user: step.user_id },
        subject: &format!("Regraded: {title}"),
        body: &format!("The attempts at {title} are regraded."),
        path: &format!("/courses/{}/assignments/{}", step.course_id, step.assignment_id),
        asset: Some(&format!("assignment_{}", step.assignment_id)),
    };
    Ok(events.notifier().clone().also_to_actors().tell(db, news).await?)
}
