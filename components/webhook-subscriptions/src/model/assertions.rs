//! The assertions of tools: for whom they are, and for how long.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Number;

pub(crate) const MAX_JTI_BYTES: usize = 512;

/// For whom an assertion is.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    pub(crate) fn is(&self, address: &str) -> bool {
        match self {
            Self::One(one) => one == address,
            Self::Several(several) => several.iter().any(|one| one == address),
        }
    }
}

/// Reads a moment in seconds since 1970, of which an assertion may say parts: they are cut off.
pub(crate) fn whole_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let seconds = Number::deserialize(deserializer)?;
    let whole = seconds.as_i64().or_else(|| seconds.to_string().split('.').next()?.parse().ok());
    whole.ok_or_else(|| D::Error::custom("must be seconds"))
}

/// The claims that every assertion is judged by, whoever has signed it.
pub(crate) struct JudgedClaims<'a> {
    pub(crate) aud: &'a Audience,
    pub(crate) exp: i64,
    pub(crate) iat: i64,
    pub(crate) jti: &'a str,
}

/// The times within which an assertion is good, in seconds.
pub(crate) struct Lifetime {
    /// The time for which it may be good.
    pub(crate) longest: i64,
    /// The age that it may have; `None`: any.
    pub(crate) oldest: Option<i64>,
    /// The time by which the tool's clock may be ahead of ours.
    pub(crate) ahead: i64,
}

impl Lifetime {
    /// True if an assertion with these claims is for that address and good at this moment.
    pub(crate) fn allows(&self, claims: &JudgedClaims<'_>, address: &str, now: i64) -> bool {
        let latest_end = now.saturating_add(self.longest).saturating_add(self.ahead);
        let earliest = self.oldest.map_or(i64::MIN, |oldest| now.saturating_sub(oldest));
        claims.aud.is(address)
            && now < claims.exp
            && claims.exp <= latest_end
            && (earliest..=now.saturating_add(self.ahead)).contains(&claims.iat)
            && !claims.jti.is_empty()
            && claims.jti.len() <= MAX_JTI_BYTES
    }
}
