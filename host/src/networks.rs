//! Where a component may connect to: the hosts that its manifest allows, and the networks that the operator blocks.

use std::net::IpAddr;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use ip_network::IpNetwork;

use crate::variables::Variables;

/// The `allowed_outbound_hosts` of one component.
#[derive(Debug, Default)]
pub(crate) struct AllowedHosts(Vec<AllowedHost>);

#[derive(Debug, PartialEq)]
struct AllowedHost {
    /// `None` is `*`.
    scheme: Option<String>,
    host: Host,
    /// `None` is `*`.
    ports: Option<Range<u32>>,
}

#[derive(Debug, PartialEq)]
enum Host {
    Any,
    /// With its leading dot: `*.example.com` does not cover `example.com`.
    Below(String),
    Network(IpNetwork),
    Name(String),
}

impl AllowedHosts {
    /// Parses Spin's patterns. A template that expands to nothing allows nothing.
    pub(crate) fn parse(patterns: &[String], variables: &Variables) -> Result<Self> {
        let mut hosts = Vec::new();
        for pattern in patterns {
            let expanded = variables.expand(pattern).with_context(|| format!("in the outbound host \"{pattern}\""))?;
            if expanded.trim().is_empty() && !pattern.is_empty() {
                continue;
            }
            let host = AllowedHost::parse(expanded.trim())
                .with_context(|| format!("\"{pattern}\" is not an outbound host (scheme://host:port)"))?;
            hosts.push(host);
        }
        Ok(Self(hosts))
    }

    pub(crate) fn allows(&self, scheme: &str, host: &str, port: u16) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        self.0.iter().any(|allowed| {
            allowed.scheme.as_deref().is_none_or(|s| s == scheme)
                && allowed.host.covers(&host)
                && allowed.ports.as_ref().is_none_or(|ports| ports.contains(&u32::from(port)))
        })
    }
}

impl AllowedHosts {
    /// True if it covers every name there is.
    pub(crate) fn covers_every_host(&self) -> bool {
        self.0.iter().any(|allowed| allowed.host == Host::Any)
    }
}

impl AllowedHost {
    fn parse(text: &str) -> Result<Self> {
        let (scheme, rest) = text.split_once("://").context("it has no scheme")?;
        let any_scheme = scheme == "*";
        ensure!(any_scheme || scheme.chars().all(char::is_alphabetic), "the scheme has odd characters");
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (rest, ""),
        };
        let ports = match (port, scheme) {
            ("*", _) => None,
            ("", "http") => Some(port_range("80")?),
            ("", "https") => Some(port_range("443")?),
            ("", _) => bail!("it has no port"),
            (port, _) => Some(port_range(port)?),
        };
        Ok(Self { scheme: (!any_scheme).then(|| scheme.to_owned()), host: Host::parse(host)?, ports })
    }
}

fn port_range(text: &str) -> Result<Range<u32>> {
    let number = |text: &str| text.parse::<u16>().map(u32::from).context("a port is not a number");
    match text.split_once("..") {
        Some((start, end)) => Ok(number(start)?..number(end)?),
        None => number(text).map(|port| port..port + 1),
    }
}

impl Host {
    fn parse(text: &str) -> Result<Self> {
        let text = text.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if text == "*" {
            return Ok(Self::Any);
        }
        if let Ok(network) = IpNetwork::from_str_truncate(&text) {
            return Ok(Self::Network(network));
        }
        ensure!(!text.is_empty() && !text.contains('/'), "the host is empty or has a path");
        let name = text.strip_prefix("*.");
        ensure!(!name.unwrap_or(&text).contains('*'), "a wildcard may only stand for subdomains");
        Ok(match name {
            Some(name) => Self::Below(format!(".{name}")),
            None => Self::Name(text),
        })
    }

    fn covers(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Below(suffix) => host.ends_with(suffix),
            Self::Network(network) => host.parse::<IpAddr>().is_ok_and(|address| network.contains(address)),
            Self::Name(name) => name == host,
        }
    }
}

/// Networks to which nothing may connect, whatever a manifest allows: a name that resolves into one is refused too.
#[derive(Debug, Default)]
pub(crate) struct BlockedNetworks {
    /// Everything that is not routable in the public internet.
    private: bool,
    networks: Vec<IpNetwork>,
}

impl BlockedNetworks {
    /// Parses `"private"` and networks in CIDR notation.
    pub(crate) fn parse(names: &[String]) -> Result<Self> {
        let mut blocked = Self::default();
        for name in names {
            if name == "private" {
                blocked.private = true;
            } else {
                let network = IpNetwork::from_str_truncate(name).ok().with_context(|| {
                    format!("block_networks: \"{name}\" is neither \"private\" nor a network like 10.0.0.0/8")
                })?;
                blocked.networks.push(network);
            }
        }
        Ok(blocked)
    }

