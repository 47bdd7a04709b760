//! Clients that go away, answers that are slow, crashes, and the end of what is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use support::model::{completion, questions, script, tutoring};
use support::{Reply, admin_of, running, unique};

use super::{Lesson, experience, said};

/// Waits until the model has been asked with that word.
pub(super) async fn asked(word: &str) {
    for _ in 0..1_200 {
        if !questions(word).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the model was not asked");
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_hold_the_conversation_for_long() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    for accept in ["text/event-stream", "application/json"] {
        let (gone, next) = (unique("gone"), unique("next"));
        let late = gone.clone();
        script(&gone, |_| completion(&tutoring("Too late.", &[])).after(Duration::from_secs(3)));
        let call = lesson.student.post(&lesson.conversation(id, "/messages"));
        let call = call.json(json!({"message": gone})).header("accept", accept);
        let call = async { call.await };
        tokio::select! {
            answer = call => panic!("it was to be late: {answer}"),
            () = asked(&late) => {}
        }
        script(&next, |_| completion(&tutoring("Here I am.", &[])));
        let answer =
            tokio::time::timeout(Duration::from_secs(30), lesson.says(id, &next)).await.expect("its turn").is(200);
        assert!(said(&answer).contains(&("User", gone.as_str())), "nothing is lost");
        assert_eq!(said(&answer).last(), Some(&("Assistant", "Here I am.")));
    }
}

#[tokio::test]
async fn a_client_that_leaves_its_stream_holds_nobody_up() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    for is_resent in [false, true] {
        let (gone, next) = (unique("gone"), unique("next"));
        let long = "A long answer. ".repeat(60);
        script(&gone, move |_| {
            let piece = json!({"choices": [{"delta": {"content": tutoring(&long, &[]).to_string()}}]});
            Reply::new(200, format!("data: {piece}\n\ndata: [DONE]\n\n")).after(Duration::from_secs(1))
        });
        let call = lesson.student.post(&lesson.conversation(id, "/messages"));
        let call = call.json(json!({"message": gone})).header("accept", "text/event-stream");
        let call = async { call.await };
        tokio::select! {
            answer = call => panic!("it was to be late: {answer}"),
            () = asked(&gone) => {}
        }
        script(if is_resent { &gone } else { &next }, |_| completion(&tutoring("Here I am.", &[])));
        let sent = if is_resent { &gone } else { &next };
        let answer =
            tokio::time::timeout(Duration::from_secs(14), lesson.says(id, sent)).await.expect("its turn").is(200);
        assert_eq!(said(&answer).iter().filter(|(_, text)| *text == gone).count(), 1);
        assert_eq!(said(&answer).last(), Some(&("Assistant", "Here I am.")));
    }
}

#[tokio::test]
async fn a_slow_answer_keeps_its_turn() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let slow = unique("slow");
    script(&slow, |question| {
        let body = question.json();
        let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
        let answer = completion(&tutoring(&format!("About {last}"), &[]));
        if last == "quick" { answer } else { answer.after(Duration::from_secs(18)) }
    });
    let second = async {
        asked(&slow).await;
        lesson.says(id, "quick").await
    };
    let (first, second) = futures::future::join(lesson.says(id, &slow), second).await;
    first.is(200);
    let second = second.is(200);
    let about = format!("About {slow}");
    let expected =
        [("User", slow.as_str()), ("Assistant", about.as_str()), ("User", "quick"), ("Assistant", "About quick")];
    assert_eq!(said(&second)[2..], expected);
}

#[tokio::test]
async fn a_turn_that_overslept_its_lease_does_not_end_the_next_one() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let slow = unique("slow");
    let answered = Arc::new(AtomicBool::new(false));
    let next_is_answered = answered.clone();
    script(&slow, move |question| {
        let body = question.json();
        let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
        if last.ends_with("quick") {
            completion(&tutoring("At once.", &[]))
        } else {
            completion(&tutoring("Too late.", &[])).once(next_is_answered.clone())
        }
    });
    let second = async {
        asked(&slow).await;
        let lapse = "UPDATE ai_conversations SET answering_until = '2026-01-01T00:00:00Z' WHERE id =";
        let has_lapsed = running().change_database(&format!("{lapse} {id};"));
        let answer = if has_lapsed { Some(lesson.says(id, "quick").await) } else { None };
        answered.store(true, Ordering::SeqCst);
        answer
    };
    let (first, second) = futures::future::join(lesson.says(id, &slow), second).await;
    let Some(second) = second else { return };
    let expected = [("User", slow.as_str()), ("User", "quick"), ("Assistant", "At once.")];
    assert_eq!(said(&second.is(200))[2..], expected);
    let lost = first.is_refused(409, "send this one again");
    assert_eq!((&lost["code"], &lost["retryable"]), (&json!("turn_lost"), &json!(true)));
    let stored = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    assert_eq!(said(&stored)[2..], expected, "nothing of the lost turn is stored");
}

