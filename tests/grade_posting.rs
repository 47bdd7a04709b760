//! Posting: when students see grades and comments.

use serde_json::{Value, json};
use support::{Client, Course, Response, School};

/// The path of an assignment of ten points that takes texts.
async fn essay(teacher: &Client, course: &Course, fields: Value) -> String {
    let mut form =
        json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"], "points_possible": 10 });
    for (name, value) in fields.as_object().unwrap() {
        form[name] = value.clone();
    }
    let id = teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201).id();
    course.path(&format!("/assignments/{id}"))
}

async fn grade(teacher: &Client, essay: &str, student: &Client, grade: &str) -> Response {
    let form = json!({ "submission": { "posted_grade": grade }, "comment": { "text_comment": "Well done" } });
    teacher.put(&format!("{essay}/submissions/{}", student.id)).json(form).await.is(200)
}

async fn own(student: &Client, essay: &str) -> Response {
    student
        .get(&format!("{essay}/submissions/self?include[]=submission_comments&include[]=submission_history"))
        .await
        .is(200)
}

async fn post(teacher: &Client, essay: &str, form: Value) -> Value {
    teacher.put(&format!("{essay}/post_grades")).json(form).await.is(200)["posted"].clone()
}

/// True if the student sees the grade, with all that tells of it.
async fn sees(student: &Client, essay: &str) -> bool {
    let own = own(student, essay).await;
    let is_seen = !own["posted_at"].is_null();
    for member in ["score", "grade", "entered_score", "entered_grade", "graded_at", "grader_id"] {
        assert_eq!(!own[member].is_null(), is_seen, "{member} of {own}");
        assert_eq!(!own["submission_history"][0][member].is_null(), is_seen, "{member} of the history of {own}");
    }
    assert_eq!(own["workflow_state"] == "graded", is_seen, "{own}");
    assert_eq!(own["submission_comments"].as_array().unwrap().len(), usize::from(is_seen), "{own}");
    is_seen
}

#[tokio::test]
async fn students_see_what_they_have_handed_in_before_their_grades() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = essay(&teacher, &course, json!({ "post_manually": true })).await;
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Moss is small." } });
    student.post(&format!("{essay}/submissions")).json(text).await.is(201);
    grade(&teacher, &essay, &student, "7").await;
    let own = own(&student, &essay).await;
    assert_eq!((&own["body"], &own["score"]), (&json!("Moss is small."), &json!(null)));
    assert_eq!(own["submission_history"][0]["body"], "Moss is small.");
}

#[tokio::test]
async fn what_is_posted_by_hand_is_seen_from_then_on() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let essay = essay(&teacher, &course, json!({ "post_manually": true })).await;
    assert_eq!(student.get(&essay).await.is(200)["post_manually"], true);
    let graded = grade(&teacher, &essay, &student, "7").await;
    assert_eq!(
        (&graded["score"], &graded["posted_at"], &graded["workflow_state"]),
        (&json!(7.0), &json!(null), &json!("graded"))
    );
    assert!(!sees(&student, &essay).await);
    let comment = json!({ "comment": { "text_comment": "And?" } });
    let said = student.put(&format!("{essay}/submissions/self")).json(comment).await.is(200);
    assert_eq!(said["submission_comments"].as_array().unwrap().len(), 1, "students see what they say themselves");
    student.put(&format!("{essay}/post_grades")).await.is_forbidden();
    student.put(&format!("{essay}/hide_grades")).await.is_forbidden();

    assert_eq!(post(&teacher, &essay, json!({ "graded_only": true })).await, 1);
    let seen = own(&student, &essay).await;
    assert_eq!((&seen["score"], &seen["workflow_state"]), (&json!(7.0), &json!("graded")));
    assert_eq!(seen["submission_comments"].as_array().unwrap().len(), 2);
    grade(&teacher, &essay, &other, "5").await;
    assert!(!sees(&other, &essay).await, "it was not graded when grades were posted");
    assert_eq!(post(&teacher, &essay, json!({})).await, 1);
    assert!(sees(&other, &essay).await);
    assert_eq!(post(&teacher, &essay, json!({})).await, 0);

    assert_eq!(teacher.put(&format!("{essay}/hide_grades")).await.is(200)["hidden"], 2);
    assert!(!sees(&other, &essay).await);
    let automatic = json!({ "assignment": { "post_manually": false } });
    teacher.put(&essay).json(automatic).await.is(200);
    assert!(!sees(&other, &essay).await, "what is hidden stays hidden");
}

