//! Quiz submissions as those see and score them who are limited to a section of the course.

use serde_json::{Value, json};
use support::{School, Section};

use super::{quiz, start};

#[tokio::test]
async fn who_is_limited_to_a_section_sees_and_scores_its_submissions_alone() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { teacher: limited, student: evening, .. } = course.section(&school, "Evening").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let other = start(&morning, &quiz).await;
    other.completes(&morning).await.is(200);
    let own = start(&evening, &quiz).await;
    own.completes(&evening).await.is(200);

    let list = format!("{}/submissions", quiz.path);
    let listed = |answer: &Value| -> Vec<i64> {
        let submissions = answer["quiz_submissions"].as_array().unwrap().iter();
        submissions.map(|submission| submission["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(listed(&limited.get(&list).await.is(200).json), [own.id]);
    assert_eq!(listed(&teacher.get(&list).await.is(200).json), [other.id, own.id]);

    let score = json!({ "quiz_submissions": [{ "attempt": 1, "fudge_points": 1 }] });
    for (attempt, status) in [(&other, 404), (&own, 200)] {
        limited.get(&attempt.path).await.is(status);
        limited.get(&format!("{}/time", attempt.path)).await.is(status);
        limited.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(status);
        limited.put(&attempt.path).json(score.clone()).await.is(status);
        teacher.get(&attempt.path).await.is(200);
        teacher.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    }
    let fudge = async |path: &str| teacher.get(path).await.is(200)["quiz_submissions"][0]["fudge_points"].clone();
    assert_eq!((fudge(&other.path).await, fudge(&own.path).await), (json!(0.0), json!(1.0)));
    teacher.put(&other.path).json(score).await.is(200);
    morning.get(&own.path).await.is_forbidden();
}

#[tokio::test]
async fn of_a_new_quiz_the_attempts_of_the_own_section_are_listed() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { teacher: limited, student: evening, .. } = course.section(&school, "Evening").await;
    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = json!({ "quiz": { "title": "Leaves", "published": true } });
    let id = teacher.post(&base).json(quiz).await.is(200).id();
    let attempts = format!("{base}/{id}/attempts");
    for student in [&morning, &evening] {
        student.post(&attempts).json(json!({ "responses": { "1": "a" } })).await.is(200);
    }
    let users = |attempts: &Value| -> Vec<i64> {
        attempts.as_array().unwrap().iter().map(|attempt| attempt["user_id"].as_i64().unwrap()).collect()
    };
    assert_eq!(users(&limited.get(&attempts).await.is(200).json), [evening.id]);
    assert_eq!(users(&teacher.get(&attempts).await.is(200).json), [morning.id, evening.id]);
    assert_eq!(users(&morning.get(&attempts).await.is(200).json), [morning.id]);
}
