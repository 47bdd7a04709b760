//! The parts of everything else: ids, time, the fields of updates, and how values become types. No input, no output, and
//! nothing that knows a database or a request.

pub mod clock;
pub mod coerce;
pub mod ids;
mod patch;
pub mod period;

pub use clock::Timestamp;
#[cfg(target_arch = "wasm32")]
pub use macros::JsonSchema;
pub use patch::Patch;
#[cfg(not(target_arch = "wasm32"))]
pub use schemars::JsonSchema;

/// The trait that a type needs so that the API description can tell its shape.
///
/// The description is made natively: in a component the trait asks for nothing and costs nothing.
#[cfg(not(target_arch = "wasm32"))]
pub trait Described: schemars::JsonSchema {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: schemars::JsonSchema> Described for T {}

/// The trait that a type needs so that the API description can tell its shape.
///
/// The description is made natively: in a component the trait asks for nothing and costs nothing.
#[cfg(target_arch = "wasm32")]
pub trait Described {}
#[cfg(target_arch = "wasm32")]
impl<T> Described for T {}

/// Lets the API description show a wrapper, such as `Json<T>`, as what it wraps.
#[macro_export]
macro_rules! described_as_wrapped {
    ($wrapper:ident) => {
        #[cfg(not(target_arch = "wasm32"))]
        impl<T: schemars::JsonSchema> schemars::JsonSchema for $wrapper<T> {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                T::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                T::schema_id()
            }

            fn inline_schema() -> bool {
                T::inline_schema()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                T::json_schema(generator)
            }
        }
    };
}
