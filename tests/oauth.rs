//! Tokens: how they are got, what they may do, and how they end.

use serde_json::{Value, json};
use support::{Client, Response, School, running, unique};

pub(crate) fn visible(token: &Response) -> &str {
    token["visible_token"].as_str().unwrap()
}

pub(crate) async fn developer_key(school: &School, key: Value) -> Response {
    let path = "/api/v1/accounts/self/developer_keys";
    school.admin.post(path).json(json!({ "developer_key": key })).await.is(200)
}

fn credentials(key: &Response) -> [(&'static str, String); 2] {
    let text = |name: &str| key[name].as_str().unwrap().to_owned();
    [("client_id", text("client_id")), ("client_secret", text("client_secret"))]
}

/// Asks the token endpoint with the client's credentials and these parameters.
pub(crate) async fn ask(client: &Client, key: &Response, parameters: &[(&'static str, &str)]) -> Response {
    let parameters = parameters.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let form: Vec<_> = credentials(key).into_iter().chain(parameters).collect();
    client.without_token().post("/login/oauth2/token").form(&form).await
}

#[tokio::test]
async fn a_client_with_its_credentials_acts_for_its_user() {
    let school = School::start().await;
    let teacher = school.person("teacher").await;
    let key = developer_key(&school, json!({ "name": "A client", "user_id": teacher.id })).await;
    let answer = ask(&school.admin, &key, &[("grant_type", "client_credentials")]).await.is(200);
    assert_eq!((&answer["token_type"], &answer["expires_in"]), (&json!("Bearer"), &json!(3600)));
    let client = school.admin.with_token(answer["access_token"].as_str().unwrap());
    assert_eq!(client.get("/api/v1/users/self").await.is(200).id(), teacher.id);
}

#[tokio::test]
async fn the_client_may_send_its_credentials_by_http_basic() {
    let site = running();
    let (id, secret) = (&site.variables["admin_client_id"], &site.variables["admin_client_secret"]);
    let basic = format!("Basic {}", base64(format!("{id}:{secret}").as_bytes()));
    let form = [("grant_type", "client_credentials")];
    let post = |header: &str| site.nobody().post("/login/oauth2/token").form(&form).header("authorization", header);
    post(&basic).await.is(200);
    post("Basic nonsense").await.is_refused(401, "invalid_client");
}

#[tokio::test]
async fn the_token_endpoint_tells_its_errors_as_oauth_does() {
    let school = School::start().await;
    let key = developer_key(&school, json!({ "name": "A client" })).await;
    let error = |answer: Response, status: u16, code: &str| {
        let answer = answer.is(status);
        assert_eq!(answer["error"], code, "{answer}");
        assert!(answer["error_description"].is_string(), "{answer}");
    };
    let nobody = school.admin.without_token();
    error(nobody.post("/login/oauth2/token").await, 400, "unsupported_grant_type");
    error(ask(&nobody, &key, &[("grant_type", "password")]).await, 400, "unsupported_grant_type");
    error(ask(&nobody, &key, &[("grant_type", "authorization_code")]).await, 400, "invalid_request");
    error(ask(&nobody, &key, &[("grant_type", "authorization_code"), ("code", "x")]).await, 400, "invalid_grant");
    error(ask(&nobody, &key, &[("code", "x")]).await, 400, "invalid_grant");
    error(ask(&nobody, &key, &[("grant_type", "refresh_token")]).await, 400, "invalid_request");
    error(ask(&nobody, &key, &[("grant_type", "refresh_token"), ("refresh_token", "x")]).await, 400, "invalid_grant");
    for (id, secret) in [("9999999", "x"), ("nobody", "x"), (key["client_id"].as_str().unwrap(), "wrong"), ("", "")] {
        let form = [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret)];
        let answer = nobody.post("/login/oauth2/token").form(&form).await;
        error(answer, 401, "invalid_client");
    }
}

#[tokio::test]
async fn a_token_has_no_more_scopes_than_its_client() {
    let school = School::start().await;
    let courses = "url:GET|/api/v1/courses";
    let key =
        json!({ "name": "A client", "user_id": school.admin.id, "scopes": [courses, "url:GET|/api/v1/users/:id"] });
    let key = developer_key(&school, key).await;
    let grant = ("grant_type", "client_credentials");
    let all = ask(&school.admin, &key, &[grant]).await.is(200);
    assert_eq!(all["scope"].as_str().unwrap().split(' ').count(), 2);
    let one = ask(&school.admin, &key, &[grant, ("scope", courses)]).await.is(200);
    let client = school.admin.with_token(one["access_token"].as_str().unwrap());
    client.get("/api/v1/courses").await.is(200);
    let refused = client.get("/api/v1/users/self").await.is_refused(401, "Insufficient scopes on access token.");
    assert_eq!(refused.header("www-authenticate"), None);
    let more = ask(&school.admin, &key, &[grant, ("scope", "url:DELETE|/api/v1/courses/:id")]).await.is(400);
    assert_eq!(more["error"], "invalid_scope");
}

#[tokio::test]
async fn a_scope_holds_whatever_it_calls_the_parameters() {
    let school = School::start().await;
    let scopes = ["url:GET|/api/v1/courses/:course_id", "url:GET|/api/v1/users/:user_id"];
    let token = school.admin.token_for(school.admin.id, json!({ "purpose": "x", "scopes": scopes })).await.is(200);
    let client = school.admin.with_token(visible(&token));
    let course = school.course("Botany").await;
    client.get(&course.path("")).await.is(200);
    client.call(reqwest::Method::HEAD, &course.path("")).await.is(200);
    client.get("/api/v1/users/self").await.is(200);
    client.get(&course.path("/sections")).await.is(401);
    client.delete(&course.path("?event=delete")).await.is(401);
}

#[tokio::test]
async fn a_scope_is_written_as_the_routes_of_the_reference_system_are() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let sections = course.path("/sections");
    for (scope, path) in [
        ("url:GET|/api/v1/users/*path", "/api/v1/users/self"),
        ("url:GET|/api/v1/users/*path", "/api/v1/users/self/tokens"),
        ("url:GET|/api/v1/users/:id(.:format)", "/api/v1/users/self"),
        ("url:GET|/api/v1/courses/:course_id/sections(.:format)", &sections),
        ("url:GET|/api/v1/courses/:course_id/sections/", &sections),
    ] {
        let token = school.admin.token_for(school.admin.id, json!({ "purpose": "x", "scopes": [scope] })).await.is(200);
        let client = school.admin.with_token(visible(&token));
        client.get(path).await.is(200);
        client.get("/api/v1/courses").await.is_refused(401, "Insufficient scopes on access token.");
    }
}

#[tokio::test]
async fn a_limited_token_makes_no_stronger_one() {
    let school = School::start().await;
    let scopes = json!(["url:POST|/api/v1/users/:user_id/tokens", "url:GET|/api/v1/courses"]);
    let token = school.admin.token_for(school.admin.id, json!({ "purpose": "x", "scopes": scopes })).await.is(200);
    let limited = school.admin.with_token(visible(&token));
    let stronger = limited.token_for(school.admin.id, json!({ "purpose": "y" })).await;
    assert!((400..500).contains(&stronger.status), "{stronger}");
    limited.token_for(school.admin.id, json!({ "purpose": "y", "scopes": ["url:GET|/api/v1/courses"] })).await.is(200);
}

#[tokio::test]
async fn users_make_tokens_for_themselves_and_administrators_for_all() {
    let school = School::start().await;
    let (ada, eve) = (school.person("ada").await, school.person("eve").await);
    let own = ada.token_for(ada.id, json!({ "purpose": "mine" })).await.is(200);
    assert_eq!((&own["purpose"], &own["user_id"]), (&json!("mine"), &json!(ada.id)));
    ada.with_token(visible(&own)).get("/api/v1/users/self").await.is(200);
    eve.token_for(ada.id, json!({ "purpose": "theirs" })).await.is_forbidden();
    school.admin.token_for(ada.id, json!({ "purpose": "school's" })).await.is(200);
    School::start().await.admin.token_for(ada.id, json!({ "purpose": "foreign" })).await.is_not_found();
    ada.token_for(ada.id, json!({})).await.is_refused(400, "can't be blank");
    ada.token_for(ada.id, json!({ "purpose": "x", "scopes": ["everything"] })).await.is(400);
    let listed = ada.get("/api/v1/users/self/tokens").await.is(200);
    assert!(!listed.body.contains(visible(&own)), "a token is shown once");
}

#[tokio::test]
async fn an_administrator_of_a_tenant_gets_no_token_of_the_sites() {
    let site = running().site_admin().await;
    let admin = json!({ "user": { "name": "Dean" }, "pseudonym": { "unique_id": unique("dean") } });
    let admin = site.post("/api/v1/accounts/1/users").json(admin).await.is(200).id();
    site.post("/api/v1/accounts/1/admins").json(json!({ "user_id": admin })).await.is(200);
    let token = site.token_for(admin, json!({ "purpose": "x" })).await.is(200);
    let admin = site.with_token(visible(&token));
    admin.token_for(site.id, json!({ "purpose": "climb" })).await.is_forbidden();
    admin.get(&format!("/api/v1/users/self?as_user_id={}", site.id)).await.is_refused(401, "Invalid as_user_id");
}

#[tokio::test]
async fn a_key_is_changed_by_nobody_who_is_less_than_its_user() {
    let site = running().site_admin().await;
    let dean = json!({ "user": { "name": "Dean" }, "pseudonym": { "unique_id": unique("dean") } });
    let dean = site.post("/api/v1/accounts/1/users").json(dean).await.is(200).id();
    site.post("/api/v1/accounts/1/admins").json(json!({ "user_id": dean })).await.is(200);
    let token = site.token_for(dean, json!({ "purpose": "x" })).await.is(200);
    cannot_change_a_key_of(&site.with_token(visible(&token)), &site, 1).await;

    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{faculty}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    cannot_change_a_key_of(&dean, &school.admin, faculty).await;
}

/// The `lesser` administers the account too, and so the keys that are nobody's.
async fn cannot_change_a_key_of(lesser: &Client, greater: &Client, account: i64) {
    let key = async |user: Option<i64>| {
        let key = json!({ "developer_key": { "name": "A client", "user_id": user } });
        let key = greater.post(&format!("/api/v1/accounts/{account}/developer_keys")).json(key).await.is(200);
        format!("/api/v1/developer_keys/{}", key.id())
    };
    let (greaters, nobodys) = (key(Some(greater.id)).await, key(None).await);
    for change in [
        json!({ "name": "Mine" }),
        json!({ "redirect_uris": ["https://mine.example"] }),
        json!({ "scopes": [] }),
        json!({ "user_id": greater.id }),
    ] {
        lesser.put(&greaters).json(json!({ "developer_key": change })).await.is_forbidden();
    }
    lesser.put(&nobodys).json(json!({ "developer_key": { "user_id": greater.id } })).await.is_forbidden();
    lesser.put(&nobodys).json(json!({ "developer_key": { "name": "Mine" } })).await.is(200);
    assert_eq!(greater.get(&greaters).await.is(200)["name"], "A client");
}

#[tokio::test]
async fn a_token_ends_when_it_is_revoked() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let token = ada.token_for(ada.id, json!({ "purpose": "short" })).await.is(200);
    let client = ada.with_token(visible(&token));
    client.get("/api/v1/users/self").await.is(200);
    ada.delete(&format!("/api/v1/users/self/tokens/{}", token.id())).await.is(200);
    client.get("/api/v1/users/self").await.is_unauthenticated("Revoked access token.");
    ada.get("/api/v1/users/self").await.is(200);
}

