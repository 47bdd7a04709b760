//! Sessions: where a poll is asked, opening and closing, and their lists.

use serde_json::{Value, json};
use support::{Client, School, enroll};

use super::{Room, id, ids, new_session, only, records, refused};

#[tokio::test]
async fn a_session_is_closed_at_first_and_opens_and_closes_as_often_as_one_likes() {
    let room = Room::new().await;
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], false);
    let other = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    room.teacher.get(&room.poll(&format!("/poll_sessions/{other}/open"))).await.is(200);
    for _ in 0..2 {
        assert_eq!(only(&room.open().await)["is_published"], true);
    }
    room.vote(&room.student, room.yes).await.is(200);
    for _ in 0..2 {
        let closed = room.close().await;
        assert_eq!(only(&closed)["is_published"], false);
        assert_eq!(only(&closed)["results"], json!({ room.yes.to_string(): 1 }));
    }
    assert_eq!(only(&room.open().await)["poll_submissions"].as_array().unwrap().len(), 1, "the votes are kept");
    let other = room.teacher.get(&room.poll(&format!("/poll_sessions/{other}"))).await.is(200);
    assert_eq!(only(&other)["is_published"], true, "one session does not close another");
}

#[tokio::test]
async fn a_new_session_is_for_the_course_or_the_section_that_is_named() {
    let room = Room::new().await;
    let section = room.section("Afternoon").await;
    let elsewhere = room.school.course("Zoology").await;
    let post = async |session: Value| {
        let body = json!({ "poll_sessions": [session] });
        room.teacher.post(&room.poll("/poll_sessions")).json(body).await
    };
    let (course, no) = (room.course.id, 9_999_999);
    let whole =
        json!({ "course_id": course, "course_section_id": section, "has_public_results": "1", "is_published": true });
    let session = post(whole).await.is(200);
    let session = only(&session);
    assert_eq!((&session["course_id"], &session["course_section_id"]), (&json!(course), &json!(section)));
    assert_eq!((&session["has_public_results"], &session["is_published"]), (&json!(true), &json!(false)));
    let blank = post(json!({ "course_id": course, "course_section_id": "", "has_public_results": "" })).await.is(200);
    assert_eq!(
        (&only(&blank)["course_section_id"], &only(&blank)["has_public_results"]),
        (&Value::Null, &json!(false))
    );
    for session in [
        json!({}),
        json!({ "course_id": null }),
        json!({ "course_id": no }),
        json!({ "course_id": "x" }),
        json!({ "course_id": course, "course_section_id": no }),
        json!({ "course_id": course, "course_section_id": "x" }),
        json!({ "course_id": elsewhere.id, "course_section_id": section }),
    ] {
        post(session).await.is_not_found();
    }
    let wrong = json!({ "course_id": course, "has_public_results": "perhaps" });
    post(wrong).await.is_refused(400, "has_public_results must be true or false");
    post(json!({ "course_id": elsewhere.id })).await.is_forbidden();
}

#[tokio::test]
async fn only_who_may_change_a_poll_and_teaches_asks_it_and_only_where_the_content_is_theirs() {
    let room = Room::new().await;
    let body = json!({ "poll_sessions": [{ "course_id": room.course.id }] });
    let post = async |client: &Client| client.post(&room.poll("/poll_sessions")).json(&body).await;
    post(&room.teacher).await.is(200);
    post(&room.school.admin).await.is_forbidden();
    let elsewhere = room.school.course("Zoology").await;
    enroll(&room.school.admin, elsewhere.id, room.school.admin.id, "TeacherEnrollment").await;
    post(&room.school.admin).await.is(200);
    let zoologist = elsewhere.member(&room.school, "TeacherEnrollment").await;
    let colleague = room.course.member(&room.school, "TeacherEnrollment").await;
    for client in [&room.student, &zoologist, &colleague] {
        post(client).await.is_forbidden();
    }
    let body = json!({ "poll_sessions": [{ "course_id": 9_999_999 }] });
    room.teacher.post(&room.poll("/poll_sessions")).json(body).await.is_not_found();

    let enrollments = room.school.admin.get(&room.course.path(&format!("/enrollments?user_id={}", room.teacher.id)));
    let enrollment = room.course.path(&format!("/enrollments/{}", enrollments.await.is(200).ids()[0]));
    room.school.admin.delete(&format!("{enrollment}?task=delete")).await.is(200);
    post(&room.teacher).await.is_forbidden();
    room.teacher.get(&room.poll("")).await.is(200);
}

