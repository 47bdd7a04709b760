//! Conversations: their messages, turns, evaluations and feedback.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::model::{completion, questions, script, tutoring};
use support::{Client, Received, Reply, Response};

use super::{Lesson, evaluation, events, said};
use crate::round_trips::statements;

fn is_evaluation(question: &Received) -> bool {
    question.text().contains("You evaluate")
}

#[tokio::test]
async fn a_conversation_from_its_greeting_to_its_end() {
    let lesson = Lesson::start().await;
    script(&lesson.word, |question| {
        let covered: &[usize] = if question.text().contains("In 1648") { &[2] } else { &[] };
        completion(&tutoring("What do you know?", covered))
    });
    assert_eq!(lesson.student.get(&lesson.path("/conversations")).await.is(200).json, json!({}));

    let begun = lesson.student.post(&lesson.path("/conversations")).await.is(201);
    assert_eq!(said(&begun).first().map(|(role, _)| *role), Some("User"));
    assert_eq!(said(&begun).get(1), Some(&("Assistant", "What do you know?")));
    assert!(begun["messages"][0].get("feedback").is_none());
    assert_eq!(begun["progress"]["total"], 3);
    assert!(begun.json.get("llm_conversation_id").is_none());

    let answer = lesson.says(begun.id(), "In 1648.").await.is(200);
    assert_eq!(answer["messages"].as_array().unwrap().len(), 4);
    assert_eq!(answer["messages"][3]["feedback"], json!([]));
    assert_eq!(answer["progress"]["current"], 1);
    assert_eq!(answer["progress"]["percentage"], 33);
    assert_eq!(answer["progress"]["objectives"][1], json!({"objective": "Give a date", "status": "covered"}));
    let next = lesson.says(begun.id(), "And then?").await.is(200);
    assert_eq!(next["progress"]["current"], 1, "what is covered stays so");
    assert_eq!(lesson.student.get(&lesson.path("/conversations")).await.is(200)["id"], begun.id());

    let end = lesson.student.delete(&lesson.conversation(begun.id(), "")).await.is(200);
    assert_eq!(end.json, json!({"message": "Conversation ended successfully"}));
    lesson.student.delete(&lesson.conversation(begun.id(), "")).await.is_refused(404, "Resource Not Found");
    lesson.teacher.delete(&lesson.conversation(begun.id(), "")).await.is(200);
    let more = lesson.teacher.post(&lesson.conversation(begun.id(), "/messages")).json(json!({"message": "Hi"}));
    more.await.is_refused(409, "the conversation has ended");
    assert_eq!(lesson.student.get(&lesson.path("/conversations")).await.is(200).json, json!({}));
}

#[tokio::test]
async fn starting_again_ends_what_was_active_even_if_the_model_fails() {
    let lesson = Lesson::start().await;
    let first = lesson.begun().await;
    let second = lesson.begun().await;
    assert_ne!(first, second);
    let states = async |id| {
        let record = lesson.teacher.get(&lesson.conversation(id, "")).await.is(200);
        record["workflow_state"].as_str().unwrap().to_owned()
    };
    assert_eq!(states(first).await, "ended");
    script(&lesson.word, |_| Reply::new(500, ""));
    lesson.student.post(&lesson.path("/conversations")).await.is(503);
    assert_eq!(states(second).await, "ended");
    lesson.says(second, "Hello?").await.is_refused(404, "Resource Not Found");
}

