//! A request in the languages of those who make it.

use std::fmt::Write;

use serde_json::Value;

use super::area::media_types;
use super::canvasapi;
use super::catalogue::Operation;
use super::fields::{answers, json_schema};
use super::schema::made_up;
use crate::examples::declared;
use crate::members::{list, text};

/// The address of the service in examples; the script writes the real one in its place.
const SERVICE: &str = "http://127.0.0.1:3000";

/// The length of a body up to which it stands on one line of a shell's command.
const MAX_LINE_BYTES: usize = 60;

/// A request with its answer.
pub(crate) struct Sample<'a> {
    /// The address, with its query.
    url: String,
    /// The values in the places of the path's parameters.
    ids: Vec<String>,
    /// The body, where it is JSON.
    pub(crate) body: Option<Value>,
    /// The type of the body, where it is not JSON.
    file_type: Option<&'a str>,
    has_token: bool,
    answers_json: bool,
    /// The answer, where one is known.
    pub(crate) answer: Option<Value>,
}

impl<'a> Sample<'a> {
    /// The example of an operation: as it was recorded, or else made up of its schema.
    pub(crate) fn new(description: &'a Value, operation: &Operation<'a>) -> Self {
        let value = operation.value;
        let content = value.pointer("/requestBody/content");
        let body = content.and_then(|content| {
            declared(Some(content)).cloned().or_else(|| Some(made_up(description, json_schema(content)?)))
        });
        let file_type = match &body {
            None => content.and_then(|content| media_types(Some(content)).first().copied()),
            Some(_) => None,
        };
        let responses = value.get("responses").and_then(Value::as_object).into_iter().flatten();
        let answer = responses
            .filter(|(status, _)| status.starts_with('2'))
            .find_map(|(_, response)| declared(response.get("content")));
        let security = list(value.get("security"));
        Self {
            url: format!("{SERVICE}{}{}", path(operation), query(value)),
            ids: path(operation)
                .split('/')
                .zip(operation.path.split('/'))
                .filter(|(_, place)| place.starts_with('{'))
                .map(|(id, _)| id.to_owned())
                .collect(),
            body,
            file_type,
            has_token: !security.is_empty()
                && !security.iter().any(|one| one.as_object().is_some_and(serde_json::Map::is_empty)),
            answers_json: answers(value).next().is_some(),
            answer: answer.cloned(),
        }
    }
}

