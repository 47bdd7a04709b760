//! Sessions: begun, gone on with, moved on and handed in.

use std::collections::BTreeSet;

use futures::future::{join, join_all};
use serde_json::{Value, json};
use support::{Running, School, recent, running};

use super::{Room, grading};
use crate::uploads::ticks_until;

#[tokio::test]
async fn a_quiz_is_taken_and_graded() {
    let room = Room::of_questions(2, json!({})).await;
    let taken = room.starts().await;
    let session = &taken.session;
    let item = |number: usize| {
        json!({
            "id": taken.item(number), "entry_type": "Item", "position": number, "points_possible": 2.0, "stimulus_id": null,
            "title": format!("Statement {number}"), "item_body": format!("<p>Statement {number}</p>"),
            "interaction_type_slug": "true-false", "calculator_type": "none",
            "interaction_data": { "true_choice": "True", "false_choice": "False" }, "properties": {},
            "body": null, "instructions": null, "orientation": null, "answer": null,
        })
    };
    let expected = json!({
        "id": session.id(), "attempt": 1, "user_id": room.student.id, "state": "taking", "is_preview": false,
        "started_at": recent(&session["started_at"]), "end_at": null, "time_left": null, "submitted_at": null,
        "workflow_state": null, "score": null, "title": "Leaves", "instructions": null, "points_possible": 4.0,
        "settings": { "calculator_type": "none", "one_at_a_time": false, "allow_backtracking": true },
        "position": 1, "item_count": 2, "answered_count": 0, "attempts_left": null, "items": [item(1), item(2)],
    });
    assert_eq!(session.json, expected);
    assert_eq!(room.student.get(&taken.path).await.is(200).json, expected);
    assert!(!session.body.contains("scoring_data") && !session.body.contains("feedback"));

    let saved = taken.answers(&room.student, 1, true).await;
    assert_eq!((&saved["answers"][0]["version"], &saved["session"]["answered_count"]), (&json!(1), &json!(1)));
    taken.answers(&room.student, 2, false).await;
    let submitted = taken.submits(&room.student).await;
    assert_eq!((&submitted["state"], &submitted["answered_count"]), (&json!("submitted"), &json!(2)));
    assert_eq!(submitted["items"][0]["item_body"], Value::Null, "students see the result from now on");

    let graded = room.submission().await;
    assert_eq!((&graded["score"], &graded["grade"]), (&json!(5.0), &json!("5")), "half of the assignment's ten points");
    assert_eq!((&graded["workflow_state"], &graded["attempt"]), (&json!("graded"), &json!(1)));
    assert_eq!((&graded["submission_type"], &graded["grader_id"]), (&json!("basic_lti_launch"), &json!(null)));
    let attempts = room.student.get(&format!("{}/attempts", room.path())).await.is(200);
    assert_eq!(attempts.json[0]["responses"], json!({ taken.item(1): true, taken.item(2): false }));
    taken
        .save(&room.student, json!([{ "item_id": taken.item(1), "response": false, "version": 1 }]))
        .await
        .is_refused(409, "is handed in");
    let again = taken.submits(&room.student).await;
    assert_eq!(again["submitted_at"], submitted["submitted_at"]);
    assert_eq!(room.submission().await["attempt"], 1);
}

#[tokio::test]
async fn every_type_of_question_is_shown_without_its_answer() {
    let room = Room::with(json!({ "shuffle_answers": true })).await;
    for entry in xtask::items::all() {
        room.asks(entry).await;
    }
    let taken = room.starts().await;
    let items = taken.session["items"].as_array().unwrap();
    assert_eq!(items.len(), xtask::items::all().len());
    for item in items {
        assert!(item["interaction_data"].is_object() && item["item_body"].is_string(), "{item}");
    }
    assert!(!taken.session.body.contains("scoring"));
    let submitted = taken.submits(&room.student).await;
    assert_eq!(submitted["state"], "submitted");
    let result = taken.result(&room.student).await;
    assert_eq!(
        (&result["score"], &result["workflow_state"]),
        (&json!(0.0), &json!("graded")),
        "what is not answered is 0"
    );
}

