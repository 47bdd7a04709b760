//! Requests that are signed as OAuth 1.0 has it: HMAC-SHA1 of the method, the address and the parameters, of which one is a
//! hash of the body. See RFC 5849, 3.4, and the extension for bodies that are no forms.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha1::{Digest, Sha1};
use shared::auth::secrets;
use shared::clock::MINUTE;

const SCHEME: &str = "oauth";
const MAX_HEADER_BYTES: usize = 4096;
const MAX_QUERY_BYTES: usize = 4096;
const MAX_PARAMETERS: usize = 32;
/// A request may be so much older or younger than the clock of this host, in seconds.
pub(crate) const WINDOW: i64 = 5 * MINUTE;
/// All but letters, digits and four marks is written in hexadecimal digits.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The signature of a request with its parameters, as its header `Authorization` has them.
pub(crate) struct SignedRequest {
    parameters: Vec<(String, String)>,
}

/// The request that a signature is of.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// The absolute address without the query.
    pub(crate) address: &'a str,
    pub(crate) query: &'a str,
    pub(crate) body: &'a [u8],
}

impl SignedRequest {
    /// True if the header is one of this scheme.
    pub(crate) fn is_named(header: &str) -> bool {
        header.split_once(' ').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME))
    }

    /// Reads a header of this scheme; none where it is too long, names a parameter twice, or has another signature than
    /// HMAC-SHA1.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let (_, list) =
            header.split_once(' ').filter(|_| header.len() <= MAX_HEADER_BYTES && Self::is_named(header))?;
        let parameters: Vec<_> = list.split(',').map(parameter).collect::<Option<_>>()?;
        let mut names: Vec<_> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let is_doubled = names.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
        let signed = Self { parameters };
        let is_known = signed.value("oauth_signature_method") == Some("HMAC-SHA1")
            && signed.value("oauth_version").is_none_or(|version| version == "1.0");
        (is_known && !is_doubled && signed.parameters.len() <= MAX_PARAMETERS).then_some(signed)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The key of the one who has signed.
    pub(crate) fn consumer_key(&self) -> Option<&str> {
        self.value("oauth_consumer_key")
    }

    /// The moment of the signature and the text that makes it unlike all others of that moment, if it is of about now.
    pub(crate) fn nonce(&self, now: i64) -> Option<(i64, &str)> {
        let signed_at: i64 = self.value("oauth_timestamp")?.parse().ok()?;
        let nonce = self.value("oauth_nonce").filter(|nonce| !nonce.is_empty())?;
        (signed_at.abs_diff(now) <= WINDOW.unsigned_abs()).then_some((signed_at, nonce))
    }

    /// True if it is the signature of that request with that secret.
    pub(crate) fn is_of(&self, request: &Request<'_>, secret: &str) -> bool {
        // Nobody is acted for, so that there is no second secret.
        let key = format!("{}&", encoded(secret));
        let body_hash = BASE64_STANDARD.encode(Sha1::digest(request.body));
        let has_body = self.value("oauth_body_hash").is_some_and(|hash| secrets::same(hash, &body_hash));
        let signature = self.value("oauth_signature").and_then(|text| BASE64_STANDARD.decode(text).ok());
        let is_signed = signature.is_some_and(|signature| match (self.base(request), mac(&key)) {
            (Some(base), Some(mac)) => mac.chain_update(base).verify_slice(&signature).is_ok(),
            _ => false,
        });
        has_body && is_signed
    }

    /// The text that is signed; none where the query is too long.
    fn base(&self, Request { method, address, query, .. }: &Request<'_>) -> Option<String> {
        if query.len() > MAX_QUERY_BYTES {
            return None;
        }
        let own = self.parameters.iter().filter(|(name, _)| name != "oauth_signature" && name != "realm");
        let own = own.map(|(name, value)| (encoded(name), encoded(value)));
        let queried = form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (encoded(&name), encoded(&value)));
        let mut pairs: Vec<_> = own.chain(queried).collect();
        pairs.sort_unstable();
        let pairs: Vec<_> = pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(format!("{}&{}&{}", method.to_ascii_uppercase(), encoded(address), encoded(&pairs.join("&"))))
    }
}

fn mac(key: &str) -> Option<Hmac<Sha1>> {
    Hmac::new_from_slice(key.as_bytes()).ok()
}

