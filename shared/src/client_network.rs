//! Where a request comes from, as far as limits of how often are concerned.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Longer than any address.
const MAX_ADDRESS_CHARS: usize = 64;

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
}
