//! Finds the endpoint that answers a request.

use std::collections::BTreeSet;

use http::Method;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{Api, Endpoint};
use crate::error::{Error, Result};
use crate::error_format::ErrorFormat;
use crate::params::Params;

impl Api {
    /// The endpoint that answers, with the parameters of its path; 404 where the path is unknown, 405 where the method is.
    ///
    /// All are looked at: most differ from the path in the number of their parts, which is compared first.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(&Endpoint, Params)> {
        let path = normal(path);
        let own = self.internal.iter().find(|endpoint| endpoint.path == path && endpoint.method == *method);
        if let Some(endpoint) = own {
            return Ok((endpoint, Params::new()));
        }
        let depth = depth(&path);
        let fitting: Vec<_> =
            self.endpoints.iter().filter(|endpoint| endpoint.depth == depth && fits(endpoint.path, &path)).collect();
        if fitting.is_empty() {
            return Err(Error::not_found());
        }
        let is_head = method == Method::HEAD;
        let endpoint = narrowest(&fitting, if is_head { &Method::GET } else { method });
        match endpoint.filter(|endpoint| !is_head || !endpoint.changes_state) {
            Some(endpoint) => Ok((endpoint, params(endpoint.path, &path)?)),
            None => Err(Error::method_not_allowed(allow(&fitting))),
        }
    }

    /// The format of what is refused at a path that no endpoint answers: that of the endpoints with the longest beginning of it.
    pub(crate) fn error_format_near(&self, path: &str) -> &'static dyn ErrorFormat {
        let path = normal(path);
        let nearest = self.endpoints.iter().max_by_key(|endpoint| parts_in_common(endpoint.path, &path));
        nearest.and_then(|endpoint| endpoint.error_format).unwrap_or(self.error_format)
    }
}

/// Of the endpoints that fit a path, the one that answers the method. Where a path has a word in the place of another's
/// parameter, as `self` in that of an id, the word goes first.
fn narrowest<'a>(fitting: &[&'a Endpoint], method: &Method) -> Option<&'a Endpoint> {
    let parameters = |endpoint: &Endpoint| endpoint.path.split('/').map(is_parameter);
    let with_method = fitting.iter().filter(|endpoint| endpoint.method == *method);
    with_method.min_by(|one, other| parameters(one).cmp(parameters(other))).copied()
}

/// The number of parts of a path.
pub(super) fn depth(path: &str) -> usize {
    path.split('/').count()
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with(':')
}

/// True if a path, as long as the pattern, has its words and something in the place of each parameter.
fn fits(pattern: &str, path: &str) -> bool {
    pattern.split('/').zip(path.split('/')).all(part_fits)
}

/// The number of parts with which a path begins as the pattern does.
fn parts_in_common(pattern: &str, path: &str) -> usize {
    pattern.split('/').zip(path.split('/')).take_while(|parts| part_fits(*parts)).count()
}

fn part_fits((place, text): (&str, &str)) -> bool {
    if is_parameter(place) { !text.is_empty() } else { place == text }
}

/// The values in `path` where the endpoint's path has parameters.
fn params(endpoint: &'static str, path: &str) -> Result<Params> {
    let places = endpoint.split('/').zip(path.split('/'));
    places
        .filter_map(|(place, text)| Some((place.strip_prefix(':')?.to_owned(), text)))
        .map(|(name, text)| Ok((name, decoded(text)?)))
        .collect()
}

/// Slashes at the end are not part of a path, nor is the format that clients of the LMS may name.
fn normal(path: &str) -> String {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".json").filter(|_| path.starts_with("api/v1/")).unwrap_or(path);
    format!("/{path}")
}

fn decoded(text: &str) -> Result<Value> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_not_text| Error::not_found())?;
    if text.is_empty() || text.contains('\0') { Err(Error::not_found()) } else { Ok(Value::String(text.into_owned())) }
}

