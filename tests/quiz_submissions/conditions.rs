//! The conditions under which a classic quiz is taken: from where, and which questions in which order.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use support::{Client, School, running};

use super::{Attempt, Quiz, quiz, start};

/// The ids of the questions of an attempt that the client sees.
async fn shown(client: &Client, attempt: &Attempt) -> Vec<i64> {
    let asked = client.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    asked["quiz_submission_questions"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
}

/// The same quiz with a text before each of its two questions and one behind them.
async fn with_texts(teacher: &Client, quiz: &Quiz) -> [i64; 3] {
    let mut texts = [0; 3];
    for (text, position) in texts.iter_mut().zip([1, 3, 5]) {
        let question = json!({ "question_type": "text_only_question", "question_text": "Read", "position": position });
        *text =
            teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": question })).await.is(200).id();
    }
    let order = [texts[0], quiz.questions[0], texts[1], quiz.questions[1], texts[2]];
    let order: Vec<_> = order.iter().map(|id| json!({ "type": "question", "id": id })).collect();
    teacher.post(&format!("{}/reorder", quiz.path)).json(json!({ "order": order })).await.is(204);
    texts
}

#[tokio::test]
async fn a_quiz_is_taken_from_its_addresses_alone() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "ip_filter": "10.1.0.0/16, 203.0.113.7" })).await;
    let starts = format!("{}/submissions", quiz.path);
    let from = |address: &'static str| student.post(&starts).header("x-forwarded-for", address);
    from("192.0.2.1").await.is_refused(403, "IP address denied");
    from("10.1.2.3, 192.0.2.1").await.is_refused(403, "IP address denied");
    let started = from("10.1.2.3").await.is(200);
    let started = &started["quiz_submissions"][0];
    let (id, attempt, token) = (started["id"].as_i64().unwrap(), &started["attempt"], &started["validation_token"]);
    let questions = format!("/api/v1/quiz_submissions/{id}/questions");
    let flag = format!("{questions}/{}/flag", quiz.questions[1]);
    let complete = format!("{starts}/{id}/complete");
    let proof = json!({ "attempt": attempt, "validation_token": token });
    let mut answers = proof.clone();
    answers["quiz_questions"] = json!([{ "id": quiz.questions[1], "answer": 42 }]);
    for (address, status) in [("192.0.2.1", 403), ("203.0.113.7", 200)] {
        let header = |call: support::Call| call.header("x-forwarded-for", address);
        header(student.get(&questions)).await.is(status);
        header(student.post(&questions).json(answers.clone())).await.is(status);
        header(student.put(&flag).json(proof.clone())).await.is(status);
        header(student.post(&complete).json(proof.clone())).await.is(status);
    }
    student.get(&questions).header("x-forwarded-for", "192.0.2.1").await.is(200);
    teacher.get(&questions).await.is(200);
}

#[tokio::test]
async fn who_is_taught_sets_a_filter_of_addresses_and_nothing_else() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "ip_filter": "192.168.217.1/255.255.255.0" })).await;
    for filter in ["the library", "10.0.0.0/33", "10.0.0.1,"] {
        let change = json!({ "quiz": { "ip_filter": filter } });
        teacher.put(&quiz.path).json(change).await.is_refused(400, "must be addresses or networks");
    }
    assert_eq!(teacher.get(&quiz.path).await.is(200)["ip_filter"], "192.168.217.1/255.255.255.0");
    assert_eq!(student.get(&quiz.path).await.is(200)["ip_filter"], json!(null));
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(403, "IP address denied");
    teacher.put(&quiz.path).json(json!({ "quiz": { "ip_filter": "" } })).await.is(200);
    start(&student, &quiz).await;
}

