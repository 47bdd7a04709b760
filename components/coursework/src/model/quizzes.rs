//! Classic quizzes: as they are kept, searched and changed.

use ::submissions::quiz_options::{QuizOptions, QuizType, attempts_with};
use serde::Deserialize;
use shared::db::Json;
use shared::ids::{AssignmentId, QuizId};
use shared::{JsonSchema, Timestamp};

use crate::model::assignments::Announced;
use crate::model::locks::Lock;

/// A quiz as it is stored, with what its questions and groups add up to.
#[derive(Deserialize)]
pub(crate) struct Quiz {
    pub(crate) id: QuizId,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) quiz_type: QuizType,
    pub(crate) settings: Json<QuizOptions>,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) workflow_state: String,
    pub(crate) version_number: i64,
    /// The assignment that its grades are of.
    pub(crate) assignment_id: Option<AssignmentId>,
    /// Of the student who reads it: what it allows the student beyond others.
    pub(crate) extra_attempts: Option<i64>,
    pub(crate) extra_time: Option<i64>,
    pub(crate) manually_unlocked: Option<bool>,
    /// True if it is for everybody, or an override of its dates is for the student who reads it.
    pub(crate) is_assigned: bool,
    /// True if somebody has begun an attempt.
    pub(crate) attempted: bool,
    pub(crate) question_count: i64,
    pub(crate) points_possible: f64,
    pub(crate) question_types: Json<Vec<String>>,
}

impl Quiz {
    pub(crate) fn is_published(&self) -> bool {
        self.workflow_state == "available"
    }

    /// True if students see it: of one that is for some of them alone, these.
    pub(crate) fn is_seen_by_students(&self) -> bool {
        self.is_published() && self.is_assigned
    }

    /// The number of times that the student who reads it may take it; -1: without end.
    pub(crate) fn allowed_attempts(&self) -> i64 {
        attempts_with(self.settings.0.allowed_attempts, self.extra_attempts)
    }

    /// The end of an attempt that the student who reads it begins now.
    pub(crate) fn end_of_attempt(&self, now: Timestamp) -> Option<Timestamp> {
        let minutes =
            self.settings.0.time_limit.map(|minutes| minutes.saturating_add(self.extra_time.unwrap_or_default()));
        let time_is_up = minutes.map(|minutes| now.plus_seconds(minutes.saturating_mul(60)));
        [time_is_up, self.lock_at.filter(|_| !self.is_unlocked())].into_iter().flatten().min()
    }

    /// True if the student who reads it may take it although it is locked for others.
    pub(crate) fn is_unlocked(&self) -> bool {
        self.manually_unlocked == Some(true)
    }

    /// Why the student who reads it cannot take it now.
    pub(crate) fn lock(&self, now: Timestamp) -> Option<Lock> {
        if self.is_unlocked() { None } else { Lock::of_quiz(self.id, (self.unlock_at, self.lock_at), now) }
    }

    pub(crate) fn fields(&self) -> Fields {
        Fields {
            title: self.title.clone(),
            description: self.description.clone(),
            quiz_type: self.quiz_type,
            options: self.settings.0.clone(),
            due_at: self.due_at,
            lock_at: self.lock_at,
            unlock_at: self.unlock_at,
        }
    }
}

/// The quizzes of a list that are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Search {
    /// A part of the title.
    pub(crate) search_term: Option<String>,
}

/// The quizzes whose dates are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct QuizDatesFilter {
    /// Only these quizzes; all of them where none is named.
    quiz_assignment_overrides: Vec<NamedQuizzes>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct NamedQuizzes {
    quiz_ids: Vec<QuizId>,
}

impl QuizDatesFilter {
    /// The quizzes that are named; `None`: all.
    pub(crate) fn quiz_ids(&self) -> Option<Vec<i64>> {
        let ids: Vec<_> =
            self.quiz_assignment_overrides.iter().flat_map(|named| &named.quiz_ids).map(|id| id.0).collect();
        Some(ids).filter(|ids| !ids.is_empty())
    }
}

/// The columns of a quiz that are set.
pub(crate) struct Fields {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) quiz_type: QuizType,
    pub(crate) options: QuizOptions,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) lock_at: Option<Timestamp>,
    pub(crate) unlock_at: Option<Timestamp>,
}

impl Fields {
    /// The part of it that students are told.
    pub(crate) fn announced(&self, published: bool) -> Announced {
        Announced {
            title: self.title.clone(),
            description: self.description.clone(),
            points_possible: None,
            due_at: self.due_at,
            unlock_at: self.unlock_at,
            lock_at: self.lock_at,
            published,
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            title: "Unnamed Quiz".to_owned(),
            description: None,
            quiz_type: QuizType::default(),
            options: QuizOptions::default(),
            due_at: None,
            lock_at: None,
            unlock_at: None,
        }
    }
}