#[tokio::test]
async fn nobody_comes_by_a_poll_by_asking_it_in_a_course_of_their_own() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let own = room.school.course("Zoology").await;
    let thief = own.member(&room.school, "TeacherEnrollment").await;
    let asked = json!({ "poll_sessions": [{ "course_id": own.id }] });
    thief.post(&room.poll("/poll_sessions")).json(&asked).await.is_forbidden();
    // Where the owner teaches too, and asks the poll there, the thief runs that session and nothing else.
    enroll(&room.school.admin, own.id, room.teacher.id, "TeacherEnrollment").await;
    let session = new_session(&room.teacher, room.poll, json!({ "course_id": own.id })).await;
    assert_eq!(ids(&thief.get(&room.poll("/poll_sessions")).await.is(200)), [session]);
    thief.get(&room.poll(&format!("/poll_sessions/{session}/open"))).await.is(200);
    let poll = thief.get(&room.poll("")).await.is(200);
    assert!(only(&poll).get("total_results").is_none() && only(&poll).get("user_id").is_none());
    thief.get(&room.session("")).await.is_forbidden();
    thief.get(&room.session("/close")).await.is_forbidden();
    thief.put(&room.session("")).json(&asked).await.is_forbidden();
    thief.delete(&room.session("")).await.is_forbidden();
    thief.delete(&room.poll("")).await.is_forbidden();
}

#[tokio::test]
async fn a_session_moves_only_to_where_the_owner_could_ask_it() {
    let room = Room::new().await;
    let elsewhere = room.school.course("Zoology").await;
    let to = |course: i64| json!({ "poll_sessions": [{ "course_id": course }] });
    room.teacher.put(&room.session("")).json(to(elsewhere.id)).await.is_forbidden();
    // Who teaches nowhere asks nothing, whatever else they may.
    room.school.admin.put(&room.session("")).json(to(elsewhere.id)).await.is_forbidden();
    // A teacher who runs the session but does not own the poll leaves it where it is, although both courses are theirs.
    let colleague = room.course.member(&room.school, "TeacherEnrollment").await;
    for person in [&colleague, &room.teacher] {
        enroll(&room.school.admin, elsewhere.id, person.id, "TeacherEnrollment").await;
    }
    colleague.put(&room.session("")).json(to(elsewhere.id)).await.is_forbidden();
    colleague.put(&room.session("")).json(to(room.course.id)).await.is(200);
    room.teacher.put(&room.session("")).json(to(elsewhere.id)).await.is(200);
}

#[tokio::test]
async fn an_update_changes_what_it_names_and_never_the_state() {
    let room = Room::new().await;
    let path = room.session("");
    let put = async |session: Value| {
        let answer = room.teacher.put(&path).json(json!({ "poll_sessions": [session] })).await.is(200);
        let session = only(&answer);
        [&session["course_id"], &session["course_section_id"], &session["has_public_results"], &session["is_published"]]
            .map(Clone::clone)
    };
    let (course, section) = (room.course.id, room.section("Afternoon").await);
    let expected = |course: i64, section: Value, public: bool| [json!(course), section, json!(public), json!(false)];
    assert_eq!(
        put(json!({ "has_public_results": true, "is_published": true })).await,
        expected(course, Value::Null, true)
    );
    assert_eq!(put(json!({ "course_section_id": section })).await, expected(course, json!(section), true));
    assert_eq!(put(json!({ "has_public_results": "" })).await, expected(course, json!(section), true));
    let other = room.school.course("Zoology").await.id;
    enroll(&room.school.admin, other, room.teacher.id, "TeacherEnrollment").await;
    let of_other = json!({ "course_section": { "name": "Of the other" } });
    let of_other =
        room.school.admin.post(&format!("/api/v1/courses/{other}/sections")).json(of_other).await.is(200).id();
    let moved = put(json!({ "course_id": other, "course_section_id": of_other })).await;
    assert_eq!(moved, expected(other, json!(of_other), true));
    assert_eq!(
        put(json!({ "course_id": course, "course_section_id": null })).await,
        expected(course, Value::Null, true)
    );
}

