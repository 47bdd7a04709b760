//! Stimuli, banks and entries of banks that stand in a new quiz: how they change, move and go.

use super::*;
use crate::round_trips::statements;

/// A quiz in which a stimulus, a bank and an entry of it stand, in this order.
struct Shelf {
    room: Room,
    stimulus: i64,
    bank: i64,
    entry: i64,
    /// The bank itself, and where it is.
    bank_id: i64,
    bank_path: String,
}

impl Shelf {
    async fn new() -> Self {
        let room = Room::new().await;
        let banks = format!("{}/banks", room.engine);
        let bank_id = room.teacher.post(&banks).json(json!({ "bank": { "title": "Trees" } })).await.is(200).id();
        let bank_path = format!("{banks}/{bank_id}");
        let oak = json!({ "entry_type": "Item", "entry": true_false("Oak") });
        let oak = room.teacher.post(&format!("{bank_path}/entries")).json(oak).await.is(200).id();
        let stimulus = json!({
            "title": "A wood", "body": "<p>Trees</p>", "instructions": "<p>Read</p>", "orientation": "top",
            "source_url": "https://wood.test/", "passage": true,
        });
        let stimulus = add(&room, "stimuli", stimulus).await;
        let bank = add(&room, "bank_items", json!({ "bank_id": bank_id, "sample_num": 1 })).await;
        let entry = add(&room, "bank_entries", json!({ "bank_entry_id": oak, "points_possible": 3 })).await;
        Self { room, stimulus, bank, entry, bank_id, bank_path }
    }

