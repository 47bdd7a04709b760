//! Terms, and sections that are taught in another course.

use serde_json::{Value, json};
use support::{Client, School};

use super::{WHOLE, course_of, errors, import, import_zip, log, message};

const TERMS: &str = "term_id,name,status,date_override_enrollment_type,start_date,end_date
T1,Autumn,active,,2026-09-01,2027-01-31
T1,,active,StudentEnrollment,2026-09-08,
T2,Spring,active,,,
";

async fn term(admin: &Client, sis: &str) -> Value {
    admin.get(&format!("/api/v1/accounts/self/terms/sis_term_id:{sis}")).await.is(200).json
}

#[tokio::test]
async fn terms_come_with_dates_for_all_and_for_some() {
    let admin = School::start().await.admin;
    let done = import(&admin, TERMS).await;
    assert_eq!(done["workflow_state"], "imported", "{done}");
    assert_eq!(done["data"]["counts"], json!({ "terms": 3 }));
    let autumn = term(&admin, "T1").await;
    assert_eq!((&autumn["name"], &autumn["workflow_state"]), (&json!("Autumn"), &json!("active")));
    assert_eq!(autumn["start_at"], "2026-09-01T00:00:00Z");
    assert_eq!(autumn["end_at"], "2027-01-31T00:00:00Z");
    assert_eq!(autumn["overrides"]["StudentEnrollment"]["start_at"], "2026-09-08T00:00:00Z");
    assert_eq!(autumn["overrides"]["StudentEnrollment"]["end_at"], Value::Null);
    assert_eq!(autumn["sis_import_id"], done.id());
    assert_eq!(admin.get(&format!("/api/v1/accounts/self/terms/{}", autumn["id"])).await.is(200).json, autumn);

    let gone = "term_id,name,status,date_override_enrollment_type\nT1,,deleted,StudentEnrollment\n";
    import(&admin, gone).await;
    assert_eq!(term(&admin, "T1").await["overrides"], json!({}));

    let courses = "course_id,short_name,long_name,term_id,status\nC1,B,Botany,T1,active\nC2,Z,Zoology,T9,active\n";
    let courses = import(&admin, courses).await;
    assert_eq!(message(&admin, &courses).await, "Term T9 doesn't exist for course C2");
    assert_eq!(courses["data"]["counts"], json!({ "courses": 2 }));
    let of = async |sis: &str| {
        admin.get(&format!("/api/v1/courses/sis_course_id:{sis}")).await.is(200)["enrollment_term_id"].clone()
    };
    let default = admin.get("/api/v1/accounts/self/terms/default").await.is(200)["id"].clone();
    assert_eq!((of("C1").await, of("C2").await), (autumn["id"].clone(), default));

    let in_use = import(&admin, "term_id,name,status\nT1,Autumn,deleted\n").await;
    assert_eq!(message(&admin, &in_use).await, "Term T1 has courses and cannot be deleted");
    import(&admin, "term_id,name,status\nT2,Spring,deleted\n").await;
    admin.get("/api/v1/accounts/self/terms/sis_term_id:T2").await.is_not_found();
    let names = async |query: &str| -> Vec<Value> {
        let list = admin.get(&format!("/api/v1/accounts/self/terms{query}")).await.is(200);
        list["enrollment_terms"].as_array().unwrap().iter().map(|term| term["name"].clone()).collect()
    };
    assert_eq!(names("").await, ["Default Term", "Autumn"]);
    assert_eq!(names("?workflow_state=deleted").await, ["Spring"]);
    assert_eq!(names("?workflow_state=all").await, ["Default Term", "Autumn", "Spring"]);
    assert_eq!(names("?workflow_state=all&term_name=spr").await, ["Spring"]);
    let counted = admin.get("/api/v1/accounts/self/terms?include[]=course_count").await.is(200);
    assert_eq!(counted["enrollment_terms"][1]["course_count"], 1);
}

