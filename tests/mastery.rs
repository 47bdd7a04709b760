//! Mastery tracking: tokens, every row of the error table, the thirty reads with their filters and sorts, and the loader.

use std::collections::BTreeMap;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Answer, Client, Course, School};

/// A district with data, and a credential that reads all of it.
struct District {
    school: School,
    reader: Client,
    client_id: String,
    client_secret: String,
}

impl District {
    async fn start() -> Self {
        let school = School::start().await;
        load(&school.admin, "self", &data()).await.is(200);
        Self::of(school).await
    }

    async fn of(school: School) -> Self {
        let (client_id, client_secret) = credential(&school.admin, "self", json!({})).await;
        let reader = reader(&school.admin, &client_id, &client_secret).await;
        Self { school, reader, client_id, client_secret }
    }

    async fn get(&self, path: &str) -> Answer {
        self.reader.get(&format!("/api/v2/{path}")).await
    }

    /// The id of the first record of a list.
    async fn first(&self, path: &str) -> String {
        let list = self.get(path).await.is(200);
        list["data"][0]["id"].as_str().unwrap_or_else(|| panic!("{path} is empty: {list}")).to_owned()
    }
}

async fn credential(admin: &Client, account: &str, form: Value) -> (String, String) {
    let path = format!("/api/v1/accounts/{account}/mastery_credentials");
    let made = admin.post(&path).json(form).await.is(201);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("client_id"), text("client_secret"))
}

