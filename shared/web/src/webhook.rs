//! The requests that the service itself makes: to those who have subscribed to something.

use http::HeaderName;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::operation::SchemaOf;

/// A request of ours, and the types of its body.
#[derive(Debug)]
pub struct Webhook {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// Each with its meaning.
    pub(crate) headers: Vec<(String, &'static str)>,
    payloads: Vec<SchemaOf>,
}

impl Webhook {
    /// A request of that name. The summary says in one line what has happened then.
    pub fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, description: "", headers: Vec::new(), payloads: Vec::new() }
    }

    /// Says what else there is to know about it, in Markdown.
    #[must_use]
    pub fn description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// Adds a header, and its meaning.
    #[must_use]
    pub fn header(mut self, name: &HeaderName, about: &'static str) -> Self {
        self.headers.push((name.to_string(), about));
        self
    }

    /// Adds a type of its body; where there are several, a body is of one of them.
    #[must_use]
    pub fn payload<T: JsonSchema>(mut self) -> Self {
        self.payloads.push(SchemaGenerator::subschema_for::<T>);
        self
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The schema of its body.
    pub fn body(&self, answered: &mut SchemaGenerator) -> Value {
        let schemas: Vec<_> = self.payloads.iter().map(|schema| Value::from(schema(answered))).collect();
        match <[Value; 1]>::try_from(schemas) {
            Ok([only]) => only,
            Err(several) => json!({ "oneOf": several }),
        }
    }
}
