//! Exports of courses, groups and users: who may make and see them, what is in the packages, and that each of them ends.

mod states;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, DEVELOPMENT, Response, School, admin_of, running};

use crate::files::upload;

/// A package that was downloaded.
pub(crate) struct Package {
    pub(crate) bytes: Vec<u8>,
    names: Vec<String>,
}

impl Package {
    fn new(bytes: Vec<u8>) -> Self {
        let archive = zip::ZipArchive::new(Cursor::new(&bytes)).expect("a zip archive");
        let names = archive.file_names().map(|name| name.expect("a name").into_owned()).collect();
        Self { names, bytes }
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let mut archive = zip::ZipArchive::new(Cursor::new(&self.bytes)).unwrap();
        let mut bytes = Vec::new();
        let mut file = archive.by_name(name).unwrap_or_else(|_| panic!("{name} is not among {:?}", self.names));
        file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    /// The names of files, without folders.
    pub(crate) fn files(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).filter(|name| !name.ends_with('/')).collect()
    }

    fn has(&self, part: &str) -> bool {
        self.names.iter().any(|name| name.contains(part))
    }

    /// The values of an attribute, in the order of the manifest.
    fn declared(&self, element: &str, attribute: &str) -> Vec<String> {
        let manifest = self.text("imsmanifest.xml");
        let tags = manifest.split('<').filter(|tag| tag.split([' ', '>', '/', '\n']).next() == Some(element));
        let key = format!(" {attribute}=\"");
        tags.filter_map(|tag| Some(tag.split_once(&key)?.1.split_once('"')?.0.to_owned())).collect()
    }

    /// Checks every package with a manifest: each identifier is one thing's, each file is declared and there, and
    /// what is referred to is there.
    fn is_sound(&self) {
        let declared: Vec<_> = self.declared("file", "href").iter().map(|path| decoded(path)).collect();
        let there: BTreeSet<_> = self.files().into_iter().filter(|name| *name != "imsmanifest.xml").collect();
        assert_eq!(declared.iter().map(String::as_str).collect::<BTreeSet<_>>(), there);
        assert!(
            there.iter().all(|name| !name.starts_with('/') && !name.split('/').any(|part| part == "..")),
            "{there:?}"
        );
        let identifiers = ["manifest", "organization", "item", "resource"];
        let identifiers: Vec<_> = identifiers.iter().flat_map(|element| self.declared(element, "identifier")).collect();
        assert_eq!(identifiers.iter().collect::<BTreeSet<_>>().len(), identifiers.len(), "{identifiers:?}");
        let resources: BTreeSet<_> = self.declared("resource", "identifier").into_iter().collect();
        for reference in ["item", "dependency"].iter().flat_map(|element| self.declared(element, "identifierref")) {
            assert!(resources.contains(&reference), "{reference} is no resource");
        }
    }
}

