//! What another format or another kind of quiz has no place for is kept where that can be, or else told by an issue.

use serde_json::{Value, json};
use support::{Client, Course, Response, School, make};

use super::{exported, package};
use crate::content_imports::{archive, imported, issues};

const A: &str = "0b7c1b8e-1111-4222-8333-44445555666a";
const B: &str = "0b7c1b8e-1111-4222-8333-44445555666b";
const C: &str = "0b7c1b8e-1111-4222-8333-44445555666c";
const D: &str = "0b7c1b8e-1111-4222-8333-44445555666d";

fn engine(course: &Course) -> String {
    format!("/api/quiz/v1/courses/{}/quizzes", course.id)
}

/// A classic quiz with these questions: its path.
async fn classic(teacher: &Client, course: &Course, questions: &[Value]) -> String {
    let quiz = json!({ "quiz": { "title": "Trees", "quiz_type": "assignment" } });
    let quiz = make(teacher, &course.path("/quizzes"), quiz).await.id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    for question in questions {
        make(teacher, &format!("{path}/questions"), json!({ "question": question })).await;
    }
    path
}

/// A new quiz with these questions: its path.
async fn new(teacher: &Client, course: &Course, entries: &[Value]) -> String {
    let quiz = make(teacher, &engine(course), json!({ "quiz": { "title": "Seeds" } })).await.id();
    let path = format!("{}/{quiz}", engine(course));
    for entry in entries {
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 4, "entry": entry } });
        make(teacher, &format!("{path}/items"), item).await;
    }
    path
}

