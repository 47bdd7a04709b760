//! What an export keeps in small things: points, comments, empty folders, ways to open a file, and the names by which issues
//! tell of what has none.

use serde_json::{Value, json};
use support::quizzes::new_quiz;
use support::{Client, Course, Response, School, make};

use super::{exported, package};
use crate::content_imports::{archive, imported, issues};
use crate::files::upload;

/// Every form of a package with quizzes, and what imports it.
fn formats() -> [(Value, &'static str); 4] {
    let cartridge = |version: &str| json!({ "export_type": "common_cartridge", "version": version });
    let qti = |version: &str| json!({ "export_type": "qti", "qti_version": version });
    [
        (cartridge("1.3"), "common_cartridge_importer"),
        (cartridge("1.1"), "common_cartridge_importer"),
        (qti("2.1"), "qti_converter"),
        (qti("1.2"), "qti_converter"),
    ]
}

/// A course with what a package brings, without an issue.
async fn brought(school: &School, kind: &str, bytes: &[u8]) -> Course {
    let copy = school.course("Botany again").await;
    let migration = imported(&school.admin, &copy, json!({ "migration_type": kind }), bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(json!(issues(&school.admin, &migration).await), json!([]), "{kind}");
    copy
}

/// The path of the new quizzes of a course.
fn engine(course: &Course) -> String {
    format!("/api/quiz/v1/courses/{}/quizzes", course.id)
}

async fn quiz(teacher: &Client, course: &Course) -> String {
    let quiz = make(teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Trees" } })).await;
    course.path(&format!("/quizzes/{}", quiz.id()))
}

async fn question(teacher: &Client, quiz: &str, question: Value) -> Response {
    make(teacher, &format!("{quiz}/questions"), json!({ "question": question })).await
}

#[tokio::test]
async fn a_question_of_a_group_weighs_what_its_group_says() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course).await;
    let group = json!({ "quiz_groups": [{ "name": "Four each", "pick_count": 1, "question_points": 4 }] });
    let group = make(&teacher, &format!("{quiz}/groups"), group).await["quiz_groups"][0]["id"].clone();
    let essay = |name: &str, group: Value, points: f64| {
        json!({ "question_name": name, "question_type": "essay_question", "question_text": "<p>Write.</p>",
                "quiz_group_id": group, "points_possible": points })
    };
    question(&teacher, &quiz, essay("Oak", group, 0.0)).await;
    question(&teacher, &quiz, essay("Elm", Value::Null, 0.0)).await;
    question(&teacher, &quiz, essay("Ash", Value::Null, 2.5)).await;
    let package = package(&teacher, &course, json!({ "export_type": "common_cartridge" })).await;
    let id = quiz.rsplit('/').next().unwrap();
    let standard = package.text(&format!("quiz-{id}/assessment_qti.xml"));
    let weights: Vec<_> = standard.split("<fieldlabel>cc_weighting</fieldlabel>").skip(1).collect();
    let weights: Vec<_> = weights
        .iter()
        .map(|rest| rest.trim_start().strip_prefix("<fieldentry>").unwrap().split('<').next().unwrap())
        .collect();
    assert_eq!(weights, ["4", "1", "3"], "{standard}");
    let report = package.text("export-report.txt");
    assert!(report.contains("Elm: in Common Cartridge a question weighs at least one point: it counts as one point"));
    assert!(report.contains("Ash: in Common Cartridge questions weigh whole points: it is rounded"), "{report}");
    assert!(!report.contains("Oak"), "{report}");
}

/// A group of a quiz with a question of each of these names.
async fn group(teacher: &Client, quiz: &str, fields: Value, names: &[&str]) {
    let group = make(teacher, &format!("{quiz}/groups"), json!({ "quiz_groups": [fields] })).await;
    for name in names {
        let essay = json!({ "question_name": name, "question_type": "essay_question", "points_possible": 2,
                            "question_text": "<p>Write.</p>", "quiz_group_id": group["quiz_groups"][0]["id"] });
        question(teacher, quiz, essay).await;
    }
}

/// What the only classic quiz of a course asks, and its groups with their questions.
async fn drawn(client: &Client, course: &Course) -> Value {
    let quiz = client.get(&course.path("/quizzes")).await.is(200).json[0].clone();
    let path = course.path(&format!("/quizzes/{}", quiz["id"]));
    let questions = client.get(&format!("{path}/questions?per_page=100")).await.is(200);
    let questions = questions.json.as_array().unwrap().clone();
    let names = |group: &Value| -> Vec<_> {
        let own = questions.iter().filter(|question| question["quiz_group_id"] == *group);
        own.map(|question| question["question_name"].clone()).collect()
    };
    let groups = client.get(&format!("{path}/groups")).await.is(200);
    let groups = groups["quiz_groups"].as_array().unwrap().iter().map(|group| {
        let has_bank = !group["assessment_question_bank_id"].is_null();
        json!([group["name"], group["pick_count"], group["question_points"], has_bank, names(&group["id"])])
    });
    json!([quiz["question_count"], quiz["points_possible"], groups.collect::<Vec<_>>(), names(&Value::Null)])
}

#[tokio::test]
async fn groups_that_pick_none_or_more_than_they_have_come_back_as_what_they_ask() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course).await;
    let bank = json!({ "question_bank": { "title": "Damp" } });
    let bank = make(&teacher, &course.path("/question_banks"), bank).await.id();
    let essay = json!({ "question": { "question_name": "Moss", "question_type": "essay_question",
                                      "question_text": "<p>Write.</p>" } });
    make(&teacher, &course.path(&format!("/question_banks/{bank}/questions")), essay).await;
    group(&teacher, &quiz, json!({ "name": "None", "question_points": 3 }), &["Oak", "Elm"]).await;
    group(&teacher, &quiz, json!({ "name": "Less", "pick_count": -1, "question_points": 3 }), &["Ash"]).await;
    group(&teacher, &quiz, json!({ "pick_count": 1 }), &["Fir", "Yew"]).await;
    group(&teacher, &quiz, json!({ "name": "More", "pick_count": 9, "question_points": 1.5 }), &["Box"]).await;
    group(&teacher, &quiz, json!({ "name": "Later", "pick_count": 2, "question_points": 1 }), &[]).await;
    let of_bank = json!({ "name": "No moss", "assessment_question_bank_id": bank, "question_points": 1 });
    group(&teacher, &quiz, of_bank, &[]).await;
    let of_bank = json!({ "name": "Moss", "pick_count": 1, "assessment_question_bank_id": bank, "question_points": 2 });
    group(&teacher, &quiz, of_bank, &["Asked of nobody"]).await;
    let kept = json!([
        3,
        3.5,
        [
            ["None", 0, 3.0, false, ["Oak", "Elm"]],
            ["Less", 0, 3.0, false, ["Ash"]],
            [null, 1, 0.0, false, ["Fir", "Yew"]],
            ["More", 9, 1.5, false, ["Box"]],
            ["Later", 2, 1.0, false, []],
            ["No moss", 0, 1.0, true, []],
            ["Moss", 1, 2.0, true, []],
        ],
        []
    ]);
    teacher.delete(&course.path(&format!("/question_banks/{bank}"))).await.is(200);
    let before = drawn(&teacher, &course).await;
    assert_eq!([&before[0], &before[1]], [&kept[0], &kept[1]], "they draw from a bank that is deleted, too");
    for (form, kind) in formats() {
        let package = package(&teacher, &course, form.clone()).await;
        let report = package.text("export-report.txt");
        assert!(report.contains("Trees: Moss: The group draws from a question bank: its own questions"), "{report}");
        let copy = brought(&school, kind, &package.bytes).await;
        assert_eq!(drawn(&school.admin, &copy).await, kept, "{form}");
    }
}

