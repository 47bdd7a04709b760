//! The one error type, and the one door out of which errors leave.
//!
//! An error has a [`Kind`], which says what the client can do about it, and may carry a cause, which is written to the
//! log and never sent. Which body it gets is decided by the area's [`ErrorFormat`](crate::ErrorFormat).

use std::fmt;

use http::StatusCode;
use serde_json::Value;
use texts::Text;
use types::clock::Timestamp;

use crate::limits_hit::LimitKind;

/// A result whose error a client can be told of.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request was not answered as it asked.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    cause: Option<anyhow::Error>,
    limit: Option<LimitKind>,
    explanation: Option<Box<Explanation>>,
}

/// The words in which a page tells people of an error. Programs are told its [`Kind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The heading.
    pub title: Text,
    /// The reason.
    pub words: Text,
    /// The way on, where there is one.
    pub way_on: Option<WayOn>,
}

/// A sentence with a link in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayOn {
    /// The sentence, in which `{link}` is the place of the link.
    pub sentence: Text,
    /// The words of the link.
    pub link: Text,
    /// The address to which it leads.
    pub address: String,
}

/// The kind of a failure, as far as the client is concerned.
#[derive(Debug)]
pub enum Kind {
    /// 401: nobody is known to call.
    Token(TokenProblem),
    /// 401 in the LMS, 403 in the mastery area: the token lacks the endpoint's scope.
    InsufficientScope,
    /// 401: the caller may not act as the user named by `as_user_id`.
    InvalidMasquerade,
    /// 403: the caller is known and lacks the right.
    Forbidden,
    /// 404: there is no such record, or none that the caller may know of.
    NotFound,
    /// 405: the path exists, the method does not; the methods it has.
    MethodNotAllowed(String),
    /// 400: the request cannot be understood.
    BadRequest(String),
    /// 400: the page cannot be resumed.
    BadPage,
    /// 400 or 422 as the area has it: values that the rules refuse.
    Invalid(Vec<Violation>),
    /// 409: the record is not in a state for this.
    Conflict(String),
    /// 413: more bytes than the endpoint takes.
    TooLarge {
        /// The most it takes.
        limit: usize,
    },
    /// 415: a body of a type the endpoint does not take.
    UnsupportedMediaType(String),
    /// 429: it was done too often; after so many seconds it may be done again.
    Throttled(i64),
    /// 503: others are writing; the same request may succeed in a moment.
    Busy,
    /// 507: there is no room for what the request brings.
    InsufficientStorage,
    /// 503: it cannot be done until the operator has seen to it: a whole sentence.
    Unavailable(String),
    /// 401 for `invalid_client`, otherwise 400: the OAuth2 endpoint refuses.
    OAuth {
        /// The error's name.
        error: &'static str,
        /// The reason, for the client's developer.
        description: String,
    },
    /// A documented answer that only one endpoint gives.
    Own {
        /// The status.
        status: StatusCode,
        /// The whole body.
        body: Value,
    },
    /// 500: our fault.
    Internal,
}

/// Why a token does not tell who calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenProblem {
    /// There is none.
    Missing,
    /// It is not one of ours, or its user is gone.
    Invalid,
    /// Its time is over.
    Expired(Timestamp),
    /// Somebody took it back.
    Revoked,
}

/// A value that the rules refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The parameter, or `None` where the record as a whole is meant.
    pub field: Option<String>,
    /// The rule, in one word: `blank`, `inclusion`, `too_long`.
    pub code: &'static str,
    /// The rule, as a sentence without its subject: "must be greater than 0".
    pub message: String,
}

impl Violation {
    /// The value of `field` breaks the rule `code`; `message` says how, without the subject.
    pub fn new(field: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field.to_owned()), code, message: message.into() }
    }

    /// The record as a whole breaks the rule `code`: a whole sentence.
    pub fn of_record(code: &'static str, message: impl Into<String>) -> Self {
        Self { field: None, code, message: message.into() }
    }
}

/// The violations of a form, gathered so that all of them are told at once.
#[derive(Debug, Default)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Adds one.
    pub fn add(&mut self, violation: Violation) {
        self.0.push(violation);
    }

    /// The value that was checked, or nothing where it breaks a rule, which is added.
    pub fn check<T>(&mut self, checked: Result<T, Violation>) -> Option<T> {
        checked.map_err(|violation| self.add(violation)).ok()
    }

    /// The number of violations up to now.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Refuses the form unless there is no violation.
    pub fn require_none(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(self.into()) }
    }

    /// The violations in the order in which they were added.
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }
}

