//! Files in three steps, folders, and pages.

use serde_json::{Value, json};
use support::{Call, Client, Course, Response, School, running};

const BOUNDARY: &str = "----a-boundary-of-the-tests";

/// A form with some fields and a file, as browsers send it.
pub(crate) fn form(fields: &[(&str, &str)], name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut form = Vec::new();
    for (field, value) in fields {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n");
        form.extend(part.as_bytes());
    }
    let part = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    form.extend(part.as_bytes());
    form.extend(bytes);
    form.extend(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    form
}

/// The second step: the bytes go to the address that was given out, without a token.
pub(crate) async fn send(client: &Client, announced: &Value, bytes: &[u8]) -> Response {
    sending(client, announced, bytes).await
}

pub(crate) fn sending(client: &Client, announced: &Value, bytes: &[u8]) -> Call {
    let params = announced["upload_params"].as_object().unwrap();
    let fields: Vec<_> = params.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    let nobody = client.without_token();
    let call = nobody.post(announced["upload_url"].as_str().unwrap());
    call.body(&format!("multipart/form-data; boundary={BOUNDARY}"), form(&fields, "whatever", bytes))
}

/// All three steps.
pub(crate) async fn upload(client: &Client, list: &str, announcement: Value, bytes: &[u8]) -> Response {
    let announced = client.post(list).json(announcement).await.is(200);
    assert_eq!(announced["file_param"], "file");
    let created = send(client, &announced.json, bytes).await.is(201);
    let confirmed = client.get(created.header("location").unwrap()).await.is(200);
    assert_eq!(confirmed["id"], created["id"]);
    confirmed
}

/// The bytes of a file, read without a token.
pub(crate) async fn download(client: &Client, file: &Value) -> Response {
    client.without_token().get(file["url"].as_str().unwrap()).await
}

fn file_path(file: &Response) -> String {
    format!("/api/v1/files/{}", file.id())
}

fn names(answer: &Response) -> Vec<&str> {
    answer.json.as_array().unwrap().iter().map(|file| file["display_name"].as_str().unwrap()).collect()
}

/// A student and a file in a course that the teacher has uploaded.
async fn classroom_with_file() -> (School, Course, Client, Client, Response) {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "leaf.txt" }), b"green").await;
    (school, course, teacher, student, file)
}

#[tokio::test]
async fn a_file_comes_in_three_steps_and_goes_out_as_it_came() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let bytes: Vec<u8> = (0..700_000_u32).flat_map(u32::to_le_bytes).collect();
    let announcement = json!({ "name": "leaf.png", "size": bytes.len(), "parent_folder_path": "img/spring" });
    let file = upload(&teacher, &course.path("/files"), announcement, &bytes).await;
    for (key, value) in [
        ("display_name", json!("leaf.png")),
        ("filename", json!("leaf.png")),
        ("content-type", json!("image/png")),
        ("size", json!(bytes.len())),
        ("upload_status", json!("success")),
        ("mime_class", json!("image")),
        ("locked", json!(false)),
        ("hidden", json!(false)),
        ("locked_for_user", json!(false)),
        ("category", json!("uncategorized")),
    ] {
        assert_eq!(file[key], value, "{key}");
    }
    let folder = teacher.get(&format!("/api/v1/folders/{}", file["folder_id"])).await.is(200);
    assert_eq!(folder["full_name"], "course files/img/spring");
    let quota = teacher.get(&course.path("/files/quota")).await.is(200);
    assert_eq!(quota["quota_used"], bytes.len());
    assert!(quota["quota"].as_i64() > quota["quota_used"].as_i64());
    let out = teacher.without_token().get(file["url"].as_str().unwrap());
    let out = out.await.is(200);
    assert_eq!(out.header("content-type"), Some("image/png"));
    assert_eq!(out.header("content-length"), Some(bytes.len().to_string().as_str()));
    assert!(out.header("content-disposition").unwrap().starts_with("attachment; filename=\"leaf.png\""));
    assert!(out.header("content-security-policy").unwrap().contains("sandbox"));
}

#[tokio::test]
async fn an_address_takes_one_file() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = teacher.post(&course.path("/files")).json(json!({ "name": "a.txt" })).await.is(200);
    send(&teacher, &announced.json, b"one").await.is(201);
    send(&teacher, &announced.json, b"two").await.is_refused(409, "uploaded already");
    let files = teacher.get(&course.path("/files")).await.is(200);
    assert_eq!(download(&teacher, &files.json[0]).await.is(200).body, "one");
}

