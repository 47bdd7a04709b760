//! Which names are names of secrets.

/// A name with one of these in it names a secret, whatever its dashes and capitals.
const PARTS: [&str; 22] = [
    "accesskey",
    "apikey",
    "assertion",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "csrf",
    "jwt",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "samlresponse",
    "secret",
    "sessid",
    "sessionid",
    "signature",
    "token",
    "verifier",
    "xsrf",
];

/// A name whose last word is one of these names a secret: `PHP_AUTH_PW`, `OPENAI_KEY`.
const LAST_WORDS: [&str; 12] =
    ["auth", "key", "mfa", "otp", "pass", "pin", "pw", "pwd", "session", "sid", "sig", "ticket"];

/// The names of keys that open nothing.
const PLAIN_KEYS: [&str; 9] =
    ["cache", "composite", "foreign", "partition", "primary", "public", "sort", "translation", "unique"];

/// The code by which a client gets a token: a secret in addresses, and a plain word elsewhere.
const CODE: &str = "code";

/// Words in the names of exceptions.
const MISHAPS: [&str; 18] = [
    "bad",
    "denied",
    "error",
    "exception",
    "expired",
    "failed",
    "failure",
    "forbidden",
    "illegal",
    "invalid",
    "malformed",
    "mismatch",
    "missing",
    "required",
    "stale",
    "unauthorized",
    "unexpected",
    "unknown",
];

/// No name of a header or a variable is longer.
const MAX_NAME_CHARS: usize = 64;

/// True if what stands beside this name is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let together: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if PARTS.iter().any(|part| together.contains(part)) {
        return true;
    }
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return false };
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_plain = last == "key" && before.last().is_some_and(|word| PLAIN_KEYS.contains(&word.as_str()));
    LAST_WORDS.contains(&last) && !is_plain
}

/// The same in addresses.
pub(super) fn is_secret_in_address(name: &str) -> bool {
    is_secret(name) || words(name).join("") == CODE
}

/// True if a text is the name of a secret and nothing else, as in `["Cookie", …]`.
pub(super) fn is_name_of_secret(text: &str) -> bool {
    let name = text.trim().trim_end_matches(':');
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']');
    name.len() <= MAX_NAME_CHARS && name.chars().all(is_of_name) && is_secret(name)
}

/// True if it names an exception, as `InvalidAuthenticityToken`: in logs a colon follows it, and then what went wrong.
pub(super) fn is_exception(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && !name.contains(['_', '-'])
        && words(name).iter().any(|word| MISHAPS.contains(&word.as_str()))
}

/// True if a name has several words, as nobody writes them in a sentence: `X-Api-Key`, `client_secret`, `apiKey`.
pub(super) fn is_compound(name: &str) -> bool {
    let name = name.trim_matches(['-', '_']);
    name.contains(['-', '_']) || (name.starts_with(|c: char| c.is_ascii_lowercase()) && words(name).len() > 1)
}

/// The words of a name, in small letters: `x-apiKey` has three.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_small) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        was_small = !c.is_ascii_uppercase();
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_every_spelling() {
        for name in [
            "HTTP_AUTHORIZATION",
            "HTTP_COOKIE",
            "Set-Cookie",
            "x-api-key",
            "apiKey",
            "X-CSRF-Token",
            "PRIVATE-TOKEN",
            "authenticity_token",
            "client_secret",
            "aws_secret_access_key",
            "password_confirmation",
            "user[password]",
            "session",
            "rack.session",
            "PHP_AUTH_PW",
            "passcode",
            "bearer",
            "OPENAI_KEY",
            "SSL_CLIENT_KEY",
            "PHPSESSID",
            "db_pass2",
            "pin",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "HTTP_USER_AGENT",
            "REQUEST_METHOD",
            "status_code",
            "keyboard",
            "bypass",
            "shipping",
            "primary_key",
            "publicKey",
            "author",
            "key_name",
            "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
        assert!(is_secret_in_address("code") && !is_secret_in_address("postcode"));
    }

    #[test]
    fn a_name_of_several_words_is_no_word_of_a_sentence() {
        for name in ["X-Api-Key", "client_secret", "apiKey", "--api-key"] {
            assert!(is_compound(name), "{name}");
        }
        for name in ["password", "Password", "--password", "SecretManager", ""] {
            assert!(!is_compound(name), "{name}");
        }
    }

    #[test]
    fn exceptions_are_no_secrets() {
        for name in ["InvalidAuthenticityToken", "TokenExpiredError", "ExpiredJwtException", "MissingSecret"] {
            assert!(is_exception(name), "{name}");
        }
        for name in ["Authorization", "SecretAccessKey", "X-Invalid-Token", "invalidToken", "token"] {
            assert!(!is_exception(name), "{name}");
        }
    }
}
