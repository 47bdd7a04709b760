//! Limits of exports and imports: how many there are, how many bytes they keep, and that nothing is left behind.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::quizzes::classic_quiz;
use support::{Client, Course, Response, Running, School, make, running};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use crate::content_exports::{ended, exported, package};
use crate::content_imports::{imported, issues};
use crate::files::{send, upload};

/// Bytes that nothing packs.
fn noise(bytes: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

fn stored(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The names of all blobs that the key-value store has, and those that a file of the database names.
fn blobs(site: &Running) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    const SCRIPT: &str = "import json, sqlite3, sys\n\
        print(json.dumps([row[0] for row in sqlite3.connect(sys.argv[1], timeout=5).execute('SELECT key FROM spin_key_value')]))";
    let files = site.read_database("PRAGMA database_list")?;
    let database = Path::new(files.first()?.get(2)?.as_str()?).to_owned();
    let output = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(database.with_file_name("sqlite_key_value.db"))
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let keys: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    let name = |key: &String| Some(key.strip_prefix("blob/")?.rsplit_once('/')?.0.to_owned());
    let named = site.read_database("SELECT blob FROM attachments WHERE blob <> ''")?;
    let named = named.iter().filter_map(|row| Some(row.first()?.as_str()?.to_owned()));
    Some((keys.iter().filter_map(name).collect(), named.collect()))
}

async fn show(client: &Client, course: &Course, export: &Response) -> Response {
    client.get(&course.path(&format!("/content_exports/{}", export.id()))).await.is(200)
}

#[tokio::test]
async fn older_exports_lose_their_packages_and_these_their_bytes() {
    let site = Running::own("exports-kept", &[]);
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("Botany").await;
    upload(&teacher, &course.path("/files"), json!({ "name": "leaf.bin" }), &noise(300_000, 1)).await;
    let zip = json!({ "export_type": "zip" });
    let of_student = exported(&student, &course.path(""), zip.clone()).await;
    let mut exports = Vec::new();
    for _ in 0..6 {
        exports.push(exported(&teacher, &course.path(""), zip.clone()).await);
    }
    let oldest = show(&teacher, &course, &exports[0]).await;
    assert_eq!(oldest["workflow_state"], "exported");
    assert!(oldest.json.get("attachment").is_none(), "{oldest}");
    teacher.without_token().get(exports[0]["attachment"]["url"].as_str().unwrap()).await.is_not_found();
    for export in &exports[1..] {
        assert!(show(&teacher, &course, export).await.json.get("attachment").is_some());
    }
    assert!(show(&student, &course, &of_student).await.json.get("attachment").is_some(), "others keep theirs");
    // The bytes are removed after the answer.
    for _ in 0..1_200 {
        let Some((there, named)) = blobs(&site) else { return };
        if there == named {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (there, named) = blobs(&site).unwrap();
    assert_eq!(there, named, "bytes are there that nothing names");
}

#[tokio::test]
async fn all_packages_of_a_user_have_a_quota_and_each_of_them_fits_into_it() {
    let site = Running::own("export-quota", &[("content_export_quota_megabytes", "1")]);
    let school = School::start_in(&site).await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let (other, zip) = (school.course("Zoology").await, json!({ "export_type": "zip" }));
    let elsewhere = school.admin.clone();
    upload(&teacher, &course.path("/files"), json!({ "name": "leaf.bin" }), &noise(600_000, 1)).await;
    upload(&elsewhere, &other.path("/files"), json!({ "name": "cat.bin" }), &noise(600_000, 2)).await;
    let first = exported(&elsewhere, &course.path(""), zip.clone()).await;
    let second = exported(&elsewhere, &other.path(""), zip.clone()).await;
    assert!(show(&elsewhere, &course, &first).await.json.get("attachment").is_none(), "both together have no room");
    assert!(show(&elsewhere, &other, &second).await.json.get("attachment").is_some());

    upload(&teacher, &course.path("/files"), json!({ "name": "tree.bin" }), &noise(600_000, 3)).await;
    let large = teacher.post(&course.path("/content_exports")).json(zip).await.is(200);
    let progress = ended(&teacher, &large["progress_url"]).await;
    assert_eq!(progress["workflow_state"], "failed");
    assert_eq!(progress["message"], "The package would be too large (maximum is 1 megabytes)");
    assert_eq!(show(&teacher, &course, &large).await["workflow_state"], "failed");
}

#[tokio::test]
async fn one_export_of_a_user_runs_at_a_time_and_few_wait() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let start = async |client: &Client| {
        client.post(&course.path("/content_exports")).json(json!({ "export_type": "zip" })).await
    };
    let running_one = exported(&teacher, &course.path(""), json!({ "export_type": "zip" })).await;
    // As if somebody worked on it for long.
    let works = |until: &str| {
        format!(
            "UPDATE content_exports SET workflow_state = 'exporting', lease = 'x', leased_until = '{until}'
             WHERE id = {}",
            running_one.id()
        )
    };
    if !running().change_database(&works("2999-01-01T00:00:00Z")) {
        return;
    }
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(start(&teacher).await.is(200));
    }
    // Those that are refused do not count: one of the sixty an hour is left.
    assert!(running().use_up(&format!("content-export/{}", teacher.id), 54, 600));
    for _ in 0..2 {
        start(&teacher).await.is_refused(409, "5 exports have not ended yet");
    }
    running().tick(None).await;
    for export in &waiting {
        assert_eq!(show(&teacher, &course, export).await["workflow_state"], "created");
    }
    let of_student = start(&student).await.is(200);
    ended(&student, &of_student["progress_url"]).await;
    assert!(running().change_database(&works("2020-01-01T00:00:00Z")));
    running().tick(None).await;
    for export in &waiting {
        assert_eq!(ended(&teacher, &export["progress_url"]).await["workflow_state"], "completed");
    }
    let sixtieth = start(&teacher).await.is(200);
    ended(&teacher, &sixtieth["progress_url"]).await;
    start(&teacher).await.is(429);
}

#[tokio::test]
async fn who_exports_or_imports_too_often_has_to_wait() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let use_up = |what: &str| running().use_up(&format!("{what}/{}", teacher.id), 60, 600);
    if !use_up("content-export") || !use_up("content-migration") {
        return;
    }
    let refused = teacher.post(&course.path("/content_exports")).json(json!({ "export_type": "zip" })).await.is(429);
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((500..=600).contains(&wait), "{wait}");
    let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "x.zip" } });
    teacher.post(&course.path("/content_migrations")).json(form).await.is(429);
}

