//! When score, answers and points are shown, and to whom.

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Response, School};

use super::{Attempt, Quiz, quiz, submission, takes};

/// True if the client sees score, answers and points of the last attempt: of the quiz submission in all of its places,
/// and of the submission of the assignment.
async fn sees(
    client: &Client,
    course: &Course,
    quiz: &Quiz,
    attempt: &Attempt,
    student: &Client,
) -> (bool, bool, bool) {
    let asked = client.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let asked = &asked["quiz_submission_questions"];
    let one = client.get(&attempt.path).await.is(200);
    let list = client.get(&format!("{}/submissions", quiz.path)).await.is(200);
    let last = list["quiz_submissions"].as_array().unwrap().last().unwrap();
    let score = one["quiz_submissions"][0]["score"].is_number();
    assert_eq!(last["score"].is_number(), score);
    for member in ["kept_score", "fudge_points"] {
        assert_eq!(one["quiz_submissions"][0][member].is_number(), score, "{member}");
    }
    let assignment = quiz.assignment.unwrap();
    let include = "include[]=submission_history";
    let path = course.path(&format!("/assignments/{assignment}/submissions/{}?{include}", student.id));
    assert_shown(&client.get(&path).await.is(200).json, score);
    let path = course.path(&format!("/students/submissions?student_ids[]={}&{include}", student.id));
    let listed = client.get(&path).await.is(200);
    let own = |submission: &&Value| submission["assignment_id"] == assignment;
    assert_shown(listed.json.as_array().unwrap().iter().find(own).unwrap(), score);
    (score, !asked[0]["answer"].is_null(), asked[0].get("points").is_some())
}

/// A submission of an assignment, and each of its versions, tells what it was worth in every member or in none.
fn assert_shown(submission: &Value, score: bool) {
    let versions = submission["submission_history"].as_array().into_iter().flatten();
    for version in versions.chain([submission]) {
        for member in ["score", "grade", "entered_score", "entered_grade", "body"] {
            assert_eq!(!version[member].is_null(), score, "{member} of {version}");
        }
    }
}

#[tokio::test]
async fn results_are_shown_everywhere_by_one_rule() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let all = (true, true, true);
    for (settings, seen) in [
        (json!({}), all),
        (json!({ "hide_results": "always" }), (false, false, false)),
        (json!({ "show_correct_answers": false }), (true, true, false)),
        (json!({ "show_correct_answers_at": "2099-01-01T00:00:00Z" }), (true, true, false)),
        (json!({ "show_correct_answers_at": "2020-01-01T00:00:00Z" }), all),
        (json!({ "hide_correct_answers_at": "2020-01-01T00:00:00Z" }), (true, true, false)),
    ] {
        let quiz = quiz(&teacher, &course, settings.clone()).await;
        let attempt = takes(&student, &quiz).await;
        assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, seen, "{settings}");
        assert_eq!(sees(&teacher, &course, &quiz, &attempt, &student).await, all, "{settings}");
    }
}

#[tokio::test]
async fn results_wait_until_they_are_posted() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    teacher.put(&assignment).json(json!({ "assignment": { "post_manually": true } })).await.is(200);
    let attempt = takes(&student, &quiz).await;
    assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, (false, false, false));
    teacher.put(&format!("{assignment}/post_grades")).await.is(200);
    assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, (true, true, true));
}

#[tokio::test]
async fn results_wait_for_the_last_attempt() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    for (settings, before) in [
        (json!({ "hide_results": "until_after_last_attempt" }), (false, false, false)),
        (json!({ "show_correct_answers_last_attempt": true }), (true, true, false)),
    ] {
        let mut settings = settings;
        settings["allowed_attempts"] = json!(2);
        let quiz = quiz(&teacher, &course, settings.clone()).await;
        let attempt = takes(&student, &quiz).await;
        assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, before, "{settings}");
        let attempt = takes(&student, &quiz).await;
        assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, (true, true, true), "{settings}");
    }
}

#[tokio::test]
async fn whoever_watches_over_a_student_sees_no_more_than_the_student() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let observer = school.person("observer").await;
    let watches = json!({
        "user_id": observer.id, "type": "ObserverEnrollment", "enrollment_state": "active",
        "associated_user_id": student.id,
    });
    school.admin.post(&course.path("/enrollments")).json(json!({ "enrollment": watches })).await.is(200);
    for (hidden, score) in [(json!({ "hide_results": "always" }), false), (json!({}), true)] {
        let quiz = quiz(&teacher, &course, hidden).await;
        takes(&student, &quiz).await;
        let seen = submission(&observer, &course, &quiz, &student).await;
        assert_shown(&seen.json, score);
        let assignment = course.path(&format!("/assignments/{}?include[]=submission", quiz.assignment.unwrap()));
        let own = student.get(&assignment).await.is(200);
        assert_shown(&own["submission"], score);
    }
}

#[tokio::test]
async fn results_that_are_shown_once_are_shown_once_after_each_attempt() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "one_time_results": true, "allowed_attempts": 2 })).await;
    for _ in 0..2 {
        let attempt = takes(&student, &quiz).await;
        let seen = |answer: Response| answer["quiz_submissions"][0]["has_seen_results"].clone();
        assert_eq!(seen(student.get(&attempt.path).await.is(200)), false);
        // A grader's look is not the student's.
        assert_eq!(sees(&teacher, &course, &quiz, &attempt, &student).await, (true, true, true));
        let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
        let looks = join_all((0..8).map(|_| async { student.get(&path).await.is(200) })).await;
        let shown = looks.iter().filter(|look| look["quiz_submission_questions"][0].get("points").is_some()).count();
        assert_eq!(shown, 1);
        assert_eq!(seen(student.get(&attempt.path).await.is(200)), true);
        assert_eq!(sees(&student, &course, &quiz, &attempt, &student).await, (true, false, false));
    }
}
