//! What one user can add is bounded, and what is gone leaves no rows behind.

use serde_json::{Value, json};
use support::{Client, Course, School, running};

use crate::files::{send, upload};

const OWN_FILES: &str = "/api/v1/users/self/files";

/// The number that a statement finds; `None` where the database cannot be read.
fn count(sql: &str) -> Option<i64> {
    running().read_database(sql)?.first()?.first()?.as_i64()
}

/// Files of a user in a folder, made behind the application's back.
fn files_sql(user: i64, folder: &Value, name: &str, number: usize) -> String {
    format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {number})
         INSERT INTO attachments (root_account_id, context_type, context_id, folder_id, user_id, filename, display_name,
             content_type, size, blob, uuid, created_at, modified_at, updated_at)
         SELECT f.root_account_id, 'User', {user}, f.id, {user}, 'x', {name}, 'text/plain', 0, '', lower(hex(randomblob(16))),
             '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
         FROM n, folders f WHERE f.id = {folder}"
    )
}

#[tokio::test]
async fn the_files_of_a_user_are_counted() {
    let school = School::start().await;
    let student = school.person("student").await;
    let first = upload(&student, OWN_FILES, json!({ "name": "a.txt" }), b"").await;
    let late = student.post(OWN_FILES).json(json!({ "name": "late.txt" })).await.is(200).json;
    if !running().change_database(&files_sql(student.id, &first["folder_id"], "'f' || n", 19_999)) {
        return;
    }
    student.post(OWN_FILES).json(json!({ "name": "b.txt" })).await.is_refused(400, "more than 20000 files");
    send(&student, &late, b"late").await.is_refused(400, "more than 20000 files");
    student.delete(&format!("/api/v1/files/{}", first.id())).await.is(200);
    send(&student, &late, b"late").await.is(201);
}

#[tokio::test]
async fn what_a_user_announces_is_counted_though_it_has_come() {
    let school = School::start().await;
    let student = school.person("student").await;
    let file = upload(&student, OWN_FILES, json!({ "name": "a.txt" }), b"a").await;
    let come = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1999)
         INSERT INTO uploads (root_account_id, context_type, context_id, folder_id, user_id, name, size_limit, on_duplicate,
             created_at, expires_at, attachment_id)
         SELECT root_account_id, context_type, context_id, folder_id, user_id, name, size_limit, on_duplicate, created_at,
             expires_at, attachment_id
         FROM n, (SELECT * FROM uploads WHERE attachment_id = {})",
        file.id()
    );
    if !running().change_database(&come) {
        return;
    }
    let refused = student.post(OWN_FILES).json(json!({ "name": "b.txt" })).await.is(429);
    assert!(refused.header("retry-after").is_some(), "{refused}");
    school.admin.post(OWN_FILES).json(json!({ "name": "b.txt" })).await.is(200);
}

#[tokio::test]
async fn folders_that_are_made_and_deleted_again_are_counted() {
    let school = School::start().await;
    let student = school.person("student").await;
    let make = async |name: &str| {
        student.post("/api/v1/users/self/folders").json(json!({ "name": name, "parent_folder_path": "drafts" })).await
    };
    let first = make("one").await.is(200);
    let made = |at: &str| {
        format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
             INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name, workflow_state,
                 created_at, updated_at)
             SELECT root_account_id, context_type, context_id, parent_folder_id, 'x' || n, 'deleted', {at}, {at}
             FROM n, folders WHERE folders.id = {}",
            first.id()
        )
    };
    if !running().change_database(&made("'2026-01-01T00:00:00Z'")) {
        return;
    }
    make("two").await.is(200);
    running().change_database(&made("strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"));
    make("three").await.is(429);
    let new_path = json!({ "name": "four", "parent_folder_path": "drafts/deeper" });
    student.post("/api/v1/users/self/folders").json(new_path).await.is(429);
    let within = format!("/api/v1/folders/{}/folders", first.id());
    student.post(&within).json(json!({ "name": "five" })).await.is(429);
    let there = json!({ "name": "a.txt", "parent_folder_path": "drafts" });
    upload(&student, OWN_FILES, there, b"a").await;
}

#[tokio::test]
async fn a_name_that_is_taken_too_often_gets_one_that_nobody_has() {
    let school = School::start().await;
    let student = school.person("student").await;
    let first = upload(&student, OWN_FILES, json!({ "name": "a.txt" }), b"a").await;
    if !running().change_database(&files_sql(student.id, &first["folder_id"], "'a-' || n || '.txt'", 600)) {
        return;
    }
    let renamed = json!({ "name": "a.txt", "on_duplicate": "rename" });
    let other = upload(&student, OWN_FILES, renamed, b"b").await;
    let name = other["display_name"].as_str().unwrap();
    let word = name.strip_prefix("a-").and_then(|rest| rest.strip_suffix(".txt")).unwrap_or_default();
    assert!(word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
}

#[tokio::test]
async fn the_row_of_a_deleted_file_goes_with_its_bytes() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let work = json!({ "assignment": {
        "name": "Essay", "submission_types": ["online_upload"], "published": true, "points_possible": 10,
    } });
    let assignment = teacher.post(&course.path("/assignments")).json(work).await.is(201).id();
    let file = async |name: &str| upload(&student, OWN_FILES, json!({ "name": name }), b"a").await.id();
    let (gone, handed_in) = (file("gone.txt").await, file("kept.txt").await);
    let submission = json!({ "submission": { "submission_type": "online_upload", "file_ids": [handed_in] } });
    student.post(&course.path(&format!("/assignments/{assignment}/submissions"))).json(submission).await.is(201);
    student.delete(&format!("/api/v1/files/{gone}")).await.is(200);
    // As work was that somebody has handed in before it was kept.
    let aged = format!(
        "UPDATE attachments SET workflow_state = 'deleted', updated_at = '2020-01-01T00:00:00Z' WHERE id IN ({gone}, {handed_in});
         DELETE FROM uploads WHERE attachment_id IN ({gone}, {handed_in})"
    );
    if !running().change_database(&aged) {
        return;
    }
    crate::uploads::until("the deleted files have no bytes", async || {
        running().tick(None).await;
        count(&format!("SELECT count(*) FROM attachments WHERE id IN ({gone}, {handed_in}) AND blob <> ''")) == Some(0)
    })
    .await;
    assert_eq!(count(&format!("SELECT count(*) FROM attachments WHERE id = {gone}")), Some(0));
    assert_eq!(count(&format!("SELECT count(*) FROM attachments WHERE id = {handed_in}")), Some(1));
}