    /// The items with the words of their paths.
    fn items(&self) -> [(&'static str, i64); 3] {
        [("stimuli", self.stimulus), ("bank_items", self.bank), ("bank_entries", self.entry)]
    }

    fn path(&self, (word, id): (&str, i64)) -> String {
        format!("{}/{word}/{id}", self.room.quiz)
    }

    fn paths(&self) -> [String; 3] {
        self.items().map(|item| self.path(item))
    }

    async fn change(&self, item: (&str, i64), body: Value) -> Response {
        self.room.teacher.patch(&self.path(item)).json(body).await
    }

    async fn shown(&self, id: i64) -> Value {
        self.room.teacher.get(&self.room.item(id)).await.is(200).json
    }

    async fn listed(&self) -> Value {
        self.room.teacher.get(&self.room.items()).await.is(200).json
    }

    /// The ids in their order; the positions are dense.
    async fn order(&self) -> Vec<i64> {
        let listed = self.room.teacher.get(&self.room.items()).await.is(200);
        let positions = listed.json.as_array().unwrap().iter().map(|item| item["position"].as_i64().unwrap());
        assert!(positions.eq(1..=i64::try_from(listed.ids().len()).unwrap()), "{listed}");
        listed.ids()
    }

    /// What all that is asked is worth.
    async fn points(&self) -> Value {
        let preview = json!({ "preview": true });
        let preview = self.room.teacher.post(&format!("{}/sessions", self.room.quiz)).json(preview).await.is(200);
        let submit = format!("{}/sessions/{}/submit", self.room.quiz, preview.id());
        self.room.teacher.post(&submit).await.is(200);
        preview["points_possible"].clone()
    }

    async fn attempted(&self) {
        let Room { teacher, student, quiz, .. } = &self.room;
        teacher.patch(quiz).json(json!({ "quiz": { "published": true } })).await.is(200);
        student.post(&format!("{quiz}/attempts")).json(json!({ "responses": {} })).await.is(200);
    }
}

async fn add(room: &Room, word: &str, body: Value) -> i64 {
    room.teacher.post(&format!("{}/{word}", room.quiz)).json(body).await.is(200).id()
}

/// The item with some of its fields changed, and with the time of its last change if its entry has one.
fn changed(mut item: Value, fields: &[(&str, Value)], after: &Response) -> Value {
    for (pointer, value) in fields {
        *item.pointer_mut(pointer).unwrap() = value.clone();
    }
    if let Some(updated_at) = item["entry"].get_mut("updated_at") {
        *updated_at = after["entry"]["updated_at"].clone();
    }
    item
}

#[tokio::test]
async fn a_stimulus_changes_in_the_fields_that_are_named() {
    let shelf = Shelf::new().await;
    let stimulus = ("stimuli", shelf.stimulus);
    for (body, field, value) in [
        (json!({ "title": "A forest" }), "/entry/title", json!("A forest")),
        (json!({ "stimulus": { "body": "<p>Oaks</p>" } }), "/entry/body", json!("<p>Oaks</p>")),
        (json!({ "entry": { "instructions": "<p>Look</p>" } }), "/entry/instructions", json!("<p>Look</p>")),
        (json!({ "item": { "orientation": "left" } }), "/entry/orientation", json!("left")),
        (json!({ "item": { "stimulus": { "passage": false } } }), "/entry/passage", json!(false)),
        (json!({ "source_url": "https://oak.test/" }), "/entry/source_url", json!("https://oak.test/")),
        (json!({ "source_url": null }), "/entry/source_url", Value::Null),
        (json!({ "stimulus": { "title": null }, "position": null }), "/entry/title", Value::Null),
    ] {
        let before = shelf.shown(shelf.stimulus).await;
        let answer = shelf.change(stimulus, body.clone()).await.is(200);
        assert_eq!(answer.json, changed(before, &[(field, value)], &answer), "{body}");
        assert_eq!(shelf.shown(shelf.stimulus).await, answer.json);
    }
    let form = [("stimulus[title]", "A grove"), ("position", "3")];
    let answer = shelf.room.teacher.patch(&shelf.path(stimulus)).form(&form).await.is(200);
    assert_eq!((&answer["entry"]["title"], &answer["position"]), (&json!("A grove"), &json!(3)));
}

#[tokio::test]
async fn a_stimulus_that_moves_is_not_judged_again() {
    let shelf = Shelf::new().await;
    let before = shelf.shown(shelf.stimulus).await;
    let sql = format!("UPDATE stimuli SET body = NULL WHERE id = {}", before["entry"]["id"].as_str().unwrap());
    if !running().change_database(&sql) {
        return;
    }
    let answer =
        shelf.change(("stimuli", shelf.stimulus), json!({ "position": 2, "points_possible": 5 })).await.is(200);
    assert_eq!((&answer["position"], &answer["points_possible"]), (&json!(2), &json!(0.0)), "{answer}");
    assert_eq!(answer["entry"]["updated_at"], before["entry"]["updated_at"]);
    shelf.change(("stimuli", shelf.stimulus), json!({ "title": "A grove" })).await.is_refused(422, "body");
}

#[tokio::test]
async fn what_is_drawn_of_a_bank_changes() {
    let shelf = Shelf::new().await;
    let bank = ("bank_items", shelf.bank);
    for (body, fields) in [
        (json!({ "sample_num": 2 }), vec![("/properties/sample_num", json!(2))]),
        (json!({ "item": { "points_possible": 2.5 } }), vec![("/points_possible", json!(2.5))]),
        (json!({ "points_possible": null, "position": null, "bank_id": 9 }), vec![]),
        (
            json!({ "sample_num": null, "points_possible": "4" }),
            vec![("/properties/sample_num", Value::Null), ("/points_possible", json!(4.0))],
        ),
        (
            json!({ "position": 1, "points_possible": 1 }),
            vec![("/position", json!(1)), ("/points_possible", json!(1.0))],
        ),
    ] {
        let before = shelf.shown(shelf.bank).await;
        let answer = shelf.change(bank, body.clone()).await.is(200);
        assert_eq!(answer.json, changed(before, &fields, &answer), "{body}");
        assert_eq!(shelf.shown(shelf.bank).await, answer.json);
    }
}

#[tokio::test]
async fn an_entry_of_a_bank_changes_its_points_and_its_place() {
    let shelf = Shelf::new().await;
    for (body, fields) in [
        (json!({ "points_possible": 7 }), vec![("/points_possible", json!(7.0))]),
        (json!({ "item": { "position": 1 } }), vec![("/position", json!(1))]),
        (
            json!({ "position": 99, "points_possible": 2 }),
            vec![("/position", json!(3)), ("/points_possible", json!(2.0))],
        ),
        (json!({}), vec![]),
    ] {
        let before = shelf.shown(shelf.entry).await;
        let answer = shelf.change(("bank_entries", shelf.entry), body.clone()).await.is(200);
        assert_eq!(answer.json, changed(before, &fields, &answer), "{body}");
        assert_eq!(shelf.shown(shelf.entry).await, answer.json);
    }
}

#[tokio::test]
async fn a_stimulus_of_a_bank_stays_without_points() {
    let shelf = Shelf::new().await;
    let passage = json!({ "entry_type": "Stimulus", "entry": { "body": "<p>Bark</p>" } });
    let passage = shelf.room.teacher.post(&format!("{}/entries", shelf.bank_path)).json(passage).await.is(200).id();
    let passage = add(&shelf.room, "bank_entries", json!({ "bank_entry_id": passage })).await;
    for body in [json!({ "points_possible": 5 }), json!({ "points_possible": 5, "position": 1 })] {
        assert_eq!(shelf.change(("bank_entries", passage), body).await.is(200)["points_possible"], 0.0);
    }
    assert_eq!(shelf.order().await, [passage, shelf.stimulus, shelf.bank, shelf.entry]);
}

#[tokio::test]
async fn what_does_not_fit_changes_nothing() {
    let shelf = Shelf::new().await;
    let before = shelf.listed().await;
    let mut refused = vec![
        (("stimuli", shelf.stimulus), json!({ "title": "x".repeat(256) }), "title"),
        (("stimuli", shelf.stimulus), json!({ "body": " ", "position": 2 }), "body"),
        (("stimuli", shelf.stimulus), json!({ "stimulus": { "body": null } }), "body"),
        (("stimuli", shelf.stimulus), json!({ "entry": { "orientation": "right" } }), "orientation"),
        (("stimuli", shelf.stimulus), json!({ "source_url": "javascript:alert(1)" }), "source_url"),
        (("stimuli", shelf.stimulus), json!({ "passage": "perhaps" }), "passage"),
        (("bank_items", shelf.bank), json!({ "sample_num": 0, "position": 3 }), "sample_num"),
        (("bank_items", shelf.bank), json!({ "sample_num": "few" }), "sample_num"),
    ];
    for item in shelf.items() {
        refused.extend([
            (item, json!({ "position": 0 }), "position"),
            (item, json!({ "position": "first" }), "position"),
            (item, json!({ "points_possible": 0, "position": 2 }), "points_possible"),
            (item, json!({ "points_possible": 0 }), "points_possible"),
            (item, json!({ "points_possible": 1_000_001 }), "points_possible"),
        ]);
    }
    for (item, body, field) in refused {
        let answer = shelf.change(item, body.clone()).await.is_refused(422, field);
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with("Validation failed: "), "{body} {answer}");
        assert_eq!(answer["errors"], json!([{ "error_type": "ActiveRecord::RecordInvalid", "message": error }]));
    }
    assert_eq!(shelf.listed().await, before);
}

