//! Scenarios: who and what a test begins with, in a file of YAML or JSON, loaded through the API in the order of the file, so
//! that ids are the same each time.

mod loading;
mod model;
mod names;
mod plan;
mod times;
mod webhooks;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::sandbox::Sandbox;
use crate::sandbox::reply::Problem;

use loading::Loading;

/// What was loaded: ids, by the names of the file.
#[derive(Debug, Default, Serialize)]
pub(super) struct Loaded {
    accounts: BTreeMap<String, i64>,
    users: BTreeMap<String, i64>,
    courses: BTreeMap<String, i64>,
    /// By the name of the course, a slash, and the own name; so are those below.
    sections: BTreeMap<String, i64>,
    assignments: BTreeMap<String, i64>,
    quizzes: BTreeMap<String, i64>,
    /// The parts of addresses that pages are known by.
    pages: BTreeMap<String, String>,
    webhooks: Vec<Webhook>,
}

/// A subscription that was made.
#[derive(Debug, Serialize)]
struct Webhook {
    url: String,
    subscription_id: String,
    secret: String,
}

/// Fails where this is no scenario, whatever is there.
pub(super) fn check(text: &str) -> Result<(), Problem> {
    model::Scenario::read(text).map(drop)
}

/// Loads a scenario into what is there. One that is refused leaves nothing behind.
pub(super) async fn load(sandbox: &Sandbox, text: &str) -> Result<Loaded, Problem> {
    let scenario = model::Scenario::read(text)?;
    let plan = plan::Plan::of(scenario, sandbox).await?;
    let before = sandbox.keep("before the scenario").await?;
    let loaded = Loading::new(sandbox).run(&plan).await;
    if loaded.is_err() {
        sandbox.put_back(&before).await?;
    }
    loaded
}
