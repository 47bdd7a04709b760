//! The student analysis: a row for each attempt, with what was answered to each question and its points.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::Timestamp;

use crate::sheet::Cell;
use crate::students::Student;

/// A question, which has two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The id of the question.
    pub id: String,
    /// Plain text.
    pub text: String,
    /// In points.
    pub points_possible: f64,
}

/// The columns of all questions that any attempt has, in the order in which they were met.
#[derive(Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
    places: BTreeMap<String, usize>,
}

impl Columns {
    /// True if the question has columns.
    pub fn has(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// The number of questions.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// Adds the columns of a question that has none.
    pub fn add(&mut self, column: Column) {
        if !self.has(&column.id) {
            self.places.insert(column.id.clone(), self.columns.len());
            self.columns.push(column);
        }
    }
}

/// What was answered to a question.
#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    /// Plain text; blank: nothing.
    pub text: String,
    /// Null while nobody has judged it.
    pub points: Option<f64>,
    /// Null while nobody has judged it.
    pub correct: Option<bool>,
}

/// An attempt.
#[derive(Debug, Clone)]
pub struct AnalyzedAttempt {
    /// Nobody, where it is anonymous.
    pub student: Option<Student>,
    /// When it was handed in.
    pub submitted_at: Timestamp,
    /// From 1.
    pub attempt: i64,
    /// In points.
    pub score: f64,
    /// By the id of the question.
    pub answers: BTreeMap<String, Answered>,
}

impl AnalyzedAttempt {
    fn count(&self, correct: bool) -> usize {
        self.answers.values().filter(|answer| answer.correct == Some(correct)).count()
    }
}

/// The columns that tell who has made an attempt: the moment does so, too, for whoever sees the submissions.
const PERSON: [&str; 7] = ["name", "id", "sis_id", "section", "section_id", "section_sis_id", "submitted"];

/// The names of the columns.
pub fn header(columns: &Columns, is_anonymous: bool) -> Vec<Cell> {
    let person: &[&str] = if is_anonymous { &[] } else { &PERSON };
    let mut cells: Vec<_> = person.iter().chain(&["attempt"]).map(|name| Cell::from(*name)).collect();
    for column in &columns.columns {
        cells.push(Cell::Text(format!("{}: {}", column.id, column.text)));
        cells.push(Cell::Number(column.points_possible));
    }
    cells.extend(["n correct", "n incorrect", "score"].map(Cell::from));
    cells
}

/// The row of an attempt.
pub fn row(columns: &Columns, attempt: &AnalyzedAttempt, is_anonymous: bool) -> Vec<Cell> {
    let mut cells = Vec::new();
    if !is_anonymous {
        cells.extend(person(attempt.student.as_ref()));
        cells.push(Cell::Text(attempt.submitted_at.to_string()));
    }
    cells.push(Cell::Whole(attempt.attempt));
    for column in &columns.columns {
        let answered = attempt.answers.get(&column.id);
        cells.push(answered.map_or(Cell::Nothing, |answer| Cell::Text(answer.text.clone())));
        cells.push(answered.and_then(|answer| answer.points).into());
    }
    cells.extend([attempt.count(true).into(), attempt.count(false).into(), Cell::Number(attempt.score)]);
    cells
}

fn person(student: Option<&Student>) -> Vec<Cell> {
    let Some(student) = student else { return vec![Cell::Nothing; 6] };
    let sis_id = student.sis_id.clone().map_or(Cell::Nothing, Cell::Text);
    let [sections, section_ids, section_sis_ids] = student.section_texts().map(Cell::Text);
    vec![Cell::Text(student.name.clone()), Cell::Whole(student.id.0), sis_id, sections, section_ids, section_sis_ids]
}

/// An attempt for programs.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    student: Option<&'a Student>,
    /// Whoever knows when something was handed in may know by whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    submitted: Option<Timestamp>,
    attempt: i64,
    responses: Vec<Response<'a>>,
    n_correct: usize,
    n_incorrect: usize,
    score: f64,
}

