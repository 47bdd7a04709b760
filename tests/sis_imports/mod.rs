//! Imports of what an institution's other systems know.

mod batch_mode;
mod dates;
mod differences;
mod effects;
mod places;
mod records;
mod restoring;
mod rights;
mod rows;
mod stickiness;
mod suspension;
mod terms;

use std::io::Write;
use std::time::Duration;

use serde_json::Value;
use support::{Client, Response};
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

async fn send(client: &Client, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    client.post(IMPORTS).body(content_type, body).await
}

/// The import when it has ended.
async fn ended(client: &Client, id: i64) -> Response {
    for _ in 0..1_200 {
        let import = client.get(&format!("{IMPORTS}/{id}")).await.is(200);
        if !import["ended_at"].is_null() {
            return import;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the import {id} does not end");
}

async fn import(client: &Client, csv: &str) -> Response {
    let id = send(client, "text/csv", csv).await.is(200).id();
    ended(client, id).await
}

/// The import of a zip that is sent with these parameters, when it has ended.
async fn import_with(client: &Client, query: &str, files: &[File<'_>]) -> Response {
    let id = client.post(&format!("{IMPORTS}?{query}")).body("application/zip", zip(files)).await.is(200).id();
    ended(client, id).await
}

/// The one message of an import.
async fn message(client: &Client, import: &Response) -> String {
    let errors = errors(client, import.id()).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0]["message"].as_str().unwrap().to_owned()
}

async fn import_zip(client: &Client, files: &[File<'_>]) -> Response {
    let id = send(client, "application/zip", zip(files)).await.is(200).id();
    ended(client, id).await
}

async fn errors(client: &Client, import: i64) -> Vec<Value> {
    let errors = client.get(&format!("{IMPORTS}/{import}/errors?per_page=100")).await.is(200);
    errors["sis_import_errors"].as_array().unwrap().clone()
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

/// Files in an order in which each would break if it came before those that it needs.
const WHOLE: [File<'static>; 7] = [
    ("memberships.csv", MEMBERSHIPS),
    ("folder/groups.csv", GROUPS),
    ("enrollments.csv", ENROLLMENTS),
    ("sections.csv", SECTIONS),
    ("courses.csv", COURSES),
    ("users.csv", USERS),
    ("accounts.csv", ACCOUNTS),
];

/// Enrollments of one user in as many courses as there are rows.
fn enrollments(rows: usize) -> String {
    use std::fmt::Write;
    let mut csv = "course_id,user_id,role,status\n".to_owned();
    for row in 0..rows {
        writeln!(csv, "C{row},NOBODY,student,active").unwrap();
    }
    csv
}
