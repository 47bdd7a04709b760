//! Error reports: anybody files one, nothing secret is kept, and administrators work through those of their tenant.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use shared::Timestamp;
use shared::config::Secret;
use shared::standard_webhooks::signatures;
use support::{Answer, Client, Given, Receiver, Running, School, enroll, running, unique};
use tokio::sync::{Mutex, MutexGuard};

const REPORTS: &str = "/api/v1/error_reports";

/// Files a report from an address that nobody else has, so that the tests do not use up each other's turns.
async fn file(client: &Client, error: Value) -> Answer {
    file_from(client, &unique("address"), error).await
}

async fn file_from(client: &Client, address: &str, error: Value) -> Answer {
    client.post(REPORTS).header("x-forwarded-for", address).json(json!({ "error": error })).await
}

/// Files a report, and answers its id.
async fn filed(client: &Client, error: Value) -> i64 {
    file(client, error).await.is(200).id()
}

async fn read(admin: &Client, id: i64) -> Answer {
    admin.get(&format!("{REPORTS}/{id}")).await.is(200)
}

#[tokio::test]
async fn anybody_files_a_report_with_a_form_or_with_json() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let nobody = student.without_token();
    let address = unique("address");
    let call = |client: &Client| client.post(REPORTS).header("x-forwarded-for", &address);
    for client in [&nobody, &student] {
        let answers = [
            call(client).json(json!({ "error": { "subject": "It broke" } })).await,
            call(client).form(&[("error[subject]", "It broke"), ("error[http_env][a][b]", "1")]).await,
            call(client).multipart(&[("error[subject]", "It broke")]).await,
        ];
        for answer in answers {
            let answer = answer.is(200);
            assert_eq!(answer.json, json!({ "logged": true, "id": answer.id() }));
        }
    }
    let text =
        call(&nobody).header("accept", "application/json+canvas-string-ids").form(&[("error[subject]", "It broke")]);
    assert!(text.await.is(200)["id"].is_string());
    let by_query = student.post(&format!("{REPORTS}?error[subject]=It%20broke")).header("x-forwarded-for", &address);
    by_query.await.is(200);
}

#[tokio::test]
async fn what_a_report_says_is_kept_and_the_rest_is_dropped() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let said = json!({
        "subject": "It broke",
        "message": "undefined is not a function",
        "comments": "When I click on “Submit”,\nnothing happens.",
        "backtrace": "at app.js:12\nat app.js:7",
        "category": "quizzes",
        "url": "https://lms.test/courses/7/quizzes?page=2",
        "email": " ada@school.test ",
        "user_perceived_severity": "blocks_what_i_need_to_do",
        "context_asset_string": "course_7",
        "user_roles": ["user", "student", "user"],
        "http_env": { "HTTP_USER_AGENT": "Firefox", "nested": { "list": [1, true, null] } },
    });
    let mut sent = said.clone();
    for (name, value) in [
        ("description", json!("dropped")),
        ("id", json!(1)),
        ("user_id", json!(1)),
        ("workflow_state", json!("closed")),
    ] {
        sent[name] = value;
    }
    let report = read(&school.admin, filed(&student, sent).await).await;
    for (name, value) in said.as_object().unwrap() {
        let kept = match name.as_str() {
            "email" => json!("ada@school.test"),
            "user_roles" => json!("user,student"),
            _ => value.clone(),
        };
        assert_eq!(report[name], kept, "{name}");
    }
    assert_eq!((&report["user_id"], &report["account_id"]), (&json!(student.id), &json!(school.account)));
    assert_eq!(
        (&report["workflow_state"], &report["closed_at"], &report["note"]),
        (&json!("open"), &Value::Null, &Value::Null)
    );
    assert_eq!((&report["forwarding"], &report["forwarding_error"]), (&Value::Null, &Value::Null));
    assert!(Timestamp::parse(report["created_at"].as_str().unwrap()).is_some());
    assert_eq!(report.json.get("description"), None);
}

