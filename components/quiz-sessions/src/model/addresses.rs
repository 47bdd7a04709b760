//! The addresses from which a quiz may be taken.

use std::net::IpAddr;

use shared::Result;
use submissions::address_filter::read_address;
use submissions::quiz_settings::QuizSettings;
use submissions::rules::denied;

/// The member of the filters that has the ranges.
const RANGES: &str = "ips";

/// 403 where a quiz is not taken from that address. Where the service does not know the address, nobody takes a quiz that
/// asks for it. A filter without ranges keeps nobody out.
pub(crate) fn require_address(settings: &QuizSettings, address: Option<&str>) -> Result<()> {
    let ranges = settings.filters.get(RANGES).map(Vec::as_slice).unwrap_or_default();
    if !settings.filter_ip_address || ranges.is_empty() {
        return Ok(());
    }
    let address = address.and_then(read_address).ok_or_else(|| denied("the address of the client is not known"))?;
    match ranges.iter().any(|range| contains(range, address)) {
        true => Ok(()),
        false => Err(denied("the quiz is not taken from this address")),
    }
}

/// True if the address is one of the range: of its first and last address, or of the only one.
fn contains(range: &[String], address: IpAddr) -> bool {
    let mut ends = range.iter().map(|end| read_address(end.trim()));
    let first = ends.next().flatten();
    let last = ends.next().unwrap_or(first);
    let same_kind = |end: &IpAddr| end.is_ipv4() == address.is_ipv4();
    match (first.filter(same_kind), last.filter(same_kind)) {
        (Some(first), Some(last)) => (first..=last).contains(&address),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn allowed(ranges: Value, address: Option<&str>) -> bool {
        let settings = json!({"filter_ip_address": true, "filters": {"ips": ranges}});
        require_address(&serde_json::from_value(settings).unwrap(), address).is_ok()
    }

    #[test]
    fn an_address_is_in_a_range_or_not() {
        let ranges = || json!([["10.0.0.5", "10.0.1.0"], ["192.168.0.7"], ["2001:db8::", "2001:db8::ffff"]]);
        for address in
            ["10.0.0.5", "10.0.0.200", "10.0.1.0", "192.168.0.7", "2001:db8::12", "::ffff:10.0.0.9", "10.0.0.9:4711"]
        {
            assert!(allowed(ranges(), Some(address)), "{address}");
        }
        for address in ["10.0.0.4", "10.0.1.1", "192.168.0.8", "2001:db9::", "garden", ""] {
            assert!(!allowed(ranges(), Some(address)), "{address}");
        }
        assert!(!allowed(ranges(), None));
    }

    #[test]
    fn a_filter_that_filters_nothing_lets_all_in() {
        assert!(allowed(json!([]), None));
        assert!(!allowed(json!([["x", "y"]]), Some("10.0.0.1")), "what cannot be read is no range");
        let off = json!({"filter_ip_address": false, "filters": {"ips": [["10.0.0.1"]]}});
        assert!(require_address(&serde_json::from_value(off).unwrap(), None).is_ok());
    }
}
