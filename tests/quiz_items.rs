//! Items of new quizzes, the banks and stimuli they draw on, and media.

mod media;
mod sizes;
mod stimuli_and_banks;

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Response, School, recent, running, text_id};

const A: &str = "0b7c1b8e-1111-4222-8333-444455556661";
const B: &str = "0b7c1b8e-1111-4222-8333-444455556662";
const C: &str = "0b7c1b8e-1111-4222-8333-444455556663";

/// A course with its teacher, and a new quiz in it.
struct Room {
    school: School,
    course: Course,
    teacher: Client,
    student: Client,
    /// The path of the course in the quiz engine.
    engine: String,
    /// The path of the quiz.
    quiz: String,
}

impl Room {
    async fn new() -> Self {
        let school = School::start().await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let engine = format!("/api/quiz/v1/courses/{}", course.id);
        let quiz = new_quiz(&teacher, &engine).await;
        Self { school, course, teacher, student, engine, quiz }
    }

    fn items(&self) -> String {
        format!("{}/items", self.quiz)
    }

    fn item(&self, id: i64) -> String {
        format!("{}/items/{id}", self.quiz)
    }

    async fn create(&self, item: Value) -> Response {
        self.teacher.post(&self.items()).json(json!({ "item": item })).await
    }

    async fn with_item(&self, title: &str) -> i64 {
        self.create(item(true_false(title))).await.is(200).id()
    }

    async fn change(&self, id: i64, item: Value) -> Response {
        self.teacher.patch(&self.item(id)).json(json!({ "item": item })).await
    }

    /// Titles and positions of the items, as they are listed.
    async fn order(&self) -> Vec<(String, i64)> {
        let listed = self.teacher.get(&self.items()).await.is(200);
        let title = |item: &Value| item["entry"]["title"].as_str().unwrap().to_owned();
        let place = |item: &Value| (title(item), item["position"].as_i64().unwrap());
        listed.json.as_array().unwrap().iter().map(place).collect()
    }
}

async fn new_quiz(teacher: &Client, engine: &str) -> String {
    let quiz = json!({ "quiz": { "title": "Seeds" } });
    let id = teacher.post(&format!("{engine}/quizzes")).json(quiz).await.is(200).id();
    format!("{engine}/quizzes/{id}")
}

fn item(entry: Value) -> Value {
    json!({ "entry_type": "Item", "entry": entry })
}

fn true_false(title: &str) -> Value {
    json!({
        "title": title,
        "item_body": "<p>Is it so?</p>",
        "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
        "scoring_data": { "value": true },
        "scoring_algorithm": "Equivalence",
    })
}

fn choice() -> Value {
    json!({
        "item_body": "<p>Which?</p>",
        "interaction_type_slug": "choice",
        "interaction_data": { "choices": [
            { "id": A, "position": 1, "item_body": "<p>One</p>" }, { "id": B, "position": 2, "item_body": "<p>Other</p>" },
        ] },
        "properties": { "shuffle_rules": { "choices": { "to_lock": [0], "shuffled": true } }, "vary_points_by_answer": false },
        "scoring_data": { "value": A },
        "answer_feedback": { A: "<p>Yes</p>" },
        "scoring_algorithm": "Equivalence",
    })
}

/// `entry` with one of its fields changed.
fn with(mut entry: Value, field: &str, value: Value) -> Value {
    entry[field] = value;
    entry
}

fn in_order(titles: &[&str]) -> Vec<(String, i64)> {
    titles.iter().zip(1..).map(|(title, position)| ((*title).to_owned(), position)).collect()
}

