//! The network that a request comes from, as far as limits of how often are concerned.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::{HeaderMap, HeaderName};

use crate::config;
use crate::error::Result;

/// The header of proxies: the address of whoever called them, behind those that were there.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The variable that says how many proxies stand in front of the service.
const TRUSTED_PROXIES: &str = "trusted_proxies";

/// Longer than any address.
const MAX_ADDRESS_CHARS: usize = 64;

/// The address of the client as the outermost of the operator's proxies saw it. A component sees no other, and without a
/// proxy the client itself has written the header: then nothing is known.
pub(crate) async fn client_address(headers: &HeaderMap) -> Result<Option<String>> {
    if !headers.contains_key(FORWARDED_FOR) {
        return Ok(None);
    }
    Ok(forwarded(headers, config::number(TRUSTED_PROXIES).await?))
}

/// The address that stands so many places from the end. Of a request that passed fewer proxies it is the first.
fn forwarded(headers: &HeaderMap, proxies: usize) -> Option<String> {
    let lines = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok());
    let addresses = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|address| !address.is_empty());
    let addresses: Vec<_> = addresses.collect();
    match proxies {
        0 => None,
        _ => addresses.get(addresses.len().saturating_sub(proxies)).map(|address| (*address).to_owned()),
    }
}

/// The network that counts as one client: an IPv4 address, or the /64 that a provider gives one customer.
pub(crate) fn of_address(address: &str) -> String {
    let parsed = address.parse::<IpAddr>().or_else(|_| address.parse::<SocketAddr>().map(|socket| socket.ip()));
    match parsed.map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => address.to_string(),
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
        Err(_no_address) => address.chars().take(MAX_ADDRESS_CHARS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn an_address_is_counted_as_what_one_customer_has() {
        for (address, counted) in [
            ("203.0.113.7", "203.0.113.7"),
            ("203.0.113.7:4711", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("[2001:db8:1:2::9]:80", "2001:db8:1:2::"),
            ("unknown", "unknown"),
            ("", ""),
        ] {
            assert_eq!(of_address(address), counted, "{address}");
        }
        assert_eq!(of_address(&"x".repeat(1000)).len(), 64);
    }

    #[test]
    fn only_what_the_operators_own_proxies_wrote_is_believed() {
        let of = |lines: &[&'static str], proxies: usize| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            forwarded(&headers, proxies)
        };
        let lines = ["192.0.2.1, 192.0.2.2", "198.51.100.3,203.0.113.4"];
        assert_eq!(of(&lines, 0), None, "without a proxy the client wrote all of it");
        assert_eq!(of(&lines, 1).as_deref(), Some("203.0.113.4"));
        assert_eq!(of(&lines, 2).as_deref(), Some("198.51.100.3"));
        assert_eq!(of(&lines, 9).as_deref(), Some("192.0.2.1"));
        assert_eq!(of(&[" , "], 1), None);
    }
}
