//! Bytes in the key-value store: each of them is named by a row or gone, whatever was refused, cut off or deleted, and there
//! are no more of them than the installation may have.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use support::{Client, Course, DEVELOPMENT, Running, School, admin_of, change, read};

use crate::files::{form, send, sending, upload};
use crate::uploads::{begin, until};

const KILOBYTE: usize = 1024;
const IMPORTS: &str = "/api/v1/accounts/self/sis_imports";
const DAYS_LATER: &str = "2099-01-01T00:00:00Z";

/// Every column that names a blob, as `shared::blob` has them too.
const NAMES: [(&str, &str); 7] = [
    ("attachments", "blob"),
    ("uploads", "blob"),
    ("media_objects", "blob"),
    ("sis_imports", "upload"),
    ("sis_import_files", "blob"),
    ("sis_imports", "errors_blob"),
    ("badge_images", "'badge-images/' || name"),
];

/// The bytes of an application, as its two files tell of them.
struct Bytes<'a>(&'a Path);

impl Bytes<'_> {
    fn names(&self, sql: &str) -> BTreeSet<String> {
        let rows = read(&self.0.join("sqlite_db.db"), sql);
        rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
    }

    /// The names of all blobs of which there is a chunk.
    fn stored(&self) -> BTreeSet<String> {
        let keys = read(&self.0.join("sqlite_key_value.db"), "SELECT key FROM spin_key_value WHERE key LIKE 'blob/%'");
        let name = |row: &Vec<Value>| {
            let key = row[0].as_str().unwrap().strip_prefix("blob/").unwrap();
            key.rsplit_once('/').unwrap().0.to_owned()
        };
        keys.iter().map(name).collect()
    }

    fn named(&self) -> BTreeSet<String> {
        let all: Vec<_> = NAMES.iter().map(|(table, name)| format!("SELECT {name} AS name FROM {table}")).collect();
        self.names(&format!("SELECT name FROM ({}) WHERE name <> ''", all.join(" UNION ")))
    }

    fn unnamed(&self) -> Vec<String> {
        self.stored().difference(&self.named()).cloned().collect()
    }

    /// Checks that stored bytes are known, and that the total is that of all rows.
    fn are_known(&self) {
        let known = self.names("SELECT name FROM blobs");
        let unknown: Vec<_> = self.stored().difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "stored and not known: {unknown:?}");
        let totals = "SELECT (SELECT bytes FROM blob_totals), (SELECT ifnull(sum(size), 0) FROM blobs)";
        let totals = read(&self.0.join("sqlite_db.db"), totals);
        assert_eq!(totals[0][0], totals[0][1], "the total is kept");
    }

    /// True if the rows say how many bytes there are, to the last.
    fn is_counted(&self) -> bool {
        let total = read(&self.0.join("sqlite_db.db"), "SELECT bytes FROM blob_totals");
        let stored = "SELECT ifnull(sum(length(value)), 0) FROM spin_key_value WHERE key LIKE 'blob/%'";
        total == read(&self.0.join("sqlite_key_value.db"), stored)
    }

    /// Bytes go before the row that counts them: between the two a row may be alone for a moment.
    async fn all_have_names_and_no_more(&self) {
        until("all that is counted is there", async || self.is_counted()).await;
        assert_eq!(self.unnamed(), Vec::<String>::new());
        self.are_known();
    }
}

/// A zip file with one CSV file of so many rows of users.
fn zip_of_users(rows: usize) -> Vec<u8> {
    let mut csv = String::from("user_id,login_id,first_name,last_name,status\n");
    for row in 0..rows {
        csv.push_str(&format!("U{row},login-{row},First,Last{row},active\n"));
    }
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("users.csv", csv.as_str()), ("junk.csv", "a,b\n1,2\n"), ("junk.txt", "no table")] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

async fn import_ended(admin: &Client, id: i64) {
    until("the import ends", async || !admin.get(&format!("{IMPORTS}/{id}")).await.is(200)["ended_at"].is_null()).await;
}