#[tokio::test]
async fn an_address_that_is_not_ours_takes_nothing() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = teacher.post(&course.path("/files")).json(json!({ "name": "a.txt" })).await.is(200);
    let address = announced["upload_url"].as_str().unwrap();
    let forged = format!("{}x", address);
    let forged = json!({ "upload_url": forged, "upload_params": {} });
    send(&teacher, &forged, b"x").await.is_refused(403, "not authorized");
    let nothing = teacher.without_token().post(address);
    nothing.body("text/plain", "x").await.is_refused(415, "multipart form");
    let empty = format!("--{BOUNDARY}--\r\n");
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    teacher.without_token().post(address).body(&content_type, empty).await.is_refused(400, "file is missing");
    let broken = form(&[], "a", b"some bytes");
    let broken = broken[..broken.len() - 30].to_vec();
    teacher.without_token().post(address).body(&content_type, broken).await.is_refused(400, "cannot be read");
    send(&teacher, &announced.json, b"after all").await.is(201);
}

#[tokio::test]
async fn what_is_announced_is_checked() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announce = async |form: Value| teacher.post(&course.path("/files")).json(form).await;
    announce(json!({})).await.is_refused(400, "name is missing");
    announce(json!({ "name": ".." })).await.is_refused(400, "name is missing");
    announce(json!({ "name": "x".repeat(300) })).await.is_refused(400, "too long");
    announce(json!({ "name": "x", "size": -1 })).await.is_refused(400, "size");
    announce(json!({ "name": "x", "size": 1_i64 << 50 })).await.is_refused(400, "file size exceeds quota");
    announce(json!({ "name": "x", "on_duplicate": "explode" })).await.is_refused(400, "on_duplicate");
    announce(json!({ "name": "x", "url": "https://example.org/x" })).await.is_refused(400, "not fetched");
    announce(json!({ "name": "x", "parent_folder_id": 1_000_000_000 })).await.is_not_found();
    announce(json!({ "name": "x", "parent_folder_path": "a/".repeat(40) })).await.is_refused(400, "too_deep");
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "../../etc/passwd" }), b"x").await;
    assert_eq!(file["display_name"], "passwd");
}

#[tokio::test]
async fn a_file_of_the_same_name_takes_the_place_or_gets_another_name() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    let first = upload(&teacher, &files, json!({ "name": "a.txt" }), b"1").await;
    let second = upload(&teacher, &files, json!({ "name": "a.txt" }), b"2").await;
    teacher.get(&file_path(&first)).await.is_not_found();
    let third = upload(&teacher, &files, json!({ "name": "a.txt", "on_duplicate": "rename" }), b"3").await;
    assert_eq!(third["display_name"], "a-1.txt");
    assert_eq!(third["filename"], "a.txt");
    let list = teacher.get(&files).await.is(200);
    assert_eq!(names(&list), ["a-1.txt", "a.txt"]);

    let rename = async |form: Value| teacher.put(&file_path(&third)).json(form).await;
    rename(json!({ "name": "A.txt" })).await.is_refused(409, "file already exists");
    rename(json!({ "name": "b/c" })).await.is_refused(400, "slashes");
    assert_eq!(rename(json!({ "name": "a.txt", "on_duplicate": "rename" })).await.is(200)["display_name"], "a-1.txt");
    rename(json!({ "name": "a.txt", "on_duplicate": "overwrite" })).await.is(200);
    teacher.get(&file_path(&second)).await.is_not_found();
}

