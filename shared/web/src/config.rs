//! Configuration: Spin variables, each read once a minute by an instance, and checked by the table in `settings`. To read
//! one costs as much as to answer a request, and who changes a secret waits for a minute anyway.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use settings::DEVELOPMENT;
use spin_sdk::variables;

use crate::error::{Error, Result};

/// The time for which a variable is believed to be what it was when it was read.
const MAX_AGE: Duration = Duration::from_secs(60);

thread_local! {
    /// The variables that the instance has read and found usable, and when.
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
///
/// # Errors
/// Internal, for the log, where the value is none that the variable takes. A secret that can be guessed is such a value,
/// unless the service runs in development.
pub async fn get(name: &str) -> Result<Option<String>> {
    if let Some(known) = known(name) {
        return Ok(known);
    }
    let development = name != DEVELOPMENT && is_development().await?;
    read(name, development).await
}

/// The flag by which the values of others are judged. It is read with the first of them.
async fn is_development() -> Result<bool> {
    let value = match known(DEVELOPMENT) {
        Some(known) => known,
        None => read(DEVELOPMENT, false).await?,
    };
    Ok(value.is_some_and(|value| value == "true"))
}

/// What the instance has read not long ago.
fn known(name: &str) -> Option<Option<String>> {
    let (value, since) = VARIABLES.with_borrow(|variables| variables.get(name).cloned())?;
    (since.elapsed() < MAX_AGE).then_some(value)
}

/// Reads a variable, and keeps it if its value is one that it takes.
async fn read(name: &str, development: bool) -> Result<Option<String>> {
    let value = match variables::get(name).await {
        Ok(value) => Some(value).filter(|value| !value.is_empty()),
        Err(variables::Error::Undefined(_)) => None,
        Err(error) => return Err(Error::internal(anyhow::anyhow!("variable {name}: {error}"))),
    };
    settings::check(name, value.as_deref().unwrap_or_default(), development).map_err(Error::internal)?;
    VARIABLES.with_borrow_mut(|variables| variables.insert(name.to_owned(), (value.clone(), Instant::now())));
    Ok(value)
}

/// The secret variable, or `None` where it is empty.
pub async fn secret(name: &str) -> Result<Option<Secret>> {
    Ok(get(name).await?.map(Secret))
}

/// That secret, and the one before it (the variable `NAME_previous`), which stays good for as long as the operator leaves it
/// there: so a secret is changed while others still show the old one, or check by it. None where the secret itself is empty.
pub async fn own_secrets(name: &str) -> Result<Vec<Secret>> {
    let Some(current) = secret(name).await? else { return Ok(Vec::new()) };
    let previous = secret(&format!("{name}_previous")).await?;
    Ok(std::iter::once(current).chain(previous).collect())
}

/// The same, where the service cannot work without it.
pub async fn required_secret(name: &str) -> Result<Secret> {
    secret(name).await?.ok_or_else(|| is_not_set(name))
}

/// True if the variable says `true`.
pub async fn flag(name: &str) -> Result<bool> {
    Ok(get(name).await?.is_some_and(|value| value == "true"))
}

/// The number of the variable, or its default.
pub async fn number<N: FromStr>(name: &str) -> Result<N> {
    optional_number(name).await?.ok_or_else(|| is_not_set(name))
}

/// The number of a variable that may be without one.
pub async fn optional_number<N: FromStr>(name: &str) -> Result<Option<N>> {
    let value = get(name).await?.or_else(|| settings::variable(name)?.kind.default());
    let number = value.map(|value| value.trim().parse());
    number.transpose().map_err(|_no_number| Error::internal(anyhow::anyhow!("variable {name} is no number")))
}

fn is_not_set(name: &str) -> Error {
    Error::internal(anyhow::anyhow!("variable {name} is not set"))
}
