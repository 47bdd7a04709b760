//! How much a new quiz may ask, with what it draws from banks.

use super::*;

/// The largest body but for some bytes: sixty-three such questions fit into a quiz, and no other.
const LARGE: usize = 131_000;
const MOST: usize = 63;

fn large(title: &str) -> Value {
    with(true_false(title), "item_body", json!("x".repeat(LARGE)))
}

impl Room {
    async fn adds(&self, word: &str, body: Value) -> Response {
        self.teacher.post(&format!("{}/{word}", self.quiz)).json(body).await
    }

    async fn count(&self) -> usize {
        self.teacher.get(&self.items()).await.is(200).json.as_array().unwrap().len()
    }

    /// A bank with so many questions, and its path.
    async fn bank_of(&self, questions: usize) -> (i64, String) {
        let banks = format!("{}/banks", self.engine);
        let bank = self.teacher.post(&banks).json(json!({ "bank": { "title": "Trees" } })).await.is(200).id();
        let path = format!("{banks}/{bank}");
        for number in 0..questions {
            let oak = json!({ "entry_type": "Item", "entry": true_false(&format!("Oak {number}")) });
            self.teacher.post(&format!("{path}/entries")).json(oak).await.is(200);
        }
        (bank, path)
    }
}

#[tokio::test]
async fn a_quiz_has_so_many_bytes_at_most() {
    let room = Room::new().await;
    let first = room.create(item(large("0"))).await.is(200).id();
    for number in 1..MOST {
        room.create(item(large(&number.to_string()))).await.is(200);
    }
    room.create(item(large("one more"))).await.is_refused(422, "quiz is too large");
    room.adds("stimuli", json!({ "body": "x".repeat(LARGE) })).await.is_refused(422, "quiz is too large");
    assert_eq!(room.count().await, MOST, "nothing of what is refused is there");

    let entry = |entry: Value| json!({ "entry": entry });
    room.change(first, entry(json!({ "item_body": "short" }))).await.is(200);
    let other = room.create(item(large("one more"))).await.is(200).id();
    room.change(first, entry(json!({ "item_body": "x".repeat(LARGE) }))).await.is_refused(422, "quiz is too large");
    assert_eq!(room.teacher.get(&room.item(first)).await.is(200)["entry"]["item_body"], "short");
    room.change(other, json!({ "position": 1, "points_possible": 2, "entry": { "title": "Another" } })).await.is(200);
    if running().change_database(&format!(
        "UPDATE question_items SET item_body = item_body || item_body
         WHERE id IN (SELECT question_item_id FROM quiz_items WHERE id = {other})"
    )) {
        room.change(other, entry(json!({ "item_body": "x".repeat(LARGE) }))).await.is(200);
    }
}

#[tokio::test]
async fn what_is_drawn_from_banks_counts_for_a_quiz() {
    let room = Room::new().await;
    let (bank, path) = room.bank_of(100).await;
    let mut draws = Vec::new();
    for _ in 0..10 {
        draws.push(room.adds("bank_items", json!({ "bank_id": bank })).await.is(200).id());
    }
    for body in [json!({ "bank_id": bank }), json!({ "bank_id": bank, "sample_num": 1 })] {
        room.adds("bank_items", body).await.is_refused(422, "quiz is too large");
    }
    room.create(item(true_false("one more"))).await.is_refused(422, "quiz is too large");
    let entries = format!("{path}/entries");
    let entry = json!({ "entry_type": "Item", "entry": true_false("one more") });
    room.teacher.post(&entries).json(entry.clone()).await.is_refused(422, "a quiz of the bank is too large");

    let listed = room.teacher.get(&format!("{entries}?per_page=1")).await.is(200);
    let old = format!("{entries}/{}", listed.json[0]["id"].as_str().unwrap());
    room.teacher.delete(&old).await.is(200);
    room.teacher.post(&entries).json(entry.clone()).await.is(200);
    room.teacher
        .patch(&old)
        .json(json!({ "archived": false }))
        .await
        .is_refused(422, "a quiz of the bank is too large");
    room.teacher.patch(&old).json(json!({ "entry": { "title": "Old" } })).await.is(200);

    let draw = format!("{}/bank_items/{}", room.quiz, draws[0]);
    room.teacher.patch(&draw).json(json!({ "sample_num": 1 })).await.is(200);
    room.create(item(true_false("there is room now"))).await.is(200);
    room.teacher.patch(&draw).json(json!({ "sample_num": null })).await.is_refused(422, "quiz is too large");
    room.teacher.patch(&draw).json(json!({ "position": 3 })).await.is(200);

    room.teacher.delete(&room.quiz).await.is(200);
    room.teacher.patch(&old).json(json!({ "archived": false })).await.is(200);
}
