//! Error reports: anybody files one, nothing secret is kept, and administrators work through those of their tenant.

mod filing;
mod forwarding;
mod limits;
mod page;
mod reading;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Receiver, Reply, Response, Running, School, unique};
use tokio::sync::{Mutex, MutexGuard};

const REPORTS: &str = "/api/v1/error_reports";

/// Files a report from an address that nobody else has, so that the tests do not use up each other's turns.
async fn file(client: &Client, error: Value) -> Response {
    file_from(client, &unique("address"), error).await
}

async fn file_from(client: &Client, address: &str, error: Value) -> Response {
    client.post(REPORTS).header("x-forwarded-for", address).json(json!({ "error": error })).await
}

/// Files a report, and answers its id.
async fn filed(client: &Client, error: Value) -> i64 {
    file(client, error).await.is(200).id()
}

async fn read(admin: &Client, id: i64) -> Response {
    admin.get(&format!("{REPORTS}/{id}")).await.is(200)
}

/// The link to the page, without the host.
async fn link(admin: &Client) -> String {
    admin.post(&format!("{REPORTS}/live_link")).await.is(200)["url"].as_str().unwrap().to_owned()
}

fn ticket_of(link: &str) -> &str {
    link.split_once("?ticket=").unwrap().1
}

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// An application that forwards reports to a receiver of ours, which answers with that status. Its tests take turns.
struct Desk {
    site: Running,
    receiver: Receiver,
    school: School,
    _turn: MutexGuard<'static, ()>,
}

static STATUS: AtomicU16 = AtomicU16::new(200);

impl Desk {
    async fn answering(status: u16) -> Self {
        static TURN: Mutex<()> = Mutex::const_new(());
        static STARTED: OnceLock<(Running, Receiver)> = OnceLock::new();
        let turn = TURN.lock().await;
        STATUS.store(status, Ordering::SeqCst);
        let start = || {
            let receiver = Receiver::start(|_| Reply::new(STATUS.load(Ordering::SeqCst), ""));
            let url = format!("{}/hook", receiver.url);
            let settings = [
                ("error_report_webhook_url", url.as_str()),
                ("error_report_webhook_secret", SECRET),
                ("error_report_retention_days", "30"),
                ("error_report_daily_limit", "3"),
            ];
            (Running::own("error-reports", &settings), receiver)
        };
        let started = tokio::task::spawn_blocking(move || STARTED.get_or_init(start).clone());
        let (site, receiver) = started.await.unwrap();
        let school = School::start_in(&site).await;
        Self { site, receiver, school, _turn: turn }
    }

    /// A report once the first attempt to forward it is made.
    async fn filed(&self, subject: &str) -> Response {
        let id =
            filed(&self.school.person("Ada").await, json!({ "subject": subject, "comments": "Please help" })).await;
        for _ in 0..1_200 {
            let report = read(&self.school.admin, id).await;
            if report["forwarding"] != "pending" || !report["forwarding_error"].is_null() {
                return report;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it is not forwarded: {}", read(&self.school.admin, id).await)
    }

    /// The number of times it came.
    fn received(&self, subject: &str) -> usize {
        self.receiver.received_with(subject).len()
    }

    async fn tick_after(&self, seconds: i64) {
        self.site.tick(Some(&shared::clock::now().plus_seconds(seconds).to_string())).await;
    }
}
