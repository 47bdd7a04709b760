//! Whether an event in an inbox is signed as Standard Webhooks says, and if not, what is wrong in words.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use http::HeaderMap;
use serde::Serialize;
use sha2::Sha256;

const PREFIX: &str = "whsec_";
const SCHEME: &str = "v1,";
/// So many seconds may lie between the time of a signature and the time of its arrival.
const TOLERANCE: i64 = 300;

/// What is to be said of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Signature {
    Valid,
    Invalid,
    /// There is no secret to look at it with.
    Unknown,
    Missing,
}

/// The key of a secret, which is base64 after `whsec_`.
pub(super) fn key(secret: &str) -> Option<Vec<u8>> {
    let key = BASE64_STANDARD.decode(secret.strip_prefix(PREFIX).unwrap_or(secret)).ok()?;
    (!key.is_empty()).then_some(key)
}

/// Judges an event that arrived at that moment, in seconds since 1970.
pub(super) fn judge(secret: Option<&str>, headers: &HeaderMap, body: &[u8], at: i64) -> (Signature, Option<String>) {
    let problem = |signature, problem: String| (signature, Some(problem));
    let mut values = [("webhook-id", ""), ("webhook-timestamp", ""), ("webhook-signature", "")];
    for (name, value) in &mut values {
        *value = headers.get(*name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    }
    let missing: Vec<_> = values.iter().filter(|(_, value)| value.is_empty()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        return problem(Signature::Missing, format!("there is no {}", missing.join(" and no ")));
    }
    let [(_, id), (_, timestamp), (_, signatures)] = values;
    let Ok(signed_at) = timestamp.parse::<i64>() else {
        return problem(Signature::Invalid, "webhook-timestamp is no number of seconds since 1970".to_owned());
    };
    let off = signed_at.saturating_sub(at);
    if off.saturating_abs() > TOLERANCE {
        let side = if off < 0 { "before" } else { "after" };
        let off = off.saturating_abs();
        let words = format!("webhook-timestamp is {off} seconds {side} the sandbox's time; receivers take {TOLERANCE}");
        return problem(Signature::Invalid, words);
    }
    let Some(key) = secret.and_then(key) else {
        return problem(
            Signature::Unknown,
            "the inbox knows no secret: PUT {\"secret\":\"whsec_…\"} tells it".to_owned(),
        );
    };
    let sent: Vec<_> = signatures.split(' ').filter_map(|one| one.strip_prefix(SCHEME)).collect();
    if sent.is_empty() {
        return problem(Signature::Invalid, "webhook-signature has no signature of the scheme v1".to_owned());
    }
    let signed = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
    let is_ours = |one: &str| {
        let mac = Hmac::<Sha256>::new_from_slice(&key).ok().map(|mac| mac.chain_update(&signed));
        let sent = BASE64_STANDARD.decode(one).ok();
        mac.zip(sent).is_some_and(|(mac, sent)| mac.verify_slice(&sent).is_ok())
    };
    match sent.into_iter().any(is_ours) {
        true => (Signature::Valid, None),
        false => problem(
            Signature::Invalid,
            "no signature is made with the inbox's secret of webhook-id, webhook-timestamp and this body".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    // The vector of the specification.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const AT: i64 = 1_614_265_330;
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn headers(changes: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let given = [("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"), ("webhook-timestamp", "1614265330")];
        for (name, value) in given.iter().chain(&[("webhook-signature", SIGNED)]).chain(changes) {
            headers.insert(HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap());
        }
        headers
    }

    fn judged(headers: &HeaderMap, body: &[u8], at: i64) -> (Signature, String) {
        let (signature, problem) = judge(Some(SECRET), headers, body, at);
        (signature, problem.unwrap_or_default())
    }

    #[test]
    fn the_published_vector_is_valid_also_beside_another_signature() {
        assert_eq!(judge(Some(SECRET), &headers(&[]), BODY, AT + 300), (Signature::Valid, None));
        let both = format!("v1,AAAA {SIGNED}");
        assert_eq!(judge(Some(SECRET), &headers(&[("webhook-signature", &both)]), BODY, AT), (Signature::Valid, None));
    }

    #[test]
    fn what_is_wrong_is_told_in_words() {
        let (signature, problem) = judged(&headers(&[]), b"{}", AT);
        assert!(signature == Signature::Invalid && problem.contains("this body"), "{problem}");
        let (signature, problem) = judged(&headers(&[]), BODY, AT + 301);
        assert!(signature == Signature::Invalid && problem.contains("301 seconds before"), "{problem}");
        let (signature, problem) = judged(&headers(&[("webhook-timestamp", "today")]), BODY, AT);
        assert!(signature == Signature::Invalid && problem.contains("no number"), "{problem}");
        let (signature, problem) = judged(&headers(&[("webhook-signature", "v1a,xyz")]), BODY, AT);
        assert!(signature == Signature::Invalid && problem.contains("scheme v1"), "{problem}");
        let (signature, problem) = judged(&HeaderMap::new(), BODY, AT);
        assert!(signature == Signature::Missing && problem.contains("no webhook-id and no"), "{problem}");
        let (signature, problem) = judge(None, &headers(&[]), BODY, AT);
        assert!(signature == Signature::Unknown && problem.unwrap().contains("secret"));
    }

    #[test]
    fn a_secret_is_base64_after_its_prefix() {
        assert!(key(SECRET).is_some());
        for wrong in ["", "whsec_", "whsec_?"] {
            assert_eq!(key(wrong), None, "{wrong}");
        }
    }
}
