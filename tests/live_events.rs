//! Events for tools: each follows from its operation, in the same transaction, in order, and for every
//! subscription once.

use serde_json::{Value, json};
use support::{Client, Course, School, running, unique};

use crate::content_imports::{archive, imported};
use crate::files::upload;
use crate::quiz_sessions::Room;

pub(crate) const ALL: &str = r#"["QUIZ_SUBMITTED","GRADE_CHANGE","ATTACHMENT_CREATED","SUBMISSION_CREATED","SUBMISSION_UPDATED","PLAGIARISM_RESUBMIT"]"#;

/// Somebody who has subscribed to events.
pub(crate) struct Subscriber {
    uuid: String,
}

/// An event as a subscriber gets it.
#[derive(Debug)]
struct Event {
    event_type: String,
    time: i64,
    cause: Value,
    data: Value,
}

impl Subscriber {
    /// `None` where the application runs elsewhere, so that its database cannot be looked into.
    pub(crate) fn new(school: &School, context_type: &str, context: i64, event_types: &str) -> Option<Self> {
        let (uuid, account) = (unique("subscription"), school.account);
        let sql = format!(
            "INSERT INTO tool_proxies (guid, root_account_id, account_id, sealed_secret, created_at)
             VALUES ('{uuid}', {account}, {account}, '', '2026-01-01T00:00:00Z');
             INSERT INTO webhook_subscriptions
                 (uuid, root_account_id, tool_proxy_id, context_type, context_id, event_types, format, transport_type,
                  url, parameters, sealed_secret, created_at, updated_at)
             SELECT '{uuid}', {account}, id, '{context_type}', {context}, '{event_types}', 'live-event', 'https',
                    'https://receiver.invalid/', '{{}}', '', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
             FROM tool_proxies WHERE guid = '{uuid}';"
        );
        running().change_database(&sql).then_some(Self { uuid })
    }

    fn events(&self) -> Vec<Event> {
        let sql = format!(
            "SELECT e.event_type, e.event_time, e.cause, e.data FROM webhook_deliveries d
             JOIN webhook_subscriptions w ON w.id = d.subscription_id JOIN live_events e ON e.id = d.event_id
             WHERE w.uuid = '{}' ORDER BY e.id",
            self.uuid
        );
        let rows = running().read_database(&sql).unwrap();
        let parsed = |value: &Value| serde_json::from_str::<Value>(value.as_str().unwrap()).unwrap();
        let event = |row: &Vec<Value>| Event {
            event_type: row[0].as_str().unwrap().to_owned(),
            time: row[1].as_i64().unwrap(),
            cause: parsed(&row[2]),
            data: parsed(&row[3])[row[0].as_str().unwrap()].clone(),
        };
        rows.iter().map(event).collect()
    }

    pub(crate) fn types(&self) -> Vec<String> {
        self.events().into_iter().map(|event| event.event_type).collect()
    }
}

async fn assignment(teacher: &Client, course: &Course) -> (i64, String) {
    let assignment = json!({ "assignment": {
        "name": "Essay", "points_possible": 10, "published": true,
        "submission_types": ["online_text_entry", "online_upload"],
    } });
    let id = teacher.post(&course.path("/assignments")).json(assignment).await.is(201).id();
    (id, course.path(&format!("/assignments/{id}")))
}

async fn hand_in(student: &Client, assignment: &str) {
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "text" } });
    student.post(&format!("{assignment}/submissions")).json(text).await.is(201);
}

