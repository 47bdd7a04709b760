//! Taking classic quizzes: starting, answering, handing in, grading, and what becomes of the assignment.

mod assignments;
mod attempts;
mod conditions;
mod extensions;
mod formulas;
mod groups;
mod new_quizzes;
mod points;
mod regrades;
mod reports;
mod results;
mod sections;
mod statistics;

use serde_json::{Value, json};
use support::{Client, Course, Response};

/// A published quiz with a multiple-choice question of two points and a numerical one of three.
struct Quiz {
    path: String,
    /// The ids of the questions.
    questions: Vec<i64>,
    assignment: Option<i64>,
}

async fn quiz(teacher: &Client, course: &Course, more: Value) -> Quiz {
    let mut quiz = json!({ "title": "Leaves", "quiz_type": "assignment" });
    for (key, value) in more.as_object().expect("an object") {
        quiz[key] = value.clone();
    }
    let id = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200).id();
    let path = course.path(&format!("/quizzes/{id}"));
    let choices = json!({
        "question_name": "Tree", "question_type": "multiple_choice_question", "points_possible": 2,
        "answers": [{ "text": "Oak", "weight": 100 }, { "text": "Elm", "weight": 0 }],
    });
    let number = json!({
        "question_name": "Rings", "question_type": "numerical_question", "points_possible": 3,
        "answers": [{ "exact": 42 }],
    });
    let mut questions = Vec::new();
    for question in [choices, number] {
        let made = teacher.post(&format!("{path}/questions")).json(json!({ "question": question })).await.is(200);
        questions.push(made.id());
    }
    let published = teacher.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    Quiz { path, questions, assignment: published["assignment_id"].as_i64() }
}

/// An attempt that runs.
struct Attempt {
    id: i64,
    attempt: i64,
    token: String,
    path: String,
}

async fn start(student: &Client, quiz: &Quiz) -> Attempt {
    let answer = student.post(&format!("{}/submissions", quiz.path)).await.is(200);
    let started = &answer["quiz_submissions"][0];
    assert_eq!((&started["workflow_state"], &started["score"]), (&json!("untaken"), &json!(null)));
    let id = started["id"].as_i64().unwrap();
    Attempt {
        id,
        attempt: started["attempt"].as_i64().unwrap(),
        token: started["validation_token"].as_str().unwrap().to_owned(),
        path: format!("{}/submissions/{id}", quiz.path),
    }
}

impl Attempt {
    fn proof(&self) -> Value {
        json!({ "attempt": self.attempt, "validation_token": self.token })
    }

    async fn answers(&self, student: &Client, answers: &[(i64, Value)]) -> Response {
        let answers: Vec<_> = answers.iter().map(|(id, answer)| json!({ "id": id, "answer": answer })).collect();
        let mut body = self.proof();
        body["quiz_questions"] = json!(answers);
        student.post(&format!("/api/v1/quiz_submissions/{}/questions", self.id)).json(body).await
    }

    async fn completes(&self, student: &Client) -> Response {
        student.post(&format!("{}/complete", self.path)).json(self.proof()).await
    }
}

async fn submission(client: &Client, course: &Course, quiz: &Quiz, student: &Client) -> Response {
    let assignment = quiz.assignment.expect("an assignment");
    client.get(&course.path(&format!("/assignments/{assignment}/submissions/{}", student.id))).await.is(200)
}

/// Both questions of an attempt are answered rightly, and it is handed in.
async fn takes(student: &Client, quiz: &Quiz) -> Attempt {
    let attempt = start(student, quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let oak = asked["quiz_submission_questions"][0]["answers"][0]["id"].clone();
    attempt.answers(student, &[(quiz.questions[0], oak), (quiz.questions[1], json!(42))]).await.is(200);
    attempt.completes(student).await.is(200);
    attempt
}
