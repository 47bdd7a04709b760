//! Tokens: what they are bound to, and how they and their clients are shown.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::auth::jwt;
use support::{Client, Response, Running, School, running};

use crate::oauth::{ask, base64, developer_key, visible};

fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

async fn whoami(client: &Client) -> Response {
    client.get("/api/v1/users/self").await
}

#[tokio::test]
async fn a_token_whose_own_time_is_over_is_refused_whatever_the_database_says() {
    let site = running();
    let school = School::start().await;
    let client = developer_key(&school, json!({ "name": "A client", "user_id": school.admin.id })).await;
    let token = ask(&school.admin, &client, &[("grant_type", "client_credentials")]).await.is(200);
    let mut claims = claims(token["access_token"].as_str().unwrap());
    assert!(claims["exp"].as_i64().unwrap() > claims["iat"].as_i64().unwrap());
    // As tokens were signed at first.
    let sign = |claims: &Value| {
        let token = jwt::encode(claims, site.variables["token_secret"].as_bytes()).unwrap();
        school.admin.with_token(&token)
    };
    whoami(&sign(&claims)).await.is_unauthenticated("Invalid access token.");
    let id = claims["jti"].as_str().unwrap().to_owned();
    if !site.change_database(&format!("UPDATE access_tokens SET key_version = 0 WHERE id = {id}")) {
        return;
    }
    whoami(&sign(&claims)).await.is(200);
    whoami(&school.admin.with_token(token["access_token"].as_str().unwrap()))
        .await
        .is_unauthenticated("Invalid access token.");
    claims["exp"] = json!(1_600_000_000);
    site.change_database(&format!("UPDATE access_tokens SET expires_at = NULL WHERE id = {id}"));
    let expired = whoami(&sign(&claims)).await.is_unauthenticated("Expired access token.");
    assert_eq!(expired["errors"][0]["expired_at"], "2020-09-13T12:26:40Z");
}

#[tokio::test]
async fn the_end_of_a_personal_token_may_be_moved() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let token = ada.token_for(ada.id, json!({ "purpose": "x", "expires_at": "2026-01-02T03:04:05Z" })).await.is(200);
    let client = ada.with_token(visible(&token));
    whoami(&client).await.is_unauthenticated("Expired access token.");
    let path = format!("/api/v1/users/self/tokens/{}", token.id());
    ada.put(&path).json(json!({ "token": { "expires_at": "2199-01-01T00:00:00Z" } })).await.is(200);
    whoami(&client).await.is(200);
}

#[tokio::test]
async fn a_token_makes_none_that_lasts_longer_and_does_not_put_off_its_own_end() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let end = "2199-01-01T00:00:00Z";
    let token = ada.token_for(ada.id, json!({ "purpose": "x", "expires_at": end })).await.is(200);
    let (path, client) = (format!("/api/v1/users/self/tokens/{}", token.id()), ada.with_token(visible(&token)));
    let change = |client: &Client, token: Value| client.put(&path).json(json!({ "token": token }));
    for later in [json!("2199-01-02T00:00:00Z"), Value::Null] {
        change(&client, json!({ "expires_at": later })).await.is_forbidden();
        change(&client, json!({ "expires_at": later, "regenerate": true })).await.is_forbidden();
        client.token_for(ada.id, json!({ "purpose": "y", "expires_at": later })).await.is_forbidden();
    }
    client.token_for(ada.id, json!({ "purpose": "y" })).await.is_forbidden();
    client.token_for(ada.id, json!({ "purpose": "y", "expires_at": end })).await.is(200);
    change(&client, json!({ "purpose": "z" })).await.is(200);
    change(&client, json!({ "expires_at": "2198-01-01T00:00:00Z" })).await.is(200);
    change(&ada, json!({ "expires_at": null })).await.is(200);

    let scopes = json!(["url:PUT|/api/v1/users/:user_id/tokens/:id"]);
    let limited = ada.token_for(ada.id, json!({ "purpose": "l", "scopes": scopes })).await.is(200);
    change(&ada.with_token(visible(&limited)), json!({ "expires_at": end })).await.is_forbidden();
}

