//! The question of a tool: the parameters of a subscription, checked in a fixed order: first whether the
//! tool may know of such events at all, then whether it is at home in the context, then the rest.

use http::StatusCode;
use serde_json::{Map, Value, json};
use shared::error::{Violation, Violations};
use shared::outbound::address;
use shared::outbound::queue::QueueRules;
use shared::params::Params;
use shared::{Context, Error, Result, config};

use crate::model::capabilities::{Capabilities, EventType};
use crate::model::form::{Parameters, SubscriptionFields, TransportMetadata};
use crate::model::tools::Tool;
use crate::store::contexts;

const MAX_EVENT_TYPES: usize = 100;

/// The parameters of the request, if the tool may have such a subscription.
pub(crate) async fn subscription_fields(cx: &Context, tool: &Tool, params: &Params) -> Result<SubscriptionFields> {
    let form = match params.get("subscription") {
        Some(Value::Object(form)) if !form.is_empty() => form,
        _ => return Err(Error::missing("subscription")),
    };
    let named = names(form)?;
    let event_types = allowed(&Capabilities(&tool.capabilities), &named)?;
    let context_type = text(form, "ContextType").unwrap_or_default();
    let kind = contexts::Kind::named(&context_type).ok_or_else(invalid)?;
    let context_id = text(form, "ContextId").ok_or_else(|| refused("ContextId", "blank", "can't be blank"))?;
    let place = contexts::find(&cx.db, tool, kind, &context_id).await?.ok_or_else(unauthorized)?;
    let development = config::flag("development").await?;
    let queues = QueueRules::configured().await?;
    let (format, transport_type, url) = target(form, development, &queues)?;
    let transport_metadata = TransportMetadata { url };
    let given = Parameters { context_id, context_type, event_types: named, format, transport_metadata, transport_type };
    Ok(SubscriptionFields { given, place, event_types })
}

/// Whether a change leaves the subscription active, as it does unless the tool says otherwise.
pub(crate) fn is_enabled(params: &Params) -> Result<bool> {
    let Some(Value::Object(form)) = params.get("subscription") else { return Ok(true) };
    match form.get("Status") {
        None | Some(Value::Null) => Ok(true),
        Some(Value::String(status)) if status == "active" => Ok(true),
        Some(Value::String(status)) if status == "disabled" => Ok(false),
        Some(_) => Err(refused("Status", "inclusion", "must be active or disabled")),
    }
}

/// A tool that may not have this is told no more than that.
pub(crate) fn unauthorized() -> Error {
    Error::own(StatusCode::UNAUTHORIZED, json!({ "error": "Unauthorized subscription" }))
}

/// The words are those of the reference system; the field stands beside them.
fn invalid() -> Error {
    let details = json!([{ "field": "ContextType", "message": "must be account, course or assignment" }]);
    Error::own(StatusCode::BAD_REQUEST, json!({ "error": "Invalid subscription", "details": details }))
}

fn refused(field: &str, code: &'static str, message: &str) -> Error {
    Error::invalid(field, code, message)
}

fn names(form: &Map<String, Value>) -> Result<Vec<String>> {
    let list = match form.get("EventTypes") {
        None | Some(Value::Null) => return Err(refused("EventTypes", "blank", "can't be blank")),
        Some(Value::Array(list)) if list.is_empty() => return Err(refused("EventTypes", "blank", "can't be blank")),
        Some(Value::Array(list)) if list.len() > MAX_EVENT_TYPES => {
            return Err(refused("EventTypes", "too_long", "has too many entries (maximum is 100)"));
        }
        Some(Value::Array(list)) => list,
        Some(_) => return Err(refused("EventTypes", "invalid", "must be a list")),
    };
    let names = list.iter().map(|name| name.as_str().map(str::to_owned));
    names.collect::<Option<_>>().ok_or_else(|| refused("EventTypes", "invalid", "must be a list of texts"))
}

