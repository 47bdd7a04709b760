//! The authentication of a request: what an endpoint asks of whoever calls, and who finds out whether it is given.

use http::header::AUTHORIZATION;

use crate::caller::Caller;
use crate::context::Context;
use crate::error::Result;
use crate::lookup::MatchedPath;
use crate::params::Params;
use crate::reads::{ReadResults, Reads};
use crate::session::PageSession;

/// The demands of an endpoint on a token, and its reads.
pub struct Demand<'a> {
    /// The scope that the token must have, if it must have one.
    pub scope: Option<String>,
    /// Scopes of the area that are as good.
    pub area_scopes: &'a [&'static str],
    /// The reads, and the path that names the records.
    pub reads: Option<(Reads, MatchedPath<'a>)>,
}

/// The holder of a token, and what the endpoint needs and reads.
pub struct Holder {
    /// The caller.
    pub caller: Caller,
    /// The results of the reads.
    pub results: ReadResults,
}

/// Judges tokens: what the service needs to know of those who call, and has no table for.
pub trait Authentication {
    /// The holder of the token with what the endpoint needs, or 401.
    fn holder(cx: &Context, token: &str, demand: &Demand<'_>) -> impl Future<Output = Result<Holder>>;

    /// The one who is signed in on our pages with that session, with what the endpoint needs; `None` where it has ended.
    fn signed_in(
        cx: &Context,
        session: &PageSession,
        demand: &Demand<'_>,
    ) -> impl Future<Output = Result<Option<Holder>>>;

    /// The holder of the token, or whom the parameters say that the holder acts as: for that one all is read again. So it is
    /// where what was read is stale.
    fn masked(
        cx: &Context,
        holder: Holder,
        params: &Params,
        demand: &Demand<'_>,
        is_stale: bool,
    ) -> impl Future<Output = Result<Holder>>;
}

/// The parameter in which a token may come.
pub(crate) const TOKEN_PARAMETER: &str = "access_token";

/// The token of an `Authorization` header that has one.
pub fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The token of the header, or else of the query or body.
pub fn presented(cx: &Context, params: &Params) -> Option<String> {
    if let Some(header) = cx.parts().headers.get(AUTHORIZATION) {
        // A header that is no bearer token is a token we do not know, not the lack of one.
        let token = header.to_str().ok().and_then(bearer);
        return Some(token.unwrap_or_default().to_owned());
    }
    let token = params.get(TOKEN_PARAMETER)?.as_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}
