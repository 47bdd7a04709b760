//! Courses that end and come back: their accounts, their terms, and the sections that are taught in them.

use serde_json::{Value, json};
use support::{Client, Response, School};

use super::{WHOLE, course_of, import, import_zip, message};

const COURSES: &str = "course_id,short_name,long_name,status";
const XLISTS: &str = "xlist_course_id,section_id,status";

async fn section(admin: &Client, sis: &str) -> (Value, Value) {
    let section = admin.get(&format!("/api/v1/sections/sis_section_id:{sis}")).await.is(200);
    (section["course_id"].clone(), section["nonxlist_course_id"].clone())
}

#[tokio::test]
async fn a_row_brings_nothing_back_into_an_account_that_is_gone() {
    let admin = School::start().await.admin;
    import(&admin, "account_id,parent_account_id,name,status\nFUN,,Fungi,active\n").await;
    let files = [
        (
            "c.csv",
            "course_id,short_name,long_name,account_id,status\nC1,MOS-1,Mosses,FUN,active\nC2,B,Botany,,active\n",
        ),
        ("s.csv", "section_id,course_id,name,status\nS1,C1,Morning,active\nS2,C2,Evening,active\n"),
        ("g.csv", "group_id,account_id,name,status\nG1,FUN,Council,available\n"),
    ];
    let made = import_zip(&admin, &files).await;
    assert_eq!(made["workflow_state"], "imported", "{made}");
    let mosses = course_of(&admin, "C1").await;
    import(&admin, &format!("{COURSES}\nC1,MOS-1,Mosses,deleted\n")).await;
    import(&admin, "account_id,parent_account_id,name,status\nFUN,,Fungi,deleted\n").await;
    admin.get("/api/v1/accounts/sis_account_id:FUN").await.is_not_found();

    for (rows, why) in [
        (format!("{COURSES}\nC1,MOS-1,Mosses,active\n"), "Account FUN doesn't exist for course C1"),
        (format!("{XLISTS}\nC1,S2,active\n"), "Account FUN doesn't exist for a cross-listing of section S2"),
        (format!("{XLISTS}\nX1,S1,active\n"), "Account FUN doesn't exist for a cross-listing of section S1"),
        ("group_id,name,status\nG1,Council,available\n".to_owned(), "Account FUN doesn't exist for group G1"),
    ] {
        assert_eq!(message(&admin, &import(&admin, &rows).await).await, why);
        admin.get(&format!("/api/v1/courses/{mosses}")).await.is_not_found();
    }
    let moved = "account_id,parent_account_id,name,status\nART,,Arts,active\n";
    import(&admin, moved).await;
    let row = "course_id,short_name,long_name,account_id,status\nC1,MOS-1,Mosses,ART,active\n";
    assert_eq!(import(&admin, row).await["workflow_state"], "imported");
    assert_eq!(course_of(&admin, "C1").await, mosses);
}

#[tokio::test]
async fn a_course_comes_back_in_the_default_term_where_its_own_is_gone() {
    let admin = School::start().await.admin;
    import(&admin, "term_id,name,status\nT1,Autumn,active\nT2,Spring,active\n").await;
    let header = "course_id,short_name,long_name,term_id,status";
    import(&admin, &format!("{header}\nC1,B,Botany,T1,active\nC2,Z,Zoology,T1,active\nC3,M,Mosses,T1,active\n")).await;
    import(&admin, "section_id,course_id,name,status\nS2,C2,Morning,active\n").await;
    let botany = course_of(&admin, "C1").await;
    let set = |event: &str| {
        let body = json!({ "course": { "event": event } });
        admin.put(&format!("/api/v1/courses/{botany}")).json(body)
    };
    set("delete").await.is(200);
    import(&admin, &format!("{header}\nC2,Z,Zoology,,deleted\nC3,M,Mosses,,deleted\n")).await;
    import(&admin, "term_id,name,status\nT1,Autumn,deleted\n").await;
    admin.get("/api/v1/accounts/self/terms/sis_term_id:T1").await.is_not_found();

    let default = admin.get("/api/v1/accounts/self/terms/default").await.is(200).id();
    let term = async |sis: &str| {
        admin.get(&format!("/api/v1/courses/sis_course_id:{sis}")).await.is(200)["enrollment_term_id"].clone()
    };
    assert_eq!(set("undelete").await.is(200)["enrollment_term_id"], default);
    import(&admin, &format!("{header}\nC2,Z,Zoology,,active\n")).await;
    import(&admin, &format!("{XLISTS}\nC3,S2,active\n")).await;
    assert_eq!(
        (term("C1").await, term("C2").await, term("C3").await),
        (json!(default), json!(default), json!(default))
    );

    // Nobody has chosen the default term: a file still gives the course another one.
    import(&admin, &format!("{header}\nC1,B,Botany,T2,active\n")).await;
    let spring = admin.get("/api/v1/accounts/self/terms/sis_term_id:T2").await.is(200).id();
    assert_eq!(term("C1").await, spring);
}

