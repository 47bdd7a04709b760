//! Submissions: handing in, reading, comments, and the events that follow from all of it.

mod files;
mod grading;
mod lists;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Response, School, Section, enroll, running, unique};

/// A published assignment.
async fn assignment(teacher: &Client, course: &Course, more: Value) -> String {
    let mut assignment = json!({
        "name": "Essay",
        "points_possible": 10,
        "published": true,
        "submission_types": ["online_text_entry", "online_url", "online_upload"],
    });
    for (key, value) in more.as_object().expect("an object") {
        assignment[key] = value.clone();
    }
    let made = teacher.post(&course.path("/assignments")).json(json!({ "assignment": assignment })).await.is(201);
    course.path(&format!("/assignments/{}", made.id()))
}

async fn hand_in(student: &Client, assignment: &str, submission: Value) -> Response {
    student.post(&format!("{assignment}/submissions")).json(json!({ "submission": submission })).await
}

fn text(body: &str) -> Value {
    json!({ "submission_type": "online_text_entry", "body": body })
}

async fn grade(teacher: &Client, assignment: &str, student: &Client, submission: Value) -> Response {
    teacher.put(&format!("{assignment}/submissions/{}", student.id)).json(json!({ "submission": submission })).await
}

/// A new file, announced at that path; its id.
pub(crate) async fn uploaded(client: &Client, start: &str) -> i64 {
    let upload = client.post(start).json(json!({ "name": "leaf.txt", "size": 4 })).await.is(200);
    let boundary = "xxBOUNDARYxx";
    let mut body = String::new();
    for (name, value) in upload["upload_params"].as_object().unwrap() {
        let value = value.as_str().unwrap();
        body += &format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    body += &format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"leaf.txt\"\r\n\
         Content-Type: text/plain\r\n\r\nleaf\r\n--{boundary}--\r\n"
    );
    let content_type = format!("multipart/form-data; boundary={boundary}");
    let url = upload["upload_url"].as_str().unwrap();
    let sent = client.without_token().post(url).body(&content_type, body).await;
    match sent.status {
        201 => sent.id(),
        _ => client.get(sent.header("location").expect("a location")).await.is(200).id(),
    }
}

#[tokio::test]
async fn a_text_is_handed_in_and_graded() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    let own = format!("{assignment}/submissions/self");

    let nothing = student.get(&own).await.is(200);
    assert_eq!((&nothing["workflow_state"], &nothing["attempt"]), (&json!("unsubmitted"), &json!(null)));

    let first = hand_in(&student, &assignment, text("<p>Oaks<script>x</script></p>")).await.is(201);
    assert_eq!(first.id(), nothing.id(), "it is the same submission");
    assert_eq!(first["attempt"], 1);
    assert_eq!(first["body"], "<p>Oaks</p>");
    assert_eq!(first["submission_type"], "online_text_entry");
    assert_eq!(first["workflow_state"], "submitted");
    assert_eq!(first["user_id"], student.id);
    assert!(first["submitted_at"].is_string() && first["grade"].is_null());

    let graded = grade(&teacher, &assignment, &student, json!({ "posted_grade": "8.5" })).await.is(200);
    assert_eq!((&graded["score"], &graded["grade"]), (&json!(8.5), &json!("8.5")));
    assert_eq!((&graded["workflow_state"], &graded["grader_id"]), (&json!("graded"), &json!(teacher.id)));
    assert_eq!(graded["grade_matches_current_submission"], true);

    let second = hand_in(&student, &assignment, text("<p>Elms</p>")).await.is(201);
    assert_eq!((&second["attempt"], &second["score"]), (&json!(2), &json!(8.5)));
    assert_eq!(second["grade_matches_current_submission"], false);
    assert_eq!(second["workflow_state"], "submitted");

    let history = student.get(&format!("{own}?include[]=submission_history")).await.is(200);
    let history = history["submission_history"].as_array().unwrap();
    let told: Vec<_> = history.iter().map(|one| (&one["attempt"], &one["body"], &one["score"])).collect();
    assert_eq!(
        told,
        [(&json!(1), &json!("<p>Oaks</p>"), &json!(8.5)), (&json!(2), &json!("<p>Elms</p>"), &json!(8.5)),]
    );
}

