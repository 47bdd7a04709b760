//! Partial updates of coursework: two requests at once that name different fields both take effect.

use std::future::IntoFuture;

use futures::future::join;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Client, Course, School};

const ROUNDS: usize = 20;

/// A record that is changed by two requests, and read afterwards.
struct Changed<'a> {
    client: &'a Client,
    method: Method,
    path: &'a str,
    read: &'a str,
}

/// A field: the body that sets it to a value, the value of a round, and where it is read.
struct Field<'a> {
    body: &'a dyn Fn(Value) -> Value,
    value: &'a dyn Fn(usize) -> Value,
    at: &'a str,
}

impl Changed<'_> {
    async fn keeps_both(&self, one: &Field<'_>, other: &Field<'_>) {
        for round in 0..ROUNDS {
            let call = |field: &Field<'_>| {
                let body = (field.body)((field.value)(round));
                self.client.call(self.method.clone(), self.path).json(body).into_future()
            };
            let (first, second) = join(call(one), call(other)).await;
            first.is(200);
            second.is(200);
            let read = self.client.get(self.read).await.is(200);
            for field in [one, other] {
                let (found, expected) = (read.json.pointer(field.at), (field.value)(round));
                assert_eq!(found, Some(&expected), "{} of {} in round {round}", field.at, self.path);
            }
        }
    }
}

fn text(round: usize) -> Value {
    json!(format!("text {round}"))
}

fn number(round: usize) -> Value {
    json!(f64::from(u32::try_from(round).unwrap()) + 1.0)
}

fn whole(round: usize) -> Value {
    json!(round + 1)
}

fn flag(round: usize) -> Value {
    json!(round.is_multiple_of(2))
}

/// Puts the value under each of the names, the last one innermost.
fn under(names: &'static [&'static str]) -> impl Fn(Value) -> Value {
    move |value| names.iter().rev().fold(value, |value, name| json!({ *name: value }))
}