#[tokio::test]
async fn an_item_has_exactly_the_documented_keys() {
    let room = Room::new().await;
    let created = room.create(item(true_false("Warm-up"))).await.is(200);
    let entry = &created["entry"];
    let expected = json!({
        "id": text_id(&created["id"]), "position": 1, "points_possible": 1.0, "entry_type": "Item", "entry_editable": true,
        "stimulus_quiz_entry_id": null, "status": "mutable", "properties": null,
        "entry": {
            "id": text_id(&entry["id"]), "title": "Warm-up", "item_body": "<p>Is it so?</p>", "calculator_type": "none",
            "feedback": { "neutral": "", "correct": "", "incorrect": "" }, "interaction_type_slug": "true-false",
            "interaction_data": { "true_choice": "Yes", "false_choice": "No" }, "properties": {},
            "scoring_data": { "value": true }, "answer_feedback": {}, "scoring_algorithm": "Equivalence",
            "created_at": recent(&entry["created_at"]), "updated_at": recent(&entry["updated_at"]),
        },
    });
    assert_eq!(created.json, expected);
    assert_eq!(room.teacher.get(&room.item(created.id())).await.is(200).json, expected);
    assert_eq!(room.teacher.get(&room.items()).await.is(200).json, json!([expected]));
}

#[tokio::test]
async fn every_type_of_question_reads_back_as_it_was_sent() {
    let room = Room::new().await;
    for entry in xtask::items::all() {
        let slug = &entry["interaction_type_slug"];
        let created = room.create(item(entry.clone())).await.is(200);
        let shown = room.teacher.get(&room.item(created.id())).await.is(200);
        assert_eq!(shown.json, created.json, "{slug}");
        for (field, sent) in entry.as_object().unwrap() {
            assert_eq!(shown["entry"][field], *sent, "{field} of {slug}");
        }
    }
    assert_eq!(room.teacher.get(&room.items()).await.is(200).ids().len(), 12);
}

#[tokio::test]
async fn a_form_says_the_same_as_json() {
    let room = Room::new().await;
    let form = [
        ("item[entry_type]", "Item"),
        ("item[points_possible]", "2.5"),
        ("item[entry][title]", "Warm-up"),
        ("item[entry][item_body]", "<p>Is it so?</p>"),
        ("item[entry][interaction_type_slug]", "true-false"),
        ("item[entry][interaction_data][true_choice]", "Yes"),
        ("item[entry][interaction_data][false_choice]", "No"),
        ("item[entry][scoring_data][value]", "true"),
        ("item[entry][scoring_algorithm]", "Equivalence"),
        ("item[properties]", "{}"),
    ];
    let by_form = room.teacher.post(&room.items()).form(&form).await.is(200);
    let by_json = room.create(with(item(true_false("Warm-up")), "points_possible", json!(2.5))).await.is(200);
    assert_eq!(by_form["points_possible"], 2.5);
    for field in ["title", "interaction_data", "scoring_data", "properties"] {
        assert_eq!(by_form["entry"][field], by_json["entry"][field], "{field}");
    }
}

#[tokio::test]
async fn choices_are_read_in_both_spellings() {
    let room = Room::new().await;
    let camel = json!({
        "item_body": "<p>Which?</p>",
        "interaction_type_slug": "choice",
        "interaction_data": { "choices": [
            { "id": A, "position": 1, "itemBody": "<p>One</p>" }, { "id": B, "position": 2, "itemBody": "<p>Other</p>" },
        ] },
        "properties": { "shuffleRules": { "choices": { "toLock": [0], "shuffled": true } }, "varyPointsByAnswer": false },
        "scoring_data": { "value": A },
        "answer_feedback": { A: "<p>Yes</p>" },
        "scoring_algorithm": "Equivalence",
    });
    let (one, other) = (room.create(item(camel)).await.is(200), room.create(item(choice())).await.is(200));
    for field in ["interaction_data", "properties", "scoring_data", "answer_feedback"] {
        assert_eq!(one["entry"][field], other["entry"][field], "{field}");
    }
    assert_eq!(one["entry"]["interaction_data"]["choices"][0]["item_body"], "<p>One</p>");
}