#[tokio::test]
async fn a_course_that_is_deleted_by_hand_gives_its_sections_back() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let (home, other) = (course_of(&admin, "C1").await, course_of(&admin, "C2").await);
    let enrolled = async || admin.get(&format!("/api/v1/courses/{home}/enrollments")).await.is(200).ids();
    let before = enrolled().await;
    import(&admin, &format!("{XLISTS}\nC2,S1,active\n")).await;
    assert_eq!(section(&admin, "S1").await, (json!(other), json!(home)));
    admin.delete(&format!("/api/v1/courses/{other}")).json(json!({ "event": "delete" })).await.is(200);
    assert_eq!(section(&admin, "S1").await, (json!(home), Value::Null));
    assert_eq!(enrolled().await, before);
}

#[tokio::test]
async fn a_section_that_is_taught_elsewhere_belongs_to_the_course_in_the_place_of_its_own() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let (home, other) = (course_of(&admin, "C1").await, course_of(&admin, "C2").await);
    import(&admin, &format!("{XLISTS}\nC2,S1,active\n")).await;
    let new = admin.post(&format!("/api/v1/courses/{home}/reset_content")).await.is(200).id();
    assert_eq!(section(&admin, "S1").await, (json!(other), json!(new)));
    import(&admin, &format!("{XLISTS}\nC2,S1,deleted\n")).await;
    assert_eq!(section(&admin, "S1").await, (json!(new), Value::Null));
}

#[tokio::test]
async fn a_section_that_is_taught_elsewhere_takes_its_polls_along_and_leaves_its_groups() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let (home, other) = (course_of(&admin, "C1").await, course_of(&admin, "C2").await);
    let id = |answer: &Response, kind: &str| answer[kind][0]["id"].to_string().replace('"', "");
    let token = json!({ "token": { "purpose": "polls" } });
    let token = admin.post("/api/v1/users/sis_user_id:U1/tokens").json(token).await.is(200);
    let teacher = admin.with_token(token["visible_token"].as_str().unwrap());
    let poll = json!({ "polls": [{ "question": "Which leaf?" }] });
    let poll = id(&teacher.post("/api/v1/polls").json(poll).await.is(200), "polls");
    let sessions = format!("/api/v1/polls/{poll}/poll_sessions");
    let section_id = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200).id();
    let asked = json!({ "poll_sessions": [{ "course_id": home, "course_section_id": section_id }] });
    let session = id(&teacher.post(&sessions).json(asked).await.is(200), "poll_sessions");
    let held_in = async || {
        let session = teacher.get(&format!("{sessions}/{session}")).await.is(200);
        session["poll_sessions"][0]["course_id"].to_string().replace('"', "")
    };
    let members = async || admin.get("/api/v1/groups/sis_group_id:G1/users").await.is(200).ids().len();
    assert_eq!((held_in().await, members().await), (home.to_string(), 1));
    import(&admin, &format!("{XLISTS}\nC2,S1,active\n")).await;
    assert_eq!((held_in().await, members().await), (other.to_string(), 0));
    import(&admin, &format!("{XLISTS}\nC2,S1,deleted\n")).await;
    assert_eq!(held_in().await, home.to_string());
}

#[tokio::test]
async fn a_section_that_comes_back_is_not_taught_in_a_course_that_is_gone() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let (home, other) = (course_of(&admin, "C1").await, course_of(&admin, "C2").await);
    import(&admin, &format!("{XLISTS}\nC2,S1,active\n")).await;
    let sections = "section_id,course_id,name,status";
    import(&admin, &format!("{sections}\nS1,C1,Morning,deleted\n")).await;
    import(&admin, &format!("{sections}\nS1,C1,Morning,active\n")).await;
    assert_eq!(section(&admin, "S1").await, (json!(other), json!(home)), "it comes back where it was");
    import(&admin, &format!("{sections}\nS1,C1,Morning,deleted\n")).await;
    import(&admin, &format!("{COURSES}\nC2,ZOO-1,Zoology,deleted\n")).await;
    import(&admin, &format!("{sections}\nS1,C1,Morning,active\n")).await;
    assert_eq!(section(&admin, "S1").await, (json!(home), Value::Null));
    let enrolled = import(&admin, "course_id,user_id,role,section_id,status\nC1,U2,student,S1,active\n").await;
    assert_eq!(enrolled["workflow_state"], "imported", "{enrolled}");
}
