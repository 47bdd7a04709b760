//! The loader.

use serde_json::json;
use support::{Response, School};

use crate::directory_races::Begun;

use super::{District, credential, data, ids, load, reader, refused, titles};

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
async fn of_two_imports_of_the_same_new_records_none_is_lost() {
    let school = School::start().await;
    let records = |name: &str| {
        let teachers: Vec<_> = (0..400).map(|id| json!({"id": id, "last_name": name, "email": "a@b.test"})).collect();
        json!({ "teachers": teachers })
    };
    let (one, other) = (records("Ada"), records("Eve"));
    let (one, other) = tokio::join!(load(&school.admin, "self", &one), load(&school.admin, "self", &other));
    let count = |answer: &Response, what: &str| answer["imported"]["teachers"][what].as_i64().unwrap();
    let (one, other) = (one.is(200), other.is(200));
    assert_eq!(count(&one, "created") + count(&other, "created"), 400);
    assert_eq!(count(&one, "updated") + count(&other, "updated"), 400, "{one} {other}");
    let last = if count(&one, "updated") == 400 { "Ada" } else { "Eve" };
    let district = District::of(school).await;
    let teachers = district.get("teachers?page[size]=100").await.is(200);
    assert_eq!(teachers["meta"]["total_count"], 400);
    assert_eq!(titles(&teachers, "last_name"), [last; 100]);
}