#[tokio::test]
async fn what_a_report_does_not_say_is_taken_from_the_directory_and_the_request() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    enroll(&school.admin, course.id, student.id, "ObserverEnrollment").await;
    let email = json!({ "user": { "email": "ada@school.test" } });
    school.admin.put(&format!("/api/v1/users/{}", student.id)).json(email).await.is(200);
    let call = student.post(&format!("{REPORTS}?access_token=ignored&tab=2")).header("x-forwarded-for", unique("a"));
    let call = call
        .header("user-agent", "Firefox")
        .header("referer", "https://ada:secret@lms.test/login?code=secret")
        .header("cookie", "session=secret")
        .header("x-api-key", "secret");
    let answer = call.json(json!({ "error": { "subject": "It broke", "email": "", "http_env": null } })).await.is(200);
    let report = read(&school.admin, answer.id()).await;
    assert_eq!((&report["email"], &report["user_roles"]), (&json!("ada@school.test"), &json!("user,student,observer")));
    let environment = report["http_env"].as_object().unwrap();
    assert_eq!(environment["HTTP_USER_AGENT"], "Firefox");
    assert_eq!(environment["HTTP_HOST"], student.base_url().split_once("://").unwrap().1);
    assert_eq!(environment["HTTP_REFERER"], "https://[FILTERED]@lms.test/login?code=[FILTERED]");
    assert_eq!(environment["QUERY_STRING"], "access_token=[FILTERED]&tab=2");
    assert_eq!((&environment["REQUEST_METHOD"], &environment["PATH_INFO"]), (&json!("POST"), &json!(REPORTS)));
    assert_eq!(environment["request_context_id"], answer.header("x-request-context-id").unwrap());
    let stored = report.body.clone();
    assert!(!stored.contains("secret") && !stored.contains(student.token.as_deref().unwrap()), "{stored}");

    for (client, roles) in [(&teacher, "user,teacher"), (&school.admin, "user,admin,root_admin")] {
        let report = read(&school.admin, filed(client, json!({ "subject": "It broke" })).await).await;
        assert_eq!(report["user_roles"], roles);
    }
    let nobody = filed(&student.without_token(), json!({ "subject": "It broke" })).await;
    let report = read(&running().site_admin().await, nobody).await;
    assert_eq!(
        (&report["user_id"], &report["email"], &report["user_roles"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn secrets_are_taken_out_before_anything_is_stored() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let token = student.token.clone().unwrap();
    let id = filed(
        &student,
        json!({
            "subject": format!("My token {token} does not work"),
            "message": "Authorization: Bearer S3CRET-S3CRET-S3CRET",
            "comments": "I opened https://ada:S3CRET@lms.test/?access_token=S3CRET&page=2",
            "backtrace": "at app.js:12\nCookie: session=S3CRET\nat app.js:7",
            "url": "https://lms.test/?back=https%3A%2F%2Flms.test%2F%3Fapi_key%3DS3CRET",
            "http_env": { "HTTP_COOKIE": "a=S3CRET", "deep": [{ "password": "S3CRET", "HTTP_HOST": "lms.test" }] },
        }),
    )
    .await;
    let report = read(&school.admin, id).await;
    assert!(!report.body.contains("S3CRET") && !report.body.contains(&token), "{report}");
    assert_eq!(report["subject"], "My token [FILTERED] does not work");
    assert_eq!(report["comments"], "I opened https://[FILTERED]@lms.test/?access_token=[FILTERED]&page=2");
    assert_eq!(report["backtrace"], "at app.js:12\nCookie:[FILTERED]\nat app.js:7");
    assert_eq!(
        report["http_env"],
        json!({ "HTTP_COOKIE": "[FILTERED]", "deep": [{ "password": "[FILTERED]", "HTTP_HOST": "lms.test" }] })
    );
    let listed = school.admin.get(REPORTS).await.is(200);
    assert!(!listed.body.contains("S3CRET") && !listed.body.contains(&token));
    if let Some(rows) = running().read_database(&format!("SELECT * FROM error_reports WHERE id = {id}")) {
        assert!(!json!(rows).to_string().contains("S3CRET"));
    }
}

#[tokio::test]
async fn roles_come_as_text_a_list_or_a_hash() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    for roles in
        [json!("user, student,user"), json!(["user", "student", "user"]), json!({ "0": "user", "1": "student" })]
    {
        let id = filed(&student, json!({ "subject": "It broke", "user_roles": roles })).await;
        assert_eq!(read(&school.admin, id).await["user_roles"], "user,student", "{roles}");
    }
    for roles in [json!(1), json!([["user"]]), json!([1])] {
        let error = json!({ "subject": "It broke", "user_roles": roles });
        file(&student, error).await.is_refused(400, "must be text, or a list or hash of texts");
    }
    let env = json!({ "subject": "It broke", "http_env": r#"{"a": "b"}"# });
    assert_eq!(read(&school.admin, filed(&student, env).await).await["http_env"], json!({ "a": "b" }));
}

#[tokio::test]
async fn what_is_no_report_is_refused() {
    let nobody = running().nobody();
    let missing = r#"{"errors":[{"message":"error[subject] is missing"}]}"#;
    for answer in [
        nobody.post(REPORTS).await,
        nobody.post(REPORTS).json(json!({})).await,
        nobody.post(REPORTS).json(json!({ "error": null })).await,
        file(&nobody, json!({})).await,
        file(&nobody, json!({ "subject": null, "comments": "x" })).await,
    ] {
        assert_eq!((answer.status, answer.body.as_str()), (400, missing), "{answer}");
    }
    // As programs know it: without a body.
    for error in [json!("text"), json!(["x"]), json!(1), json!({ "subject": "It broke", "username": "robot" })] {
        let answer = file(&nobody, error).await.is(400);
        assert_eq!(answer.body, "");
    }
    nobody.post(REPORTS).form(&[("error", "text")]).await.is_refused(400, "");
    let long = "x".repeat(256);
    let environment = json!({ "a": "x".repeat(65_536) });
    for (field, value, attribute, code) in [
        ("subject", json!(" \n"), "subject", "blank"),
        ("category", json!(long), "category", "too_long"),
        ("email", json!(long), "email", "too_long"),
        ("user_roles", json!(long), "user_roles", "too_long"),
        ("context_asset_string", json!(long), "context_asset_string", "too_long"),
        ("context_asset_string", json!("course"), "context_asset_string", "invalid"),
        ("context_asset_string", json!("course_x"), "context_asset_string", "invalid"),
        ("context_asset_string", json!("_7"), "context_asset_string", "invalid"),
        ("user_perceived_severity", json!("terrible"), "user_perceived_severity", "inclusion"),
        ("http_env", json!("text"), "http_env", "invalid"),
        ("http_env", json!([1]), "http_env", "invalid"),
        ("http_env", json!(1), "http_env", "invalid"),
        ("http_env", environment, "http_env", "too_long"),
    ] {
        let mut error = json!({ "subject": "It broke" });
        error[field] = value;
        let answer = file(&nobody, error).await.is(400);
        let first = &answer["errors"][attribute][0];
        assert_eq!((&first["attribute"], &first["type"]), (&json!(attribute), &json!(code)), "{answer}");
    }
    for (error, words) in [
        (json!({ "subject": { "a": "b" } }), "error[subject] must be text"),
        (json!({ "subject": "a\u{0}b" }), "error[subject] must not contain a NUL character"),
        (json!({ "subject": "It broke", "http_env": { "a": "a\u{0}b" } }), "must not contain a NUL character"),
        (json!({ "subject": "It broke", "url": ["x"] }), "error[url] must be text"),
    ] {
        file(&nobody, error).await.is_refused(400, words);
    }
    nobody.post(REPORTS).body("text/csv", "a,b").await.is(415);
    nobody.post(REPORTS).body("application/json", "{").await.is(400);
    let large = json!({ "error": { "subject": "x".repeat(1024 * 1024) } });
    nobody.post(REPORTS).json(large).await.is(413);
    let error = json!({ "subject": "It broke" });
    file(&nobody.with_token("none of ours"), error.clone()).await.is_unauthenticated("Invalid access token.");
    nobody.delete(REPORTS).await.is(405);
}

#[tokio::test]
async fn a_token_without_the_scope_files_nothing() {
    let school = School::start().await;
    let limited =
        school.admin.token_for(school.admin.id, json!({ "purpose": "x", "scopes": ["url:GET|/api/v1/courses"] }));
    let limited = school.admin.with_token(limited.await.is(200)["visible_token"].as_str().unwrap());
    file(&limited, json!({ "subject": "It broke" })).await.is_refused(401, "Insufficient scopes on access token.");
}

#[tokio::test]
async fn long_texts_are_cut_to_what_is_kept() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let long = "ä".repeat(70_000);
    let url = format!("https://lms.test/?token={}&x={}", "s".repeat(3000), "y".repeat(3000));
    let error = json!({ "subject": long, "message": long, "comments": long, "backtrace": long, "url": url });
    let report = read(&school.admin, filed(&student, error).await).await;
    let length = |name: &str| report[name].as_str().unwrap().chars().count();
    assert_eq!(
        ["subject", "message", "comments", "backtrace", "url"].map(length),
        [65_535, 1024, 65_535, 65_535, 2048]
    );
    assert!(report["url"].as_str().unwrap().starts_with("https://lms.test/?token=[FILTERED]&x=yyy"));
}

#[tokio::test]
async fn administrators_see_the_reports_of_their_tenant_and_nobody_else_does() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let id = filed(&student, json!({ "subject": "It broke" })).await;
    let of_nobody = filed(&student.without_token(), json!({ "subject": unique("It broke for somebody") })).await;
    let path = format!("{REPORTS}/{id}");
    let close = || json!({ "workflow_state": "closed" });

    assert_eq!(school.admin.get(REPORTS).await.is(200).ids(), [id]);
    assert!(other.admin.get(REPORTS).await.is(200).ids().is_empty());
    other.admin.get(&path).await.is_not_found();
    other.admin.put(&path).json(close()).await.is_not_found();
    school.admin.get(&format!("{REPORTS}/{of_nobody}")).await.is_not_found();
    school.admin.get(&format!("{REPORTS}/none")).await.is_not_found();

    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("Dean").await;
    school.admin.post(&format!("/api/v1/accounts/{faculty}/admins")).json(json!({ "user_id": dean.id })).await.is(200);
    for client in [&student, &dean] {
        client.get(REPORTS).await.is_forbidden();
        client.get(&path).await.is_forbidden();
        client.put(&path).json(close()).await.is_forbidden();
        client.post(&format!("{REPORTS}/live_link")).await.is_forbidden();
        client.get(&format!("{REPORTS}/999999999")).await.is_not_found();
    }
    let nobody = student.without_token();
    for call in
        [nobody.get(REPORTS), nobody.get(&path), nobody.put(&path), nobody.post(&format!("{REPORTS}/live_link"))]
    {
        call.await.is_unauthenticated("user authorization required");
    }
    let site_admin = running().site_admin().await;
    for id in [id, of_nobody] {
        assert_eq!(read(&site_admin, id).await.id(), id);
    }
    assert_eq!(read(&site_admin, of_nobody).await["account_id"], 1);
    site_admin.put(&format!("{REPORTS}/{of_nobody}")).json(close()).await.is(200);
    school.admin.delete(&path).await.is(405);
}

#[tokio::test]
async fn what_nobody_in_particular_has_filed_is_for_the_sites_administrators_alone() {
    let site_admin = running().site_admin().await;
    // They administer the account to which such reports belong, and not the site.
    let user = json!({ "user": { "name": "Deputy" }, "pseudonym": { "unique_id": unique("deputy") } });
    let user = site_admin.post("/api/v1/accounts/1/users").json(user).await.is(200).id();
    site_admin.post("/api/v1/accounts/1/admins").json(json!({ "user_id": user })).await.is(200);
    let token = site_admin.token_for(user, json!({ "purpose": "test" })).await.is(200);
    let deputy = site_admin.with_token(token["visible_token"].as_str().unwrap());
    let subject = unique("It broke for somebody");
    let of_nobody = filed(&deputy.without_token(), json!({ "subject": subject })).await;
    let own = filed(&deputy, json!({ "subject": subject })).await;

    let listed = format!("{REPORTS}?search_term={subject}");
    assert_eq!(site_admin.get(&listed).await.is(200).ids(), [own, of_nobody]);
    assert_eq!(deputy.get(&listed).await.is(200).ids(), [own]);
    assert_eq!(deputy.get(&format!("{listed}&workflow_state=open")).await.is(200).ids(), [own]);
    let close = || json!({ "workflow_state": "closed" });
    deputy.get(&format!("{REPORTS}/{own}")).await.is(200);
    deputy.get(&format!("{REPORTS}/{of_nobody}")).await.is_not_found();
    deputy.put(&format!("{REPORTS}/{of_nobody}")).json(close()).await.is_not_found();
    let link = link(&deputy).await;
    let page = deputy.without_token().get(&format!("{link}&search_term={subject}")).await.is(200).body;
    assert_eq!(page.matches(&format!("<td>{subject}</td>")).count(), 1, "{page}");
    let path = format!("/error_reports/{of_nobody}");
    let nobody = deputy.without_token();
    nobody.get(&format!("{path}?ticket={}", ticket_of(&link))).await.is_page(404, "There is nothing here");
    let form = [("ticket", ticket_of(&link)), ("workflow_state", "closed")];
    nobody.post(&path).form(&form).await.is_page(404, "There is nothing here");
    assert_eq!(read(&site_admin, of_nobody).await["workflow_state"], "open");
}

#[tokio::test]
async fn a_hostile_report_takes_no_longer_than_others_of_its_length() {
    let nobody = running().nobody();
    // Each sign of these could be a reason to look through the rest again.
    let lines = format!("{}{}", ":".repeat(250_000), " ".repeat(250_000));
    let began = std::time::Instant::now();
    let nested = json!({ "a": [{ "b": format!("{}{}", "=".repeat(30_000), " ".repeat(30_000)) }] });
    filed(&nobody, json!({ "subject": "It broke", "message": lines })).await;
    filed(&nobody, json!({ "subject": "It broke", "backtrace": lines })).await;
    filed(&nobody, json!({ "subject": "It broke", "http_env": nested })).await;
    let roles: Vec<_> = (0..40_000).map(|number| format!("{number:06}")).collect();
    for roles in [json!(roles.join(",")), json!(roles)] {
        let error = json!({ "subject": "It broke", "user_roles": roles });
        file(&nobody, error).await.is_refused(400, "is too long (maximum is 255 characters)");
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn what_one_user_files_in_a_day_takes_no_more_room_than_that() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let now = shared::clock::now();
    let filled = |hours: i64| {
        let at = now.plus_seconds(-hours * 3600);
        running().change_database(&format!(
            "INSERT INTO error_reports (root_account_id, user_id, subject, http_env, bytes, created_at, updated_at)
             VALUES ({}, {}, 'It broke', '{{}}', 8000000, '{at}', '{at}');",
            school.account, ada.id
        ))
    };
    if !filled(25) {
        return;
    }
    let large = || json!({ "subject": "It broke", "comments": "ä".repeat(65_535), "backtrace": "ö".repeat(65_535), "http_env": {"a": "x".repeat(65_000)} });
    filed(&ada, large()).await;
    filled(20);
    filed(&ada, json!({ "subject": "It broke" })).await;
    let refused = file(&ada, large()).await.is_refused(429, "Rate Limit Exceeded");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=4 * 3600 + 1).contains(&wait), "{wait}");
    filed(&alan, large()).await;
}

