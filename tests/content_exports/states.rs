//! What students see, from when to when, and in which form they hand in: a cartridge brings it as it was, and what a
//! package does not say is told.

use serde_json::{Value, json};
use support::{Client, Course, Response, School, make};

use super::package;
use crate::content_imports::{archive, imported, issues, manifest};
use crate::files::upload;

const VERSIONS: [&str; 2] = ["1.3", "1.1"];

/// Uploads a file that students see only so.
async fn restricted(teacher: &Client, course: &Course, name: &str, changes: Value) -> Response {
    let file = upload(teacher, &course.path("/files"), json!({ "name": name }), b"text").await;
    teacher.put(&format!("/api/v1/files/{}", file.id())).json(changes).await.is(200)
}

/// Some fields of what a list has, sorted.
async fn listed(client: &Client, path: &str, fields: &[&str]) -> Vec<Value> {
    let list = client.get(path).await.is(200);
    let told = |own: &Value| fields.iter().map(|field| own[*field].clone()).collect::<Value>();
    let mut told: Vec<_> = list.json.as_array().unwrap().iter().map(told).collect();
    told.sort_by_key(ToString::to_string);
    told
}

/// Brings a package into a course, without an issue.
async fn brought(client: &Client, course: &Course, kind: &str, bytes: &[u8]) {
    let migration = imported(client, course, json!({ "migration_type": kind }), bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(json!(issues(client, &migration).await), json!([]));
}

/// A cartridge of a course that says everything.
async fn cartridge(teacher: &Client, course: &Course, version: &str) -> Vec<u8> {
    let package = package(teacher, course, json!({ "export_type": "common_cartridge", "version": version })).await;
    package.is_sound();
    assert!(!package.has("export-report.txt"), "{}", package.text("export-report.txt"));
    package.bytes
}

const PAGE: [&str; 5] = ["title", "published", "front_page", "editing_roles", "url"];
const FILE: [&str; 5] = ["display_name", "hidden", "locked", "unlock_at", "lock_at"];

#[tokio::test]
async fn what_students_do_not_see_stays_so_in_a_cartridge() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    for page in [
        json!({ "title": "Draft" }),
        json!({ "title": "Herbs", "published": true, "editing_roles": "teachers,students" }),
        json!({ "title": "Welcome", "front_page": true }),
    ] {
        make(&teacher, &course.path("/pages"), json!({ "wiki_page": page })).await;
    }
    restricted(&teacher, &course, "hidden.txt", json!({ "hidden": true })).await;
    restricted(&teacher, &course, "locked: not yet.txt", json!({ "locked": true })).await;
    let dates = json!({ "unlock_at": "2099-01-01T00:00:00Z", "lock_at": "2099-02-01T00:00:00Z" });
    restricted(&teacher, &course, "dated.txt", dates).await;
    upload(&teacher, &course.path("/files"), json!({ "name": "open.txt" }), b"open").await;
    let keys = json!({ "name": "keys", "hidden": true });
    let keys = teacher.post(&course.path("/folders")).json(keys).await.is(200).id();
    upload(&teacher, &course.path("/files"), json!({ "name": "key.txt", "parent_folder_id": keys }), b"key").await;
    let (pages, files) =
        (listed(&teacher, &course.path("/pages"), &PAGE).await, listed(&teacher, &course.path("/files"), &FILE).await);
    for version in VERSIONS {
        let bytes = cartridge(&teacher, &course, version).await;
        let (copy, reader, student) = school.classroom("Botany again").await;
        brought(&reader, &copy, "common_cartridge_importer", &bytes).await;
        assert_eq!(listed(&reader, &copy.path("/pages"), &PAGE).await, pages, "{version}");
        assert_eq!(listed(&reader, &copy.path("/files"), &FILE).await, files, "{version}");
        assert_eq!(listed(&student, &copy.path("/pages"), &["title"]).await, [json!(["Herbs"]), json!(["Welcome"])]);
        assert_eq!(listed(&student, &copy.path("/files"), &["display_name"]).await, [json!(["open.txt"])]);
        let folders = listed(&reader, &copy.path("/folders"), &["name", "hidden", "locked"]).await;
        assert!(folders.contains(&json!(["keys", true, false])), "{version}: {folders:?}");
    }
}

#[tokio::test]
async fn files_of_a_hidden_folder_are_hidden_in_an_open_one_that_is_there() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let keys = json!({ "name": "keys", "hidden": true });
    teacher.post(&course.path("/folders")).json(keys).await.is(200);
    let key = json!({ "name": "key.txt", "parent_folder_path": "keys/deep" });
    upload(&teacher, &course.path("/files"), key, b"key").await;
    let bytes = cartridge(&teacher, &course, "1.3").await;
    let (copy, reader, student) = school.classroom("Botany again").await;
    let own = json!({ "name": "own.txt", "parent_folder_path": "Keys" });
    upload(&reader, &copy.path("/files"), own, b"own").await;
    brought(&reader, &copy, "common_cartridge_importer", &bytes).await;
    assert_eq!(listed(&student, &copy.path("/files"), &["display_name"]).await, [json!(["own.txt"])]);
    let files = listed(&reader, &copy.path("/files"), &FILE).await;
    assert_eq!(files[0], json!(["key.txt", true, false, null, null]));
}

