//! Reads: they wait for nobody who writes, and a `HEAD` changes nothing. Who is nobody costs nothing either.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use shared::api::Stranger;
use support::{School, running};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::authorization::{Fixture, endpoints};

/// Of most areas one that teachers may call. A student is answered what the endpoint declares, or 403.
const READS: [&str; 20] = [
    "/api/v1/users/:id",
    "/api/v1/courses",
    "/api/v1/polls",
    "/api/v1/courses/:id",
    "/api/v1/courses/:course_id/users",
    "/api/v1/courses/:course_id/assignments",
    "/api/v1/courses/:course_id/quizzes",
    "/api/v1/courses/:course_id/quizzes/:quiz_id/groups",
    "/api/v1/courses/:course_id/files",
    "/api/v1/courses/:course_id/pages",
    "/api/v1/courses/:course_id/groups",
    "/api/v1/courses/:course_id/question_banks",
    "/api/v1/courses/:course_id/quizzes/:quiz_id/questions",
    "/api/v1/courses/:course_id/quizzes/:quiz_id/submissions",
    "/api/v1/courses/:course_id/sections",
    "/api/v1/groups/:group_id/memberships",
    "/api/v1/groups/:group_id/users",
    "/api/v1/sections/:id",
    "/api/v1/courses/:course_id/content_exports",
    "/api/quiz/v1/courses/:course_id/quizzes",
];

#[tokio::test]
async fn a_read_waits_for_nobody_who_writes() {
    let site = support::Running::own("busy", &[]);
    let fixture = Fixture::of(School::start_in(&site).await).await;
    let (student, teacher) = (&fixture.student, &fixture.teacher);
    let mut reads = endpoints();
    reads.retain(|endpoint| endpoint.method == Method::GET && READS.contains(&endpoint.path));
    assert_eq!(reads.len(), READS.len());
    // The first request to a component makes its instance.
    for endpoint in &reads {
        fixture.drive(teacher, endpoint).await.is(200);
    }
    let Some(lock) = site.hold_writes() else { return };
    // Nothing is known of this token's last use yet, nor of the masquerade.
    let masquerade = format!("?as_user_id={}", teacher.id);
    for (client, query) in [(student, ""), (teacher, ""), (&fixture.school.admin, masquerade.as_str())] {
        for endpoint in &reads {
            let expected =
                if client.id == student.id { endpoint.expected(Stranger::Student).unwrap_or(403) } else { 200 };
            let began = Instant::now();
            client.get(&format!("{}{query}", fixture.path(endpoint))).await.is(expected);
            // A write would wait for fifteen seconds.
            assert!(began.elapsed() < Duration::from_secs(10), "{endpoint} took {:?}", began.elapsed());
        }
    }
    drop(lock);
}

#[tokio::test]
async fn the_last_use_of_a_token_is_noted_after_the_answer() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    for _ in 0..600 {
        // A use that meets another writer is left out, and the next one is noted instead.
        ada.get("/api/v1/users/self").await.is(200);
        let tokens = school.admin.get(&format!("/api/v1/users/{}/tokens", ada.id)).await.is(200);
        if tokens.json[0]["last_used_at"].is_string() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it is not noted");
}

/// The status of the answer to a request whose body never comes.
async fn announced(head: &str) -> String {
    let address = running().base_url.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let request = format!(
        "POST /api/v1/accounts/self/courses HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n{head}\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    tokio::time::timeout(Duration::from_secs(20), stream.read_exact(&mut answer)).await.expect("an answer").unwrap();
    String::from_utf8_lossy(&answer[9..]).into_owned()
}

#[tokio::test]
async fn the_body_of_nobody_is_not_waited_for() {
    let school = School::start().await;
    school.person("ada").await;
    let began = Instant::now();
    assert_eq!(announced("Content-Length: 1000000\r\nAuthorization: Bearer nonsense\r\n").await, "401");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    // A token might stand in the body; so it is waited for, but not for long.
    assert_eq!(announced("Content-Length: 1000000\r\n").await, "401");
}

#[tokio::test]
async fn a_token_is_looked_for_in_a_small_body_alone() {
    let school = School::start().await;
    let token = school.admin.token.clone().unwrap();
    let nobody = school.admin.without_token();
    let post = |padding: usize| {
        let body = json!({ "course": { "name": "Botany" }, "access_token": token, "padding": "x".repeat(padding) });
        nobody.post("/api/v1/accounts/self/courses").json(body)
    };
    post(60_000).await.is(200);
    post(70_000).await.is_unauthenticated("user authorization required");
    let large = json!({ "course": { "name": "Botany" }, "padding": "x".repeat(1024 * 1024) });
    let large = || nobody.post("/api/v1/accounts/self/courses").json(&large);
    large().await.is(401);
    large().header("authorization", "Bearer nonsense").await.is_unauthenticated("Invalid access token.");
    large().header("authorization", format!("Bearer {token}")).await.is(413);
}