#[tokio::test]
async fn terms_are_made_changed_and_deleted_by_hand() {
    let school = School::start().await;
    let admin = &school.admin;
    let (terms, start, end) = ("/api/v1/accounts/self/terms", "2026-09-01T00:00:00Z", "2027-01-31T00:00:00Z");
    let send = |form: Value| admin.post(terms).json(json!({ "enrollment_term": form }));
    let students = json!({ "StudentEnrollment": { "start_at": start } });
    let made = send(json!({ "name": "Autumn", "start_at": start, "sis_term_id": "T1", "overrides": students })).await;
    let made = made.is(200);
    assert_eq!((&made["name"], &made["start_at"], &made["end_at"]), (&json!("Autumn"), &json!(start), &Value::Null));
    assert_eq!((&made["sis_term_id"], &made["workflow_state"]), (&json!("T1"), &json!("active")));
    let dates = |start: Value, end: Value| json!({ "start_at": start, "end_at": end });
    assert_eq!(made["overrides"], json!({ "StudentEnrollment": dates(json!(start), Value::Null) }));
    assert_eq!(term(admin, "T1").await, made.json);

    for (form, words) in [
        (json!({ "sis_term_id": "T2" }), "enrollment_term[name]"),
        (json!({ "name": " " }), "can't be blank"),
        (json!({ "name": "x", "sis_term_id": "T1" }), "is already in use"),
        (json!({ "name": "x", "start_at": end, "end_at": start }), "End dates cannot be before start dates"),
        (json!({ "name": "x", "overrides": { "ObserverEnrollment": {} } }), "Invalid enrollment type in overrides"),
    ] {
        send(form.clone()).await.is_refused(400, words);
    }
    admin.post(terms).json(json!({})).await.is_refused(400, "enrollment_term");

    let path = format!("{terms}/{}", made.id());
    let change = |form: Value| admin.put(&path).json(json!({ "enrollment_term": form }));
    let changed =
        change(json!({ "end_at": end, "overrides": { "StudentEnrollment": { "end_at": end } } })).await.is(200);
    assert_eq!(
        (&changed["name"], &changed["start_at"], &changed["end_at"]),
        (&json!("Autumn"), &json!(start), &json!(end))
    );
    assert_eq!(changed["overrides"], json!({ "StudentEnrollment": dates(json!(start), json!(end)) }));
    for form in [
        json!({ "end_at": "2026-08-31T00:00:00Z" }),
        json!({ "start_at": "2027-02-01T00:00:00Z" }),
        json!({ "overrides": { "StudentEnrollment": { "start_at": "2027-02-01T00:00:00Z" } } }),
    ] {
        change(form).await.is_refused(400, "End dates cannot be before start dates");
    }
    let none = change(json!({ "start_at": "", "overrides": { "StudentEnrollment": null } })).await.is(200);
    assert_eq!((&none["start_at"], &none["overrides"]), (&Value::Null, &json!({})));
    let form = [("enrollment_term[overrides][TaEnrollment][start_at]", start)];
    let form = admin.put(&path).form(&form).await.is(200);
    assert_eq!(form["overrides"], json!({ "TaEnrollment": dates(json!(start), Value::Null) }));

    let course = json!({ "course": { "name": "Botany", "term_id": made.id() } });
    let course = admin.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
    admin.delete(&path).await.is_refused(400, "terms with courses cannot be deleted");
    let away = json!({ "course": { "term_id": "default" } });
    admin.put(&format!("/api/v1/courses/{course}")).json(away).await.is(200);
    assert_eq!(admin.delete(&path).await.is(200)["workflow_state"], "deleted");
    admin.get(&path).await.is_not_found();
    admin.put(&path).json(json!({ "enrollment_term": { "name": "x" } })).await.is_not_found();

    let default = format!("{terms}/default");
    admin.delete(&default).await.is_refused(400, "The default term");
    let rename = json!({ "enrollment_term": { "name": "Always" } });
    admin.put(&default).json(rename).await.is_refused(400, "The default term cannot be renamed");
    let dated = json!({ "enrollment_term": { "name": "Default Term", "end_at": end } });
    assert_eq!(admin.put(&default).json(dated).await.is(200)["end_at"], end);
}

#[tokio::test]
async fn courses_are_given_terms_and_found_by_them() {
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, TERMS).await;
    let (autumn, spring) = (term(admin, "T1").await, term(admin, "T2").await);
    let (course, teacher, student) = school.classroom("Botany").await;
    let set =
        |client: &Client, term: Value| client.put(&course.path("")).json(json!({ "course": { "term_id": term } }));
    let default = admin.get("/api/v1/accounts/self/terms/default").await.is(200)["id"].clone();
    assert_eq!(admin.get(&course.path("")).await.is(200)["enrollment_term_id"], default);
    assert_eq!(set(admin, json!("sis_term_id:T1")).await.is(200)["enrollment_term_id"], autumn["id"]);
    set(&teacher, spring["id"].clone()).await.is_forbidden();
    set(admin, json!("sis_term_id:T9")).await.is_not_found();
    set(admin, json!(0)).await.is_not_found();

    let shown = student.get(&course.path("?include[]=term")).await.is(200)["term"].clone();
    let expected = ["id", "name", "start_at", "end_at", "created_at", "workflow_state"];
    assert_eq!(shown, Value::from_iter(expected.map(|key| (key, autumn[key].clone()))));
    assert_eq!(student.get("/api/v1/courses?include[]=term").await.is(200).json[0]["term"], shown);
    assert_eq!(admin.get(&course.path("")).await.is(200)["term"], Value::Null);

    let of = async |term: &str| {
        admin.get(&format!("/api/v1/accounts/self/courses?enrollment_term_id={term}")).await.is(200).ids()
    };
    assert_eq!(of(&autumn["id"].to_string()).await, [course.id]);
    assert_eq!(of("sis_term_id:T2").await, [0; 0]);
    assert_eq!(of("default").await, [0; 0]);
    admin.get("/api/v1/accounts/self/courses?enrollment_term_id=0").await.is_not_found();
    let enrollments = [
        (&teacher, course.path("/enrollments")),
        (&student, format!("/api/v1/sections/{}/enrollments", course.default_section(&student).await)),
        (&student, "/api/v1/users/self/enrollments".to_owned()),
    ];
    for (client, path) in enrollments {
        let all = client.get(&path).await.is(200).ids();
        let of = async |term: &str| client.get(&format!("{path}?enrollment_term_id={term}")).await;
        assert!(!all.is_empty());
        assert_eq!(of("sis_term_id:T1").await.is(200).ids(), all, "{path}");
        assert_eq!(of(&autumn["id"].to_string()).await.is(200).ids(), all, "{path}");
        assert_eq!(of("default").await.is(200).ids(), [0; 0], "{path}");
        of("sis_term_id:T9").await.is_not_found();
    }
    assert_eq!(set(admin, Value::Null).await.is(200)["enrollment_term_id"], default);
    assert_eq!(of("default").await, [course.id]);
}

