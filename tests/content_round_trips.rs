//! Draws and settings of quizzes: an export, an import and an export again say the same, and what a package does not say is
//! told.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};
use support::{Client, Course, School, make};

use crate::assignment_overrides::made;
use crate::content_exports::{Package, exported, package};
use crate::content_imports::{archive, imported, issues};

/// Every setting that a new quiz has, none as it is by itself.
fn new_quiz_settings() -> Value {
    json!({
        "calculator_type": "scientific", "filter_ip_address": true, "filters": { "ips": [["10.0.0.1", "10.0.0.9"]] },
        "multiple_attempts": {
            "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 3, "score_to_keep": "first",
            "cooling_period": true, "cooling_period_seconds": 3600,
        },
        "one_at_a_time_type": "question", "allow_backtracking": true, "shuffle_answers": true,
        "shuffle_questions": true, "require_student_access_code": true, "student_access_code": "leaf & <bark>",
        "has_time_limit": true, "session_time_limit_in_seconds": 95,
        "result_view_settings": {
            "result_view_restricted": true, "display_points_awarded": true, "display_points_possible": false,
            "display_items": true, "display_item_response": true,
            "display_item_response_qualifier": "once_after_last_attempt",
            "show_item_responses_at": "2026-03-01T00:00:00Z", "display_item_response_correctness": true,
            "display_item_correct_answer": false, "display_item_feedback": true,
        },
    })
}

/// Of a classic quiz likewise.
fn classic_settings() -> Value {
    json!({
        "title": "Mosses", "quiz_type": "assignment", "description": "<p>Damp.</p>", "time_limit": 20,
        "shuffle_answers": true, "hide_results": "until_after_last_attempt", "show_correct_answers": true,
        "show_correct_answers_last_attempt": true, "show_correct_answers_at": "2026-03-01T00:00:00Z",
        "hide_correct_answers_at": "2026-04-01T00:00:00Z", "one_time_results": true,
        "scoring_policy": "keep_average", "allowed_attempts": 3, "one_question_at_a_time": true,
        "cant_go_back": true, "access_code": "fern", "ip_filter": "10.0.0.0/8,192.168.0.1",
        "due_at": "2026-02-01T00:00:00Z", "unlock_at": "2026-01-01T00:00:00Z", "lock_at": "2026-02-02T00:00:00Z",
    })
}

fn choice(title: &str) -> Value {
    let ids = ["0b7c1b8e-1111-4222-8333-44445555666a", "0b7c1b8e-1111-4222-8333-44445555666b"];
    let choices = json!([{ "id": ids[0], "position": 1, "item_body": "<p>Oak</p>" },
                         { "id": ids[1], "position": 2, "item_body": "<p>Elm</p>" }]);
    json!({
        "title": title, "item_body": "<p>Which one?</p>", "calculator_type": "basic",
        "interaction_type_slug": "choice", "interaction_data": { "choices": choices },
        "properties": { "shuffle_rules": { "choices": { "to_lock": [1], "shuffled": true } } },
        "scoring_data": { "value": ids[0] }, "scoring_algorithm": "Equivalence",
    })
}

