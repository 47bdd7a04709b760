//! Imports of a data set, of which the difference is applied.

use serde_json::{Value, json};
use support::{Client, School};

use super::{File, USERS, course_of, errors, import, import_with, import_zip, message};

const COURSES: &str = "course_id,short_name,long_name,status\nC1,BOT,Botany,published\nC2,ZOO,Zoology,published\n";
const ENROLLMENTS: &str = "course_id,user_id,role,status
C1,U1,teacher,active
C1,U2,student,active
C1,U3,student,active
";
const ALL: [File<'static>; 3] = [("users.csv", USERS), ("courses.csv", COURSES), ("enrollments.csv", ENROLLMENTS)];
const SET: &str = "diffing_data_set_identifier=all:2026";

async fn states(admin: &Client) -> Vec<Value> {
    let states = "state[]=active&state[]=completed&state[]=inactive&state[]=deleted";
    let list = admin.get(&format!("/api/v1/courses/sis_course_id:C1/enrollments?{states}")).await.is(200);
    list.json.as_array().unwrap().iter().map(|enrollment| enrollment["enrollment_state"].clone()).collect()
}

async fn rename(admin: &Client, course: i64, name: &str) {
    admin.put(&format!("/api/v1/courses/{course}")).json(json!({ "course": { "name": name } })).await.is(200);
}

#[tokio::test]
async fn only_what_differs_is_applied_and_what_is_gone_is_deleted() {
    let admin = School::start().await.admin;
    let first = import_with(&admin, SET, &ALL).await;
    assert_eq!((&first["workflow_state"], &first["diffed_against_import_id"]), (&json!("imported"), &Value::Null));
    assert_eq!(first["diffing_data_set_identifier"], "all:2026");
    let course = course_of(&admin, "C1").await;
    rename(&admin, course, "By hand").await;

    let same = import_with(&admin, SET, &ALL).await;
    assert_eq!(same["diffed_against_import_id"], first.id());
    assert_eq!(same["data"]["counts"], json!({ "users": 0, "courses": 0, "enrollments": 0 }));
    assert_eq!(same["statistics"], json!({ "total_state_changes": 0 }));
    assert_eq!(admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["name"], "By hand");

    let less = [
        (
            "users.csv",
            "user_id,login_id,first_name,last_name,status\nU1,ada,Ada,King,active\nU2,carl,Carl,Linnaeus,active\n",
        ),
        ("enrollments.csv", "course_id,user_id,role,status\nC1,U1,teacher,active\n"),
    ];
    let less = import_with(&admin, SET, &less).await;
    assert_eq!(errors(&admin, less.id()).await, Vec::<Value>::new());
    assert_eq!(less["data"]["counts"], json!({ "users": 1, "enrollments": 0 }));
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U1").await.is(200)["name"], "Ada King");
    admin.get("/api/v1/users/sis_user_id:U3").await.is_not_found();
    assert_eq!(states(&admin).await, ["active", "deleted", "deleted"]);
    // There was no file of courses, so that none of them is gone.
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);

    let back = import_with(&admin, SET, &ALL).await;
    assert_eq!(back["data"]["counts"]["enrollments"], 2, "{back}");
    assert_eq!(states(&admin).await.iter().filter(|state| **state == "active").count(), 3);
}

#[tokio::test]
async fn enrollments_that_are_gone_end_as_asked() {
    let admin = School::start().await.admin;
    import_with(&admin, SET, &ALL).await;
    let less = [("enrollments.csv", "course_id,user_id,role,status\nC1,U1,teacher,active\n")];
    let done = import_with(&admin, &format!("{SET}&diffing_drop_status=inactive"), &less).await;
    assert_eq!(done["diffing_drop_status"], "inactive");
    assert_eq!(done["statistics"]["Enrollment"]["deactivated"], 2, "{done}");
    assert_eq!(states(&admin).await, ["active", "inactive", "inactive"]);
}

#[tokio::test]
async fn an_enrollment_that_is_written_in_another_way_is_not_gone() {
    let admin = School::start().await.admin;
    let sections = ("sections.csv", "section_id,course_id,name,status\nS1,C1,One,active\n");
    let before = "course_id,section_id,user_id,role,status\nC1,S1,U1,teacher,active\nC1,S1,U2,student,active\nC1,S1,U3,student,active\n";
    import_with(&admin, SET, &[ALL[0], ALL[1], sections, ("enrollments.csv", before)]).await;
    let after = "course_id,section_id,user_id,role,status\n,S1,U1,teacher,active\nC1,S1,U2,Student,active\n";
    let done = import_with(&admin, SET, &[("enrollments.csv", after)]).await;
    assert_eq!(states(&admin).await, ["active", "active", "deleted"], "{done}");

    // The way in which it was written before is forgotten, and that of now is what is compared.
    let none = [("enrollments.csv", "course_id,section_id,user_id,role,status\n,S1,U1,teacher,active\n")];
    import_with(&admin, SET, &none).await;
    assert_eq!(states(&admin).await, ["active", "deleted", "deleted"]);
}

