//! Tokens, credentials, and what each of them reads.

use base64::Engine;
use futures::future::join_all;
use serde_json::{Value, json};
use support::{Response, School, running};

use super::{District, credential, ids, load, reader, refused, titles, token};

#[tokio::test]
async fn a_token_is_given_in_every_form_of_the_grant() {
    let district = District::start().await;
    let (id, secret) = (&district.client_id, &district.client_secret);
    let nobody = district.reader.without_token();
    let given = token(&nobody, id, secret).await.is(200);
    assert_eq!((&given["token_type"], &given["expires_in"]), (&json!("Bearer"), &json!(7200)));
    assert_eq!(given["scope"].as_str().unwrap().split(' ').count(), 16);
    assert_eq!(given.header("cache-control"), Some("no-store"));
    assert!(given["access_token"].as_str().unwrap().starts_with("mct_"));

    let form = [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret)];
    nobody.post("/api/v2/token").form(&form).await.is(200);
    let basic = base64::prelude::BASE64_STANDARD.encode(format!("{id}:{secret}"));
    let form = [("grant_type", "client_credentials"), ("scope", "teachers:read schools:read")];
    let call = nobody.post("/api/v2/token").form(&form).header("authorization", format!("Basic {basic}"));
    assert_eq!(call.await.is(200)["scope"], "teachers:read schools:read");
}

#[tokio::test]
async fn a_token_is_refused_with_its_reason() {
    let district = District::start().await;
    let (id, secret) = (district.client_id.as_str(), district.client_secret.as_str());
    let nobody = district.reader.without_token();
    let ask = async |form: Value| nobody.post("/api/v2/token").json(form).await;
    refused(token(&nobody, id, "wrong").await, 401, "invalid_token");
    refused(token(&nobody, "nobody", secret).await, 401, "invalid_token");
    let form = json!({"grant_type": "password", "client_id": id, "client_secret": secret});
    assert!(refused(ask(form).await, 422, "validation_error").body.contains("client_credentials"));
    for form in [
        json!({"client_id": id, "client_secret": secret}),
        json!({"grant_type": "client_credentials", "client_secret": secret}),
        json!({"grant_type": "client_credentials", "client_id": id}),
        json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret, "scope": "grades:read"}),
    ] {
        refused(ask(form).await, 422, "validation_error");
    }
    let admin = &district.school.admin;
    let (old, its_secret) = credential(admin, "self", json!({"expires_at": "2020-01-01T00:00:00Z"})).await;
    refused(token(&nobody, &old, &its_secret).await, 401, "expired_client");
    admin.delete(&format!("/api/v1/accounts/self/mastery_credentials/{id}")).await.is(200);
    refused(token(&nobody, id, secret).await, 401, "revoked_credential");
    // Its live token ends with it.
    refused(district.get("teachers").await, 401, "invalid_token");
}

#[tokio::test]
async fn a_secret_does_not_stand_in_an_address() {
    let district = District::start().await;
    let (id, secret) = (district.client_id.as_str(), district.client_secret.as_str());
    let nobody = district.reader.without_token();
    let form = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    for query in [format!("client_secret={secret}"), format!("client%5Fsecret={secret}"), "client_secret=".to_owned()] {
        let answer = nobody.post(&format!("/api/v2/token?{query}")).json(&form).await;
        assert!(refused(answer, 422, "validation_error").body.contains("belong into the body"), "{query}");
    }
    // What is no secret may stand there.
    let secret = json!({"client_secret": secret});
    let path = format!("/api/v2/token?grant_type=client_credentials&client_id={id}");
    nobody.post(&path).json(secret).await.is(200);
}

