//! The move of demo data, there and back, between servers that are started for it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use libsql_test_server::{Options as ServerOptions, Server};
use reqwest::multipart::{Form, Part};
use rusqlite::OpenFlags;
use serde_json::{Value, json};
use xtask::app::{App, Launch, Runtime};
use xtask::client::{Client, id, text};
use xtask::folder::{DataFolder, RUNTIME_CONFIG};
use xtask::redis::Redis;
use xtask::sandbox::Sandbox;
use xtask::scaled::Servers;

use super::{database, in_folder, store, to_folder, to_servers};
use crate::demo;

/// Bytes of a file, which take several keys.
const FILE: usize = 700_001;

/// Reads that must be answered the same wherever the data are. The course is the one that the demo data begin with.
const READS: [&str; 8] = [
    "/api/v1/courses/sis_course_id:BOT-101",
    "/api/v1/courses/sis_course_id:BOT-101/quizzes",
    "/api/v1/courses/sis_course_id:BOT-101/enrollments?per_page=100",
    "/api/v1/courses/sis_course_id:BOT-101/ai_experiences",
    "/api/v1/accounts/self/users?per_page=100",
    "/api/v1/accounts/self/courses?per_page=100",
    "/api/v1/accounts/self/sis_imports",
    "/api/v1/audit/course/accounts/1?per_page=100",
];

/// Moves the data of a sandbox to servers and into another folder, compares all three, and starts the app on each.
pub(crate) async fn rehearse() -> Result<()> {
    let sandbox = Sandbox::new(Runtime::Host, &[("development", "true")])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    demo::load(&admin, None).await?;
    let file = upload(&admin).await?;
    let token = admin.token().to_owned();
    let answers = read(&admin, &file).await?;
    app.stop().await?;

    let place = |name: &str| DataFolder::open(sandbox.folder.path().join(name));
    let (on_servers, back) = (place("on-servers")?, place("back")?);
    let redis = Redis::start(on_servers.path(), None).await?;
    let server = Server::start(&on_servers.path().join("libsql.db"), "127.0.0.1:0", ServerOptions::default()).await?;
    let servers = Servers { libsql_url: server.url.clone(), libsql_token: String::new(), redis_url: redis.url.clone() };
    to_servers(&sandbox.folder, &servers).await?;
    to_folder(&servers, &back).await?;
    let (mut first_database, mut first_store) = in_folder(&sandbox.folder, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let (mut last_database, mut last_store) = in_folder(&back, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let tables = database::compare(&mut first_database, &mut last_database).await?;
    let keys = store::compare(&mut first_store, &mut last_store).await?;
    println!("There and back: {} tables and {} keys are as they were", tables.len(), keys.keys);

    on_servers.write_private(RUNTIME_CONFIG, &servers.runtime_config()?)?;
    for folder in [&on_servers, &back] {
        let app = App::start(&Launch::quiet(sandbox.runtime, folder, &sandbox.variables)).await?;
        let moved = read(&Client::new(&app.base_url, &token), &file).await?;
        ensure!(moved == answers, "an answer differs on {}", name(folder.path()));
        write(&sandbox, &app).await.with_context(|| name(folder.path()))?;
        app.stop().await?;
        println!("The app runs on {}", name(folder.path()));
    }
    redis.stop().await
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A course has a file. Answers its id.
async fn upload(admin: &Client) -> Result<String> {
    let course = id(&admin.get("/api/v1/courses/sis_course_id:BOT-101").await?)?;
    let file = json!({ "name": "leaf.bin", "size": FILE });
    let announced = admin.post(&format!("/api/v1/courses/{course}/files"), file).await?;
    let mut form = Form::new();
    for (field, value) in announced.get("upload_params").and_then(Value::as_object).context("no parameters")? {
        form = form.text(field.clone(), value.as_str().unwrap_or_default().to_owned());
    }
    let bytes: Vec<u8> = (0..=250).cycle().take(FILE).collect();
    let form = form.part("file", Part::bytes(bytes).file_name("leaf.bin"));
    let answer = reqwest::Client::new().post(text(&announced, "upload_url")?).multipart(form).send().await?;
    id(&answer.error_for_status()?.json().await?)
}

/// The answers to all reads, without the address of whoever answers, and the bytes of the file.
async fn read(admin: &Client, file: &str) -> Result<(Vec<String>, Vec<u8>)> {
    let mut answers = Vec::new();
    for path in READS {
        answers.push(admin.get(path).await?.to_string().replace(admin.base_url(), ""));
    }
    let address = format!("{}/files/{file}/download", admin.base_url());
    let bytes = reqwest::Client::new().get(address).bearer_auth(admin.token()).send().await?;
    let bytes = bytes.error_for_status()?.bytes().await?.to_vec();
    ensure!(bytes.len() == FILE, "the file has {} bytes", bytes.len());
    Ok((answers, bytes))
}

/// Ids go on where they were, and who could log in can.
async fn write(sandbox: &Sandbox, app: &App) -> Result<()> {
    let admin = sandbox.admin(app).await?;
    let before = admin.get("/api/v1/accounts/self/courses?per_page=100").await?;
    let ids = before.as_array().context("no courses")?.iter().filter_map(|course| course.get("id")?.as_i64());
    let last = ids.max().context("no course")?;
    let course = json!({ "course": { "name": "Moved" } });
    let made: i64 = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?.parse()?;
    ensure!(made > last, "a new course has the id {made}, after {last}");
    Ok(())
}