#[tokio::test]
async fn what_takes_its_time_to_come_in_is_told_to_who_asks_what_has_changed_since() {
    let district = District::of(School::start().await).await;
    for materials in [json!([{"id": "m", "title": "New"}]), json!([{"id": "m", "title": "Changed"}])] {
        let body = json!({ "materials": materials });
        let begun = Begun::post(&district.school.admin, "/api/v1/accounts/self/mastery_imports", body).await;
        let read_before = shared::clock::now().with_milliseconds();
        let path = format!("materials?filter[updated_since]={read_before}");
        assert_eq!(district.get(&path).await.is(200)["meta"]["total_count"], 0);
        assert_eq!(begun.status().await, "200");
        let changed = district.get(&path).await.is(200);
        assert_eq!(changed["meta"]["total_count"], 1, "{changed}");
    }
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
async fn a_record_with_a_nul_in_a_text_is_not_loaded() {
    let school = School::start().await;
    let pathways = json!({"pathways": [
        {"id": "p0", "name": "A"}, {"id": "p1", "name": "a\u{0}b"}, {"id": "p\u{0}2", "name": "B"},
        {"id": "p3", "name": "C", "subject_id": "x\u{0}"},
    ]});
    let loaded = load(&school.admin, "self", &pathways).await.is(200);
    assert_eq!(loaded["imported"]["pathways"], json!({"created": 1, "updated": 0}), "{loaded}");
    let errors = loaded["errors"].as_array().unwrap();
    let told: Vec<_> = errors.iter().map(|error| error["message"].as_str().unwrap()).collect();
    assert_eq!(told, ["name", "id", "subject_id"].map(|field| format!("{field} has a NUL character")));
    let package = json!({
        "CFDocument": {"identifier": "d", "title": "Math"}, "CFItems": [{"identifier": "i", "fullStatement": "A\u{0}B"}],
    });
    let loaded = load(&school.admin, "self", &package).await.is(200);
    assert_eq!(loaded["errors"][0]["message"], "name has a NUL character", "{loaded}");
    let district = District::of(school).await;
    assert_eq!(titles(&district.get("pathways").await.is(200), "name"), ["A"]);
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

#[tokio::test]
async fn what_oneroster_marks_as_gone_is_not_made() {
    let school = School::start().await;
    let send = async |file: &str, csv: &str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        let loaded = school.admin.post(&path).body("text/csv", csv.to_owned()).await.is(200);
        assert_eq!(loaded["error_count"], 0, "{loaded}");
        loaded["imported"].clone()
    };
    let made = json!({"created": 1, "updated": 0});
    let orgs = "sourcedId,status,name,type\no1,active,Lakeside,school\no2,tobedeleted,Closed,school\n";
    assert_eq!(send("orgs", orgs).await, json!({"schools": made}));
    let users = "sourcedId,status,givenName,familyName,role,orgSourcedIds\n\
        u1,active,Ada,Moreno,teacher,o1\nu2,tobedeleted,Bo,Left,teacher,o1\n";
    assert_eq!(send("users", users).await["teachers"], made);
    let roles = "sourcedId,status,userSourcedId,role,orgSourcedId\nr3,tobedeleted,u3,teacher,o1\n";
    assert_eq!(send("roles", roles).await, json!({}));
    // What was loaded before stays as it is.
    let gone = "sourcedId,status,name,type\no1,tobedeleted,Gone,school\n";
    assert_eq!(send("orgs", gone).await, json!({}));
    let district = District::of(school).await;
    let account = district.school.account;
    assert_eq!(titles(&district.get(&format!("districts/{account}/schools")).await.is(200), "name"), ["Lakeside"]);
    assert_eq!(titles(&district.get("teachers").await.is(200), "last_name"), ["Moreno"]);
}

#[tokio::test]
async fn what_a_oneroster_file_does_not_tell_stays() {
    let school = School::start().await;
    let send = async |file: &str, csv: &str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        let loaded = school.admin.post(&path).body("text/csv", csv.to_owned()).await.is(200);
        assert_eq!(loaded["error_count"], 0, "{loaded}");
        loaded["imported"].clone()
    };
    send("orgs", "sourcedId,name,type\no1,Lakeside,school\no2,Hillside,school\n").await;
    let roles = "userSourcedId,roleType,role,orgSourcedId\nu1,primary,teacher,o1\nu1,secondary,teacher,o2\n";
    send("roles", roles).await;
    send("users", "sourcedId,givenName,familyName,email\nu1,Ada,Moreno,ada@school.test\n").await;
    send("classes", "sourcedId,status,title,schoolSourcedId,subjects\nk1,tobedeleted,Math 4,o1,Math\n").await;
    send("lineItems", "sourcedId,title,classSourcedId,resultValueMax\nl1,Fractions,k1,20\n").await;

    // A role names the school of a teacher, and nobody anew.
    assert_eq!(send("roles", roles).await["teachers"], json!({"created": 0, "updated": 0}));
    send("users", "sourcedId,familyName\nu1,Moreno-Diaz\n").await;
    send("classes", "sourcedId,title\nk1,Math 5\n").await;
    send("lineItems", "sourcedId,classSourcedId\nl1,k1\n").await;

    let district = District::of(school).await;
    let teacher = district.get("teachers").await.is(200)["data"][0]["attributes"].clone();
    let classroom = district.get("classrooms").await.is(200)["data"][0]["attributes"].clone();
    assert_eq!(teacher["school_id"], classroom["school_id"]);
    let names = ["first_name", "last_name", "email"].map(|name| teacher[name].clone());
    assert_eq!(names, [json!("Ada"), json!("Moreno-Diaz"), json!("ada@school.test")]);
    let kept = ["title", "subject", "archived"].map(|name| classroom[name].clone());
    assert_eq!(kept, [json!("Math 5"), json!("Math"), json!(true)]);
    let material = district.first("materials").await;
    let item = district.get(&format!("materials/{material}/items")).await.is(200);
    assert_eq!(
        (&item["data"][0]["attributes"]["title"], &item["data"][0]["attributes"]["points"]),
        (&json!("Fractions"), &json!(20))
    );
}

#[tokio::test]
async fn the_primary_teacher_of_a_class_is_its_teacher_however_long_the_file_is() {
    let school = School::start().await;
    let send = async |file: &str, csv: String| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        school.admin.post(&path).body("text/csv", csv).await.is(200)
    };
    let users = "sourcedId,familyName,role\nu1,Moreno,teacher\nu2,Boy,teacher\n";
    send("users", users.to_owned()).await;
    send("classes", "sourcedId,title\nk1,Math 4\n".to_owned()).await;
    // Rows are loaded five hundred at a time.
    let students = "k1,s,student,\n".repeat(500);
    let header = "classSourcedId,userSourcedId,role,primary\n";
    send("enrollments", format!("{header}k1,u1,teacher,true\n{students}k1,u2,teacher,false\n")).await;

    let district = District::of(school).await;
    let teachers = district.get("teachers?sort=-last_name").await.is(200);
    assert_eq!(titles(&teachers, "last_name"), ["Moreno", "Boy"]);
    let classrooms = district.get("classrooms").await.is(200);
    assert_eq!(classrooms["data"][0]["relationships"]["teacher"]["data"]["id"], teachers["data"][0]["id"]);
}

