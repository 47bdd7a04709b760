//! The record of an import: its keys, its ways in, its progress and its turn.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, School, recent};

use super::{IMPORTS, USERS, course_of, ended, enrollments, import_zip, log, send};

async fn types(admin: &Client, course: i64) -> Vec<String> {
    log(admin, course).await.into_iter().map(|(event_type, ..)| event_type).collect()
}

#[tokio::test]
async fn an_import_has_exactly_the_documented_keys() {
    let school = School::start().await;
    let made = send(&school.admin, "text/csv", USERS).await.is(200);
    assert_eq!((&made["workflow_state"], &made["progress"]), (&json!("created"), &json!(0)));
    let import = ended(&school.admin, made.id()).await;
    let admin = school.admin.get("/api/v1/users/self").await.is(200);
    let file = &import["csv_attachments"][0];
    let path = format!("/api/v1/accounts/{}/sis_imports/{}/csv_attachments/{}", school.account, made.id(), file["id"]);
    assert!(file["url"].as_str().unwrap().ends_with(&path), "{file}");
    let file = json!({
        "id": file["id"], "uuid": file["uuid"], "folder_id": null, "display_name": "attachment.csv",
        "filename": "attachment.csv", "upload_status": "success", "content-type": "text/csv", "url": file["url"],
        "size": USERS.len(), "created_at": import["created_at"], "updated_at": import["created_at"],
    });
    let counts = json!({ "created": 3, "concluded": 0, "deactivated": 0, "deleted": 0, "restored": 0 });
    let expected = json!({
        "id": made.id(), "account_id": import["account_id"], "created_at": recent(&made["created_at"]), "started_at": recent(&import["started_at"]),
        "ended_at": recent(&import["ended_at"]), "updated_at": recent(&import["updated_at"]), "progress": 100,
        "workflow_state": "imported",
        "data": { "import_type": "instructure_csv", "supplied_batches": ["users"], "counts": { "users": 3 },
                  "completed_at": import["ended_at"] },
        "batch_mode": null, "batch_mode_term_id": null, "skip_deletes": false, "override_sis_stickiness": false,
        "add_sis_stickiness": false, "clear_sis_stickiness": false, "diffing_data_set_identifier": null,
        "diffed_against_import_id": null, "diffing_drop_status": null, "diffing_remaster": false,
        "diffing_threshold_exceeded": false, "diff_row_count_threshold": null, "change_threshold": null,
        "multi_term_batch_mode": false, "batch_mode_enrollment_drop_status": null,
        "statistics": { "User": counts, "Pseudonym": counts, "total_state_changes": 6 },
        "csv_attachments": [file], "user": { "id": school.admin.id, "name": admin["name"] },
    });
    assert_eq!(import.json, expected);
}

#[tokio::test]
async fn the_files_of_an_import_are_kept_but_those_with_passwords() {
    let (school, other) = (School::start().await, School::start().await);
    let passwords = "user_id,login_id,password,status\nU9,nina,a-long-password,active\n";
    let courses = "course_id,short_name,long_name,status\nC1,B,Botany,active\n";
    let files = [("users.csv", USERS), ("passwords.csv", passwords), ("courses.csv", courses)];
    let import = import_zip(&school.admin, &files).await;
    assert_eq!(import["workflow_state"], "imported", "{import}");
    let attachments = import["csv_attachments"].as_array().unwrap();
    let names: Vec<_> = attachments.iter().map(|file| file["filename"].as_str().unwrap()).collect();
    assert_eq!(names, ["users.csv", "passwords.csv", "courses.csv"]);
    let path = |file: &Value| format!("{IMPORTS}/{}/csv_attachments/{}", import.id(), file["id"]);
    for (file, text) in attachments.iter().zip([Some(USERS), None, Some(courses)]) {
        let answer = school.admin.get(&path(file)).await;
        match text {
            Some(text) => {
                let answer = answer.is(200);
                assert_eq!((answer.body.as_str(), &file["size"]), (text, &json!(text.len())));
                assert!(answer.header("content-disposition").unwrap().starts_with("attachment"));
            }
            None => {
                answer.is_not_found();
                assert_eq!(file["url"], "");
            }
        }
    }
    let listed = school.admin.get(IMPORTS).await.is(200);
    assert_eq!(listed["sis_imports"][0]["csv_attachments"], import["csv_attachments"]);
    let users = &attachments[0];
    school.person("reader").await.get(&path(users)).await.is_forbidden();
    other.admin.get(&path(users)).await.is_not_found();
    let elsewhere = super::import(&school.admin, USERS).await.id();
    school.admin.get(&format!("{IMPORTS}/{elsewhere}/csv_attachments/{}", users["id"])).await.is_not_found();
}