#[tokio::test]
async fn what_must_not_be_handed_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let only_url = assignment(&teacher, &course, json!({ "submission_types": ["online_url"] })).await;
    for (submission, words) in [
        (text("x"), "does not take this"),
        (json!({ "submission_type": "online_url" }), "Required: submission[url]"),
        (json!({ "submission_type": "online_url", "url": "ftp://example.com" }), "url"),
        (json!({ "submission_type": "online_url", "url": "x".repeat(4000) }), "too long"),
        (json!({ "submission_type": "telepathy" }), "Invalid submission[submission_type]"),
        (json!({ "url": "https://example.com" }), "submission_type"),
        (json!("text"), "submission must be an object"),
    ] {
        hand_in(&student, &only_url, submission).await.is_refused(400, words);
    }
    student.post(&format!("{only_url}/submissions")).json(json!({})).await.is_refused(400, "submission is missing");
    let all = assignment(&teacher, &course, json!({})).await;
    hand_in(&student, &all, text("  ")).await.is_refused(400, "Required: submission[body]");
    hand_in(&student, &all, json!({ "submission_type": "online_upload" })).await.is_refused(400, "file_ids");
    let foreign = json!({ "submission_type": "online_upload", "file_ids": [99_999_999] });
    hand_in(&student, &all, foreign).await.is_refused(400, "No valid file ids");
    let url = json!({ "submission_type": "online_url", "url": "example.com/tree" });
    assert_eq!(hand_in(&student, &only_url, url).await.is(201)["url"], "http://example.com/tree");
}

#[tokio::test]
async fn a_closed_assignment_takes_nothing() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let not_yet = assignment(&teacher, &course, json!({ "unlock_at": "2099-01-01T00:00:00Z" })).await;
    hand_in(&student, &not_yet, text("x")).await.is_refused(403, "locked until 2099");
    let no_more = assignment(&teacher, &course, json!({ "lock_at": "2020-01-01T00:00:00Z" })).await;
    hand_in(&student, &no_more, text("x")).await.is_refused(403, "was locked 2020");
    let hidden = assignment(&teacher, &course, json!({ "published": false })).await;
    hand_in(&student, &hidden, text("x")).await.is_forbidden();
    let once = assignment(&teacher, &course, json!({ "allowed_attempts": 1 })).await;
    hand_in(&student, &once, text("x")).await.is(201);
    hand_in(&student, &once, text("y")).await.is_refused(403, "maximum number of allowed attempts");
    let late = assignment(&teacher, &course, json!({ "due_at": "2020-01-01T00:00:00Z" })).await;
    let missing = teacher.get(&format!("{late}/submissions/{}", student.id)).await.is(200);
    assert_eq!((&missing["missing"], &missing["late"]), (&json!(true), &json!(false)));
    assert_eq!(
        (&missing["cached_due_date"], &missing["redo_request"], &missing["assignment_visible"]),
        (&json!("2020-01-01T00:00:00Z"), &json!(false), &json!(true))
    );
    assert_eq!(missing.json.get("extra_attempts"), Some(&json!(null)));
    let handed_in = hand_in(&student, &late, text("x")).await.is(201);
    assert_eq!((&handed_in["late"], &handed_in["missing"]), (&json!(true), &json!(false)));
    assert!(handed_in["seconds_late"].as_i64().unwrap() > 0);
    teacher.put(&once).json(json!({ "assignment": { "published": false } })).await.is_refused(400, "submissions");
}

