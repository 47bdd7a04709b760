//! Regrading classic quizzes, step by step: some attempts at a time are scored anew, each step in a transaction. What a crash cuts
//! off is done by the next step; a regrade that is given up is told of.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use ::submissions::events::Events;
use ::submissions::grading::{rounded, rounded_of};
use ::submissions::quiz_options::QuizType;
use ::submissions::quizzes::Quizzes;
use ::submissions::regraded::{RescoredSubmission, settle, submissions};
use ::submissions::regrades::store::{Done, Ended, Outcome, advance, set_done, tell_grader, tell_grader_of_failure};
use ::submissions::regrades::turns::{self, Turn, give_up};
use ::submissions::store::Row;
use classic_questions::sum_of_points;
use shared::background::JobOutcome;
use shared::error::OrNotFound;
use shared::ids::{AssignmentId, QuizRegradeId, QuizSubmissionId, UserId};
use shared::live_events::Place;
use shared::{Context, Db, Result};

use crate::assignment_notices::Subject;
use crate::model::quiz_submissions::fudge_points;
use crate::model::regrades::Correction;
use crate::quiz_grading::body;
use crate::store::regrades::{self as store, DueAttempt, Kept, RegradeAtWork, RescoredAttempt};

/// The job of the tick.
pub(crate) async fn run(cx: &Context, until: Instant) -> Result<JobOutcome> {
    turns::run(cx, Quizzes::Classic, until, async |id, turn| take(cx, id, turn).await).await
}

/// Takes a step, or ends a regrade that does not move on; answers how many attempts it has regraded.
async fn take(cx: &Context, id: QuizRegradeId, turn: Turn) -> Result<i64> {
    let regrade = &store::at_work(&cx.db, id).await?.or_not_found()?;
    let place = Place::in_course(regrade.root_account_id, regrade.account_id, regrade.course_id, regrade.assignment_id);
    let mut events = Events::of_student(cx, place, regrade.user_id).await?;
    let work = async |db: &Db| match turn {
        Turn::Step => step(cx, db, regrade, &mut events).await,
        Turn::TooMany => end(cx, db, regrade, &events).await,
    };
    let done = cx.db.transaction(work).await?;
    events.send();
    Ok(done)
}

/// Regrades the next attempts. `db` is in a transaction.
async fn step(cx: &Context, db: &Db, regrade: &RegradeAtWork, events: &mut Events) -> Result<i64> {
    let due = store::due(db, regrade.id).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let correction = Correction {
        option: regrade.option,
        key: regrade.scoring_data.0.clone(),
        points: regrade.points_possible,
        is_survey: regrade.quiz_type == QuizType::GradedSurvey,
    };
    let regraded: Vec<_> = due.into_iter().map(|due| RegradedAttempt::of(due, &regrade.item_id, &correction)).collect();
    let rescored: Vec<_> = regraded.iter().filter_map(|one| one.rescored.as_ref()).collect();
    store::set_rescored(db, &rescored, cx.now).await?;
    grade(cx, db, regrade, &regraded, events).await?;
    let outcomes: Vec<_> = regraded.into_iter().map(|one| one.outcome).collect();
    set_done(db, &outcomes, cx.now).await?;
    let done = done(&outcomes);
    if advance(db, regrade.id, &done, cx.now).await? && !regrade.was_complete {
        tell_grader(db, &regrade.ended(), events).await?;
    }
    Ok(done.regraded)
}

/// Gives the regrade up. `db` is in a transaction.
async fn end(cx: &Context, db: &Db, regrade: &RegradeAtWork, events: &Events) -> Result<i64> {
    give_up(db, regrade.id, cx.now).await?;
    tell_grader_of_failure(db, &regrade.ended(), events).await?;
    Ok(0)
}

impl RegradeAtWork {
    fn ended(&self) -> Ended<'_> {
        let subject = self.assignment_id.map_or(Subject::Quiz(self.quiz_id), Subject::Assignment);
        Ended {
            course: self.course_id,
            user: self.user_id,
            title: &self.title,
            page: subject.path(self.course_id),
            asset: subject.asset(),
        }
    }
}

/// An attempt that is regraded.
struct RegradedAttempt {
    quiz_submission: QuizSubmissionId,
    user: UserId,
    attempt: i64,
    /// What was kept of the student's attempts before.
    kept_before: Option<f64>,
    /// `None`: the question was not asked.
    rescored: Option<RescoredAttempt>,
    outcome: Outcome,
}