impl From<Violations> for Error {
    fn from(violations: Violations) -> Self {
        Self::violations(violations.0)
    }
}

impl Error {
    fn of(kind: Kind) -> Self {
        Self { kind, cause: None, limit: None, explanation: None }
    }

    /// The token does not tell who calls.
    pub fn token(problem: TokenProblem) -> Self {
        Self::of(Kind::Token(problem))
    }

    /// The token lacks the endpoint's scope.
    pub fn insufficient_scope() -> Self {
        Self::of(Kind::InsufficientScope)
    }

    /// The caller may not act as that user.
    pub fn invalid_masquerade() -> Self {
        Self::of(Kind::InvalidMasquerade)
    }

    /// The caller lacks the right.
    pub fn forbidden() -> Self {
        Self::of(Kind::Forbidden)
    }

    /// There is no such record that the caller may know of.
    pub fn not_found() -> Self {
        Self::of(Kind::NotFound)
    }

    /// The path has other methods than this one.
    pub fn method_not_allowed(allow: impl Into<String>) -> Self {
        Self::of(Kind::MethodNotAllowed(allow.into()))
    }

    /// The request cannot be understood: a whole sentence.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::of(Kind::BadRequest(message.into()))
    }

    /// A parameter without which nothing can be done is absent.
    pub fn missing(parameter: &str) -> Self {
        Self::bad_request(format!("{parameter} is missing"))
    }

    /// The page cannot be resumed.
    pub fn bad_page() -> Self {
        Self::of(Kind::BadPage)
    }

    /// The value of `field` breaks the rule `code`; `message` says how, without the subject.
    pub fn invalid(field: &str, code: &'static str, message: impl Into<String>) -> Self {
        Self::violations(vec![Violation::new(field, code, message)])
    }

    /// Several values break rules.
    pub fn violations(violations: Vec<Violation>) -> Self {
        Self::of(Kind::Invalid(violations))
    }

    /// The record is not in a state for this.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::of(Kind::Conflict(message.into()))
    }

    /// It was done more often than the limit allows, and may be done again after `seconds`.
    pub fn throttled(limit: LimitKind, seconds: i64) -> Self {
        Self::of(Kind::Throttled(seconds)).at_limit(limit)
    }

    /// The same error, which tells that this limit was hit: so it is counted.
    #[must_use]
    pub fn at_limit(self, limit: LimitKind) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// The same error, of which pages tell people in these words.
    #[must_use]
    pub fn explained(self, explanation: Explanation) -> Self {
        Self { explanation: Some(Box::new(explanation)), ..self }
    }

    /// The words in which a page tells people of it, where it has words of its own.
    pub fn explanation(&self) -> Option<&Explanation> {
        self.explanation.as_deref()
    }

    /// The limit that was hit, if one was.
    pub fn limit(&self) -> Option<LimitKind> {
        self.limit
    }

    /// The body has more bytes than the endpoint takes, which is `limit`.
    pub fn too_large(limit: usize) -> Self {
        Self::of(Kind::TooLarge { limit })
    }

    /// The body is of a type the endpoint does not take.
    pub fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::of(Kind::UnsupportedMediaType(message.into()))
    }

    /// There is no room for what the request brings.
    pub fn insufficient_storage() -> Self {
        Self::of(Kind::InsufficientStorage)
    }

    /// It cannot be done until the operator has seen to it: a whole sentence.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::of(Kind::Unavailable(message.into()))
    }

    /// The OAuth2 endpoint refuses: an error's name of RFC 6749, and the reason.
    pub fn oauth(error: &'static str, description: impl Into<String>) -> Self {
        Self::of(Kind::OAuth { error, description: description.into() })
    }

    /// A documented answer that only one endpoint gives.
    pub fn own(status: StatusCode, body: Value) -> Self {
        Self::of(Kind::Own { status, body })
    }

    /// Our fault; the cause goes to the log.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self { cause: Some(cause.into()), ..Self::of(Kind::Internal) }
    }

    /// A server behind the service, such as a store, did not do its part: 500. It has nothing to do with what was asked.
    pub fn outage(cause: impl Into<anyhow::Error>) -> Self {
        Self::internal(Outage(cause.into()))
    }

    /// The same, with a cause that only the log is told.
    pub fn because(self, cause: impl Into<anyhow::Error>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    /// The kind of a failure, as far as the client is concerned.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// True if a transaction that ended with this may have been committed: the connection broke, perhaps after it. Bytes that
    /// the transaction was to name must stay then; the tick removes those that nothing names.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self.kind, Kind::Internal)
    }

    /// True if a server behind the service was away, or others held it for long: the work that met this is not at fault, and
    /// may succeed later.
    pub fn is_outage(&self) -> bool {
        let is_of_a_server = |cause: &anyhow::Error| {
            cause.is::<Outage>() || matches!(cause.downcast_ref(), Some(database::Error::Broken(_)))
        };
        matches!(self.kind, Kind::Busy) || self.cause.as_ref().is_some_and(is_of_a_server)
    }

    /// The cause, which only the log is told.
    pub fn log_cause(&self) -> Option<&anyhow::Error> {
        self.cause.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause:#}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<database::Error> for Error {
    fn from(error: database::Error) -> Self {
        let kind = match error {
            // Nothing was done: the same request may be sent again.
            database::Error::Busy | database::Error::Expired | database::Error::Unreachable => Kind::Busy,
            database::Error::Full => Kind::InsufficientStorage,
            database::Error::NewerSchema { .. } => Kind::Unavailable(NEWER_SCHEMA.to_owned()),
            _ => Kind::Internal,
        };
        Self { cause: Some(error.into()), ..Self::of(kind) }
    }
}

