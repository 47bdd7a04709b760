//! Extensions: extra attempts and time for single students, and quizzes that are unlocked for them.

use serde_json::{Value, json};
use support::{Client, Response, School, Section};

use super::{quiz, start};

async fn extend(client: &Client, path: &str, extensions: Value) -> Response {
    client.post(path).json(json!({ "quiz_extensions": extensions })).await
}

/// The seconds that an attempt has.
fn seconds(started: &Value) -> i64 {
    let time = |name: &str| shared::Timestamp::parse(started[name].as_str().unwrap()).unwrap().unix();
    time("end_at") - time("started_at")
}

#[tokio::test]
async fn extra_attempts_are_one_students_alone() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let quiz = quiz(&teacher, &course, json!({ "hide_results": "until_after_last_attempt" })).await;
    let path = format!("{}/extensions", quiz.path);
    let extended = extend(&teacher, &path, json!([{ "user_id": student.id, "extra_attempts": 1 }])).await.is(200);
    let id: i64 = quiz.path.rsplit_once('/').unwrap().1.parse().unwrap();
    assert_eq!(
        extended["quiz_extensions"],
        json!([{ "quiz_id": id, "user_id": student.id, "extra_attempts": 1, "extra_time": null,
                 "manually_unlocked": null, "end_at": null }])
    );
    for who in [&student, &other] {
        start(who, &quiz).await.completes(who).await.is(200);
    }
    let seen =
        async |who: &Client| who.get(&format!("{}/submission", quiz.path)).await.is(200)["quiz_submissions"][0].clone();
    let (own, others) = (seen(&student).await, seen(&other).await);
    assert_eq!((&own["attempts_left"], &own["extra_attempts"], &own["score"]), (&json!(1), &json!(1), &json!(null)));
    assert_eq!((&others["attempts_left"], &others["extra_attempts"]), (&json!(0), &json!(null)));
    assert_eq!(others["score"], 0.0, "it was the last attempt of the other student");
    other.post(&format!("{}/submissions", quiz.path)).await.is_refused(409, "already exists");
    start(&student, &quiz).await.completes(&student).await.is(200);
    assert_eq!(seen(&student).await["score"], 0.0);
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(409, "already exists");
}

#[tokio::test]
async fn extra_time_is_for_attempts_to_come_and_the_one_that_runs_is_put_off() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "time_limit": 10, "allowed_attempts": 2 })).await;
    let path = format!("{}/extensions", quiz.path);
    let of = |more: Value| {
        let mut extension = json!({ "user_id": student.id });
        extension.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([extension])
    };
    let attempt = start(&student, &quiz).await;
    let read = async || student.get(&attempt.path).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!(seconds(&read().await), 600);
    extend(&teacher, &path, of(json!({ "extra_time": 5 }))).await.is(200);
    assert_eq!(seconds(&read().await), 600, "it has begun");
    let put_off = extend(&teacher, &path, of(json!({ "extend_from_end_at": 20 }))).await.is(200);
    let row = read().await;
    assert_eq!((seconds(&row), &row["extra_time"]), (1800, &json!(5)));
    assert_eq!(put_off["quiz_extensions"][0]["end_at"], row["end_at"]);
    extend(&teacher, &path, of(json!({ "extend_from_now": 60 }))).await.is(200);
    assert!((3600..3660).contains(&seconds(&read().await)));
    attempt.completes(&student).await.is(200);
    let ended = read().await["end_at"].clone();
    extend(&teacher, &path, of(json!({ "extend_from_end_at": 20 }))).await.is(200);
    assert_eq!(read().await["end_at"], ended, "no attempt runs");
    start(&student, &quiz).await;
    assert_eq!(seconds(&read().await), 900);
}

#[tokio::test]
async fn a_locked_quiz_is_unlocked_for_a_student() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "lock_at": "2020-01-01T00:00:00Z", "time_limit": 10 })).await;
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(400, "was locked");
    let path = format!("{}/extensions", quiz.path);
    for (is_unlocked, locked) in [(true, false), (false, true), (true, false)] {
        let extension = json!([{ "user_id": student.id, "manually_unlocked": is_unlocked }]);
        extend(&teacher, &path, extension).await.is(200);
        assert_eq!(student.get(&quiz.path).await.is(200)["locked_for_user"], locked);
    }
    let attempt = start(&student, &quiz).await;
    let row = student.get(&attempt.path).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!((seconds(&row), &row["manually_unlocked"]), (600, &json!(true)));
    attempt.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
}

#[tokio::test]
async fn all_quizzes_of_a_course_are_extended_at_once() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (one, two) = (quiz(&teacher, &course, json!({})).await, quiz(&teacher, &course, json!({})).await);
    let path = course.path("/quiz_extensions");
    let extended = extend(&teacher, &path, json!([{ "user_id": student.id, "extra_attempts": 2 }])).await.is(200);
    assert_eq!(extended["quiz_extensions"].as_array().unwrap().len(), 2);
    for quiz in [one, two] {
        let attempt = start(&student, &quiz).await;
        let done = attempt.completes(&student).await.is(200);
        assert_eq!(done["quiz_submissions"][0]["attempts_left"], 2);
    }
    student.post(&path).json(json!({ "quiz_extensions": [{ "user_id": student.id }] })).await.is_forbidden();
    extend(&teacher, &path, json!([])).await.is_refused(400, "quiz_extensions is missing");
}

#[tokio::test]
async fn extensions_are_refused_as_a_whole() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let Section { teacher: limited, student: evening, .. } = course.section(&school, "Evening").await;
    let stranger = school.person("stranger").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let path = format!("{}/extensions", quiz.path);
    for (bad, reason) in [
        (json!({ "user_id": student.id, "extra_attempts": 1001 }), "must be between 0 and 1000"),
        (json!({ "user_id": student.id, "extra_time": -1 }), "must be between 0 and 10080"),
        (json!({ "user_id": student.id, "extend_from_now": 0 }), "must be between 1 and 1440"),
        (json!({ "user_id": student.id, "extend_from_now": 1, "extend_from_end_at": 1 }), "excludes"),
        (json!({ "user_id": stranger.id, "extra_time": 1 }), "is not a student of the course"),
        (json!({ "user_id": evening.id, "extra_time": 1 }), "is named twice"),
        (json!({ "extra_time": 1 }), "user_id"),
    ] {
        let both = json!([{ "user_id": evening.id, "extra_attempts": 3 }, bad]);
        extend(&teacher, &path, both).await.is_refused(400, reason);
    }
    let one = |id: i64| json!([{ "user_id": id, "extra_time": 1 }]);
    extend(&student, &path, one(student.id)).await.is_forbidden();
    extend(&limited, &path, one(student.id)).await.is_refused(400, "is not a student of the course");
    let kept = extend(&limited, &path, one(evening.id)).await.is(200);
    assert_eq!(kept["quiz_extensions"][0]["extra_attempts"], json!(null), "nothing of what was refused was kept");
}