#[tokio::test]
async fn few_packages_of_a_course_wait_at_a_time() {
    let school = School::start().await;
    let (course, other) = (school.course("Botany").await, school.course("Zoology").await);
    let announce = async |course: &Course| {
        let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "x.zip" } });
        school.admin.post(&course.path("/content_migrations")).json(form).await
    };
    for _ in 0..10 {
        announce(&course).await.is(200);
    }
    // Those that are refused do not count: it is said that others wait, be it the sixty-first.
    running().use_up(&format!("content-migration/{}", school.admin.id), 50, 600);
    announce(&course).await.is_refused(409, "10 packages have not ended yet");
    announce(&other).await.is_refused(409, "10 packages have not ended yet");
}

/// A package whose files are the course's, of which one is broken.
fn broken() -> Vec<u8> {
    let files: Vec<(String, Vec<u8>)> =
        (0..8).map(|number| (format!("web_resources/{number}.bin"), noise(400_000, number))).collect();
    let resource = |(name, _): &(String, Vec<u8>)| {
        format!(
            "<resource identifier=\"{}\" type=\"webcontent\"><file href=\"{name}\"/></resource>",
            name.chars().nth(14).unwrap()
        )
    };
    let manifest: String = files.iter().map(resource).collect();
    let manifest = format!("<manifest><resources>{manifest}</resources></manifest>");
    let mut all = vec![("imsmanifest.xml", manifest.as_bytes())];
    all.extend(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    let mut bytes = stored(&all);
    let last = &files[7].1;
    let place = bytes.windows(64).position(|part| part == &last[1000..1064]).unwrap();
    bytes[place] ^= 0xff;
    bytes
}

#[tokio::test]
async fn an_import_that_fails_leaves_nothing_behind() {
    let site = Running::own("imports-left", &[("file_quota_megabytes", "4")]);
    let school = School::start_in(&site).await;
    let course = school.course("Botany").await;
    let zip = json!({ "migration_type": "zip_file_importer" });
    let cartridge = json!({ "migration_type": "common_cartridge_importer" });
    let failed = imported(&school.admin, &course, cartridge, &broken()).await;
    assert_eq!(failed["workflow_state"], "failed");
    let reason = issues(&school.admin, &failed).await[0]["description"].as_str().unwrap().to_owned();
    assert!(reason.contains("cannot be unpacked"), "{reason}");
    let large = stored(&[("a.bin", &noise(3_000_000, 1)), ("b.bin", &noise(2_000_000, 2))]);
    let failed = imported(&school.admin, &course, zip.clone(), &large).await;
    let reason = issues(&school.admin, &failed).await[0]["description"].as_str().unwrap().to_owned();
    assert!(reason.contains("no room"), "{reason}");
    // A part that is left out is not written, either.
    let long = format!("{}.bin", "x".repeat(300));
    let odd = stored(&[("a.bin", &noise(300_000, 3)), (long.as_str(), &noise(300_000, 4))]);
    let done = imported(&school.admin, &course, zip.clone(), &odd).await;
    assert_eq!(done["workflow_state"], "completed");
    let reason = issues(&school.admin, &done).await[0]["description"].as_str().unwrap().to_owned();
    assert!(reason.contains("too long"), "{reason}");
    site.tick(None).await;
    let Some((there, named)) = blobs(&site) else { return };
    assert_eq!(there, named, "bytes are there that nothing names");
    assert_eq!(named.len(), 1, "the packages are gone, too");

    // Files that give way keep their bytes for a day: they do not add up without end.
    let mut states = Vec::new();
    for _ in 0..12 {
        let again = stored(&[("c.bin", &noise(1_200_000, 5))]);
        let migration = imported(&school.admin, &course, zip.clone(), &again).await;
        states.push(migration["workflow_state"].as_str().unwrap().to_owned());
    }
    assert_eq!(states[0], "completed");
    assert_eq!(states[11], "failed", "{states:?}");
}

/// The texts of a package, all together.
fn texts(bytes: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut all = String::new();
    for number in 0..archive.len() {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut archive.by_index(number).unwrap(), &mut text).unwrap();
        all.push_str(&String::from_utf8_lossy(&text));
    }
    all
}

