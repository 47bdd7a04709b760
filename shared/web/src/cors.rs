//! Which pages of other origins may call the service from a browser: those that the variable names, and no others.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CONTENT_TYPE,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::body::ResponseBody;
use crate::config;
use crate::error::Result;
use crate::reply::UntypedReply;

/// The headers that allow a request's origin to read the answer, if it may.
pub(crate) async fn headers(origin: Option<HeaderValue>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let Some(origin) = origin else {
        return Ok(headers);
    };
    let allowed = config::get("cors_allowed_origins").await?.unwrap_or_default();
    if allowed.split(',').any(|allowed| allowed.trim().as_bytes() == origin.as_bytes()) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Link, X-Request-Context-Id"));
    }
    Ok(headers)
}

/// Adds these headers to the answer. The question of a browser before it sends the request itself has no token in it and names no
/// endpoint: it is answered by what the path allows.
pub(crate) fn allow(answer: &mut UntypedReply, method: &Method, mut headers: HeaderMap) {
    if *method == Method::OPTIONS
        && let Some(allowed) = answer.headers.get(ALLOW)
    {
        preflight(&mut headers, allowed);
        answer.status = StatusCode::NO_CONTENT;
        answer.body = ResponseBody::default();
        answer.headers.remove(CONTENT_TYPE);
    }
    answer.headers.extend(headers);
}

fn preflight(headers: &mut HeaderMap, allow: &HeaderValue) {
    if headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, allow.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("Authorization, Content-Type, Accept"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}