#[tokio::test]
async fn a_new_master_is_applied_as_a_whole_and_deletes_nothing() {
    let admin = School::start().await.admin;
    import_with(&admin, SET, &ALL).await;
    let course = course_of(&admin, "C1").await;
    rename(&admin, course, "By hand").await;
    let master = [("courses.csv", "course_id,short_name,long_name,status\nC1,BOT,Botany,published\n")];
    let query = format!("{SET}&diffing_remaster_data_set=true&override_sis_stickiness=true");
    let master = import_with(&admin, &query, &master).await;
    assert_eq!((&master["diffing_remaster"], &master["diffed_against_import_id"]), (&json!(true), &Value::Null));
    assert_eq!(admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["name"], "Botany");
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    // The next one is compared with it: to that C2 is new.
    let next = import_with(&admin, SET, &[("courses.csv", COURSES)]).await;
    assert_eq!(next["diffed_against_import_id"], master.id());
    assert_eq!(next["data"]["counts"], json!({ "courses": 1 }));
}

#[tokio::test]
async fn where_too_much_differs_all_is_applied_and_the_data_set_stays() {
    let admin = School::start().await.admin;
    let first = import_with(&admin, SET, &ALL).await;
    let less = [("courses.csv", "course_id,short_name,long_name,status\nC1,BOT,Botany,published\n")];
    for (query, words) in [
        ("change_threshold=5", "Diffing not performed because file size difference exceeded threshold"),
        (
            "diff_row_count_threshold=0&change_threshold=5",
            "Diffing not performed because file size difference exceeded threshold",
        ),
    ] {
        let done = import_with(&admin, &format!("{SET}&{query}"), &less).await;
        assert_eq!(message(&admin, &done).await, words);
        assert_eq!(done["diffing_threshold_exceeded"], true);
        assert_eq!(done["data"]["counts"], json!({ "courses": 1 }));
    }
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);

    let other = [("courses.csv", "course_id,short_name,long_name,status\nC1,B,Botany I,published\n")];
    let query = |most: usize| format!("{SET}&diff_row_count_threshold={most}");
    let too_many = import_with(&admin, &query(1), &other).await;
    let words = "Diffing not performed because difference row count exceeded threshold";
    assert_eq!(message(&admin, &too_many).await, words);
    assert_eq!(too_many["diffed_against_import_id"], Value::Null);
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    assert_eq!(admin.get("/api/v1/courses/sis_course_id:C1").await.is(200)["name"], "Botany I");

    let few = import_with(&admin, &query(10), &[("courses.csv", COURSES)]).await;
    assert_eq!(
        (&few["diffing_threshold_exceeded"], &few["diffed_against_import_id"]),
        (&json!(false), &json!(first.id()))
    );
    assert_eq!(few["data"]["counts"], json!({ "courses": 0 }), "the data set has these rows already");
}

#[tokio::test]
async fn a_row_that_was_refused_is_tried_again() {
    let admin = School::start().await.admin;
    let early = import_with(&admin, SET, &[("enrollments.csv", ENROLLMENTS)]).await;
    assert_eq!(errors(&admin, early.id()).await.len(), 3);
    import_zip(&admin, &[("users.csv", USERS), ("courses.csv", COURSES)]).await;
    let again = import_with(&admin, SET, &[("enrollments.csv", ENROLLMENTS)]).await;
    assert_eq!(again["data"]["counts"], json!({ "enrollments": 3 }));
    assert_eq!(states(&admin).await.len(), 3);
}

#[tokio::test]
async fn another_identifier_and_another_tenant_have_their_own_rows() {
    let (school, other) = (School::start().await, School::start().await);
    import_with(&school.admin, SET, &[("users.csv", USERS)]).await;
    let others = import_with(&other.admin, SET, &[("users.csv", USERS)]).await;
    assert_eq!((&others["diffed_against_import_id"], &others["data"]["counts"]["users"]), (&Value::Null, &json!(3)));
    let header = "user_id,login_id,status\nU9,nina,active\n";
    import_with(&school.admin, "diffing_data_set_identifier=other", &[("users.csv", header)]).await;
    school.admin.get("/api/v1/users/sis_user_id:U1").await.is(200);
    import(&school.admin, header).await;
}