#[tokio::test]
async fn a_conversation_begins_by_few_statements() {
    let lesson = Lesson::start().await;
    lesson.student.get(&lesson.path("")).await.is(200);
    let start = async || lesson.student.post(&lesson.path("/conversations")).await.is(201);
    // The rights, the limit of the day, the tokens, and a transaction of three writes; then the conversation that ends, too.
    assert_eq!(statements(&start().await), 8);
    let begun = start().await;
    assert_eq!(statements(&begun), 9);
    // What is answered is what is stored.
    let read = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    let ids =
        |talk: &Response| talk["messages"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
    assert_eq!((said(&begun), ids(&begun)), (said(&read), ids(&read)));
    assert_eq!((&begun["id"], &begun["progress"]), (&read["id"], &read["progress"]));
    let message = begun["messages"][1]["id"].as_str().unwrap();
    let vote = lesson.conversation(begun.id(), &format!("/messages/{message}/feedback"));
    let vote = lesson.student.post(&vote).json(json!({"vote": "liked"})).await.is(200);
    assert_eq!(statements(&vote), 2);
}

#[tokio::test]
async fn there_is_one_active_conversation_however_many_are_started_at_once() {
    let lesson = Lesson::start().await;
    let started = join_all((0..8).map(|_| lesson.begun())).await;
    let overview = lesson.teacher.get(&lesson.path("/ai_conversations")).await.is(200);
    let latest = overview["conversations"][0]["id"].as_i64().unwrap();
    let mut active = 0;
    for id in started {
        let record = lesson.teacher.get(&lesson.conversation(id, "")).await.is(200);
        active += usize::from(record["workflow_state"] == "active");
        assert!(record["workflow_state"] == "ended" || id == latest);
    }
    assert_eq!(active, 1);
}

#[tokio::test]
async fn messages_are_neither_blank_nor_too_long() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let before = questions(&lesson.word).len();
    for body in [json!({}), json!({"message": " "}), json!({"message": null})] {
        let answer = lesson.student.post(&lesson.conversation(id, "/messages")).json(body).await.is(400);
        assert_eq!(answer.json, json!({"error": "message is required"}));
    }
    let long = lesson.says(id, &"é".repeat(4001)).await.is(422);
    assert_eq!(long.json, json!({"error": "message must be 4000 characters or fewer"}));
    assert_eq!(questions(&lesson.word).len(), before, "the model is not asked");
    lesson.says(id, &"é".repeat(4000)).await.is(200);
}

#[tokio::test]
async fn a_message_sent_again_is_the_same_message() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let path = lesson.conversation(id, "/messages");
    let send = async |text: &str, key: &str| {
        lesson.student.post(&path).json(json!({"message": text})).header("idempotency-key", key).await
    };
    // The model fails: the message stays, and is answered when it comes again.
    script(&lesson.word, |_| Reply::new(503, ""));
    send("one", "k1").await.is(503);
    send("one", "k1").await.is(503);
    lesson.says(id, "one").await.is(503);
    script(&lesson.word, |_| completion(&tutoring("Yes.", &[])));
    let answer = send("one", "k1").await.is(200);
    assert_eq!(said(&answer).iter().filter(|(_, text)| *text == "one").count(), 1);
    // It has its answer: the model is not asked again.
    let asked = questions(&lesson.word).len();
    let again = send("one", "k1").await.is(200);
    assert_eq!(again.json, answer.json);
    assert_eq!(questions(&lesson.word).len(), asked);
    // The same words later are another message.
    let more = lesson.says(id, "one").await.is(200);
    assert_eq!(said(&more).iter().filter(|(_, text)| *text == "one").count(), 2);
    send("x", &"k".repeat(256)).await.is(400);
}

#[tokio::test]
async fn messages_at_once_are_put_in_order() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    script(&lesson.word, |question| {
        let body = question.json();
        let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
        completion(&tutoring(&format!("About {last}"), &[])).after(Duration::from_millis(50))
    });
    let texts = ["a1", "b2", "c3", "d4"];
    for answer in join_all(texts.map(|text| lesson.says(id, text))).await {
        answer.is(200);
    }
    let whole = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    let all = said(&whole);
    assert_eq!(all.len(), 2 + 2 * texts.len());
    for pair in all[2..].chunks(2) {
        assert_eq!(pair[0].0, "User");
        assert_eq!(pair[1], ("Assistant", format!("About {}", pair[0].1).as_str()));
    }
}

#[tokio::test]
async fn all_objectives_met_is_noted_once_and_for_all() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    script(&lesson.word, |_| completion(&tutoring("All done.", &[1, 2, 3, 9])));
    assert_eq!(lesson.says(id, "There.").await.is(200)["progress"]["percentage"], 100);
    script(&lesson.word, |_| completion(&tutoring("More.", &[])));
    lesson.says(id, "And?").await.is(200);
    let record = lesson.teacher.get(&lesson.conversation(id, "")).await.is(200);
    assert_eq!((&record["all_objectives_met"], &record["workflow_state"]), (&json!(true), &json!("active")));
    let listed = lesson.student.get(&lesson.course.path("/ai_experiences")).await.is(200);
    assert_eq!(listed["experiences"][0]["submission_status"], "completed");
}

