//! Imports of what an institution's other systems know.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use support::{Answer, Client, School, running, unique};
use zip::write::SimpleFileOptions;

const IMPORTS: &str = "/api/v1/accounts/self/sis_imports";

/// A CSV file in an archive.
type File<'a> = (&'a str, &'a str);

fn zip(files: &[File<'_>]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

async fn send(client: &Client, content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    client.post(IMPORTS).body(content_type, body).await
}

/// The import when it has ended.
async fn ended(client: &Client, id: i64) -> Answer {
    for _ in 0..600 {
        let import = client.get(&format!("{IMPORTS}/{id}")).await.is(200);
        if !import["ended_at"].is_null() {
            return import;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the import {id} does not end");
}

async fn import(client: &Client, csv: &str) -> Answer {
    let id = send(client, "text/csv", csv).await.is(200).id();
    ended(client, id).await
}

async fn import_zip(client: &Client, files: &[File<'_>]) -> Answer {
    let id = send(client, "application/zip", zip(files)).await.is(200).id();
    ended(client, id).await
}

async fn errors(client: &Client, import: i64) -> Vec<Value> {
    let errors = client.get(&format!("{IMPORTS}/{import}/errors?per_page=100")).await.is(200);
    errors["sis_import_errors"].as_array().unwrap().clone()
}

/// The one message of an import, and the line of its row.
async fn refusal(client: &Client, csv: &str) -> (String, Value) {
    let import = import(client, csv).await;
    let errors = errors(client, import.id()).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0]["message"].as_str().unwrap().to_owned(), errors[0]["row"].clone())
}

/// The id of the course that the institution calls so.
async fn course_of(client: &Client, sis: &str) -> i64 {
    client.get(&format!("/api/v1/courses/sis_course_id:{sis}")).await.is(200).id()
}

/// The types and sources of the course's events, the oldest first, and their imports.
async fn log(admin: &Client, course: i64) -> Vec<(String, String, String)> {
    let log = admin.get(&format!("/api/v1/audit/course/courses/{course}?per_page=100")).await.is(200);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let events = log["events"].as_array().unwrap().iter().rev();
    events
        .map(|event| (text(&event["event_type"]), text(&event["event_source"]), text(&event["links"]["sis_batch"])))
        .collect()
}

async fn types(admin: &Client, course: i64) -> Vec<String> {
    log(admin, course).await.into_iter().map(|(event_type, ..)| event_type).collect()
}

const ACCOUNTS: &str = "account_id,parent_account_id,name,status
SCI,,Science,active
BIO,SCI,Biology,active
";
const USERS: &str = "user_id,login_id,first_name,last_name,email,integration_id,status
U1,ada,Ada,Lovelace,ada@school.example,I1,active
U2,carl,Carl,Linnaeus,,,active
U3,maria,Maria,Merian,,,active
";
const COURSES: &str = "course_id,short_name,long_name,account_id,term_id,status,start_date,end_date
C1,BOT-1,Botany,BIO,,published,2026-09-01,2027-01-31T22:00:00Z
C2,ZOO-1,Zoology,,,active,,
";
const SECTIONS: &str = "section_id,course_id,name,status,start_date,end_date
S1,C1,Morning,active,,
S2,C1,Evening,active,2026-10-01,
";
const ENROLLMENTS: &str = "course_id,user_id,user_integration_id,role,section_id,status,associated_user_id
C1,U1,,teacher,S1,active,
,U2,,student,S1,active,
C1,U3,,student,S2,completed,
C2,,I1,ta,,active,
C1,U1,,observer,S1,active,U2
";
const GROUPS: &str = "group_id,course_id,account_id,name,status
G1,C1,,Herbarium,available
G2,,BIO,Council,available
";
const MEMBERSHIPS: &str = "group_id,user_id,status
G1,U2,accepted
G2,U3,accepted
";

/// What a file would break if it came before those that it needs.
const WHOLE: [File<'static>; 7] = [
    ("memberships.csv", MEMBERSHIPS),
    ("folder/groups.csv", GROUPS),
    ("enrollments.csv", ENROLLMENTS),
    ("sections.csv", SECTIONS),
    ("courses.csv", COURSES),
    ("users.csv", USERS),
    ("accounts.csv", ACCOUNTS),
];

#[tokio::test]
async fn a_zip_is_imported_in_the_order_of_what_names_what() {
    let school = School::start().await;
    let admin = &school.admin;
    let done = import_zip(admin, &WHOLE).await;
    assert_eq!(errors(admin, done.id()).await, Vec::<Value>::new());
    assert_eq!((&done["workflow_state"], &done["progress"]), (&json!("imported"), &json!(100)), "{done}");
    let kinds = ["accounts", "users", "courses", "sections", "enrollments", "groups", "group_memberships"];
    assert_eq!(done["data"]["supplied_batches"], json!(kinds));
    let counts = json!({ "accounts": 2, "users": 3, "courses": 2, "sections": 2, "enrollments": 5, "groups": 2,
                         "group_memberships": 2 });
    assert_eq!(done["data"]["counts"], counts);

    let biology = admin.get("/api/v1/accounts/sis_account_id:BIO").await.is(200);
    let science = admin.get("/api/v1/accounts/sis_account_id:SCI").await.is(200);
    assert_eq!((&biology["name"], &biology["parent_account_id"]), (&json!("Biology"), &science["id"]));
    assert_eq!(science["parent_account_id"], school.account);

    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200);
    let of_ada = [&ada["name"], &ada["sortable_name"], &ada["login_id"], &ada["email"], &ada["integration_id"]];
    assert_eq!(of_ada, ["Ada Lovelace", "Lovelace, Ada", "ada", "ada@school.example", "I1"]);

    let botany = admin.get("/api/v1/courses/sis_course_id:C1").await.is(200);
    assert_eq!((&botany["workflow_state"], &botany["account_id"]), (&json!("available"), &biology["id"]));
    assert_eq!((&botany["name"], &botany["course_code"]), (&json!("Botany"), &json!("BOT-1")));
    assert_eq!(
        (&botany["start_at"], &botany["end_at"]),
        (&json!("2026-09-01T00:00:00Z"), &json!("2027-01-31T22:00:00Z"))
    );
    let zoology = admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    assert_eq!((&zoology["workflow_state"], &zoology["account_id"]), (&json!("unpublished"), &json!(school.account)));

    let sections = admin.get("/api/v1/courses/sis_course_id:C1/sections").await.is(200);
    let names: Vec<_> = sections.json.as_array().unwrap().iter().map(|section| section["name"].clone()).collect();
    assert_eq!(names, ["Morning", "Evening"]);
    let states = "state[]=active&state[]=completed";
    let enrollments = admin.get(&format!("/api/v1/courses/sis_course_id:C1/enrollments?{states}")).await.is(200);
    let told = |enrollment: &Value| {
        ["sis_user_id", "type", "sis_section_id", "enrollment_state"].map(|key| enrollment[key].clone())
    };
    let enrollments: Vec<_> = enrollments.json.as_array().unwrap().iter().map(told).collect();
    let expected = [
        ["U1", "TeacherEnrollment", "S1", "active"],
        ["U2", "StudentEnrollment", "S1", "active"],
        ["U3", "StudentEnrollment", "S2", "completed"],
        ["U1", "ObserverEnrollment", "S1", "active"],
    ];
    assert_eq!(enrollments, expected);
    let in_zoology = admin.get("/api/v1/courses/sis_course_id:C2/enrollments").await.is(200);
    assert_eq!(in_zoology.json[0]["type"], "TaEnrollment");

    let herbarium = admin.get("/api/v1/groups/sis_group_id:G1").await.is(200);
    assert_eq!((&herbarium["name"], &herbarium["members_count"]), (&json!("Herbarium"), &json!(1)));
    assert_eq!(admin.get("/api/v1/groups/sis_group_id:G2").await.is(200)["account_id"], biology["id"]);
}

#[tokio::test]
async fn the_same_again_changes_nothing() {
    let school = School::start().await;
    let admin = &school.admin;
    let first = import_zip(admin, &WHOLE).await;
    let course = course_of(admin, "C1").await;
    let events = log(admin, course).await;
    let look = async || {
        let mut seen = Vec::new();
        for path in [
            "courses/sis_course_id:C1/enrollments?state[]=active&state[]=completed",
            "users/sis_user_id:U1",
            "groups/sis_group_id:G1",
            "courses/sis_course_id:C1",
            "courses/sis_course_id:C1/sections",
        ] {
            seen.push(admin.get(&format!("/api/v1/{path}")).await.is(200).json);
        }
        seen
    };
    let before = look().await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let again = import_zip(admin, &WHOLE).await;
    assert_eq!(again["workflow_state"], "imported");
    assert_eq!(again["data"]["counts"], first["data"]["counts"]);
    assert_eq!(look().await, before);
    assert_eq!(log(admin, course).await, events);
}

#[tokio::test]
async fn an_import_has_exactly_the_documented_keys() {
    let school = School::start().await;
    let made = send(&school.admin, "text/csv", USERS).await.is(200);
    assert_eq!((&made["workflow_state"], &made["progress"]), (&json!("created"), &json!(0)));
    let import = ended(&school.admin, made.id()).await;
    let expected = json!({
        "id": made.id(), "created_at": made["created_at"], "started_at": import["started_at"],
        "ended_at": import["ended_at"], "updated_at": import["updated_at"], "progress": 100,
        "workflow_state": "imported",
        "data": { "import_type": "instructure_csv", "supplied_batches": ["users"], "counts": { "users": 3 },
                  "completed_at": import["ended_at"] },
        "batch_mode": null, "batch_mode_term_id": null, "skip_deletes": false, "override_sis_stickiness": false,
        "add_sis_stickiness": false, "clear_sis_stickiness": false, "diffing_data_set_identifier": null,
        "diffed_against_import_id": null,
        "user": { "id": school.admin.id, "name": import["user"]["name"] },
    });
    assert_eq!(import.json, expected);
}

#[tokio::test]
async fn the_upload_comes_in_a_form_too() {
    let school = School::start().await;
    let part = |name: &str, rest: &str, text: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{rest}\r\n\r\n{text}\r\n")
    };
    let file = part("attachment", "; filename=\"people.csv\"\r\nContent-Type: text/csv", USERS);
    let options = [part("import_type", "", "instructure_csv"), part("override_sis_stickiness", "", "true")].concat();
    for body in [format!("{options}{file}--x--\r\n"), format!("{file}{options}--x--\r\n")] {
        let made = send(&school.admin, "multipart/form-data; boundary=x", body).await.is(200);
        let import = ended(&school.admin, made.id()).await;
        assert_eq!((&import["workflow_state"], &import["override_sis_stickiness"]), (&json!("imported"), &json!(true)));
        assert_eq!(import["data"]["counts"], json!({ "users": 3 }));
    }
    let named = school.admin.post(&format!("{IMPORTS}?extension=csv"));
    let named = named.body("application/x-www-form-urlencoded", USERS).await.is(200);
    assert_eq!(ended(&school.admin, named.id()).await["workflow_state"], "imported");
}

#[tokio::test]
async fn what_is_no_import_is_refused() {
    let school = School::start().await;
    let admin = &school.admin;
    send(admin, "application/json", "{}").await.is_refused(415, "attachment");
    send(admin, "application/x-www-form-urlencoded", USERS).await.is_refused(415, "attachment");
    send(admin, "text/csv", "").await.is_refused(400, "The file is empty");
    send(admin, "multipart/form-data; boundary=x", "--x--\r\n").await.is_refused(400, "attachment is missing");
    send(admin, "multipart/form-data; boundary=x", "nothing").await.is_refused(400, "cannot be read");
    for (query, words) in [
        ("import_type=other", "import_type must be instructure_csv"),
        ("batch_mode=1", "batch_mode is not supported"),
        ("diffing_data_set_identifier=x", "diffing_data_set_identifier is not supported"),
        ("extension=xml", "extension must be csv or zip"),
        ("skip_deletes=perhaps", "skip_deletes must be true or false"),
    ] {
        admin.post(&format!("{IMPORTS}?{query}")).body("text/csv", USERS).await.is_refused(400, words);
    }
    let list = admin.get(IMPORTS).await.is(200);
    assert_eq!(list["sis_imports"], json!([]), "what was refused leaves nothing behind");
}

#[tokio::test]
async fn what_is_no_file_is_told_of() {
    let school = School::start().await;
    let admin = &school.admin;
    let long = format!("user_id,login_id,status\nU1,{},active\n", "x".repeat(70_000));
    for (csv, words, row) in [
        ("term_id,name,status\n", "Couldn't find Canvas CSV import headers", Value::Null),
        ("nonsense", "Couldn't find Canvas CSV import headers", Value::Null),
        ("user_id,login_id\nU1,ada\n", "The column status is missing", Value::Null),
        ("course_id,short_name,status\n", "The column long_name is missing", Value::Null),
        ("user_id,login_id,status,status\n", "The column status is there twice", Value::Null),
        ("\n\n", "The file is empty", Value::Null),
        (&long, "The row is longer than 65536 bytes; the rest of the file was not read", json!(2)),
    ] {
        assert_eq!(refusal(admin, csv).await, (words.to_owned(), row), "{csv:.60}");
    }
    let utf16: Vec<u8> = "\u{FEFF}user_id,login_id,status\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let id = send(admin, "text/csv", utf16).await.is(200).id();
    let import = ended(admin, id).await;
    assert_eq!(import["workflow_state"], "failed_with_messages");
    let expected = json!([["attachment.csv", "The file is UTF-16; it must be UTF-8"]]);
    assert_eq!(import["processing_errors"], expected);
}

#[tokio::test]
async fn bytes_that_are_not_utf_8_spoil_their_row_only() {
    let school = School::start().await;
    let csv = [
        &b"\xEF\xBB\xBFuser_id,login_id,last_name,status\r\nU1,ada,M\xFCller,active\r\n"[..],
        b"U2,carl,M\xC3\xBCller,active",
    ];
    let id = send(&school.admin, "text/csv", csv.concat()).await.is(200).id();
    let import = ended(&school.admin, id).await;
    assert_eq!(import["workflow_state"], "imported_with_messages");
    assert_eq!(import["data"]["counts"], json!({ "users": 1 }));
    let errors = errors(&school.admin, id).await;
    assert_eq!((&errors[0]["message"], &errors[0]["row"]), (&json!("The row is not UTF-8"), &json!(2)));
    assert_eq!(school.admin.get("/api/v1/users/sis_user_id:U2").await.is(200)["name"], "Müller");
}

#[tokio::test]
async fn each_row_that_cannot_be_taken_says_why() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let accounts = "account_id,parent_account_id,name,status";
    let users = "user_id,login_id,password,status";
    let courses = "course_id,short_name,long_name,account_id,status,start_date";
    let sections = "section_id,course_id,name,status";
    let enrollments = "course_id,section_id,user_id,role,status,associated_user_id,limit_section_privileges";
    let groups = "group_id,course_id,account_id,name,status";
    let memberships = "group_id,user_id,status";
    let long = format!("A9,,{},active", "x".repeat(256));
    for (header, row, words) in [
        (accounts, ",,No id,active", "No account_id given for an account"),
        (accounts, "A9,NONE,Lost,active", "Parent account didn't exist for account A9: NONE"),
        (accounts, "A9,,,active", "No name given for account A9"),
        (accounts, "A9,,x,asleep", "Improper status \"asleep\" for account A9"),
        (accounts, "SCI,BIO,Science,active", "Account SCI cannot stand under itself"),
        (accounts, "BIO,SCI,Biology,deleted", "Account BIO has courses or accounts in it and cannot be deleted"),
        (accounts, &long, "The name is too long (maximum is 255 characters)"),
        (accounts, "A9,,x,active,more", "The row has 5 fields, the header 4"),
        (users, ",x,,active", "No user_id given for a user"),
        (users, "U9,,,active", "No login_id given for user U9"),
        (users, "U9,x,1234567,active", "The password for user U9 is too short (minimum is 8 characters)"),
        (users, "U9,x,,suspended", "Improper status \"suspended\" for user U9"),
        (users, "U9,ADA,,active", "user U1 has already claimed U9's requested login information"),
        (courses, ",x,x,,active,", "No course_id given for a course"),
        (courses, "C9,,x,,active,", "No short_name given for course C9"),
        (courses, "C9,x,,,active,", "No long_name given for course C9"),
        (courses, "C9,x,x,NONE,active,", "Account NONE doesn't exist for course C9"),
        (courses, "C9,x,x,,open,", "Improper status \"open\" for course C9"),
        (courses, "C9,x,x,,active,soon", "Bad date format for start_date: soon"),
        (sections, ",C1,x,active", "No section_id given for a section"),
        (sections, "S9,,x,active", "No course_id given for section S9"),
        (sections, "S9,NONE,x,active", "Section S9 references course NONE which doesn't exist"),
        (sections, "S9,C1,,active", "No name given for section S9 in course C1"),
        (sections, "S9,C1,x,gone", "Improper status \"gone\" for section S9"),
        (enrollments, ",,U1,student,active,,", "No course_id or section_id given for an enrollment"),
        (enrollments, "C1,,,student,active,,", "No user_id given for an enrollment"),
        (enrollments, "C1,,U1,,active,,", "No role given for an enrollment"),
        (enrollments, "C1,,U1,guest,active,,", "Improper role \"guest\" for an enrollment"),
        (enrollments, "C1,,U1,student,new,,", "Improper status \"new\" for an enrollment"),
        (enrollments, "NONE,,U1,student,active,,", "An enrollment referenced a non-existent course NONE"),
        (enrollments, "C1,NONE,U1,student,active,,", "An enrollment referenced a non-existent section NONE"),
        (enrollments, "C1,,NONE,student,active,,", "An enrollment referenced a non-existent user NONE"),
        (enrollments, "C1,,U1,observer,active,NONE,", "An enrollment referenced a non-existent associated user NONE"),
        (enrollments, "C1,,U1,student,active,U2,", "An associated_user_id is for an observer only"),
        (enrollments, "C1,,U1,student,active,,maybe", "Improper limit_section_privileges \"maybe\" for an enrollment"),
        (enrollments, "C2,S1,U1,student,active,,", "Section S1 is not a section of course C2"),
        (groups, ",C1,,x,available", "No group_id given for a group"),
        (groups, "G9,C1,BIO,x,available", "Only one context is allowed for group G9: a course or an account"),
        (groups, "G9,NONE,,x,available", "Course NONE doesn't exist for group G9"),
        (groups, "G9,,NONE,x,available", "Account NONE doesn't exist for group G9"),
        (groups, "G9,C1,,,available", "No name given for group G9"),
        (groups, "G9,C1,,x,gone", "Improper status \"gone\" for group G9"),
        (memberships, ",U1,accepted", "No group_id given for a group membership"),
        (memberships, "G1,,accepted", "No user_id given for a group membership"),
        (memberships, "NONE,U1,accepted", "Group NONE not available"),
        (memberships, "G1,NONE,accepted", "User NONE not available"),
        (memberships, "G1,U1,asleep", "Improper status \"asleep\" for a membership of group G1"),
        (memberships, "G1,U3,accepted", "User U3 does not take part in the course of group G1"),
    ] {
        assert_eq!(refusal(admin, &format!("{header}\n\n{row}\n")).await, (words.to_owned(), json!(3)), "{row:.60}");
    }
}

