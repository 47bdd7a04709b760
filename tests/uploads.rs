//! Uploads that are announced, claimed, refused and cut off.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Course, Response, Running, School, running, unique};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::files::{download, form, send, upload};

const BOUNDARY: &str = "----a-boundary-of-the-tests";
const KILOBYTE: usize = 1024;

/// The second step, begun and not ended: the form's head and so many bytes of a file that would be larger.
pub(crate) async fn begin(base_url: &str, announced: &Value, bytes: usize) -> TcpStream {
    let url = announced["upload_url"].as_str().unwrap();
    let address = base_url.strip_prefix("http://").unwrap();
    let ticket = url.rsplit('/').next().unwrap();
    let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n");
    let head = format!(
        "POST /files_api/{ticket} HTTP/1.1\r\nHost: {address}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\n\
         Content-Length: {}\r\n\r\n{part}",
        part.len() + bytes + 1_000_000
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'x'; bytes]).await.unwrap();
    stream.flush().await.unwrap();
    stream
}

/// Waits until the condition holds.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..600 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never: {what}");
}

/// Sets off background work until the condition holds. The application is that of all tests, whose own may have the work.
pub(crate) async fn ticks_until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    until(what, async || {
        running().tick(None).await;
        holds().await
    })
    .await;
}

async fn announce(client: &Client, course: &Course, file: Value) -> Response {
    client.post(&course.path("/files")).json(file).await
}

async fn raw(client: &Client, announced: &Value, body: Vec<u8>) -> Response {
    let address = announced["upload_url"].as_str().unwrap();
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    client.without_token().post(address).body(&content_type, body).await
}

#[tokio::test]
async fn one_request_at_a_time_sends_the_bytes() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let name = format!("{}.txt", unique("a"));
    let announced = announce(&teacher, &course, json!({ "name": name })).await.is(200).json;
    let first = begin(teacher.base_url(), &announced, 400 * KILOBYTE).await;
    let claimed = format!("SELECT 1 FROM uploads WHERE name = '{name}' AND claim IS NOT NULL");
    until("the first has claimed the upload", async || {
        running().read_database(&claimed).is_none_or(|rows| !rows.is_empty())
    })
    .await;
    send(&teacher, &announced, b"").await.is_refused(409, "being uploaded by another request");
    drop(first);
    until("the upload is free again", async || send(&teacher, &announced, b"after all").await.status == 201).await;
    send(&teacher, &announced, b"again").await.is_refused(409, "uploaded already");
}

#[tokio::test]
async fn no_more_comes_than_was_announced() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = announce(&teacher, &course, json!({ "name": "a.txt", "size": 10 })).await.is(200).json;
    send(&teacher, &announced, b"eleven byte").await.is_refused(413, "larger than 10 bytes");
    raw(&teacher, &announced, form(&[("junk", &"x".repeat(65 * KILOBYTE))], "f", b"1"))
        .await
        .is_refused(400, "too long");
    let junk = "x".repeat(60 * KILOBYTE);
    let junk: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|name| (*name, junk.as_str())).collect();
    raw(&teacher, &announced, form(&junk, "f", b"1")).await.is(413);
    let many = vec![("a", "1"); 101];
    raw(&teacher, &announced, form(&many, "f", b"1")).await.is_refused(400, "too many fields");
    send(&teacher, &announced, b"ten bytes!").await.is(201);
}

#[tokio::test]
async fn headers_without_an_end_are_refused() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = announce(&teacher, &course, json!({ "name": "a.txt" })).await.is(200).json;
    let endless = |start: &str| [start.as_bytes(), &vec![b'a'; 300 * KILOBYTE]].concat();
    for start in [String::new(), format!("--{BOUNDARY}\r\nA: "), format!("--{BOUNDARY}\r\n")] {
        raw(&teacher, &announced, endless(&start)).await.is_refused(400, "headers are too long");
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let imports = school.admin.post("/api/v1/accounts/self/sis_imports");
        imports.body(&content_type, endless(&start)).await.is_refused(400, "headers are too long");
    }
    send(&teacher, &announced, b"short").await.is(201);
}