/// A reference as a path.
fn decoded(reference: &str) -> String {
    let reference = reference.replace("&amp;", "&");
    let mut bytes = Vec::new();
    let mut rest = reference.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Waits for the end of work.
pub(crate) async fn ended(client: &Client, progress: &Value) -> Response {
    for _ in 0..600 {
        let answer = client.get(progress.as_str().expect("an address")).await.is(200);
        if matches!(answer["workflow_state"].as_str(), Some("completed" | "failed")) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{progress} does not end");
}

/// An export that has ended well.
pub(crate) async fn exported(client: &Client, owner: &str, form: Value) -> Response {
    let list = format!("{owner}/content_exports");
    let export = client.post(&list).json(form).await.is(200);
    assert!(export.json.get("attachment").is_none(), "{export}");
    let progress = ended(client, &export["progress_url"]).await;
    assert_eq!((&progress["workflow_state"], &progress["completion"]), (&json!("completed"), &json!(100.0)));
    let export = client.get(&format!("{list}/{}", export.id())).await.is(200);
    assert_eq!(export["workflow_state"], "exported");
    export
}

async fn downloaded(export: &Response) -> Package {
    let url = export["attachment"]["url"].as_str().unwrap_or_else(|| panic!("no package: {export}"));
    let answer = reqwest::get(url).await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    let bytes = answer.bytes().await.unwrap().to_vec();
    assert_eq!(export["attachment"]["size"], bytes.len());
    Package::new(bytes)
}

pub(crate) async fn package(client: &Client, course: &Course, form: Value) -> Package {
    downloaded(&exported(client, &course.path(""), form).await).await
}

pub(crate) async fn make(client: &Client, path: &str, body: Value) -> Response {
    let answer = client.post(path).json(body).await;
    assert!(answer.status < 300, "{answer}");
    answer
}

/// A classic quiz with a question of each type, some of them in a group.
pub(crate) async fn classic_quiz(teacher: &Client, course: &Course, title: &str) -> i64 {
    let quiz = json!({ "quiz": { "title": title, "description": "<p>Look closely.</p>", "time_limit": 20 } });
    let quiz = make(teacher, &course.path("/quizzes"), quiz).await.id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    let group = json!({ "quiz_groups": [{ "name": "Some", "pick_count": 1, "question_points": 2 }] });
    let group = make(teacher, &format!("{path}/groups"), group).await["quiz_groups"][0]["id"].clone();
    let right = |text: &str| json!({ "answer_text": text, "answer_weight": 100 });
    let wrong = |text: &str| json!({ "answer_text": text, "answer_weight": 0 });
    let blank = |name: &str, text: &str| json!({ "answer_text": text, "blank_id": name, "answer_weight": 100 });
    let pair = |left: &str, right: &str| json!({ "answer_match_left": left, "answer_match_right": right });
    let numbers = json!([{ "numerical_answer_type": "exact_answer", "answer_exact": 42, "answer_error_margin": 1 }]);
    let questions = [
        ("multiple_choice_question", "<p>Which tree?</p>", json!([right("oak"), wrong("cow")])),
        ("true_false_question", "<p>Leaves are green.</p>", json!([right("True"), wrong("False")])),
        ("multiple_answers_question", "<p>Which trees?</p>", json!([right("oak"), right("elm"), wrong("cow")])),
        ("short_answer_question", "<p>Say oak.</p>", json!([right("oak"), right("Oak")])),
        ("essay_question", "<p>Tell about leaves.</p>", json!([])),
        ("file_upload_question", "<p>Draw a leaf.</p>", json!([])),
        ("text_only_question", "<p>Now think.</p>", json!([])),
        ("numerical_question", "<p>How many?</p>", numbers),
        ("matching_question", "<p>Match.</p>", json!([pair("oak", "acorn"), pair("pine", "cone")])),
        ("fill_in_multiple_blanks_question", "<p>[a] and [b]</p>", json!([blank("a", "one"), blank("b", "two")])),
        ("multiple_dropdowns_question", "<p>[a]</p>", json!([blank("a", "one")])),
    ];
    for (number, (kind, text, answers)) in questions.into_iter().enumerate() {
        let group = if number < 2 { group.clone() } else { Value::Null };
        let question = json!({ "question": {
            "question_name": format!("Question {number}"), "question_type": kind, "question_text": text,
            "points_possible": 2, "answers": answers, "quiz_group_id": group,
        } });
        make(teacher, &format!("{path}/questions"), question).await;
    }
    quiz
}

/// A new quiz with some items.
pub(crate) async fn new_quiz(teacher: &Client, course: &Course, title: &str) -> i64 {
    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let quiz = make(teacher, &format!("{engine}/quizzes"), json!({ "quiz": { "title": title } })).await.id();
    let item = json!({ "item": { "entry_type": "Item", "points_possible": 4, "entry": {
        "title": "Seeds", "item_body": "<p>Do seeds sleep?</p>", "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
        "scoring_data": { "value": true }, "scoring_algorithm": "Equivalence",
    } } });
    make(teacher, &format!("{engine}/quizzes/{quiz}/items"), item).await;
    quiz
}

/// A course with some of everything.
struct Botany {
    course: Course,
    teacher: Client,
    leaf: Response,
    page: i64,
    quiz: i64,
    new_quiz: i64,
}

impl Botany {
    async fn new() -> Self {
        let school = School::start().await;
        let (course, teacher, _) = school.classroom("Botany I").await;
        let files = course.path("/files");
        let leaf = json!({ "name": "leaf.png", "parent_folder_path": "img" });
        let leaf = upload(&teacher, &files, leaf, &[7; 300_000]).await;
        upload(&teacher, &files, json!({ "name": "notes & more.txt" }), b"notes").await;
        let body = format!("<p><img src=\"/courses/{}/files/{}/preview\"></p>", course.id, leaf.id());
        let page = json!({ "wiki_page": { "title": "Leaves", "body": body, "published": true } });
        let page = make(&teacher, &course.path("/pages"), page).await["page_id"].as_i64().unwrap();
        let essay = json!({ "assignment": {
            "name": "Essay", "description": "<p>Write.</p>", "points_possible": 10,
            "submission_types": ["online_text_entry"], "published": true,
        } });
        make(&teacher, &course.path("/assignments"), essay).await;
        let quiz = classic_quiz(&teacher, &course, "Trees").await;
        let new_quiz = new_quiz(&teacher, &course, "Seeds").await;
        Self { course, teacher, leaf, page, quiz, new_quiz }
    }

    async fn package(&self, form: Value) -> Package {
        package(&self.teacher, &self.course, form).await
    }
}

#[tokio::test]
async fn an_export_is_answered_at_once_and_has_a_package_later() {
    let botany = Botany::new().await;
    let (course, teacher) = (&botany.course, &botany.teacher);
    let created = teacher.post(&course.path("/content_exports")).form(&[("export_type", "common_cartridge")]).await;
    let created = created.is(200);
    assert_eq!(created["workflow_state"], "created");
    assert_eq!((&created["user_id"], &created["course_id"]), (&json!(teacher.id), &json!(course.id)));
    assert_eq!(created["export_type"], "common_cartridge");
    let progress = ended(teacher, &created["progress_url"]).await;
    assert_eq!(progress["context_type"], "ContentExport");
    assert_eq!((&progress["context_id"], &progress["tag"]), (&created["id"], &json!("content_export")));
    assert_eq!((&progress["workflow_state"], &progress["message"]), (&json!("completed"), &Value::Null));
    let export = teacher.get(&course.path(&format!("/content_exports/{}", created.id()))).await.is(200);
    let file = &export["attachment"];
    assert_eq!(file["display_name"], "botany-i-export.imscc");
    assert_eq!((&file["folder_id"], &file["upload_status"]), (&Value::Null, &json!("success")));
    assert!(file["url"].as_str().unwrap().contains("/download?download_frd=1&verifier="));
    downloaded(&export).await.is_sound();
    let newer = exported(teacher, &course.path(""), json!({ "export_type": "qti" })).await;
    assert_eq!(newer["attachment"]["display_name"], "botany-i-quiz-export.zip");
    let list = teacher.get(&course.path("/content_exports")).await.is(200);
    assert_eq!(list.ids(), [newer.id(), created.id()]);
    let page = teacher.get(&course.path("/content_exports?per_page=1")).await.is(200);
    assert_eq!(page.ids(), [newer.id()]);
    assert_eq!(teacher.get(&page.link("next").unwrap()).await.is(200).ids(), [created.id()]);
}

#[tokio::test]
async fn what_cannot_be_exported_is_refused_in_words() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let start = async |client: &Client, form: Value| client.post(&course.path("/content_exports")).json(form).await;
    for form in [json!({}), json!({ "export_type": "pdf" }), json!({ "export_type": ["zip"] })] {
        assert_eq!(start(&teacher, form).await.is(400).json, json!({ "message": "invalid export_type" }));
    }
    // The request is looked at before the right to it.
    assert_eq!(start(&student, json!({ "export_type": "pdf" })).await.status, 400);
    let user = teacher.post("/api/v1/users/self/content_exports").json(json!({ "export_type": "qti" })).await;
    assert_eq!(user.is(400).json, json!({ "message": "invalid export_type" }));
    let version = json!({ "export_type": "common_cartridge", "version": "2.0" });
    start(&teacher, version).await.is_refused(400, "version must be 1.3 or 1.1");
    let version = json!({ "export_type": "qti", "qti_version": "3" });
    start(&teacher, version).await.is_refused(400, "qti_version must be 2.1 or 1.2");
    let silence = json!({ "export_type": "zip", "skip_notifications": "maybe" });
    start(&teacher, silence).await.is_refused(400, "skip_notifications must be true or false");
    for select in [json!("x"), json!(5), json!([1])] {
        let select = json!({ "export_type": "zip", "select": select });
        assert_eq!(start(&teacher, select).await.is(400).json, json!({ "message": "select must be a hash" }));
    }
    let select = json!({ "export_type": "zip", "select": { "all_files": "maybe" } });
    start(&teacher, select).await.is_refused(400, "select[all_files] must be true or false");
}

#[tokio::test]
async fn each_role_exports_and_sees_what_is_its_own() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let start = async |client: &Client, kind: &str| {
        client.post(&course.path("/content_exports")).json(json!({ "export_type": kind })).await
    };
    let show = async |client: &Client, id: i64| client.get(&course.path(&format!("/content_exports/{id}"))).await;
    start(&student, "common_cartridge").await.is_forbidden();
    start(&student, "qti").await.is_forbidden();
    let of_student = start(&student, "zip").await.is(200);
    let cartridge = start(&teacher, "common_cartridge").await.is(200);
    let of_teacher = start(&teacher, "zip").await.is(200);
    for role in ["TaEnrollment", "DesignerEnrollment"] {
        let member = course.member(&school, role).await;
        show(&member, cartridge.id()).await.is(200);
        show(&member, of_teacher.id()).await.is_forbidden();
        start(&member, "qti").await.is(200);
    }
    let observer = course.member(&school, "ObserverEnrollment").await;
    start(&observer, "qti").await.is_forbidden();
    start(&observer, "zip").await.is(200);

    show(&student, of_student.id()).await.is(200);
    show(&student, cartridge.id()).await.is_forbidden();
    show(&teacher, of_student.id()).await.is_forbidden();
    show(&school.admin, cartridge.id()).await.is(200);
    let progress = cartridge["progress_url"].as_str().unwrap();
    student.get(progress).await.is_forbidden();
    school.admin.get(progress).await.is(200);
    assert_eq!(student.get(&course.path("/content_exports")).await.is(200).ids(), [of_student.id()]);
    let seen = teacher.get(&course.path("/content_exports?per_page=100")).await.is(200).ids();
    assert!(seen.contains(&cartridge.id()) && seen.contains(&of_teacher.id()) && !seen.contains(&of_student.id()));

    let stranger = school.person("stranger").await;
    start(&stranger, "zip").await.is_forbidden();
    stranger.get(&course.path("/content_exports")).await.is_forbidden();
    let foreigner = School::start().await.admin;
    start(&foreigner, "zip").await.is_not_found();
    foreigner.get(progress).await.is_not_found();
    show(&teacher, 1_000_000_000).await.is_not_found();
    let elsewhere = school.course("Zoology").await;
    let path = elsewhere.path(&format!("/content_exports/{}", cartridge.id()));
    school.admin.get(&path).await.is_not_found();
}

