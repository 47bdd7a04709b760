//! Files and rows that cannot be taken.

use serde_json::{Value, json};
use support::{Client, School, number_id};

use super::{IMPORTS, USERS, WHOLE, ended, errors, import, import_zip, send, zip};

/// The one message of an import, and the line of its row.
async fn refusal(client: &Client, csv: &str) -> (String, Value) {
    let import = import(client, csv).await;
    let errors = errors(client, import.id()).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0]["message"].as_str().unwrap().to_owned(), errors[0]["row"].clone())
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
        ("batch_mode=1", "the given batch_mode_term_id cannot be found"),
        ("batch_mode=1&batch_mode_term_id=sis_term_id:NONE", "the given batch_mode_term_id cannot be found"),
        ("batch_mode=1&batch_mode_term_id=0", "the given batch_mode_term_id cannot be found"),
        ("multi_term_batch_mode=1", "change_threshold is required to use multi term_batch mode."),
        ("batch_mode=1&diffing_data_set_identifier=x", "cannot be used with batch_mode"),
        ("batch_mode_enrollment_drop_status=gone", "Invalid batch_mode_enrollment_drop_status"),
        ("diffing_drop_status=gone", "Invalid diffing_drop_status"),
        ("diffing_user_remove_status=gone", "Invalid diffing_user_remove_status"),
        ("change_threshold=-1", "change_threshold must be between 0 and"),
        ("diff_row_count_threshold=-1", "diff_row_count_threshold must be between 0 and"),
        ("update_sis_id_if_login_claimed=1", "update_sis_id_if_login_claimed is not supported here: a login keeps"),
        ("extension=xml", "extension must be csv or zip"),
        ("skip_deletes=perhaps", "skip_deletes must be true or false"),
    ] {
        admin.post(&format!("{IMPORTS}?{query}")).body("text/csv", USERS).await.is_refused(400, words);
    }
    let long = format!("{IMPORTS}?diffing_data_set_identifier={}", "x".repeat(129));
    admin.post(&long).body("text/csv", USERS).await.is_refused(400, "longer than 128 bytes");
    let list = admin.get(IMPORTS).await.is(200);
    assert_eq!(list["sis_imports"], json!([]), "what was refused leaves nothing behind");
}

