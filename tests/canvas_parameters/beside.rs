//! Records that are answered beside others, and assignments by when they are due and by what was handed in.

use serde_json::{Value, json};
use shared::clock;
use support::{Client, Course, School, enroll};

use super::afternoon;
use crate::files::upload;

const ESSAY: &str = "online_text_entry";

async fn assignment(teacher: &Client, course: &Course, name: &str, kind: &str, more: Value) -> i64 {
    let mut assignment = json!({
        "name": name, "published": true, "points_possible": 10, "submission_types": [kind],
    });
    for (key, value) in more.as_object().expect("an object") {
        assignment[key] = value.clone();
    }
    teacher.post(&course.path("/assignments")).json(json!({ "assignment": assignment })).await.is(201).id()
}

async fn hand_in(student: &Client, course: &Course, assignment: i64) {
    let path = course.path(&format!("/assignments/{assignment}/submissions"));
    let work = json!({ "submission_type": ESSAY, "body": "<p>Moss</p>" });
    student.post(&path).json(json!({ "submission": work })).await.is(201);
}

async fn observer(school: &School, course: &Course, student: &Client) -> Client {
    let observer = school.person("observer").await;
    let watches = json!({
        "user_id": observer.id, "type": "ObserverEnrollment", "enrollment_state": "active",
        "associated_user_id": student.id,
    });
    school.admin.post(&course.path("/enrollments")).json(json!({ "enrollment": watches })).await.is(200);
    observer
}

#[tokio::test]
async fn assignments_are_chosen_by_their_bucket() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let watcher = observer(&school, &course, &student).await;
    let before = json!({ "due_at": "2020-01-01T00:00:00Z" });
    let soon = json!({ "due_at": clock::now().plus_seconds(3 * 24 * 60 * 60).to_string() });
    let make = async |name: &str, kind: &str, more: Value| assignment(&teacher, &course, name, kind, more).await;
    let missed = make("Missed", ESSAY, before.clone()).await;
    let done = make("Done", ESSAY, before.clone()).await;
    let paper = make("Paper", "on_paper", before).await;
    let locked = json!({ "due_at": "2020-01-01T00:00:00Z", "lock_at": "2020-02-01T00:00:00Z" });
    let locked = make("Locked", ESSAY, locked).await;
    let undated = make("Undated", ESSAY, json!({})).await;
    let soon = make("Soon", ESSAY, soon).await;
    let later = make("Later", ESSAY, json!({ "due_at": "2099-01-01T00:00:00Z" })).await;
    let hidden = make("Hidden", ESSAY, json!({ "published": false })).await;
    hand_in(&student, &course, done).await;

    let list = async |client: &Client, bucket: &str| {
        client.get(&course.path(&format!("/assignments?bucket={bucket}"))).await.is(200).ids()
    };
    for client in [&student, &watcher] {
        assert_eq!(list(client, "past").await, [missed, done, paper, locked]);
        assert_eq!(list(client, "overdue").await, [missed]);
        assert_eq!(list(client, "undated").await, [undated]);
        assert_eq!(list(client, "unsubmitted").await, [missed, locked, undated, soon, later]);
        assert_eq!(list(client, "upcoming").await, [soon]);
        assert_eq!(list(client, "future").await, [undated, soon, later]);
        assert_eq!(list(client, "ungraded").await, [0; 0]);
    }
    assert_eq!(list(&teacher, "overdue").await, [0; 0], "nobody waits for work of a teacher");
    assert_eq!(list(&teacher, "undated").await, [undated, hidden]);
    assert_eq!(list(&teacher, "ungraded").await, [done]);
    let grade = course.path(&format!("/assignments/{done}/submissions/{}", student.id));
    teacher.put(&grade).json(json!({ "submission": { "posted_grade": "8" } })).await.is(200);
    assert_eq!(list(&teacher, "ungraded").await, [0; 0]);
    hand_in(&student, &course, done).await;
    assert_eq!(list(&teacher, "ungraded").await, [done], "the new work waits again");
    let first = teacher.get(&course.path("/assignments?bucket=past&per_page=1&order_by=name")).await.is(200);
    assert_eq!(first.ids(), [done]);
    teacher.get(&course.path("/assignments?bucket=lost")).await.is_refused(400, "bucket");
}