#[tokio::test]
async fn a_file_that_moves_meets_those_of_its_name() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    let shelf = teacher.post(&course.path("/folders")).json(json!({ "name": "shelf" })).await.is(200).id();
    let move_there = async |file: &Response, on_duplicate: Value| {
        let form = json!({ "parent_folder_id": shelf, "on_duplicate": on_duplicate });
        teacher.put(&file_path(file)).json(form).await
    };
    for (name, other) in [("a.b.txt", "a.b-1.txt"), (".leaf", ".leaf-1"), ("oak", "oak-1")] {
        let there = upload(&teacher, &files, json!({ "name": name, "parent_folder_id": shelf }), b"there").await;
        let file = upload(&teacher, &files, json!({ "name": name }), b"here").await;
        move_there(&file, Value::Null).await.is_refused(409, "file already exists");
        assert_eq!(move_there(&file, json!("rename")).await.is(200)["display_name"], other);
        let file = upload(&teacher, &files, json!({ "name": name }), b"here").await;
        let moved = move_there(&file, json!("overwrite")).await.is(200);
        assert_eq!((&moved["display_name"], &moved["folder_id"]), (&json!(name), &json!(shelf)));
        teacher.get(&file_path(&there)).await.is_not_found();
    }
}

#[tokio::test]
async fn students_see_what_is_neither_hidden_nor_closed() {
    let (_, course, teacher, student, file) = classroom_with_file().await;
    let files = course.path("/files");
    let set = async |form: Value| teacher.put(&file_path(&file)).json(form).await.is(200);
    assert_eq!(names(&student.get(&files).await.is(200)), ["leaf.txt"]);

    set(json!({ "hidden": true })).await;
    assert!(names(&student.get(&files).await.is(200)).is_empty());
    assert_eq!(student.get(&file_path(&file)).await.is(200)["hidden_for_user"], true);

    for closed in [
        json!({ "hidden": false, "locked": true }),
        json!({ "locked": false, "lock_at": "2020-01-01T00:00:00Z" }),
        json!({ "lock_at": null, "unlock_at": "2090-01-01T00:00:00Z" }),
    ] {
        set(closed).await;
        assert!(names(&student.get(&files).await.is(200)).is_empty());
        let seen = student.get(&file_path(&file)).await.is(200);
        assert_eq!((&seen["locked_for_user"], &seen["url"]), (&json!(true), &json!("")));
        student.get(&format!("{}/public_url", file_path(&file))).await.is_forbidden();
        student.get(&format!("/files/{}/download", file.id())).await.is_forbidden();
        let confirmation = format!("{}/create_success?uuid={}", file_path(&file), seen["uuid"].as_str().unwrap());
        student.get(&confirmation).await.is_forbidden();
        assert_eq!(names(&teacher.get(&files).await.is(200)), ["leaf.txt"]);
    }
    set(json!({ "unlock_at": null })).await;

    let folder = format!("/api/v1/folders/{}", file["folder_id"]);
    teacher.put(&folder).json(json!({ "locked": true })).await.is(200);
    assert!(names(&student.get(&files).await.is(200)).is_empty());
    student.get(&folder).await.is_forbidden();
    student.get(&format!("{folder}/files")).await.is_forbidden();
    student.get(&format!("/files/{}/download", file.id())).await.is_forbidden();
    teacher.put(&folder).json(json!({ "locked": false })).await.is(200);
    assert_eq!(student.get(&format!("/files/{}/download", file.id())).await.is(200).body, "green");
    let preview = format!("/courses/{}/files/{}/preview", course.id, file.id());
    assert_eq!(student.get(&preview).await.is(200).body, "green");
    teacher.put(&file_path(&file)).json(json!({ "locked": true })).await.is(200);
    student.get(&preview).await.is_forbidden();
}

#[tokio::test]
async fn files_are_changed_by_those_who_may() {
    let (school, course, teacher, student, file) = classroom_with_file().await;
    let path = file_path(&file);
    student.post(&course.path("/files")).json(json!({ "name": "x" })).await.is_forbidden();
    student.put(&path).json(json!({ "name": "x" })).await.is_forbidden();
    student.delete(&path).await.is_forbidden();
    let stranger = school.person("stranger").await;
    stranger.get(&path).await.is_forbidden();
    stranger.get(&course.path("/files")).await.is_forbidden();
    School::start().await.admin.get(&path).await.is_not_found();
    for role in ["TaEnrollment", "DesignerEnrollment"] {
        let member = course.member(&school, role).await;
        member.put(&path).json(json!({ "hidden": false })).await.is(200);
    }
    let observer = course.member(&school, "ObserverEnrollment").await;
    observer.get(&path).await.is(200);
    observer.delete(&path).await.is_forbidden();
    teacher.delete(&path).await.is(200);
    teacher.get(&path).await.is_not_found();
    download(&teacher, &file.json).await.is_not_found();
}

