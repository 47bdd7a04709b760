//! Excuses: who need not do the work has no grade, and what there is of a quiz comes back with the end of the excuse.

use serde_json::{Value, json};
use support::{Client, School};

use crate::quiz_sessions::Room;

async fn says(grader: &Client, work: &str, submission: Value) -> Value {
    grader.put(work).json(json!({ "submission": submission })).await.is(200).json
}

/// All that tells of a grade, but for who gave it when.
fn grade(submission: &Value) -> Value {
    json!({ "score": submission["score"], "grade": submission["grade"], "entered_score": submission["entered_score"],
            "points_deducted": submission["points_deducted"], "workflow_state": submission["workflow_state"],
            "attempt": submission["attempt"],
            "is_of_latest": submission["grade_matches_current_submission"], "excused": submission["excused"] })
}

/// Excuses the student and ends that: the grade, and those of the attempts, are what they were.
async fn comes_back(grader: &Client, work: &str) {
    let with_history = format!("{work}?include[]=submission_history");
    let read = async || grader.get(&with_history).await.is(200).json;
    let scores = |submission: &Value| {
        let history = submission["submission_history"].as_array().unwrap().iter();
        history.map(|one| one["score"].clone()).collect::<Vec<_>>()
    };
    let before = read().await;
    assert!(before["score"].is_number(), "{before}");
    let excused = says(grader, work, json!({ "excuse": true })).await;
    assert_eq!((&excused["score"], &excused["grade"], &excused["excused"]), (&json!(null), &json!(null), &json!(true)));
    let back = says(grader, work, json!({ "excuse": false })).await;
    assert_eq!(grade(&back), grade(&before));
    assert_eq!(back["grader_id"], json!(null), "nobody has given it");
    let after = read().await;
    assert_eq!((grade(&after), scores(&after)), (grade(&before), scores(&before)));
}

#[tokio::test]
async fn who_is_excused_no_more_has_the_grade_of_the_attempts_at_a_new_quiz() {
    let attempts = json!({ "multiple_attempts_enabled": true, "score_to_keep": "highest" });
    let room = Room::of_questions(2, json!({ "multiple_attempts": attempts })).await;
    let late = json!({ "late_submission_deduction_enabled": true, "late_submission_deduction": 10 });
    room.teacher.post(&room.course.path("/late_policy")).json(json!({ "late_policy": late })).await.is(201);
    let assignment = room.course.path(&format!("/assignments/{}", room.quiz));
    let work = format!("{assignment}/submissions/{}", room.student.id);
    let take = async |answers: [bool; 2]| {
        let taken = room.starts().await;
        for (number, answer) in (1..).zip(answers) {
            taken.answers(&room.student, number, answer).await;
        }
        taken.submits(&room.student).await;
    };
    take([true, true]).await;
    take([true, false]).await;
    assert_eq!(room.submission().await["score"], 10.0);
    comes_back(&room.teacher, &work).await;

    // What counts is what the attempts are worth when the excuse ends.
    says(&room.teacher, &work, json!({ "excuse": true })).await;
    room.teacher.put(&assignment).json(json!({ "assignment": { "points_possible": 20 } })).await.is(200);
    let back = says(&room.teacher, &work, json!({ "excuse": false })).await;
    assert_eq!((&back["score"], &back["workflow_state"]), (&json!(20.0), &json!("graded")));
    let past = json!({ "assignment": { "due_at": "2020-01-01T00:00:00Z" } });
    room.teacher.put(&assignment).json(past).await.is(200);
    says(&room.teacher, &work, json!({ "excuse": true })).await;
    let late = says(&room.teacher, &work, json!({ "excuse": false })).await;
    assert_eq!((&late["score"], &late["points_deducted"]), (&json!(0.0), &json!(20.0)), "each day costs a tenth");
    let given = says(&room.teacher, &work, json!({ "excuse": true })).await;
    assert_eq!(given["excused"], true);
    let given =
        says(&room.teacher, &work, json!({ "excuse": false, "posted_grade": 3, "late_policy_status": "none" })).await;
    assert_eq!((&given["score"], &given["grader_id"]), (&json!(3.0), &json!(room.teacher.id)));
}

#[tokio::test]
async fn who_is_excused_no_more_has_the_grade_of_the_attempts_at_a_classic_quiz() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = json!({ "title": "Leaves", "quiz_type": "assignment", "published": true, "allowed_attempts": -1 });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
    let path = course.path(&format!("/quizzes/{}", quiz.id()));
    let question = json!({ "question_text": "Rings?", "question_type": "numerical_question", "points_possible": 4,
                           "answers": [{ "exact": 42 }] });
    let question = teacher.post(&format!("{path}/questions")).json(json!({ "question": question })).await.is(200).id();
    for number in [42, 1] {
        let attempt = student.post(&format!("{path}/submissions")).await.is(200)["quiz_submissions"][0].clone();
        let proof = json!({ "attempt": attempt["attempt"], "validation_token": attempt["validation_token"] });
        let mut answer = proof.clone();
        answer["quiz_questions"] = json!([{ "id": question, "answer": number }]);
        let answered = format!("/api/v1/quiz_submissions/{}/questions", attempt["id"]);
        student.post(&answered).json(answer).await.is(200);
        student.post(&format!("{path}/submissions/{}/complete", attempt["id"])).json(proof).await.is(200);
    }
    let work = course.path(&format!("/assignments/{}/submissions/{}", quiz["assignment_id"], student.id));
    let before = teacher.get(&work).await.is(200).json;
    assert_eq!((&before["score"], &before["attempt"]), (&json!(4.0), &json!(2)));
    says(&teacher, &work, json!({ "excuse": true })).await;
    let back = says(&teacher, &work, json!({ "excuse": false })).await;
    assert_eq!(grade(&back), grade(&before));
}

#[tokio::test]
async fn nobody_waits_for_the_work_of_who_is_excused() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&path).json(json!({ "assignment": form })).await.is(201).id();
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    let waiting = async || {
        let alone = teacher.get(&format!("{path}/{essay}?include[]=needs_grading_count")).await.is(200);
        (
            alone["needs_grading_count"].clone(),
            teacher.get(&format!("{path}?bucket=ungraded")).await.is(200).ids().len(),
        )
    };
    student.post(&format!("{path}/{essay}/submissions")).json(text.clone()).await.is(201);
    assert_eq!(waiting().await, (json!(1), 1));
    let work = format!("{path}/{essay}/submissions/{}", student.id);
    says(&teacher, &work, json!({ "excuse": true })).await;
    student.post(&format!("{path}/{essay}/submissions")).json(text).await.is(201);
    assert_eq!(teacher.get(&work).await.is(200)["excused"], true);
    assert_eq!(waiting().await, (json!(0), 0));
    says(&teacher, &work, json!({ "excuse": false })).await;
    assert_eq!(waiting().await, (json!(1), 1));
}
