//! The rights to read polls and to run sessions.

use serde_json::{Value, json};
use support::{Client, School, running};

use super::{Room, id, ids, new_poll};

#[tokio::test]
async fn staff_of_a_course_that_is_asked_run_the_session_and_the_poll_stays_its_owners() {
    let room = Room::new().await;
    let change = |name: &str, fields: Value| json!({ name: [fields] });
    let changes_the_poll = async |client: &Client, status: u16| {
        client.put(&room.poll("")).json(change("polls", json!({ "question": "Changed?" }))).await.is(status);
        let choices = room.poll("/poll_choices");
        let choice = client.post(&choices).json(change("poll_choices", json!({ "text": "More" }))).await.is(status);
        let choice = if status == 200 { id(&choice) } else { room.yes };
        let choice = format!("{choices}/{choice}");
        client.put(&choice).json(change("poll_choices", json!({ "text": "Less" }))).await.is(status);
        client.delete(&choice).await.is(if status == 200 { 204 } else { status });
    };
    let runs_the_session = async |client: &Client, status: u16| {
        client.get(&room.poll("/poll_sessions")).await.is(status);
        let public = change("poll_sessions", json!({ "has_public_results": false }));
        client.put(&room.session("")).json(public).await.is(status);
        client.get(&room.session("/open")).await.is(status);
        client.get(&room.session("/close")).await.is(status);
    };
    for role in ["TeacherEnrollment", "TaEnrollment", "DesignerEnrollment"] {
        let member = room.course.member(&room.school, role).await;
        runs_the_session(&member, 200).await;
        changes_the_poll(&member, 403).await;
        member.delete(&room.poll("")).await.is_forbidden();
    }
    for owner in [&room.teacher, &room.school.admin] {
        runs_the_session(owner, 200).await;
        changes_the_poll(owner, 200).await;
    }

    let zoologist = room.school.course("Zoology").await.member(&room.school, "TeacherEnrollment").await;
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    let stranger = room.school.person("stranger").await;
    for client in [&room.student, &observer, &zoologist, &stranger] {
        runs_the_session(client, 403).await;
        changes_the_poll(client, 403).await;
        client.delete(&room.session("")).await.is_forbidden();
        client.delete(&room.poll("")).await.is_forbidden();
    }
    for client in [&zoologist, &stranger] {
        client.get(&room.poll("")).await.is_forbidden();
        client.get(&room.poll("/poll_choices")).await.is_forbidden();
        client.get(&room.poll(&format!("/poll_choices/{}", room.yes))).await.is_forbidden();
        client.get(&room.session("")).await.is_forbidden();
    }
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], false);
}

#[tokio::test]
async fn a_poll_that_is_asked_nowhere_is_its_owners_alone() {
    let room = Room::new().await;
    let poll = new_poll(&room.teacher, "Not yet?").await;
    let path = format!("/api/v1/polls/{poll}");
    let colleague = room.course.member(&room.school, "TeacherEnrollment").await;
    for client in [&colleague, &room.student, &room.school.admin] {
        client.get(&path).await.is_forbidden();
        client.delete(&path).await.is_forbidden();
    }
    running().site_admin().await.get(&path).await.is_forbidden();
    room.teacher.get(&path).await.is(200);
}

#[tokio::test]
async fn students_read_what_they_are_asked_be_it_open_or_not() {
    let room = Room::new().await;
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    for reader in [&room.student, &observer] {
        reader.get(&room.poll("")).await.is(200);
        reader.get(&room.poll("/poll_choices")).await.is(200);
        assert_eq!(room.seen_by(reader).await["is_published"], false);
    }
    room.teacher.put(&room.course.path("")).json(json!({ "course": { "event": "claim" } })).await.is(200);
    room.student.get(&room.session("")).await.is_forbidden();
    room.student.get(&room.poll("")).await.is_forbidden();
    assert!(ids(&room.student.get("/api/v1/poll_sessions/closed").await.is(200)).is_empty());
    room.teacher.get(&room.session("")).await.is(200);
}

#[tokio::test]
async fn a_section_is_asked_apart_from_the_rest_of_the_course() {
    let room = Room::new().await;
    let section = room.section("Afternoon").await;
    let body = json!({ "poll_sessions": [{ "course_section_id": section }] });
    room.teacher.put(&room.session("")).json(body).await.is(200);
    room.open().await;
    let inside = room.member_of(section, "StudentEnrollment").await;
    room.student.get(&room.session("")).await.is_forbidden();
    room.student.get(&room.poll("")).await.is_forbidden();
    room.vote(&room.student, room.yes).await.is_forbidden();
    room.vote(&inside, room.yes).await.is(200);
    assert_eq!(
        room.seen_by(&room.teacher).await["results"],
        json!({ room.yes.to_string(): 1 }),
        "nothing else is stored"
    );

    let opened = async |client: &Client| ids(&client.get("/api/v1/poll_sessions/opened").await.is(200));
    assert_eq!(opened(&inside).await, [room.session]);
    assert!(opened(&room.student).await.is_empty());
    assert!(opened(&room.teacher).await.is_empty(), "the teacher is in the default section");
    let assistant = room.member_of(section, "TaEnrollment").await;
    assert_eq!(opened(&assistant).await, [room.session]);
}

#[tokio::test]
async fn records_of_a_path_come_before_rights_and_rights_before_values() {
    let room = Room::new().await;
    let other = new_poll(&room.teacher, "Another?").await;
    let misplaced = format!("/api/v1/polls/{other}/poll_sessions/{}", room.session);
    let misplaced_choice = format!("/api/v1/polls/{other}/poll_choices/{}", room.yes);
    for client in [&room.student, &room.teacher] {
        client.get("/api/v1/polls/9999999/poll_sessions").await.is_not_found();
        client.get("/api/v1/polls/abc").await.is_not_found();
        client.get(&room.poll("/poll_sessions/9999999/open")).await.is_not_found();
        client.get(&misplaced).await.is_not_found();
        client.delete(&misplaced).await.is_not_found();
        client.get(&misplaced_choice).await.is_not_found();
    }
    room.student.put(&room.session("")).json(json!({})).await.is_forbidden();
    room.student.put(&room.poll("")).json(json!({})).await.is_forbidden();
}

#[tokio::test]
async fn another_tenant_sees_nothing() {
    let room = Room::opened().await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    let foreign = School::start().await;
    let (course, teacher, _) = foreign.classroom("Foreign").await;
    for client in [&foreign.admin, &teacher] {
        for path in [
            room.poll(""),
            room.poll("/poll_choices"),
            room.poll("/poll_sessions"),
            room.session(""),
            room.session("/open"),
            room.session("/close"),
            room.session(&format!("/poll_submissions/{submission}")),
        ] {
            client.get(&path).await.is_not_found();
        }
        client.delete(&room.session("")).await.is_not_found();
        client.delete(&room.poll("")).await.is_not_found();
        room.vote(client, room.yes).await.is_not_found();
        let link = json!({ "audience": "teacher" });
        client.post(&room.session("/live_link")).json(link).await.is_not_found();
    }
    let into_foreign = json!({ "poll_sessions": [{ "course_id": course.id }] });
    room.teacher.post(&room.poll("/poll_sessions")).json(&into_foreign).await.is_not_found();
    running().site_admin().await.post(&room.poll("/poll_sessions")).json(&into_foreign).await.is_not_found();
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], true);
}