#[tokio::test]
async fn a_user_has_files_and_a_group_has_files() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let own = upload(&student, "/api/v1/users/self/files", json!({ "name": "mine.txt" }), b"mine").await;
    teacher.get(&file_path(&own)).await.is_forbidden();
    teacher.get(&format!("/api/v1/users/{}/files", student.id)).await.is_forbidden();
    school.admin.get(&format!("/api/v1/users/{}/files", student.id)).await.is(200);
    student.get(&format!("/api/v1/users/self/files/{}", own.id())).await.is(200);
    teacher.get(&course.path(&format!("/files/{}", own.id()))).await.is_not_found();

    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    let files = format!("/api/v1/groups/{group}/files");
    student.get(&files).await.is_forbidden();
    let membership = json!({ "user_id": student.id });
    teacher.post(&format!("/api/v1/groups/{group}/memberships")).json(membership).await.is(200);
    let shared = upload(&student, &files, json!({ "name": "ours.txt" }), b"ours").await;
    assert_eq!(student.get(&files).await.is(200).ids(), [shared.id()]);
    let other = course.member(&school, "StudentEnrollment").await;
    other.get(&file_path(&shared)).await.is_forbidden();
    student.delete(&file_path(&shared)).await.is(200);
}

#[tokio::test]
async fn the_root_of_a_user_is_there_whatever_is_asked_first() {
    let school = School::start().await;
    let looks = school.person("looks").await;
    let listed = looks.get("/api/v1/users/self/folders").await.is(200);
    assert_eq!((listed.ids().len(), &listed.json[0]["full_name"]), (1, &json!("my files")));
    let writes = school.person("writes").await;
    let made = writes.post("/api/v1/users/self/folders").json(json!({ "name": "leaves" })).await.is(200);
    assert_eq!((&made["full_name"], &made["context_id"]), (&json!("my files/leaves"), &json!(writes.id)));
    let beyond = writes.get("/api/v1/users/self/folders?page=7").await.is(200);
    assert_eq!(beyond.json, json!([]));
}

#[tokio::test]
async fn an_address_is_good_for_its_file_alone() {
    let (_, course, teacher, _, file) = classroom_with_file().await;
    let other = upload(&teacher, &course.path("/files"), json!({ "name": "other.txt" }), b"other").await;
    let url = file["url"].as_str().unwrap();
    let nobody = teacher.without_token();
    nobody.get(url).await.is(200);
    let path = format!("/files/{}/", file.id());
    assert!(url.contains(&path), "{url}");
    nobody.get(&url.replace(&path, &format!("/files/{}/", other.id()))).await.is_refused(403, "not authorized");
    nobody.get(&format!("{url}x")).await.is_refused(403, "not authorized");
    nobody.get(&format!("/files/{}/download", file.id())).await.is_unauthenticated("user authorization required");
    let public = teacher.get(&format!("{}/public_url", file_path(&file))).await.is(200);
    assert_eq!(nobody.get(public["public_url"].as_str().unwrap()).await.is(200).body, "green");
    nobody.get(&format!("{}/create_success?ticket=x", file_path(&file))).await.is_not_found();
    let verifier = file["url"].as_str().unwrap().split("verifier=").nth(1).unwrap();
    nobody.get(&format!("{}/create_success?ticket={verifier}", file_path(&file))).await.is_not_found();
    nobody.get(&format!("{}/create_success", file_path(&file))).await.is_unauthenticated("user authorization required");
}

#[tokio::test]
async fn files_are_listed_as_asked() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    for (name, bytes) in [("b.txt", "22"), ("A.png", "1"), ("c.txt", "333")] {
        upload(&teacher, &files, json!({ "name": name }), bytes.as_bytes()).await;
    }
    for (query, expected) in [
        ("", vec!["A.png", "b.txt", "c.txt"]),
        ("?sort=size&order=desc", vec!["c.txt", "b.txt", "A.png"]),
        ("?sort=nonsense", vec!["A.png", "b.txt", "c.txt"]),
        ("?search_term=TXT", vec!["b.txt", "c.txt"]),
        ("?content_types[]=image", vec!["A.png"]),
        ("?content_types[]=text/plain", vec!["b.txt", "c.txt"]),
        ("?exclude_content_types[]=text", vec!["A.png"]),
        ("?content_types[]=%25", vec![]),
        ("?content_types[]=_mage", vec![]),
        ("?per_page=1&page=2", vec!["b.txt"]),
    ] {
        assert_eq!(names(&teacher.get(&format!("{files}{query}")).await.is(200)), expected, "{query}");
    }
}

