//! Packages that come in: what is exported comes back, and what would do harm is refused in words.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use support::quizzes::{classic_quiz, new_quiz};
use support::{Client, Course, Response, School, make, running};
use zip::write::SimpleFileOptions;

use crate::content_exports::{ended, package};
use crate::files::{send, upload};

/// A zip archive of these files.
pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A manifest with these files, each a resource of the course.
pub(crate) fn manifest(files: &[&str]) -> String {
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
pub(crate) async fn imported(client: &Client, course: &Course, form: Value, bytes: &[u8]) -> Response {
    let mut form = form;
    form["pre_attachment"] = json!({ "name": "package.zip", "size": bytes.len() });
    let migration = client.post(&course.path("/content_migrations")).json(form).await.is(200);
    assert_eq!(migration["workflow_state"], "pre_processing");
    send(client, &migration["pre_attachment"], bytes).await.is(201);
    ended(client, &migration["progress_url"]).await;
    client.get(&course.path(&format!("/content_migrations/{}", migration.id()))).await.is(200)
}

pub(crate) async fn issues(client: &Client, migration: &Response) -> Vec<Value> {
    let issues = client.get(migration["migration_issues_url"].as_str().unwrap()).await.is(200);
    assert_eq!(migration["migration_issues_count"], issues.json.as_array().unwrap().len());
    issues.json.as_array().unwrap().clone()
}

/// The gist of a question: its type, its points, and what is right. Matches and numbers have no weights: all are right.
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
async fn each_quiz_stays_classic_or_new_unless_the_import_says_otherwise() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    classic_quiz(&teacher, &course, "Trees").await;
    new_quiz(&teacher, &course, "Seeds").await;
    let exports = [
        (json!({ "export_type": "qti", "qti_version": "2.1" }), "qti_converter"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "qti_converter"),
        (json!({ "export_type": "common_cartridge", "version": "1.3" }), "common_cartridge_importer"),
        (json!({ "export_type": "common_cartridge", "version": "1.1" }), "common_cartridge_importer"),
    ];
    for (export, kind) in exports {
        let bytes = package(&teacher, &course, export.clone()).await.bytes;
        for (as_new, classic, new) in [
            (None, vec!["Trees"], vec!["Seeds"]),
            (Some(false), vec!["Seeds", "Trees"], vec![]),
            (Some(true), vec![], vec!["Seeds", "Trees"]),
        ] {
            let copy = school.course("Botany again").await;
            let mut form = json!({ "migration_type": kind });
            if let Some(as_new) = as_new {
                form["settings"] = json!({ "import_quizzes_next": as_new });
            }
            let migration = imported(&school.admin, &copy, form, &bytes).await;
            assert_eq!(migration["workflow_state"], "completed", "{export} {as_new:?}: {migration}");
            let titles = async |path: &str| {
                let quizzes = school.admin.get(path).await.is(200);
                let titles =
                    quizzes.json.as_array().unwrap().iter().map(|quiz| quiz["title"].as_str().unwrap().to_owned());
                let mut titles: Vec<_> = titles.collect();
                titles.sort();
                titles
            };
            assert_eq!(titles(&copy.path("/quizzes")).await, classic, "{export} {as_new:?}");
            let engine = format!("/api/quiz/v1/courses/{}/quizzes", copy.id);
            assert_eq!(titles(&engine).await, new, "{export} {as_new:?}");
        }
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
async fn hot_spots_come_back_with_their_image_and_can_be_changed() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let image = upload(&teacher, &course.path("/files"), json!({ "name": "leaf.png" }), b"png").await;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = make(&teacher, &engine, json!({ "quiz": { "title": "Leaves" } })).await.id();
    let spot =
        json!({ "value": { "type": "oval", "coordinates": [{ "x": 0.29, "y": 0.57 }, { "x": 0.2, "y": 0.1 }] } });
    let spots = json!({ "score_method": "all_or_nothing", "value": [
        { "id": "0b7c1b8e-1111-4222-8333-444455556661", "type": "square", "coordinates": [{ "x": 0.1, "y": 0.2 }, { "x": 0.3, "y": 0.4 }] },
        { "id": "0b7c1b8e-1111-4222-8333-444455556662", "type": "oval", "coordinates": [{ "x": 0.7, "y": 0.7 }, { "x": 0.1, "y": 0.3 }] },
    ] });
    let path = |course: &Course, file: i64| format!("/courses/{}/files/{file}/preview", course.id);
    for scoring in [&spot, &spots] {
        let entry = json!({
            "title": "Vein", "item_body": "<p>Where is a vein?</p>", "interaction_type_slug": "hot-spot",
            "interaction_data": { "image_url": path(&course, image.id()) },
            "scoring_data": scoring, "scoring_algorithm": "HotSpot",
        });
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 4, "entry": entry } });
        make(&teacher, &format!("{engine}/{quiz}/items"), item).await;
    }
    for version in ["2.1", "1.2"] {
        let bytes = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": version })).await.bytes;
        let copy = school.course("Botany again").await;
        let form = json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": true } });
        let migration = imported(&school.admin, &copy, form, &bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{version} {migration}");
        assert!(issues(&school.admin, &migration).await.is_empty(), "{version}");
        let engine = format!("/api/quiz/v1/courses/{}/quizzes", copy.id);
        let quiz = school.admin.get(&engine).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{engine}/{quiz}/items")).await.is(200);
        let entry = &items.json[0]["entry"];
        assert_eq!(entry["interaction_type_slug"], "hot-spot", "{version}");
        assert_eq!(entry["scoring_data"], spot, "{version}");
        let several = &items.json[1]["entry"];
        assert_eq!(several["scoring_data"], spots, "{version}");
        assert_eq!(several["properties"], json!({ "hotspots_count": 2 }), "{version}");
        let file = school.admin.get(&copy.path("/files")).await.is(200).ids()[0];
        assert_eq!(entry["interaction_data"]["image_url"], path(&copy, file), "{version}");
        let item = format!("{engine}/{quiz}/items/{}", items.ids()[0]);
        let change = json!({ "item": { "entry": { "title": "Main vein" } } });
        let changed = school.admin.patch(&item).json(change).await.is(200);
        assert_eq!(changed["entry"]["title"], "Main vein");
    }
}

