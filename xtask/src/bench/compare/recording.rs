//! The statement that a request leads to, as the application executes it today.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xtask::app::App;
use xtask::client::Client;
use xtask::sandbox::Sandbox;

use super::super::table::Request;
use super::super::template::Values;
use super::filled;

/// The number of times that the request is made: statements that a component executes as it starts are executed less
/// often.
const TIMES: u64 = 20;

/// A statement and its use, as the host records it.
#[derive(Debug, Deserialize)]
struct Recorded {
    sql: String,
    /// The number of its parameters.
    parameters: usize,
    /// The number of its executions.
    count: u64,
}

/// The statement of the request, which must have so many parameters.
pub(super) async fn statement(
    sandbox: &Sandbox,
    request: &Request,
    values: &Values,
    parameters: usize,
) -> Result<String> {
    let file = sandbox.folder.path().join("statements.jsonl");
    let app = App::start_recording(&sandbox.launch(), &file).await?;
    // By one caller: the first use of each token is noted.
    let (token, path) = filled(request, values, 0)?;
    let client = Client::new(&app.base_url, &token);
    for _ in 0..TIMES {
        client.get(&path).await?;
    }
    app.stop().await?;
    let record = std::fs::read_to_string(&file).context("the host has recorded no statements")?;
    let recorded = repeated(&record, TIMES).with_context(|| path.clone())?;
    ensure!(
        recorded.parameters == parameters,
        "{path}: its statement has {} parameters now, and the bench knows the values of {parameters}:\n{}",
        recorded.parameters,
        recorded.sql
    );
    Ok(recorded.sql)
}

/// The one statement that was executed at least so often.
fn repeated(record: &str, times: u64) -> Result<Recorded> {
    let statements = record.lines().map(serde_json::from_str).collect::<Result<Vec<Recorded>, _>>()?;
    let mut repeated = statements.into_iter().filter(|statement| statement.count >= times);
    let first = repeated.next().context("no statement was executed for each request")?;
    let others = repeated.count();
    ensure!(others == 0, "the request leads to {} statements now, and the servers execute one", others + 1);
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRAGMA: &str = r#"{"component":"directory","sql":"PRAGMA user_version","parameters":0,"count":2}"#;
    const READ: &str = r#"{"component":"directory","sql":"SELECT ?1, ?2","parameters":2,"count":20}"#;

    #[test]
    fn the_statement_is_the_one_that_each_request_executes() {
        let read = repeated(&format!("{PRAGMA}\n{READ}\n"), 20).unwrap();
        assert_eq!((read.sql.as_str(), read.parameters), ("SELECT ?1, ?2", 2));
    }

    #[test]
    fn none_and_several_are_refused_in_words() {
        let none = repeated(PRAGMA, 20).unwrap_err().to_string();
        assert_eq!(none, "no statement was executed for each request");
        let two = repeated(&format!("{READ}\n{READ}"), 20).unwrap_err().to_string();
        assert_eq!(two, "the request leads to 2 statements now, and the servers execute one");
    }
}