/// A course with a new quiz that draws twice from a bank, and a classic one that draws from one of its own. The ids of both.
async fn quizzes(teacher: &Client, course: &Course) -> (i64, i64) {
    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let quiz = json!({ "quiz": {
        "title": "Leaves", "instructions": "<p>Take care.</p>", "points_possible": 20, "grading_type": "percent",
        "due_at": "2026-02-01T00:00:00Z", "quiz_settings": new_quiz_settings(),
    } });
    let quiz = make(teacher, &format!("{engine}/quizzes"), quiz).await.id();
    let bank = make(teacher, &format!("{engine}/banks"), json!({ "bank": { "title": "Trees" } })).await.id();
    for title in ["Oak", "Elm", "Ash"] {
        let entry = json!({ "entry_type": "Item", "entry": choice(title) });
        make(teacher, &format!("{engine}/banks/{bank}/entries"), entry).await;
    }
    let items = format!("{engine}/quizzes/{quiz}");
    make(teacher, &format!("{items}/bank_items"), json!({ "bank_id": bank, "sample_num": 2 })).await;
    let item = json!({ "item": { "entry_type": "Item", "points_possible": 2.5, "entry": choice("Its own") } });
    make(teacher, &format!("{items}/items"), item).await;
    make(teacher, &format!("{items}/bank_items"), json!({ "bank_id": bank })).await;

    let classic = make(teacher, &course.path("/quizzes"), json!({ "quiz": classic_settings() })).await.id();
    let bank = json!({ "question_bank": { "title": "Damp" } });
    let bank = make(teacher, &course.path("/question_banks"), bank).await.id();
    let answers =
        json!([{ "answer_text": "True", "answer_weight": 100 }, { "answer_text": "False", "answer_weight": 0 }]);
    for name in ["Moss", "Fern"] {
        let question = json!({ "question": {
            "question_name": name, "question_type": "true_false_question", "question_text": "<p>Is it damp?</p>",
            "points_possible": 2, "answers": answers,
        } });
        make(teacher, &course.path(&format!("/question_banks/{bank}/questions")), question).await;
    }
    let group = json!({ "quiz_groups": [{
        "name": "Two of them", "pick_count": 1, "question_points": 2, "assessment_question_bank_id": bank,
    }] });
    make(teacher, &course.path(&format!("/quizzes/{classic}/groups")), group).await;
    (quiz, classic)
}

/// What the course says of its quizzes, without what is another in each course.
async fn told(client: &Client, course: &Course) -> Value {
    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let quiz = client.get(&format!("{engine}/quizzes")).await.is(200).json[0].clone();
    let items = client.get(&format!("{engine}/quizzes/{}/items", quiz["id"].as_str().unwrap())).await.is(200);
    let item = |item: &Value| {
        let entry = ["title", "calculator_type", "scoring_data"].map(|name| item["entry"][name].clone());
        let shuffled = &item["entry"]["properties"]["shuffle_rules"];
        json!([item["entry_type"], item["points_possible"], item["properties"], entry, shuffled])
    };
    let items: Vec<_> = items.json.as_array().unwrap().iter().map(item).collect();
    let banks = client.get(&format!("{engine}/banks")).await.is(200);
    let banks: Vec<_> = banks.json.as_array().unwrap().iter().map(|bank| bank["title"].clone()).collect();
    let classic = client.get(&course.path("/quizzes")).await.is(200).json[0].clone();
    let groups = client.get(&course.path(&format!("/quizzes/{}/groups", classic["id"]))).await.is(200);
    let group = ["name", "pick_count", "question_points"].map(|name| groups["quiz_groups"][0][name].clone());
    let names = classic_settings().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let classic: Vec<_> = names.iter().map(|name| (name.clone(), classic[name].clone())).collect();
    let of_quiz = ["title", "instructions", "points_possible", "grading_type", "due_at", "quiz_settings"];
    let quiz: Vec<_> = of_quiz.iter().map(|name| quiz[*name].clone()).collect();
    json!({ "quiz": quiz, "items": items, "banks": banks, "classic": classic, "group": group })
}

/// The files of a package, in which ids are numbered in the order in which they come.
fn numbered(package: &Package) -> Vec<(String, String)> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut renumbered = |text: &str| {
        let mut written = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, from) = rest.split_at(at);
            let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
            let (digits, after) = from.split_at(end);
            let start = before.rfind(|c: char| !c.is_ascii_lowercase() && c != '-').map_or(0, |place| place + 1);
            let kind = before.get(start..).unwrap_or_default();
            let is_id = kind.len() > 2 && kind.ends_with('-');
            let next = known.len();
            let number = if is_id {
                known.entry(format!("{kind}{digits}")).or_insert(next).to_string()
            } else {
                digits.to_owned()
            };
            write!(written, "{before}{number}").unwrap();
            rest = after;
        }
        written + rest
    };
    package.files().into_iter().map(|name| (renumbered(name), renumbered(&package.text(name)))).collect()
}

