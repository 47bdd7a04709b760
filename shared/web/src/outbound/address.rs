//! Which addresses users may name as a target of ours.
//!
//! A host is read as browsers read it (the `url` crate), so that `0x7f.1`, `2130706433`, `127.0.0.1.` and `①②⑦.0.0.1` are
//! one address. The addresses of a name are not known here: the operator's `block_networks` is checked when a connection
//! is made.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::Uri;
use url::{Host, Url};

const MAX_ADDRESS_CHARS: usize = 2048;
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

const HTTPS: u16 = 443;
const ALTERNATIVE_HTTPS: u16 = 8443;
const FIRST_UNPRIVILEGED: u16 = 1024;

/// Ports above 1023 on which something else than a receiver of ours listens: the ports that browsers refuse, databases,
/// queues, caches, remote desktops and control planes.
const SERVICE_PORTS: [u16; 51] = [
    1080, 1433, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2377, 2379, 2380, 3128, 3306, 3389, 3659, 4045,
    4190, 4369, 5060, 5061, 5432, 5672, 5900, 5984, 5985, 5986, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 7000, 9042, 9092, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 27017,
];

/// Names that only mean something inside somebody's network.
const INNER_NAMES: [&str; 12] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "localdomain",
    "arpa",
    "svc",
    "consul",
];

/// The address, if it may be a target; otherwise the rule that it breaks, as a sentence without its subject.
///
/// On a developer's machine loopback is a target too, over `http` as well and on any port.
pub fn check(address: &str, development: bool) -> Result<Uri, &'static str> {
    if address.chars().count() > MAX_ADDRESS_CHARS {
        return Err("is too long (maximum is 2048 characters)");
    }
    let authority = authority(address)?;
    let url = Url::parse(address).map_err(|_reason| "is not a valid address")?;
    let host = url.host().ok_or("has no host")?;
    if authority.chars().any(|c| c.is_numeric() && !c.is_ascii()) {
        return Err("must write digits as 0 to 9");
    }
    if !(development && is_loopback(&host)) {
        if url.scheme() != "https" {
            return Err("must begin with https://");
        }
        is_public(&host)?;
        is_for_receivers(url.port_or_known_default())?;
    } else if url.port() == Some(0) {
        return Err("has a port that is not allowed");
    }
    url.as_str().parse().map_err(|_reason| "is not a valid address")
}

/// Host and port as they are written. A text that a lax reader would pass over or repair is refused, so that no two
/// readers can take an address differently.
fn authority(address: &str) -> Result<&str, &'static str> {
    if address.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err("must not contain spaces, backslashes or control characters");
    }
    let (scheme, rest) = address.split_once("://").ok_or("must begin with https://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return Err("must begin with https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority {
        "" => Err("has no host"),
        _ if authority.contains('@') => Err("must not contain a user name or password"),
        _ if authority.contains('%') => Err("must not contain an escaped host"),
        _ => Ok(authority),
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

fn is_public(host: &Host<&str>) -> Result<(), &'static str> {
    const NOT_PUBLIC: &str = "must not name a private or reserved network";
    match host {
        Host::Domain(name) => is_public_name(name),
        Host::Ipv4(address) if is_public_v4(*address) => Ok(()),
        Host::Ipv6(address) if is_public_v6(*address) => Ok(()),
        Host::Ipv4(_) | Host::Ipv6(_) => Err(NOT_PUBLIC),
    }
}

fn is_public_name(name: &str) -> Result<(), &'static str> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        (1..=MAX_LABEL_BYTES).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.len() > MAX_NAME_BYTES || !name.split('.').all(is_label) {
        return Err("is not a valid host name");
    }
    let is_inner = |inner: &str| name.strip_suffix(inner).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if !name.contains('.') || INNER_NAMES.into_iter().any(is_inner) {
        return Err("must name a public host");
    }
    Ok(())
}

/// True if the address is one of the public internet: in none of IANA's special-purpose ranges.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0, ..] | [10, ..] | [127, ..] => true,
        [100, b, ..] => (64..128).contains(&b),
        [169, 254, ..] | [192, 168, ..] => true,
        [172, b, ..] => (16..32).contains(&b),
        [192, 0, 0 | 2, _] | [192, 88, 99, _] => true,
        [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        // A cloud's own services, on an address that looks like any other.
        [168, 63, 129, 16] => true,
        [a, ..] => a >= 224,
    };
    !special
}

/// True if the address is a global unicast one that leads nowhere else: none that is mapped to, translated to or tunneled
/// to an address of version 4, and none of a reserved range.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let special = match address.segments() {
        // Protocol assignments and Teredo, documentation, 6to4.
        [0x2001, b, ..] => b < 0x0200 || b == 0x0db8,
        [0x2002, ..] => true,
        [0x3fff, b, ..] => b < 0x1000,
        [a, ..] => !(0x2000..0x4000).contains(&a),
    };
    !special
}

