//! The file that tells the servers what they serve.

use std::path::PathBuf;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde_json::json;
use sha2::Sha256;
use xtask::sandbox::Sandbox;

const NAME: &str = "comparison.json";

/// An endpoint of the servers.
#[derive(Serialize)]
pub(super) struct Endpoint {
    /// Its places are those of the table of requests.
    pub(super) path: String,
    pub(super) sql: String,
    pub(super) parameters: &'static [Source],
}

/// The source of a parameter of a statement.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "from", rename_all = "lowercase")]
pub(super) enum Source {
    /// The id of the token, a number.
    Token,
    /// The id of its user, a text.
    User,
    /// An id in the path.
    Path {
        name: &'static str,
    },
    Number {
        value: i64,
    },
    Text {
        value: &'static str,
    },
    Null,
}

/// Writes the file into the folder of the application.
pub(super) fn write(sandbox: &Sandbox, endpoints: &[Endpoint]) -> Result<PathBuf> {
    let secret = sandbox.variables.get("token_secret").context("token_secret is not known")?;
    let folder = sandbox.folder.path();
    let text = json!({ "database": folder.join("sqlite_db.db"), "key": token_key(secret)?, "endpoints": endpoints });
    // It has the key of all tokens.
    sandbox.folder.write_private(NAME, &text.to_string())?;
    Ok(folder.join(NAME))
}

/// The key that signs access tokens, as the application derives it from its secret.
fn token_key(secret: &str) -> Result<String> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?.chain_update(b"access token\0key");
    Ok(BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_read_where_each_parameter_comes_from() {
        let parameters = &[Source::Token, Source::Path { name: "quiz" }, Source::Number { value: 1 }, Source::Null];
        let endpoint = Endpoint { path: "/quizzes/{quiz}".to_owned(), sql: "SELECT ?1".to_owned(), parameters };
        let expected = json!({
            "path": "/quizzes/{quiz}",
            "sql": "SELECT ?1",
            "parameters": [
                { "from": "token" },
                { "from": "path", "name": "quiz" },
                { "from": "number", "value": 1 },
                { "from": "null" },
            ],
        });
        assert_eq!(serde_json::to_value(endpoint).unwrap(), expected);
    }

    #[test]
    fn the_key_of_tokens_is_derived_for_them_alone() {
        assert_eq!(
            token_key("a secret of 32 characters or more").unwrap(),
            "txYKgJKqW55gaPCP4DFbNC53rjca3ir3G9HfQ0bvGjw"
        );
    }
}
