//! Responses of students: reading them, so that whatever does not fit is told with its place.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

/// The most characters of a key that an error repeats.
const MAX_SHOWN: usize = 64;

/// What is wrong with a response, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseError {
    /// The way to what does not fit: `response`, `response[2]` for the third of a list, `response[key]` for a member.
    pub place: String,
    /// The rule, as a sentence that the place begins: `must be true or false`.
    pub message: String,
}

impl fmt::Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.place, self.message)
    }
}

impl std::error::Error for ResponseError {}

pub(crate) type Read<T> = Result<T, ResponseError>;

/// A part of a response, with the way to it.
#[derive(Clone)]
pub(crate) struct Part<'a> {
    pub(crate) value: &'a Value,
    place: String,
}

impl<'a> Part<'a> {
    pub(crate) fn whole(value: &'a Value) -> Self {
        Self { value, place: "response".to_owned() }
    }

    pub(crate) fn refuse<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(ResponseError { place: self.place.clone(), message: message.into() })
    }

    /// The text of that many characters at most.
    pub(crate) fn text(&self, max_chars: usize) -> Read<&'a str> {
        let Value::String(text) = self.value else { return self.refuse("must be text") };
        // A character has one byte at least, so that a long text is not counted.
        if text.len() > max_chars && text.chars().nth(max_chars).is_some() {
            return self.refuse(format!("is too long (maximum is {max_chars} characters)"));
        }
        Ok(text)
    }

    /// The elements of the list, that many at most, each once.
    pub(crate) fn elements(&self, max: usize) -> Read<Vec<Part<'a>>> {
        let Value::Array(list) = self.value else { return self.refuse("must be a list") };
        if list.len() > max {
            return self.refuse(format!("has too many parts (maximum is {max})"));
        }
        let named = |(place, value)| Part { value, place: format!("{}[{place}]", self.place) };
        Ok(list.iter().enumerate().map(named).collect())
    }

    /// The members of the object, that many at most.
    pub(crate) fn members(&self, max: usize) -> Read<Vec<(&'a str, Part<'a>)>> {
        let Value::Object(members) = self.value else { return self.refuse("must be an object") };
        if members.len() > max {
            return self.refuse(format!("has too many parts (maximum is {max})"));
        }
        Ok(self.named(members))
    }

    fn named(&self, members: &'a Map<String, Value>) -> Vec<(&'a str, Part<'a>)> {
        let part = |(key, value): (&'a String, &'a Value)| {
            let shown: String = key.chars().take(MAX_SHOWN).collect();
            (key.as_str(), Part { value, place: format!("{}[{shown}]", self.place) })
        };
        members.iter().map(part).collect()
    }

    /// Ids out of those that are known, each once.
    pub(crate) fn ids(&self, known: &BTreeSet<&str>, kind: &str) -> Read<Vec<&'a str>> {
        let mut seen = BTreeSet::new();
        let mut ids = Vec::new();
        for part in self.elements(known.len())? {
            let id = part.id(known, kind)?;
            if !seen.insert(id) {
                return part.refuse(format!("names {kind} twice"));
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// An id out of those that are known.
    pub(crate) fn id(&self, known: &BTreeSet<&str>, kind: &str) -> Read<&'a str> {
        match self.value.as_str().filter(|id| known.contains(id)) {
            Some(id) => Ok(id),
            None => self.refuse(format!("must be the id of {kind}")),
        }
    }

    /// True if it is null or a text of white space.
    pub(crate) fn is_nothing(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_place_is_told_and_long_keys_are_cut() {
        let known = BTreeSet::from(["a", "b", "c"]);
        let ids = |value: Value| Part::whole(&value).ids(&known, "a choice").map(|_| ()).unwrap_err().to_string();
        assert_eq!(ids(json!("a")), "response must be a list");
        assert_eq!(ids(json!(["a", "x"])), "response[1] must be the id of a choice");
        assert_eq!(ids(json!(["a", 1])), "response[1] must be the id of a choice");
        assert_eq!(ids(json!(["a", "a"])), "response[1] names a choice twice");
        assert_eq!(ids(json!(["a", "b", "c", "a"])), "response has too many parts (maximum is 3)");
        let value = json!({ "k".repeat(500): 1 });
        let whole = Part::whole(&value);
        let members = whole.members(1).unwrap();
        let error = members.first().unwrap().1.text(3).unwrap_err();
        assert_eq!(error.to_string(), format!("response[{}] must be text", "k".repeat(64)));
    }

    #[test]
    fn characters_are_counted_and_not_bytes() {
        assert!(Part::whole(&json!("ööö")).text(3).is_ok());
        let error = Part::whole(&json!("öööö")).text(3).unwrap_err();
        assert_eq!(error.to_string(), "response is too long (maximum is 3 characters)");
    }
}