#[tokio::test]
async fn a_cartridge_of_the_reference_system_hides_what_it_says() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    make(&teacher, &course.path("/pages"), json!({ "wiki_page": { "title": "Home", "front_page": true } })).await;
    let page = |title: &str, meta: &str| {
        format!("<html><head><title>{title}</title>{meta}</head><body><p>text</p></body></html>").into_bytes()
    };
    let draft = page("Draft", "<meta name=\"workflow_state\" content=\"unpublished\"/>");
    let old = page("Old draft", "<meta name=\"hide_from_students\" content=\"true\"/>");
    let front = page(
        "Front",
        "<meta name=\"workflow_state\" content=\"active\"/><meta name=\"front_page\" content=\"true\"/>\
         <meta name=\"editing_roles\" content=\"wizards\"/>",
    );
    let meta = b"<fileMeta><folders><folder path=\"keys\"><locked>true</locked></folder></folders><files>\
        <file identifier=\"r3\"><hidden>true</hidden></file><file identifier=\"r4\"><unlock_at>2099-01-01T00:00:00</unlock_at></file>\
        <file identifier=\"r5\"><lock_at>soon</lock_at></file></files></fileMeta>";
    let paths = [
        "wiki_content/draft.html",
        "wiki_content/old.html",
        "wiki_content/front.html",
        "web_resources/hidden.txt",
        "web_resources/later.txt",
        "web_resources/soon.txt",
        "web_resources/keys/key.txt",
        "web_resources/open.txt",
    ];
    let settings = "<resource identifier=\"s\" type=\"associatedcontent/imscc_xmlv1p1/learning-application-resource\">\
        <file href=\"course_settings/files_meta.xml\"/></resource></resources>";
    let manifest = manifest(&paths).replace("</resources>", settings);
    let mut files = vec![("imsmanifest.xml", manifest.as_bytes()), ("course_settings/files_meta.xml", meta.as_slice())];
    let bytes = [&draft, &old, &front].map(Vec::as_slice).into_iter().chain([b"text".as_slice(); 5]);
    files.extend(paths.into_iter().zip(bytes));
    let form = json!({ "migration_type": "canvas_cartridge_importer" });
    let migration = imported(&teacher, &course, form, &archive(&files)).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(listed(&student, &course.path("/pages"), &["title"]).await, [json!(["Front"]), json!(["Home"])]);
    assert_eq!(listed(&student, &course.path("/files"), &["display_name"]).await, [json!(["open.txt"])]);
    assert_eq!(teacher.get(&course.path("/front_page")).await.is(200)["title"], "Home");
    let told = issues(&teacher, &migration).await;
    for (issue, description) in told.iter().zip([
        "web_resources/soon.txt: it is locked: the time for which students do not see it cannot be read",
        "Front: those who may change it are none that are known here: teachers may",
        "Front: the course has a front page already, which stays the front page",
    ]) {
        assert_eq!(issue["description"], description);
    }
    assert_eq!(told.len(), 3, "{told:?}");
}

#[tokio::test]
async fn a_file_in_a_folder_named_as_that_of_pages_is_no_page() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let file = json!({ "name": "key.html", "parent_folder_path": "wiki_content" });
    let file = upload(&teacher, &course.path("/files"), file, b"<p>The key</p>").await;
    teacher.put(&format!("/api/v1/files/{}", file.id())).json(json!({ "hidden": true })).await.is(200);
    make(&teacher, &course.path("/pages"), json!({ "wiki_page": { "title": "Leaves", "body": "<p>x</p>" } })).await;
    let told = async |client: &Client, course: &Course| {
        [listed(client, &course.path("/pages"), &PAGE).await, listed(client, &course.path("/files"), &FILE).await]
    };
    let before = told(&teacher, &course).await;
    for version in VERSIONS {
        let bytes = cartridge(&teacher, &course, version).await;
        let copy = school.course("Botany again").await;
        brought(&school.admin, &copy, "common_cartridge_importer", &bytes).await;
        assert_eq!(told(&school.admin, &copy).await, before, "{version}");
    }
}

#[tokio::test]
async fn an_assignment_keeps_its_dates_its_state_and_its_kind_in_a_cartridge() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let paper = json!({
        "name": "Paper", "description": "<p>Press a leaf.</p>", "points_possible": 7.5, "grading_type": "pass_fail",
        "submission_types": ["on_paper"], "published": true, "due_at": "2026-02-01T00:00:00Z",
        "unlock_at": "2026-01-01T00:00:00Z", "lock_at": "2026-02-02T00:00:00Z", "anonymous_grading": true,
    });
    let draft = json!({
        "name": "Draft", "description": "<p>Draw it.</p>", "submission_types": ["online_url", "online_upload"],
        "allowed_attempts": 3,
    });
    for assignment in [&paper, &draft] {
        make(&teacher, &course.path("/assignments"), json!({ "assignment": assignment })).await;
    }
    let mut fields: Vec<_> = paper.as_object().unwrap().keys().map(String::as_str).collect();
    fields.push("allowed_attempts");
    let before = listed(&teacher, &course.path("/assignments"), &fields).await;
    for version in VERSIONS {
        let bytes = cartridge(&teacher, &course, version).await;
        let copy = school.course("Botany again").await;
        brought(&school.admin, &copy, "common_cartridge_importer", &bytes).await;
        assert_eq!(listed(&school.admin, &copy.path("/assignments"), &fields).await, before, "{version}");
    }
}