#[tokio::test]
async fn questions_of_a_bank_go_to_those_who_may_read_the_bank() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = classic_quiz(&teacher, &course, "Trees").await;
    let bank = async |owner: String, client: &Client, secret: &str| {
        let bank = json!({ "question_bank": { "title": "Bank" } });
        let bank = client.post(&format!("{owner}/question_banks")).json(bank).await.is(200).id();
        let question = json!({ "question": {
            "question_name": "Q", "question_type": "essay_question", "question_text": secret, "points_possible": 1,
        } });
        client.post(&format!("{owner}/question_banks/{bank}/questions")).json(question).await.is(200);
        bank
    };
    let of_account = bank("/api/v1/accounts/self".to_owned(), &school.admin, "the account's secret").await;
    let of_course = bank(course.path(""), &teacher, "known to the course").await;
    for (name, bank) in [("Guarded", of_account), ("Open", of_course)] {
        let group = json!({ "quiz_groups": [{ "name": name, "pick_count": 1, "assessment_question_bank_id": bank }] });
        school.admin.post(&course.path(&format!("/quizzes/{quiz}/groups"))).json(group).await.is(201);
    }
    for form in [
        json!({ "export_type": "qti", "qti_version": "2.1" }),
        json!({ "export_type": "qti", "qti_version": "1.2" }),
        json!({ "export_type": "common_cartridge" }),
    ] {
        let of_teacher = texts(&package(&teacher, &course, form.clone()).await.bytes);
        assert!(!of_teacher.contains("the account's secret"), "{form}");
        assert!(of_teacher.contains("known to the course"), "{form}");
        assert!(of_teacher.contains("Trees: Guarded: The group draws from a question bank that you may not"), "{form}");
        let of_admin = texts(&package(&school.admin, &course, form.clone()).await.bytes);
        assert!(of_admin.contains("the account's secret") && !of_admin.contains("may not read"), "{form}");

        let of_admin = exported(&school.admin, &course.path(""), form.clone()).await;
        let seen = teacher.get(&course.path(&format!("/content_exports/{}", of_admin.id()))).await.is(200);
        assert!(of_admin["attachment"]["url"].is_string() && seen.json.get("attachment").is_none(), "{seen}");
        assert_eq!(seen["workflow_state"], "exported");
        let listed = teacher.get(&course.path("/content_exports")).await.is(200);
        assert!(listed.json[0].get("attachment").is_none() && listed.json[1].get("attachment").is_none(), "{listed}");
        let of_teacher = exported(&teacher, &course.path(""), form.clone()).await;
        let seen = school.admin.get(&course.path(&format!("/content_exports/{}", of_teacher.id()))).await.is(200);
        assert!(seen["attachment"]["url"].is_string(), "{seen}");
    }
}