#[tokio::test]
async fn what_the_rules_refuse_is_told_in_the_words_of_the_engine() {
    let room = Room::new().await;
    let refused = [
        with(item(true_false("x")), "points_possible", json!(0)),
        with(item(true_false("x")), "points_possible", json!(-1)),
        with(item(true_false("x")), "entry_type", json!("Stimulus")),
        with(item(true_false("x")), "entry_type", json!("Bank")),
        item(with(true_false("x"), "interaction_type_slug", json!("fill-blank"))),
        item(with(true_false("x"), "interaction_type_slug", json!("riddle"))),
        item(with(true_false("x"), "scoring_algorithm", json!("Numeric"))),
        item(with(true_false("x"), "item_body", json!(" "))),
        item(with(true_false("x"), "calculator_type", json!("abacus"))),
        item(with(true_false("x"), "answer_feedback", json!({ A: "no" }))),
        item(with(choice(), "scoring_data", json!({ "value": C }))),
        item(with(choice(), "answer_feedback", json!({ C: "of no choice" }))),
    ];
    for body in refused {
        let answer = room.create(body.clone()).await;
        assert_eq!(answer.status, 422, "{body} {answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with("Validation failed: "), "{answer}");
        assert_eq!(answer["errors"], json!([{ "error_type": "ActiveRecord::RecordInvalid", "message": error }]));
    }
    assert_eq!(room.order().await, []);
}

#[tokio::test]
async fn what_authors_write_is_kept_as_html() {
    let room = Room::new().await;
    let coloured = |number: usize| format!("<font color=\"#{:06x}\">word</font>", number % 16);
    let paragraph = "<p>An <strong style=\"color:#c00\">oak</strong> is a tree</p>";
    let bodies = [
        format!("<p>{}</p>", (0..200).map(coloured).collect::<String>()),
        paragraph.repeat(600),
        format!("<p>{}</p>", "a line<br>".repeat(4000)),
        format!("<p>{}</p>", "2 &lt; 3 &amp; ".repeat(2000)),
    ];
    for body in bodies {
        let created = room.create(item(with(true_false("x"), "item_body", json!(body)))).await.is(200);
        let shown = room.teacher.get(&room.item(created.id())).await.is(200);
        assert_eq!(shown["entry"]["item_body"], body);
    }
}

#[tokio::test]
async fn what_is_too_long_or_too_deep_to_be_read_is_refused() {
    let room = Room::new().await;
    let id = room.with_item("kept").await;
    for body in [
        format!("<p>{}</p>", "x".repeat(140_000)),
        "&".repeat(30_000),
        format!("{}x{}", "<div>".repeat(10_000), "</div>".repeat(10_000)),
        "<b><i><u>".repeat(6000),
    ] {
        let entry = with(true_false("x"), "item_body", json!(body));
        for answer in [room.create(item(entry.clone())).await, room.change(id, json!({ "entry": entry })).await] {
            assert_eq!(answer.status, 422);
            let error = answer["error"].as_str().unwrap();
            assert!(error.starts_with("Validation failed: ") && error.contains("too"), "{error}");
        }
    }
    assert_eq!(room.order().await, in_order(&["kept"]));
}

#[tokio::test]
async fn a_title_has_255_characters_at_most() {
    let room = Room::new().await;
    let (longest, too_long) = ("ä".repeat(255), "ä".repeat(256));
    let id = room.with_item(&longest).await;
    room.create(item(true_false(&too_long))).await.is(422);
    room.change(id, json!({ "entry": { "title": too_long } })).await.is(422);
    let stimulus = json!({ "stimulus": { "title": too_long, "body": "<p>Trees</p>" } });
    room.teacher.post(&format!("{}/stimuli", room.quiz)).json(stimulus).await.is(422);
    let bank = json!({ "bank": { "title": too_long } });
    room.teacher.post(&format!("{}/banks", room.engine)).json(bank).await.is(422);
    assert_eq!(room.order().await, in_order(&[&longest]));
}

#[tokio::test]
async fn what_was_stored_under_older_rules_is_read_in_full_and_moved() {
    let room = Room::new().await;
    let created = room.create(item(true_false("old"))).await.is(200);
    room.with_item("new").await;
    let data = json!({ "blanks": [{ "id": "1", "answers": ["oak"] }], "word_bank": null });
    let sql = format!(
        "UPDATE question_items SET title = '{}', interaction_type_slug = 'fill-blank', interaction_data = '{data}',
         scoring_data = '{data}', properties = '{data}', scoring_algorithm = 'MultipleMethods' WHERE id = {}",
        "x".repeat(300),
        created["entry"]["id"].as_str().unwrap(),
    );
    if !running().change_database(&sql) {
        return;
    }
    let shown = room.teacher.get(&room.item(created.id())).await.is(200);
    assert_eq!(shown["entry"]["interaction_type_slug"], "fill-blank");
    for field in ["interaction_data", "scoring_data", "properties"] {
        assert_eq!(shown["entry"][field], data, "{field}");
    }
    let moved = room.change(created.id(), json!({ "position": 2 })).await.is(200);
    assert_eq!((&moved["position"], &moved["entry"]["title"]), (&json!(2), &shown["entry"]["title"]));
    assert_eq!(moved["entry"]["interaction_data"], data);
    room.change(created.id(), json!({ "entry": { "item_body": "<p>Which?</p>" } })).await.is(422);
    room.create(item(shown["entry"].clone())).await.is(422);
    room.teacher.delete(&room.item(created.id())).await.is(200);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let room = Room::new().await;
    room.teacher.post(&room.items()).json(json!({})).await.is_refused(400, "item");
    room.create(json!({ "entry": true_false("x") })).await.is_refused(400, "entry_type");
    room.create(json!({ "entry_type": "Item" })).await.is_refused(400, "entry");
    for field in ["item_body", "interaction_type_slug", "interaction_data", "scoring_data", "scoring_algorithm"] {
        let mut entry = true_false("x");
        entry.as_object_mut().unwrap().remove(field);
        room.create(item(entry)).await.is_refused(400, field);
    }
    assert_eq!(room.order().await, []);
}

#[tokio::test]
async fn an_update_changes_the_fields_it_names() {
    let room = Room::new().await;
    let created = room.create(item(choice())).await.is(200);
    let id = created.id();
    let retitled = room.change(id, json!({ "entry": { "title": "New" } })).await.is(200);
    assert_eq!(retitled["entry"]["title"], "New");
    for field in ["item_body", "interaction_data", "properties", "scoring_data", "answer_feedback", "scoring_algorithm"]
    {
        assert_eq!(retitled["entry"][field], created["entry"][field], "{field}");
    }
    let weighed = room.change(id, json!({ "points_possible": 3 })).await.is(200);
    assert_eq!((&weighed["points_possible"], &weighed["entry"]["title"]), (&json!(3.0), &json!("New")));
    for points in [json!(0), json!(-1), json!(1_000_001), json!(1e308)] {
        room.change(id, json!({ "points_possible": points })).await.is(422);
        room.create(json!({ "entry_type": "Item", "points_possible": points, "entry": choice() })).await.is(422);
    }
    let dear = room.change(id, json!({ "points_possible": 1_000_000 })).await.is(200);
    assert_eq!(dear["points_possible"], json!(1_000_000.0));
    let ignored = room.change(id, json!({ "status": "immutable", "entry_editable": false, "id": "7" })).await.is(200);
    assert_eq!((&ignored["status"], &ignored["entry_editable"], ignored.id()), (&json!("mutable"), &json!(true), id));
}

#[tokio::test]
async fn a_changed_answer_must_still_be_a_choice() {
    let room = Room::new().await;
    let id = room.create(item(choice())).await.is(200).id();
    room.change(id, json!({ "entry": { "scoring_data": { "value": C } } })).await.is(422);
    room.change(id, json!({ "entry": { "scoring_data": { "value": B } } })).await.is(200);
    let shown = room.teacher.get(&room.item(id)).await.is(200);
    assert_eq!(shown["entry"]["scoring_data"]["value"], B);
}

#[tokio::test]
async fn an_item_takes_the_place_it_asks_for_and_the_later_ones_move() {
    let room = Room::new().await;
    room.with_item("a").await;
    room.with_item("b").await;
    let last = room.with_item("c").await;
    assert_eq!(room.order().await, in_order(&["a", "b", "c"]));
    let second = with(item(true_false("new")), "position", json!(2));
    assert_eq!(room.create(second).await.is(200)["position"], 2);
    assert_eq!(room.order().await, in_order(&["a", "new", "b", "c"]));
    room.change(last, json!({ "position": 1 })).await.is(200);
    assert_eq!(room.order().await, in_order(&["c", "a", "new", "b"]));
    room.change(last, json!({ "position": 3 })).await.is(200);
    assert_eq!(room.order().await, in_order(&["a", "new", "c", "b"]));
    room.change(last, json!({ "position": 99 })).await.is(200);
    assert_eq!(room.order().await, in_order(&["a", "new", "b", "c"]));
}

#[tokio::test]
async fn a_deleted_item_leaves_no_gap() {
    let room = Room::new().await;
    room.with_item("a").await;
    let middle = room.with_item("b").await;
    room.with_item("c").await;
    let deleted = room.teacher.delete(&room.item(middle)).await.is(200);
    assert_eq!((deleted.id(), &deleted["entry"]["title"]), (middle, &json!("b")));
    assert_eq!(room.order().await, in_order(&["a", "c"]));
    room.teacher.get(&room.item(middle)).await.is(404);
    room.teacher.delete(&room.item(middle)).await.is(404);
}

#[tokio::test]
async fn the_ids_of_a_deleted_item_are_not_given_out_again() {
    let room = Room::new().await;
    let other = new_quiz(&room.teacher, &room.engine).await;
    let (mut ids, mut entries) = (BTreeSet::new(), BTreeSet::new());
    for quiz in [&room.quiz, &room.quiz, &other, &room.quiz] {
        let items = format!("{quiz}/items");
        let created = room.teacher.post(&items).json(json!({ "item": item(true_false("x")) })).await.is(200);
        assert!(ids.insert(created.id()), "again: {created}");
        assert!(entries.insert(created["entry"]["id"].to_string()), "again: {created}");
        room.teacher.delete(&format!("{items}/{}", created.id())).await.is(200);
    }
}

#[tokio::test]
async fn sixteen_writers_leave_the_places_dense() {
    let room = Room::new().await;
    let create = |number: i64| {
        let entry = item(true_false(&format!("item {number}")));
        let entry = if number % 2 == 0 { with(entry, "position", json!(1)) } else { entry };
        room.teacher.post(&room.items()).json(json!({ "item": entry }))
    };
    join_all((0..16).map(|number| async move { create(number).await.is(200) })).await;
    let ids = room.teacher.get(&room.items()).await.is(200).ids();
    let delete = |id: i64| room.teacher.delete(&room.item(id));
    let moved = |id: i64| room.teacher.patch(&room.item(id)).json(json!({ "item": { "position": 3 } }));
    let calls = ids.iter().enumerate().map(|(index, id)| if index % 4 == 0 { delete(*id) } else { moved(*id) });
    join_all(calls.map(|call| async move { call.await.is(200) })).await;
    let positions: Vec<_> = room.order().await.into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, (1..=12).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_list_is_whole_unless_a_page_is_asked_for() {
    let room = Room::new().await;
    join_all((0..25).map(|number| {
        let room = &room;
        async move { room.with_item(&format!("item {number}")).await }
    }))
    .await;
    assert_eq!(room.teacher.get(&room.items()).await.is(200).ids().len(), 25);
    let first = room.teacher.get(&format!("{}?per_page=10", room.items())).await.is(200);
    assert_eq!(first.ids().len(), 10);
    let second = room.teacher.get(&first.link("next").unwrap()).await.is(200);
    let third = room.teacher.get(&second.link("next").unwrap()).await.is(200);
    assert_eq!((second.ids().len(), third.ids().len(), third.link("next")), (10, 5, None));
}

#[tokio::test]
async fn staff_edit_and_students_do_not_even_read() {
    let room = Room::new().await;
    let path = room.item(room.with_item("a").await);
    let body = json!({ "item": item(true_false("b")) });
    for role in ["TaEnrollment", "DesignerEnrollment"] {
        let staff = room.course.member(&room.school, role).await;
        staff.get(&path).await.is(200);
        let id = staff.post(&room.items()).json(&body).await.is(200).id();
        staff.patch(&room.item(id)).json(json!({ "item": { "position": 1 } })).await.is(200);
        staff.delete(&room.item(id)).await.is(200);
    }
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    let stranger = room.school.person("stranger").await;
    for other in [&room.student, &observer, &stranger] {
        other.get(&path).await.is_forbidden();
        other.get(&room.items()).await.is_forbidden();
        other.post(&room.items()).json(&body).await.is_forbidden();
        other.patch(&path).json(&body).await.is_forbidden();
        other.delete(&path).await.is_forbidden();
        other.get(&format!("{}/media_upload_url", room.items())).await.is_forbidden();
    }
}

#[tokio::test]
async fn what_is_elsewhere_is_not_found_in_the_words_of_the_engine() {
    let room = Room::new().await;
    let id = room.with_item("a").await;
    let other_quiz = new_quiz(&room.teacher, &room.engine).await;
    let classic = json!({ "assignment": { "name": "Essay" } });
    let classic = room.teacher.post(&room.course.path("/assignments")).json(classic).await.is(201).id();
    for path in [
        format!("{other_quiz}/items/{id}"),
        format!("{}/quizzes/{classic}/items", room.engine),
        format!("{}/quizzes/9999999/items", room.engine),
        room.item(9_999_999),
        format!("{}/items/abc", room.quiz),
    ] {
        let answer = room.teacher.get(&path).await.is(404);
        assert_eq!(answer["errors"][0]["error_type"], "ActiveRecord::RecordNotFound", "{answer}");
    }
    let foreigner = School::start().await.admin;
    foreigner.get(&room.item(id)).await.is(404);
    foreigner.delete(&room.item(id)).await.is(404);
    room.teacher.get(&room.item(id)).await.is(200);
}

#[tokio::test]
async fn stimuli_and_banks_are_items_that_are_only_read() {
    let room = Room::new().await;
    let stimulus = json!({ "stimulus": { "title": "A wood", "body": "<p>Trees</p>", "orientation": "top" } });
    let stimulus = room.teacher.post(&format!("{}/stimuli", room.quiz)).json(stimulus).await.is(200);
    assert_eq!((&stimulus["entry_type"], &stimulus["entry"]["orientation"]), (&json!("Stimulus"), &json!("top")));
    let banks = format!("{}/banks", room.engine);
    let bank = room.teacher.post(&banks).json(json!({ "bank": { "title": "Trees" } })).await.is(200).id();
    let entry = json!({ "entry_type": "Item", "entry": true_false("Oak") });
    let entry = room.teacher.post(&format!("{banks}/{bank}/entries")).json(entry).await.is(200).id();
    let drawn = json!({ "bank_id": bank, "sample_num": 1 });
    let drawn = room.teacher.post(&format!("{}/bank_items", room.quiz)).json(drawn).await.is(200);
    assert_eq!(drawn["entry_type"], "Bank");
    assert_eq!(drawn["properties"], json!({ "sample_num": 1 }));
    let single = json!({ "bank_entry_id": entry });
    let single = room.teacher.post(&format!("{}/bank_entries", room.quiz)).json(single).await.is(200);
    assert_eq!((&single["entry_type"], &single["entry"]["entry_type"]), (&json!("BankEntry"), &json!("Item")));
    assert_eq!(single["entry"]["bank_id"], bank.to_string());

    let listed = room.teacher.get(&room.items()).await.is(200);
    let types: Vec<_> = listed.json.as_array().unwrap().iter().map(|item| item["entry_type"].clone()).collect();
    assert_eq!(types, ["Stimulus", "Bank", "BankEntry"]);
    for id in [stimulus.id(), drawn.id(), single.id()] {
        room.change(id, json!({ "points_possible": 2, "entry": { "title": "mine" } })).await.is(422);
    }
}

#[tokio::test]
async fn an_attempt_makes_the_items_immutable() {
    let room = Room::new().await;
    let id = room.with_item("a").await;
    room.teacher.patch(&room.quiz).json(json!({ "quiz": { "published": true } })).await.is(200);
    let attempt = json!({ "responses": { id.to_string(): true } });
    room.student.post(&format!("{}/attempts", room.quiz)).json(attempt).await.is(200);
    assert_eq!(room.teacher.get(&room.item(id)).await.is(200)["status"], "immutable");
    room.change(id, json!({ "entry": { "scoring_data": { "value": false } } })).await.is(422);
    room.change(id, json!({ "points_possible": 9 })).await.is(422);
    room.teacher.delete(&room.item(id)).await.is(422);
    let kept = room.change(id, json!({ "entry": { "title": "A better title" } })).await.is(200);
    assert_eq!(kept["entry"]["scoring_data"]["value"], true);
    room.with_item("one more").await;
}

#[tokio::test]
async fn the_same_written_as_a_form_is_no_change() {
    let room = Room::new().await;
    let id = room.with_item("a").await;
    let bank = room.teacher.post(&format!("{}/banks", room.engine)).json(json!({ "bank": { "title": "Trees" } })).await;
    let entries = format!("{}/banks/{}/entries", room.engine, bank.is(200).id());
    let entry = json!({ "entry_type": "Item", "entry": true_false("Oak") });
    let entry = room.teacher.post(&entries).json(entry).await.is(200).id();
    let single = json!({ "bank_entry_id": entry });
    room.teacher.post(&format!("{}/bank_entries", room.quiz)).json(single).await.is(200);
    room.teacher.patch(&room.quiz).json(json!({ "quiz": { "published": true } })).await.is(200);
    room.student.post(&format!("{}/attempts", room.quiz)).json(json!({ "responses": {} })).await.is(200);

    for (path, prefix) in [(room.item(id), "item[entry]"), (format!("{entries}/{entry}"), "entry")] {
        let sent = async |right: &str| {
            let fields = [
                ("[title]", "A better title"),
                ("[item_body]", "<p>Is it so?</p>"),
                ("[interaction_type_slug]", "true-false"),
                ("[interaction_data][true_choice]", "Yes"),
                ("[interaction_data][false_choice]", "No"),
                ("[properties]", ""),
                ("[scoring_data][value]", right),
                ("[scoring_algorithm]", "Equivalence"),
            ];
            let fields = fields.map(|(name, value)| (format!("{prefix}{name}"), value));
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            room.teacher.patch(&path).form(&fields).await
        };
        let kept = sent("true").await.is(200);
        assert_eq!(kept["entry"]["title"], "A better title");
        assert_eq!(kept["entry"]["scoring_data"], json!({ "value": true }));
        sent("false").await.is_refused(422, "is immutable");
        sent("perhaps").await.is_refused(422, "is immutable");
    }
}

#[tokio::test]
async fn what_is_archived_is_drawn_and_listed_no_more() {
    let room = Room::new().await;
    let banks = format!("{}/banks", room.engine);
    let bank = room.teacher.post(&banks).json(json!({ "bank": { "title": "Trees" } })).await.is(200).id();
    let path = format!("{banks}/{bank}");
    let entry = json!({ "entry_type": "Item", "entry": true_false("Oak") });
    let entry = room.teacher.post(&format!("{path}/entries")).json(entry).await.is(200).id();
    room.student.delete(&format!("{path}/entries/{entry}")).await.is(403);
    room.teacher.delete(&format!("{path}/entries/{entry}")).await.is(200);
    assert_eq!(room.teacher.get(&format!("{path}/entries")).await.is(200).json, json!([]));
    let single = json!({ "bank_entry_id": entry });
    room.teacher.post(&format!("{}/bank_entries", room.quiz)).json(single).await.is(422);

    room.student.delete(&path).await.is(403);
    assert_eq!(room.teacher.delete(&path).await.is(200).id(), bank);
    assert_eq!(room.teacher.get(&banks).await.is(200).json, json!([]));
    let drawn = json!({ "bank_id": bank, "sample_num": 1 });
    room.teacher.post(&format!("{}/bank_items", room.quiz)).json(drawn).await.is(422);
}