#[tokio::test]
async fn draws_and_settings_are_the_same_after_an_export_and_an_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    quizzes(&teacher, &course).await;
    let before = told(&teacher, &course).await;
    for (form, kind) in [
        (json!({ "export_type": "qti", "qti_version": "2.1" }), "qti_converter"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "qti_converter"),
        (json!({ "export_type": "common_cartridge", "version": "1.3" }), "common_cartridge_importer"),
        (json!({ "export_type": "common_cartridge", "version": "1.1" }), "common_cartridge_importer"),
    ] {
        let first = package(&teacher, &course, form.clone()).await;
        let copy = school.course("Botany").await;
        let migration = imported(&school.admin, &copy, json!({ "migration_type": kind }), &first.bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{form}: {migration}");
        assert_eq!(json!(issues(&school.admin, &migration).await), json!([]), "{form}");
        let after = told(&school.admin, &copy).await;
        assert_eq!(after, before, "{form}");
        let second = package(&school.admin, &copy, form.clone()).await;
        for (before, after) in numbered(&first).iter().zip(numbered(&second)) {
            assert_eq!(after, *before, "{form}");
        }
        assert_eq!(second.files().len(), first.files().len(), "{form}");
    }
}

#[tokio::test]
async fn what_a_package_does_not_say_is_listed_with_its_export() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (quiz, classic) = quizzes(&teacher, &course).await;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes/{quiz}", course.id);
    let accommodated = json!([{ "user_id": student.id, "extra_time": 10 }]);
    teacher.post(&format!("{engine}/accommodations")).json(accommodated.clone()).await.is(200);
    let everywhere = format!("/api/quiz/v1/courses/{}/accommodations", course.id);
    teacher.post(&everywhere).json(accommodated).await.is(200);
    let extension = json!({ "quiz_extensions": [{ "user_id": student.id, "extra_time": 5 }] });
    teacher.post(&course.path(&format!("/quizzes/{classic}/extensions"))).json(extension).await.is(200);
    let path = course.path(&format!("/assignments/{quiz}/overrides"));
    made(&teacher, &path, json!({ "student_ids": [student.id], "due_at": "2026-03-01T00:00:00Z" })).await;

    let export = exported(&teacher, &course.path(""), json!({ "export_type": "qti" })).await;
    let listed = teacher.get(export["issues_url"].as_str().unwrap()).await.is(200);
    let listed = listed.json.as_array().unwrap().clone();
    assert_eq!(export["issues_count"], listed.len());
    let told = |about: &str, description: &str| {
        let is_told = |issue: &Value| {
            issue["about"] == about && issue["description"].as_str().is_some_and(|text| text.contains(description))
        };
        assert!(listed.iter().any(is_told), "{about}, {description}: {listed:?}");
    };
    told("Leaves", "accommodations of students (extra time, extra attempts and the like) are left out (1)");
    told("Leaves", "dates of single students, sections or groups are left out (1)");
    told("All new quizzes", "accommodations of students");
    told("Mosses", "accommodations of students");
    told("Leaves", "the waiting time between attempts, that the first score counts");
    told("Mosses", "the access code");
    assert_eq!(listed[0]["id"], 1);
    let first = teacher.get(&format!("{}?per_page=1", export["issues_url"].as_str().unwrap())).await.is(200);
    assert_eq!(first.json, json!([listed[0]]));
    student.get(export["issues_url"].as_str().unwrap()).await.is_forbidden();
    teacher.get(&course.path("/content_exports/1000000000/issues")).await.is_not_found();

    upload_and_list(&teacher, "/api/v1/users/self").await;
    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    upload_and_list(&teacher, &format!("/api/v1/groups/{group}")).await;
}

/// Packages of nothing but files have issues, too: here none.
async fn upload_and_list(client: &Client, owner: &str) {
    let export = exported(client, owner, json!({ "export_type": "zip" })).await;
    assert_eq!(export["issues_count"], 0);
    assert_eq!(client.get(export["issues_url"].as_str().unwrap()).await.is(200).json, json!([]));
}

/// A package with a quiz, its settings as the reference system has them, and a file of Lectern beside it.
fn foreign(meta: &str, own: &str) -> Vec<u8> {
    let manifest = "<manifest identifier='m'><resources>\
        <resource identifier='new-quiz-1' type='imsqti_xmlv1p2' href='q.xml'><file href='q.xml'/><dependency identifierref='s'/></resource>\
        <resource identifier='s' type='associatedcontent/x'><file href='q/assessment_meta.xml'/><file href='q/lectern_quiz.xml'/>\
        </resource></resources></manifest>";
    let draw = "<section ident='draw'><selection_ordering><selection><sourcebank_ref>gone</sourcebank_ref>\
        <selection_number>2</selection_number></selection></selection_ordering></section>";
    let qti = format!(
        "<questestinterop><assessment ident='new-quiz-1' title='Q'><section ident='r'>{draw}</section></assessment></questestinterop>"
    );
    archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("q.xml", qti.as_bytes()),
        ("q/assessment_meta.xml", meta.as_bytes()),
        ("q/lectern_quiz.xml", own.as_bytes()),
    ])
}

