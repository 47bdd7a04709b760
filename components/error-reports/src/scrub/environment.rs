//! Environments: values whose names say so are secrets, the others are read as logs.

use serde_json::{Map, Value};

use crate::scrub::names::{is_name_of_secret, is_secret};
use crate::scrub::{FILTERED, log, text};

/// Members that hold the name of what another member holds: `{"header_name": "Cookie", "header_value": …}`.
const NAMING: [&str; 13] = [
    "attribute",
    "field",
    "header",
    "k",
    "key",
    "n",
    "name",
    "param",
    "parameter",
    "property",
    "var",
    "variable",
    "varname",
];

pub(crate) fn environment(environment: Map<String, Value>) -> Map<String, Value> {
    let naming = environment.iter().find(|(name, value)| is_naming(name) && names_secret(value));
    let naming = naming.map(|(name, _)| name.clone()).filter(|_| environment.len() > 1);
    let entries = environment.into_iter().map(|(name, value)| {
        let is_naming = naming.as_ref() == Some(&name);
        let is_secret = if naming.is_some() { !is_naming } else { is_secret(&name) };
        let value = match value {
            value if is_secret => filtered(&value),
            value if is_naming => value,
            value => scrub_value(value),
        };
        (text(&name), value)
    });
    entries.collect()
}

pub(super) fn scrub_value(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(environment(object)),
        Value::Array(list) => Value::Array(scrub_list(list)),
        Value::String(text) => Value::String(log(&text)),
        other => other,
    }
}

/// In a list a value follows its name, be it `["Cookie", …]` or `["Cookie", …, "Host", …]`. One name may have several values.
fn scrub_list(list: Vec<Value>) -> Vec<Value> {
    let has_one_name = list.len() % 2 == 1 && list.first().is_some_and(names_secret);
    let mut after_name = false;
    let values = list.into_iter().enumerate().map(|(place, value)| {
        if after_name || (has_one_name && place > 0) {
            after_name = false;
            return filtered(&value);
        }
        after_name = names_secret(&value);
        if after_name { value } else { scrub_value(value) }
    });
    values.collect()
}

fn filtered(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { Value::from(FILTERED) }
}

fn is_naming(name: &str) -> bool {
    let word = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    NAMING.iter().any(|naming| word.eq_ignore_ascii_case(naming)) || name.ends_with("Name")
}

fn names_secret(value: &Value) -> bool {
    value.as_str().is_some_and(is_name_of_secret)
}
