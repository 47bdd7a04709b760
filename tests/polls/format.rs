//! Records, ids and bodies, in the shapes that clients may ask for.

use serde_json::{Value, json};
use support::recent;

use super::{Room, id, only};

#[tokio::test]
async fn every_record_has_exactly_the_documented_keys() {
    let room = Room::opened().await;
    let teacher = &room.teacher;
    let poll = teacher.get(&room.poll("")).await.is(200);
    let expected = json!({ "polls": [{
        "id": room.poll, "question": "Ready?", "description": null, "created_at": recent(&only(&poll)["created_at"]),
        "user_id": teacher.id, "total_results": {},
    }], "meta": {} });
    assert_eq!(poll.json, expected);

    let choice = teacher.get(&room.poll(&format!("/poll_choices/{}", room.yes))).await.is(200);
    let expected = json!({ "poll_choices": [{
        "id": room.yes, "poll_id": room.poll, "text": "Yes", "position": 1, "is_correct": false,
    }], "meta": {} });
    assert_eq!(choice.json, expected);

    let submission = room.vote(&room.student, room.no).await.is(200);
    let expected = json!({ "poll_submissions": [{
        "id": id(&submission), "poll_session_id": room.session, "poll_choice_id": room.no, "user_id": room.student.id,
        "created_at": recent(&only(&submission)["created_at"]),
    }], "meta": {} });
    assert_eq!(submission.json, expected);

    let session = teacher.get(&room.session("")).await.is(200);
    let expected = json!({ "poll_sessions": [{
        "id": room.session, "poll_id": room.poll, "course_id": room.course.id, "course_section_id": null,
        "is_published": true, "created_at": recent(&only(&session)["created_at"]), "has_submitted": false,
        "poll_submissions": [only(&submission)], "has_public_results": false,
        "results": { room.no.to_string(): 1 },
    }], "meta": {} });
    assert_eq!(session.json, expected);
}

#[tokio::test]
async fn ids_are_numbers_or_text_as_the_client_asks() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let asks = |path: String| room.teacher.get(&path).header("accept", "application/json+canvas-string-ids");
    let session = asks(room.session("")).await.is(200);
    let session = only(&session);
    assert_eq!(session["id"], room.session.to_string());
    assert_eq!(session["course_section_id"], Value::Null);
    assert_eq!(session["poll_submissions"][0]["user_id"], room.student.id.to_string());
    assert_eq!(session["results"], json!({ room.yes.to_string(): 1 }));
    assert_eq!(only(&asks(room.poll("")).await.is(200))["user_id"], room.teacher.id.to_string());
}

#[tokio::test]
async fn bodies_may_have_the_plural_or_the_singular_name_as_json_or_form() {
    let room = Room::new().await;
    let (polls, choices, sessions) = ("/api/v1/polls", room.poll("/poll_choices"), room.poll("/poll_sessions"));
    let course = room.course.id;
    for (path, name, field, value) in [
        (polls, "poll", "question", json!("Why?")),
        (&choices, "poll_choice", "text", json!("Perhaps")),
        (&sessions, "poll_session", "course_id", json!(course)),
    ] {
        for name in [name.to_owned(), format!("{name}s")] {
            let as_json = room.teacher.post(path).json(json!({ &name: [{ field: value }] })).await.is(200);
            assert_eq!(only(&as_json)[field], value);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let form = room.teacher.post(path).form(&[(&format!("{name}[][{field}]"), text)]).await.is(200);
            assert_eq!(only(&form)[field], value);
            let changed = format!("{path}/{}", id(&form));
            let put = room.teacher.put(&changed).json(json!({ &name: [{ field: value }] })).await.is(200);
            assert_eq!(only(&put)[field], value);
        }
    }
    room.open().await;
    let singular = json!({ "poll_submission": [{ "poll_choice_id": room.yes.to_string() }] });
    room.student.post(&room.session("/poll_submissions")).json(singular).await.is(200);
}

#[tokio::test]
async fn only_the_first_element_counts_and_without_one_the_body_is_refused() {
    let room = Room::opened().await;
    let body = json!({ "polls": [{ "question": "First?" }, { "question": "Second?" }] });
    assert_eq!(only(&room.teacher.post("/api/v1/polls").json(body).await.is(200))["question"], "First?");
    let choice = room.poll(&format!("/poll_choices/{}", room.yes));
    for body in [json!({}), json!({ "polls": [] }), json!({ "polls": "x" }), json!({ "poll_sessions": [[]] })] {
        for (path, words) in [
            ("/api/v1/polls".to_owned(), "polls is missing"),
            (room.poll("/poll_choices"), "poll_choices is missing"),
            (room.poll("/poll_sessions"), "poll_sessions is missing"),
            (room.session("/poll_submissions"), "poll_submissions is missing"),
        ] {
            let refusal = json!({ "errors": [{ "message": words }] });
            assert_eq!(room.teacher.post(&path).json(&body).await.is(400).json, refusal);
        }
        room.teacher.put(&room.poll("")).json(&body).await.is_refused(400, "polls is missing");
        room.teacher.put(&choice).json(&body).await.is_refused(400, "poll_choices is missing");
        room.teacher.put(&room.session("")).json(&body).await.is_refused(400, "poll_sessions is missing");
    }
}

#[tokio::test]
async fn clients_of_json_api_find_the_pages_in_the_body() {
    let room = Room::new().await;
    let path = room.poll("/poll_choices");
    let answer =
        room.teacher.get(&format!("{path}?per_page=1")).header("accept", "application/vnd.api+json").await.is(200);
    let meta = &answer["meta"];
    assert_eq!(meta["primaryCollection"], "poll_choices");
    let pagination = &meta["pagination"];
    assert_eq!((&pagination["per_page"], &pagination["page"]), (&json!(1), &json!(1)));
    assert_eq!((&pagination["count"], &pagination["page_count"]), (&json!(2), &json!(2)));
    assert_eq!(pagination["next"].as_str(), answer.link("next").as_deref());
    assert!(pagination["template"].as_str().unwrap().contains("page={page}"));
    assert!(pagination.get("prev").is_none());
    let one = room.teacher.get(&room.poll("")).header("accept", "application/vnd.api+json").await.is(200);
    assert_eq!(one["meta"], json!({}));
}
