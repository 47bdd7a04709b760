//! The API of the sandbox, `/sandbox/…`.

use bytes::Bytes;
use http::header::{ACCEPT, ALLOW};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use serde::Deserialize;
use serde_json::{Map, json};
use uuid::Uuid;
use wasmtime_wasi_http::WasiBody;

use crate::sandbox::calls::Filter;
use crate::sandbox::reply::{self, Problem, decode, json_response, no_content, require_name};
use crate::sandbox::{PREFIX, Sandbox, faults, inbox, pages, people, scenario};

/// The largest body that the sandbox itself takes.
const MAX_BODY_BYTES: usize = 32 << 20;

type Answer = Result<Response<WasiBody>, Problem>;

/// A request to the sandbox itself.
struct Asked {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Asked {
    fn wants_page(&self) -> bool {
        let accepts = self.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        accepts.split(',').any(|kind| kind.trim().starts_with("text/html"))
    }
}

/// What a snapshot is called. Without a name it gets one.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Named {
    name: Option<String>,
}

/// Answers what is below `/sandbox`.
pub(super) async fn answer(sandbox: &Sandbox, request: Request<WasiBody>) -> Response<WasiBody> {
    let answered = match read(request).await {
        Ok(asked) => Box::pin(dispatch(sandbox, &asked)).await,
        Err(problem) => Err(problem),
    };
    answered.unwrap_or_else(|problem| problem.response())
}

async fn read(request: Request<WasiBody>) -> Result<Asked, Problem> {
    let (head, body) = request.into_parts();
    // A page of another site may have its name lead here: it would learn tokens.
    if !head.uri.authority().is_some_and(is_of_this_machine) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "the sandbox is called by an address of this machine alone"));
    }
    let body = Limited::new(body, MAX_BODY_BYTES).collect().await;
    let body = body.map_err(|error| Problem::bad_request(format!("the body cannot be read: {error}")))?.to_bytes();
    let (path, query) = (head.uri.path().to_owned(), head.uri.query().unwrap_or_default().to_owned());
    Ok(Asked { method: head.method, path, query, headers: head.headers, body })
}

/// True for `localhost` and addresses of the loopback.
fn is_of_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

async fn dispatch(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let rest = asked.path.strip_prefix(PREFIX).unwrap_or_default().trim_matches('/');
    let segments: Vec<_> = if rest.is_empty() { Vec::new() } else { rest.split('/').collect() };
    let allowed = match segments.as_slice() {
        [] => return only(asked, &[Method::GET], || Ok(home(sandbox, asked))),
        ["oauth"] => return only(asked, &[Method::GET], || Ok(echo(&asked.query))),
        ["tokens"] if asked.method == Method::POST => return make_token(sandbox, asked).await,
        ["snapshots"] => match asked.method {
            Method::GET => return Ok(json_response(StatusCode::OK, &sandbox.snapshots.list())),
            Method::POST => return take_snapshot(sandbox, asked).await,
            _ => "GET, POST",
        },
        ["snapshots", name] if asked.method == Method::DELETE => return remove_snapshot(sandbox, name),
        ["snapshots", name, "restore"] if asked.method == Method::POST => return restore(sandbox, name).await,
        ["clock"] => match asked.method {
            Method::GET => return Ok(json_response(StatusCode::OK, &sandbox.clock.show())),
            Method::PUT => return change_clock(sandbox, asked).await,
            _ => "GET, PUT",
        },
        ["tick"] if asked.method == Method::POST => {
            sandbox.inside.gate.settle().await;
            return Ok(json_response(StatusCode::OK, &sandbox.tick().await?));
        }
        ["faults", rest @ ..] => return faults_of(sandbox, asked, rest),
        ["calls"] => match asked.method {
            Method::GET => return list_calls(sandbox, asked).await,
            Method::DELETE => {
                sandbox.calls.clear();
                return Ok(no_content());
            }
            _ => "GET, DELETE",
        },
        ["inbox", name] => return inbox_of(sandbox, asked, name),
        ["scenario"] if asked.method == Method::POST => return load_scenario(sandbox, asked).await,
        ["snapshots", _] => "DELETE",
        ["tokens" | "tick" | "scenario"] | ["snapshots", _, "restore"] => "POST",
        _ => return Err(Problem::not_found(format!("the sandbox has no {}", asked.path))),
    };
    Ok(not_allowed(allowed))
}