#[tokio::test]
async fn a_client_revokes_its_own_token() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    ada.delete("/login/oauth2/token").await.is(200);
    ada.get("/api/v1/users/self").await.is_unauthenticated("Revoked access token.");
    let nobody = ada.without_token().delete("/login/oauth2/token").await;
    nobody.is_refused(400, "can't delete OAuth access token when not using an OAuth access token");
}

#[tokio::test]
async fn a_token_ends_with_its_time_its_user_and_its_key() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let past = ada.token_for(ada.id, json!({ "purpose": "old", "expires_at": "2026-01-02T03:04:05Z" })).await.is(200);
    let expired = ada.with_token(visible(&past)).get("/api/v1/users/self").await;
    let expired = expired.is_unauthenticated("Expired access token.");
    assert_eq!(expired["errors"][0]["expired_at"], "2026-01-02T03:04:05Z");

    let key = developer_key(&school, json!({ "name": "A client", "user_id": ada.id })).await;
    let token = ask(&ada, &key, &[("grant_type", "client_credentials")]).await.is(200);
    let client = ada.with_token(token["access_token"].as_str().unwrap());
    client.get("/api/v1/users/self").await.is(200);
    school.admin.delete(&format!("/api/v1/developer_keys/{}", key.id())).await.is(200);
    client.get("/api/v1/users/self").await.is_unauthenticated("Invalid access token.");
    ask(&ada, &key, &[("grant_type", "client_credentials")]).await.is_refused(401, "invalid_client");

    school.admin.delete(&format!("/api/v1/accounts/self/users/{}", ada.id)).await.is(200);
    ada.get("/api/v1/users/self").await.is_unauthenticated("Invalid access token.");
}