#[tokio::test]
async fn one_question_at_a_time_without_a_way_back() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "one_question_at_a_time": true, "cant_go_back": true })).await;
    let [before, between, last] = with_texts(&teacher, &quiz).await;
    let [tree, rings] = quiz.questions[..] else { panic!("two questions") };
    let attempt = start(&student, &quiz).await;
    assert_eq!(shown(&student, &attempt).await, [before, tree]);
    assert_eq!(shown(&teacher, &attempt).await.len(), 5, "who grades sees them all");
    attempt.answers(&student, &[(rings, json!(42))]).await.is_refused(400, "comes later");
    let flag = |question: i64| format!("/api/v1/quiz_submissions/{}/questions/{question}/flag", attempt.id);
    student.put(&flag(rings)).json(attempt.proof()).await.is_refused(400, "comes later");
    student.put(&flag(tree)).json(attempt.proof()).await.is(200);
    assert_eq!(shown(&student, &attempt).await, [before, tree], "a mark is no answer");

    attempt.answers(&student, &[(tree, json!(null))]).await.is(200);
    assert_eq!(shown(&student, &attempt).await, [between, rings]);
    attempt.answers(&student, &[(tree, json!(1))]).await.is_refused(400, "does not let you go back");
    student.put(&flag(tree)).json(attempt.proof()).await.is_refused(400, "does not let you go back");
    attempt.answers(&student, &[(rings, json!(42))]).await.is(200);
    assert_eq!(shown(&student, &attempt).await, [last]);
    attempt.answers(&student, &[(rings, json!(41))]).await.is_refused(400, "does not let you go back");
    let done = attempt.completes(&student).await.is(200);
    assert_eq!(done["quiz_submissions"][0]["score"], 3.0);
    assert_eq!(shown(&student, &attempt).await.len(), 5, "what is over is shown as the results are");
}

#[tokio::test]
async fn one_question_at_a_time_with_a_way_back() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "one_question_at_a_time": true })).await;
    let [tree, rings] = quiz.questions[..] else { panic!("two questions") };
    let attempt = start(&student, &quiz).await;
    assert_eq!(shown(&student, &attempt).await, [tree]);
    attempt.answers(&student, &[(tree, json!(null)), (rings, json!(41))]).await.is(200);
    attempt.answers(&student, &[(rings, json!(42))]).await.is(200);
    assert_eq!(shown(&student, &attempt).await, [tree, rings]);
    assert_eq!(attempt.completes(&student).await.is(200)["quiz_submissions"][0]["score"], 3.0);
}

#[tokio::test]
async fn a_mark_keeps_the_answer() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let attempt = start(&student, &quiz).await;
    attempt.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
    let flag = format!("/api/v1/quiz_submissions/{}/questions/{}/flag", attempt.id, quiz.questions[1]);
    let flagged = student.put(&flag).json(attempt.proof()).await.is(200);
    let flagged = &flagged["quiz_submission_questions"][0];
    assert_eq!((&flagged["flagged"], &flagged["answer"]), (&json!(true), &json!(42.0)));
}

#[tokio::test]
async fn a_mark_that_comes_without_an_answer_is_none() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "one_question_at_a_time": true, "cant_go_back": true })).await;
    let [tree, rings] = quiz.questions[..] else { panic!("two questions") };
    let attempt = start(&student, &quiz).await;
    let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
    let sent = async |method: Method, sent: Value| {
        let mut body = attempt.proof();
        body["quiz_questions"] = json!([sent]);
        let answer = student.call(method, &path).json(body).await.is(200);
        let told = &answer["quiz_submission_questions"][0];
        (told["flagged"].clone(), told["answer"].clone())
    };
    for (method, flagged) in [(Method::POST, true), (Method::PUT, false)] {
        let mark = json!({ "id": tree, "flagged": flagged });
        assert_eq!(sent(method, mark).await, (json!(flagged), json!(null)));
        assert_eq!(shown(&student, &attempt).await, [tree], "the question is not used up");
    }
    attempt.answers(&student, &[(tree, json!(null))]).await.is(200);
    assert_eq!(shown(&student, &attempt).await, [rings], "null is an answer");

    let settings = json!({ "quiz": { "one_question_at_a_time": false, "cant_go_back": false } });
    teacher.put(&quiz.path).json(settings).await.is(200);
    attempt.answers(&student, &[(rings, json!(42))]).await.is(200);
    for method in [Method::POST, Method::PUT] {
        let kept = (json!(true), json!(42.0));
        assert_eq!(sent(method.clone(), json!({ "id": rings, "flagged": true })).await, kept);
        assert_eq!(sent(method, json!({ "id": rings })).await, kept);
    }
    let taken_back = json!({ "id": rings, "answer": null });
    assert_eq!(sent(Method::POST, taken_back).await, (json!(true), json!(null)));
}