#[tokio::test]
async fn a_question_of_the_deprecated_type_is_brought_by_an_import() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let item = "<item ident=\"i\" title=\"Seeds\"><itemmetadata><qtimetadata>\
        <qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>fill_in_multiple_blanks_question</fieldentry></qtimetadatafield>\
        <qtimetadatafield><fieldlabel>interaction_type</fieldlabel><fieldentry>fill-blank</fieldentry></qtimetadatafield>\
        </qtimetadata></itemmetadata><presentation><material><mattext texttype=\"text/html\">\
        &lt;p&gt;Fill it in&lt;/p&gt;&lt;p&gt;Seeds [a] in spring&lt;/p&gt;</mattext></material>\
        <response_lid ident=\"response_a\"><render_choice><response_label ident=\"1\" scoring_algorithm=\"TextContainsAnswer\">\
        <material><mattext>sprout</mattext></material></response_label></render_choice></response_lid></presentation>\
        <resprocessing><respcondition><conditionvar><varequal respident=\"response_a\">1</varequal></conditionvar>\
        <setvar action=\"Add\">100</setvar></respcondition></resprocessing></item>";
    let quiz = format!(
        "<questestinterop xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\"><assessment ident=\"q\" title=\"Seeds\">\
         <section ident=\"s\">{item}</section></assessment></questestinterop>"
    );
    let manifest = "<?xml version=\"1.0\"?><manifest identifier=\"m\" xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\">\
        <organizations/><resources><resource identifier=\"r\" type=\"imsqti_xmlv1p2\" href=\"quiz.xml\"><file href=\"quiz.xml\"/>\
        </resource></resources></manifest>";
    let bytes = archive(&[("imsmanifest.xml", manifest.as_bytes()), ("quiz.xml", quiz.as_bytes())]);
    let form = json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": true } });
    let migration = imported(&school.admin, &course, form, &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = school.admin.get(&engine).await.is(200).ids()[0];
    let items = school.admin.get(&format!("{engine}/{quiz}/items")).await.is(200);
    let entry = &items.json[0]["entry"];
    assert_eq!(entry["interaction_type_slug"], "fill-blank", "{entry}");
    assert_eq!(entry["item_body"], "<p>Fill it in</p>");
    let stem = entry["interaction_data"]["stem_items"].as_array().unwrap();
    let values: Vec<_> = stem.iter().map(|piece| piece["value"].as_str()).collect();
    assert_eq!(values, [Some("Seeds "), None, Some(" in spring")]);
    assert_eq!(stem[1]["blank_id"], entry["interaction_data"]["blanks"][0]["id"]);
}

