//! A connection to a server of the web, with TLS where its address says so.

use anyhow::{Context, Result, bail};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::Url;

/// Connects, and keeps the connection going for as long as somebody holds its sender.
pub(super) async fn open(url: &Url) -> Result<SendRequest<Full<Bytes>>> {
    let host = url.host_str().context("the address has no host")?.trim_matches(['[', ']']).to_owned();
    let is_secure = match url.scheme() {
        "http" => false,
        "https" | "libsql" => true,
        other => bail!("{other} is not spoken here: http, https and libsql are"),
    };
    let port = url.port().unwrap_or(if is_secure { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await.with_context(|| format!("nothing is at {host}"))?;
    stream.set_nodelay(true)?;
    if !is_secure {
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        return Ok(sender);
    }
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.into() };
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let stream = TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(host)?, stream).await?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}
