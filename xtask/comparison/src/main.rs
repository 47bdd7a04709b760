//! Two endpoints of the application as a native program: `cargo xtask bench --compare` measures it beside the
//! application, and so the servers in `fastapi/` and `express/`, which do the same. Each verifies the token, executes the
//! statement that the application executes, looks whether the token still holds, and answers the JSON that SQLite has
//! made.
//!
//! It is called with the file that describes the endpoints and a port of the loopback, and ends when its input ends.

#![expect(clippy::print_stderr, reason = "it tells the person at the terminal of errors")]

mod description;
mod token;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::Path;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::routing::get;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params_from_iter};
use tokio::net::TcpListener;

use description::{Description, Endpoint, Ids};

type JsonResponse = ([(HeaderName, &'static str); 1], String);

struct Server {
    database: PathBuf,
    key: String,
    /// Connections that no request uses at the moment.
    connections: Mutex<Vec<Connection>>,
}

/// The row of the statement: whether the token holds, and the JSON that is answered.
struct Row {
    revoked_at: Option<String>,
    expires_at: Option<String>,
    /// The record that the path names, with which the rights of the caller stand.
    needed: Option<String>,
    json: Option<String>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |name: &'static str| arguments.next().with_context(|| format!("the arguments lack {name}"));
    let (file, port) = (PathBuf::from(argument("a file")?), argument("a port")?.parse::<u16>()?);
    let Description { database, key, endpoints } = Description::read(&file)?;
    let server = Arc::new(Server { database, key, connections: Mutex::default() });
    let router = endpoints.into_iter().fold(Router::new(), |router, endpoint| route(router, &server, endpoint));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    tokio::select! {
        served = axum::serve(listener, router).into_future() => Ok(served?),
        ended = end_of_input() => ended,
    }
}

async fn end_of_input() -> Result<()> {
    tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await?;
    Ok(())
}

fn route(router: Router, server: &Arc<Server>, endpoint: Endpoint) -> Router {
    let path = endpoint.path.clone();
    let (server, endpoint) = (server.clone(), Arc::new(endpoint));
    let handler =
        move |Path(ids): Path<Ids>, headers: HeaderMap| async move { server.answer(&endpoint, &ids, &headers) };
    router.route(&path, get(handler))
}

impl Server {
    fn answer(&self, endpoint: &Endpoint, ids: &Ids, headers: &HeaderMap) -> Result<JsonResponse, StatusCode> {
        let presented = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let claims = presented.and_then(|token| token::verify(token, self.key.as_bytes()));
        let claims = claims.ok_or(StatusCode::UNAUTHORIZED)?;
        let row = self.row(endpoint, &claims, ids).map_err(|error| {
            eprintln!("{}: {error:#}", endpoint.path);
            StatusCode::INTERNAL_SERVER_ERROR
        })?;
        let row = row.filter(Row::holds).ok_or(StatusCode::UNAUTHORIZED)?;
        let json = row.needed.and(row.json).ok_or(StatusCode::NOT_FOUND)?;
        Ok(([(CONTENT_TYPE, "application/json")], json))
    }

    fn row(&self, endpoint: &Endpoint, claims: &token::Claims, ids: &Ids) -> Result<Option<Row>> {
        let values = endpoint.values(claims, ids)?;
        let connection = self.connection()?;
        let row = connection
            .prepare_cached(&endpoint.sql)?
            .query_row(params_from_iter(values), |row| {
                Ok(Row {
                    revoked_at: row.get("revoked_at")?,
                    expires_at: row.get("expires_at")?,
                    needed: row.get("needed")?,
                    json: row.get("prefetched")?,
                })
            })
            .optional()?;
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(row)
    }

    fn connection(&self) -> Result<Connection> {
        let waiting = self.connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match waiting {
            Some(connection) => Ok(connection),
            None => Ok(Connection::open_with_flags(&self.database, OpenFlags::SQLITE_OPEN_READ_ONLY)?),
        }
    }
}

impl Row {
    fn holds(&self) -> bool {
        // The times have one form, in which earlier ones come first.
        let is_over = |end: &String| *end <= chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
        self.revoked_at.is_none() && !self.expires_at.as_ref().is_some_and(is_over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_holds_until_it_ends_or_is_revoked() {
        let holds = |revoked_at: Option<&str>, expires_at: Option<&str>| {
            let text = |text: &str| text.to_owned();
            Row { revoked_at: revoked_at.map(text), expires_at: expires_at.map(text), needed: None, json: None }.holds()
        };
        assert!(holds(None, None));
        assert!(holds(None, Some("2999-01-01T00:00:00Z")));
        assert!(!holds(None, Some("2020-01-01T00:00:00Z")));
        assert!(!holds(Some("2020-01-01T00:00:00Z"), None));
    }
}
