//! Imports that are taken back, and those that are worked on.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Response, School};

use super::{IMPORTS, WHOLE, course_of, import, import_zip, log, zip};

/// The progress when it has ended.
pub(super) async fn restored(admin: &Client, import: i64, query: &str) -> Response {
    let progress = admin.put(&format!("{IMPORTS}/{import}/restore_states{query}")).await.is(200);
    assert_eq!((&progress["context_type"], &progress["tag"]), (&json!("SisBatch"), &json!("sis_batch_state_restore")));
    for _ in 0..600 {
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
    for _ in 0..600 {
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
