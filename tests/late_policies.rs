//! Late policies: what lateness costs, and what missing work is worth.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Course, Response, School, running};

use crate::uploads::ticks_until;

const DUE: &str = "2020-01-01T00:00:00Z";
/// A day and a half after that.
const LATE: &str = "2020-01-02T12:00:00Z";

async fn policy(teacher: &Client, course: &Course, policy: Value) -> Value {
    let path = course.path("/late_policy");
    teacher.post(&path).json(json!({ "late_policy": policy })).await.is(201)["late_policy"].clone()
}

/// Ten percent for each day, 40 percent at least.
fn ten_percent_a_day() -> Value {
    json!({ "late_submission_deduction_enabled": true, "late_submission_deduction": 10,
            "late_submission_minimum_percent_enabled": true, "late_submission_minimum_percent": 40 })
}

/// The path of the submissions of a published assignment of 20 points that takes texts and was due long ago.
async fn essay(teacher: &Client, course: &Course) -> String {
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"], "due_at": DUE,
                       "points_possible": 20 });
    let id = teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201).id();
    course.path(&format!("/assignments/{id}/submissions"))
}

/// Work that a teacher has handed in for the student, a day and a half late.
async fn late_work(teacher: &Client, work: &str, student: &Client) {
    let form =
        json!({ "submission_type": "online_text_entry", "body": "x", "user_id": student.id, "submitted_at": LATE });
    teacher.post(work).json(json!({ "submission": form })).await.is(201);
}

async fn graded(teacher: &Client, work: &str, student: &Client, form: Value) -> Response {
    teacher.put(&format!("{work}/{}", student.id)).json(json!({ "submission": form })).await.is(200)
}

/// Score, entered score, points deducted and grade.
fn points(submission: &Response) -> Value {
    json!([submission["score"], submission["entered_score"], submission["points_deducted"], submission["grade"]])
}

#[tokio::test]
async fn a_course_has_one_late_policy() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/late_policy");
    teacher.get(&path).await.is_not_found();
    teacher.patch(&path).json(json!({ "late_policy": {} })).await.is_not_found();
    let made = policy(&teacher, &course, ten_percent_a_day()).await;
    assert_eq!(
        made,
        json!({ "id": made["id"], "course_id": course.id, "missing_submission_deduction_enabled": false,
                "missing_submission_deduction": 100.0, "late_submission_deduction_enabled": true,
                "late_submission_deduction": 10.0, "late_submission_interval": "day",
                "late_submission_minimum_percent_enabled": true, "late_submission_minimum_percent": 40.0,
                "created_at": made["created_at"], "updated_at": made["updated_at"] })
    );
    assert_eq!(teacher.get(&path).await.is(200)["late_policy"], made);
    teacher.post(&path).json(json!({ "late_policy": {} })).await.is_refused(400, "the course has a late policy");
    for (field, value) in [
        ("late_submission_deduction", json!(101)),
        ("missing_submission_deduction", json!(-1)),
        ("late_submission_interval", json!("week")),
    ] {
        assert_eq!(teacher.patch(&path).json(json!({ "late_policy": { field: value } })).await.status, 400, "{field}");
    }
    let hourly = json!({ "late_policy": { "late_submission_interval": "hour", "late_submission_deduction": null } });
    teacher.patch(&path).json(hourly).await.is(204);
    let changed = &teacher.get(&path).await.is(200)["late_policy"];
    assert_eq!(
        (&changed["late_submission_interval"], &changed["late_submission_deduction"]),
        (&json!("hour"), &json!(10.0))
    );
    student.get(&path).await.is_forbidden();
    student.patch(&path).json(json!({ "late_policy": {} })).await.is_forbidden();
}