#[tokio::test]
async fn each_goes_without_a_gap_and_answers_what_it_was() {
    let shelf = Shelf::new().await;
    let last = shelf.room.with_item("last").await;
    let mut left = vec![shelf.stimulus, shelf.bank, shelf.entry, last];
    for (item, path) in shelf.items().into_iter().zip(shelf.paths()) {
        let before = shelf.shown(item.1).await;
        assert_eq!(shelf.room.teacher.delete(&path).await.is(200).json, before);
        left.retain(|id| *id != item.1);
        assert_eq!(shelf.order().await, left);
        shelf.room.teacher.delete(&path).await.is(404);
        shelf.change(item, json!({ "position": 1 })).await.is(404);
        shelf.room.teacher.get(&shelf.room.item(item.1)).await.is(404);
    }
    // What was drawn on is still in its bank.
    let entries = shelf.room.teacher.get(&format!("{}/entries", shelf.bank_path)).await.is(200);
    assert_eq!(entries.ids().len(), 1);
    add(&shelf.room, "bank_items", json!({ "bank_id": shelf.bank_id })).await;
}

#[tokio::test]
async fn questions_lose_the_stimulus_that_goes() {
    let shelf = Shelf::new().await;
    let passage = json!({ "entry_type": "Stimulus", "entry": { "body": "<p>Bark</p>" } });
    let passage = shelf.room.teacher.post(&format!("{}/entries", shelf.bank_path)).json(passage).await.is(200).id();
    let passage = add(&shelf.room, "bank_entries", json!({ "bank_entry_id": passage })).await;
    for stimulus in [("stimuli", shelf.stimulus), ("bank_entries", passage)] {
        let about = with(item(true_false("about it")), "stimulus_quiz_entry_id", json!(stimulus.1));
        let question = shelf.room.create(about).await.is(200);
        assert_eq!(question["stimulus_quiz_entry_id"], stimulus.1.to_string());
        shelf.room.teacher.delete(&shelf.path(stimulus)).await.is(200);
        let place = json!(question["position"].as_i64().unwrap() - 1);
        let fields = [("/stimulus_quiz_entry_id", Value::Null), ("/position", place)];
        assert_eq!(shelf.shown(question.id()).await, changed(question.json.clone(), &fields, &question));
    }
}

