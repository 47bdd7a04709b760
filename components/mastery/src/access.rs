//! Who reads: a token of a district's credential. Their order stands under "Errors" in
//! `docs/contract/mastery.md`.

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderName};
use shared::auth::{self, secrets};
use shared::error::TokenProblem;
use shared::ids::AccountId;
use shared::params::Params;
use shared::throttle::{self, Limit, Turn};
use shared::{Context, Error, Reply, Result, mastery_error};

use crate::store;

/// What every access token begins with.
pub(crate) const PREFIX: &str = "mct_";

/// Requests of a district, with whichever credential.
const BUDGET: Limit = Limit { most: 300, seconds: 60 };

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Who reads.
pub(crate) struct Reader {
    /// The district: an account.
    pub(crate) district: AccountId,
    /// The only schools that it reads of, as a list in JSON.
    pub(crate) schools: Option<String>,
    /// How many requests the district has left.
    left: i64,
}

impl Reader {
    /// The reply, with what is left of the budget.
    pub(crate) fn tell(&self, reply: Reply) -> Reply {
        reply
            .header(LIMIT, &BUDGET.most.to_string())
            .header(REMAINING, &self.left.to_string())
            .header(RESET, &BUDGET.seconds.to_string())
    }

    /// 403 where a record is not of a school that the credential reads of; one that belongs to no school is of none.
    pub(crate) fn require_school(&self, school: Option<i64>) -> Result<()> {
        let Some(schools) = &self.schools else { return Ok(()) };
        let schools: Vec<i64> = serde_json::from_str(schools).map_err(Error::internal)?;
        let seen = school.is_some_and(|school| schools.contains(&school));
        if seen { Ok(()) } else { Err(refused(StatusCode::FORBIDDEN, "forbidden", "Access denied to the resource")) }
    }
}

/// An error with a code that only this area has.
pub(crate) fn refused(status: StatusCode, code: &str, detail: &str) -> Error {
    Error::own(status, mastery_error(status, code, detail))
}

pub(crate) fn unauthorized(code: &str, detail: &str) -> Error {
    refused(StatusCode::UNAUTHORIZED, code, detail)
}

/// Who reads, if it may read what has that scope.
pub(crate) async fn reader(cx: &Context, scope: &str) -> Result<Reader> {
    let token = presented(cx).ok_or_else(|| Error::token(TokenProblem::Missing))?;
    if !token.starts_with(PREFIX) {
        return Err(of_another_area(cx, token).await);
    }
    let holder = store::holder(&cx.db, &secrets::hash(token)).await?;
    let holder = holder.filter(|holder| holder.is_good(cx.now)).ok_or_else(|| Error::token(TokenProblem::Invalid))?;
    let credential = holder.credential.0;
    credential.must_be_good(cx.now)?;
    if !holder.feature_on {
        return Err(refused(StatusCode::FORBIDDEN, "feature_disabled", "The API is not enabled for the district"));
    }
    let district = credential.account_id;
    let left = match throttle::take_or_look(&cx.db, &format!("mastery/{district}"), BUDGET, cx.now).await? {
        Turn::Taken { left } => left,
        Turn::Wait { seconds } => return Err(Error::throttled(seconds)),
    };
    if !holder.scopes.0.iter().any(|own| own == scope) {
        return Err(Error::insufficient_scope());
    }
    let schools = credential.school_ids.map(|schools| serde_json::to_string(&schools.0));
    Ok(Reader { district, schools: schools.transpose().map_err(Error::internal)?, left })
}

fn presented(cx: &Context) -> Option<&str> {
    let (kind, token) = cx.header(AUTHORIZATION)?.split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A token of the rest of the service is a good one in the wrong place; anything else is none.
async fn of_another_area(cx: &Context, token: &str) -> Error {
    match auth::of_token(cx, token, None, &Params::new()).await {
        Ok(_) => unauthorized("not_authorized", "The token is not one of this API"),
        Err(_not_ours) => Error::token(TokenProblem::Invalid),
    }
}
