//! The types of values.

use http::Uri;
use http::uri::Authority;

use crate::Secret;

/// The values that a variable takes. `default` is what counts where the variable is empty, if it is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number within bounds.
    Whole {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
        /// The one that counts where there is none.
        default: Option<i64>,
    },
    /// A number, perhaps with a fraction, within bounds.
    Decimal {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
        /// The one that counts where there is none.
        default: Option<f64>,
    },
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An absolute address, http or https, without a user in it.
    Address,
    /// The same with https; in development http as well.
    SecureAddress,
    /// The start of addresses: scheme, host, port and path, and no query.
    BaseAddress,
    /// A host that components may connect to, as Spin writes it: `scheme://host:port`.
    OutboundHost,
    /// Names of hosts, perhaps with a port or `*.` before them, with commas between.
    HostNames,
    /// Origins of pages, `scheme://host` and perhaps a port, with commas between.
    Origins,
    /// Texts with commas between, each of which begins with one of these.
    List(&'static [&'static str]),
    /// Any text in one line.
    Text,
    /// What nobody may see.
    Secret(Secret),
}

const ADDRESS: &str = "must be an absolute address, such as https://lms.example.edu, without a user in it";
const OUTBOUND_HOST: &str = "must be a host as Spin writes it, such as http://ollama.internal:11434";
/// What is longer is no value that somebody has misspelt.
const MAX_TOLD_CHARS: usize = 40;

impl Kind {
    /// The values in words, with Markdown's backticks around what is typed.
    pub fn description(&self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Whole { min, max, .. } => format!("whole number from {min} to {max}"),
            Self::Decimal { min, max, .. } => format!("number from {min} to {max}"),
            Self::OneOf(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Address => "address, http or https".to_owned(),
            Self::SecureAddress => "address, https; in development http too".to_owned(),
            Self::BaseAddress => "address, http or https, without a query".to_owned(),
            Self::OutboundHost => "host as Spin writes it".to_owned(),
            Self::HostNames => "names of hosts with commas between".to_owned(),
            Self::Origins => "origins with commas between".to_owned(),
            Self::List(beginnings) => {
                let beginnings: Vec<_> = beginnings.iter().map(|beginning| format!("`{beginning}`")).collect();
                format!("texts with commas between, each beginning with {}", beginnings.join(" or "))
            }
            Self::Text => "text".to_owned(),
            Self::Secret(secret) => secret.description(),
        }
    }

    /// The value that counts where there is none, if it is a number.
    pub fn default(&self) -> Option<String> {
        match self {
            Self::Whole { default, .. } => default.map(|number| number.to_string()),
            Self::Decimal { default, .. } => default.map(|number| number.to_string()),
            _ => None,
        }
    }

    /// What is wrong with a value, as a sentence without its subject.
    pub(crate) fn check(&self, value: &str, development: bool) -> Result<(), String> {
        match self {
            Self::Flag => require(matches!(value, "true" | "false"), || must_be("true or false", value)),
            Self::Whole { min, max, .. } => {
                let is_one = value.trim().parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number));
                require(is_one, || must_be(&format!("a whole number from {min} to {max}"), value))
            }
            Self::Decimal { min, max, .. } => {
                let is_one = value.trim().parse::<f64>().is_ok_and(|number| (*min..=*max).contains(&number));
                require(is_one, || must_be(&format!("a number from {min} to {max}"), value))
            }
            Self::OneOf(words) => {
                require(words.contains(&value), || must_be(&format!("one of {}", words.join(", ")), value))
            }
            Self::Address => require(scheme(value).is_some(), || ADDRESS.to_owned()),
            Self::SecureAddress => {
                let is_one = scheme(value).is_some_and(|scheme| scheme == Scheme::Https || development);
                require(is_one, || "must be an https address, without a user in it".to_owned())
            }
            Self::BaseAddress => {
                let is_one = scheme(value).is_some() && !value.contains(['?', '#']);
                require(is_one, || format!("{ADDRESS}, a query or a fragment"))
            }
            Self::OutboundHost => require(is_outbound_host(value), || OUTBOUND_HOST.to_owned()),
            Self::HostNames => {
                each(value, is_host_name, "the name of a host, such as media.example.org or *.example.org")
            }
            Self::Origins => each(value, is_origin, "an origin, such as https://app.example.edu"),
            Self::List(beginnings) => {
                let begins = |item: &str| beginnings.iter().any(|beginning| item.starts_with(beginning));
                each(value, begins, &format!("text that begins with {}", beginnings.join(" or ")))
            }
            Self::Text => require(!value.chars().any(char::is_control), || "has a line break in it".to_owned()),
            Self::Secret(secret) => secret.check(value, development),
        }
    }
}

fn require(is_met: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if is_met { Ok(()) } else { Err(reason()) }
}

/// A refusal that shows a value in which no secret can be.
fn must_be(what: &str, value: &str) -> String {
    let shown: String = value.chars().take(MAX_TOLD_CHARS).collect();
    format!("must be {what}, and is {shown:?}")
}

/// Each item between the commas; spaces around it, and a comma at the end, do not count.
fn each(value: &str, is_one: impl Fn(&str) -> bool, what: &str) -> Result<(), String> {
    match value.split(',').map(str::trim).filter(|item| !item.is_empty()).find(|item| !is_one(item)) {
        Some(item) => Err(format!("must have {what}, in each place; {}", shown(item))),
        None => Ok(()),
    }
}