#[tokio::test]
async fn an_update_that_does_not_fit_is_refused_and_changes_nothing() {
    let room = Room::new().await;
    let section = room.section("Afternoon").await;
    let put =
        async |session: Value| room.teacher.put(&room.session("")).json(json!({ "poll_sessions": [session] })).await;
    put(json!({ "course_section_id": section })).await.is(200);
    let before = room.seen_by(&room.teacher).await;
    let other = room.school.course("Zoology").await.id;
    enroll(&room.school.admin, other, room.teacher.id, "TeacherEnrollment").await;
    let of_other =
        room.school.admin.post(&format!("/api/v1/courses/{other}/sections")).json(json!({})).await.is(200).id();
    let stranger = School::start().await;
    let foreign = stranger.course("Foreign").await.id;
    let of_foreign =
        stranger.admin.post(&format!("/api/v1/courses/{foreign}/sections")).json(json!({})).await.is(200).id();
    let base = refused("base", "invalid", "That course section does not belong to the existing course.");
    for session in [
        json!({ "course_id": other }),
        json!({ "course_id": other, "course_section_id": section }),
        json!({ "course_section_id": of_other }),
        json!({ "course_section_id": of_foreign }),
        json!({ "course_section_id": 9_999_999 }),
        json!({ "course_section_id": "x" }),
    ] {
        assert_eq!(put(session).await.is(400).json, base);
    }
    for course in [json!(9_999_999), json!(foreign), json!(null), json!(""), json!("x")] {
        let answer = put(json!({ "course_id": course, "has_public_results": true })).await.is(400);
        assert_eq!(answer.json, refused("course", "blank", "can't be blank"));
    }
    put(json!({ "has_public_results": "perhaps" })).await.is_refused(400, "has_public_results must be true or false");
    assert_eq!(room.seen_by(&room.teacher).await, before);
}

#[tokio::test]
async fn a_deleted_session_is_gone_with_its_submissions() {
    let room = Room::opened().await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    room.teacher.delete(&room.session("")).await.is(204);
    room.teacher.get(&room.session("")).await.is_not_found();
    room.teacher.delete(&room.session("")).await.is_not_found();
    room.student.get(&room.session(&format!("/poll_submissions/{submission}"))).await.is_not_found();
    assert_eq!(only(&room.teacher.get(&room.poll("")).await.is(200))["total_results"], json!({}));
}

#[tokio::test]
async fn the_owner_of_a_poll_ends_its_session_in_a_course_that_is_deleted() {
    let room = Room::opened().await;
    room.school.admin.delete(&room.course.path("?event=delete")).await.is(200);
    room.student.get(&room.session("")).await.is_forbidden();
    let closed = room.teacher.get(&room.session("/close")).await.is(200);
    assert_eq!(only(&closed)["is_published"], false);
    let elsewhere = room.school.course("Zoology").await;
    let zoologist = elsewhere.member(&room.school, "TeacherEnrollment").await;
    zoologist.delete(&room.session("")).await.is_forbidden();
    room.teacher.delete(&room.session("")).await.is(204);
    assert!(ids(&room.teacher.get(&room.poll("/poll_sessions")).await.is(200)).is_empty());
}

