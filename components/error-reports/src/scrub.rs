//! Scrubbing: whoever reads a report must not get at what its reporter may do. So tokens, passwords and keys are taken out of
//! addresses, headers and texts before anything is stored.

use std::borrow::Cow;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value};

/// What stands where a secret stood.
const FILTERED: &str = "[FILTERED]";

/// A name with one of these in it names a secret, whatever its dashes and capitals.
const PARTS: [&str; 18] = [
    "accesskey",
    "apikey",
    "assertion",
    "authorization",
    "cookie",
    "credential",
    "csrf",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "samlresponse",
    "secret",
    "signature",
    "token",
    "verifier",
    "xsrf",
];

/// These name secrets where they are the whole name.
const NAMES: [&str; 13] = [
    "auth",
    "jsessionid",
    "key",
    "otp",
    "pass",
    "phpsessid",
    "pin",
    "pwd",
    "session",
    "sessionid",
    "sid",
    "sig",
    "ticket",
];

/// The code by which a client gets a token: a secret in addresses, and a plain word elsewhere.
const CODE: &str = "code";

/// What a log says of a secret: the rest of such a line is one. Names of exceptions, which end in a colon too, are none of
/// these.
const LINES: [&str; 12] = [
    "accesstoken",
    "apikey",
    "authorization",
    "clientsecret",
    "cookie",
    "passwd",
    "password",
    "proxyauthorization",
    "refreshtoken",
    "setcookie",
    "xapikey",
    "xauthtoken",
];

/// How often something is escaped until we take it for what it says.
const ESCAPES: usize = 4;

/// What a person has written: addresses and tokens in it lose their secrets.
pub(crate) fn text(text: &str) -> String {
    let mut scrubbed = String::with_capacity(text.len());
    let mut announced = false;
    for piece in text.split_inclusive(is_boundary) {
        let word = piece.trim_end_matches(is_boundary);
        let boundary = piece.strip_prefix(word).unwrap_or_default();
        if announced && looks_random(word) {
            scrubbed.push_str(FILTERED);
        } else {
            scrubbed.push_str(&scrub_word(word, ESCAPES));
        }
        scrubbed.push_str(boundary);
        announced = if word.is_empty() { announced } else { announces_token(word) };
    }
    scrubbed
}

/// What a machine has written: lines that name a secret lose the rest of the line too.
pub(crate) fn log(log: &str) -> String {
    let lines = log.split_inclusive('\n').map(|line| {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        match secret_of_line(line) {
            Some(before) => format!("{}{FILTERED}{end}", text(before)),
            None => text(line),
        }
    });
    lines.collect()
}

/// The environment of a report: values whose names say so are secrets, the others are read as logs.
pub(crate) fn environment(environment: Map<String, Value>) -> Map<String, Value> {
    // `{"name": "Cookie", "value": …}`
    let named = ["name", "key", "header"]
        .iter()
        .find(|key| environment.len() > 1 && environment.get(**key).and_then(Value::as_str).is_some_and(is_secret));
    let entries = environment.into_iter().map(|(name, value)| {
        let is_name = named.is_some_and(|key| *key == name);
        let secret = named.map_or_else(|| is_secret(&name), |_| !is_name);
        let value = match value {
            Value::Null => Value::Null,
            _ if secret => Value::from(FILTERED),
            value if is_name => value,
            value => scrub_value(value),
        };
        (text(&name), value)
    });
    entries.collect()
}

fn scrub_value(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(environment(object)),
        Value::Array(list) => match list.as_slice() {
            // `["Cookie", …]`
            [Value::String(name), Value::String(_)] if is_secret(name) => Value::from(vec![name.as_str(), FILTERED]),
            _ => list.into_iter().map(scrub_value).collect(),
        },
        Value::String(text) => Value::String(log(&text)),
        other => other,
    }
}

/// What cannot be part of an address as browsers write it.
fn is_boundary(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '<' | '>' | '`')
}

/// `Bearer`, `Authorization:Basic`: a secret comes next.
fn announces_token(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).rsplit([':', '=']).next().unwrap_or_default();
    ["bearer", "basic", "digest"].iter().any(|kind| word.eq_ignore_ascii_case(kind))
}

/// Longer than most words, and with nothing in it that tokens have not.
fn looks_random(word: &str) -> bool {
    let word = word.trim_matches(|c| matches!(c, '\'' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';'));
    word.len() >= 12 && word.chars().all(|c| c.is_ascii_alphanumeric() || "-._~+/=%".contains(c))
}

