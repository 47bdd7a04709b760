//! Overrides: dates of assignments that are others for sections, groups and single students.

use serde_json::{Value, json};
use support::{Client, Course, School, Section};

const PAST: &str = "2020-01-01T00:00:00Z";
const LATER: &str = "2020-02-01T00:00:00Z";
const FUTURE: &str = "2099-01-01T00:00:00Z";

/// A published assignment that takes texts, and was due and locked long ago.
async fn assignment(teacher: &Client, course: &Course) -> i64 {
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"], "due_at": PAST,
                       "lock_at": PAST });
    teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201).id()
}

fn overrides(course: &Course, assignment: i64) -> String {
    course.path(&format!("/assignments/{assignment}/overrides"))
}

pub(crate) async fn made(teacher: &Client, path: &str, own: Value) -> Value {
    teacher.post(path).json(json!({ "assignment_override": own })).await.is(201).json.clone()
}

#[tokio::test]
async fn an_override_is_made_read_changed_and_deleted() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let section = course.section(&school, "Evening").await;
    let essay = assignment(&teacher, &course).await;
    let path = overrides(&course, essay);
    let own = made(&teacher, &path, json!({ "student_ids": [student.id], "due_at": FUTURE, "lock_at": null })).await;
    let id = own["id"].as_i64().unwrap();
    assert_eq!(
        own,
        json!({ "id": id, "assignment_id": essay, "title": "1 student", "student_ids": [student.id], "due_at": FUTURE,
                "lock_at": null })
    );
    let of_section = made(&teacher, &path, json!({ "course_section_id": section.id, "unlock_at": PAST })).await;
    assert_eq!((&of_section["title"], &of_section["course_section_id"]), (&json!("Evening"), &json!(section.id)));
    assert!(of_section.get("student_ids").is_none() && of_section.get("due_at").is_none());
    let one = format!("{path}/{id}");
    assert_eq!(teacher.get(&one).await.is(200).json, own);
    assert_eq!(teacher.get(&path).await.is(200).json, json!([own, of_section]));

    let change = json!({ "assignment_override": { "student_ids": [student.id, section.student.id], "title": "Late" } });
    let changed = teacher.put(&one).json(change).await.is(200).json.clone();
    let mut students = [student.id, section.student.id];
    students.sort_unstable();
    assert_eq!(changed, json!({ "id": id, "assignment_id": essay, "title": "Late", "student_ids": students }));
    assert_eq!(teacher.delete(&one).await.is(200).json, changed);
    teacher.get(&one).await.is_not_found();
    teacher.delete(&one).await.is_not_found();
    for call in
        [student.get(&path), student.post(&path).json(json!({ "assignment_override": {} })), student.delete(&one)]
    {
        call.await.is_forbidden();
    }
}