#[tokio::test]
async fn whoever_acts_as_a_user_files_that_users_reports() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let path = format!("{REPORTS}?as_user_id={}", student.id);
    let error = json!({ "error": { "subject": "It broke" } });
    let id = school.admin.post(&path).header("x-forwarded-for", unique("a")).json(error).await.is(200).id();
    let report = read(&school.admin, id).await;
    assert_eq!((&report["user_id"], &report["user_roles"]), (&json!(student.id), &json!("user")));
}

#[tokio::test]
async fn lists_are_filtered() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let severe = json!({ "subject": "100% broken_", "user_perceived_severity": "extreme_critical_emergency" });
    let (first, second) = (filed(&ada, severe).await, filed(&ada, json!({ "subject": "A question" })).await);
    let third = filed(&alan, json!({ "subject": "Another QUESTION" })).await;
    school.admin.put(&format!("{REPORTS}/{second}")).json(json!({ "workflow_state": "closed" })).await.is(200);
    let of_ada = format!("user_id={}", ada.id);
    for (query, expected) in [
        ("", vec![third, second, first]),
        ("workflow_state=open", vec![third, first]),
        ("workflow_state=closed", vec![second]),
        ("user_perceived_severity=extreme_critical_emergency", vec![first]),
        ("user_perceived_severity=none_of_these", vec![]),
        (&of_ada, vec![second, first]),
        (&format!("{of_ada}&workflow_state=open"), vec![first]),
        ("search_term=question", vec![third, second]),
        ("search_term=100%25", vec![first]),
        ("search_term=n_", vec![first]),
        ("search_term=%25A", vec![]),
        ("since=2000-01-01", vec![third, second, first]),
        ("since=2100-01-01", vec![]),
        ("until=2100-01-01T00:00:00Z", vec![third, second, first]),
        ("until=2000-01-01", vec![]),
    ] {
        assert_eq!(school.admin.get(&format!("{REPORTS}?{query}")).await.is(200).ids(), expected, "{query}");
    }
    for (query, words) in [
        ("workflow_state=gone", "workflow_state must be one of open, closed"),
        ("user_id=x", "user_id is not an id"),
        ("since=soon", "since is not an ISO 8601 date and time"),
    ] {
        school.admin.get(&format!("{REPORTS}?{query}")).await.is_refused(400, words);
    }
    let long = format!("search_term={}", "x".repeat(256));
    school.admin.get(&format!("{REPORTS}?{long}")).await.is_refused(400, "too_long");
    school
        .admin
        .without_token()
        .get(&format!("{}&{long}", link(&school.admin).await))
        .await
        .is_page(400, "is too long");
    let subject = "ä".repeat(2000);
    let id = filed(&alan, json!({ "subject": subject })).await;
    let listed = school.admin.get(&format!("{REPORTS}?search_term={}", "%C3%A4".repeat(100))).await.is(200);
    assert_eq!((listed.ids(), listed.json[0]["subject"].as_str()), (vec![id], Some("ä".repeat(1024).as_str())));
    assert_eq!(read(&school.admin, id).await["subject"], subject);
    let listed = school.admin.get(&format!("{REPORTS}?per_page=1")).await.is(200);
    assert!(listed.json[0].get("http_env").is_none(), "lists leave out what is long");
}