/// What stands before the secret of a line such as `Cookie: …` or `"password" => …`.
fn secret_of_line(line: &str) -> Option<&str> {
    let separators = line.match_indices([':', '=']).filter(|(at, separator)| {
        // In `a=b` the value ends before the line does.
        let after = line.get(at + 1..).unwrap_or_default();
        !after.trim().is_empty() && (*separator == ":" || after.starts_with(['>', ' ', '"', '\'']))
    });
    let mut before = separators.filter_map(|(at, separator)| {
        let name = line.get(..at)?.trim_end_matches([' ', '"', '\'']);
        let name = name.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).next()?;
        let length = at + if line.get(at..)?.starts_with("=>") { 2 } else { separator.len() };
        LINES.contains(&normal(name).as_str()).then(|| line.get(..length))?
    });
    before.next()
}

fn scrub_word(word: &str, escapes: usize) -> String {
    let word = without_users(word);
    let mut scrubbed = String::with_capacity(word.len());
    for piece in word.split_inclusive(['?', '&', ';', '#']) {
        let pair = piece.trim_end_matches(['?', '&', ';', '#']);
        let separator = piece.strip_prefix(pair).unwrap_or_default();
        scrubbed.push_str(&scrub_pair(pair, escapes));
        scrubbed.push_str(separator);
    }
    scrubbed
}

/// `name=value`; where there are more of these signs, whatever stands before one may be a name.
fn scrub_pair(pair: &str, escapes: usize) -> String {
    let mut scrubbed = Vec::new();
    let mut rest = pair;
    while let Some((name, value)) = rest.split_once('=') {
        scrubbed.push(scrub_escaped(name, escapes));
        let plain = unescaped(name);
        if !value.is_empty() && (is_secret(&plain) || normal(&plain) == CODE) {
            scrubbed.push(FILTERED.to_owned());
            return scrubbed.join("=");
        }
        rest = value;
    }
    scrubbed.push(without_tokens(&scrub_escaped(rest, escapes)));
    scrubbed.join("=")
}

/// An address may stand inside another one, escaped as often as it is nested.
fn scrub_escaped(value: &str, escapes: usize) -> String {
    let plain = match percent_decode_str(value).decode_utf8() {
        Ok(plain) if plain != value => plain,
        Ok(_) | Err(_) => return value.to_owned(),
    };
    // Nobody escapes so often; who does has something to hide.
    let Some(left) = escapes.checked_sub(1) else { return FILTERED.to_owned() };
    let scrubbed = scrub_word(&plain, left);
    if scrubbed == plain { value.to_owned() } else { utf8_percent_encode(&scrubbed, NON_ALPHANUMERIC).to_string() }
}

/// Addresses without the user and the password before the host.
fn without_users(word: &str) -> String {
    let mut scrubbed = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("//") {
        let authority = after.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        scrubbed.push_str(before);
        scrubbed.push_str("//");
        match authority.rsplit_once('@') {
            Some((_user, host)) => scrubbed.extend([FILTERED, "@", host]),
            None => scrubbed.push_str(authority),
        }
        rest = after.strip_prefix(authority).unwrap_or_default();
    }
    scrubbed.push_str(rest);
    scrubbed
}

/// JSON Web Tokens are known by their beginning, wherever they stand.
fn without_tokens(text: &str) -> String {
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let pieces = text.split_inclusive(|c| !is_of_token(c)).map(|piece| {
        let word = piece.trim_end_matches(|c| !is_of_token(c));
        match word.starts_with("eyJ") && word.matches('.').count() >= 2 {
            true => format!("{FILTERED}{}", piece.strip_prefix(word).unwrap_or_default()),
            false => piece.to_owned(),
        }
    });
    pieces.collect()
}

fn unescaped(text: &str) -> String {
    let mut plain = text.to_owned();
    for _ in 0..ESCAPES {
        match percent_decode_str(&plain).decode_utf8().map(Cow::into_owned) {
            Ok(next) if next != plain => plain = next,
            Ok(_) | Err(_) => break,
        }
    }
    plain
}

fn is_secret(name: &str) -> bool {
    let name = normal(name);
    PARTS.iter().any(|part| name.contains(part)) || NAMES.contains(&name.as_str())
}