#[tokio::test]
async fn good_rows_go_in_beside_the_others() {
    let school = School::start().await;
    let csv = "user_id,login_id,email,password,status
U1,ada,,secret-1,active
,nobody,,,active
U2,carl,not-an-address,,active
\"U3\",\"maria\"\"m\",,,active
";
    let import = import(&school.admin, csv).await;
    assert_eq!(import["workflow_state"], "imported_with_messages");
    assert_eq!(import["data"]["counts"], json!({ "users": 3 }));
    let file = "attachment.csv";
    assert_eq!(import["processing_errors"], json!([[file, "No user_id given for a user"]]));
    let warning = "The email address associated with user U2 is invalid (email: 'not-an-address')";
    assert_eq!(import["processing_warnings"], json!([[file, warning]]));
    let errors = errors(&school.admin, import.id()).await;
    let expected = json!({
        "id": errors[0]["id"], "sis_import_id": import.id(), "file": file, "row": 3,
        "message": "No user_id given for a user", "row_info": errors[0]["row_info"], "failure": true,
    });
    assert_eq!(errors[0], expected);
    assert!(errors[0]["row_info"].as_str().unwrap().contains("nobody"));
    assert_eq!((&errors[1]["row"], &errors[1]["failure"]), (&json!(4), &json!(false)));
    assert_eq!(school.admin.get("/api/v1/users/sis_user_id:U3").await.is(200)["login_id"], "maria\"m");
    assert_eq!(school.admin.get("/api/v1/users/sis_user_id:U2").await.is(200)["email"], Value::Null);
}