/// The type of what [`form`] makes.
const FORM: &str = "multipart/form-data; boundary=----a-boundary-of-the-tests";

#[tokio::test]
async fn every_byte_is_named_by_a_row_or_gone() {
    let site = Running::own("named", &[("file_quota_megabytes", "2")]);
    let Some(folder) = site.folder() else { return };
    let bytes = Bytes(folder);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    refused_uploads_leave_nothing(&site, &bytes, &course, &teacher).await;
    imports_leave_their_files_for_a_month(&site, &bytes, &school.admin).await;
    replaced_and_deleted_files_stay_for_a_day(&site, &bytes, &course, &teacher).await;
}

async fn refused_uploads_leave_nothing(site: &Running, bytes: &Bytes<'_>, course: &Course, teacher: &Client) {
    let files = course.path("/files");
    let announce = async |file: Value| teacher.post(&files).json(file).await.is(200).json;
    let small = announce(json!({ "name": "a", "size": 600 * KILOBYTE })).await;
    send(teacher, &small, &vec![b'x'; 601 * KILOBYTE]).await.is(413);
    bytes.all_have_names_and_no_more().await;
    let whole = form(&[], "f", &vec![b'x'; 600 * KILOBYTE]);
    let cut_off = whole[..whole.len() - 10].to_vec();
    let address = small["upload_url"].as_str().unwrap();
    teacher.without_token().post(address).body(FORM, cut_off).await.is_refused(400, "cannot be read");
    bytes.all_have_names_and_no_more().await;
    drop(begin(teacher.base_url(), &small, 500 * KILOBYTE).await);
    until("nothing is left", async || bytes.stored().is_empty()).await;
    until("the upload is free", async || send(teacher, &small, &vec![b'x'; 600 * KILOBYTE]).await.status == 201).await;
    let folder = json!({ "name": "b", "size": 9, "parent_folder_path": "gone" });
    let late = announce(folder).await;
    let gone = teacher.get(&course.path("/folders")).await.is(200);
    let gone = gone.json.as_array().unwrap().iter().find(|folder| folder["name"] == "gone").unwrap()["id"].clone();
    teacher.delete(&format!("/api/v1/folders/{gone}?force=true")).await.is(200);
    send(teacher, &late, b"too late!").await.is_refused(409, "folder");
    let much = announce(json!({ "name": "c", "size": 700 * KILOBYTE })).await;
    assert!(site.change_database("UPDATE attachments SET size = 2000000 WHERE display_name = 'a'"));
    send(teacher, &much, &vec![b'x'; 700 * KILOBYTE]).await.is_refused(400, "exceeds quota");
    assert!(site.change_database("UPDATE attachments SET size = 614400 WHERE display_name = 'a'"));
    bytes.all_have_names_and_no_more().await;
}

/// One that is refused, one that is empty, and one that is taken in with files that are passed over, of which the file and the
/// file of messages stay for a month.
async fn imports_leave_their_files_for_a_month(site: &Running, bytes: &Bytes<'_>, admin: &Client) {
    let refused = admin.post(&format!("{IMPORTS}?batch_mode=1")).body("application/zip", zip_of_users(10));
    refused.await.is_refused(400, "batch_mode");
    let empty = form(&[("import_type", "instructure_csv")], "f", b"");
    admin.post(IMPORTS).body(FORM, empty).await.is_refused(400, "empty");
    bytes.all_have_names_and_no_more().await;
    let import = admin.post(IMPORTS).body("application/zip", zip_of_users(200)).await.is(200).id();
    import_ended(admin, import).await;
    until("the archive is gone", async || bytes.stored().len() == 3).await;
    bytes.all_have_names_and_no_more().await;
    let days_later = |days: i64| shared::clock::now().plus_seconds(days * 24 * 3600).to_string();
    site.tick(Some(&days_later(29))).await;
    assert_eq!(bytes.stored().len(), 3);
    site.tick(Some(&days_later(31))).await;
    until("the files are gone", async || bytes.stored().len() == 1).await;
    bytes.all_have_names_and_no_more().await;
    let import = admin.get(&format!("{IMPORTS}/{import}")).await.is(200);
    assert_eq!((&import["csv_attachments"][0]["url"], &import["errors_attachment"]["url"]), (&json!(""), &json!("")));
}

