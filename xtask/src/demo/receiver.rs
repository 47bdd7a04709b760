//! The receiver of the demo's webhooks: it takes everything, and says so in the terminal.
//!
//! Its subscription has one address for good, so it comes back at the same port. Where nobody listens there,
//! deliveries fail and are tried again, as those of any receiver that is away.

use std::convert::Infallible;
use std::fs;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};
use serde_json::Value;
use serving::{Limits, RequestBody};
use terminal::{FAINT, eprintln, styled};
use tokio::net::{TcpListener, TcpStream};
use xtask::folder::DataFolder;

/// The file in the data folder with its address.
const FILE: &str = "demo-receiver";

/// Starts the receiver of the application on that folder, and answers its address. It lives as long as the tokio
/// runtime does.
pub(crate) async fn start(folder: &DataFolder) -> Result<String> {
    let known = address(folder);
    let listen = known.as_deref().unwrap_or("127.0.0.1:0");
    let listener = TcpListener::bind(listen).await;
    let listener = listener.with_context(|| format!("the demo's webhooks cannot be taken at {listen}"))?;
    let address = listener.local_addr()?.to_string();
    if known.is_none() {
        folder.write_private(FILE, &format!("{address}\n"))?;
    }
    tokio::spawn(serving::serve(listener, Limits::DEVELOPMENT, serve, std::future::pending()));
    Ok(url(&address))
}

/// The address of the receiver that runs beside the application on that folder, if one does.
pub(crate) async fn running(folder: &DataFolder) -> Option<String> {
    let address = address(folder)?;
    TcpStream::connect(&address).await.is_ok().then(|| url(&address))
}

fn address(folder: &DataFolder) -> Option<String> {
    fs::read_to_string(folder.path().join(FILE)).ok().map(|text| text.trim().to_owned())
}

fn url(address: &str) -> String {
    format!("http://{address}/webhooks")
}

async fn serve(request: Request<RequestBody>) -> Result<Response<Empty<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let event: Value = serde_json::from_slice(&body).unwrap_or_default();
    let name = event.pointer("/metadata/event_name").and_then(Value::as_str).unwrap_or("event");
    eprintln!("{}", styled(FAINT, &format!("    the demo's receiver has taken a webhook: {name}")));
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_takes_what_is_sent_and_keeps_its_address() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(temporary.path()).unwrap();
        assert_eq!(running(&folder).await, None);
        let url = start(&folder).await.unwrap();
        assert_eq!(running(&folder).await.as_deref(), Some(url.as_str()));
        let taken = reqwest::Client::new().post(&url).body("{}").send().await.unwrap();
        assert_eq!(taken.status(), StatusCode::NO_CONTENT);
        assert!(start(&folder).await.unwrap_err().to_string().contains("127.0.0.1"), "one at a time");
    }
}