impl RegradedAttempt {
    fn of(due: DueAttempt, question: &str, correction: &Correction) -> Self {
        let mut outcome = Outcome {
            id: due.id,
            points_before: None,
            points_after: None,
            score_before: Some(due.score),
            score_after: Some(due.score),
            is_by_person: false,
        };
        let (mut questions, mut answers) = (due.questions.0, due.answers.0);
        let fudge_points = fudge_points(due.score, &answers);
        let asked = questions.iter_mut().find(|asked| asked.id.to_string() == question);
        let is_asked = asked.is_some();
        if let Some(asked) = asked {
            let given = answers.entry(question.to_owned()).or_default();
            outcome.is_by_person = correction.leaves(asked, given);
            outcome.points_before = given.points;
            (*asked, *given) = correction.apply(asked, given);
            outcome.points_after = given.points;
        }
        let points = sum_of_points(answers.values().filter_map(|given| given.points));
        let points_possible = sum_of_points(questions.iter().map(|asked| asked.points_possible));
        let score = if is_asked { rounded_of(points + fudge_points, points_possible) } else { due.score };
        outcome.score_after = Some(score);
        let (quiz_submission_id, attempt) = (due.quiz_submission_id, due.attempt);
        let rescored = RescoredAttempt { quiz_submission_id, attempt, questions, answers, score, points_possible };
        Self {
            quiz_submission: quiz_submission_id,
            user: due.user_id,
            attempt,
            kept_before: due.kept_score,
            rescored: is_asked.then_some(rescored),
            outcome,
        }
    }

    fn has_other_score(&self) -> bool {
        self.outcome.score_before != self.outcome.score_after
    }
}

fn done(outcomes: &[Outcome]) -> Done {
    let count = |is_counted: &dyn Fn(&&Outcome) -> bool| {
        i64::try_from(outcomes.iter().filter(is_counted).count()).unwrap_or(i64::MAX)
    };
    let points = |points: Option<f64>| points.unwrap_or_default();
    let gained = sum_of_points(outcomes.iter().map(|one| points(one.points_after) - points(one.points_before)));
    Done {
        regraded: count(&|_| true),
        changed: count(&|one| one.is_change()),
        by_person: count(&|one| one.is_by_person),
        points_gained: rounded(gained),
    }
}

/// Chooses the scores that are kept, and gives the quiz's assignment the grades that follow. A grade that a person has given the
/// submission stays, and who is excused has none.
async fn grade(
    cx: &Context,
    db: &Db,
    regrade: &RegradeAtWork,
    regraded: &[RegradedAttempt],
    events: &mut Events,
) -> Result<()> {
    let changed: Vec<_> = regraded.iter().filter(|one| one.has_other_score()).collect();
    let ids: Vec<_> = changed.iter().map(|one| one.quiz_submission).collect::<BTreeSet<_>>().into_iter().collect();
    if ids.is_empty() {
        return Ok(());
    }
    let kept = store::keep(db, &ids, regrade.settings.0.scoring_policy, cx.now).await?;
    let Some(assignment) = regrade.assignment_id else { return Ok(()) };
    let kept: BTreeMap<_, _> = kept.into_iter().map(|kept| (kept.id, kept)).collect();
    let mut students: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in changed {
        students.entry(one.user).or_default().push(one);
    }
    settle_grades(cx, db, (regrade, assignment), (&students, &kept), events).await
}

async fn settle_grades(
    cx: &Context,
    db: &Db,
    (regrade, assignment): (&RegradeAtWork, AssignmentId),
    (students, kept): (&BTreeMap<UserId, Vec<&RegradedAttempt>>, &BTreeMap<QuizSubmissionId, Kept>),
    events: &mut Events,
) -> Result<()> {
    let users: Vec<_> = students.keys().copied().collect();
    let rows = submissions(db, assignment, &users).await?;
    let rescored = rows.into_iter().filter_map(|row| {
        let attempts = students.get(&row.user_id)?;
        let kept = kept.get(&attempts.first()?.quiz_submission)?;
        Some(rescored(row, attempts, kept, regrade))
    });
    settle(db, (regrade.course_id, assignment), rescored.collect(), events, cx.now).await
}

/// What a student's submission was worth by all attempts, and is.
fn rescored(row: Row, attempts: &[&RegradedAttempt], kept: &Kept, regrade: &RegradeAtWork) -> RescoredSubmission {
    let scale = row.scale();
    let kept_before = attempts.first().and_then(|one| one.kept_before).unwrap_or_default();
    let own = |one: &&RegradedAttempt| Some((one.attempt, scale.grade(one.outcome.score_after?)));
    RescoredSubmission {
        kept_before: scale.grade(kept_before),
        kept: scale.grade(kept.kept_score),
        kept_submitted_at: Some(kept.kept_submitted_at),
        attempts: attempts.iter().filter_map(own).collect(),
        body: Some(body(regrade.quiz_id, row.user_id, kept.kept_score, kept.finished_at)),
        is_complete: None,
        before: row,
    }
}
