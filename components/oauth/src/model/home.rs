//! The home of who is signed in: rows.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::{AssignmentId, CourseId};

/// The number of courses that the home shows.
pub(crate) const MAX_COURSES: i64 = 100;

/// The number of new quizzes that the home shows of a course.
pub(crate) const MAX_QUIZZES: usize = 20;

/// What somebody may open.
#[derive(Deserialize)]
pub(crate) struct Home {
    pub(crate) name: String,
    /// True for administrators of the site or of the root account.
    pub(crate) is_administrator: bool,
    /// The courses in which the user is active, by their names.
    pub(crate) courses: Json<Vec<Course>>,
}

/// A course on the home.
#[derive(Deserialize)]
pub(crate) struct Course {
    pub(crate) id: CourseId,
    pub(crate) name: String,
    /// True if the user may change its settings.
    pub(crate) manages: bool,
    /// True if it has AI experiences that students see.
    pub(crate) has_experiences: bool,
    /// True if the user gives grades in it.
    pub(crate) grades: bool,
    /// True if it has ended for the user, who takes no quizzes in it any more; to its staff it never does.
    pub(crate) is_over: bool,
    /// The new quizzes that the user may open: those of which something is to be done soon come first. Where there is one more
    /// than [`MAX_QUIZZES`] there are more than are shown.
    pub(crate) quizzes: Vec<Quiz>,
}

/// A new quiz on the home, with the dates that it has for the user.
#[derive(Deserialize)]
pub(crate) struct Quiz {
    /// Its assignment.
    pub(crate) id: AssignmentId,
    pub(crate) title: String,
    pub(crate) published: bool,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
}

/// What there is to say of a quiz beside its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuizState {
    Unpublished,
    Opens(Timestamp),
    Closed,
    Due(Timestamp),
    Open,
}

impl Quiz {
    /// What there is to say at that moment: whether it can be taken comes before when it is due. In a course that is over for the
    /// user nothing can.
    pub(crate) fn state(&self, is_over: bool, now: Timestamp) -> QuizState {
        match (self.unlock_at, self.lock_at) {
            _ if !self.published => QuizState::Unpublished,
            _ if is_over => QuizState::Closed,
            (Some(unlock_at), _) if now < unlock_at => QuizState::Opens(unlock_at),
            (_, Some(lock_at)) if lock_at <= now => QuizState::Closed,
            _ => self.due_at.map_or(QuizState::Open, QuizState::Due),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn of_a_quiz_is_said_first_whether_it_can_be_taken() {
        let at = |text| Timestamp::parse(text).unwrap();
        let (earlier, now, later) = ("2026-01-01T11:59:59Z", at("2026-01-01T12:00:00Z"), "2026-01-01T12:00:01Z");
        let state_in = |is_over: bool, published: bool, dates: [Value; 3]| {
            let [due_at, unlock_at, lock_at] = dates;
            let quiz = json!({ "id": 1, "title": "Leaves", "published": published, "due_at": due_at,
                "unlock_at": unlock_at, "lock_at": lock_at });
            serde_json::from_value::<Quiz>(quiz).unwrap().state(is_over, now)
        };
        let state = |published, dates| state_in(false, published, dates);
        assert_eq!(state(true, [Value::Null, Value::Null, Value::Null]), QuizState::Open);
        assert_eq!(state(false, [json!(later), json!(later), Value::Null]), QuizState::Unpublished);
        assert_eq!(state(true, [json!(later), json!(later), Value::Null]), QuizState::Opens(at(later)));
        assert_eq!(state(true, [json!(later), json!(now), json!(later)]), QuizState::Due(at(later)));
        assert_eq!(state(true, [json!(earlier), Value::Null, json!(now)]), QuizState::Closed);
        assert_eq!(state_in(true, true, [json!(later), json!(later), Value::Null]), QuizState::Closed);
    }
}
