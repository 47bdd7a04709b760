//! Results, as far as the quiz shows them.

use serde_json::{Value, json};
use support::Client;

use super::{Room, Taken};

async fn taken(view: Value) -> (Room, Taken) {
    let room = Room::of_questions(2, json!({ "result_view_settings": view })).await;
    let taken = room.starts().await;
    room.student.get(&format!("{}/result", taken.path)).await.is_refused(409, "is not handed in");
    taken.answers(&room.student, 1, true).await;
    taken.answers(&room.student, 2, false).await;
    taken.submits(&room.student).await;
    (room, taken)
}

#[tokio::test]
async fn a_result_shows_what_is_right() {
    let (room, taken) = taken(json!({ "result_view_restricted": false })).await;
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["points_possible"]), (&json!(2.0), &json!(4.0)));
    let second = &result["items"][1];
    assert_eq!((&second["points"], &second["correct"]), (&json!(0.0), &json!(false)));
    assert_eq!((&second["answer"]["response"], &second["correct_answer"]), (&json!(false), &json!({ "value": true })));
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    other.get(&format!("{}/result", taken.path)).await.is_not_found();
}

#[tokio::test]
async fn a_restricted_result_shows_what_the_quiz_says() {
    let (room, taken) = taken(json!({ "result_view_restricted": true, "display_points_awarded": true })).await;
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["points_possible"]), (&json!(2.0), &json!(null)));
    assert_eq!(result["items"], json!(null));
    let all = taken.result(&room.teacher).await;
    assert_eq!((&all["points_possible"], &all["items"][0]["correct"]), (&json!(4.0), &json!(true)));

    let items = json!({ "result_view_restricted": true, "display_items": true, "display_item_response": true });
    room.sets(json!({ "quiz_settings": { "result_view_settings": items } })).await;
    let result = taken.result(&room.student).await;
    let first = &result["items"][0];
    assert_eq!((&first["answer"]["response"], &first["correct"]), (&json!(true), &json!(null)));
    assert_eq!(
        (&first["points"], &first["points_possible"], &first["correct_answer"]),
        (&json!(null), &json!(null), &json!(null))
    );
}

#[tokio::test]
async fn a_result_is_shown_when_it_is_posted() {
    let room = Room::of_questions(1, json!({})).await;
    let assignment = room.course.path(&format!("/assignments/{}", room.quiz));
    room.teacher.put(&assignment).json(json!({ "assignment": { "post_manually": true } })).await.is(200);
    let taken = room.starts().await;
    taken.answers(&room.student, 1, true).await;
    taken.submits(&room.student).await;
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["items"]), (&json!(null), &json!(null)));
    assert_eq!(taken.result(&room.teacher).await["score"], 2.0);
    let points = json!({ "version": 0, "items": [{ "item_id": taken.item(1), "points": 1 }] });
    room.teacher.put(&format!("{}/result", taken.path)).json(points).await.is(200);
    let graded = async |client: &Client| {
        let result = taken.result(client).await;
        ["version", "grader_id"]
            .map(|member| result[member].clone())
            .into_iter()
            .chain([json!(result["graded_at"].is_string())])
            .collect::<Value>()
    };
    assert_eq!(graded(&room.student).await, json!([0, null, false]), "that somebody has graded it");
    assert_eq!(graded(&room.teacher).await, json!([1, room.teacher.id, true]));
    room.teacher.put(&format!("{assignment}/post_grades")).await.is(200);
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["items"][0]["correct"]), (&json!(1.0), &json!(false)));
    assert_eq!(graded(&room.student).await, json!([1, room.teacher.id, true]));
}