#[tokio::test]
async fn courses_that_change_leave_events_of_the_import() {
    let school = School::start().await;
    let admin = &school.admin;
    let header = "course_id,short_name,long_name,status,start_date";
    let first = import(admin, &format!("{header}\nC1,B,Botany,active,2026-09-01\n")).await.id();
    let course = course_of(admin, "C1").await;
    let sis = |event_type: &str, import: i64| (event_type.to_owned(), "sis".to_owned(), import.to_string());
    assert_eq!(log(admin, course).await, [sis("created", first)]);
    let created = admin.get(&format!("/api/v1/audit/course/courses/{course}")).await.is(200);
    let expected = json!({ "name": [null, "Botany"], "course_code": [null, "B"], "sis_source_id": [null, "C1"],
                           "start_at": [null, "2026-09-01T00:00:00Z"], "default_view": [null, "modules"] });
    assert_eq!(created["events"][0]["event_data"], expected);
    assert_eq!(created["events"][0]["links"]["user"], admin.id.to_string());

    for (row, event_types) in [
        ("C1,B,Botany,published,", &["published"][..]),
        ("C1,B,Botany,active,", &[]),
        ("C1,B,Botany I,active,", &["updated"]),
        ("C1,B,Botany I,completed,", &["concluded"]),
        ("C1,B,Botany I,active,", &["unconcluded"]),
        ("C1,B,Botany I,deleted,", &["deleted"]),
        ("C1,B,Botany I,deleted,", &[]),
        ("C1,B,Botany I,active,", &["restored"]),
        ("C1,B,Botany II,deleted,", &["deleted"]),
        ("C1,B,Botany II,published,", &["restored", "published", "updated"]),
    ] {
        let before = log(admin, course).await;
        let import = import(admin, &format!("{header}\n{row}\n")).await;
        assert_eq!(import["workflow_state"], "imported", "{row}");
        let after = log(admin, course).await;
        let expected: Vec<_> = event_types.iter().map(|event_type| sis(event_type, import.id())).collect();
        assert_eq!(after[before.len()..], expected, "{row}");
    }
    assert_eq!(course_of(admin, "C1").await, course);
}

