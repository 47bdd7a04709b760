//! Secrets: whose they are, and which of them can be guessed.

/// Whose secret it is, which decides how strong it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// The operator's own, made for this service.
    Own,
    /// The operator's own, which signs by Standard Webhooks: `whsec_` and base64.
    Signing,
    /// A key that another service has given out; how long it is, is that service's affair.
    OfService,
}

/// What is shorter can be guessed.
const MIN_CHARS: usize = 32;
/// A random secret has more, in whatever alphabet it is written.
const MIN_DIFFERENT_CHARS: usize = 8;
/// Words of those who meant to fill in something else.
const PLACEHOLDERS: [&str; 6] = ["changeme", "change-me", "change_me", "placeholder", "example", "your-secret"];

const SIGNING_PREFIX: &str = "whsec_";
/// The least bytes of a key that signs, by the specification.
const MIN_SIGNING_BYTES: usize = 24;

impl Secret {
    pub(crate) fn check(self, value: &str, development: bool) -> Result<(), String> {
        if value.chars().any(char::is_control) {
            return Err("has a line break or another control character in it".to_owned());
        }
        match self {
            Self::OfService => Ok(()),
            Self::Signing if !is_signing_key(value) => Err(format!("must be {SIGNING_PREFIX} and base64")),
            Self::Own | Self::Signing if development => Ok(()),
            Self::Own => strong(value, MIN_CHARS),
            Self::Signing => strong(value.trim_start_matches(SIGNING_PREFIX), MIN_SIGNING_BYTES * 4 / 3),
        }
    }

    pub(crate) fn description(self) -> String {
        match self {
            Self::Own => format!("secret of at least {MIN_CHARS} characters"),
            Self::Signing => format!("secret: `{SIGNING_PREFIX}` and base64 of at least {MIN_SIGNING_BYTES} bytes"),
            Self::OfService => "secret".to_owned(),
        }
    }
}

/// Everything but its strength; that the base64 can be read is seen where it is.
fn is_signing_key(value: &str) -> bool {
    let Some(key) = value.strip_prefix(SIGNING_PREFIX) else { return false };
    let key = key.trim_end_matches('=');
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn strong(value: &str, min_chars: usize) -> Result<(), String> {
    let how = "make one with: openssl rand -hex 32";
    let mut chars: Vec<_> = value.chars().collect();
    if chars.len() < min_chars {
        return Err(format!("is too short: a secret has at least {min_chars} characters ({how})"));
    }
    let lower = value.to_ascii_lowercase();
    if PLACEHOLDERS.iter().any(|placeholder| lower.contains(placeholder)) {
        return Err(format!("is a placeholder that was never replaced ({how})"));
    }
    chars.sort_unstable();
    chars.dedup();
    match chars.len() < MIN_DIFFERENT_CHARS {
        true => Err(format!("can be guessed: it has fewer than {MIN_DIFFERENT_CHARS} different characters ({how})")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_secrets_are_long_and_cannot_be_guessed() {
        let good = "9f2c4b1e7d3a5068c1b2a3f4e5d69788";
        assert_eq!(Secret::Own.check(good, false), Ok(()));
        for (weak, why) in [
            ("9f2c4b1e7d3a5068c1b2a3f4e5d6978", "too short"),
            (&"a".repeat(64), "different characters"),
            (&"abc123".repeat(8), "different characters"),
            ("changeme-changeme-changeme-changeme", "placeholder"),
            ("My-EXAMPLE-secret-0123456789-abcdef", "placeholder"),
            (&format!("{good}\n"), "line break"),
        ] {
            let reason = Secret::Own.check(weak, false).unwrap_err();
            assert!(reason.contains(why) && !reason.contains(weak.trim()), "{weak}: {reason}");
        }
        assert_eq!(Secret::Own.check("short", true), Ok(()), "in development");
    }

    #[test]
    fn a_signing_secret_is_base64_of_enough_bytes() {
        assert_eq!(Secret::Signing.check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", false), Ok(()));
        for wrong in ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_with-dashes", "whsec_MfKQ9r8GKYqrTwjU"] {
            assert!(Secret::Signing.check(wrong, false).is_err(), "{wrong}");
        }
        assert_eq!(Secret::Signing.check("whsec_MfKQ9r8GKYqrTwjU", true), Ok(()), "in development");
        assert!(Secret::Signing.check("whsec_!", true).is_err(), "in development too");
    }

    #[test]
    fn the_key_of_a_service_is_as_that_service_has_it() {
        assert_eq!(Secret::OfService.check("SG.1", false), Ok(()));
        assert!(Secret::OfService.check("SG.1\r\n", false).is_err());
    }
}
