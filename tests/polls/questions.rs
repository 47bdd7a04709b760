//! Polls with their choices.

use futures::future::{join_all, join3};
use serde_json::{Value, json};
use support::{Client, running};

use super::{Room, id, ids, new_choice, new_poll, only, records, refused};

#[tokio::test]
async fn a_poll_has_a_question_and_perhaps_a_description() {
    let room = Room::new().await;
    let path = room.poll("");
    let put = async |poll: Value| room.teacher.put(&path).json(json!({ "polls": [poll] })).await;
    let described = put(json!({ "description": "About leaves", "colour": "red" })).await.is(200);
    assert_eq!(
        (&only(&described)["question"], &only(&described)["description"]),
        (&json!("Ready?"), &json!("About leaves"))
    );
    let emptied = put(json!({ "question": "Set?", "description": null })).await.is(200);
    assert_eq!((&only(&emptied)["question"], &only(&emptied)["description"]), (&json!("Set?"), &Value::Null));

    let too_long = "x".repeat(256);
    let too_long_text = "is too long (maximum is 255 characters)";
    for (field, value, code, message) in [
        ("question", json!(null), "blank", "can't be blank"),
        ("question", json!("  "), "blank", "can't be blank"),
        ("question", json!(too_long), "too_long", too_long_text),
        ("description", json!(too_long), "too_long", too_long_text),
    ] {
        assert_eq!(put(json!({ field: value })).await.is(400).json, refused(field, code, message));
        let mut poll = json!({ "question": "Go?" });
        poll[field] = value;
        let answer = room.teacher.post("/api/v1/polls").json(json!({ "polls": [poll] })).await.is(400);
        assert_eq!(answer.json, refused(field, code, message));
    }
    room.teacher.post("/api/v1/polls").json(json!({ "polls": [{}] })).await.is_refused(400, "can't be blank");
    put(json!({ "question": "ä".repeat(255) })).await.is(200);
}

#[tokio::test]
async fn the_list_of_polls_has_the_callers_own_the_newest_first() {
    let room = Room::new().await;
    let colleague = room.course.member(&room.school, "TeacherEnrollment").await;
    let theirs = new_poll(&colleague, "Theirs?").await;
    let newer = new_poll(&room.teacher, "Newer?").await;
    assert_eq!(ids(&room.teacher.get("/api/v1/polls").await.is(200)), [newer, room.poll]);
    assert_eq!(ids(&colleague.get("/api/v1/polls").await.is(200)), [theirs]);
    assert!(ids(&room.student.get("/api/v1/polls").await.is(200)).is_empty());
    let page = room.teacher.get("/api/v1/polls?per_page=1").await.is(200);
    let next = room.teacher.get(&page.link("next").unwrap()).await.is(200);
    assert_eq!(ids(&next), [room.poll]);
    assert!(next.link("next").is_none() && next.link("last").is_some());
}

#[tokio::test]
async fn whoever_teaches_somewhere_may_ask() {
    let room = Room::new().await;
    let body = json!({ "polls": [{ "question": "May I?" }] });
    for role in ["TaEnrollment", "DesignerEnrollment", "ObserverEnrollment"] {
        room.course.member(&room.school, role).await.post("/api/v1/polls").json(&body).await.is_forbidden();
    }
    room.student.post("/api/v1/polls").json(&body).await.is_forbidden();
    room.school.admin.post("/api/v1/polls").json(&body).await.is_forbidden();
}

#[tokio::test]
async fn a_deleted_poll_takes_everything_with_it_and_its_id_is_not_given_out_again() {
    let room = Room::opened().await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    room.teacher.delete(&room.poll("")).await.is(204);
    for path in [
        room.poll(""),
        room.poll("/poll_choices"),
        room.poll(&format!("/poll_choices/{}", room.yes)),
        room.session(""),
        room.session(&format!("/poll_submissions/{submission}")),
    ] {
        room.teacher.get(&path).await.is_not_found();
    }
    room.teacher.delete(&room.poll("")).await.is_not_found();
    assert!(ids(&room.student.get("/api/v1/poll_sessions/opened").await.is(200)).is_empty());
    assert!(new_poll(&room.teacher, "Again?").await > room.poll);
}

#[tokio::test]
async fn choices_stand_in_the_order_of_their_positions() {
    let room = Room::new().await;
    let maybe = new_choice(&room.teacher, room.poll, "Maybe").await;
    let path = room.poll("/poll_choices");
    let positions = async || {
        let list = room.teacher.get(&path).await.is(200);
        let places =
            records(&list).iter().map(|choice| (choice["id"].as_i64().unwrap(), choice["position"].as_i64().unwrap()));
        places.collect::<Vec<_>>()
    };
    assert_eq!(positions().await, [(room.yes, 1), (room.no, 2), (maybe, 3)]);
    let change = json!({ "poll_choices": [{ "position": 9, "is_correct": true }] });
    room.teacher.put(&format!("{path}/{}", room.yes)).json(change).await.is(200);
    assert_eq!(positions().await, [(room.no, 2), (maybe, 3), (room.yes, 9)]);
    let last = new_choice(&room.teacher, room.poll, "Last").await;
    assert_eq!(positions().await[3], (last, 10));
    let page = room.student.get(&format!("{path}?per_page=2&page=2")).await.is(200);
    assert_eq!(ids(&page), [room.yes, last]);
    for position in [json!(0), json!(-1), json!(4_294_967_296_i64)] {
        let change = json!({ "poll_choices": [{ "position": position }] });
        let answer = room.teacher.put(&format!("{path}/{}", room.yes)).json(change).await.is(400);
        assert_eq!(answer["errors"]["position"][0]["type"], "inclusion");
    }
}

