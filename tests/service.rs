//! What holds for every area: paths, methods, bodies, headers. That each answer has its length, a request id and the
//! security headers is checked by the client of the harness, with every call of every test.

use reqwest::Method;
use serde_json::json;
use support::{School, running};

#[tokio::test]
async fn an_unknown_path_is_a_json_404() {
    let nobody = running().nobody();
    for path in [
        "/nowhere",
        "/api/v1",
        "/api/v1/nowhere",
        "/api/v1/courses/1/nowhere",
        "/api/quiz/v1/nowhere",
        "/login/oauth2/x",
    ] {
        let answer = nobody.get(path).await.is_not_found();
        assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"), "{path}");
    }
}

#[tokio::test]
async fn a_method_that_the_path_lacks_is_refused_with_those_it_has() {
    let nobody = running().nobody();
    for (path, allow) in [
        ("/api/v1/courses/1/quizzes/1/groups/1", "DELETE, GET, PUT, HEAD, OPTIONS"),
        ("/api/v1/courses/1/quizzes/1/groups/1/reorder", "POST, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ] {
        let answer = nobody.patch(path).await.is_refused(405, "does not support this method");
        assert_eq!(answer.header("allow"), Some(allow), "{path}");
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let school = School::start().await;
    let get = school.admin.get("/api/v1/users/self").await.is(200);
    let head = school.admin.call(Method::HEAD, "/api/v1/users/self").await.is(200);
    assert_eq!(head.header("content-length"), get.header("content-length"));
    assert_eq!(head.header("content-type"), get.header("content-type"));
    running().nobody().call(Method::HEAD, "/api/v1/users/self").await.is(401);
    running().nobody().call(Method::HEAD, "/api/v1/nowhere").await.is(404);
}

#[tokio::test]
async fn slashes_at_the_end_do_not_matter() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    assert_eq!(teacher.get(&course.path("/")).await.is(200).id(), course.id);
    assert_eq!(teacher.get(&course.path("/quizzes/")).await.is(200).ids(), Vec::<i64>::new());
}

#[tokio::test]
async fn a_segment_may_be_percent_encoded() {
    let school = School::start().await;
    let course = json!({ "course": { "name": "Botany", "sis_course_id": "BOT/101 ä" } });
    let id = school.admin.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
    let found = school.admin.get("/api/v1/courses/sis_course_id:BOT%2F101%20%C3%A4").await.is(200);
    assert_eq!(found.id(), id);
    assert_eq!(school.admin.get(&format!("/api/v1/%63ourses/{id}")).await.status, 404, "only values are decoded");
    for path in ["/api/v1/courses/%FF", "/api/v1/courses/%00", "/api/v1/courses/1%00"] {
        school.admin.get(path).await.is_not_found();
    }
}

#[tokio::test]
async fn what_is_no_id_names_nothing() {
    let school = School::start().await;
    for id in [
        "0",
        "-1",
        "abc",
        "1.5",
        "99999999999999999999",
        "sis_course_id:",
        "sis_course_id:unknown",
        "colour:red",
        "self",
    ] {
        school.admin.get(&format!("/api/v1/courses/{id}")).await.is_not_found();
    }
    school.admin.get("/api/v1/courses//quizzes").await.is_not_found();
    school.admin.get("/api/v1/users/none").await.is_not_found();
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused() {
    let school = School::start().await;
    let post = || school.admin.post("/api/v1/accounts/self/courses");
    for body in ["{", "[]", "\"text\"", "{\"course\":}", "nul", "{\"a\":1}{\"b\":2}"] {
        post().body("application/json", body).await.is(400);
    }
    post().body("application/json", vec![b'{', 0xff, b'}']).await.is(400);
    post().body("application/x-www-form-urlencoded", "course[name]=%FF").await.is(400);
    post().body("application/x-www-form-urlencoded", "course=1&course[name]=2").await.is(400);
    post().body("multipart/form-data; boundary=x", "no parts").await.is(400);
    post().body("text/csv", "a,b").await.is(415);
}

#[tokio::test]
async fn a_body_may_have_a_mebibyte_and_no_more() {
    let school = School::start().await;
    let body = |length: usize| {
        let frame = "{\"padding\":\"\"}";
        format!("{{\"padding\":\"{}\"}}", "x".repeat(length - frame.len()))
    };
    let post =
        |length: usize| school.admin.post("/api/v1/accounts/self/courses").body("application/json", body(length));
    assert_ne!(post(1024 * 1024).await.status, 413);
    post(1024 * 1024 + 1).await.is_refused(413, "1048576");
}

#[tokio::test]
async fn ids_are_text_for_those_who_ask() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let accept = "application/json+canvas-string-ids, application/json";
    let shown = teacher.get(&course.path("")).header("accept", accept).await.is(200);
    assert_eq!(shown["id"], course.id.to_string());
    assert_eq!(shown["account_id"], school.account.to_string());
    let plain = teacher.get(&course.path("")).await.is(200);
    assert_eq!(plain["id"], course.id);
}

#[tokio::test]
async fn pages_of_other_origins_are_allowed_nothing_unless_configured() {
    let nobody = running().nobody();
    let asked = nobody.get("/api/v1/users/self").header("origin", "https://elsewhere.example").await.is(401);
    let preflight = nobody
        .call(Method::OPTIONS, "/api/v1/users/self")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "GET")
        .await
        .is(204);
    for answer in [asked, preflight] {
        assert!(answer.header("access-control-allow-origin").is_none(), "{answer}");
        assert!(answer.header("access-control-allow-methods").is_none(), "{answer}");
    }
}

#[tokio::test]
async fn times_are_utc_in_whole_seconds() {
    let school = School::start().await;
    let course = json!({ "course": { "name": "Botany", "start_at": "2026-03-04T05:06:07.999+02:00" } });
    let course = school.admin.post("/api/v1/accounts/self/courses").json(course).await.is(200);
    assert_eq!(course["start_at"], "2026-03-04T03:06:07Z");
}

#[tokio::test]
async fn the_description_names_every_area() {
    let description = running().nobody().get("/openapi.json").await.is(200);
    assert_eq!(description["openapi"], "3.1.0");
    let areas: Vec<_> = description["tags"].as_array().unwrap().iter().map(|tag| tag["name"].clone()).collect();
    for area in ["coursework", "directory", "oauth", "quiz-groups", "quiz-items"] {
        assert!(areas.contains(&json!(area)), "{area} is not in {areas:?}");
    }
}

#[tokio::test]
async fn the_description_for_people_needs_nothing_but_its_own_style() {
    let page = running().nobody().get("/docs").await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("style-src 'sha256-"), "{policy}");
    assert!(!page.body.contains("<script") && !page.body.contains("style=\""));
    assert!(page.body.contains("/api/v1/courses/{course_id}/quizzes/{quiz_id}/groups"));
}