#[tokio::test]
async fn each_operation_tells_what_it_did() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (id, path) = assignment(&teacher, &course).await;
    let Some(tool) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    let of_student = format!("{path}/submissions/{}", student.id);

    hand_in(&student, &path).await;
    let grade = |grade: &str| json!({ "submission": { "posted_grade": grade } });
    teacher.put(&of_student).json(grade("7")).await.is(200);
    teacher.put(&of_student).json(grade("7")).await.is(200);
    teacher.put(&of_student).json(json!({ "comment": { "text_comment": "Good" } })).await.is(200);
    teacher.post(&format!("{of_student}/resubmit_to_plagiarism")).await.is(200);
    let expected = [
        "SUBMISSION_CREATED",
        "GRADE_CHANGE",
        "SUBMISSION_UPDATED",
        "SUBMISSION_UPDATED",
        "SUBMISSION_UPDATED",
        "PLAGIARISM_RESUBMIT",
    ];
    assert_eq!(tool.types(), expected);

    // A refused change is not told.
    student.put(&of_student).json(grade("9")).await.is_forbidden();
    teacher.put(&of_student).json(grade("splendid")).await.is(400);
    student.post(&format!("{of_student}/resubmit_to_plagiarism")).await.is_forbidden();
    let other = course.member(&school, "StudentEnrollment").await;
    teacher.post(&format!("{path}/submissions/{}/resubmit_to_plagiarism", other.id)).await.is_not_found();
    assert_eq!(tool.types().len(), expected.len());

    let events = tool.events();
    assert!(events.windows(2).all(|pair| pair[0].time < pair[1].time), "later events have later times");
    let (created, graded) = (&events[0], &events[1]);
    assert_eq!((&created.data["assignment_id"], &created.data["body"]), (&json!(id), &json!("text")));
    assert_eq!((&created.data["attempt"], &created.data["workflow_state"]), (&json!(1), &json!("submitted")));
    assert!(created.data["lti_assignment_id"].as_str().is_some_and(|id| uuid::Uuid::parse_str(id).is_ok()));
    assert_eq!((&created.cause["user_id"], &created.cause["http_method"]), (&json!(student.id), &json!("POST")));
    assert_eq!(created.cause["context_role"], "StudentEnrollment");
    assert!(created.cause["root_account_uuid"].is_string() && created.cause["user_login"].is_string());
    assert_eq!((&graded.data["score"], &graded.data["old_score"]), (&json!(7.0), &json!(null)));
    assert_eq!((&graded.data["grader_id"], &graded.data["student_id"]), (&json!(teacher.id), &json!(student.id)));
}

#[tokio::test]
async fn who_comes_from_another_institution_is_told_without_their_login() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (_, path) = assignment(&teacher, &course).await;
    let Some(tool) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    let site = running().site_admin().await;
    let grade = json!({ "submission": { "posted_grade": "7" } });
    site.put(&format!("{path}/submissions/{}", student.id)).json(grade).await.is(200);
    let cause = &tool.events()[0].cause;
    assert_eq!((&cause["user_id"], cause.get("user_login")), (&json!(site.id), None));
}

#[tokio::test]
async fn whoever_has_points_is_told_when_they_are_worth_something_else() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (_, path) = assignment(&teacher, &course).await;
    let change = |change: Value| json!({ "assignment": change });
    teacher.put(&path).json(change(json!({ "grading_type": "percent" }))).await.is(200);
    let of_student = format!("{path}/submissions/{}", student.id);
    let grade = json!({ "submission": { "posted_grade": "5" } });
    assert_eq!(teacher.put(&of_student).json(grade).await.is(200)["grade"], "50%");
    let Some(tool) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    teacher.put(&path).json(change(json!({ "name": "Long essay" }))).await.is(200);
    teacher.put(&path).json(change(json!({ "points_possible": 20 }))).await.is(200);
    assert_eq!(tool.types(), ["GRADE_CHANGE"]);
    let told = &tool.events()[0].data;
    assert_eq!((&told["old_points_possible"], &told["points_possible"]), (&json!(10.0), &json!(20.0)));
    assert_eq!((&told["old_grade"], &told["grade"], &told["score"]), (&json!("50%"), &json!("25%"), &json!(5.0)));
    assert_eq!(teacher.get(&of_student).await.is(200)["grade"], "25%");
}

#[tokio::test]
async fn what_nobody_has_submitted_is_graded_and_nothing_else() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (_, path) = assignment(&teacher, &course).await;
    let Some(tool) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    let of_student = format!("{path}/submissions/{}", student.id);
    let grade = |grade: &str| json!({ "submission": { "posted_grade": grade } });
    teacher.put(&of_student).json(json!({ "comment": { "text_comment": "Where is it?" } })).await.is(200);
    assert!(tool.types().is_empty());
    teacher.put(&of_student).json(grade("0")).await.is(200);
    teacher.put(&of_student).json(grade("")).await.is(200);
    assert_eq!(tool.types(), ["GRADE_CHANGE", "SUBMISSION_UPDATED", "GRADE_CHANGE"]);
}