#[tokio::test]
async fn work_is_overdue_as_long_as_its_student_may_hand_it_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let past = json!({ "due_at": "2020-01-01T00:00:00Z", "lock_at": "2020-02-01T00:00:00Z" });
    let locked = assignment(&teacher, &course, "Locked", ESSAY, past.clone()).await;
    let open = assignment(&teacher, &course, "Open", ESSAY, json!({ "due_at": "2020-01-01T00:00:00Z" })).await;
    let overdue = course.path("/assignments?bucket=overdue");
    assert_eq!(student.get(&overdue).await.is(200).ids(), [open]);
    for (assignment, lock_at) in [(locked, "2099-01-01T00:00:00Z"), (open, "2020-02-01T00:00:00Z")] {
        let own = json!({ "student_ids": [student.id], "due_at": "2020-01-02T00:00:00Z", "lock_at": lock_at });
        let path = course.path(&format!("/assignments/{assignment}/overrides"));
        teacher.post(&path).json(json!({ "assignment_override": own })).await.is(201);
    }
    assert_eq!(student.get(&overdue).await.is(200).ids(), [locked]);
}

#[tokio::test]
async fn work_of_other_sections_waits_for_nobody_who_is_limited() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course, "Essay", ESSAY, json!({})).await;
    hand_in(&student, &course, essay).await;
    let section = json!({ "course_section": { "name": "Afternoon" } });
    let section = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let limited = school.person("limited").await;
    course.limit_to(section, &limited, "TeacherEnrollment").await;
    let waiting = async |client: &Client| client.get(&course.path("/assignments?bucket=ungraded")).await.is(200).ids();
    assert_eq!(waiting(&teacher).await, [essay]);
    assert_eq!(waiting(&limited).await, [0; 0]);
    let enrollments = format!("/api/v1/sections/{section}/enrollments");
    let enrollment = json!({ "user_id": student.id, "type": "StudentEnrollment", "enrollment_state": "active" });
    school.admin.post(&enrollments).json(json!({ "enrollment": enrollment })).await.is(200);
    assert_eq!(waiting(&limited).await, [essay]);
}

#[tokio::test]
async fn assignments_come_with_the_own_submission() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let done = assignment(&teacher, &course, "Done", ESSAY, json!({})).await;
    let open = assignment(&teacher, &course, "Open", ESSAY, json!({})).await;
    hand_in(&student, &course, done).await;
    let path = course.path("/assignments?include[]=submission");
    let listed = student.get(&path).await.is(200);
    assert_eq!(listed.ids(), [done, open]);
    let own = student.get(&course.path(&format!("/assignments/{done}/submissions/self"))).await.is(200);
    assert_eq!((&listed.json[0]["submission"], listed.json[1].get("submission")), (&own.json, None));
    let one = student.get(&course.path(&format!("/assignments/{done}?include[]=submission"))).await.is(200);
    assert_eq!(one["submission"], own.json);
    assert!(student.get(&course.path(&format!("/assignments/{done}"))).await.is(200).json.get("submission").is_none());
    for client in [&teacher, &other, &school.admin] {
        let listed = client.get(&path).await.is(200);
        assert!(listed.json[0].get("submission").is_none(), "it is another one's: {listed}");
    }
}

#[tokio::test]
async fn submissions_come_with_their_assignment_and_course() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course, "Essay", ESSAY, json!({})).await;
    hand_in(&student, &course, essay).await;
    let assignment = teacher.get(&course.path(&format!("/assignments/{essay}"))).await.is(200).json;
    let include = "include[]=assignment&include[]=course&include[]=user";
    let submissions = course.path(&format!("/assignments/{essay}/submissions"));
    let listed = teacher.get(&format!("{submissions}?{include}")).await.is(200);
    let one = teacher.get(&format!("{submissions}/{}?{include}", student.id)).await.is(200);
    let all = course.path(&format!("/students/submissions?student_ids[]=all&{include}"));
    let all = teacher.get(&all).await.is(200);
    let grouped = course.path(&format!("/students/submissions?student_ids[]=all&grouped=1&{include}"));
    let grouped = teacher.get(&grouped).await.is(200);
    for submission in [&listed.json[0], &one.json, &all.json[0], &grouped.json[0]["submissions"][0]] {
        assert_eq!(submission["assignment"], assignment);
        assert_eq!((&submission["course"]["id"], &submission["course"]["name"]), (&json!(course.id), &json!("Botany")));
        assert_eq!(submission["user"]["id"], student.id);
    }
    let own = student.get(&format!("{submissions}/self?include[]=assignment")).await.is(200);
    assert_eq!(own["assignment"]["id"], essay);
    assert!(own.json.get("course").is_none());
}