/// The path with values in the places of its parameters.
fn path(operation: &Operation<'_>) -> String {
    let parameters = list(operation.value.get("parameters"));
    let segments = operation.path.split('/').map(|segment| {
        let Some(name) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            return segment.to_owned();
        };
        let parameter = parameters.iter().find(|parameter| text(parameter.get("name")) == name);
        match parameter.and_then(|parameter| parameter.pointer("/schema/enum/0").or(parameter.get("example"))) {
            Some(Value::String(word)) => word.clone(),
            Some(other) => other.to_string(),
            None => "1".to_owned(),
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The query with the parameters that must be there.
fn query(operation: &Value) -> String {
    let parameters = list(operation.get("parameters")).iter();
    let required = parameters.filter(|parameter| {
        text(parameter.get("in")) == "query" && parameter.get("required") == Some(&Value::Bool(true))
    });
    let pairs: Vec<_> = required
        .map(|parameter| {
            let name = text(parameter.get("name"));
            let value = parameter.pointer("/schema/enum/0").and_then(Value::as_str).unwrap_or(name);
            format!("{name}={value}")
        })
        .collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// The request in each language, by its name.
pub(crate) fn languages(operation: &Operation<'_>, sample: &Sample<'_>) -> [(&'static str, String); 3] {
    let method = operation.method.to_ascii_uppercase();
    let library = canvasapi::call(operation.id, &sample.ids, sample.body.as_ref());
    let python = library.map_or_else(|| python(&method, sample), |call| with_canvasapi(&call));
    [("curl", curl(&method, sample)), ("Python", python), ("JavaScript", javascript(&method, sample))]
}

fn curl(method: &str, sample: &Sample<'_>) -> String {
    let method = if method == "GET" { String::new() } else { format!("-X {method} ") };
    let quoted = if sample.url.contains(['?', '&', '[']) { "'" } else { "" };
    let mut lines = vec![format!("curl {method}{quoted}{}{quoted}", sample.url)];
    if sample.has_token {
        lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    if let Some(body) = &sample.body {
        lines.push("-H 'Content-Type: application/json'".to_owned());
        let line = body.to_string();
        let text = if line.len() > MAX_LINE_BYTES { indented(&format!("{body:#}"), 1) } else { line };
        lines.push(format!("-d '{}'", text.replace('\'', "'\\''")));
    }
    match sample.file_type {
        Some("multipart/form-data") => lines.push("-F file=@FILE".to_owned()),
        Some("application/x-www-form-urlencoded") => lines.push("-d NAME=VALUE".to_owned()),
        Some(media_type) => lines.push(format!("-H 'Content-Type: {media_type}' --data-binary @FILE")),
        None => {}
    }
    lines.join(" \\\n  ")
}

fn python(method: &str, sample: &Sample<'_>) -> String {
    let mut arguments = vec![format!("    \"{method}\",\n    \"{}\",\n", sample.url)];
    let mut headers = Vec::new();
    if sample.has_token {
        headers.push("\"Authorization\": f\"Bearer {os.environ['TOKEN']}\"".to_owned());
    }
    match (&sample.body, sample.file_type) {
        (Some(body), _) => arguments.push(format!("    json={},\n", python_value(body, 1))),
        (None, Some("multipart/form-data")) => {
            arguments.push("    files={\"file\": open(\"FILE\", \"rb\")},\n".to_owned())
        }
        (None, Some("application/x-www-form-urlencoded")) => {
            arguments.push("    data={\"NAME\": \"VALUE\"},\n".to_owned())
        }
        (None, Some(media_type)) => {
            headers.push(format!("\"Content-Type\": \"{media_type}\""));
            arguments.push("    content=open(\"FILE\", \"rb\").read(),\n".to_owned());
        }
        (None, None) => {}
    }
    if !headers.is_empty() {
        arguments.insert(1, format!("    headers={{{}}},\n", headers.join(", ")));
    }
    let import = if sample.has_token { "import os\n\nimport httpx\n\n" } else { "import httpx\n\n" };
    let shown = if sample.answers_json { "answer.raise_for_status().json()" } else { "answer.status_code" };
    format!("{import}answer = httpx.request(\n{})\nprint({shown})", arguments.concat())
}

fn with_canvasapi(call: &str) -> String {
    let shown = if call.contains("= ") { call.to_owned() } else { format!("print({call})") };
    format!(
        "import os\n\nfrom canvasapi import Canvas\n\ncanvas = Canvas(\"{SERVICE}\", os.environ[\"TOKEN\"])\n{shown}"
    )
}

fn javascript(method: &str, sample: &Sample<'_>) -> String {
    let mut options = Vec::new();
    if method != "GET" {
        options.push(format!("  method: \"{method}\",\n"));
    }
    let mut headers = Vec::new();
    if sample.has_token {
        headers.push("Authorization: `Bearer ${token}`".to_owned());
    }
    match (&sample.body, sample.file_type) {
        (Some(body), _) => {
            headers.push("\"Content-Type\": \"application/json\"".to_owned());
            options.push(format!("  body: JSON.stringify({}),\n", indented(&format!("{body:#}"), 1)));
        }
        (None, Some("multipart/form-data")) => options.push("  body: new FormData(form),\n".to_owned()),
        (None, Some("application/x-www-form-urlencoded")) => {
            options.push("  body: new URLSearchParams({ NAME: \"VALUE\" }),\n".to_owned());
        }
        (None, Some(media_type)) => {
            headers.push(format!("\"Content-Type\": \"{media_type}\""));
            options.push("  body: file,\n".to_owned());
        }
        (None, None) => {}
    }
    if !headers.is_empty() {
        options.insert(usize::from(method != "GET"), format!("  headers: {{ {} }},\n", headers.join(", ")));
    }
    let options = if options.is_empty() { String::new() } else { format!(", {{\n{}}}", options.concat()) };
    let shown = if sample.answers_json { "await answer.json()" } else { "answer.status" };
    format!("const answer = await fetch(\"{}\"{options});\nconsole.log({shown});", sample.url)
}

/// Lines after the first, indented by so many steps.
fn indented(text: &str, steps: usize) -> String {
    text.replace('\n', &format!("\n{}", "  ".repeat(steps)))
}

/// JSON as Python writes it.
pub(crate) fn python_value(value: &Value, steps: usize) -> String {
    let (inner, outer) = ("    ".repeat(steps + 1), "    ".repeat(steps));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(elements) if elements.is_empty() => "[]".to_owned(),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Array(elements) => {
            let lines = elements.iter().fold(String::new(), |mut lines, element| {
                let _ = writeln!(lines, "{inner}{},", python_value(element, steps + 1));
                lines
            });
            format!("[\n{lines}{outer}]")
        }
        Value::Object(members) => {
            let lines = members.iter().fold(String::new(), |mut lines, (name, member)| {
                let _ = writeln!(lines, "{inner}{}: {},", Value::from(name.as_str()), python_value(member, steps + 1));
                lines
            });
            format!("{{\n{lines}{outer}}}")
        }
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Sample<'static> {
        Sample {
            url: format!("{SERVICE}/api/v1/polls"),
            ids: Vec::new(),
            body: Some(json!({ "polls": [{ "question": "Ada's?", "open": true }] })),
            file_type: None,
            has_token: true,
            answers_json: true,
            answer: None,
        }
    }

    #[test]
    fn a_shell_takes_a_body_with_an_apostrophe() {
        let expected = [
            "curl -X POST http://127.0.0.1:3000/api/v1/polls",
            "-H \"Authorization: Bearer $TOKEN\"",
            "-H 'Content-Type: application/json'",
            "-d '{\"polls\":[{\"open\":true,\"question\":\"Ada'\\''s?\"}]}'",
        ];
        assert_eq!(curl("POST", &sample()), expected.join(" \\\n  "));
    }

    #[test]
    fn python_has_its_own_words_for_what_json_says() {
        let code = python("POST", &sample());
        let body = "    json={\n        \"polls\": [\n            {\n                \"open\": True,\n";
        assert!(code.contains(body), "{code}");
        assert_eq!(python_value(&json!([null, {}, []]), 0), "[\n    None,\n    {},\n    [],\n]");
    }

    #[test]
    fn a_read_in_javascript_has_no_more_than_it_needs() {
        let sample = Sample { body: None, has_token: false, ..sample() };
        let expected =
            "const answer = await fetch(\"http://127.0.0.1:3000/api/v1/polls\");\nconsole.log(await answer.json());";
        assert_eq!(javascript("GET", &sample), expected);
    }

    #[test]
    fn a_file_is_sent_as_the_type_that_is_taken() {
        let with = |file_type| curl("POST", &Sample { body: None, file_type: Some(file_type), ..sample() });
        assert!(with("multipart/form-data").ends_with("-F file=@FILE"));
        assert!(with("text/csv").ends_with("-H 'Content-Type: text/csv' --data-binary @FILE"));
    }
}
