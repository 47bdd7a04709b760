//! The file of a scenario. What it does not know is refused, with its place.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::Value;

use super::times::When;
use crate::sandbox::reply::Problem;

/// A whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) accounts: Vec<Account>,
    pub(super) users: Vec<User>,
    pub(super) courses: Vec<Course>,
    pub(super) webhooks: Vec<Webhook>,
}

/// An institution of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Account {
    pub(super) name: String,
}

/// A user; with a count so many, whose numbers stand where `{n}` does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    pub(super) login: String,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) password: Option<String>,
    pub(super) account: Option<String>,
    pub(super) count: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Course {
    pub(super) name: String,
    pub(super) code: Option<String>,
    #[serde(default)]
    pub(super) state: CourseState,
    pub(super) account: Option<String>,
    pub(super) start_at: Option<When>,
    pub(super) end_at: Option<When>,
    #[serde(default)]
    pub(super) teachers: Vec<String>,
    #[serde(default)]
    pub(super) tas: Vec<String>,
    #[serde(default)]
    pub(super) students: Vec<String>,
    #[serde(default)]
    pub(super) sections: Vec<Section>,
    #[serde(default)]
    pub(super) assignments: Vec<Assignment>,
    #[serde(default)]
    pub(super) quizzes: Vec<Quiz>,
    #[serde(default)]
    pub(super) pages: Vec<Page>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CourseState {
    #[default]
    Available,
    Unpublished,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    pub(super) name: String,
    #[serde(default)]
    pub(super) students: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) points: Option<f64>,
    pub(super) due_at: Option<When>,
    pub(super) unlock_at: Option<When>,
    pub(super) lock_at: Option<When>,
    pub(super) published: Option<bool>,
    pub(super) submission_types: Option<Vec<String>>,
    pub(super) grading_type: Option<String>,
    pub(super) submissions: Option<Submissions>,
}

/// What students have handed in. `{login}` and `{n}`, the number of the student among them, stand in texts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Submissions {
    pub(super) students: Vec<String>,
    pub(super) body: Option<String>,
    pub(super) url: Option<String>,
    pub(super) submitted_at: Option<When>,
    pub(super) grade: Option<Grade>,
}

/// Points, or any other grade that the API takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grade(pub(super) String);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quiz {
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) quiz_type: Option<String>,
    #[serde(default)]
    pub(super) published: bool,
    pub(super) due_at: Option<When>,
    pub(super) time_limit: Option<i64>,
    pub(super) allowed_attempts: Option<i64>,
    #[serde(default)]
    pub(super) questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) name: Option<String>,
    pub(super) r#type: Option<String>,
    pub(super) text: String,
    pub(super) points: Option<f64>,
    #[serde(default)]
    pub(super) answers: Vec<Answer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    pub(super) text: String,
    #[serde(default)]
    pub(super) weight: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) published: Option<bool>,
    pub(super) front_page: Option<bool>,
}

/// A subscription of a tool of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Webhook {
    /// An address, or `inbox:` and the name of an inbox of the sandbox.
    pub(super) url: String,
    pub(super) events: Vec<String>,
    pub(super) format: Option<String>,
    pub(super) account: Option<String>,
}

impl Scenario {
    /// Reads YAML, of which JSON is a part.
    pub(super) fn read(text: &str) -> Result<Self, Problem> {
        // A file in which all is commented out has nothing in it, too.
        let file: Option<Self> = serde_norway::from_str(text).map_err(|error| misread(&error.to_string()))?;
        Ok(file.unwrap_or_default())
    }
}

/// What is wrong, with its place before it as the reader tells it: `users[0]: unknown field …`.
fn misread(error: &str) -> Problem {
    let is_place = |place: &str| {
        let mut characters = place.chars();
        characters.next().is_some_and(char::is_alphabetic)
            && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'))
            && (place.contains('[') || ["accounts", "users", "courses", "webhooks"].contains(&place))
    };
    let problem = Problem::bad_request(error);
    match error.split_once(": ").filter(|(place, _)| is_place(place)) {
        Some((place, _)) => problem.at(place),
        None => problem,
    }
}

impl<'de> Deserialize<'de> for Grade {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GradeWords)
    }
}

struct GradeWords;

impl Visitor<'_> for GradeWords {
    type Value = Grade;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("points, or a grade as text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Grade, E> {
        Ok(Grade(text.to_owned()))
    }

    fn visit_u64<E: Error>(self, points: u64) -> Result<Grade, E> {
        Ok(Grade(points.to_string()))
    }

    fn visit_i64<E: Error>(self, points: i64) -> Result<Grade, E> {
        Ok(Grade(points.to_string()))
    }

    fn visit_f64<E: Error>(self, points: f64) -> Result<Grade, E> {
        Ok(Grade(points.to_string()))
    }
}

/// An object of those of these values that are given.
pub(super) fn given<const N: usize>(values: [(&str, Option<Value>); N]) -> Value {
    let given = values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file_is_read_as_yaml_and_as_json() {
        let yaml = r#"
accounts: [{name: School B}]
users:
  - {login: ada, name: Ada Lovelace, email: ada@example.edu}
  - login: student-{n}
    name: Student {n}
    count: 200
courses:
  - name: Biology
    code: BIO1
    state: unpublished
    teachers: [ada]
    students: [student-*]
    sections: [{name: A, students: [student-1, student-2]}]
    assignments:
      - {name: Essay, points: 10, due_at: +7d, submissions: {students: [student-*], body: "Text of {login}", grade: 8}}
    quizzes:
      - title: Cells
        published: true
        questions: [{type: essay_question, text: Why?, points: 1, answers: [{text: a, weight: 100}, {text: b}]}]
    pages: [{title: Welcome, body: <p>Hello</p>}]
webhooks: [{url: inbox:default, events: [SUBMISSION_CREATED]}]
"#;
        let scenario = Scenario::read(yaml).unwrap();
        assert_eq!((scenario.users[1].login.as_str(), scenario.users[1].count), ("student-{n}", Some(200)));
        let course = &scenario.courses[0];
        assert_eq!(course.state, CourseState::Unpublished);
        let submissions = course.assignments[0].submissions.as_ref().unwrap();
        assert_eq!(submissions.grade, Some(Grade("8".to_owned())));
        assert!(course.quizzes[0].questions[0].answers[1].weight.abs() < f64::EPSILON);
        let json = r#"{"users":[{"login":"ada"}],"courses":[{"name":"Botany"}]}"#;
        assert_eq!(Scenario::read(json).unwrap().courses[0].state, CourseState::Available);
        assert!(Scenario::read("# nothing").unwrap().users.is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, field, words) in [
            ("users: [{login: ada, nmae: Ada}]", Some("users[0]"), "unknown field `nmae`"),
            (
                "courses:\n  - name: B\n    assignments:\n      - {name: E, due_at: soon}",
                Some("courses[0].assignments[0].due_at"),
                "+7d",
            ),
            ("users: ada", Some("users"), "sequence"),
            ("people: []", None, "unknown field `people`"),
            ("users: [", None, "line"),
            ("{\"users\":[{}]}", Some("users[0]"), "login"),
        ] {
            let problem = Scenario::read(text).unwrap_err();
            assert_eq!(problem.field.as_deref(), field, "{problem}");
            assert!(problem.message.contains(words), "{problem}");
        }
    }

    #[test]
    fn only_what_is_given_is_sent() {
        let object = given([("name", Some("x".into())), ("points", None)]);
        assert_eq!(object, serde_json::json!({ "name": "x" }));
    }
}
