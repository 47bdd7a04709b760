//! References within a description to the types that have names.

use std::collections::BTreeSet;

use serde_json::Value;

/// The place where a description keeps the types that have names.
pub(crate) const NAMED: &str = "#/components/schemas/";

/// The type of that name.
pub fn named<'a>(description: &'a Value, name: &str) -> Option<&'a Value> {
    description.pointer(NAMED.trim_start_matches('#').trim_end_matches('/'))?.get(name)
}

/// Adds the names of the types that a part of a description refers to, and of those that these refer to.
pub fn add_names<'a>(description: &'a Value, part: &'a Value, names: &mut BTreeSet<&'a str>) {
    match part {
        Value::Object(members) => members.values().for_each(|member| add_names(description, member, names)),
        Value::Array(elements) => elements.iter().for_each(|element| add_names(description, element, names)),
        Value::String(reference) => {
            if let Some(name) = reference.strip_prefix(NAMED)
                && names.insert(name)
                && let Some(named) = named(description, name)
            {
                add_names(description, named, names);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