#[tokio::test]
async fn grades_are_posted_for_sections_and_as_the_course_says() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let evening = course.section(&school, "Evening").await;
    teacher.put(&course.path("")).json(json!({ "course": { "post_manually": true } })).await.is(200);
    assert_eq!(teacher.get(&course.path("?include[]=post_manually")).await.is(200)["post_manually"], true);
    let essay = essay(&teacher, &course, json!({})).await;
    for student in [&student, &evening.student] {
        grade(&teacher, &essay, student, "7").await;
        assert!(!sees(student, &essay).await);
    }
    let elsewhere = school.course("Zoology").await.section(&school, "Morning").await;
    let refused = json!({ "section_ids": [elsewhere.id] });
    teacher
        .put(&format!("{essay}/post_grades"))
        .json(refused)
        .await
        .is_refused(400, "are not all sections of the course");
    assert_eq!(post(&teacher, &essay, json!({ "section_ids": [evening.id] })).await, 1);
    assert!(sees(&evening.student, &essay).await && !sees(&student, &essay).await);
    assert_eq!(
        evening.teacher.put(&format!("{essay}/hide_grades")).await.is(200)["hidden"],
        1,
        "a teacher of one section"
    );
    assert_eq!(post(&evening.teacher, &essay, json!({ "graded_only": true })).await, 1);

    teacher.put(&course.path("")).json(json!({ "course": { "post_manually": false } })).await.is(200);
    assert!(!sees(&student, &essay).await, "what was not posted is not posted by another policy");
    let later = course.member(&school, "StudentEnrollment").await;
    grade(&teacher, &essay, &later, "3").await;
    assert!(sees(&later, &essay).await);
    teacher.put(&essay).json(json!({ "assignment": { "post_manually": true } })).await.is(200);
    assert!(sees(&later, &essay).await, "what was seen is seen");
}

/// How many submissions for the assignment are graded, unsubmitted, and graded since some day; and whether an assignment is overdue.
async fn lists(who: &Client, course: &Course, essay: &str) -> (usize, usize, usize, bool) {
    let id = essay.rsplit_once('/').unwrap().1;
    let found = async |query: &str| {
        let path = course.path(&format!("/students/submissions?student_ids[]=all&assignment_ids[]={id}&{query}"));
        who.get(&path).await.is(200).json.as_array().unwrap().len()
    };
    let overdue = who.get(&course.path("/assignments?bucket=overdue")).await.is(200);
    (
        found("workflow_state=graded&order=graded_at").await,
        found("workflow_state=unsubmitted").await,
        found("graded_since=2020-01-01T00:00:00Z").await,
        !overdue.ids().is_empty(),
    )
}

#[tokio::test]
async fn lists_are_filtered_as_they_are_shown() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = essay(&teacher, &course, json!({ "post_manually": true, "due_at": "2026-01-01T00:00:00Z" })).await;
    own(&student, &essay).await;
    let late = json!({ "late_policy_status": "extended" });
    for form in [json!({ "posted_grade": "3" }), json!({ "excuse": true }), late] {
        let path = format!("{essay}/submissions/{}", student.id);
        teacher.put(&path).json(json!({ "submission": form })).await.is(200);
        assert_eq!(lists(&student, &course, &essay).await, (0, 1, 0, true), "{form}");
        let shown = own(&student, &essay).await;
        assert_eq!((&shown["late_policy_status"], &shown["missing"]), (&json!(null), &json!(true)), "{form}");
    }
    grade(&teacher, &essay, &student, "3").await;
    assert_eq!(lists(&teacher, &course, &essay).await, (1, 0, 1, false));
    post(&teacher, &essay, json!({})).await;
    assert_eq!(lists(&student, &course, &essay).await, (1, 0, 1, false));
    let shown = own(&student, &essay).await;
    assert_eq!((&shown["late_policy_status"], &shown["missing"]), (&json!("extended"), &json!(false)));
}