#[tokio::test]
async fn the_lists_of_opened_and_closed_sessions_are_those_of_the_callers_active_enrollments() {
    let room = Room::opened().await;
    let closed = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let lists = async |client: &Client| {
        let [opened, closed] = ["opened", "closed"].map(|state| format!("/api/v1/poll_sessions/{state}"));
        (ids(&client.get(&opened).await.is(200)), ids(&client.get(&closed).await.is(200)))
    };
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    for client in [&room.teacher, &room.student, &observer] {
        assert_eq!(lists(client).await, (vec![room.session], vec![closed]));
    }
    let elsewhere = room.school.course("Zoology").await;
    let zoologist = elsewhere.member(&room.school, "TeacherEnrollment").await;
    for client in [&room.school.admin, &zoologist] {
        assert_eq!(lists(client).await, (vec![], vec![]), "rights alone are no enrollment");
    }
    let invited = room.school.person("invited").await;
    let enrollment =
        json!({ "enrollment": { "user_id": invited.id, "type": "StudentEnrollment", "enrollment_state": "invited" } });
    room.school.admin.post(&room.course.path("/enrollments")).json(enrollment).await.is(200);
    assert_eq!(lists(&invited).await, (vec![], vec![]));

    let enrollments = room.school.admin.get(&room.course.path(&format!("/enrollments?user_id={}", room.student.id)));
    let enrollment = enrollments.await.is(200).ids()[0];
    room.school.admin.delete(&room.course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    assert_eq!(lists(&room.student).await, (vec![], vec![]));
}

#[tokio::test]
async fn lists_show_each_session_as_the_caller_may_see_it() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let public = json!({ "course_id": room.course.id, "has_public_results": true });
    let public = new_session(&room.teacher, room.poll, public).await;
    room.teacher.get(&room.poll(&format!("/poll_sessions/{public}/open"))).await.is(200);
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let list = other.get("/api/v1/poll_sessions/opened").await.is(200);
    let [own, shown] = records(&list) else { panic!("not two: {list}") };
    assert!(own.get("results").is_none() && own.get("has_public_results").is_none());
    assert_eq!(own["poll_submissions"], json!([]));
    assert_eq!((&shown["results"], &shown["has_public_results"]), (&json!({}), &json!(true)));
    let list = room.teacher.get("/api/v1/poll_sessions/opened").await.is(200);
    assert_eq!(records(&list)[0]["results"], json!({ room.yes.to_string(): 1 }));
}

#[tokio::test]
async fn what_is_listed_is_what_is_read_alone() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let section = room.section("North").await;
    let part = json!({ "course_id": room.course.id, "course_section_id": section, "has_public_results": true });
    new_session(&room.teacher, room.poll, part).await;
    let quoted = json!({ "question": "\"Why\" \\ \u{1e}?", "description": "<p>é\n</p>" });
    room.teacher.post("/api/v1/polls").json(json!({ "polls": [quoted] })).await.is(200);
    let alone = async |reader: &Client, list: &str, path: &str| {
        let list = reader.get(list).await.is(200);
        for record in records(&list) {
            let read = reader.get(&format!("{path}/{}", record["id"])).await.is(200);
            assert_eq!((record, record.to_string()), (only(&read), only(&read).to_string()));
        }
        records(&list).len()
    };
    let (choices, sessions) = (room.poll("/poll_choices"), room.poll("/poll_sessions"));
    assert_eq!(alone(&room.teacher, "/api/v1/polls", "/api/v1/polls").await, 2);
    assert_eq!(alone(&room.teacher, &sessions, &sessions).await, 2);
    assert_eq!(alone(&room.student, "/api/v1/poll_sessions/opened", &sessions).await, 1);
    for reader in [&room.teacher, &room.student] {
        assert_eq!(alone(reader, &choices, &choices).await, 2);
    }
    room.close().await;
    assert_eq!(alone(&room.student, "/api/v1/poll_sessions/closed", &sessions).await, 1);
    assert_eq!(alone(&room.student, &choices, &choices).await, 2);
}

#[tokio::test]
async fn sessions_are_paged_in_the_order_of_their_ids() {
    let room = Room::opened().await;
    let mut all = vec![room.session];
    for _ in 0..4 {
        let next = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
        room.teacher.get(&room.poll(&format!("/poll_sessions/{next}/open"))).await.is(200);
        all.push(next);
    }
    for path in [room.poll("/poll_sessions"), "/api/v1/poll_sessions/opened".to_owned()] {
        let mut found = Vec::new();
        let mut next = Some(format!("{path}?per_page=2"));
        while let Some(page) = next {
            let answer = room.teacher.get(&page).await.is(200);
            found.extend(ids(&answer));
            next = answer.link("next");
            assert!(answer.link("last").unwrap().contains("page=3&per_page=2"));
        }
        assert_eq!(found, all);
        assert!(ids(&room.teacher.get(&format!("{path}?page=9")).await.is(200)).is_empty());
        room.teacher.get(&format!("{path}?page=0")).await.is_not_found();
    }
}
