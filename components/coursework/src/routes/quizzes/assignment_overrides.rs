//! The dates of classic quizzes, with those of their overrides.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::auth::Right;
use shared::ids::AssignmentId;
use shared::needs::{NeededCourse, may};
use shared::prefetch::PrefetchedList;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::assignment_overrides::{AssignmentDates, OverrideRow, QuizDates};
use crate::model::quizzes::{Quiz, QuizDatesFilter};
use crate::store::assignment_overrides as store;
use crate::store::quizzes::QuizzesWithDates;

endpoints![list_quiz_assignment_overrides];

#[derive(Serialize, JsonSchema)]
struct DatesOfQuizzes {
    quiz_assignment_overrides: Vec<QuizDates>,
}

/// Lists the dates of classic quizzes, to staff with those of their overrides.
///
/// Students are told the dates that they have.
#[endpoint(
    GET "/api/v1/courses/:course_id/quizzes/assignment_overrides",
    students(200, "students see the dates that they have of what is published"),
)]
async fn list_quiz_assignment_overrides(
    cx: Context,
    course: NeededCourse<may::Read>,
    quizzes: PrefetchedList<QuizzesWithDates>,
    query: Query<QuizDatesFilter>,
) -> Result<Reply<DatesOfQuizzes>> {
    let (quizzes, is_staff) = (quizzes.page(&cx.page().await?)?, course.can(Right::ReadAsStaff));
    query.decode()?;
    let mut overrides: BTreeMap<AssignmentId, Vec<OverrideRow>> = BTreeMap::new();
    let assignments: Vec<_> = quizzes.items.iter().filter_map(|quiz| quiz.assignment_id).map(|id| id.0).collect();
    if is_staff && !assignments.is_empty() {
        for own in store::of_assignments(&cx.db, assignments).await? {
            overrides.entry(own.assignment_id).or_default().push(own);
        }
    }
    let dates = |quiz: Quiz| {
        let Quiz { id: quiz_id, assignment_id, due_at, unlock_at, lock_at, .. } = quiz;
        if !is_staff {
            return QuizDates {
                quiz_id,
                due_dates: vec![AssignmentDates::own(due_at, unlock_at, lock_at)],
                all_dates: None,
            };
        }
        let own = assignment_id.and_then(|id| overrides.remove(&id)).unwrap_or_default();
        let all = AssignmentDates::base(due_at, unlock_at, lock_at).with_overrides(&own);
        QuizDates { quiz_id, due_dates: all.clone(), all_dates: Some(all) }
    };
    Ok(Reply::page_in(quizzes.map(dates), |quiz_assignment_overrides| DatesOfQuizzes { quiz_assignment_overrides }))
}