#[tokio::test]
async fn what_an_import_deletes_it_brings_back() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let user = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    let gone = [
        ("users.csv", "user_id,login_id,status\nU2,carl,deleted\nU8,never,deleted\n"),
        ("sections.csv", "section_id,course_id,name,status\nS2,C1,Evening,deleted\n"),
        ("enrollments.csv", "course_id,user_id,role,section_id,status\nC1,U1,teacher,S1,deleted\n"),
        ("groups.csv", "group_id,name,status\nG2,Council,deleted\n"),
        ("memberships.csv", "group_id,user_id,status\nG1,U3,deleted\n"),
    ];
    assert_eq!(import_zip(admin, &gone).await["workflow_state"], "imported");
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
    admin.get("/api/v1/sections/sis_section_id:S2").await.is_not_found();
    admin.get("/api/v1/groups/sis_group_id:G2").await.is_not_found();
    let roles = async || {
        let path = "/api/v1/courses/sis_course_id:C1/enrollments?state[]=active&state[]=completed";
        let enrollments = admin.get(path).await.is(200);
        let roles = enrollments.json.as_array().unwrap().iter();
        roles.map(|enrollment| enrollment["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roles().await, ["ObserverEnrollment"]);
    assert_eq!(import_zip(admin, &WHOLE).await["workflow_state"], "imported");
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id(), user);
    assert_eq!(roles().await.len(), 4);
    admin.get("/api/v1/groups/sis_group_id:G2").await.is(200);

    let kept = admin.post(&format!("{IMPORTS}?skip_deletes=true")).body("application/zip", zip(&gone)).await.is(200);
    assert_eq!(
        ended(admin, kept.id()).await["data"]["counts"],
        json!({ "users": 0, "sections": 0, "enrollments": 0,
        "groups": 0, "group_memberships": 0 })
    );
    assert_eq!(roles().await.len(), 4);
}

#[tokio::test]
async fn logins_change_hands_in_one_file() {
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, "user_id,login_id,status\nU1,first,active\nU2,second,active\n").await;
    let moved = import(admin, "user_id,login_id,status\nU1,second,active\nU2,third,active\n").await;
    assert_eq!(moved["workflow_state"], "imported", "{moved}");
    for (id, login) in [("U1", "second"), ("U2", "third")] {
        assert_eq!(admin.get(&format!("/api/v1/users/sis_user_id:{id}")).await.is(200)["login_id"], login);
    }
    // What comes later in a file counts, also for the same user.
    import(admin, "user_id,login_id,last_name,status\nU1,second,One,active\nU1,second,Two,active\n").await;
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U1").await.is(200)["name"], "Two");
}

