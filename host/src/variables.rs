//! Variables: what the application declares, where the values come from, and the templates that hand them on.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use wasmtime::component::{Accessor, HasSelf};

use crate::bindings::variables::{Error, Host, HostWithStore};
use crate::component::State;
use crate::manifest::Variable;

/// What the names of variables begin with in the environment, and in files of secrets.
pub(crate) const PREFIX: &str = "SPIN_VARIABLE_";

/// The resolved application variables.
#[derive(Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Resolves every declared variable. `given` is stronger than the environment variable
    /// `SPIN_VARIABLE_<NAME>`, which `environment` looks up, and that is stronger than the default.
    ///
    /// # Errors
    /// [`WrongVariables`] names every required variable that has no value.
    pub(crate) fn resolve(
        declared: &BTreeMap<String, Variable>,
        given: &[(String, String)],
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        for (name, _) in given {
            ensure!(declared.contains_key(name), "the manifest declares no variable \"{name}\"");
        }
        let mut values = BTreeMap::new();
        let mut wrong = Vec::new();
        for (name, variable) in declared {
            check_name(name)?;
            ensure!(
                variable.required || variable.default.is_some(),
                "the variable \"{name}\" must have a default or be required"
            );
            let value = given
                .iter()
                .rev()
                .find_map(|(given, value)| (given == name).then(|| value.clone()))
                .or_else(|| environment(&format!("{PREFIX}{}", name.to_uppercase())))
                .or_else(|| variable.default.clone());
            match value.filter(|value| !(variable.required && value.is_empty())) {
                Some(value) => _ = values.insert(name.clone(), value),
                None => wrong.push(missing(name)),
            }
        }
        ensure!(wrong.is_empty(), WrongVariables(wrong));
        Ok(Self(values))
    }

    /// The variables of the environment that the application does not declare. Another application may have them, so they
    /// are no reason not to start.
    pub(crate) fn undeclared(
        declared: &BTreeMap<String, Variable>,
        environment: impl Iterator<Item = String>,
    ) -> Vec<String> {
        let is_declared = |name: &str| declared.keys().any(|declared| name == declared.to_uppercase());
        environment.filter(|name| name.strip_prefix(PREFIX).is_some_and(|name| !is_declared(name))).collect()
    }

    /// Checks the values of Lectern's own variables. Spin asks nothing of values; what it would start with and answer 500
    /// to is refused here.
    ///
    /// # Errors
    /// [`WrongVariables`] names every variable whose value is none that it takes.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = settings::check_all(self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        ensure!(wrong.is_empty(), WrongVariables(wrong.iter().map(ToString::to_string).collect()));
        Ok(())
    }

    /// Replaces every `{{ name }}` in `template` with the value of that variable.
    pub(crate) fn expand(&self, template: &str) -> Result<String> {
        let mut expanded = String::new();
        let mut rest = template;
        while let Some((text, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").context("a \"{{\" is never closed")?;
            let name = name.trim();
            let value = self.0.get(name).with_context(|| format!("there is no variable \"{name}\""))?;
            expanded.push_str(text);
            expanded.push_str(value);
            rest = after;
        }
        if rest.contains("}}") {
            bail!("a \"}}}}\" without its \"{{{{\"");
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

/// The variables with which the application cannot start, a sentence for each. No value of a secret is in them.
#[derive(Debug)]
pub struct WrongVariables(Vec<String>);

impl WrongVariables {
    /// The sentences.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for WrongVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for WrongVariables {}

fn missing(name: &str) -> String {
    let environment = format!("{PREFIX}{}", name.to_uppercase());
    format!("variable {name} has no value: set {environment} in the environment or pass --variable {name}=VALUE")
}

/// Spin's rule for variable names: lower-case words joined by single underscores.
fn check_name(name: &str) -> Result<()> {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    ensure!(
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(word),
        "\"{name}\" is not a variable name: use lower-case words joined by underscores"
    );
    Ok(())
}

impl Host for State {}

impl<T: 'static> HostWithStore<T> for HasSelf<State> {
    async fn get(accessor: &Accessor<T, Self>, name: String) -> wasmtime::Result<Result<String, Error>> {
        Ok(accessor.with(|mut access| match access.get().settings.variables.get(&name) {
            Some(value) => Ok(value.clone()),
            None => match check_name(&name) {
                Ok(()) => Err(Error::Undefined(format!("no variable \"{name}\" for this component"))),
                Err(error) => Err(Error::InvalidName(error.to_string())),
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> BTreeMap<String, Variable> {
        let required = Variable { required: true, ..Variable::default() };
        let optional = Variable { default: Some("from the manifest".to_owned()), ..Variable::default() };
        BTreeMap::from([("secret".to_owned(), required), ("base_url".to_owned(), optional)])
    }

    fn given(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn the_command_line_beats_the_environment_and_both_beat_the_default() {
        let environment = |name: &str| (name == "SPIN_VARIABLE_SECRET").then(|| "from outside".to_owned());
        let values = Variables::resolve(&declared(), &[], environment).unwrap();
        assert_eq!(values.expand("{{ secret }}/{{base_url}}!").unwrap(), "from outside/from the manifest!");
        let values = Variables::resolve(&declared(), &given("secret", "typed"), environment).unwrap();
        assert_eq!(values.expand("{{secret}}").unwrap(), "typed");
    }

    #[test]
    fn a_required_variable_without_a_value_is_named() {
        for environment in [None, Some(String::new())] {
            let error = Variables::resolve(&declared(), &[], |_| environment.clone()).unwrap_err();
            let wrong = error.downcast_ref::<WrongVariables>().unwrap().lines();
            assert!(matches!(wrong, [line] if line.contains("variable secret")), "{wrong:?}");
        }
    }

    #[test]
    fn each_wrong_value_has_a_line_and_a_secret_is_in_none() {
        let values = [("development", "no"), ("token_secret", "hunter2"), ("trusted_proxies", "1")];
        let values = Variables(values.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let error = values.check().unwrap_err();
        let wrong = error.downcast_ref::<WrongVariables>().unwrap().lines();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("development") && wrong[1].contains("token_secret"), "{wrong:?}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn a_misspelt_variable_is_refused() {
        assert!(Variables::resolve(&declared(), &given("sceret", "x"), |_| None).is_err());
    }

    #[test]
    fn a_misspelt_variable_of_the_environment_is_told() {
        let environment = ["SPIN_VARIABLE_SECRET", "SPIN_VARIABLE_SCERET", "SPIN_VARIABLE_secret", "PATH"];
        let undeclared = Variables::undeclared(&declared(), environment.into_iter().map(str::to_owned));
        assert_eq!(undeclared, ["SPIN_VARIABLE_SCERET", "SPIN_VARIABLE_secret"]);
    }

    #[test]
    fn templates_that_do_not_close_or_name_nothing_are_refused() {
        let values = Variables::default();
        assert_eq!(values.expand("plain { text }").unwrap(), "plain { text }");
        for wrong in ["{{ open", "close }}", "{{ unknown }}"] {
            assert!(values.expand(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_follow_the_rule_of_spin() {
        for good in ["a", "model_2", "base_url"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "_a", "a_", "a__b", "A", "2a", "a-b"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
