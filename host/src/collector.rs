//! The way to a collector of traces: the connections that components have, without the limits of components.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, Result};
use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::rt::TokioIo;
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::outbound::{Target, connect, origin_form};

/// The time that a collector has to take a batch.
const TIMEOUT: Duration = Duration::from_secs(10);
/// A collector says what it did not take; more than that is not read.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Sends batches of spans, each on a connection of its own.
#[derive(Clone)]
pub(crate) struct Client {
    tls: TlsConnector,
    /// The exporter calls from a thread of its own, which has no runtime.
    runtime: Handle,
}

impl Client {
    /// A client that works on the runtime of its caller.
    pub(crate) fn new(tls: TlsConnector) -> Self {
        Self { tls, runtime: Handle::current() }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let tls = self.tls.clone();
        let sending = self.runtime.spawn(async move { timeout(TIMEOUT, send(request, &tls)).await });
        Ok(sending.await???)
    }
}

async fn send(mut request: Request<Bytes>, tls: &TlsConnector) -> Result<Response<Bytes>> {
    let target = Target::of(request.uri()).context("the collector has no usable address")?;
    let addresses: Vec<_> = target.look_up().await?.collect();
    let stream = connect(&target, &addresses, tls).await.context("the collector cannot be reached")?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    request.headers_mut().insert(header::HOST, HeaderValue::from_str(&target.authority)?);
    *request.uri_mut() = origin_form(request.uri());
    let response = sender.send_request(request.map(Full::new)).await?;
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await.map_err(anyhow::Error::from_boxed)?;
    connection.abort();
    Ok(Response::from_parts(head, body.to_bytes()))
}