#[tokio::test]
async fn video_of_qti_2_1_is_kept_and_a_frame_of_another_host_is_told() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let item = "<assessmentItem xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" identifier=\"i\" title=\"Seeds\">\
        <itemBody><object type=\"video/mp4\" data=\"https://media.test/seeds.mp4\"> </object>\
        <div><iframe src=\"https://elsewhere.test/1\"> </iframe></div></itemBody></assessmentItem>";
    let manifest = "<?xml version=\"1.0\"?><manifest identifier=\"m\" xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\">\
        <organizations/><resources><resource identifier=\"r\" type=\"imsqti_item_xmlv2p1\" href=\"item.xml\">\
        <file href=\"item.xml\"/></resource></resources></manifest>";
    let bytes = archive(&[("imsmanifest.xml", manifest.as_bytes()), ("item.xml", item.as_bytes())]);
    let migration = imported(&school.admin, &course, json!({ "migration_type": "qti_converter" }), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let told = json!(issues(&school.admin, &migration).await).to_string();
    assert!(told.contains("a frame was left out") && !told.contains("video"), "{told}");
    let quiz = school.admin.get(&course.path("/quizzes")).await.is(200).ids()[0];
    let questions = school.admin.get(&course.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
    let text = questions.json[0]["question_text"].as_str().unwrap();
    assert!(text.contains("<video") && text.contains("src=\"https://media.test/seeds.mp4\""), "{text}");
    assert!(!text.contains("elsewhere"), "{text}");
}

#[tokio::test]
async fn what_is_not_imported_of_a_cartridge_is_told_by_its_name() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let settings = "<resource identifier=\"s\" type=\"associatedcontent/imscc_xmlv1p1/learning-application-resource\" \
        href=\"course_settings/canvas_export.txt\"><file href=\"course_settings/module_meta.xml\"/>\
        <file href=\"course_settings/events.xml\"/></resource></resources>";
    let manifest = manifest(&["web_resources/leaf.txt"]).replace("</resources>", settings);
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("web_resources/leaf.txt", b"green"),
        ("course_settings/module_meta.xml", b"<modules/>"),
        ("course_settings/events.xml", b"<events/>"),
    ]);
    let form = json!({ "migration_type": "canvas_cartridge_importer" });
    let migration = imported(&school.admin, &course, form, &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let told = json!(issues(&school.admin, &migration).await).to_string();
    for content in ["modules and their items are not imported", "calendar events are not imported"] {
        assert!(told.contains(content), "{told}");
    }
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
    let path = course.path(&format!("/content_migrations/{}", migration.id()));
    let has_failed = async || school.admin.get(&path).await.is(200)["workflow_state"] == "failed";
    crate::uploads::ticks_until("the migration fails", has_failed).await;
    let migration = school.admin.get(&path).await.is(200);
    assert!(issues(&school.admin, &migration).await[0]["description"].as_str().unwrap().contains("not uploaded"));
}

