//! Polls, their choices, sessions and submissions.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Answer, Client, Course, School, enroll, running};

/// A course with its teacher and a student, and a poll with two choices that is asked in the course.
struct Room {
    school: School,
    course: Course,
    teacher: Client,
    student: Client,
    poll: i64,
    yes: i64,
    no: i64,
    session: i64,
}

impl Room {
    /// The session is closed, and its results are not public.
    async fn new() -> Self {
        Self::with_session(json!({})).await
    }

    /// The session is open, and its results are not public.
    async fn opened() -> Self {
        let room = Self::new().await;
        room.open().await;
        room
    }

    /// The session has these fields besides its course.
    async fn with_session(fields: Value) -> Self {
        let school = School::start().await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let poll = new_poll(&teacher, "Ready?").await;
        let yes = new_choice(&teacher, poll, "Yes").await;
        let no = new_choice(&teacher, poll, "No").await;
        let mut session = fields;
        session["course_id"] = course.id.into();
        let session = new_session(&teacher, poll, session).await;
        Self { school, course, teacher, student, poll, yes, no, session }
    }

    fn poll(&self, rest: &str) -> String {
        format!("/api/v1/polls/{}{rest}", self.poll)
    }

    fn session(&self, rest: &str) -> String {
        self.poll(&format!("/poll_sessions/{}{rest}", self.session))
    }

    async fn open(&self) -> Answer {
        self.teacher.get(&self.session("/open")).await.is(200)
    }

    async fn close(&self) -> Answer {
        self.teacher.get(&self.session("/close")).await.is(200)
    }

    async fn vote(&self, voter: &Client, choice: i64) -> Answer {
        let body = json!({ "poll_submissions": [{ "poll_choice_id": choice }] });
        voter.post(&self.session("/poll_submissions")).json(body).await
    }

    /// The session as the reader sees it.
    async fn seen_by(&self, reader: &Client) -> Value {
        only(&reader.get(&self.session("")).await.is(200)).clone()
    }

    /// Another section of the course.
    async fn section(&self, name: &str) -> i64 {
        let section = json!({ "course_section": { "name": name } });
        self.school.admin.post(&self.course.path("/sections")).json(section).await.is(200).id()
    }

    /// A new user who is enrolled in that section.
    async fn member_of(&self, section: i64, role: &str) -> Client {
        let person = self.school.person(role).await;
        let enrollment = json!({ "enrollment": {
            "user_id": person.id, "type": role, "enrollment_state": "active", "course_section_id": section,
        } });
        self.school.admin.post(&self.course.path("/enrollments")).json(enrollment).await.is(200);
        person
    }
}

async fn new_poll(teacher: &Client, question: &str) -> i64 {
    let body = json!({ "polls": [{ "question": question }] });
    id(&teacher.post("/api/v1/polls").json(body).await.is(200))
}

async fn new_choice(teacher: &Client, poll: i64, text: &str) -> i64 {
    let body = json!({ "poll_choices": [{ "text": text }] });
    id(&teacher.post(&format!("/api/v1/polls/{poll}/poll_choices")).json(body).await.is(200))
}

async fn new_session(teacher: &Client, poll: i64, session: Value) -> i64 {
    let body = json!({ "poll_sessions": [session] });
    id(&teacher.post(&format!("/api/v1/polls/{poll}/poll_sessions")).json(body).await.is(200))
}

/// The records of an answer, whichever of the area's lists they stand in.
#[track_caller]
fn records(answer: &Answer) -> &Vec<Value> {
    let lists = ["polls", "poll_choices", "poll_sessions", "poll_submissions"];
    let list = lists.iter().find_map(|name| answer[name].as_array());
    list.unwrap_or_else(|| panic!("no list of records: {answer}"))
}

/// The one record of an answer.
#[track_caller]
fn only(answer: &Answer) -> &Value {
    match records(answer).as_slice() {
        [record] => record,
        _ => panic!("not one record: {answer}"),
    }
}

#[track_caller]
fn id(answer: &Answer) -> i64 {
    only(answer)["id"].as_i64().unwrap()
}

#[track_caller]
fn ids(answer: &Answer) -> Vec<i64> {
    records(answer).iter().map(|record| record["id"].as_i64().unwrap()).collect()
}

