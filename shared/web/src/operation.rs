//! The types of an endpoint, for the API description.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::lookup;

/// The types of an endpoint: the parameters of its path, its query and its body, and what it answers with which status.
#[derive(Clone, Copy)]
pub struct Operation {
    pub(crate) path: Option<SchemaOf>,
    pub(crate) query: Option<SchemaOf>,
    pub(crate) form: Option<SchemaOf>,
    /// The form's schema itself, also where it has a name.
    pub(crate) form_fields: Option<SchemaOf>,
    pub(crate) reply: Option<SchemaOf>,
    pub(crate) status: u16,
    callers: &'static str,
    /// The way in which the path names the record that the endpoint needs.
    pub(crate) names: &'static str,
    /// The words of the path behind which plain ids stand: of what is needed, and of what is prefetched.
    ids: [&'static [&'static str]; 2],
}

pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

impl Operation {
    pub(crate) fn of_reply<T: JsonSchema + 'static>(status: u16) -> Self {
        Self {
            path: None,
            query: None,
            form: None,
            form_fields: None,
            reply: schema_of::<T>(),
            status,
            callers: "",
            names: lookup::ANY_ID,
            ids: [&[]; 2],
        }
    }

    pub(crate) fn with_path<T: JsonSchema + 'static>(self) -> Self {
        Self { path: Some(T::json_schema), ..self }
    }

    pub(crate) fn with_query<T: JsonSchema + 'static>(self) -> Self {
        Self { query: Some(T::json_schema), ..self }
    }

    /// Those who may call it, as a sentence.
    pub(crate) fn who(self) -> String {
        if self.callers.is_empty() { String::new() } else { format!("May be called by: {}", self.callers) }
    }

    /// The same with those who may call it, as the sentence says them.
    #[must_use]
    pub fn with_callers(self, callers: &'static str) -> Self {
        Self { callers, ..self }
    }

    /// The same with how the path names the record that is needed.
    #[must_use]
    pub fn with_names(self, names: &'static str) -> Self {
        Self { names, ..self }
    }

    /// The same with the words of the path behind which plain ids of what is needed stand.
    #[must_use]
    pub fn with_needed_ids(self, words: &'static [&'static str]) -> Self {
        let [_, prefetched] = self.ids;
        Self { ids: [words, prefetched], ..self }
    }

    pub(crate) fn with_prefetched_ids(self, words: &'static [&'static str]) -> Self {
        let [needed, _] = self.ids;
        Self { ids: [needed, words], ..self }
    }

    pub(crate) fn has_id_behind(self, word: &str) -> bool {
        self.ids.iter().any(|words| words.contains(&word))
    }

    pub(crate) fn with_form<T: JsonSchema + 'static>(self) -> Self {
        Self { form: schema_of::<T>(), form_fields: Some(T::json_schema), ..self }
    }
}

fn schema_of<T: JsonSchema + 'static>() -> Option<SchemaOf> {
    let nothing = std::any::TypeId::of::<T>() == std::any::TypeId::of::<()>();
    (!nothing).then_some(SchemaGenerator::subschema_for::<T>)
}

/// Statuses, types of content and parts of forms, as the declaration has them.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// Statuses beside that of success and the usual refusals, and when they are answered.
    pub(crate) statuses: Vec<(u16, &'static str)>,
    /// The types of what is answered, where that is not JSON.
    pub(crate) sent: &'static [&'static str],
    /// The types of a body that is taken as it is.
    pub(crate) taken: &'static [&'static str],
    /// The schema of JSON that is taken as it is.
    pub(crate) body: Option<SchemaOf>,
    /// The parts of a multipart form that is read piece by piece; the last is the file.
    pub(crate) parts: &'static [&'static str],
    /// The status of success, where it is another than the type of the answer says.
    pub(crate) redirects: Option<u16>,
    pub(crate) has_entity_tag: bool,
    pub(crate) is_page: bool,
    /// The schema of what is answered, where no type has it.
    pub(crate) answer: Option<serde_json::Value>,
}