/// A parameter of the header: `name="value"`, both encoded.
fn parameter(text: &str) -> Option<(String, String)> {
    let (name, value) = text.trim().split_once('=')?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned);
    Some((decoded(name.trim())?, decoded(value)?))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of OAuth Core 1.0, Appendix A.5.
    const EXAMPLE: &str = "OAuth realm=\"http://photos.example.net/\", oauth_consumer_key=\"dpf43f3p2l4k3l03\", \
        oauth_token=\"nnch734d00sl2jdk\", oauth_signature_method=\"HMAC-SHA1\", \
        oauth_signature=\"tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D\", oauth_timestamp=\"1191242096\", \
        oauth_nonce=\"kllo9940pd9333jh\", oauth_version=\"1.0\"";

    const ADDRESS: &str = "https://lms.test/api/lti/tool_proxy";
    const SECRET: &str = "p&ss w\u{f6}rd";

    fn request(body: &[u8]) -> Request<'_> {
        Request { method: "POST", address: ADDRESS, query: "", body }
    }

    fn header(parameters: &[(&str, &str)]) -> String {
        let list: Vec<_> = parameters.iter().map(|(name, value)| format!("{name}=\"{}\"", encoded(value))).collect();
        format!("OAuth {}", list.join(", "))
    }

    /// A request that is signed, with a parameter changed afterwards.
    fn signed(body: &[u8], changed: Option<(&str, &str)>) -> SignedRequest {
        let hash = BASE64_STANDARD.encode(Sha1::digest(body));
        let mut parameters = vec![
            ("oauth_consumer_key", "key"),
            ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", "1000"),
            ("oauth_nonce", "once"),
            ("oauth_body_hash", &hash),
        ];
        let unsigned = SignedRequest::parse(&header(&parameters)).unwrap();
        let base = unsigned.base(&request(body)).unwrap();
        let key = format!("{}&", encoded(SECRET));
        let signature = BASE64_STANDARD.encode(mac(&key).unwrap().chain_update(base).finalize().into_bytes());
        parameters.push(("oauth_signature", &signature));
        if let Some((name, value)) = changed {
            parameters.retain(|(own, _)| *own != name);
            parameters.push((name, value));
        }
        SignedRequest::parse(&header(&parameters)).unwrap()
    }

    #[test]
    fn the_example_of_the_specification_has_the_signature_that_it_says() {
        let example = SignedRequest::parse(EXAMPLE).unwrap();
        let address = "http://photos.example.net/photos";
        let request = Request { method: "get", address, query: "file=vacation.jpg&size=original", body: b"" };
        let base = example.base(&request).unwrap();
        assert_eq!(
            base,
            "GET&http%3A%2F%2Fphotos.example.net%2Fphotos&file%3Dvacation.jpg%26oauth_consumer_key%3Ddpf43f3p2l4k3l03\
             %26oauth_nonce%3Dkllo9940pd9333jh%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1191242096\
             %26oauth_token%3Dnnch734d00sl2jdk%26oauth_version%3D1.0%26size%3Doriginal"
        );
        let signature = mac("kd94hf93k423kf44&pfkkdhi9sl3r4s00").unwrap().chain_update(base).finalize().into_bytes();
        assert_eq!(Some(BASE64_STANDARD.encode(signature).as_str()), example.value("oauth_signature"));
        assert_eq!(example.consumer_key(), Some("dpf43f3p2l4k3l03"));
    }

    #[test]
    fn the_hash_of_a_body_is_that_of_the_extension() {
        assert_eq!(BASE64_STANDARD.encode(Sha1::digest(b"Hello World!")), "Lve95gjOVATpfV8EL5X4nxwjKHE=");
    }

    #[test]
    fn a_signature_is_of_one_body_one_address_and_one_secret() {
        let good = signed(b"{}", None);
        assert!(good.is_of(&request(b"{}"), SECRET));
        assert!(!good.is_of(&request(b"{ }"), SECRET) && !good.is_of(&request(b"{}"), "another"));
        assert!(!good.is_of(&Request { query: "a=1", ..request(b"{}") }, SECRET));
        assert!(!good.is_of(&Request { query: &"a".repeat(MAX_QUERY_BYTES + 1), ..request(b"{}") }, SECRET));
        assert!(!good.is_of(&Request { address: "https://elsewhere.test/", ..request(b"{}") }, SECRET));
        assert!(!good.is_of(&Request { method: "PUT", ..request(b"{}") }, SECRET));
        for changed in [
            ("oauth_nonce", "twice"),
            ("oauth_timestamp", "1001"),
            ("oauth_body_hash", ""),
            ("oauth_signature", "AAAA"),
            ("oauth_signature", "%"),
            ("more", "x"),
        ] {
            assert!(!signed(b"{}", Some(changed)).is_of(&request(b"{}"), SECRET), "{changed:?}");
        }
    }

    #[test]
    fn a_signature_is_of_about_now() {
        let good = signed(b"{}", None);
        assert_eq!(good.nonce(1000), Some((1000, "once")));
        assert!(good.nonce(1000 + WINDOW).is_some() && good.nonce(1000 - WINDOW).is_some());
        assert!(good.nonce(1001 + WINDOW).is_none() && good.nonce(999 - WINDOW).is_none());
        for changed in [("oauth_nonce", ""), ("oauth_timestamp", "soon"), ("oauth_timestamp", "")] {
            assert!(signed(b"{}", Some(changed)).nonce(1000).is_none(), "{changed:?}");
        }
    }

    #[test]
    fn a_header_of_another_kind_is_not_read() {
        let many = header(&[("oauth_signature_method", "HMAC-SHA1"); 2]);
        let long = header(&[("oauth_signature_method", "HMAC-SHA1"), ("a", &"x".repeat(MAX_HEADER_BYTES))]);
        let other = header(&[("oauth_signature_method", "PLAINTEXT")]);
        let version = header(&[("oauth_signature_method", "HMAC-SHA1"), ("oauth_version", "2.0")]);
        for header in
            ["", "OAuth", "OAuth a", "OAuth a=b", "OAuth a=\"%ff\"", "Bearer x", &many, &long, &other, &version]
        {
            assert!(SignedRequest::parse(header).is_none(), "{header}");
        }
        assert!(SignedRequest::is_named("oauth x") && !SignedRequest::is_named("Bearer x"));
    }
}
