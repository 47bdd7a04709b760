//! Messages that are sent more than once, at the same moment or later, are stored and answered once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use serde_json::{Value, json};
use support::model::{completion, questions, script, tutoring};
use support::{Received, Reply, Response, unique};

use super::{Lesson, events, said};
use crate::round_trips::statements;

impl Lesson {
    /// The student sends a message, under a key where there is one.
    async fn sends(&self, conversation: i64, text: &str, key: Option<&str>) -> Response {
        let message = json!({ "message": text });
        let call = self.student.post(&self.conversation(conversation, "/messages")).json(message);
        match key {
            Some(key) => call.header("idempotency-key", key).await,
            None => call.await,
        }
    }
}

/// The text that the student said last, as the model was told it.
fn last(question: &Received) -> String {
    let body = question.json();
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

/// What the model was told besides its instructions, as speakers and texts.
fn told(question: &Received) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let body = question.json();
    let messages = body["messages"].as_array().unwrap().iter().skip(1);
    messages.map(|one| (text(&one["role"]), text(&one["content"]))).collect()
}

#[tokio::test]
async fn a_message_that_is_sent_twice_at_once_is_one_message() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let (same, other) = (unique("same"), unique("other"));
    for word in [&same, &other] {
        script(word, |question| {
            completion(&tutoring(&format!("About {}", last(question)), &[])).after(Duration::from_secs(5))
        });
    }
    let keys = [None, None, Some("k1"), Some("k2"), None];
    // One is answered, and all others wait meanwhile: of both texts there is one message.
    let mut sent = Vec::new();
    for (number, key) in (0..).zip(keys) {
        for text in [&same, &other] {
            let (lesson, key) = (&lesson, key.map(|key| format!("{key} of {text}")));
            sent.push(async move {
                tokio::time::sleep(Duration::from_millis(60 * number)).await;
                lesson.sends(id, text, key.as_deref()).await
            });
        }
    }
    for answer in join_all(sent).await {
        answer.is(200);
    }
    let talk = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    let all = said(&talk);
    for text in [&same, &other] {
        let answer = format!("About {text}");
        assert_eq!(all.iter().filter(|one| **one == ("User", text.as_str())).count(), 1, "{all:?}");
        assert_eq!(all.iter().filter(|one| **one == ("Assistant", answer.as_str())).count(), 1, "{all:?}");
    }
    assert_eq!((all.len(), questions(&same).len() + questions(&other).len()), (6, 3), "the second is told the first");
    // All keys are those of the message now.
    for (text, key) in [(&same, "k1"), (&same, "k2"), (&other, "k1")] {
        let key = format!("{key} of {text}");
        assert_eq!(said(&lesson.sends(id, text, Some(&key)).await.is(200)), all);
    }
    // The same words later are another message.
    assert_eq!(said(&lesson.sends(id, &same, None).await.is(200)).len(), 8);
}

#[tokio::test]
async fn a_message_that_waits_for_its_turn_only_reads() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let slow = unique("slow");
    let first = slow.clone();
    script(&slow, move |question| {
        let time = if last(question) == first { 2 } else { 0 };
        completion(&tutoring("Now.", &[])).after(Duration::from_secs(time))
    });
    let next = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Instant::now();
        let answer = lesson.sends(id, "Next?", None).await.is(200);
        (statements(&answer), began.elapsed().as_millis())
    };
    let (_, (statements, waited)) = join(lesson.sends(id, &slow, None), next).await;
    // It looks ten times a second, by one statement. The others are those of any message, and of a try to have the turn.
    assert!(u128::from(statements) <= waited / 100 + 16, "{statements} statements in {waited} milliseconds");
}

#[tokio::test]
async fn a_message_that_has_its_answer_is_streamed_as_one_that_is_done() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    lesson.sends(id, "In 1648.", Some("k")).await.is(200);
    let asked = questions(&lesson.word).len();
    let call = lesson.student.post(&lesson.conversation(id, "/messages")).json(json!({"message": "In 1648."}));
    let again = call.header("idempotency-key", "k").header("accept", "text/event-stream").await.is(200);
    assert!(again.header("content-type").unwrap().starts_with("text/event-stream"));
    let talk = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    assert_eq!(events(&again.body), [("done".to_owned(), talk.json)]);
    assert_eq!(questions(&lesson.word).len(), asked, "the model is not asked");
}

