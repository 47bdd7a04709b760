//! Round trips: how often each of some reads goes to a database over the network, and what it costs where the way there and
//! back takes a while.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use libsql_test_server::{Options as ServerOptions, Server};
use serde_json::Value;
use xtask::app::{App, Runtime};
use xtask::client::{Client, id};
use xtask::folder::RUNTIME_CONFIG;
use xtask::manifest;
use xtask::sandbox::Sandbox;
use xtask::scaled::Servers;

use crate::{compile, demo};

#[derive(Args)]
pub(crate) struct Options {
    /// Milliseconds that each call of the database takes longer in the second half.
    #[arg(long, default_value_t = 5)]
    delay_ms: u64,
    /// How often each read is made.
    #[arg(long, default_value_t = 40)]
    times: u32,
}

/// A read.
struct Read {
    name: String,
    path: String,
    reader: Client,
}

/// The costs of a read, each for one request.
struct Cost {
    statements: f64,
    calls: f64,
    duration: Duration,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    if !manifest::is_another() {
        compile::all(Runtime::Host).await?;
    }
    let sandbox = Sandbox::new(Runtime::Host, &[("development", "true")])?;
    let (app, server) = start(&sandbox, Duration::ZERO).await?;
    demo::load(&sandbox.admin(&app).await?, None).await?;
    let near = measure(&sandbox, &app, &server, &options).await?;
    app.stop().await?;
    let (app, server) = start(&sandbox, Duration::from_millis(options.delay_ms)).await?;
    let far = measure(&sandbox, &app, &server, &options).await?;
    app.stop().await?;

    println!("| Read | Statements | Calls | ms at 0 | ms at {0} | Difference / {0} |", options.delay_ms);
    println!("|---|---|---|---|---|---|");
    for ((name, near), (_, far)) in near.into_iter().zip(far) {
        let [before, after] = [near.duration, far.duration].map(|duration| duration.as_secs_f64() * 1_000.0);
        let trips = (after - before) / Duration::from_millis(options.delay_ms).as_secs_f64() / 1_000.0;
        let (statements, calls) = (far.statements, far.calls);
        println!("| {name} | {statements:.1} | {calls:.1} | {before:.1} | {after:.1} | {trips:.1} |");
    }
    Ok(())
}

/// One process on the database of the sandbox, which is so far away.
async fn start(sandbox: &Sandbox, delay: Duration) -> Result<(App, Server)> {
    let database = sandbox.folder.path().join("libsql.db");
    let server = Server::start(&database, "127.0.0.1:0", ServerOptions { delay, ..ServerOptions::default() }).await?;
    let servers = Servers { libsql_url: server.url.clone(), libsql_token: String::new(), redis_url: String::new() };
    sandbox.folder.write_private(RUNTIME_CONFIG, &servers.runtime_config()?)?;
    Ok((sandbox.start().await?, server))
}

/// Makes each read several times, one after another. The first is not counted: it opens the connection.
async fn measure(sandbox: &Sandbox, app: &App, server: &Server, options: &Options) -> Result<Vec<(String, Cost)>> {
    let mut costs = Vec::new();
    for read in reads(&sandbox.admin(app).await?).await? {
        let get = || async { read.reader.get(&read.path).await.map(drop) };
        get().await?;
        // What follows a response is not a part of the next one.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (statements, calls) = (server.counts.statements(), server.counts.calls());
        let mut durations = Vec::new();
        for _ in 0..options.times {
            let began = Instant::now();
            get().await?;
            durations.push(began.elapsed());
        }
        let each = |before: u64, after: u64| {
            u32::try_from(after - before).map(|count| f64::from(count) / f64::from(options.times))
        };
        durations.sort_unstable();
        let cost = Cost {
            statements: each(statements, server.counts.statements())?,
            calls: each(calls, server.counts.calls())?,
            // The fastest tenth: the machine does other things too.
            duration: durations.get(durations.len() / 10).copied().unwrap_or_default(),
        };
        costs.push((read.name, cost));
    }
    Ok(costs)
}

