//! Names with brackets, as Rack reads them: `a[b]=1` is an object, `a[]=1` a list, and in `a[][x]=1&a[][y]=2&a[][x]=3` a
//! list's next element begins where a name comes again.

use serde_json::{Map, Value};

use super::Params;
use crate::error::{Error, Result};

/// More brackets than this are somebody's attack on the stack.
const DEEPEST: usize = 32;
/// The most values of a query or a form.
pub(super) const MAX_VALUES: usize = 20_000;
/// The part of a name that an error repeats.
const MAX_SHOWN_CHARS: usize = 100;

/// One step of a name.
#[derive(Debug, Clone, PartialEq)]
enum Step<'a> {
    Key(&'a str),
    Push,
}

/// Puts `pairs` together; the pairs of a query, a form or the text fields of a multipart body.
pub fn parse(pairs: impl Iterator<Item = (String, String)>) -> Result<Params> {
    let mut params = Value::Object(Map::new());
    for (count, (name, value)) in pairs.filter(|(name, _)| !name.is_empty()).enumerate() {
        if count == MAX_VALUES {
            return Err(too_many());
        }
        let steps = steps(&name)?;
        insert(&mut params, &steps, value).map_err(|Clash| clash(&name))?;
    }
    match params {
        Value::Object(params) => Ok(params),
        _ => Err(Error::bad_request("the parameters have no names")),
    }
}

/// A name is used both for a value and for a container of values.
struct Clash;

/// More values than anybody has use for.
pub(super) fn too_many() -> Error {
    Error::bad_request(format!("there are more than {MAX_VALUES} parameters"))
}

/// The name as an error tells it.
pub(super) fn shown(name: &str) -> String {
    match name.char_indices().nth(MAX_SHOWN_CHARS).and_then(|(end, _)| name.get(..end)) {
        Some(beginning) => format!("{beginning}…"),
        None => name.to_owned(),
    }
}

fn clash(name: &str) -> Error {
    Error::bad_request(format!("{} is used both as a value and as a container", shown(name)))
}

fn steps(name: &str) -> Result<Vec<Step<'_>>> {
    let Some((first, rest)) = name.split_once('[') else {
        return Ok(vec![Step::Key(name)]);
    };
    if first.is_empty() {
        return Ok(vec![Step::Key(name)]);
    }
    let mut steps = vec![Step::Key(first)];
    for part in rest.split('[') {
        match part.strip_suffix(']') {
            Some("") => steps.push(Step::Push),
            Some(key) if !key.contains(']') => steps.push(Step::Key(key)),
            _ => return Err(Error::bad_request(format!("{} has brackets that do not match", shown(name)))),
        }
    }
    if steps.len() > DEEPEST {
        return Err(Error::bad_request("the parameters are nested too deeply"));
    }
    Ok(steps)
}

fn insert(into: &mut Value, steps: &[Step<'_>], value: String) -> Result<(), Clash> {
    let Some((step, rest)) = steps.split_first() else {
        return match into {
            Value::Object(_) | Value::Array(_) => Err(Clash),
            _ => {
                *into = Value::String(value);
                Ok(())
            }
        };
    };
    match step {
        Step::Key(key) => insert(object(into)?.entry(*key).or_insert(Value::Null), rest, value),
        Step::Push => {
            let list = array(into)?;
            match list.last_mut() {
                Some(last) if last.is_object() && !rest.is_empty() && !has(last, rest) => insert(last, rest, value),
                _ => {
                    let mut element = Value::Null;
                    insert(&mut element, rest, value)?;
                    list.push(element);
                    Ok(())
                }
            }
        }
    }
}

/// True if the name is there already, so that it must begin the next element. A list inside an element never does.
fn has(element: &Value, steps: &[Step<'_>]) -> bool {
    let mut at = element;
    for step in steps {
        let Step::Key(key) = step else { return false };
        match at.get(*key) {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

fn object(value: &mut Value) -> Result<&mut Map<String, Value>, Clash> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().ok_or(Clash)
}

fn array(value: &mut Value) -> Result<&mut Vec<Value>, Clash> {
    if value.is_null() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut().ok_or(Clash)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(query: &str) -> Result<Value> {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        parse(pairs).map(Value::Object)
    }

    #[test]
    fn names_nest_as_in_rack() {
        let cases = [
            ("a=1&b=2", json!({"a": "1", "b": "2"})),
            ("a=1&a=2", json!({"a": "2"})),
            ("a[b]=1&a[c]=2", json!({"a": {"b": "1", "c": "2"}})),
            ("a[]=1&a[]=2", json!({"a": ["1", "2"]})),
            ("a[][x]=1&a[][y]=2", json!({"a": [{"x": "1", "y": "2"}]})),
            ("a[][x]=1&a[][x]=2", json!({"a": [{"x": "1"}, {"x": "2"}]})),
            ("a[][x]=1&a[][y]=2&a[][x]=3", json!({"a": [{"x": "1", "y": "2"}, {"x": "3"}]})),
            ("a[][m][k]=1&a[][m][l]=2&a[][m][k]=3", json!({"a": [{"m": {"k": "1", "l": "2"}}, {"m": {"k": "3"}}]})),
            ("a[][x][]=1&a[][x][]=2", json!({"a": [{"x": ["1", "2"]}]})),
            ("a[0][x]=1", json!({"a": {"0": {"x": "1"}}})),
            ("a", json!({"a": ""})),
            ("", json!({})),
        ];
        for (query, expected) in cases {
            assert_eq!(read(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn what_cannot_be_understood_is_refused_by_name() {
        for query in ["a=1&a[b]=2", "a[]=1&a[b]=2", "a[b]=1&a=2", "a[b=1", "a[b]]=1"] {
            assert!(read(query).is_err(), "{query}");
        }
        assert!(read(&format!("a{}=1", "[b]".repeat(DEEPEST))).is_err());
    }

    #[test]
    fn values_are_counted_and_long_names_are_not_repeated() {
        let many = |count| "a[]=1&".repeat(count);
        assert!(read(&many(MAX_VALUES)).is_ok());
        assert!(read(&many(MAX_VALUES + 1)).is_err());
        let refused = read(&format!("{}]=1", "é[".repeat(100_000))).unwrap_err().to_string();
        assert!(refused.len() < 1000, "{refused}");
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(query in ".{0,200}") {
            let _ = read(&query);
        }

        #[test]
        fn lists_of_objects_come_back_whole(rows in prop::collection::vec(("[a-z]{0,5}", "[a-z]{0,5}"), 1..20)) {
            let mut form = form_urlencoded::Serializer::new(String::new());
            for (name, count) in &rows {
                form.append_pair("groups[][name]", name).append_pair("groups[][count]", count);
            }
            let expected: Vec<_> = rows.iter().map(|(name, count)| json!({"name": name, "count": count})).collect();
            prop_assert_eq!(read(&form.finish()).unwrap(), json!({"groups": expected}));
        }
    }
}
