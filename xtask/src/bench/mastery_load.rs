//! A district's data on their first day: a million records in batches, and the memory of the server while they come in.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::app::Runtime;
use xtask::sandbox::Sandbox;

use super::figure::{Figure, Notes};
use super::process::Server;
use super::summary::Outcome;

const RECORDS: u32 = 1_000_000;
/// The records of one request: a body of about half a megabyte.
const BATCH: u32 = 5_000;
/// The number of times at which the memory is told.
const LOOKS: u32 = 5;

pub(super) async fn run(runtime: Runtime) -> Result<Vec<Figure>> {
    let sandbox = Sandbox::new(runtime, &[])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let server = Server(app.pid().context("the application has ended")?);
    let mut notes = Notes::of("mastery-load");
    if let Some(before) = server.megabytes() {
        notes.add("memory before", before, "MB");
    }
    server.forget_peak();
    let (start, mut durations) = (Instant::now(), Vec::new());
    for batch in 0..RECORDS / BATCH {
        let sent = Instant::now();
        let loaded = admin.post("/api/v1/accounts/self/mastery_imports", teachers(batch)).await?;
        durations.push(sent.elapsed());
        ensure!(loaded.get("error_count").and_then(Value::as_u64) == Some(0), "batch {batch}: {loaded}");
        ensure!(loaded.get("complete") == Some(&Value::Bool(true)), "batch {batch} is not complete: {loaded}");
        let done = (batch + 1) * BATCH;
        if done.is_multiple_of(RECORDS / LOOKS)
            && let Some(now) = server.megabytes()
        {
            notes.add(format!("memory after {done} records"), now, "MB");
        }
    }
    let elapsed = start.elapsed();
    if let Some(peak) = server.peak_megabytes() {
        notes.add("memory at most", peak, "MB");
    }
    notes.add(format!("{RECORDS} records in"), elapsed.as_secs_f64(), "s");
    let (first, last) = first_and_last(&durations);
    notes.add(format!("the first batches of {BATCH}, the median"), first.percentile(50).as_secs_f64(), "s");
    notes.add("the last ones", last.percentile(50).as_secs_f64(), "s");
    app.stop().await?;
    Ok(notes.finish())
}

fn teachers(batch: u32) -> Value {
    let teacher = |number: u32| {
        json!({ "id": format!("t{number}"), "first_name": "Ada", "last_name": format!("Teacher {number}"),
                "email": format!("t{number}@district.test") })
    };
    json!({ "teachers": (batch * BATCH..(batch + 1) * BATCH).map(teacher).collect::<Vec<_>>() })
}

/// The first and the last tenth: a load that gets slower shows there.
fn first_and_last(durations: &[Duration]) -> (Outcome, Outcome) {
    let tenth = (durations.len() / 10).max(1);
    let part = |durations: Vec<Duration>| Outcome::new(durations, Duration::ZERO);
    (part(durations.iter().take(tenth).copied().collect()), part(durations.iter().rev().take(tenth).copied().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_gets_slower_shows() {
        let durations: Vec<_> = (1..=100).map(Duration::from_secs).collect();
        let (first, last) = first_and_last(&durations);
        assert_eq!([first.percentile(50).as_secs(), last.percentile(50).as_secs()], [5, 95]);
    }

    #[test]
    fn batches_have_records_of_their_own() {
        let [first, second] = [0, 1].map(|batch| teachers(batch).pointer("/teachers/0/id").cloned());
        assert_ne!(first, second);
    }
}