#[tokio::test]
async fn what_is_no_file_is_told_of() {
    let school = School::start().await;
    let admin = &school.admin;
    let long = format!("user_id,login_id,status\nU1,{},active\n", "x".repeat(70_000));
    for (csv, words, row) in [
        ("abstract_course_id,status\n", "Couldn't find Canvas CSV import headers", Value::Null),
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

/// The header of a file, and rows that it cannot take, each with the reason.
type Refused = (&'static str, &'static [(&'static str, &'static str)]);

const REFUSED_ACCOUNTS: Refused = (
    "account_id,parent_account_id,name,status",
    &[
        (",,No id,active", "No account_id given for an account"),
        ("A9,NONE,Lost,active", "Parent account didn't exist for account A9: NONE"),
        ("A9,,,active", "No name given for account A9"),
        ("A9,,x,asleep", "Improper status \"asleep\" for account A9"),
        ("SCI,BIO,Science,active", "Account SCI cannot stand under itself"),
        ("BIO,SCI,Biology,deleted", "Account BIO has courses or accounts in it and cannot be deleted"),
        ("A9,,x,active,more", "The row has 5 fields, the header 4"),
    ],
);

const REFUSED_USERS: Refused = (
    "user_id,login_id,password,status",
    &[
        (",x,,active", "No user_id given for a user"),
        ("U9,,,active", "No login_id given for user U9"),
        ("U9,x,1234567,active", "The password for user U9 is too short (minimum is 8 characters)"),
        ("U9,x,,gone", "Improper status \"gone\" for user U9"),
        ("U9,ADA,,active", "user U1 has already claimed U9's requested login information"),
    ],
);

const REFUSED_COURSES: Refused = (
    "course_id,short_name,long_name,account_id,status,start_date",
    &[
        (",x,x,,active,", "No course_id given for a course"),
        ("C9,,x,,active,", "No short_name given for course C9"),
        ("C9,x,,,active,", "No long_name given for course C9"),
        ("C9,x,x,NONE,active,", "Account NONE doesn't exist for course C9"),
        ("C9,x,x,,open,", "Improper status \"open\" for course C9"),
        ("C9,x,x,,active,soon", "Bad date format for start_date: soon"),
    ],
);

const REFUSED_SECTIONS: Refused = (
    "section_id,course_id,name,status",
    &[
        (",C1,x,active", "No section_id given for a section"),
        ("S9,,x,active", "No course_id given for section S9"),
        ("S9,NONE,x,active", "Section S9 references course NONE which doesn't exist"),
        ("S9,C1,,active", "No name given for section S9 in course C1"),
        ("S9,C1,x,gone", "Improper status \"gone\" for section S9"),
    ],
);

const REFUSED_ENROLLMENTS: Refused = (
    "course_id,section_id,user_id,role,status,associated_user_id,limit_section_privileges",
    &[
        (",,U1,student,active,,", "No course_id or section_id given for an enrollment"),
        ("C1,,,student,active,,", "No user_id given for an enrollment"),
        ("C1,,U1,,active,,", "No role given for an enrollment"),
        ("C1,,U1,guest,active,,", "Improper role \"guest\" for an enrollment"),
        ("C1,,U1,student,new,,", "Improper status \"new\" for an enrollment"),
        ("NONE,,U1,student,active,,", "An enrollment referenced a non-existent course NONE"),
        ("C1,NONE,U1,student,active,,", "An enrollment referenced a non-existent section NONE"),
        ("C1,,NONE,student,active,,", "An enrollment referenced a non-existent user NONE"),
        ("C1,,U1,observer,active,NONE,", "An enrollment referenced a non-existent associated user NONE"),
        ("C1,,U1,student,active,U2,", "An associated_user_id is for an observer only"),
        ("C1,,U1,student,active,,maybe", "Improper limit_section_privileges \"maybe\" for an enrollment"),
        ("C2,S1,U1,student,active,,", "Section S1 is not a section of course C2"),
    ],
);

const REFUSED_GROUPS: Refused = (
    "group_id,course_id,account_id,name,status",
    &[
        (",C1,,x,available", "No group_id given for a group"),
        ("G9,C1,BIO,x,available", "Only one context is allowed for group G9: a course or an account"),
        ("G9,NONE,,x,available", "Course NONE doesn't exist for group G9"),
        ("G9,,NONE,x,available", "Account NONE doesn't exist for group G9"),
        ("G9,C1,,,available", "No name given for group G9"),
        ("G9,C1,,x,gone", "Improper status \"gone\" for group G9"),
    ],
);

const REFUSED_MEMBERSHIPS: Refused = (
    "group_id,user_id,status",
    &[
        (",U1,accepted", "No group_id given for a group membership"),
        ("G1,,accepted", "No user_id given for a group membership"),
        ("NONE,U1,accepted", "Group NONE not available"),
        ("G1,NONE,accepted", "User NONE not available"),
        ("G1,U1,asleep", "Improper status \"asleep\" for a membership of group G1"),
        ("G1,U3,accepted", "User U3 does not take part in the course of group G1"),
    ],
);

const REFUSED_TERMS: Refused = (
    "term_id,name,status,date_override_enrollment_type",
    &[
        (",x,active,", "No term_id given for a term"),
        ("T9,,active,", "No name given for term T9"),
        ("T9,x,asleep,", "Improper status \"asleep\" for term T9"),
        ("T9,,active,StudentEnrollment", "Term T9 doesn't exist for dates of a StudentEnrollment"),
        ("T9,,active,Guest", "Improper date_override_enrollment_type \"Guest\" for term T9"),
    ],
);

const REFUSED_XLISTS: Refused = (
    "xlist_course_id,section_id,status",
    &[
        (",S1,active", "No xlist_course_id given for a cross-listing"),
        ("C2,,active", "No section_id given for a cross-listing"),
        ("C2,NONE,active", "A cross-listing referenced a non-existent section NONE"),
        ("C2,S1,open", "Improper status \"open\" for a cross-listing"),
    ],
);

#[tokio::test]
async fn each_row_that_cannot_be_taken_says_why() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    for (header, rows) in [
        REFUSED_ACCOUNTS,
        REFUSED_USERS,
        REFUSED_COURSES,
        REFUSED_SECTIONS,
        REFUSED_ENROLLMENTS,
        REFUSED_GROUPS,
        REFUSED_MEMBERSHIPS,
        REFUSED_TERMS,
        REFUSED_XLISTS,
    ] {
        for (row, words) in rows {
            let refusal = refusal(admin, &format!("{header}\n\n{row}\n")).await;
            assert_eq!(refusal, ((*words).to_owned(), json!(3)), "{row}");
        }
    }
    let long = format!("{}\n\nA9,,{},active\n", REFUSED_ACCOUNTS.0, "x".repeat(256));
    assert_eq!(refusal(admin, &long).await.0, "The name is too long (maximum is 255 characters)");
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
        "id": number_id(&errors[0]["id"]), "sis_import_id": import.id(), "file": file, "row": 3,
        "message": "No user_id given for a user", "row_info": "login_id: nobody, status: active",
        "failure": true,
    });
    assert_eq!(errors[0], expected);
    assert_eq!((&errors[1]["row"], &errors[1]["failure"]), (&json!(4), &json!(false)));
    assert_eq!(school.admin.get("/api/v1/users/sis_user_id:U3").await.is(200)["login_id"], "maria\"m");
    assert_eq!(school.admin.get("/api/v1/users/sis_user_id:U2").await.is(200)["email"], Value::Null);
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
