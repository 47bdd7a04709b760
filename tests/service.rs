//! The rules of every area: paths, methods, bodies, headers. The client of the harness checks with every call of every
//! test that the answer has its length, a request id and the security headers.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};
use support::{Response, Running, School, running};

#[tokio::test]
async fn all_who_come_at_once_are_answered() {
    let site = Running::own("crowd", &[]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let requests = (0..300).map(async |number| match number % 2 {
        0 => teacher.get(&course.path("")).await.status,
        _ => teacher.put(&course.path("")).json(json!({ "course": { "name": format!("{number}") } })).await.status,
    });
    let statuses = futures::future::join_all(requests).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
}

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
async fn text_that_is_no_utf8_is_refused_wherever_it_stands() {
    let school = School::start().await;
    let post = |form: String| {
        let post = school.admin.post("/api/v1/accounts/self/courses");
        post.body("application/x-www-form-urlencoded", form)
    };
    let name = "course[name]=%EF%BF%BD";
    assert_eq!(post(name.to_owned()).await.is(200)["name"], "\u{fffd}", "a sign like any other");
    post(format!("{}{name}", "a=%FF&".repeat(8000))).await.is(400);
    post(format!("{name}&{}", "a=%FF&".repeat(8000))).await.is(400);
    post(format!("{name}&%FF=a")).await.is(400);
}

#[tokio::test]
async fn a_request_that_cannot_be_read_does_nothing() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = json!({ "quiz": { "title": "Leaves" } });
    let quiz = teacher.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    let groups = course.path(&format!("/quizzes/{quiz}/groups"));
    let group = teacher.post(&groups).json(json!({ "quiz_groups": [{}] })).await.is(201);
    let group = format!("{groups}/{}", group["quiz_groups"][0]["id"]);
    for query in [String::new(), format!("as_user_id={}", student.id)] {
        let delete = |more: &str| school.admin.delete(&format!("{group}?{query}{more}"));
        delete("").body("text/plain", "x").await.is(415);
        delete("").body("application/json", "{").await.is(400);
        delete("&x=%FF").await.is(400);
        teacher.get(&group).await.is(200);
    }
    school.admin.delete(&format!("{group}?as_user_id={}", student.id)).await.is_forbidden();
}

#[tokio::test]
async fn a_token_in_the_query_is_good_when_the_body_is_not() {
    let school = School::start().await;
    let token = school.admin.token.clone().unwrap();
    let path = format!("/api/v1/accounts/self/courses?access_token={token}");
    let post = || school.admin.without_token().post(&path);
    post().body("application/json", "{").await.is(400);
    post().body("text/plain", "x").await.is(415);
    post().json(json!({ "course": { "name": "Botany" } })).await.is(200);
}

#[tokio::test]
async fn a_header_that_is_no_text_is_an_invalid_token() {
    let school = School::start().await;
    let token = school.admin.token.clone().unwrap();
    let nobody = school.admin.without_token();
    for header in [b"\xff\xff".to_vec(), [b"Bearer \xff", token.as_bytes()].concat()] {
        let call = nobody.get(&format!("/api/v1/users/self?access_token={token}")).header("authorization", header);
        call.await.is_unauthenticated("Invalid access token.");
    }
}

#[tokio::test]
async fn a_path_of_the_lms_may_have_its_format_behind_it() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let id = course.id;
    for path in [
        "accounts/self/courses".to_owned(),
        format!("courses/{id}"),
        format!("courses/{id}/assignments"),
        format!("courses/{id}/pages"),
        "accounts/self/sis_imports".to_owned(),
        "polls".to_owned(),
        "users/self/communication_channels".to_owned(),
    ] {
        let plain = school.admin.get(&format!("/api/v1/{path}")).await.is(200);
        let named = school.admin.get(&format!("/api/v1/{path}.json")).await.is(200);
        assert_eq!(named.json, plain.json, "{path}");
    }
    school.admin.get(&format!("/api/v1/courses/{id}.json.json")).await.is_not_found();
}