#[tokio::test]
async fn a_district_that_is_gone_is_unknown() {
    let school = School::start().await;
    let account = json!({"account": {"name": "District"}});
    let account = school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id();
    let (id, secret) = credential(&school.admin, &account.to_string(), json!({})).await;
    let reader = reader(&school.admin, &id, &secret).await;
    let own = reader.get("/api/v2/districts").await.is(200);
    assert_eq!(ids(&own), [account.to_string()]);
    school.admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{account}")).await.is(200);
    refused(reader.get("/api/v2/districts").await, 401, "unknown_district");
    refused(token(&reader.without_token(), &id, &secret).await, 401, "unknown_district");
}

#[tokio::test]
async fn districts_do_not_see_each_other() {
    let (own, other) = (District::start().await, District::start().await);
    for list in
        ["teachers", "sections", "classrooms", "class_objectives", "materials", "banks", "curriculum_maps", "pathways"]
    {
        let foreign = other.first(list).await;
        refused(own.get(&format!("{list}/{foreign}")).await, 404, "not_found");
        assert!(!ids(&own.get(list).await.is(200)).contains(&foreign), "{list}");
    }
    let (classroom, bank) = (other.first("classrooms").await, other.first("banks").await);
    let (material, map) = (other.first("materials").await, other.first("curriculum_maps").await);
    let account = other.school.account;
    for nested in [
        format!("districts/{account}"),
        format!("districts/{account}/schools"),
        format!("classrooms/{classroom}/objectives"),
        format!("materials/{material}/items"),
        format!("banks/{bank}/questions"),
        format!("banks/{bank}/passages"),
        format!("curriculum_maps/{map}/objectives"),
        format!("curriculum_maps/{map}/materials"),
        format!("trackers/{classroom}/assessments"),
        format!("reports/item_analysis?filter[classroom_id]={classroom}"),
    ] {
        refused(own.get(&nested).await, 404, "not_found");
    }
}

#[tokio::test]
async fn a_credential_for_some_schools_lists_what_it_may_read() {
    let district = District::start().await;
    let free = json!({"teachers": [{"id": "free", "last_name": "Zeno"}]});
    load(&district.school.admin, "self", &free).await.is(200);
    let school = district.get("teachers").await.is(200)["data"][0]["attributes"]["school_id"].clone();
    let (id, secret) = credential(&district.school.admin, "self", json!({"school_ids": [school]})).await;
    let restricted = reader(&district.school.admin, &id, &secret).await;
    let listed = restricted.get("/api/v2/teachers?sort=last_name").await.is(200);
    // A person of no school is none of those that it may read of.
    assert_eq!(titles(&listed, "last_name"), ["Moreno"]);
    assert_eq!(listed["meta"]["total_count"], 1);
    for id in ids(&district.get("teachers").await.is(200)) {
        let status = restricted.get(&format!("/api/v2/teachers/{id}")).await.status;
        assert_eq!(status, if ids(&listed).contains(&id) { 200 } else { 403 });
    }
    // A record without schools is the whole district's.
    let bank = district.first("banks").await;
    restricted.get(&format!("/api/v2/banks/{bank}")).await.is(200);
    restricted.get(&format!("/api/v2/banks/{bank}/questions")).await.is(200);
    assert_eq!(ids(&restricted.get("/api/v2/materials").await.is(200)).len(), 2);
}

#[tokio::test]
async fn a_district_has_three_hundred_requests_in_a_minute() {
    let district = District::start().await;
    let (id, secret) = credential(&district.school.admin, "self", json!({})).await;
    let second = reader(&district.school.admin, &id, &secret).await;
    let told = district.get("districts").await.is(200);
    assert_eq!(told.header("x-ratelimit-limit"), Some("300"));
    assert_eq!(told.header("x-ratelimit-remaining"), Some("299"));
    // Requests before these have used all but four of them; on a slow disk three hundred may take more than the minute.
    if !running().use_up(&format!("mastery/{}", district.school.account), 295, 3600) {
        return;
    }
    // Both credentials share them.
    for (reader, left) in [(&second, "3"), (&district.reader, "2"), (&second, "1"), (&district.reader, "0")] {
        let answer = reader.get("/api/v2/districts").await.is(200);
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left));
    }
    let late = refused(second.get("/api/v2/districts").await, 429, "forbidden");
    assert_eq!(budget(&late), ["300", "0", "60"]);
    let wait: u64 = late.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    refused(district.get("districts").await, 429, "forbidden");
}

