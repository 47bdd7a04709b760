//! `configuration`: the reference of all variables, made from `spin.toml` with its comments and from the table of their types.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use clap::Args;
use settings::{Kind, Secret, Variable};
use xtask::manifest::{Component, Manifest};
use xtask::root;

const PAGE: &str = "docs/CONFIGURATION.md";
const COMMAND: &str = "cargo xtask configuration";

const INTRODUCTION: &str = "\
# Configuration

Lectern is configured by Spin variables: `SPIN_VARIABLE_<NAME>` in the environment, whatever runs it, or `--variable NAME=VALUE`
(`lectern-host`, `spin up`), or `--set NAME=VALUE` (`cargo xtask up`, which makes the secrets once for each data folder). An empty
value stands for the default. What to do with them, and how secrets are changed, stands in [operations](OPERATIONS.md).

A value that a variable does not take is refused with the name of the variable: by `lectern-host`, which then ends with exit code
78, and by `cargo xtask up`, before they start. Spin has no such moment: there the first request that needs the variable is 500,
with the reason in the log. In production, which is wherever `development` is not `true`, secrets that can be guessed are refused
too. Nobody prints the value of a secret.

";

#[derive(Args, Default)]
pub(crate) struct Options {
    /// Change nothing; fail if the page is stale.
    #[arg(long)]
    check: bool,
}

/// Writes the page, or with `check` fails if it is stale.
pub(crate) fn run(options: &Options) -> Result<()> {
    let (path, wanted) = (root().join(PAGE), page()?);
    if options.check {
        let written = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
        ensure!(written == wanted, "{PAGE} is stale: {COMMAND}");
        return Ok(());
    }
    std::fs::write(&path, wanted).with_context(|| format!("cannot write {PAGE}"))
}

/// Fails if the page is stale.
pub(crate) fn check() -> Result<()> {
    run(&Options { check: true })
}