#[tokio::test]
async fn an_override_is_for_somebody_of_the_course() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let elsewhere = school.course("Zoology").await;
    let (section, foreign) = (course.default_section(&student).await, elsewhere.section(&school, "Morning").await);
    let path = overrides(&course, assignment(&teacher, &course).await);
    let refused = async |own: Value, reason: &str| {
        teacher.post(&path).json(json!({ "assignment_override": own })).await.is_refused(400, reason);
    };
    refused(json!({ "due_at": FUTURE }), "is required").await;
    refused(json!({ "student_ids": [] }), "student_ids is empty").await;
    refused(json!({ "student_ids": [student.id], "course_section_id": section }), "not for two of them").await;
    refused(json!({ "student_ids": [student.id, teacher.id] }), "not all students of the course").await;
    refused(json!({ "course_section_id": foreign.id }), "no section of the course").await;
    refused(json!({ "group_id": 999_999_999 }), "no group of the course").await;
    refused(json!({ "student_ids": [student.id], "unlock_at": FUTURE }), "must be between unlock_at and lock_at").await;
    let own = made(&teacher, &path, json!({ "student_ids": [student.id] })).await;
    refused(json!({ "student_ids": [student.id] }), "another override of the assignment names").await;
    made(&teacher, &path, json!({ "course_section_id": section })).await;
    refused(json!({ "course_section_id": section }), "has one already").await;
    let change = json!({ "assignment_override": { "course_section_id": section } });
    teacher.put(&format!("{path}/{}", own["id"])).json(change).await.is_refused(400, "stays one for the same");
    assert_eq!(teacher.get(&path).await.is(200).json.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_override_names_a_student_who_has_left_until_it_is_changed() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let [other, stranger] = [course.member(&school, "StudentEnrollment").await, school.person("Stranger").await];
    let path = overrides(&course, assignment(&teacher, &course).await);
    let own = json!({ "student_ids": [student.id], "due_at": FUTURE, "lock_at": null });
    let one = made(&teacher, &path, own).await;
    let enrollments = course.path(&format!("/enrollments?user_id={}", student.id));
    let enrollment = school.admin.get(&enrollments).await.is(200).json[0]["id"].clone();
    school.admin.delete(&course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    let one_path = format!("{path}/{}", one["id"]);
    assert_eq!(teacher.get(&one_path).await.is(200)["student_ids"], json!([student.id]));
    let change = async |students: &[i64]| {
        let change = json!({ "assignment_override": { "student_ids": students, "due_at": LATER, "lock_at": null } });
        teacher.put(&one_path).json(change).await
    };
    assert_eq!(change(&[student.id]).await.is(200)["due_at"], LATER, "what was read can be sent back");
    change(&[student.id, stranger.id]).await.is_refused(400, "not all students of the course");
    let both = change(&[student.id, other.id]).await.is(200);
    assert_eq!(both["student_ids"].as_array().unwrap().len(), 2);
    change(&[other.id]).await.is(200);
    change(&[student.id]).await.is_refused(400, "not all students of the course");
}

#[tokio::test]
async fn an_override_goes_with_its_section_or_its_group() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let section = json!({ "course_section": { "name": "Evening" } });
    let section = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Ferns" })).await.is(200).id();
    let essay = assignment(&teacher, &course).await;
    let path = overrides(&course, essay);
    made(&teacher, &path, json!({ "course_section_id": section, "due_at": FUTURE, "lock_at": null })).await;
    made(&teacher, &path, json!({ "group_id": group, "due_at": FUTURE, "lock_at": null })).await;
    let seen = async || {
        let read = teacher.get(&course.path(&format!("/assignments/{essay}?include[]=all_dates"))).await.is(200);
        let listed = teacher.get(&path).await.is(200).json.as_array().unwrap().len();
        (listed, read["all_dates"].as_array().unwrap().len(), read["has_overrides"].clone())
    };
    assert_eq!(seen().await, (2, 3, json!(true)));
    school.admin.delete(&format!("/api/v1/sections/{section}")).await.is(200);
    assert_eq!(seen().await, (1, 2, json!(true)));
    teacher.delete(&format!("/api/v1/groups/{group}")).await.is(200);
    assert_eq!(seen().await, (0, 1, json!(false)));
}

#[tokio::test]
async fn the_override_of_a_section_and_of_a_group_is_read_by_these() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let section = course.default_section(&student).await;
    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Ferns" })).await.is(200).id();
    let essay = assignment(&teacher, &course).await;
    let of_section = format!("/api/v1/sections/{section}/assignments/{essay}/override");
    let of_group = format!("/api/v1/groups/{group}/assignments/{essay}/override");
    teacher.get(&of_section).await.is_not_found();
    let path = overrides(&course, essay);
    let own = made(&teacher, &path, json!({ "course_section_id": section, "due_at": FUTURE, "lock_at": null })).await;
    assert_eq!(teacher.get(&of_section).await.is(200).json, own);
    teacher.get(&of_group).await.is_not_found();
    let own = made(&teacher, &path, json!({ "group_id": group, "lock_at": null })).await;
    assert_eq!(teacher.get(&of_group).await.is(200).json, own);
    student.get(&of_section).await.is_forbidden();
    student.get(&of_group).await.is_forbidden();
    let other = assignment(&school.admin, &school.course("Zoology").await).await;
    school.admin.get(&format!("/api/v1/sections/{section}/assignments/{other}/override")).await.is_not_found();
}

