//! Imports that are taken back, and those that are worked on.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Response, School};

use super::{IMPORTS, WHOLE, course_of, import, import_zip, log, zip};

/// The progress when it has ended.
pub(super) async fn restored(admin: &Client, import: i64, query: &str) -> Response {
    let progress = admin.put(&format!("{IMPORTS}/{import}/restore_states{query}")).await.is(200);
    assert_eq!((&progress["context_type"], &progress["tag"]), (&json!("SisBatch"), &json!("sis_batch_state_restore")));
    for _ in 0..1_200 {
        let now = admin.get(&format!("/api/v1/progress/{}", progress.id())).await.is(200);
        if now["workflow_state"] == "completed" {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the import {import} is not restored");
}

async fn state_of(admin: &Client, import: i64) -> Value {
    admin.get(&format!("{IMPORTS}/{import}")).await.is(200)["workflow_state"].clone()
}

const GONE: [(&str, &str); 3] = [
    ("users.csv", "user_id,login_id,status\nU2,carl,deleted\n"),
    ("courses.csv", "course_id,short_name,long_name,status\nC1,BOT-1,Botany,completed\n"),
    ("sections.csv", "section_id,course_id,name,status\nS2,C1,Evening,deleted\n"),
];

#[tokio::test]
async fn records_get_the_states_that_they_had() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let course = course_of(&admin, "C1").await;
    let gone = import_zip(&admin, &GONE).await;
    assert_eq!(gone["workflow_state"], "imported", "{gone}");
    assert_eq!(gone["statistics"]["CourseSection"]["deleted"], 1, "{gone}");
    assert_eq!(gone["statistics"]["Course"]["concluded"], 1, "{gone}");
    assert_eq!(gone["statistics"]["Enrollment"]["deleted"], 2, "{gone}");
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();

    let progress = restored(&admin, gone.id(), "").await;
    assert_eq!(progress["completion"].as_f64(), Some(100.0));
    assert_eq!(state_of(&admin, gone.id()).await, "restored");
    admin.get("/api/v1/users/sis_user_id:U2").await.is(200);
    admin.get("/api/v1/sections/sis_section_id:S2").await.is(200);
    assert_eq!(admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["workflow_state"], "available");
    assert_eq!(log(&admin, course).await.last().unwrap().0, "unconcluded");
    let states = "state[]=active&state[]=completed";
    let enrollments = admin.get(&format!("/api/v1/courses/{course}/enrollments?{states}")).await.is(200);
    assert_eq!(enrollments.ids().len(), 4);
}

#[tokio::test]
async fn only_what_was_deleted_comes_back_where_that_is_asked_for() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let gone = import_zip(&admin, &GONE).await.id();
    restored(&admin, gone, "?unconclude_only=true").await;
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
    restored(&admin, gone, "?batch_mode=true").await;
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
    restored(&admin, gone, "?undelete_only=true").await;
    assert_eq!(state_of(&admin, gone).await, "partially_restored");
    admin.get("/api/v1/users/sis_user_id:U2").await.is(200);
    assert_eq!(admin.get("/api/v1/courses/sis_course_id:C1").await.is(200)["workflow_state"], "completed");
}

#[tokio::test]
async fn what_was_new_goes_and_what_was_changed_since_stays() {
    let admin = School::start().await.admin;
    let new = import_zip(&admin, &WHOLE).await;
    assert_eq!(new["statistics"]["Course"]["created"], 2, "{new}");
    assert_eq!(new["statistics"]["Pseudonym"]["created"], 3, "{new}");
    let course = course_of(&admin, "C2").await;
    admin.put(&format!("/api/v1/courses/{course}")).json(json!({ "offer": true })).await.is(200);
    restored(&admin, new.id(), "").await;
    admin.get("/api/v1/courses/sis_course_id:C1").await.is_not_found();
    admin.get("/api/v1/users/sis_user_id:U1").await.is_not_found();
    assert_eq!(admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["workflow_state"], "available");
}

#[tokio::test]
async fn only_administrators_restore_their_own_imports() {
    let (school, other) = (School::start().await, School::start().await);
    let theirs = import_zip(&other.admin, &WHOLE).await.id();
    school.admin.put(&format!("{IMPORTS}/{theirs}/restore_states")).await.is_not_found();
    let mine = import(&school.admin, "user_id,login_id,status\nU1,ada,active\n").await.id();
    let (_, teacher, _) = school.classroom("Botany").await;
    teacher.put(&format!("{IMPORTS}/{mine}/restore_states")).await.is_forbidden();
    teacher.get(&format!("{IMPORTS}/importing")).await.is_forbidden();
    let path = format!("{IMPORTS}/{mine}/restore_states?undelete_only=perhaps");
    school.admin.put(&path).await.is_refused(400, "undelete_only must be true or false");
}