/// The first question of the course's only quiz.
async fn only_question(client: &Client, course: &Course) -> String {
    let quizzes = client.get(&course.path("/quizzes")).await.is(200);
    let questions = questions(client, course, quizzes.ids()[0]).await;
    questions[0]["question_text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn pictures_of_questions_come_with_them_and_those_that_are_missing_are_told() {
    let school = School::start().await;
    let manifest = "<manifest><resources><resource identifier='r' type='imsqti_item_xmlv2p1' href='choice.xml'>
        <file href='choice.xml'/><file href='images/sign.png'/></resource></resources></manifest>";
    let item = "<assessmentItem identifier='i' title='Sign'><responseDeclaration identifier='R' cardinality='single'
        baseType='identifier'><correctResponse><value>A</value></correctResponse></responseDeclaration><itemBody>
        <p>Look <img src='images/sign.png' alt='a sign'/> and <img src='images/gone.png' alt='no sign'/></p>
        <choiceInteraction responseIdentifier='R' maxChoices='1'><simpleChoice identifier='A'>Stop</simpleChoice>
        <simpleChoice identifier='B'>Go</simpleChoice></choiceInteraction></itemBody></assessmentItem>";
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("choice.xml", item.as_bytes()),
        ("images/sign.png", b"png"),
    ]);
    for as_new in [false, true] {
        let course = school.course("Signs").await;
        let form = json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": as_new } });
        let migration = imported(&school.admin, &course, form, &bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{migration}");
        let file = school.admin.get(&course.path("/files")).await.is(200);
        assert_eq!(file.json[0]["display_name"], "sign.png");
        let text = match as_new {
            false => only_question(&school.admin, &course).await,
            true => {
                let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
                let quiz = school.admin.get(&engine).await.is(200).ids()[0];
                let items = school.admin.get(&format!("{engine}/{quiz}/items")).await.is(200);
                items.json[0]["entry"]["item_body"].as_str().unwrap().to_owned()
            }
        };
        assert!(text.contains(&format!("src=\"/courses/{}/files/{}/preview\"", course.id, file.ids()[0])), "{text}");
        assert!(text.contains("src=\"images/gone.png\""), "{text}");
        let told = issues(&school.admin, &migration).await;
        let told = told[0]["description"].as_str().unwrap();
        assert!(told.contains("images/gone.png") && told.contains("leads nowhere"), "{told}");
    }
}

