//! The way to the mail server: a connection, encrypted as the operator wants it.

use std::fmt::{self, Debug};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::Context as _;
use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::refusal::{Refusal, Step, judge};

/// How much a mail server may say before it is encrypted.
const MAX_REPLY_BYTES: u64 = 16 * 1024;
/// What the server has said before STARTTLS was answered is said once more by us, because a client begins with it.
const GREETING: &[u8] = b"220 encrypted\r\n";

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// After `STARTTLS`, which the server has to offer.
    StartTls,
    /// From the beginning.
    Tls,
    /// Not at all.
    None,
}

/// The certificates that servers are known by: those that browsers trust, and those of a file in PEM.
pub fn trusted(file: Option<&Path>) -> anyhow::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = file {
        let unreadable = || format!("cannot read certificates from {}", file.display());
        let certificates: Vec<_> = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect)
            .map_err(anyhow::Error::from)
            .with_context(unreadable)?;
        anyhow::ensure!(!certificates.is_empty(), "{}: there are none", unreadable());
        for certificate in certificates {
            roots.add(certificate).with_context(unreadable)?;
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()));
    let config = builder.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
}

/// Connects to a mail server. Its greeting is the first that is read from the connection.
pub(crate) async fn open(
    host: &str,
    port: u16,
    security: Security,
    tls: &Arc<ClientConfig>,
    hello: &str,
) -> Result<Box<dyn AsyncTokioStream>, Refusal> {
    let stream = TcpStream::connect((host, port)).await.map_err(|error| unreachable(host, port, &error))?;
    let peer = stream.peer_addr().map_err(|error| unreachable(host, port, &error))?;
    let _slower = stream.set_nodelay(true);
    let (stream, unread) = match security {
        Security::None => return Ok(Box::new(stream)),
        Security::Tls => (stream, &b""[..]),
        Security::StartTls => (start_tls(stream, hello).await?, GREETING),
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| Refusal::Account(format!("{host} is no name of a server: {error}")))?;
    let stream = TlsConnector::from(tls.clone()).connect(name, stream).await;
    let stream = stream.map_err(|error| Refusal::Account(format!("{host}:{port} cannot be encrypted: {error}")))?;
    Ok(Box::new(Encrypted { unread, peer, stream }))
}

fn unreachable(host: &str, port: u16, error: &io::Error) -> Refusal {
    Refusal::Unavailable(format!("{host}:{port} cannot be reached: {error}"))
}

/// Says hello and asks to be encrypted. Whatever is there to read when that begins was never encrypted: somebody on the
/// way may have written it, so it is an error and no answer.
async fn start_tls(stream: TcpStream, hello: &str) -> Result<TcpStream, Refusal> {
    let mut stream = BufReader::new(stream);
    reply(&mut stream).await?;
    say(&mut stream, &format!("EHLO {hello}\r\n")).await?;
    let offered = reply(&mut stream).await?;
    if !offered.iter().any(|line| line.eq_ignore_ascii_case("STARTTLS")) {
        return Err(Refusal::Account("the mail server does not offer STARTTLS".to_owned()));
    }
    say(&mut stream, "STARTTLS\r\n").await?;
    reply(&mut stream).await?;
    if !stream.buffer().is_empty() {
        return Err(Refusal::Account("the mail server goes on after STARTTLS without encryption".to_owned()));
    }
    Ok(stream.into_inner())
}

async fn say(stream: &mut BufReader<TcpStream>, text: &str) -> Result<(), Refusal> {
    stream.write_all(text.as_bytes()).await.map_err(|error| broken(&error))
}

/// The lines of an answer without their code; a refusal is an error.
async fn reply(stream: &mut BufReader<TcpStream>) -> Result<Vec<String>, Refusal> {
    let mut lines = Vec::new();
    let mut limited = stream.take(MAX_REPLY_BYTES);
    loop {
        let mut line = String::new();
        limited.read_line(&mut line).await.map_err(|error| broken(&error))?;
        let text = line.trim_end_matches(['\r', '\n']);
        let code = text.get(..3).and_then(|code| code.parse::<u16>().ok()).filter(|_| line.ends_with('\n'));
        let code = code.ok_or_else(|| Refusal::Unavailable(format!("what answers is no mail server: {text}")))?;
        lines.push(text.get(4..).unwrap_or_default().to_owned());
        match (text.get(3..4), code) {
            (Some("-"), _) => {}
            (_, 200..400) => return Ok(lines),
            _ => return Err(judge(Step::Hello, code, &lines.join(" "))),
        }
    }
}

fn broken(error: &io::Error) -> Refusal {
    Refusal::Unavailable(format!("the connection to the mail server broke: {error}"))
}

/// An encrypted connection.
struct Encrypted {
    /// What is read before anything that comes from the server.
    unread: &'static [u8],
    peer: SocketAddr,
    stream: TlsStream<TcpStream>,
}

impl Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypted").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl AsyncTokioStream for Encrypted {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.unread.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, into);
        }
        let (first, rest) = self.unread.split_at(self.unread.len().min(into.remaining()));
        into.put_slice(first);
        self.unread = rest;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