#[tokio::test]
async fn each_role_has_its_rights() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let assistant = course.member(&school, "TaEnrollment").await;
    let designer = course.member(&school, "DesignerEnrollment").await;
    let observer = school.person("observer").await;
    let watches = json!({
        "user_id": observer.id, "type": "ObserverEnrollment", "enrollment_state": "active",
        "associated_user_id": student.id,
    });
    school.admin.post(&course.path("/enrollments")).json(json!({ "enrollment": watches })).await.is(200);
    let stranger = school.person("stranger").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    hand_in(&student, &assignment, text("x")).await.is(201);

    let of_student = format!("{assignment}/submissions/{}", student.id);
    for reader in [&teacher, &assistant, &school.admin, &observer, &student] {
        assert_eq!(reader.get(&of_student).await.is(200)["body"], "x");
    }
    for reader in [&other, &designer, &stranger] {
        reader.get(&of_student).await.is_forbidden();
    }
    observer.get(&format!("{assignment}/submissions/{}", other.id)).await.is_forbidden();
    let list = format!("{assignment}/submissions");
    for reader in [&student, &observer, &designer, &stranger] {
        reader.get(&list).await.is_forbidden();
    }
    for grader in [&teacher, &assistant] {
        grade(grader, &assignment, &student, json!({ "posted_grade": 1 })).await.is(200);
    }
    for nobody in [&student, &other, &observer, &designer, &stranger] {
        grade(nobody, &assignment, &student, json!({ "posted_grade": 9 })).await.is_forbidden();
        nobody.post(&format!("{of_student}/resubmit_to_plagiarism")).await.is_forbidden();
    }
    for nobody in [&teacher, &designer, &observer, &stranger] {
        hand_in(nobody, &assignment, text("x")).await.is_forbidden();
    }
    hand_in(&other, &assignment, json!({ "submission_type": "online_text_entry", "body": "x", "user_id": student.id }))
        .await
        .is_forbidden();
    teacher.get(&format!("{assignment}/submissions/{}", teacher.id)).await.is_not_found();
    teacher.get(&format!("{assignment}/submissions/x")).await.is_not_found();
    teacher.get(&course.path("/assignments/99999999/submissions")).await.is_not_found();
}

#[tokio::test]
async fn another_tenant_finds_nothing() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    hand_in(&student, &assignment, text("x")).await.is(201);
    let elsewhere = School::start().await;
    let (there, foreign, _) = elsewhere.classroom("Botany").await;
    foreign.get(&format!("{assignment}/submissions/{}", student.id)).await.is_not_found();
    foreign.get(&format!("{assignment}/submissions")).await.is_not_found();
    let id = assignment.rsplit('/').next().unwrap();
    foreign.get(&there.path(&format!("/assignments/{id}/submissions"))).await.is_not_found();
    let behalf = json!({ "submission_type": "online_text_entry", "body": "x", "user_id": student.id });
    let own = self::assignment(&foreign, &there, json!({})).await;
    hand_in(&foreign, &own, behalf).await.is_refused(400, "is not a student");
}

#[tokio::test]
async fn a_grader_hands_in_for_a_student() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({ "lock_at": "2020-06-01T00:00:00Z" })).await;
    let work = json!({
        "submission_type": "online_text_entry", "body": "on paper", "user_id": student.id,
        "submitted_at": "2020-05-01T00:00:00Z",
    });
    let made = hand_in(&teacher, &assignment, work).await.is(201);
    assert_eq!((&made["user_id"], &made["submitted_at"]), (&json!(student.id), &json!("2020-05-01T00:00:00Z")));
}

#[tokio::test]
async fn attempts_at_the_same_time_follow_one_another() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let free = assignment(&teacher, &course, json!({})).await;
    let answers = join_all((0..8).map(|n| hand_in(&student, &free, text(&n.to_string())))).await;
    let mut attempts: Vec<_> = answers.into_iter().map(|answer| answer.is(201)["attempt"].as_i64().unwrap()).collect();
    attempts.sort_unstable();
    assert_eq!(attempts, (1..=8).collect::<Vec<_>>());
    let path = format!("{free}/submissions/self?include[]=submission_history");
    let now = student.get(&path).await.is(200);
    assert_eq!(now["attempt"], 8);
    assert_eq!(now["submission_history"].as_array().unwrap().len(), 8);

    let thrice = assignment(&teacher, &course, json!({ "allowed_attempts": 3 })).await;
    let answers = join_all((0..8).map(|n| hand_in(&student, &thrice, text(&n.to_string())))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    assert_eq!(answers.iter().filter(|answer| answer.status == 403).count(), 5);
}

