//! `--compare`: two requests of the table on the application, and on small servers that execute the same statements on
//! the same database, so that it can be seen what the platform costs. `xtask/comparison` has the servers.

mod description;
mod programs;
mod recording;
mod server;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xtask::app::{App, Runtime};
use xtask::client::Client;
use xtask::sandbox::Sandbox;

use super::areas::Measurement;
use super::figure::Line;
use super::process::Server;
use super::size::{self, Size};
use super::table::{FLOOR, Kind, Request, Table};
use super::template::{Template, Values};
use super::{Options, school};
use description::{Endpoint, Source};
use server::RunningServer;

pub(super) use programs::Programs;

/// The name of the application in the table.
const APPLICATION: &str = "Lectern";

/// The requests, as area and kind, and the parameters of the one statement that each leads to.
const REQUESTS: [(&str, Kind, &[Source]); 2] = [
    ("directory", Kind::Hot, &[Source::Token, Source::User, KEY_VERSION, OWN, EMPTY]),
    ("quiz-groups", Kind::List, &[Source::Token, Source::User, KEY_VERSION, COURSE, BY_ID, Source::Null, QUIZ, QUIZ]),
];
/// The kind of the key that signs tokens.
const KEY_VERSION: Source = Source::Number { value: 1 };
const OWN: Source = Source::Text { value: "own" };
const EMPTY: Source = Source::Text { value: "" };
const BY_ID: Source = Source::Text { value: "id" };
const COURSE: Source = Source::Path { name: "course" };
const QUIZ: Source = Source::Path { name: "quiz" };

/// Requests whose answers are held against the application's before a server is measured, each with a token of its own.
const CHECKED: u32 = 5;

/// Measures the application and, beside it, each of the programs.
pub(super) async fn run(options: &Options, programs: &Programs) -> Result<Vec<Line>> {
    let table = Table::load()?.only(&REQUESTS.map(|(area, ..)| area.to_owned()))?;
    let floor = request_of(&table, FLOOR, Kind::Floor)?;
    // The recording is the host's.
    let size = options.size.unwrap_or(Size::Small);
    let sandbox = size::sandbox(Runtime::Host, size, &[("trusted_proxies", "1")]).await?;
    eprintln!("Making what the requests read");
    let values = values_of_steps(&sandbox, &table).await?;
    let (mut endpoints, mut compared) = (Vec::new(), Vec::new());
    for (area, kind, parameters) in REQUESTS {
        let request = request_of(&table, area, kind)?;
        let sql = recording::statement(&sandbox, &request, &values, parameters.len()).await?;
        endpoints.push(Endpoint { path: request.path.clone(), sql, parameters });
        compared.push(request);
    }
    let description = description::write(&sandbox, &endpoints)?;

    let app = sandbox.start().await?;
    let process = Server(app.pid().context("the application has ended")?);
    let mut measurement = Measurement::new(options, &values);
    let mut lines = Vec::new();
    for request in std::iter::once(&floor).chain(&compared) {
        lines.push(measurement.line(&app.base_url, process, &named(request, APPLICATION)).await?);
    }
    for program in &programs.0 {
        let server = RunningServer::start(program, &description).await?;
        for request in &compared {
            check(&app, &server, &program.name, request, &values).await?;
        }
        for request in &compared {
            let request = named(request, &program.name);
            lines.push(measurement.line(&server.base_url, server.process()?, &request).await?);
        }
        server.stop().await?;
    }
    app.stop().await?;
    Ok(lines)
}

/// The request with the name of a server in the column of areas.
fn named(request: &Request, server: &str) -> Request {
    Request { area: server.to_owned(), ..request.clone() }
}

/// The request of that area and kind.
fn request_of(table: &Table, area: &str, kind: Kind) -> Result<Request> {
    let request = table.requests.iter().find(|request| request.area == area && request.kind == kind);
    request.cloned().with_context(|| format!("no request of {area} is of the kind {kind:?}"))
}

/// The values of the steps, which are made on an application that is stopped again.
async fn values_of_steps(sandbox: &Sandbox, table: &Table) -> Result<Values> {
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let values = school::build(&app.base_url, table, &[("admin", admin.token())]).await?;
    app.stop().await?;
    Ok(values)
}

/// The caller and the path of a request of that number.
fn filled(request: &Request, values: &Values, number: u32) -> Result<(String, String)> {
    let token = Template::parse(request.token.as_deref().unwrap_or("{admin}")).fill(number, values)?;
    Ok((token, Template::parse(&request.path).fill(number, values)?))
}

/// Fails unless the server answers with the records with which the application answers.
async fn check(app: &App, server: &RunningServer, name: &str, request: &Request, values: &Values) -> Result<()> {
    for number in 0..CHECKED {
        let (token, path) = filled(request, values, number)?;
        let expected = Client::new(&app.base_url, &token).get(&path).await?;
        let answered = server.get(&token, &path).await.with_context(|| name.to_owned())?;
        let (expected, answered) = (ids(&expected), ids(&answered));
        ensure!(!expected.is_empty(), "{path}: the application answers without records");
        ensure!(answered == expected, "{path}: {name} answers with the records {answered:?}, not with {expected:?}");
    }
    Ok(())
}

/// The ids of the records in an answer, in their order, whatever the records stand in. JSON that stands in JSON is a text
/// in some versions of SQLite.
fn ids(answer: &Value) -> Vec<String> {
    match answer {
        Value::Array(items) => items.iter().flat_map(ids).collect(),
        Value::Object(fields) => {
            let own = fields.get("id").map(Value::to_string);
            own.into_iter().chain(fields.values().flat_map(ids)).collect()
        }
        Value::String(text) if text.starts_with(['{', '[']) => {
            serde_json::from_str(text).map_or_else(|_plain| Vec::new(), |json: Value| ids(&json))
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn records_are_the_same_whatever_they_stand_in() {
        let plain = json!([{ "id": 3, "quiz_id": 9 }, { "id": 5, "quiz_id": 9 }]);
        assert_eq!(ids(&plain), ["3", "5"]);
        assert_eq!(ids(&plain), ids(&json!({ "quiz_groups": plain })));
        assert_eq!(ids(&json!({ "user": { "id": 7, "name": "Ada" }, "is_seen": true })), ids(&json!({ "id": 7 })));
        assert_ne!(ids(&json!([{ "id": 3 }, { "id": 5 }])), ids(&json!([{ "id": 5 }, { "id": 3 }])));
        assert_eq!(ids(&json!({ "user": "{\"id\":7}", "name": "{Ada}" })), ["7"]);
        assert_eq!(ids(&json!({ "errors": [{ "message": "no" }] })), Vec::<String>::new());
    }

    #[test]
    fn the_table_has_the_requests_and_their_paths_have_the_parameters() {
        let table = Table::load().unwrap();
        for (area, kind, parameters) in REQUESTS {
            let request = request_of(&table, area, kind).unwrap();
            assert_eq!((request.method.as_str(), request.status), ("GET", 200));
            for parameter in parameters {
                if let Source::Path { name } = parameter {
                    assert!(request.path.contains(&format!("{{{name}}}")), "{}", request.path);
                }
            }
        }
    }
}
