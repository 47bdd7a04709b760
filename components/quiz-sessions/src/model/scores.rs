//! The score of a session, and the one that is kept of several.

use questions::{Fraction, PartScore, Score, ScoreState, score};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::Timestamp;
use submissions::grading::Grade;
use submissions::quiz_settings::{QuizSettings, ScoreToKeep};
use submissions::store::Row;

use crate::model::drawing::DrawnItem;
use crate::model::items::{AskedQuestion, Content};
use crate::model::sessions::SessionRow;

/// What an answer is worth.
#[derive(Serialize)]
pub(crate) struct Mark {
    pub(crate) item_id: String,
    /// Null: somebody must read it.
    points: Option<f64>,
    /// What each piece of it is worth, as JSON.
    parts: String,
}

/// The score of a session.
pub(crate) struct Marks {
    pub(crate) marks: Vec<Mark>,
    pub(crate) score: f64,
    /// False: somebody must read an answer.
    pub(crate) is_scored: bool,
    /// The responses by item.
    pub(crate) responses: Value,
    /// The versions of all answers together: none of them has changed where it is the same.
    pub(crate) versions: i64,
}

impl Marks {
    /// Scores what was saved. An answer that cannot be judged waits for a person; the log is told why.
    pub(crate) fn of(row: &SessionRow, content: &Content, log: impl Fn(&str)) -> Self {
        Self::judged_by(row, content, |item, asked, response| judged(row, item, asked, response, &log))
    }

    /// Leaves all that was answered to a person.
    pub(crate) fn unjudged(row: &SessionRow, content: &Content) -> Self {
        Self::judged_by(row, content, |_, _, response| Judged::unread(response))
    }

    fn judged_by(
        row: &SessionRow,
        content: &Content,
        judge: impl Fn(&DrawnItem, &AskedQuestion, Option<&Value>) -> Judged,
    ) -> Self {
        let asked = row.items.0.iter().filter_map(|item| Some((item, content.question(item)?)));
        let (mut marks, mut responses) = (Vec::new(), Map::new());
        let (mut total, mut is_scored) = (Fraction::zero(), true);
        for (item, asked) in asked {
            let response = content.answer(&item.id).and_then(|answer| answer.response.as_ref()).map(|json| &json.0);
            if let Some(response) = response {
                responses.insert(item.id.clone(), response.clone());
            }
            let judged = judge(item, asked, response);
            is_scored &= !judged.waits;
            marks.push(Mark { item_id: item.id.clone(), points: judged.points(), parts: judged.parts });
            total = total + judged.earned;
        }
        Self {
            marks,
            score: rounded(total.to_f64()),
            is_scored,
            responses: Value::Object(responses),
            versions: content.answers.iter().map(|answer| answer.version).sum(),
        }
    }
}

/// What the service makes of an answer.
pub(crate) struct Judged {
    /// The points; of an answer that waits those that it has without a person.
    earned: Fraction,
    waits: bool,
    /// As JSON.
    pub(crate) parts: String,
}

impl Judged {
    /// Nothing yet, where there is an answer that nobody has read.
    fn unread(response: Option<&Value>) -> Self {
        Self { earned: Fraction::zero(), waits: response.is_some(), parts: "[]".to_owned() }
    }

    /// `None`: somebody must read the answer.
    pub(crate) fn points(&self) -> Option<f64> {
        (!self.waits).then(|| self.earned.to_f64())
    }
}

/// Judges an answer. One that cannot be judged waits for a person; the log is told why.
pub(crate) fn judged(
    row: &SessionRow,
    item: &DrawnItem,
    asked: &AskedQuestion,
    response: Option<&Value>,
    log: impl Fn(&str),
) -> Judged {
    let scored = scored(item, asked, response).unwrap_or_else(|reason| {
        log(&format!("session {}, item {}: {reason}", row.id, item.id));
        None
    });
    let parts: Vec<_> = scored.iter().flat_map(|score| &score.parts).map(|part| piece(part, item.points)).collect();
    Judged {
        earned: scored.as_ref().map_or_else(Fraction::zero, |score| score.fraction.of_points(item.points)),
        waits: scored.as_ref().is_none_or(|score| score.state == ScoreState::WaitsForPerson),
        parts: Value::from(parts).to_string(),
    }
}

