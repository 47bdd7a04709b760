//! Webhooks: what subscribers cost the change itself, how soon an event is on its way, and whether any is lost when
//! receivers fail, hang and are dead, and the host is killed again and again.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use reqwest::header::LINK;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use xtask::app::{App, Runtime};
use xtask::client::Client;
use xtask::sandbox::Sandbox;

use crate::classroom::{self, Course, Student};
use crate::receiver::{Mood, Receiver, Submissions};

const STUDENTS: usize = 20;
const KILLS: u32 = 10;
/// Changes in each course by which their cost is measured.
const CHANGES: usize = 150;
const PAUSE: Duration = Duration::from_millis(60);
/// The greatest cost of a change with subscribers, as a multiple of its cost without.
const ALLOWED: f64 = 2.0;

/// A course in which students hand in, on an application of its own.
struct Classroom {
    app: App,
    sandbox: Sandbox,
    course: Course,
    students: Vec<Student>,
    token: String,
}

/// Measures, and fails if anything is lost.
pub(super) async fn run(runtime: Runtime, events: usize) -> Result<()> {
    let room = Classroom::open(runtime).await?;
    cost(&room).await?;
    room.app.stop().await?;
    chaos(Classroom::open(runtime).await?, events).await
}

/// Measures a change with nobody, one and five who are told of it, and how soon they are. The courses take turns, so that
/// whatever else the machine does counts for all, with pauses in which the deliveries are made.
async fn cost(room: &Classroom) -> Result<()> {
    let tool = classroom::tool(&room.admin(), "A tool").await?;
    let mut courses = Vec::new();
    let receiver = Receiver::start(Mood::Willing).await?;
    for subscribers in [0, 1, 5] {
        let course = room.course().await?;
        for _ in 0..subscribers {
            classroom::subscribe(&tool, "course", &course.id, &receiver.url).await?;
        }
        courses.push((subscribers, course, Vec::new()));
    }
    let mut done = Submissions::new();
    for student in room.students.iter().cycle().take(CHANGES) {
        for (subscribers, course, durations) in &mut courses {
            let sent = Instant::now();
            let submission = hand_in(&Client::new(&room.app.base_url, &student.token), &course.submissions).await?;
            durations.push(sent.elapsed());
            if *subscribers == 1 {
                done.insert(submission, SystemTime::now());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    let mut floor = None;
    for (subscribers, _, durations) in &mut courses {
        durations.sort();
        let median = durations.get(durations.len() / 2).context("nothing was measured")?.as_secs_f64();
        let ratio = median / *floor.get_or_insert(median);
        let name = format!("a submission of which {subscribers} are told");
        println!("{name:<44}{:>20.2}{ratio:>30.2}", median * 1_000.0);
        ensure!(ratio <= ALLOWED, "subscribers make a change too slow");
    }
    let mut told = delays(&done, &receiver.first_times());
    told.sort();
    for percent in [50, 99] {
        let delay = told.get(told.len() * percent / 100).context("nothing was delivered")?;
        let name = format!("from the answer to the first attempt, p{percent}");
        println!("{name:<44}{:>20.2}", delay.as_secs_f64() * 1_000.0);
    }
    Ok(())
}

/// The time from the answer to each submission until it was on its way: zero where it was before.
fn delays(done: &Submissions, told: &Submissions) -> Vec<Duration> {
    let told = done.iter().filter_map(|(submission, answered)| Some((told.get(submission)?, answered)));
    told.map(|(came, answered)| came.duration_since(*answered).unwrap_or_default()).collect()
}

/// Five receivers, of which one fails, one hangs and one is dead, while the host is killed.
async fn chaos(mut room: Classroom, events: usize) -> Result<()> {
    let tool = classroom::tool(&room.admin(), "A tool").await?;
    let moods = [Mood::Willing, Mood::Willing, Mood::Failing, Mood::Hanging];
    let mut receivers = Vec::new();
    for mood in moods {
        let receiver = Receiver::start(mood).await?;
        let subscription = classroom::subscribe(&tool, "account", "1", &receiver.url).await?;
        receivers.push((subscription, receiver));
    }
    let dead = classroom::subscribe(&tool, "account", "1", "http://127.0.0.1:1/hook").await?;

    let began = Instant::now();
    let mut done = Submissions::new();
    for round in 1..=KILLS {
        let wanted = events * usize::try_from(round)? / usize::try_from(KILLS)?;
        let handed_in = room.hand_in_at_once(wanted.saturating_sub(done.len())).await?;
        done.extend(handed_in);
        room = room.crash().await?;
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{} submissions through {KILLS} kills in {seconds:.0} s", done.len());

    let began = Instant::now();
    let subscriptions: Vec<_> = receivers.iter().map(|(subscription, _)| subscription.as_str()).collect();
    room.deliver_all(&subscriptions).await?;
    println!("all delivered after {:.0} s more", began.elapsed().as_secs_f64());
    for (mood, (_, receiver)) in moods.iter().zip(&receivers) {
        let told = receiver.first_times();
        let lost = done.keys().filter(|submission| !told.contains_key(*submission)).count();
        let (accepted, duplicates) = receiver.accepted();
        println!("{:<44}{accepted:>10} taken{duplicates:>10} twice{lost:>10} lost", mood.name());
        ensure!(lost == 0, "{lost} events were lost");
    }
    let kept = room.count(&dead).await?;
    println!("{:<44}{kept:>10} kept", "dead");
    ensure!(kept >= done.len(), "{} deliveries to the dead receiver were lost", done.len() - kept);
    room.app.stop().await
}

impl Classroom {
    async fn open(runtime: Runtime) -> Result<Self> {
        let sandbox = Sandbox::new(runtime, &[("development", "true")])?;
        let app = sandbox.start().await?;
        let admin = sandbox.admin(&app).await?;
        let students = classroom::students(&admin, STUDENTS).await?;
        let course = classroom::course(&admin, &students).await?;
        let token = admin.token().to_owned();
        Ok(Self { app, sandbox, course, students, token })
    }

    /// One more course with the same students.
    async fn course(&self) -> Result<Course> {
        classroom::course(&self.admin(), &self.students).await
    }

    fn admin(&self) -> Client {
        Client::new(&self.app.base_url, &self.token)
    }

    /// So many submissions, all students at once.
    async fn hand_in_at_once(&self, count: usize) -> Result<Submissions> {
        let mut students = JoinSet::new();
        for (number, student) in self.students.iter().enumerate() {
            let client = Client::new(&self.app.base_url, &student.token);
            let path = self.course.submissions.clone();
            let own = count / STUDENTS + usize::from(number < count % STUDENTS);
            students.spawn(async move {
                let mut done = Submissions::new();
                for _ in 0..own {
                    done.insert(hand_in(&client, &path).await?, SystemTime::now());
                }
                anyhow::Ok(done)
            });
        }
        let mut done = Submissions::new();
        while let Some(of_student) = students.join_next().await {
            done.extend(of_student??);
        }
        Ok(done)
    }

    /// Kills the host in the middle of its deliveries, and starts it again.
    async fn crash(self) -> Result<Self> {
        let Self { app, sandbox, .. } = self;
        app.crash().await?;
        Ok(Self { app: sandbox.start().await?, sandbox, ..self })
    }

    /// Lets the clock run, until nothing waits for these subscriptions.
    async fn deliver_all(&self, subscriptions: &[&str]) -> Result<()> {
        let admin = self.admin();
        let token = self.sandbox.variables.get("tick_token").context("a tick token")?;
        let http = reqwest::Client::new();
        for hour in 0..200 {
            let mut waiting = false;
            for subscription in subscriptions {
                let path = format!("/api/v1/webhook_deliveries?status=pending&subscription_id={subscription}");
                waiting |= admin.get(&path).await? != json!([]);
            }
            if !waiting {
                return Ok(());
            }
            let clock = chrono::Utc::now() + chrono::TimeDelta::seconds(hour * 3600 + 120);
            loop {
                let tick = http.post(format!("{}/internal/tick", self.app.base_url)).bearer_auth(token);
                let tick = tick.header("x-test-clock", clock.to_rfc3339()).send().await?.error_for_status()?;
                if tick.json::<Value>().await?.get("more") != Some(&json!(true)) {
                    break;
                }
            }
        }
        anyhow::bail!("deliveries still wait")
    }

    /// The number of deliveries to a subscription.
    async fn count(&self, subscription: &str) -> Result<usize> {
        let http = reqwest::Client::new();
        let path = format!("/api/v1/webhook_deliveries?per_page=100&subscription_id={subscription}");
        let mut address = format!("{}{path}", self.app.base_url);
        let mut ids = BTreeSet::new();
        loop {
            let answer = http.get(&address).bearer_auth(&self.token).send().await?.error_for_status()?;
            let links = answer.headers().get(LINK).and_then(|links| links.to_str().ok()).unwrap_or_default();
            let next = links.split(',').find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<'));
            let next = next.map(str::to_owned);
            let page: Vec<Value> = answer.json().await?;
            ids.extend(page.iter().filter_map(|delivery| delivery.get("id")?.as_i64()));
            match next {
                Some(next) => address = next,
                None => return Ok(ids.len()),
            }
        }
    }
}

async fn hand_in(student: &Client, path: &str) -> Result<(String, i64)> {
    let essay = json!({ "submission": { "submission_type": "online_text_entry", "body": "An essay" } });
    let submission = student.post(path, essay).await?;
    let number = |key: &str| submission.get(key).and_then(Value::as_i64).with_context(|| format!("no {key}"));
    Ok((number("user_id")?.to_string(), number("attempt")?))
}
