//! `bench`: how many requests the app answers, and how fast. Read the ratios to the floor: the figures themselves are
//! those of this machine, which runs the load as well.

mod audit;
mod mastery;
mod polls;
mod webhooks;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use reqwest::header::LINK;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use xtask::app::Runtime;
use xtask::client::{Client, id};
use xtask::folder::DataFolder;
use xtask::items;
use xtask::sandbox::Sandbox;

use crate::{compile, demo};

const ITEMS: usize = 25;
const USERS: usize = 2_000;

#[derive(Args)]
pub(crate) struct Options {
    /// Seconds for which each kind of request is made.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Requests that are under way at the same time.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Events that are delivered while receivers fail and the host is killed.
    #[arg(long, default_value_t = 1_000)]
    webhook_events: usize,
    /// Nothing but that delivery.
    #[arg(long)]
    only_webhooks: bool,
    /// Use the Spin CLI found on the PATH.
    #[arg(long)]
    spin: bool,
}

/// A kind of request.
#[derive(Clone)]
struct Case {
    name: &'static str,
    method: Method,
    /// The whole address.
    address: String,
    body: Option<Value>,
    expected: StatusCode,
}

/// The times that the requests took, the shortest first.
struct Outcome {
    durations: Vec<Duration>,
    elapsed: Duration,
}

pub(crate) async fn run(options: Options) -> Result<()> {
    let runtime = if options.spin { Runtime::Spin } else { Runtime::Host };
    // Another manifest names components that were built in another way.
    if std::env::var_os("LECTERN_MANIFEST").is_none() {
        compile::all(runtime).await?;
    }
    if options.only_webhooks {
        return webhooks::run(runtime, options.webhook_events).await;
    }
    let sandbox = Sandbox::new(runtime, &[])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    demo::load(&admin).await?;
    let cases = cases(&app.base_url, &admin, options.connections).await?;

    println!("{:<44}{:>10}{:>10}{:>10}{:>10}{:>10}", "", "req/s", "p50 ms", "p95 ms", "p99 ms", "of floor");
    let mut floor = None;
    for case in cases {
        let name = case.name;
        let outcome = measure(case, admin.token(), &options).await?;
        let floor = *floor.get_or_insert(outcome.per_second());
        let [p50, p95, p99] = [50, 95, 99].map(|percent| outcome.percentile(percent).as_secs_f64() * 1_000.0);
        let (rate, ratio) = (outcome.per_second(), outcome.per_second() / floor);
        println!("{name:<44}{rate:>10.0}{p50:>10.2}{p95:>10.2}{p99:>10.2}{ratio:>10.2}");
    }
    polls::run(&app.base_url, &admin, options.connections).await?;
    app.stop().await?;
    webhooks::run(runtime, options.webhook_events).await?;
    mastery::run(runtime).await?;
    audit::run(runtime).await
}

/// The floor first: an answer for which nothing is looked up.
async fn cases(base_url: &str, admin: &Client, connections: usize) -> Result<Vec<Case>> {
    eprintln!("Making {USERS} users and a quiz of {ITEMS} items");
    let course = json!({ "course": { "name": "Measured" } });
    let course = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?;
    let quizzes = format!("/api/v1/courses/{course}/quizzes");
    let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": "Classic" } })).await?)?;
    let groups = format!("{quizzes}/{quiz}/groups");
    let group = admin.post(&groups, json!({ "quiz_groups": [{ "name": "A group" }] })).await?;
    let group = group.pointer("/quiz_groups/0").context("no group")?;

    let mut items = Vec::new();
    for title in ["Read", "Written"] {
        let quizzes = format!("/api/quiz/v1/courses/{course}/quizzes");
        let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": title } })).await?)?;
        items.push(format!("{quizzes}/{quiz}/items"));
    }
    let [read, written] = items.try_into().ok().context("two quizzes")?;
    let item = json!({ "item": { "entry_type": "Item", "entry": items::true_false("Oaks bear acorns.", true) } });
    for _ in 0..ITEMS {
        admin.post(&read, item.clone()).await?;
    }
    make_users(admin, connections).await?;
    let users = format!("{base_url}/api/v1/accounts/self/users?per_page=100");
    let last = last_page(&users, admin.token()).await?;

    let get = |name, address: String| Case { name, method: Method::GET, address, body: None, expected: StatusCode::OK };
    let at = |path: &str| format!("{base_url}{path}");
    Ok(vec![
        Case { expected: StatusCode::NOT_FOUND, ..get("the floor: 404 in JSON, no database", at("/nowhere")) },
        get("token check: the caller's own record", at("/api/v1/users/self")),
        get("a quiz group", at(&format!("{groups}/{}", id(group)?))),
        get("a list of 25 items", at(&read)),
        Case { method: Method::POST, body: Some(item), ..get("a new item", at(&written)) },
        get("a page of courses", at("/api/v1/accounts/self/courses")),
        get("100 of 2,000 users: the first page", users),
        get("100 of 2,000 users: the last page", last),
    ])
}