#[tokio::test]
async fn an_answer_can_be_watched_while_it_is_written() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let text = "Let us look at the causes one by one, slowly and with care. ".repeat(8);
    let reply = text.clone();
    script(&lesson.word, move |question| {
        assert_eq!(question.json()["stream"], true);
        let json = tutoring(&reply, &[1]).to_string();
        let pieces = json.as_bytes().chunks(7).map(|piece| String::from_utf8_lossy(piece).into_owned());
        let events = pieces.map(|piece| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]})));
        Reply::new(200, format!("{}data: [DONE]\n\n", events.collect::<String>()))
    });
    let path = lesson.conversation(id, "/messages");
    let watch = async |message: &str| {
        let events = lesson.student.post(&path).json(json!({"message": message})).header("accept", "text/event-stream");
        events.await.is(200)
    };
    let answer = watch("Why?").await;
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"));
    let events = events(&answer.body);
    let written: String =
        events.iter().filter(|(name, _)| name == "delta").map(|(_, data)| data["text"].as_str().unwrap()).collect();
    assert_eq!(written, text);
    assert!(events.len() > 3);
    let (name, done) = events.last().unwrap();
    assert_eq!(name, "done");
    assert_eq!(done["messages"][3]["text"], text.as_str());
    assert_eq!(done["progress"]["current"], 1);

    // An answer that breaks off is an error, and the message waits.
    let beginning = format!("{{\"reply\": \"{}", "word ".repeat(60));
    let event = json!({"choices": [{"delta": {"content": beginning}}]});
    script(&lesson.word, move |_| Reply::new(200, format!("data: {event}\n\n")).breaks_off());
    let events = self::events(&watch("And?").await.body);
    assert_eq!(events[0].0, "delta");
    assert_eq!(events.last().unwrap().1["code"], "llm_no_response");
    script(&lesson.word, |_| completion(&tutoring("So.", &[])));
    let answer = lesson.says(id, "And?").await.is(200);
    assert_eq!(said(&answer).iter().filter(|(_, text)| *text == "And?").count(), 1);
}

#[tokio::test]
async fn evaluations_are_made_read_replaced_and_go_stale() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let path = lesson.conversation(id, "/evaluation");
    let none = lesson.teacher.get(&path).await.is(200);
    assert_eq!(none.json, json!({"id": id, "evaluation": null, "stale": false}));

    script(&lesson.word, |question| {
        if is_evaluation(question) { completion(&evaluation(80)) } else { completion(&tutoring("Hm.", &[])) }
    });
    let made = lesson.teacher.post(&path).await.is(200);
    assert_eq!(made["evaluation"]["overall_score"], 80.0);
    let asked = questions(&lesson.word);
    assert!(asked.last().unwrap().text().contains("transcript"));
    let read = lesson.teacher.get(&path).await.is(200);
    assert_eq!(read["evaluation"], made["evaluation"]);
    assert_eq!(read["stale"], false);
    assert_eq!(questions(&lesson.word).len(), asked.len(), "reading does not ask the model");

    let edit = json!({"ai_experience": {"facts": "Something new."}});
    lesson.teacher.put(&lesson.path("")).json(edit).await.is(200);
    assert_eq!(lesson.teacher.get(&path).await.is(200)["stale"], true);

    for bad in [json!({"summary": "No scores"}), evaluation(101)] {
        script(&lesson.word, move |_| completion(&bad));
        let failed = lesson.teacher.post(&path).await.is(503);
        assert_eq!((&failed["code"], &failed["retryable"]), (&json!("evaluation_parse_failed"), &json!(true)));
        assert_eq!(lesson.teacher.get(&path).await.is(200)["evaluation"]["overall_score"], 80.0);
    }
    script(&lesson.word, |_| completion(&evaluation(95)));
    assert_eq!(lesson.teacher.post(&path).await.is(200)["evaluation"]["overall_score"], 95.0);
    assert_eq!(lesson.teacher.get(&path).await.is(200)["stale"], false);
}