#[tokio::test]
async fn groups_and_users_export_their_files() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    upload(&student, "/api/v1/users/self/files", json!({ "name": "mine.txt" }), b"mine").await;
    let export = exported(&student, "/api/v1/users/self", json!({ "export_type": "zip" })).await;
    assert!(export.json.get("course_id").is_none());
    assert_eq!(downloaded(&export).await.text("mine.txt"), "mine");
    let path = format!("/api/v1/users/{}/content_exports", student.id);
    teacher.get(&path).await.is_forbidden();
    teacher.post(&path).json(json!({ "export_type": "zip" })).await.is_forbidden();
    school.admin.get(&format!("{path}/{}", export.id())).await.is_forbidden();

    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    let owner = format!("/api/v1/groups/{group}");
    student.post(&format!("{owner}/content_exports")).json(json!({ "export_type": "zip" })).await.is_forbidden();
    let membership = json!({ "user_id": student.id });
    teacher.post(&format!("{owner}/memberships")).json(membership).await.is(200);
    upload(&student, &format!("{owner}/files"), json!({ "name": "ours.txt" }), b"ours").await;
    let export = exported(&student, &owner, json!({ "export_type": "zip" })).await;
    assert_eq!(downloaded(&export).await.files(), ["ours.txt"]);
    teacher.get(&format!("{owner}/content_exports/{}", export.id())).await.is_forbidden();
    assert_eq!(teacher.get(&format!("{owner}/content_exports")).await.is(200).json, json!([]));
}

