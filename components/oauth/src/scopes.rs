//! Scopes: what a token may call. A list that is not there means everything.

use std::collections::HashSet;

use shared::{Error, Result};

const MAX_SCOPES: usize = 1000;
const MAX_SCOPE_BYTES: usize = 255;
/// The most bytes of what is asked for a token. Keys, which administrators make, may name every operation.
const MAX_ASKED_BYTES: usize = 16 * 1024;

/// The scope of clients that only want to know who the user is: alone, it gives no token.
pub(crate) const USER_INFO: &str = "/auth/userinfo";

/// The scopes of a token that was asked for by a client with `allowed`: all of that unless it asks for less.
///
/// The question is text with spaces between the scopes; blank text asks for nothing particular.
pub(crate) fn granted(asked: &str, allowed: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    let refused = || {
        let message =
            "A requested scope is invalid, unknown, malformed, or exceeds the scope granted by the resource owner.";
        Error::oauth("invalid_scope", message)
    };
    // Before the scopes are compared with those of the client, which takes as long as both lists together are.
    if asked.split_whitespace().nth(MAX_SCOPES).is_some() || !are_short(asked.split_whitespace()) {
        return Err(refused());
    }
    let Some(asked) = limited(asked.split_whitespace().map(str::to_owned).collect()) else {
        return Ok(allowed);
    };
    if !asked.iter().all(|scope| is_scope(scope)) || !within(Some(&asked), allowed.as_deref()) {
        return Err(refused());
    }
    Ok(Some(asked))
}

/// The scopes of a form, each of them once: none is no limit.
pub(crate) fn limited(scopes: Vec<String>) -> Option<Vec<String>> {
    let mut seen = HashSet::new();
    let scopes: Vec<_> = scopes.into_iter().filter(|scope| !scope.is_empty() && seen.insert(scope.clone())).collect();
    (!scopes.is_empty()).then_some(scopes)
}

/// True if `scopes` allow nothing that `allowed` does not.
pub(crate) fn within(scopes: Option<&[String]>, allowed: Option<&[String]>) -> bool {
    match (scopes, allowed) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(scopes), Some(allowed)) => scopes.iter().all(|scope| allowed.contains(scope)),
    }
}

/// 400 unless all of them look like scopes.
pub(crate) fn require_scopes(scopes: &[String]) -> Result<()> {
    if scopes.len() > MAX_SCOPES {
        return Err(Error::invalid("scopes", "too_long", format!("are too many (maximum is {MAX_SCOPES})")));
    }
    match scopes.iter().find(|scope| !is_scope(scope)) {
        Some(scope) => Err(Error::invalid("scopes", "invalid", format!("{scope} is not a scope"))),
        None => Ok(()),
    }
}

/// 400 unless they are scopes that may be asked for a token.
pub(crate) fn require_askable(scopes: &[String]) -> Result<()> {
    require_scopes(scopes)?;
    if are_short(scopes.iter().map(String::as_str)) {
        return Ok(());
    }
    let message = format!("are too long together (maximum is {MAX_ASKED_BYTES} bytes)");
    Err(Error::invalid("scopes", "too_long", message))
}

fn are_short<'a>(scopes: impl Iterator<Item = &'a str>) -> bool {
    scopes.map(str::len).sum::<usize>() <= MAX_ASKED_BYTES
}

/// `url:GET|/api/v1/courses`, a word like `r:profile`, or `/auth/userinfo`.
fn is_scope(scope: &str) -> bool {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    if scope == USER_INFO {
        return true;
    }
    // RFC 6749, 3.3.
    let is_text = scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    let has_meaning = match scope.strip_prefix("url:") {
        Some(call) => call
            .split_once('|')
            .is_some_and(|(method, path)| METHODS.contains(&method) && path.starts_with('/') && !path.contains('|')),
        None => scope.split_once(':').is_some_and(|(one, other)| !one.is_empty() && !other.is_empty()),
    };
    is_text && has_meaning && scope.len() <= MAX_SCOPE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(scopes: &[&str]) -> Vec<String> {
        scopes.iter().map(|scope| (*scope).to_owned()).collect()
    }

    #[test]
    fn a_scope_is_a_call_or_a_word_with_a_colon() {
        for scope in ["url:GET|/api/v1/courses/:id", "url:DELETE|/v2/*", "r:profile", "rw:issuer:*", USER_INFO] {
            assert!(is_scope(scope), "{scope}");
        }
        for scope in
            ["", "url:", "url:GET", "url:GET|courses", "url:get|/a", "url:OPTIONS|/a", "r:", ":r", "all", "r:ä"]
        {
            assert!(!is_scope(scope), "{scope}");
        }
    }

    #[test]
    fn a_client_gets_what_it_asks_for_or_all_it_may_have() {
        let allowed = || Some(list(&["r:profile", "url:GET|/a"]));
        assert_eq!(granted(" ", allowed()).unwrap(), allowed());
        assert_eq!(granted("", None).unwrap(), None);
        assert_eq!(granted("url:GET|/a url:GET|/a", allowed()).unwrap(), Some(list(&["url:GET|/a"])));
        assert_eq!(granted("url:GET|/b", None).unwrap(), Some(list(&["url:GET|/b"])));
        assert!(granted("url:GET|/b", allowed()).is_err());
        assert!(granted("everything", None).is_err());
        assert!(granted(&"a:b ".repeat(MAX_SCOPES), None).is_ok());
        assert!(granted(&"a:b ".repeat(MAX_SCOPES + 1), None).is_err());
        assert!(granted(&format!("a:{}", "b".repeat(MAX_SCOPE_BYTES)), None).is_err());
    }

    #[test]
    fn what_is_asked_for_is_short_together_and_what_a_client_has_need_not_be() {
        let scopes = |number: usize| (0..number).map(|scope| format!("a:{scope:0126}")).collect::<Vec<_>>();
        let (most, more) = (scopes(128), scopes(129));
        assert_eq!(most.iter().map(String::len).sum::<usize>(), MAX_ASKED_BYTES);
        assert!(require_askable(&most).is_ok() && granted(&most.join(" "), None).is_ok());
        assert!(require_askable(&more).is_err() && granted(&more.join(" "), None).is_err());
        assert_eq!(granted("", Some(more.clone())).unwrap(), Some(more));
    }

    #[test]
    fn no_limit_is_within_no_limit_only() {
        let (some, more) = (list(&["a:b"]), list(&["a:b", "c:d"]));
        assert!(within(None, None) && within(Some(&some), None) && within(Some(&some), Some(&more)));
        assert!(!within(None, Some(&more)) && !within(Some(&more), Some(&some)));
    }
}