#[tokio::test]
async fn folders_make_a_tree() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let root = teacher.get(&course.path("/folders/root")).await.is(200);
    assert_eq!((&root["full_name"], &root["parent_folder_id"]), (&json!("course files"), &Value::Null));
    let make = async |form: Value| teacher.post(&course.path("/folders")).json(form).await;
    let a = make(json!({ "name": "a" })).await.is(200);
    assert_eq!(a["parent_folder_id"], root["id"]);
    make(json!({ "name": "A" })).await.is_refused(400, "taken");
    make(json!({ "name": "x/y" })).await.is_refused(400, "slashes");
    make(json!({})).await.is_refused(400, "name is missing");
    let b = make(json!({ "name": "b", "parent_folder_id": a.id() })).await.is(200);
    assert_eq!(b["full_name"], "course files/a/b");
    let c = make(json!({ "name": "c", "parent_folder_path": "a/b" })).await.is(200);
    assert_eq!(c["full_name"], "course files/a/b/c");
    let path = teacher.get(&format!("/api/v1/folders/{}/path", c.id())).await.is(200);
    assert_eq!(path.ids(), [root.id(), a.id(), b.id(), c.id()]);

    let folder = |folder: &Response| format!("/api/v1/folders/{}", folder.id());
    teacher.put(&folder(&a)).json(json!({ "parent_folder_id": c.id() })).await.is_refused(400, "below the folder");
    let moved = teacher.put(&folder(&c)).json(json!({ "parent_folder_id": root.id(), "name": "d" })).await.is(200);
    assert_eq!(moved["full_name"], "course files/d");
    let deep = vec!["deep"; 28].join("/");
    let deepest = make(json!({ "name": "last", "parent_folder_path": deep })).await.is(200);
    let path = teacher.get(&format!("/api/v1/folders/{}/path", deepest.id())).await.is(200);
    let deep = json!({ "parent_folder_id": b.id() });
    teacher.put(&format!("/api/v1/folders/{}", path.ids()[1])).json(deep).await.is_refused(400, "30 deep");
    student.post(&course.path("/folders")).json(json!({ "name": "s" })).await.is_forbidden();
    student.delete(&folder(&a)).await.is_forbidden();

    let file = upload(&teacher, &course.path("/files"), json!({ "name": "f", "parent_folder_id": b.id() }), b"f").await;
    let late = json!({ "name": "late", "parent_folder_id": b.id() });
    let late = teacher.post(&course.path("/files")).json(late).await.is(200);
    teacher.delete(&folder(&a)).await.is_refused(400, "content");
    teacher.delete(&folder(&root)).await.is_refused(400, "root");
    teacher.delete(&format!("{}?force=true", folder(&a))).await.is(200);
    teacher.get(&folder(&b)).await.is_not_found();
    teacher.get(&file_path(&file)).await.is_not_found();
    send(&teacher, &late.json, b"late").await.is_refused(409, "folder");
}

#[tokio::test]
async fn a_download_goes_on_where_it_broke_off() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    // More than a chunk of the store, and no two places alike.
    let text: String = (0..60_000).map(|number| format!("{number:06} ")).collect();
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "long.txt" }), text.as_bytes()).await;
    let get = async |headers: &[(&str, &str)]| {
        let call = teacher.without_token().get(file["url"].as_str().unwrap());
        headers.iter().fold(call, |call, (name, value)| call.header(name, value)).await
    };
    let whole = get(&[]).await.is(200);
    let etag = whole.header("etag").unwrap().to_owned();
    assert_eq!((whole.header("accept-ranges"), whole.body == text), (Some("bytes"), true));
    let size = text.len();
    for (range, part) in [
        ("bytes=0-6", 0..7),
        ("bytes=262140-262150", 262_140..262_151),
        ("bytes=262144-", 262_144..size),
        ("bytes=-10", size - 10..size),
        ("bytes=100-9999999", 100..size),
    ] {
        let answer = get(&[("range", range), ("if-range", &etag)]).await.is(206);
        let told = format!("bytes {}-{}/{size}", part.start, part.end - 1);
        assert_eq!(answer.header("content-range"), Some(told.as_str()));
        assert_eq!(answer.body.as_bytes(), &text.as_bytes()[part], "{range}");
    }
    let beyond = get(&[("range", "bytes=9999999-")]).await.is_refused(416, "420000 bytes");
    assert_eq!(beyond.header("content-range"), Some("bytes */420000"));
    get(&[("range", "bytes=0-1"), ("if-range", "\"another\"")]).await.is(200);
    get(&[("range", "bytes=0-1,5-6")]).await.is(200);
    assert_eq!(get(&[("if-none-match", &etag)]).await.is(304).header("etag"), Some(etag.as_str()));
    get(&[("if-none-match", "\"another\"")]).await.is(200);
}

