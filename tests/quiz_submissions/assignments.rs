//! The assignment of a quiz: what it takes, and what becomes of the attempts where it goes and comes back.

use serde_json::{Value, json};
use support::{Client, Course, School};

use super::{Quiz, quiz, start, submission, takes};
use crate::live_events::{ALL, Subscriber};

#[tokio::test]
async fn the_assignment_of_a_quiz_takes_attempts_at_the_quiz_alone() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let classic = quiz(&teacher, &course, json!({})).await.assignment.unwrap();
    let form = json!({ "quiz": { "title": "Roots", "published": true } });
    let new = teacher.post(&format!("/api/quiz/v1/courses/{}/quizzes", course.id)).json(form).await.is(200).id();
    for (assignment, own) in [(classic, "online_quiz"), (new, "external_tool")] {
        let path = course.path(&format!("/assignments/{assignment}"));
        let change = |types: &[&str]| json!({ "assignment": { "name": "Leaves", "submission_types": types } });
        for types in [&["online_text_entry"][..], &[own, "online_url"], &[]] {
            teacher.put(&path).json(change(types)).await.is_refused(400, "submission_types");
        }
        let same = teacher.put(&path).json(change(&[own])).await.is(200);
        assert_eq!((&same["name"], &same["submission_types"]), (&json!("Leaves"), &json!([own])));
        let work = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
        student.post(&format!("{path}/submissions")).json(work).await.is_refused(400, "does not take");
    }
}

#[tokio::test]
async fn an_anonymous_survey_stays_so_when_students_have_answered() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let survey = quiz(&teacher, &course, json!({ "quiz_type": "survey", "anonymous_submissions": true })).await;
    let change = async |more: Value| teacher.put(&survey.path).json(json!({ "quiz": more })).await;
    for is_anonymous in [false, true] {
        change(json!({ "anonymous_submissions": is_anonymous })).await.is(200);
    }
    takes(&student, &survey).await;
    change(json!({ "anonymous_submissions": false })).await.is_refused(400, "anonymous_submissions");
    for other in ["practice_quiz", "assignment", "graded_survey"] {
        change(json!({ "quiz_type": other })).await.is_refused(400, "quiz_type");
    }
    let same = json!({ "title": "Opinion", "quiz_type": "survey", "anonymous_submissions": true });
    assert_eq!(change(same).await.is(200)["title"], "Opinion");
    let listed = teacher.get(&format!("{}/submissions", survey.path)).await.is(200);
    assert_eq!(listed["quiz_submissions"][0].get("user_id"), None);
}

/// What a grader sees of a student's work, but for what is new about its row.
async fn work(teacher: &Client, course: &Course, quiz: &Quiz, student: &Client) -> Value {
    let submission = submission(teacher, course, quiz, student).await;
    let path =
        format!("/assignments/{}/submissions/{}?include[]=submission_history", quiz.assignment.unwrap(), student.id);
    let history = teacher.get(&course.path(&path)).await.is(200)["submission_history"].clone();
    let told = |one: &Value| {
        let fields = ["attempt", "submission_type", "submitted_at", "score", "grade", "body", "workflow_state"];
        fields.map(|field| one[field].clone())
    };
    let history: Vec<_> = history.as_array().unwrap().iter().map(told).collect();
    json!([told(&submission.json), history])
}

/// Makes the quiz one of that type.
async fn turned(teacher: &Client, quiz: &Quiz, quiz_type: &str) -> Quiz {
    let turned = teacher.put(&quiz.path).json(json!({ "quiz": { "quiz_type": quiz_type } })).await.is(200);
    let assignment = turned["assignment_id"].as_i64();
    Quiz { path: quiz.path.clone(), questions: quiz.questions.clone(), assignment }
}

