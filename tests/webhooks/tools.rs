//! Tools: how they are registered, how they get in, and what ends their secrets.

use super::*;

#[tokio::test]
async fn only_tools_with_their_own_token_get_in() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let id = tool.subscribe(URL).await.id;
    let strangers = [
        school.admin.without_token(),
        school.admin.clone(),
        school.admin.with_token("nonsense"),
        school.admin.with_token(&tool.assertion()),
    ];
    for client in &strangers {
        for call in [
            client.get(SUBSCRIPTIONS),
            client.post(SUBSCRIPTIONS).json(json!({ "subscription": tool.wanted(URL) })),
            client.get(&path(&id)),
            client.put(&path(&id)),
            client.delete(&path(&id)),
            client.post(&format!("{}/rotate_secret", path(&id))),
            // What cannot be read is told to tools alone.
            client.get(&format!("{SUBSCRIPTIONS}?a=1&a[b]=2")),
            client.post(SUBSCRIPTIONS).body("application/json", "{"),
            client.put(&path(&id)).body("text/plain", "x"),
            client.delete(&path(&id)).body("application/json", "{"),
        ] {
            call.await.is_unauthenticated("user authorization required");
        }
    }
    tool.client.delete(&path(&id)).body("application/json", "{").await.is(400);
    tool.client.get(&format!("{SUBSCRIPTIONS}?a=1&a[b]=2")).await.is(400);
    // The token of a tool is none for anything else.
    tool.client.get("/api/v1/users/self").await.is_unauthenticated("Invalid access token.");
    let token = tool.client.token.as_ref().unwrap();
    let by_parameter = tool.client.without_token().get(&format!("{SUBSCRIPTIONS}?access_token={token}")).await.is(200);
    assert_eq!(by_parameter.json.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_assertion_buys_a_token_once() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let assertion = tool.assertion();
    let token = tool.exchange(&assertion).await.is(200);
    assert_eq!((&token["token_type"], &token["expires_in"]), (&json!("bearer"), &json!("3600")));
    assert_eq!(token.json.as_object().unwrap().len(), 3);
    assert_eq!(tool.exchange(&assertion).await.is(400).json, json!({ "error": "invalid_grant" }));
}

#[tokio::test]
async fn only_good_assertions_buy_tokens() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let other = Tool::register(&school.admin).await;
    let now = tool.claims()["iat"].as_i64().unwrap();
    let changed = |name: &str, value: Value| {
        let mut claims = tool.claims();
        claims[name] = value;
        claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        tool.sign(&claims)
    };
    let bad = [
        changed("sub", json!("nobody")),
        changed("sub", json!(other.guid)),
        changed("sub", Value::Null),
        changed("aud", json!("https://elsewhere.test/authorize")),
        changed("aud", Value::Null),
        changed("exp", json!(now - 1)),
        changed("exp", json!(now + 120)),
        changed("exp", Value::Null),
        changed("iat", json!(now - 400)),
        changed("iat", json!(now + 60)),
        changed("iat", Value::Null),
        changed("jti", Value::Null),
        changed("jti", json!("")),
        other.sign(&tool.claims()),
        format!("{}x", tool.assertion()),
        "eyJhbGciOiJub25lIn0.e30.".to_owned(),
        "nonsense".to_owned(),
        String::new(),
    ];
    for assertion in bad {
        let answer = tool.exchange(&assertion).await.is(400);
        assert_eq!(answer.json, json!({ "error": "invalid_grant" }), "{assertion}");
    }
    // Clocks may tell parts of seconds.
    let with_parts = json!(f64::from(u32::try_from(now).unwrap()) + 20.9);
    tool.exchange(&changed("exp", with_parts)).await.is(200);
    let nobody = tool.client.without_token();
    let grant = |grant: &'static str| [("grant_type", grant.to_owned()), ("assertion", tool.assertion())];
    for form in [&grant("authorization_code")[..], &grant("")[..], &[]] {
        nobody.post(&tool.authorize()).form(form).await.is_refused(400, "invalid_grant");
    }
    // It is for one address, and for the tenant of the tool.
    let elsewhere = School::start().await;
    let foreign = format!("/api/lti/accounts/{}/authorize", elsewhere.account);
    let mut claims = tool.claims();
    claims["aud"] = json!(format!("{}{foreign}", nobody.base_url()));
    let form =
        [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned()), ("assertion", tool.sign(&claims))];
    nobody.post(&foreign).form(&form).await.is_refused(400, "invalid_grant");
    nobody.post("/api/lti/accounts/999999999/authorize").form(&form).await.is_refused(400, "invalid_grant");
}

