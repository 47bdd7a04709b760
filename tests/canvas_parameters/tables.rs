//! The tables: of what the reference system documents, of what endpoints declare, and of what the contract tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

/// A parameter that the reference system documents for an endpoint.
pub(super) struct Documented {
    /// Method and path.
    pub(super) endpoint: String,
    /// The name without the brackets of lists.
    pub(super) parameter: String,
    /// The documented values, of `include[]` alone.
    pub(super) values: Vec<String>,
}

/// The rows of `parameters.txt`: the line of an endpoint, and below it one for each parameter.
pub(super) fn documented() -> Vec<Documented> {
    let (mut rows, mut endpoint) = (Vec::new(), "");
    let lines = include_str!("parameters.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let Some(row) = line.strip_prefix("    ") else {
            endpoint = line;
            continue;
        };
        let (parameter, values) = row.split_once(": ").unwrap_or((row, ""));
        rows.push(Documented {
            endpoint: endpoint.to_owned(),
            parameter: parameter.to_owned(),
            values: values.split_whitespace().map(str::to_owned).collect(),
        });
    }
    assert!(rows.len() > 900, "the table has only {} parameters", rows.len());
    rows
}

/// The parameters that endpoints declare, by method and path.
pub(super) struct Declared {
    /// The names, and whether anything may stand under each.
    names: BTreeMap<String, BTreeMap<String, bool>>,
}

impl Declared {
    /// Those of the API description.
    pub(super) fn read() -> Self {
        let document = shared::openapi::document(&api_description::areas());
        let mut names = BTreeMap::new();
        for (path, operations) in document["paths"].as_object().unwrap() {
            let path = path.replace('{', ":").replace('}', "");
            for (method, operation) in operations.as_object().unwrap() {
                let mut found = BTreeMap::new();
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    let name = plain(parameter["name"].as_str().unwrap());
                    fields(&document, &parameter["schema"], &name, 0, &mut found);
                    found.entry(name).or_insert(false);
                }
                for content in operation["requestBody"]["content"].as_object().into_iter().flat_map(|it| it.values()) {
                    fields(&document, &content["schema"], "", 0, &mut found);
                }
                names.insert(format!("{} {path}", method.to_ascii_uppercase()), found);
            }
        }
        Self { names }
    }

    /// True if the endpoint declares it, or something under which anything may stand.
    pub(super) fn has(&self, endpoint: &str, parameter: &str) -> bool {
        let Some(names) = self.names.get(endpoint) else { panic!("there is no endpoint {endpoint}") };
        let mut above = parameter;
        while let Some((outer, _)) = above.rsplit_once('[') {
            if names.get(outer) == Some(&true) {
                return true;
            }
            above = outer;
        }
        names.contains_key(parameter)
    }
}

/// A name without the brackets of lists.
fn plain(name: &str) -> String {
    name.replace("[]", "")
}

/// Forms are no deeper than this.
const DEEPEST: usize = 8;

/// Adds the names of an object's fields. Anything may stand under a field that is described by no fields of its own.
fn fields(document: &Value, schema: &Value, name: &str, depth: usize, found: &mut BTreeMap<String, bool>) {
    if depth > DEEPEST {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = document.pointer(reference.trim_start_matches('#')).unwrap();
        return fields(document, referred, name, depth, found);
    }
    for alternatives in ["anyOf", "oneOf", "allOf"] {
        for schema in schema[alternatives].as_array().into_iter().flatten() {
            fields(document, schema, name, depth + 1, found);
        }
    }
    if schema["items"].is_object() {
        fields(document, &schema["items"], name, depth + 1, found);
    }
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        let name = if name.is_empty() { field.clone() } else { format!("{name}[{field}]") };
        fields(document, schema, &name, depth + 1, found);
        found.entry(name).or_insert(false);
    }
    let is_map = schema["additionalProperties"].is_object() || schema["additionalProperties"] == true;
    let is_anything =
        schema == &Value::Bool(true) || schema.as_object().is_some_and(|schema| !schema.contains_key("type"));
    let is_untyped =
        is_anything && ["anyOf", "oneOf", "allOf", "enum", "const"].iter().all(|key| schema[*key].is_null());
    if !name.is_empty() && (is_map || is_untyped) {
        found.insert(name.to_owned(), true);
    }
}

/// The parameters and values that `docs/contract/parameters.md` tells of.
pub(super) struct ContractPage {
    passed_over: BTreeSet<(String, String)>,
    added: BTreeSet<(String, String)>,
    not_added: BTreeSet<(String, String)>,
}

impl ContractPage {
    /// The tables of the page.
    pub(super) fn read() -> Self {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contract/parameters.md");
        let page = std::fs::read_to_string(page).unwrap();
        let passed_over = rows(&page, "## Passed over");
        let values = rows(&page, "## Values of `include[]`");
        assert!(!passed_over.is_empty() && !values.is_empty(), "the page has two tables");
        let not_added = pairs(&values, 2).chain(pairs(&values, 3)).collect();
        Self { passed_over: pairs(&passed_over, 1).collect(), added: pairs(&values, 1).collect(), not_added }
    }

    pub(super) fn passes_over(&self, endpoint: &str, parameter: &str) -> bool {
        self.passed_over.contains(&(endpoint.to_owned(), parameter.to_owned()))
    }

    /// True if the value of `include[]` is said to be added, or not to be.
    pub(super) fn tells_of_value(&self, endpoint: &str, value: &str) -> bool {
        let row = (endpoint.to_owned(), value.to_owned());
        self.added.contains(&row) != self.not_added.contains(&row)
    }

    /// Endpoints, each with a parameter that it passes over.
    pub(super) fn passed_over(&self) -> impl Iterator<Item = (&str, &str)> {
        self.passed_over.iter().map(|(endpoint, parameter)| (endpoint.as_str(), parameter.as_str()))
    }

    /// Endpoints, each with a value of `include[]` that adds something.
    pub(super) fn added(&self) -> impl Iterator<Item = (&str, &str)> {
        let documented: BTreeSet<_> = documented()
            .into_iter()
            .flat_map(|row| row.values.into_iter().map(move |value| (row.endpoint.clone(), value)))
            .collect();
        let added = self.added.iter().filter(move |row| documented.contains(*row));
        added.map(|(endpoint, value)| (endpoint.as_str(), value.as_str()))
    }
}

/// The words in back-ticks of each cell of the table below that heading.
fn rows(page: &str, heading: &str) -> Vec<Vec<Vec<String>>> {
    let section = page.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "));
    let rows = section.filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(quoted).collect()).collect()
}

fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The endpoints of each row with the words of one of its cells.
fn pairs(rows: &[Vec<Vec<String>>], cell: usize) -> impl Iterator<Item = (String, String)> {
    rows.iter().flat_map(move |row| {
        let words = &row[cell];
        row[0].iter().flat_map(move |endpoint| words.iter().map(move |word| (endpoint.clone(), word.clone())))
    })
}