#[tokio::test]
async fn a_message_that_fails_while_it_waits_again_is_asked_again() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let word = unique("twice");
    let calls = AtomicUsize::new(0);
    script(&word, move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::new(500, "").after(Duration::from_millis(700)),
        _ => completion(&tutoring("Now.", &[])),
    });
    let again = async {
        super::interruptions::asked(&word).await;
        lesson.sends(id, &word, None).await
    };
    let (first, second) = join(lesson.sends(id, &word, None), again).await;
    first.is(503);
    assert_eq!(said(&second.is(200))[2..], [("User", word.as_str()), ("Assistant", "Now.")]);
}

#[tokio::test]
async fn an_older_message_that_is_asked_again_has_its_answer_in_its_place() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let (old, newer) = (unique("old"), unique("newer"));
    script(&old, |_| Reply::new(500, ""));
    lesson.sends(id, &old, Some("o1")).await.is(503);
    script(&old, |question| completion(&tutoring(&format!("About {}", last(question).replace('\n', " ")), &[])));
    lesson.sends(id, &newer, None).await.is(200);
    let answer = lesson.sends(id, &old, Some("o1")).await.is(200);

    let (about_old, about_both) = (format!("About {old}"), format!("About {old}  {newer}"));
    let expected = [
        ("User", old.as_str()),
        ("Assistant", about_old.as_str()),
        ("User", newer.as_str()),
        ("Assistant", about_both.as_str()),
    ];
    assert_eq!(said(&answer)[2..], expected);
    let asked = questions(&old);
    let expected_question = [("user", "Hello, I am ready to begin."), ("assistant", "Go on."), ("user", old.as_str())];
    assert_eq!(told(asked.last().unwrap()), expected_question.map(|(role, text)| (role.to_owned(), text.to_owned())));

    // All read it in this order: the student, the teacher, the pages and the model.
    let read = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    assert_eq!(said(&read)[2..], expected);
    let record = lesson.teacher.get(&lesson.conversation(id, "")).await.is(200);
    assert_eq!(said(&record)[2..], expected);
    let browser = lesson.school.in_browser(&lesson.teacher).await;
    let page = format!("/courses/{}/ai_experiences/{}/ai_conversations/{id}", lesson.course.id, lesson.experience);
    let page = browser.get(&page).await.is(200);
    let places: Vec<_> =
        [&about_old, &about_both].iter().map(|text| page.body.find(*text).expect("the answer")).collect();
    assert!(places.is_sorted() && page.body.find(&newer) > Some(places[0]), "{page}");
    lesson.sends(id, "And then?", None).await.is(200);
    let question = told(questions(&old).last().unwrap());
    let texts: Vec<_> = question.iter().skip(2).map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, [&old, &about_old, &newer, &about_both, "And then?"]);
}

#[tokio::test]
async fn a_message_that_waits_behind_a_late_answer_is_the_same_message() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let (first, second) = (unique("first"), unique("second"));
    script(&lesson.word, |_| Reply::new(500, ""));
    lesson.sends(id, &first, Some("f1")).await.is(503);
    lesson.sends(id, &second, None).await.is(503);
    script(&lesson.word, |_| completion(&tutoring("Yes.", &[])));
    lesson.sends(id, &first, Some("f1")).await.is(200);
    let answer = lesson.sends(id, &second, None).await.is(200);
    let expected = [("User", first.as_str()), ("Assistant", "Yes."), ("User", second.as_str()), ("Assistant", "Yes.")];
    assert_eq!(said(&answer)[2..], expected);
}

#[tokio::test]
async fn a_message_keeps_every_key_under_which_it_was_sent() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    script(&lesson.word, |_| Reply::new(500, ""));
    for key in [None, Some("a1"), Some("a2"), Some("a1")] {
        lesson.sends(id, "In 1648.", key).await.is(503);
    }
    script(&lesson.word, |_| completion(&tutoring("Yes.", &[])));
    let answer = lesson.sends(id, "In 1648.", Some("a3")).await.is(200);
    assert_eq!(said(&answer)[2..], [("User", "In 1648."), ("Assistant", "Yes.")]);
    let asked = questions(&lesson.word).len();
    for key in ["a1", "a2", "a3"] {
        assert_eq!(lesson.sends(id, "In 1648.", Some(key)).await.is(200).json, answer.json, "{key}");
    }
    assert_eq!(questions(&lesson.word).len(), asked, "the model is not asked");
    // A key is known as a whole, and no other message has it.
    for key in ["a", "1"] {
        lesson.sends(id, "In 1648.", Some(key)).await.is(200);
    }
    let talk = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    assert_eq!(said(&talk).len(), 8);
}