#[tokio::test]
async fn what_a_client_makes_ends_with_the_client() {
    let school = School::start().await;
    let client = developer_key(&school, json!({ "name": "A client", "user_id": school.admin.id })).await;
    let token = ask(&school.admin, &client, &[("grant_type", "client_credentials")]).await.is(200);
    let token = school.admin.with_token(token["access_token"].as_str().unwrap());
    let made = token.token_for(school.admin.id, json!({ "purpose": "for ever" })).await.is(200);
    let made = school.admin.with_token(visible(&made));
    let again = made.token_for(school.admin.id, json!({ "purpose": "and ever" })).await.is(200);
    let again = school.admin.with_token(visible(&again));
    for client in [&made, &again] {
        whoami(client).await.is(200);
    }
    school.admin.delete(&format!("/api/v1/developer_keys/{}", client.id())).await.is(200);
    for client in [&made, &again] {
        whoami(client).await.is_unauthenticated("Invalid access token.");
    }
}

#[tokio::test]
async fn what_a_client_makes_for_a_user_ends_with_what_the_user_allowed() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let client = developer_key(&school, json!({ "name": "A client" })).await;
    let tokens = allowed(&school, &client, ada.id);
    let Some(refresh_token) = tokens else { return };
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", refresh_token.as_str())];
    let token = ask(&ada, &client, &refresh).await.is(200);
    let token = ada.with_token(token["access_token"].as_str().unwrap());
    let made = token.token_for(ada.id, json!({ "purpose": "for ever" })).await.is(200);
    let made = ada.with_token(visible(&made));
    // Another token of the client does not end it, the end of the client's right does.
    let renewed = ask(&ada, &client, &refresh).await.is(200);
    whoami(&made).await.is(200);
    ada.with_token(renewed["access_token"].as_str().unwrap()).delete("/login/oauth2/token").await.is(200);
    whoami(&made).await.is_unauthenticated("Revoked access token.");
}

#[tokio::test]
async fn a_refresh_token_that_nobody_uses_for_half_a_year_ends() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let client = developer_key(&school, json!({ "name": "A client" })).await;
    let Some(refresh_token) = allowed(&school, &client, ada.id) else { return };
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", refresh_token.as_str())];
    let used = |ago: &str| {
        let sql = format!(
            "UPDATE refresh_tokens SET last_used_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-{ago}')
             WHERE user_id = {}",
            ada.id
        );
        assert!(running().change_database(&sql));
    };
    used("179 days");
    ask(&ada, &client, &refresh).await.is(200);
    ask(&ada, &client, &refresh).await.is(200);
    used("181 days");
    ask(&ada, &client, &refresh).await.is_refused(400, "invalid_grant");
}

/// A refresh token of a client whom the user has allowed all. `None` where the database cannot be reached.
fn allowed(school: &School, client: &Response, user: i64) -> Option<String> {
    let token = uuid::Uuid::new_v4().to_string();
    let sql = format!(
        "INSERT INTO refresh_tokens (developer_key_id, user_id, token_hash, created_at, last_used_at)
         SELECT {}, {user}, '{}', created_at, strftime('%Y-%m-%dT%H:%M:%SZ', 'now') FROM accounts WHERE id = {}",
        client.id(),
        shared::auth::secrets::hash(&token),
        school.account
    );
    running().change_database(&sql).then_some(token)
}

#[tokio::test]
async fn a_token_tells_who_made_it_for_somebody_else() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let path = format!("/api/v1/users/self/tokens?as_user_id={}", ada.id);
    let masked = school.admin.post(&path).json(json!({ "token": { "purpose": "x" } })).await.is(200);
    let direct = school.admin.token_for(ada.id, json!({ "purpose": "x" })).await.is(200);
    let own = ada.token_for(ada.id, json!({ "purpose": "x" })).await.is(200);
    assert_eq!((&masked["real_user_id"], &direct["real_user_id"]), (&json!(school.admin.id), &json!(school.admin.id)));
    assert_eq!(own["real_user_id"], Value::Null);
    let shown = ada.get(&format!("/api/v1/users/self/tokens/{}", masked.id())).await.is(200);
    assert_eq!(shown["real_user_id"], school.admin.id);
}