    /// True if the networks that the public internet does not reach are among them, under one name or each by itself. A
    /// part of the loopback may be left out for a neighbour, but not the address at which everybody listens.
    pub(crate) fn blocks_private(&self) -> bool {
        let inner = [[10, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1], [192, 168, 0, 1]];
        self.private || inner.into_iter().all(|address| self.blocks(address.into()))
    }

    pub(crate) fn blocks(&self, address: IpAddr) -> bool {
        // An IPv4 address written as IPv6 reaches the same machine.
        let embedded = match address {
            IpAddr::V6(address) => address.to_ipv4().map(IpAddr::V4),
            IpAddr::V4(_) => None,
        };
        (self.private && !IpNetwork::from(address).is_global())
            || self.networks.iter().any(|network| network.contains(address))
            || embedded.is_some_and(|address| self.blocks(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(patterns: &[&str]) -> AllowedHosts {
        let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
        AllowedHosts::parse(&patterns, &Variables::default()).unwrap()
    }

    #[test]
    fn a_host_stands_for_its_default_port_or_for_the_ports_it_names() {
        let hosts = allowed(&["https://api.example.com", "http://localhost:8000..8010", "*://both.example:*"]);
        assert!(hosts.allows("https", "api.example.com", 443));
        assert!(hosts.allows("https", "API.example.com", 443));
        assert!(!hosts.allows("https", "api.example.com", 8443));
        assert!(!hosts.allows("http", "api.example.com", 443));
        assert!(hosts.allows("http", "localhost", 8009));
        assert!(!hosts.allows("http", "localhost", 8010));
        assert!(hosts.allows("http", "both.example", 1) && hosts.allows("https", "both.example", 65535));
    }

    #[test]
    fn wildcards_stand_for_subdomains_or_for_everything() {
        let hosts = allowed(&["https://*.example.com"]);
        assert!(hosts.allows("https", "a.b.example.com", 443));
        assert!(!hosts.allows("https", "example.com", 443));
        assert!(!hosts.allows("https", "badexample.com", 443));
        assert!(allowed(&["https://*:*"]).allows("https", "anything.test", 1234));
        assert!(!allowed(&[]).allows("https", "anything.test", 443));
    }

    #[test]
    fn addresses_match_networks() {
        let hosts = allowed(&["http://127.0.0.0/8:*", "http://[::1]:80"]);
        assert!(hosts.allows("http", "127.0.0.1", 9000));
        assert!(hosts.allows("http", "[::1]", 80));
        assert!(!hosts.allows("http", "128.0.0.1", 9000));
    }

    #[test]
    fn mistakes_are_refused_and_empty_templates_are_skipped() {
        for wrong in ["", "*", "example.com", "https://a*b.com", "ftp://example.com", "https://h:x", "https://h/path"] {
            assert!(AllowedHosts::parse(&[wrong.to_owned()], &Variables::default()).is_err(), "{wrong}");
        }
        let declared = toml::from_str("host = { default = \"\" }").unwrap();
        let variables = Variables::resolve(&declared, &[], |_| None).unwrap();
        assert!(AllowedHosts::parse(&["{{ host }}".to_owned()], &variables).unwrap().0.is_empty());
    }

    #[test]
    fn blocked_networks() {
        let table = [
            ("private", "127.0.0.1", true),
            ("private", "10.1.2.3", true),
            ("private", "172.16.0.1", true),
            ("private", "192.168.1.1", true),
            ("private", "169.254.169.254", true),
            ("private", "100.64.0.1", true),
            ("private", "0.0.0.0", true),
            ("private", "::1", true),
            ("private", "fe80::1", true),
            ("private", "fd00::1", true),
            ("private", "::ffff:10.0.0.1", true),
            ("private", "1.1.1.1", false),
            ("private", "2606:4700:4700::1111", false),
            ("203.0.113.0/24", "203.0.113.9", true),
            ("203.0.113.0/24", "::ffff:203.0.113.9", true),
            ("203.0.113.0/24", "10.0.0.1", false),
        ];
        for (network, address, expected) in table {
            let blocked = BlockedNetworks::parse(&[network.to_owned()]).unwrap();
            assert_eq!(blocked.blocks(address.parse().unwrap()), expected, "{address} in {network}");
        }
        let networks = ["10.0.0.0/8", "127.0.0.0/9", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"];
        let networks = networks.map(str::to_owned);
        let blocked = BlockedNetworks::parse(&networks).unwrap();
        assert!(blocked.blocks_private() && !blocked.blocks("127.128.0.1".parse().unwrap()));
        assert!(!BlockedNetworks::parse(&networks[1..]).unwrap().blocks_private());
        assert!(!BlockedNetworks::default().blocks("127.0.0.1".parse().unwrap()));
        assert!(BlockedNetworks::parse(&["local".to_owned()]).is_err());
    }
}
