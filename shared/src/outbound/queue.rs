//! Queues of Amazon SQS that users may name as a target of ours.

use http::Uri;

use super::address;

const LONGEST_NAME: usize = 80;
const FIRST_REGION: &str = "us-east-1";
const DOMAINS: [&str; 3] = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws"];

/// A queue, known by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// Its address.
    pub address: Uri,
    /// The region for which calls are signed; `None` where the address does not tell, as with an emulator.
    pub region: Option<String>,
}

/// The queue of that address, or the rule that it breaks, as a sentence without its subject.
///
/// Calls are signed with the operator's keys, so they go to Amazon and nowhere else; on a developer's machine to an
/// emulator on loopback too.
pub fn parse(address: &str, development: bool) -> Result<Queue, &'static str> {
    let uri = address::check(address, development)?;
    let region = region(uri.host().unwrap_or_default());
    let is_emulator = || development && address::check(address, false).is_err();
    if region.is_none() && !is_emulator() {
        return Err("must be the address of a queue of Amazon SQS");
    }
    match uri.path().trim_start_matches('/').split_once('/') {
        Some((account, name)) if is_account(account) && is_name(name) && uri.query().is_none() => {}
        Some((_, name)) if name.ends_with(".fifo") => return Err("must not be a FIFO queue"),
        _ => return Err("must end with the account's number and the queue's name"),
    }
    Ok(Queue { address: uri, region })
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
    (1..=LONGEST_NAME).contains(&text.len())
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
    fn a_developer_may_name_an_emulator() {
        assert_eq!(parse("http://127.0.0.1:5000/123456789012/q", true).unwrap().region, None);
        assert!(parse("https://tool.test/123456789012/q", true).is_err());
    }
}
