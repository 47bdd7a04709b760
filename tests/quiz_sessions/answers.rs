//! Answers: saved with versions, all or none.

use futures::future::join_all;
use serde_json::json;

use super::Room;

#[tokio::test]
async fn an_answer_is_saved_flagged_and_taken_away() {
    let room = Room::of_questions(2, json!({})).await;
    let taken = room.starts().await;
    let item = taken.item(1);
    taken.answers(&room.student, 1, true).await;
    let flagged = taken.save(&room.student, json!([{ "item_id": item, "flagged": true, "version": 1 }])).await.is(200);
    let answer = &flagged["answers"][0];
    assert_eq!((&answer["response"], &answer["flagged"], &answer["version"]), (&json!(true), &json!(true), &json!(2)));
    let cleared = taken.save(&room.student, json!([{ "item_id": item, "response": null, "version": 2 }])).await.is(200);
    assert_eq!((&cleared["answers"][0]["response"], &cleared["answers"][0]["flagged"]), (&json!(null), &json!(true)));
    assert_eq!(cleared["session"]["answered_count"], 0);
    let read = room.student.get(&taken.path).await.is(200);
    assert_eq!((&read["items"][0]["answer"]["version"], &read["items"][1]["answer"]), (&json!(3), &json!(null)));
}

#[tokio::test]
async fn two_windows_do_not_overwrite_one_another() {
    let room = Room::of_questions(2, json!({})).await;
    let taken = room.starts().await;
    taken.answers(&room.student, 1, true).await;
    let (first, second) = (taken.item(1), taken.item(2));
    let both = json!([
        { "item_id": second, "response": true, "version": 0 }, { "item_id": first, "response": false, "version": 0 },
    ]);
    let stale = taken.save(&room.student, both).await.is_refused(409, "was changed by somebody else");
    assert_eq!((&stale["answers"][0]["item_id"], &stale["answers"][0]["response"]), (&json!(first), &json!(true)));
    let read = room.student.get(&taken.path).await.is(200);
    assert_eq!(read["items"][1]["answer"], json!(null), "all or none");
    let same = json!([{ "item_id": first, "response": true, "version": 0 }]);
    let again = taken.save(&room.student, same).await.is(200);
    assert_eq!(again["answers"][0]["version"], 1, "what has come twice is saved once");

    let (student, taken) = (&room.student, &taken);
    let saves = join_all((0..8).map(|number| async move {
        let answer = json!([{ "item_id": second, "response": true, "flagged": number % 2 == 0, "version": 0 }]);
        taken.save(student, answer).await.status
    }));
    let saves = saves.await;
    assert!(saves.iter().all(|status| [200, 409].contains(status)) && saves.contains(&200), "{saves:?}");
    let read = room.student.get(&taken.path).await.is(200);
    assert_eq!(read["items"][1]["answer"]["version"], 1);
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let room = Room::of_questions(1, json!({})).await;
    let taken = room.starts().await;
    let item = taken.item(1);
    let refused = async |answers, status, words: &str| {
        taken.save(&room.student, answers).await.is_refused(status, words);
    };
    refused(json!([]), 400, "answers is missing").await;
    refused(json!([{ "item_id": "9999999", "response": true, "version": 0 }]), 422, "questions of the session").await;
    refused(json!([{ "item_id": item, "response": "oak", "version": 0 }]), 422, "must be true or false").await;
    refused(json!([{ "item_id": item, "response": true, "version": 5 }]), 409, "was changed").await;
    let twice = json!([{ "item_id": item, "version": 0 }, { "item_id": item, "version": 0 }]);
    refused(twice, 422, "different items").await;
    refused(json!([{ "item_id": item, "response": true }]), 400, "version").await;
}

#[tokio::test]
async fn a_save_and_a_submit_at_once_lose_nothing() {
    for _ in 0..4 {
        let room = Room::of_questions(1, json!({})).await;
        let taken = room.starts().await;
        let answer = json!([{ "item_id": taken.item(1), "response": true, "version": 0 }]);
        let (saved, submitted) = futures::join!(taken.save(&room.student, answer), taken.submits(&room.student));
        assert_eq!(submitted["state"], "submitted");
        let result = taken.result(&room.student).await;
        let expected = if saved.status == 200 { 2.0 } else { 0.0 };
        assert_eq!(result["score"], expected, "what was taken counts: {saved}");
    }
}

#[tokio::test]
async fn a_number_of_hundreds_of_digits_is_an_answer() {
    let room = Room::with(json!({})).await;
    for kind in ["hot-spot", "numeric"] {
        let entry = xtask::items::all().into_iter().find(|entry| entry["interaction_type_slug"] == kind);
        room.asks(entry.unwrap()).await;
    }
    let taken = room.starts().await;
    let digits = "7".repeat(52);
    taken.answers(&room.student, 1, json!({ "x": format!("0.{digits}e-300"), "y": 0.3 })).await;
    taken.answers(&room.student, 2, format!("{digits}e300")).await;
    taken.submits(&room.student).await;
    let result = taken.result(&room.student).await;
    assert_eq!((&result["workflow_state"], &result["score"]), (&json!("graded"), &json!(0.0)));
}

#[tokio::test]
async fn an_essay_is_made_safe_and_waits_for_a_person() {
    let room = Room::of_questions(1, json!({})).await;
    let essay = xtask::items::all().into_iter().find(|entry| entry["interaction_type_slug"] == "essay").unwrap();
    room.asks(essay).await;
    let taken = room.starts().await;
    taken.answers(&room.student, 1, true).await;
    let saved = taken.answers(&room.student, 2, "<p onclick=\"x()\">Oak<script>x()</script></p>").await;
    assert_eq!(saved["answers"][0]["response"], "<p>Oak</p>");
    taken.submits(&room.student).await;
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["workflow_state"]), (&json!(2.0), &json!("pending_review")));
    assert_eq!((&result["items"][0]["correct"], &result["items"][1]["points"]), (&json!(true), &json!(null)));
    assert_eq!(room.submission().await["workflow_state"], "pending_review");
}

#[tokio::test]
async fn an_essay_is_no_longer_than_it_may_be_when_it_is_kept() {
    let room = Room::with(json!({})).await;
    room.asks(super::grading::essay()).await;
    let taken = room.starts().await;
    let sent = async |text: String, version: i64| {
        let answer = json!([{ "item_id": taken.item(1), "response": text, "version": version }]);
        taken.save(&room.student, answer).await
    };
    // Each of these characters is kept as five.
    sent("leaves and &".repeat(5_000), 0).await.is_refused(422, "is too long");
    let kept = sent("leaves and &".repeat(4_000), 0).await.is(200)["answers"][0]["response"].clone();
    let kept = kept.as_str().unwrap();
    assert_eq!(kept.len(), 64_000);
    sent(format!("{kept} more"), 1).await.is(200);
}
