//! The SQL of the area, by resource.

pub(crate) mod assignment_lists;
pub(crate) mod assignment_overrides;
pub(crate) mod assignments;
pub(crate) mod attempts;
pub(crate) mod course_submissions;
pub(crate) mod courses;
pub(crate) mod graded_assignments;
pub(crate) mod graded_attempts;
pub(crate) mod handing_in;
pub(crate) mod kept_attempts;
pub(crate) mod late_policies;
pub(crate) mod new_quizzes;
pub(crate) mod other_points;
pub(crate) mod posting;
pub(crate) mod question_banks;
pub(crate) mod questions;
pub(crate) mod quiz_extensions;
pub(crate) mod quiz_statistics;
pub(crate) mod quiz_submissions;
pub(crate) mod quizzes;
pub(crate) mod regrades;
pub(crate) mod students;
pub(crate) mod submission_contents;
pub(crate) mod submission_lists;
pub(crate) mod submissions;
pub(crate) mod teachers;
pub(crate) mod uploads;

use serde::Serialize;
use serde_json::Value;

/// True if students have begun something for the assignment `a`, or handed it in: with it, with the new quiz `n` that it stands
/// for, or with the quiz `z` of which it holds the grades. Work that they have begun stays published, by whichever of them it is
/// asked for.
macro_rules! has_work {
    () => {
        "(
    EXISTS (SELECT 1 FROM submissions s WHERE s.assignment_id = a.id AND s.attempt IS NOT NULL)
    OR n.assignment_id IS NOT NULL AND (
        EXISTS (SELECT 1 FROM quiz_attempts t WHERE t.assignment_id = a.id)
        OR EXISTS (SELECT 1 FROM quiz_sessions t WHERE t.assignment_id = a.id AND t.is_preview = 0))
    OR z.id IS NOT NULL AND EXISTS (SELECT 1 FROM quiz_submissions q WHERE q.quiz_id = z.id))"
    };
}
use has_work;

const HAS_WORK: &str = has_work!();

/// Whoever calls, in statements that find what a path names.
const CALLER: &str = "caller.user_id";

/// The new value of a column of numbers. What was read as JSON has fifteen digits: where it comes back, the column keeps all that
/// it has.
fn unless_same_json(column: &str, value: &str) -> String {
    format!("iif({value} IS (json_array({column}) ->> 0), {column}, {value})")
}

/// A word of a fixed list as it is stored.
pub(crate) fn word(word: impl Serialize) -> Option<String> {
    match serde_json::to_value(word) {
        Ok(Value::String(word)) => Some(word),
        _ => None,
    }
}
