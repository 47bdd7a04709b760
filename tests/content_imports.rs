//! Packages that come in: what is exported comes back, and what would do harm is refused in words.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use support::{Answer, Client, Course, School, running};
use zip::write::SimpleFileOptions;

use crate::content_exports::{classic_quiz, ended, make, new_quiz, package};
use crate::files::send;

/// A zip archive of these files.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A manifest with these files, each a resource of the course.
fn manifest(files: &[&str]) -> String {
    let resource = |(number, file): (usize, &&str)| {
        format!(
            "<resource identifier=\"r{number}\" type=\"webcontent\" href=\"{file}\"><file href=\"{file}\"/></resource>"
        )
    };
    let resources: String = files.iter().enumerate().map(resource).collect();
    format!(
        "<?xml version=\"1.0\"?><manifest identifier=\"m\" xmlns=\"http://www.imsglobal.org/xsd/imsccv1p3/imscp_v1p1\">\
         <metadata><schema>IMS Common Cartridge</schema><schemaversion>1.3.0</schemaversion></metadata>\
         <organizations/><resources>{resources}</resources></manifest>"
    )
}

/// A migration whose package was sent, and that has ended.
async fn imported(client: &Client, course: &Course, form: Value, bytes: &[u8]) -> Answer {
    let mut form = form;
    form["pre_attachment"] = json!({ "name": "package.zip", "size": bytes.len() });
    let migration = client.post(&course.path("/content_migrations")).json(form).await.is(200);
    assert_eq!(migration["workflow_state"], "pre_processing");
    send(client, &migration["pre_attachment"], bytes).await.is(201);
    ended(client, &migration["progress_url"]).await;
    client.get(&course.path(&format!("/content_migrations/{}", migration.id()))).await.is(200)
}

async fn issues(client: &Client, migration: &Answer) -> Vec<Value> {
    let issues = client.get(migration["migration_issues_url"].as_str().unwrap()).await.is(200);
    assert_eq!(migration["migration_issues_count"], issues.json.as_array().unwrap().len());
    issues.json.as_array().unwrap().clone()
}

/// What counts of a question: its type, its points, and what is right. Matches and numbers have no weights: all are right.
fn told(question: &Value) -> (String, f64, Vec<String>) {
    let kind = question["question_type"].as_str().unwrap().to_owned();
    let all = matches!(kind.as_str(), "matching_question" | "numerical_question");
    let text =
        |answer: &Value| ["text", "left", "right", "exact", "margin"].map(|key| answer[key].to_string()).join(" ");
    let answers = question["answers"].as_array().unwrap().iter();
    let right = answers.filter(|answer| all || answer["weight"].as_f64() > Some(0.0));
    let mut right: Vec<_> = right.map(text).collect();
    right.sort();
    (kind, question["points_possible"].as_f64().unwrap(), right)
}

async fn questions(client: &Client, course: &Course, quiz: i64) -> Vec<Value> {
    let path = course.path(&format!("/quizzes/{quiz}/questions?per_page=100"));
    client.get(&path).await.is(200).json.as_array().unwrap().clone()
}

#[tokio::test]
async fn what_is_exported_comes_back() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = classic_quiz(&teacher, &course, "Trees").await;
    let before: Vec<_> = questions(&teacher, &course, quiz).await.iter().map(told).collect();
    for (export, kind) in [
        (json!({ "export_type": "qti", "qti_version": "2.1" }), "qti_converter"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "qti_converter"),
        (json!({ "export_type": "common_cartridge", "version": "1.3" }), "common_cartridge_importer"),
        (json!({ "export_type": "common_cartridge", "version": "1.1" }), "common_cartridge_importer"),
    ] {
        let bytes = package(&teacher, &course, export.clone()).await.bytes;
        let copy = school.course("Botany again").await;
        let migration = imported(&school.admin, &copy, json!({ "migration_type": kind }), &bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{export}: {migration}");
        assert!(migration["finished_at"].is_string());
        let quizzes = school.admin.get(&copy.path("/quizzes")).await.is(200);
        assert_eq!(quizzes.json.as_array().unwrap().len(), 1, "{export}");
        assert_eq!(quizzes.json[0]["title"], "Trees");
        let mut after: Vec<_> = questions(&school.admin, &copy, quizzes.ids()[0]).await.iter().map(told).collect();
        let mut before = before.clone();
        before.sort_by(|a, b| a.partial_cmp(b).unwrap());
        after.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(after, before, "{export}: {:?}", issues(&school.admin, &migration).await);
        let groups = school.admin.get(&copy.path(&format!("/quizzes/{}/groups", quizzes.ids()[0]))).await.is(200);
        assert_eq!(groups["quiz_groups"][0]["pick_count"], 1, "{export}");
        assert_eq!(groups["quiz_groups"][0]["question_points"], 2.0, "{export}");
    }
}