#[tokio::test]
async fn a_zip_archive_has_the_files_that_its_maker_sees() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let files = course.path("/files");
    upload(&teacher, &files, json!({ "name": "open.txt" }), b"open").await;
    let hidden = upload(&teacher, &files, json!({ "name": "hidden.txt" }), b"hidden").await;
    teacher.put(&format!("/api/v1/files/{}", hidden.id())).json(json!({ "hidden": true })).await.is(200);
    let deep = upload(&teacher, &files, json!({ "name": "deep.txt", "parent_folder_path": "a/b" }), b"deep").await;
    let closed = json!({ "name": "closed", "locked": true });
    let closed = teacher.post(&course.path("/folders")).json(closed).await.is(200).id();
    let key = json!({ "name": "key.txt", "parent_folder_id": closed });
    upload(&teacher, &files, key, b"key").await;
    teacher.post(&course.path("/folders")).json(json!({ "name": "empty" })).await.is(200);

    let zip = async |client: &Client, select: Value| {
        let form = json!({ "export_type": "zip", "select": select });
        let package = package(client, &course, form).await;
        package.names.iter().cloned().collect::<BTreeSet<_>>()
    };
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let all = ["a/", "a/b/", "a/b/deep.txt", "closed/", "closed/key.txt", "empty/", "hidden.txt", "open.txt"];
    assert_eq!(zip(&teacher, Value::Null).await, set(&all));
    assert_eq!(zip(&student, Value::Null).await, set(&["a/", "a/b/", "a/b/deep.txt", "empty/", "open.txt"]));
    let folder = deep["folder_id"].clone();
    assert_eq!(zip(&teacher, json!({ "folders": [folder] })).await, set(&["a/b/", "a/b/deep.txt"]));
    assert_eq!(zip(&teacher, json!({ "files": [hidden.id()] })).await, set(&["hidden.txt"]));
    let named = json!({ "attachments": { format!("attachment_{}", deep.id()): "1" } });
    assert_eq!(zip(&teacher, named).await, set(&["a/b/deep.txt"]));
    assert_eq!(zip(&teacher, json!({ "all_files": "1" })).await.len(), 4);
    assert_eq!(zip(&teacher, json!({ "pages": [1] })).await, set(&[]));
    assert_eq!(zip(&student, json!({ "files": [hidden.id()] })).await, set(&[]));
}