async fn token(nobody: &Client, client_id: &str, client_secret: &str) -> Answer {
    let form = json!({"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret});
    nobody.post("/api/v2/token").json(form).await
}

async fn reader(admin: &Client, client_id: &str, client_secret: &str) -> Client {
    let token = token(&admin.without_token(), client_id, client_secret).await.is(200);
    admin.with_token(token["access_token"].as_str().unwrap())
}

async fn load(admin: &Client, account: &str, data: &Value) -> Answer {
    admin.post(&format!("/api/v1/accounts/{account}/mastery_imports")).json(data).await
}

fn data() -> Value {
    json!({
        "subjects": [{"id": "math", "name": "Math"}],
        "schools": [
            {"id": "s1", "name": "Lakeside", "nces_school_id": "0612"}, {"id": "s2", "name": "Hilltop"},
        ],
        "teachers": [
            {"id": "t1", "school_id": "s1", "first_name": "Ada", "last_name": "Moreno", "email": "ada@school.test"},
            {"id": "t2", "school_id": "s2", "last_name": "Abel"},
        ],
        "sections": [
            {"id": "x1", "school_id": "s1", "name": "4A", "period": "2"},
            {"id": "x2", "school_id": "s2", "name": "4B", "archived": true},
        ],
        "classrooms": [
            {"id": "c1", "school_id": "s1", "teacher_id": "t1", "title": "Grade 4 Math", "subject": "Math"},
            {"id": "c2", "school_id": "s2", "teacher_id": "t2", "title": "Art", "archived": true},
        ],
        "objectives": [
            {"id": "o1", "subject_id": "math", "name": "4.NF.A.1", "description": "Equivalent fractions", "grade": "4"},
            {"id": "o2", "subject_id": "math", "name": "4.NF.A.2"},
        ],
        "class_objectives": [
            {"id": "co1", "classroom_id": "c1", "objective_id": "o1", "name": "4.NF.A.1", "class_objective_type": "standard"},
            {"id": "co2", "classroom_id": "c1", "objective_id": "o2", "name": "4.NF.A.2", "available": false},
        ],
        "materials": [
            {"id": "m1", "subject_id": "math", "objective_id": "o1", "teacher_id": "t1", "title": "Fractions check",
             "created_at": "2026-08-25T10:00:00.000Z", "updated_at": "2026-09-30T07:41:00.000Z"},
            {"id": "m2", "title": "Draft", "draft": true, "available": false, "privacy_level": 2,
             "created_at": "2026-08-26T10:00:00Z", "updated_at": "2026-08-27T10:00:00Z"},
        ],
        "items": [
            {"id": "i1", "material_id": "m1", "objective_id": "o1", "position": 1, "title": "Equivalent fractions",
             "item_type": 3, "points": 1, "dok": 2},
            {"id": "i2", "material_id": "m1", "position": 2, "item_type": 2, "points": 2},
        ],
        "banks": [{"id": "b1", "name": "Fractions", "bank_type": 2}],
        "passages": [{"id": "p1", "bank_id": "b1", "title": "The river", "body": "It flows."}],
        "questions": [{"id": "q1", "bank_id": "b1", "passage_id": "p1", "objective_id": "o1", "stem": "Why?", "points": 1}],
        "curriculum_maps": [{"id": "k1", "subject_id": "math", "title": "Year 4", "privacy_level": 3}],
        "map_entries": [
            {"id": "e1", "curriculum_map_id": "k1", "objective_id": "o1"},
            {"id": "e2", "curriculum_map_id": "k1", "material_id": "m1"},
        ],
        "pathways": [{"id": "w1", "subject_id": "math", "name": "Fractions first"}],
        "assessments": [
            {"id": "a1", "classroom_id": "c1", "material_id": "m1", "objective_id": "o1"},
            {"id": "a2", "classroom_id": "c1", "material_id": "m1", "objective_id": "o2", "title": "Again"},
        ],
        "item_scores": [
            {"id": "r1", "assessment_id": "a1", "item_id": "i1", "points_earned": 1, "points_possible": 1},
            {"id": "r2", "assessment_id": "a1", "item_id": "i1", "points_earned": 0, "points_possible": 1},
            {"id": "r3", "assessment_id": "a1", "item_id": "i1", "points_earned": 1, "points_possible": 1},
            {"id": "r4", "assessment_id": "a1", "item_id": "i2", "points_earned": 0.75, "points_possible": 2},
        ],
    })
}

/// Refused in the area's envelope, with that code.
#[track_caller]
fn refused(answer: Answer, status: u16, code: &str) -> Answer {
    let answer = answer.is(status);
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("no list of errors: {answer}"));
    assert_eq!(errors.len(), 1, "{answer}");
    assert_eq!(errors[0]["status"], status.to_string(), "{answer}");
    assert_eq!(errors[0]["code"], code, "{answer}");
    let title = match status {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        _ => panic!("{status}"),
    };
    assert_eq!(errors[0]["title"], title, "{answer}");
    assert!(errors[0]["detail"].is_string(), "{answer}");
    assert_eq!(answer.json.as_object().unwrap().len(), 1, "{answer}");
    answer
}

fn ids(answer: &Answer) -> Vec<String> {
    answer["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn titles(answer: &Answer, attribute: &str) -> Vec<String> {
    let data = answer["data"].as_array().unwrap();
    data.iter().map(|one| one["attributes"][attribute].as_str().unwrap_or_default().to_owned()).collect()
}

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
    use base64::Engine;
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
async fn each_row_of_the_error_table_has_its_cause() {
    let district = District::start().await;
    let admin = &district.school.admin;
    let nobody = district.reader.without_token();
    let missing = refused(nobody.get("/api/v2/teachers").await, 401, "invalid_token");
    assert!(missing.header("www-authenticate").is_some_and(|challenge| challenge.starts_with("Bearer")));
    for header in ["Basic abc", "Bearer", "Bearer mct_nonsense", "Bearer a.b.c"] {
        let call = nobody.get("/api/v2/teachers").header("authorization", header);
        refused(call.await, 401, "invalid_token");
    }
    // A good token of the rest of the service is none of this area.
    refused(admin.get("/api/v2/teachers").await, 401, "not_authorized");
    // And the other way round.
    district.reader.get("/api/v1/courses").await.is(401);

    let (id, secret) = credential(admin, "self", json!({"scopes": ["teachers:read", "classrooms:read"]})).await;
    let narrow = reader(admin, &id, &secret).await;
    narrow.get("/api/v2/teachers").await.is(200);
    refused(narrow.get("/api/v2/materials").await, 403, "insufficient_scope");
    // On nested paths the scope of what is listed counts.
    let classroom = district.first("classrooms").await;
    refused(narrow.get(&format!("/api/v2/classrooms/{classroom}/objectives")).await, 403, "insufficient_scope");

    let classrooms = district.get("classrooms?sort=title").await.is(200);
    let (art, math) = (&ids(&classrooms)[0], &ids(&classrooms)[1]);
    let school: i64 = classrooms["data"][1]["attributes"]["school_id"].as_i64().unwrap();
    let (id, secret) = credential(admin, "self", json!({"school_ids": [school]})).await;
    let restricted = reader(admin, &id, &secret).await;
    restricted.get(&format!("/api/v2/classrooms/{math}")).await.is(200);
    refused(restricted.get(&format!("/api/v2/classrooms/{art}")).await, 403, "forbidden");
    refused(restricted.get(&format!("/api/v2/trackers/{art}/assessments")).await, 403, "forbidden");
    let seen = restricted.get("/api/v2/classrooms").await.is(200);
    assert_eq!((ids(&seen), &seen["meta"]["total_count"]), (vec![math.clone()], &json!(1)));

    refused(district.get("teachers/999999999").await, 404, "not_found");
    refused(district.get("teachers/abc").await, 404, "not_found");
    refused(district.get("teachers/+1").await, 404, "not_found");
    refused(district.get("reports/attendance").await, 404, "not_found");
    refused(district.get("students").await, 404, "not_found");
    refused(district.reader.post("/api/v2/teachers").await, 405, "method_not_allowed");

    let flag = "/api/v1/accounts/self/features/flags/mastery_api";
    admin.put(flag).json(json!({"state": "off"})).await.is(200);
    refused(district.get("teachers").await, 403, "feature_disabled");
    admin.put(flag).json(json!({"state": "on"})).await.is(200);
    district.get("teachers").await.is(200);
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
async fn every_list_has_its_filters_and_sorts_and_no_others() {
    let district = District::start().await;
    let account = district.school.account;
    let first = async |path: &str| district.first(path).await;
    let (school, teacher) = (first(&format!("districts/{account}/schools")).await, first("teachers").await);
    let (classroom, material) = (first("classrooms").await, first("materials").await);
    let (bank, map) = (first("banks").await, first("curriculum_maps").await);
    let objective = first(&format!("classrooms/{classroom}/objectives")).await;
    // Path, filters with a value and how many are left, sorts.
    type List = (String, Vec<(&'static str, String, usize)>, Vec<&'static str>);
    let lists: Vec<List> = vec![
        (
            format!("districts/{account}/schools"),
            vec![("nces_school_id", "0612".into(), 1), ("nces_school_id", "x".into(), 0)],
            vec!["name", "created_at"],
        ),
        ("teachers".into(), vec![("school_id", school.clone(), 1)], vec!["last_name", "created_at"]),
        (
            "sections".into(),
            vec![("school_id", school.clone(), 1), ("archived", "true".into(), 1), ("archived", "false".into(), 1)],
            vec!["name", "created_at"],
        ),
        (
            "classrooms".into(),
            vec![("school_id", school, 1), ("teacher_id", teacher, 1), ("archived", "true".into(), 1)],
            vec!["title", "created_at"],
        ),
        (format!("classrooms/{classroom}/objectives"), vec![], vec!["name", "created_at"]),
        (
            "class_objectives".into(),
            vec![("available", "true".into(), 1), ("class_objective_type", "standard".into(), 1)],
            vec!["name"],
        ),
        (
            "materials".into(),
            vec![
                ("subject_id", "0".into(), 0),
                ("objective_id", objective, 1),
                ("draft", "true".into(), 1),
                ("available", "true".into(), 1),
                ("updated_since", "2026-09-01T00:00:00Z".into(), 1),
                ("updated_since", "2026-09-30T07:41:00.000Z".into(), 1),
                ("updated_since", "2026-09-30T07:41:00.001Z".into(), 0),
            ],
            vec!["title", "created_at", "updated_at"],
        ),
        (format!("materials/{material}/items"), vec![], vec!["id"]),
        (
            "banks".into(),
            vec![("bank_type", "2".into(), 1), ("name", "Fractions".into(), 1)],
            vec!["name", "created_at"],
        ),
        (format!("banks/{bank}/questions"), vec![], vec!["created_at"]),
        (format!("banks/{bank}/passages"), vec![], vec!["created_at"]),
        ("curriculum_maps".into(), vec![("privacy_level", "3".into(), 1)], vec!["title", "created_at", "updated_at"]),
        (format!("curriculum_maps/{map}/objectives"), vec![], vec!["name", "created_at", "updated_at"]),
        (format!("curriculum_maps/{map}/materials"), vec![], vec!["title", "created_at", "updated_at"]),
        ("pathways".into(), vec![("available", "true".into(), 1), ("subject_id", "0".into(), 0)], vec!["name"]),
        ("districts".into(), vec![], vec![]),
    ];
    for (path, filters, sorts) in lists {
        let all = district.get(&path).await.is(200);
        let one = &all["data"][0];
        assert!(one["id"].is_string() && one["type"].is_string(), "{all}");
        assert!(one["attributes"].is_object() && one["relationships"].is_object(), "{all}");
        for (name, value, left) in filters {
            let answer = district.get(&format!("{path}?filter[{name}]={value}")).await.is(200);
            assert_eq!(ids(&answer).len(), left, "{path} {name}={value}: {answer}");
            assert_eq!(answer["meta"]["total_count"], left);
        }
        for sort in sorts {
            let up = ids(&district.get(&format!("{path}?sort={sort}")).await.is(200));
            let down = ids(&district.get(&format!("{path}?sort=-{sort}")).await.is(200));
            assert_eq!(up.len(), down.len(), "{path} {sort}");
        }
        let detail = refused(district.get(&format!("{path}?filter[shoe_size]=9")).await, 422, "validation_error");
        assert!(detail.body.contains("Unknown filter 'shoe_size'"), "{detail}");
        refused(district.get(&format!("{path}?sort=shoe_size")).await, 422, "validation_error");
    }
}

#[tokio::test]
async fn bad_parameters_are_told() {
    let district = District::start().await;
    for (query, words) in [
        ("filter=abc", "filter"),
        ("filter[school_id]=x", "school_id"),
        ("filter[archived]=maybe", "archived"),
        ("sort[]=title", "sort"),
        ("sort=title,", "sort"),
        ("page[number]=0", "page[number]"),
        ("page[number]=x", "page[number]"),
        ("page[size]=0", "page[size]"),
        ("page[size]=101", "page[size]"),
        ("page=3", "page"),
    ] {
        let answer = refused(district.get(&format!("classrooms?{query}")).await, 422, "validation_error");
        assert!(answer["errors"][0]["detail"].as_str().unwrap().contains(words), "{query}: {answer}");
    }
    let answer = district.get("materials?filter[updated_since]=yesterday").await;
    assert!(refused(answer, 422, "validation_error").body.contains("ISO 8601"));
    let answer = refused(district.get("reports/item_analysis").await, 422, "validation_error");
    assert!(answer.body.contains("filter[classroom_id] is required"));
    district.get("classrooms?foo=1").await.is(200);
}

#[tokio::test]
async fn lists_are_paged_by_number() {
    let school = School::start().await;
    let teachers: Vec<_> =
        (0..57).map(|number| json!({"id": number, "last_name": format!("T{:02}", 56 - number)})).collect();
    load(&school.admin, "self", &json!({"teachers": teachers})).await.is(200);
    let district = District::of(school).await;
    let first = district.get("teachers").await.is(200);
    assert_eq!(ids(&first).len(), 25);
    let meta = json!({"total_count": 57, "total_pages": 3, "page_number": 1, "page_size": 25});
    assert_eq!(first["meta"], meta);
    assert_eq!(first["links"]["prev"], Value::Null);

    // Followed from page to page, everybody is met once, in either order.
    for query in ["", "?sort=last_name&page[size]=10", "?sort=-last_name"] {
        let mut met = Vec::new();
        let mut next = Some(format!("/api/v2/teachers{query}"));
        while let Some(address) = next {
            let page = district.reader.get(&address).await.is(200);
            met.extend(titles(&page, "last_name"));
            next = page["links"]["next"].as_str().map(str::to_owned);
        }
        let mut sorted = met.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((met.len(), sorted.len()), (57, 57), "{query}");
        match query {
            "?sort=-last_name" | "" => sorted.reverse(),
            _ => {}
        }
        assert_eq!(met, sorted, "{query}");
    }
    let beyond = district.get("teachers?page[number]=9").await.is(200);
    assert_eq!(beyond["data"], json!([]));
    assert_eq!(beyond["meta"]["total_count"], 57);
}

#[tokio::test]
async fn records_are_as_the_contract_has_them() {
    let district = District::start().await;
    let materials = district.get("materials?sort=title").await.is(200);
    let fractions = &materials["data"][1];
    let attributes = &fractions["attributes"];
    assert_eq!(fractions["type"], "material");
    assert_eq!(attributes["total_score"], 3);
    assert_eq!((&attributes["draft"], &attributes["available"]), (&json!(false), &json!(true)));
    assert_eq!(attributes["created_at"], "2026-08-25T10:00:00.000Z");
    assert_eq!(attributes["objective"]["name"], "4.NF.A.1");
    assert_eq!(attributes["subject"]["name"], "Math");
    assert_eq!(attributes["teacher"]["last_name"], "Moreno");
    assert!(attributes.get("items").is_none());
    let id = fractions["id"].as_str().unwrap();
    let one = district.get(&format!("materials/{id}")).await.is(200);
    let items = one["data"]["attributes"]["items"].as_array().unwrap();
    assert_eq!((&items[0]["item_type"], &items[0]["points"]), (&json!(3), &json!(1)));
    assert_eq!((&items[0]["objective"]["name"], &items[1]["objective"]), (&json!("4.NF.A.1"), &Value::Null));
    let draft = &materials["data"][0]["attributes"];
    assert_eq!(
        (&draft["objective"], &draft["teacher"], &draft["total_score"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );

    let classroom = district.get("classrooms").await.is(200);
    let relationships = &classroom["data"][0]["relationships"];
    assert_eq!(relationships["school"]["data"]["type"], "school");
    assert!(relationships["teacher"]["data"]["id"].is_string());
    assert!(classroom["data"][0]["attributes"]["school_id"].is_i64());

    let bank = district.first("banks").await;
    let question = district.first(&format!("banks/{bank}/questions")).await;
    let question = district.get(&format!("banks/{bank}/questions/{question}")).await.is(200);
    assert_eq!(question["data"]["attributes"]["stem"], "Why?");
    let passage = district.first(&format!("banks/{bank}/passages")).await;
    district.get(&format!("banks/{bank}/passages/{passage}")).await.is(200);
    let own = district.get(&format!("districts/{}", district.school.account)).await.is(200);
    assert!(own["data"]["attributes"]["created_at"].as_str().unwrap().ends_with(".000Z"));
    let schools = format!("districts/{}/schools", district.school.account);
    let school = district.first(&schools).await;
    assert_eq!(district.get(&format!("{schools}/{school}")).await.is(200)["data"]["type"], "school");
}

#[tokio::test]
async fn a_tracker_is_a_tree_and_the_report_counts_scores() {
    let district = District::start().await;
    let classroom = district.get("classrooms?sort=-title").await.is(200);
    let id = classroom["data"][0]["id"].as_str().unwrap();
    let tree = district.get(&format!("trackers/{id}/assessments")).await.is(200);
    let attributes = &tree["data"]["attributes"];
    assert_eq!((&tree["data"]["type"], &attributes["teacher"]), (&json!("tracker"), &json!("Ada Moreno")));
    assert_eq!((&attributes["school"], &attributes["subject"]), (&json!("Lakeside"), &json!("Math")));
    let standards = attributes["standards"].as_array().unwrap();
    assert_eq!(standards.len(), 2);
    assert_eq!(standards[0]["assessments"][0]["title"], "Fractions check");
    assert_eq!(standards[0]["assessments"][0]["assessment_items"][1]["points"], 2);
    assert_eq!(standards[1]["assessments"][0]["title"], "Again");

    let report = format!("reports/item_analysis?filter[classroom_id]={id}");
    let whole = district.get(&report).await.is(200);
    assert_eq!(whole["meta"]["row_count"], 4);
    assert_eq!(whole["data"]["columns"].as_array().unwrap().len(), 7);
    let expected = json!({
        "question_number": 1, "item_title": "Equivalent fractions", "standard": "4.NF.A.1", "item_type": "Multiple choice",
        "dok": 2, "points": 1, "percent_correct": 67,
    });
    assert_eq!(whole["data"]["rows"][0], expected);
    assert_eq!(whole["data"]["rows"][1]["percent_correct"], 38);
    assert_eq!(whole["data"]["rows"][1]["item_title"], Value::Null);
    assert_eq!(whole["data"]["rows"][2]["percent_correct"], 0, "nobody was scored");
    let assessment = standards[0]["assessments"][0]["id"].as_str().unwrap();
    let one = district.get(&format!("{report}&filter[assessment_id]={assessment}")).await.is(200);
    assert_eq!(one["meta"]["row_count"], 2);
    refused(district.get(&format!("{report}&filter[assessment_id]=999999")).await, 404, "not_found");
}

/// A published quiz with a question of two points and one that somebody has to read, and the path to it.
async fn quiz(admin: &Client, course: &Course) -> (i64, Vec<i64>) {
    let quiz = json!({"quiz": {"title": "Trees", "quiz_type": "assignment", "allowed_attempts": -1}});
    let id = admin.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    let path = course.path(&format!("/quizzes/{id}"));
    let choice = json!({
        "question_name": "Tree", "question_type": "multiple_choice_question", "points_possible": 2,
        "answers": [{"text": "Oak", "weight": 100}, {"text": "Elm", "weight": 0}],
    });
    let essay = json!({"question_name": "Why", "question_type": "essay_question", "points_possible": 4});
    let mut questions = Vec::new();
    for question in [choice, essay] {
        questions.push(admin.post(&format!("{path}/questions")).json(json!({"question": question})).await.is(200).id());
    }
    admin.put(&path).json(json!({"quiz": {"published": true}})).await.is(200);
    (id, questions)
}

/// Begins an attempt at the quiz.
async fn begin(student: &Client, quiz: &str) -> Value {
    student.post(&format!("{quiz}/submissions")).await.is(200)["quiz_submissions"][0].clone()
}

/// Takes the quiz: the oak or the elm, and words for the essay.
async fn take(student: &Client, quiz: &str, questions: &[i64], oak: bool) {
    let begun = begin(student, quiz).await;
    let proof = json!({"attempt": begun["attempt"], "validation_token": begun["validation_token"]});
    let path = format!("/api/v1/quiz_submissions/{}/questions", begun["id"]);
    let asked = student.get(&path).await.is(200);
    let choice = &asked["quiz_submission_questions"][0]["answers"][usize::from(!oak)]["id"];
    let mut body = proof.clone();
    body["quiz_questions"] =
        json!([{"id": questions[0], "answer": choice}, {"id": questions[1], "answer": "Because."}]);
    student.post(&path).json(body).await.is(200);
    student.post(&format!("{quiz}/submissions/{}/complete", begun["id"])).json(proof).await.is(200);
}

#[tokio::test]
async fn the_report_counts_the_results_of_this_services_own_quizzes() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let (id, questions) = quiz(&school.admin, &course).await;
    let trees = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [
            {"id": "i1", "material_id": "m", "position": 1, "points": 2, "question_id": questions[0]},
            {"id": "i2", "material_id": "m", "position": 2, "points": 4, "question_id": questions[1]},
        ],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m", "quiz_id": id}],
    });
    assert_eq!(load(&school.admin, "self", &trees).await.is(200)["error_count"], 0);
    let path = course.path(&format!("/quizzes/{id}"));
    let mut students = Vec::new();
    for _ in 0..3 {
        students.push(course.member(&school, "StudentEnrollment").await);
    }
    let district = District::of(school).await;
    let classroom = district.first("classrooms").await;
    let percents = async || {
        let report = district.get(&format!("reports/item_analysis?filter[classroom_id]={classroom}")).await.is(200);
        let rows = report["data"]["rows"].as_array().unwrap();
        rows.iter().map(|row| row["percent_correct"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(percents().await, [0, 0], "nobody has taken it");
    for (student, oak) in students.iter().zip([true, false, true]) {
        take(student, &path, &questions, oak).await;
    }
    assert_eq!(percents().await, [67, 0], "two of three, and nobody has read the essays");
    // While another attempt runs, the last finished one counts; when it is finished, it counts instead.
    begin(&students[0], &path).await;
    assert_eq!(percents().await, [67, 0]);
    take(&students[1], &path, &questions, true).await;
    assert_eq!(percents().await, [100, 0]);
    // What was loaded counts beside it.
    let score = json!({"item_scores": [
        {"id": "r", "assessment_id": "a", "item_id": "i1", "points_earned": 0, "points_possible": 6},
    ]});
    load(&district.school.admin, "self", &score).await.is(200);
    assert_eq!(percents().await, [50, 0]);
}

#[tokio::test]
async fn a_district_below_a_school_reads_no_quizzes_beside_it() {
    let school = School::start().await;
    let beside = school.course("Botany").await;
    let (quiz_id, questions) = quiz(&school.admin, &beside).await;
    let account = json!({"account": {"name": "District"}});
    let account = school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id();
    let data = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [{"id": "i", "material_id": "m", "position": 1, "question_id": questions[0]}],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m", "quiz_id": quiz_id}],
    });
    let loaded = load(&school.admin, &account.to_string(), &data).await.is(200);
    let messages: Vec<_> = loaded["errors"].as_array().unwrap().iter().map(|error| &error["message"]).collect();
    assert_eq!(messages, ["question_id names nothing that is there", "quiz_id names nothing that is there"]);
    // The district above has both.
    assert_eq!(load(&school.admin, "self", &data).await.is(200)["error_count"], 0);
}

#[tokio::test]
async fn numbers_that_would_overflow_are_not_loaded() {
    let school = School::start().await;
    let great = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [
            {"id": "i", "material_id": "m", "position": 1, "points": i32::MAX},
            {"id": "j", "material_id": "m", "position": 2, "points": i32::MAX},
            {"id": "k", "material_id": "m", "position": 3, "points": i64::MAX},
        ],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m"}],
        "item_scores": [
            {"id": "r", "assessment_id": "a", "item_id": "i", "points_earned": 1e308, "points_possible": 1e308},
        ],
    });
    assert_eq!(load(&school.admin, "self", &great).await.is(200)["error_count"], 2);
    let district = District::of(school).await;
    let total = 2 * i64::from(i32::MAX);
    assert_eq!(district.get("materials").await.is(200)["data"][0]["attributes"]["total_score"], total);
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
    // Who belongs to no school is none of those that it may read of.
    assert_eq!(titles(&listed, "last_name"), ["Moreno"]);
    assert_eq!(listed["meta"]["total_count"], 1);
    for id in ids(&district.get("teachers").await.is(200)) {
        let status = restricted.get(&format!("/api/v2/teachers/{id}")).await.status;
        assert_eq!(status, if ids(&listed).contains(&id) { 200 } else { 403 });
    }
    // What knows no schools is the whole district's.
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
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for _ in 0..20 {
        // Both credentials share it.
        let calls = (0..16).map(|number| if number % 2 == 0 { &second } else { &district.reader });
        for answer in join_all(calls.map(|reader| async move { reader.get("/api/v2/districts").await })).await {
            *statuses.entry(answer.status).or_default() += 1;
            if answer.status == 429 {
                let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
                assert!((1..=60).contains(&wait));
            }
        }
    }
    assert_eq!(statuses, BTreeMap::from([(200, 299), (429, 21)]));
    refused(district.get("districts").await, 429, "rate_limited");
}

#[tokio::test]
async fn a_client_asks_for_fifteen_tokens_in_five_minutes() {
    let district = District::start().await;
    let (id, secret) = credential(&district.school.admin, "self", json!({})).await;
    let nobody = district.reader.without_token();
    let answers = join_all((0..20).map(|_| token(&nobody, &id, &secret))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 15);
    let late = refused(token(&nobody, &id, &secret).await, 429, "rate_limited");
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
}

#[tokio::test]
async fn loading_again_changes_and_does_not_double() {
    let school = School::start().await;
    let first = load(&school.admin, "self", &data()).await.is(200);
    assert_eq!(first["imported"]["teachers"], json!({"created": 2, "updated": 0}));
    assert_eq!(first["error_count"], 0, "{first}");
    let again = load(&school.admin, "self", &data()).await.is(200);
    for (kind, counts) in again["imported"].as_object().unwrap() {
        assert_eq!(counts, &json!({"created": 0, "updated": 0}), "{kind}");
    }
    let change = json!({"teachers": [
        {"id": "t1", "last_name": "Moreno-Diaz"}, {"id": "t3", "last_name": "New"}, {"id": "t4", "last_name": " "},
        {"id": "t5", "last_name": "X", "school_id": "nowhere"}, {"last_name": "Nobody"},
    ]});
    let changed = load(&school.admin, "self", &change).await.is(200);
    assert_eq!(changed["imported"]["teachers"], json!({"created": 1, "updated": 1}));
    assert_eq!(changed["error_count"], 3);
    let mut errors = changed["errors"].as_array().unwrap().iter();
    assert!(errors.any(|error| error["message"] == "school_id names nothing that is there"), "{changed}");
    let district = District::of(school).await;
    let teachers = district.get("teachers").await.is(200);
    assert_eq!(titles(&teachers, "last_name"), ["Moreno-Diaz", "Abel", "New"]);
    assert_eq!(teachers["data"][0]["attributes"]["email"], "ada@school.test", "what is not named stays");
    assert_eq!(teachers["meta"]["total_count"], 3);
}

#[tokio::test]
async fn documents_that_make_no_sense_are_refused() {
    let school = School::start().await;
    load(&school.admin, "self", &json!({"students": []})).await.is_refused(400, "students");
    load(&school.admin, "self", &json!([1])).await.is(400);
    let path = "/api/v1/accounts/self/mastery_imports";
    school.admin.post(path).body("application/json", "{").await.is(400);
    for (text, words) in [
        (r#"{"schools": [{"id": "1", "name": "A"}, 7]}"#, "schools[1] is no object"),
        (r#"{"schools": {"id": "1", "name": "A"}}"#, "schools must be a list"),
        (r#"{"schools": [{"id": "1", "name": "A"}], "teachers": null}"#, "teachers must be a list"),
        (r#"{"schools": [{"id": "1", "name": "A"}], "teachers": [{]}"#, "no JSON at byte"),
        (r#"{"schools": [{"id": "1", "name": "A"}]"#, "ends too early"),
        (r#"{"CFDocument": [], "CFItems": []}"#, "CFDocument must be an object"),
    ] {
        school.admin.post(path).body("application/json", text).await.is_refused(400, words);
    }
    let long = format!(r#"{{"schools": [{{"id": "1", "name": "{}"}}]}}"#, "x".repeat(2 << 20));
    school.admin.post(path).body("application/json", long).await.is_refused(400, "longer than 1048576 bytes");
    // Nothing of all this was loaded.
    let loaded = load(&school.admin, "self", &json!({"schools": [{"id": "1", "name": "A"}]})).await.is(200);
    assert_eq!(loaded["imported"]["schools"]["created"], 1);
    school.admin.post(path).body("text/plain", "x").await.is(415);
    school.admin.post(path).body("text/csv", "a,b\n").await.is_refused(400, "file");
    school.person("someone").await.post(path).json(json!({})).await.is_forbidden();
}

#[tokio::test]
async fn lists_are_loaded_in_the_order_in_which_they_refer_to_one_another() {
    let school = School::start().await;
    let teachers: Vec<_> = (0..1_200).map(|id| json!({"id": id, "last_name": "A", "school_id": id % 700})).collect();
    let schools: Vec<_> = (0..700).map(|id| json!({"id": id, "name": format!("School {id}")})).collect();
    // Serialised, `classrooms` comes before `schools`, and `schools` before `teachers`.
    let classrooms = json!([{"id": "c", "title": "Lab", "teacher_id": 1_199, "school_id": 3}]);
    let data = json!({"classrooms": classrooms, "schools": schools, "teachers": teachers});
    let loaded = load(&school.admin, "self", &data).await.is(200);
    assert_eq!((&loaded["error_count"], &loaded["complete"]), (&json!(0), &json!(true)), "{loaded}");
    assert_eq!(loaded["imported"]["teachers"]["created"], 1_200);
    // Half of a pair of surrogates is no text.
    let wrong = r#"{"teachers": [{"id": 1198, "last_name": "B"}, {"id": "x", "last_name": "\ud83d"}]}"#;
    let changed = school.admin.post("/api/v1/accounts/self/mastery_imports").body("application/json", wrong);
    let changed = changed.await.is(200);
    assert_eq!(changed["imported"]["teachers"], json!({"created": 0, "updated": 1}), "{changed}");
    assert_eq!(changed["errors"][0]["place"], 1, "{changed}");
    let district = District::of(school).await;
    let listed = district.get("teachers?page[size]=100&page[number]=12").await.is(200);
    assert_eq!((ids(&listed).len(), &listed["meta"]["total_count"]), (100, &json!(1_200)));
    assert_eq!(listed["data"][98]["attributes"]["last_name"], "B");
}

#[tokio::test]
async fn frameworks_come_from_case() {
    let school = School::start().await;
    let package = json!({
        "CFDocument": {"identifier": "d1", "title": "Science"},
        "CFItems": [
            {"identifier": "n1", "humanCodingScheme": "NGSS.4", "fullStatement": "Energy", "educationLevel": ["04"]},
            {"identifier": "n2", "fullStatement": "Waves"},
        ],
    });
    let loaded = load(&school.admin, "self", &package).await.is(200);
    assert_eq!(loaded["imported"]["objectives"]["created"], 2);
    let rest = json!({
        "classrooms": [{"id": "c", "title": "Lab"}],
        "class_objectives": [{"id": "co", "classroom_id": "c", "objective_id": "n1", "name": "NGSS.4"}],
    });
    load(&school.admin, "self", &rest).await.is(200);
    let district = District::of(school).await;
    let classroom = district.first("classrooms").await;
    let objectives = district.get(&format!("classrooms/{classroom}/objectives")).await.is(200);
    assert_eq!(objectives["data"][0]["attributes"]["name"], "NGSS.4");
    assert_eq!(objectives["data"][0]["attributes"]["description"], "Energy");
}

#[tokio::test]
async fn rosters_come_from_oneroster() {
    let school = School::start().await;
    let send = async |file: &str, csv: &str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        school.admin.post(&path).body("text/csv", csv.to_owned()).await.is(200)
    };
    send("orgs", "sourcedId,status,dateLastModified,name,type,identifier\no1,active,,Lakeside,school,0612\no0,active,,All,district,\n").await;
    send(
        "roles",
        "sourcedId,userSourcedId,roleType,role,orgSourcedId\nr1,u1,primary,teacher,o1\nr2,u2,primary,student,o1\n",
    )
    .await;
    let users = "sourcedId,enabledUser,username,givenName,familyName,email\nu1,true,ada,Ada,\"Moreno, Jr\",ada@school.test\nu2,true,bo,Bo,Boy,\n";
    send("users", users).await;
    let classes = "sourcedId,status,title,schoolSourcedId,subjects,periods\nk1,active,Math 4,o1,\"Math,Algebra\",2\nk2,tobedeleted,Old,o1,,\n";
    let loaded = send("classes", classes).await;
    assert_eq!(loaded["imported"]["classrooms"]["created"], 2);
    let enrolled = send(
        "enrollments",
        "sourcedId,classSourcedId,userSourcedId,role,primary\ne1,k1,u1,teacher,true\ne2,k1,u2,student,\n",
    )
    .await;
    assert_eq!(enrolled["imported"]["classrooms"]["updated"], 1);
    let wrong = send("classes", "sourcedId,title,schoolSourcedId\nk3,,o1\nk4,Fine,nowhere\n").await;
    assert!(wrong["error_count"].as_i64().unwrap() >= 3, "{wrong}");
    assert_eq!(wrong["errors"][0]["place"], 2);

    let district = District::of(school).await;
    let teachers = district.get("teachers").await.is(200);
    assert_eq!(titles(&teachers, "last_name"), ["Moreno, Jr"]);
    let classrooms = district.get("classrooms?filter[archived]=false").await.is(200);
    assert_eq!(titles(&classrooms, "title"), ["Math 4"]);
    assert_eq!(classrooms["data"][0]["relationships"]["teacher"]["data"]["id"], teachers["data"][0]["id"]);
    assert_eq!(district.get("sections?filter[archived]=true").await.is(200)["meta"]["total_count"], 1);
}