#[tokio::test]
async fn an_import_that_is_worked_on_is_told_and_not_restored() {
    let school = School::start().await;
    let admin = &school.admin;
    assert_eq!(admin.get(&format!("{IMPORTS}/importing")).await.is(200).json, json!({ "sis_imports": [] }));
    let csv = super::enrollments(100_000);
    let id = admin.post(IMPORTS).body("application/zip", zip(&[("enrollments.csv", csv.as_str())])).await.is(200).id();
    for _ in 0..12_000 {
        let running = admin.get(&format!("{IMPORTS}/importing")).await.is(200);
        if running["sis_imports"][0]["id"] == id {
            admin.put(&format!("{IMPORTS}/{id}/restore_states")).await.is_refused(400, "The import has not ended");
            admin.put(&format!("{IMPORTS}/abort_all_pending")).await.is(200);
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the import {id} is never worked on");
}

#[tokio::test]
async fn a_user_who_goes_with_the_import_has_nothing_left() {
    let school = School::start().await;
    let admin = &school.admin;
    let row = "user_id,login_id,status\nU1,ada,active\n";
    let new = import(admin, row).await.id();
    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200).id();
    let course = school.course("Botany").await;
    support::enroll(admin, course.id, ada, "TeacherEnrollment").await;
    let group = admin.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    let members = format!("/api/v1/groups/{group}/memberships");
    admin.post(&members).json(json!({ "user_id": ada })).await.is(200);
    let admins = "/api/v1/accounts/self/admins";
    let before = admin.get(admins).await.is(200).ids();
    admin.post(admins).json(json!({ "user_id": ada })).await.is(200);
    restored(admin, new, "").await;
    admin.get("/api/v1/users/sis_user_id:U1").await.is_not_found();

    import(admin, row).await;
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U1").await.is(200).id(), ada);
    assert_eq!(admin.get(admins).await.is(200).ids(), before);
    assert_eq!(admin.get(&course.path("/enrollments")).await.is(200).ids(), [0; 0]);
    assert_eq!(admin.get(&members).await.is(200).ids(), [0; 0]);
}

#[tokio::test]
async fn what_has_come_into_use_since_stays() {
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, "course_id,short_name,long_name,status\nC1,BOT-1,Botany,published\n").await;
    let course = course_of(admin, "C1").await;
    let new = import_zip(
        admin,
        &[
            ("accounts.csv", "account_id,parent_account_id,name,status\nSCI,,Science,active\nBIO,SCI,Biology,active\n"),
            ("more.csv", "account_id,parent_account_id,name,status\nART,,Arts,active\nFILM,ART,Film,active\n"),
            ("terms.csv", "term_id,name,status\nT1,Autumn,active\nT2,Spring,active\n"),
            ("sections.csv", "section_id,course_id,name,status\nS1,C1,Morning,active\nS2,C1,Evening,active\n"),
        ],
    )
    .await;
    assert_eq!(new["workflow_state"], "imported", "{new}");
    let zoology = json!({ "course": { "name": "Zoology", "term_id": "sis_term_id:T1" } });
    admin.post("/api/v1/accounts/sis_account_id:BIO/courses").json(zoology).await.is(200);
    let person = school.person("ada").await;
    let enrollment = json!({ "enrollment": { "user_id": person.id, "enrollment_state": "active" } });
    admin.post("/api/v1/sections/sis_section_id:S1/enrollments").json(enrollment).await.is(200);

    restored(admin, new.id(), "").await;
    for used in ["accounts/sis_account_id:BIO", "accounts/sis_account_id:SCI", "sections/sis_section_id:S1"] {
        admin.get(&format!("/api/v1/{used}")).await.is(200);
    }
    for empty in ["accounts/sis_account_id:ART", "accounts/sis_account_id:FILM", "sections/sis_section_id:S2"] {
        admin.get(&format!("/api/v1/{empty}")).await.is_not_found();
    }
    admin.get("/api/v1/accounts/self/terms/sis_term_id:T1").await.is(200);
    admin.get("/api/v1/accounts/self/terms/sis_term_id:T2").await.is_not_found();
    assert_eq!(admin.get(&format!("/api/v1/courses/{course}/enrollments")).await.is(200).ids().len(), 1);
}