/// A course with what a package brings, and the issues.
async fn brought(school: &School, form: Value, bytes: &[u8]) -> (Course, Vec<String>) {
    let copy = school.course("Botany again").await;
    let migration = imported(&school.admin, &copy, form, bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let told = issues(&school.admin, &migration).await;
    (copy, told.iter().map(|issue| issue["description"].as_str().unwrap().to_owned()).collect())
}

fn qti(as_new: bool) -> Value {
    json!({ "migration_type": "qti_converter", "settings": { "import_quizzes_next": as_new } })
}

/// The issues of an export.
async fn told(teacher: &Client, export: &Response) -> String {
    let listed = teacher.get(export["issues_url"].as_str().unwrap()).await.is(200);
    let line = |issue: &Value| format!("{}: {}\n", issue["about"].as_str().unwrap(), issue["description"]);
    listed.json.as_array().unwrap().iter().map(line).collect()
}

fn right(text: &str, comment: &str) -> Value {
    json!({ "answer_text": text, "answer_weight": 100, "answer_comments": comment })
}

fn wrong(text: &str, comment: &str) -> Value {
    json!({ "answer_text": text, "answer_weight": 0, "answer_comments": comment })
}

fn in_blank(answer: Value) -> Value {
    let mut answer = answer;
    answer["blank_id"] = json!("a");
    answer
}

/// Questions of which each answer has its comment.
fn commented() -> Vec<Value> {
    let question = |kind: &str, answers: Value| {
        json!({ "question_name": kind, "question_type": kind, "question_text": "<p>Which [a]?</p>",
                "points_possible": 2, "answers": answers })
    };
    let blanks = json!([in_blank(right("oak", "an oak")), in_blank(right("elm", "an elm"))]);
    let listed = json!([in_blank(right("oak", "an oak")), in_blank(wrong("elm", "no elm"))]);
    vec![
        question("short_answer_question", json!([right("oak", ""), right("elm", "an elm")])),
        question("fill_in_multiple_blanks_question", blanks),
        question("multiple_dropdowns_question", listed),
        question("multiple_answers_question", json!([right("oak", "an oak"), wrong("elm", "no elm")])),
    ]
}

#[tokio::test]
async fn comments_on_single_answers_come_back_and_those_on_all_of_them_stay_apart() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let mut questions = commented();
    questions.push(json!({
        "question_name": "One blank", "question_type": "fill_in_multiple_blanks_question",
        "question_text": "<p>An [a]</p>", "points_possible": 2, "answers": [in_blank(right("oak", ""))],
        "correct_comments": "Well done",
    }));
    let quiz = classic(&teacher, &course, &questions).await;
    let comments = |questions: &Response| -> Vec<Value> {
        let all = questions.json.as_array().unwrap().iter().flat_map(|own| own["answers"].as_array().unwrap().clone());
        all.map(|answer| json!([answer["text"], answer["comments"]])).collect()
    };
    let before = comments(&teacher.get(&format!("{quiz}/questions")).await.is(200));
    assert!(before.contains(&json!(["elm", "an elm"])), "{before:?}");
    for version in ["2.1", "1.2"] {
        let package = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": version })).await;
        let (copy, told) = brought(&school, qti(false), &package.bytes).await;
        assert!(told.is_empty(), "{told:?}");
        let quiz = school.admin.get(&copy.path("/quizzes")).await.is(200).ids()[0];
        let after = school.admin.get(&copy.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
        assert_eq!(comments(&after), before, "{version}");
        assert_eq!(after.json[4]["correct_comments"], "Well done", "{version}");
    }
}

#[tokio::test]
async fn a_new_quiz_tells_of_comments_and_points_that_it_has_no_place_for_and_keeps_parts_of_points() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let mut questions = commented();
    questions[0]["points_possible"] = json!(0);
    classic(&teacher, &course, &questions).await;
    for version in ["2.1", "1.2"] {
        let form = json!({ "export_type": "qti", "qti_version": version });
        let package = package(&teacher, &course, form).await;
        let (copy, told) = brought(&school, qti(true), &package.bytes).await;
        let lost = told.iter().filter(|issue| issue.contains("comments on single answers are left out")).count();
        assert_eq!(lost, 4, "{told:?}");
        assert!(told.iter().any(|issue| issue.contains("it is worth nothing")), "{told:?}");
        assert_eq!(told.len(), 5, "{told:?}");
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
        let several = items.json.as_array().unwrap().iter().map(|item| &item["entry"]);
        let several = several.into_iter().find(|entry| entry["interaction_type_slug"] == "multi-answer").unwrap();
        assert_eq!(several["scoring_algorithm"], "PartialScore", "classic quizzes give parts of the points");
    }
}

#[tokio::test]
async fn an_export_to_qti_2_1_tells_of_comments_on_what_people_grade() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let essay = |name: &str, correct: &str| {
        json!({ "question_name": name, "question_type": "essay_question", "question_text": "<p>Tell.</p>",
                "points_possible": 2, "correct_comments": correct, "neutral_comments": "Thanks" })
    };
    classic(&teacher, &course, &[essay("Oak", "Well done"), essay("Elm", "")]).await;
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "qti" })).await;
    let told = told(&teacher, &export).await;
    assert!(told.contains("Oak: \"in QTI 2.1 comments on right and wrong answers") && !told.contains("Elm"), "{told}");
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "qti", "qti_version": "1.2" })).await;
    assert_eq!(export["issues_count"], 0);
}

fn categorization(title: &str, method: Value) -> Value {
    let body = |id: &str, text: &str| json!({ "id": id, "item_body": text });
    let row = |id: &str, member: &str| json!({ "id": id, "scoring_data": { "value": [member] }, "scoring_algorithm": "AllOrNothing" });
    let mut scoring = json!({ "value": [row(A, C), row(B, D)] });
    if !method.is_null() {
        scoring["score_method"] = method;
    }
    json!({
        "title": title, "item_body": "<p>Sort.</p>", "interaction_type_slug": "categorization",
        "interaction_data": { "categories": { A: body(A, "Trees"), B: body(B, "Herbs") }, "category_order": [A, B],
                              "distractors": { C: body(C, "Oak"), D: body(D, "Mint") } },
        "properties": { "shuffle_rules": { "questions": { "shuffled": false } } },
        "scoring_data": scoring, "scoring_algorithm": "Categorization",
    })
}