#[tokio::test]
async fn the_text_of_a_stimulus_goes_with_it() {
    let shelf = Shelf::new().await;
    let stimulus = shelf.room.teacher.delete(&shelf.path(("stimuli", shelf.stimulus))).await.is(200);
    let kept = format!(
        "SELECT title, body, instructions, source_url FROM stimuli WHERE id = {}",
        stimulus["entry"]["id"].as_str().unwrap()
    );
    let kept = running().read_database(&kept).unwrap_or_default().concat();
    assert!(kept.iter().all(Value::is_null), "{kept:?}");
}

#[tokio::test]
async fn what_a_quiz_is_worth_follows() {
    let shelf = Shelf::new().await;
    assert_eq!(shelf.points().await, json!(3.0));
    shelf.change(("bank_entries", shelf.entry), json!({ "points_possible": 5 })).await.is(200);
    assert_eq!(shelf.points().await, json!(5.0));
    shelf.room.teacher.delete(&shelf.path(("stimuli", shelf.stimulus))).await.is(200);
    shelf.room.teacher.delete(&shelf.path(("bank_entries", shelf.entry))).await.is(200);
    assert_eq!(shelf.points().await, json!(1.0));
    shelf.change(("bank_items", shelf.bank), json!({ "points_possible": 2 })).await.is(200);
    assert_eq!(shelf.points().await, json!(2.0));
}

#[tokio::test]
async fn an_item_of_another_type_quiz_or_course_is_not_found() {
    let shelf = Shelf::new().await;
    let (room, before) = (&shelf.room, shelf.listed().await);
    let question = room.with_item("a question").await;
    let (other_course, other_teacher, _) = room.school.classroom("Zoology").await;
    let engine = format!("/api/quiz/v1/courses/{}", other_course.id);
    let other_quiz = new_quiz(&room.teacher, &room.engine).await;
    let foreign_quiz = new_quiz(&other_teacher, &engine).await;
    let mut paths = Vec::new();
    for (word, id) in shelf.items() {
        let others =
            [shelf.stimulus, shelf.bank, shelf.entry, question, 9_999_999].into_iter().filter(|other| *other != id);
        paths.extend(others.map(|other| (&room.teacher, shelf.path((word, other)))));
        paths.push((&room.teacher, format!("{}/{word}/abc", room.quiz)));
        paths.push((&room.teacher, format!("{other_quiz}/{word}/{id}")));
        paths.push((&other_teacher, format!("{foreign_quiz}/{word}/{id}")));
        paths.push((&other_teacher, format!("{engine}{}/{word}/{id}", room.quiz.strip_prefix(&room.engine).unwrap())));
    }
    for (client, path) in paths {
        for answer in [client.patch(&path).json(json!({ "position": 0 })).await, client.delete(&path).await] {
            assert_eq!(answer.is(404)["errors"][0]["error_type"], "ActiveRecord::RecordNotFound", "{path}");
        }
    }
    for id in [shelf.stimulus, shelf.bank, shelf.entry] {
        room.change(id, json!({ "position": 1 })).await.is_refused(422, "entry_type");
        room.teacher.delete(&room.item(id)).await.is_refused(422, "entry_type");
    }
    room.teacher.delete(&room.item(question)).await.is(200);
    assert_eq!(shelf.listed().await, before);
}

#[tokio::test]
async fn staff_change_and_remove_them_and_nobody_else() {
    let shelf = Shelf::new().await;
    let (room, before) = (&shelf.room, shelf.listed().await);
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    let stranger = room.school.person("stranger").await;
    let foreigner = School::start().await.admin;
    let scope = "url:PATCH|/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/:item_id";
    let unscoped = json!({ "purpose": "items alone", "scopes": [scope] });
    let unscoped = room.school.admin.token_for(room.teacher.id, unscoped).await.is(200);
    let unscoped = room.teacher.with_token(unscoped["visible_token"].as_str().unwrap());
    for path in shelf.paths() {
        let refused = [
            (&room.student, 403),
            (&observer, 403),
            (&stranger, 403),
            (&foreigner, 404),
            (&room.teacher.without_token(), 401),
            (&unscoped, 401),
        ];
        for (client, status) in refused {
            client.patch(&path).json(json!({ "position": 3 })).await.is(status);
            client.delete(&path).await.is(status);
        }
    }
    assert_eq!(shelf.listed().await, before);
    let assistant = room.course.member(&room.school, "TaEnrollment").await;
    let designer = room.course.member(&room.school, "DesignerEnrollment").await;
    for path in shelf.paths() {
        assistant.patch(&path).json(json!({ "position": 1 })).await.is(200);
        designer.delete(&path).await.is(200);
    }
    assert!(shelf.order().await.is_empty());
}

