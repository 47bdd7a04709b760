//! Addresses that authors write.

use http::Uri;

/// True if the address leads somewhere in the web, from wherever it is read.
pub fn is_web_address(address: &str) -> bool {
    let has_host = |uri: &Uri| uri.host().is_some_and(|host| !host.is_empty());
    let uri = address.parse::<Uri>().ok().filter(has_host);
    uri.is_some_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")))
}