/// And so do packages.
async fn replaced_and_deleted_files_stay_for_a_day(
    site: &Running,
    bytes: &Bytes<'_>,
    course: &Course,
    teacher: &Client,
) {
    let files = course.path("/files");
    upload(teacher, &files, json!({ "name": "twice" }), b"one").await;
    upload(teacher, &files, json!({ "name": "twice" }), b"two").await;
    let deleted = upload(teacher, &files, json!({ "name": "deleted" }), &vec![1; 300 * KILOBYTE]).await.id();
    teacher.delete(&format!("/api/v1/files/{deleted}")).await.is(200);
    let export = json!({ "export_type": "zip" });
    teacher.post(&course.path("/content_exports")).json(export).await.is(200);
    until("the package is there", async || bytes.stored().len() == 5).await;
    until("it has a name", async || bytes.unnamed().is_empty()).await;
    bytes.all_have_names_and_no_more().await;
    let later = shared::clock::now().plus_seconds(2 * 24 * 3600).to_string();
    site.tick(Some(&later)).await;
    let left = bytes.names("SELECT blob FROM attachments WHERE workflow_state = 'available'");
    assert_eq!(bytes.stored(), left);
    assert_eq!(left.len(), 3);
    bytes.all_have_names_and_no_more().await;
}

#[tokio::test]
async fn an_import_that_is_aborted_while_it_is_unpacked_leaves_nothing() {
    let site = Running::own("aborted", &[]);
    let Some(folder) = site.folder() else { return };
    let bytes = Bytes(folder);
    let admin = School::start_in(&site).await.admin;
    let packed = zip_of_rows(300);
    let import = admin.post(IMPORTS).body("application/zip", packed).await.is(200).id();
    until("it is unpacked", async || bytes.stored().iter().any(|name| name.matches('/').count() > 1)).await;
    admin.put(&format!("{IMPORTS}/{import}/abort")).await.is(200);
    until("nothing is left", async || {
        site.tick(None).await;
        bytes.stored().is_empty()
    })
    .await;
    bytes.all_have_names_and_no_more().await;
}

