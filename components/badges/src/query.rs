//! The query as this area reads it: of a parameter that is there once only the last counts, and one that may be there
//! several times has brackets behind its name or not.

use std::collections::BTreeMap;

use http::header::LINK;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use shared::db::BuiltJson;
use shared::pagination::{Key, Part, Window, WindowQuery};
use shared::{Context, Error, JsonSchema, Query, Reply, Result};

use crate::model::entity::{Envelope, Records, Rest};

/// Lists show what was made last first.
pub(crate) const NEWEST_FIRST: Key = Key::descending(&["created_at", "id"]);

/// Which part of a list is asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct PartQuery {
    /// The number of records, up to 500, which is the default.
    #[schemars(with = "Option<i64>")]
    pub(crate) num: Last,
    /// Those before that place: as a link of the header `Link` says.
    #[schemars(with = "Option<String>")]
    pub(crate) before: Last,
    /// Those after that place: as a link of the header `Link` says.
    #[schemars(with = "Option<String>")]
    pub(crate) after: Last,
}

impl PartQuery {
    /// The part of the list.
    pub(crate) async fn window(&self, cx: &Context) -> Result<Window> {
        let [num, before, after] = [&self.num, &self.before, &self.after].map(|last| last.0.as_deref());
        Window::of(cx, WindowQuery { num, before, after }).await
    }
}

/// The answer with a part of a list, whose records are written already.
pub(crate) type Listing<T> = Reply<Envelope<BuiltJson<T>>>;

/// What is shown of a row, written out: its length counts for the part, and the answer has it as it is.
pub(crate) fn written<T: Serialize>(shown: &T) -> Result<Option<BuiltJson<T>>> {
    Ok(Some(BuiltJson::of(shown)?))
}

/// The answer with a part of a list, and links to those on either side.
pub(crate) fn linked<T>(cx: &Context, part: Part<impl Records<T>>) -> Result<Listing<T>> {
    let link = part.link();
    let reply = part.items.beside(Rest::of(cx))?;
    Ok(match link {
        Some(link) => reply.header(LINK, &link),
        None => reply,
    })
}

/// The related records that are to stand in a record itself, and not as their addresses.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ExpandQuery {
    /// `badgeclass`, `issuer`; others are passed over.
    #[schemars(with = "Vec<String>")]
    expand: All,
}

impl ExpandQuery {
    /// True if the record of that name is to stand in the record.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        self.expand.0.iter().any(|asked| asked == name)
    }
}

/// The last value of a parameter that has no brackets.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Last(pub(crate) Option<String>);

/// All values of a parameter, with brackets or without.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct All(pub(crate) Vec<String>);

/// The query of that type. The argument says to the API description that the handler reads it; it stands behind a form, which
/// has the parameters otherwise.
pub(crate) fn read<T: DeserializeOwned>(cx: &Context, _: &Query<T>) -> Result<T> {
    from(cx.query())
}

/// All values by their parameters: a text, or a list of one for a parameter with brackets.
fn from<T: DeserializeOwned>(query: &str) -> Result<T> {
    let mut values: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.strip_suffix("[]") {
            Some(name) => values.entry(name.to_owned()).or_default().push(json!([value])),
            None => values.entry(name.into_owned()).or_default().push(json!(value)),
        }
    }
    serde_json::from_value(json!(values)).map_err(|error| Error::bad_request(error.to_string()))
}

impl<'de> Deserialize<'de> for Last {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<Value>::deserialize(deserializer)?;
        Ok(Self(values.iter().rev().find_map(Value::as_str).map(str::to_owned)))
    }
}

impl<'de> Deserialize<'de> for All {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::<Value>::deserialize(deserializer)?;
        let texts = values.iter().filter_map(|value| value.as_str().or_else(|| value.get(0)?.as_str()));
        Ok(Self(texts.map(str::to_owned).collect()))
    }
}

impl Last {
    /// True if the parameter of that name says so.
    pub(crate) fn flag(&self, name: &str) -> Result<bool> {
        match self.0.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(Error::invalid(name, "invalid", "Must be true or false.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct ListQuery {
        #[serde(flatten)]
        part: PartQuery,
        recipient: All,
        include_expired: Last,
    }

    #[test]
    fn the_last_counts_and_lists_have_brackets_or_not() {
        let asked: ListQuery =
            from("num=1&num=2&num[]=3&recipient=a&recipient[]=b%20c&recipient=d&other=x&include_expired=1").unwrap();
        assert_eq!(asked.part.num, Last(Some("2".to_owned())));
        assert_eq!(asked.part.before, Last(None));
        assert_eq!(asked.recipient.0, ["a", "b c", "d"]);
        assert!(asked.include_expired.flag("include_expired").unwrap());
        let empty: ListQuery = from("").unwrap();
        assert!(empty.recipient.0.is_empty() && !empty.include_expired.flag("include_expired").unwrap());
        assert!(Last(Some("maybe".to_owned())).flag("include_expired").is_err());
    }
}