#[tokio::test]
async fn files_come_with_whoever_uploaded_them() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "moss.txt" }), b"moss").await;
    let (id, folder) = (file.id(), file["folder_id"].as_i64().unwrap());
    let lists = [course.path("/files"), format!("/api/v1/folders/{folder}/files")];
    for path in lists {
        let listed = student.get(&format!("{path}?include[]=user")).await.is(200);
        assert_eq!((listed.ids(), &listed.json[0]["user"]["id"]), (vec![id], &json!(teacher.id)));
        assert!(student.get(&path).await.is(200).json[0].get("user").is_none());
    }
    for path in [course.path(&format!("/files/{id}")), format!("/api/v1/files/{id}")] {
        let read = student.get(&format!("{path}?include[]=user")).await.is(200);
        let name = teacher.get("/api/v1/users/self").await.is(200)["short_name"].clone();
        assert_eq!((&read["user"]["id"], &read["user"]["display_name"]), (&json!(teacher.id), &name));
    }
}

#[tokio::test]
async fn sections_come_with_their_students() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (section, late) = afternoon(&school, &course).await;
    let students = |section: &Value| -> Vec<i64> {
        section["students"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
    };
    let path = course.path("/sections");
    let listed = teacher.get(&format!("{path}?include[]=students")).await.is(200);
    assert_eq!((students(&listed.json[0]), students(&listed.json[1])), (vec![student.id], vec![late.id]));
    assert!(listed.json[1]["students"][0].get("login_id").is_some(), "staff know the logins");
    assert!(teacher.get(&path).await.is(200).json[0].get("students").is_none());
    for path in [format!("/api/v1/sections/{section}"), format!("{path}/{section}")] {
        let one = student.get(&format!("{path}?include[]=students&include[]=total_students")).await.is(200);
        assert_eq!((students(&one.json), &one["total_students"]), (vec![late.id], &json!(1)));
        assert!(one["students"][0].get("login_id").is_none(), "students know each other by name");
    }
    let limited = school.person("limited").await;
    course.limit_to(section, &limited, "TeacherEnrollment").await;
    let seen = limited.get(&format!("{path}?include[]=students")).await.is(200);
    assert_eq!((students(&seen.json[0]), students(&seen.json[1])), (vec![], vec![late.id]));
    let stranger = school.person("stranger").await;
    stranger.get(&format!("{path}?include[]=students")).await.is_forbidden();
    enroll(&school.admin, course.id, stranger.id, "StudentEnrollment").await;
    stranger.get(&format!("{path}?include[]=students")).await.is(200);
}

#[tokio::test]
async fn who_asks_for_a_part_of_a_course_does_not_get_all_of_it() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany II").await);
    assignment(&school.admin, &source, "Essay", ESSAY, json!({})).await;
    let copy = to.path(&format!("/course_copy/{}", source.id));
    for part in [json!({ "only": ["quizzes", "topics"] }), json!({ "except": ["assignments"] })] {
        school.admin.post(&copy).json(part).await.is(200);
    }
    let both = json!({ "only": ["assignments"], "except": ["files"] });
    school.admin.post(&copy).json(both).await.is_refused(400, "only and except exclude one another");
    school.admin.post(&copy).json(json!({ "only": ["nonsense"] })).await.is(400);
    let migration = |more: Value| {
        let settings = json!({ "source_course_id": source.id });
        let mut form = json!({ "migration_type": "course_copy_importer", "settings": settings });
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        school.admin.post(&to.path("/content_migrations")).json(form)
    };
    migration(json!({ "copy_options": { "all_assignments": "0" } })).await.is(200);
    migration(json!({ "select": { "assignments": [] } })).await.is(200);
    for (part, words) in [
        (json!({ "select": { "nonsense": [1] } }), "select[nonsense] is no type of content"),
        (json!({ "copy_options": { "all_pages": "maybe" } }), "copy_options[all_pages] must be true or false"),
        (json!({ "selective_import": true }), "selective_import is not supported: select says what is copied"),
        (
            json!({ "select": { "pages": [1] }, "copy_options": { "all_pages": "1" } }),
            "select and copy_options exclude one another",
        ),
    ] {
        migration(part).await.is_refused(400, words);
    }
    let package = json!({
        "migration_type": "qti_converter", "pre_attachment": { "name": "a.zip", "size": 100 }, "select": { "pages": [1] },
    });
    let refused = school.admin.post(&to.path("/content_migrations")).json(package).await;
    refused.is_refused(400, "select is for copies of courses: all of a package is taken");
    assert_eq!(school.admin.get(&to.path("/assignments")).await.is(200).ids(), [0; 0]);
    school.admin.post(&copy).json(json!({ "only": [], "except": "" })).await.is(200);
    assert_eq!(school.admin.get(&to.path("/assignments")).await.is(200).ids().len(), 1);
}