#[tokio::test]
async fn a_login_made_by_hand_becomes_the_institutions() {
    let school = School::start().await;
    let admin = &school.admin;
    let login = unique("hand");
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login } });
    let user = admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    import(admin, &format!("user_id,login_id,email,status\nU1,{login},ada@school.example,active\n")).await;
    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200);
    assert_eq!((ada.id(), &ada["name"], &ada["email"]), (user, &json!("Ada"), &json!("ada@school.example")));
}

#[tokio::test]
async fn nobody_imports_over_those_above() {
    let site = running().site_admin().await;
    let csv = "user_id,login_id,status\nBOSS,admin,deleted\n";
    let id = site.post("/api/v1/accounts/1/sis_imports").body("text/csv", csv).await.is(200).id();
    for _ in 0..600 {
        let import = site.get(&format!("/api/v1/accounts/1/sis_imports/{id}")).await.is(200);
        if !import["ended_at"].is_null() {
            let message = &import["processing_errors"][0][1];
            assert_eq!(*message, "User BOSS administers the whole site and is not changed by an import");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the import does not end");
}

#[tokio::test]
async fn only_administrators_of_the_root_account_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = format!("/api/v1/accounts/{}/sis_imports", school.account);
    let made = send(&school.admin, "text/csv", USERS).await.is(200).id();
    for client in [&teacher, &course.member(&school, "StudentEnrollment").await] {
        client.post(&path).body("text/csv", USERS).await.is_forbidden();
        client.get(&path).await.is_forbidden();
        client.get(&format!("{path}/{made}")).await.is_forbidden();
        client.put(&format!("{path}/{made}/abort")).await.is_forbidden();
        client.put(&format!("{path}/abort_all_pending")).await.is_forbidden();
        client.get(&format!("{path}/{made}/errors")).await.is_forbidden();
    }
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{faculty}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    dean.post(&path).body("text/csv", USERS).await.is_forbidden();
    let under = format!("/api/v1/accounts/{faculty}/sis_imports");
    dean.post(&under).body("text/csv", USERS).await.is_refused(400, "only be executed on root accounts");
}

#[tokio::test]
async fn what_belongs_to_another_tenant_is_not_there() {
    let (school, other) = (School::start().await, School::start().await);
    let theirs = import_zip(&other.admin, &WHOLE).await.id();
    for path in ["", "/errors"] {
        school.admin.get(&format!("{IMPORTS}/{theirs}{path}")).await.is_not_found();
    }
    school.admin.put(&format!("{IMPORTS}/{theirs}/abort")).await.is_not_found();
    school.admin.get(&format!("/api/v1/accounts/{}/sis_imports", other.account)).await.is_not_found();
    for csv in [
        "course_id,user_id,role,status\nC1,U1,student,active\n",
        "section_id,course_id,name,status\nS1,C1,Mine,active\n",
        "group_id,course_id,name,status\nG1,C1,Mine,available\n",
        "account_id,parent_account_id,name,status\nA9,SCI,Mine,active\n",
    ] {
        assert_eq!(import(&school.admin, csv).await["workflow_state"], "imported_with_messages", "{csv}");
    }
    let users = import(&school.admin, USERS).await;
    assert_eq!(users["workflow_state"], "imported", "the same ids in another tenant are other users: {users}");
    let (mine, theirs) = ("/api/v1/users/sis_user_id:U1", &other.admin);
    assert_ne!(school.admin.get(mine).await.is(200).id(), theirs.get(mine).await.is(200).id());
}

#[tokio::test]
async fn imports_come_one_after_another() {
    let school = School::start().await;
    let admin = &school.admin;
    let rename = |name: usize| format!("course_id,short_name,long_name,status\nC1,B,Name {name},active\n");
    let mut sent = Vec::new();
    for number in 0..8 {
        sent.push(send(admin, "text/csv", rename(number)).await.is(200).id());
    }
    for id in &sent {
        assert_eq!(ended(admin, *id).await["workflow_state"], "imported");
    }
    let course = course_of(admin, "C1").await;
    let batches: Vec<_> = log(admin, course).await.into_iter().map(|(_, _, batch)| batch).collect();
    assert_eq!(batches, sent.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(types(admin, course).await[0], "created");

    let (mut listed, mut next) = (Vec::new(), Some(format!("{IMPORTS}?per_page=3")));
    while let Some(path) = next {
        let page = admin.get(&path).await.is(200);
        listed.extend(page["sis_imports"].as_array().unwrap().iter().map(|import| import["id"].as_i64().unwrap()));
        next = page.link("next");
    }
    sent.reverse();
    assert_eq!(listed, sent);
    let none = admin.get(&format!("{IMPORTS}?workflow_state[]=failed")).await.is(200);
    assert_eq!(none["sis_imports"], json!([]));
    let before = admin.get(&format!("{IMPORTS}?created_before=2020-01-01")).await.is(200);
    assert_eq!(before["sis_imports"], json!([]));
}

/// Enrollments of one user in as many courses as there are rows.
fn enrollments(rows: usize) -> String {
    use std::fmt::Write;
    let mut csv = "course_id,user_id,role,status\n".to_owned();
    for row in 0..rows {
        writeln!(csv, "C{row},NOBODY,student,active").unwrap();
    }
    csv
}

#[tokio::test]
async fn an_import_is_ended_before_its_end() {
    let school = School::start().await;
    let admin = &school.admin;
    let first = send(admin, "text/csv", enrollments(100_000)).await.is(200).id();
    let second = send(admin, "text/csv", USERS).await.is(200).id();
    let abort = |id: i64| admin.put(&format!("{IMPORTS}/{id}/abort"));
    assert_eq!(abort(second).await.is(200)["workflow_state"], "aborted");
    let aborted = abort(first).await.is(200);
    assert_eq!(aborted["workflow_state"], "aborted");
    assert!(aborted["progress"].as_i64().unwrap() < 100 && !aborted["ended_at"].is_null());
    abort(first).await.is_refused(400, "The import has ended");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let later = admin.get(&format!("{IMPORTS}/{first}")).await.is(200);
    assert_eq!((&later["progress"], &later["data"]["counts"]), (&aborted["progress"], &aborted["data"]["counts"]));
    admin.get("/api/v1/users/sis_user_id:U1").await.is_not_found();

    let third = send(admin, "text/csv", enrollments(100_000)).await.is(200).id();
    let all = admin.put(&format!("{IMPORTS}/abort_all_pending")).await.is(200);
    assert_eq!(all.json, json!({ "aborted": true }));
    assert_eq!(admin.get(&format!("{IMPORTS}/{third}")).await.is(200)["workflow_state"], "aborted");
}

#[tokio::test]
async fn progress_moves_and_errors_come_in_pages() {
    let school = School::start().await;
    let admin = &school.admin;
    let id = send(admin, "text/csv", enrollments(24_000)).await.is(200).id();
    let mut seen = Vec::new();
    let import = loop {
        let import = admin.get(&format!("{IMPORTS}/{id}")).await.is(200);
        seen.push(import["progress"].as_i64().unwrap());
        if !import["ended_at"].is_null() {
            break import;
        }
    };
    assert!(seen.is_sorted() && seen.iter().any(|progress| (1..100).contains(progress)), "{seen:?}");
    assert_eq!(import["processing_errors"].as_array().unwrap().len(), 50);
    let mut next = Some(format!("{IMPORTS}/{id}/errors?per_page=100"));
    let mut rows = Vec::new();
    while let Some(path) = next {
        let page = admin.get(&path).await.is(200);
        rows.extend(page["sis_import_errors"].as_array().unwrap().iter().map(|error| error["row"].as_i64().unwrap()));
        next = page.link("next");
    }
    assert_eq!(rows, (2..24_002).collect::<Vec<_>>());
}

#[tokio::test]
async fn archives_are_not_trusted() {
    let school = School::start().await;
    let admin = &school.admin;
    let good = zip(&[("users.csv", USERS)]);
    let refused = async |bytes: Vec<u8>| {
        let id = send(admin, "application/zip", bytes).await.is(200).id();
        let import = ended(admin, id).await;
        assert_eq!(import["workflow_state"], "failed_with_messages", "{import}");
        import["processing_errors"][0][1].as_str().unwrap().to_owned()
    };
    assert!(refused(good[..good.len() - 30].to_vec()).await.contains("zip file"));
    let mut damaged = good.clone();
    damaged[60] ^= 0xFF;
    assert!(refused(damaged).await.contains("cannot be unpacked"));
    assert!(refused(b"PK and no more".to_vec()).await.contains("zip file"));
    assert!(refused(zip(&[("readme.txt", "hello")])).await.contains("not a CSV file"));
    assert!(refused(zip(&[("__MACOSX/users.csv", USERS)])).await.contains("no CSV files in it"));

    let beside = import_zip(admin, &[("../../users.csv", USERS), ("..\\windows.txt", "x"), ("a/.DS_Store", "x")]).await;
    assert_eq!(beside["workflow_state"], "imported_with_messages");
    assert_eq!(beside["data"]["counts"], json!({ "users": 3 }));
    assert_eq!(beside["processing_errors"], json!([["..\\windows.txt", "The file is not a CSV file"]]));
}

#[tokio::test]
async fn of_an_archive_so_many_files_are_read_and_no_more() {
    let school = School::start().await;
    let admin = &school.admin;
    let names: Vec<_> = (0..120).map(|number| format!("{number}.csv")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "nothing,of,ours\n")).collect();
    let import = import_zip(admin, &files).await;
    assert_eq!(import["workflow_state"], "failed_with_messages");
    let next = format!("{IMPORTS}/{}/errors?per_page=100", import.id());
    let first = admin.get(&next).await.is(200);
    let rest = admin.get(&first.link("next").expect("another page")).await.is(200);
    assert_eq!(rest["sis_import_errors"].as_array().unwrap().len(), 1);
    assert_eq!(rest["sis_import_errors"][0]["message"], "An import has 100 files at most");
}

#[tokio::test]
async fn a_quotation_mark_that_is_never_closed_swallows_no_rows_in_silence() {
    let school = School::start().await;
    let admin = &school.admin;
    let csv = "user_id,login_id,status,short_name\nQ1,q1,active,One\nQ2,q2,active,\"Two\nQ3,q3,active,Three\n";
    let import = import(admin, csv).await;
    assert_eq!(import["data"]["counts"], json!({ "users": 1 }));
    let errors = errors(admin, import.id()).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["row"], 3);
    assert!(errors[0]["message"].as_str().unwrap().contains("never closed"), "{errors:?}");
}