#[tokio::test]
async fn a_list_has_every_student_once() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let mut students = vec![student.id];
    for _ in 0..2 {
        students.push(course.member(&school, "StudentEnrollment").await.id);
    }
    let section = json!({ "course_section": { "name": "Afternoon" } });
    let section = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let again = json!({
        "user_id": student.id, "type": "StudentEnrollment", "enrollment_state": "active", "course_section_id": section,
    });
    school.admin.post(&course.path("/enrollments")).json(json!({ "enrollment": again })).await.is(200);
    let assignment = assignment(&teacher, &course, json!({})).await;
    hand_in(&student, &assignment, text("x")).await.is(201);
    let list = format!("{assignment}/submissions?include[]=user&include[]=submission_history");
    let all = teacher.get(&list).await.is(200);
    let users = |answer: &Response| -> Vec<i64> {
        answer.json.as_array().unwrap().iter().map(|one| one["user_id"].as_i64().unwrap()).collect()
    };
    assert_eq!(users(&all), students);
    assert_eq!(all.json[0]["user"]["id"], student.id);
    assert_eq!(all.json[1]["submission_history"].as_array().unwrap().len(), 1);
    let page = teacher.get(&format!("{assignment}/submissions?per_page=2")).await.is(200);
    assert_eq!(users(&page), students[..2]);
    assert_eq!(users(&teacher.get(&page.link("next").unwrap()).await.is(200)), students[2..]);
    assert_eq!(all.ids(), teacher.get(&list).await.is(200).ids(), "the ids stay");
}

#[tokio::test]
async fn submissions_for_several_assignments() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let first = assignment(&teacher, &course, json!({})).await;
    let second = assignment(&teacher, &course, json!({})).await;
    for (who, what) in [(&student, &first), (&student, &second), (&other, &first)] {
        hand_in(who, what, text("x")).await.is(201);
    }
    let list = |query: &str| course.path(&format!("/students/submissions{query}"));
    let length = |answer: Response| answer.is(200).json.as_array().unwrap().len();
    assert_eq!(length(teacher.get(&list("?student_ids[]=all")).await), 3);
    assert_eq!(length(teacher.get(&list(&format!("?student_ids[]={}", other.id))).await), 1);
    let id = first.rsplit('/').next().unwrap();
    assert_eq!(length(teacher.get(&list(&format!("?student_ids[]=all&assignment_ids[]={id}"))).await), 2);
    assert_eq!(length(teacher.get(&list("?student_ids[]=all&workflow_state=graded")).await), 0);
    assert_eq!(length(student.get(&list("")).await), 2);
    assert_eq!(length(student.get(&list("?student_ids[]=all")).await), 2);
    let grouped = teacher.get(&list("?student_ids[]=all&grouped=true&per_page=1")).await.is(200);
    assert_eq!(grouped.json[0]["user_id"], student.id);
    assert_eq!(grouped.json[0]["submissions"].as_array().unwrap().len(), 2);
    let next = teacher.get(&grouped.link("next").unwrap()).await.is(200);
    assert_eq!((&next.json[0]["user_id"], &next.json[0]["submissions"][0]["body"]), (&json!(other.id), &json!("x")));
    let own = student.get(&list("?student_ids[]=all&grouped=true")).await.is(200);
    assert_eq!(own.json.as_array().unwrap().len(), 1);
    student.get(&list(&format!("?student_ids[]={}", other.id))).await.is_forbidden();
    for bad in ["x", "sis_course_id:x"] {
        teacher.get(&list(&format!("?student_ids[]={bad}"))).await.is_refused(400, "student_ids");
    }
}