#[tokio::test]
async fn terms_belong_to_root_accounts_and_their_administrators() {
    let (school, other) = (School::start().await, School::start().await);
    import(&other.admin, TERMS).await;
    let theirs = term(&other.admin, "T1").await["id"].clone();
    school.admin.get(&format!("/api/v1/accounts/self/terms/{theirs}")).await.is_not_found();
    school.admin.get("/api/v1/accounts/self/terms/sis_term_id:T1").await.is_not_found();
    let (_, teacher, _) = school.classroom("Botany").await;
    teacher.get("/api/v1/accounts/self/terms").await.is_forbidden();
    let body = json!({ "enrollment_term": { "name": "Mine" } });
    teacher.post("/api/v1/accounts/self/terms").json(&body).await.is_forbidden();
    school.admin.put(&format!("/api/v1/accounts/self/terms/{theirs}")).json(&body).await.is_not_found();
    school.admin.delete(&format!("/api/v1/accounts/self/terms/{theirs}")).await.is_not_found();
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let terms = format!("/api/v1/accounts/{faculty}/terms");
    school.admin.get(&terms).await.is_refused(400, "root accounts only");
    school.admin.post(&terms).json(&body).await.is_refused(400, "root accounts only");
}

#[tokio::test]
async fn a_section_is_taught_in_another_course_and_comes_back() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let (home, other) = (course_of(admin, "C1").await, course_of(admin, "C2").await);
    let section = async || admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    let enrolled = async |course: i64| admin.get(&format!("/api/v1/courses/{course}/enrollments")).await.is(200).ids();
    let before = enrolled(home).await;
    let header = "xlist_course_id,section_id,status";
    let moved = import(admin, &format!("{header}\nC2,S1,active\n")).await;
    assert_eq!((&moved["workflow_state"], &moved["data"]["counts"]), (&json!("imported"), &json!({ "xlists": 1 })));
    assert_eq!((&section().await["course_id"], &section().await["nonxlist_course_id"]), (&json!(other), &json!(home)));
    assert_eq!(enrolled(home).await.len(), 0);

    // Files of sections and enrollments go on naming the course to which the section belongs.
    let again = import_zip(admin, &WHOLE).await;
    // Those in it have left the groups of its own course.
    let passed_over = errors(admin, again.id()).await;
    assert!(passed_over.iter().all(|error| error["file"] == "memberships.csv"), "{passed_over:?}");
    assert_eq!(section().await["course_id"], other);
    assert_eq!(enrolled(other).await.len(), 4);

    import(admin, &format!("{header}\nC9,S1,deleted\n")).await;
    assert_eq!(section().await["course_id"], other, "it is taught in another course than C9");
    import(admin, &format!("{header}\nC2,S1,deleted\n")).await;
    assert_eq!((&section().await["course_id"], &section().await["nonxlist_course_id"]), (&json!(home), &Value::Null));
    assert_eq!(enrolled(home).await, before);
}

#[tokio::test]
async fn a_course_that_is_not_there_is_made_for_its_sections_and_gives_them_back() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let home = course_of(admin, "C1").await;
    import(admin, "xlist_course_id,section_id,status\nX1,S1,active\n").await;
    let made = admin.get("/api/v1/courses/sis_course_id:X1").await.is(200);
    assert_eq!((&made["name"], &made["workflow_state"]), (&json!("Botany"), &json!("unpublished")));
    assert_eq!(log(admin, made.id()).await[0].0, "created");
    let section = async || admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    assert_eq!(section().await["course_id"], made.id());
    import(admin, "course_id,short_name,long_name,status\nX1,X,Botany,deleted\n").await;
    assert_eq!((&section().await["course_id"], &section().await["nonxlist_course_id"]), (&json!(home), &Value::Null));
}