#[tokio::test]
async fn a_deletion_makes_no_section() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    import(admin, "course_id,short_name,long_name,status\nBARE,B,Bare,active\n").await;
    let deletion = import(admin, "course_id,user_id,role,status\nBARE,U1,student,deleted\n").await;
    assert_eq!(deletion["workflow_state"], "imported");
    assert_eq!(admin.get("/api/v1/courses/sis_course_id:BARE/sections").await.is(200).json, json!([]));
}

#[tokio::test]
async fn a_section_takes_its_enrollments_to_another_course() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    import(admin, "section_id,course_id,name,status\nS1,C2,Morning,active\n").await;
    let section = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    assert_eq!(section["course_id"], course_of(admin, "C2").await);
    let in_zoology = admin.get("/api/v1/courses/sis_course_id:C2/enrollments").await.is(200);
    assert_eq!(in_zoology.ids().len(), 4);
}

#[tokio::test]
async fn an_import_that_ends_the_last_enrollment_ends_the_memberships_of_the_course() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let group = admin.get("/api/v1/groups/sis_group_id:G1").await.is(200).id();
    let members = async || admin.get(&format!("/api/v1/groups/{group}/users")).await.is(200).ids().len();
    assert_eq!(members().await, 1);
    import(&admin, "course_id,user_id,role,section_id,status\nC1,U2,student,S1,deleted\n").await;
    assert_eq!(members().await, 0);
    import(&admin, "course_id,user_id,role,section_id,status\nC1,U2,student,S1,active\n").await;
    assert_eq!(members().await, 0);
}
