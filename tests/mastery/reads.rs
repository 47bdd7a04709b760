//! The thirty reads, and every row of the error table.

use serde_json::{Value, json};
use support::School;

use super::{District, credential, ids, load, reader, refused, titles};

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
    refused(district.reader.post("/api/v2/teachers").await, 405, "not_found");

    let flag = "/api/v1/accounts/self/features/flags/mastery_api";
    admin.put(flag).json(json!({"state": "off"})).await.is(200);
    refused(district.get("teachers").await, 403, "feature_disabled");
    admin.put(flag).json(json!({"state": "on"})).await.is(200);
    district.get("teachers").await.is(200);
}

/// A list: its path, filters with a value and the number of records that are left, and sorts.
type List = (String, Vec<(&'static str, String, usize)>, Vec<&'static str>);

async fn lists(district: &District) -> Vec<List> {
    let account = district.school.account;
    let first = async |path: &str| district.first(path).await;
    let (school, teacher) = (first(&format!("districts/{account}/schools")).await, first("teachers").await);
    let (classroom, material) = (first("classrooms").await, first("materials").await);
    let (bank, map) = (first("banks").await, first("curriculum_maps").await);
    let objective = first(&format!("classrooms/{classroom}/objectives")).await;
    vec![
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
    ]
}

#[tokio::test]
async fn every_list_has_its_filters_and_sorts_and_no_others() {
    let district = District::start().await;
    for list in lists(&district).await {
        has_its_filters_and_sorts(&district, list).await;
    }
}

async fn has_its_filters_and_sorts(district: &District, (path, filters, sorts): List) {
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
        let many = vec![sort; 2_001].join(",");
        assert_eq!(ids(&district.get(&format!("{path}?sort={many},-{sort}")).await.is(200)), up, "{path} {sort}");
    }
    let detail = refused(district.get(&format!("{path}?filter[shoe_size]=9")).await, 422, "validation_error");
    assert!(detail.body.contains("Unknown filter 'shoe_size'"), "{detail}");
    refused(district.get(&format!("{path}?sort=shoe_size")).await, 422, "validation_error");
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
}

#[tokio::test]
async fn parameters_that_an_endpoint_does_not_have_are_refused() {
    let district = District::start().await;
    let (classroom, bank) = (district.first("classrooms").await, district.first("banks").await);
    for path in [
        "classrooms?foo=1".to_owned(),
        "classrooms?filters[archived]=true".to_owned(),
        "classrooms?page[limit]=5".to_owned(),
        format!("classrooms/{classroom}?foo=1"),
        format!("classrooms/{classroom}?page[number]=1"),
        format!("classrooms/{classroom}/objectives?per_page=5"),
        format!("banks/{bank}/questions?foo[]=1"),
        format!("trackers/{classroom}/assessments?foo=1"),
        format!("reports/item_analysis?filter[classroom_id]={classroom}&page[number]=1"),
    ] {
        let answer = refused(district.get(&path).await, 422, "validation_error");
        assert!(answer["errors"][0]["detail"].as_str().unwrap().starts_with("Unknown parameter"), "{path}: {answer}");
    }
    // The token comes first, and a record that is not there last.
    let nobody = district.reader.without_token();
    refused(nobody.get("/api/v2/classrooms?foo=1").await, 401, "invalid_token");
    refused(nobody.get("/api/v2/classrooms?a=1&a[b]=2").await, 401, "invalid_token");
    refused(district.get("classrooms?a=1&a[b]=2").await, 422, "validation_error");
    refused(district.get("classrooms/0?foo=1").await, 422, "validation_error");
    district.get("classrooms?filter[archived]=true&sort=title&page[number]=1&page[size]=5").await.is(200);
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
async fn records_are_read_by_their_ids() {
    let district = District::start().await;
    for list in
        ["sections", "class_objectives", "curriculum_maps", "pathways", "banks", "materials", "classrooms", "teachers"]
    {
        let listed = district.get(list).await.is(200);
        let one = &listed["data"][0];
        let path = format!("{list}/{}", one["id"].as_str().unwrap());
        let read = district.get(&path).await.is(200);
        for name in ["id", "type"] {
            assert_eq!(read["data"][name], one[name], "{list}: {read}");
        }
        assert_eq!(read["data"]["attributes"]["created_at"], one["attributes"]["created_at"], "{list}: {read}");
        refused(district.get(&format!("{list}/999999999")).await, 404, "not_found");
    }
}
