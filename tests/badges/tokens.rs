//! Tokens and scopes.

use serde_json::json;
use support::{School, unique};

use super::{Room, at_once, field_error, id, ids, is_hidden, only};

#[tokio::test]
async fn tokens_for_a_login_and_its_password() {
    let school = School::start().await;
    let login = unique("ada");
    let user = json!({ "user": { "name": "Ada Lovelace" }, "pseudonym": { "unique_id": login, "password": "difference-engine" } });
    school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200);
    let nobody = school.admin.without_token();
    let ask = |pairs: &[(&'static str, &str)]| nobody.post("/o/token").form(pairs);
    let given = ask(&[("username", &login), ("password", "difference-engine")]).await.is(200);
    assert_eq!((&given["token_type"], &given["expires_in"]), (&json!("Bearer"), &json!(86_400)));
    let client = nobody.with_token(given["access_token"].as_str().unwrap());
    let own = client.get("/v2/users/self").await.is(200);
    assert_eq!((&only(&own)["firstName"], &only(&own)["lastName"]), (&json!("Ada"), &json!("Lovelace")));
    let renamed =
        client.put("/v2/users/self").json(json!({ "lastName": "King", "marketingOptIn": true })).await.is(200);
    assert_eq!((&only(&renamed)["lastName"], &only(&renamed)["marketingOptIn"]), (&json!("King"), &json!(true)));
    field_error(client.put("/v2/users/self").json(json!({ "firstName": "x".repeat(31) })).await, "firstName");
    let password = json!({ "password": "another-secret", "currentPassword": "secret" });
    client.put("/v2/users/self").json(password).await.is_refused(400, "password is not supported here");
    client.put("/v2/users/self").json(only(&client.get("/v2/users/self").await.is(200))).await.is(200);
    client.get(&format!("/v2/users/{}", id(&own))).await.is(200);
    is_hidden(school.admin.get(&format!("/v2/users/{}", id(&own))).await);

    let refresh = given["refresh_token"].as_str().unwrap().to_owned();
    let renewals = (0..3).map(|_| ask(&[("grant_type", "refresh_token"), ("refresh_token", &refresh)]));
    let answers = at_once(renewals).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    client.get("/v2/users/self").await.is(401);
    let limited = ask(&[("username", &login), ("password", "difference-engine"), ("scope", "r:profile")]).await.is(200);
    let limited = nobody.with_token(limited["access_token"].as_str().unwrap());
    limited.get("/v2/users/self").await.is(200);
    is_hidden(limited.get("/v2/issuers").await);
    is_hidden(limited.get("/v2/backpack/assertions").await);
    ask(&[("username", &login), ("password", "difference-engine"), ("scope", "rw:everything")])
        .await
        .is_refused(400, "invalid scope requested");
    ask(&[("grant_type", "magic")]).await.is(400);
    ask(&[("username", &login), ("password", "x"), ("client_id", "0")]).await.is_refused(400, "invalid client_id");
    nobody.post(&format!("/o/token?username={login}&password=difference-engine")).await.is(400);
    let tokens = school.admin.get("/v2/auth/tokens").await.is(200);
    let own = ids(&tokens);
    school.admin.get(&format!("/v2/auth/tokens/{}", own[0])).await.is(200);
    is_hidden(limited.get(&format!("/v2/auth/tokens/{}", own[0])).await);
    let spare = school.admin.token_for(school.admin.id, json!({ "purpose": "spare" })).await.is(200);
    let spare = school.admin.with_token(spare["visible_token"].as_str().unwrap());
    let newest = ids(&spare.get("/v2/auth/tokens").await.is(200)).into_iter().find(|id| !own.contains(id)).unwrap();
    is_hidden(limited.delete(&format!("/v2/auth/tokens/{newest}")).await);
    school.admin.delete(&format!("/v2/auth/tokens/{newest}")).await.is(204);
    spare.get("/v2/users/self").await.is(401);
    is_hidden(school.admin.delete(&format!("/v2/auth/tokens/{newest}")).await);

    let needed: [&[(&'static str, &str)]; 7] = [
        &[],
        &[("username", &login)],
        &[("username", " "), ("password", "difference-engine")],
        &[("username", &login), ("password", "")],
        &[("password", "difference-engine")],
        &[("grant_type", "refresh_token")],
        &[("grant_type", "refresh_token"), ("refresh_token", "")],
    ];
    for pairs in needed {
        let refused = ask(pairs).await.is(400);
        assert_eq!(refused["error"], "invalid_request", "{pairs:?}: {refused}");
    }
    ask(&[("grant_type", "refresh_token"), ("refresh_token", "x")]).await.is_refused(401, "invalid_grant");
    let wrong = ask(&[("username", &login), ("password", "wrong")]);
    wrong.await.is_refused(401, "invalid_grant");
    let mut last = 401;
    for _ in 0..12 {
        last = ask(&[("username", &login), ("password", "wrong")]).await.status;
    }
    assert_eq!(last, 429);
    ask(&[("username", &login), ("password", "difference-engine")]).await.is_refused(429, "expires");
}

#[tokio::test]
async fn scopes_of_the_area_are_as_good_as_those_of_the_paths() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let with = async |scope: &str| {
        let token = json!({ "purpose": "test", "scopes": [scope] });
        let token = owner.token_for(owner.id, token).await.is(200);
        owner.with_token(token["visible_token"].as_str().unwrap())
    };
    let path = format!("/v2/issuers/{}", room.issuer);
    for scope in ["r:issuer", "rw:issuer", "url:GET|/v2/issuers/:id"] {
        with(scope).await.get(&path).await.is(200);
    }
    is_hidden(with("rw:backpack").await.get(&path).await);
    is_hidden(with("r:issuer").await.patch(&path).json(json!({ "description": "x" })).await);
}
