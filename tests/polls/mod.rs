//! Polls, their choices, sessions and submissions.

mod format;
mod joining;
mod live_page;
mod live_page_controls;
mod questions;
mod rights;
mod sections;
mod sessions;
mod votes;

use serde_json::{Value, json};
use support::{Client, Course, Response, School};

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

    async fn open(&self) -> Response {
        self.teacher.get(&self.session("/open")).await.is(200)
    }

    async fn close(&self) -> Response {
        self.teacher.get(&self.session("/close")).await.is(200)
    }

    async fn vote(&self, voter: &Client, choice: i64) -> Response {
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

/// The lists of the area.
const LISTS: [&str; 4] = ["polls", "poll_choices", "poll_sessions", "poll_submissions"];

/// The records of an answer, whichever of the area's lists they stand in.
#[track_caller]
fn records(answer: &Response) -> &[Value] {
    answer.records(&LISTS)
}

/// The one record of an answer.
#[track_caller]
fn only(answer: &Response) -> &Value {
    answer.only(&LISTS)
}

#[track_caller]
fn id(answer: &Response) -> i64 {
    only(answer)["id"].as_i64().unwrap()
}

#[track_caller]
fn ids(answer: &Response) -> Vec<i64> {
    records(answer).iter().map(|record| record["id"].as_i64().unwrap()).collect()
}

/// The body of a refused value.
fn refused(field: &str, code: &str, message: &str) -> Value {
    json!({ "errors": { field: [{ "attribute": field, "type": code, "message": message }] } })
}