#[derive(Serialize)]
struct Response<'a> {
    question_id: &'a str,
    question: &'a str,
    points_possible: f64,
    #[serde(flatten)]
    answered: &'a Answered,
}

/// An attempt as JSON, with the questions that it has.
///
/// # Errors
/// A number that JSON does not have.
pub fn record(columns: &Columns, attempt: &AnalyzedAttempt) -> serde_json::Result<String> {
    let responses = columns.columns.iter().filter_map(|column| {
        let answered = attempt.answers.get(&column.id)?;
        Some(Response {
            question_id: &column.id,
            question: &column.text,
            points_possible: column.points_possible,
            answered,
        })
    });
    serde_json::to_string(&Record {
        student: attempt.student.as_ref(),
        submitted: attempt.student.as_ref().map(|_| attempt.submitted_at),
        attempt: attempt.attempt,
        responses: responses.collect(),
        n_correct: attempt.count(true),
        n_incorrect: attempt.count(false),
        score: attempt.score,
    })
}

#[cfg(test)]
mod tests {
    use shared::ids::{SectionId, UserId};

    use super::*;
    use crate::sheet::line;
    use crate::students::Section;

    fn attempt() -> (Columns, AnalyzedAttempt) {
        let mut columns = Columns::default();
        for (id, text) in [("7", "Which tree?"), ("9", "Why?"), ("7", "Which one?")] {
            columns.add(Column { id: id.to_owned(), text: text.to_owned(), points_possible: 2.0 });
        }
        let section = |id, name: &str| Section { id: SectionId(id), name: name.to_owned(), sis_id: None };
        let student = Student {
            id: UserId(5),
            name: "=Ann".to_owned(),
            sis_id: Some("S5".to_owned()),
            sections: vec![section(1, "Morning"), section(2, "Evening")],
        };
        let oak = Answered { text: "Oak".to_owned(), points: Some(2.0), correct: Some(true) };
        let attempt = AnalyzedAttempt {
            student: Some(student),
            submitted_at: Timestamp::from_unix(0).unwrap(),
            attempt: 1,
            score: 2.0,
            answers: BTreeMap::from([("7".to_owned(), oak)]),
        };
        (columns, attempt)
    }

    #[test]
    fn each_attempt_is_a_row() {
        let (columns, attempt) = attempt();
        assert_eq!(
            line(&header(&columns, false)),
            "name,id,sis_id,section,section_id,section_sis_id,submitted,attempt,7: Which tree?,2.0,9: Why?,2.0,\
             n correct,n incorrect,score\r\n"
        );
        assert_eq!(
            line(&row(&columns, &attempt, false)),
            "'=Ann,5,S5,\"Morning, Evening\",\"1, 2\",,1970-01-01T00:00:00Z,1,Oak,2.0,,,1,0,2.0\r\n"
        );
    }

    #[test]
    fn an_anonymous_row_tells_nobody() {
        let (columns, attempt) = attempt();
        assert_eq!(line(&row(&columns, &attempt, true)), "1,Oak,2.0,,,1,0,2.0\r\n");
        assert_eq!(header(&columns, true).len(), row(&columns, &attempt, true).len());
    }

    #[test]
    fn a_record_has_the_questions_that_were_asked() {
        let (columns, attempt) = attempt();
        let record: serde_json::Value = serde_json::from_str(&record(&columns, &attempt).unwrap()).unwrap();
        assert_eq!(record["responses"].as_array().unwrap().len(), 1);
        assert_eq!((&record["responses"][0]["text"], &record["student"]["name"]), (&"Oak".into(), &"=Ann".into()));
        assert_eq!(record["submitted"], "1970-01-01T00:00:00Z");
    }

    #[test]
    fn an_anonymous_record_tells_nobody() {
        let (columns, attempt) = attempt();
        let attempt = AnalyzedAttempt { student: None, ..attempt };
        let record: serde_json::Value = serde_json::from_str(&record(&columns, &attempt).unwrap()).unwrap();
        assert_eq!((record.get("student"), record.get("submitted")), (None, None));
    }
}