/// The reads, of single records and of lists, of what the demo data have.
async fn reads(admin: &Client) -> Result<Vec<Read>> {
    let token = admin.token_of("teacher", "cargo xtask round-trips").await?.context("no teacher")?;
    let teacher = admin.with_token(&token);
    let course = format!("/api/v1/courses/{}", id(&admin.get("/api/v1/courses/sis_course_id:BOT-101").await?)?);
    let engine = course.replace("/api/v1/", "/api/quiz/v1/");
    let groups = format!("{course}/quizzes/{}/groups", first(&teacher, &format!("{course}/quizzes"), "").await?);
    let group = first(&teacher, &groups, "/quiz_groups").await?;
    let items = format!("{engine}/quizzes/{}/items", first(&teacher, &format!("{engine}/quizzes"), "").await?);
    let item = first(&teacher, &items, "").await?;
    let poll = format!("/api/v1/polls/{}", first(&teacher, "/api/v1/polls", "/polls").await?);
    let session = first(&teacher, &format!("{poll}/poll_sessions"), "/poll_sessions").await?;
    let experiences = format!("{course}/ai_experiences");
    let experience = first(&teacher, &experiences, "/experiences").await?;
    let assignments = format!("{course}/assignments");
    let assignment = first(&teacher, &assignments, "").await?;
    let of_teacher = [
        ("the caller's own record", "/api/v1/users/self".to_owned()),
        ("a course", course.clone()),
        ("the caller's courses", "/api/v1/courses".to_owned()),
        ("enrollments of a course", format!("{course}/enrollments")),
        ("sections of a course", format!("{course}/sections")),
        ("an assignment", format!("{assignments}/{assignment}")),
        ("assignments", assignments.clone()),
        ("submissions of an assignment", format!("{assignments}/{assignment}/submissions")),
        ("a quiz group", format!("{groups}/{group}")),
        ("quiz groups", groups.clone()),
        ("a quiz item", format!("{items}/{item}")),
        ("quiz items", items.clone()),
        ("item banks", format!("{engine}/banks")),
        ("a poll", poll.clone()),
        ("polls", "/api/v1/polls".to_owned()),
        ("a session of a poll", format!("{poll}/poll_sessions/{session}")),
        ("communication channels", "/api/v1/users/self/communication_channels".to_owned()),
        ("an AI experience", format!("{experiences}/{experience}")),
        ("AI experiences", experiences.clone()),
        ("content exports", format!("{course}/content_exports")),
        ("files of a course", format!("{course}/files")),
        ("folders of a course", format!("{course}/folders")),
        ("pages of a course", format!("{course}/pages")),
    ];
    let of_admin = [
        ("users of an account", "/api/v1/accounts/self/users".to_owned()),
        ("courses of an account", "/api/v1/accounts/self/courses".to_owned()),
        ("the audit log of a course", course.replace("/api/v1/", "/api/v1/audit/course/")),
        ("SIS imports", "/api/v1/accounts/self/sis_imports".to_owned()),
        ("error reports", "/api/v1/error_reports".to_owned()),
    ];
    let read =
        |reader: &Client, (name, path): (&str, String)| Read { name: name.to_owned(), path, reader: reader.clone() };
    let reads = of_teacher.into_iter().map(|of| read(&teacher, of));
    Ok(reads.chain(of_admin.into_iter().map(|of| read(admin, of))).collect())
}

/// The id of the first record of a list, which stands under a name or by itself.
async fn first(reader: &Client, path: &str, under: &str) -> Result<String> {
    let answer = reader.get(path).await?;
    let list = answer.pointer(under).and_then(Value::as_array).with_context(|| format!("no list: {answer}"))?;
    id(list.first().with_context(|| format!("nothing is in {path}"))?)
}
