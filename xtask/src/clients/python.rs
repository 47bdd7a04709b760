//! The operations as methods in Python.

use std::fmt::Write;

use super::operation::{Body, Operation, Parameter};

const HEAD: &str = r#""""The operations of the API, made from its description by `cargo xtask clients`: do not change this file."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ._core import Core, Pages

Id = int | str
Value = str | int | float | bool | None
Values = Sequence[Value] | Value
Json = Mapping[str, Any] | Sequence[Any] | None
Content = bytes | str


def _part(value: Id) -> str:
    """A value as one part of a path."""
    return quote(str(value), safe="")


class Operations(Core):
    """A method for each operation, which is named like it."""
"#;

/// Words that mean something else in Python, as far as parameters have them.
const KEYWORDS: [&str; 6] = ["class", "from", "global", "import", "is", "in"];
/// The names of what a method takes beside parameters.
const TAKEN: [&str; 6] = ["self", "body", "form", "files", "content", "content_type"];

/// The whole file.
pub(super) fn render(operations: &[Operation<'_>]) -> String {
    let mut text = HEAD.to_owned();
    let mut area = "";
    for operation in operations {
        if operation.area != area {
            area = operation.area;
            line(&mut text, &format!("\n    # {area}"));
        }
        method(&mut text, operation);
    }
    text
}

fn method(text: &mut String, operation: &Operation<'_>) {
    let answer = if operation.records.is_some() { "Pages" } else { "Any" };
    line(text, &format!("\n    def {}(\n        self,", operation.id));
    for place in operation.places() {
        line(text, &format!("        {}: Id,", identifier(place)));
    }
    for body in &operation.bodies {
        line(text, parameter_of(*body));
    }
    let queries: Vec<_> = operation.queries().map(|parameter| (argument(operation, parameter), parameter)).collect();
    if !queries.is_empty() {
        line(text, "        *,");
    }
    for (argument, parameter) in &queries {
        let kind = if parameter.name.ends_with("[]") { "Values" } else { "Value" };
        let default = if parameter.required { "" } else { " = None" };
        line(text, &format!("        {argument}: {kind}{default},"));
    }
    line(text, &format!("    ) -> {answer}:"));
    line(text, &format!("        \"\"\"{}.\n", operation.summary.trim_end_matches('.')));
    line(text, &format!("        `{} {}`\n        \"\"\"", operation.method, operation.path));
    let called = if operation.records.is_some() { "_pages" } else { "_call" };
    line(text, &format!("        return self.{called}(\n            \"{}\",", operation.method));
    line(text, &format!("            {},", address(operation)));
    if !queries.is_empty() {
        line(text, "            query={");
        for (argument, parameter) in &queries {
            line(text, &format!("                \"{}\": {argument},", parameter.name));
        }
        line(text, "            },");
    }
    for body in &operation.bodies {
        line(text, argument_of(*body));
    }
    if let Some(records) = operation.records {
        line(text, &format!("            records=\"{records}\","));
    }
    if !operation.takes_token {
        line(text, "            takes_token=False,");
    }
    line(text, "        )");
}

fn parameter_of(body: Body) -> &'static str {
    match body {
        Body::Json => "        body: Json = None,",
        Body::Bytes => "        content: Content | None = None,\n        content_type: str | None = None,",
        Body::Form => "        form: Json = None,",
        Body::Multipart => "        files: Mapping[str, Any],",
    }
}

fn argument_of(body: Body) -> &'static str {
    match body {
        Body::Json => "            body=body,",
        Body::Bytes => "            content=content,\n            content_type=content_type,",
        Body::Form => "            form=form,",
        Body::Multipart => "            files=files,",
    }
}

/// The path, with the parameters in their places.
fn address(operation: &Operation<'_>) -> String {
    let mut path = operation.path.to_owned();
    let mut formatted = "";
    for place in operation.places() {
        path = path.replace(&format!("{{{place}}}"), &format!("{{_part({})}}", identifier(place)));
        formatted = "f";
    }
    format!("{formatted}\"{path}\"")
}

/// The name of a parameter of the query, which is not that of one of the path.
fn argument(operation: &Operation<'_>, parameter: &Parameter<'_>) -> String {
    let name = identifier(parameter.name);
    let taken = TAKEN.contains(&name.as_str()) || operation.places().any(|place| identifier(place) == name);
    if taken { format!("{name}_filter") } else { name }
}

fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("_");
    if KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

fn line(text: &mut String, line: &str) {
    // Writing to a text does not fail.
    let _ = writeln!(text, "{line}");
}