/// A package of so many files and questions.
fn heavy(files: usize, questions: usize) -> Vec<u8> {
    let names: Vec<_> = (0..files).map(|number| format!("web_resources/{}/{number}.txt", number % 50)).collect();
    let resource = |(number, name): (usize, &String)| {
        format!("<resource identifier=\"f{number}\" type=\"webcontent\"><file href=\"{name}\"/></resource>")
    };
    let resources: String = names.iter().enumerate().map(resource).collect();
    let item = |number: usize| {
        format!(
            "<item ident=\"i{number}\" title=\"Q{number}\"><presentation><material><mattext texttype=\"text/html\">\
             &lt;p&gt;Which &lt;b&gt;tree&lt;/b&gt; is number {number}? &lt;img src=\"../web_resources/1/1.txt\"&gt;&lt;/p&gt;\
             </mattext></material><response_lid ident=\"r\" rcardinality=\"Single\"><render_choice>\
             <response_label ident=\"1\"><material><mattext>oak</mattext></material></response_label>\
             <response_label ident=\"2\"><material><mattext>elm</mattext></material></response_label></render_choice>\
             </response_lid></presentation><resprocessing><respcondition><conditionvar><varequal respident=\"r\">1\
             </varequal></conditionvar><setvar>100</setvar></respcondition></resprocessing></item>"
        )
    };
    let items: String = (0..questions).map(item).collect();
    let meta = "<quiz><title>Trees</title><quiz_type>assignment</quiz_type></quiz>";
    let quiz = format!(
        "<questestinterop><assessment ident=\"a\" title=\"Trees\"><section ident=\"s\">{items}</section></assessment></questestinterop>"
    );
    let manifest = format!(
        "<manifest><resources><resource identifier=\"q\" type=\"imsqti_xmlv1p2\"><file href=\"q/q.xml\"/>\
         <dependency identifierref=\"m\"/></resource><resource identifier=\"m\" type=\"associatedcontent/x\">\
         <file href=\"q/assessment_meta.xml\"/></resource>{resources}</resources></manifest>"
    );
    let mut all = vec![
        ("imsmanifest.xml".to_owned(), manifest.into_bytes()),
        ("q/q.xml".to_owned(), quiz.into_bytes()),
        ("q/assessment_meta.xml".to_owned(), meta.as_bytes().to_vec()),
    ];
    all.extend(names.into_iter().map(|name| (name.clone(), name.into_bytes())));
    let all: Vec<_> = all.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    stored(&all)
}

/// The number of files and of questions; more, where somebody wants to measure.
fn weight() -> (usize, usize) {
    let given = std::env::var("LECTERN_IMPORT_WEIGHT").ok();
    let given = given.as_deref().and_then(|text| text.split_once(','));
    given.map_or((1_500, 1_000), |(files, questions)| (files.parse().unwrap(), questions.parse().unwrap()))
}

#[tokio::test]
async fn others_write_while_a_large_package_is_imported() {
    let site = Running::own("import-beside", &[]);
    let school = School::start_in(&site).await;
    let (course, other) = (school.course("Botany").await, school.course("Zoology").await);
    let (files, questions) = weight();
    let bytes = heavy(files, questions);
    let began = Instant::now();
    let import = imported(&school.admin, &course, json!({ "migration_type": "canvas_cartridge_importer" }), &bytes);
    let writer = async {
        let mut slowest = Duration::ZERO;
        for number in 0_u32.. {
            let change = json!({ "course": { "public_description": format!("No. {number}") } });
            let asked = Instant::now();
            school.admin.put(&other.path("")).json(change).await.is(200);
            slowest = slowest.max(asked.elapsed());
            let migrations = school.admin.get(&course.path("/content_migrations")).await.is(200);
            let state = migrations.json[0]["workflow_state"].as_str().unwrap_or_default();
            if matches!(state, "completed" | "failed") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        slowest
    };
    let (migration, slowest) = futures::join!(import, writer);
    let took = began.elapsed();
    println!("{files} files, {questions} questions: {took:?}; the slowest write beside it: {slowest:?}");
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    // A busy machine makes both longer.
    assert!(slowest < Duration::from_secs(1).max(took / 8), "another writer waited {slowest:?} of {took:?}");
    let count = async |path: &str| {
        let list = school.admin.get(&course.path(&format!("{path}?per_page=1"))).await.is(200);
        let last = list.link("last").unwrap();
        last.split("page=").filter_map(|part| part.split('&').next()?.parse::<usize>().ok()).max().unwrap()
    };
    assert_eq!(count("/files").await, files);
    let quiz = school.admin.get(&course.path("/quizzes")).await.is(200);
    assert_eq!(quiz.json[0]["question_count"], json!(questions));
    let assignments: Value = school.admin.get(&course.path("/assignments")).await.is(200).json.clone();
    assert_eq!(
        assignments[0]["points_possible"].as_f64(),
        Some(f64::from(u32::try_from(questions).unwrap())),
        "each question counts one point"
    );
}

/// Copies a course, by both addresses.
async fn copied(client: &Client, source: &Course, to: &Course) -> [Response; 2] {
    let form = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source.id } });
    let migration = client.post(&to.path("/content_migrations")).json(form).await;
    [migration, client.post(&to.path(&format!("/course_copy/{}", source.id))).await]
}