/// `HTTP_X_API_KEY`, `x-api-key` and `xApiKey` are one name.
fn normal(name: &str) -> String {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    match name.strip_prefix("http") {
        Some(header) => header.to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJlLW9mLWEtdG9rZW4";

    #[test]
    fn addresses_lose_their_secrets_and_keep_the_rest() {
        for (address, scrubbed) in [
            ("https://lms.test/courses/7?page=2", "https://lms.test/courses/7?page=2"),
            ("https://lms.test/?access_token=s3cret", "https://lms.test/?access_token=[FILTERED]"),
            (
                "https://lms.test/?a=1&ACCESS_TOKEN=s3cret&b=2#top",
                "https://lms.test/?a=1&ACCESS_TOKEN=[FILTERED]&b=2#top",
            ),
            ("https://lms.test/?access%5Ftoken=s3cret", "https://lms.test/?access%5Ftoken=[FILTERED]"),
            ("https://lms.test/?access%255Ftoken=s3cret", "https://lms.test/?access%255Ftoken=[FILTERED]"),
            ("https://lms.test/#access_token=s3cret&state=1", "https://lms.test/#access_token=[FILTERED]&state=1"),
            ("https://lms.test/?user[password]=s3cret", "https://lms.test/?user[password]=[FILTERED]"),
            ("https://lms.test/a;jsessionid=s3cret?b=1", "https://lms.test/a;jsessionid=[FILTERED]?b=1"),
            ("https://lms.test/?api_key=s3cret;b=1", "https://lms.test/?api_key=[FILTERED];b=1"),
            ("https://lms.test/login?code=s3cret", "https://lms.test/login?code=[FILTERED]"),
            ("https://lms.test/files/1?verifier=s3cret", "https://lms.test/files/1?verifier=[FILTERED]"),
            (
                "https://s3.test/o?X-Amz-Signature=s3cret&X-Amz-Date=1",
                "https://s3.test/o?X-Amz-Signature=[FILTERED]&X-Amz-Date=1",
            ),
            ("https://lms.test/polls?ticket=s3cret", "https://lms.test/polls?ticket=[FILTERED]"),
            ("https://ada:s3cret@lms.test/a", "https://[FILTERED]@lms.test/a"),
            ("https://s3cret@lms.test", "https://[FILTERED]@lms.test"),
            ("https://ada:s3@cret@lms.test/@home", "https://[FILTERED]@lms.test/@home"),
            ("https://ada:s3,(cret)'@lms.test/", "https://[FILTERED]@lms.test/"),
            ("https://lms.test/?token=s3,(cret)'&b=1", "https://lms.test/?token=[FILTERED]&b=1"),
            ("https://lms.test/?token[]=s3cret", "https://lms.test/?token[]=[FILTERED]"),
            ("//ada:s3cret@lms.test/", "//[FILTERED]@lms.test/"),
            ("/courses?token=s3cret", "/courses?token=[FILTERED]"),
            ("https://lms.test/?token=", "https://lms.test/?token="),
            (
                "https://lms.test/?back=https%3A%2F%2Fa.test%2F%3Ftoken%3Ds3cret%26b%3D1",
                "https://lms.test/?back=https%3A%2F%2Fa%2Etest%2F%3Ftoken%3D%5BFILTERED%5D%26b%3D1",
            ),
            (
                "https://lms.test/?back=https://a.test/?token=s3cret",
                "https://lms.test/?back=https://a.test/?token=[FILTERED]",
            ),
            ("https://lms.test/?back=a=token=s3cret", "https://lms.test/?back=a=token=[FILTERED]"),
            ("https://lms.test/?q=100%25%20sure", "https://lms.test/?q=100%25%20sure"),
            ("https://lms.test/?q=%FF", "https://lms.test/?q=%FF"),
            ("====== a=b=c=d=e=f", "====== a=b=c=d=e=f"),
            ("https://lms.test/?x=%3Ftoken%3Ds3cret=1", "https://lms.test/?x=%3Ftoken%3D%5BFILTERED%5D=[FILTERED]"),
        ] {
            assert_eq!(text(address), scrubbed, "{address}");
        }
    }

    #[test]
    fn texts_lose_tokens_and_keep_their_words() {
        for (written, scrubbed) in [
            ("The token was refused, my password is gone", "The token was refused, my password is gone"),
            ("I forgot my password: please help", "I forgot my password: please help"),
            ("see <https://lms.test/?token=s3cret>, please", "see <https://lms.test/?token=[FILTERED]>, please"),
            ("Authorization: Bearer s3cret-s3cret-s3cret", "Authorization: Bearer [FILTERED]"),
            ("authorization: basic QWRhOnNlY3JldA==", "authorization: basic [FILTERED]"),
            ("Bearer tokens do not work", "Bearer tokens do not work"),
            ("curl -H 'Authorization: Bearer  s3cret-s3cret-s3cret'", "curl -H 'Authorization: Bearer  [FILTERED]"),
            ("'Bearer s3cret-s3cret-s3cret'", "'Bearer [FILTERED]"),
        ] {
            assert_eq!(text(written), scrubbed, "{written}");
        }
        assert_eq!(text(&format!("it said {JWT}!")), "it said [FILTERED]!");
        assert_eq!(text(&format!("https://lms.test/?x={JWT}")), "https://lms.test/?x=[FILTERED]");
        assert_eq!(text(&format!("https://lms.test/{JWT}/a")), "https://lms.test/[FILTERED]/a");
    }

    #[test]
    fn lines_of_logs_lose_what_they_name() {
        for (written, scrubbed) in [
            ("InvalidAuthenticityToken: it is stale", "InvalidAuthenticityToken: it is stale"),
            ("Cookie: a=1; session=s3cret", "Cookie:[FILTERED]"),
            ("cookie:a=1 s3cret", "cookie:[FILTERED]"),
            ("password = s3cret s3cret", "password =[FILTERED]"),
            ("password='s3cret s3cret'", "password=[FILTERED]"),
            ("password:\nforgotten", "password:\nforgotten"),
            ("a: 1\nPassword: s3cret s3cret\nb: 2", "a: 1\nPassword:[FILTERED]\nb: 2"),
            ("{\"password\" => \"s3cret\"}", "{\"password\" =>[FILTERED]"),
            ("{\"a\":1,\"api_key\":\"s3cret\"}", "{\"a\":1,\"api_key\":[FILTERED]"),
            ("at app.js:12: no such thing", "at app.js:12: no such thing"),
            ("X-Api-Key: s3cret\r\n", "X-Api-Key:[FILTERED]\n"),
        ] {
            assert_eq!(log(written), scrubbed, "{written}");
        }
    }

    #[test]
    fn the_environment_loses_what_its_names_say_are_secrets() {
        let scrubbed = |value: Value| scrub_value(value);
        for (name, secret) in [
            ("HTTP_AUTHORIZATION", true),
            ("HTTP_COOKIE", true),
            ("Set-Cookie", true),
            ("x-api-key", true),
            ("apiKey", true),
            ("X-CSRF-Token", true),
            ("authenticity_token", true),
            ("client_secret", true),
            ("aws_secret_access_key", true),
            ("password_confirmation", true),
            ("session", true),
            ("HTTP_USER_AGENT", false),
            ("REQUEST_METHOD", false),
            ("status_code", false),
            ("keyboard", false),
        ] {
            let expected = if secret { FILTERED } else { "value" };
            assert_eq!(scrubbed(json!({ name: "value" })), json!({ name: expected }), "{name}");
            assert_eq!(scrubbed(json!({"a": [{ name: "value" }]})), json!({"a": [{ name: expected }]}), "{name}");
        }
        for (environment, expected) in [
            (json!({"token": {"a": 1}, "x": null}), json!({"token": FILTERED, "x": null})),
            (json!({"name": "Cookie", "value": "a=1"}), json!({"name": "Cookie", "value": FILTERED})),
            (json!([["Cookie", "a=1"], ["Host", "a"]]), json!([["Cookie", FILTERED], ["Host", "a"]])),
            (json!({"QUERY_STRING": "a=1&token=x"}), json!({"QUERY_STRING": "a=1&token=[FILTERED]"})),
            (json!({"HTTP_REFERER": "https://a:b@c.test/"}), json!({"HTTP_REFERER": "https://[FILTERED]@c.test/"})),
            (json!({"token=x&a": 1}), json!({"token=[FILTERED]&a": FILTERED})),
            (json!({"raw": "GET /\nCookie: a"}), json!({"raw": "GET /\nCookie:[FILTERED]"})),
        ] {
            assert_eq!(scrubbed(environment.clone()), expected, "{environment}");
        }
    }

    proptest! {
        #[test]
        fn no_secret_of_an_address_survives(
            before in "[a-zA-Z0-9%&=;?#/:@ .,()'-]{0,20}",
            name in prop::sample::select(vec!["token", "access_token", "user[password]", "api-key"]),
            after in "(&[a-z%]{0,8}=[a-z%]{0,8}){0,3}",
        ) {
            let address = format!("https://lms.test/{before}?{name}=S3CRET,S3CRET{after}");
            prop_assert!(!text(&address).contains("S3CRET"), "{}", text(&address));
            prop_assert!(!log(&address).contains("S3CRET"), "{}", log(&address));
        }

        #[test]
        fn nothing_makes_it_panic(written in ".{0,200}") {
            text(&written);
            log(&written);
        }
    }
}