#[tokio::test]
async fn students_are_named_by_the_ids_of_their_institution() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let limited = course.section(&school, "Evening").await.teacher;
    let (login, sis) = (unique("ada"), unique("S"));
    let ada = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login, "sis_user_id": sis } });
    let ada = school.admin.post("/api/v1/accounts/self/users").json(ada).await.is(200).id();
    enroll(&school.admin, course.id, ada, "StudentEnrollment").await;
    let essay = assignment(&teacher, &course, json!({})).await;
    let work = json!({ "submission_type": "online_text_entry", "body": "x", "user_id": ada });
    hand_in(&teacher, &essay, work).await.is(201);
    hand_in(&student, &essay, text("y")).await.is(201);

    let list = |query: &str| course.path(&format!("/students/submissions?{query}"));
    let users = async |query: &str| -> Vec<i64> {
        let answer = teacher.get(&list(query)).await.is(200);
        answer.json.as_array().unwrap().iter().map(|one| one["user_id"].as_i64().unwrap()).collect()
    };
    for name in [format!("sis_user_id:{sis}"), format!("sis_login_id:{login}"), ada.to_string()] {
        assert_eq!(users(&format!("student_ids[]={name}")).await, [ada], "{name}");
        assert_eq!(users(&format!("student_ids={name}")).await, [ada], "{name}");
    }
    let both = format!("student_ids[]=sis_user_id:{sis}&student_ids[]={}", student.id);
    let mut all = vec![student.id, ada];
    all.sort_unstable();
    assert_eq!(users(&both).await, all);
    assert_eq!(users("student_ids=all").await, all);
    assert!(users("student_ids[]=sis_user_id:nobody").await.is_empty());
    // Others are not told who is there.
    for name in [sis.as_str(), "nobody"] {
        for who in [&student, &limited] {
            who.get(&list(&format!("student_ids[]=sis_user_id:{name}"))).await.is_forbidden();
        }
    }
    // Nor does another school's id name anybody.
    let elsewhere = School::start().await;
    let (botany, stranger, _) = elsewhere.classroom("Botany").await;
    let path = botany.path(&format!("/students/submissions?student_ids[]=sis_user_id:{sis}"));
    assert_eq!(stranger.get(&path).await.is(200).json, json!([]));
}

#[tokio::test]
async fn comments_are_said_once_and_read_by_both() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    hand_in(&student, &assignment, text("x")).await.is(201);
    let path = format!("{assignment}/submissions/{}", student.id);
    let say = |words: &str| json!({ "comment": { "text_comment": words } });
    teacher.put(&path).json(say("Which oak?")).await.is(200);
    let answered = student.put(&path).json(say("The white one.")).await.is(200);
    let comments = answered["submission_comments"].as_array().unwrap();
    let said: Vec<_> = comments.iter().map(|one| (&one["author_id"], &one["comment"], &one["attempt"])).collect();
    assert_eq!(
        said,
        [
            (&json!(teacher.id), &json!("Which oak?"), &json!(1)),
            (&json!(student.id), &json!("The white one."), &json!(1)),
        ]
    );
    assert!(answered["score"].is_null());
    teacher.put(&path).json(say(&"x".repeat(70_000))).await.is_refused(400, "too long");
    let other = course.member(&school, "StudentEnrollment").await;
    other.put(&path).json(say("x")).await.is_forbidden();
    let nothing = teacher.put(&path).json(json!({})).await.is(200);
    assert_eq!(nothing["submission_comments"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn authors_of_comments_send_so_much_mail_and_no_more() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    course.member(&school, "TaEnrollment").await;
    let path = format!("{}/submissions/{}", assignment(&teacher, &course, json!({})).await, student.id);
    let say = |words: &str| json!({ "comment": { "text_comment": words } });
    if !running().use_up(&format!("submission-comments/{}", student.id), 997, 3600) {
        return;
    }
    // A student's comment goes to two, and three more may be told.
    student.put(&path).json(say("Which oak?")).await.is(200);
    let refused = student.put(&path).json(say("And where?")).await.is(429);
    assert!(refused.header("retry-after").unwrap().parse::<i64>().unwrap() > 3000, "{:?}", refused.headers);
    let answered = teacher.put(&path).json(say("The white one.")).await.is(200);
    assert_eq!(answered["submission_comments"].as_array().unwrap().len(), 2, "what is not told is not said");
}

#[tokio::test]
async fn who_is_not_a_student_any_more_cannot_hand_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    let enrollments = school.admin.get(&course.path(&format!("/enrollments?user_id={}", student.id))).await.is(200);
    let enrollment = enrollments.ids()[0];
    school.admin.delete(&course.path(&format!("/enrollments/{enrollment}?task=conclude"))).await.is(200);
    hand_in(&student, &assignment, text("x")).await.is_forbidden();
    enroll(&school.admin, course.id, school.person("new").await.id, "StudentEnrollment").await;
}