#[tokio::test]
async fn a_cartridge_has_what_is_in_the_course() {
    let botany = Botany::new().await;
    for version in ["1.3", "1.1"] {
        let package = botany.package(json!({ "export_type": "common_cartridge", "version": version })).await;
        package.is_sound();
        assert!(package.text("imsmanifest.xml").contains(&format!("<schemaversion>{version}.0</schemaversion>")));
        assert_eq!(package.read("web_resources/img/leaf.png").len(), 300_000);
        assert_eq!(package.text("web_resources/notes & more.txt"), "notes");
        let page = package.text("wiki_content/leaves.html");
        assert!(page.contains("$IMS-CC-FILEBASE$/img/leaf.png"), "{page}");
        assert!(package.has("assignment"));
        assert!(package.has(&format!("quiz-{}/assessment_qti.xml", botany.quiz)));
        assert!(package.has(&format!("new-quiz-{}/", botany.new_quiz)));
    }
}

#[tokio::test]
async fn the_same_content_gives_the_same_bytes() {
    let botany = Botany::new().await;
    for form in [json!({ "export_type": "common_cartridge" }), json!({ "export_type": "qti" })] {
        assert!(botany.package(form.clone()).await.bytes == botany.package(form).await.bytes);
    }
}

#[tokio::test]
async fn a_cartridge_has_what_was_chosen_and_what_that_refers_to() {
    let botany = Botany::new().await;
    let chosen = async |select: Value| {
        let package = botany.package(json!({ "export_type": "common_cartridge", "select": select })).await;
        package.is_sound();
        package
    };
    let page = chosen(json!({ "pages": [botany.page] })).await;
    let files: BTreeSet<_> = page.files().into_iter().collect();
    assert_eq!(files, BTreeSet::from(["imsmanifest.xml", "web_resources/img/leaf.png", "wiki_content/leaves.html"]));
    let file = chosen(json!({ "attachments": [botany.leaf.id()] })).await;
    assert_eq!(file.files().len(), 2);
    let quiz = chosen(json!({ "quizzes": [botany.quiz] })).await;
    assert!(quiz.has("assessment_qti.xml") && !quiz.has("wiki_content"));
    let new_quiz = chosen(json!({ "assignments": [botany.new_quiz] })).await;
    assert!(new_quiz.has(&format!("new-quiz-{}", botany.new_quiz)));
    assert_eq!(chosen(json!({ "assignments": [] })).await.files(), ["imsmanifest.xml"]);
    assert_eq!(chosen(json!({ "modules": [] })).await.files(), ["imsmanifest.xml"]);
    let absent = chosen(json!({ "modules": [1], "all_rubrics": "1", "pages": [botany.page] })).await;
    let report = absent.text("export-report.txt");
    for name in ["modules", "rubrics"] {
        assert!(report.contains(&format!("{name}: There is no content of this type here")), "{report}");
    }
    for name in ["nonsense", "all_nonsense"] {
        let form = json!({ "export_type": "common_cartridge", "select": { name: [1], "pages": [botany.page] } });
        let refused = botany.teacher.post(&botany.course.path("/content_exports")).json(form).await.is(400);
        assert_eq!(refused["message"], format!("select[{name}] is no type of content"));
    }
}

#[tokio::test]
async fn quizzes_are_exported_in_either_version_of_qti() {
    let botany = Botany::new().await;
    for version in ["2.1", "1.2"] {
        let package = botany.package(json!({ "export_type": "qti", "qti_version": version })).await;
        package.is_sound();
        assert!(!package.has("wiki_content") && !package.has("web_resources/img"), "{:?}", package.names);
        let all: String = package.files().iter().map(|name| package.text(name)).collect();
        for text in ["Which tree?", "Leaves are green.", "Tell about leaves.", "acorn", "Do seeds sleep?"] {
            assert!(all.contains(text), "{version}: {text}");
        }
    }
    let one = botany.package(json!({ "export_type": "qti", "select": { "quizzes": [botany.new_quiz] } })).await;
    assert!(one.has("new-quiz") || one.files().iter().any(|name| one.text(name).contains("Do seeds sleep?")));
}