#[tokio::test]
async fn what_stays_as_it_is_makes_no_evaluation_stale() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let path = lesson.conversation(id, "/evaluation");
    script(&lesson.word, |_| completion(&evaluation(80)));
    let edit = async |fields: Value| {
        lesson.teacher.post(&path).await.is(200);
        lesson.teacher.put(&lesson.path("")).json(json!({ "ai_experience": fields })).await.is(200);
        lesson.teacher.get(&path).await.is(200)["stale"] == true
    };
    let present = lesson.teacher.get(&lesson.path("")).await.is(200).json;
    assert!(!edit(present.clone()).await, "all fields as they are");
    for (field, value) in [
        ("title", json!(format!("{} again", lesson.word))),
        ("description", json!(null)),
        ("facts", json!(null)),
        ("learning_objectives", json!(["Give a date"])),
        ("pedagogical_guidance", json!("Ask.")),
        ("evaluation_metrics", json!([])),
    ] {
        let fields = json!({ field: value });
        assert!(edit(fields.clone()).await, "{field} is another");
        assert!(!edit(fields).await, "{field} is the same");
    }
    assert!(edit(present).await, "all fields are others");
}

#[tokio::test]
async fn answers_can_be_liked_and_disliked() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let talk = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    let message = |number: usize| talk["messages"][number]["id"].as_str().unwrap().to_owned();
    let path = lesson.conversation(id, &format!("/messages/{}/feedback", message(1)));

    let liked = lesson.student.post(&path).json(json!({"vote": "liked"})).await.is(200);
    assert_eq!(liked["feedback"]["vote"], "liked");
    assert!(uuid::Uuid::parse_str(liked["feedback"]["user_id"].as_str().unwrap()).is_ok());
    let form = json!({"vote": "disliked", "feedback_message": "Too long"});
    let disliked = lesson.student.post(&path).json(form).await.is(200);
    assert_eq!(disliked["feedback"]["id"], liked["feedback"]["id"]);
    let votes = async |who: &Client| {
        let record = who.get(&lesson.conversation(id, "")).await.is(200);
        record["messages"][1]["feedback"].clone()
    };
    let own = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    assert_eq!(own["messages"][1]["feedback"][0]["vote"], "disliked");
    assert_eq!(votes(&lesson.teacher).await, json!([]), "votes are the caller's own");

    for body in [json!({}), json!({"vote": "loved"})] {
        lesson.student.post(&path).json(body).await.is_refused(422, "vote must be");
    }
    let of_user = lesson.conversation(id, &format!("/messages/{}/feedback", message(0)));
    lesson.student.post(&of_user).json(json!({"vote": "liked"})).await.is_refused(404, "Resource Not Found");

    let vote = format!("{path}/{}", liked["feedback"]["id"].as_str().unwrap());
    lesson.teacher.delete(&vote).await.is_refused(404, "Resource Not Found");
    // A UUID is the same in capitals.
    let (message, vote_id) = (message(1).to_uppercase(), liked["feedback"]["id"].as_str().unwrap().to_uppercase());
    let path = lesson.conversation(id, &format!("/messages/{message}/feedback"));
    let again = lesson.student.post(&path).json(json!({"vote": "liked"})).await.is(200);
    assert_eq!(again["feedback"]["id"], liked["feedback"]["id"]);
    assert_eq!(lesson.student.delete(&format!("{path}/{vote_id}")).await.is(200).json, json!({"success": true}));
    lesson.student.delete(&vote).await.is_refused(404, "Resource Not Found");
}

#[tokio::test]
async fn a_user_starts_no_more_than_a_hundred_in_a_day() {
    let lesson = Lesson::start().await;
    let path = lesson.path("/conversations");
    let start = async || lesson.student.post(&path).await;
    let mut started = 0;
    for _ in 0..7 {
        let answers = join_all((0..16).map(|_| start())).await;
        started += answers.iter().filter(|answer| answer.status == 201).count();
        for refused in answers.iter().filter(|answer| answer.status != 201) {
            assert_eq!((refused.status, &refused["code"]), (429, &json!("rate_limited")), "{refused}");
        }
    }
    assert_eq!(started, 100);
    let refused = start().await.is(429);
    assert_eq!(refused["error"], "You've hit the AI Experiences rate limit. Please try again later.");
    assert_eq!(refused["retryable"], true);
    assert_eq!(refused["reference_id"].as_str(), refused.header("x-request-context-id"));
    lesson.teacher.post(&path).await.is(201);
}