#[tokio::test]
async fn the_questions_of_ones_own_banks_are_counted() {
    let school = School::start().await;
    let (_, teacher, _) = school.classroom("Botany").await;
    let banks = "/api/v1/users/self/question_banks";
    let bank = teacher.post(banks).json(json!({ "question_bank": { "title": "Own" } })).await.is(200).id();
    let questions = format!("{banks}/{bank}/questions");
    let question =
        || json!({ "question": { "question_name": "Q", "question_text": "?", "question_type": "essay_question" } });
    let first = teacher.post(&questions).json(question()).await.is(200).id();
    let many = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 9999)
         INSERT INTO quiz_questions (question_bank_id, position, question_name, question_type, question_text, points_possible,
             correct_comments, incorrect_comments, neutral_comments, answers, question_data, created_at, updated_at)
         SELECT question_bank_id, n, question_name, question_type, question_text, points_possible, correct_comments,
             incorrect_comments, neutral_comments, answers, question_data, created_at, updated_at
         FROM n, (SELECT * FROM quiz_questions WHERE id = {first})"
    );
    if !running().change_database(&many) {
        return;
    }
    teacher.post(&questions).json(question()).await.is_refused(400, "more than one's own question banks may hold");
}

#[tokio::test]
async fn whoever_comes_back_takes_up_what_was_there() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let group = json!({ "name": "Mosses", "join_level": "parent_context_auto_join" });
    let group = teacher.post(&course.path("/groups")).json(group).await.is(200).id();
    let memberships = format!("/api/v1/groups/{group}/memberships");
    let joins = async || student.post(&memberships).json(json!({ "user_id": "self" })).await.is(200);
    let first = joins().await;
    student.delete(&format!("{memberships}/self")).await.is(200);
    assert_eq!(joins().await.json, first.json);
    assert_eq!(teacher.get(&memberships).await.is(200).ids(), [first.id()]);

    let guest = school.person("guest").await;
    let first = enrolls(&school.admin, &course, guest.id).await;
    school.admin.delete(&course.path(&format!("/enrollments/{first}?task=delete"))).await.is(200);
    guest.get(&course.path("")).await.is_forbidden();
    assert_eq!(enrolls(&school.admin, &course, guest.id).await, first);
    guest.get(&course.path("")).await.is(200);
}

async fn enrolls(client: &Client, course: &Course, user: i64) -> i64 {
    let enrollment = json!({ "enrollment": {
        "user_id": user, "type": "StudentEnrollment", "enrollment_state": "active" } });
    client.post(&course.path("/enrollments")).json(enrollment).await.is(200).id()
}

#[tokio::test]
async fn who_is_taken_in_and_out_again_and_again_is_told_a_few_times() {
    let school = School::start().await;
    let (course, _, guest) = school.classroom("Botany").await;
    let told = async || {
        let messages = school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let messages = messages.json.as_array().unwrap().clone();
        messages.iter().filter(|one| one["notification"] == "enrollment_notification").count()
    };
    let channels = format!("/api/v1/users/{}/communication_channels", guest.id);
    let address = format!("{}@school.test", support::unique("guest"));
    let channel =
        json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
    school.admin.post(&channels).json(channel).await.is(200);
    let before = told().await;
    for round in 0..8 {
        let id = enrolls(&school.admin, &course, guest.id).await;
        school.admin.delete(&course.path(&format!("/enrollments/{id}?task=delete"))).await.is(200);
        // What was not sent yet is replaced by the next one.
        if !running().change_database("UPDATE messages SET asset = NULL WHERE asset LIKE 'enrollment_%'") {
            return;
        }
        assert!(told().await <= before + 5, "after {round} rounds");
    }
    assert!(told().await > before, "the first ones are told");
}

#[tokio::test]
async fn resets_renewals_and_selections_have_limits() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let ids: Vec<i64> = (1..=20_001).collect();
    let wanted = json!({ "export_type": "common_cartridge", "select": { "files": ids } });
    teacher.post(&course.path("/content_exports")).json(wanted).await.is_refused(400, "20000 ids at most");
    if !running().use_up(&format!("content-migration/{}", teacher.id), 60, 3600) {
        return;
    }
    teacher.post(&course.path("/reset_content")).await.is(429);
    teacher.get(&course.path("")).await.is(200);

    let login = support::unique("ada");
    let user =
        json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login, "password": "difference-engine" } });
    let user = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let nobody = school.admin.without_token();
    let ask = |pairs: &[(&'static str, &str)]| nobody.post("/o/token").form(pairs);
    let given = ask(&[("username", &login), ("password", "difference-engine")]).await.is(200);
    let refresh = given["refresh_token"].as_str().unwrap();
    running().use_up(&format!("badge-token-renewals/{user}"), 60, 3600);
    ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await.is(429);
    running().change_database(&format!("DELETE FROM throttle_hits WHERE key = 'badge-token-renewals/{user}'"));
    ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await.is(200);
}