#[tokio::test]
async fn choices_of_a_blank_that_are_shuffled_stay_so_in_every_format() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let is_of_blanks = |entry: &Value| entry["interaction_type_slug"] == "rich-fill-blank";
    let entry = xtask::items::all().into_iter().find(is_of_blanks).unwrap();
    let quiz = make(&teacher, &engine(&course), json!({ "quiz": { "title": "Leaves" } })).await.id();
    let item = json!({ "item": { "entry_type": "Item", "entry": entry } });
    make(&teacher, &format!("{}/{quiz}/items", engine(&course)), item).await;
    for (form, kind) in formats() {
        let package = package(&teacher, &course, form.clone()).await;
        let copy = brought(&school, kind, &package.bytes).await;
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
        assert_eq!(items.json[0]["entry"]["properties"], entry["properties"], "{form}");
    }
}

#[tokio::test]
async fn a_question_before_its_text_is_about_it_in_every_format() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, "Leaves").await;
    let own = format!("{}/{quiz}", engine(&course));
    let stimulus = make(&teacher, &format!("{own}/stimuli"), json!({ "stimulus": { "body": "<p>Once</p>" } })).await;
    let mut item = json!({ "item": { "entry_type": "Item", "position": 1, "stimulus_quiz_entry_id": stimulus["id"],
                                     "entry": xtask::items::true_false("Was it?", true) } });
    make(&teacher, &format!("{own}/items"), item.clone()).await;
    item["item"]["position"] = json!(null);
    make(&teacher, &format!("{own}/items"), item).await;
    let about = async |client: &Client, quiz: &str| {
        let items = client.get(&format!("{quiz}/items")).await.is(200);
        let items = items.json.as_array().unwrap().clone();
        let place = |item: &Value| items.iter().position(|other| other["id"] == item["stimulus_quiz_entry_id"]);
        items.iter().map(|item| (item["entry_type"].clone(), place(item))).collect::<Vec<_>>()
    };
    let before = about(&teacher, &own).await;
    assert_eq!(before.first().unwrap().1, before.iter().position(|(kind, _)| kind == "Stimulus"));
    for (form, kind) in formats() {
        let package = package(&teacher, &course, form.clone()).await;
        let copy = brought(&school, kind, &package.bytes).await;
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        assert_eq!(about(&school.admin, &format!("{}/{quiz}", engine(&copy))).await, before, "{form}");
    }
}

