//! Requests to others: always with limits of time and of size, and without redirects.
//!
//! An address that a user named is checked by the rules of [`address`] first. Which hosts a component may reach at all
//! stands in the manifest, and which networks nobody may reach is the operator's decision.

pub mod address;
pub mod queue;

use std::fmt;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures::future::{Either, select};
use http::header::{CONTENT_LENGTH, HOST};
use http_body_util::{BodyExt, Full};
use spin_sdk::time;
use spin_sdk::wasip3::http::types::{ErrorCode, RequestOptions};
use spin_sdk::wasip3::http_compat::IncomingResponseBody;
use spin_sdk::wasip3::http_compat::RequestOptionsExtension;

/// The time that a request may take, and the amount that may come back.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time until there is a connection.
    pub connect: Duration,
    /// The time from then until the answer begins.
    pub first_byte: Duration,
    /// The time from one piece of the answer to the next.
    pub between_bytes: Duration,
    /// The time for all of it together.
    pub total: Duration,
    /// The most bytes of an answer.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(20),
            between_bytes: Duration::from_secs(10),
            total: Duration::from_secs(30),
            body_bytes: 1024 * 1024,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The manifest does not let the component go there.
    Denied,
    /// The operator lets nobody go there: the address lies in a blocked network.
    Blocked,
    /// Nobody answers there, and why.
    Unreachable(String),
    /// It took too long: what did.
    TimedOut(String),
    /// The answer is larger than we take.
    TooLarge,
    /// It was no HTTP, or it broke off, and how.
    Broken(String),
}

impl Failure {
    /// The text that users may be told. Whether a port is closed, speaks something else or is not allowed is the same
    /// to them: by the difference they could look around in the operator's networks.
    pub fn public_text(&self) -> &'static str {
        match self {
            Self::TooLarge => "the answer is too large",
            Self::Denied | Self::Blocked | Self::Unreachable(_) | Self::TimedOut(_) | Self::Broken(_) => {
                "there is no usable answer"
            }
        }
    }

    /// The reason in plain words, for those who run the installation: "connection refused".
    pub fn reason(&self) -> &str {
        match self {
            Self::Denied => "no outbound host of the manifest allows the address",
            Self::Blocked => "block_networks of the runtime configuration blocks the network of the address",
            Self::Unreachable(reason) | Self::TimedOut(reason) | Self::Broken(reason) => reason,
            Self::TooLarge => "the answer is too large",
        }
    }

    /// The event, for the log.
    pub fn detail(&self) -> String {
        let reason = self.reason();
        match self {
            Self::Denied | Self::Blocked | Self::TooLarge => reason.to_owned(),
            Self::Unreachable(_) => format!("nobody answers: {reason}"),
            Self::TimedOut(_) => format!("it took too long: {reason}"),
            Self::Broken(_) => format!("the answer broke off: {reason}"),
        }
    }
}

/// The text that users may be told: see [`Failure::public_text`].
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.public_text())
    }
}

impl std::error::Error for Failure {}

/// The body of an answer, piece by piece.
pub struct Incoming {
    body: IncomingResponseBody,
    left: usize,
    deadline: Instant,
}

impl Incoming {
    /// The next piece; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let Some(frame) = before(self.deadline, self.body.frame()).await? else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| failure(&error))?;
            // Trailers say nothing that we read.
            if let Ok(bytes) = frame.into_data() {
                self.left = self.left.checked_sub(bytes.len()).ok_or(Failure::TooLarge)?;
                return Ok(Some(bytes));
            }
        }
    }

    /// The rest of it.
    pub async fn collect(mut self) -> Result<Bytes, Failure> {
        let mut bytes = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    }
}

/// Sends the request, and waits for the whole answer, whatever its status.
pub async fn send(request: http::Request<Bytes>, limits: &Limits) -> Result<http::Response<Bytes>, Failure> {
    let (head, body) = open(request, limits).await?.into_parts();
    Ok(http::Response::from_parts(head, body.collect().await?))
}

/// Sends the request, and waits for the head of the answer.
pub async fn open(mut request: http::Request<Bytes>, limits: &Limits) -> Result<http::Response<Incoming>, Failure> {
    let deadline = Instant::now().checked_add(limits.total).ok_or_else(overdue)?;
    let length = request.body().len();
    request.headers_mut().remove(HOST);
    request.headers_mut().insert(CONTENT_LENGTH, length.into());
    request.extensions_mut().insert(options(limits)?);
    let sent = before(deadline, spin_sdk::http::send(request.map(Full::new))).await?;
    let (head, body) = sent.map_err(|error| failure(&error))?.into_parts();
    let announced = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limits.body_bytes) {
        return Err(Failure::TooLarge);
    }
    Ok(http::Response::from_parts(head, Incoming { body, left: limits.body_bytes, deadline }))
}

