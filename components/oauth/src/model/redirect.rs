//! Addresses that users are sent back to with an answer.

use std::net::IpAddr;

use form_urlencoded::Serializer;
use http::Uri;
use http::uri::Authority;
use shared::{Error, Result};

/// The address of clients that have none: the code is shown on a page.
pub(crate) const OUT_OF_BAND: &str = "urn:ietf:wg:oauth:2.0:oob";

const MAX_ADDRESSES: usize = 100;
const MAX_ADDRESS_BYTES: usize = 2048;

/// 400 unless users may be sent to all of them.
pub(crate) fn require_addresses(uris: &[String]) -> Result<()> {
    if uris.len() > MAX_ADDRESSES {
        let message = format!("are too many (maximum is {MAX_ADDRESSES})");
        return Err(Error::invalid("redirect_uris", "too_long", message));
    }
    if uris.iter().any(|uri| uri.len() > MAX_ADDRESS_BYTES) {
        let message = format!("are too long (maximum is {MAX_ADDRESS_BYTES} characters each)");
        return Err(Error::invalid("redirect_uris", "too_long", message));
    }
    match uris.iter().find(|uri| *uri != OUT_OF_BAND && source(uri).is_none()) {
        Some(uri) => Err(Error::invalid(
            "redirect_uris",
            "invalid",
            format!("{uri} is not an absolute address of https, of the user's own machine, or of an application"),
        )),
        None => Ok(()),
    }
}

/// The address as a source of a content security policy, where it is one to send users to: of the web, or of an
/// application that has a scheme of its own, which must be a domain turned round (RFC 8252, 7.1). An answer that is
/// sent without encryption must not leave the user's machine.
pub(crate) fn source(uri: &str) -> Option<String> {
    let (scheme, authority) = parts(uri)?;
    match scheme.as_str() {
        "https" => Some(format!("https://{authority}")),
        "http" => is_loopback(&authority).then(|| format!("http://{authority}")),
        _ => scheme.contains('.').then(|| format!("{scheme}:")),
    }
}

/// True if a program of the user's own machine answers there. Such a client keeps no secret, and other programs may
/// take the code in its place (RFC 8252, 8.1): it must prove that it is the one that asked.
pub(crate) fn is_of_public_client(uri: &str) -> bool {
    uri != OUT_OF_BAND && parts(uri).is_some_and(|(scheme, authority)| scheme != "https" || is_loopback(&authority))
}

/// The scheme and the host, with its port.
fn parts(uri: &str) -> Option<(String, String)> {
    if uri.contains('#') {
        return None;
    }
    let parsed: Uri = uri.parse().ok()?;
    let (scheme, authority) = (parsed.scheme_str()?, parsed.authority()?.as_str());
    let is_plain = authority.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte));
    is_plain.then(|| (scheme.to_owned(), authority.to_owned()))
}

fn is_loopback(authority: &str) -> bool {
    let Some(host) = authority.parse::<Authority>().ok().map(|authority| authority.host().to_owned()) else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// The address with parameters more.
pub(crate) fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    let separator = if uri.contains('?') { '&' } else { '?' };
    let query = Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{uri}{separator}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_sent_to_the_web_and_to_applications() {
        let cases = [
            ("https://tool.example/back?x=1", Some("https://tool.example")),
            ("http://127.0.0.1:8080/", Some("http://127.0.0.1:8080")),
            ("http://localhost/", Some("http://localhost")),
            ("http://[::1]:9/", Some("http://[::1]:9")),
            ("http://tool.example/", None),
            ("http://localhost.example/", None),
            ("http://127.0.0.1.example/", None),
            ("https://[::1]/", Some("https://[::1]")),
            ("org.example.app://callback", Some("org.example.app:")),
            ("javascript://x/%0Aalert(1)", None),
            ("https://tool.example/#fragment", None),
            ("https://user@tool.example/", None),
            ("https://a;script-src/", None),
            ("https:///back", None),
            ("/back", None),
            ("data:text/html,x", None),
        ];
        for (uri, expected) in cases {
            assert_eq!(source(uri).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn a_program_on_the_users_machine_keeps_no_secret() {
        for uri in ["org.example.app://callback", "http://127.0.0.1:8080/", "https://localhost/"] {
            assert!(is_of_public_client(uri), "{uri}");
        }
        for uri in ["https://tool.example/back", OUT_OF_BAND] {
            assert!(!is_of_public_client(uri), "{uri}");
        }
    }

    #[test]
    fn addresses_are_few_and_short() {
        let address = |length: usize| format!("https://a.example/{}", "x".repeat(length));
        assert!(require_addresses(&vec![address(0); MAX_ADDRESSES]).is_ok());
        assert!(require_addresses(&vec![address(0); MAX_ADDRESSES + 1]).is_err());
        assert!(require_addresses(&[address(MAX_ADDRESS_BYTES)]).is_err());
    }

    #[test]
    fn parameters_are_escaped_and_added_to_those_that_are_there() {
        assert_eq!(
            with_parameters("https://a.example/", &[("state", "a&b=c d")]),
            "https://a.example/?state=a%26b%3Dc+d"
        );
        assert_eq!(with_parameters("https://a.example/?x=1", &[("code", "y")]), "https://a.example/?x=1&code=y");
    }
}