#[tokio::test]
async fn a_client_on_the_users_machine_proves_that_it_is_the_one_that_asked() {
    let school = School::start().await;
    let back = ["http://127.0.0.1:8080/back", "org.example.app://back", "https://client.example/back"];
    let key = developer_key(&school, json!({ "name": "A client", "redirect_uris": back })).await;
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    for (uri, needs_proof) in back.into_iter().zip([true, true, false]) {
        let (id, uri) = (key["client_id"].as_str().unwrap(), uri.replace(':', "%3A").replace('/', "%2F"));
        let plain = format!("client_id={id}&response_type=code&redirect_uri={uri}");
        let ask = |more: &str| school.admin.without_token().get(&format!("/login/oauth2/auth?{plain}{more}"));
        let answer = ask("").await;
        match needs_proof {
            true => assert!(answer.is(302).header("location").unwrap().contains("code_challenge+is+required"), "{uri}"),
            false => drop(answer.is(200)),
        }
        ask(&format!("&code_challenge={challenge}&code_challenge_method=S256")).await.is(200);
    }
    let far = json!({ "developer_key": { "name": "x", "redirect_uris": ["http://client.example/back"] } });
    school.admin.post("/api/v1/accounts/self/developer_keys").json(far).await.is(400);
}

#[tokio::test]
async fn an_address_without_encryption_that_was_registered_before_is_good_no_more() {
    let school = School::start().await;
    let key = developer_key(&school, json!({ "name": "A client", "redirect_uris": ["https://client.example/"] })).await;
    let path = format!(
        "/login/oauth2/auth?client_id={}&response_type=code&redirect_uri=http%3A%2F%2Fclient.example%2F",
        key["client_id"].as_str().unwrap()
    );
    let change =
        format!(r#"UPDATE developer_keys SET redirect_uris = '["http://client.example/"]' WHERE id = {}"#, key.id());
    if running().change_database(&change) {
        school.admin.without_token().get(&path).await.is_refused(400, "redirect_uri does not match");
    }
}

#[tokio::test]
async fn http_basic_is_read_as_a_form_and_as_it_stands() {
    let school = School::start().await;
    let key = developer_key(&school, json!({ "name": "A client", "user_id": school.admin.id })).await;
    let (id, secret) = (key["client_id"].as_str().unwrap(), key["client_secret"].as_str().unwrap());
    let escaped: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let post = |path: &str, id: &str, secret: &str| {
        let basic = format!("Basic {}", base64(format!("{id}:{secret}").as_bytes()));
        let form = [("grant_type", "client_credentials")];
        school.admin.without_token().post(path).form(&form).header("authorization", basic)
    };
    for secret in [secret, &escaped] {
        post("/login/oauth2/token", id, secret).await.is(200);
    }
    post("/login/oauth2/token", id, &format!("%20{escaped}")).await.is_refused(401, "invalid_client");
    let district = school.admin.post("/api/v1/accounts/self/mastery_credentials").json(json!({})).await.is(201);
    let (id, secret) = (district["client_id"].as_str().unwrap(), district["client_secret"].as_str().unwrap());
    let escaped: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for secret in [secret, &escaped] {
        post("/api/v2/token", id, secret).await.is(200);
    }
}

#[tokio::test]
async fn a_client_asks_for_a_thousand_scopes_and_no_more() {
    let school = School::start().await;
    let key = developer_key(&school, json!({ "name": "A client", "user_id": school.admin.id })).await;
    let scopes = |number: usize| (0..number).map(|scope| format!("a:{scope} ")).collect::<String>();
    let ask =
        async |scope: &str| ask(&school.admin, &key, &[("grant_type", "client_credentials"), ("scope", scope)]).await;
    ask(&scopes(1000)).await.is(200);
    ask(&scopes(1001)).await.is_refused(400, "invalid_scope");
    ask(&format!("a:{}", "x".repeat(300))).await.is_refused(400, "invalid_scope");
}

#[tokio::test]
async fn an_operator_takes_no_tokens_from_addresses() {
    let site = Running::own("strict", &[("access_token_in_query", "false"), ("development", "false")]);
    let school = School::start_in(&site).await;
    let token = school.admin.token.clone().unwrap();
    let nobody = school.admin.without_token();
    let path = format!("/api/v1/users/self?access_token={token}");
    nobody.get(&path).await.is_unauthenticated("user authorization required");
    nobody.put("/api/v1/users/self").json(json!({ "access_token": token, "user": { "name": "Ada" } })).await.is(200);
    school.admin.get(&path).await.is(200);
}

/// Gives a user so many personal tokens more. False where the database cannot be reached.
fn give_tokens(user: i64, number: usize) -> bool {
    running().change_database(&format!(
        "INSERT INTO access_tokens (root_account_id, user_id, purpose, created_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {number})
         SELECT root_account_id, id, 'many', created_at FROM n CROSS JOIN users WHERE users.id = {user}"
    ))
}

#[tokio::test]
async fn a_user_has_a_hundred_tokens_that_are_good() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    if !give_tokens(ada.id, 98) {
        return;
    }
    let make = async || ada.token_for(ada.id, json!({ "purpose": "x" })).await;
    let made = make().await.is(200);
    make().await.is_refused(400, "A user has 100 tokens at most");
    school.admin.token_for(ada.id, json!({ "purpose": "x" })).await.is_refused(400, "100 tokens at most");
    let path = |token: &Response| format!("/api/v1/users/self/tokens/{}", token.id());
    let anew = ada.put(&path(&made)).json(json!({ "token": { "regenerate": true } })).await.is(200);
    make().await.is(400);
    ada.delete(&path(&anew)).await.is(200);
    make().await.is(200);
    let ended = format!(
        "UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00Z'
         WHERE id = (SELECT max(id) FROM access_tokens WHERE user_id = {} AND purpose = 'many')",
        ada.id
    );
    assert!(running().change_database(&ended));
    make().await.is(200);
    make().await.is(400);
}

