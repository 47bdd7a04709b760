//! The endpoints as the bench describes them in a file: their paths, their statements, and the sources of the values of
//! these.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusqlite::types::Value;
use serde::Deserialize;

use crate::token::Claims;

/// The ids in the path of a request, by name.
pub(crate) type Ids = BTreeMap<String, i64>;

#[derive(Deserialize)]
pub(crate) struct Description {
    pub(crate) database: PathBuf,
    /// The key that signs tokens.
    pub(crate) key: String,
    pub(crate) endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
pub(crate) struct Endpoint {
    pub(crate) path: String,
    pub(crate) sql: String,
    parameters: Vec<Source>,
}

/// The source of a value.
#[derive(Deserialize)]
#[serde(tag = "from", rename_all = "lowercase")]
enum Source {
    /// The id of the token, a number.
    Token,
    /// The id of its user, a text.
    User,
    /// An id in the path.
    Path {
        name: String,
    },
    Number {
        value: i64,
    },
    Text {
        value: String,
    },
    Null,
}

impl Description {
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let name = || file.display().to_string();
        let text = std::fs::read_to_string(file).with_context(name)?;
        serde_json::from_str(&text).with_context(name)
    }
}

impl Endpoint {
    /// The values of the statement, in their order.
    pub(crate) fn values(&self, claims: &Claims, ids: &Ids) -> Result<Vec<Value>> {
        let value = |source: &Source| {
            Ok(match source {
                Source::Token => Value::Integer(claims.jti.parse()?),
                Source::User => Value::Text(claims.sub.clone()),
                Source::Path { name } => {
                    Value::Integer(*ids.get(name).with_context(|| format!("the path has no {name}"))?)
                }
                Source::Number { value } => Value::Integer(*value),
                Source::Text { value } => Value::Text(value.clone()),
                Source::Null => Value::Null,
            })
        };
        self.parameters.iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_the_token_from_the_path_and_from_the_description() {
        let endpoint: Endpoint = serde_json::from_str(
            r#"{"path":"/courses/{course}","sql":"","parameters":[{"from":"token"},{"from":"user"},
                {"from":"path","name":"course"},
                {"from":"number","value":1},{"from":"text","value":"id"},{"from":"null"}]}"#,
        )
        .unwrap();
        let claims = Claims { jti: "7".to_owned(), sub: "3".to_owned(), exp: None };
        let values = endpoint.values(&claims, &Ids::from([("course".to_owned(), 5)])).unwrap();
        let expected = [
            Value::Integer(7),
            Value::Text("3".to_owned()),
            Value::Integer(5),
            Value::Integer(1),
            Value::Text("id".to_owned()),
            Value::Null,
        ];
        assert_eq!(values, expected);
        assert!(endpoint.values(&claims, &Ids::new()).is_err());
    }
}
