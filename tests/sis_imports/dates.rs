//! Rows with an end before their start.

use serde_json::{Value, json};
use support::{Client, School};

use super::{errors, import, import_zip};

const REFUSED: &str = "End dates cannot be before start dates for";

const FILES: [(&str, &str); 3] = [
    ("terms.csv", "term_id,name,status,start_date,end_date\nT1,Autumn,active,2026-09-01,2027-01-31\n"),
    (
        "courses.csv",
        "course_id,short_name,long_name,status,start_date,end_date\nC1,B,Botany,active,2026-09-01,2027-01-31\n",
    ),
    ("sections.csv", "section_id,course_id,name,status,start_date,end_date\nS1,C1,Day,active,2026-09-01,2027-01-31\n"),
];

/// Imports a row that is refused, with the reason behind the words that each has.
async fn refused(admin: &Client, header: &str, row: &str) -> String {
    let done = import(admin, &format!("{header}\n{row}\n")).await;
    assert_eq!(done["workflow_state"], "imported_with_messages", "{done}");
    assert!(done["data"]["counts"].as_object().unwrap().values().all(|count| *count == 0), "{done}");
    let errors = errors(admin, done.id()).await;
    assert_eq!((errors.len(), &errors[0]["failure"], &errors[0]["row"]), (1, &json!(true), &json!(2)), "{errors:?}");
    let message = errors[0]["message"].as_str().unwrap();
    message.strip_prefix(REFUSED).unwrap_or_else(|| panic!("{message}")).trim_start().to_owned()
}

#[tokio::test]
async fn a_row_sets_no_end_before_the_start() {
    let admin = School::start().await.admin;
    let done = import_zip(&admin, &FILES).await;
    assert_eq!(done["workflow_state"], "imported", "{done}");
    let section = admin.get("/api/v1/courses/sis_course_id:C1/sections").await.is(200).json[0]["id"].clone();
    let paths = [
        "/api/v1/accounts/self/terms/sis_term_id:T1".to_owned(),
        "/api/v1/courses/sis_course_id:C1".to_owned(),
        format!("/api/v1/sections/{section}"),
    ];
    let records = async || {
        let mut records = Vec::<Value>::new();
        for path in &paths {
            records.push(admin.get(path).await.is(200).json);
        }
        records
    };
    let before = records().await;
    let (term, course, section) = (
        "term_id,name,status,start_date,end_date",
        "course_id,short_name,long_name,status,start_date,end_date",
        "section_id,course_id,name,status,start_date,end_date",
    );
    for dates in ["2027-03-01,2027-02-01", ",2026-08-31", "2027-02-01,"] {
        assert_eq!(refused(&admin, term, &format!("T1,Spring,active,{dates}")).await, "term T1");
        assert_eq!(refused(&admin, course, &format!("C1,Z,Zoology,published,{dates}")).await, "course C1");
        assert_eq!(refused(&admin, section, &format!("S1,C1,Night,active,{dates}")).await, "section S1");
    }
    assert_eq!(records().await, before, "nothing of the rows is there");

    let reversed = "2027-03-01,2027-02-01";
    assert_eq!(refused(&admin, course, &format!("C2,Z,Zoology,active,{reversed}")).await, "course C2");
    admin.get("/api/v1/courses/sis_course_id:C2").await.is_not_found();
    let for_students = "term_id,name,status,date_override_enrollment_type,start_date,end_date";
    let row = format!("T1,,active,StudentEnrollment,{reversed}");
    assert_eq!(refused(&admin, for_students, &row).await, "a StudentEnrollment of term T1");
    assert_eq!(records().await, before, "nor are dates for some");

    let moved = import(&admin, &format!("{term}\nT1,,active,2027-03-01,2027-07-31\n")).await;
    assert_eq!(moved["workflow_state"], "imported", "both dates move at once: {moved}");
    let gone = import(&admin, &format!("{course}\nC1,,Botany,deleted,{reversed}\n")).await;
    assert_eq!(gone["workflow_state"], "imported", "what is deleted needs no dates: {gone}");
}