#[tokio::test]
async fn in_a_query_one_value_is_a_list_of_one() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let path = format!("/api/v1/courses/{}/assignments", course.id);
    let made = school.admin.post(&path).json(json!({ "assignment": { "name": "Leaves" } })).await.is(201).id();
    let other = school.admin.post(&path).json(json!({ "assignment": { "name": "Seeds" } })).await.is(201).id();
    let ids = async |query: &str| school.admin.get(&format!("{path}?{query}")).await.is(200).ids();
    assert_eq!(ids(&format!("assignment_ids={made}")).await, [made]);
    assert_eq!(ids(&format!("assignment_ids[]={other}&include=submission")).await, [other]);
    assert_eq!(ids("include=").await, [made, other]);
    school.admin.get(&format!("{path}?assignment_ids[a]=1")).await.is_refused(400, "must be a list");
}

#[tokio::test]
async fn a_list_of_bookmarks_tells_its_last_page_where_it_ends() {
    let school = School::start().await;
    for name in ["Botany", "Zoology"] {
        school.course(name).await;
    }
    let path = "/api/v1/accounts/self/courses";
    let first = school.admin.get(&format!("{path}?page=first&per_page=1")).await.is(200);
    assert_eq!(first.link("last"), None);
    let second = school.admin.get(&first.link("next").unwrap()).await.is(200);
    assert!(second.link("last").is_some() && second.link("last") == second.link("current"));
    let whole = school.admin.get(&format!("{path}?page=")).await.is(200);
    assert_eq!((whole.ids().len(), whole.link("last")), (2, whole.link("current")));
}

#[tokio::test]
async fn the_scheme_of_a_token_is_written_in_any_case() {
    let school = School::start().await;
    let token = school.admin.token.clone().unwrap();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let call = school.admin.without_token().get("/api/v1/users/self");
        call.header("authorization", format!("{scheme} {token}")).await.is(200);
    }
}

#[tokio::test]
async fn answers_tell_who_called() {
    const GLOBAL: i64 = 10_000_000_000_000;
    let school = School::start().await;
    let student = school.person("student").await;
    let is_of = |answer: &Response, user: Option<i64>, real: Option<i64>| {
        let header = |name: &str| answer.header(name).map(str::to_owned);
        let global = |id: Option<i64>| id.map(|id| (GLOBAL + id).to_string());
        let told = (header("x-canvas-user-id"), header("x-canvas-real-user-id"));
        assert_eq!(told, (global(user), global(real)), "{answer}");
    };
    let (admin, path) = (&school.admin, "/api/v1/users/self");
    is_of(&admin.get(path).await.is(200), Some(admin.id), None);
    is_of(&admin.get("/api/v1/courses/9999999").await.is(404), Some(admin.id), None);
    is_of(
        &admin.post("/api/v1/accounts/self/courses").body("application/json", "{").await.is(400),
        Some(admin.id),
        None,
    );
    is_of(&student.get("/api/v1/accounts/self").await.is(403), Some(student.id), None);
    let masked = admin.get(&format!("{path}?as_user_id={}", student.id)).await.is(200);
    is_of(&masked, Some(student.id), Some(admin.id));
    let refused = admin.get(&format!("/api/v1/accounts/self?as_user_id={}", student.id)).await.is(403);
    is_of(&refused, Some(student.id), Some(admin.id));
    is_of(&admin.without_token().get(path).await.is(401), None, None);
    is_of(&admin.with_token("nonsense").get(path).await.is(401), None, None);
}

#[tokio::test]
async fn an_id_is_digits_alone() {
    let school = School::start().await;
    let course = school.course("Botany").await.id;
    for id in [course.to_string(), format!("1~{course}")] {
        assert_eq!(school.admin.get(&format!("/api/v1/courses/{id}")).await.is(200).id(), course, "{id}");
    }
    for id in [format!("+{course}"), format!("%2B{course}"), format!("%20{course}"), format!("2~{course}")] {
        school.admin.get(&format!("/api/v1/courses/{id}")).await.is_not_found();
    }
}

#[tokio::test]
async fn the_length_of_a_page_is_the_number_it_begins_with() {
    let school = School::start().await;
    for name in ["ada", "eve"] {
        school.person(name).await;
    }
    let list = |length: &str| school.admin.get(&format!("/api/v1/accounts/self/users?per_page={length}"));
    assert_eq!(list("2.5").await.is(200).ids().len(), 2);
    let longest = list("99999999999999999999").await.is(200);
    assert_eq!(longest.ids().len(), 3);
    assert!(longest.link("first").unwrap().ends_with("per_page=100"), "{:?}", longest.headers);
}

