//! Bodies: a list under the plural name, or under the singular one, as a client library sends it. The first element counts.

use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::{Error, Form, Patch, Result, params};

const LONGEST_TEXT: usize = 255;

/// The first element of the list that `plural` names.
pub(crate) fn first<B: DeserializeOwned, F: DeserializeOwned>(body: Form<B>, plural: &str) -> Result<F> {
    let mut params = body.into_params();
    let singular = plural.strip_suffix('s').unwrap_or(plural);
    let given = params.remove(plural).or_else(|| params.remove(singular));
    let form = match given {
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
    params::not_too_long(field, &text, LONGEST_TEXT)?;
    Ok(text)
}

/// The same where an update may leave it out.
pub(crate) fn kept_or_required(field: &str, text: Patch<String>) -> Result<Option<String>> {
    if text.is_present() { required(field, text).map(Some) } else { Ok(None) }
}

/// A text that may be missing, and must fit.
pub(crate) fn optional(field: &str, text: Patch<String>) -> Result<Patch<String>> {
    if let Patch::Value(text) = &text {
        params::not_too_long(field, text, LONGEST_TEXT)?;
    }
    Ok(text)
}