#[tokio::test]
async fn who_makes_tokens_too_often_has_to_wait() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let token = ada.token_for(ada.id, json!({ "purpose": "x" })).await.is(200);
    if !running().use_up(&format!("personal-tokens/{}", ada.id), 59, 600) {
        return;
    }
    let refused = ada.token_for(ada.id, json!({ "purpose": "y" })).await.is_refused(429, "Rate Limit Exceeded");
    assert!(refused.header("retry-after").is_some());
    let change = async |token_of: Value| {
        ada.put(&format!("/api/v1/users/self/tokens/{}", token.id())).json(json!({ "token": token_of })).await
    };
    change(json!({ "regenerate": true })).await.is(429);
    change(json!({ "purpose": "z" })).await.is(200);
}

#[tokio::test]
async fn scopes_of_a_token_are_short_together() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let scopes = |number: usize| (0..number).map(|scope| format!("url:GET|/api/{scope:0100}")).collect::<Vec<_>>();
    let ask = async |scopes: Vec<String>| ada.token_for(ada.id, json!({ "purpose": "x", "scopes": scopes })).await;
    ask(scopes(140)).await.is(200);
    ask(scopes(160)).await.is_refused(400, "too long together");
    // A client may be allowed more, and give all of it.
    let key = json!({ "name": "A client", "user_id": school.admin.id, "scopes": scopes(160) });
    let key = developer_key(&school, key).await;
    self::ask(&school.admin, &key, &[("grant_type", "client_credentials")]).await.is(200);
    let asked = [("grant_type", "client_credentials"), ("scope", &scopes(160).join(" "))];
    self::ask(&school.admin, &key, &asked).await.is_refused(400, "invalid_scope");
}