#[tokio::test]
async fn a_choice_has_a_text_and_may_be_the_right_one() {
    let room = Room::new().await;
    let path = room.poll("/poll_choices");
    let post = async |choice: Value| room.teacher.post(&path).json(json!({ "poll_choices": [choice] })).await;
    let too_long = refused("text", "too_long", "is too long (maximum is 255 characters)");
    assert_eq!(post(json!({ "text": "x".repeat(256) })).await.is(400).json, too_long);
    for choice in [json!({}), json!({ "text": null }), json!({ "text": " " })] {
        assert_eq!(post(choice).await.is(400).json, refused("text", "blank", "can't be blank"));
    }
    post(json!({ "text": "Yes", "is_correct": "perhaps" })).await.is_refused(400, "is_correct must be true or false");
    assert_eq!(only(&post(json!({ "text": "Blank", "is_correct": "" })).await.is(200))["is_correct"], false);

    let right = post(json!({ "text": "Right", "is_correct": true })).await.is(200);
    let choice = format!("{path}/{}", id(&right));
    let put = async |fields: Value| room.teacher.put(&choice).json(json!({ "poll_choices": [fields] })).await;
    assert_eq!(only(&put(json!({ "is_correct": "" })).await.is(200))["is_correct"], true, "blank changes nothing");
    assert_eq!(only(&put(json!({ "text": "Wrong", "is_correct": false })).await.is(200))["text"], "Wrong");
    assert_eq!(put(json!({ "text": "" })).await.is(400).json, refused("text", "blank", "can't be blank"));
    room.teacher.delete(&choice).await.is(204);
    room.teacher.get(&choice).await.is_not_found();
    room.teacher.delete(&choice).await.is_not_found();
}

#[tokio::test]
async fn students_learn_which_choice_is_right_after_they_took_part_and_the_session_is_closed() {
    let room = Room::opened().await;
    let path = room.poll("/poll_choices");
    let told = async |reader: &Client| {
        let list = reader.get(&path).await.is(200);
        let one = reader.get(&format!("{path}/{}", room.yes)).await.is(200);
        let told = only(&one).get("is_correct").is_some();
        assert!(records(&list).iter().all(|choice| choice.get("is_correct").is_some() == told));
        told
    };
    let silent = room.course.member(&room.school, "StudentEnrollment").await;
    assert!(told(&room.teacher).await && !told(&room.student).await);
    room.vote(&room.student, room.yes).await.is(200);
    assert!(!told(&room.student).await, "the session is still open");
    room.close().await;
    assert!(told(&room.student).await);
    assert!(!told(&silent).await, "who took no part is not told");
}

#[tokio::test]
async fn a_deleted_choice_takes_its_votes_with_it() {
    let room = Room::opened().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    room.vote(&room.student, room.yes).await.is(200);
    room.vote(&other, room.no).await.is(200);
    room.teacher.delete(&room.poll(&format!("/poll_choices/{}", room.yes))).await.is(204);
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["results"], json!({ room.no.to_string(): 1 }));
    assert_eq!(session["poll_submissions"].as_array().unwrap().len(), 1);
    room.vote(&room.student, room.no).await.is(200);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.no.to_string(): 2 }));
}

#[tokio::test]
async fn no_choice_stands_behind_the_highest_position() {
    let room = Room::new().await;
    let path = room.poll("/poll_choices");
    let post = async |fields: Value| room.teacher.post(&path).json(json!({ "poll_choices": [fields] })).await.is(200);
    let highest = post(json!({ "text": "Highest", "position": i32::MAX })).await;
    let next = post(json!({ "text": "Next" })).await;
    assert_eq!(only(&next)["position"], i32::MAX);
    room.teacher.put(&format!("{path}/{}", id(&next))).json(json!({ "poll_choices": [only(&next)] })).await.is(200);
    let listed = ids(&room.teacher.get(&path).await.is(200));
    assert_eq!(listed[listed.len() - 2..], [id(&highest), id(&next)]);
}

#[tokio::test]
async fn a_poll_has_a_hundred_choices_at_most() {
    let room = Room::new().await;
    let rows = format!(
        "INSERT INTO poll_choices (poll_id, text, position, created_at, updated_at)
         SELECT {}, value, value, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
         FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 98) SELECT value FROM n);",
        room.poll
    );
    if running().change_database(&rows) {
        let body = json!({ "poll_choices": [{ "text": "One more" }] });
        let refused = room.teacher.post(&room.poll("/poll_choices")).json(body).await.is(400);
        assert_eq!(refused["errors"]["poll_id"][0]["type"], "too_many");
    }
}

#[tokio::test]
async fn what_comes_while_its_poll_goes_is_not_found_or_in_time() {
    let room = &Room::new().await;
    let rounds = (0..16).map(async |_| {
        let poll = format!("/api/v1/polls/{}", new_poll(&room.teacher, "Ready?").await);
        let choice = json!({ "poll_choices": [{ "text": "Yes" }] });
        let session = json!({ "poll_sessions": [{ "course_id": room.course.id }] });
        let (gone, chosen, asked) = join3(
            async { room.teacher.delete(&poll).await },
            async { room.teacher.post(&format!("{poll}/poll_choices")).json(choice).await },
            async { room.teacher.post(&format!("{poll}/poll_sessions")).json(session).await },
        )
        .await;
        gone.is(204);
        for made in [chosen, asked] {
            assert!([200, 404].contains(&made.status), "{made}");
        }
    });
    join_all(rounds).await;
}