#[tokio::test]
async fn a_package_that_says_what_no_quiz_takes_brings_the_rest_and_an_issue_for_each() {
    let school = School::start().await;
    let meta = "<quiz><title>Leaves</title><ip_filter>10.0.0.0/24</ip_filter><allowed_attempts>-1</allowed_attempts>\
        <scoring_policy>keep_latest</scoring_policy><one_time_results>true</one_time_results><cant_go_back>true</cant_go_back>\
        <one_question_at_a_time>true</one_question_at_a_time><require_lockdown_browser>true</require_lockdown_browser>\
        <show_correct_answers_at>soon</show_correct_answers_at></quiz>";
    let own = "<quiz xmlns='urn:lectern:quiz:1' identifier='new-quiz-1'><new_quiz_settings><calculator_type>abacus</calculator_type>\
        <shuffle_questions>true</shuffle_questions><nonsense>1</nonsense></new_quiz_settings></quiz>";
    let import = async |own: &str, as_new: bool| {
        let copy = school.course("Botany").await;
        let form = json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": as_new } });
        let migration = imported(&school.admin, &copy, form, &foreign(meta, own)).await;
        assert_eq!(migration["workflow_state"], "completed", "{migration}");
        (copy, json!(issues(&school.admin, &migration).await).to_string())
    };
    let (copy, told) = import(own, true).await;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", copy.id);
    let settings = school.admin.get(&engine).await.is(200).json[0]["quiz_settings"].clone();
    assert_eq!((&settings["shuffle_questions"], &settings["calculator_type"]), (&json!(true), &json!("none")));
    assert_eq!(settings["filters"], json!({ "ips": [["10.0.0.0", "10.0.0.255"]] }));
    assert_eq!(settings["multiple_attempts"]["score_to_keep"], "latest");
    for issue in ["calculator_type", "nonsense", "lockdown browser", "a bank that is not in the package"] {
        assert!(told.contains(issue), "{issue}: {told}");
    }
    let (copy, told) = import("<quiz", false).await;
    let classic = school.admin.get(&copy.path("/quizzes")).await.is(200).json[0].clone();
    assert_eq!((&classic["one_time_results"], &classic["scoring_policy"]), (&json!(true), &json!("keep_latest")));
    assert_eq!((&classic["ip_filter"], &classic["cant_go_back"]), (&json!("10.0.0.0/24"), &json!(true)));
    for issue in ["show_correct_answers_at", "lectern_quiz.xml"] {
        assert!(told.contains(issue), "{issue}: {told}");
    }
}

