//! The score of a session.

use questions::{Fraction, PartScore, Score, ScoreState, score};
use serde::Serialize;
use serde_json::{Map, Value, json};
use submissions::grading::{rounded, rounded_of};

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
            score: rounded_of(total.to_f64(), row.points_possible),
            is_scored,
            responses: Value::Object(responses),
            versions: content.versions(),
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