#[tokio::test]
async fn moves_at_once_leave_the_places_dense() {
    let shelf = Shelf::new().await;
    let mut items = shelf.items().to_vec();
    for number in 0..4 {
        items.push(("stimuli", add(&shelf.room, "stimuli", json!({ "body": format!("<p>{number}</p>") })).await));
        items.push(("bank_items", add(&shelf.room, "bank_items", json!({ "bank_id": shelf.bank_id })).await));
        items.push(("items", shelf.room.with_item("between").await));
    }
    let gone = |index: usize| index % 5 == 4;
    let calls = items.iter().enumerate().map(|(index, item)| {
        let (path, teacher) = (shelf.path(*item), &shelf.room.teacher);
        let to = json!({ "item": { "position": 1 + index % 3 * 4 } });
        let call = if gone(index) { teacher.delete(&path) } else { teacher.patch(&path).json(to) };
        async move { call.await.is(200) }
    });
    join_all(calls).await;
    let left: BTreeSet<_> = (0..).zip(&items).filter(|(index, _)| !gone(*index)).map(|(_, (_, id))| *id).collect();
    assert_eq!(shelf.order().await.into_iter().collect::<BTreeSet<_>>(), left);
}

#[tokio::test]
async fn an_attempt_leaves_places_and_the_words_of_a_stimulus_to_change() {
    let shelf = Shelf::new().await;
    shelf.attempted().await;
    let before = shelf.listed().await;
    for body in [json!({ "points_possible": 2 }), json!({ "points_possible": 2, "position": 1 })] {
        shelf.change(("bank_items", shelf.bank), body.clone()).await.is_refused(422, "immutable");
        shelf.change(("bank_entries", shelf.entry), body).await.is_refused(422, "immutable");
    }
    for drawn in [json!(2), Value::Null] {
        shelf.change(("bank_items", shelf.bank), json!({ "sample_num": drawn })).await.is_refused(422, "immutable");
    }
    for path in shelf.paths() {
        shelf.room.teacher.delete(&path).await.is_refused(422, "immutable");
    }
    shelf.change(("bank_items", shelf.bank), json!({ "sample_num": 1, "points_possible": 1 })).await.is(200);
    shelf.change(("bank_entries", shelf.entry), json!({ "points_possible": 3 })).await.is(200);
    assert_eq!(shelf.listed().await, before, "what is sent back unchanged is no change");

    let words = json!({ "title": "A grove", "body": "<p>Oaks</p>", "orientation": "left", "points_possible": 9 });
    let answer = shelf.change(("stimuli", shelf.stimulus), words).await.is(200);
    assert_eq!(
        (&answer["entry"]["body"], &answer["points_possible"]),
        (&json!("<p>Oaks</p>"), &json!(0.0)),
        "{answer}"
    );
    for item in shelf.items() {
        let moved = shelf.change(item, json!({ "position": 3 })).await.is(200);
        assert_eq!((&moved["position"], &moved["status"]), (&json!(3), &json!("immutable")), "{moved}");
    }
    assert_eq!(shelf.order().await, [shelf.stimulus, shelf.bank, shelf.entry]);
}

#[tokio::test]
async fn each_costs_as_many_statements_as_a_question() {
    let shelf = Shelf::new().await;
    let question = ("items", shelf.room.with_item("last").await);
    for body in [json!({ "points_possible": 2 }), json!({ "position": 1 })] {
        let change = async |item, body: &Value| shelf.change(item, json!({ "item": body })).await.is(200);
        let expected = statements(&change(question, &body).await);
        // Each moves from behind to the front, as the question has.
        for item in [("bank_entries", shelf.entry), ("bank_items", shelf.bank)] {
            assert_eq!(statements(&change(item, &body).await), expected, "{} {body}", item.0);
        }
    }
    let titled = shelf.room.change(question.1, json!({ "entry": { "title": "New" } })).await.is(200);
    let renamed = shelf.change(("stimuli", shelf.stimulus), json!({ "title": "New" })).await.is(200);
    assert_eq!(statements(&renamed), statements(&titled));
    let last = ("items", shelf.room.with_item("last").await);
    let expected = statements(&shelf.room.teacher.delete(&shelf.path(question)).await.is(200));
    let emptied = shelf.room.teacher.delete(&shelf.path(("stimuli", shelf.stimulus))).await.is(200);
    assert_eq!(statements(&emptied), expected);
    for item in [("bank_items", shelf.bank), ("bank_entries", shelf.entry)] {
        let removed = statements(&shelf.room.teacher.delete(&shelf.path(item)).await.is(200));
        assert_eq!(removed, expected - 1, "what is in a bank stays there: {}", item.0);
    }
    assert_eq!(shelf.order().await, [last.1]);
}