async fn keeps_both(client: &Client, method: Method, path: &str, fields: [Field<'_>; 2]) {
    let [one, other] = fields;
    Changed { client, method, path, read: path }.keeps_both(&one, &other).await;
}

macro_rules! field {
    ($at:literal, $value:expr, $($name:literal),+) => {
        Field { body: &under(&[$($name),+]), value: &$value, at: $at }
    };
}

async fn room() -> (Course, Client, Client) {
    School::start().await.classroom("Botany").await
}

async fn quiz(teacher: &Client, course: &Course) -> String {
    let quiz = json!({ "quiz": { "title": "Leaves", "quiz_type": "assignment" } });
    let id = teacher.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    course.path(&format!("/quizzes/{id}"))
}

fn question() -> Value {
    json!({ "question": {
        "question_name": "Rings", "question_type": "numerical_question", "points_possible": 5,
        "answers": [{ "exact": 42 }],
    } })
}

#[tokio::test]
async fn assignments_and_their_quizzes_keep_both_changes() {
    let (course, teacher, _) = room().await;
    let assignment = json!({ "assignment": { "name": "Essay" } });
    let id = teacher.post(&course.path("/assignments")).json(assignment).await.is(201).id();
    let path = course.path(&format!("/assignments/{id}"));
    let fields = [
        field!("/name", text, "assignment", "name"),
        field!("/points_possible", number, "assignment", "points_possible"),
    ];
    keeps_both(&teacher, Method::PUT, &path, fields).await;

    let path = quiz(&teacher, &course).await;
    let fields = [field!("/title", text, "quiz", "title"), field!("/description", text, "quiz", "description")];
    keeps_both(&teacher, Method::PUT, &path, fields).await;
    let fields = [
        field!("/time_limit", whole, "quiz", "time_limit"),
        field!("/allowed_attempts", whole, "quiz", "allowed_attempts"),
    ];
    keeps_both(&teacher, Method::PUT, &path, fields).await;
}

#[tokio::test]
async fn questions_groups_and_banks_keep_both_changes() {
    let (course, teacher, _) = room().await;
    let quiz = quiz(&teacher, &course).await;
    let id = teacher.post(&format!("{quiz}/questions")).json(question()).await.is(200).id();
    let path = format!("{quiz}/questions/{id}");
    let fields = [
        field!("/question_name", text, "question", "question_name"),
        field!("/points_possible", number, "question", "points_possible"),
    ];
    keeps_both(&teacher, Method::PUT, &path, fields).await;
    let fields = [
        field!("/text_after_answers", text, "question", "text_after_answers"),
        field!("/correct_comments_html", text, "question", "correct_comments_html"),
    ];
    keeps_both(&teacher, Method::PUT, &path, fields).await;

    let group = teacher.post(&format!("{quiz}/groups")).json(json!({ "quiz_groups": [{}] })).await.is(201);
    let path = format!("{quiz}/groups/{}", group["quiz_groups"][0]["id"]);
    let name = |value: Value| json!({ "quiz_groups": [{ "name": value }] });
    let count = |value: Value| json!({ "quiz_groups": [{ "pick_count": value }] });
    let fields =
        [Field { body: &name, value: &text, at: "/name" }, Field { body: &count, value: &whole, at: "/pick_count" }];
    keeps_both(&teacher, Method::PUT, &path, fields).await;

    // A bank has one field: a change of nothing takes back none.
    let banks = course.path("/question_banks");
    let bank = teacher.post(&banks).json(json!({ "question_bank": { "title": "Leaves" } })).await.is(200).id();
    let path = format!("{banks}/{bank}");
    for round in 0..ROUNDS {
        let change = json!({ "question_bank": { "title": text(round) } });
        let nothing = json!({ "question_bank": {} });
        let change = teacher.put(&path).json(change).into_future();
        let (change, nothing) = join(change, teacher.put(&path).json(nothing).into_future()).await;
        change.is(200);
        nothing.is(200);
        assert_eq!(teacher.get(&path).await.is(200)["title"], text(round));
    }
}

#[tokio::test]
async fn new_quizzes_their_items_and_banks_keep_both_changes() {
    let (course, teacher, _) = room().await;
    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let quiz = json!({ "quiz": { "title": "Seeds" } });
    let quiz = teacher.post(&format!("{engine}/quizzes")).json(quiz).await.is(200).id();
    let path = format!("{engine}/quizzes/{quiz}");
    let fields = [field!("/title", text, "quiz", "title"), field!("/instructions", text, "quiz", "instructions")];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;
    let fields = [
        field!("/quiz_settings/shuffle_answers", flag, "quiz", "quiz_settings", "shuffle_answers"),
        field!(
            "/quiz_settings/session_time_limit_in_seconds",
            whole,
            "quiz",
            "quiz_settings",
            "session_time_limit_in_seconds"
        ),
    ];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;

    let entry = json!({
        "title": "Q", "item_body": "<p>Is it so?</p>", "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" }, "scoring_data": { "value": true },
        "scoring_algorithm": "Equivalence",
    });
    let items = format!("{path}/items");
    let item = json!({ "item": { "entry_type": "Item", "entry": entry } });
    let item = teacher.post(&items).json(item).await.is(200).id();
    let path = format!("{items}/{item}");
    let fields = [
        field!("/points_possible", number, "item", "points_possible"),
        field!("/entry/title", text, "item", "entry", "title"),
    ];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;
    let fields = [
        field!("/entry/feedback/correct", text, "item", "entry", "feedback", "correct"),
        field!("/entry/feedback/neutral", text, "item", "entry", "feedback", "neutral"),
    ];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;

    let banks = format!("{engine}/banks");
    let bank = teacher.post(&banks).json(json!({ "bank": { "title": "Seeds" } })).await.is(200).id();
    let path = format!("{banks}/{bank}");
    let fields = [field!("/title", text, "bank", "title"), field!("/archived", flag, "bank", "archived")];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;
    let entries = format!("{path}/entries");
    let entry = teacher.post(&entries).json(json!({ "entry_type": "Item", "entry": entry })).await.is(200).id();
    let path = format!("{entries}/{entry}");
    let fields = [field!("/entry/title", text, "entry", "title"), field!("/archived", flag, "archived")];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;
    let stimulus = json!({ "entry_type": "Stimulus", "entry": { "title": "Poem", "body": "<p>O leaf</p>" } });
    let stimulus = teacher.post(&entries).json(stimulus).await.is(200).id();
    let path = format!("{entries}/{stimulus}");
    let fields =
        [field!("/entry/title", text, "entry", "title"), field!("/entry/instructions", text, "entry", "instructions")];
    keeps_both(&teacher, Method::PATCH, &path, fields).await;
}