async fn make_page(client: &Client, course: &Course, page: Value) -> Response {
    client.post(&course.path("/pages")).json(json!({ "wiki_page": page })).await
}

#[tokio::test]
async fn a_page_is_known_by_its_title() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let page = make_page(&teacher, &course, json!({ "title": "Leaves & Seeds", "body": "<p>a</p><script>b</script>" }));
    let page = page.await.is(200);
    assert_eq!(page["url"], "leaves-seeds");
    assert_eq!(page["body"], "<p>a</p>");
    assert_eq!((&page["published"], &page["front_page"]), (&json!(false), &json!(false)));
    assert_eq!(page["last_edited_by"]["id"], teacher.id);
    let again = make_page(&teacher, &course, json!({ "title": "Leaves Seeds" })).await.is(200);
    assert_eq!(again["url"], "leaves-seeds-2");
    for path in ["leaves-seeds".to_owned(), format!("page_id:{}", page["page_id"]), page["page_id"].to_string()] {
        let read = teacher.get(&course.path(&format!("/pages/{path}"))).await.is(200);
        assert_eq!(read["title"], "Leaves & Seeds");
    }
    student.get(&course.path("/pages/leaves-seeds")).await.is_forbidden();
    assert_eq!(student.get(&course.path("/pages")).await.is(200).json, json!([]));

    let set =
        async |form: Value| teacher.put(&course.path("/pages/leaves-seeds")).json(json!({ "wiki_page": form })).await;
    assert_eq!(set(json!({ "published": true })).await.is(200)["url"], "leaves-seeds");
    student.get(&course.path("/pages/leaves-seeds")).await.is(200);
    let listed = student.get(&course.path("/pages")).await.is(200);
    assert_eq!(listed.json.as_array().unwrap().len(), 1);
    assert!(listed.json[0].get("body").is_none());
    let listed = student.get(&course.path("/pages?include[]=body")).await.is(200);
    assert_eq!(listed.json[0]["body"], "<p>a</p>");
    set(json!({ "title": "" })).await.is_refused(400, "blank");
    set(json!({ "editing_roles": "dogs" })).await.is_refused(400, "editing_roles");
    assert_eq!(set(json!({ "title": "Roots" })).await.is(200)["url"], "roots");
    teacher.put(&course.path("/pages/a-new-one")).json(json!({ "wiki_page": { "body": "x" } })).await.is(200);
    assert_eq!(teacher.get(&course.path("/pages/a-new-one")).await.is(200)["title"], "a new one");
    make_page(&student, &course, json!({ "title": "x" })).await.is_forbidden();
    teacher.post(&course.path("/pages")).json(json!({})).await.is_refused(400, "wiki_page is missing");
    teacher.delete(&course.path("/pages/roots")).await.is(200);
    teacher.get(&course.path("/pages/roots")).await.is_not_found();
}

#[tokio::test]
async fn a_course_has_one_front_page() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    teacher.get(&course.path("/front_page")).await.is_not_found();
    make_page(&teacher, &course, json!({ "title": "One", "front_page": true })).await.is(200);
    let unpublished = json!({ "title": "x", "front_page": true, "published": false });
    make_page(&teacher, &course, unpublished).await.is_refused(400, "published");
    assert_eq!(student.get(&course.path("/front_page")).await.is(200)["title"], "One");
    make_page(&teacher, &course, json!({ "title": "Two", "front_page": true, "published": true })).await.is(200);
    assert_eq!(teacher.get(&course.path("/pages/one")).await.is(200)["front_page"], false);
    let changed = json!({ "wiki_page": { "body": "<p>hi</p>" } });
    assert_eq!(teacher.put(&course.path("/front_page")).json(changed).await.is(200)["title"], "Two");
    teacher.delete(&course.path("/pages/two")).await.is_refused(400, "front page");
}