#[tokio::test]
async fn a_long_conversation_is_evaluated_in_parts() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    script(&lesson.word, |_| completion(&tutoring(&"Why? ".repeat(700), &[])));
    for number in 0..7 {
        let text = format!("answer-{number} {}", "because ".repeat(490));
        lesson.says(id, &text).await.is(200);
    }
    let before = questions(&lesson.word).len();
    let path = lesson.conversation(id, "/evaluation");
    let take_notes = |question: &Received| question.text().contains("You take notes");
    script(&lesson.word, move |question| {
        if take_notes(question) {
            completion(&json!({"notes": "N".repeat(9_000)}))
        } else {
            completion(&evaluation(60))
        }
    });
    let made = lesson.teacher.post(&path).await.is(200);
    assert_eq!(made["evaluation"]["overall_score"], 60.0);
    let asked = questions(&lesson.word).split_off(before);
    let (last, parts) = asked.split_last().unwrap();
    assert!(parts.len() > 1 && parts.iter().all(take_notes), "{} parts", parts.len());
    assert!(last.text().contains("NNN") && !last.text().contains("answer-0"), "{}", last.text());
    for number in 0..7 {
        let holding = parts.iter().filter(|part| part.text().contains(&format!("answer-{number} "))).count();
        assert_eq!(holding, 1, "message {number} is in one part");
    }
    // Each question keeps to the budget of 8,000 tokens, of three bytes each, beside its schema.
    assert!(asked.iter().all(|question| question.text().len() < 8_000 * 3 + 4_000));

    script(&lesson.word, move |question| {
        let is_first = question.text().contains("answer-0 ");
        if is_first { Reply::new(429, "") } else { completion(&json!({"notes": "Fine."})) }
    });
    lesson.teacher.post(&path).await.is_refused(503, "rate_limited");
    assert_eq!(lesson.teacher.get(&path).await.is(200)["evaluation"], made["evaluation"]);
}

#[tokio::test]
async fn managers_read_and_count_the_votes_of_all() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let talk = lesson.student.get(&lesson.path("/conversations")).await.is(200);
    let message = talk["messages"][1]["id"].as_str().unwrap();
    let vote = lesson.conversation(id, &format!("/messages/{message}/feedback"));
    lesson.student.post(&vote).json(json!({"vote": "disliked", "feedback_message": "Too long"})).await.is(200);
    lesson.teacher.post(&vote).json(json!({"vote": "liked"})).await.is(200);

    let path = lesson.path("/feedback");
    let all = lesson.teacher.get(&path).await.is(200);
    assert_eq!(all["counts"], json!({"liked": 1, "disliked": 1}));
    let disliked = lesson.teacher.get(&format!("{path}?vote=disliked")).await.is(200);
    assert_eq!(disliked["feedback"].as_array().unwrap().len(), 1);
    let one = &disliked["feedback"][0];
    assert_eq!((&one["vote"], &one["feedback_message"]), (&json!("disliked"), &json!("Too long")));
    assert_eq!((&one["message_id"], &one["conversation_id"]), (&json!(message), &json!(id)));
    assert_eq!(one["user_id"], lesson.student.id.to_string());
    assert_eq!(all["feedback"][0]["vote"], "liked", "the newest first");

    let first = lesson.teacher.get(&format!("{path}?per_page=1")).await.is(200);
    let next = first.link("next").expect("another page");
    let second = lesson.teacher.get(&next).await.is(200);
    assert_eq!(second["feedback"][0]["id"], one["id"]);
    assert!(second.link("next").is_none());

    lesson.teacher.get(&format!("{path}?vote=loved")).await.is_refused(422, "vote must be");
    lesson.student.get(&path).await.is_forbidden();
    let other = lesson.school.person("elsewhere").await;
    other.get(&path).await.is_forbidden();
}