#[tokio::test]
async fn administrators_register_tools() {
    let school = School::start().await;
    let (_, teacher, _) = school.classroom("Botany").await;
    let new = json!({ "capabilities": ["vnd.vendor.webhooks.root_account.all"], "name": "Checker" });
    teacher.post("/api/lti/tool_proxies").json(&new).await.is_forbidden();
    let made = school.admin.post("/api/lti/tool_proxies").json(&new).await.is(201);
    let mut expected = made.json.clone();
    assert!(expected.as_object_mut().unwrap().remove("shared_secret").is_some());
    let guid = made["guid"].as_str().unwrap();
    let one = format!("/api/lti/tool_proxies/{guid}");
    assert_eq!(school.admin.get(&one).await.is(200).json, expected, "the secret is shown once");
    assert_eq!(school.admin.get("/api/lti/tool_proxies").await.is(200).json, json!([expected]));
    teacher.get(&one).await.is_forbidden();
    teacher.get("/api/lti/tool_proxies").await.is_forbidden();
    let changed = school.admin.put(&one).json(json!({ "capabilities": [] })).await.is(200);
    assert_eq!((&changed["capabilities"], &changed["name"]), (&json!([]), &json!("Checker")));
    assert!(changed.json.get("warnings").is_none(), "{changed}");
    let mistyped = json!({ "capabilities": ["submission_created", "vnd.vendor.webhooks.root_account.all"] });
    let changed = school.admin.put(&one).json(mistyped).await.is(200);
    let example = "vnd.vendor.webhooks.root_account.submission_created";
    let warning = format!("submission_created allows nothing: a capability is one like {example}");
    assert_eq!(changed["warnings"], json!([warning]));

    let foreign = School::start().await.admin;
    foreign.get(&one).await.is_not_found();
    foreign.put(&one).json(json!({})).await.is_not_found();
    foreign.delete(&one).await.is_not_found();
    let elsewhere = json!({ "account_id": school.account });
    foreign.post("/api/lti/tool_proxies").json(elsewhere).await.is_not_found();

    let cases = [
        (json!({ "name": "x".repeat(256) }), "too_long"),
        (json!({ "capabilities": ["x".repeat(256)] }), "too_long"),
        (json!({ "capabilities": vec!["x"; 101] }), "too_long"),
        (json!({ "capabilities": "all" }), "capabilities must be a list"),
    ];
    for (body, words) in cases {
        school.admin.post("/api/lti/tool_proxies").json(body).await.is_refused(400, words);
    }
}

#[tokio::test]
async fn a_tool_that_is_removed_is_out_at_once() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    tool.subscribe(URL).await;
    school.admin.delete(&format!("/api/lti/tool_proxies/{}", tool.guid)).await.is(200);
    tool.client.get(SUBSCRIPTIONS).await.is_unauthenticated("user authorization required");
    tool.exchange(&tool.assertion()).await.is_refused(400, "invalid_grant");
    school.admin.get(&format!("/api/lti/tool_proxies/{}", tool.guid)).await.is_not_found();
}

#[tokio::test]
async fn the_secret_of_a_tool_is_changed_without_a_pause() {
    let school = School::start().await;
    let mut tool = Tool::register(&school.admin).await;
    let (old, id) = (tool.secret.clone(), tool.subscribe(URL).await.id);
    let rotate = format!("/api/lti/tool_proxies/{}/rotate_secret", tool.guid);
    let rotated = school.admin.post(&rotate).await.is(200);
    tool.secret = rotated["shared_secret"].as_str().unwrap().to_owned();
    assert_ne!(tool.secret, old);
    assert_eq!((&rotated["guid"], &rotated["name"]), (&json!(tool.guid), &json!("A tool")));
    tool.exchange(&tool.assertion()).await.is(200);
    let before = Tool { secret: old, account: tool.account, guid: tool.guid.clone(), client: tool.client.clone() };
    before.exchange(&before.assertion()).await.is(200);
    tool.client.get(&path(&id)).await.is(200);

    // The overlap ends by itself.
    let over =
        format!("UPDATE tool_proxies SET previous_secret_until = '2020-01-01T00:00:00Z' WHERE guid = '{}'", tool.guid);
    if running().change_database(&over) {
        before.exchange(&before.assertion()).await.is_refused(400, "invalid_grant");
    }
    school.classroom("Botany").await.1.post(&rotate).await.is_forbidden();
    School::start().await.admin.post(&rotate).await.is_not_found();
    tool.exchange(&tool.assertion()).await.is(200);
}

#[tokio::test]
async fn a_secret_that_has_leaked_ends_at_once_with_its_tokens() {
    let school = School::start().await;
    let mut tool = Tool::register(&school.admin).await;
    let id = tool.subscribe(URL).await.id;
    // Tokens know the second in which they were given out.
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let rotate = format!("/api/lti/tool_proxies/{}/rotate_secret", tool.guid);
    let rotated = school.admin.post(&rotate).json(json!({ "revoke_previous": true })).await.is(200);
    tool.exchange(&tool.assertion()).await.is_refused(400, "invalid_grant");
    tool.client.get(&path(&id)).await.is_unauthenticated("user authorization required");
    tool.secret = rotated["shared_secret"].as_str().unwrap().to_owned();
    let token = tool.exchange(&tool.assertion()).await.is(200);
    tool.client.with_token(token["access_token"].as_str().unwrap()).get(&path(&id)).await.is(200);
}