#[tokio::test]
async fn video_sound_and_frames_of_questions_are_exported_or_told_of() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let film = upload(&teacher, &course.path("/files"), json!({ "name": "moss.webm" }), b"film").await;
    let own = format!("/courses/{}/files/{}/download", course.id, film.id());
    let text = format!(
        "<p>Look <video controls src=\"{own}\"></video> <audio src=\"https://sounds.example/wind.mp3\"></audio></p>\
         <p><iframe src=\"https://frames.example/moss\"></iframe></p>\
         <pre><iframe src=\"https://frames.example/fern\"></iframe></pre>"
    );
    let quiz = make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Moss" } })).await.id();
    let question = json!({ "question": {
        "question_name": "Damp", "question_type": "essay_question", "question_text": text, "points_possible": 1,
    } });
    make(&teacher, &course.path(&format!("/quizzes/{quiz}/questions")), question).await;
    for (version, kept) in [
        ("2.1", ["type=\"video/webm\"", "type=\"audio/mpeg\"", "data=\"https://frames.example/moss\""]),
        ("1.2", ["&lt;video", "&lt;audio", "https://frames.example/fern"]),
    ] {
        let package = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": version })).await;
        package.is_sound();
        assert!(package.has("web_resources/moss.webm"), "{version}: {:?}", package.names);
        let all: String =
            package.files().iter().filter(|name| name.ends_with(".xml")).map(|name| package.text(name)).collect();
        for text in kept {
            assert!(all.contains(text), "{version}: {text}");
        }
        let is_told = package.has("export-report.txt");
        assert_eq!(is_told, version == "2.1", "{:?}", package.names);
        if is_told {
            let report = package.text("export-report.txt");
            assert!(report.contains("Damp: images, video, sound or frames"), "{report}");
        }
    }
}

/// The public schemas, if they are there, and a catalog by which they find each other.
struct Schemas {
    folder: PathBuf,
    temporary: tempfile::TempDir,
}

impl Schemas {
    /// The folder is that of the variable, or lies beside the repository. Where neither is there, nothing is validated,
    /// which continuous integration may not pass over.
    fn find() -> Option<Self> {
        let beside = || xtask::root().join("../shared/xsd");
        let folder = std::env::var_os("LECTERN_XSD").map_or_else(beside, PathBuf::from);
        let has_lint = Command::new("xmllint").arg("--version").output().is_ok();
        let Some(folder) = folder.canonicalize().ok().filter(|_| has_lint) else {
            let missing = format!("there are no schemas in {} (LECTERN_XSD), or there is no xmllint", folder.display());
            assert!(!xtask::is_ci(), "packages are not validated: {missing}");
            eprintln!("skipped: packages are not validated: {missing}");
            return None;
        };
        let temporary = tempfile::tempdir().unwrap();
        std::fs::write(temporary.path().join("catalog.xml"), catalog(&folder)).unwrap();
        Some(Self { folder, temporary })
    }

    fn take(&self, schema: &str, package: &Package, name: &str) {
        let file = self.temporary.path().join("file.xml");
        std::fs::write(&file, package.read(name)).unwrap();
        let mut lint = Command::new("xmllint");
        lint.env("XML_CATALOG_FILES", self.temporary.path().join("catalog.xml"));
        lint.args(["--noout", "--nonet", "--schema"]).arg(self.folder.join(schema)).arg(&file);
        let output = lint.output().expect("xmllint runs: it comes with libxml2-utils");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Says of each address by which a schema names another where that lies here: it has the same name, or nearly.
fn catalog(folder: &Path) -> String {
    let mut known = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => drop(known.insert(path.file_name().unwrap().to_string_lossy().into_owned(), path)),
            }
        }
    }
    let mut entries = String::new();
    for path in known.values().filter(|path| path.extension().is_some_and(|suffix| suffix == "xsd")) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        for named in text.split("schemaLocation=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let address = if named.starts_with("http") { named.to_owned() } else { beside(path, named) };
            let name = address.rsplit('/').next().unwrap_or_default();
            let Some(there) = known.get(name).or_else(|| known.get(&name.replace("v2p1p1", "v2p1"))) else { continue };
            let there = there.display();
            entries += &format!("<uri name=\"{address}\" uri=\"file://{there}\"/>");
            entries += &format!("<system systemId=\"{address}\" uri=\"file://{there}\"/>");
        }
    }
    format!("<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\">{entries}</catalog>")
}