#[tokio::test]
async fn what_is_kept_of_one_submission_has_an_end() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course, json!({})).await;
    let first = hand_in(&student, &essay, text("first")).await.is(201);
    let comment = json!({ "comment": { "text_comment": "Done" } });
    let own = format!("{essay}/submissions/{}", student.id);
    student.put(&own).json(&comment).await.is(200);
    let id = first.id();
    let versions = |count: usize, body: &str| {
        format!(
            "DELETE FROM submission_versions WHERE submission_id = {id};
             INSERT INTO submission_versions (submission_id, attempt, submission_type, body, submitted_at)
             WITH RECURSIVE n (n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM n WHERE n < 1000 + {count})
             SELECT {id}, n, 'online_text_entry', {body}, '2026-01-01T00:00:00Z' FROM n;"
        )
    };
    if !running().change_database(&versions(249, "'x'")) {
        return;
    }
    hand_in(&student, &essay, text("the last one")).await.is(201);
    hand_in(&student, &essay, text("one too many")).await.is_refused(403, "maximum number of allowed attempts");
    running().change_database(&versions(70, "printf('%.*c', 120000, 'x')"));
    hand_in(&student, &essay, text("one too many")).await.is_refused(403, "maximum number of allowed attempts");
    running().change_database(&versions(1, "'x'"));
    hand_in(&student, &essay, text("again")).await.is(201);

    let comments = format!(
        "INSERT INTO submission_comments (submission_id, author_id, attempt, comment, created_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 499)
         SELECT {id}, {}, 1, 'x', '2026-01-01T00:00:00Z' FROM n;",
        student.id
    );
    running().change_database(&comments);
    student.put(&own).json(&comment).await.is_refused(403, "maximum number of comments");
    teacher.put(&own).json(&comment).await.is(200);
}

#[tokio::test]
async fn a_list_has_megabytes_of_histories_comments_and_texts_and_no_more() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let essay = assignment(&teacher, &course, json!({})).await;
        ids.push(hand_in(&student, &essay, text("short")).await.is(201).id());
    }
    let [first, large, _] = ids[..] else { panic!("{ids:?}") };
    let add = |text: &str| {
        format!(
            "UPDATE submissions SET body = {text} WHERE id IN ({first}, {large});
             UPDATE submission_versions SET body = {text} WHERE submission_id IN ({first}, {large});
             INSERT INTO submission_comments (submission_id, author_id, attempt, comment, created_at)
             SELECT id, {}, 1, {text}, '2026-01-01T00:00:00Z' FROM submissions WHERE id IN ({first}, {large});",
            student.id
        )
    };
    if !running().change_database(&add("printf('%.*c', 5000000, 'x')")) {
        return;
    }
    let include = "include[]=submission_history&include[]=submission_comments";
    let list = course.path(&format!("/students/submissions?student_ids[]=all&{include}"));
    let listed = teacher.get(&list).await.is(200);
    let grouped = teacher.get(&format!("{list}&grouped=true")).await.is(200);
    let length = |value: &Value| value.as_array().map(Vec::len);
    for (rows, texts) in [(&listed.json, [true, true, true]), (&grouped.json[0]["submissions"], [true, false, false])] {
        let rows = rows.as_array().unwrap();
        let histories: Vec<_> = rows.iter().map(|row| length(&row["submission_history"])).collect();
        let comments: Vec<_> = rows.iter().map(|row| length(&row["submission_comments"])).collect();
        assert_eq!(histories, [Some(1), None, None]);
        assert_eq!(comments, [Some(1), None, None]);
        assert_eq!(rows.iter().map(|row| row["body"].is_string()).collect::<Vec<_>>(), texts);
    }
    let assignment = &listed.json[1]["assignment_id"];
    let alone = course.path(&format!("/assignments/{assignment}/submissions/{}?{include}", student.id));
    let alone = teacher.get(&alone).await.is(200);
    assert_eq!(alone["submission_history"][0]["body"].as_str().unwrap().len(), 5_000_000);
    assert_eq!(length(&alone["submission_comments"]), Some(1));
    running().change_database(&add("'x'"));
    let again = teacher.get(&format!("{list}&grouped=true")).await.is(200);
    assert_eq!(again.json[0]["submissions"][2]["body"], "short");
}