#[tokio::test]
async fn experiences_keep_both_changes() {
    let (course, teacher, _) = room().await;
    let experience = json!({ "ai_experience": {
        "title": "Treaties", "learning_objectives": ["Give a date"], "pedagogical_guidance": "Be kind.",
    } });
    let id = teacher.post(&course.path("/ai_experiences")).json(experience).await.is(201).id();
    let path = course.path(&format!("/ai_experiences/{id}"));
    let fields = [field!("/title", text, "ai_experience", "title"), field!("/facts", text, "ai_experience", "facts")];
    keeps_both(&teacher, Method::PUT, &path, fields).await;
}

#[tokio::test]
async fn grades_comments_answers_and_scores_keep_both_changes() {
    let (course, teacher, student) = room().await;
    let quiz = quiz(&teacher, &course).await;
    let mut questions = Vec::new();
    for _ in 0..2 {
        questions.push(teacher.post(&format!("{quiz}/questions")).json(question()).await.is(200).id());
    }
    let published = teacher.put(&quiz).json(json!({ "quiz": { "published": true } })).await.is(200);
    let started = student.post(&format!("{quiz}/submissions")).await.is(200);
    let started = &started["quiz_submissions"][0];
    let (id, token) = (&started["id"], &started["validation_token"]);
    let asked = format!("/api/v1/quiz_submissions/{id}/questions");
    let answers = |place: usize| {
        let question = questions[place];
        move |value: Value| json!({ "attempt": 1, "validation_token": token, "quiz_questions": [{ "id": question, "answer": value }] })
    };
    let (first, second) = (answers(0), answers(1));
    let fields = [
        Field { body: &first, value: &number, at: "/quiz_submission_questions/0/answer" },
        Field { body: &second, value: &number, at: "/quiz_submission_questions/1/answer" },
    ];
    keeps_both(&student, Method::PUT, &asked, fields).await;
    let proof = json!({ "attempt": 1, "validation_token": token });
    flags_keep_both_changes(&student, &asked, &questions, &proof).await;

    let path = format!("{quiz}/submissions/{id}");
    student.post(&format!("{path}/complete")).json(&proof).await.is(200);
    let scores = |place: usize| {
        let question = questions[place].to_string();
        move |value: Value| json!({ "quiz_submissions": [{ "attempt": 1, "questions": { &question: { "score": value } } }] })
    };
    let (first, second) = (scores(0), scores(1));
    let fields = [
        Field { body: &first, value: &number, at: "/quiz_submission_questions/0/points" },
        Field { body: &second, value: &number, at: "/quiz_submission_questions/1/points" },
    ];
    let [one, other] = fields;
    Changed { client: &teacher, method: Method::PUT, path: &path, read: &asked }.keeps_both(&one, &other).await;

    let assignment = &published["assignment_id"];
    let path = course.path(&format!("/assignments/{assignment}/submissions/{}", student.id));
    grades_and_comments_keep_both_changes(&teacher, &path).await;
}

async fn flags_keep_both_changes(student: &Client, asked: &str, questions: &[i64], proof: &Value) {
    for round in 0..ROUNDS {
        let mark = if round % 2 == 0 { "flag" } else { "unflag" };
        let call = |question| student.put(&format!("{asked}/{question}/{mark}")).json(proof).into_future();
        let (one, other) = join(call(questions[0]), call(questions[1])).await;
        one.is(200);
        other.is(200);
        let read = student.get(asked).await.is(200);
        let read = read.records(&["quiz_submission_questions"]).iter();
        let flagged: Vec<_> = read.map(|question| question["flagged"].as_bool().unwrap()).collect();
        assert_eq!(flagged, [round % 2 == 0; 2]);
    }
}

async fn grades_and_comments_keep_both_changes(teacher: &Client, path: &str) {
    for round in 0..ROUNDS {
        let grade = json!({ "submission": { "posted_grade": number(round) } });
        let comment = json!({ "comment": { "text_comment": text(round) } });
        let grade = teacher.put(path).json(grade).into_future();
        let (grade, comment) = join(grade, teacher.put(path).json(comment).into_future()).await;
        grade.is(200);
        comment.is(200);
        let read = teacher.get(&format!("{path}?include[]=submission_comments")).await.is(200);
        assert_eq!(read["score"], number(round));
        let comments = read["submission_comments"].as_array().unwrap();
        assert_eq!((comments.len(), &comments[round]["comment"]), (round + 1, &text(round)));
    }
}