#[tokio::test]
async fn what_is_announced_is_set_aside() {
    let site = Running::own("announced", &[("file_quota_megabytes", "1")]);
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let megabyte = 1024 * KILOBYTE;
    let first = announce(&teacher, &course, json!({ "name": "a", "size": 600 * KILOBYTE })).await.is(200).json;
    announce(&teacher, &course, json!({ "name": "b", "size": 600 * KILOBYTE })).await.is_refused(400, "exceeds quota");
    // Without a size the rest is meant, and what is the rest of others is not.
    let rest = announce(&teacher, &course, json!({ "name": "c" })).await.is(200).json;
    announce(&teacher, &course, json!({ "name": "d" })).await.is_refused(400, "exceeds quota");
    send(&teacher, &rest, &vec![0; 500 * KILOBYTE]).await.is(413);
    let own = json!({ "name": "mine", "size": megabyte });
    student.post("/api/v1/users/self/files").json(own).await.is(200);
    // A file takes up what it has, and no longer what it might have had.
    send(&teacher, &rest, b"tiny").await.is(201);
    send(&teacher, &first, &vec![0; 600 * KILOBYTE]).await.is(201);
    announce(&teacher, &course, json!({ "name": "e", "size": 420 * KILOBYTE })).await.is(200);
    announce(&teacher, &course, json!({ "name": "f", "size": 10 * KILOBYTE })).await.is_refused(400, "exceeds quota");
    if site.change_database("UPDATE uploads SET expires_at = '2020-01-01T00:00:00Z' WHERE attachment_id IS NULL") {
        announce(&teacher, &course, json!({ "name": "g", "size": 10 * KILOBYTE })).await.is(200);
        site.tick(None).await;
        let ended = site.read_database("SELECT count(*) FROM uploads WHERE attachment_id IS NULL");
        assert_eq!(ended.unwrap(), [[json!(1)]], "uploads that ended are forgotten");
    }
}

#[tokio::test]
async fn a_user_announces_a_hundred_files_at_most_before_one_comes() {
    let school = School::start().await;
    let student = school.person("student").await;
    let announce = async || student.post("/api/v1/users/self/files").json(json!({ "name": "a", "size": 1 })).await;
    let first = announce().await.is(200).json;
    for _ in 1..100 {
        announce().await.is(200);
    }
    let refused = announce().await.is_refused(429, "Rate Limit Exceeded");
    assert!(refused.header("retry-after").is_some());
    send(&student, &first, b"1").await.is(201);
    announce().await.is(200);
}

#[tokio::test]
async fn files_that_were_handed_in_are_not_replaced_by_way_of_their_path() {
    let school = School::start().await;
    let student = school.person("student").await;
    let files = "/api/v1/users/self/files";
    let own = json!({ "name": "essay.txt", "parent_folder_path": "submissions" });
    upload(&student, files, own.clone(), b"before").await;
    // From the first hand-in on the folder is the school's, whoever made it.
    let (course, teacher, _) = school.classroom("Botany").await;
    let assignment = json!({ "assignment": {
        "name": "Essay", "submission_types": ["online_upload"], "published": true, "points_possible": 1 } });
    let assignment = teacher.post(&course.path("/assignments")).json(assignment).await.is(201).id();
    support::enroll(&school.admin, course.id, student.id, "StudentEnrollment").await;
    let hand_in = course.path(&format!("/assignments/{assignment}/submissions/self/files"));
    let file = upload(&student, &hand_in, json!({ "name": "essay.txt" }), b"handed in").await;
    student.post(files).json(own).await.is_forbidden();
    student.put(&format!("/api/v1/files/{}", file.id())).json(json!({ "name": "x" })).await.is_forbidden();
    student.delete(&format!("/api/v1/files/{}", file.id())).await.is_forbidden();
}

/// The path of an assignment that takes files.
async fn essay(teacher: &Client, course: &Course) -> String {
    let assignment = json!({ "assignment": {
        "name": "Essay", "submission_types": ["online_upload"], "published": true, "points_possible": 1 } });
    let made = teacher.post(&course.path("/assignments")).json(assignment).await.is(201);
    course.path(&format!("/assignments/{}", made.id()))
}

async fn hand_in(student: &Client, assignment: &str, files: &[i64]) -> Response {
    let work = json!({ "submission": { "submission_type": "online_upload", "file_ids": files } });
    student.post(&format!("{assignment}/submissions")).json(work).await
}

/// What the teacher finds in the files of a submission.
async fn texts(teacher: &Client, submission: &Response) -> Vec<String> {
    let mut texts = Vec::new();
    for file in submission["attachments"].as_array().unwrap() {
        texts.push(download(teacher, file).await.is(200).body);
    }
    texts
}