fn is_for_receivers(port: Option<u16>) -> Result<(), &'static str> {
    match port {
        Some(HTTPS | ALTERNATIVE_HTTPS) => Ok(()),
        Some(port) if port >= FIRST_UNPRIVILEGED && !SERVICE_PORTS.contains(&port) => Ok(()),
        _ => Err("has a port that is not allowed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT_PUBLIC: &str = "must not name a private or reserved network";
    const INNER: &str = "must name a public host";
    const NO_HTTPS: &str = "must begin with https://";
    const PORT: &str = "has a port that is not allowed";

    fn refusal(address: &str) -> &'static str {
        check(address, false).expect_err(address)
    }

    #[test]
    fn public_addresses_are_targets_as_they_will_be_called() {
        let cases = [
            ("https://tool.example.com/hook?a=1&b=%20", "https://tool.example.com/hook?a=1&b=%20"),
            ("HTTPS://Tool.Example.COM", "https://tool.example.com/"),
            ("https://tool.test:8443/hook", "https://tool.test:8443/hook"),
            ("https://tool.test:443/hook", "https://tool.test/hook"),
            ("https://tool.test:1024/", "https://tool.test:1024/"),
            ("https://tool.example.com./hook", "https://tool.example.com./hook"),
            ("https://my_tool.example.com/", "https://my_tool.example.com/"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://93.184.216.34/", "https://93.184.216.34/"),
            ("https://0x5db8d822/", "https://93.184.216.34/"),
            ("https://[2606:2800:220:1:248:1893:25c8:1946]/", "https://[2606:2800:220:1:248:1893:25c8:1946]/"),
            ("https://172.15.0.1/", "https://172.15.0.1/"),
            ("https://localhost.example.com/", "https://localhost.example.com/"),
            ("https://thelocal.news/", "https://thelocal.news/"),
        ];
        for (given, called) in cases {
            assert_eq!(check(given, false).map(|uri| uri.to_string()), Ok(called.to_owned()), "{given}");
        }
    }

    #[test]
    fn addresses_inside_networks_are_refused_in_every_notation() {
        let hosts = [
            "127.0.0.1",
            "127.0.0.1.",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0x7f.0x0.0x0.0x1",
            "017700000001",
            "0177.0.0.1",
            "0177.0.0.01",
            "127.255.255.255",
            "0",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "0xa.0.0.1",
            "012.0.0.1",
            "10.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.1",
            "169.254.169.254",
            "0xa9fea9fe",
            "2852039166",
            "0251.0376.0251.0376",
            "169.254.170.2",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "168.63.129.16",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::127.0.0.1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:169.254.169.254]",
            "[::ffff:10.0.0.1]",
            "[::ffff:8.8.8.8]",
            "[::ffff:0:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2002:a9fe:a9fe::1]",
            "[2001::1]",
            "[2001:0:7f00:1::]",
            "[2001:10::1]",
            "[2001:db8::1]",
            "[3fff::1]",
            "[3fff:fff::1]",
            "[5f00::1]",
            "[100::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[febf::1]",
            "[fec0::1]",
            "[ff02::1]",
            "[4000::1]",
        ];
        for host in hosts {
            assert_eq!(refusal(&format!("https://{host}/hook")), NOT_PUBLIC, "{host}");
        }
    }

    #[test]
    fn names_inside_networks_are_refused() {
        let hosts = [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "x.localhost",
            "localhost.localdomain",
            "metadata.google.internal",
            "metadata.google.internal.",
            "background.spin.internal",
            "printer.local",
            "wiki.corp",
            "nas.home.arpa",
            "1.0.0.127.in-addr.arpa",
            "kubernetes.default.svc",
            "router.lan",
            "intranet",
            "db",
            "x.home",
            "metadata",
        ];
        for host in hosts {
            assert_eq!(refusal(&format!("https://{host}/")), INNER, "{host}");
        }
    }

    #[test]
    fn lookalikes_are_refused() {
        for host in ["①②⑦.0.0.1", "１２７.0.0.1", "127.0.0.１", "١٢٧.0.0.1", "tool①.example.com", "x²y.example.com"]
        {
            let why = refusal(&format!("https://{host}/"));
            assert!(["must write digits as 0 to 9", "is not a valid address"].contains(&why), "{host}: {why}");
        }
        // Dots and letters that become plain ones lead where the plain ones lead.
        assert_eq!(refusal("https://127。0。0。1/"), NOT_PUBLIC);
        assert_eq!(refusal("https://ｌｏｃａｌｈｏｓｔ/"), INNER);
        assert_eq!(refusal("https://loc\u{ad}alhost/"), INNER);
    }

    #[test]
    fn only_https_is_spoken() {
        for address in [
            "http://tool.test/",
            "ftp://tool.test/",
            "tool.test/hook",
            "//tool.test/",
            "javascript:alert(1)",
            "",
            "https",
        ] {
            assert_eq!(refusal(address), NO_HTTPS, "{address}");
        }
        for address in ["https:tool.test/", "https:/tool.test/", "file:///etc/passwd", "data:text/plain,x://y"] {
            assert_eq!(refusal(address), NO_HTTPS, "{address}");
        }
    }

    #[test]
    fn what_readers_take_differently_is_refused() {
        let cases = [
            ("https:///tool.test/", "has no host"),
            ("https://", "has no host"),
            ("https://?x", "has no host"),
            ("https://user@tool.test/", "must not contain a user name or password"),
            ("https://user:password@tool.test/", "must not contain a user name or password"),
            ("https://@tool.test/", "must not contain a user name or password"),
            ("https://tool.test@127.0.0.1/", "must not contain a user name or password"),
            ("https://127%2e0.0.1/", "must not contain an escaped host"),
            ("https://[fe80::1%25eth0]/", "must not contain an escaped host"),
            ("https://tool.test\\@127.0.0.1/", "must not contain spaces, backslashes or control characters"),
            (" https://tool.test/", "must not contain spaces, backslashes or control characters"),
            ("https://tool.test/\r\nX: y", "must not contain spaces, backslashes or control characters"),
            ("https://tool\t.test/", "must not contain spaces, backslashes or control characters"),
            ("https://tool.test/\u{0}", "must not contain spaces, backslashes or control characters"),
            ("https://tool.test/\u{85}", "must not contain spaces, backslashes or control characters"),
            ("https://tool.test/\u{a0}", "must not contain spaces, backslashes or control characters"),
            ("https://[::1/", "is not a valid address"),
            ("https://tool.test:99999/", "is not a valid address"),
            ("https://tool.test:x/", "is not a valid address"),
            ("https://256.0.0.1/", "is not a valid address"),
            ("https://1.2.3.4.5/", "is not a valid address"),
            ("https://xn--zzzzzz9/", "is not a valid address"),
            ("https://tool<.test/", "is not a valid address"),
            ("https://-tool.test/", "is not a valid host name"),
            ("https://tool..test/", "is not a valid host name"),
            ("https://.tool.test/", "is not a valid host name"),
            ("https://tool!.test/", "is not a valid host name"),
        ];
        for (address, why) in cases {
            assert_eq!(refusal(address), why, "{address:?}");
        }
        let label = "a".repeat(64);
        assert_eq!(refusal(&format!("https://{label}.test/")), "is not a valid host name");
        let name = ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(63)].join(".");
        assert_eq!(refusal(&format!("https://{name}.test/")), "is not a valid host name");
    }

    #[test]
    fn ports_of_other_services_are_refused() {
        for port in [
            "0", "1", "22", "25", "80", "444", "1023", "1433", "2375", "3306", "5432", "6379", "9200", "11211", "27017",
        ] {
            assert_eq!(refusal(&format!("https://tool.test:{port}/")), PORT, "{port}");
        }
        for port in ["443", "8443", "1024", "3000", "8080", "65535"] {
            assert!(check(&format!("https://tool.test:{port}/"), false).is_ok(), "{port}");
        }
    }

    #[test]
    fn an_address_has_its_greatest_length() {
        let of = |length: usize| format!("https://tool.test/{}", "a".repeat(length - "https://tool.test/".len()));
        assert!(check(&of(2048), false).is_ok());
        assert_eq!(refusal(&of(2049)), "is too long (maximum is 2048 characters)");
    }

    #[test]
    fn a_developer_may_name_loopback_and_nothing_else_inside() {
        for address in [
            "http://127.0.0.1:9000/hook",
            "http://localhost:80/",
            "http://[::1]:9000/",
            "https://127.0.0.1:5432/",
            "http://127.1/",
        ] {
            assert!(check(address, true).is_ok(), "{address}");
        }
        for address in ["https://10.0.0.1/", "https://169.254.169.254/", "https://[::ffff:127.0.0.1]/"] {
            assert_eq!(check(address, true), Err(NOT_PUBLIC), "{address}");
        }
        for address in ["http://tool.test/", "http://10.0.0.1/", "http://x.localhost/"] {
            assert_eq!(check(address, true), Err(NO_HTTPS), "{address}");
        }
        assert_eq!(check("http://127.0.0.1:0/", true), Err(PORT));
        assert_eq!(check("http://user@127.0.0.1/", true), Err("must not contain a user name or password"));
    }

    #[test]
    fn the_list_of_ports_is_in_order() {
        assert!(SERVICE_PORTS.is_sorted() && SERVICE_PORTS.iter().all(|port| *port >= FIRST_UNPRIVILEGED));
    }
}