#[tokio::test]
async fn comments_of_a_question_come_back_as_text_and_as_what_they_were() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let own = json!({
        "question_name": "Oak", "question_type": "short_answer_question", "question_text": "<p>Say oak.</p>",
        "answers": [{ "answer_text": "oak", "answer_weight": 100 }],
        "correct_comments_html": "<p>Well <b>done</b></p>", "incorrect_comments": "Too short: 1 &lt; 2",
        "neutral_comments": "Both ways", "neutral_comments_html": "<p>Both <i>ways</i></p>",
    });
    question(&teacher, &quiz(&teacher, &course).await, own).await;
    let fields =
        ["correct", "incorrect", "neutral"].map(|name| [format!("{name}_comments"), format!("{name}_comments_html")]);
    for (export, kind) in formats() {
        let package = package(&teacher, &course, export.clone()).await;
        let copy = brought(&school, kind, &package.bytes).await;
        let quiz = school.admin.get(&copy.path("/quizzes")).await.is(200).ids()[0];
        let questions = school.admin.get(&copy.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
        let told: Value = fields.iter().flatten().map(|field| questions.json[0][field].clone()).collect();
        let expected = json!([
            "Well done",
            "<p>Well <b>done</b></p>",
            "Too short: 1 &lt; 2",
            null,
            "Both ways",
            "<p>Both <i>ways</i></p>",
        ]);
        assert_eq!(told, expected, "{export}");
    }
}