#[tokio::test]
async fn categories_are_scored_as_before_after_a_way_through_qti_2_1() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let entries = [categorization("Whole", json!("all_or_nothing")), categorization("Shared", Value::Null)];
    let quiz = new(&teacher, &course, &entries).await;
    let methods = |items: &Response| -> Vec<Value> {
        let all = items.json.as_array().unwrap().iter();
        all.map(|item| item["entry"]["scoring_data"]["score_method"].clone()).collect()
    };
    let before = methods(&teacher.get(&format!("{quiz}/items")).await.is(200));
    assert_eq!(before[0], "all_or_nothing");
    let package = package(&teacher, &course, json!({ "export_type": "qti" })).await;
    // For other systems each category has its share, too.
    let shared =
        package.files().into_iter().map(|name| package.text(name)).find(|text| text.contains("title=\"Shared\""));
    let shared = shared.unwrap();
    assert!(shared.contains("<sum>") && shared.contains("0.5") && !shared.contains("match_correct"), "{shared}");
    let (copy, told) = brought(&school, qti(true), &package.bytes).await;
    assert!(told.is_empty(), "{told:?}");
    let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
    let after = methods(&school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200));
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_classic_quiz_is_graded_in_its_way_after_an_export_and_an_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = classic(&teacher, &course, &commented()).await;
    let assignment = teacher.get(&quiz).await.is(200)["assignment_id"].clone();
    let percent = json!({ "assignment": { "grading_type": "percent" } });
    teacher.put(&course.path(&format!("/assignments/{assignment}"))).json(percent).await.is(200);
    for (form, kind) in [
        (json!({ "export_type": "qti" }), "qti_converter"),
        (json!({ "export_type": "qti", "qti_version": "1.2" }), "qti_converter"),
        (json!({ "export_type": "common_cartridge" }), "common_cartridge_importer"),
    ] {
        let package = package(&teacher, &course, form.clone()).await;
        for as_new in [false, true] {
            let import = json!({ "migration_type": kind, "settings": { "import_quizzes_next": as_new } });
            let (copy, _) = brought(&school, import, &package.bytes).await;
            let assignments = school.admin.get(&copy.path("/assignments")).await.is(200);
            assert_eq!(assignments.json[0]["grading_type"], "percent", "{form}, {as_new}");
        }
    }
}

#[tokio::test]
async fn a_classic_quiz_tells_what_of_a_new_one_it_has_no_place_for() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let essay = json!({
        "title": "Essay", "item_body": "<p>Tell.</p>", "interaction_type_slug": "essay", "calculator_type": "basic",
        "interaction_data": { "word_limit_enabled": true, "word_limit_min": "1", "word_limit_max": "9" },
        "properties": {}, "scoring_data": { "value": "Look for roots" }, "scoring_algorithm": "None",
    });
    let upload = json!({
        "title": "Upload", "item_body": "<p>Draw.</p>", "interaction_type_slug": "file-upload",
        "interaction_data": { "files_count": "1", "restrict_count": true },
        "properties": { "allowed_types": "png", "restrict_types": true }, "scoring_data": { "value": "" },
        "scoring_algorithm": "None",
    });
    let picture = "<img src=\"https://example.com/a.png\" alt=\"leaf\">";
    let pairs = json!({
        "title": "Pairs", "item_body": "<p>Match.</p>", "interaction_type_slug": "matching",
        "interaction_data": { "answers": ["Oak", "Elm"], "questions": [{ "id": "1", "item_body": picture }] },
        "properties": { "shuffle_rules": { "questions": { "shuffled": false } } },
        "scoring_data": { "value": { "1": "Oak" } }, "scoring_algorithm": "DeepEquals",
    });
    new(&teacher, &course, &[essay, upload, pairs]).await;
    let package = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": "1.2" })).await;
    let (_, told) = brought(&school, qti(false), &package.bytes).await;
    for lost in [
        "Essay: its calculator is left out",
        "Essay: that words are counted, and how many there may be, is left out",
        "Essay: its notes for graders are left out",
        "Upload: how many files there may be, and which suffixes they have, is left out",
        "Pairs: pictures, formulas and the like in its halves are left out",
    ] {
        assert!(told.iter().any(|issue| issue.starts_with(lost)), "{lost}: {told:?}");
    }
}