/// What an answer tells of the budget: the most, what is left, and the seconds.
fn budget(answer: &Response) -> [&str; 3] {
    ["limit", "remaining", "reset"].map(|what| answer.header(&format!("x-ratelimit-{what}")).unwrap_or("missing"))
}

#[tokio::test]
async fn what_is_refused_tells_the_budget_of_which_it_takes() {
    let district = District::start().await;
    let (id, secret) = credential(&district.school.admin, "self", json!({"scopes": ["teachers:read"]})).await;
    let narrow = reader(&district.school.admin, &id, &secret).await;
    let answers = [
        district.get("teachers").await.is(200),
        refused(district.get("teachers/999999").await, 404, "not_found"),
        refused(district.get("teachers/x").await, 404, "not_found"),
        refused(district.get("teachers?sort=age").await, 422, "validation_error"),
        refused(district.get("teachers?sort=%ff").await, 422, "validation_error"),
        refused(district.get("reports/item_analysis").await, 422, "validation_error"),
        refused(district.get("trackers/999999/assessments").await, 404, "not_found"),
        refused(narrow.get("/api/v2/sections").await, 403, "insufficient_scope"),
    ];
    for (answer, left) in answers.iter().zip(["299", "298", "297", "296", "295", "294", "293", "292"]) {
        assert_eq!(budget(answer), ["300", left, "60"], "{answer}");
        assert_eq!(answer.header("content-type"), answers[0].header("content-type"));
    }
    // Where no path is, nothing is counted.
    let unknown = refused(district.get("students").await, 404, "not_found");
    assert_eq!(budget(&unknown), ["missing"; 3]);
}

#[tokio::test]
async fn a_client_asks_for_fifteen_tokens_in_five_minutes() {
    let district = District::start().await;
    let (id, secret) = credential(&district.school.admin, "self", json!({})).await;
    let nobody = district.reader.without_token();
    let answers = join_all((0..20).map(|_| token(&nobody, &id, &secret))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 15);
    let late = refused(token(&nobody, &id, &secret).await, 429, "forbidden");
    assert!(late.header("retry-after").is_some());
    token(&nobody, &district.client_id, &district.client_secret).await.is(200);
}

#[tokio::test]
async fn credentials_are_the_administrators_affair() {
    let school = School::start().await;
    let person = school.person("someone").await;
    let path = format!("/api/v1/accounts/{}/mastery_credentials", school.account);
    person.post(&path).json(json!({})).await.is_forbidden();
    person.get(&path).await.is_forbidden();
    let form = json!({"scopes": ["grades:write"]});
    school.admin.post(&path).json(form).await.is_refused(400, "grades:write");
    let (id, _) = credential(&school.admin, "self", json!({"scopes": ["teachers:read"]})).await;
    let listed = school.admin.get(&path).await.is(200);
    assert_eq!(listed.json[0]["client_id"], id);
    assert!(listed.json[0].get("client_secret").is_none() && !listed.body.contains("secret_hash"));
    let foreign = School::start().await;
    foreign.admin.delete(&format!("{path}/{id}")).await.is_not_found();
    let one = format!("/api/v1/accounts/self/mastery_credentials/{id}");
    foreign.admin.delete(&one).await.is_not_found();
    assert!(school.admin.delete(&one).await.is(200)["revoked_at"].is_string());
    school.admin.delete("/api/v1/accounts/self/mastery_credentials/nothing").await.is_not_found();
    // What is refused beside the path of an administrator has the form that administrators know.
    let answer = school.admin.put(&one).await.is(405);
    assert!(answer["errors"][0]["message"].is_string() && answer["errors"][0].get("code").is_none(), "{answer}");
    school.admin.get(&format!("{one}/nothing")).await.is_not_found();
}
