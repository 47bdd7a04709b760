//! Grades, and what else graders say of submissions.

use serde_json::json;
use support::School;

use super::{assignment, grade};

#[tokio::test]
async fn grades_are_given_in_many_forms() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let kinds = [
        ("points", json!(7), 7.0, json!("7")),
        ("points", json!("85%"), 8.5, json!("8.5")),
        ("percent", json!("85%"), 8.5, json!("85%")),
        ("letter_grade", json!("B"), 8.6, json!("B")),
        ("pass_fail", json!("complete"), 10.0, json!("complete")),
        ("pass_fail", json!("fail"), 0.0, json!("incomplete")),
    ];
    for (grading_type, posted, score, shown) in kinds {
        let assignment = assignment(&teacher, &course, json!({ "grading_type": grading_type })).await;
        let graded = grade(&teacher, &assignment, &student, json!({ "posted_grade": posted })).await.is(200);
        assert_eq!((&graded["score"], &graded["grade"]), (&json!(score), &shown), "{grading_type} {posted}");
        assert_eq!(graded["workflow_state"], "graded");
        assert!(graded["attempt"].is_null(), "nothing was handed in");
    }
    let assignment = assignment(&teacher, &course, json!({})).await;
    for posted in ["splendid", "1e9", "NaN", "99999999999"] {
        grade(&teacher, &assignment, &student, json!({ "posted_grade": posted })).await.is_refused(400, "posted_grade");
    }
    grade(&teacher, &assignment, &student, json!({ "posted_grade": 5 })).await.is(200);
    let none = grade(&teacher, &assignment, &student, json!({ "posted_grade": "" })).await.is(200);
    assert!(none["score"].is_null() && none["grader_id"].is_null() && none["graded_at"].is_null());
    assert_eq!(none["workflow_state"], "unsubmitted");
    let excused = grade(&teacher, &assignment, &student, json!({ "excuse": true })).await.is(200);
    assert_eq!((&excused["excused"], &excused["workflow_state"]), (&json!(true), &json!("graded")));
    let graded = grade(&teacher, &assignment, &student, json!({ "posted_grade": 3 })).await.is(200);
    assert_eq!((&graded["excused"], &graded["score"]), (&json!(false), &json!(3.0)));
}

#[tokio::test]
async fn a_word_is_the_grade_where_there_are_no_points() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    for points in [json!(null), json!(0)] {
        for (grading_type, posted, shown) in [
            ("pass_fail", "complete", "complete"),
            ("pass_fail", "fail", "incomplete"),
            ("letter_grade", "b", "B"),
            ("gpa_scale", "A-", "A-"),
        ] {
            let fields = json!({ "grading_type": grading_type, "points_possible": points });
            let work = assignment(&teacher, &course, fields).await;
            let graded = grade(&teacher, &work, &student, json!({ "posted_grade": posted })).await.is(200);
            assert_eq!((&graded["score"], &graded["grade"]), (&json!(0.0), &json!(shown)), "{grading_type} {posted}");
            assert_eq!(student.get(&format!("{work}/submissions/self")).await.is(200)["grade"], shown);
        }
    }
}

#[tokio::test]
async fn a_blank_word_takes_back_what_is_said_of_lateness() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let work = assignment(&teacher, &course, json!({})).await;
    let said = grade(&teacher, &work, &student, json!({ "late_policy_status": "missing" })).await.is(200);
    assert_eq!((&said["late_policy_status"], &said["missing"]), (&json!("missing"), &json!(true)));
    let path = format!("{work}/submissions/{}", student.id);
    let blank = teacher.put(&path).form(&[("submission[late_policy_status]", "")]).await.is(200);
    assert_eq!((&blank["late_policy_status"], &blank["missing"]), (&json!(null), &json!(false)));
}

#[tokio::test]
async fn to_say_that_a_student_is_not_excused_grades_nothing() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    student.post(&format!("{assignment}/submissions")).json(text.clone()).await.is(201);
    grade(&teacher, &assignment, &student, json!({ "posted_grade": 3 })).await.is(200);
    student.post(&format!("{assignment}/submissions")).json(text).await.is(201);
    let said = grade(&teacher, &assignment, &student, json!({ "excuse": false })).await.is(200);
    let kept = [&said["workflow_state"], &said["score"], &said["grade_matches_current_submission"]];
    assert_eq!(kept, [&json!("submitted"), &json!(3.0), &json!(false)], "the new work still waits for a grade");
    grade(&teacher, &assignment, &student, json!({ "excuse": true })).await.is(200);
    let said = grade(&teacher, &assignment, &student, json!({ "excuse": false })).await.is(200);
    assert_eq!((&said["excused"], &said["workflow_state"]), (&json!(false), &json!("submitted")));
}
