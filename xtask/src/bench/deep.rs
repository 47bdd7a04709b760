//! Pages of lists: the same page of a thousand records and of as many as institutions have, and one deep in these. They are asked
//! in turn, so that whatever else the machine does counts for all.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use reqwest::header::LINK;
use xtask::app::{App, Runtime};
use xtask::sandbox::Sandbox;

use super::figure::{Figure, Notes};
use super::size::{self, Size};
use super::summary::median;

const ROUNDS: usize = 200;
/// The page that both have, and the one that only the large database has, of 100 records each.
const SHALLOW: usize = 9;
const DEEP: usize = 900;

/// The lists, and how many hundreds the large database has of each.
const LISTS: [(&str, &str, usize); 3] = [
    ("users", "/api/v1/accounts/1/users", 1_000),
    ("courses", "/api/v1/accounts/1/courses", 50),
    ("course events", "/api/v1/audit/course/accounts/1", 10_000),
];
/// The submissions of one course; a page of ten, because a course has 200, whatever all together have.
const SUBMISSIONS: &str = "/api/v1/courses/100003/students/submissions?student_ids[]=all&per_page=10";

struct Large {
    app: App,
    token: String,
    _sandbox: Sandbox,
}

pub(super) async fn run(runtime: Runtime) -> Result<Vec<Figure>> {
    let (few, many) = (Large::start(runtime, Size::Thousand).await?, Large::start(runtime, Size::Real).await?);
    let http = reqwest::Client::new();
    let mut notes = Notes::of("deep-pages");
    for (name, path, pages) in LISTS {
        let path = format!("{path}?per_page=100");
        let deepest = DEEP.min(pages - 1);
        let addresses = [
            (few.page(&http, &path, SHALLOW).await?, &few.token),
            (many.page(&http, &path, SHALLOW).await?, &many.token),
            (many.page(&http, &path, deepest).await?, &many.token),
        ];
        let [small, large, deep] = in_turn(&http, &addresses).await?;
        notes.add(format!("{name}: page {SHALLOW} of 1,000"), small.as_secs_f64() * 1_000.0, "ms");
        notes.add(format!("{name}: page {SHALLOW} of {} against it", pages * 100), ratio(large, small), "times");
        notes.add(format!("{name}: page {deepest} of {} against it", pages * 100), ratio(deep, small), "times");
    }
    let submissions = |large: &Large| format!("{}{SUBMISSIONS}", large.app.base_url);
    let [small, large] = in_turn(&http, &[(submissions(&few), &few.token), (submissions(&many), &many.token)]).await?;
    notes.add("submissions: the first 10 of a course's 200, of 1,000 in all", small.as_secs_f64() * 1_000.0, "ms");
    notes.add("submissions: the same of 1,000,000 in all against it", ratio(large, small), "times");
    few.app.stop().await?;
    many.app.stop().await?;
    Ok(notes.finish())
}

fn ratio(duration: Duration, floor: Duration) -> f64 {
    duration.as_secs_f64() / floor.as_secs_f64()
}

impl Large {
    async fn start(runtime: Runtime, size: Size) -> Result<Self> {
        let sandbox = size::sandbox(runtime, size, &[]).await?;
        let app = sandbox.start().await?;
        let token = sandbox.admin(&app).await?.token().to_owned();
        Ok(Self { app, token, _sandbox: sandbox })
    }

    /// The address of a page, the first is 1: clients follow the links to it.
    async fn page(&self, http: &reqwest::Client, path: &str, number: usize) -> Result<String> {
        let mut address = format!("{}{path}", self.app.base_url);
        for _ in 1..number {
            let answer = http.get(&address).bearer_auth(&self.token).send().await?.error_for_status()?;
            let links = answer.headers().get(LINK).and_then(|link| link.to_str().ok()).unwrap_or_default();
            let next = links.split(',').find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<'));
            next.with_context(|| format!("{path} has less than {number} pages"))?.clone_into(&mut address);
        }
        Ok(address)
    }
}

/// The median time of each.
async fn in_turn<const N: usize>(http: &reqwest::Client, pages: &[(String, &String); N]) -> Result<[Duration; N]> {
    let mut durations = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for ((address, token), durations) in pages.iter().zip(&mut durations) {
            let sent = Instant::now();
            let answer = http.get(address).bearer_auth(*token).send().await?.error_for_status()?;
            answer.bytes().await?;
            durations.push(sent.elapsed());
        }
    }
    Ok(durations.map(median))
}