#[tokio::test]
async fn the_clients_of_an_account_end_with_it() {
    let school = School::start().await;
    let sub_accounts = "/api/v1/accounts/self/sub_accounts";
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post(sub_accounts).json(faculty).await.is(200).id();
    let key = json!({ "developer_key": { "name": "A client", "user_id": school.admin.id } });
    let keys = format!("/api/v1/accounts/{faculty}/developer_keys");
    let key = school.admin.post(&keys).json(key).await.is(200);
    let token = ask(&school.admin, &key, &[("grant_type", "client_credentials")]).await.is(200);
    let client = school.admin.with_token(token["access_token"].as_str().unwrap());
    client.get("/api/v1/users/self").await.is(200);
    school.admin.delete(&format!("{sub_accounts}/{faculty}")).await.is(200);
    client.get("/api/v1/users/self").await.is_unauthenticated("Invalid access token.");
}

#[tokio::test]
async fn a_token_is_made_anew_in_its_own_place() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let old = ada.token_for(ada.id, json!({ "purpose": "mine" })).await.is(200);
    let path = format!("/api/v1/users/self/tokens/{}", old.id());
    let new = ada.put(&path).json(json!({ "token": { "regenerate": true } })).await.is(200);
    assert_eq!(new["purpose"], "mine");
    ada.with_token(visible(&old)).get("/api/v1/users/self").await.is_unauthenticated("Revoked access token.");
    ada.with_token(visible(&new)).get("/api/v1/users/self").await.is(200);
}

