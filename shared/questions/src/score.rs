//! What an answer earns, and which of its parts are right.

use crate::fraction::Fraction;

/// The score of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// The part of the question's points that is earned: 0 to 1, exact. Of an answer that waits for a person, what is earned
    /// without that person.
    pub fraction: Fraction,
    /// The pieces of the answer, in the order of the question.
    pub parts: Vec<PartScore>,
    /// Whether the score is final.
    pub state: ScoreState,
}

/// A piece of an answer: a picked choice, a matched question, a category, a place of an order, a blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartScore {
    /// The id of the choice, question, category or blank; `true` or `false`; of a number the id of the accepted response
    /// that it matches; of a place the id of the spot that it finds, where there are several; empty of a formula, and of a
    /// number or a place that matches none.
    pub id: String,
    /// True if this piece is right, whatever it earns.
    pub is_right: bool,
    /// What it earns of the question's points; less than 0 where a wrong pick costs some.
    pub earned: Fraction,
}

/// Whether a score is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreState {
    /// It is.
    Scored,
    /// A person has to grade the answer, or a part of it.
    WaitsForPerson,
    /// There is no answer: nothing is earned.
    Unanswered,
}

impl Score {
    /// Nothing for no answer.
    pub(crate) fn unanswered() -> Self {
        Self { fraction: Fraction::zero(), parts: Vec::new(), state: ScoreState::Unanswered }
    }

    /// Nothing yet, until a person has graded it.
    pub(crate) fn waiting() -> Self {
        Self { fraction: Fraction::zero(), parts: Vec::new(), state: ScoreState::WaitsForPerson }
    }

    /// All or nothing for a single piece.
    pub(crate) fn single(id: impl Into<String>, is_right: bool) -> Self {
        Self::worth(id, is_right, if is_right { Fraction::one() } else { Fraction::zero() })
    }

    /// A single piece that earns that much.
    pub(crate) fn worth(id: impl Into<String>, is_right: bool, earned: Fraction) -> Self {
        let parts = vec![PartScore { id: id.into(), is_right, earned: earned.clone() }];
        Self { fraction: earned, parts, state: ScoreState::Scored }
    }

    /// Each right piece earns its share, and the answer what they earn together.
    pub(crate) fn by_parts(pieces: Vec<(String, bool)>) -> Self {
        let count = pieces.len();
        Self::of(pieces, count)
    }

    /// All points if all pieces are right, and none otherwise.
    pub(crate) fn all_or_nothing(pieces: Vec<(String, bool)>) -> Self {
        let all_right = pieces.iter().all(|(_, is_right)| *is_right);
        let shares = if all_right { pieces.len() } else { 0 };
        Self::of(pieces, shares)
    }

    /// Each right piece earns one of so many shares.
    pub(crate) fn of(pieces: Vec<(String, bool)>, shares: usize) -> Self {
        let right = pieces.iter().filter(|(_, is_right)| *is_right).count();
        let parts = pieces.into_iter().map(|(id, is_right)| PartScore {
            id,
            is_right,
            earned: Fraction::of_parts(usize::from(is_right), shares),
        });
        Self { fraction: Fraction::of_parts(right, shares), parts: parts.collect(), state: ScoreState::Scored }
    }

    /// True if all points are earned.
    pub fn is_right(&self) -> bool {
        self.state == ScoreState::Scored && self.fraction == Fraction::one()
    }
}
