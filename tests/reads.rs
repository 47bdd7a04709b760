//! Reads: they wait for nobody who writes, and a `HEAD` changes nothing. Who is nobody costs nothing either.

use std::time::{Duration, Instant};

use serde_json::json;
use support::{School, running};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_read_waits_for_nobody_who_writes() {
    let site = support::Running::own("busy", &[]);
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = json!({ "quiz": { "title": "Leaves" } });
    let quiz = teacher.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    let paths = [
        "/api/v1/users/self".to_owned(),
        "/api/v1/courses".to_owned(),
        "/api/v1/users/self/tokens".to_owned(),
        "/api/v1/polls".to_owned(),
        course.path(""),
        course.path("/users"),
        course.path("/assignments"),
        course.path("/quizzes"),
        course.path(&format!("/quizzes/{quiz}/groups")),
        course.path("/files"),
        course.path("/pages"),
        course.path("/groups"),
        course.path("/content_exports"),
        format!("/api/quiz/v1/courses/{}/quizzes", course.id),
    ];
    // The first request to a component makes its instance.
    for path in &paths {
        teacher.get(path).await.is(200);
    }
    let Some(lock) = site.hold_writes() else { return };
    // Nothing is known of this token's last use yet, nor of the masquerade.
    for (client, query) in
        [(&student, String::new()), (&teacher, String::new()), (&school.admin, format!("?as_user_id={}", teacher.id))]
    {
        for path in &paths {
            let began = Instant::now();
            // Students do not see what is not published.
            let answer = client.get(&format!("{path}{query}")).await;
            assert!(matches!(answer.status, 200 | 403), "{answer}");
            assert!(began.elapsed() < Duration::from_secs(3), "{path} took {:?}", began.elapsed());
        }
    }
    drop(lock);
}

#[tokio::test]
async fn the_last_use_of_a_token_is_noted_after_the_answer() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    ada.get("/api/v1/users/self").await.is(200);
    for _ in 0..50 {
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