#[tokio::test]
async fn quizzes_come_back_as_new_quizzes_too() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    new_quiz(&teacher, &course, "Seeds").await;
    let bytes = package(&teacher, &course, json!({ "export_type": "qti" })).await.bytes;
    let copy = school.course("Botany again").await;
    let form = json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": true } });
    let migration = imported(&school.admin, &copy, form, &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", copy.id);
    let quizzes = school.admin.get(&engine).await.is(200);
    assert_eq!(quizzes.json[0]["title"], "Seeds");
    let items = school.admin.get(&format!("{engine}/{}/items", quizzes.ids()[0])).await.is(200);
    let item = &items.json[0];
    assert_eq!(
        (&item["points_possible"], &item["entry"]["interaction_type_slug"]),
        (&json!(4.0), &json!("true-false"))
    );
    assert_eq!(item["entry"]["scoring_data"]["value"], true);
}

#[tokio::test]
async fn a_cartridge_brings_its_files_and_pages() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let page = b"<html><head><title>Leaves</title></head><body><p onclick=\"x()\">\
        <img src=\"$IMS-CC-FILEBASE$/img/leaf.png\"></p><script>x()</script></body></html>";
    let report = "web_resources/export-report.txt";
    let manifest = manifest(&["web_resources/img/leaf.png", "wiki_content/leaves.html", "export-report.txt", report]);
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("web_resources/img/leaf.png", b"png"),
        ("wiki_content/leaves.html", page),
        ("export-report.txt", b"What the exporter tells is no file of the course."),
        (report, b"A file of that name is one."),
    ]);
    let form = json!({ "migration_type": "common_cartridge_importer" });
    let migration = imported(&school.admin, &course, form, &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let files = school.admin.get(&course.path("/files")).await.is(200);
    let names: Vec<_> = files.json.as_array().unwrap().iter().map(|file| &file["display_name"]).collect();
    assert_eq!(names, ["export-report.txt", "leaf.png"]);
    assert_eq!(files.json[0]["size"], 27);
    let folder = school.admin.get(&format!("/api/v1/folders/{}", files.json[1]["folder_id"])).await.is(200);
    assert_eq!(folder["full_name"], "course files/img");
    let page = school.admin.get(&course.path("/pages/leaves")).await.is(200);
    let body = page["body"].as_str().unwrap();
    assert!(body.contains(&format!("/courses/{}/files/{}/preview", course.id, files.ids()[1])), "{body}");
    assert!(!body.contains("script") && !body.contains("onclick"), "{body}");
}