#[tokio::test]
async fn a_oneroster_file_without_its_columns_is_refused() {
    let school = School::start().await;
    let send = async |file: &str, csv: &'static str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        school.admin.post(&path).body("text/csv", csv).await
    };
    send("orgs", "a,b\n1,2\n").await.is_refused(400, "The columns sourcedId, name, type are missing");
    send("results", "sourcedId,score\nr1,5\n").await.is_refused(400, "The column lineItemSourcedId is missing");
    send("users", "\n").await.is_refused(400, "The file is empty");
    let loaded = send("orgs", "TYPE,NAME,SOURCEDID,colour\nschool,Lakeside,o1,red\n").await.is(200);
    assert_eq!(loaded["imported"]["schools"]["created"], 1, "{loaded}");
}

#[tokio::test]
async fn grades_come_from_oneroster() {
    let school = School::start().await;
    let send = async |file: &str, csv: &str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        school.admin.post(&path).body("text/csv", csv.to_owned()).await.is(200)
    };
    send("classes", "sourcedId,status,title\nk1,active,Math 4\n").await;
    let line_items = "sourcedId,status,dateLastModified,title,description,classSourcedId,resultValueMin,resultValueMax\n\
        l1,active,,Fractions,A test,k1,0,20.0\nl2,active,,Lost,,nowhere,0,10\nl3,tobedeleted,,Gone,,k1,0,10\n";
    let loaded = send("lineItems.csv", line_items).await;
    assert_eq!(loaded["imported"]["assessments"], json!({"created": 1, "updated": 0}), "{loaded}");
    assert_eq!(loaded["errors"][0]["message"], "classroom_id names nothing that is there", "{loaded}");
    assert_eq!((&loaded["errors"][0]["place"], &loaded["error_count"]), (&json!(3), &json!(1)));

    let results = "sourcedId,status,lineItemSourcedId,studentSourcedId,scoreStatus,score\n\
        r1,active,l1,u1,fully graded,15\nr2,active,l1,u2,fully graded,5.0\nr3,active,l1,u3,exempt,\n\
        r4,active,nowhere,u1,fully graded,5\nr5,active,l1,u4,fully graded,much\n";
    let loaded = send("results", results).await;
    assert_eq!(loaded["imported"]["item_scores"], json!({"created": 2, "updated": 0}), "{loaded}");
    assert!(loaded.body.contains("assessment_id names nothing that is there"), "{loaded}");
    assert!(loaded.body.contains("points_earned is not a number"), "{loaded}");
    assert_eq!(send("results", results).await["imported"]["item_scores"], json!({"created": 0, "updated": 0}));
    let taken_back = "sourcedId,status,lineItemSourcedId,score\nr2,tobedeleted,l1,5.0\n";

    let path = "/api/v1/accounts/self/mastery_imports?file=grades";
    school.admin.post(path).body("text/csv", "a,b\n").await.is_refused(400, "lineItems");
    let admin = school.admin.clone();
    let district = District::of(school).await;
    let classroom = district.first("classrooms").await;
    let report = async || {
        let path = format!("reports/item_analysis?filter[classroom_id]={classroom}");
        let rows = district.get(&path).await.is(200)["data"]["rows"].clone();
        (rows[0]["item_title"].clone(), rows[0]["points"].clone(), rows[0]["percent_correct"].clone())
    };
    assert_eq!(report().await, (json!("Fractions"), json!(20), json!(50)));
    let path = "/api/v1/accounts/self/mastery_imports?file=results";
    admin.post(path).body("text/csv", taken_back.to_owned()).await.is(200);
    assert_eq!(report().await, (json!("Fractions"), json!(20), json!(75)));
}