#[tokio::test]
async fn the_dates_of_quizzes_are_listed_with_their_overrides() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let form = json!({ "title": "Leaves", "quiz_type": "assignment", "due_at": LATER, "published": true });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": form })).await.is(200);
    let form = json!({ "title": "Practice", "quiz_type": "practice_quiz" });
    let practice = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": form })).await.is(200).id();
    let path = overrides(&course, quiz["assignment_id"].as_i64().unwrap());
    let own = made(&teacher, &path, json!({ "student_ids": [student.id], "due_at": FUTURE })).await;
    let path = course.path("/quizzes/assignment_overrides");
    let all = json!([
        { "base": true, "due_at": LATER, "unlock_at": null, "lock_at": null },
        { "id": own["id"], "title": "1 student", "due_at": FUTURE, "unlock_at": null, "lock_at": null },
    ]);
    let none = json!([{ "base": true, "due_at": null, "unlock_at": null, "lock_at": null }]);
    let of_quiz = json!({ "quiz_id": quiz.id(), "due_dates": all, "all_dates": all });
    let of_practice = json!({ "quiz_id": practice, "due_dates": none, "all_dates": none });
    let listed = |dates: Value| json!({ "quiz_assignment_overrides": dates });
    assert_eq!(teacher.get(&path).await.is(200).json, listed(json!([of_quiz, of_practice])));
    let one = format!("{path}?quiz_assignment_overrides[][quiz_ids][]={practice}");
    assert_eq!(teacher.get(&one).await.is(200).json, listed(json!([of_practice])));
    let first = teacher.get(&format!("{path}?per_page=1")).await.is(200).json.clone();
    assert_eq!(first, listed(json!([of_quiz])));
    let seen = json!([{ "due_at": FUTURE, "unlock_at": null, "lock_at": null }]);
    let seen = json!([{ "quiz_id": quiz.id(), "due_dates": seen }]);
    assert_eq!(student.get(&path).await.is(200).json, listed(seen));
}

#[tokio::test]
async fn work_is_open_due_and_late_by_the_dates_of_its_student() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { id: section, student: evening, .. } = course.section(&school, "Evening").await;
    let essay = assignment(&teacher, &course).await;
    let work = course.path(&format!("/assignments/{essay}/submissions"));
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    evening.post(&work).json(text.clone()).await.is_refused(403, "was locked");
    let path = overrides(&course, essay);
    made(&teacher, &path, json!({ "course_section_id": section, "due_at": LATER, "lock_at": FUTURE })).await;
    let read = async |who: &Client| who.get(&course.path(&format!("/assignments/{essay}"))).await.is(200);
    assert_eq!((&read(&evening).await["due_at"], &read(&evening).await["lock_at"]), (&json!(LATER), &json!(FUTURE)));
    assert_eq!((&read(&morning).await["due_at"], &read(&teacher).await["due_at"]), (&json!(PAST), &json!(PAST)));
    morning.post(&work).json(text.clone()).await.is_refused(403, "was locked");
    assert_eq!(evening.post(&work).json(text.clone()).await.is(201)["late"], true);

    made(&teacher, &path, json!({ "student_ids": [evening.id], "due_at": FUTURE, "lock_at": FUTURE })).await;
    let submission = teacher.get(&format!("{work}/{}", evening.id)).await.is(200);
    assert_eq!((&submission["late"], &submission["seconds_late"]), (&json!(false), &json!(0)), "the later date counts");
    assert_eq!(teacher.get(&format!("{work}/{}", morning.id)).await.is(200)["missing"], true);
    let named = |list: &Value| list.as_array().unwrap().iter().any(|one| one["id"] == essay);
    let past = course.path("/assignments?bucket=past");
    assert!(named(&morning.get(&past).await.is(200).json) && !named(&evening.get(&past).await.is(200).json));
}

#[tokio::test]
async fn quizzes_are_open_by_the_dates_of_the_student() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { id: section, student: evening, .. } = course.section(&school, "Evening").await;
    let form = json!({ "title": "Leaves", "quiz_type": "assignment", "lock_at": PAST, "published": true });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": form })).await.is(200);
    let (classic, assignment) = (quiz.id(), quiz["assignment_id"].as_i64().unwrap());
    let path = course.path(&format!("/quizzes/{classic}"));
    evening.post(&format!("{path}/submissions")).await.is_refused(400, "was locked");
    made(&teacher, &overrides(&course, assignment), json!({ "course_section_id": section, "lock_at": FUTURE })).await;
    let started = evening.post(&format!("{path}/submissions")).await.is(200);
    assert_eq!(started["quiz_submissions"][0]["end_at"], FUTURE);
    assert_eq!(evening.get(&path).await.is(200)["lock_at"], FUTURE);
    assert_eq!(evening.get(&course.path("/quizzes")).await.is(200).json[0]["locked_for_user"], false);
    morning.post(&format!("{path}/submissions")).await.is_refused(400, "was locked");
    assert_eq!(morning.get(&path).await.is(200)["lock_at"], PAST);
    assert_eq!(teacher.get(&path).await.is(200)["lock_at"], PAST);

    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let form = json!({ "quiz": { "title": "Roots", "published": true, "lock_at": PAST } });
    let new = teacher.post(&base).json(form).await.is(200).id();
    made(&teacher, &overrides(&course, new), json!({ "student_ids": [evening.id], "lock_at": null })).await;
    let attempts = format!("{base}/{new}/attempts");
    evening.post(&attempts).json(json!({ "responses": {} })).await.is(200);
    assert_eq!(morning.post(&attempts).json(json!({ "responses": {} })).await.status, 409);
    assert_eq!(evening.get(&format!("{base}/{new}")).await.is(200)["lock_at"], json!(null));
}