#[tokio::test]
async fn choices_stand_in_another_order_each_time_where_they_are_shuffled() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    for is_shuffled in [false, true] {
        let settings = json!({ "shuffle_answers": is_shuffled, "allowed_attempts": -1 });
        let quiz = quiz(&teacher, &course, settings).await;
        let choices: Vec<_> = (0..8).map(|number| json!({ "text": number.to_string(), "weight": 0 })).collect();
        let question = json!({ "question_type": "multiple_choice_question", "answers": choices });
        let asked =
            teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": question })).await.is(200);
        let truth = json!({ "question_type": "true_false_question",
                            "answers": [{ "text": "True", "weight": 100 }, { "text": "False" }] });
        teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": truth })).await.is(200);
        let (mut orders, mut truths) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..4 {
            let attempt = start(&student, &quiz).await;
            let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
            let seen = student.get(&path).await.is(200)["quiz_submission_questions"].clone();
            let ids = |place: usize| -> Vec<i64> {
                seen[place]["answers"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
            };
            assert_eq!(seen[2]["id"], asked["id"]);
            assert_eq!(ids(2).into_iter().collect::<BTreeSet<_>>(), (1..=8).collect());
            orders.insert(ids(2));
            truths.insert(ids(3));
            attempt.completes(&student).await.is(200);
        }
        // Four orders of eight choices are the same once in 65 billion times.
        assert_eq!(orders.len() > 1, is_shuffled, "{orders:?}");
        assert_eq!(truths.len(), 1);
    }
}

#[tokio::test]
async fn a_choice_is_right_wherever_it_stands() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "shuffle_answers": true })).await;
    let attempt = start(&student, &quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let choices = asked["quiz_submission_questions"][0]["answers"].as_array().unwrap().clone();
    let oak: &Value = &choices.iter().find(|choice| choice["text"] == "Oak").unwrap()["id"];
    attempt.answers(&student, &[(quiz.questions[0], oak.clone())]).await.is(200);
    assert_eq!(attempt.completes(&student).await.is(200)["quiz_submissions"][0]["score"], 2.0);
}

#[tokio::test]
async fn what_can_be_matched_tells_nothing_of_what_belongs_together() {
    const LETTERS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 2 })).await;
    let answers: Vec<_> = LETTERS.map(|letter| json!({ "left": letter, "right": letter.to_uppercase() })).to_vec();
    let question = json!({ "question_type": "matching_question", "points_possible": 12, "answers": answers,
                           "matching_answer_incorrect_matches": "X\nY\nZ" });
    let questions = format!("{}/questions", quiz.path);
    let made = teacher.post(&questions).json(json!({ "question": question })).await.is(200);
    let matches = async |path: &str, place: usize| {
        let asked = student.get(path).await.is(200)["quiz_submission_questions"][place].clone();
        let of = |one: &Value| (one["match_id"].as_i64().unwrap(), one["text"].as_str().unwrap().to_owned());
        asked["matches"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    // A question from before has numbers in the order of its answers.
    running().change_database(&format!(
        "UPDATE quiz_questions SET answers = (
             SELECT json_group_array(json_set(value, '$.match_id', key + 1)) FROM json_each(answers)) WHERE id = {}",
        made.id()
    ));
    let attempt = start(&student, &quiz).await;
    let path = format!("/api/v1/quiz_submissions/{}/questions", attempt.id);
    let offered = matches(&path, 2).await;
    let texts: Vec<_> = offered.iter().map(|(_, text)| text.to_lowercase()).collect();
    assert_eq!(texts.iter().map(String::as_str).collect::<BTreeSet<_>>().len(), 15);
    assert_ne!(texts[..12], LETTERS);
    assert!(offered.is_sorted() && offered[0].0 >= 100_000, "{offered:?}");
    let right: Vec<_> = (1..)
        .zip(LETTERS)
        .map(|(answer, letter)| {
            let chosen = offered.iter().find(|(_, text)| *text == letter.to_uppercase()).unwrap();
            json!({ "answer_id": answer, "match_id": chosen.0 })
        })
        .collect();
    attempt.answers(&student, &[(made.id(), json!(right))]).await.is(200);
    assert_eq!(attempt.completes(&student).await.is(200)["quiz_submissions"][0]["score"], 12.0);
    let read = teacher.get(&format!("{questions}/{}", made.id())).await.is(200);
    let ids =
        |list: &Value| list.as_array().unwrap().iter().map(|one| one["match_id"].as_i64().unwrap()).collect::<Vec<_>>();
    assert_eq!(ids(&read["answers"]), ids(&made["answers"]));
    assert_eq!(ids(&read["matches"]).into_iter().collect::<BTreeSet<_>>(), offered.iter().map(|(id, _)| *id).collect());
}
