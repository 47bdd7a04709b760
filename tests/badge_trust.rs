//! Digital badges: who may issue them and who gets tokens, which pictures and addresses are taken, and keys whose seal changes.

use serde_json::{Value, json};
use support::{Client, School, running, unique};

use crate::badges::{Room, elsewhere, field_error, id, new_class, only, person, svg, teacher, verified};

const PASSWORD: &str = "difference-engine";

async fn user_with_password(school: &School, login: &str, password: &str) -> i64 {
    let user = json!({ "user": { "name": "Ada Lovelace" }, "pseudonym": { "unique_id": login, "password": password } });
    school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id()
}

#[tokio::test]
async fn a_tenant_says_who_makes_issuers() {
    let school = School::start().await;
    let (teacher, student) = (teacher(&school).await, person(&school, "student").await);
    let admin_email = format!("{}@school.test", unique("admin"));
    verified(&school, &school.admin, &admin_email).await;
    let make = async |client: &Client, email: &str| {
        let issuer = json!({ "name": "University Registrar", "email": email, "url": "https://harbor.test" });
        client.post("/v2/issuers").json(issuer).await.status
    };
    let all = async || {
        let teacher = make(&teacher.client, &teacher.email).await;
        (make(&student.client, &student.email).await, teacher, make(&school.admin, &admin_email).await)
    };
    let path = "/api/v1/accounts/self";
    let set =
        |makers: &str| school.admin.put(path).json(json!({ "account": { "settings": { "badge_issuers": makers } } }));
    assert_eq!(school.admin.get(path).await.is(200)["settings"], json!({ "badge_issuers": "staff" }));
    assert_eq!(all().await, (404, 201, 201));
    student.client.post("/v2/issuers").json(json!({})).await.is_refused(404, "does not let you make issuers");
    assert_eq!(set("admins").await.is(200)["settings"]["badge_issuers"], "admins");
    assert_eq!(all().await, (404, 404, 201));
    set("everyone").await.is(200);
    assert_eq!(all().await, (201, 201, 201));
    set("nobody").await.is(400);
    let form = [("account[settings][badge_issuers]", "staff")];
    school.admin.put(path).form(&form).await.is(200);
    assert_eq!(all().await, (404, 201, 201));
    // A teacher who teaches no more is staff no more.
    let courses = teacher.client.get("/api/v1/users/self/enrollments").await.is(200);
    let enrollment = courses.ids()[0];
    let course = &courses.json[0]["course_id"];
    school.admin.delete(&format!("/api/v1/courses/{course}/enrollments/{enrollment}?task=conclude")).await.is(200);
    assert_eq!(all().await, (404, 404, 201));
    let sub = json!({ "account": { "name": "Arts" } });
    let sub = school.admin.post("/api/v1/accounts/self/sub_accounts").json(sub).await.is(200);
    assert_eq!(sub["settings"], Value::Null);
    let settings = json!({ "account": { "settings": { "badge_issuers": "admins" } } });
    school.admin.put(&format!("/api/v1/accounts/{}", sub.id())).json(settings).await.is(400);
    student.client.put(path).form(&form).await.is_forbidden();
}