#[tokio::test]
async fn a_quiz_for_some_is_seen_by_these() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { id: section, student: evening, .. } = course.section(&school, "Evening").await;
    let form =
        json!({ "title": "Leaves", "quiz_type": "assignment", "published": true, "only_visible_to_overrides": true });
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": form })).await.is(200);
    let path = course.path(&format!("/quizzes/{}", quiz.id()));
    let own = json!({ "course_section_id": section });
    made(&teacher, &overrides(&course, quiz["assignment_id"].as_i64().unwrap()), own).await;
    let count = async |who: &Client| who.get(&course.path("/quizzes")).await.is(200).json.as_array().unwrap().len();
    assert_eq!((count(&morning).await, count(&evening).await, count(&teacher).await), (0, 1, 1));
    morning.get(&path).await.is_forbidden();
    morning.get(&format!("{path}/groups")).await.is_forbidden();
    evening.get(&format!("{path}/groups")).await.is(200);
    morning.post(&format!("{path}/submissions")).await.is_forbidden();
    evening.get(&path).await.is(200);
    evening.post(&format!("{path}/submissions")).await.is(200);
}

#[tokio::test]
async fn several_overrides_are_made_read_and_changed_at_once() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (one, two) = (assignment(&teacher, &course).await, assignment(&teacher, &course).await);
    let path = course.path("/assignments/overrides");
    let all = |list: Value| json!({ "assignment_overrides": list });
    let of = |id: i64| json!({ "assignment_id": id, "student_ids": [student.id], "due_at": FUTURE, "lock_at": FUTURE });
    let twice = all(json!([of(one), of(one)]));
    teacher.post(&path).json(twice).await.is_refused(400, "another override of the assignment names");
    let made = teacher.post(&path).json(all(json!([of(one), of(two)]))).await.is(201).json.clone();
    let id = |place: usize| made[place]["id"].as_i64().unwrap();
    let query = format!(
        "{path}?assignment_overrides[][id]={}&assignment_overrides[][assignment_id]={one}\
         &assignment_overrides[][id]={}&assignment_overrides[][assignment_id]={one}",
        id(0),
        id(1)
    );
    assert_eq!(teacher.get(&query).await.is(200).json, json!([made[0], null]), "the second is of the other assignment");
    let change =
        |id: i64, assignment: i64| json!({ "id": id, "assignment_id": assignment, "due_at": null, "lock_at": null });
    let changes = all(json!([change(id(0), one), change(id(1), two)]));
    let changed = teacher.put(&path).json(changes).await.is(200);
    assert_eq!((&changed.json[0]["due_at"], &changed.json[1]["lock_at"]), (&json!(null), &json!(null)));
    teacher.put(&path).json(all(json!([change(id(0), two)]))).await.is_not_found();
    teacher.post(&path).json(all(json!([]))).await.is_refused(400, "assignment_overrides is missing");
    for call in [student.post(&path), student.put(&path)] {
        call.json(all(json!([of(one)]))).await.is_forbidden();
    }
    student.get(&query).await.is_forbidden();
}

#[tokio::test]
async fn staff_see_all_dates_of_an_assignment() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course).await;
    let own = json!({ "student_ids": [student.id], "lock_at": FUTURE });
    let own = made(&teacher, &overrides(&course, essay), own).await;
    let path = course.path(&format!("/assignments/{essay}?include[]=all_dates&include[]=overrides"));
    let read = teacher.get(&path).await.is(200);
    let base = json!({ "base": true, "due_at": PAST, "unlock_at": null, "lock_at": PAST });
    let others = json!({ "id": own["id"], "title": "1 student", "due_at": PAST, "unlock_at": null, "lock_at": FUTURE });
    assert_eq!((&read["all_dates"], &read["overrides"]), (&json!([base, others]), &json!([own])));
    let listed = teacher.get(&course.path("/assignments?include[]=all_dates")).await.is(200);
    assert_eq!(listed.json[0]["all_dates"], read["all_dates"]);
    let seen = student.get(&path).await.is(200);
    assert!(seen.json.get("all_dates").is_none() && seen.json.get("overrides").is_none());
}
