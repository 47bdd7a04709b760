//! The metadata of dynamic registration: `OpenID` Connect Dynamic Client Registration with the claims of LTI.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::outbound::address;
use shared::{Error, JsonSchema, Result};

use crate::model::capabilities;

pub(crate) const PRIVATE_KEY_JWT: &str = "private_key_jwt";
pub(crate) const CLIENT_CREDENTIALS: &str = "client_credentials";

const MAX_NAME_CHARS: usize = 255;
const MAX_TEXT_CHARS: usize = 2048;
const MAX_ENTRIES: usize = 50;
/// The most bytes of what is kept of the metadata.
const MAX_BYTES: usize = 32 * 1024;

/// The metadata of a tool, as it sends them.
#[derive(Serialize, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ClientMetadata {
    /// `web`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) application_type: Option<String>,
    /// `client_credentials`, `implicit`
    pub(crate) grant_types: Vec<String>,
    /// `id_token`
    pub(crate) response_types: Vec<String>,
    /// `private_key_jwt`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_endpoint_auth_method: Option<String>,
    pub(crate) client_name: String,
    pub(crate) redirect_uris: Vec<String>,
    pub(crate) initiate_login_uri: String,
    /// Where the tool shows the public keys by which its assertions are known.
    pub(crate) jwks_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) logo_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tos_uri: Option<String>,
    pub(crate) contacts: Vec<String>,
    /// Capabilities, with spaces between; other scopes are passed over.
    pub(crate) scope: String,
    #[serde(rename = "https://purl.imsglobal.org/spec/lti-tool-configuration")]
    pub(crate) tool_configuration: ToolConfiguration,
}

/// The claim `lti-tool-configuration`.
#[derive(Serialize, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ToolConfiguration {
    pub(crate) domain: String,
    pub(crate) target_link_uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) custom_parameters: BTreeMap<String, String>,
    pub(crate) claims: Vec<String>,
    /// Messages are kept as they are: none is sent.
    pub(crate) messages: Vec<Map<String, Value>>,
}

impl ClientMetadata {
    /// The capabilities that the tool asks for.
    pub(crate) fn capabilities(&self) -> Vec<String> {
        capabilities::asked_for(self.scope.split_whitespace())
    }

    /// The metadata as they are kept, if they hold.
    pub(crate) fn checked(&self, development: bool) -> Result<Value> {
        self.check_texts()?;
        self.check_methods()?;
        self.check_addresses(development)?;
        let kept = serde_json::to_value(self).map_err(Error::internal)?;
        match shared::params::json_bytes(&kept) <= MAX_BYTES {
            true => Ok(kept),
            false => Err(refused(format!("the metadata are too long (maximum is {MAX_BYTES} bytes)"))),
        }
    }

    fn check_texts(&self) -> Result<()> {
        let tool = &self.tool_configuration;
        for (name, text, most) in [
            ("client_name", &self.client_name, MAX_NAME_CHARS),
            ("domain", &tool.domain, MAX_NAME_CHARS),
            ("target_link_uri", &tool.target_link_uri, MAX_TEXT_CHARS),
        ] {
            if text.trim().is_empty() || text.chars().nth(most).is_some() {
                return Err(refused(format!("{name} is missing or too long (maximum is {most} characters)")));
            }
        }
        for (name, entries) in [
            ("redirect_uris", self.redirect_uris.len()),
            ("contacts", self.contacts.len()),
            ("claims", tool.claims.len()),
            ("messages", tool.messages.len()),
            ("custom_parameters", tool.custom_parameters.len()),
        ] {
            if entries > MAX_ENTRIES {
                return Err(refused(format!("{name} has too many entries (maximum is {MAX_ENTRIES})")));
            }
        }
        Ok(())
    }

    /// A tool gets its tokens by assertions that its own key has signed, and by nothing else.
    fn check_methods(&self) -> Result<()> {
        if self.token_endpoint_auth_method.as_deref().is_some_and(|method| method != PRIVATE_KEY_JWT) {
            return Err(refused("token_endpoint_auth_method must be private_key_jwt"));
        }
        if !self.grant_types.is_empty() && !self.grant_types.iter().any(|grant| grant == CLIENT_CREDENTIALS) {
            return Err(refused("grant_types must have client_credentials"));
        }
        Ok(())
    }

    fn check_addresses(&self, development: bool) -> Result<()> {
        let check = |name: &str, uri: &str| {
            address::check(uri, development).map(drop).map_err(|rule| refused(format!("{name} {rule}")))
        };
        if self.redirect_uris.is_empty() {
            return Err(Error::oauth("invalid_redirect_uri", "redirect_uris is missing"));
        }
        for uri in &self.redirect_uris {
            address::check(uri, development)
                .map_err(|rule| Error::oauth("invalid_redirect_uri", format!("an address {rule}")))?;
        }
        check("initiate_login_uri", &self.initiate_login_uri)?;
        check("jwks_uri", &self.jwks_uri)?;
        check("target_link_uri", &self.tool_configuration.target_link_uri)?;
        let others = [
            ("client_uri", &self.client_uri),
            ("logo_uri", &self.logo_uri),
            ("policy_uri", &self.policy_uri),
            ("tos_uri", &self.tos_uri),
        ];
        others.into_iter().try_for_each(|(name, uri)| uri.as_deref().map_or(Ok(()), |uri| check(name, uri)))
    }
}

fn refused(description: impl Into<String>) -> Error {
    Error::oauth("invalid_client_metadata", description)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> ClientMetadata {
        ClientMetadata {
            client_name: "Checker".to_owned(),
            redirect_uris: vec!["https://tool.test/back".to_owned()],
            initiate_login_uri: "https://tool.test/login".to_owned(),
            jwks_uri: "https://tool.test/keys".to_owned(),
            scope: "openid vnd.vendor.webhooks.root_account.grade_change openid".to_owned(),
            tool_configuration: ToolConfiguration {
                domain: "tool.test".to_owned(),
                target_link_uri: "https://tool.test/".to_owned(),
                ..ToolConfiguration::default()
            },
            ..ClientMetadata::default()
        }
    }

    fn is_refused(change: impl FnOnce(&mut ClientMetadata)) -> bool {
        let mut metadata = metadata();
        change(&mut metadata);
        metadata.checked(false).is_err()
    }

    #[test]
    fn whoever_says_enough_is_taken() {
        assert!(metadata().checked(false).is_ok());
        assert_eq!(metadata().capabilities(), ["vnd.vendor.webhooks.root_account.grade_change"]);
    }

    #[test]
    fn each_rule_refuses() {
        assert!(is_refused(|it| it.client_name.clear()));
        assert!(is_refused(|it| it.client_name = "x".repeat(256)));
        assert!(is_refused(|it| it.redirect_uris.clear()));
        assert!(is_refused(|it| it.redirect_uris.push("http://tool.test/".to_owned())));
        assert!(is_refused(|it| it.jwks_uri = "https://10.0.0.1/".to_owned()));
        assert!(is_refused(|it| it.logo_uri = Some("javascript:alert(1)".to_owned())));
        assert!(is_refused(|it| it.grant_types = vec!["implicit".to_owned()]));
        assert!(is_refused(|it| it.token_endpoint_auth_method = Some("client_secret_basic".to_owned())));
        assert!(is_refused(|it| it.contacts = vec![String::new(); MAX_ENTRIES + 1]));
        assert!(is_refused(|it| it.contacts = vec!["x".repeat(MAX_BYTES)]));
    }
}