#[tokio::test]
async fn points_that_are_no_number_are_told_by_an_import() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let quiz = "<questestinterop><assessment ident=\"q\" title=\"Seeds\"><section ident=\"s\"><item ident=\"i\" title=\"Why\">\
        <itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>essay_question</fieldentry>\
        </qtimetadatafield><qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>two</fieldentry></qtimetadatafield>\
        </qtimetadata></itemmetadata><presentation><material><mattext>Why?</mattext></material></presentation></item>\
        </section></assessment></questestinterop>";
    let manifest = "<manifest identifier=\"m\"><resources><resource identifier=\"r\" type=\"imsqti_xmlv1p2\" href=\"quiz.xml\">\
        <file href=\"quiz.xml\"/></resource></resources></manifest>";
    let bytes = archive(&[("imsmanifest.xml", manifest.as_bytes()), ("quiz.xml", quiz.as_bytes())]);
    let migration = imported(&school.admin, &course, json!({ "migration_type": "qti_converter" }), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let told = issues(&school.admin, &migration).await;
    let expected = "Why: its points \u{201c}two\u{201d} are no number: it is worth 1";
    assert_eq!((told.len(), &told[0]["issue_type"], &told[0]["description"]), (1, &json!("warning"), &json!(expected)));
    let quiz = school.admin.get(&course.path("/quizzes")).await.is(200).ids()[0];
    let questions = school.admin.get(&course.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
    assert_eq!(questions.json[0]["points_possible"], 1.0);
}

/// An essay of QTI 1.2 that says so many points.
fn essay(title: &str, points: &str) -> String {
    let field = |label: &str, entry: &str| {
        format!("<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>")
    };
    let fields = [field("question_type", "essay_question"), field("points_possible", points)].concat();
    format!(
        "<item ident=\"{title}\" title=\"{title}\"><itemmetadata><qtimetadata>{fields}</qtimetadata></itemmetadata>\
         <presentation><material><mattext>Why?</mattext></material></presentation></item>"
    )
}

/// A package of one quiz with these items, and with these other resources and files.
fn of_items(items: &str, resources: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let quiz = format!(
        "<questestinterop><assessment ident=\"q\" title=\"Seeds\"><section ident=\"s\">{items}</section></assessment></questestinterop>"
    );
    let manifest = format!(
        "<manifest identifier=\"m\"><resources><resource identifier=\"r\" type=\"imsqti_xmlv1p2\" href=\"quiz.xml\">\
         <file href=\"quiz.xml\"/></resource>{resources}</resources></manifest>"
    );
    let own = [("imsmanifest.xml", manifest.as_str()), ("quiz.xml", quiz.as_str())];
    let all: Vec<_> = own.iter().chain(files).map(|(name, text)| (*name, text.as_bytes())).collect();
    archive(&all)
}

fn descriptions(told: &[Value]) -> Vec<&str> {
    told.iter().map(|issue| issue["description"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn points_that_the_api_would_not_take_are_not_taken_from_a_package() {
    let school = School::start().await;
    let items = [essay("Why", "1e308"), essay("How", "1000000000"), essay("When", "2000000")].concat();
    let assignment = "<assignment identifier=\"a\" xmlns=\"http://www.imsglobal.org/xsd/imscc_extensions/assignment\">\
        <title>Herbarium</title><text texttype=\"text/html\">x</text><gradable points_possible=\"1e308\">true</gradable></assignment>";
    let resource =
        "<resource identifier=\"a\" type=\"assignment_xmlv1p0\" href=\"a.xml\"><file href=\"a.xml\"/></resource>";
    let bytes = of_items(&items, resource, &[("a.xml", assignment)]);
    let too_large = |about: &str, points: &str, instead: &str| {
        format!("{about}: its points \u{201c}{points}\u{201d} are too large: {instead}")
    };
    let expected = [
        too_large("Why", "1e308", "it is worth 1"),
        too_large("How", "1000000000", "it is worth 1"),
        too_large("Herbarium", "1e308", "it gives none"),
    ];
    let import = async |as_new: bool| {
        let course = school.course("Botany").await;
        let settings = json!({ "import_quizzes_next": as_new });
        let form = json!({ "migration_type": "common_cartridge_importer", "settings": settings });
        let migration = imported(&school.admin, &course, form, &bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{migration}");
        let told = issues(&school.admin, &migration).await;
        let told: Vec<_> = descriptions(&told).into_iter().map(str::to_owned).collect();
        (course, told)
    };
    let (course, told) = import(false).await;
    for issue in &expected {
        assert!(told.contains(issue), "{issue}: {told:?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:?}");
    let quizzes = school.admin.get(&course.path("/quizzes")).await.is(200);
    assert_eq!(quizzes.json[0]["points_possible"], 2_000_002.0);
    let assignments = school.admin.get(&course.path("/assignments")).await.is(200);
    let herbarium = assignments.json.as_array().unwrap().iter().find(|own| own["name"] == "Herbarium").unwrap();
    assert_eq!(herbarium["points_possible"], Value::Null);

    let (course, told) = import(true).await;
    let cut = "When: its points 2000000 are too large for a new quiz: it is worth 1000000";
    assert!(told.iter().any(|issue| issue == cut), "{told:?}");
    assert_eq!(told.len(), expected.len() + 1, "{told:?}");
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = school.admin.get(&engine).await.is(200).ids()[0];
    let items = school.admin.get(&format!("{engine}/{quiz}/items")).await.is(200);
    let points: Vec<_> = items.json.as_array().unwrap().iter().map(|item| &item["points_possible"]).collect();
    assert_eq!(points, [1.0, 1.0, 1_000_000.0]);
}