#[tokio::test]
async fn a_bookmark_is_good_in_its_list_and_as_it_was_given() {
    let school = School::start().await;
    school.person("ada").await;
    let first = school.admin.get("/api/v1/accounts/self/users?per_page=1").await.is(200);
    let next = first.link("next").unwrap();
    assert_eq!(school.admin.get(&next).await.is(200).ids().len(), 1);
    let given = next.split("bookmark:").nth(1).unwrap().split('&').next().unwrap();
    let seal = decoded(given)[0].clone();

    let refused = [
        ("courses", given.to_owned()),
        ("users", encoded(&json!([null]))),
        ("users", encoded(&json!(["x"]))),
        ("users", encoded(&json!([seal, null]))),
        ("users", encoded(&json!([seal, []]))),
        ("users", encoded(&json!([seal, [0]]))),
        ("users", encoded(&json!([seal, [1, 2]]))),
        ("users", encoded(&json!([seal, [null]]))),
        ("users", encoded(&json!([seal, ["x"]]))),
    ];
    let message = "Invalid page; please restart iteration and follow `next` links";
    for (list, bookmark) in refused {
        let answer = school.admin.get(&format!("/api/v1/accounts/self/{list}?page=bookmark:{bookmark}")).await;
        assert_eq!(answer.status, 400, "{} {answer}", decoded(&bookmark));
        assert_eq!(answer.json, json!({ "status": "bad_request", "errors": [{ "page": message }] }));
    }
}

fn encoded(bookmark: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bookmark.to_string())
}

fn decoded(bookmark: &str) -> Value {
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(bookmark).unwrap()).unwrap()
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
async fn a_host_that_is_none_is_no_part_of_a_link() {
    let school = School::start().await;
    for host in ["me@elsewhere.example", "elsewhere.example/x", "elsewhere.example,lms.test"] {
        // Some hosts refuse it themselves, without the headers that the service's own answers have.
        let url = format!("{}/api/v1/courses", school.admin.base_url());
        let request = reqwest::Client::new().get(url).bearer_auth(school.admin.token.as_deref().unwrap());
        let answer = request.header("host", host).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{host}");
        assert!(!answer.text().await.unwrap().contains("elsewhere.example"), "{host}");
    }
    let page = school.admin.get("/api/v1/courses").header("host", "lms.test:8080").await.is(200);
    assert!(page.link("first").unwrap().starts_with("http://lms.test:8080/"), "{:?}", page.headers);
}

#[tokio::test]
async fn links_that_last_are_made_from_the_variable_and_never_from_what_a_client_writes() {
    let site = Running::own("public-address", &[("development", "false"), ("public_base_url", "https://lms.test/")]);
    let school = School::start_in(&site).await;
    let channel = json!({ "communication_channel": { "type": "email", "address": "victim@school.test" } });
    let own = "/api/v1/users/self/communication_channels";
    school.admin.post(own).header("host", "evil.example").json(channel).await.is(200);
    let outbox = school.admin.get("/api/v1/outbox").await.is(200);
    let body = outbox.json[0]["body"].as_str().unwrap();
    assert!(body.contains("https://lms.test/register/") && !body.contains("evil.example"), "{body}");
}

#[tokio::test]
async fn without_an_address_of_its_own_a_production_service_makes_no_links_that_last() {
    let site = Running::own("no-address", &[("development", "false")]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let words = "has not been told its public address";
    let channel = json!({ "type": "email", "address": "victim@school.test" });
    let own = "/api/v1/users/self/communication_channels";
    let body = json!({ "communication_channel": channel });
    school.admin.post(own).json(&body).await.is_refused(503, words);
    assert!(school.admin.get(own).await.is(200).ids().is_empty(), "nothing is written");
    let user = json!({ "pseudonym": { "unique_id": "grace" }, "communication_channel": channel });
    school.admin.post("/api/v1/accounts/self/users").json(user).await.is_refused(503, words);
    let users = school.admin.get("/api/v1/accounts/self/users?search_term=grace").await.is(200);
    assert!(users.ids().is_empty(), "nothing is written");
    school.admin.post("/api/v1/error_reports/live_link").await.is_refused(503, words);
    // An address without a confirmation needs no link, and links that are for the caller alone are made as ever.
    let vouched = json!({ "communication_channel": channel, "skip_confirmation": true });
    school.admin.post(own).json(vouched).await.is(200);
    assert!(teacher.get(&course.path("/enrollments")).await.is(200).link("first").is_some());
}