#[tokio::test]
async fn what_is_handed_in_from_ones_own_files_is_not_taken_back() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = essay(&teacher, &course).await;
    let files = "/api/v1/users/self/files";
    let in_drafts = json!({ "name": "essay.txt", "parent_folder_path": "drafts" });
    let first = upload(&student, files, in_drafts, b"first").await;
    let second = upload(&student, files, json!({ "name": "Essay.txt" }), b"second").await;

    let work = hand_in(&student, &assignment, &[second.id(), first.id()]).await.is(201);
    let of =
        |key: &str| work["attachments"].as_array().unwrap().iter().map(|file| file[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("id"), [json!(second.id()), json!(first.id())], "they are the files that were named");
    assert_eq!(of("display_name"), [json!(format!("{}-Essay.txt", second.id())), json!("essay.txt")]);
    let folder = student.get(&format!("/api/v1/folders/{}", of("folder_id")[0])).await.is(200);
    assert_eq!((&folder["full_name"], &folder["for_submissions"]), (&json!("my files/Submissions"), &json!(true)));

    for file in [&first, &second] {
        let path = format!("/api/v1/files/{}", file.id());
        student.put(&path).json(json!({ "name": "other.txt" })).await.is_forbidden();
        student.put(&path).json(json!({ "locked": true })).await.is_forbidden();
        student.delete(&path).await.is_forbidden();
    }
    let drafts = format!("/api/v1/folders/{}?force=true", first["folder_id"]);
    student.delete(&drafts).await.is(200);
    // A new version takes the place of the old one in the student's folder, and not in the work.
    let third = upload(&student, files, json!({ "name": "essay.txt" }), b"third").await;
    let seen = teacher.get(&format!("{assignment}/submissions/{}", student.id)).await.is(200);
    assert_eq!(texts(&teacher, &seen).await, ["second", "first"]);
    let again = hand_in(&student, &assignment, &[third.id(), first.id()]).await.is(201);
    assert_eq!(
        (&again["attempt"], texts(&teacher, &again).await),
        (&json!(2), vec!["third".to_owned(), "first".to_owned()])
    );
}

#[tokio::test]
async fn files_of_any_names_are_handed_in_together() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = essay(&teacher, &course).await;
    let files = "/api/v1/users/self/files";
    let in_drafts = json!({ "name": "essay.txt", "parent_folder_path": "drafts" });
    let first = upload(&student, files, in_drafts, b"first").await;
    let second = upload(&student, files, json!({ "name": "essay.txt" }), b"second").await;
    // The name that the second one would get beside the first.
    let name = format!("{}-essay.txt", second.id());
    let third = upload(&student, files, json!({ "name": name }), b"third").await;
    let work = hand_in(&student, &assignment, &[first.id(), second.id(), third.id()]).await.is(201);
    assert_eq!(texts(&teacher, &work).await, ["first", "second", "third"]);
    let names: Vec<_> = work["attachments"].as_array().unwrap().iter().map(|file| &file["display_name"]).collect();
    assert_eq!((names[0], names[2]), (&json!("essay.txt"), &json!(name)));
    let own = names[1].as_str().unwrap();
    assert!(own.starts_with(&format!("{}-", second.id())) && own.ends_with("-essay.txt") && own != name, "{own}");
}

#[tokio::test]
async fn a_file_that_is_gone_is_not_handed_in_and_what_is_refused_stays_where_it_is() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = essay(&teacher, &course).await;
    let files = "/api/v1/users/self/files";
    let gone = upload(&student, files, json!({ "name": "gone.txt" }), b"gone").await;
    let there = upload(&student, files, json!({ "name": "there.txt" }), b"there").await;
    student.delete(&format!("/api/v1/files/{}", gone.id())).await.is(200);
    hand_in(&student, &assignment, &[there.id(), gone.id()]).await.is_refused(400, "No valid file ids given");
    let path = format!("/api/v1/files/{}", there.id());
    assert_eq!(student.get(&path).await.is(200)["folder_id"], there["folder_id"]);
    student.delete(&path).await.is(200);
}

#[tokio::test]
async fn what_was_announced_before_does_not_take_the_place_of_what_is_handed_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = essay(&teacher, &course).await;
    let files = "/api/v1/users/self/files";
    let early = json!({ "name": "essay.txt", "parent_folder_path": "Submissions" });
    let early = student.post(files).json(early).await.is(200).json;
    let file = upload(&student, files, json!({ "name": "essay.txt" }), b"handed in").await;
    hand_in(&student, &assignment, &[file.id()]).await.is(201);
    assert_eq!(send(&student, &early, b"too late").await.is(201)["display_name"], "essay-1.txt");
    let seen = teacher.get(&format!("{assignment}/submissions/{}", student.id)).await.is(200);
    assert_eq!(texts(&teacher, &seen).await, ["handed in"]);
}

/// Announces a file, and sends it after what happens in between.
async fn sent_after(client: &Client, files: &str, happens: impl AsyncFnOnce()) -> Response {
    let announced = client.post(files).json(json!({ "name": format!("{}.txt", unique("late")) })).await.is(200).json;
    happens().await;
    send(client, &announced, b"late").await
}

/// The address for a package of a course.
async fn announce_package(teacher: &Client, course: &Course) -> Response {
    let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "package.zip", "size": 4 } });
    teacher.post(&course.path("/content_migrations")).json(form).await.is(200)
}