#[tokio::test]
async fn a_token_that_was_tampered_with_is_none() {
    let school = School::start().await;
    let token = school.admin.token.clone().unwrap();
    let parts: Vec<_> = token.split('.').collect();
    let unsigned = format!("{}.{}.", base64_url(br#"{"alg":"none","typ":"JWT"}"#), parts[1]);
    let other = School::start().await.admin.token.unwrap();
    let swapped = format!("{}.{}.{}", parts[0], other.split('.').nth(1).unwrap(), parts[2]);
    for forged in [unsigned, swapped, format!("{token}x"), parts[..2].join("."), token.to_uppercase(), String::new()] {
        school.admin.with_token(&forged).get("/api/v1/users/self").await.is_unauthenticated("Invalid access token.");
    }
    let nobody = school.admin.without_token();
    let odd = nobody.get("/api/v1/users/self").header("authorization", format!("token {token}")).await;
    odd.is_unauthenticated("Invalid access token.");
    nobody.get(&format!("/api/v1/users/self?access_token={token}")).await.is(200);
    let rename = json!({ "user": { "short_name": "A" }, "access_token": token });
    nobody.put("/api/v1/users/self").json(rename).await.is(200);
}

#[tokio::test]
async fn administrators_act_as_users_of_their_tenant() {
    let school = School::start().await;
    let (ada, eve) = (school.person("ada").await, school.person("eve").await);
    let as_user = |client: &Client, id: &str| client.get(&format!("/api/v1/users/self?as_user_id={id}"));
    assert_eq!(as_user(&school.admin, &ada.id.to_string()).await.is(200).id(), ada.id);
    assert_eq!(as_user(&school.admin, "").await.is(200).id(), school.admin.id, "blank is nobody");
    assert_eq!(as_user(&eve, &eve.id.to_string()).await.is(200).id(), eve.id);
    let foreigner = School::start().await.person("foreigner").await;
    let site = running().site_admin().await.id;
    for (client, target) in [
        (&eve, ada.id.to_string()),
        (&school.admin, foreigner.id.to_string()),
        (&school.admin, site.to_string()),
        (&school.admin, "9999999".to_owned()),
        (&school.admin, "nobody".to_owned()),
    ] {
        let refused = as_user(client, &target).await.is(401);
        assert_eq!(refused.json, json!({ "errors": "Invalid as_user_id" }), "{target}");
        assert_eq!(refused.header("www-authenticate"), None);
    }
    let course = school.course("Botany").await;
    let path = course.path(&format!("?as_user_id={}", ada.id));
    school.admin.get(&path).await.is_forbidden();
}

#[tokio::test]
async fn a_user_allows_a_client_once() {
    let school = School::start().await;
    let login = unique("ada");
    let user =
        json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login, "password": "analytical engine" } });
    let ada = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let back = "https://client.example/back";
    let key = developer_key(&school, json!({ "name": "A client", "redirect_uris": [back] })).await;
    let client_id = key["client_id"].as_str().unwrap();
    let nobody = school.admin.without_token();

    let query =
        format!("client_id={client_id}&response_type=code&redirect_uri=https%3A%2F%2Fclient.example%2Fback&state=s1");
    let page = nobody.get(&format!("/login/oauth2/auth?{query}")).await.is(200);
    let form = |page: &Response, password: &str| {
        let authenticity = hidden_field(&page.body, "authenticity_token");
        let fields = [
            ("client_id", client_id),
            ("response_type", "code"),
            ("redirect_uri", back),
            ("state", "s1"),
            ("login", login.as_str()),
            ("password", password),
            ("authenticity_token", authenticity.as_str()),
        ];
        nobody.post("/login/oauth2/auth").form(&fields)
    };
    let wrong = form(&page, "wrong password").await.is(403);
    form(&page, "analytical engine").await.is_refused(400, "was sent before");
    let decided = form(&wrong, "analytical engine").await.is(302);
    let location = decided.header("location").unwrap();
    assert!(location.starts_with(back) && location.contains("state=s1"), "{location}");
    let code = location.split(['?', '&']).find_map(|pair| pair.strip_prefix("code=")).unwrap();

    let grant = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", back)];
    let tokens = ask(&nobody, &key, &grant).await.is(200);
    assert_eq!(tokens["user"]["id"], ada);
    let client = nobody.with_token(tokens["access_token"].as_str().unwrap());
    assert_eq!(client.get("/api/v1/users/self").await.is(200).id(), ada);

    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"].as_str().unwrap())];
    let renewed = ask(&nobody, &key, &refresh).await.is(200);
    assert!(renewed.json.get("refresh_token").is_none(), "{renewed}");
    client.get("/api/v1/users/self").await.is(401);
    let client = nobody.with_token(renewed["access_token"].as_str().unwrap());
    client.get("/api/v1/users/self").await.is(200);

    let again = ask(&nobody, &key, &grant).await.is(400);
    assert_eq!(again["error"], "invalid_grant", "a code is good once");
    client.get("/api/v1/users/self").await.is(401);
}

pub(crate) fn hidden_field(html: &str, name: &str) -> String {
    let field = html.split("<input").find(|input| input.contains(&format!("name=\"{name}\""))).unwrap();
    field.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

fn base64_url(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
