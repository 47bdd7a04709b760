//! The fields of a form that says the same as a body of JSON. A form is flat: `course[name]`, `tags[]`, `answers[][text]`.

use serde_json::{Map, Value, json};

use super::parameters::never_null;
use super::schemas::SENT;

/// The depth below which a member is described as a whole.
const MAX_DEPTH: usize = 4;

/// The schema of the form for a body with that schema; `types` are those that it refers to.
pub(super) fn form_of(body: &Value, types: &Map<String, Value>) -> Value {
    let mut form = Form { types, fields: Map::new(), required: Vec::new() };
    form.add_members(body, &Place { name: String::new(), depth: 0, is_required: true, is_repeated: false });
    let mut schema = json!({ "type": "object", "properties": form.fields });
    if !form.required.is_empty() {
        super::set(&mut schema, "required", form.required.into());
    }
    schema
}

struct Form<'a> {
    types: &'a Map<String, Value>,
    fields: Map<String, Value>,
    required: Vec<String>,
}

/// Where a member stands.
struct Place {
    /// Its field.
    name: String,
    depth: usize,
    /// True if every body has it.
    is_required: bool,
    /// True if it is a member of the elements of a list.
    is_repeated: bool,
}

impl Place {
    fn member(&self, name: &str, is_required: bool) -> Self {
        let name = if self.name.is_empty() { name.to_owned() } else { format!("{}[{name}]", self.name) };
        let is_required = self.is_required && is_required;
        Self { name, depth: self.depth + 1, is_required, is_repeated: self.is_repeated }
    }

    fn element(&self) -> Self {
        Self { name: format!("{}[]", self.name), depth: self.depth, is_required: false, is_repeated: true }
    }
}

impl Form<'_> {
    /// Adds the members of an object, and of all objects that a body may be. A member that may be several is described as a
    /// whole.
    fn add_members(&mut self, schema: &Value, place: &Place) {
        let schema = self.resolved(schema);
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.add(member, &place.member(name, required.iter().any(|required| required == name)));
        }
        for part in parts(&schema, "allOf") {
            self.add_members(&part, place);
        }
        let one_of_several = Place { name: place.name.clone(), is_required: false, ..*place };
        let choices = ["anyOf", "oneOf"].into_iter().filter(|_| place.depth == 0);
        for choice in choices.flat_map(|key| parts(&schema, key)) {
            self.add_members(&choice, &one_of_several);
        }
    }

    fn add(&mut self, schema: &Value, place: &Place) {
        let whole = self.resolved(schema);
        if place.depth < MAX_DEPTH && self.has_members(&whole) {
            return self.add_members(&whole, place);
        }
        let Some(items) = whole.get("items").filter(|_| !place.is_repeated) else {
            return self.insert(schema.clone(), place);
        };
        let element = place.element();
        if place.depth < MAX_DEPTH && self.has_members(items) {
            return self.add_members(items, &element);
        }
        self.insert_list(items.clone(), whole.get("description").cloned(), element.name);
    }

    fn insert(&mut self, schema: Value, place: &Place) {
        if place.is_repeated {
            return self.insert_list(schema, None, place.name.clone());
        }
        if place.is_required && !self.fields.contains_key(&place.name) {
            self.required.push(place.name.clone());
        }
        self.fields.entry(place.name.clone()).or_insert(schema);
    }

    /// The field is there once for each value.
    fn insert_list(&mut self, items: Value, description: Option<Value>, name: String) {
        let mut list = json!({ "type": "array", "items": items });
        if let Some(description) = description {
            super::set(&mut list, "description", description);
        }
        self.fields.entry(name).or_insert(list);
    }

    fn has_members(&self, schema: &Value) -> bool {
        let schema = self.resolved(schema);
        let has_own = schema.get("properties").and_then(Value::as_object).is_some_and(|members| !members.is_empty());
        has_own || parts(&schema, "allOf").iter().any(|part| self.has_members(part))
    }

    /// The schema that a reference leads to; null, which no form has, is left out.
    fn resolved(&self, schema: &Value) -> Value {
        let schema = never_null(schema.clone());
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix(SENT));
        name.and_then(|name| self.types.get(name)).cloned().unwrap_or(schema)
    }
}

fn parts(schema: &Value, key: &str) -> Vec<Value> {
    schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_brackets_and_lists_have_empty_ones() {
        let types = json!({
            "Course": {
                "type": "object",
                "required": ["name"],
                "properties": { "name": { "type": "string" }, "color": { "$ref": "#/components/sent/Color" } },
            },
            "Color": { "enum": ["red", "blue"] },
            "Answer": { "type": "object", "properties": { "text": { "type": "string" } } },
        });
        let body = json!({
            "type": "object",
            "required": ["course"],
            "properties": {
                "course": { "$ref": "#/components/sent/Course" },
                "offer": { "type": ["boolean", "null"] },
                "tags": { "type": "array", "items": { "type": "string" }, "description": "Words" },
                "answers": { "anyOf": [
                    { "type": "array", "items": { "$ref": "#/components/sent/Answer" } }, { "type": "null" },
                ] },
            },
        });
        let form = form_of(&body, types.as_object().unwrap());
        let expected = json!({
            "type": "object",
            "required": ["course[name]"],
            "properties": {
                "course[name]": { "type": "string" },
                "course[color]": { "$ref": "#/components/sent/Color" },
                "offer": { "type": ["boolean", "null"] },
                "tags[]": { "type": "array", "items": { "type": "string" }, "description": "Words" },
                "answers[][text]": { "type": "array", "items": { "type": "string" } },
            },
        });
        assert_eq!(form, expected);
    }

    #[test]
    fn a_type_within_itself_ends() {
        let types = json!({ "Tree": { "type": "object", "properties": {
            "name": { "type": "string" }, "child": { "$ref": "#/components/sent/Tree" },
        } } });
        let form = form_of(&json!({ "$ref": "#/components/sent/Tree" }), types.as_object().unwrap());
        assert!(form["properties"]["child[child][child][name]"].is_object(), "{form}");
        assert_eq!(form["properties"].as_object().unwrap().len(), 5);
    }
}
