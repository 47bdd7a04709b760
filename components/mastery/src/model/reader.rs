//! Who reads: of which schools, and with which budget of requests.

use http::StatusCode;
use http::header::HeaderName;
use shared::clock::MINUTE;
use shared::throttle::Limit;
use shared::{Error, Result};

use crate::model::error_format::{Code, error_body};

/// Requests of a district, with whichever credential.
pub(crate) const BUDGET: Limit = Limit { most: 300, seconds: MINUTE };

/// The beginning of the name by which they are counted; the id of the district follows.
pub(crate) const BUDGET_KEY: &str = "mastery/";

pub(crate) const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");

pub(crate) const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");

pub(crate) const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The reader.
pub(crate) struct Reader {
    /// The only schools that it reads of.
    pub(crate) schools: Option<Vec<i64>>,
}

impl Reader {
    /// 403 where a record is not of a school that the credential reads of; one that belongs to no school is of none.
    pub(crate) fn require_school(&self, school: Option<i64>) -> Result<()> {
        let Some(schools) = &self.schools else { return Ok(()) };
        if school.is_some_and(|school| schools.contains(&school)) {
            Ok(())
        } else {
            Err(refusal(StatusCode::FORBIDDEN, Code::Forbidden, "Access denied to the resource"))
        }
    }
}

/// An error with a code that only this area has.
pub(crate) fn refusal(status: StatusCode, code: Code, detail: &str) -> Error {
    Error::own(status, error_body(status, code, detail))
}

pub(crate) fn unauthorized(code: Code, detail: &str) -> Error {
    refusal(StatusCode::UNAUTHORIZED, code, detail)
}