#[tokio::test]
async fn lateness_costs_points_of_whatever_is_graded() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    policy(&teacher, &course, ten_percent_a_day()).await;
    let work = essay(&teacher, &course).await;
    late_work(&teacher, &work, &student).await;
    let late = graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    assert_eq!(points(&late), json!([16.0, 20.0, 4.0, "16"]));
    assert_eq!((&late["entered_grade"], &late["seconds_late"]), (&json!("20"), &json!(129_600)));
    let seen = student.get(&format!("{work}/self")).await.is(200);
    assert_eq!(points(&seen), json!([16.0, 20.0, 4.0, "16"]));
    let low = graded(&teacher, &work, &student, json!({ "posted_grade": "9" })).await;
    assert_eq!(points(&low), json!([8.0, 9.0, 1.0, "8"]), "40 percent are left");

    let said = graded(&teacher, &work, &student, json!({ "late_policy_status": "extended" })).await;
    assert_eq!(points(&said), json!([9.0, 9.0, null, "9"]));
    assert_eq!((&said["late"], &said["late_policy_status"]), (&json!(false), &json!("extended")));
    let form = json!({ "posted_grade": "20", "late_policy_status": "late", "seconds_late_override": 1 });
    let said = graded(&teacher, &work, &student, form).await;
    assert_eq!((points(&said), &said["seconds_late"]), (json!([18.0, 20.0, 2.0, "18"]), &json!(1)));
    let said = graded(&teacher, &work, &student, json!({ "late_policy_status": null })).await;
    assert_eq!(points(&said), json!([16.0, 20.0, 4.0, "16"]));
    let one = format!("{work}/{}", student.id);
    let refused = json!({ "submission": { "seconds_late_override": -1 } });
    assert_eq!(teacher.put(&one).json(refused).await.status, 400);
    student.put(&one).json(json!({ "submission": { "late_policy_status": "none" } })).await.is_forbidden();

    let assignment = work.trim_end_matches("/submissions");
    let more = json!({ "assignment": { "points_possible": 40 } });
    teacher.put(assignment).json(more).await.is(200);
    assert_eq!(points(&teacher.get(&one).await.is(200)), json!([16.0, 20.0, 4.0, "16"]), "40 percent of 40 are left");
}

#[tokio::test]
async fn quizzes_lose_points_by_the_due_date_of_the_student() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let form = json!({ "late_submission_deduction_enabled": true, "late_submission_deduction": 100 });
    policy(&teacher, &course, form).await;
    let quiz = json!({ "title": "Leaves", "quiz_type": "assignment", "due_at": DUE, "published": true });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
    let path = course.path(&format!("/quizzes/{}", quiz.id()));
    let answers = json!([{ "text": "oak", "weight": 100 }, { "text": "elm", "weight": 0 }]);
    let question = json!({ "question_text": "Which?", "question_type": "multiple_choice_question", "points_possible": 4,
                           "answers": answers });
    let question = teacher.post(&format!("{path}/questions")).json(json!({ "question": question })).await.is(200);
    let own = json!({ "student_ids": [other.id], "due_at": "2099-01-01T00:00:00Z" });
    let work = course.path(&format!("/assignments/{}", quiz["assignment_id"]));
    teacher.post(&format!("{work}/overrides")).json(json!({ "assignment_override": own })).await.is(201);
    for (student, expected) in [(&student, json!([0.0, 4.0, 4.0, "0"])), (&other, json!([4.0, 4.0, null, "4"]))] {
        let attempt = student.post(&format!("{path}/submissions")).await.is(200)["quiz_submissions"][0].clone();
        let answer = json!({ "attempt": 1, "validation_token": attempt["validation_token"],
                             "quiz_questions": [{ "id": question.id(), "answer": question["answers"][0]["id"] }] });
        let answered = format!("/api/v1/quiz_submissions/{}/questions", attempt["id"]);
        student.post(&answered).json(answer).await.is(200);
        let proof = json!({ "attempt": 1, "validation_token": attempt["validation_token"] });
        student.post(&format!("{path}/submissions/{}/complete", attempt["id"])).json(proof).await.is(200);
        let submission = teacher.get(&format!("{work}/submissions/{}", student.id)).await.is(200);
        assert_eq!(points(&submission), expected);
    }
}

#[tokio::test]
async fn the_tick_grades_missing_work_and_follows_changes() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let absent = course.member(&school, "StudentEnrollment").await;
    let work = essay(&teacher, &course).await;
    late_work(&teacher, &work, &student).await;
    let before = graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    assert_eq!(points(&before), json!([20.0, 20.0, null, "20"]), "there is no policy yet");
    let read = async |student: &Client| teacher.get(&format!("{work}/{}", student.id)).await.is(200);
    let mut both = ten_percent_a_day();
    both["missing_submission_deduction_enabled"] = json!(true);
    both["missing_submission_deduction"] = json!(75);
    policy(&teacher, &course, both).await;
    let has = async |person: &Client, expected: Value| points(&read(person).await) == expected;
    ticks_until("it costs points", async || has(&student, json!([16.0, 20.0, 4.0, "16"])).await).await;
    ticks_until("it has some", async || has(&absent, json!([5.0, 5.0, null, "5"])).await).await;
    let missing = read(&absent).await;
    assert_eq!((&missing["missing"], &missing["grader_id"]), (&json!(true), &json!(null)));

    let change = json!({ "late_submission_deduction": 20, "missing_submission_deduction": 100 });
    teacher.patch(&course.path("/late_policy")).json(json!({ "late_policy": change })).await.is(204);
    ticks_until("it costs more", async || has(&student, json!([12.0, 20.0, 8.0, "12"])).await).await;
    ticks_until("it has none", async || has(&absent, json!([0.0, 0.0, null, "0"])).await).await;

    let own = json!({ "student_ids": [student.id], "due_at": LATE });
    let overrides = work.replace("/submissions", "/overrides");
    teacher.post(&overrides).json(json!({ "assignment_override": own })).await.is(201);
    let in_time = async || has(&student, json!([20.0, 20.0, null, "20"])).await;
    ticks_until("the student's due date is another one", in_time).await;
}

