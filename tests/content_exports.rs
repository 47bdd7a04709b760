//! Exports of courses, groups and users: who may make and see them, what is in the packages, and that each of them ends.

mod kept;
mod links;
mod losses;
mod states;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use support::quizzes::{classic_quiz, new_quiz};
use support::{Client, Course, Response, School, make};

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
    for _ in 0..3_000 {
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

    /// All at once: to read a schema takes longer than to go through a file.
    fn take(&self, schema: &str, package: &Package, names: &[&str]) {
        let mut lint = Command::new("xmllint");
        lint.env("XML_CATALOG_FILES", self.temporary.path().join("catalog.xml"));
        lint.args(["--noout", "--nonet", "--schema"]).arg(self.folder.join(schema));
        for name in names {
            let file = self.temporary.path().join(name.replace('/', "-"));
            std::fs::write(&file, package.read(name)).unwrap();
            lint.arg(file);
        }
        let output = lint.output().expect("xmllint runs: it comes with libxml2-utils");
        assert!(output.status.success(), "{names:?}: {}", String::from_utf8_lossy(&output.stderr));
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
        schemas.take(manifest, &package, &["imsmanifest.xml"]);
        let files = package.files();
        let (quizzes, others): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|name| name.ends_with("/assessment_qti.xml"));
        let is_item = |name: &&str| name.starts_with("items/") || name.starts_with("tests/");
        let items: Vec<_> = others.into_iter().filter(is_item).collect();
        for (schema, names) in [(PROFILE, quizzes), (ITEM, items)] {
            if !names.is_empty() {
                schemas.take(schema, &package, &names);
            }
        }
    }
}