fn beside(path: &Path, named: &str) -> String {
    path.with_file_name(named).display().to_string()
}

#[tokio::test]
async fn every_package_passes_the_public_schemas() {
    const PROFILE: &str = "cc11/ccv1p1_qtiasiv1p2p1_v1p0.xsd";
    const ITEM: &str = "qtiv2p1p2/imsqti_v2p1p2.xsd";
    let Some(schemas) = Schemas::find() else { return };
    let botany = Botany::new().await;
    make(&botany.teacher, &botany.course.path("/quizzes"), json!({ "quiz": { "title": "Empty" } })).await;
    let leaf = format!("/api/v1/files/{}", botany.leaf.id());
    botany.teacher.put(&leaf).json(json!({ "hidden": true })).await.is(200);
    let mut packages = Vec::new();
    for (form, manifest) in [
        (json!({ "export_type": "common_cartridge", "version": "1.3" }), "cc13/ccv1p3_imscp_v1p2_v1p0.xsd"),
        (json!({ "export_type": "common_cartridge", "version": "1.1" }), "cc11/ccv1p1_imscp_v1p2_v1p0.xsd"),
        (json!({ "export_type": "qti", "qti_version": "2.1" }), "qtiv2p1p2/qtiv2p1_imscpv1p2_v1p0.xsd"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "cp/imscp_v1p1.xsd"),
    ] {
        packages.push((botany.package(form).await, manifest));
    }
    for (package, manifest) in packages {
        schemas.take(manifest, &package, "imsmanifest.xml");
        for name in package.files() {
            match name {
                name if name.ends_with("/assessment_qti.xml") => schemas.take(PROFILE, &package, name),
                name if name.starts_with("items/") || name.starts_with("tests/") => schemas.take(ITEM, &package, name),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn whoever_asked_is_told_unless_that_is_not_wanted() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let channel = json!({
        "communication_channel": { "type": "email", "address": format!("{}@lms.test", support::unique("t")) },
        "skip_confirmation": true,
    });
    let path = format!("/api/v1/users/{}/communication_channels", teacher.id);
    school.admin.post(&path).json(channel).await.is(200);
    let told = async || {
        let outbox = school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let outbox = outbox.json.as_array().unwrap().clone();
        outbox.iter().filter(|message| message["subject"].as_str().unwrap().contains("export")).count()
    };
    exported(&teacher, &course.path(""), json!({ "export_type": "qti", "skip_notifications": "true" })).await;
    exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    assert_eq!(told().await, 0);
    exported(&teacher, &course.path(""), json!({ "export_type": "qti", "skip_notifications": false })).await;
    assert_eq!(told().await, 1);
}

#[tokio::test]
async fn a_package_is_there_for_a_time() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    let past = format!("UPDATE content_exports SET expires_at = '2020-01-01T00:00:00Z' WHERE id = {}", export.id());
    if !running().change_database(&past) {
        return;
    }
    let path = course.path(&format!("/content_exports/{}", export.id()));
    assert!(teacher.get(&path).await.is(200).json.get("attachment").is_none());
    running().tick(None).await;
    let gone = teacher.get(&path).await.is(200);
    assert_eq!(gone["workflow_state"], "exported");
    assert!(gone.json.get("attachment").is_none());
    let nobody = teacher.without_token();
    nobody.get(export["attachment"]["url"].as_str().unwrap()).await.is_not_found();
}

#[tokio::test]
async fn work_is_cancelled_by_its_user() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    let cancel = format!("{}/cancel", export["progress_url"].as_str().unwrap());
    school.admin.post(&cancel).await.is_forbidden();
    // An export that has ended stays as it is.
    assert_eq!(teacher.post(&cancel).await.is(200)["workflow_state"], "completed");
    let waiting = teacher.post(&course.path("/content_exports")).json(json!({ "export_type": "zip" })).await.is(200);
    let cancel = format!("{}/cancel", waiting["progress_url"].as_str().unwrap());
    let cancelled = teacher.post(&cancel).json(json!({ "message": "enough" })).await.is(200);
    assert!(matches!(cancelled["workflow_state"].as_str(), Some("failed" | "completed")), "{cancelled}");
}

#[tokio::test]
async fn an_export_that_nobody_works_on_is_taken_up_again_and_not_for_ever() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let form = json!({ "export_type": "qti" });
    let crashed = exported(&teacher, &course.path(""), form.clone()).await;
    let hopeless = exported(&teacher, &course.path(""), form).await;
    // As a crash leaves them: one that was begun once, one that was begun too often.
    for (export, attempts) in [(&crashed, 3), (&hopeless, 10)] {
        let id = export.id();
        let sql = format!(
            "UPDATE content_exports SET workflow_state = 'exporting', attachment_id = NULL, lease = 'x',
                 leased_until = '2020-01-01T00:00:00Z', attempts = {attempts} WHERE id = {id};
             UPDATE progresses SET workflow_state = 'running', completion = 10
             WHERE context_type = 'ContentExport' AND context_id = {id};"
        );
        if !running().change_database(&sql) {
            return;
        }
    }
    running().tick(None).await;
    let show = async |export: &Response| {
        let path = course.path(&format!("/content_exports/{}", export.id()));
        (teacher.get(&path).await.is(200), ended(&teacher, &export["progress_url"]).await)
    };
    let (export, progress) = show(&crashed).await;
    assert_eq!((&export["workflow_state"], &progress["workflow_state"]), (&json!("exported"), &json!("completed")));
    downloaded(&export).await.is_sound();
    let (export, progress) = show(&hopeless).await;
    assert_eq!((&export["workflow_state"], &progress["workflow_state"]), (&json!("failed"), &json!("failed")));
    assert!(progress["message"].as_str().unwrap().contains("interrupted"), "{progress}");
    assert!(export.json.get("attachment").is_none());
}

