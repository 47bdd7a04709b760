//! The records that the requests read and change: the steps of the table, made through the API.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::items;

use super::load::address_of;
use super::table::{Step, Table, Wait};
use super::template::{Template, Values};

/// The number of looks at what has not ended, and the time between them.
const LOOKS: usize = 600;
const PAUSE: Duration = Duration::from_millis(50);
/// Teachers and schools of each district.
const RECORDS: usize = 100;

/// Makes the steps of the table, and answers what they have kept, beside what is given.
pub(super) async fn build(base_url: &str, table: &Table, given: &[(&str, &str)]) -> Result<Values> {
    let mut values: Values = [("true_false", true_false()), ("mastery_data", mastery_data())]
        .into_iter()
        .chain(given.iter().map(|(name, value)| (*name, (*value).to_owned())))
        .map(|(name, value)| (name.to_owned(), vec![value]))
        .collect();
    let http = reqwest::Client::new();
    for step in &table.steps {
        for number in 0..step.times {
            make(&http, base_url, step, number, &mut values).await?;
        }
    }
    Ok(values)
}

fn true_false() -> String {
    items::true_false("Oaks bear acorns.", true).to_string()
}

fn mastery_data() -> String {
    let school = |number| json!({ "id": format!("s{number}"), "name": format!("School {number}") });
    let teacher = |number| json!({ "id": format!("t{number}"), "last_name": format!("Teacher {number}") });
    let schools: Vec<_> = (0..RECORDS).map(school).collect();
    let teachers: Vec<_> = (0..RECORDS).map(teacher).collect();
    json!({ "schools": schools, "teachers": teachers }).to_string()
}

async fn make(http: &reqwest::Client, base_url: &str, step: &Step, number: u32, values: &mut Values) -> Result<()> {
    let fill = |text: &str| Template::parse(text).fill(number, values);
    let body = step.body.as_deref().map(fill).transpose()?;
    let token = fill(step.token.as_deref().unwrap_or("{admin}"))?;
    let address = format!("{base_url}{}", fill(&step.path)?);
    let answer = send(http, &step.method, &address, body, &token, number).await?;
    for (name, pointer) in &step.keep {
        let value = match answer.pointer(pointer) {
            Some(Value::String(text)) => text.strip_prefix(base_url).unwrap_or(text).to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            _ => anyhow::bail!("{address}: no {pointer} in {answer}"),
        };
        values.entry(name.clone()).or_default().push(value);
    }
    match &step.wait {
        Some(wait) => until(http, base_url, wait, number, &token, values).await,
        None => Ok(()),
    }
}

async fn until(
    http: &reqwest::Client,
    base_url: &str,
    wait: &Wait,
    number: u32,
    token: &str,
    values: &Values,
) -> Result<()> {
    let address = format!("{base_url}{}", Template::parse(&wait.path).fill(number, values)?);
    for _ in 0..LOOKS {
        let answer = send(http, "GET", &address, None, token, number).await?;
        if answer.pointer(&wait.pointer).and_then(Value::as_str) == Some(wait.value.as_str()) {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    anyhow::bail!("{address} does not become {}", wait.value)
}

async fn send(
    http: &reqwest::Client,
    method: &str,
    address: &str,
    body: Option<String>,
    token: &str,
    number: u32,
) -> Result<Value> {
    let method = method.parse().with_context(|| format!("{method} is no method"))?;
    let mut request = http.request(method, address).header("x-forwarded-for", address_of(number));
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body);
    }
    let answer = request.send().await.with_context(|| format!("nothing answers at {address}"))?;
    let (status, text) = (answer.status(), answer.text().await?);
    ensure!(status.is_success(), "{address}: {status} {text}");
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