#[tokio::test]
async fn nothing_comes_back_into_what_is_gone_since() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let more = "course_id,short_name,long_name,account_id,term_id,status\nC3,MOS-1,Mosses,FUN,,published\nC4,FER-1,Ferns,,T1,active\n";
    let accounts = "account_id,parent_account_id,name,status\nFUN,,Fungi,active\n";
    let terms = "term_id,name,status\nT1,Autumn,active\n";
    import_zip(admin, &[("accounts.csv", accounts), ("terms.csv", terms), ("courses.csv", more)]).await;
    let (course, mosses, ferns) =
        (course_of(admin, "C1").await, course_of(admin, "C3").await, course_of(admin, "C4").await);
    let maria = admin.get("/api/v1/users/sis_user_id:U3").await.is(200).id();
    let gone = [
        ("sections.csv", "section_id,course_id,name,status\nS1,C1,Morning,deleted\nS2,C1,Evening,deleted\n"),
        ("courses.csv", "course_id,short_name,long_name,status\nC3,MOS-1,Mosses,deleted\nC4,FER-1,Ferns,deleted\n"),
    ];
    let gone = import_zip(admin, &gone).await;
    assert_eq!(gone["workflow_state"], "imported", "{gone}");
    let (fungi, autumn) = (
        admin.get("/api/v1/accounts/sis_account_id:FUN").await.is(200).id(),
        admin.get("/api/v1/accounts/self/terms/sis_term_id:T1").await.is(200).id(),
    );
    admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{fungi}")).await.is(200);
    admin.delete(&format!("/api/v1/accounts/self/terms/{autumn}")).await.is(200);
    admin.delete(&format!("/api/v1/accounts/self/users/{maria}")).await.is(200);

    restored(admin, gone.id(), "").await;
    admin.get("/api/v1/sections/sis_section_id:S2").await.is(200);
    let states = "state[]=active&state[]=completed";
    let enrollments = admin.get(&format!("/api/v1/courses/{course}/enrollments?{states}")).await.is(200);
    let of_maria = enrollments.json.as_array().unwrap().iter().any(|enrollment| enrollment["user_id"] == maria);
    assert!(enrollments.ids().len() == 3 && !of_maria, "{enrollments}");
    admin.get(&format!("/api/v1/courses/{mosses}")).await.is_not_found();
    assert_eq!(log(admin, mosses).await.last().unwrap().0, "deleted");
    let default = admin.get("/api/v1/accounts/self/terms/default").await.is(200).id();
    assert_eq!(admin.get(&format!("/api/v1/courses/{ferns}")).await.is(200)["enrollment_term_id"], default);
}

#[tokio::test]
async fn a_section_comes_back_before_the_many_who_were_in_it() {
    const STUDENTS: usize = 250;
    let admin = School::start().await.admin;
    let rows = |line: &dyn Fn(usize) -> String| (0..STUDENTS).map(line).collect::<String>();
    let users = format!("user_id,login_id,status\n{}", rows(&|number| format!("M{number},m{number},active\n")));
    let enrollments = rows(&|number| format!("C1,M{number},student,S1,active\n"));
    let enrollments = format!("course_id,user_id,role,section_id,status\n{enrollments}");
    let courses = "course_id,short_name,long_name,status\nC1,BOT-1,Botany,published\n";
    let sections = "section_id,course_id,name,status\nS1,C1,Morning,active\n";
    let files = [("u.csv", users.as_str()), ("c.csv", courses), ("s.csv", sections), ("e.csv", enrollments.as_str())];
    let new = import_zip(&admin, &files).await;
    let gone = import(&admin, "section_id,course_id,name,status\nS1,C1,Morning,deleted\n").await;
    assert_eq!(gone["statistics"]["Enrollment"]["deleted"], STUDENTS, "{gone}");
    let students = async || {
        let course = admin.get("/api/v1/courses/sis_course_id:C1?include[]=total_students").await.is(200);
        course["total_students"].clone()
    };
    assert_eq!(students().await, 0);
    restored(&admin, gone.id(), "").await;
    assert_eq!(students().await, STUDENTS);

    let section = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200).id();
    restored(&admin, new.id(), "").await;
    admin.get("/api/v1/courses/sis_course_id:C1").await.is_not_found();
    admin.get(&format!("/api/v1/sections/{section}")).await.is_not_found();
    admin.get("/api/v1/users/sis_user_id:M249").await.is_not_found();
}

#[tokio::test]
async fn a_course_that_goes_with_the_import_gives_its_sections_back() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let home = course_of(&admin, "C1").await;
    let new = import(&admin, "xlist_course_id,section_id,status\nX1,S1,active\n").await.id();
    let elsewhere = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    assert_eq!(elsewhere["nonxlist_course_id"], home);
    restored(&admin, new, "").await;
    let section = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    assert_eq!((&section["course_id"], &section["nonxlist_course_id"]), (&json!(home), &Value::Null));
    assert_eq!(admin.get(&format!("/api/v1/courses/{home}/enrollments")).await.is(200).ids().len(), 3);
}