#[tokio::test]
async fn every_subscription_gets_what_concerns_it() {
    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let (course, teacher, student) = school.classroom("Botany").await;
    running().change_database(&format!("UPDATE courses SET account_id = {faculty} WHERE id = {}", course.id));
    let (id, path) = assignment(&teacher, &course).await;
    let (_, other_path) = assignment(&teacher, &course).await;
    let elsewhere = School::start().await;
    let Some(of_tenant) = Subscriber::new(&school, "account", school.account, ALL) else { return };
    let subscriber = |context: &str, id: i64, types: &str| Subscriber::new(&school, context, id, types).unwrap();
    let of_faculty = subscriber("account", faculty, ALL);
    let of_course = subscriber("course", course.id, ALL);
    let again = subscriber("course", course.id, ALL);
    let of_assignment = subscriber("assignment", id, ALL);
    let of_grades = subscriber("course", course.id, r#"["GRADE_CHANGE"]"#);
    let foreign = Subscriber::new(&elsewhere, "course", course.id, ALL).unwrap();
    let disabled = subscriber("course", course.id, ALL);
    let disable = format!("UPDATE webhook_subscriptions SET status = 'disabled' WHERE uuid = '{}'", disabled.uuid);
    running().change_database(&disable);

    hand_in(&student, &path).await;
    hand_in(&student, &other_path).await;
    for (subscriber, count) in
        [(of_tenant, 2), (of_faculty, 2), (of_course, 2), (again, 2), (of_assignment, 1), (of_grades, 0), (foreign, 0)]
    {
        assert_eq!(subscriber.types(), vec!["SUBMISSION_CREATED"; count]);
    }
    assert_eq!(disabled.types(), ["SUBMISSION_CREATED"; 2], "kept, and not sent");
    let sql = format!(
        "SELECT d.status, d.ended_at IS NOT NULL, w.kept_deliveries FROM webhook_deliveries d
         JOIN webhook_subscriptions w ON w.id = d.subscription_id WHERE w.uuid = '{}'",
        disabled.uuid
    );
    assert_eq!(running().read_database(&sql).unwrap(), vec![vec![json!("dead"), json!(1), json!(2)]; 2]);
}

#[tokio::test]
async fn without_a_subscription_nothing_is_kept() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (_, path) = assignment(&teacher, &course).await;
    hand_in(&student, &path).await;
    let sql = format!("SELECT count(*) FROM live_events WHERE course_id = {}", course.id);
    let Some(rows) = running().read_database(&sql) else { return };
    assert_eq!(rows[0][0], 0);
}

#[tokio::test]
async fn quizzes_are_submitted_and_graded() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = json!({ "quiz": { "title": "Leaves", "quiz_type": "assignment" } });
    let quiz = teacher.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    let question = json!({ "question": {
        "question_type": "true_false_question", "points_possible": 2, "question_name": "Q",
        "answers": [{ "text": "True", "weight": 100 }, { "text": "False", "weight": 0 }],
    } });
    teacher.post(&format!("{path}/questions")).json(question).await.is(200);
    teacher.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let Some(tool) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    let started = student.post(&format!("{path}/submissions")).await.is(200);
    assert!(tool.types().is_empty(), "an attempt that runs is nobody's business");
    let started = &started["quiz_submissions"][0];
    let proof = json!({ "attempt": 1, "validation_token": started["validation_token"] });
    let complete = format!("{path}/submissions/{}/complete", started["id"]);
    student.post(&complete).json(&proof).await.is(200);
    student.post(&complete).json(&proof).await.is(400);
    assert_eq!(tool.types(), ["QUIZ_SUBMITTED", "SUBMISSION_CREATED", "GRADE_CHANGE"]);
    let events = tool.events();
    assert_eq!((&events[0].data["quiz_submission_id"], &events[0].data["quiz_id"]), (&started["id"], &json!(quiz)));
    assert_eq!(events[1].data["submission_type"], "online_quiz");
    assert_eq!((&events[2].data["score"], &events[2].data["grader_id"]), (&json!(0.0), &json!(null)));

    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let once = json!({ "multiple_attempts": { "multiple_attempts_enabled": false } });
    let new = json!({ "quiz": { "title": "Leaves", "published": true, "quiz_settings": once } });
    let new = teacher.post(&base).json(new).await.is(200).id();
    let attempt = json!({ "responses": { "1": "a" } });
    student.post(&format!("{base}/{new}/attempts")).json(&attempt).await.is(200);
    student.post(&format!("{base}/{new}/attempts")).json(&attempt).await.is(409);
    assert_eq!(tool.types()[3..], ["QUIZ_SUBMITTED", "SUBMISSION_CREATED"]);
    assert_eq!(tool.events()[3].data["quiz_id"], new);
}