#[tokio::test]
async fn an_issue_tells_of_a_question_without_a_title_by_its_place() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, "Trees").await;
    // No question of the profile, with a picture where QTI 2.1 has none.
    let item = json!({ "item": { "entry_type": "Item", "points_possible": 1, "entry": {
        "item_body": "<pre>a <img src=\"https://example.com/a.png\"></pre>", "interaction_type_slug": "numeric",
        "interaction_data": {}, "properties": {}, "scoring_algorithm": "Numeric",
        "scoring_data": { "value": [{ "id": "a", "type": "exactResponse", "value": "42" }] },
    } } });
    make(&teacher, &format!("/api/quiz/v1/courses/{}/quizzes/{quiz}/items", course.id), item).await;
    for export in [json!({ "export_type": "common_cartridge" }), json!({ "export_type": "qti" })] {
        let export = exported(&teacher, &course.path(""), export).await;
        let listed = teacher.get(export["issues_url"].as_str().unwrap()).await.is(200);
        let about: Vec<_> = listed.json.as_array().unwrap().iter().map(|issue| issue["about"].clone()).collect();
        assert!(about.contains(&json!("Trees, question 2")) && !about.contains(&json!("")), "{listed}");
    }
}

#[tokio::test]
async fn empty_folders_come_with_a_cartridge_and_hidden_ones_stay_hidden() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let folder = async |folder: Value| teacher.post(&course.path("/folders")).json(folder).await.is(200).id();
    let open = folder(json!({ "name": "Empty & open" })).await;
    folder(json!({ "name": "Inner", "parent_folder_id": open, "lock_at": "2099-01-01T00:00:00Z" })).await;
    folder(json!({ "name": "Keys", "hidden": true })).await;
    let full = folder(json!({ "name": "Full" })).await;
    upload(&teacher, &course.path("/files"), json!({ "name": "a.txt", "parent_folder_id": full }), b"text").await;
    let told = async |client: &Client, course: &Course| {
        let list = client.get(&course.path("/folders")).await.is(200);
        let told = |own: &Value| {
            ["full_name", "hidden", "locked", "lock_at"].iter().map(|field| own[*field].clone()).collect()
        };
        let mut told: Vec<Value> = list.json.as_array().unwrap().iter().map(told).collect();
        told.sort_by_key(ToString::to_string);
        told
    };
    let before = told(&teacher, &course).await;
    assert_eq!(before.len(), 5, "{before:?}");
    for version in ["1.3", "1.1"] {
        let package =
            package(&teacher, &course, json!({ "export_type": "common_cartridge", "version": version })).await;
        package.is_sound();
        assert!(!package.has("export-report.txt"), "{}", package.text("export-report.txt"));
        let copy = brought(&school, "common_cartridge_importer", &package.bytes).await;
        assert_eq!(told(&school.admin, &copy).await, before, "{version}");
    }
    let chosen = json!({ "export_type": "common_cartridge", "select": { "folders": [open] } });
    let chosen = package(&teacher, &course, chosen).await;
    let copy = brought(&school, "common_cartridge_importer", &chosen.bytes).await;
    assert_eq!(told(&school.admin, &copy).await.len(), 3);
}

#[tokio::test]
async fn a_link_that_downloads_a_file_downloads_it_after_an_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "a b.txt" }), b"text").await;
    let own = format!("/courses/{}/files/{}", course.id, file.id());
    let links = ["/download?wrap=1", "/download?download_frd=1&amp;verifier=secret", "/preview", "?wrap=1"]
        .map(|end| format!("<a href=\"{own}{end}\">x</a>"));
    let page = json!({ "title": "Leaves", "body": links.concat() });
    make(&teacher, &course.path("/pages"), json!({ "wiki_page": page })).await;
    let package = package(&teacher, &course, json!({ "export_type": "common_cartridge" })).await;
    let written = package.text("wiki_content/leaves.html");
    assert!(written.contains("$IMS-CC-FILEBASE$/a%20b.txt?canvas_download=1&amp;canvas_qs_wrap=1\""), "{written}");
    assert!(written.contains("a%20b.txt?canvas_download=1&amp;canvas_qs_download_frd=1\""), "{written}");
    assert!(!written.contains("secret"), "{written}");
    let ends = ["/download?wrap=1", "/download?download_frd=1", "/preview", "/preview?wrap=1"];
    let copy = brought(&school, "common_cartridge_importer", &package.bytes).await;
    assert_eq!(ends_of(&school.admin, &copy, "leaves").await, ends);
}