fn scored(item: &DrawnItem, asked: &AskedQuestion, response: Option<&Value>) -> Result<Option<Score>, String> {
    let question = asked.parsed().map_err(|error| error.to_string())?;
    score(&question, response, item.variant).map(Some).map_err(|error| error.to_string())
}

pub(crate) fn piece(part: &PartScore, points: f64) -> Value {
    json!({ "id": part.id, "correct": part.is_right, "points": rounded(part.earned.of_points(points).to_f64()) })
}

/// To two digits behind the point, as grades are shown.
pub(crate) fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}

/// The score of an attempt, of so many points.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct AttemptScore {
    pub(crate) attempt: i64,
    pub(crate) score: f64,
    pub(crate) points_possible: f64,
    /// False: somebody must read an answer.
    pub(crate) is_scored: bool,
    pub(crate) submitted_at: Timestamp,
}

impl AttemptScore {
    /// The points of the assignment that it is worth. An assignment that has none takes the score as it is.
    pub(crate) fn of_assignment(self, points_possible: Option<f64>) -> f64 {
        match points_possible.filter(|points| *points > 0.0 && self.points_possible > 0.0) {
            Some(points) => rounded(self.score / self.points_possible * points),
            None => self.score,
        }
    }
}

/// What a quiz keeps of a student's attempts.
pub(crate) struct Kept {
    /// Before what lateness costs.
    pub(crate) grade: Grade,
    /// When the attempt was handed in that it is of; `None`: there is no attempt.
    pub(crate) submitted_at: Option<Timestamp>,
}

impl Kept {
    /// What is kept of attempts that are in their order.
    pub(crate) fn of(row: &Row, scores: &[AttemptScore], settings: &QuizSettings) -> Self {
        let points: Vec<_> = scores.iter().map(|score| score.of_assignment(row.points_possible)).collect();
        let policy = settings.multiple_attempts.as_ref().and_then(|attempts| attempts.score_to_keep);
        let attempt = kept_place(&points, policy).and_then(|place| scores.get(place));
        Self { grade: row.scale().grade(kept(&points, policy)), submitted_at: attempt.map(|score| score.submitted_at) }
    }
}

/// The points that are kept of several attempts, which are in their order. The best unless a quiz says otherwise.
fn kept(points: &[f64], policy: Option<ScoreToKeep>) -> f64 {
    let kept = match policy.unwrap_or(ScoreToKeep::Highest) {
        ScoreToKeep::Average => {
            let sum: Fraction = points.iter().map(|points| Fraction::of_number(*points)).sum();
            let share = Fraction::of_parts(1, points.len());
            Some((sum * share).to_f64())
        }
        _ => kept_place(points, policy).and_then(|place| points.get(place)).copied(),
    };
    rounded(kept.unwrap_or_default())
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
        assert_eq!(kept(&points, None), 9.0);
        assert_eq!(kept(&points, Some(ScoreToKeep::Highest)), 9.0);
        assert_eq!(kept(&points, Some(ScoreToKeep::First)), 4.0);
        assert_eq!(kept(&points, Some(ScoreToKeep::Latest)), 6.5);
        assert_eq!(kept(&points, Some(ScoreToKeep::Average)), 6.5);
        assert_eq!(kept(&[1.0, 1.0, 2.0], Some(ScoreToKeep::Average)), 1.33);
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
        assert_eq!(score.of_assignment(Some(10.0)), 7.5);
        assert_eq!((score.of_assignment(Some(0.0)), score.of_assignment(None)), (3.0, 3.0));
        assert_eq!(AttemptScore { score: 0.0, points_possible: 0.0, ..score }.of_assignment(Some(10.0)), 0.0);
    }
}