fn only(asked: &Asked, methods: &[Method], answer: impl FnOnce() -> Answer) -> Answer {
    if methods.contains(&asked.method) {
        return answer();
    }
    let names: Vec<_> = methods.iter().map(Method::as_str).collect();
    Ok(not_allowed(&names.join(", ")))
}

fn not_allowed(allowed: &str) -> Response<WasiBody> {
    let mut response = Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("the methods are {allowed}")).response();
    response.headers_mut().extend(HeaderValue::try_from(allowed).ok().map(|allowed| (ALLOW, allowed)));
    response
}

/// What there is, for programs or for people.
fn home(sandbox: &Sandbox, asked: &Asked) -> Response<WasiBody> {
    let address = sandbox.inside.address();
    let home = json!({
        "address": address,
        "now": sandbox.clock.show().now,
        "tokens": sandbox.registry.tokens(),
        "accounts": sandbox.registry.people().accounts,
        "oauth_client": sandbox.oauth_client,
        "webhook_inbox": format!("{address}{PREFIX}/inbox"),
        "snapshots": sandbox.snapshots.list(),
        "faults": sandbox.faults.list(),
    });
    if asked.wants_page() { reply::page(pages::home(&home)) } else { json_response(StatusCode::OK, &home) }
}

/// The parameters with which a log-in comes back.
fn echo(query: &str) -> Response<WasiBody> {
    let parameters = form_urlencoded::parse(query.as_bytes());
    let parameters: Map<_, _> = parameters.map(|(name, value)| (name.into_owned(), json!(value))).collect();
    json_response(StatusCode::OK, &parameters)
}

async fn make_token(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let wish: people::Wish = decode(&asked.body)?;
    let made = sandbox.registry.token(&sandbox.inside, &sandbox.clock, &wish).await?;
    Ok(json_response(StatusCode::CREATED, &made))
}

async fn take_snapshot(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let Named { name } = if asked.body.is_empty() { Named::default() } else { decode(&asked.body)? };
    let name = name.unwrap_or_else(|| Uuid::new_v4().to_string());
    require_name(&name)?;
    let _alone = sandbox.turn.lock().await;
    let snapshot = sandbox.take_snapshot(&name).await?;
    Ok(json_response(StatusCode::CREATED, &snapshot.show()))
}

fn remove_snapshot(sandbox: &Sandbox, name: &str) -> Answer {
    if sandbox.snapshots.remove(name) { Ok(no_content()) } else { Err(no_snapshot(name)) }
}

async fn restore(sandbox: &Sandbox, name: &str) -> Answer {
    let _alone = sandbox.turn.lock().await;
    let snapshot = sandbox.snapshots.get(name).ok_or_else(|| no_snapshot(name))?;
    let milliseconds = sandbox.restore(&snapshot).await?;
    Ok(json_response(StatusCode::OK, &json!({ "name": name, "milliseconds": milliseconds })))
}

fn no_snapshot(name: &str) -> Problem {
    Problem::not_found(format!("there is no snapshot {name}"))
}

async fn change_clock(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let change = decode(&asked.body)?;
    let _alone = sandbox.turn.lock().await;
    // What happened before the clock is moved has the time before.
    sandbox.inside.gate.settle().await;
    sandbox.clock.change(&change)?;
    sandbox.catch_up().await?;
    Ok(json_response(StatusCode::OK, &sandbox.clock.show()))
}