#[tokio::test]
async fn a_text_beside_questions_stays_where_it_stands_after_a_way_through_qti_2_1() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new(&teacher, &course, &[]).await;
    let stimulus = json!({ "stimulus": {
        "title": "A text", "body": "<p>Once upon a time</p>", "instructions": "<p>Read it</p>", "orientation": "top",
        "source_url": "https://example.com/text", "passage": true,
    } });
    make(&teacher, &format!("{quiz}/stimuli"), stimulus).await;
    let shown = |items: &Response| {
        ["title", "body", "instructions", "orientation", "source_url", "passage"]
            .map(|name| items.json[0]["entry"][name].clone())
    };
    let before = shown(&teacher.get(&format!("{quiz}/items")).await.is(200));
    assert_eq!(before[3], "top");
    let package = package(&teacher, &course, json!({ "export_type": "qti" })).await;
    let (copy, told) = brought(&school, qti(true), &package.bytes).await;
    assert!(told.is_empty(), "{told:?}");
    let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
    let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
    assert_eq!(shown(&items), before);
}

#[tokio::test]
async fn each_of_several_right_choices_stays_right_or_an_issue_tells() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let answers = json!([right("Oak", ""), right("Elm", ""), wrong("Moss", "")]);
    let one = json!({ "question_name": "A tree", "question_type": "multiple_choice_question", "points_possible": 2,
                      "question_text": "<p>Name one.</p>", "answers": answers });
    let answers: Vec<_> = answers.as_array().unwrap().iter().cloned().map(in_blank).collect();
    let blank = json!({ "question_name": "In a blank", "question_type": "multiple_dropdowns_question",
                        "question_text": "<p>A [a]</p>", "points_possible": 1, "answers": answers });
    classic(&teacher, &course, &[one, blank]).await;
    for version in ["2.1", "1.2"] {
        let form = json!({ "export_type": "qti", "qti_version": version });
        let export = exported(&teacher, &course.path(""), form.clone()).await;
        let told = told(&teacher, &export).await;
        assert!(
            told.contains("In a blank: \"Of several right choices of a blank the first alone"),
            "{version}: {told}"
        );
        let package = package(&teacher, &course, form).await;
        let (copy, _) = brought(&school, qti(false), &package.bytes).await;
        let quiz = school.admin.get(&copy.path("/quizzes")).await.is(200).ids()[0];
        let questions = school.admin.get(&copy.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
        let answers = questions.json[0]["answers"].as_array().unwrap();
        let weights: Vec<_> = answers.iter().map(|answer| answer["weight"].as_f64().unwrap()).collect();
        assert_eq!(weights, [100.0, 100.0, 0.0], "{version}");
        let (copy, _) = brought(&school, qti(true), &package.bytes).await;
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
        let entry = &items.json[0]["entry"];
        let values = entry["scoring_data"]["values"].as_array().unwrap();
        let points: Vec<_> = values.iter().map(|value| value["points"].as_f64().unwrap()).collect();
        assert_eq!((&entry["scoring_algorithm"], points), (&json!("VaryPointsByAnswer"), vec![1.0, 1.0, 0.0]));
    }
}