#[tokio::test]
async fn what_an_import_has_to_say_is_a_file_too() {
    let (school, other) = (School::start().await, School::start().await);
    let rows = "user_id,login_id,email,status\nU1,ada,,active\n,carl,,active\nU3,maria,\"a \"\"b\"\", c\",active\n";
    let import = import_zip(&school.admin, &[("users.csv", rows), ("notes.txt", "no table")]).await;
    assert_eq!(import["workflow_state"], "imported_with_messages", "{import}");
    let messages = school.admin.get(&format!("{IMPORTS}/{}/errors", import.id())).await.is(200);
    let messages = messages["sis_import_errors"].as_array().unwrap().clone();
    assert_eq!(messages.len(), 3, "{messages:?}");
    let quoted = |text: &str| match text.contains(['"', ',']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |message: &Value| {
        let row = message["row"].as_i64().map(|row| row.to_string()).unwrap_or_default();
        let (file, text) = (message["file"].as_str().unwrap_or_default(), message["message"].as_str().unwrap());
        format!("{},{file},{},{row}\r\n", import.id(), quoted(text))
    };
    let text = format!("sis_import_id,file,message,row\r\n{}", messages.iter().map(line).collect::<String>());
    assert!(text.contains("\"\"b\"\""), "a message has quotation marks: {text}");
    let file = &import["errors_attachment"];
    assert_eq!((&file["size"], &file["content-type"]), (&json!(text.len()), &json!("text/csv")));
    assert_eq!(file["filename"], format!("sis_errors_attachment_{}.csv", import.id()));
    let path = format!("/api/v1/accounts/{}/sis_imports/{}/errors_attachment", school.account, import.id());
    assert!(file["url"].as_str().unwrap().ends_with(&path), "{file}");
    let answer = school.admin.get(&path).await.is(200);
    assert_eq!(answer.body, text);
    assert!(answer.header("content-disposition").unwrap().starts_with("attachment"));
    school.person("reader").await.get(&path).await.is_forbidden();
    other.admin.get(&path).await.is_not_found();
    let path = format!("{IMPORTS}/{}/errors_attachment", super::import(&school.admin, USERS).await.id());
    school.admin.get(&path).await.is_not_found();
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
    // On a busy machine an import may have ended before it is looked at for the first time.
    let mut seen_under_way = false;
    let mut last = None;
    for _ in 0..5 {
        let id = send(admin, "text/csv", enrollments(24_000)).await.is(200).id();
        let mut seen = Vec::new();
        let import = loop {
            let import = admin.get(&format!("{IMPORTS}/{id}")).await.is(200);
            seen.push(import["progress"].as_i64().unwrap());
            if !import["ended_at"].is_null() {
                break import;
            }
        };
        assert!(seen.is_sorted(), "{seen:?}");
        seen_under_way = seen.iter().any(|progress| (1..100).contains(progress));
        last = Some((id, import));
        if seen_under_way {
            break;
        }
    }
    assert!(seen_under_way, "no progress was seen in five imports");
    let (id, import) = last.unwrap();
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