/// A zip file with a CSV file of so many megabytes, of which it takes some time to unpack all.
fn zip_of_rows(megabytes: usize) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let fast = zip::write::SimpleFileOptions::default().compression_level(Some(1));
    archive.start_file("users.csv", fast).unwrap();
    archive.write_all(b"user_id,login_id,first_name,last_name,status\n").unwrap();
    let row = format!("U,login,First,{},active\n", "x".repeat(1000));
    for _ in 0..megabytes * 1000 {
        archive.write_all(row.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn what_a_crash_cuts_off_is_gone_after_the_tick_and_can_be_sent_again() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let folder = sandbox.folder.path();
    let database = folder.join("sqlite_db.db");
    let bytes = Bytes(folder);
    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let announce = async |name: &str| {
        let file = json!({ "name": name, "size": 2_000_000 });
        admin.post("/api/v1/users/self/files").json(file).await.is(200).json
    };
    let (again, never) = (announce("again").await, announce("never").await);
    let kept = upload(&admin, "/api/v1/users/self/files", json!({ "name": "kept" }), b"kept").await;
    let streams =
        [begin(&app.base_url, &again, 700 * KILOBYTE).await, begin(&app.base_url, &never, 700 * KILOBYTE).await];
    until("both are on their way", async || bytes.stored().len() == 3).await;
    app.crash().await.unwrap();
    drop(streams);
    bytes.are_known();

    let app = sandbox.start().await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let moved = |announced: &Value| {
        let address = announced["upload_url"].as_str().unwrap();
        let ticket = address.rsplit('/').next().unwrap();
        json!({ "upload_url": format!("{}/files_api/{ticket}", app.base_url), "upload_params": {} })
    };
    send(&admin, &moved(&again), b"x").await.is_refused(409, "being uploaded by another");
    change(&database, "UPDATE uploads SET claimed_until = '2020-01-01T00:00:00Z' WHERE claim IS NOT NULL");
    send(&admin, &moved(&again), b"after the crash").await.is(201);
    assert_eq!(bytes.stored().len(), 3, "the second try has removed what the first has left");
    change(&database, "UPDATE uploads SET expires_at = '2020-01-01T00:00:00Z'");
    // Bytes that nothing names are found by their age.
    change(
        &folder.join("sqlite_key_value.db"),
        "INSERT INTO spin_key_value VALUES ('default', 'blob/file/lost/0', x'00')",
    );
    change(&database, "INSERT INTO blobs (name, size, touched_at) VALUES ('file/lost', 1, '2020-01-01T00:00:00Z')");
    change(&database, "INSERT INTO blobs (name, size, touched_at) VALUES ('file/young', 1, '2099-01-01T00:00:00Z')");
    let tick = admin.with_token(&sandbox.variables["tick_token"]);
    tick.post("/internal/tick").await.is(200);
    assert_eq!(bytes.stored().len(), 2);
    assert_eq!(bytes.unnamed(), Vec::<String>::new());
    assert!(bytes.names("SELECT name FROM blobs").contains("file/young"));
    bytes.are_known();
    assert_eq!(
        crate::files::download(&admin, &admin.get(&format!("/api/v1/files/{}", kept.id())).await.json).await.body,
        "kept"
    );
    app.stop().await.unwrap();
}

#[tokio::test]
async fn a_full_installation_takes_no_more() {
    let site = Running::own("full", &[("storage_limit_megabytes", "1")]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let files = course.path("/files");
    let large = upload(&teacher, &files, json!({ "name": "large" }), &vec![1; 900 * KILOBYTE]).await;
    let announced = teacher.post(&files).json(json!({ "name": "more" })).await.is(200).json;
    send(&teacher, &announced, &vec![1; 300 * KILOBYTE])
        .await
        .is_refused(507, r#"{"errors":[{"message":"The service has no room"#);
    upload(&teacher, &files, json!({ "name": "tiny" }), &vec![1; 124 * KILOBYTE]).await;
    // Now it is full to the last byte: nothing is even begun.
    send(&teacher, &announced, b"1").await.is_refused(507, "no room left");
    let users = "user_id,login_id,first_name,last_name,status\n";
    school.admin.post(IMPORTS).body("text/csv", users).await.is_refused(507, "no room left");
    let mastery = school.admin.post("/api/v1/accounts/self/mastery_imports?file=orgs").body("text/csv", "sourcedId\n");
    mastery.await.is_refused(507, "no room left");
    let image = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    let path = format!("/api/v1/users/{}/communication_channels", teacher.id);
    let channel =
        json!({ "communication_channel": { "address": "t@school.test", "type": "email" }, "skip_confirmation": true });
    school.admin.post(&path).json(channel).await.is(200);
    let issuer =
        json!({ "name": "I", "email": "t@school.test", "url": "https://i.test", "description": "d", "image": image });
    let issuer = teacher.post("/v2/issuers").json(issuer).await.is_refused(507, "no room left");
    assert_eq!(issuer["status"]["success"], false);

    teacher.delete(&format!("/api/v1/files/{}", large.id())).await.is(200);
    site.tick(Some(DAYS_LATER)).await;
    send(&teacher, &announced, &vec![1; 300 * KILOBYTE]).await.is(201);
}

#[tokio::test]
async fn a_disk_without_room_is_507_and_not_our_fault() {
    let site = Running::own("disk", &[]);
    let Some(folder) = site.folder() else { return };
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = teacher.post(&course.path("/files")).json(json!({ "name": "a" })).await.is(200).json;
    let fails = |table: &str| {
        format!(
            "CREATE TRIGGER no_room BEFORE INSERT ON {table} BEGIN
             SELECT raise(FAIL, 'database or disk is full'); END;"
        )
    };
    assert!(site.change_key_value(&fails("spin_key_value")));
    send(&teacher, &announced, b"1").await.is_refused(507, "no room left");
    Bytes(folder).all_have_names_and_no_more().await;
    assert!(site.change_key_value("DROP TRIGGER no_room"));
    send(&teacher, &announced, b"1").await.is(201);

    assert!(site.change_database(&fails("wiki_pages")));
    let page = json!({ "wiki_page": { "title": "x" } });
    teacher.post(&course.path("/pages")).json(page).await.is_refused(507, "no room left");
}

/// A trigger of the key-value store that fails, as a store does that is away.
fn away(name: &str, when: &str) -> String {
    format!(
        "CREATE TRIGGER {name} BEFORE {when} BEGIN
         SELECT raise(FAIL, 'broken pipe'); END;"
    )
}

#[tokio::test]
async fn a_chunk_that_comes_after_its_answer_was_lost_is_removed_all_the_same() {
    let site = Running::own("late", &[]);
    let Some(folder) = site.folder() else { return };
    let bytes = Bytes(folder);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let announced = teacher.post(&course.path("/files")).json(json!({ "name": "a" })).await.is(200).json;
    assert!(site.change_key_value(&away("no_second", "INSERT ON spin_key_value WHEN new.key LIKE '%/1'")));
    assert_eq!(sending(&teacher, &announced, &vec![1; 300 * KILOBYTE]).status().await, 500);
    assert!(site.change_key_value("DROP TRIGGER no_second"));
    until("the first chunk is gone", async || bytes.stored().is_empty()).await;
    let marked = bytes.names("SELECT name FROM blobs WHERE removing = 1");
    let name = marked.first().expect("the row stays as long as a chunk may come");
    let late = format!("INSERT INTO spin_key_value VALUES ('default', 'blob/{name}/1', x'00')");
    assert!(site.change_key_value(&late));
    bytes.are_known();
    site.tick(None).await;
    bytes.are_known();
    assert!(site.change_database("UPDATE blobs SET touched_at = '2020-01-01T00:00:00Z' WHERE removing = 1"));
    site.tick(None).await;
    assert_eq!(bytes.names("SELECT name FROM blobs"), BTreeSet::new());
    bytes.all_have_names_and_no_more().await;
    send(&teacher, &announced, b"again").await.is(201);
}

#[tokio::test]
async fn a_row_stays_until_the_store_has_deleted_the_bytes() {
    let site = Running::own("undeleted", &[]);
    let Some(folder) = site.folder() else { return };
    let bytes = Bytes(folder);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "a" }), &vec![1; 300 * KILOBYTE]).await;
    teacher.delete(&format!("/api/v1/files/{}", file.id())).await.is(200);
    assert!(site.change_key_value(&away("no_deletion", "DELETE ON spin_key_value")));
    site.tick(Some(DAYS_LATER)).await;
    assert_eq!(bytes.unnamed().len(), 1, "nothing names it, and it cannot be deleted");
    assert_eq!(bytes.names("SELECT name FROM blobs WHERE removing = 1").len(), 1);
    bytes.are_known();
    assert!(bytes.is_counted());
    assert!(site.change_key_value("DROP TRIGGER no_deletion"));
    site.tick(None).await;
    assert_eq!(bytes.stored(), BTreeSet::new());
    bytes.all_have_names_and_no_more().await;
}

#[tokio::test]
async fn no_column_that_names_blobs_is_forgotten() {
    let site = support::running();
    // `blob_totals` counts them.
    let columns = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name <> 'blob_totals' AND (c.name LIKE '%blob%' OR c.name = 'upload')";
    let Some(columns) = site.read_database(columns) else { return };
    for column in columns {
        let column = (column[0].as_str().unwrap(), column[1].as_str().unwrap());
        assert!(NAMES.contains(&column), "{column:?} names a blob, and shared::blob does not know");
    }
}
