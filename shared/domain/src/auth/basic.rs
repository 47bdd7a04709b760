//! HTTP Basic: a client's id and secret in the header of a request.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::AUTHORIZATION;
use percent_encoding::percent_decode_str;
use web::Context;

/// A client's id and secret, as one of the two ways of writing them has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basic {
    /// The client's id.
    pub id: String,
    /// Its secret.
    pub secret: String,
}

/// The id and the secret that the request shows, if it shows them so. OAuth2 has them written as in a form (RFC 6749, 2.3.1),
/// but many clients send them as they are: where that makes a difference, the second reading is good too if the first is not.
pub fn basic(cx: &Context) -> Option<(Basic, Option<Basic>)> {
    read(cx.header(AUTHORIZATION)?)
}

fn read(header: &str) -> Option<(Basic, Option<Basic>)> {
    let (scheme, encoded) = header.split_once(' ')?;
    let bytes = scheme.eq_ignore_ascii_case("Basic").then(|| BASE64_STANDARD.decode(encoded.trim()))?.ok()?;
    let (id, secret) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
    let plain = Basic { id: id.to_owned(), secret: secret.to_owned() };
    let of_form = decoded(id).zip(decoded(secret)).map(|(id, secret)| Basic { id, secret });
    Some(match of_form {
        Some(of_form) if of_form != plain => (of_form, Some(plain)),
        _ => (plain, None),
    })
}

/// The text of a form's value, where it is one.
fn decoded(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<(Basic, Option<Basic>)> {
        read(&format!("basic {}", BASE64_STANDARD.encode(text)))
    }

    fn pair(id: &str, secret: &str) -> Basic {
        Basic { id: id.to_owned(), secret: secret.to_owned() }
    }

    #[test]
    fn basic_authentication_is_read() {
        assert_eq!(of("a:b:c"), Some((pair("a", "b:c"), None)));
        for header in ["Bearer YTpi", "Basic", "Basic !", "Basic YQ=="] {
            assert_eq!(read(header), None, "{header}");
        }
    }

    #[test]
    fn credentials_are_read_as_a_form_has_them_and_as_they_stand() {
        assert_eq!(of("1:abc%2D%2Ddef"), Some((pair("1", "abc--def"), Some(pair("1", "abc%2D%2Ddef")))));
        assert_eq!(of("1:a+b/c="), Some((pair("1", "a b/c="), Some(pair("1", "a+b/c=")))));
        assert_eq!(of("1:100%"), Some((pair("1", "100%"), None)));
        assert_eq!(of("1:%FF"), Some((pair("1", "%FF"), None)), "no text");
    }
}