#[tokio::test]
async fn who_is_limited_to_a_section_sees_and_grades_its_students_alone() {
    let school = School::start().await;
    let (course, teacher, morning) = school.classroom("Botany").await;
    let Section { id: section, teacher: limited, student: evening } = course.section(&school, "Evening").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    for student in [&morning, &evening] {
        hand_in(student, &assignment, text("<p>Oaks</p>")).await.is(201);
    }
    let users = |answer: &Response| -> Vec<i64> {
        answer.json.as_array().unwrap().iter().map(|one| one["user_id"].as_i64().unwrap()).collect()
    };

    let list = format!("{assignment}/submissions");
    assert_eq!(users(&limited.get(&list).await.is(200)), [evening.id]);
    assert_eq!(users(&teacher.get(&list).await.is(200)), [morning.id, evening.id]);
    for (student, status) in [(&morning, 404), (&evening, 200)] {
        let one = format!("{list}/{}", student.id);
        limited.get(&one).await.is(status);
        teacher.get(&one).await.is(200);
        grade(&limited, &assignment, student, json!({ "posted_grade": "5" })).await.is(status);
        limited.put(&one).json(json!({ "comment": { "text_comment": "Well" } })).await.is(status);
        limited.post(&format!("{one}/files")).json(json!({ "name": "leaf.txt", "size": 4 })).await.is(status);
    }
    let score = async |student: &Client| teacher.get(&format!("{list}/{}", student.id)).await.is(200)["score"].clone();
    assert_eq!((score(&morning).await, score(&evening).await), (json!(null), json!(5.0)));
    grade(&teacher, &assignment, &morning, json!({ "posted_grade": "6" })).await.is(200);

    // Nor does anybody hand in for the student of another section.
    for (student, status) in [(&morning, 400), (&evening, 201)] {
        let work = json!({ "submission_type": "online_text_entry", "body": "Elms", "user_id": student.id });
        hand_in(&limited, &assignment, work).await.is(status);
    }

    let of_all = course.path("/students/submissions?student_ids[]=all");
    assert_eq!(users(&limited.get(&of_all).await.is(200)), [evening.id]);
    assert_eq!(users(&teacher.get(&of_all).await.is(200)), [morning.id, evening.id]);
    let grouped = limited.get(&format!("{of_all}&grouped=true")).await.is(200);
    assert_eq!((users(&grouped), &grouped.json[0]["section_id"]), (vec![evening.id], &json!(section)));
    let of = |student: &Client| course.path(&format!("/students/submissions?student_ids[]={}", student.id));
    limited.get(&of(&morning)).await.is_forbidden();
    assert_eq!(users(&limited.get(&of(&evening)).await.is(200)), [evening.id]);
    assert_eq!(users(&teacher.get(&of(&morning)).await.is(200)), [morning.id]);
}