#[tokio::test]
async fn a_token_for_a_password_opens_badges_and_nothing_else() {
    let school = School::start().await;
    let login = unique("ada");
    let user = user_with_password(&school, &login, PASSWORD).await;
    let nobody = school.admin.without_token();
    let ask = |pairs: &[(&'static str, &str)]| nobody.post("/o/token").form(pairs);
    let given = ask(&[("username", &login), ("password", PASSWORD)]).await.is(200);
    assert_eq!(given["scope"], "r:issuer rw:issuer r:backpack rw:backpack r:profile rw:profile");
    let renewed = [("grant_type", "refresh_token"), ("refresh_token", given["refresh_token"].as_str().unwrap())];
    let renewed = ask(&renewed).await.is(200);
    assert_eq!(renewed["scope"], given["scope"]);
    let client = nobody.with_token(renewed["access_token"].as_str().unwrap());
    client.get("/v2/users/self").await.is(200);
    client.get("/v2/issuers").await.is(200);
    client.get("/v2/backpack/assertions").await.is(200);
    for path in ["/api/v1/courses", "/api/v1/users/self", "/api/v1/users/self/groups"] {
        client.get(path).await.is_refused(401, "Insufficient scopes");
    }
    client.token_for(user, json!({ "purpose": "more" })).await.is_refused(401, "Insufficient scopes");
    client.get("/v2/signing_keys").await.is(404);
    ask(&[("username", &login), ("password", PASSWORD), ("scope", "url:GET|/api/v1/courses")])
        .await
        .is_refused(400, "invalid scope requested");

    // An older refresh token without scopes gives no more than that.
    let again = ask(&[("username", &login), ("password", PASSWORD)]).await.is(200);
    let refresh = again["refresh_token"].as_str().unwrap();
    if running().change_database(&format!("UPDATE badge_refresh_tokens SET scopes = NULL WHERE user_id = {user}")) {
        let renewed = ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await.is(200);
        assert_eq!(renewed["scope"], given["scope"]);
    }
}

#[tokio::test]
async fn administrators_get_no_token_for_a_password() {
    let school = School::start().await;
    let login = unique("dean");
    let user = user_with_password(&school, &login, PASSWORD).await;
    let nobody = school.admin.without_token();
    let ask = |pairs: &[(&'static str, &str)]| nobody.post("/o/token").form(pairs);
    let given = ask(&[("username", &login), ("password", PASSWORD)]).await.is(200);
    let arts = json!({ "account": { "name": "Arts" } });
    let arts = school.admin.post("/api/v1/accounts/self/sub_accounts").json(arts).await.is(200).id();
    school.admin.post(&format!("/api/v1/accounts/{arts}/admins")).json(json!({ "user_id": user })).await.is(200);
    ask(&[("username", &login), ("password", PASSWORD)]).await.is_refused(403, "administrators");
    let refresh = given["refresh_token"].as_str().unwrap();
    ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await.is_refused(403, "administrators");
    ask(&[("username", &login), ("password", "wrong")]).await.is_refused(401, "invalid_grant");
}

#[tokio::test]
async fn the_same_login_of_two_tenants_is_locked_by_wrong_passwords_alone() {
    let (one, other) = (School::start().await, School::start().await);
    let login = unique("shared");
    user_with_password(&one, &login, "older-secret").await;
    user_with_password(&other, &login, "younger-secret").await;
    let nobody = one.admin.without_token();
    let ask = |password: &str| nobody.post("/o/token").form(&[("username", login.as_str()), ("password", password)]);
    for _ in 0..12 {
        ask("younger-secret").await.is(200);
        ask("older-secret").await.is(200);
    }
    let mut last = 401;
    for _ in 0..12 {
        last = ask("wrong").await.status;
    }
    assert_eq!(last, 429);
    for password in ["older-secret", "younger-secret"] {
        let refused = ask(password).await.is_refused(429, "too many login attempts");
        assert_eq!((&refused["expires"], refused.header("retry-after")), (&json!(900), Some("900")));
    }
}

#[tokio::test]
async fn a_client_that_shows_a_secret_shows_the_right_one() {
    let school = School::start().await;
    let login = unique("ada");
    user_with_password(&school, &login, PASSWORD).await;
    let key = json!({ "developer_key": { "name": "Wallet", "redirect_uris": ["https://wallet.test/back"] } });
    let key = school.admin.post("/api/v1/accounts/self/developer_keys").json(key).await.is(200);
    let text = |name: &str| key[name].as_str().unwrap().to_owned();
    let (client, secret) = (text("client_id"), text("client_secret"));
    let nobody = school.admin.without_token();
    let ask = |secret: &str| {
        nobody.post("/o/token").form(&[
            ("username", login.as_str()),
            ("password", PASSWORD),
            ("client_id", &client),
            ("client_secret", secret),
        ])
    };
    ask("wrong").await.is_refused(400, "invalid client_secret");
    let given = ask(&secret).await.is(200);
    let refresh = given["refresh_token"].as_str().unwrap().to_owned();
    let holder = nobody.with_token(given["access_token"].as_str().unwrap());
    holder.get("/v2/users/self").await.is(200);
    // With the client its tokens are taken away.
    school.admin.delete(&format!("/api/v1/developer_keys/{}", key.id())).await.is(200);
    holder.get("/v2/users/self").await.is(401);
    let renew = [("grant_type", "refresh_token"), ("refresh_token", refresh.as_str())];
    nobody.post("/o/token").form(&renew).await.is_refused(401, "invalid_grant");
    ask(&secret).await.is_refused(400, "invalid client_id");
}

#[tokio::test]
async fn addresses_with_passwords_or_impossible_ports_are_refused() {
    let room = Room::new().await;
    let issuer = format!("/v2/issuers/{}", room.issuer);
    for url in ["http://a.test:99999", "https://user:pw@a.test/", "https://a.test\\@b.test", "https:a.test"] {
        field_error(room.owner.client.patch(&issuer).json(json!({ "url": url })).await, "url");
        field_error(room.award(json!({ "evidence": [{ "url": url }] })).await, "evidence");
        let class = json!({ "name": "n", "description": "d", "criteriaUrl": url });
        let path = format!("/v2/badgeclasses/{}", room.class);
        field_error(room.owner.client.put(&path).json(class).await, "criteriaUrl");
    }
}

#[tokio::test]
async fn links_to_share_have_no_empty_part() {
    let room = Room::new().await;
    let award = room.awarded().await;
    for provider in ["facebook", "linkedin"] {
        let path = format!("/v2/backpack/share/assertion/{award}?provider={provider}&redirect=0");
        let link = room.nobody().get(&path).await.is(200)["url"].as_str().unwrap().to_owned();
        let query = link.split_once('?').unwrap().1;
        assert!(query.starts_with("u=http") || query.starts_with("url=http"), "{link}");
    }
    for (of, providers) in [
        (format!("assertion/{award}"), json!(["facebook", "linkedin", "linkedin_profile"])),
        (format!("assertion/{award}?provider=pinterest"), json!(["facebook", "linkedin", "linkedin_profile"])),
    ] {
        let refused = room.nobody().get(&format!("/v2/backpack/share/{of}")).await.is(400);
        assert_eq!(refused.json, json!({ "error": "unspecified or unsupported provider", "providers": providers }));
    }
    let page = room.nobody().get(&format!("/public/assertions/{award}.html")).await.is(200);
    assert!(page.body.contains("/public/oembed?format=json"), "{page}");
}

#[tokio::test]
async fn an_import_that_says_in_any_form_that_it_is_revoked_is_refused() {
    let room = Room::new().await;
    for revoked in [json!("true"), json!("yes"), json!(1), json!({ "why": "late" })] {
        let there = elsewhere(move |all| all["/assertion"]["revoked"] = revoked.clone(), &room.earner.email);
        let url = format!("{}/assertion", there.url.trim_end_matches('/'));
        let refused = room.earner.client.post("/v2/backpack/import").json(json!({ "url": url })).await.is(400);
        assert_eq!(refused["validationErrors"][0]["name"], "ASSERTION_REVOKED", "{refused}");
    }
    let there = elsewhere(|all| all["/assertion"]["revoked"] = json!("false"), &room.earner.email);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    room.earner.client.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201);
}

#[tokio::test]
async fn who_names_an_address_does_not_learn_what_is_there() {
    let room = Room::new().await;
    // A port on which nobody listens, one that answers something else, and one that breaks off.
    let held = xtask::daemon::Port::hold().unwrap();
    let closed = format!("http://{}/assertion", held.address());
    let given = |status: u16| support::Receiver::start(move |_| support::Reply::new(status, "x"));
    let (missing, forbidden) = (given(404), given(403));
    let broken = support::Receiver::start(|_| support::Reply::new(200, "x").breaks_off());
    let mut words = std::collections::BTreeSet::new();
    for url in [closed, missing.url.clone(), forbidden.url.clone(), broken.url.clone()] {
        let refused = room.earner.client.post("/v2/backpack/import").json(json!({ "url": url })).await.is(400);
        let told = &refused["validationErrors"][0];
        assert_eq!(told["name"], "FETCH_HTTP_NODE", "{refused}");
        words.insert(told["description"].as_str().unwrap().replace(url.as_str(), ""));
    }
    assert_eq!(words.len(), 1, "{words:?}");
    let long = format!("https://{}.test/", "a".repeat(100_000));
    let refused = room.earner.client.post("/v2/backpack/import").json(json!({ "url": long })).await.is(400);
    assert!(refused.body.len() < 1000, "{} bytes", refused.body.len());
}

#[tokio::test]
async fn pictures_refer_to_nothing_outside_of_them() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    let picture = |inner: &str| svg(&format!(r##"<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>"##));
    for inner in [
        "<style>@import url(https://evil.test/a.css)</style>",
        "<rect style='fill:url(https://evil.test/a.svg#b)'/>",
        "<rect fill='url(https://evil.test/a.svg#b)'/>",
        "<image href='#'><set attributeName='href' to='https://evil.test/x.png'/></image>",
        "<image href='data:image/svg+xml;base64,PHN2Zy8+'/>",
        "&foo;",
        "<g a=1/>",
    ] {
        field_error(room.owner.client.patch(&path).json(json!({ "image": picture(inner) })).await, "image");
    }
    let shown = "<img xmlns='http://www.w3.org/1999/xhtml' alt='evil'/><rect id='r' width='9' fill='url(#a)'/>";
    room.owner.client.patch(&path).json(json!({ "image": picture(shown) })).await.is(200);
    let image = room.nobody().get(&format!("/public/issuers/{}/image", room.issuer)).await.is(302);
    let image = room.nobody().get(image.header("location").unwrap()).await.is(200);
    assert!(image.body.contains("url(#a)") && !image.body.contains("evil"), "{image}");
}

#[tokio::test]
async fn extensions_have_names_of_their_own() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    for name in ["revoked", "evidence", "@id", "validUntil", "obi:revoked", "extensions:", "https://w3id.org/x"] {
        let extensions = json!({ name: { "x": 1 } });
        field_error(room.owner.client.patch(&path).json(json!({ "extensions": extensions })).await, "extensions");
        field_error(room.award(json!({ "extensions": extensions })).await, "extensions");
    }
    let link = json!({ "extensions:applyLink": { "@context": "https://a.test", "type": ["Extension"], "url": "https://a.test" } });
    let award = id(&room.award(json!({ "extensions": link })).await.is(201));
    let document = room.nobody().get(&format!("/public/assertions/{award}")).await.is(200);
    assert_eq!(document["extensions:applyLink"]["url"], "https://a.test");
    let older = format!("UPDATE badge_assertions SET extensions = '{{\"revoked\": {{}}}}' WHERE entity_id = '{award}'");
    if running().change_database(&older) {
        let document = room.nobody().get(&format!("/public/assertions/{award}")).await.is(200);
        assert_eq!(document["revoked"], Value::Null, "what was stored before is not published");
    }
    let class = new_class(&room.owner.client, &room.issuer, json!({ "extensions": link })).await;
    let class = room.nobody().get(&format!("/public/badges/{class}")).await.is(200);
    assert_eq!(class["extensions:applyLink"]["type"], json!(["Extension"]));
}

#[tokio::test]
async fn a_signing_key_outlives_a_change_of_the_secret_that_seals_it() {
    let mut sandbox = support::sandbox(&[("public_base_url", "http://badges.test")]);
    let app = sandbox.start().await.unwrap();
    let admin = sandbox.admin(&app).await.unwrap();
    let key = admin.post("/v2/signing_keys", json!({})).await.unwrap();
    let name = key["result"][0]["entityId"].as_str().unwrap().to_owned();
    app.stop().await.unwrap();

    let before = sandbox.set("token_secret", "another secret that is long enough").unwrap();
    sandbox.set("token_secret_previous", &before);
    let app = sandbox.start().await.unwrap();
    let operator = Client::new(&app.base_url, Some(&sandbox.variables["tick_token"]));
    operator.post("/internal/tick").await.is(200);
    app.stop().await.unwrap();

    // The secret before is not needed any more: the tick has sealed the key anew.
    sandbox.variables.remove("token_secret_previous");
    let app = sandbox.start().await.unwrap();
    let admin = support::admin_of(&sandbox, &app).await;
    let email = "owner@school.test";
    let channel = json!({ "communication_channel": { "address": email, "type": "email" }, "skip_confirmation": true });
    admin.post("/api/v1/users/self/communication_channels").json(channel).await.is(200);
    let issuer = json!({ "name": "A", "email": email, "url": "https://a.test" });
    let issuer = id(&admin.post("/v2/issuers").json(issuer).await.is(201));
    let list = admin.get(&format!("/public/issuers/{issuer}/status/0")).await.is(200);
    let head = list.body.split('.').next().unwrap();
    let head = base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, head).unwrap();
    let head: Value = serde_json::from_slice(&head).unwrap();
    assert_eq!(head["kid"], format!("http://badges.test/public/keys/{name}"));
    let keys = admin.get("/v2/signing_keys").await.is(200);
    assert_eq!(only(&keys)["retiredAt"], Value::Null);
    app.stop().await.unwrap();
}

#[tokio::test]
async fn the_operator_says_who_gets_a_token_for_a_password() {
    let mut sandbox = support::sandbox(&[]);
    for (grant, status, words) in [("client", 400, "invalid client_id"), ("off", 400, "unsupported_grant_type")] {
        sandbox.set("badges_password_grant", grant);
        let app = sandbox.start().await.unwrap();
        let nobody = Client::new(&app.base_url, None);
        let form = [("username", "somebody"), ("password", "something")];
        nobody.post("/o/token").form(&form).await.is_refused(status, words);
        app.stop().await.unwrap();
    }
}