/// The body of a refused value.
fn refused(field: &str, code: &str, message: &str) -> Value {
    json!({ "errors": { field: [{ "attribute": field, "type": code, "message": message }] } })
}

#[tokio::test]
async fn every_record_has_exactly_the_documented_keys() {
    let room = Room::opened().await;
    let teacher = &room.teacher;
    let poll = teacher.get(&room.poll("")).await.is(200);
    let expected = json!({ "polls": [{
        "id": room.poll, "question": "Ready?", "description": null, "created_at": only(&poll)["created_at"],
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
        "created_at": only(&submission)["created_at"],
    }], "meta": {} });
    assert_eq!(submission.json, expected);

    let session = teacher.get(&room.session("")).await.is(200);
    let expected = json!({ "poll_sessions": [{
        "id": room.session, "poll_id": room.poll, "course_id": room.course.id, "course_section_id": null,
        "is_published": true, "created_at": only(&session)["created_at"], "has_submitted": false,
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
    // Whoever runs the session but does not own the poll leaves it where it is, although both courses are theirs.
    let colleague = room.course.member(&room.school, "TeacherEnrollment").await;
    for person in [&colleague, &room.teacher] {
        enroll(&room.school.admin, elsewhere.id, person.id, "TeacherEnrollment").await;
    }
    colleague.put(&room.session("")).json(to(elsewhere.id)).await.is_forbidden();
    colleague.put(&room.session("")).json(to(room.course.id)).await.is(200);
    room.teacher.put(&room.session("")).json(to(elsewhere.id)).await.is(200);
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
    let foreign = School::start().await.course("Foreign").await.id;
    let base = refused("base", "invalid", "That course section does not belong to the existing course.");
    for session in [
        json!({ "course_id": other }),
        json!({ "course_id": other, "course_section_id": section }),
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
async fn without_public_results_a_student_sees_the_own_submission_and_no_counts() {
    let room = Room::opened().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let own = room.vote(&room.student, room.yes).await.is(200);
    let session = room.seen_by(&room.student).await;
    let expected = json!({
        "id": room.session, "poll_id": room.poll, "course_id": room.course.id, "course_section_id": null,
        "is_published": true, "created_at": session["created_at"], "has_submitted": true,
        "poll_submissions": [only(&own)],
    });
    assert_eq!(session, expected);
    let session = room.seen_by(&other).await;
    assert_eq!((&session["has_submitted"], &session["poll_submissions"]), (&json!(false), &json!([])));
    let poll = room.student.get(&room.poll("")).await.is(200);
    assert!(only(&poll).get("total_results").is_none() && only(&poll).get("user_id").is_none());
}

#[tokio::test]
async fn public_results_tell_everybody_who_takes_part_how_many_chose_what_and_nobody_who() {
    let room = Room::with_session(json!({ "has_public_results": true })).await;
    room.open().await;
    room.vote(&room.student, room.yes).await.is(200);
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    room.vote(&other, room.no).await.is(200);
    let session = room.seen_by(&other).await;
    assert_eq!(session["results"], json!({ room.yes.to_string(): 1, room.no.to_string(): 1 }));
    let voters = |session: &Value| -> Vec<_> {
        session["poll_submissions"].as_array().unwrap().iter().map(|vote| vote["user_id"].as_i64()).collect()
    };
    assert_eq!(voters(&session), [Some(other.id)]);
    assert_eq!(voters(&room.seen_by(&room.teacher).await), [Some(room.student.id), Some(other.id)]);
    assert_eq!((&session["has_public_results"], &session["has_submitted"]), (&json!(true), &json!(true)));
    assert_eq!(room.seen_by(&room.teacher).await["has_submitted"], false);
}

#[tokio::test]
async fn totals_are_over_all_sessions_of_a_poll() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let second = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let second = room.poll(&format!("/poll_sessions/{second}"));
    room.teacher.get(&format!("{second}/open")).await.is(200);
    let body = json!({ "poll_submissions": [{ "poll_choice_id": room.yes }] });
    room.student.post(&format!("{second}/poll_submissions")).json(body).await.is(200);
    let poll = room.teacher.get(&room.poll("")).await.is(200);
    assert_eq!(only(&poll)["total_results"], json!({ room.yes.to_string(): 2 }));
}

#[tokio::test]
async fn a_student_submits_once_in_a_session() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let once = refused("user_id", "taken", "can only submit one choice per poll session.");
    for choice in [room.yes, room.no] {
        assert_eq!(room.vote(&room.student, choice).await.is(400).json, once);
    }
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
}

#[tokio::test]
async fn a_closed_session_takes_no_submissions() {
    let room = Room::new().await;
    room.vote(&room.student, room.yes).await.is_forbidden();
    room.open().await;
    room.close().await;
    room.vote(&room.student, room.yes).await.is_forbidden();
    room.student.post(&room.session("/poll_submissions")).json(json!({})).await.is_forbidden();
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn a_choice_that_the_poll_does_not_offer_is_not_found() {
    let room = Room::opened().await;
    let other = new_poll(&room.teacher, "Another?").await;
    let other = new_choice(&room.teacher, other, "Elsewhere").await;
    let submissions = room.session("/poll_submissions");
    for choice in [json!(other), json!(9_999_999), json!("x"), json!(null), json!([])] {
        let body = json!({ "poll_submissions": [{ "poll_choice_id": choice }] });
        room.student.post(&submissions).json(body).await.is_not_found();
    }
    room.student.post(&submissions).json(json!({ "poll_submissions": [{}] })).await.is_not_found();
    assert_eq!(room.seen_by(&room.student).await["has_submitted"], false);
}

#[tokio::test]
async fn a_submission_is_read_by_its_student_and_by_those_who_run_the_session() {
    let room = Room::opened().await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    let path = room.session(&format!("/poll_submissions/{submission}"));
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let ta = room.course.member(&room.school, "TaEnrollment").await;
    for reader in [&room.student, &room.teacher, &ta, &room.school.admin] {
        assert_eq!(only(&reader.get(&path).await.is(200))["user_id"], room.student.id);
    }
    other.get(&path).await.is_forbidden();
    let second = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let misplaced = room.poll(&format!("/poll_sessions/{second}/poll_submissions/{submission}"));
    room.teacher.get(&misplaced).await.is_not_found();
    room.teacher.get(&room.session("/poll_submissions/9999999")).await.is_not_found();
}

#[tokio::test]
async fn sixteen_votes_of_one_student_at_once_are_one_submission() {
    let room = Room::opened().await;
    let votes = (0..16).map(|number| room.vote(&room.student, if number % 2 == 0 { room.yes } else { room.no }));
    let answers = join_all(votes).await;
    let taken: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(taken.len(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(
            answer.json,
            refused("user_id", "taken", "can only submit one choice per poll session."),
            "{answer}"
        );
    }
    let session = room.seen_by(&room.teacher).await;
    let choice = only(taken[0])["poll_choice_id"].to_string();
    assert_eq!(session["results"], json!({ choice: 1 }));
    assert_eq!(session["poll_submissions"], json!([only(taken[0])]));
}

#[tokio::test]
async fn the_counts_are_right_when_many_vote_at_once() {
    let room = Room::opened().await;
    let voters = join_all((0..32).map(|_| room.course.member(&room.school, "StudentEnrollment"))).await;
    let choices = [room.yes, room.yes, room.yes, room.no].into_iter().cycle();
    let votes = join_all(voters.iter().zip(choices).map(|(voter, choice)| room.vote(voter, choice))).await;
    assert!(votes.iter().all(|vote| vote.status == 200));
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["results"], json!({ room.yes.to_string(): 24, room.no.to_string(): 8 }));
    let submissions = session["poll_submissions"].as_array().unwrap();
    let users: BTreeSet<_> = submissions.iter().filter_map(|submission| submission["user_id"].as_i64()).collect();
    assert_eq!(users, voters.iter().map(|voter| voter.id).collect());
}

#[tokio::test]
async fn no_vote_comes_in_after_a_session_is_closed() {
    let room = Room::opened().await;
    let voters = join_all((0..16).map(|_| room.course.member(&room.school, "StudentEnrollment"))).await;
    let votes = join_all(voters.iter().map(|voter| room.vote(voter, room.yes)));
    let (votes, closed) = futures::future::join(votes, room.close()).await;
    let counted = only(&closed)["results"][room.yes.to_string()].as_i64().unwrap_or(0);
    let taken = votes.iter().filter(|vote| vote.status == 200).count();
    for vote in votes.iter().filter(|vote| vote.status != 200) {
        assert_eq!(vote.status, 403, "{vote}");
    }
    assert_eq!(counted, i64::try_from(taken).unwrap(), "what was counted when it closed is all there ever is");
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["poll_submissions"].as_array().unwrap().len(), taken);
}

#[tokio::test]
async fn the_database_itself_keeps_counts_and_submissions_together() {
    let room = Room::opened().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    room.vote(&other, room.yes).await.is(200);
    if running().change_database(&format!("DELETE FROM poll_submissions WHERE id = {submission}")) {
        assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
        room.vote(&room.student, room.no).await.is(200);
    }
}

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
    let [own, shown] = records(&list).as_slice() else { panic!("not two: {list}") };
    assert!(own.get("results").is_none() && own.get("has_public_results").is_none());
    assert_eq!(own["poll_submissions"], json!([]));
    assert_eq!((&shown["results"], &shown["has_public_results"]), (&json!({}), &json!(true)));
    let list = room.teacher.get("/api/v1/poll_sessions/opened").await.is(200);
    assert_eq!(records(&list)[0]["results"], json!({ room.yes.to_string(): 1 }));
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

/// The address of a page, as a path.
async fn link(room: &Room, client: &Client, audience: &str) -> String {
    let link = client.post(&room.session("/live_link")).json(json!({ "audience": audience })).await.is(200);
    assert!(link["expires_at"].as_str().unwrap().ends_with('Z'));
    let url = link["url"].as_str().unwrap();
    format!("/{}", url.splitn(4, '/').nth(3).unwrap())
}

/// The page's ticket.
fn ticket(link: &str) -> &str {
    link.split_once("ticket=").unwrap().1
}

/// The path of the page beside that one.
fn beside(link: &str, page: &str) -> String {
    let (path, query) = link.split_once('?').unwrap();
    format!("{}/{page}?{query}", path.rsplit_once('/').unwrap().0)
}

/// Votes on the voting page, as its form does.
async fn vote_on_page(nobody: &Client, link: &str, choice: &str) -> Answer {
    let path = link.split_once('?').unwrap().0;
    nobody.post(path).form(&[("ticket", ticket(link)), ("poll_choice_id", choice)]).await
}

#[tokio::test]
async fn the_live_page_shows_the_question_the_choices_and_the_counts() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let live = link(&room, &room.teacher, "teacher").await;
    assert!(live.starts_with(&format!("/polls/{}/sessions/{}/live?ticket=", room.poll, room.session)));
    let page = nobody.get(&live).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for text in ["<h1>Ready?</h1>", "Yes", "No votes. The poll is open.", "role=\"status\"", "lang=\"en\""] {
        assert!(page.body.contains(text), "{text}: {page}");
    }
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"), "{policy}");
    assert!(!page.body.contains("style=\""), "the policy allows no style in elements");

    room.vote(&room.student, room.yes).await.is(200);
    assert!(nobody.get(&live).await.is(200).body.contains("1 vote, 100 %"));
    let news = nobody.get(&beside(&live, "results")).await.is(200);
    let expected = json!({
        "state": "open", "summary": "1 vote. The poll is open.", "bars": [
            { "id": room.yes, "percent": 100, "label": "1 vote, 100 %" },
            { "id": room.no, "percent": 0, "label": "No votes, 0 %" },
        ],
    });
    assert_eq!(news.json, expected);
    room.close().await;
    assert_eq!(nobody.get(&beside(&live, "results")).await.is(200)["summary"], "1 vote. The poll is closed.");
}

#[tokio::test]
async fn what_a_teacher_writes_is_text_on_the_pages() {
    let room = Room::opened().await;
    let words = "<img src=x onerror=alert(1)> & \"more\"";
    let change = json!({ "polls": [{ "question": words, "description": words }] });
    room.teacher.put(&room.poll("")).json(change).await.is(200);
    new_choice(&room.teacher, room.poll, words).await;
    let nobody = room.student.without_token();
    for (client, audience) in [(&room.teacher, "teacher"), (&room.student, "student")] {
        let page = nobody.get(&link(&room, client, audience).await).await.is(200);
        assert!(!page.body.contains("<img") && page.body.matches("&lt;img src=x").count() >= 4, "{page}");
    }
}

#[tokio::test]
async fn a_student_votes_on_the_page_without_script() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let form = nobody.get(&page).await.is(200);
    for part in ["<form method=\"post\"", "type=\"radio\"", "required", "<legend>Your answer</legend>", "Vote</button>"]
    {
        assert!(form.body.contains(part), "{part}: {form}");
    }
    for nothing in ["", "x", "9999999"] {
        vote_on_page(&nobody, &page, nothing).await.is_refused(400, "Please choose one of the answers.");
    }
    let voted = vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    let back = voted.header("location").unwrap();
    assert_eq!(back, page);
    let shown = nobody.get(back).await.is(200);
    assert!(shown.body.contains("Your answer: <strong>Yes</strong>") && !shown.body.contains("<form"), "{shown}");
    assert!(!shown.body.contains("votes"), "the results are not public: {shown}");
    assert_eq!(nobody.get(&beside(&page, "results")).await.is(200)["bars"], json!([]));
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["poll_submissions"][0]["user_id"], room.student.id, "the ticket names the student");

    vote_on_page(&nobody, &page, &room.no.to_string()).await.is(303);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
}

#[tokio::test]
async fn a_voting_page_tells_when_the_poll_is_closed_and_then_the_public_results() {
    let room = Room::with_session(json!({ "has_public_results": true })).await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    assert!(nobody.get(&page).await.is(200).body.contains("The poll is closed."));
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}), "a closed session takes no vote");
    room.open().await;
    assert!(!nobody.get(&page).await.is(200).body.contains("class=\"chart\""), "nobody is told before voting");
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    assert!(nobody.get(&page).await.is(200).body.contains("1 vote, 100 %"));
}

