//! The work that makes packages: whom it tells, how long they are kept, and how it ends when it is cancelled, when the store is
//! away and after a crash.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use support::{DEVELOPMENT, Response, School, admin_of, make, running};

use super::{Package, downloaded, ended, exported};
use crate::files::upload;

#[tokio::test]
async fn whoever_asked_is_told_unless_that_is_not_wanted() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let channel = json!({
        "communication_channel": { "type": "email", "address": format!("{}@lms.test", support::unique("t")) },
        "skip_confirmation": true,
    });
    let path = format!("/api/v1/users/{}/communication_channels", teacher.id);
    school.admin.post(&path).json(channel).await.is(200);
    let told = async || {
        let outbox = school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let outbox = outbox.json.as_array().unwrap().clone();
        outbox.iter().filter(|message| message["subject"].as_str().unwrap().contains("export")).count()
    };
    exported(&teacher, &course.path(""), json!({ "export_type": "qti", "skip_notifications": "true" })).await;
    exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    assert_eq!(told().await, 0);
    exported(&teacher, &course.path(""), json!({ "export_type": "qti", "skip_notifications": false })).await;
    assert_eq!(told().await, 1);
}

#[tokio::test]
async fn a_package_is_there_for_a_time() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    let past = format!("UPDATE content_exports SET expires_at = '2020-01-01T00:00:00Z' WHERE id = {}", export.id());
    if !running().change_database(&past) {
        return;
    }
    let path = course.path(&format!("/content_exports/{}", export.id()));
    assert!(teacher.get(&path).await.is(200).json.get("attachment").is_none());
    running().tick(None).await;
    let gone = teacher.get(&path).await.is(200);
    assert_eq!(gone["workflow_state"], "exported");
    assert!(gone.json.get("attachment").is_none());
    let nobody = teacher.without_token();
    nobody.get(export["attachment"]["url"].as_str().unwrap()).await.is_not_found();
}

#[tokio::test]
async fn work_is_cancelled_by_its_user() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let export = exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    let cancel = format!("{}/cancel", export["progress_url"].as_str().unwrap());
    school.admin.post(&cancel).await.is_forbidden();
    // An export that has ended stays as it is.
    assert_eq!(teacher.post(&cancel).await.is(200)["workflow_state"], "completed");
    let waiting = teacher.post(&course.path("/content_exports")).json(json!({ "export_type": "zip" })).await.is(200);
    let cancel = format!("{}/cancel", waiting["progress_url"].as_str().unwrap());
    let cancelled = teacher.post(&cancel).json(json!({ "message": "enough" })).await.is(200);
    assert!(matches!(cancelled["workflow_state"].as_str(), Some("failed" | "completed")), "{cancelled}");
}

#[tokio::test]
async fn an_export_that_nobody_works_on_is_taken_up_again_and_not_for_ever() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let form = json!({ "export_type": "qti" });
    let crashed = exported(&teacher, &course.path(""), form.clone()).await;
    let hopeless = exported(&teacher, &course.path(""), form).await;
    // As a crash leaves them: one that was begun once, one that was begun too often.
    for (export, attempts) in [(&crashed, 3), (&hopeless, 10)] {
        let id = export.id();
        let sql = format!(
            "UPDATE content_exports SET workflow_state = 'exporting', attachment_id = NULL, lease = 'x',
                 leased_until = '2020-01-01T00:00:00Z', attempts = {attempts} WHERE id = {id};
             UPDATE progresses SET workflow_state = 'running', completion = 10
             WHERE context_type = 'ContentExport' AND context_id = {id};"
        );
        if !running().change_database(&sql) {
            return;
        }
    }
    running().tick(None).await;
    let show = async |export: &Response| {
        let path = course.path(&format!("/content_exports/{}", export.id()));
        // Another's tick may have it still.
        let progress = ended(&teacher, &export["progress_url"]).await;
        (teacher.get(&path).await.is(200), progress)
    };
    let (export, progress) = show(&crashed).await;
    assert_eq!((&export["workflow_state"], &progress["workflow_state"]), (&json!("exported"), &json!("completed")));
    downloaded(&export).await.is_sound();
    let (export, progress) = show(&hopeless).await;
    assert_eq!((&export["workflow_state"], &progress["workflow_state"]), (&json!("failed"), &json!("failed")));
    assert!(progress["message"].as_str().unwrap().contains("interrupted"), "{progress}");
    assert!(export.json.get("attachment").is_none());
}