fn shown(item: &str) -> String {
    let start: String = item.chars().take(MAX_TOLD_CHARS).collect();
    format!("{start:?} is none")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// The scheme of an absolute address with a host and without a user.
fn scheme(value: &str) -> Option<Scheme> {
    let uri: Uri = value.parse().ok()?;
    let authority = uri.authority()?;
    if authority.host().is_empty() || authority.as_str().contains('@') || !has_port_if_any(authority) {
        return None;
    }
    match uri.scheme_str()? {
        "http" => Some(Scheme::Http),
        "https" => Some(Scheme::Https),
        _ => None,
    }
}

/// A colon has a port behind it. The brackets of an IPv6 address have colons of their own.
fn has_port_if_any(authority: &Authority) -> bool {
    let behind = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    behind.is_empty() || authority.port_u16().is_some()
}

fn is_origin(item: &str) -> bool {
    let ends_with_host = item.split_once("://").is_some_and(|(_, rest)| !rest.contains(['/', '?', '#']));
    ends_with_host && scheme(item).is_some()
}

fn is_host_name(item: &str) -> bool {
    let name = item.strip_prefix("*.").unwrap_or(item);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    let is_name = !name.is_empty() && name.bytes().all(is_plain) && !name.starts_with(['.', '-', ':']);
    is_name && name.parse::<Authority>().is_ok_and(|authority| has_port_if_any(&authority))
}

fn is_outbound_host(value: &str) -> bool {
    let Some((scheme, rest)) = value.trim().split_once("://") else { return false };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (rest, None),
    };
    let name = host.strip_prefix("*.").unwrap_or(host);
    let is_host = host == "*" || (!name.is_empty() && !name.contains(['/', '*', '@', ',', ' ', '?', '#']));
    let is_number = |text: &str| text.parse::<u16>().is_ok();
    let is_port = match port {
        None => scheme != "*",
        Some("*") => true,
        Some(port) => port.split_once("..").map_or_else(|| is_number(port), |(a, b)| is_number(a) && is_number(b)),
    };
    matches!(scheme, "http" | "https" | "*") && is_host && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(kind: Kind, good: &[&str], bad: &[&str]) {
        for value in good {
            assert_eq!(kind.check(value, false), Ok(()), "{kind:?}: {value}");
        }
        for value in bad {
            let reason = kind.check(value, false).unwrap_err();
            assert!(reason.starts_with("must ") || reason.starts_with("has "), "{kind:?}: {value}: {reason}");
        }
    }

    #[test]
    fn flags_are_two_words() {
        takes(Kind::Flag, &["true", "false"], &["yes", "1", "True", " true"]);
    }

    #[test]
    fn numbers_have_bounds() {
        let whole = Kind::Whole { min: 1, max: 365, default: Some(30) };
        takes(whole, &["1", "365", " 30 "], &["0", "366", "-1", "1.5", "ten", "1e2", "99999999999999999999"]);
        assert_eq!(whole.default().as_deref(), Some("30"));
        let decimal = Kind::Decimal { min: 0.0, max: 2.0, default: None };
        takes(decimal, &["0", "0.7", "2"], &["-0.1", "2.1", "warm", "NaN", "inf"]);
        assert_eq!(decimal.default(), None);
    }

    #[test]
    fn a_word_is_one_of_those() {
        takes(Kind::OneOf(&["outbox", "ses"]), &["outbox", "ses"], &["smtp", "SES", "outbox,ses"]);
    }

    #[test]
    fn addresses_are_absolute_and_have_no_user() {
        let good =
            ["https://lms.example.edu", "http://127.0.0.1:8080/v1", "http://[::1]:3000/", "https://a.example/v1?key=x"];
        let bad =
            ["lms.example.edu", "/path", "ftp://a.example", "https://", "https://a:b@c.example", "http://a:x/", "a b"];
        takes(Kind::Address, &good, &bad);
        takes(Kind::BaseAddress, &["https://lms.example.edu/", "http://a.example:80/lms"], &["https://a.example/?a=b"]);
        takes(Kind::SecureAddress, &["https://inner/hooks"], &["http://inner/hooks"]);
        assert_eq!(Kind::SecureAddress.check("http://127.0.0.1:1/hooks", true), Ok(()), "in development");
    }

    #[test]
    fn an_address_is_not_told_because_a_key_may_be_in_it() {
        let reason = Kind::Address.check("https://user:pass@model.example/?key=k", false).unwrap_err();
        assert!(!reason.contains("pass") && !reason.contains("key=k"), "{reason}");
    }

    #[test]
    fn outbound_hosts_are_as_spin_has_them() {
        let good = [
            "https://none.invalid",
            "http://127.0.0.1:*",
            "http://*:*",
            "*://*.a.example:443",
            "http://[::1]:8000..9000",
        ];
        let bad = [
            "ollama:11434",
            "http://",
            "http://a.example/path",
            "ftp://a.example:21",
            "*://a.example",
            "http://a:b:c",
            "http://a*.example",
        ];
        takes(Kind::OutboundHost, &good, &bad);
    }

    #[test]
    fn lists_are_checked_item_by_item() {
        takes(
            Kind::HostNames,
            &["www.youtube-nocookie.com, *.example.org", "media.example.org:8443", "a.example,"],
            &["https://a.example", "*", "a.example/path", "a.example, *", "a.example:port", "*.*.a.example"],
        );
        takes(
            Kind::Origins,
            &["https://app.example.edu", "http://localhost:5173, https://b.example"],
            &["*", "null", "app.example.edu", "https://app.example.edu/", "https://a.example/x", "ftp://a.example"],
        );
        let topics = Kind::List(&["arn:aws"]);
        takes(topics, &["arn:aws:sns:eu-west-1:1:bounces, arn:aws-cn:sns:x"], &["bounces", "arn:aws:sns:x, bounces"]);
    }

    #[test]
    fn a_text_has_one_line() {
        takes(Kind::Text, &["Lectern <lms@example.edu>", "eu-west-1"], &["eu-west-1\n"]);
    }
}