#[tokio::test]
async fn files_do_not_tell_whose_work_it_is() {
    let room = Room::with(json!({})).await;
    room.asks(json!({
        "title": "Leaf", "item_body": "<p>Draw a leaf.</p>", "interaction_type_slug": "file-upload",
        "interaction_data": { "files_count": "1", "restrict_count": true },
        "properties": { "allowed_types": "", "restrict_types": false },
        "scoring_data": { "value": "" }, "scoring_algorithm": "None",
    }))
    .await;
    let assignment = room.course.path(&format!("/assignments/{}", room.quiz));
    room.teacher.put(&assignment).json(json!({ "assignment": { "anonymous_grading": true } })).await.is(200);
    let file = crate::files::upload(&room.student, "/api/v1/users/self/files", json!({ "name": "leaf.txt" }), b"green");
    let file = file.await.id();
    let taken = room.starts().await;
    taken.answers(&room.student, 1, json!([file])).await;
    taken.submits(&room.student).await;
    let of_grader = async || taken.result(&room.teacher).await["items"][0]["files"][0].clone();
    let (seen, submitted_at) = (of_grader().await, taken.result(&room.teacher).await["submitted_at"].clone());
    assert_eq!((&seen["id"], &seen["folder_id"], &seen["uuid"]), (&json!(file), &json!(null), &json!("")));
    for moment in ["created_at", "updated_at", "modified_at"] {
        assert_eq!(seen[moment], submitted_at, "{moment}");
    }
    room.teacher.put(&format!("{assignment}/post_grades")).await.is(200);
    for seen in [of_grader().await, taken.result(&room.student).await["items"][0]["files"][0].clone()] {
        assert!(seen["folder_id"].is_i64() && seen["uuid"] != "", "{seen}");
    }
}

#[tokio::test]
async fn what_is_shown_once_is_gone_after_that() {
    let once = json!({
        "result_view_restricted": true, "display_items": true, "display_item_response": true,
        "display_item_response_qualifier": "once_per_attempt",
    });
    let (room, taken) = taken(once).await;
    assert_eq!(taken.result(&room.student).await["items"][0]["answer"]["response"], true);
    assert_eq!(taken.result(&room.student).await["items"][0]["answer"], json!(null));
    assert_eq!(taken.result(&room.teacher).await["items"][0]["answer"]["response"], true);
}

#[tokio::test]
async fn right_answers_wait_for_the_end_of_the_last_attempt() {
    let settings = json!({
        "multiple_attempts": { "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 2 },
        "result_view_settings": {
            "result_view_restricted": true, "display_items": true, "display_item_response": true,
            "display_item_response_qualifier": "after_last_attempt", "display_item_response_correctness": true,
            "display_item_response_correctness_qualifier": "after_last_attempt", "display_item_correct_answer": true,
        },
    });
    let room = Room::of_questions(1, settings).await;
    let attempts = format!("{}/attempts", room.path());
    let shown = async |taken: &Taken| taken.result(&room.student).await["items"][0]["correct_answer"].clone();
    let first = room.starts().await;
    let posted = json!({ "responses": {} });
    room.student.post(&attempts).json(&posted).await.is_refused(409, "a session of the quiz runs");
    first.submits(&room.student).await;
    assert_eq!(shown(&first).await, json!(null));

    let second = room.starts().await;
    room.student.post(&attempts).json(&posted).await.is_refused(409, "a session of the quiz runs");
    assert_eq!(shown(&first).await, json!(null));
    second.submits(&room.student).await;
    assert_eq!(room.submission().await["attempt"], 2);
    assert_eq!((shown(&first).await, shown(&second).await), (json!({ "value": true }), json!({ "value": true })));
    room.student.post(&attempts).json(&posted).await.is_refused(409, "no attempts are left");
}

#[tokio::test]
async fn an_attempt_that_is_allowed_on_top_hides_what_was_shown_while_it_runs() {
    let settings = json!({
        "multiple_attempts": { "multiple_attempts_enabled": false },
        "result_view_settings": {
            "result_view_restricted": true, "display_items": true, "display_item_response": true,
            "display_item_response_qualifier": "after_last_attempt",
        },
    });
    let room = Room::of_questions(1, settings).await;
    let attempts = format!("{}/attempts", room.path());
    let responses = async || room.student.get(&attempts).await.is(200).json[0]["responses"].clone();
    let first = room.starts().await;
    first.answers(&room.student, 1, true).await;
    first.submits(&room.student).await;
    let answer = |taken: &Taken| json!({ taken.item(1): true });
    assert_eq!(responses().await, answer(&first));

    let list = json!([{ "user_id": room.student.id, "extra_attempts": 1 }]);
    room.teacher.post(&format!("{}/accommodations", room.path())).json(list).await.is(200);
    room.starts().await;
    assert_eq!(responses().await, json!(null));
    assert_eq!(first.result(&room.student).await["items"][0]["answer"], json!(null));
}
