//! Requests that components send: only to the hosts of their manifest, and never into a blocked network.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::chaining::{self, Neighbours};
use crate::networks::{AllowedHosts, BlockedNetworks};
use crate::traces::{Span, Trace};

/// Spin's own limit for each of the three waits, when the component sets none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// The outbound HTTP of one component.
#[derive(Clone)]
pub(crate) struct Outbound {
    pub(crate) component: Arc<str>,
    pub(crate) allowed: Arc<AllowedHosts>,
    pub(crate) blocked: Arc<BlockedNetworks>,
    pub(crate) tls: TlsConnector,
    pub(crate) neighbours: Neighbours,
    /// The trace of the request for which a call is made.
    pub(crate) trace: Trace,
}

/// Trusts the roots that browsers trust.
pub(crate) fn tls_connector() -> TlsConnector {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.into() };
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

type Sent = (Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

impl WasiHttpHooks for Outbound {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _response_read: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Sent, Error>> + Send> {
        let outbound = self.clone();
        Box::new(async move { outbound.send(request, options.unwrap_or_default()).await })
    }
}

impl Outbound {
    async fn send(&self, mut request: Request<WasiBody>, options: RequestOptions) -> Result<Sent, Error> {
        let target = Target::of(request.uri())?;
        let span = self.trace.outbound(request.method(), &target.host, target.port);
        span.hand_on(request.headers_mut());
        let sent = self.exchange(&target, request, options, &span).await;
        match &sent {
            Ok((response, _)) => span.received(response.status()),
            Err(_) => span.settle(&sent),
        }
        sent
    }

    async fn exchange(
        &self,
        target: &Target,
        mut request: Request<WasiBody>,
        options: RequestOptions,
        span: &Span,
    ) -> Result<Sent, Error> {
        if !self.allowed.allows(target.scheme(), &target.host, target.port) {
            tracing::warn!(
                "component {} may not connect to {}://{}:{}: allowed_outbound_hosts in its manifest does not cover it",
                self.component,
                target.scheme(),
                target.host,
                target.port
            );
            return Err(Error::HttpRequestDenied);
        }
        if let Some(id) = chaining::component(&target.host) {
            let (limit, trace) = (options.first_byte_timeout.unwrap_or(DEFAULT_TIMEOUT), span.trace());
            let answering = timeout(limit, self.neighbours.call(id, request, &trace));
            let response = answering.await.map_err(|_elapsed| Error::ConnectionReadTimeout)??;
            return Ok((response, Box::new(std::future::ready(Ok(())))));
        }
        if !request.headers().contains_key(header::HOST) {
            let host = HeaderValue::from_str(&target.authority).map_err(|_error| Error::HttpRequestUriInvalid)?;
            request.headers_mut().insert(header::HOST, host);
        }
        *request.uri_mut() = origin_form(request.uri());

        let connecting = self.connect(target);
        let limit = options.connect_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let stream = timeout(limit, connecting).await.map_err(|_elapsed| Error::ConnectionTimeout)??;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = Driver(tokio::spawn(connection));

        let limit = options.first_byte_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let sending = timeout(limit, sender.send_request(request));
        let response = sending.await.map_err(|_elapsed| Error::ConnectionReadTimeout)??;
        let limit = options.between_bytes_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let response = response.map(|body| TimedBody::new(body, limit).boxed_unsync());
        Ok((response, Box::new(connection.finish())))
    }

    /// Connects to an address that was checked. The name is not looked up again, so it cannot change its mind.
    async fn connect(&self, target: &Target) -> Result<Box<dyn Stream>, Error> {
        let found: Vec<_> = target.look_up().await?.collect();
        let allowed: Vec<_> = found.iter().filter(|address| !self.blocked.blocks(address.ip())).copied().collect();
        if allowed.is_empty() && !found.is_empty() {
            tracing::warn!("component {} may not connect to {}: its network is blocked", self.component, target.host);
            return Err(Error::DestinationIpProhibited);
        }
        connect(target, &allowed, &self.tls).await
    }
}

/// Connects to the first of these addresses of the target that answers.
pub(crate) async fn connect(
    target: &Target,
    addresses: &[SocketAddr],
    tls: &TlsConnector,
) -> Result<Box<dyn Stream>, Error> {
    let stream = TcpStream::connect(addresses).await.map_err(Error::Connect)?;
    let _slower = stream.set_nodelay(true);
    if !target.secure {
        return Ok(Box::new(stream));
    }
    let name = ServerName::try_from(target.name().to_owned()).map_err(|_error| Error::HttpRequestUriInvalid)?;
    Ok(Box::new(tls.connect(name, stream).await.map_err(Error::Tls)?))
}

/// Where a request goes.
pub(crate) struct Target {
    secure: bool,
    pub(crate) authority: String,
    host: String,
    port: u16,
}

impl Target {
    pub(crate) fn of(uri: &Uri) -> Result<Self, Error> {
        let authority = uri.authority().ok_or(Error::HttpRequestUriInvalid)?;
        let secure = uri.scheme() != Some(&Scheme::HTTP);
        let port = authority.port_u16().unwrap_or(if secure { 443 } else { 80 });
        // Without the user name and password that may stand before it.
        let host = authority.host().to_owned();
        let authority = authority.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
        Ok(Self { secure, authority, host, port })
    }

    /// The host without the brackets of an address.
    fn name(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    /// The addresses of the host.
    pub(crate) async fn look_up(&self) -> Result<impl Iterator<Item = SocketAddr>, Error> {
        let found = tokio::net::lookup_host((self.name(), self.port)).await;
        found.map_err(|error| Error::DnsError { rcode: Some(error.to_string()), info_code: None })
    }

    fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }
}

/// Path and query only, as a server expects them in the first line of a request.
pub(crate) fn origin_form(uri: &Uri) -> Uri {
    uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| Uri::from(path.clone()))
}

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Moves the bytes of one connection, until it is dropped with the response.
struct Driver(JoinHandle<hyper::Result<()>>);

impl Driver {
    async fn finish(mut self) -> Result<(), Error> {
        match (&mut self.0).await {
            Ok(result) => Ok(result?),
            Err(error) => Err(Error::InternalError(Some(error.to_string()))),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A response body that gives up when the next bytes take too long.
struct TimedBody {
    body: Incoming,
    limit: Duration,
    deadline: Pin<Box<Sleep>>,
}

impl TimedBody {
    fn new(body: Incoming, limit: Duration) -> Self {
        Self { body, limit, deadline: Box::pin(tokio::time::sleep(limit)) }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                let next = Instant::now() + self.limit;
                self.deadline.as_mut().reset(next);
                Poll::Ready(frame.map(|frame| frame.map_err(Error::from)))
            }
            Poll::Pending => self.deadline.as_mut().poll(cx).map(|()| Some(Err(Error::ConnectionReadTimeout))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_what_the_address_says_without_its_user() {
        let target = Target::of(&Uri::from_static("http://me:secret@example.com:8080/path?q=1")).unwrap();
        assert_eq!((target.host.as_str(), target.port, target.scheme()), ("example.com", 8080, "http"));
        assert_eq!(target.authority, "example.com:8080");
        assert_eq!(Target::of(&Uri::from_static("https://[::1]/")).unwrap().port, 443);
        assert!(Target::of(&Uri::from_static("/path")).is_err());
    }

    #[test]
    fn a_server_gets_path_and_query() {
        assert_eq!(origin_form(&Uri::from_static("https://example.com/a/b?c=d")), "/a/b?c=d");
        assert_eq!(origin_form(&Uri::from_static("https://example.com")), "/");
    }
}
