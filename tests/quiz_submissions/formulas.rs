//! Formulas: each attempt draws a solution, the student reads its values, and its result alone is right.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Client, Response, School, running};

use super::{Attempt, Quiz, quiz, start};

/// A solution as clients of the reference system write it.
fn solution(x: i64, result: &str) -> Value {
    json!({ "variables": [{ "name": "x", "value": x.to_string() }], "answer_text": result, "answer_weight": "100" })
}

fn formula(solutions: &[Value]) -> Value {
    json!({
        "question_name": "Twice", "question_type": "calculated_question", "points_possible": 4,
        "question_text": "<p>What is 2 * [x] and [y]?</p>", "answer_tolerance": "0.25",
        "variables": [{ "name": "x", "min": 1, "max": 9, "scale": 0 }], "formulas": [{ "formula": "2 * x" }],
        "answers": solutions,
    })
}

async fn add(teacher: &Client, quiz: &Quiz, question: Value) -> Response {
    teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": question })).await
}

/// The formula as somebody sees it in an attempt: its text, and the value of `x`.
async fn asked(client: &Client, attempt: &Attempt, formula: i64) -> (String, f64) {
    let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
    let all = client.get(&path).await.is(200)["quiz_submission_questions"].clone();
    let own = all.as_array().unwrap().iter().find(|one| one["id"] == formula).unwrap();
    assert!(own.get("answers").is_none(), "{own}");
    let [x] = own["variables"].as_array().unwrap().as_slice() else { panic!("{own}") };
    assert_eq!(x["name"], "x");
    (own["question_text"].as_str().unwrap().to_owned(), x["value"].as_f64().unwrap())
}

async fn score(student: &Client, attempt: &Attempt, formula: i64, answer: f64) -> Value {
    attempt.answers(student, &[(formula, json!(answer))]).await.is(200);
    attempt.completes(student).await.is(200)["quiz_submissions"][0]["score"].clone()
}

#[tokio::test]
async fn a_solution_that_is_a_text_counts() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let made = add(&teacher, &quiz, formula(&[solution(3, "6")])).await.is(200);
    let kept = &made["answers"][0];
    assert_eq!((&kept["answer"], &kept["weight"], &kept["text"]), (&json!(6.0), &json!(100.0), &json!("6")));
    let unweighted = formula(&[json!({ "text": "6.5", "variables": [] })]);
    let unweighted = add(&teacher, &quiz, unweighted).await.is(200);
    assert_eq!(
        (&unweighted["answers"][0]["answer"], &unweighted["answers"][0]["weight"]),
        (&json!(6.5), &json!(100.0))
    );
    for refused in [json!({ "answer_text": "six" }), json!({ "variables": [] })] {
        add(&teacher, &quiz, formula(&[refused])).await.is_refused(400, "answer_text");
    }
    let attempt = start(&student, &quiz).await;
    assert_eq!(score(&student, &attempt, made.id(), 6.25).await, json!(4.0));
}

#[tokio::test]
async fn each_attempt_has_values_of_its_own() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": -1 })).await;
    let solutions = [solution(3, "6"), solution(5, "10")];
    let made = add(&teacher, &quiz, formula(&solutions)).await.is(200);
    let (mut drawn, mut right) = (BTreeSet::new(), true);
    for _ in 0..64 {
        let attempt = start(&student, &quiz).await;
        let (text, x) = asked(&student, &attempt, made.id()).await;
        assert_eq!(text, format!("<p>What is 2 * {x} and [y]?</p>"));
        // The result of the other solution is wrong.
        let answer = if right { 2.0 * x } else { 16.0 - 2.0 * x };
        assert_eq!(score(&student, &attempt, made.id(), answer).await, json!(if right { 4.0 } else { 0.0 }));
        assert_eq!(asked(&teacher, &attempt, made.id()).await, (text, x), "the grader reads what the student had");
        drawn.insert(x.to_string());
        right = !right;
        if drawn.len() == 2 && right {
            break;
        }
    }
    assert_eq!(drawn, BTreeSet::from(["3".to_owned(), "5".to_owned()]));
    let kept = teacher.get(&format!("{}/questions/{}", quiz.path, made.id())).await.is(200);
    assert_eq!((kept["answers"].as_array().unwrap().len(), &kept["question_text"]), (2, &made["question_text"]));

    let unsolved = add(&teacher, &quiz, formula(&[])).await.is(200);
    let attempt = start(&student, &quiz).await;
    let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
    let all = student.get(&path).await.is(200)["quiz_submission_questions"].clone();
    let own = all.as_array().unwrap().iter().find(|one| one["id"] == unsolved.id()).unwrap();
    assert_eq!((&own["question_text"], own.get("variables")), (&unsolved["question_text"], None));
}

#[tokio::test]
async fn a_regrade_finds_the_solution_that_was_drawn() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let made = add(&teacher, &quiz, formula(&[solution(3, "6"), solution(5, "10")])).await.is(200);
    let attempt = start(&student, &quiz).await;
    let (_, x) = asked(&student, &attempt, made.id()).await;
    assert_eq!(score(&student, &attempt, made.id(), 3.0 * x).await, json!(0.0));
    // The solutions change places: ids tell nothing.
    let change = json!({ "answers": [solution(5, "15"), solution(3, "9")], "regrade_option": "current_correct_only" });
    let path = format!("{}/questions/{}", quiz.path, made.id());
    teacher.put(&path).json(json!({ "question": change })).await.is(200);
    for _ in 0..20 {
        running().tick(None).await;
        if teacher.get(&attempt.path).await.is(200)["quiz_submissions"][0]["score"] == 4.0 {
            assert_eq!(asked(&student, &attempt, made.id()).await.1, x, "what was asked stays");
            return;
        }
    }
    panic!("the attempt has no other score");
}