#[tokio::test]
async fn a_bank_is_shared_with_another_district_until_the_share_ends() {
    let school = School::start().await;
    let account = async |name: &str| {
        let account = json!({"account": {"name": name}});
        school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id()
    };
    let (own, other) = (account("North").await, account("South").await);
    let own_path = own.to_string();
    load(&school.admin, &own_path, &data()).await.is(200);
    let share = |with: i64, active: bool| json!({"bank_shares": [{"id": "h1", "bank_id": "b1", "shared_with_id": with, "active": active}]});
    let (id, secret) = credential(&school.admin, &other.to_string(), json!({})).await;
    let reader = reader(&school.admin, &id, &secret).await;
    assert_eq!(reader.get("/api/v2/banks").await.is(200)["data"], json!([]));

    let loaded = load(&school.admin, &own_path, &share(other, true)).await.is(200);
    assert_eq!(loaded["imported"]["bank_shares"], json!({"created": 1, "updated": 0}), "{loaded}");
    let banks = reader.get("/api/v2/banks").await.is(200);
    assert_eq!(titles(&banks, "name"), ["Fractions"]);
    let bank = format!("/api/v2/banks/{}", ids(&banks)[0]);
    reader.get(&bank).await.is(200);
    let questions = reader.get(&format!("{bank}/questions")).await.is(200);
    assert_eq!(titles(&questions, "stem"), ["Why?"]);
    assert!(questions["data"][0]["attributes"]["objective_id"].is_i64(), "{questions}");
    assert_eq!(titles(&reader.get(&format!("{bank}/passages")).await.is(200), "title"), ["The river"]);

    // With nobody of another institution, nor with the district itself, nor a bank that is not the district's.
    let stranger = School::start().await.account;
    for share in [share(stranger, true), share(own, true), share(0, true)] {
        let refused = load(&school.admin, &own_path, &share).await.is(200);
        assert_eq!(refused["errors"][0]["message"], "shared_with_id names nothing that is there", "{refused}");
    }
    let foreign = load(&school.admin, &other.to_string(), &share(own, true)).await.is(200);
    assert_eq!(foreign["errors"][0]["message"], "bank_id names nothing that is there", "{foreign}");
    reader.get(&bank).await.is(200);

    let ended = load(&school.admin, &own_path, &share(other, false)).await.is(200);
    assert_eq!(ended["imported"]["bank_shares"], json!({"created": 0, "updated": 1}));
    refused(reader.get(&bank).await, 404, "not_found");
    refused(reader.get(&format!("{bank}/questions")).await, 404, "not_found");
    assert_eq!(reader.get("/api/v2/banks").await.is(200)["data"], json!([]));
}

#[tokio::test]
async fn a_oneroster_row_whose_points_cannot_count_makes_nothing() {
    let school = School::start().await;
    let send = async |file: &str, csv: &str| {
        let path = format!("/api/v1/accounts/self/mastery_imports?file={file}");
        school.admin.post(&path).body("text/csv", csv.to_owned()).await.is(200)
    };
    send("classes", "sourcedId,status,title\nk1,active,Math 4\n").await;
    let line_items = "sourcedId,title,classSourcedId,resultValueMax\n\
        l1,Words,k1,x\nl2,Halves,k1,10.5\nl3,Below,k1,-1\nl4,Fractions,k1,20.0\nl5,Without,k1,\n";
    let loaded = send("lineItems", line_items).await;
    for kind in ["materials", "items", "assessments"] {
        assert_eq!(loaded["imported"][kind], json!({"created": 2, "updated": 0}), "{loaded}");
    }
    let places: Vec<_> = loaded["errors"].as_array().unwrap().iter().map(|error| error["place"].clone()).collect();
    assert_eq!((&loaded["error_count"], places), (&json!(3), vec![json!(2), json!(3), json!(4)]));
    assert_eq!(loaded["errors"][0]["message"], "resultValueMax is not a whole number of 0 or more");

    let results = "sourcedId,lineItemSourcedId,scoreStatus,score\nr1,l4,fully graded,-5\nr2,l4,fully graded,0\n";
    let loaded = send("results", results).await;
    assert_eq!(loaded["imported"]["item_scores"], json!({"created": 1, "updated": 0}), "{loaded}");
    assert_eq!((&loaded["error_count"], &loaded["errors"][0]["place"]), (&json!(1), &json!(2)));
    assert_eq!(loaded["errors"][0]["message"], "score is less than 0");
}