#[tokio::test]
async fn a_quiz_without_a_question_of_the_profile_is_in_the_other_form_alone_and_comes_back() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let settings = json!({ "title": "Empty", "time_limit": 20, "access_code": "fern" });
    let empty = make(&teacher, &course.path("/quizzes"), json!({ "quiz": settings })).await.id();
    let numbers = make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Numbers" } })).await.id();
    let answers = json!([{ "numerical_answer_type": "exact_answer", "answer_exact": 42, "answer_error_margin": 0 }]);
    let question = json!({ "question": {
        "question_name": "Leaves", "question_type": "numerical_question", "question_text": "<p>How many?</p>",
        "points_possible": 3, "answers": answers,
    } });
    make(&teacher, &course.path(&format!("/quizzes/{numbers}/questions")), question).await;
    let engine = |course: &Course| format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    make(&teacher, &engine(&course), json!({ "quiz": { "title": "Blank" } })).await;
    let quiz = ["title", "time_limit", "access_code", "question_count"];
    let before = listed(&teacher, &course.path("/quizzes"), &quiz).await;
    for version in VERSIONS {
        let package =
            package(&teacher, &course, json!({ "export_type": "common_cartridge", "version": version })).await;
        package.is_sound();
        assert!(!package.has("assessment_qti.xml"), "{:?}", package.files());
        assert!(package.has(&format!("non_cc_assessments/quiz-{empty}.xml.qti")), "{:?}", package.files());
        for title in ["Empty", "Numbers", "Blank"] {
            let told = format!("{title}: Common Cartridge has no quiz without a question that it knows");
            assert!(package.text("export-report.txt").contains(&told), "{}", package.text("export-report.txt"));
        }
        let copy = school.course("Botany again").await;
        brought(&school.admin, &copy, "common_cartridge_importer", &package.bytes).await;
        assert_eq!(listed(&school.admin, &copy.path("/quizzes"), &quiz).await, before, "{version}");
        assert_eq!(listed(&school.admin, &engine(&copy), &["title"]).await, [json!(["Blank"])], "{version}");
    }
}

#[tokio::test]
async fn a_package_without_words_for_hidden_files_tells_of_them() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let file = restricted(&teacher, &course, "hidden.png", json!({ "hidden": true })).await;
    let image = format!("<p><img src=\"/courses/{}/files/{}/preview\"></p>", course.id, file.id());
    make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Leaves", "description": image } })).await;
    for version in ["2.1", "1.2"] {
        let package = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": version })).await;
        package.is_sound();
        let report = package.text("export-report.txt");
        assert!(report.contains("hidden.png: Students do not see this file, or only for a time"), "{report}");
    }
}

#[tokio::test]
async fn a_quiz_keeps_how_its_grades_are_posted_in_every_format() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let seeds = make(&teacher, &engine, json!({ "quiz": { "title": "Seeds" } })).await.id();
    let quiz = json!({ "quiz": { "title": "Ferns", "quiz_type": "assignment" } });
    let ferns = make(&teacher, &course.path("/quizzes"), quiz).await["assignment_id"].as_i64().unwrap();
    make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Mosses", "quiz_type": "assignment" } })).await;
    for (id, grading) in [
        (seeds, json!({ "anonymous_grading": true, "allowed_attempts": 2 })),
        (ferns, json!({ "post_manually": true, "allowed_attempts": 3 })),
    ] {
        let path = course.path(&format!("/assignments/{id}"));
        teacher.put(&path).json(json!({ "assignment": grading })).await.is(200);
    }
    let fields = ["name", "anonymous_grading", "post_manually", "allowed_attempts"];
    let before = listed(&teacher, &course.path("/assignments"), &fields).await;
    let expected = json!([["Ferns", false, true, 3], ["Mosses", false, false, -1], ["Seeds", true, true, 2]]);
    assert_eq!(json!(before), expected);
    for (export, kind) in [
        (json!({ "export_type": "common_cartridge", "version": "1.3" }), "common_cartridge_importer"),
        (json!({ "export_type": "common_cartridge", "version": "1.1" }), "common_cartridge_importer"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "qti_converter"),
        (json!({ "export_type": "qti", "qti_version": "2.1" }), "qti_converter"),
    ] {
        let package = package(&teacher, &course, export.clone()).await;
        let copy = school.course("Botany again").await;
        brought(&school.admin, &copy, kind, &package.bytes).await;
        assert_eq!(listed(&school.admin, &copy.path("/assignments"), &fields).await, before, "{export}");
    }
}