#[tokio::test]
async fn a_copy_of_a_course_has_its_files() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let admin = &school.admin;
    let leaf = json!({ "name": "leaf.txt", "parent_folder_path": "a/b" });
    let leaf = upload(admin, &course.path("/files"), leaf, b"green").await;
    admin.put(&format!("/api/v1/folders/{}", leaf["folder_id"])).json(json!({ "locked": true })).await.is(200);
    let old = format!("/courses/{}/files/{}/preview", course.id, leaf.id());
    let page = json!({ "title": "Leaves", "body": format!("<p><img src=\"{old}\"></p>") });
    make_page(admin, &course, page).await.is(200);
    let copy = school.course("Botany again").await;
    upload(admin, &copy.path("/files"), json!({ "name": "own.txt", "parent_folder_path": "a" }), b"own").await;
    for _ in 0..2 {
        let form = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": course.id } });
        admin.post(&copy.path("/content_migrations")).json(form).await.is(200);
        let files = admin.get(&copy.path("/files")).await.is(200);
        assert_eq!(names(&files), ["leaf.txt", "own.txt"]);
    }
    let files = admin.get(&copy.path("/files")).await.is(200);
    assert_eq!(download(admin, &files.json[0]).await.is(200).body, "green");
    let folder = admin.get(&format!("/api/v1/folders/{}", files.json[0]["folder_id"])).await.is(200);
    assert_eq!((&folder["full_name"], &folder["locked"]), (&json!("course files/a/b"), &json!(true)));
    let page = admin.get(&copy.path("/pages/leaves")).await.is(200);
    let new = format!("/courses/{}/files/{}/preview", copy.id, files.ids()[0]);
    assert!(page["body"].as_str().unwrap().contains(&new), "{page}");
    admin.delete(&file_path(&leaf)).await.is(200);
    assert_eq!(download(admin, &files.json[0]).await.is(200).body, "green");
}

#[tokio::test]
async fn folders_of_users_and_groups_take_folders_and_files() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Mosses" })).await.is(200).id();
    for (owner, place) in
        [(&teacher, format!("/api/v1/groups/{group}")), (&student, format!("/api/v1/users/{}", student.id))]
    {
        let root = owner.get(&format!("{place}/folders/root")).await.is(200).id();
        let below = json!({ "name": "leaves" });
        let leaves = owner.post(&format!("/api/v1/folders/{root}/folders")).json(&below).await.is(200);
        assert_eq!(leaves["parent_folder_id"], root);
        let one = format!("{place}/folders/{}", leaves.id());
        assert_eq!(owner.get(&one).await.is(200)["full_name"], leaves["full_name"]);
        let files = format!("/api/v1/folders/{}/files", leaves.id());
        let file = upload(owner, &files, json!({ "name": "oak.txt" }), b"lobed").await;
        assert_eq!((&file["folder_id"], owner.get(&files).await.is(200).ids()), (&json!(leaves.id()), vec![file.id()]));

        let stranger = school.person("stranger").await;
        stranger.get(&one).await.is_forbidden();
        stranger.post(&format!("/api/v1/folders/{root}/folders")).json(&below).await.is_forbidden();
        stranger.post(&files).json(json!({ "name": "birch.txt" })).await.is_forbidden();
        owner.get(&format!("{place}/folders/0")).await.is_not_found();
    }
}

#[tokio::test]
async fn a_long_name_that_is_taken_gives_no_longer_one() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    for name in [format!("{}.txt", "n".repeat(251)), "n".repeat(255), format!("n.{}", "m".repeat(253))] {
        upload(&teacher, &files, json!({ "name": name }), b"1").await;
        let again = upload(&teacher, &files, json!({ "name": name, "on_duplicate": "rename" }), b"2").await;
        let given = again["display_name"].as_str().unwrap();
        assert!(given != name && given.chars().count() <= 255, "{given}");
        assert_eq!(given.ends_with(".txt"), name.ends_with(".txt"));
        teacher.put(&file_path(&again)).json(json!({ "name": given })).await.is(200);
    }
}