#[tokio::test]
async fn lists_are_paged_to_the_end() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.insert(0, filed(&student, json!({ "subject": "It broke" })).await);
    }
    let (mut seen, mut next) = (Vec::new(), Some(format!("{REPORTS}?per_page=2&workflow_state=open")));
    while let Some(path) = next {
        let page = school.admin.get(&path).await.is(200);
        assert!(page.ids().len() <= 2);
        seen.extend(page.ids());
        next = page.link("next");
    }
    assert_eq!(seen, ids);
    school.admin.get(&format!("{REPORTS}?page=bookmark:none")).await.is_refused(400, "Invalid page");
}

#[tokio::test]
async fn a_report_is_closed_noted_and_opened_again() {
    let school = School::start().await;
    let id = filed(&school.person("Ada").await, json!({ "subject": "It broke" })).await;
    let path = format!("{REPORTS}/{id}");
    let put = async |body: Value| school.admin.put(&path).json(body).await.is(200);
    let closed = put(json!({ "workflow_state": "closed", "note": "Works again" })).await;
    assert_eq!((&closed["workflow_state"], &closed["note"]), (&json!("closed"), &json!("Works again")));
    assert_eq!(closed["updated_by_id"], school.admin.id);
    let closed_at = closed["closed_at"].clone();
    assert!(closed_at.is_string());
    // Nothing is lost by what is left out, or said again.
    assert_eq!(put(json!({ "note": null })).await["note"], Value::Null);
    let again = put(json!({ "workflow_state": "closed" })).await;
    assert_eq!((&again["workflow_state"], &again["closed_at"]), (&json!("closed"), &closed_at));
    let opened = put(json!({ "workflow_state": "open" })).await;
    assert_eq!((&opened["workflow_state"], &opened["closed_at"]), (&json!("open"), &Value::Null));
    assert_eq!(read(&school.admin, id).await.json, opened.json);
    let form = school.admin.put(&path).form(&[("workflow_state", "closed")]).await.is(200);
    assert_eq!(form["workflow_state"], "closed");

    let refused = async |body: Value| school.admin.put(&path).json(body).await;
    refused(json!({ "workflow_state": "gone" })).await.is_refused(400, "must be one of open, closed");
    refused(json!({ "note": "x".repeat(65_536) })).await.is_refused(400, "too_long");
    refused(json!({ "note": {} })).await.is_refused(400, "note must be text");
}

