//! The reader: a token of a district's credential, and what it is answered or refused. The order of refusals stands under "Errors" in
//! `docs/contract/mastery.md`.

use http::StatusCode;
use http::header::{AUTHORIZATION, RETRY_AFTER};
use shared::auth::{self, secrets};
use shared::error::{Kind, TokenProblem};
use shared::params::Params;
use shared::throttle::{self, Turn};
use shared::{
    Context, Credential, Endpoint, Error, ErrorFormat, Handler, LimitKind, Method, Reply, Result, limits_hit,
};

use crate::model::error_format::{Code, MasteryErrors};
use crate::model::reader::{BUDGET, BUDGET_KEY, LIMIT, REMAINING, RESET, Reader, refusal, unauthorized};
use crate::store::readings::{Found, Reading};
use crate::store::{self, Holder};

const JSON: &str = "application/json; charset=utf-8";

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

/// The answer to a reader that may read what has that scope: JSON, which `make` makes of what was read for it. `asked` is what
/// the request asks for, or why that cannot be. What is refused is told with what is left of the budget, too: it was counted.
pub(crate) async fn answer<A>(
    cx: &Context,
    scope: &str,
    asked: Result<(A, Reading)>,
    make: impl AsyncFnOnce(A, Reader, Found) -> Result<String>,
) -> Result<Reply> {
    let holder = holder(cx, scope, asked.as_ref().ok().map(|(_, reading)| reading)).await?;
    let key = format!("{BUDGET_KEY}{}", holder.credential.0.account_id);
    match throttle::take_or_look(&cx.db, &key, BUDGET, cx.now).await? {
        Turn::Taken { left } => tell(left, made(holder, scope, asked, make).await),
        Turn::Wait { seconds } => tell(0, Err(Error::throttled(LimitKind::MasteryRequests, seconds))),
    }
}

/// The holder of the token, if the district's API is open to it, and what was read for it.
async fn holder(cx: &Context, scope: &str, reading: Option<&Reading>) -> Result<Holder> {
    let token = presented(cx).ok_or_else(|| Error::token(TokenProblem::Missing))?;
    if !token.starts_with(PREFIX) {
        return Err(of_another_area(cx, token).await);
    }
    let holder = store::holder(&cx.db, &secrets::hash(token), scope, reading, cx.now).await?;
    let holder = holder.filter(|holder| holder.is_good(cx.now)).ok_or_else(|| Error::token(TokenProblem::Invalid))?;
    holder.credential.0.require_valid(cx.now)?;
    if !holder.feature_on {
        return Err(refusal(StatusCode::FORBIDDEN, Code::FeatureDisabled, "The API is not enabled for the district"));
    }
    Ok(holder)
}

async fn made<A>(
    holder: Holder,
    scope: &str,
    asked: Result<(A, Reading)>,
    make: impl AsyncFnOnce(A, Reader, Found) -> Result<String>,
) -> Result<String> {
    if !holder.scopes.0.iter().any(|own| own == scope) {
        return Err(Error::insufficient_scope());
    }
    if !holder.may_read {
        // The budget was used up when the holder was found.
        return Err(Error::throttled(LimitKind::MasteryRequests, 1));
    }
    let (asked, _) = asked?;
    let schools = holder.credential.0.school_ids.as_ref().map(|schools| schools.0.clone());
    make(asked, Reader { schools }, holder.into_found()).await
}

/// The answer, with what is left of the budget. A failure of ours stays an error, whose cause the log is told.
fn tell(left: i64, answer: Result<String>) -> Result<Reply> {
    let reply = match answer {
        Ok(json) => Reply::bytes(JSON, json),
        Err(error) => refused(error)?,
    };
    let reply = reply.header(LIMIT, &BUDGET.most.to_string()).header(REMAINING, &left.to_string());
    Ok(reply.header(RESET, &BUDGET.seconds.to_string()))
}

fn refused(error: Error) -> Result<Reply> {
    let (status, body) = match error.kind() {
        Kind::Own { status, body } => (*status, body.clone()),
        kind => MasteryErrors.render(kind),
    };
    if status.is_server_error() {
        return Err(error);
    }
    error.limit().into_iter().for_each(limits_hit::note);
    let reply = Reply::bytes(JSON, body.to_string()).with_status(status);
    Ok(match error.kind() {
        Kind::Throttled(seconds) => reply.header(RETRY_AFTER, &seconds.to_string()),
        _ => reply,
    })
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