#[tokio::test]
async fn attempts_have_their_grades_again_when_a_quiz_is_graded_again() {
    let school = School::start().await;
    let (course, teacher, first) = school.classroom("Botany").await;
    let second = course.member(&school, "StudentEnrollment").await;
    let graded = quiz(&teacher, &course, json!({ "allowed_attempts": 3 })).await;
    takes(&first, &graded).await;
    start(&first, &graded).await.completes(&first).await.is(200);
    let essay = json!({ "question": { "question_type": "essay_question", "points_possible": 1.25 } });
    let essay = teacher.post(&format!("{}/questions", graded.path)).json(essay).await.is(200).id();
    teacher.put(&graded.path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let attempt = start(&second, &graded).await;
    attempt.answers(&second, &[(graded.questions[1], json!(42)), (essay, json!("Oak"))]).await.is(200);
    attempt.completes(&second).await.is(200);
    let running = start(&second, &graded).await;
    let third = course.member(&school, "StudentEnrollment").await;
    start(&third, &graded).await;
    let before = [work(&teacher, &course, &graded, &first).await, work(&teacher, &course, &graded, &second).await];
    assert_eq!((&before[0][0][0], &before[0][0][3], &before[0][0][6]), (&json!(2), &json!(5.0), &json!("graded")));
    assert_eq!((&before[1][0][3], &before[1][0][6]), (&json!(3.0), &json!("pending_review")));

    let list = format!("{}/submissions", graded.path);
    let submissions = async || {
        let listed = teacher.get(&list).await.is(200)["quiz_submissions"].clone();
        let ids: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["submission_id"].clone()).collect();
        ids
    };
    assert!(submissions().await[0].is_i64());
    // The essay has made the first assignment worth more.
    support::running().tick(None).await;
    let tool = Subscriber::new(&school, "course", course.id, ALL);
    let practice = turned(&teacher, &graded, "practice_quiz").await;
    assert_eq!((practice.assignment, submissions().await), (None, vec![json!(null); 3]));
    let again = turned(&teacher, &practice, "assignment").await;
    assert_ne!(again.assignment, graded.assignment);
    let after = [work(&teacher, &course, &again, &first).await, work(&teacher, &course, &again, &second).await];
    assert_eq!(after, before);
    assert_eq!(submission(&teacher, &course, &again, &third).await["attempt"], json!(null));
    let row = submission(&teacher, &course, &again, &first).await.id();
    assert_eq!(submissions().await[0], row);
    support::running().tick(None).await;
    if let Some(tool) = tool {
        assert!(!tool.types().contains(&"GRADE_CHANGE".to_owned()), "nobody is told");
    }

    // The attempt that runs is handed in as ever.
    running.completes(&second).await.is(200);
    assert_eq!(submission(&teacher, &course, &again, &second).await["attempt"], 2);
}

#[tokio::test]
async fn the_copy_of_a_quiz_is_graded_as_the_quiz() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let keys = ["grading_type", "allowed_attempts", "post_manually", "anonymous_grading"];
    let graded = [
        json!({ "grading_type": "percent", "post_manually": true, "allowed_attempts": 3 }),
        json!({ "grading_type": "pass_fail", "anonymous_grading": true }),
        json!({}),
    ];
    for how in graded {
        let assignment = quiz(&teacher, &course, json!({})).await.assignment.unwrap();
        teacher
            .put(&course.path(&format!("/assignments/{assignment}")))
            .json(json!({ "assignment": how }))
            .await
            .is(200);
    }
    let copy = school.course("Copy").await;
    school.admin.post(&copy.path(&format!("/course_copy/{}", course.id))).await.is(200);
    let told = async |course: &Course| {
        let assignments = school.admin.get(&course.path("/assignments")).await.is(200);
        let told = |one: &Value| keys.map(|key| one[key].clone());
        assignments.json.as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    let (before, after) = (told(&course).await, told(&copy).await);
    assert_eq!((&before[0][0], &before[0][2], &before[1][3]), (&json!("percent"), &json!(true), &json!(true)));
    assert_eq!(after, before);
}