/// Ends the user's enrollment of that type.
async fn end_enrollment(school: &School, course: &Course, user: &Client, role: &str) {
    let list = course.path(&format!("/enrollments?user_id={}&type[]={role}", user.id));
    let enrollment = school.admin.get(&list).await.is(200).ids()[0];
    school.admin.delete(&course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
}

#[tokio::test]
async fn an_address_ends_with_the_right_of_the_administrator_who_has_it() {
    let school = School::start().await;
    let (course, _, student) = school.classroom("Botany").await;
    let helper = school.person("helper").await;
    let admins = "/api/v1/accounts/self/admins";
    school.admin.post(admins).json(json!({ "user_id": helper.id })).await.is(200);
    let of_student = format!("/api/v1/users/{}/files", student.id);
    let of_course = course.path("/files");
    for files in [&of_course, &of_student] {
        sent_after(&helper, files, async || {}).await.is(201);
    }
    let in_folder = helper.post(&of_student).json(json!({ "name": "late.txt" })).await.is(200).json;
    let package = announce_package(&helper, &course).await;
    let in_course = sent_after(&helper, &of_course, async || {
        school.admin.delete(&format!("{admins}/{}", helper.id)).await.is(200);
    });
    in_course.await.is_forbidden();
    send(&helper, &in_folder, b"late").await.is_forbidden();
    send(&helper, &package["pre_attachment"], b"late").await.is_forbidden();
    sent_after(&helper, "/api/v1/users/self/files", async || {}).await.is(201);
}

#[tokio::test]
async fn an_address_ends_with_the_enrollment_that_had_the_right() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    // Whoever teaches and assists may add files as either, and packages as a teacher alone.
    let both = course.member(&school, "TeacherEnrollment").await;
    support::enroll(&school.admin, course.id, both.id, "TaEnrollment").await;
    support::enroll(&school.admin, course.id, both.id, "StudentEnrollment").await;
    let package = announce_package(&both, &course).await;
    let as_assistant = sent_after(&both, &files, async || {
        end_enrollment(&school, &course, &both, "TeacherEnrollment").await;
    });
    as_assistant.await.is(201);
    send(&both, &package["pre_attachment"], b"late").await.is_forbidden();
    let as_student = sent_after(&both, &files, async || {
        end_enrollment(&school, &course, &both, "TaEnrollment").await;
    });
    as_student.await.is_forbidden();

    // What is to be handed in is uploaded by those who take part.
    let own = format!("{}/submissions/self/files", essay(&teacher, &course).await);
    sent_after(&both, &own, async || {}).await.is(201);
    let after_the_end = sent_after(&both, &own, async || {
        end_enrollment(&school, &course, &both, "StudentEnrollment").await;
    });
    after_the_end.await.is_forbidden();
}

#[tokio::test]
async fn a_package_that_comes_after_the_end_of_the_enrollment_is_not_imported() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let package = announce_package(&teacher, &course).await;
    end_enrollment(&school, &course, &teacher, "TeacherEnrollment").await;
    send(&teacher, &package["pre_attachment"], b"late").await.is_forbidden();
    let migration = course.path(&format!("/content_migrations/{}", package.id()));
    assert_eq!(school.admin.get(&migration).await.is(200)["workflow_state"], "pre_processing");
}

#[tokio::test]
async fn a_course_that_is_deleted_takes_no_files_and_packages() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let package = announce_package(&teacher, &course).await;
    let by_admin = announce(&school.admin, &course, json!({ "name": "late.txt" })).await.is(200).json;
    let files = course.path("/files");
    let late = sent_after(&teacher, &files, async || {
        school.admin.delete(&course.path("?event=delete")).await.is(200);
    });
    late.await.is_forbidden();
    send(&school.admin, &by_admin, b"late").await.is_forbidden();
    send(&teacher, &package["pre_attachment"], b"late").await.is_forbidden();
}

#[tokio::test]
async fn who_may_not_come_in_sends_no_files() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let own = "/api/v1/users/self/files";
    let in_course = announce(&teacher, &course, json!({ "name": "late.txt" })).await.is(200).json;
    let in_folder = teacher.post(own).json(json!({ "name": "late.txt" })).await.is(200).json;
    school.set_logins(&teacher, "suspended").await;
    for announced in [&in_course, &in_folder] {
        send(&teacher, announced, b"late").await.is_forbidden();
    }
    school.set_logins(&teacher, "active").await;
    for announced in [&in_course, &in_folder] {
        send(&teacher, announced, b"in time").await.is(201);
    }
    let after_deletion = sent_after(&teacher, own, async || {
        school.admin.delete(&format!("/api/v1/accounts/self/users/{}", teacher.id)).await.is(200);
    });
    after_deletion.await.is_forbidden();
}