#[tokio::test]
async fn a_draw_of_no_question_is_no_draw_of_a_new_quiz() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = classic(&teacher, &course, &[]).await;
    let group = json!({ "quiz_groups": [{ "name": "None of them", "question_points": 3 }] });
    let group = make(&teacher, &format!("{quiz}/groups"), group).await;
    let essay = json!({ "question": { "question_name": "Oak", "question_type": "essay_question", "points_possible": 1,
                                      "question_text": "<p>Write.</p>", "quiz_group_id": group["quiz_groups"][0]["id"] } });
    make(&teacher, &format!("{quiz}/questions"), essay).await;
    for version in ["2.1", "1.2"] {
        let form = json!({ "export_type": "qti", "qti_version": version });
        let package = package(&teacher, &course, form).await;
        let (copy, told) = brought(&school, qti(true), &package.bytes).await;
        assert!(told.iter().any(|told| told.contains("None of them: it picks no question")), "{version}: {told:?}");
        let quiz = school.admin.get(&engine(&copy)).await.is(200).ids()[0];
        let items = school.admin.get(&format!("{}/{quiz}/items", engine(&copy))).await.is(200);
        assert_eq!(items.json, json!([]), "{version}");
        let banks = school.admin.get(&format!("/api/quiz/v1/courses/{}/banks", copy.id)).await.is(200);
        assert_eq!([&banks.json[0]["title"], &banks.json[0]["entry_count"]], [&json!("None of them"), &json!(1)]);
    }
}

#[tokio::test]
async fn an_import_tells_of_settings_and_dates_that_it_cannot_keep() {
    let school = School::start().await;
    let meta = "<quiz><title>Q</title><quiz_type>survey</quiz_type><due_at>next week</due_at></quiz>";
    let qti = "<questestinterop><assessment ident='q' title='Q'><section ident='r'/></assessment></questestinterop>";
    let assignment = "<assignment identifier='a'><title>Paper</title><due_at>soon</due_at>\
        <lock_at>2099-02-01T00:00:00</lock_at><allowed_extensions>pdf,doc</allowed_extensions>\
        <turnitin_enabled>true</turnitin_enabled><workflow_state>published</workflow_state></assignment>";
    let manifest = "<manifest identifier='m'><resources>\
        <resource identifier='q' type='imsqti_xmlv1p2' href='q.xml'><file href='q.xml'/>\
        <dependency identifierref='s'/></resource>\
        <resource identifier='s' type='associatedcontent/x'><file href='q/assessment_meta.xml'/></resource>\
        <resource identifier='a' type='associatedcontent/x' href='a/paper.html'><file href='a/paper.html'/>\
        <file href='a/assignment_settings.xml'/></resource>\
        <resource identifier='c' type='associatedcontent/x' href='course_settings/canvas_export.txt'>\
        <file href='course_settings/grading_standards.xml'/></resource></resources></manifest>";
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("q.xml", qti.as_bytes()),
        ("q/assessment_meta.xml", meta.as_bytes()),
        ("a/paper.html", b"<html><body>Write.</body></html>"),
        ("a/assignment_settings.xml", assignment.as_bytes()),
        ("course_settings/grading_standards.xml", b"<gradingStandards/>"),
    ]);
    let form = json!({ "migration_type": "canvas_cartridge_importer", "settings": { "import_quizzes_next": true } });
    let (_, told) = brought(&school, form, &bytes).await;
    for expected in [
        "Q: new quizzes have no such setting: a practice quiz or a survey",
        "Q: its date \u{201c}due_at\u{201d} cannot be read, and is left out",
        "Paper: its date \u{201c}due_at\u{201d} cannot be read, and is left out",
        "Paper: which types of files may be handed in is not imported",
        "Paper: that another service looks for plagiarism is not imported",
        "c: grading schemes are not imported",
    ] {
        assert!(told.iter().any(|issue| issue.starts_with(expected)), "{expected}: {told:?}");
    }
    assert!(!told.iter().any(|issue| issue.contains("lock_at")), "{told:?}");
}