#[tokio::test]
async fn sixteen_votes_on_the_page_at_once_are_one_submission() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let choice = room.yes.to_string();
    let answers = join_all((0..16).map(|_| vote_on_page(&nobody, &page, &choice))).await;
    assert!(answers.iter().all(|answer| answer.status == 303));
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ choice: 1 }));
}

#[tokio::test]
async fn a_link_is_for_those_who_have_the_right() {
    let room = Room::opened().await;
    let path = room.session("/live_link");
    let ask = async |client: &Client, audience: &str| client.post(&path).json(json!({ "audience": audience })).await;
    ask(&room.student, "teacher").await.is_forbidden();
    ask(&room.student, "student").await.is(200);
    for audience in ["teacher", "student"] {
        ask(&room.teacher, audience).await.is(200);
        ask(&room.school.person("stranger").await, audience).await.is_forbidden();
    }
    ask(&room.teacher, "class").await.is_refused(400, "audience must be one of teacher, student");
    room.teacher.post(&path).json(json!({})).await.is_refused(400, "audience is missing");
    room.teacher.post(&room.poll("/poll_sessions/9999999/live_link")).json(json!({})).await.is_not_found();
}

#[tokio::test]
async fn a_ticket_opens_its_own_page_of_its_own_session_and_nothing_else() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let live = link(&room, &room.teacher, "teacher").await;
    let vote = link(&room, &room.student, "student").await;
    let other = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let elsewhere = live.replace(&format!("/sessions/{}/", room.session), &format!("/sessions/{other}/"));
    let forged = format!("{}x", live);
    let without = live.split_once('?').unwrap().0.to_owned();
    for path in [elsewhere, forged, without, beside(&live, "vote"), beside(&vote, "live")] {
        let refusal = nobody.get(&path).await.is_refused(403, "This link has ended");
        assert!(!refusal.body.contains("Ready?"), "{refusal}");
    }
    nobody.get(&format!("/polls/{}/sessions/{}/results?ticket=x", room.poll, room.session)).await.is_forbidden();
    let path = vote.split_once('?').unwrap().0;
    for ticket in ["", "x", ticket(&live)] {
        nobody.post(path).form(&[("ticket", ticket), ("poll_choice_id", &room.yes.to_string())]).await.is(403);
    }
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn a_ticket_ends_with_the_right_of_its_holder() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let enrollments = room.school.admin.get(&room.course.path(&format!("/enrollments?user_id={}", room.student.id)));
    let enrollment = enrollments.await.is(200).ids()[0];
    room.school.admin.delete(&room.course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    nobody.get(&page).await.is(403);
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(403);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}
