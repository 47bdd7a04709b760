//! Taking new quizzes: sessions, answers, results, accommodations.

mod accommodations;
mod answers;
mod bounds;
mod grading;
mod grading_page;
mod regrades;
mod results;
mod sessions;
mod statistics;

use serde_json::{Value, json};
use support::{Client, Course, Response, School};

/// A course with a new quiz, its teacher and a student.
pub(crate) struct Room {
    pub(crate) school: School,
    pub(crate) course: Course,
    pub(crate) teacher: Client,
    pub(crate) student: Client,
    /// The path of the course in the quiz engine.
    pub(crate) engine: String,
    pub(crate) quiz: i64,
}

impl Room {
    /// A published quiz with these settings, of ten points and without questions.
    pub(crate) async fn with(settings: Value) -> Self {
        Self::of(json!({ "quiz_settings": settings })).await
    }

    /// The same with other fields.
    pub(crate) async fn of(fields: Value) -> Self {
        Self::in_school(School::start().await, fields).await
    }

    /// The same in that school.
    pub(crate) async fn in_school(school: School, fields: Value) -> Self {
        let (course, teacher, student) = school.classroom("Botany").await;
        let engine = format!("/api/quiz/v1/courses/{}", course.id);
        let mut quiz = json!({ "title": "Leaves", "points_possible": 10, "published": true });
        for (name, value) in fields.as_object().unwrap() {
            quiz[name] = value.clone();
        }
        let quiz = teacher.post(&format!("{engine}/quizzes")).json(json!({ "quiz": quiz })).await.is(200).id();
        Self { school, course, teacher, student, engine, quiz }
    }

    /// The same with as many questions that are true.
    pub(crate) async fn of_questions(count: usize, settings: Value) -> Self {
        let room = Self::with(settings).await;
        for number in 1..=count {
            room.asks(xtask::items::true_false(&format!("Statement {number}"), true)).await;
        }
        room
    }

    pub(crate) fn path(&self) -> String {
        format!("{}/quizzes/{}", self.engine, self.quiz)
    }

    pub(crate) fn sessions(&self) -> String {
        format!("{}/sessions", self.path())
    }

    pub(crate) async fn asks(&self, entry: Value) -> i64 {
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 2, "entry": entry } });
        self.teacher.post(&format!("{}/items", self.path())).json(item).await.is(200).id()
    }

    pub(crate) async fn sets(&self, fields: Value) {
        self.teacher.patch(&self.path()).json(json!({ "quiz": fields })).await.is(200);
    }

    pub(crate) async fn starts(&self) -> Taken {
        self.started_by(&self.student).await
    }

    pub(crate) async fn started_by(&self, client: &Client) -> Taken {
        let session = client.post(&self.sessions()).await.is(200);
        Taken { path: format!("{}/{}", self.sessions(), session.id()), session }
    }

    pub(crate) async fn submission(&self) -> Response {
        let path = self.course.path(&format!("/assignments/{}/submissions/{}", self.quiz, self.student.id));
        self.teacher.get(&path).await.is(200)
    }
}

/// A session.
pub(crate) struct Taken {
    pub(crate) path: String,
    /// As it began.
    pub(crate) session: Response,
}

impl Taken {
    pub(crate) fn item(&self, number: usize) -> &str {
        let items = self.session["items"].as_array().unwrap();
        let mut questions = items.iter().filter(|item| item["entry_type"] == "Item");
        questions.nth(number - 1).unwrap()["id"].as_str().unwrap()
    }

    pub(crate) async fn save(&self, client: &Client, answers: Value) -> Response {
        client.put(&format!("{}/answers", self.path)).json(json!({ "answers": answers })).await
    }

    /// Answers a question for the first time.
    pub(crate) async fn answers(&self, client: &Client, number: usize, response: impl Into<Value>) -> Response {
        let answer = json!([{ "item_id": self.item(number), "response": response.into(), "version": 0 }]);
        self.save(client, answer).await.is(200)
    }

    pub(crate) async fn submits(&self, client: &Client) -> Response {
        client.post(&format!("{}/submit", self.path)).await.is(200)
    }

    pub(crate) async fn result(&self, client: &Client) -> Response {
        client.get(&format!("{}/result", self.path)).await.is(200)
    }
}