#[tokio::test]
async fn an_export_is_not_given_up_because_the_store_is_away() {
    let site = support::Running::own("store-away", &[]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    upload(&teacher, &course.path("/files"), json!({ "name": "a.txt" }), b"whole").await;
    if !site.change_key_value("ALTER TABLE spin_key_value RENAME TO elsewhere") {
        return;
    }
    let exports = course.path("/content_exports");
    let export = teacher.post(&exports).json(json!({ "export_type": "zip" })).await.is(200).id();
    let postponed =
        format!("SELECT 1 FROM content_exports WHERE id = {export} AND workflow_state = 'exporting' AND attempts = 0");
    let is_postponed = async || site.read_database(&postponed).is_some_and(|rows| !rows.is_empty());
    crate::uploads::until("the first attempt has failed", &is_postponed).await;
    let seconds = |seconds: i64| shared::clock::now().plus_seconds(seconds).to_string();
    for attempt in 1..=5 {
        site.tick(Some(&seconds(attempt * 60))).await;
        assert!(is_postponed().await, "attempt {attempt} counts");
    }
    assert!(site.change_key_value("ALTER TABLE elsewhere RENAME TO spin_key_value"));
    site.tick(Some(&seconds(600))).await;
    let export = teacher.get(&format!("{exports}/{export}")).await.is(200);
    assert_eq!(export["workflow_state"], "exported");
    let package = downloaded(&export).await;
    assert!(package.has("a.txt") && package.files().len() == 1, "the package is whole, without a report");
}

#[tokio::test]
async fn after_a_crash_every_export_ends() {
    const EXPORTS: usize = 4;
    let sandbox = support::sandbox(&DEVELOPMENT);
    let mut app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let course = json!({ "course": { "name": "Botany" }, "offer": true });
    let course = format!("/api/v1/courses/{}", make(&client, "/api/v1/accounts/1/courses", course).await.id());
    for number in 0..4 {
        let name = json!({ "name": format!("{number}.bin") });
        upload(&client, &format!("{course}/files"), name, &vec![7; 8_000_000]).await;
    }
    let begin = || client.post(&format!("{course}/content_exports")).json(json!({ "export_type": "zip" }));
    let exports = join_all((0..EXPORTS).map(|_| begin().into_future())).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    app.crash().await.unwrap();

    app = sandbox.start().await.unwrap();
    let client = admin_of(&sandbox, &app).await;
    let operator = client.with_token(&sandbox.variables["tick_token"]);
    let mut states = Vec::new();
    for round in 1..=5 {
        // Leases of those who are gone end.
        let clock = shared::clock::now().plus_seconds(60 * round).to_string();
        operator.post("/internal/tick").header("x-test-clock", clock).await.is(200);
        states.clear();
        for export in &exports {
            let export = client.get(&format!("{course}/content_exports/{}", export.id())).await.is(200);
            states.push(export["workflow_state"].as_str().unwrap().to_owned());
            if let Some(size) = export["attachment"]["size"].as_i64() {
                let bytes = reqwest::get(export["attachment"]["url"].as_str().unwrap()).await.unwrap();
                let bytes = bytes.bytes().await.unwrap().to_vec();
                assert_eq!(i64::try_from(bytes.len()).unwrap(), size);
                assert_eq!(Package::new(bytes).files().len(), 4);
            }
        }
        if states.iter().all(|state| matches!(state.as_str(), "exported" | "failed")) {
            break;
        }
    }
    assert_eq!(states, ["exported"; EXPORTS]);
    app.stop().await.unwrap();
}