#[tokio::test]
async fn points_that_a_grader_gives_to_an_answer_are_told_of() {
    let room = Room::of_questions(1, json!({})).await;
    let Some(tool) = Subscriber::new(&room.school, "course", room.course.id, ALL) else { return };
    let taken = room.starts().await;
    taken.submits(&room.student).await;
    let of_item = |fields: Value| {
        json!({ "version": fields["version"], "items": [{ "item_id": taken.item(1),
        "points": fields["points"], "comment": fields["comment"] }] })
    };
    let result = format!("{}/result", taken.path);
    room.teacher.put(&result).json(of_item(json!({ "version": 0, "points": 1, "comment": "Half" }))).await.is(200);
    room.teacher.put(&result).json(of_item(json!({ "version": 0, "points": 2 }))).await.is(409);
    room.teacher.put(&result).json(of_item(json!({ "version": 1, "points": 1 }))).await.is(200);
    let expected = [
        "QUIZ_SUBMITTED",
        "SUBMISSION_CREATED",
        "GRADE_CHANGE",
        "GRADE_CHANGE",
        "SUBMISSION_UPDATED",
        "SUBMISSION_UPDATED",
    ];
    assert_eq!(tool.types(), expected);
    let told = &tool.events()[3].data;
    assert_eq!((&told["grader_id"], &told["score"]), (&json!(room.teacher.id), &json!(5.0)));
}

#[tokio::test]
async fn a_file_that_comes_is_told_of() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (id, path) = assignment(&teacher, &course).await;
    let Some(of_course) = Subscriber::new(&school, "course", course.id, ALL) else { return };
    let of_assignment = Subscriber::new(&school, "assignment", id, ALL).unwrap();
    let file = json!({ "name": "leaf.txt", "size": 4 });
    let starts = [(&student, format!("{path}/submissions/self/files")), (&teacher, course.path("/files"))];
    for (who, start) in starts {
        let upload = who.post(&start).json(&file).await.is(200);
        let form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"leaf.txt\"\r\n\
                    Content-Type: text/plain\r\n\r\nleaf\r\n--x--\r\n";
        let url = upload["upload_url"].as_str().unwrap();
        who.without_token().post(url).body("multipart/form-data; boundary=x", form).await.is(201);
    }
    assert_eq!(of_course.types(), ["ATTACHMENT_CREATED"; 2]);
    assert_eq!(of_assignment.types(), ["ATTACHMENT_CREATED"]);
    let event = &of_assignment.events()[0];
    assert_eq!((&event.data["context_type"], &event.data["context_id"]), (&json!("User"), &json!(student.id)));
    assert_eq!((&event.cause["user_id"], &event.data["content_type"]), (&json!(student.id), &json!("text/plain")));
    assert!(!event.cause["url"].as_str().unwrap().contains("files_api/"), "the address of an upload is a secret");
}

#[tokio::test]
async fn files_of_copies_and_imports_are_told_of() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    for name in ["leaf.txt", "root.txt"] {
        let file = upload(&teacher, &course.path("/files"), json!({ "name": name }), b"green").await;
        let dates = json!({ "lock_at": "2026-02-02T20:00:00Z" });
        teacher.put(&format!("/api/v1/files/{}", file.id())).json(dates).await.is(200);
    }
    let copy = school.course("Botany again").await;
    let Some(of_copy) = Subscriber::new(&school, "course", copy.id, ALL) else { return };
    let shift = json!({ "shift_dates": true, "old_start_date": "2026-02-02", "new_start_date": "2026-02-23" });
    let form = json!({
        "migration_type": "course_copy_importer", "settings": { "source_course_id": course.id }, "date_shift_options": shift,
    });
    school.admin.post(&copy.path("/content_migrations")).json(form).await.is(200);
    assert_eq!(of_copy.types(), ["ATTACHMENT_CREATED"; 2]);
    let events = of_copy.events();
    assert_eq!(
        (&events[0].data["display_name"], &events[1].data["display_name"]),
        (&json!("leaf.txt"), &json!("root.txt"))
    );
    assert_eq!(events[0].data["context_id"], copy.id);
    assert_eq!(events[0].data["lock_at"], "2026-02-23T20:00:00Z");
    assert_eq!(events[0].cause["user_id"], school.admin.id);

    let target = school.course("Unpacked").await;
    let of_import = Subscriber::new(&school, "course", target.id, ALL).unwrap();
    let bytes = archive(&[("a.txt", b"a"), ("b/c.txt", b"c")]);
    let migration = imported(&school.admin, &target, json!({ "migration_type": "zip_file_importer" }), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(of_import.types(), ["ATTACHMENT_CREATED"; 2]);
    assert_eq!(of_import.events()[0].cause["user_id"], school.admin.id);
}