fn page() -> Result<String> {
    let manifest = Manifest::load()?;
    let text = std::fs::read_to_string(root().join("spin.toml"))?;
    let mut page = INTRODUCTION.to_owned();
    for group in groups(&text)? {
        writeln!(page, "## {}\n", group.title)?;
        writeln!(page, "| Name | Type | Default | Meaning | Example | Read by |\n|---|---|---|---|---|---|")?;
        for (name, meaning) in &group.variables {
            let variable = settings::variable(name).with_context(|| format!("settings has no type of {name}"))?;
            writeln!(page, "{}", row(&manifest, variable, meaning)?)?;
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    Ok(page)
}

/// The variables under a heading of the manifest, each with its comment.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    title: String,
    variables: Vec<(String, String)>,
}

/// Reads the table of variables. A comment with an empty line behind it is a heading; any other is about the variable below.
fn groups(manifest: &str) -> Result<Vec<Group>> {
    let (_, table) = manifest.split_once("\n[variables]\n").context("the manifest has no variables")?;
    let (mut groups, mut comment) = (Vec::<Group>::new(), Vec::new());
    for line in table.lines() {
        if line.starts_with("[") {
            // What is said of the table below is no heading of variables.
            groups.retain(|group| !group.variables.is_empty());
            return Ok(groups);
        } else if let Some(words) = line.strip_prefix("# ") {
            comment.push(words);
        } else if line.is_empty() && !comment.is_empty() {
            groups.push(Group { title: std::mem::take(&mut comment).join(" "), variables: Vec::new() });
        } else if let Some((name, _)) = line.split_once(" = ") {
            ensure!(!comment.is_empty(), "spin.toml does not say what {name} means");
            let group = groups.last_mut().with_context(|| format!("{name} stands under no heading"))?;
            group.variables.push((name.to_owned(), std::mem::take(&mut comment).join(" ")));
        }
    }
    Ok(groups)
}

fn row(manifest: &Manifest, variable: &Variable, meaning: &str) -> Result<String> {
    let Variable { name, kind, .. } = variable;
    let declared = manifest.variables.get(*name).with_context(|| format!("spin.toml has no variable {name}"))?;
    let written = declared.get("default").and_then(toml::Value::as_str).filter(|default| !default.is_empty());
    let default = written.map(str::to_owned).or_else(|| kind.default()).map(|default| format!("`{default}`"));
    let default = match default {
        Some(default) => default,
        None if declared.get("required").is_some() => "required".to_owned(),
        None => "empty".to_owned(),
    };
    let (kind, example, readers) = (kind.description(), example(variable), readers(manifest, name));
    Ok(format!("| `{name}` | {kind} | {default} | {meaning} | {example} | {readers} |"))
}

/// An example as it is typed; a secret is made, not typed.
fn example(variable: &Variable) -> String {
    match variable.kind {
        Kind::Secret(Secret::Own) => format!("what `{}` prints", variable.example),
        _ => format!("`{}`", variable.example),
    }
}

/// The components that see the variable, or that may connect to the host that it names.
fn readers(manifest: &Manifest, name: &str) -> String {
    let template = format!("{{{{ {name} }}}}");
    let sees = |component: &Component| {
        component.variables.contains_key(name) || component.allowed_outbound_hosts.contains(&template)
    };
    let all: BTreeSet<_> = manifest.component.keys().collect();
    let seeing = manifest.component.iter().filter(|(_, component)| sees(component));
    let seeing: BTreeSet<_> = seeing.map(|(id, _)| id).collect();
    let missing: Vec<_> = all.difference(&seeing).map(|id| format!("`{id}`")).collect();
    match missing.len() {
        0 => "all".to_owned(),
        1..=4 => format!("all but {}", missing.join(", ")),
        _ => seeing.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_headings_or_meanings() {
        let manifest = "x = 1\n[variables]\n# Model\n\n# Its name.\n# In full.\nai_model = { default = \"\" }\n\n# Rest\n\n[component.a]\n# b\n";
        let variables = vec![("ai_model".to_owned(), "Its name. In full.".to_owned())];
        // What is said of the routes behind the table is no heading of variables.
        assert_eq!(groups(manifest).unwrap(), [Group { title: "Model".to_owned(), variables }]);
    }

    #[test]
    fn a_variable_without_a_comment_is_refused() {
        let error = super::groups("\n[variables]\n# Model\n\nai_model = {}\n").unwrap_err();
        assert!(error.to_string().contains("ai_model"), "{error}");
    }

    #[test]
    fn the_manifest_and_the_table_of_types_have_the_same_variables() {
        let manifest = Manifest::load().unwrap();
        let text = std::fs::read_to_string(root().join("spin.toml")).unwrap();
        let groups = groups(&text).unwrap();
        let declared: Vec<_> =
            groups.iter().flat_map(|group| &group.variables).map(|(name, _)| name.as_str()).collect();
        let typed: Vec<_> = settings::VARIABLES.iter().map(|variable| variable.name).collect();
        assert_eq!(declared, typed, "in this order");
        for variable in settings::VARIABLES {
            let declared = &manifest.variables[variable.name];
            let is_secret = declared.get("secret").and_then(toml::Value::as_bool) == Some(true);
            assert_eq!(is_secret, matches!(variable.kind, Kind::Secret(_)), "{}", variable.name);
            let default = declared.get("default").and_then(toml::Value::as_str).unwrap_or_default();
            assert_eq!(settings::check(variable.name, default, false), Ok(()));
            if let Some(number) = variable.kind.default() {
                assert!(default.is_empty() || default == number, "{} has two defaults", variable.name);
            }
        }
    }

    #[test]
    fn readers_are_named_or_those_who_are_none() {
        let manifest = Manifest::load().unwrap();
        assert_eq!(readers(&manifest, "public_base_url"), "all");
        assert_eq!(readers(&manifest, "token_secret"), "all but `reference`");
        assert_eq!(readers(&manifest, "ai_http_host"), "`ai-conversations`");
    }
}
