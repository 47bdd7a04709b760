//! The log of a course: what a page costs when there are a million events, against a thousand. Both are asked in turn, so
//! that whatever else the machine does counts for both.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::header::LINK;
use serde_json::json;
use xtask::app::{App, Runtime};
use xtask::client::id;
use xtask::folder::DataFolder;
use xtask::sandbox::Sandbox;

use super::behind;
use super::summary::median;

const FEW: u32 = 1_000;
const MANY: u32 = 1_000_000;
/// So many events come before page 1,000 of 10 each: 111 pages of 90.
const LEAPS: usize = 111;
const ROUNDS: usize = 300;
/// The greatest cost of a page of many, as a multiple of that of a page of few.
const ALLOWED: f64 = 1.3;

/// An application of its own with a course that has a history.
struct Log {
    app: App,
    first: String,
    token: String,
    _sandbox: Sandbox,
}

/// Measures, and fails if the ratio is not met.
pub(super) async fn run(runtime: Runtime) -> Result<()> {
    eprintln!("Making a log of {FEW} and one of {MANY} events");
    let (few, many) = (Log::start(runtime, FEW).await?, Log::start(runtime, MANY).await?);
    let http = reqwest::Client::new();
    let deep = many.page_1000(&http).await?;
    let pages = [(&few.first, &few.token), (&many.first, &many.token), (&deep, &many.token)];
    let mut durations = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for ((address, token), durations) in pages.iter().zip(&mut durations) {
            let sent = Instant::now();
            let answer = http.get(*address).bearer_auth(token).send().await?.error_for_status()?;
            answer.bytes().await?;
            durations.push(sent.elapsed());
        }
    }
    let [few_first, many_first, many_deep] = durations.map(median);
    let ratio = |duration: Duration| duration.as_secs_f64() / few_first.as_secs_f64();
    for (name, duration) in [
        ("audit log of 1,000 events: the first page", few_first),
        ("audit log of 1,000,000: the first page", many_first),
        ("audit log of 1,000,000: page 1,000", many_deep),
    ] {
        println!("{name:<44}{:>20.2}{:>30.2}", duration.as_secs_f64() * 1_000.0, ratio(duration));
    }
    few.app.stop().await?;
    many.app.stop().await?;
    ensure!(ratio(many_first) <= ALLOWED, "the first page of many events is too slow");
    ensure!(ratio(many_deep) <= ALLOWED, "page 1,000 of many events is too slow");
    Ok(())
}

impl Log {
    /// The events are written behind the back of the application, which would take an hour for them.
    async fn start(runtime: Runtime, events: u32) -> Result<Self> {
        let sandbox = Sandbox::new(runtime, &[])?;
        let app = sandbox.start().await?;
        let admin = sandbox.admin(&app).await?;
        let course = json!({ "course": { "name": "An old course" } });
        let course = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?;
        write(&sandbox.folder, &course, events)?;
        let first = format!("{}/api/v1/audit/course/courses/{course}", app.base_url);
        Ok(Self { app, first, token: admin.token().to_owned(), _sandbox: sandbox })
    }

    /// The address of page 1,000, for which fewer pages are read: a bookmark does not know how long they were.
    async fn page_1000(&self, http: &reqwest::Client) -> Result<String> {
        let mut address = format!("{}?per_page=90", self.first);
        for _ in 0..LEAPS {
            let answer = http.get(&address).bearer_auth(&self.token).send().await?.error_for_status()?;
            let links = answer.headers().get(LINK).and_then(|link| link.to_str().ok()).unwrap_or_default();
            let next = links.split(',').find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<'));
            next.context("the log ends too early")?.clone_into(&mut address);
        }
        Ok(address.replace("per_page=90", "per_page=10"))
    }
}

/// A hundred events in each second.
fn write(folder: &DataFolder, course: &str, events: u32) -> Result<()> {
    behind(
        folder,
        &format!(
            "INSERT INTO course_events
             (id, root_account_id, account_id, course_id, user_id, event_type, event_source, event_data, created_at)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {events})
         SELECT printf('%s-%s-4%s-8%s-%s', lower(hex(randomblob(4))), lower(hex(randomblob(2))),
                       substr(lower(hex(randomblob(2))), 2), substr(lower(hex(randomblob(2))), 2),
                       lower(hex(randomblob(6)))),
                1, 1, {course}, 1, 'updated', 'api', json_object('name', json_array('Botany', 'Botany ' || n)),
                strftime('%Y-%m-%dT%H:%M:%S', 1600000000 + n / 100, 'unixepoch') || printf('.%06dZ', n % 100 * 10000)
         FROM numbers"
        ),
    )
}