/// The methods of a path.
fn allow(fitting: &[&Endpoint]) -> String {
    let methods: BTreeSet<_> = fitting.iter().map(|endpoint| endpoint.method.as_str()).collect();
    let may_head = narrowest(fitting, &Method::GET).is_some_and(|endpoint| !endpoint.changes_state);
    let others = may_head.then_some("HEAD").into_iter().chain(["OPTIONS"]);
    methods.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::error_format::{LmsErrors, OAuthErrors};
    use crate::reply::NoContent;

    async fn nothing(_: Context) -> Result<NoContent> {
        Ok(NoContent::no_content())
    }

    fn api() -> Api {
        let endpoint = |method, path| Endpoint::new(method, path, "nothing", nothing);
        Api::new("test", &LmsErrors).resource(vec![
            endpoint(Method::GET, "/users/:user_id/channels"),
            endpoint(Method::GET, "/users/:user_id/channels/:id"),
            endpoint(Method::PUT, "/users/self/channels/:id"),
            endpoint(Method::DELETE, "/users/self/channels/push"),
            endpoint(Method::DELETE, "/users/:user_id/channels/:type/:address"),
            endpoint(Method::POST, "/users/:user_id/channels/:id/confirm"),
            endpoint(Method::GET, "/users/:user_id/close").changes_state(),
            endpoint(Method::POST, "/users/:user_id/token").error_format(&OAuthErrors),
        ])
    }

    fn found(method: Method, path: &str) -> Result<(&'static str, Value)> {
        let api = api();
        api.find(&method, path).map(|(endpoint, params)| (endpoint.path, Value::Object(params)))
    }

    #[test]
    fn a_word_in_the_place_of_a_parameter_hides_nothing() {
        let ids = |user: &str| serde_json::json!({"user_id": user, "id": "7"});
        for (user, path) in [("8", "/users/8/channels/7"), ("self", "/users/self/channels/7")] {
            assert_eq!(found(Method::GET, path).unwrap(), ("/users/:user_id/channels/:id", ids(user)));
        }
        let (path, params) = found(Method::PUT, "/users/self/channels/7").unwrap();
        assert_eq!((path, params), ("/users/self/channels/:id", serde_json::json!({"id": "7"})));
        assert_eq!(found(Method::GET, "/users/self/channels").unwrap().0, "/users/:user_id/channels");
        assert_eq!(found(Method::DELETE, "/users/self/channels/push").unwrap().0, "/users/self/channels/push");
        let (path, params) = found(Method::DELETE, "/users/8/channels/sms/confirm").unwrap();
        let expected = serde_json::json!({"user_id": "8", "type": "sms", "address": "confirm"});
        assert_eq!((path, params), ("/users/:user_id/channels/:type/:address", expected));
    }

    #[test]
    fn what_a_path_says_is_decoded() {
        let (_, params) = found(Method::DELETE, "/users/8/channels/email/a%2Bb%40c.test").unwrap();
        assert_eq!(params["address"], "a+b@c.test");
    }

    #[test]
    fn head_does_not_call_what_changes_something() {
        assert!(found(Method::GET, "/users/8/close").is_ok() && found(Method::HEAD, "/users/8/channels").is_ok());
        let refused = found(Method::HEAD, "/users/8/close").unwrap_err();
        assert!(matches!(refused.kind(), crate::error::Kind::MethodNotAllowed(allow) if allow == "GET, OPTIONS"));
    }

    #[test]
    fn a_method_that_a_path_lacks_is_told_with_those_it_has() {
        let refused = found(Method::PUT, "/users/8/channels/7").unwrap_err();
        assert!(matches!(refused.kind(), crate::error::Kind::MethodNotAllowed(allow) if allow == "GET, HEAD, OPTIONS"));
        assert!(matches!(found(Method::GET, "/nowhere").unwrap_err().kind(), crate::error::Kind::NotFound));
    }

    #[test]
    fn the_format_at_the_end_is_not_part_of_a_path_of_the_lms() {
        for (path, expected) in [
            ("/api/v1/courses/7.json", "/api/v1/courses/7"),
            ("/api/v1/courses.json/", "/api/v1/courses"),
            ("/api/v2/schools.json", "/api/v2/schools.json"),
            ("/openapi.json", "/openapi.json"),
        ] {
            assert_eq!(normal(path), expected);
        }
    }

    #[test]
    fn what_is_refused_beside_an_endpoint_has_its_format() {
        let api = api();
        let is_of_oauth = |path: &str| {
            let (_, body) = api.error_format_near(path).render(&crate::error::Kind::NotFound);
            body.get("error_description").is_some()
        };
        assert!(is_of_oauth("/users/8/token") && is_of_oauth("/users/8/token/x/y"));
        assert!(!is_of_oauth("/users/8/channels/7/x") && !is_of_oauth("/users/8/close"));
    }
}