#[tokio::test]
async fn what_would_do_harm_is_refused_in_words() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let of = |files: &[&str]| manifest(files).into_bytes();
    let entities =
        b"<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><manifest>&b;</manifest>";
    let bomb = vec![0; 40 << 20];
    let attributes: String = (0..1000).map(|number| format!(" a{number}=\"\"")).collect();
    let crowded = format!("<questestinterop{attributes}/>");
    let quiz = "<manifest><resources><resource identifier=\"q\" type=\"imsqti_xmlv1p2\" href=\"q.xml\"/></resources></manifest>";
    let packages: [(&str, Vec<u8>); 7] = [
        ("too many attributes", archive(&[("imsmanifest.xml", quiz.as_bytes()), ("q.xml", crowded.as_bytes())])),
        ("no archive", b"this is no archive".to_vec()),
        ("nothing", Vec::new()),
        ("traversal", archive(&[("imsmanifest.xml", &of(&["x"])), ("../../etc/passwd", b"x")])),
        ("entities", archive(&[("imsmanifest.xml", entities)])),
        ("bomb", archive(&[("imsmanifest.xml", &of(&["zeros.bin"])), ("zeros.bin", &bomb)])),
        ("no manifest", archive(&[("readme.txt", b"hello")])),
    ];
    for (name, bytes) in packages {
        let form = json!({ "migration_type": "common_cartridge_importer" });
        let migration = imported(&school.admin, &course, form, &bytes).await;
        assert_eq!(migration["workflow_state"], "failed", "{name}: {migration}");
        let issues = issues(&school.admin, &migration).await;
        assert_eq!((issues.len(), &issues[0]["issue_type"]), (1, &json!("error")), "{name}: {issues:?}");
        let reason = issues[0]["description"].as_str().unwrap();
        assert!(name != "too many attributes" || reason.contains(name), "what could not be read is told: {reason}");
        let progress = school.admin.get(migration["progress_url"].as_str().unwrap()).await.is(200);
        assert_eq!((&progress["workflow_state"], &progress["message"]), (&json!("failed"), &json!(reason)), "{name}");
    }
    let files = school.admin.get(&course.path("/files")).await.is(200);
    assert_eq!(files.json, json!([]));
}

#[tokio::test]
async fn packages_come_from_those_who_manage_the_course() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let announce =
        async |client: &Client, form: Value| client.post(&course.path("/content_migrations")).json(form).await;
    let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "x.zip" } });
    announce(&student, form.clone()).await.is_forbidden();
    announce(&teacher, json!({ "migration_type": "qti_converter" })).await.is_refused(400, "pre_attachment[name]");
    let nameless = json!({ "migration_type": "qti_converter", "pre_attachment": {} });
    announce(&teacher, nameless).await.is_refused(400, "name is missing");
    announce(&teacher, json!({ "migration_type": "scorm" })).await.is_refused(400, "Invalid migration_type");
    let migration = announce(&teacher, form).await.is(200);
    student.get(migration["progress_url"].as_str().unwrap()).await.is_forbidden();
    student.get(migration["migration_issues_url"].as_str().unwrap()).await.is_forbidden();
    assert_eq!(teacher.get(migration["progress_url"].as_str().unwrap()).await.is(200)["workflow_state"], "queued");

    let failed = imported(&teacher, &course, json!({ "migration_type": "qti_converter" }), b"x").await;
    let issue = issues(&teacher, &failed).await[0].clone();
    let path = format!("{}/{}", failed["migration_issues_url"].as_str().unwrap(), issue["id"]);
    assert_eq!(teacher.get(&path).await.is(200)["workflow_state"], "active");
    let resolved = teacher.put(&path).json(json!({ "workflow_state": "resolved" })).await.is(200);
    assert_eq!(resolved["workflow_state"], "resolved");
    teacher.put(&path).json(json!({ "workflow_state": "x" })).await.is_refused(400, "active or resolved");
    student.put(&path).json(json!({ "workflow_state": "active" })).await.is_forbidden();
}

#[tokio::test]
async fn a_package_that_never_comes_has_failed() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "x.zip" } });
    let migration = make(&school.admin, &course.path("/content_migrations"), form).await;
    let past = format!(
        "UPDATE uploads SET expires_at = '2020-01-01T00:00:00Z'
         WHERE id = (SELECT upload_id FROM content_migrations WHERE id = {})",
        migration.id()
    );
    if !running().change_database(&past) {
        return;
    }
    running().tick(None).await;
    let path = course.path(&format!("/content_migrations/{}", migration.id()));
    let migration = school.admin.get(&path).await.is(200);
    assert_eq!(migration["workflow_state"], "failed");
    assert!(issues(&school.admin, &migration).await[0]["description"].as_str().unwrap().contains("not uploaded"));
}