#[tokio::test]
async fn what_lateness_costs_follows_a_student_into_other_sections_and_groups() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    policy(&teacher, &course, ten_percent_a_day()).await;
    let work = essay(&teacher, &course).await;
    late_work(&teacher, &work, &student).await;
    graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    let admin = &school.admin;
    let section = json!({ "course_section": { "name": "Evening" } });
    let section = admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let group = admin.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    let overrides = work.replace("/submissions", "/overrides");
    for dates in [json!({ "course_section_id": section, "due_at": LATE }), json!({ "group_id": group, "due_at": LATE })]
    {
        teacher.post(&overrides).json(json!({ "assignment_override": dates })).await.is(201);
    }
    let after_tick = async |expected: &Value| {
        let read = async || teacher.get(&format!("{work}/{}", student.id)).await.is(200);
        ticks_until(&format!("{expected}"), async || points(&read().await) == *expected).await;
    };
    let (in_time, late) = (json!([20.0, 20.0, null, "20"]), json!([16.0, 20.0, 4.0, "16"]));
    after_tick(&late).await;

    let form = json!({ "user_id": student.id, "type": "StudentEnrollment", "enrollment_state": "active",
                       "course_section_id": section });
    let form = json!({ "enrollment": form });
    let enrollment = admin.post(&course.path("/enrollments")).json(form).await.is(200).id();
    after_tick(&in_time).await;
    admin.delete(&course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    after_tick(&late).await;

    let memberships = format!("/api/v1/groups/{group}/memberships");
    let member = admin.post(&memberships).json(json!({ "user_id": student.id })).await.is(200).id();
    after_tick(&in_time).await;
    admin.delete(&format!("{memberships}/{member}")).await.is(200);
    after_tick(&late).await;
}

#[tokio::test]
async fn work_that_is_handed_in_after_a_grade_costs_that_grade_nothing() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    policy(&teacher, &course, ten_percent_a_day()).await;
    let work = essay(&teacher, &course).await;
    let hand_in = async |at: &str| {
        let form =
            json!({ "submission_type": "online_text_entry", "body": "x", "user_id": student.id, "submitted_at": at });
        teacher.post(&work).json(json!({ "submission": form })).await.is(201);
    };
    hand_in("2019-12-31T00:00:00Z").await;
    let in_time = graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    assert_eq!(points(&in_time), json!([20.0, 20.0, null, "20"]));
    hand_in(LATE).await;

    let assignment = work.trim_end_matches("/submissions");
    teacher.put(assignment).json(json!({ "assignment": { "points_possible": 40 } })).await.is(200);
    let one = format!("{work}/{}", student.id);
    let after = teacher.get(&one).await.is(200);
    assert_eq!(points(&after), json!([20.0, 20.0, null, "20"]), "it is the grade of what came in time");
    assert_eq!((&after["late"], &after["grade_matches_current_submission"]), (&json!(true), &json!(false)));
    for (status, expected) in [(json!("none"), json!([20.0, 20.0, null, "20"])), (json!(null), points(&after))] {
        let said = graded(&teacher, &work, &student, json!({ "late_policy_status": status })).await;
        assert_eq!(points(&said), expected, "{status}");
    }
    let again = graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    assert_eq!(points(&again), json!([16.0, 20.0, 4.0, "16"]), "the grade of the late work loses points");
    teacher.put(assignment).json(json!({ "assignment": { "points_possible": 20 } })).await.is(200);
    assert_eq!(points(&teacher.get(&one).await.is(200)), json!([16.0, 20.0, 4.0, "16"]));
}

