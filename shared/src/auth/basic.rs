//! HTTP Basic: a client's id and secret in the header of a request.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::AUTHORIZATION;

use crate::context::Context;

/// The id and the secret that the request shows, if it shows them so.
pub fn basic(cx: &Context) -> Option<(String, String)> {
    read(cx.header(AUTHORIZATION)?)
}

fn read(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    let bytes = scheme.eq_ignore_ascii_case("Basic").then(|| BASE64_STANDARD.decode(encoded.trim()))?.ok()?;
    let (id, secret) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_authentication_is_read() {
        assert_eq!(read("basic YTpiOmM="), Some(("a".to_owned(), "b:c".to_owned())));
        for header in ["Bearer YTpi", "Basic", "Basic !", "Basic YQ=="] {
            assert_eq!(read(header), None, "{header}");
        }
    }
}
