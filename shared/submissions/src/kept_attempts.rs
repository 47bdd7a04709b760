//! What a new quiz keeps of a student's attempts.

use serde::Deserialize;
use shared::db;
use shared::ids::{AssignmentId, UserId};
use shared::{Db, Timestamp};

use crate::grading::{Grade, rounded_of};
use crate::quiz_settings::{QuizSettings, ScoreToKeep};
use crate::store::Row;

/// The score of an attempt, of so many points.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct AttemptScore {
    pub attempt: i64,
    pub score: f64,
    pub points_possible: f64,
    /// False: somebody must read an answer.
    pub is_scored: bool,
    pub submitted_at: Timestamp,
}

impl AttemptScore {
    /// The points of the assignment that it is worth. An assignment that has none takes the score as it is.
    pub fn of_assignment(self, points_possible: Option<f64>) -> f64 {
        match points_possible.filter(|points| *points > 0.0 && self.points_possible > 0.0) {
            Some(points) => rounded_of(self.score / self.points_possible * points, points),
            None => self.score,
        }
    }
}

/// What a quiz keeps of a student's attempts.
pub struct Kept {
    /// Before what lateness costs.
    pub grade: Grade,
    /// When the attempt was handed in that it is of; `None`: there is no attempt.
    pub submitted_at: Option<Timestamp>,
}

impl Kept {
    /// What is kept of attempts that are in their order.
    pub fn of(row: &Row, scores: &[AttemptScore], settings: &QuizSettings) -> Self {
        let points: Vec<_> = scores.iter().map(|score| score.of_assignment(row.points_possible)).collect();
        let policy = settings.multiple_attempts.as_ref().and_then(|attempts| attempts.score_to_keep);
        let attempt = kept_place(&points, policy).and_then(|place| scores.get(place));
        Self { grade: row.scale().grade(kept(&points, policy)), submitted_at: attempt.map(|score| score.submitted_at) }
    }
}

/// The scores of all attempts of a student that came from sessions, in their order.
pub async fn scores(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<Vec<AttemptScore>> {
    let sql = "SELECT s.attempt, s.score, s.points_possible, s.is_scored, s.submitted_at FROM quiz_sessions s
               WHERE s.assignment_id = ?1 AND s.user_id = ?2 AND s.is_preview = 0 AND s.state = 'submitted'
               ORDER BY s.attempt";
    db.fetch_all(sql, (quiz, user)).await
}

/// The points that are kept of several attempts, which are in their order, before they are rounded. The best unless a quiz says otherwise.
fn kept(points: &[f64], policy: Option<ScoreToKeep>) -> f64 {
    let kept = match policy.unwrap_or(ScoreToKeep::Highest) {
        ScoreToKeep::Average => average(points),
        _ => kept_place(points, policy).and_then(|place| points.get(place)).copied(),
    };
    kept.unwrap_or_default()
}

/// Millionths are whole numbers, whose sum is exact: no points have more digits.
fn average(points: &[f64]) -> Option<f64> {
    let count = u32::try_from(points.len()).ok().filter(|count| *count > 0)?;
    let millionths: f64 = points.iter().map(|points| (points * 1e6).round()).sum();
    Some(millionths / f64::from(count) / 1e6)
}

/// The place of the attempt whose lateness counts: the one that is kept, of equal ones the first. An average is as late as the latest.
fn kept_place(points: &[f64], policy: Option<ScoreToKeep>) -> Option<usize> {
    match policy.unwrap_or(ScoreToKeep::Highest) {
        ScoreToKeep::First => (!points.is_empty()).then_some(0),
        ScoreToKeep::Latest | ScoreToKeep::Average => points.len().checked_sub(1),
        ScoreToKeep::Highest => {
            let better = |best: (usize, f64), one: (usize, f64)| if one.1 > best.1 { one } else { best };
            points.iter().copied().enumerate().reduce(better).map(|(place, _)| place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_score_is_kept_of_several() {
        let points = [4.0, 9.0, 6.5];
        for (policy, expected) in [
            (None, 9.0),
            (Some(ScoreToKeep::Highest), 9.0),
            (Some(ScoreToKeep::First), 4.0),
            (Some(ScoreToKeep::Latest), 6.5),
            (Some(ScoreToKeep::Average), 6.5),
        ] {
            assert_eq!(kept(&points, policy).to_string(), expected.to_string());
        }
        let average = |points: &[f64], of| rounded_of(kept(points, Some(ScoreToKeep::Average)), of).to_string();
        assert_eq!(average(&[1.0, 1.0, 2.0], 2.0), "1.33");
        assert_eq!(average(&[0.999, 0.999, 0.999], 0.999), "0.999");
        assert_eq!(kept(&[], Some(ScoreToKeep::Average)).to_string(), "0");
    }

    #[test]
    fn the_score_that_is_kept_is_as_late_as_its_attempt() {
        let points = [4.0, 9.0, 6.5, 9.0];
        assert_eq!(kept_place(&points, None), Some(1));
        assert_eq!(kept_place(&points, Some(ScoreToKeep::First)), Some(0));
        assert_eq!(kept_place(&points, Some(ScoreToKeep::Latest)), Some(3));
        assert_eq!(kept_place(&points, Some(ScoreToKeep::Average)), Some(3));
        assert_eq!(kept_place(&[], Some(ScoreToKeep::First)), None);
    }

    #[test]
    fn a_score_becomes_points_of_the_assignment() {
        let submitted_at = shared::clock::now();
        let score = AttemptScore { attempt: 1, score: 3.0, points_possible: 4.0, is_scored: true, submitted_at };
        assert_eq!(score.of_assignment(Some(10.0)).to_string(), "7.5");
        assert_eq!((score.of_assignment(Some(0.0)) + score.of_assignment(None)).to_string(), "6");
        let all = AttemptScore { score: 4.0, ..score };
        assert_eq!(all.of_assignment(Some(0.999)).to_string(), "0.999");
        let nothing = AttemptScore { score: 0.0, points_possible: 0.0, ..score };
        assert_eq!(nothing.of_assignment(Some(10.0)).to_string(), "0");
    }
}