#[tokio::test]
async fn a_grade_follows_the_policy_and_the_due_date_also_where_something_was_handed_in_since() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    policy(&teacher, &course, ten_percent_a_day()).await;
    let work = essay(&teacher, &course).await;
    late_work(&teacher, &work, &student).await;
    graded(&teacher, &work, &student, json!({ "posted_grade": "20" })).await;
    let again = json!({ "submission_type": "online_text_entry", "body": "y", "user_id": student.id,
                        "submitted_at": "2020-01-09T00:00:00Z" });
    teacher.post(&work).json(json!({ "submission": again })).await.is(201);
    let has = async |expected: Value| {
        let read = async || points(&teacher.get(&format!("{work}/{}", student.id)).await.is(200));
        ticks_until(&format!("{expected}"), async || read().await == expected).await;
    };
    has(json!([16.0, 20.0, 4.0, "16"])).await;
    let change = json!({ "late_policy": { "late_submission_deduction": 20 } });
    teacher.patch(&course.path("/late_policy")).json(change).await.is(204);
    has(json!([12.0, 20.0, 8.0, "12"])).await;
    let assignment = work.trim_end_matches("/submissions");
    teacher.put(assignment).json(json!({ "assignment": { "due_at": LATE } })).await.is(200);
    has(json!([20.0, 20.0, null, "20"])).await;
}

#[tokio::test]
async fn the_score_that_a_quiz_keeps_is_as_late_as_its_attempt() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    policy(&teacher, &course, json!({ "late_submission_deduction_enabled": true, "late_submission_deduction": 50 }))
        .await;
    let quiz = json!({ "title": "Leaves", "quiz_type": "assignment", "published": true, "allowed_attempts": -1 });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
    let path = course.path(&format!("/quizzes/{}", quiz.id()));
    let question = json!({ "question_text": "Rings?", "question_type": "numerical_question", "points_possible": 4,
                           "answers": [{ "exact": 42 }] });
    let question = teacher.post(&format!("{path}/questions")).json(json!({ "question": question })).await.is(200).id();
    let work = course.path(&format!("/assignments/{}/submissions/{}", quiz["assignment_id"], student.id));
    let take = async |number: i64| {
        let attempt = student.post(&format!("{path}/submissions")).await.is(200)["quiz_submissions"][0].clone();
        let proof = json!({ "attempt": attempt["attempt"], "validation_token": attempt["validation_token"] });
        let mut answer = proof.clone();
        answer["quiz_questions"] = json!([{ "id": question, "answer": number }]);
        let answered = format!("/api/v1/quiz_submissions/{}/questions", attempt["id"]);
        student.post(&answered).json(answer).await.is(200);
        let one = format!("{path}/submissions/{}", attempt["id"]);
        student.post(&format!("{one}/complete")).json(proof).await.is(200);
        one
    };
    let read = async || teacher.get(&work).await.is(200);
    take(42).await;
    let best = read().await["submitted_at"].clone();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    take(1).await;
    let (in_time, late) = (json!([4.0, 4.0, null, "4"]), json!([2.0, 4.0, 2.0, "2"]));
    teacher.put(&path).json(json!({ "quiz": { "due_at": best } })).await.is(200);
    running().tick(None).await;
    assert_eq!(points(&read().await), in_time, "the tick deducts nothing");
    assert_eq!(read().await["late"], true, "the latest attempt is late");
    let one = take(1).await;
    assert_eq!(points(&read().await), in_time, "another late attempt costs nothing");
    let score = json!({ "attempt": 2, "questions": { question.to_string(): { "score": 1 } } });
    teacher.put(&one).json(json!({ "quiz_submissions": [score] })).await.is(200);
    assert_eq!(points(&read().await), in_time, "nor does the grade of an earlier one");
    for status in ["late", "none"] {
        let said = json!({ "submission": { "late_policy_status": status, "seconds_late_override": 1 } });
        let expected = if status == "late" { &late } else { &in_time };
        assert_eq!(points(&teacher.put(&work).json(said).await.is(200)), *expected, "{status}");
    }
    let said = json!({ "submission": { "late_policy_status": null } });
    assert_eq!(points(&teacher.put(&work).json(said).await.is(200)), in_time);

    let score = json!({ "attempt": 3, "questions": { question.to_string(): { "score": 5 } } });
    teacher.put(&one).json(json!({ "quiz_submissions": [score] })).await.is(200);
    assert_eq!(points(&read().await), json!([3.0, 5.0, 2.0, "3"]), "the best is a late one now");
    teacher.put(&work).json(json!({ "submission": { "posted_grade": "4" } })).await.is(200);
    assert_eq!(points(&read().await), late, "what a person gives is for the latest");
    for (kept, expected) in
        [("keep_average", json!([0.5, 2.5, 2.0, "0.5"])), ("keep_latest", json!([2.0, 4.0, 2.0, "2"]))]
    {
        teacher.put(&path).json(json!({ "quiz": { "scoring_policy": kept } })).await.is(200);
        take(if kept == "keep_average" { 1 } else { 42 }).await;
        assert_eq!(points(&read().await), expected, "{kept}");
    }
}