/// A tool that may know of all events is told which one we do not have; any other is told that it may not have it.
fn allowed(held: &Capabilities<'_>, names: &[String]) -> Result<Vec<EventType>> {
    let mut event_types = Vec::new();
    for name in names {
        match EventType::named(name) {
            Some(kind) if !held.allow(kind) => return Err(unauthorized()),
            Some(kind) if event_types.contains(&kind) => {}
            Some(kind) => event_types.push(kind),
            None if held.allow_all() => {
                let known = EventType::ALL.map(EventType::name).join(", ");
                return Err(refused("EventTypes", "inclusion", &format!("must be among {known}")));
            }
            None => return Err(unauthorized()),
        }
    }
    Ok(event_types)
}

/// Format, transport and address, or all that is wrong with them.
fn target(
    form: &Map<String, Value>,
    development: bool,
    queues: &QueueRules,
) -> Result<(String, String, String), Violations> {
    let mut violations = Violations::default();
    let format = violations.check(one_of(form, "Format", "live-event", "caliper"));
    let transport_type = violations.check(one_of(form, "TransportType", "https", "sqs"));
    let url = violations.check(url(form, transport_type.as_deref(), development, queues));
    match (format, transport_type, url) {
        (Some(format), Some(transport_type), Some(url)) => Ok((format, transport_type, url)),
        _ => Err(violations),
    }
}

fn one_of(form: &Map<String, Value>, field: &str, one: &str, other: &str) -> Result<String, Violation> {
    match text(form, field) {
        Some(given) if given == one || given == other => Ok(given),
        given => {
            let code = if given.is_some() { "inclusion" } else { "blank" };
            Err(Violation::new(field, code, format!("must be {one} or {other}")))
        }
    }
}

fn url(
    form: &Map<String, Value>,
    transport_type: Option<&str>,
    development: bool,
    queues: &QueueRules,
) -> Result<String, Violation> {
    const FIELD: &str = "TransportMetadata";
    let metadata = match form.get(FIELD) {
        None | Some(Value::Null) => return Err(Violation::new(FIELD, "blank", "can't be blank")),
        Some(Value::Object(metadata)) if metadata.keys().eq(["Url"]) => metadata,
        Some(_) => return Err(Violation::new(FIELD, "invalid", "must be an object with the single key Url")),
    };
    let field = "TransportMetadata[Url]";
    let Some(Value::String(url)) = metadata.get("Url") else {
        return Err(Violation::new(field, "invalid", "must be a text"));
    };
    if url.is_empty() {
        return Err(Violation::new(field, "blank", "can't be blank"));
    }
    let checked = match transport_type {
        Some("sqs") => queues.check(url).map(drop),
        _ => address::check(url, development).map(drop),
    };
    checked.map_err(|rule| Violation::new(field, "invalid", rule))?;
    Ok(url.clone())
}

/// A parameter that is a text, or a number where a client has sent an id as one; none where it is blank.
fn text(form: &Map<String, Value>, field: &str) -> Option<String> {
    match form.get(field)? {
        Value::String(text) if !text.trim().is_empty() && !text.contains('\0') => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(form: Value) -> Vec<(String, String)> {
        let violations = target(form.as_object().unwrap(), false, &QueueRules::default()).unwrap_err();
        violations.into_vec().into_iter().map(|violation| (violation.field.unwrap(), violation.message)).collect()
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let form = json!({ "Format": "xml", "TransportMetadata": { "Url": "http://tool.test/" } });
        let expected = [
            ("Format", "must be live-event or caliper"),
            ("TransportType", "must be https or sqs"),
            ("TransportMetadata[Url]", "must begin with https://"),
        ];
        assert_eq!(complaints(form), expected.map(|(field, message)| (field.to_owned(), message.to_owned())));
    }

    #[test]
    fn a_target_is_an_object_with_one_address() {
        let base = json!({ "Format": "caliper", "TransportType": "https" });
        let with = |metadata: Value| {
            let mut form = base.clone();
            form["TransportMetadata"] = metadata;
            complaints(form).remove(0).1
        };
        let one_key = "must be an object with the single key Url";
        for metadata in
            [json!("https://tool.test"), json!([]), json!({}), json!({ "Url": "https://a.test", "Key": "x" })]
        {
            assert_eq!(with(metadata), one_key);
        }
        assert_eq!(with(Value::Null), "can't be blank");
        assert_eq!(with(json!({ "Url": "" })), "can't be blank");
        assert_eq!(with(json!({ "Url": 7 })), "must be a text");
    }
}
