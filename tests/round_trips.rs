//! How many statements each request executes: where the database is far away, each of them is a round trip.
//!
//! The files in `round_trips/` have the numbers. A change of them is a visible change of the product: with
//! `LECTERN_RENEW=1` the tests write the files anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use support::{Client, Course, Response, Running, School};

use crate::authorization::{Endpoint, Fixture, endpoints};
use crate::input_cost::{Description, cases};

/// Holds the numbers against those in the file.
fn compare<K: AsRef<str> + Ord>(file: &str, table: &BTreeMap<K, u32>) {
    let told = table.iter().fold(String::new(), |mut told, (name, number)| {
        writeln!(told, "{number} {}", name.as_ref()).unwrap();
        told
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("round_trips").join(file);
    if std::env::var_os("LECTERN_RENEW").is_some() {
        std::fs::write(&file, &told).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap();
    let changed: Vec<_> = told.lines().filter(|line| !known.lines().any(|known| known == *line)).collect();
    assert!(known == told, "{} has other numbers for {changed:#?}", file.display());
}

/// The statements of a request that was answered.
pub(crate) fn statements(response: &Response) -> u32 {
    let metric = response.header("server-timing").unwrap_or_else(|| panic!("{response} {:?}", response.headers));
    let number = metric.strip_prefix("db;desc=\"").and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{metric}"))
}

/// Those who read, by what lets them in.
struct Readers {
    people: Vec<Client>,
    district: Client,
    browsers: Vec<Client>,
}

impl Readers {
    async fn of(fixture: &Fixture) -> Self {
        let Fixture { school, teacher, student, tool, .. } = fixture;
        let mut browsers = Vec::new();
        for person in [&school.admin, teacher, student] {
            browsers.push(school.in_browser(person).await);
        }
        let people = [&school.admin, teacher, student, tool].map(Client::clone).to_vec();
        Self { people, district: fixture.district().await, browsers }
    }

    fn of_endpoint(&self, endpoint: &Endpoint) -> &[Client] {
        match endpoint {
            _ if endpoint.access.looks_at_cookies() => &self.browsers,
            _ if endpoint.path.starts_with("/api/v2/") => std::slice::from_ref(&self.district),
            _ => &self.people,
        }
    }
}

/// Drives a read as whoever may call it, the second time without what is done at the first look.
async fn read(fixture: &Fixture, readers: &Readers, endpoint: &Endpoint) -> Option<u32> {
    for client in readers.of_endpoint(endpoint) {
        if fixture.drive(client, endpoint).await.status < 400 {
            return Some(statements(&fixture.drive(client, endpoint).await));
        }
    }
    None
}

#[tokio::test]
async fn each_read_executes_as_many_statements_as_the_table_says() {
    let site = Running::own("round-trips", &[]);
    let fixture = Fixture::of(School::start_in(&site).await).await;
    let readers = Readers::of(&fixture).await;
    let mut table = BTreeMap::new();
    // The component that describes the others has no database.
    let is_read = |endpoint: &&Endpoint| endpoint.method == Method::GET && endpoint.area != "reference";
    for endpoint in endpoints().iter().filter(is_read) {
        if let Some(number) = read(&fixture, &readers, endpoint).await {
            table.insert(endpoint.path, number);
        }
    }
    compare("reads.txt", &table);
}

/// The statements of a write that is done a second time, with other values.
async fn write(client: &Client, method: Method, path: &str, bodies: [Value; 2]) -> u32 {
    let mut number = 0;
    for body in bodies {
        let response = client.call(method.clone(), path).json(body).await;
        assert!(response.status < 300, "{response}");
        number = statements(&response);
    }
    number
}

#[tokio::test]
async fn each_write_executes_as_many_statements_as_the_table_says() {
    let site = Running::own("round-trips-of-writes", &[]);
    let mut table = writes_with_texts(&site).await;
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (poll, group) = records(&teacher, &course).await;
    let channels = format!("/api/v1/users/{}/communication_channels", student.id);
    table.extend(opened_and_closed(&teacher, &course, &poll).await);
    table.extend(handed_in_and_discussed(&teacher, &student, &course).await);
    let two = |body: fn(&str) -> Value| ["A", "B"].map(body);
    for (name, client, method, path, bodies) in [
        ("change a poll", &teacher, Method::PUT, poll, two(|text| json!({ "polls": [{ "question": text }] }))),
        ("change a quiz group", &teacher, Method::PUT, group, two(|text| json!({ "quiz_groups": [{ "name": text }] }))),
        ("rename a course", &teacher, Method::PUT, course.path(""), two(|text| json!({ "course": { "name": text } }))),
        (
            "create an assignment",
            &teacher,
            Method::POST,
            course.path("/assignments"),
            two(|text| json!({ "assignment": { "name": text } })),
        ),
        (
            "create a channel",
            &student,
            Method::POST,
            channels.clone(),
            two(|text| json!({ "communication_channel": { "type": "email", "address": format!("{text}@b.test") } })),
        ),
        (
            "create a channel that needs no confirmation",
            &school.admin,
            Method::POST,
            channels.clone(),
            two(|text| {
                let channel = json!({ "type": "email", "address": format!("{text}@c.test") });
                json!({ "communication_channel": channel, "skip_confirmation": true })
            }),
        ),
        (
            "create an account",
            &school.admin,
            Method::POST,
            "/api/v1/accounts/self/sub_accounts".to_owned(),
            two(|text| json!({ "account": { "name": text } })),
        ),
        (
            "report an error",
            &student,
            Method::POST,
            "/api/v1/error_reports".to_owned(),
            two(|text| json!({ "error": { "subject": text } })),
        ),
    ] {
        table.insert(name.to_owned(), write(client, method, &path, bodies).await);
    }
    for address in ["A", "B"] {
        let deleted = student.delete(&format!("{channels}/email/{address}@b.test")).await.is(200);
        table.insert("delete a channel by its address".to_owned(), statements(&deleted));
    }
    compare("writes.txt", &table);
}

/// What becomes of an essay: each the second time.
async fn handed_in_and_discussed(teacher: &Client, student: &Client, course: &Course) -> BTreeMap<String, u32> {
    let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
    let path = course.path(&format!("/assignments/{essay}/submissions"));
    let essays =
        ["A", "B"].map(|text| json!({ "submission": { "submission_type": "online_text_entry", "body": text } }));
    let grades = ["5", "7"].map(|grade| json!({ "submission": { "posted_grade": grade } }));
    let comments = ["A", "B"].map(|text| json!({ "comment": { "text_comment": text } }));
    let of_student = format!("{path}/{}", student.id);
    BTreeMap::from([
        ("hand in an essay".to_owned(), write(student, Method::POST, &path, essays).await),
        ("grade a submission".to_owned(), write(teacher, Method::PUT, &of_student, grades).await),
        ("comment on a submission".to_owned(), write(teacher, Method::PUT, &of_student, comments).await),
    ])
}

/// The steps of a poll session, which are asked by GET: each the second time, after the other.
async fn opened_and_closed(teacher: &Client, course: &Course, poll: &str) -> BTreeMap<String, u32> {
    let session = json!({ "poll_sessions": [{ "course_id": course.id }] });
    let made = teacher.post(&format!("{poll}/poll_sessions")).json(session).await.is(200);
    let session = format!("{poll}/poll_sessions/{}", text(&made["poll_sessions"][0]["id"]));
    let mut table = BTreeMap::new();
    for step in ["open", "close", "open", "close"] {
        let answer = teacher.get(&format!("{session}/{step}")).await.is(200);
        table.insert(format!("{step} a poll session"), statements(&answer));
    }
    table
}

/// An id, which some areas have as text.
fn text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Every write that takes a text, where the least that it asks for is enough: the second one of two.
async fn writes_with_texts(site: &Running) -> BTreeMap<String, u32> {
    let (fixture, description) = (Fixture::of(School::start_in(site).await).await, Description::new());
    let mut table = BTreeMap::new();
    for case in cases(site, &fixture, &description).await.0 {
        let first = case.send(&description, "Oak").await;
        let second = case.send(&description, "Elm").await;
        if case.endpoint.method != Method::GET && first.status < 300 && second.status < 300 {
            table.insert(case.endpoint.to_string(), statements(&second));
        }
    }
    table
}

/// A poll and a question group, which their writes change.
async fn records(teacher: &Client, course: &Course) -> (String, String) {
    let poll = teacher.post("/api/v1/polls").json(json!({ "polls": [{ "question": "Oak?" }] })).await.is(200);
    let quiz = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": { "title": "Oaks" } })).await.is(200);
    let groups = course.path(&format!("/quizzes/{}/groups", quiz.id()));
    let group = teacher.post(&groups).json(json!({ "quiz_groups": [{ "name": "A" }] })).await.is(201);
    (
        format!("/api/v1/polls/{}", text(&poll["polls"][0]["id"])),
        format!("{groups}/{}", text(&group["quiz_groups"][0]["id"])),
    )
}
