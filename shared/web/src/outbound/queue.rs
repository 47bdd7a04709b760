//! Queues of Amazon SQS that users may name as a target of ours.

use http::Uri;

use super::address;
use crate::config;
use crate::error::Result as OurResult;

/// The queues to which the operator's keys may sign: the beginnings of their ARNs or addresses, with commas between them.
const ALLOWED: &str = "sqs_allowed_queues";
const NOT_ALLOWED: &str = "must be a queue that the operator of this service allows";

const MAX_NAME_CHARS: usize = 80;
const FIRST_REGION: &str = "us-east-1";
const DOMAINS: [&str; 3] = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"];

/// A queue, known by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its address.
    pub address: Uri,
    /// The region for which calls are signed; `None` where the address does not tell, as with an emulator.
    pub region: Option<String>,
    /// Its name in Amazon; `None` where the address tells no region.
    arn: Option<String>,
}

/// Which queues users may name as a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueRules {
    development: bool,
    allowed: Vec<String>,
}

impl QueueRules {
    /// The settings of the operator.
    pub async fn configured() -> OurResult<Self> {
        let allowed = config::get(ALLOWED).await?.unwrap_or_default();
        Ok(Self::new(&allowed, config::flag("development").await?))
    }

    fn new(allowed: &str, development: bool) -> Self {
        let allowed = allowed.split(',').map(str::trim).filter(|beginning| !beginning.is_empty());
        Self { development, allowed: allowed.map(str::to_owned).collect() }
    }

    /// The queue of that address, or the rule that it breaks, as a sentence without its subject.
    ///
    /// Whoever may subscribe must not have messages put into any queue that the operator's keys reach. Where nothing is
    /// set, none is allowed, but on a developer's machine all are.
    pub fn check(&self, address: &str) -> Result<Queue, &'static str> {
        let queue = parse(address, self.development)?;
        match self.allows(&queue) {
            true => Ok(queue),
            false => Err(NOT_ALLOWED),
        }
    }

    fn allows(&self, queue: &Queue) -> bool {
        if self.allowed.is_empty() {
            return self.development;
        }
        let address = queue.address.to_string();
        let names = [Some(&address), queue.arn.as_ref()];
        names.into_iter().flatten().any(|name| self.allowed.iter().any(|beginning| name.starts_with(beginning)))
    }
}

/// The queue of that address, or the rule that it breaks, as a sentence without its subject.
///
/// Calls are signed with the operator's keys, so they go to Amazon and nowhere else; on a developer's machine to an
/// emulator on loopback too.
fn parse(address: &str, development: bool) -> Result<Queue, &'static str> {
    let uri = address::check(address, development)?;
    let region = region(uri.host().unwrap_or_default());
    let is_emulator = || development && address::check(address, false).is_err();
    if region.is_none() && !is_emulator() {
        return Err("must be the address of a queue of Amazon SQS");
    }
    let arn = match uri.path().trim_start_matches('/').split_once('/') {
        Some((account, name)) if is_account(account) && is_name(name) && uri.query().is_none() => {
            region.as_deref().map(|region| format!("arn:{}:sqs:{region}:{account}:{name}", partition(region)))
        }
        Some((_, name)) if name.ends_with(".fifo") => return Err("must not be a FIFO queue"),
        _ => return Err("must end with the account's number and the queue's name"),
    };
    Ok(Queue { address: uri, region, arn })
}

/// The part of Amazon in which a region is.
fn partition(region: &str) -> &'static str {
    match region {
        _ if region.starts_with("cn-") => "aws-cn",
        _ if region.starts_with("us-gov-") => "aws-us-gov",
        _ => "aws",
    }
}

/// The region that a host of SQS serves: `sqs.eu-west-1.amazonaws.com`, or of old `eu-west-1.queue.amazonaws.com`.
fn region(host: &str) -> Option<String> {
    let name = DOMAINS.iter().find_map(|domain| host.strip_suffix(domain))?;
    let region = match name.split('.').collect::<Vec<_>>().as_slice() {
        ["queue"] => FIRST_REGION,
        ["sqs" | "sqs-fips", region] | [region, "queue"] => region,
        _ => return None,
    };
    let is_region = region.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_region.then(|| region.to_owned())
}

fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_tells_the_region() {
        let cases = [
            ("https://sqs.eu-west-1.amazonaws.com/123456789012/canvas-live-events", "eu-west-1"),
            ("https://sqs-fips.us-gov-west-1.amazonaws.com/123456789012/q", "us-gov-west-1"),
            ("https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q", "cn-north-1"),
            ("https://eu-central-1.queue.amazonaws.com/123456789012/q", "eu-central-1"),
            ("https://queue.amazonaws.com/123456789012/q", "us-east-1"),
            ("https://sqs.eu-west-1.api.aws/123456789012/q", "eu-west-1"),
        ];
        for (address, region) in cases {
            assert_eq!(parse(address, false).unwrap().region.as_deref(), Some(region), "{address}");
        }
    }

    #[test]
    fn what_is_no_queue_of_amazon_is_refused() {
        let not_amazon = "must be the address of a queue of Amazon SQS";
        let no_queue = "must end with the account's number and the queue's name";
        let cases = [
            ("https://tool.test/123456789012/q", not_amazon),
            ("https://sqs.eu-west-1.amazonaws.com.evil.test/123456789012/q", not_amazon),
            ("https://evilsqs.amazonaws.com/123456789012/q", not_amazon),
            ("https://s3.eu-west-1.amazonaws.com/123456789012/q", not_amazon),
            ("https://sqs.eu-west-1.amazonaws.com/123456789012/q.fifo", "must not be a FIFO queue"),
            ("https://sqs.eu-west-1.amazonaws.com/", no_queue),
            ("https://sqs.eu-west-1.amazonaws.com/12/q", no_queue),
            ("https://sqs.eu-west-1.amazonaws.com/123456789012/", no_queue),
            ("https://sqs.eu-west-1.amazonaws.com/123456789012/a/b", no_queue),
            ("https://sqs.eu-west-1.amazonaws.com/123456789012/q?x=1", no_queue),
            ("http://sqs.eu-west-1.amazonaws.com/123456789012/q", "must begin with https://"),
            ("http://127.0.0.1:5000/123456789012/q", "must begin with https://"),
        ];
        for (address, why) in cases {
            assert_eq!(parse(address, false), Err(why), "{address}");
        }
    }

    #[test]
    fn only_queues_that_the_operator_allows_are_signed_for() {
        let (ours, of_others) = (
            [
                "https://sqs.eu-west-1.amazonaws.com/123456789012/lectern-a",
                "https://eu-west-1.queue.amazonaws.com/123456789012/lectern-b",
            ],
            [
                "https://sqs.eu-west-1.amazonaws.com/123456789012/orders",
                "https://sqs.eu-west-1.amazonaws.com/210987654321/lectern-a",
            ],
        );
        let by_arn = QueueRules::new(" , arn:aws:sqs:eu-west-1:123456789012:lectern- ", false);
        for address in ours {
            assert!(by_arn.check(address).is_ok(), "{address}");
        }
        for address in of_others {
            assert_eq!(by_arn.check(address), Err(NOT_ALLOWED), "{address}");
        }
        let by_address = QueueRules::new("https://sqs.eu-west-1.amazonaws.com/123456789012/lectern-", false);
        assert!(by_address.check(ours[0]).is_ok() && by_address.check(of_others[0]).is_err());
        // An address is compared as it will be called.
        assert!(by_address.check("https://SQS.eu-west-1.amazonaws.com:443/123456789012/lectern-a").is_ok());
        let china = QueueRules::new("arn:aws-cn:sqs:cn-north-1:123456789012:", false);
        assert!(china.check("https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q").is_ok());
    }

    #[test]
    fn where_the_operator_says_nothing_no_queue_is_allowed() {
        for nothing in ["", " ", ","] {
            assert_eq!(
                QueueRules::new(nothing, false).check("https://sqs.eu-west-1.amazonaws.com/123456789012/q"),
                Err(NOT_ALLOWED)
            );
        }
        let emulator = "http://127.0.0.1:5000/123456789012/q";
        assert!(QueueRules::new("", true).check(emulator).is_ok());
        assert!(QueueRules::new("http://127.0.0.1:5000/", true).check(emulator).is_ok());
        assert_eq!(QueueRules::new("arn:aws:sqs:", true).check(emulator), Err(NOT_ALLOWED));
    }

    #[test]
    fn a_developer_may_name_an_emulator() {
        assert_eq!(parse("http://127.0.0.1:5000/123456789012/q", true).unwrap().region, None);
        assert!(parse("https://tool.test/123456789012/q", true).is_err());
    }
}
