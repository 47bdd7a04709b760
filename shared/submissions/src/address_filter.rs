//! The filter of addresses of a classic quiz: single ones and networks, separated by commas.
//!
//! Source: the reference system's quiz settings: `192.168.217.1`, `192.168.217.1/24`, `192.168.217.1/255.255.255.0`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// True if each element of the filter is an address or a network.
pub fn is_valid(filter: &str) -> bool {
    elements(filter).all(|element| Network::read(element).is_some())
}

/// True if the filter lets the address in. One that is not known is let in by no filter.
pub fn admits(filter: &str, address: Option<&str>) -> bool {
    let Some(address) = address.and_then(read_address) else { return false };
    elements(filter).filter_map(Network::read).any(|network| network.holds(address))
}

fn elements(filter: &str) -> impl Iterator<Item = &str> {
    filter.split(',').map(str::trim)
}

/// The first and the last address of each element; `None` where one of them is neither an address nor a network.
pub fn ranges(filter: &str) -> Option<Vec<(IpAddr, IpAddr)>> {
    elements(filter).map(|element| Network::read(element).map(|network| network.range())).collect()
}

/// The element of a filter that has the addresses from the first to the last; `None` where they are no network.
pub fn element(first: IpAddr, last: IpAddr) -> Option<String> {
    let (low, high) = match (first, last) {
        (IpAddr::V4(first), IpAddr::V4(last)) => (u128::from(first.to_bits()), u128::from(last.to_bits())),
        (IpAddr::V6(first), IpAddr::V6(last)) => (first.to_bits(), last.to_bits()),
        _ => return None,
    };
    let differing = low ^ high;
    let hosts = u128::BITS.saturating_sub(differing.leading_zeros());
    let is_network = differing.count_ones() == hosts && low & differing == 0;
    is_network.then(|| match hosts {
        0 => first.to_string(),
        hosts => format!("{first}/{}", bits_of(first).saturating_sub(hosts)),
    })
}

/// An address of a client, which a proxy may have written with its port.
pub fn read_address(text: &str) -> Option<IpAddr> {
    let address = text.parse::<IpAddr>().or_else(|_no_address| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// The addresses that begin with the same bits.
struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// An address alone, with a number of bits, or with a mask.
    fn read(text: &str) -> Option<Self> {
        let (address, mask) = match text.split_once('/') {
            Some((address, mask)) => (address.parse::<IpAddr>().ok()?, Some(mask)),
            None => (text.parse::<IpAddr>().ok()?.to_canonical(), None),
        };
        let bits = match mask {
            None => bits_of(address),
            Some(mask) => mask.parse::<u32>().ok().or_else(|| mask_bits(mask, address))?,
        };
        (bits <= bits_of(address)).then_some(Self { address, bits })
    }

    fn range(&self) -> (IpAddr, IpAddr) {
        match self.address {
            IpAddr::V4(own) => {
                let hosts = u32::MAX.checked_shr(self.bits).unwrap_or_default();
                let ends = (own.to_bits() & !hosts, own.to_bits() | hosts);
                (Ipv4Addr::from_bits(ends.0).into(), Ipv4Addr::from_bits(ends.1).into())
            }
            IpAddr::V6(own) => {
                let hosts = u128::MAX.checked_shr(self.bits).unwrap_or_default();
                let ends = (own.to_bits() & !hosts, own.to_bits() | hosts);
                (Ipv6Addr::from_bits(ends.0).into(), Ipv6Addr::from_bits(ends.1).into())
            }
        }
    }

    fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (own.to_bits() ^ other.to_bits()).leading_zeros() >= self.bits,
            (IpAddr::V6(own), IpAddr::V6(other)) => (own.to_bits() ^ other.to_bits()).leading_zeros() >= self.bits,
            _ => false,
        }
    }
}

fn bits_of(address: IpAddr) -> u32 {
    if address.is_ipv4() { u32::BITS } else { u128::BITS }
}

/// The number of ones of a mask, which has them all at its beginning.
fn mask_bits(mask: &str, address: IpAddr) -> Option<u32> {
    let (ones, leading) = match (mask.parse().ok()?, address) {
        (IpAddr::V4(mask), IpAddr::V4(_)) => (mask.to_bits().count_ones(), mask.to_bits().leading_ones()),
        (IpAddr::V6(mask), IpAddr::V6(_)) => (mask.to_bits().count_ones(), mask.to_bits().leading_ones()),
        _ => return None,
    };
    (ones == leading).then_some(ones)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_addresses_networks_and_masks() {
        for (filter, address, is_in) in [
            ("192.168.217.1", "192.168.217.1", true),
            ("192.168.217.1", "192.168.217.2", false),
            ("192.168.217.1", "::ffff:192.168.217.1", true),
            ("192.168.217.1", "192.168.217.1:4711", true),
            ("192.168.217.1/24", "192.168.217.200", true),
            ("192.168.217.1/24", "192.168.218.1", false),
            ("192.168.217.1/255.255.255.0", "192.168.217.200", true),
            ("192.168.217.1/255.255.255.0", "192.168.216.200", false),
            ("10.0.0.1, 10.0.0.9", "10.0.0.9", true),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:1::7", true),
            ("2001:db8::/32", "2001:db9::7", false),
            ("not one, 10.0.0.1", "10.0.0.1", true),
            ("not one", "10.0.0.1", false),
            ("10.0.0.1", "unknown", false),
        ] {
            assert_eq!(admits(filter, Some(address)), is_in, "{address} by {filter}");
        }
        assert!(!admits("0.0.0.0/0", None), "who is not known is not let in");
    }

    #[test]
    fn a_network_is_a_range_of_addresses() {
        for (filter, first, last, same) in [
            ("192.168.217.9", "192.168.217.9", "192.168.217.9", true),
            ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", true),
            ("10.1.2.3/255.255.255.0", "10.1.2.0", "10.1.2.255", false),
            ("0.0.0.0/0", "0.0.0.0", "255.255.255.255", true),
            ("2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true),
            ("::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
        ] {
            let (first, last) = (first.parse().unwrap(), last.parse().unwrap());
            assert_eq!(ranges(filter), Some(vec![(first, last)]), "{filter}");
            assert_eq!(element(first, last).as_deref() == Some(filter), same, "{filter}");
        }
        for (first, last) in [("10.0.0.1", "10.0.0.2"), ("10.0.0.9", "10.0.0.1"), ("10.0.0.1", "::1")] {
            assert_eq!(element(first.parse().unwrap(), last.parse().unwrap()), None, "{first} {last}");
        }
        assert_eq!(ranges("10.0.0.1, a"), None);
    }

    #[test]
    fn what_is_no_address_is_no_filter() {
        for filter in ["10.0.0.1", "10.0.0.1/8,2001:db8::/64", "10.0.0.1/255.128.0.0", "::1/ffff::"] {
            assert!(is_valid(filter), "{filter}");
        }
        for filter in
            ["", "10.0.0", "10.0.0.1/33", "10.0.0.1/255.0.255.0", "10.0.0.1,", "::1/129", "10.0.0.1/ffff::", "a-b"]
        {
            assert!(!is_valid(filter), "{filter}");
        }
    }
}