async fn make_users(admin: &Client, connections: usize) -> Result<()> {
    let mut tasks = JoinSet::new();
    for lane in 0..connections {
        let admin = admin.clone();
        tasks.spawn(async move {
            for number in (lane..USERS).step_by(connections) {
                let user = json!({
                    "user": { "name": format!("User {number}") },
                    "pseudonym": { "unique_id": format!("user-{number}") },
                });
                admin.post("/api/v1/accounts/self/users", user).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(finished) = tasks.join_next().await {
        finished??;
    }
    Ok(())
}

/// Follows the links to the end.
async fn last_page(first: &str, token: &str) -> Result<String> {
    let http = reqwest::Client::new();
    let mut address = first.to_owned();
    loop {
        let answer = http.get(&address).bearer_auth(token).send().await?.error_for_status()?;
        let links = answer.headers().get(LINK).and_then(|link| link.to_str().ok()).unwrap_or_default();
        let next = links.split(',').find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<'));
        match next {
            Some(next) => next.clone_into(&mut address),
            None => return Ok(address),
        }
    }
}

async fn measure(case: Case, token: &str, options: &Options) -> Result<Outcome> {
    let http = reqwest::Client::new();
    let (start, length) = (Instant::now(), Duration::from_secs(options.seconds));
    let mut tasks = JoinSet::new();
    for _ in 0..options.connections {
        let (http, case, token) = (http.clone(), case.clone(), token.to_owned());
        tasks.spawn(async move {
            let mut durations = Vec::new();
            while start.elapsed() < length {
                let mut request = http.request(case.method.clone(), &case.address).bearer_auth(&token);
                if let Some(body) = &case.body {
                    request = request.json(body);
                }
                let sent = Instant::now();
                let answer = request.send().await?;
                let status = answer.status();
                let body = answer.bytes().await?;
                durations.push(sent.elapsed());
                ensure!(status == case.expected, "{}: {status} {}", case.name, String::from_utf8_lossy(&body));
            }
            Ok(durations)
        });
    }
    let mut durations = Vec::new();
    while let Some(finished) = tasks.join_next().await {
        durations.extend(finished??);
    }
    durations.sort_unstable();
    Ok(Outcome { durations, elapsed: start.elapsed() })
}

impl Outcome {
    fn per_second(&self) -> f64 {
        let count = u32::try_from(self.durations.len()).unwrap_or(u32::MAX);
        f64::from(count) / self.elapsed.as_secs_f64()
    }

    fn percentile(&self, percent: usize) -> Duration {
        let index = self.durations.len().saturating_sub(1) * percent / 100;
        self.durations.get(index).copied().unwrap_or_default()
    }
}

/// Writes to the database behind the back of the application, which would take an hour for as much.
fn behind(folder: &DataFolder, sql: &str) -> Result<()> {
    let connection = rusqlite::Connection::open(folder.path().join("sqlite_db.db"))?;
    connection.busy_timeout(Duration::from_secs(30))?;
    Ok(connection.execute_batch(sql)?)
}

fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied().unwrap_or_default()
}