#[tokio::test]
async fn one_address_files_thirty_reports_in_ten_minutes_however_many_connections_it_has() {
    let nobody = running().nobody();
    let address = unique("address");
    let file_some = |from: usize| {
        let (nobody, address) = (nobody.clone(), address.clone());
        async move {
            let mut answers = Vec::new();
            for place in 0..4 {
                // What stands before the last address, anybody can write.
                let forwarded = format!("198.51.100.{from}, 198.51.100.{place}, {address}");
                answers.push(file_from(&nobody, &forwarded, json!({ "subject": "It broke" })).await);
            }
            answers
        }
    };
    let answers: Vec<_> = join_all((0..16).map(file_some)).await.into_iter().flatten().collect();
    let (taken, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((taken.len(), refused.len()), (30, 34));
    for answer in refused {
        let answer = answer.is_refused(429, "Rate Limit Exceeded");
        let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
        // A second more where the turns were taken by requests that came a moment later.
        assert!((1..=601).contains(&wait), "{wait}");
    }
    // Another address has its own turns, and what is no report takes none.
    let other = unique("address");
    for _ in 0..31 {
        file_from(&nobody, &other, json!({})).await.is(400);
    }
    file_from(&nobody, &other, json!({ "subject": "It broke" })).await.is(200);
}

#[tokio::test]
async fn one_user_files_ten_reports_in_ten_minutes_from_wherever() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let answers = join_all((0..16).map(|_| file(&ada, json!({ "subject": "It broke" })))).await;
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    let refused =
        answers.iter().filter(|answer| answer.status == 429 && answer.header("retry-after").is_some()).count();
    assert_eq!((taken, refused), (10, 6));
    // Her refusals use up nobody's address.
    let address = unique("address");
    for _ in 0..31 {
        file_from(&ada, &address, json!({ "subject": "It broke" })).await.is(429);
    }
    file_from(&alan, &address, json!({ "subject": "It broke" })).await.is(200);
}

