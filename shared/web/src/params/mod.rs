//! Parameters: query, form, multipart and JSON are one thing to a handler, a typed struct.
//!
//! See "Requests" in `docs/contract/README.md`: nested names as Rack reads them, text cast to numbers and booleans,
//! unknown names ignored, query and body merged.

mod body;
mod rack;
mod search_term;
mod unread;
mod unsupported;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use types::JsonSchema;

pub(crate) use body::pairs;
pub use body::{FileParts, parse as parse_body};
pub use rack::parse as parse_pairs;
pub use search_term::SearchTerm;
pub use types::Patch;
pub use types::coerce::{self, BLANK};
pub use unread::Unread;
pub use unsupported::{Unsupported, refuse_unsupported};

use crate::error::{Error, Result, Violation};

/// The parameters of an endpoint that takes none beside those of its path and its pages. Who reads them refuses those that
/// the endpoint does not support.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NoParameters {}

/// The parameters of a request, by name.
pub type Params = Map<String, Value>;

/// Reads parameters as a `T`, or answers 400 with the name of the one that does not fit.
pub fn decode<T: DeserializeOwned>(params: Params) -> Result<T> {
    coerce::from_value(Value::Object(params)).map_err(|error| Error::bad_request(error.to_string()))
}

/// The same for parameters of a query, in which one value stands for a list of one: `include=term`.
pub fn decode_query<T: DeserializeOwned>(params: Params) -> Result<T> {
    coerce::from_query(Value::Object(params)).map_err(|error| Error::bad_request(error.to_string()))
}

/// The last of the query's parameters of that name, as text.
pub(crate) fn query_text<'q>(query: &'q str, name: &str) -> Option<Cow<'q, str>> {
    form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name).last().map(|(_, text)| text)
}

/// Refuses a text of more than `longest` characters.
pub fn not_too_long(field: &str, text: &str, longest: usize) -> Result<()> {
    check_length(field, text, longest).map_err(|violation| Error::violations(vec![violation]))
}

/// The same, for who gathers violations.
pub fn check_length(field: &str, text: &str, longest: usize) -> Result<(), Violation> {
    match text.chars().count() > longest {
        true => Err(Violation::new(field, "too_long", format!("is too long (maximum is {longest} characters)"))),
        false => Ok(()),
    }
}

/// A text of a form with plain ends of its lines: browsers end them in a way of their own.
pub fn plain_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The number of bytes of the value as JSON.
pub fn json_bytes(value: &impl Serialize) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.saturating_add(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // A value that cannot be written as JSON is larger than any limit.
    serde_json::to_writer(&mut counter, value).map_or(usize::MAX, |()| counter.0)
}

/// An integer, from a number of JSON or from numeric text; `None` otherwise, where that is passed over and not refused.
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_form_end_plainly() {
        assert_eq!(plain_line_ends("a\r\n\r\nb\n\rc\r\n"), "a\n\nb\n\rc\n");
    }
}
