//! The parts of an endpoint's declaration that only the API description reads: what its types do not tell.

use std::marker::PhantomData;

use types::Described;

use crate::api::Endpoint;

impl Endpoint {
    /// Says when it answers a status that is neither that of success nor a usual refusal.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn answers(mut self, status: u16, when: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        self.details.statuses.push((status, when));
        self
    }

    /// Says that success is to lead elsewhere, with that status.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn redirects(mut self, status: u16) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.redirects = Some(status);
        }
        self
    }

    /// Says of which types its answer is, where that is not JSON.
    #[must_use]
    pub fn sends(mut self, media_types: &'static [&'static str]) -> Self {
        self.sends_page = media_types.contains(&"text/html");
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.sent = media_types;
        }
        self
    }

    /// Says of which types a body may be that it takes as it is.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn accepts(mut self, media_types: &'static [&'static str]) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.taken = media_types;
        }
        self
    }

    /// Says of which type the JSON is that it takes as it is.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "components describe nothing"))]
    pub fn reads<T: Described + 'static>(mut self, _: PhantomData<T>) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.body = Some(schemars::SchemaGenerator::subschema_for::<T>);
        }
        self
    }

    /// Says which parts the multipart form has that it reads piece by piece. The last is the file.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn parts(mut self, names: &'static [&'static str]) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.parts = names;
        }
        self
    }

    /// Says that its answer has an entity tag, and that it answers 304 to whoever has what that names.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "components describe nothing"))]
    pub fn entity_tag(mut self) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.has_entity_tag = true;
        }
        self
    }

    /// Describes what it answers, where no type does.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn answer_schema(mut self, schema: serde_json::Value) -> Self {
        self.details.answer = Some(schema);
        self
    }
}