/// The link to the page, without the host.
async fn link(admin: &Client) -> String {
    admin.post(&format!("{REPORTS}/live_link")).await.is(200)["url"].as_str().unwrap().to_owned()
}

fn ticket_of(link: &str) -> &str {
    link.split_once("?ticket=").unwrap().1
}

#[tokio::test]
async fn the_page_lists_filters_and_shows_reports() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let report = json!({
        "subject": "<script>alert(1)</script>", "comments": "It & that", "url": "javascript:alert(1)", "email": "ada@school.test",
        "user_perceived_severity": "not_urgent", "http_env": { "<b>": "<i>", "deep": { "a": 1 } },
    });
    let first = filed(&student, report).await;
    let second = filed(&student, json!({ "subject": "A question" })).await;
    let foreign = filed(&other.person("Eve").await, json!({ "subject": "Foreign" })).await;
    let (nobody, link) = (student.without_token(), link(&school.admin).await);
    let page = nobody.get(&link).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("form-action 'self'"));
    assert!(page.body.contains("&lt;script&gt;alert(1)") && !page.body.contains("<script>"));
    assert!(page.body.contains("A question") && !page.body.contains("Foreign"));
    let filtered =
        nobody.get(&format!("{link}&user_perceived_severity=not_urgent&user_id=&since=&search_term=")).await.is(200);
    assert!(filtered.body.contains("alert(1)") && !filtered.body.contains("A question"));
    let none = nobody.get(&format!("{link}&since=2100-01-01")).await.is(200);
    assert!(none.body.contains("There are none.") && none.body.contains("value=\"2100-01-01\""));
    for (query, words) in [
        ("workflow_state=gone", "must be one of open, closed"),
        ("since=junk", "since is not an ISO 8601 date and time"),
        ("user_id=x", "user_id is not an id"),
        ("before=99999999999999999999", "before is not an id"),
        ("search_term[a]=b", "search_term must be text"),
    ] {
        nobody.get(&format!("{link}&{query}")).await.is_page(400, words);
    }

    let of = |id: i64| format!("/error_reports/{id}?ticket={}", ticket_of(&link));
    assert!(page.body.contains(&of(first)) && page.body.contains(&of(second)));
    let shown = nobody.get(&of(first)).await.is(200).body;
    for words in
        ["It &amp; that", "&lt;b&gt;", "&lt;i&gt;", "mailto:ada%40school%2Etest", "not urgent", "Close the report"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("href=\"javascript"));
    nobody.get(&of(foreign)).await.is_page(404, "There is nothing here");
    nobody.get(&format!("/error_reports/junk?ticket={}", ticket_of(&link))).await.is_page(404, "There is nothing here");

    let site = self::link(&running().site_admin().await).await;
    let of_site = format!("/error_reports/{foreign}?ticket={}", ticket_of(&site));
    assert!(nobody.get(&of_site).await.is(200).body.contains("Foreign"));
}

#[tokio::test]
async fn the_page_leads_from_the_newest_to_the_oldest() {
    let school = School::start().await;
    let made = running().change_database(&format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 51)
         INSERT INTO error_reports (root_account_id, user_id, subject, http_env, created_at, updated_at)
         SELECT {}, {}, 'Report number ' || number || '.', '{{}}', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM numbers",
        school.account, school.admin.id
    ));
    if !made {
        return;
    }
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let newest = nobody.get(&format!("{link}&search_term=number&until=2026-02-01")).await.is(200).body;
    assert!(newest.contains("Report number 51.") && !newest.contains("Report number 1."));
    let (before, _) = newest.split_once("\" rel=\"next\"").expect("a link to older reports");
    let older = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
    let oldest = nobody.get(&older).await.is(200).body;
    assert!(oldest.contains("Report number 1.") && !oldest.contains("Report number 2."));
    assert!(!oldest.contains("rel=\"next\""));
}

