//! Filing a report, and what is kept of it.

use serde_json::{Value, json};
use shared::Timestamp;
use support::{Client, School, enroll, running, unique};

use super::{REPORTS, file, filed, read};

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
    let channel = json!({ "type": "email", "address": "ada@school.test" });
    let channel = json!({ "communication_channel": channel, "skip_confirmation": true });
    school.admin.post(&format!("/api/v1/users/{}/communication_channels", student.id)).json(channel).await.is(200);
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
async fn fields_that_are_pasted_into_words_lose_their_secrets() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    for (pasted, kept) in [
        ("GET /x HTTP/1.1\nHost: h\nX-Api-Key: S3CRETVALUE", "GET /x HTTP/1.1\nHost: h\nX-Api-Key: [FILTERED]"),
        ("client_secret: S3CRETVALUE", "client_secret: [FILTERED]"),
        ("token: 8f14e45fceea167a5a36dedd4bea2543", "token: [FILTERED]"),
        ("Password: S3CRETVALUE", "Password: [FILTERED]"),
        ("Cookie: a=S3CRET; b=S3CRET\nHost: h", "Cookie: [FILTERED] [FILTERED]\nHost: h"),
        ("I forgot my password: please help", "I forgot my password: please help"),
    ] {
        let report = json!({ "subject": pasted, "comments": pasted });
        let report = read(&school.admin, filed(&student, report).await).await;
        assert_eq!((&report["subject"], &report["comments"]), (&json!(kept), &json!(kept)));
    }
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
async fn whoever_acts_as_a_user_files_that_users_reports() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let path = format!("{REPORTS}?as_user_id={}", student.id);
    let error = json!({ "error": { "subject": "It broke" } });
    let id = school.admin.post(&path).header("x-forwarded-for", unique("a")).json(error).await.is(200).id();
    let report = read(&school.admin, id).await;
    assert_eq!((&report["user_id"], &report["user_roles"]), (&json!(student.id), &json!("user")));
}
