//! Secrets that are known by how they look, wherever they stand.

use std::borrow::Cow;

use crate::scrub::FILTERED;

/// The beginnings of tokens of well-known services, and the least number of characters that follow.
const BEGINNINGS: [(&str, usize); 30] = [
    ("AIza", 16),
    ("SG.", 16),
    ("dop_v1_", 8),
    ("dp.pt.", 8),
    ("gho_", 8),
    ("ghp_", 8),
    ("ghr_", 8),
    ("ghs_", 8),
    ("ghu_", 8),
    ("github_pat_", 8),
    ("gldt-", 8),
    ("glpat-", 8),
    ("glptt-", 8),
    ("glrt-", 8),
    ("hf_", 16),
    ("mct_", 8),
    ("npm_", 16),
    ("pypi-", 16),
    ("rk_live_", 8),
    ("shpat_", 8),
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    (WEBHOOK_SECRET, 8),
    ("xapp-", 8),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxs-", 8),
    ("ya29.", 8),
];

/// The beginning of secrets of webhooks, which go on in Base64.
const WEBHOOK_SECRET: &str = "whsec_";

/// The beginnings of access keys of Amazon, which are in capitals.
const AMAZON: [&str; 2] = ["AKIA", "ASIA"];
const AMAZON_CHARS: usize = 16;

/// The beginning of JSON Web Tokens.
const JWT: &str = "eyJ";

const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
const PEM_LINE: &str = "-----";
const MAX_LABEL_BYTES: usize = 64;

/// The text without tokens.
pub(super) fn without_tokens(text: &str) -> String {
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_of_base64 = |c: char| is_of_token(c) || matches!(c, '+' | '/' | '=');
    let mut scrubbed = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let before = rest.split(is_of_token).next().unwrap_or_default();
        rest = rest.strip_prefix(before).unwrap_or_default();
        let after = match rest.starts_with(WEBHOOK_SECRET) {
            true => rest.trim_start_matches(is_of_base64),
            false => rest.trim_start_matches(is_of_token),
        };
        let word = rest.get(..rest.len().saturating_sub(after.len())).unwrap_or_default();
        scrubbed.extend([before, if is_token(word) { FILTERED } else { word }]);
        rest = after;
    }
    scrubbed
}

fn is_token(word: &str) -> bool {
    let is_of_service = BEGINNINGS
        .iter()
        .any(|(beginning, least)| word.strip_prefix(beginning).is_some_and(|rest| rest.len() >= *least));
    let is_of_amazon = AMAZON.iter().any(|beginning| {
        word.strip_prefix(beginning).is_some_and(|rest| {
            rest.len() >= AMAZON_CHARS && rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        })
    });
    is_of_service || is_of_amazon || (word.starts_with(JWT) && word.matches('.').count() >= 2)
}

/// The text without private keys in the form PEM. One that does not end goes on to the end of the text.
pub(super) fn without_private_keys(text: &str) -> Cow<'_, str> {
    let mut scrubbed = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(PEM_BEGIN) {
        let Some((label, key)) = after.split_once(PEM_LINE) else { break };
        scrubbed.push_str(before);
        if label.len() > MAX_LABEL_BYTES || !label.contains("PRIVATE KEY") {
            scrubbed.push_str(PEM_BEGIN);
            rest = after;
            continue;
        }
        scrubbed.push_str(FILTERED);
        let end = key.split_once(PEM_END).and_then(|(_, end)| end.split_once(PEM_LINE));
        rest = end.map_or("", |(_, rest)| rest);
    }
    if scrubbed.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    scrubbed.push_str(rest);
    Cow::Owned(scrubbed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_services_are_known_by_their_beginning() {
        for token in [
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "github_pat_11ABCDEFG0",
            "glpat-Wj2jrnxzzyyxxwwvvuut",
            "AKIAIOSFODNN7EXAMPLE",
            "xoxb-2048-abcdef-ghi",
            "sk-proj-AbCdEfGhIjKlMnOpQrStUvWx",
            "sk_live_4eC39HqLyjWDarjt",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_Mf/Q9r8+KYqrTwjUPD8ILPZIo2LaLaSw==",
            "mct_16C7e42F292c6912E7710c838347Ae178B4a",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
        ] {
            assert_eq!(without_tokens(token), FILTERED);
            assert_eq!(without_tokens(&format!("it said ({token}), twice")), format!("it said ({FILTERED}), twice"));
        }
        for word in ["sk-learn", "AKIA", "AKIAlowercaseletters", "ghp_", "eyJ", "hf_model", "pypi-publish", "SG.1"] {
            assert_eq!(without_tokens(word), word);
        }
    }

    #[test]
    fn private_keys_are_taken_out_whole() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nS3CRET\n-----END RSA PRIVATE KEY-----";
        assert_eq!(without_private_keys(&format!("a\n{key}\nb")), format!("a\n{FILTERED}\nb"));
        assert_eq!(without_private_keys(&key.replace('\n', "\\n")), FILTERED);
        assert_eq!(without_private_keys("a -----BEGIN PRIVATE KEY-----\nS3CRET"), format!("a {FILTERED}"));
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----";
        assert_eq!(without_private_keys(certificate), certificate);
        assert_eq!(without_private_keys(&format!("{certificate}{key}")), format!("{certificate}{FILTERED}"));
        for text in ["", "-----BEGIN ", "-----BEGIN -----BEGIN ", "-----END PRIVATE KEY-----"] {
            assert_eq!(without_private_keys(text), text);
        }
    }
}
