//! `clients`: writes the files of our own clients that follow from the API description, one for each client.

mod operation;
mod python;
mod typescript;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask::root;

use self::operation::operations;
use crate::{packages, validators};

/// The API description, from which they are made.
pub(crate) const DESCRIPTION: &str = "components/reference/openapi.json";
const PYTHON: &str = "clients/python/src/lectern/operations.py";
const TYPESCRIPT: &str = "clients/typescript/src/operations.ts";

#[derive(Args, Default)]
pub(crate) struct Options {
    /// Change nothing; fail if the files do not follow from the description.
    #[arg(long)]
    check: bool,
}

/// Writes the files, or with `check` fails if one is stale.
pub(crate) async fn run(options: &Options) -> Result<()> {
    let programs = packages::python("openapi-venv", validators::REQUIREMENTS).await?;
    generate(&programs, options.check).await
}

/// The same with the folder of the validators in Python.
pub(crate) async fn generate(programs: &Path, check: bool) -> Result<()> {
    let text = description()?;
    let description = serde_json::from_str(&text).context(DESCRIPTION)?;
    let operations = operations(&description)?;
    let types = validators::types(programs).await?;
    let files = [(PYTHON, python::render(&operations)), (TYPESCRIPT, typescript::render(&text, &types, &operations))];
    for (name, text) in files {
        let path = root().join(name);
        if std::fs::read_to_string(&path).ok().as_ref() == Some(&text) {
            continue;
        }
        if check {
            bail!("{name} is stale: run `cargo xtask clients`");
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {name}"))?;
        eprintln!("Wrote {name}");
    }
    Ok(())
}

/// The text of the description.
fn description() -> Result<String> {
    let path: PathBuf = root().join(DESCRIPTION);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn parsed() -> Value {
        serde_json::from_str(&description().unwrap()).unwrap()
    }

    /// Another program makes the types for TypeScript. That they are of this description is told by its digest.
    #[test]
    fn the_client_for_typescript_is_made_of_this_description() {
        let written = std::fs::read_to_string(root().join(TYPESCRIPT)).unwrap();
        let made_of = typescript::made_of(&description().unwrap());
        assert!(written.contains(&made_of), "{TYPESCRIPT} is stale: run `cargo xtask clients`");
    }

    /// The file for Python needs no program but this one, so that a plain test can tell that it is stale.
    #[test]
    fn the_client_for_python_follows_from_the_description() {
        let description = parsed();
        let text = python::render(&operations(&description).unwrap());
        let written = std::fs::read_to_string(root().join(PYTHON)).unwrap();
        assert!(text == written, "{PYTHON} is stale: run `cargo xtask clients`");
    }

    /// The lines that begin a request: a method, and an address after the variable of the service.
    fn requests(text: &str) -> Vec<(String, String)> {
        // An answer has the whole address of an upload.
        let text = text.replace("{{announced.response.body.$.upload_url}}", "{{address}}/files_api/{{ticket}}");
        let requests = text.lines().filter_map(|line| line.split_once(" {{address}}"));
        requests.map(|(method, path)| (method.to_owned(), path.to_owned())).collect()
    }

    #[test]
    fn every_request_of_the_http_files_names_an_operation() {
        let description = parsed();
        let operations = operations(&description).unwrap();
        let fits = |path: &str, template: &str| {
            let (path, template): (Vec<_>, Vec<_>) = (path.split('/').collect(), template.split('/').collect());
            let alike = |(word, part): (&&str, &&str)| word == part || part.starts_with('{');
            path.len() == template.len() && path.iter().zip(&template).all(alike)
        };
        let mut areas = BTreeSet::new();
        for file in std::fs::read_dir(root().join("clients/http")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|end| end != "http") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let requests = requests(&text);
            let separators = text.lines().filter(|line| line.starts_with("###")).count();
            assert!(!requests.is_empty() && requests.len() == separators, "{}: a request each", path.display());
            for (method, target) in requests {
                let (target, query) = target.split_once('?').unwrap_or((&target, ""));
                let operation = operations
                    .iter()
                    .filter(|operation| operation.method == method && fits(target, operation.path))
                    .max_by_key(|operation| operation.path.split('/').filter(|part| !part.starts_with('{')).count());
                let operation =
                    operation.unwrap_or_else(|| panic!("{}: no operation is {method} {target}", path.display()));
                for name in query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty()) {
                    let known = operation.queries().any(|parameter| parameter.name == name);
                    assert!(known, "{}: {} has no parameter {name}", path.display(), operation.id);
                }
                areas.insert(operation.area.to_owned());
            }
        }
        assert!(areas.len() >= 7, "the main flows are there: {areas:?}");
    }
}
