//! The variables of the application: the type of each, and what is wrong with a value.
//!
//! [`VARIABLES`] is the one place that knows the types. `lectern-host` and `cargo xtask up` check all values by it before
//! anything starts, a component checks what it reads, and `docs/CONFIGURATION.md` is made from it and from `spin.toml`,
//! which has the names, the defaults and the words.

mod kind;
mod needs;
mod secret;
mod table;

use std::fmt;

pub use kind::Kind;
pub use secret::Secret;
pub use table::VARIABLES;

/// The variable that allows what only a developer's machine should allow.
pub const DEVELOPMENT: &str = "development";

/// A variable of the application.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variable {
    /// Its name, as `spin.toml` has it.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// A value for the documents. That of a secret is none that works in production.
    pub example: &'static str,
}

/// A value that a variable does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongValue {
    variable: &'static str,
    reason: String,
}

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "variable {} {}", self.variable, self.reason)
    }
}

impl std::error::Error for WrongValue {}

/// The variable of that name.
pub fn variable(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|variable| variable.name == name)
}

/// Checks a value. An empty one stands for the default, and a name that is not in the table takes every value.
///
/// # Errors
/// Names the variable and the values that it takes. The value of a secret, or of an address, which may have one in it, is
/// not told.
pub fn check(name: &str, value: &str, development: bool) -> Result<(), WrongValue> {
    let Some(variable) = variable(name).filter(|_| !value.is_empty()) else { return Ok(()) };
    let wrong = |reason| WrongValue { variable: variable.name, reason };
    variable.kind.check(value, development).map_err(wrong)?;
    let is_example = matches!(variable.kind, Kind::Secret(_)) && value == variable.example && !development;
    if is_example { Err(wrong("is the example of the documents, which everybody knows".to_owned())) } else { Ok(()) }
}

/// Checks all values of an application, and that what one of them needs is there: names and values, one for each variable.
pub fn check_all<'a>(values: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<WrongValue> {
    let development = values.clone().any(|(name, value)| name == DEVELOPMENT && value == "true");
    let wrong = values.clone().filter_map(|(name, value)| check(name, value, development).err());
    wrong.chain(needs::missing(values)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_wrong_value_is_told_with_its_variable() {
        let wrong = check("trusted_proxies", "one", false).unwrap_err();
        assert_eq!(wrong.to_string(), "variable trusted_proxies must be a whole number from 0 to 100, and is \"one\"");
        assert_eq!(check("trusted_proxies", "", false), Ok(()), "the default");
        assert_eq!(check("trusted_proxies", "2", false), Ok(()));
        assert_eq!(check("of_somebody_else", "one", false), Ok(()));
    }

    #[test]
    fn secrets_are_weak_in_production_alone_and_are_never_told() {
        let values = [("token_secret", "hunter2"), ("ai_api_key", "sk-1\n"), ("development", "false")];
        let told: Vec<_> = check_all(values.into_iter()).iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("token_secret") && told[0].contains("at least 32 characters"), "{told:?}");
        assert!(told[1].contains("ai_api_key"), "{told:?}");
        assert!(!told.concat().contains("hunter2") && !told.concat().contains("sk-1"), "{told:?}");
        let in_development = [("token_secret", "hunter2"), ("development", "true")];
        assert_eq!(check_all(in_development.into_iter()), []);
    }

    #[test]
    fn the_example_of_a_secret_is_none() {
        for variable in VARIABLES.iter().filter(|variable| matches!(variable.kind, Kind::Secret(_))) {
            assert!(check(variable.name, variable.example, false).is_err(), "{}", variable.name);
        }
    }

    #[test]
    fn each_variable_is_there_once_with_an_example_that_it_takes() {
        let mut names = BTreeSet::new();
        for variable in VARIABLES {
            assert!(names.insert(variable.name), "{} twice", variable.name);
            assert_eq!(check(variable.name, variable.example, true), Ok(()), "{}", variable.name);
            assert!(!variable.example.is_empty(), "{}", variable.name);
        }
    }
}