/// What is said of a database that a later release has changed.
const NEWER_SCHEMA: &str =
    "The database belongs to a newer release than the one that answers; its operator has to update it.";

/// A cause that lies in a server behind the service.
#[derive(Debug)]
struct Outage(anyhow::Error);

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for Outage {}

/// Turns "there is none" into the answer 404.
pub trait OrNotFound<T> {
    /// The value, or [`Error::not_found`].
    fn or_not_found(self) -> Result<T>;
}

impl<T> OrNotFound<T> for Option<T> {
    fn or_not_found(self) -> Result<T> {
        self.ok_or_else(Error::not_found)
    }
}

/// Gives a broken constraint the answer that the area has for it.
pub trait OnUnique<T> {
    /// Maps a broken unique constraint on `columns` (written as SQLite does: `table.a, table.b`) to another error.
    fn on_unique(self, columns: &str, to: impl FnOnce() -> Error) -> Result<T>;
}

impl<T> OnUnique<T> for database::Result<T> {
    fn on_unique(self, columns: &str, to: impl FnOnce() -> Error) -> Result<T> {
        self.map_err(|error| match error {
            database::Error::Unique(broken) if broken == columns => to(),
            other => other.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_violations_are_told_at_once_and_in_their_order() {
        let mut violations = Violations::default();
        assert_eq!(violations.check(Ok(7)), Some(7));
        assert_eq!(violations.check::<i64>(Err(Violation::new("name", "blank", "can't be blank"))), None);
        violations.add(Violation::of_record("invalid", "Nothing fits."));
        assert_eq!(violations.count(), 2);
        let error = violations.require_none().unwrap_err();
        let Kind::Invalid(told) = error.kind() else { panic!("{error}") };
        let told: Vec<_> = told.iter().map(|violation| (violation.field.as_deref(), violation.code)).collect();
        assert_eq!(told, [(Some("name"), "blank"), (None, "invalid")]);
    }

    #[test]
    fn a_server_that_is_away_is_told_from_a_fault() {
        let away = Error::outage(anyhow::anyhow!("key-value store: broken pipe"));
        assert_eq!(away.to_string(), "Internal: key-value store: broken pipe");
        let broken = || database::Error::Broken("http error".to_owned());
        for outage in [away, broken().into(), Error::internal(broken()), database::Error::Busy.into()] {
            assert!(outage.is_outage(), "{outage}");
        }
        let fault = || database::Error::Other("no such column".to_owned());
        for fault in [fault().into(), Error::internal(fault()), Error::conflict("x"), Error::insufficient_storage()] {
            assert!(!fault.is_outage(), "{fault}");
        }
    }

    #[test]
    fn a_form_without_violations_is_taken() {
        assert!(Violations::default().require_none().is_ok());
    }
}
