//! Mastery tracking: what page 1,000 of a million teachers costs, against the first page. Both are asked in turn, so that
//! whatever else the machine does counts for both.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use reqwest::StatusCode;
use xtask::app::Runtime;
use xtask::sandbox::Sandbox;

use super::behind;
use super::summary::median;
use crate::classroom;

const MANY: u32 = 1_000_000;
/// A district has three hundred requests in a minute: so many of both pages fit into one.
const ROUNDS: usize = 140;
/// The greatest cost of page 1,000, as a multiple of that of the first page.
const ALLOWED: f64 = 1.5;

/// Measures, and fails if the ratio is not met.
pub(super) async fn run(runtime: Runtime) -> Result<()> {
    eprintln!("Making a district with {MANY} teachers");
    let sandbox = Sandbox::new(runtime, &[])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let token = classroom::district(&admin).await?.token().to_owned();
    behind(
        &sandbox.folder,
        &format!(
            "INSERT INTO mastery_teachers (district_id, source_id, ordinal, last_name, created_at, updated_at)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY})
         SELECT 1, 't' || n, n, 'Teacher ' || n, '2026-08-20T14:05:11.000Z', '2026-08-20T14:05:11.000Z' FROM numbers"
        ),
    )?;

    let http = reqwest::Client::new();
    let pages = [1, 1_000].map(|number| format!("{}/api/v2/teachers?page[number]={number}", app.base_url));
    let mut durations = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for (address, durations) in pages.iter().zip(&mut durations) {
            let sent = Instant::now();
            let answer = http.get(address).bearer_auth(&token).send().await?;
            ensure!(answer.status() == StatusCode::OK, "{address}: {}", answer.status());
            answer.bytes().await?;
            durations.push(sent.elapsed());
        }
    }
    app.stop().await?;
    let [first, deep] = durations.map(median);
    let ratio = |duration: Duration| duration.as_secs_f64() / first.as_secs_f64();
    for (name, duration) in [("1,000,000 teachers: the first page", first), ("1,000,000 teachers: page 1,000", deep)] {
        println!("{name:<44}{:>20.2}{:>30.2}", duration.as_secs_f64() * 1_000.0, ratio(duration));
    }
    ensure!(ratio(deep) <= ALLOWED, "page 1,000 is too slow");
    Ok(())
}
