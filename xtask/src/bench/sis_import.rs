//! A large import beside people at work: how long a small write waits while 50,000 users come in.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use xtask::app::Runtime;
use xtask::client::{Client, id, text};
use xtask::sandbox::Sandbox;

use super::figure::{Figure, Notes};
use super::process::Server;
use super::summary::Outcome;

const USERS: u32 = 50_000;
const IMPORTS: &str = "/api/v1/accounts/self/sis_imports";
/// The writes before the import, with which those beside it are compared.
const BEFORE: usize = 200;
const PAUSE: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(3_600);

pub(super) async fn run(runtime: Runtime) -> Result<Vec<Figure>> {
    let sandbox = Sandbox::new(runtime, &[])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let course = json!({ "course": { "name": "Botany" } });
    let course = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?;
    let pages = format!("/api/v1/courses/{course}/assignments");

    let quiet = writes(&admin, &pages, |made| made < BEFORE).await?;
    let server = Server(app.pid().context("the application has ended")?);
    server.forget_peak();
    let running = Arc::new(AtomicBool::new(true));
    let beside = {
        let (admin, pages, running) = (admin.clone(), pages.clone(), running.clone());
        tokio::spawn(async move { writes(&admin, &pages, |_| running.load(Ordering::Relaxed)).await })
    };
    let imported = import(&admin, &users(USERS)?).await;
    running.store(false, Ordering::Relaxed);
    let beside = beside.await??;
    let elapsed = imported?;

    let mut notes = Notes::of("sis-import");
    notes.add(format!("{USERS} users are imported in"), elapsed.as_secs_f64(), "s");
    notes.add("rows", f64::from(USERS) / elapsed.as_secs_f64(), "1/s");
    notes.add_times("a new assignment, nobody else", &quiet);
    notes.add_times("a new assignment beside the import", &beside);
    if let Some(peak) = server.peak_megabytes() {
        notes.add("memory at most", peak, "MB");
    }
    app.stop().await?;
    Ok(notes.finish())
}

/// One write after another with pauses, as long as wanted.
async fn writes(admin: &Client, path: &str, wanted: impl Fn(usize) -> bool + Send) -> Result<Outcome> {
    let (start, mut durations) = (Instant::now(), Vec::new());
    while wanted(durations.len()) {
        let assignment = json!({ "assignment": { "name": format!("Essay {}", durations.len()) } });
        let sent = Instant::now();
        admin.post(path, assignment).await?;
        durations.push(sent.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(Outcome::new(durations, start.elapsed()))
}

fn users(count: u32) -> Result<String> {
    let mut csv = "user_id,login_id,first_name,last_name,status\n".to_owned();
    for number in 1..=count {
        writeln!(csv, "u{number},login{number},Ada,Number {number},active")?;
    }
    Ok(csv)
}

async fn import(admin: &Client, csv: &str) -> Result<Duration> {
    let start = Instant::now();
    let import = format!("{IMPORTS}/{}", id(&admin.upload(IMPORTS, "text/csv", csv.to_owned()).await?)?);
    while start.elapsed() < PATIENCE {
        let found = admin.get(&import).await?;
        match text(&found, "workflow_state")? {
            "created" | "importing" => tokio::time::sleep(PAUSE).await,
            state => {
                ensure!(state == "imported", "{import} is {state}: {found}");
                return Ok(start.elapsed());
            }
        }
    }
    anyhow::bail!("{import} does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_a_row() {
        let csv = users(3).unwrap();
        assert_eq!(csv.lines().count(), 4);
        assert_eq!(csv.lines().last(), Some("u3,login3,Ada,Number 3,active"));
    }
}