#[tokio::test]
async fn who_copies_courses_too_often_has_to_wait() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    if !running().use_up(&format!("content-migration/{}", school.admin.id), 59, 600) {
        return;
    }
    let [taken, refused] = copied(&school.admin, &source, &to).await;
    taken.is(200);
    assert!(refused.is_refused(429, "Rate Limit Exceeded").header("retry-after").is_some());
}

#[tokio::test]
async fn courses_that_are_too_large_are_not_copied() {
    let site = Running::own("large-copies", &[]);
    let school = School::start_in(&site).await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    school.admin.post(&source.path("/pages")).json(json!({ "wiki_page": { "title": "Oak" } })).await.is(200);
    let pages = |number: usize, body: &str| {
        site.change_database(&format!(
            "UPDATE wiki_pages SET workflow_state = 'deleted' WHERE course_id = {to};
             INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, created_at, updated_at)
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {number})
             SELECT root_account_id, id, 'page-' || n, 'Page', {body}, created_at, updated_at
             FROM n CROSS JOIN courses WHERE courses.id = {to}",
            to = to.id
        ))
    };
    // 20,000 records, and 100 MB of text, are what both courses may have together.
    for (number, body) in [(20_000, "'x'"), (1, "hex(zeroblob(53000000))")] {
        if !pages(number, body) {
            return;
        }
        for [one, other] in [copied(&school.admin, &source, &to).await, copied(&school.admin, &to, &source).await] {
            one.is_refused(400, "too large for a copy");
            other.is_refused(400, "too large for a copy");
        }
        assert_eq!(school.admin.get(&to.path("/content_migrations")).await.is(200).json, json!([]));
        let pages = school.admin.get(&source.path("/pages")).await.is(200);
        assert_eq!(pages.json.as_array().unwrap().len(), 1, "nothing is half done");
    }
    assert!(pages(19_000, "'x'"));
    for copy in copied(&school.admin, &source, &to).await {
        copy.is(200);
    }
}

#[tokio::test]
async fn a_package_that_is_refused_with_the_right_to_send_it_has_failed_when_its_address_ends() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let form = json!({ "migration_type": "qti_converter", "pre_attachment": { "name": "x.zip" } });
    let migration = make(&teacher, &course.path("/content_migrations"), form).await;
    let enrollments = school.admin.get(&course.path(&format!("/enrollments?user_id={}", teacher.id))).await.is(200);
    let enrollment = course.path(&format!("/enrollments/{}?task=delete", enrollments.ids()[0]));
    school.admin.delete(&enrollment).await.is(200);
    send(&teacher, &migration["pre_attachment"], b"late").await.is_forbidden();
    // Until then the right may come back, and the address takes the package.
    let past = format!(
        "UPDATE uploads SET expires_at = '2020-01-01T00:00:00Z'
         WHERE id = (SELECT upload_id FROM content_migrations WHERE id = {})",
        migration.id()
    );
    if !running().change_database(&past) {
        return;
    }
    let path = course.path(&format!("/content_migrations/{}", migration.id()));
    let has_failed = async || school.admin.get(&path).await.is(200)["workflow_state"] == "failed";
    crate::uploads::ticks_until("the migration fails", has_failed).await;
    let migration = school.admin.get(&path).await.is(200);
    assert!(issues(&school.admin, &migration).await[0]["description"].as_str().unwrap().contains("not uploaded"));
}
