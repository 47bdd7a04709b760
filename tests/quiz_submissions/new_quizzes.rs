//! Attempts at new quizzes.

use serde_json::{Value, json};
use support::School;

#[tokio::test]
async fn an_attempt_at_a_new_quiz_is_a_submission_of_its_assignment() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = json!({ "quiz": { "title": "Leaves", "published": true } });
    let id = teacher.post(&base).json(quiz).await.is(200).id();
    student.post(&format!("{base}/{id}/attempts")).json(json!({ "responses": { "1": "a" } })).await.is(200);
    let path = course.path(&format!("/assignments/{id}/submissions/{}", student.id));
    let submission = teacher.get(&path).await.is(200);
    assert_eq!((&submission["attempt"], &submission["workflow_state"]), (&json!(1), &json!("submitted")));
    let grade = json!({ "submission": { "posted_grade": "3" } });
    assert_eq!(teacher.put(&path).json(grade).await.is(200)["score"], 3.0);
}

#[tokio::test]
async fn a_closed_new_quiz_is_not_attempted() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    for (dates, reason) in [
        (json!({ "lock_at": "2020-01-01T00:00:00Z" }), "the quiz was locked 2020-01-01T00:00:00Z"),
        (json!({ "unlock_at": "2099-01-01T00:00:00Z" }), "the quiz is locked until 2099-01-01T00:00:00Z"),
    ] {
        let mut quiz = json!({ "title": "Leaves", "published": true });
        quiz.as_object_mut().unwrap().extend(dates.as_object().unwrap().clone());
        let id = teacher.post(&base).json(json!({ "quiz": quiz })).await.is(200).id();
        let attempt = student.post(&format!("{base}/{id}/attempts")).json(json!({ "responses": {} })).await;
        assert_eq!(attempt.status, 409, "{attempt}");
        assert!(attempt.to_string().contains(reason), "{attempt}");
        let path = course.path(&format!("/assignments/{id}/submissions/{}", student.id));
        assert_eq!(teacher.get(&path).await.is(200)["attempt"], json!(null));
    }
}

#[tokio::test]
async fn a_new_quiz_asks_for_its_code_and_shows_responses_when_it_should() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let settings = json!({
        "require_student_access_code": true, "student_access_code": "acorn",
        "filters": { "ips": [["10.0.0.0", "10.10.0.0"]] },
        "multiple_attempts": { "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 2 },
        "result_view_settings": {
            "result_view_restricted": true, "display_items": true, "display_item_response": true,
            "display_item_response_qualifier": "after_last_attempt",
        },
    });
    let quiz = json!({ "quiz": { "title": "Leaves", "published": true, "quiz_settings": settings } });
    let id = teacher.post(&base).json(quiz).await.is(200).id();
    let shown = student.get(&format!("{base}/{id}")).await.is(200);
    assert!(!shown.body.contains("acorn") && !shown.body.contains("10.10"), "{shown}");
    let attempts = format!("{base}/{id}/attempts");
    let attempt = |code: Value| json!({ "responses": { "1": "a" }, "student_access_code": code });
    student.post(&attempts).json(attempt(json!(null))).await.is_refused(403, "invalid access code");
    for _ in 0..10 {
        student.post(&attempts).json(attempt(json!("no"))).await.is_refused(403, "invalid access code");
    }
    assert!(student.post(&attempts).json(attempt(json!("acorn"))).await.is(429).header("retry-after").is_some());

    let other = course.member(&school, "StudentEnrollment").await;
    let made = other.post(&attempts).json(attempt(json!("acorn"))).await.is(200);
    assert_eq!(made["responses"], json!({ "1": "a" }));
    assert_eq!(other.get(&attempts).await.is(200).json[0]["responses"], json!(null));
    assert_eq!(teacher.get(&attempts).await.is(200).json[0]["responses"], json!({ "1": "a" }));
    other.post(&attempts).json(attempt(json!("acorn"))).await.is(200);
    let list = other.get(&attempts).await.is(200);
    assert!(list.json.as_array().unwrap().iter().all(|attempt| attempt["responses"] == json!({ "1": "a" })), "{list}");
}