#[tokio::test]
async fn the_page_closes_reports_and_only_its_link_does() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let id = filed(&student, json!({ "subject": "It broke" })).await;
    let foreign = filed(&other.person("Eve").await, json!({ "subject": "It broke" })).await;
    let (nobody, link) = (student.without_token(), link(&school.admin).await);
    let ticket = ticket_of(&link);
    let path = format!("/error_reports/{id}");
    let closed =
        nobody.post(&path).form(&[("ticket", ticket), ("workflow_state", "closed"), ("note", "Works again")]).await;
    let back = closed.is(303).header("location").unwrap().to_owned();
    assert_eq!(back, format!("{path}?ticket={ticket}"));
    let shown = nobody.get(&back).await.is(200).body;
    assert!(shown.contains("Open it again") && shown.contains("Works again"));
    let report = read(&school.admin, id).await;
    assert_eq!((&report["workflow_state"], &report["updated_by_id"]), (&json!("closed"), &json!(school.admin.id)));
    nobody.post(&path).form(&[("ticket", ticket), ("workflow_state", "open"), ("note", "")]).await.is(303);
    let report = read(&school.admin, id).await;
    assert_eq!((&report["workflow_state"], &report["note"]), (&json!("open"), &Value::Null));
    let gone = [("ticket", ticket), ("workflow_state", "gone")];
    nobody.post(&path).form(&gone).await.is_page(400, "must be one of open, closed");
    let foreign = format!("/error_reports/{foreign}");
    let close = [("ticket", ticket), ("workflow_state", "closed")];
    nobody.post(&foreign).form(&close).await.is_page(404, "There is nothing here");

    // Neither without the ticket, nor with one of ours for something else, nor with a token.
    let deliveries = school.admin.post("/api/v1/webhook_deliveries/live_link").await.is(200);
    let of_another_kind = ticket_of(deliveries["url"].as_str().unwrap());
    let forged = format!("{}x", ticket.strip_suffix(|_| true).unwrap());
    for ticket in ["", "x", "x.y", of_another_kind, &forged] {
        nobody.get(&format!("/error_reports?ticket={ticket}")).await.is_refused(403, "This link has ended");
        nobody.get(&format!("{path}?ticket={ticket}")).await.is_refused(403, "This link has ended");
        let form = [("ticket", ticket), ("workflow_state", "closed")];
        school.admin.post(&path).form(&form).await.is_refused(403, "This link has ended");
    }
    nobody.get("/error_reports").await.is(403);
    assert_eq!(read(&school.admin, id).await["workflow_state"], "open");
}

#[tokio::test]
async fn a_link_ends_with_its_holders_right() {
    let school = School::start().await;
    let deputy = school.person("Deputy").await;
    let admins = format!("/api/v1/accounts/{}/admins", school.account);
    school.admin.post(&admins).json(json!({ "user_id": deputy.id })).await.is(200);
    let link = link(&deputy).await;
    running().nobody().get(&link).await.is(200);
    school.admin.delete(&format!("{admins}/{}", deputy.id)).await.is(200);
    running().nobody().get(&link).await.is_refused(403, "This link has ended");
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The waits of the schedule, in seconds.
const WAITS: [i64; 7] = [60, 300, 1800, 7200, 18_000, 36_000, 86_400];

/// An application that forwards reports to a receiver of ours, which answers with that status. Its tests take turns.
struct Desk {
    site: Running,
    receiver: Receiver,
    school: School,
    _turn: MutexGuard<'static, ()>,
}

static STATUS: AtomicU16 = AtomicU16::new(200);

impl Desk {
    async fn answering(status: u16) -> Self {
        static TURN: Mutex<()> = Mutex::const_new(());
        static STARTED: OnceLock<(Running, Receiver)> = OnceLock::new();
        let turn = TURN.lock().await;
        STATUS.store(status, Ordering::SeqCst);
        let start = || {
            let receiver = Receiver::start(|_| Given::new(STATUS.load(Ordering::SeqCst), ""));
            let url = format!("{}/hook", receiver.url);
            let settings = [
                ("error_report_webhook_url", url.as_str()),
                ("error_report_webhook_secret", SECRET),
                ("error_report_retention_days", "30"),
                ("error_report_daily_limit", "3"),
            ];
            (Running::own("error-reports", &settings), receiver)
        };
        let started = tokio::task::spawn_blocking(move || STARTED.get_or_init(start).clone());
        let (site, receiver) = started.await.unwrap();
        let school = School::start_in(&site).await;
        Self { site, receiver, school, _turn: turn }
    }

    /// A report once the first attempt to forward it is made.
    async fn filed(&self, subject: &str) -> Answer {
        let id =
            filed(&self.school.person("Ada").await, json!({ "subject": subject, "comments": "Please help" })).await;
        for _ in 0..200 {
            let report = read(&self.school.admin, id).await;
            if report["forwarding"] != "pending" || !report["forwarding_error"].is_null() {
                return report;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it is not forwarded: {}", read(&self.school.admin, id).await)
    }

    /// How often it came.
    fn received(&self, subject: &str) -> usize {
        self.receiver.received_with(subject).len()
    }

    async fn tick_after(&self, seconds: i64) {
        self.site.tick(Some(&shared::clock::now().plus_seconds(seconds).to_string())).await;
    }
}

#[tokio::test]
async fn a_new_report_is_forwarded_and_signed() {
    let desk = Desk::answering(200).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!((&report["forwarding"], &report["forwarding_error"]), (&json!("delivered"), &Value::Null));
    let received = desk.receiver.received_with(&subject);
    let [received] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!((received.method.as_str(), received.path.as_str()), ("POST", "/hook"));
    assert_eq!(received.header("content-type"), Some("application/json"));
    let now: i64 = received.header("webhook-timestamp").unwrap().parse().unwrap();
    assert!((shared::clock::now().unix() - now).abs() < 60);
    let message = received.header("webhook-id").unwrap();
    let signed =
        signatures(&[Secret::new(SECRET.to_owned())], message, Timestamp::from_unix(now).unwrap(), &received.body);
    assert_eq!(received.header("webhook-signature"), signed.as_deref());
    let body = received.json();
    assert_eq!((&body["type"], &body["timestamp"]), (&json!("error_report.created"), &report["created_at"]));
    let mut expected = report.json.clone();
    let fields = expected.as_object_mut().unwrap();
    fields.retain(|name, _| !name.starts_with("forwarding"));
    assert_eq!(body["data"], expected);
    // It is not sent again.
    desk.tick_after(7 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 1);
}

#[tokio::test]
async fn a_receiver_that_recovers_gets_the_same_message_again() {
    let desk = Desk::answering(503).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("pending"), &json!("the receiver answered 503"))
    );
    // Not before its time.
    desk.tick_after(30).await;
    assert_eq!(desk.received(&subject), 1);
    STATUS.store(204, Ordering::SeqCst);
    desk.tick_after(90).await;
    let received = desk.receiver.received_with(&subject);
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[0].body, received[1].body);
    let report = read(&desk.school.admin, report.id()).await;
    assert_eq!((&report["forwarding"], &report["forwarding_error"]), (&json!("delivered"), &Value::Null));
}