#[tokio::test]
async fn an_archive_is_unpacked_into_a_folder_of_the_course() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let elsewhere = school.course("Zoology").await;
    let folder = async |course: &Course| {
        let folder = json!({ "name": "herbarium" });
        school.admin.post(&course.path("/folders")).json(folder).await.is(200).id()
    };
    let (own, foreign) = (folder(&course).await, folder(&elsewhere).await);
    let bytes = archive(&[
        ("leaf.txt", b"leaf"),
        ("web_resources/oak.txt", b"oak"),
        ("web_resources/OAK.txt", b"another oak"),
        ("__MACOSX/._leaf.txt", b"?"),
        ("imsmanifest.xml", b"this is a file like any other"),
    ]);
    let form = |folder: i64| json!({ "migration_type": "zip_file_importer", "settings": { "folder_id": folder } });
    let migration = imported(&teacher, &course, form(own), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{:?}", issues(&teacher, &migration).await);
    let files = teacher.get(&course.path("/files?sort=name")).await.is(200);
    let mut names: Vec<_> =
        files.json.as_array().unwrap().iter().map(|file| file["display_name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["OAK.txt", "imsmanifest.xml", "leaf.txt", "oak-1.txt"]);
    let full = async |name: &str| {
        let file = files.json.as_array().unwrap().iter().find(|file| file["display_name"] == name).unwrap();
        let folder = teacher.get(&format!("/api/v1/folders/{}", file["folder_id"])).await.is(200);
        folder["full_name"].as_str().unwrap().to_owned()
    };
    assert_eq!(full("leaf.txt").await, "course files/herbarium");
    assert_eq!(full("OAK.txt").await, "course files/herbarium/web_resources");

    let announce = async |client: &Client, form: Value| {
        let mut form = form;
        form["pre_attachment"] = json!({ "name": "x.zip" });
        client.post(&course.path("/content_migrations")).json(form).await
    };
    announce(&teacher, form(foreign)).await.is_refused(400, "folder_id");
    announce(&teacher, form(1_000_000_000)).await.is_refused(400, "folder_id");
    announce(&student, form(own)).await.is_forbidden();
    let fetched = json!({ "migration_type": "zip_file_importer", "settings": { "file_url": "https://x.test/x.zip" } });
    announce(&teacher, fetched).await.is_refused(400, "settings[file_url] is not supported");
}

#[tokio::test]
async fn a_client_can_ask_which_types_there_are_and_each_is_taken() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/content_migrations/migrators");
    student.get(&path).await.is_forbidden();
    let migrators = teacher.get(&path).await.is(200);
    for migrator in migrators.json.as_array().unwrap() {
        let kind = migrator["type"].as_str().unwrap();
        let mut form = json!({ "migration_type": kind, "pre_attachment": { "name": "x.zip" } });
        if migrator["required_settings"] == json!(["source_course_id"]) {
            form["settings"] = json!({ "source_course_id": school.course("Source").await.id });
        }
        let migration = school.admin.post(&course.path("/content_migrations")).json(form).await.is(200);
        assert_eq!(migration["migration_type_title"], migrator["name"]);
        let uploads = migration.json.get("pre_attachment").is_some();
        assert_eq!(migrator["requires_file_upload"], json!(uploads), "{migrator}");
    }
    let kinds: Vec<_> = migrators.json.as_array().unwrap().iter().map(|own| own["type"].as_str().unwrap()).collect();
    for kind in ["canvas_cartridge_importer", "zip_file_importer", "qti_converter", "common_cartridge_importer"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
}

#[tokio::test]
async fn quizzes_that_cannot_be_read_fail_in_words() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let newer = "<manifest><resources><resource identifier='r' type='imsqti_item_xmlv3p0' href='q.xml'>
        <file href='q.xml'/></resource><resource identifier='p' type='webcontent' href='p.png'><file href='p.png'/>
        </resource></resources></manifest>";
    let item = b"<qti-assessment-item identifier='i'><qti-item-body/></qti-assessment-item>";
    let newer = archive(&[("imsmanifest.xml", newer.as_bytes()), ("q.xml", item), ("p.png", b"png")]);
    let files = manifest(&["p.png"]);
    let files = archive(&[("imsmanifest.xml", files.as_bytes()), ("p.png", b"png")]);
    for (kind, bytes, reason) in [
        ("qti_converter", &newer, "QTI 3.0 is not read"),
        ("common_cartridge_importer", &newer, "QTI 3.0 is not read"),
        ("qti_converter", &files, "nothing that can be imported"),
    ] {
        let migration = imported(&school.admin, &course, json!({ "migration_type": kind }), bytes).await;
        assert_eq!(migration["workflow_state"], "failed", "{kind}: {migration}");
        let told = issues(&school.admin, &migration).await;
        let told = told[0]["description"].as_str().unwrap().to_owned();
        assert!(told.contains(reason), "{told}");
    }
    assert_eq!(school.admin.get(&course.path("/files")).await.is(200).json, json!([]));
}

#[tokio::test]
async fn a_document_type_does_not_make_a_quiz_unreadable() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let quiz = "<?xml version='1.0'?><!DOCTYPE questestinterop SYSTEM 'ims_qtiasiv1p2p1.dtd'><questestinterop>
        <item ident='i' title='Q'><presentation><material><mattext>Read this</mattext></material></presentation></item>
        </questestinterop>";
    let bytes = archive(&[("q.xml", quiz.as_bytes())]);
    let migration = imported(&school.admin, &course, json!({ "migration_type": "qti_converter" }), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{:?}", issues(&school.admin, &migration).await);
    assert_eq!(only_question(&school.admin, &course).await, "Read this");
}

#[tokio::test]
async fn pages_of_one_title_have_addresses_of_their_own() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let page = json!({ "wiki_page": { "title": "Leaves", "body": "mine" } });
    make(&school.admin, &course.path("/pages"), page).await;
    let names: Vec<_> = (0..3).map(|number| format!("wiki_content/{number}.html")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let manifest = manifest(&names);
    let page = b"<html><head><title>Leaves</title></head><body>theirs</body></html>".as_slice();
    let mut files = vec![("imsmanifest.xml", manifest.as_bytes())];
    files.extend(names.iter().map(|name| (*name, page)));
    let form = json!({ "migration_type": "common_cartridge_importer" });
    let migration = imported(&school.admin, &course, form, &archive(&files)).await;
    assert_eq!(migration["workflow_state"], "completed", "{:?}", issues(&school.admin, &migration).await);
    for (url, body) in [("leaves", "mine"), ("leaves-2", "theirs"), ("leaves-3", "theirs"), ("leaves-4", "theirs")] {
        assert_eq!(school.admin.get(&course.path(&format!("/pages/{url}"))).await.is(200)["body"], body, "{url}");
    }
}

#[tokio::test]
async fn dates_that_are_out_of_order_do_not_come_so_that_an_assignment_can_be_changed() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let manifest = "<manifest identifier='m'><resources>\
        <resource identifier='a' type='associatedcontent/x' href='a/paper.html'><file href='a/paper.html'/>\
        <file href='a/assignment_settings.xml'/></resource></resources></manifest>";
    let settings = "<assignment identifier='a'><title>Paper</title><due_at>2099-01-01T00:00:00</due_at>\
        <unlock_at>2099-03-01T00:00:00</unlock_at><lock_at>2099-02-01T00:00:00</lock_at></assignment>";
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("a/paper.html", b"<html><body>Write.</body></html>"),
        ("a/assignment_settings.xml", settings.as_bytes()),
    ]);
    let form = json!({ "migration_type": "canvas_cartridge_importer" });
    let migration = imported(&school.admin, &course, form, &bytes).await;
    let told = issues(&school.admin, &migration).await;
    let told: Vec<_> = told.iter().map(|issue| issue["description"].as_str().unwrap()).collect();
    assert!(told.len() == 2 && told.iter().all(|issue| issue.ends_with("is left out")), "{told:?}");
    let assignment = school.admin.get(&course.path("/assignments")).await.is(200).ids()[0];
    let path = course.path(&format!("/assignments/{assignment}"));
    let changed = school.admin.put(&path).json(json!({ "assignment": { "name": "Essay" } })).await.is(200);
    let dates = ["due_at", "unlock_at", "lock_at"].map(|date| changed[date].clone());
    assert_eq!(dates, [Value::Null, json!("2099-03-01T00:00:00Z"), Value::Null]);
}

#[tokio::test]
async fn an_archive_brings_no_file_with_a_name_that_no_upload_has() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let bytes = archive(&[(" ", b"a"), ("notes/ .. ", b"b"), ("notes/ leaf.txt ", b"c")]);
    let migration = imported(&school.admin, &course, json!({ "migration_type": "zip_file_importer" }), &bytes).await;
    assert_eq!((&migration["workflow_state"], &migration["migration_issues_count"]), (&json!("completed"), &json!(2)));
    let files = school.admin.get(&course.path("/files")).await.is(200);
    let names: Vec<_> = files.json.as_array().unwrap().iter().map(|file| &file["display_name"]).collect();
    assert_eq!(names, ["leaf.txt"]);
}
