//! Imports that remove what they do not name.

use serde_json::{Value, json};
use support::{Client, School};

use super::{File, IMPORTS, USERS, ended, import, import_with, import_zip, log, message};

const TERMS: &str = "term_id,name,status\nT1,Autumn,active\nT2,Spring,active\n";
const COURSES: &str = "course_id,short_name,long_name,term_id,status
C1,BOT,Botany,T1,published
C2,ZOO,Zoology,T1,published
C3,GEO,Geology,T2,published
";
const SECTIONS: &str = "section_id,course_id,name,status
S1,C1,Morning,active
S2,C1,Evening,active
S3,C3,Stones,active
";
const ENROLLMENTS: &str = "section_id,user_id,role,status
S1,U1,teacher,active
S1,U2,student,active
S2,U3,student,active
S3,U3,student,active
";
const ALL: [File<'static>; 5] = [
    ("terms.csv", TERMS),
    ("users.csv", USERS),
    ("courses.csv", COURSES),
    ("sections.csv", SECTIONS),
    ("enrollments.csv", ENROLLMENTS),
];
const IN_AUTUMN: &str = "batch_mode=1&batch_mode_term_id=sis_term_id:T1";

async fn states(admin: &Client, course: &str) -> Vec<Value> {
    let states = "state[]=active&state[]=completed&state[]=inactive&state[]=deleted";
    let list = admin.get(&format!("/api/v1/courses/sis_course_id:{course}/enrollments?{states}")).await.is(200);
    list.json.as_array().unwrap().iter().map(|enrollment| enrollment["enrollment_state"].clone()).collect()
}

#[tokio::test]
async fn what_the_import_does_not_name_in_the_term_goes() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &ALL).await;
    let by_hand = school.course("By hand").await;
    let zoology = admin.get("/api/v1/courses/sis_course_id:C2").await.is(200).id();
    let files = [
        ("courses.csv", "course_id,short_name,long_name,term_id,status\nC1,BOT,Botany,T1,published\n"),
        ("sections.csv", "section_id,course_id,name,status\nS1,C1,Morning,active\n"),
        ("enrollments.csv", "section_id,user_id,role,status\nS1,U1,teacher,active\n"),
    ];
    let done = import_with(admin, IN_AUTUMN, &files).await;
    assert_eq!((&done["workflow_state"], &done["batch_mode"]), (&json!("imported"), &json!(true)), "{done}");
    let counts = json!({ "courses": 1, "sections": 1, "enrollments": 1, "batch_courses_deleted": 1,
                         "batch_sections_deleted": 1, "batch_enrollments_deleted": 1 });
    assert_eq!(done["data"]["counts"], counts);
    assert_eq!(done["statistics"]["Course"]["deleted"], 1);
    assert_eq!(done["statistics"]["Enrollment"]["deleted"], 2);
    admin.get("/api/v1/courses/sis_course_id:C2").await.is_not_found();
    assert_eq!(log(admin, zoology).await.last().unwrap().0, "deleted");
    admin.get("/api/v1/sections/sis_section_id:S2").await.is_not_found();
    assert_eq!(states(admin, "C1").await, ["active", "deleted", "deleted"]);
    // Another term, other kinds of records and what was made by hand stay.
    admin.get("/api/v1/sections/sis_section_id:S3").await.is(200);
    assert_eq!(states(admin, "C3").await, ["active"]);
    admin.get("/api/v1/users/sis_user_id:U3").await.is(200);
    admin.get(&by_hand.path("")).await.is(200);
}

#[tokio::test]
async fn only_the_kinds_of_the_files_go_and_enrollments_as_asked() {
    let admin = School::start().await.admin;
    import_zip(&admin, &ALL).await;
    let query = format!("{IN_AUTUMN}&batch_mode_enrollment_drop_status=completed");
    let files = [("enrollments.csv", "section_id,user_id,role,status\nS1,U1,teacher,active\n")];
    let done = import_with(&admin, &query, &files).await;
    assert_eq!(done["data"]["counts"], json!({ "enrollments": 1, "batch_enrollments_deleted": 2 }));
    assert_eq!(states(&admin, "C1").await, ["active", "completed", "completed"]);
    for path in ["courses/sis_course_id:C2", "sections/sis_section_id:S2"] {
        admin.get(&format!("/api/v1/{path}")).await.is(200);
    }
    let users = import_with(&admin, IN_AUTUMN, &[("users.csv", "user_id,login_id,status\nU1,ada,active\n")]).await;
    assert_eq!(users["data"]["counts"], json!({ "users": 1 }));
    admin.get("/api/v1/users/sis_user_id:U3").await.is(200);
}

#[tokio::test]
async fn all_terms_of_the_file_are_gone_through() {
    let admin = School::start().await.admin;
    import_zip(&admin, &ALL).await;
    let files = [
        ("terms.csv", TERMS),
        ("courses.csv", "course_id,short_name,long_name,term_id,status\nC1,BOT,Botany,T1,published\n"),
    ];
    let done = import_with(&admin, "multi_term_batch_mode=1&change_threshold=100", &files).await;
    assert_eq!(done["data"]["counts"]["batch_courses_deleted"], 2, "{done}");
    assert_eq!((&done["multi_term_batch_mode"], &done["change_threshold"]), (&json!(true), &json!(100)));
    admin.get("/api/v1/courses/sis_course_id:C3").await.is_not_found();
    assert_eq!(states(&admin, "C1").await.len(), 3);
}

#[tokio::test]
async fn nothing_goes_where_too_much_would() {
    let admin = School::start().await.admin;
    import_zip(&admin, &ALL).await;
    let files = [("courses.csv", "course_id,short_name,long_name,term_id,status\nC1,BOT,Botany,T1,published\n")];
    let done = import_with(&admin, &format!("{IN_AUTUMN}&change_threshold=49"), &files).await;
    assert_eq!(done["workflow_state"], "aborted", "{done}");
    let words = "1 courses would be deleted and exceeds the set threshold of 49%";
    assert_eq!(message(&admin, &done).await, words);
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    let done = import_with(&admin, &format!("{IN_AUTUMN}&change_threshold=50"), &files).await;
    assert_eq!(done["workflow_state"], "imported", "{done}");
    admin.get("/api/v1/courses/sis_course_id:C2").await.is_not_found();
}

#[tokio::test]
async fn nothing_goes_where_not_all_could_be_read() {
    let admin = School::start().await.admin;
    import_zip(&admin, &ALL).await;
    let csv = "course_id,short_name,long_name,term_id,status\nC1,BOT,Botany,T1,published,more\n";
    let id = admin.post(&format!("{IMPORTS}?{IN_AUTUMN}")).body("text/csv", csv).await.is(200).id();
    let done = ended(&admin, id).await;
    assert_eq!(done["processing_warnings"][0][1], "Nothing was removed, because not all files and rows could be read");
    admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    import(&admin, "course_id,short_name,long_name,status\nC2,ZOO,Zoology,active\n").await;
}
