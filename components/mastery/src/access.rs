//! The reader: a token of a district's credential. Their order stands under "Errors" in
//! `docs/contract/mastery.md`.

use http::StatusCode;
use http::header::AUTHORIZATION;
use shared::auth::{self, secrets};
use shared::error::{Kind, TokenProblem};
use shared::params::Params;
use shared::throttle;
use shared::{Context, Credential, Endpoint, Error, Handler, LimitKind, Method, Result};

use crate::model::error_format::Code;
use crate::model::reader::{BUDGET, BUDGET_KEY, Reader, refusal, unauthorized};
use crate::store;
use crate::store::readings::{Found, Reading};

/// The beginning of every access token.
pub(crate) const PREFIX: &str = "mct_";

/// The token that the readers of a district show.
pub(crate) const MASTERY_TOKEN: Credential = Credential {
    name: "mastery_token",
    description: "The token of a district's credential, from `POST /api/v2/token`. It must have the scope of what is read.",
};

/// An endpoint for readers.
pub(crate) fn endpoint<A: 'static, H: Handler<A>>(path: &'static str, id: &'static str, handler: H) -> Endpoint {
    let endpoint = Endpoint::new(Method::GET, path, id, handler);
    let endpoint = endpoint.public().takes(MASTERY_TOKEN).throttled("requests with the tokens of one district");
    endpoint.answers(403, "The token lacks the scope, or the district has the API switched off.")
}

/// The reader, if it may read what has that scope, and what was read for it. `None`: the request asks for what cannot be, which
/// its handler tells afterwards.
pub(crate) async fn read(cx: &Context, scope: &str, reading: Option<&Reading>) -> Result<(Reader, Found)> {
    let token = presented(cx).ok_or_else(|| Error::token(TokenProblem::Missing))?;
    if !token.starts_with(PREFIX) {
        return Err(of_another_area(cx, token).await);
    }
    let holder = store::holder(&cx.db, &secrets::hash(token), scope, reading, cx.now).await?;
    let holder = holder.filter(|holder| holder.is_good(cx.now)).ok_or_else(|| Error::token(TokenProblem::Invalid))?;
    let credential = &holder.credential.0;
    credential.require_valid(cx.now)?;
    if !holder.feature_on {
        return Err(refusal(StatusCode::FORBIDDEN, Code::FeatureDisabled, "The API is not enabled for the district"));
    }
    let key = format!("{BUDGET_KEY}{}", credential.account_id);
    let left = throttle::take_or_look(&cx.db, &key, BUDGET, cx.now).await?.require(LimitKind::MasteryRequests)?;
    if !holder.scopes.0.iter().any(|own| own == scope) {
        return Err(Error::insufficient_scope());
    }
    if !holder.may_read {
        // The budget was used up when the holder was found.
        return Err(Error::throttled(LimitKind::MasteryRequests, 1));
    }
    let schools = credential.school_ids.as_ref().map(|schools| schools.0.clone());
    Ok((Reader { schools, left }, holder.into_found()))
}

fn presented(cx: &Context) -> Option<&str> {
    cx.header(AUTHORIZATION).and_then(auth::bearer)
}

/// A token of the rest of the service is a good one in the wrong place; anything else is none.
async fn of_another_area(cx: &Context, token: &str) -> Error {
    match auth::of_token(cx, token, None, &Params::new()).await {
        Ok(_) => unauthorized(Code::NotAuthorized, "The token is not one of this API"),
        Err(error) if matches!(error.kind(), Kind::Token(_) | Kind::InsufficientScope | Kind::InvalidMasquerade) => {
            Error::token(TokenProblem::Invalid)
        }
        Err(error) => error,
    }
}