#[tokio::test]
async fn a_receiver_that_never_takes_it_is_given_up() {
    let desk = Desk::answering(500).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    let mut after = 0;
    for (attempts, wait) in (2..).zip(WAITS) {
        assert_eq!(read(&desk.school.admin, report.id()).await["forwarding"], "pending");
        after += wait + 5;
        desk.tick_after(after).await;
        assert_eq!(desk.received(&subject), attempts);
    }
    let report = read(&desk.school.admin, report.id()).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("dead"), &json!("the receiver answered 500"))
    );
    desk.tick_after(after + 30 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 8);
}

#[tokio::test]
async fn a_receiver_that_is_gone_is_asked_once() {
    let desk = Desk::answering(410).await;
    let subject = unique("It broke");
    let report = desk.filed(&subject).await;
    assert_eq!(
        (&report["forwarding"], &report["forwarding_error"]),
        (&json!("dead"), &json!("the receiver answered 410"))
    );
    desk.tick_after(7 * 24 * 3600).await;
    assert_eq!(desk.received(&subject), 1);
}

#[tokio::test]
async fn what_a_crash_has_cut_off_is_sent_when_its_lease_has_ended() {
    let desk = Desk::answering(500).await;
    let subject = unique("It broke");
    let id = desk.filed(&subject).await.id();
    let leased = shared::clock::now().plus_seconds(60);
    assert!(desk.site.change_database(&format!(
        "UPDATE error_report_forwards SET lease = 'gone', next_at = '{leased}' WHERE report_id = {id}"
    )));
    STATUS.store(200, Ordering::SeqCst);
    desk.site.tick(None).await;
    assert_eq!(desk.received(&subject), 1);
    desk.tick_after(65).await;
    assert_eq!(desk.received(&subject), 2);
    assert_eq!(read(&desk.school.admin, id).await["forwarding"], "delivered");
}

#[tokio::test]
async fn only_so_many_reports_are_taken_in_a_day_of_those_who_are_not_known() {
    let desk = Desk::answering(200).await;
    let nobody = desk.site.nobody();
    let report = || json!({ "subject": "It broke" });
    for _ in 0..3 {
        filed(&nobody, report()).await;
    }
    // From whatever address.
    let refused = file(&nobody, report()).await.is_refused(429, "Rate Limit Exceeded");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    filed(&desk.school.person("Ada").await, report()).await;
    let day_ago = shared::clock::now().plus_seconds(-24 * 3600);
    let earlier = format!("UPDATE error_reports SET created_at = '{day_ago}' WHERE user_id IS NULL");
    assert!(desk.site.change_database(&earlier));
    filed(&nobody, report()).await;
}

#[tokio::test]
async fn old_reports_are_forgotten_with_what_belongs_to_them() {
    let desk = Desk::answering(200).await;
    let (old, young) = (desk.filed("Old").await.id(), desk.filed("Young").await.id());
    let days_ago = |days: i64| shared::clock::now().plus_seconds(-days * 24 * 3600);
    assert!(desk.site.change_database(&format!(
        "UPDATE error_reports SET created_at = '{}' WHERE id = {old};
         UPDATE error_reports SET created_at = '{}' WHERE id = {young};
         DELETE FROM throttle_hits WHERE key = 'housekeeping';",
        days_ago(31),
        days_ago(29),
    )));
    desk.site.tick(None).await;
    desk.school.admin.get(&format!("{REPORTS}/{old}")).await.is_not_found();
    read(&desk.school.admin, young).await;
    let left = desk.site.read_database(&format!("SELECT count(*) FROM error_report_forwards WHERE report_id = {old}"));
    assert_eq!(left, Some(vec![vec![json!(0)]]));
}
