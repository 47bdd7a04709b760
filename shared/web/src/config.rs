//! Configuration: Spin variables, each read once a minute by an instance. To read one costs as much as to answer a request,
//! and who changes a secret waits for a minute anyway.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use spin_sdk::variables;

use crate::error::{Error, Result};

/// A secret that the operator makes must have so many characters: what is shorter can be guessed.
const MIN_SECRET_CHARS: usize = 32;

/// The time for which a variable is believed to be what it was when it was read.
const MAX_AGE: Duration = Duration::from_secs(60);

thread_local! {
    /// The variables that the instance has read, and when.
    static VARIABLES: RefCell<HashMap<String, (Option<String>, Instant)>> = RefCell::default();
}

/// A value that must not be printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value that came from elsewhere.
    pub fn new(value: String) -> Self {
        Self(value)
    }

    /// The value, for the one place that uses it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// The variable, or `None` where it is empty or the manifest gives the component none of that name.
pub async fn get(name: &str) -> Result<Option<String>> {
    if let Some((known, since)) = VARIABLES.with_borrow(|variables| variables.get(name).cloned())
        && since.elapsed() < MAX_AGE
    {
        return Ok(known);
    }
    let value = match variables::get(name).await {
        Ok(value) => Some(value).filter(|value| !value.is_empty()),
        Err(variables::Error::Undefined(_)) => None,
        Err(error) => return Err(Error::internal(anyhow::anyhow!("variable {name}: {error}"))),
    };
    VARIABLES.with_borrow_mut(|variables| variables.insert(name.to_owned(), (value.clone(), Instant::now())));
    Ok(value)
}

/// The secret variable, or `None` where it is empty.
pub async fn secret(name: &str) -> Result<Option<Secret>> {
    Ok(get(name).await?.map(Secret))
}

/// The secret variable that the operator made for this service, or `None` where it is empty. One that is so short that it
/// can be guessed is no secret: with it nothing works but development.
pub async fn own_secret(name: &str) -> Result<Option<Secret>> {
    let Some(secret) = secret(name).await? else { return Ok(None) };
    if is_long_enough(&secret) || flag("development").await? {
        return Ok(Some(secret));
    }
    Err(Error::internal(anyhow::anyhow!(
        "variable {name} is too short: a secret has at least {MIN_SECRET_CHARS} characters (openssl rand -hex 32)"
    )))
}

fn is_long_enough(secret: &Secret) -> bool {
    secret.expose().chars().count() >= MIN_SECRET_CHARS
}

/// The same, where the service cannot work without it.
pub async fn required_secret(name: &str) -> Result<Secret> {
    own_secret(name).await?.ok_or_else(|| Error::internal(anyhow::anyhow!("variable {name} is not set")))
}

/// True if the variable says `true`.
pub async fn flag(name: &str) -> Result<bool> {
    Ok(get(name).await?.is_some_and(|value| value == "true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_long() {
        let is_long_enough = |length: usize| is_long_enough(&Secret::new("x".repeat(length)));
        assert!(is_long_enough(32) && !is_long_enough(31) && !is_long_enough(0));
    }
}