#[tokio::test]
async fn a_crash_during_a_model_call_loses_no_message() {
    let reached = Arc::new(AtomicBool::new(false));
    let (mark, calls) = (Arc::clone(&reached), AtomicUsize::new(0));
    // The greeting is answered, the first message is not before the crash, and everything after it is.
    let model = support::Receiver::start(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        1 => {
            mark.store(true, Ordering::SeqCst);
            completion(&tutoring("Lost", &[])).after(Duration::from_secs(60))
        }
        number => completion(&tutoring(&format!("Response {number}"), &[])),
    });
    let sandbox = support::sandbox(&[("development", "true"), ("ai_base_url", &model.url)]);
    let mut app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let course = json!({"course": {"name": "Botany"}, "offer": true});
    let course = client.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
    let path = format!("/api/v1/courses/{course}/ai_experiences");
    let id = client.post(&path).json(experience("Leaves")).await.is(201).id();
    let path = format!("{path}/{id}/conversations");
    let begun = client.post(&path).await.is(201).id();
    let messages = format!("{path}/{begun}/messages");

    let mut connection = reqwest::Client::new().post(format!("{}{messages}", app.base_url));
    connection = connection.bearer_auth(client.token.as_deref().unwrap());
    let sent = tokio::spawn(connection.json(&json!({"message": "In 1648."})).header("idempotency-key", "k1").send());
    while !reached.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    app.crash().await.unwrap();
    assert!(sent.await.unwrap().is_err(), "nobody answers any more");

    app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let stored = client.get(&path).await.is(200);
    assert_eq!(said(&stored).last(), Some(&("User", "In 1648.")), "it was stored before the model was asked");
    let again =
        client.post(&messages).json(json!({"message": "In 1648."})).header("idempotency-key", "k1").await.is(200);
    assert_eq!(said(&again)[2..], [("User", "In 1648."), ("Assistant", "Response 2")]);
    app.stop().await.unwrap();
}

#[tokio::test]
async fn conversations_and_their_messages_have_an_end() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    script(&lesson.word, |_| Reply::new(500, ""));
    lesson.says(id, "In 1648.").await.is(503);
    script(&lesson.word, |_| completion(&tutoring("Yes.", &[])));
    let both_sides = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 247)
         INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, created_at)
         SELECT {id}, lower(hex(randomblob(16))), 'User', 'x' || n, '2026-01-01T00:00:00Z' FROM n;
         INSERT INTO ai_messages (ai_conversation_id, uuid, role, text, answers, created_at)
         SELECT {id}, lower(hex(randomblob(16))), 'Assistant', 'Yes.', id, '2026-01-01T00:00:00Z' FROM ai_messages
         WHERE ai_conversation_id = {id} AND text LIKE 'x%';"
    );
    if !running().change_database(&both_sides) {
        return;
    }
    // There is room for one more and its answer, and for the answer that is still to come.
    let last = lesson.says(id, "One more?").await.is(200);
    assert_eq!(said(&last).len(), 499);
    lesson.says(id, "And one?").await.is_refused(409, "too long; start another one");
    assert_eq!(said(&lesson.student.get(&lesson.path("/conversations")).await.is(200)).len(), 499);
    let next = lesson.begun().await;
    lesson.says(next, "In 1648.").await.is(200);
    let conversations = format!(
        "INSERT INTO ai_conversations (ai_experience_id, user_id, uuid, workflow_state, created_at, updated_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 998)
         SELECT {}, {}, lower(hex(randomblob(16))), 'ended', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;",
        lesson.experience, lesson.student.id
    );
    running().change_database(&conversations);
    lesson.student.post(&lesson.path("/conversations")).await.is_refused(409, "as many conversations");
    // The one that is active goes on.
    lesson.says(next, "In Muenster.").await.is(200);
}
