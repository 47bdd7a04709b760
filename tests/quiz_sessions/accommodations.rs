//! Accommodations, as client libraries send them.

use std::time::Duration;

use serde_json::{Value, json};
use support::Response;

use super::Room;

const LIMIT: i64 = 600;

/// A question with four choices, of which the third is right, and their ids.
fn choice_of_four() -> (Value, Vec<String>) {
    let mut choice = xtask::items::all().into_iter().find(|entry| entry["interaction_type_slug"] == "choice").unwrap();
    let ids: Vec<_> = (0..4).map(|number| format!("0b7c1b8e-1111-4222-8333-44445555666{number}")).collect();
    let choice_of = |(id, position)| json!({ "id": id, "position": position, "item_body": "<p>x</p>" });
    let choices: Vec<_> = ids.iter().zip(1..).map(choice_of).collect();
    choice["interaction_data"] = json!({ "choices": choices });
    choice["scoring_data"] = json!({ "value": ids[2] });
    choice["answer_feedback"] = json!({});
    choice["properties"] = json!({});
    (choice, ids)
}

#[tokio::test]
async fn a_student_gets_more_time_attempts_and_fewer_choices() {
    let settings = json!({
        "has_time_limit": true, "session_time_limit_in_seconds": LIMIT,
        "multiple_attempts": { "multiple_attempts_enabled": false },
    });
    let room = Room::with(settings).await;
    let (choice, ids) = choice_of_four();
    room.asks(choice).await;
    let path = format!("{}/accommodations", room.path());
    let stranger = room.school.person("Nobody").await;
    let list = json!([
        { "user_id": room.student.id, "extra_time": 10, "extra_attempts": 1, "reduce_choices_enabled": true },
        { "user_id": stranger.id, "extra_time": 10 },
    ]);
    room.student.post(&path).json(&list).await.is_forbidden();
    let outcome = room.teacher.post(&path).json(&list).await.is(200);
    let expected = json!({
        "message": "Accommodations processed", "successful": [{ "user_id": room.student.id }],
        "failed": [{ "user_id": stranger.id, "error": format!("User is not a student of course {}", room.course.id) }],
    });
    assert_eq!(outcome.json, expected);
    let taken = room.starts().await;
    let left = taken.session["time_left"].as_i64().unwrap();
    assert!((LIMIT + 590..=LIMIT + 600).contains(&left), "{left}");
    let shown = taken.session["items"][0]["interaction_data"]["choices"].as_array().unwrap();
    assert!(shown.len() == 3 && shown.iter().any(|choice| choice["id"] == ids[2]));
    assert_eq!(taken.session["attempts_left"], 2);
    taken.submits(&room.student).await;
    room.starts().await.submits(&room.student).await;
    room.student.post(&room.sessions()).await.is_refused(409, "no attempts are left");
}

#[tokio::test]
async fn the_choice_that_went_stays_gone_whatever_a_regrade_says_is_right() {
    let room = Room::with(json!({})).await;
    let (choice, ids) = choice_of_four();
    let item = room.asks(choice).await;
    let list = json!([{ "user_id": room.student.id, "reduce_choices_enabled": true }]);
    room.teacher.post(&format!("{}/accommodations", room.path())).json(&list).await.is(200);
    let taken = room.starts().await;
    let shown = |of: &Response| of["items"][0]["interaction_data"]["choices"].clone();
    let before = shown(&taken.session);
    assert_eq!(before.as_array().unwrap().len(), 3);
    // Moments are whole seconds.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    for id in &ids {
        let corrected = json!({ "item_id": item.to_string(), "option": "no_regrade", "scoring_data": { "value": id } });
        room.teacher.post(&format!("{}/regrades", room.path())).json(corrected).await.is(200);
        assert_eq!(shown(&room.student.get(&taken.path).await.is(200)), before, "{id}");
    }
    taken.submits(&room.student).await;
    assert_eq!(shown(&taken.result(&room.student).await), before);
}

#[tokio::test]
async fn extra_attempts_and_the_time_between_attempts_hold_for_those_that_are_posted_too() {
    let once = json!({ "multiple_attempts": { "multiple_attempts_enabled": false } });
    let room = Room::of_questions(1, once).await;
    let attempts = format!("{}/attempts", room.path());
    let post = || room.student.post(&attempts).json(json!({ "responses": {} }));
    post().await.is(200);
    post().await.is_refused(409, "no attempts are left");
    let list = json!([{ "user_id": room.student.id, "extra_attempts": 1 }]);
    room.teacher.post(&format!("{}/accommodations", room.engine)).json(&list).await.is(200);
    assert_eq!(post().await.is(200)["attempt"], 2);
    post().await.is_refused(409, "no attempts are left");

    let cooling = json!({
        "multiple_attempts_enabled": true, "attempt_limit": false, "cooling_period": true, "cooling_period_seconds": 3600,
    });
    let change = json!({ "quiz": { "quiz_settings": { "multiple_attempts": cooling } } });
    room.teacher.patch(&room.path()).json(&change).await.is(200);
    post().await.is_refused(409, "the next attempt may begin at");
}

#[tokio::test]
async fn a_session_that_runs_gets_more_time_where_that_is_said() {
    let room = Room::of_questions(1, json!({ "has_time_limit": true, "session_time_limit_in_seconds": LIMIT })).await;
    let path = format!("{}/accommodations", room.engine);
    let list = json!([{ "user_id": room.student.id, "extra_time": 5, "apply_to_in_progress_quiz_sessions": true }]);
    let outcome = room.teacher.post(&path).json(&list).await.is(200);
    let error = format!("User is not in any in-progress quiz sessions for course {}", room.course.id);
    assert_eq!(outcome["failed"], json!([{ "user_id": room.student.id, "error": error }]));
    let taken = room.starts().await;
    assert!(taken.session["time_left"].as_i64().unwrap() <= LIMIT, "nothing was given");
    room.teacher.post(&path).json(&list).await.is(200);
    let left = room.student.get(&taken.path).await.is(200)["time_left"].as_i64().unwrap();
    assert!((LIMIT + 280..=LIMIT + 300).contains(&left), "{left}");
    let at_quiz = json!([{ "user_id": room.student.id, "extra_time": 20, "apply_to_in_progress_quiz_sessions": true }]);
    room.teacher.post(&format!("{}/accommodations", room.path())).json(&at_quiz).await.is(200);
    let left = room.student.get(&taken.path).await.is(200)["time_left"].as_i64().unwrap();
    assert!((LIMIT + 1_180..=LIMIT + 1_200).contains(&left), "what is given at the quiz counts there: {left}");
}

#[tokio::test]
async fn what_is_no_list_of_accommodations_is_refused() {
    let room = Room::with(json!({})).await;
    let path = format!("{}/accommodations", room.engine);
    for (body, words) in [
        ("{", "must be a JSON list"),
        ("{}", "must be a JSON list of accommodations\""),
        ("[]", "is empty"),
        (r#"[{"extra_time": 5}]"#, "user_id is missing"),
        (r#"[{"user_id": 1, "extra_time": 99999}]"#, "must be between 0 and 10080"),
    ] {
        room.teacher.post(&path).body("application/json", body).await.is_refused(400, words);
    }
}