fn faults_of(sandbox: &Sandbox, asked: &Asked, rest: &[&str]) -> Answer {
    let no_fault = || Problem::not_found("there is no such fault");
    let id = |text: &str| text.parse::<u64>().map_err(|_no_number| no_fault());
    let allowed = match rest {
        [] => match asked.method {
            Method::GET => return Ok(json_response(StatusCode::OK, &sandbox.faults.list())),
            Method::POST => {
                let wish: faults::Wish = decode(&asked.body)?;
                return Ok(json_response(StatusCode::CREATED, &sandbox.faults.add(wish)?));
            }
            Method::PUT => {
                return Ok(json_response(StatusCode::OK, &sandbox.faults.replace(wishes(&asked.body)?)?));
            }
            Method::DELETE => {
                sandbox.faults.clear();
                return Ok(no_content());
            }
            _ => "GET, POST, PUT, DELETE",
        },
        [fault] => match asked.method {
            Method::GET => {
                let fault = sandbox.faults.get(id(fault)?).ok_or_else(no_fault)?;
                return Ok(json_response(StatusCode::OK, &fault));
            }
            Method::DELETE => {
                return if sandbox.faults.remove(id(fault)?) { Ok(no_content()) } else { Err(no_fault()) };
            }
            _ => "GET, DELETE",
        },
        _ => return Err(no_fault()),
    };
    Ok(not_allowed(allowed))
}

/// A list of faults, or one.
fn wishes(body: &[u8]) -> Result<Vec<faults::Wish>, Problem> {
    if body.trim_ascii_start().starts_with(b"[") { decode(body) } else { Ok(vec![decode(body)?]) }
}

async fn list_calls(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let mut calls = sandbox.calls.list(&Filter::of(&asked.query)?);
    for call in &mut calls {
        if let Some(caller) = call.caller {
            call.login = sandbox.registry.login_of(&sandbox.inside, caller).await;
        }
    }
    Ok(json_response(StatusCode::OK, &calls))
}

fn inbox_of(sandbox: &Sandbox, asked: &Asked, name: &str) -> Answer {
    require_name(name)?;
    Ok(match asked.method {
        Method::POST => {
            let (headers, body) = (asked.headers.clone(), asked.body.clone());
            let status = sandbox.inboxes.take(name, headers, body, sandbox.clock.moment())?;
            json_response(status, &json!({}))
        }
        Method::GET => {
            let events = sandbox.inboxes.events(name);
            match asked.wants_page() {
                true => reply::page(pages::inbox(name, &events)),
                false => json_response(StatusCode::OK, &json!({ "events": events })),
            }
        }
        Method::PUT => {
            let settings: inbox::Settings = decode(&asked.body)?;
            json_response(StatusCode::OK, &sandbox.inboxes.set(name, settings)?)
        }
        Method::DELETE => {
            sandbox.inboxes.clear(name);
            no_content()
        }
        _ => not_allowed("GET, POST, PUT, DELETE"),
    })
}

async fn load_scenario(sandbox: &Sandbox, asked: &Asked) -> Answer {
    let text = std::str::from_utf8(&asked.body);
    let text = text.map_err(|_error| Problem::bad_request("the scenario is not written in UTF-8"))?;
    let _alone = sandbox.turn.lock().await;
    Ok(json_response(StatusCode::CREATED, &scenario::load(sandbox, text).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_machines_lead_nowhere() {
        for (name, is_ours) in [
            ("127.0.0.1:3000", true),
            ("localhost:80", true),
            ("[::1]:3000", true),
            ("127.8.9.1", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("192.168.0.1", false),
        ] {
            assert_eq!(is_of_this_machine(&name.parse().unwrap()), is_ours, "{name}");
        }
    }

    #[test]
    fn a_log_in_comes_back_with_its_parameters() {
        assert_eq!(echo("code=a%20b&state=1").status(), StatusCode::OK);
    }
}