#[tokio::test]
async fn starts_at_once_give_one_session() {
    let room = Room::of_questions(1, json!({})).await;
    let (sessions, student) = (room.sessions(), &room.student);
    let answers = join_all((0..8).map(|_| async { student.post(&sessions).await.is(200).id() })).await;
    assert_eq!(answers.iter().collect::<BTreeSet<_>>().len(), 1);
    assert_eq!(room.student.get(&room.sessions()).await.is(200).ids().len(), 1);
    let taken = room.starts().await;
    let student = &room.student;
    let submits = join_all((0..8).map(|_| async { taken.submits(student).await["state"].clone() })).await;
    assert!(submits.iter().all(|state| state == "submitted"));
    let attempts = room.student.get(&format!("{}/attempts", room.path())).await.is(200);
    assert_eq!(attempts.json.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_quiz_is_taken_when_and_by_whom_it_may_be() {
    let room = Room::of_questions(1, json!({})).await;
    room.teacher.post(&room.sessions()).await.is_forbidden();
    room.student.post(&room.sessions()).json(json!({ "preview": true })).await.is_forbidden();
    room.sets(json!({ "unlock_at": "2099-01-01T00:00:00Z" })).await;
    room.student.post(&room.sessions()).await.is_refused(409, "is locked until");
    room.sets(json!({ "unlock_at": null, "lock_at": "2020-01-01T00:00:00Z" })).await;
    room.student.post(&room.sessions()).await.is_refused(409, "was locked");
    room.sets(json!({ "lock_at": null, "published": false })).await;
    room.student.post(&room.sessions()).await.is_forbidden();
    room.sets(json!({ "published": true })).await;
    let taken = room.starts().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    other.get(&taken.path).await.is_not_found();
    other.put(&format!("{}/answers", taken.path)).json(json!({ "answers": [] })).await.is_not_found();
    other.post(&format!("{}/submit", taken.path)).await.is_not_found();
    assert_eq!(other.get(&room.sessions()).await.is(200).json, json!([]));
    let seen = room.teacher.get(&taken.path).await.is(200);
    assert_eq!(seen["items"][0]["item_body"], "<p>Statement 1</p>");
    room.teacher.put(&format!("{}/answers", taken.path)).json(json!({ "answers": [] })).await.is_forbidden();
    assert_eq!(room.teacher.get(&room.sessions()).await.is(200).ids(), [taken.session.id()]);
    assert_eq!(taken.submits(&room.teacher).await["state"], "submitted");
}

#[tokio::test]
async fn a_quiz_with_a_code_is_taken_by_who_knows_it() {
    let room =
        Room::of_questions(1, json!({ "require_student_access_code": true, "student_access_code": "oak" })).await;
    room.student.post(&room.sessions()).await.is_refused(403, "invalid access code");
    let with = |code: &str| json!({ "student_access_code": code });
    room.student.post(&room.sessions()).json(with("elm")).await.is_refused(403, "invalid access code");
    let id = room.student.post(&room.sessions()).json(with("oak")).await.is(200).id();
    assert_eq!(room.student.post(&room.sessions()).await.is(200).id(), id, "it runs");
}

#[tokio::test]
async fn a_quiz_with_a_filter_is_taken_from_where_it_may_be() {
    let filter = json!({ "filter_ip_address": true, "filters": { "ips": [["10.1.0.0", "10.1.0.255"]] } });
    let room = Room::of_questions(1, filter).await;
    let from = |address: &'static str| room.student.post(&room.sessions()).header("x-forwarded-for", address);
    room.student.post(&room.sessions()).await.is(403);
    from("10.2.0.1").await.is_refused(403, "not taken from this address");
    let id = from("10.1.0.7").await.is(200).id();
    let path = format!("{}/{id}", room.sessions());
    room.student.get(&path).header("x-forwarded-for", "10.2.0.1").await.is_refused(403, "not taken from this address");
    room.student.get(&path).header("x-forwarded-for", "10.1.0.8").await.is(200);
    room.teacher.post(&room.sessions()).json(json!({ "preview": true })).await.is(200);
}

#[tokio::test]
async fn attempts_are_counted_wait_and_keep_a_score() {
    let attempts = |keep: &str, cooling: bool| {
        json!({ "multiple_attempts": {
            "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 3, "score_to_keep": keep,
            "cooling_period": cooling, "cooling_period_seconds": 3600,
        } })
    };
    for (keep, kept) in [("average", 5.0), ("first", 10.0), ("highest", 10.0), ("latest", 5.0)] {
        let room = Room::of_questions(2, attempts(keep, false)).await;
        for (number, right) in [(1, [true, true]), (2, [false, false]), (3, [true, false])] {
            let taken = room.starts().await;
            assert_eq!(
                (&taken.session["attempt"], &taken.session["attempts_left"]),
                (&json!(number), &json!(4 - number))
            );
            taken.answers(&room.student, 1, right[0]).await;
            taken.answers(&room.student, 2, right[1]).await;
            taken.submits(&room.student).await;
        }
        room.student.post(&room.sessions()).await.is_refused(409, "no attempts are left");
        assert_eq!(room.submission().await["score"], kept, "{keep}");
    }
    let room = Room::of_questions(1, attempts("latest", true)).await;
    room.starts().await.submits(&room.student).await;
    room.student.post(&room.sessions()).await.is_refused(409, "the next attempt may begin at");
}

#[tokio::test]
async fn one_question_at_a_time_without_a_way_back() {
    let room = Room::of_questions(3, json!({ "one_at_a_time_type": "question", "allow_backtracking": false })).await;
    let taken = room.starts().await;
    let bodies = |session: &Value| -> Vec<bool> {
        session["items"].as_array().unwrap().iter().map(|item| item["item_body"].is_string()).collect()
    };
    assert_eq!(bodies(&taken.session.json), [true, false, false]);
    let second = json!([{ "item_id": taken.item(2), "response": true, "version": 0 }]);
    taken.save(&room.student, second.clone()).await.is_refused(409, "only the question that is looked at");
    taken.answers(&room.student, 1, true).await;
    let position = format!("{}/position", taken.path);
    let moves = async |to: i64| room.student.post(&position).json(json!({ "position": to })).await;
    moves(3).await.is_refused(409, "only the next question");
    let moved = moves(2).await.is(200);
    assert_eq!((bodies(&moved.json), &moved["position"]), (vec![false, true, false], &json!(2)));
    moves(2).await.is(200);
    moves(1).await.is_refused(409, "only the next question");
    moves(4).await.is_refused(422, "must be between 1 and 3");
    taken.save(&room.student, second).await.is(200);

    room.sets(json!({ "quiz_settings": { "allow_backtracking": true } })).await;
    assert_eq!(bodies(&moves(1).await.is(200).json), [true, false, false]);
    assert_eq!(bodies(&moves(3).await.is(200).json), [false, false, true]);
}

#[tokio::test]
async fn a_session_whose_time_is_over_is_handed_in() {
    let room = Room::of_questions(1, json!({ "has_time_limit": true, "session_time_limit_in_seconds": 600 })).await;
    let taken = room.starts().await;
    let left = taken.session["time_left"].as_i64().unwrap();
    assert!((590..=600).contains(&left), "{left}");
    taken.answers(&room.student, 1, true).await;
    let ended = |seconds: i64| {
        let sql = format!(
            "UPDATE quiz_sessions SET end_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-{seconds} seconds') WHERE id = {};",
            taken.session.id()
        );
        running().change_database(&sql)
    };
    if !ended(3) {
        return;
    }
    let flag = json!([{ "item_id": taken.item(1), "flagged": true, "version": 1 }]);
    taken.save(&room.student, flag.clone()).await.is(200);
    ended(60);
    taken.save(&room.student, flag).await.is_refused(409, "is handed in");
    let read = room.student.get(&taken.path).await.is(200);
    assert_eq!((&read["state"], &read["submitted_at"]), (&json!("submitted"), &read["end_at"]));
    assert_eq!(room.submission().await["score"], 10.0);

    let second = room.starts().await;
    let sql = format!("UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z' WHERE id = {};", second.session.id());
    running().change_database(&sql);
    ticks_until("it is handed in", async || room.submission().await["attempt"] == 2).await;
    let listed = room.teacher.get(&room.sessions()).await.is(200);
    assert!(listed.json.as_array().unwrap().iter().all(|session| session["state"] == "submitted"), "{listed}");
    assert_eq!(room.submission().await["attempt"], 2);

    let third = room.starts().await;
    let sql = format!("UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z' WHERE id = {};", third.session.id());
    running().change_database(&sql);
    let fourth = room.starts().await;
    assert_eq!(fourth.session["attempt"], 4, "the one before was handed in first");
}

#[tokio::test]
async fn a_list_tells_of_a_session_what_reading_it_tells() {
    // No tick of another test is faster.
    let site = Running::own("listed-sessions", &[]);
    let settings = json!({ "has_time_limit": true, "session_time_limit_in_seconds": 600 });
    let room = Room::in_school(School::start_in(&site).await, json!({ "quiz_settings": settings })).await;
    room.asks(xtask::items::true_false("Statement", true)).await;
    let taken = room.starts().await;
    taken.answers(&room.student, 1, true).await;
    let sql = format!("UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z' WHERE id = {};", taken.session.id());
    if !site.change_database(&sql) {
        return;
    }
    let listed = room.teacher.get(&room.sessions()).await.is(200);
    assert_eq!((listed.ids(), &listed.json[0]["state"]), (vec![taken.session.id()], &json!("submitted")));
    assert_eq!(listed.json[0]["submitted_at"], listed.json[0]["end_at"]);
    assert_eq!(room.teacher.get(&taken.path).await.is(200)["state"], "submitted");
    assert_eq!(room.submission().await["score"], 10.0);
}

#[tokio::test]
async fn a_list_hands_in_first_what_is_over_of_what_its_reader_sees() {
    // No tick of another test is faster.
    let site = Running::own("overdue-sessions", &[]);
    let settings = json!({ "has_time_limit": true, "session_time_limit_in_seconds": 600 });
    let room = Room::in_school(School::start_in(&site).await, json!({ "quiz_settings": settings })).await;
    room.asks(grading::essay()).await;
    let section = room.course.section(&room.school, "B").await;
    let over = async || {
        let taken = room.starts().await;
        taken.answers(&room.student, 1, "<p>It gets dark.</p>").await;
        let id = taken.session.id();
        let sql = format!("UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z' WHERE id = {id};");
        site.change_database(&sql).then_some(id)
    };
    let Some(first) = over().await else { return };
    for stranger in [&section.student, &section.teacher] {
        assert_eq!(stranger.get(&room.sessions()).await.is(200).json, json!([]));
    }
    assert_eq!(room.submission().await["workflow_state"], "unsubmitted");
    let waiting = format!("{}?needs_grading=true", room.sessions());
    assert_eq!(room.teacher.get(&waiting).await.is(200).ids(), [first]);
    assert_eq!(room.submission().await["workflow_state"], "pending_review");

    over().await;
    let of_others = format!("{}?user_id={}", room.sessions(), section.student.id);
    assert_eq!(room.teacher.get(&of_others).await.is(200).json, json!([]));
    assert_eq!(room.submission().await["attempt"], 1);
    assert_eq!(room.student.get(&of_others).await.is(200).json, json!([]));
    assert_eq!(room.submission().await["attempt"], 2, "one's own comes whatever is asked for");

    over().await;
    let page = format!("/courses/{}/assignments/{}/grade?waiting=true", room.course.id, room.quiz);
    let page = room.school.in_browser(&room.teacher).await.get(&page).await.is_page(200, "1 answer to grade");
    assert_eq!(page.body.matches("1 answer to grade").count(), 3, "{page}");
}

#[tokio::test]
async fn a_session_whose_end_was_interrupted_too_often_waits_for_a_person() {
    let room = Room::of_questions(2, json!({ "has_time_limit": true, "session_time_limit_in_seconds": 600 })).await;
    let begun = |session: i64, times: i64| {
        let sql = format!(
            "UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z', hand_in_beginnings = {times} WHERE id = {session};"
        );
        running().change_database(&sql)
    };
    let first = room.starts().await;
    first.answers(&room.student, 1, true).await;
    if !begun(first.session.id(), 1) {
        return;
    }
    ticks_until("it is handed in", async || first.result(&room.teacher).await["workflow_state"] == "graded").await;
    let result = first.result(&room.teacher).await;
    assert_eq!(
        (&result["workflow_state"], &result["score"]),
        (&json!("graded"), &json!(2.0)),
        "it was tried once more"
    );

    let second = room.starts().await;
    second.answers(&room.student, 1, true).await;
    begun(second.session.id(), 5);
    let waits = async || room.submission().await["workflow_state"] == "pending_review";
    ticks_until("it waits for a person", waits).await;
    let result = second.result(&room.teacher).await;
    assert_eq!((&result["workflow_state"], &result["score"]), (&json!("pending_review"), &json!(0.0)));
    let items = &result["items"];
    assert_eq!((&items[0]["points"], &items[1]["points"]), (&json!(null), &json!(0.0)), "what is not answered is 0");
    assert_eq!(room.submission().await["workflow_state"], "pending_review");
    let waiting = room.teacher.get(&format!("{}?needs_grading=true", room.sessions())).await.is(200);
    assert_eq!(waiting.ids(), [second.session.id()]);

    let judged = json!({ "version": 0, "items": [{ "item_id": second.item(1), "points": null }] });
    let judged = room.teacher.put(&format!("{}/result", second.path)).json(judged).await.is(200);
    assert_eq!((&judged["workflow_state"], &judged["score"]), (&json!("graded"), &json!(2.0)), "by the service");
    assert_eq!(judged["items"][0]["grader_id"], json!(null));
}

#[tokio::test]
async fn a_preview_whose_time_is_over_is_ended_by_who_looks_at_it() {
    let room = Room::of_questions(1, json!({ "has_time_limit": true, "session_time_limit_in_seconds": 600 })).await;
    let preview = room.teacher.post(&room.sessions()).json(json!({ "preview": true })).await.is(200);
    let sql = format!("UPDATE quiz_sessions SET end_at = '2020-01-01T00:00:00Z' WHERE id = {};", preview.id());
    if !running().change_database(&sql) {
        return;
    }
    running().tick(None).await;
    let listed = room.teacher.get(&room.sessions()).await.is(200);
    assert_eq!((listed.ids(), &listed.json[0]["state"]), (vec![preview.id()], &json!("submitted")));
    assert_eq!(listed.json[0]["submitted_at"], listed.json[0]["end_at"]);
}

#[tokio::test]
async fn banks_give_each_student_questions() {
    let room = Room::with(json!({ "shuffle_questions": true })).await;
    let bank = room.teacher.post(&format!("{}/banks", room.engine)).json(json!({ "bank": { "title": "Trees" } }));
    let bank = bank.await.is(200).id();
    for number in 0..8 {
        let entry = json!({ "entry_type": "Item", "entry": xtask::items::true_false(&format!("Tree {number}"), true) });
        room.teacher.post(&format!("{}/banks/{bank}/entries", room.engine)).json(entry).await.is(200);
    }
    let drawn = json!({ "item": { "bank_id": bank, "sample_num": 3, "points_possible": 2 } });
    room.teacher.post(&format!("{}/bank_items", room.path())).json(drawn).await.is(200);
    let taken = room.starts().await;
    let titles = |session: &Value| -> Vec<String> {
        let items = session["items"].as_array().unwrap();
        items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
    };
    let first = titles(&taken.session.json);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
    assert_eq!(taken.session["points_possible"], 6.0);
    assert_eq!(titles(&room.starts().await.session.json), first, "what is drawn stays");
    taken.answers(&room.student, 2, true).await;
    taken.submits(&room.student).await;
    assert_eq!(taken.result(&room.student).await["score"], 2.0);
    let mut draws = BTreeSet::new();
    for _ in 0..6 {
        let next = room.starts().await;
        draws.insert(titles(&next.session.json));
        next.submits(&room.student).await;
    }
    assert!(draws.len() > 1, "{draws:?}");
}

#[tokio::test]
async fn a_bank_that_is_asked_for_more_than_there_can_be_gives_all() {
    let room = Room::with(json!({})).await;
    let bank = room.teacher.post(&format!("{}/banks", room.engine)).json(json!({ "bank": { "title": "Trees" } }));
    let bank = bank.await.is(200).id();
    for number in 0..2 {
        let entry = json!({ "entry_type": "Item", "entry": xtask::items::true_false(&format!("Tree {number}"), true) });
        room.teacher.post(&format!("{}/banks/{bank}/entries", room.engine)).json(entry).await.is(200);
    }
    let drawn = json!({ "bank_id": bank, "sample_num": i64::MAX });
    let drawn = room.teacher.post(&format!("{}/bank_items", room.path())).json(drawn).await.is(200);
    assert_eq!(drawn["properties"]["sample_num"], i64::MAX);
    assert_eq!(room.starts().await.session["item_count"], 2);
    let page = format!("/courses/{}/assignments/{}/take", room.course.id, room.quiz);
    room.school.in_browser(&room.student).await.get(&page).await.is(200);
}

#[tokio::test]
async fn a_preview_counts_nowhere() {
    let room = Room::of_questions(1, json!({ "multiple_attempts": { "multiple_attempts_enabled": false } })).await;
    let preview = async || room.teacher.post(&room.sessions()).json(json!({ "preview": true })).await.is(200);
    let first = preview().await;
    assert_eq!((&first["is_preview"], preview().await.id()), (&json!(true), first.id()));
    let path = format!("{}/{}", room.sessions(), first.id());
    room.teacher.post(&format!("{path}/submit")).await.is(200);
    room.teacher.get(&format!("{path}/result")).await.is(200);
    assert!(preview().await.id() != first.id());
    room.teacher.get(&path).await.is_not_found();
    assert_eq!(room.teacher.get(&format!("{}/items", room.path())).await.is(200).json[0]["status"], "mutable");
    assert_eq!(room.teacher.get(&format!("{}/attempts", room.path())).await.is(200).json, json!([]));
    room.sets(json!({ "published": false })).await;
    room.sets(json!({ "published": true })).await;
    assert_eq!(room.starts().await.session["attempt"], 1);
}

#[tokio::test]
async fn a_quiz_that_is_taken_stays_as_it_is() {
    let room = Room::with(json!({})).await;
    let item = room.asks(xtask::items::true_false("Statement", true)).await;
    room.starts().await;
    let path = format!("{}/items/{item}", room.path());
    assert_eq!(room.teacher.get(&path).await.is(200)["status"], "immutable");
    let change = json!({ "item": { "points_possible": 5 } });
    room.teacher.patch(&path).json(change).await.is_refused(422, "is immutable");
    room.teacher.delete(&path).await.is_refused(422, "is immutable");
    let unpublish = json!({ "quiz": { "published": false } });
    room.teacher.patch(&room.path()).json(unpublish).await.is(422);
}

#[tokio::test]
async fn what_is_deleted_while_a_session_begins_is_not_asked() {
    let room = &Room::with(json!({})).await;
    let rounds = (0..24).map(async |_| {
        let quiz = json!({ "quiz": { "title": "Leaves", "points_possible": 10, "published": true } });
        let quiz = room.teacher.post(&format!("{}/quizzes", room.engine)).json(quiz).await.is(200).id();
        let path = format!("{}/quizzes/{quiz}", room.engine);
        let mut items = Vec::new();
        for _ in 0..3 {
            let entry = xtask::items::true_false("Statement", true);
            let item = json!({ "item": { "entry_type": "Item", "points_possible": 2, "entry": entry } });
            items.push(room.teacher.post(&format!("{path}/items")).json(item).await.is(200).id());
        }
        let delete = async |item: &i64| room.teacher.delete(&format!("{path}/items/{item}")).await;
        let sessions = format!("{path}/sessions");
        let (begun, _) =
            join(async { room.student.post(&sessions).await }, join_all(items.iter().take(2).map(delete))).await;
        // Where both have come between, it begins with what is left.
        let session = if begun.status == 409 { room.student.post(&sessions).await.is(200) } else { begun.is(200) };
        let left = room.teacher.get(&format!("{path}/items")).await.is(200);
        let asked = session["items"].as_array().unwrap();
        assert_eq!(asked.len(), left.json.as_array().unwrap().len(), "{session}");
        assert!(asked.iter().all(|item| item["item_body"].is_string()), "{session}");
    });
    join_all(rounds).await;
}

#[tokio::test]
async fn the_numbers_of_a_formula_that_changes_while_a_session_begins_are_there() {
    let room = &Room::with(json!({})).await;
    let formula = |count: usize| {
        let solution = |number| json!({ "inputs": [{ "name": "x", "value": format!("{number}") }], "output": "1" });
        json!({ "item_body": "<p>`x`?</p>", "interaction_type_slug": "formula", "scoring_algorithm": "Numeric",
                "interaction_data": {}, "scoring_data": { "value": {
            "formula": "x", "numeric": { "type": "marginOfError", "margin": "0", "margin_type": "absolute" },
            "variables": [{ "name": "x", "min": "0", "max": "999", "precision": 0 }], "answer_count": "1",
            "generated_solutions": (0..count).map(solution).collect::<Vec<_>>(),
        } } })
    };
    let formula = &formula;
    let rounds = (0..24).map(async |_| {
        let quiz = json!({ "quiz": { "title": "Leaves", "points_possible": 10, "published": true } });
        let quiz = room.teacher.post(&format!("{}/quizzes", room.engine)).json(quiz).await.is(200).id();
        let path = format!("{}/quizzes/{quiz}", room.engine);
        let item = json!({ "item": { "entry_type": "Item", "entry": formula(400) } });
        let item = room.teacher.post(&format!("{path}/items")).json(item).await.is(200).id();
        let change = json!({ "item": { "entry": { "scoring_data": formula(1)["scoring_data"] } } });
        let change = async || room.teacher.patch(&format!("{path}/items/{item}")).json(change).await;
        let begin = async || room.student.post(&format!("{path}/sessions")).await;
        let (session, _) = join(begin(), change()).await;
        let variables = session.is(200)["items"][0]["interaction_data"]["variables"].clone();
        assert_eq!(variables.as_array().map(Vec::len), Some(1), "{variables}");
    });
    join_all(rounds).await;
}