fn options(limits: &Limits) -> Result<RequestOptionsExtension, Failure> {
    let options = RequestOptions::new();
    let nanoseconds = |duration: Duration| u64::try_from(duration.as_nanos()).ok();
    let set = [
        options.set_connect_timeout(nanoseconds(limits.connect)),
        options.set_first_byte_timeout(nanoseconds(limits.first_byte)),
        options.set_between_bytes_timeout(nanoseconds(limits.between_bytes)),
    ];
    match set.into_iter().all(|set| set.is_ok()) {
        true => Ok(RequestOptionsExtension(options)),
        false => Err(Failure::Broken("the runtime takes no time limits".to_owned())),
    }
}

/// The result of the work, unless the time is over before.
async fn before<T>(deadline: Instant, work: impl Future<Output = T>) -> Result<T, Failure> {
    let left = deadline.checked_duration_since(Instant::now()).ok_or_else(overdue)?;
    match select(Box::pin(work), Box::pin(time::sleep(left))).await {
        Either::Left((answer, _)) => Ok(answer),
        Either::Right(_) => Err(overdue()),
    }
}

fn overdue() -> Failure {
    Failure::TimedOut("not all of it came in time".to_owned())
}

fn failure(error: &ErrorCode) -> Failure {
    match error {
        ErrorCode::HttpRequestDenied => Failure::Denied,
        ErrorCode::DestinationIpProhibited | ErrorCode::DestinationIpUnroutable => Failure::Blocked,
        ErrorCode::DnsTimeout
        | ErrorCode::ConnectionTimeout
        | ErrorCode::ConnectionReadTimeout
        | ErrorCode::ConnectionWriteTimeout
        | ErrorCode::HttpResponseTimeout => Failure::TimedOut(plain(error)),
        ErrorCode::DnsError(_)
        | ErrorCode::DestinationNotFound
        | ErrorCode::DestinationUnavailable
        | ErrorCode::ConnectionRefused
        | ErrorCode::TlsProtocolError
        | ErrorCode::TlsCertificateError
        | ErrorCode::TlsAlertReceived(_) => Failure::Unreachable(plain(error)),
        _ => Failure::Broken(plain(error)),
    }
}

/// What the runtime says, in words.
fn plain(error: &ErrorCode) -> String {
    let words = match error {
        ErrorCode::DnsTimeout => "the name was not found in time",
        ErrorCode::DnsError(_) => "the name was not found",
        ErrorCode::DestinationNotFound => "there is no such host",
        ErrorCode::DestinationUnavailable => "the host cannot be reached",
        ErrorCode::ConnectionRefused => "connection refused",
        ErrorCode::ConnectionTerminated => "the connection was closed",
        ErrorCode::ConnectionTimeout => "no connection in time",
        ErrorCode::ConnectionReadTimeout => "nothing came in time",
        ErrorCode::ConnectionWriteTimeout => "nothing was taken in time",
        ErrorCode::ConnectionLimitReached => "there are too many connections",
        ErrorCode::TlsProtocolError => "TLS failed: perhaps it is not spoken there",
        ErrorCode::TlsCertificateError => "the certificate is not trusted",
        ErrorCode::TlsAlertReceived(_) => "TLS was refused",
        ErrorCode::HttpResponseTimeout => "no answer in time",
        ErrorCode::HttpResponseIncomplete => "the answer is not complete",
        ErrorCode::HttpProtocolError => "the answer is no HTTP",
        other => return other.to_string(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_cannot_tell_why_nobody_has_answered() {
        let failures = [
            Failure::Denied,
            Failure::Blocked,
            Failure::Unreachable("connection refused".to_owned()),
            Failure::Unreachable("a TLS error".to_owned()),
            Failure::TimedOut("no answer in time".to_owned()),
            Failure::Broken("no HTTP".to_owned()),
        ];
        for failure in failures {
            assert_eq!(failure.to_string(), "there is no usable answer");
            assert_ne!(failure.detail(), failure.to_string());
        }
    }

    #[test]
    fn who_runs_the_installation_is_told_in_plain_words() {
        for (error, detail) in [
            (ErrorCode::ConnectionRefused, "nobody answers: connection refused"),
            (ErrorCode::TlsCertificateError, "nobody answers: the certificate is not trusted"),
            (ErrorCode::ConnectionTimeout, "it took too long: no connection in time"),
            (ErrorCode::HttpProtocolError, "the answer broke off: the answer is no HTTP"),
        ] {
            let failure = failure(&error);
            assert_eq!(failure.detail(), detail);
            assert!(detail.ends_with(failure.reason()) && !failure.reason().contains("ErrorCode"), "{detail}");
        }
    }

    #[test]
    fn the_log_tells_what_an_operator_has_to_change() {
        assert!(failure(&ErrorCode::DestinationIpProhibited).detail().contains("block_networks"));
        assert!(failure(&ErrorCode::HttpRequestDenied).detail().contains("manifest"));
    }
}