#[tokio::test]
async fn what_is_refused_leaves_no_folders_of_its_path() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let (files, folders) = (course.path("/files"), course.path("/folders"));
    let root = teacher.get(&course.path("/folders/root")).await.is(200).id();
    for (list, body) in [
        (&folders, json!({ "parent_folder_path": "a/b" })),
        (&folders, json!({ "parent_folder_path": "a/b", "name": "c/d" })),
        (&files, json!({ "parent_folder_path": "a/b" })),
        (&files, json!({ "parent_folder_path": "a/b", "name": "leaf", "size": 10_000_000_000_000_i64 })),
        (&files, json!({ "parent_folder_path": "a/b", "name": "leaf", "url": "https://plants.example/leaf" })),
    ] {
        teacher.post(list).json(body).await.is(400);
    }
    assert_eq!(teacher.get(&folders).await.is(200).ids(), [root]);
    let made = teacher.post(&folders).json(json!({ "parent_folder_path": "a/b", "name": "c" })).await.is(200);
    assert!(made["full_name"].as_str().unwrap().ends_with("/a/b/c"), "{made}");
}

#[tokio::test]
async fn students_list_folders_that_are_open_to_them() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let folders = course.path("/folders");
    let make = async |form: Value| teacher.post(&folders).json(form).await.is(200);
    let leaves = make(json!({ "name": "leaves", "position": 1 })).await;
    let oak = make(json!({ "name": "oak", "parent_folder_id": leaves.id(), "position": 2 })).await;
    let hidden = make(json!({ "name": "hidden", "hidden": true, "position": 3 })).await;
    let below = make(json!({ "name": "below", "parent_folder_id": hidden.id(), "position": 4 })).await;
    let root = teacher.get(&course.path("/folders/root")).await.is(200).id();
    let listed = async |client: &Client, path: &str| client.get(path).await.is(200).ids();
    assert_eq!(listed(&teacher, &folders).await, [root, leaves.id(), oak.id(), hidden.id(), below.id()]);
    assert_eq!(listed(&student, &folders).await, [root, leaves.id(), oak.id()]);
    assert_eq!(listed(&student, &format!("/api/v1/folders/{root}/folders")).await, [leaves.id()]);
    let second = student.get(&format!("{folders}?per_page=2&page=2")).await.is(200);
    assert_eq!((second.ids(), &second.json[0]["full_name"]), (vec![oak.id()], &json!("course files/leaves/oak")));
    let full = student.get(&format!("{folders}?per_page=1")).await.is(200);
    assert!(full.header("link").unwrap().contains("page=3&per_page=1>; rel=\"last\""), "{:?}", full.headers);
}

#[tokio::test]
async fn an_owner_has_five_thousand_folders_at_most() {
    let school = School::start().await;
    let student = school.person("student").await;
    let folders = "/api/v1/users/self/folders";
    let root = student.get(&format!("{folders}/root")).await.is(200).id();
    let many = format!(
        "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name, created_at, updated_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4998)
         SELECT root_account_id, context_type, context_id, id, 'folder ' || n, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
         FROM n CROSS JOIN folders WHERE folders.id = {root};
         UPDATE folders SET created_at = '2026-01-01T00:00:00Z' WHERE id = {root}"
    );
    if !running().change_database(&many) {
        return;
    }
    let make = async |form: Value| student.post(folders).json(form).await;
    let last = make(json!({ "name": "last" })).await.is(200);
    make(json!({ "name": "one more" })).await.is_refused(400, "more than 5000 folders");
    let in_last = format!("/api/v1/folders/{}/folders", last.id());
    student.post(&in_last).json(json!({ "name": "one more" })).await.is_refused(400, "more than 5000 folders");
    let announce = async |path: &str| {
        student.post("/api/v1/users/self/files").json(json!({ "name": "a", "parent_folder_path": path })).await
    };
    announce("last/one/more").await.is_refused(400, "more than 5000 folders");
    assert!(student.get(&in_last).await.is(200).ids().is_empty(), "none of a path is made where not all are");
    announce("last").await.is(200);
    student.delete(&format!("/api/v1/folders/{}", last.id())).await.is(200);
    announce("other").await.is(200);
}