/// What stands behind the id of the only file in the links of a page.
async fn ends_of(client: &Client, course: &Course, page: &str) -> Vec<String> {
    let file = client.get(&course.path("/files")).await.is(200).ids()[0];
    let body = client.get(&course.path(&format!("/pages/{page}"))).await.is(200)["body"].as_str().unwrap().to_owned();
    let address = format!("href=\"/courses/{}/files/{file}", course.id);
    let links = body.split(&address).skip(1);
    links.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect()
}

#[tokio::test]
async fn links_of_the_reference_system_open_files_as_they_say() {
    let school = School::start().await;
    let manifest = "<manifest identifier='m'><resources><resource identifier='g1' type='webcontent'>
        <file href='wiki_content/guide.html'/></resource><resource identifier='g2' type='webcontent'>
        <file href='web_resources/leaf.txt'/></resource></resources></manifest>";
    let links = [
        "$IMS-CC-FILEBASE$/leaf.txt?canvas_download=1&amp;canvas_qs_wrap=1",
        "%24IMS-CC-FILEBASE%24/leaf.txt?canvas_=1&amp;canvas_qs_wrap=1",
        "$IMS-CC-FILEBASE$/leaf.txt",
    ]
    .map(|address| format!("<a href=\"{address}\">x</a>"));
    let guide = format!("<html><head><title>Guide</title></head><body>{}</body></html>", links.concat());
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("wiki_content/guide.html", guide.as_bytes()),
        ("web_resources/leaf.txt", b"leaf"),
    ]);
    let course = brought(&school, "canvas_cartridge_importer", &bytes).await;
    let ends = ["/download?wrap=1", "/preview?wrap=1", "/preview"];
    assert_eq!(ends_of(&school.admin, &course, "guide").await, ends);
}

#[tokio::test]
async fn the_text_that_stands_for_an_expression_comes_back_in_every_format() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let engine = |course: &Course| format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = make(&teacher, &engine(&course), json!({ "quiz": { "title": "Seeds" } })).await.id();
    let blank = "0b7c1b8e-1111-4222-8333-44445555666a";
    let scoring = json!({ "value": "^a[0-9]+$", "blank_text": "a1" });
    let entry = json!({
        "title": "Code", "item_body": format!("<p>Say <span id=\"blank_{blank}\"></span></p>"),
        "interaction_type_slug": "rich-fill-blank", "scoring_algorithm": "MultipleMethods", "properties": {},
        "interaction_data": { "blanks": [{ "id": blank, "answer_type": "openEntry" }] },
        "scoring_data": { "value": [{ "id": blank, "scoring_algorithm": "TextRegex", "scoring_data": scoring }] },
    });
    let item = json!({ "item": { "entry_type": "Item", "points_possible": 1, "entry": entry } });
    make(&teacher, &format!("{}/{quiz}/items", engine(&course)), item).await;
    for (export, kind) in formats() {
        let package = package(&teacher, &course, export.clone()).await;
        let copy = brought(&school, kind, &package.bytes).await;
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
        let read = &items.json[0]["entry"]["scoring_data"]["value"][0];
        assert_eq!((&read["scoring_algorithm"], &read["scoring_data"]), (&json!("TextRegex"), &scoring), "{export}");
    }
}
