//! Bodies: a list under the plural name, or under the singular one, as a client library sends it. The first element counts.

use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::params::{self, Unread};
use shared::{Error, Patch, Result};

const MAX_TEXT_CHARS: usize = 255;

/// The form under the plural name, or else under the singular one; of a list the first element counts.
pub(crate) fn first<F: DeserializeOwned>(
    plural: &str,
    list: Patch<Unread<Vec<F>>>,
    one: Patch<Unread<F>>,
) -> Result<F> {
    let list = list.map(Unread::into_value);
    let given = if list.is_present() { list } else { one.map(Unread::into_value) };
    let form = match given.into_option() {
        Some(Value::Array(list)) => list.into_iter().next(),
        other => other,
    };
    match form {
        Some(Value::Object(form)) => params::decode(form),
        _ => Err(Error::missing(plural)),
    }
}

/// A text that must be there, and fit.
pub(crate) fn required(field: &str, text: Patch<String>) -> Result<String> {
    let text = text.into_option().filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Error::invalid(field, "blank", "can't be blank"))?;
    params::not_too_long(field, &text, MAX_TEXT_CHARS)?;
    Ok(text)
}

/// The same where an update may leave it out.
pub(crate) fn kept_or_required(field: &str, text: Patch<String>) -> Result<Option<String>> {
    if text.is_present() { required(field, text).map(Some) } else { Ok(None) }
}

/// A text that may be missing, and must fit.
pub(crate) fn optional(field: &str, text: Patch<String>) -> Result<Patch<String>> {
    if let Patch::Value(text) = &text {
        params::not_too_long(field, text, MAX_TEXT_CHARS)?;
    }
    Ok(text)
}