#[tokio::test]
async fn an_export_is_not_given_up_because_the_store_is_away() {
    let site = support::Running::own("store-away", &[]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    upload(&teacher, &course.path("/files"), json!({ "name": "a.txt" }), b"whole").await;
    if !site.change_key_value("ALTER TABLE spin_key_value RENAME TO elsewhere") {
        return;
    }
    let exports = course.path("/content_exports");
    let export = teacher.post(&exports).json(json!({ "export_type": "zip" })).await.is(200).id();
    let postponed =
        format!("SELECT 1 FROM content_exports WHERE id = {export} AND workflow_state = 'exporting' AND attempts = 0");
    let is_postponed = async || site.read_database(&postponed).is_some_and(|rows| !rows.is_empty());
    crate::uploads::until("the first attempt has failed", &is_postponed).await;
    let seconds = |seconds: i64| shared::clock::now().plus_seconds(seconds).to_string();
    for attempt in 1..=5 {
        site.tick(Some(&seconds(attempt * 60))).await;
        assert!(is_postponed().await, "attempt {attempt} counts");
    }
    assert!(site.change_key_value("ALTER TABLE elsewhere RENAME TO spin_key_value"));
    site.tick(Some(&seconds(600))).await;
    let export = teacher.get(&format!("{exports}/{export}")).await.is(200);
    assert_eq!(export["workflow_state"], "exported");
    let package = downloaded(&export).await;
    assert!(package.has("a.txt") && package.files().len() == 1, "the package is whole, without a report");
}

#[tokio::test]
async fn after_a_crash_every_export_ends() {
    const EXPORTS: usize = 4;
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let course = json!({ "course": { "name": "Botany" }, "offer": true });
    let course = format!("/api/v1/courses/{}", make(&client, "/api/v1/accounts/1/courses", course).await.id());
    for number in 0..4 {
        let name = json!({ "name": format!("{number}.bin") });
        upload(&client, &format!("{course}/files"), name, &vec![7; 8_000_000]).await;
    }
    let begin = || client.post(&format!("{course}/content_exports")).json(json!({ "export_type": "zip" }));
    let exports = join_all((0..EXPORTS).map(|_| begin().into_future())).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    app.crash().await.unwrap();

    app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let operator = client.with_token(&sandbox.variables["tick_token"]);
    let mut states = Vec::new();
    for round in 1..=5 {
        // Leases of those who are gone end.
        let clock = shared::clock::now().plus_seconds(60 * round).to_string();
        operator.post("/internal/tick").header("x-test-clock", clock).await.is(200);
        states.clear();
        for export in &exports {
            let export = client.get(&format!("{course}/content_exports/{}", export.id())).await.is(200);
            states.push(export["workflow_state"].as_str().unwrap().to_owned());
            if let Some(size) = export["attachment"]["size"].as_i64() {
                let bytes = reqwest::get(export["attachment"]["url"].as_str().unwrap()).await.unwrap();
                let bytes = bytes.bytes().await.unwrap().to_vec();
                assert_eq!(i64::try_from(bytes.len()).unwrap(), size);
                assert_eq!(Package::new(bytes).files().len(), 4);
            }
        }
        if states.iter().all(|state| matches!(state.as_str(), "exported" | "failed")) {
            break;
        }
    }
    assert_eq!(states, ["exported"; EXPORTS]);
    app.stop().await.unwrap();
}
